//! What went wrong, in the person's language: what is wrong, where, and what would do.
//!
//! Every `match` here names all variants, so that an error without words does not compile.

mod files;
pub mod numbers;
pub mod programs;
mod simulators;
mod transformers;
mod universals;

use universal::run::RunError;

use crate::ground::language::Language;
use crate::ground::parts::Missing;
use crate::work::protocol::Failure;
use numbers::{decimal, whole};

/// A failure in words.
pub fn describe(failure: &Failure, t: Language) -> String {
    match failure {
        Failure::Transformer(error) => transformers::describe(error, t),
        Failure::Universal(error) => universals::describe(error, t),
        Failure::Simulator(error) => simulators::describe(error, t),
        Failure::SimulatorTooLarge { error, rows } => simulators::describe_too_large(error, *rows, t),
        Failure::NotSimulated(reason) => simulators::describe_unsupported(*reason, t).to_owned(),
        Failure::File(error) => files::describe(error, t),
        Failure::Run(error) => describe_run(error, t),
        Failure::NoSuchCell { name, row, column } => {
            t.failure_no_such_cell(&thing(name, t), &whole(*row, t), &whole(*column, t))
        }
        Failure::NoSuchPreset(id) => t.failure_no_such_preset(id),
        Failure::Missing(Missing) => t.failure_missing().to_owned(),
        Failure::Trace(error) => t.failure_trace(&whole(error.cells, t), &whole(error.limit, t)),
        Failure::ProgramTooLong { name, size, limit } => {
            t.failure_program_too_long(name, &whole(*size, t), &whole(*limit, t))
        }
        Failure::Crashed(message) => with_report(t.failure_crashed(), message, t),
        Failure::NoWorker(message) => with_report(t.failure_no_worker(), message, t),
        Failure::Versions { page, worker } => t.failure_versions(*page, *worker),
    }
}

fn describe_run(error: &RunError, t: Language) -> String {
    match error {
        RunError::File(error) => files::describe(error, t),
        RunError::Engine(error) => universals::describe(error, t),
        RunError::NotFinite { name } => t.failure_run_not_finite(&thing(name, t)),
        RunError::Fingerprint { found, expected } => t.failure_fingerprint(found, expected),
        RunError::Differs { name, difference, tolerance } => {
            t.failure_differs(&thing(name, t), &decimal(*difference, t), &decimal(*tolerance, t))
        }
    }
}

/// A bug's or a browser's own words come last, as a quotation; some browsers say nothing.
fn with_report(sentence: &str, message: &str, t: Language) -> String {
    match message.trim() {
        "" => sentence.to_owned(),
        message => format!("{sentence} {}", t.failure_report(message)),
    }
}

/// What an error is about, to begin a sentence with. Tensors and fields keep the names that the files give
/// them; what has no such name gets a noun.
fn thing(name: &str, t: Language) -> String {
    match name {
        "input" => t.failure_the_input().to_owned(),
        "file" => t.failure_the_file().to_owned(),
        "header" => t.failure_the_header().to_owned(),
        "weights" => t.failure_the_weights().to_owned(),
        "error" => t.failure_the_errors().to_owned(),
        name => name.to_owned(),
    }
}

/// What the engine expects, which it says in a few English words between the numbers: `2×v with v ≥ 1`.
fn expectation(text: &str, t: Language) -> String {
    const PORTUGUESE: [(&str, &str); 7] = [
        ("at least ", "no mínimo "),
        ("at most ", "no máximo "),
        (" with ", " com "),
        (" or a finite number", " ou um número finito"),
        ("a number", "um número"),
        ("positions", "posições"),
        ("width", "largura"),
    ];
    match t {
        Language::En => text.to_owned(),
        Language::Pt => PORTUGUESE.into_iter().fold(text.to_owned(), |text, (en, pt)| text.replace(en, pt)),
    }
}

crate::texts! {
    failure_the_input: "The input" | "A entrada";
    failure_the_file: "The file" | "O arquivo";
    failure_the_header: "The header" | "O cabeçalho";
    failure_the_weights: "The weights of all heads together" | "O conjunto dos pesos de todas as cabeças";
    failure_the_errors: "The list of errors" | "A lista de erros";
    failure_no_such_cell(name: &str, row: &str, column: &str):
        "{name} has no cell in row {row}, column {column}. The cell was edited when there was one: undo that edit, or bring the size back."
        | "{name} não tem célula na linha {row}, coluna {column}. A célula foi editada quando existia: desfaça essa edição ou volte ao tamanho de antes.";
    failure_no_such_preset(id: &str):
        "There is no preset called “{id}”. Choose one from the list."
        | "Não há exemplo chamado “{id}”. Escolha um da lista.";
    failure_missing:
        "A part of Pianola could not be downloaded. When there is a network again, repeat what you did."
        | "Não foi possível baixar uma parte do Pianola. Quando houver rede de novo, repita o que você fez.";
    failure_trace(cells: &str, limit: &str):
        "The selectors of this run have {cells} cells; a trace file holds {limit} at most. Shorten the input and export again."
        | "Os seletores desta execução têm {cells} células; um arquivo de rastro guarda no máximo {limit}. Encurte a entrada e exporte de novo.";
    failure_program_too_long(name: &str, size: &str, limit: &str):
        "{name} has {size} bytes, and a program here has {limit} at most. Open a smaller file."
        | "{name} tem {size} bytes, e um programa aqui tem no máximo {limit}. Abra um arquivo menor.";
    failure_crashed:
        "The engine stopped because of a mistake in Pianola. Your choices are still here: change one of them, or reload the page."
        | "O motor parou por causa de um erro do Pianola. Suas escolhas continuam aqui: mude uma delas ou recarregue a página.";
    failure_no_worker:
        "The engine could not be started, so nothing can be computed. Reload the page; if that does not help, try a current browser."
        | "Não foi possível iniciar o motor, então nada pode ser calculado. Recarregue a página; se não adiantar, tente um navegador atual.";
    failure_report(message: &str):
        "For a report, these are its own words: “{message}”"
        | "Para um relato, estas são as palavras dele: “{message}”";
    failure_versions(page: u32, worker: u32):
        "The page (protocol {page}) and its engine (protocol {worker}) come from different releases. Close every tab of Pianola and open it again."
        | "A página (protocolo {page}) e seu motor (protocolo {worker}) são de versões diferentes. Feche todas as abas do Pianola e abra-o de novo.";
    failure_run_not_finite(name: &str):
        "{name}: there is a number that is not finite, and a run file cannot hold one. Change the weights, E or the input until every number is finite, then export again."
        | "{name}: há um número que não é finito, e um arquivo de execução não pode guardá-lo. Mude os pesos, E ou a entrada até que todos os números sejam finitos e exporte de novo.";
    failure_fingerprint(found: &str, expected: &str):
        "The frozen weights built from this run have the fingerprint {found}, but it was made with {expected}. The file was changed, or it comes from another version of Pianola: export it again where it was made."
        | "Os pesos congelados construídos a partir desta execução têm a impressão digital {found}, mas ela foi feita com {expected}. O arquivo foi alterado ou vem de outra versão do Pianola: exporte-o de novo onde foi feito.";
    failure_differs(name: &str, difference: &str, tolerance: &str):
        "{name} in the file differs by {difference} from what is computed here; rounding explains {tolerance} at most. The file was changed after it was written: export the run again."
        | "{name} no arquivo difere em {difference} do que se calcula aqui; o arredondamento explica no máximo {tolerance}. O arquivo foi alterado depois de gravado: exporte a execução de novo.";
}

#[cfg(test)]
mod tests;
