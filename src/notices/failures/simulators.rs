//! Words for what is wrong with a target for the simulator, and for what would fit.

use rasp::simulator::SimulatorError;

use super::numbers::{decimal, whole};
use crate::ground::language::Language;
use crate::rooms::simulator::job::Unsupported;

/// An error of the simulator in words.
pub fn describe(error: &SimulatorError, t: Language) -> String {
    match error {
        SimulatorError::Zero { what } => t.failure_simulator_zero(what),
        SimulatorError::OddHidden { hidden } => t.failure_simulator_odd(&whole(*hidden, t)),
        SimulatorError::TooLong { length, limit } => {
            t.failure_simulator_long(&whole(*length, t), &whole(*limit, t))
        }
        SimulatorError::TooMuchData { values, limit } => {
            t.failure_simulator_much(&whole(*values, t), &whole(*limit, t))
        }
        SimulatorError::Shape { matrix, found_rows, found_columns, expected_rows, expected_columns } => t
            .failure_simulator_shape(
                matrix,
                &format!("{found_rows} × {found_columns}"),
                &format!("{expected_rows} × {expected_columns}"),
            ),
        SimulatorError::NotFinite { matrix, row, column, value } => {
            t.failure_simulator_finite(matrix, &whole(row + 1, t), &whole(column + 1, t), &decimal(*value, t))
        }
        SimulatorError::Class { what, built, needed } => t.failure_simulator_class(what, built, needed),
    }
}

/// What is too large, and what would fit.
pub fn describe_too_large(error: &SimulatorError, rows: Option<usize>, t: Language) -> String {
    let fits = match rows {
        Some(rows) => t.failure_simulator_fits(&whole(rows, t)),
        None => t.failure_simulator_smaller().to_owned(),
    };
    format!("{} {fits}", describe(error, t))
}

/// Why there is no program for a target.
pub fn describe_unsupported(reason: Unsupported, t: Language) -> &'static str {
    match reason {
        Unsupported::Residual => t.failure_simulator_residual(),
        Unsupported::LeftmostHard => t.failure_simulator_leftmost(),
        Unsupported::Large => t.failure_simulator_large(),
    }
}

crate::texts! {
    failure_simulator_zero(what: &str): "{what} must be at least 1." | "Todo tamanho deve ser ao menos 1.";
    failure_simulator_odd(hidden: &str):
        "MaxMin sorts pairs of columns, so the hidden width must be even; it is {hidden}."
        | "MaxMin ordena pares de colunas, então a largura oculta deve ser par; ela é {hidden}.";
    failure_simulator_long(length: &str, limit: &str):
        "The simulator would need a sequence of {length} positions; {limit} are the most that are run here."
        | "O simulador precisaria de uma sequência de {length} posições; no máximo {limit} são executadas aqui.";
    failure_simulator_much(values: &str, limit: &str):
        "The run would make about {values} values; {limit} are the most that fit."
        | "A execução produziria cerca de {values} valores; no máximo {limit} cabem.";
    failure_simulator_fits(rows: &str):
        "With n = {rows} tokens it fits; fewer heads or coordinates help too."
        | "Com n = {rows} tokens cabe; menos cabeças ou coordenadas também ajudam.";
    failure_simulator_smaller:
        "Choose fewer tokens, heads or coordinates, or less padding."
        | "Escolha menos tokens, cabeças ou coordenadas, ou menos preenchimento.";
    failure_simulator_shape(matrix: &str, found: &str, expected: &str):
        "{matrix} is {found}, but the target needs {expected}."
        | "{matrix} é {found}, mas o alvo precisa de {expected}.";
    failure_simulator_finite(matrix: &str, row: &str, column: &str, value: &str):
        "{matrix} holds {value} in row {row}, column {column}; the simulator receives finite numbers only."
        | "{matrix} contém {value} na linha {row}, coluna {column}; o simulador só recebe números finitos.";
    failure_simulator_class(what: &str, built: &str, needed: &str):
        "The simulator is built for another class: {what} is {built} there, the target needs {needed}."
        | "O simulador foi construído para outra classe: nele é {built}, o alvo precisa de {needed}.";
    failure_simulator_residual:
        "This target has residual connections, which the simulator’s program does not add. Export it without them, or play it in “Universal”."
        | "Este alvo tem conexões residuais, que o programa do simulador não soma. Exporte-o sem elas, ou toque-o em “Universal”.";
    failure_simulator_leftmost:
        "This target takes the first of several largest scores. Selectors average over all of them: only softmax and average-hard attention can be simulated."
        | "Este alvo toma a primeira de várias maiores pontuações. Seletores tiram a média de todas: só atenção softmax e dura com média podem ser simuladas.";
    failure_simulator_large:
        "This target has more than 8 heads or 16 coordinates, more than is shown here."
        | "Este alvo tem mais de 8 cabeças ou 16 coordenadas, mais do que se mostra aqui.";
}
