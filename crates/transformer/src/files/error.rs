//! What can be wrong with a file, as plain data: it crosses to the page, which says it in the person's language.

use serde::{Deserialize, Serialize};

use crate::Error;

/// Why a file was refused. Rows, columns and lines of text are counted from 1, rows and columns of
/// matrices from 0, as everywhere in the files.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum FileError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Neither of the formats.
    #[error("{file_name}: {guess}")]
    Unrecognised {
        /// The name under which the file came.
        file_name: String,
        /// What it seems to be.
        guess: Guess,
    },
    /// A text file that is not UTF-8.
    #[error("the file is not UTF-8 text: byte {byte} does not belong there")]
    NotUtf8 {
        /// Offset of the first byte that does not fit, from 0.
        byte: usize,
    },
    /// Not JSON, or JSON of another structure.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser met and what it expected.
        reason: String,
    },
    /// JSON text inside the header of a safetensors file is wrong.
    #[error("{name} in the header, line {line}, column {column}: {reason}")]
    HeaderJson {
        /// Which text: `header` or `__metadata__.class`.
        name: String,
        /// Line within it, from 1.
        line: usize,
        /// Column within it, from 1.
        column: usize,
        /// What the parser met and what it expected.
        reason: String,
    },
    /// The text of a number that is none, where a finite number is needed.
    #[error("line {line}, column {column}: “{found}” is not a finite number")]
    NotANumber {
        /// Line, from 1.
        line: usize,
        /// Column of text (JSON) or of the table (CSV), from 1.
        column: usize,
        /// What stands there.
        found: String,
    },
    /// A JSON file of another kind.
    #[error("format is “{found}”, but “{expected}” is needed")]
    Format {
        /// What the file says.
        found: String,
        /// What it must say.
        expected: String,
    },
    /// A version that this program does not know.
    #[error("version is {found}, but this program reads version {known}")]
    Version {
        /// What the file says.
        found: String,
        /// The version that is known.
        known: u32,
    },
    /// A field or tensor is not there.
    #[error("{name} is missing")]
    Missing {
        /// Its full name: `class.heads`, `layers.0.heads.1.wk`.
        name: String,
    },
    /// A word that is not one of those that are known.
    #[error("{name} is “{found}”; known are {}", known.join(", "))]
    UnknownWord {
        /// The field or tensor.
        name: String,
        /// What the file says.
        found: String,
        /// All that it may say.
        known: Vec<String>,
    },
    /// The rows of a matrix differ in length.
    #[error("row {row} of {name} has {found} numbers, but the rows before it have {expected}")]
    Ragged {
        /// The matrix.
        name: String,
        /// The row, from 0.
        row: usize,
        /// How many numbers it has.
        found: usize,
        /// How many it must have.
        expected: usize,
    },
    /// A matrix or tensor has the wrong shape.
    #[error("{name} has shape {}, but {expected} is needed", shape(found))]
    Shape {
        /// The matrix.
        name: String,
        /// The shape found, any number of dimensions.
        found: Vec<u64>,
        /// The shape expected, in words: `4×2`.
        expected: String,
    },
    /// The number of layers, heads or tokens differs from what is said elsewhere.
    #[error("{name}: found {found}, but {expected} are needed")]
    Count {
        /// What was counted.
        name: String,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{name}[{row}, {column}] is {value}; every number must be finite")]
    NotFinite {
        /// The matrix.
        name: String,
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// What stands there: `NaN`, `inf`, `-inf`.
        value: String,
    },
    /// A field of the class says something impossible.
    #[error("class.{name} is {value}, which must be {expected}")]
    Class {
        /// The field.
        name: String,
        /// What it says.
        value: String,
        /// What it may say.
        expected: String,
    },
    /// Something is larger than this program accepts.
    #[error("{name} is {found}; at most {most} is accepted")]
    TooLarge {
        /// What is too large: `file`, `class.width`, `weights` (numbers in all), `header`.
        name: String,
        /// How large it is.
        found: u64,
        /// How large it may be.
        most: u64,
    },
    /// The file ends before the thing does.
    #[error("{name} ends at byte {needed}, but the file has {found} bytes")]
    Truncated {
        /// The header or tensor.
        name: String,
        /// The length that the file would need.
        needed: u64,
        /// The length that it has.
        found: u64,
    },
    /// The place that a header gives to a tensor does not fit the tensor's shape and type.
    #[error("{name} needs {needed} bytes, but the header gives it {found}")]
    Extent {
        /// The tensor.
        name: String,
        /// What its shape and type need.
        needed: u64,
        /// What the offsets say.
        found: u64,
    },
    /// The engine refuses the parts for another reason.
    #[error("{reason}")]
    Refused {
        /// What it says.
        reason: String,
    },
    /// The header of a `.npy` file is not one.
    #[error("the header of the .npy file is not readable: {found}")]
    NpyHeader {
        /// What stands there.
        found: String,
    },
}

/// What a file that is not of the format asked for seems to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Guess {
    /// A web page.
    #[error("this seems to be a web page")]
    Html,
    /// A zip archive, such as PyTorch and `.npz` use.
    #[error("this seems to be a zip archive (PyTorch, .npz); export the weights as safetensors")]
    Zip,
    /// A Python pickle, which could run programs.
    #[error("this seems to be a Python pickle; export the weights as safetensors")]
    Pickle,
    /// A single numpy array.
    #[error("this is a numpy array; import it as an input, or export the weights as safetensors")]
    Npy,
    /// A JSON list.
    #[error("this seems to be a list of rows; import it as an input")]
    Rows,
    /// A target, where an input was asked for.
    #[error("this is a target; import it as a target")]
    Target,
    /// Nothing that is known.
    #[error("the format of this file is not known")]
    Other,
}

impl FileError {
    /// The error of a JSON parser; `text` is what it parsed.
    pub(super) fn json(error: &serde_json::Error, text: &str) -> Self {
        let (line, column) = (error.line(), error.column());
        if let Some(found) = non_finite_at(text, line, column) {
            return FileError::NotANumber { line, column, found: found.to_owned() };
        }
        FileError::Json { line, column, reason: reason(error) }
    }

    /// The same for JSON inside a header.
    pub(super) fn header_json(name: &str, error: &serde_json::Error) -> Self {
        FileError::HeaderJson {
            name: name.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: reason(error),
        }
    }
}

impl From<Error> for FileError {
    fn from(error: Error) -> Self {
        match error {
            Error::Shape { name, found: (rows, columns), expected } => {
                FileError::Shape { name, found: vec![rows as u64, columns as u64], expected }
            }
            Error::Count { name, found, expected } => FileError::Count { name, found, expected },
            Error::NotFinite { name, row, column, value } => {
                FileError::NotFinite { name, row, column, value: value.to_string() }
            }
            Error::Class { name, value, expected } => {
                FileError::Class { name: name.into_owned(), value, expected: expected.into_owned() }
            }
            other => FileError::Refused { reason: other.to_string() },
        }
    }
}

/// The parser's message without the place, which has its own fields.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    excerpt(message.rfind(" at line ").map_or(&message, |end| &message[..end]))
}

/// What stands in a file, shortened to what a message can hold.
pub(super) fn excerpt(found: &str) -> String {
    const MOST: usize = 200;
    match found.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &found[..end]),
        None => found.to_owned(),
    }
}

/// Python writes `NaN` and `Infinity`, which JSON does not have: say so instead of “expected value”.
fn non_finite_at(text: &str, line: usize, column: usize) -> Option<&'static str> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    // The parser stands on the character, or one after a sign.
    let start = column.saturating_sub(2);
    let rest = line.as_bytes().get(start..)?;
    ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| {
        rest.starts_with(word.as_bytes()) || rest.get(1..).is_some_and(|r| r.starts_with(word.as_bytes()))
    })
}

fn shape(found: &[u64]) -> String {
    match found {
        [] => "()".to_owned(),
        sizes => sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("×"),
    }
}
