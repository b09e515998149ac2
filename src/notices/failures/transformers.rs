//! Words for what is wrong with a target or its input.

use transformer::Error;

use crate::ground::language::Language;

use super::numbers::{decimal, whole};
use super::{expectation, thing};

/// An error of the target or the input in words.
pub fn describe(error: &Error, t: Language) -> String {
    match error {
        Error::Shape { name, found: (rows, columns), expected } => {
            let found = format!("{rows}×{columns}");
            t.failure_shape(&thing(name, t), &found, &expectation(expected, t))
        }
        Error::Count { name, found, expected } => {
            t.failure_count(&thing(name, t), &whole(*found, t), &whole(*expected, t))
        }
        Error::NotFinite { name, row, column, value } => {
            t.failure_not_finite(&thing(name, t), *row, *column, &decimal(*value, t))
        }
        Error::Class { name, value, expected } => t.failure_class(name, value, &expectation(expected, t)),
        Error::UnknownToken { position, token } => t.failure_unknown_token(&whole(*position, t), token),
        Error::TooLong { found, longest } => t.failure_too_long(
            &whole(*found, t),
            &whole(*longest, t),
            &whole(found.saturating_sub(*longest), t),
        ),
        Error::NoVocabulary => t.failure_no_vocabulary().to_owned(),
        Error::EmptyInput => t.failure_empty_input().to_owned(),
    }
}

crate::texts! {
    failure_shape(name: &str, found: &str, expected: &str):
        "{name} has the shape {found}, but {expected} is needed. Give it that shape, or change the sizes of the class."
        | "{name} tem a forma {found}, mas é preciso {expected}. Dê-lhe essa forma ou mude os tamanhos da classe.";
    failure_count(name: &str, found: &str, expected: &str):
        "{name}: there are {found} of them, but {expected} are needed. Add or take away what differs, or change the number that is needed."
        | "{name}: a quantidade é {found}, mas é preciso {expected}. Acrescente ou tire a diferença, ou mude a quantidade necessária.";
    failure_not_finite(name: &str, row: usize, column: usize, value: &str):
        "{name} holds {value} in row {row}, column {column} (counted from 0). Every number must be finite: replace that one."
        | "{name} contém {value} na linha {row}, coluna {column} (contando de 0). Todo número deve ser finito: troque esse.";
    failure_class(name: &str, value: &str, expected: &str):
        "The class says {name} = {value}, but it must be {expected}. Change it in the class."
        | "A classe diz {name} = {value}, mas deve ser {expected}. Mude esse valor na classe.";
    failure_unknown_token(position: &str, token: &str):
        "Token {position} is “{token}”, which is not in the vocabulary of this target. Write another token there, or choose another target."
        | "O token {position} é “{token}”, que não está no vocabulário deste alvo. Escreva outro token ali ou escolha outro alvo.";
    failure_too_long(found: &str, longest: &str, excess: &str):
        "The input has {found} tokens, but at most {longest} fit into this target. Take {excess} away, or choose another target."
        | "A entrada tem {found} tokens, mas cabem no máximo {longest} neste alvo. Tire {excess} ou escolha outro alvo.";
    failure_no_vocabulary:
        "This target has no vocabulary, so it cannot read text. Import its input as rows of numbers (CSV, JSON or .npy)."
        | "Este alvo não tem vocabulário, então não lê texto. Importe a entrada como linhas de números (CSV, JSON ou .npy).";
    failure_empty_input:
        "The input is empty. It needs at least one token or one row."
        | "A entrada está vazia. É preciso ao menos um token ou uma linha.";
}
