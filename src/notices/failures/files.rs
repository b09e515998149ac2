//! Words for what is wrong with a file.

use transformer::files::{FileError, Guess};

use crate::ground::language::Language;

use super::numbers::{compared_bytes, whole};
use super::{expectation, thing};

/// An error of a file in words. What a JSON parser says is quoted as it is.
pub fn describe(error: &FileError, t: Language) -> String {
    match error {
        FileError::Empty => t.failure_file_empty().to_owned(),
        FileError::Unrecognised { file_name, guess } => match guess {
            Guess::Html => t.failure_file_html(file_name),
            Guess::Zip => t.failure_file_zip(file_name),
            Guess::Pickle => t.failure_file_pickle(file_name),
            Guess::Npy => t.failure_file_npy(file_name),
            Guess::Rows => t.failure_file_rows(file_name),
            Guess::Target => t.failure_file_target(file_name),
            Guess::Other => t.failure_file_other(file_name),
        },
        FileError::NotUtf8 { byte } => t.failure_file_not_utf8(&whole(*byte, t)),
        FileError::Json { line, column, reason } => {
            t.failure_file_json(&whole(*line, t), &whole(*column, t), reason)
        }
        FileError::HeaderJson { name, line, column, reason } => {
            t.failure_file_header_json(&thing(name, t), &whole(*line, t), &whole(*column, t), reason)
        }
        FileError::NotANumber { line, column, found } => {
            t.failure_file_not_a_number(&whole(*line, t), &whole(*column, t), found)
        }
        FileError::Format { found, expected } => t.failure_file_format(found, expected),
        FileError::Version { found, known } => t.failure_file_version(found, *known),
        FileError::Missing { name } => t.failure_file_missing(&thing(name, t)),
        FileError::UnknownWord { name, found, known } => {
            let known: Vec<String> = known.iter().map(|word| expectation(word, t)).collect();
            t.failure_file_unknown_word(&thing(name, t), found, &known.join(", "))
        }
        FileError::Ragged { name, row, found, expected } => {
            t.failure_file_ragged(&thing(name, t), *row, &whole(*found, t), &whole(*expected, t))
        }
        FileError::Shape { name, found, expected } => {
            t.failure_shape(&thing(name, t), &shape(found), &expectation(expected, t))
        }
        FileError::Count { name, found, expected } => {
            t.failure_count(&thing(name, t), &whole(*found, t), &whole(*expected, t))
        }
        FileError::NotFinite { name, row, column, value } => {
            t.failure_not_finite(&thing(name, t), *row, *column, value)
        }
        FileError::Class { name, value, expected } => t.failure_class(name, value, &expectation(expected, t)),
        FileError::TooLarge { name, found, most } => {
            let (found, most) = match name.as_str() {
                "file" | "header" => compared_bytes(u128::from(*found), *most, t),
                _ => (whole(*found, t), whole(*most, t)),
            };
            t.failure_file_too_large(&thing(name, t), &found, &most)
        }
        FileError::Truncated { name, needed, found } => {
            t.failure_file_truncated(&thing(name, t), &whole(*needed, t), &whole(*found, t))
        }
        // Offsets in the wrong order leave no length to compare.
        FileError::Extent { name, needed: 0, found: 0 } => t.failure_file_end_before_start(&thing(name, t)),
        FileError::Extent { name, needed, found } => {
            t.failure_file_extent(&thing(name, t), &whole(*needed, t), &whole(*found, t))
        }
        FileError::Refused { reason } => t.failure_file_refused(reason),
        FileError::NpyHeader { found } => t.failure_file_npy_header(found),
    }
}

/// A shape of any number of dimensions: `4×2`, `(6)`, `()`.
fn shape(sizes: &[u64]) -> String {
    match sizes {
        [] => "()".to_owned(),
        [size] => format!("({size})"),
        sizes => sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("×"),
    }
}

crate::texts! {
    failure_file_empty:
        "There is nothing in this file. Choose another one, or export it again."
        | "Não há nada neste arquivo. Escolha outro ou exporte-o de novo.";
    failure_file_html(name: &str):
        "“{name}” seems to be a web page. Download the file itself instead of the page that shows it."
        | "“{name}” parece ser uma página da web. Baixe o próprio arquivo em vez da página que o mostra.";
    failure_file_zip(name: &str):
        "“{name}” seems to be a zip archive, as PyTorch and .npz use it. Export the weights as safetensors, or one array as .npy."
        | "“{name}” parece ser um arquivo zip, como os de PyTorch e .npz. Exporte os pesos em safetensors ou uma só matriz em .npy.";
    failure_file_pickle(name: &str):
        "“{name}” seems to be a Python pickle. Those can run programs, so it is not opened. Export the weights as safetensors."
        | "“{name}” parece ser um pickle de Python. Eles podem executar programas, por isso não é aberto. Exporte os pesos em safetensors.";
    failure_file_npy(name: &str):
        "“{name}” is a numpy array. Import it as an input, or export the weights as safetensors."
        | "“{name}” é uma matriz do numpy. Importe-a como entrada ou exporte os pesos em safetensors.";
    failure_file_rows(name: &str):
        "“{name}” seems to be a list of rows. Import it as an input."
        | "“{name}” parece ser uma lista de linhas. Importe-a como entrada.";
    failure_file_target(name: &str):
        "“{name}” is a target. Import it as a target."
        | "“{name}” é um alvo. Importe-o como alvo.";
    failure_file_other(name: &str):
        "The format of “{name}” is not known. A target is JSON or safetensors; an input is CSV, JSON or .npy."
        | "O formato de “{name}” não é conhecido. Um alvo é JSON ou safetensors; uma entrada é CSV, JSON ou .npy.";
    failure_file_not_utf8(byte: &str):
        "The file is not UTF-8 text: byte {byte} (counted from 0) does not belong there. Save it again as UTF-8."
        | "O arquivo não é texto UTF-8: o byte {byte} (contando de 0) não cabe ali. Salve-o de novo em UTF-8.";
    failure_file_json(line: &str, column: &str, reason: &str):
        "Line {line}, column {column}: the JSON cannot be read. Mend that place; the parser says: “{reason}”."
        | "Linha {line}, coluna {column}: não é possível ler o JSON. Corrija esse lugar; o leitor de JSON diz: “{reason}”.";
    failure_file_header_json(name: &str, line: &str, column: &str, reason: &str):
        "{name} (JSON inside the safetensors file), line {line}, column {column}, cannot be read. Export the file again; the parser says: “{reason}”."
        | "{name} (JSON dentro do arquivo safetensors), linha {line}, coluna {column}: não é possível ler. Exporte o arquivo de novo; o leitor de JSON diz: “{reason}”.";
    failure_file_not_a_number(line: &str, column: &str, found: &str):
        "Line {line}, column {column}: “{found}” is not a finite number. Write a number there, such as 2."
        | "Linha {line}, coluna {column}: “{found}” não é um número finito. Escreva ali um número, como 2.";
    failure_file_format(found: &str, expected: &str):
        "The file calls its format “{found}”, but “{expected}” is needed here. Choose a file of that format."
        | "O arquivo diz que seu formato é “{found}”, mas aqui é preciso “{expected}”. Escolha um arquivo desse formato.";
    failure_file_version(found: &str, known: u32):
        "The file is of version {found}, but this page reads version {known}. Save it in version {known}."
        | "O arquivo é da versão {found}, mas esta página lê a versão {known}. Salve-o na versão {known}.";
    failure_file_missing(name: &str):
        "{name} is missing. Add it to the file, under exactly this name."
        | "{name}: está faltando. Acrescente ao arquivo, com exatamente este nome.";
    failure_file_unknown_word(name: &str, found: &str, known: &str):
        "{name} is “{found}”, which is not known. Write one of these: {known}."
        | "{name} é “{found}”, que não é conhecido. Escreva um destes: {known}.";
    failure_file_ragged(name: &str, row: usize, found: &str, expected: &str):
        "{name}: row {row} (counted from 0) has length {found}, but the rows before it have length {expected}. Make all rows equally long."
        | "{name}: a linha {row} (contando de 0) tem comprimento {found}, mas as anteriores têm {expected}. Deixe todas as linhas com o mesmo comprimento.";
    failure_file_too_large(name: &str, found: &str, most: &str):
        "{name}: {found} is too much, at most {most} is accepted. Make it smaller."
        | "{name}: {found} é demais, o máximo aceito é {most}. Diminua esse tamanho.";
    failure_file_truncated(name: &str, needed: &str, found: &str):
        "{name} should end at byte {needed}, but the file ends at byte {found}. It was cut off: copy or download it again."
        | "{name} deveria terminar no byte {needed}, mas o arquivo termina no byte {found}. Ele foi cortado: copie ou baixe de novo.";
    failure_file_extent(name: &str, needed: &str, found: &str):
        "{name} needs {needed} bytes, but the header gives it {found}. Export the file again."
        | "{name} precisa de {needed} bytes, mas o cabeçalho lhe dá {found}. Exporte o arquivo de novo.";
    failure_file_end_before_start(name: &str):
        "{name}: the header says that it ends before it begins. Export the file again."
        | "{name}: o cabeçalho diz que termina antes de começar. Exporte o arquivo de novo.";
    failure_file_refused(reason: &str):
        "The file cannot be used. Choose another, or export it again; the program says: “{reason}”."
        | "O arquivo não pode ser usado. Escolha outro ou exporte-o de novo; o programa diz: “{reason}”.";
    failure_file_npy_header(found: &str):
        "The header of this .npy file cannot be read: “{found}”. Save the array again with numpy.save."
        | "Não é possível ler o cabeçalho deste arquivo .npy: “{found}”. Salve a matriz de novo com numpy.save.";
}
