//! Inputs: rows of numbers as JSON, CSV or `.npy`, and tokens as JSON.

use ndarray::{Array2, ShapeBuilder};
use serde::{Deserialize, Serialize};

use crate::target::expect_finite;

use super::error::excerpt;
use super::numbers::NPY_TYPES;
use super::rows::Rows;
use super::target_json::{known_word, required};
use super::{FileError, Guess, limits, looks_like_safetensors, text, unrecognised, without_mark};

/// What a target is run on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// One row for each position, n × d. At least one row, every number finite.
    Rows(Array2<f64>),
    /// Tokens for a target that has a vocabulary. At least one.
    Tokens(Vec<String>),
}

/// Reads an input, its format recognised by its content: a JSON list of rows, JSON
/// `{"tokens": ["a", "b"]}`, `.npy` (f8, f4, i8, i4 in either byte order, row- or column-major), or
/// a table: numbers separated by commas, tabs, spaces, or by semicolons with decimal commas, as
/// spreadsheets write them where the comma is decimal. Lines that begin with `#` are skipped, and so
/// is a first line without a single number, which names the columns.
///
/// Whether the rows are as wide as a target is for the target to say.
///
/// # Errors
/// When the file is empty, of another kind, ragged, truncated, or holds what is not a finite number.
pub fn read_input(bytes: &[u8], file_name: &str) -> Result<Input, FileError> {
    limits::check_file_size(bytes)?;
    if bytes.starts_with(NPY_MAGIC) {
        return rows(read_npy(bytes)?);
    }
    if looks_like_safetensors(bytes) {
        return Err(FileError::Unrecognised { file_name: file_name.to_owned(), guess: Guess::Target });
    }
    match without_mark(bytes).trim_ascii_start() {
        [] => Err(FileError::Empty),
        [b'[', ..] => rows(parse_json::<Rows>(bytes)?.matrix("input", 0)?),
        [b'{', ..] => tokens(parse_json(bytes)?, file_name),
        [b'<', ..] => Err(unrecognised(bytes, file_name)),
        _ if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"\x80") => {
            Err(unrecognised(bytes, file_name))
        }
        _ => rows(read_table(text(bytes)?)?),
    }
}

#[derive(Deserialize)]
struct TokensDocument {
    format: Option<String>,
    tokens: Option<Vec<String>>,
}

fn parse_json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, FileError> {
    let text = text(bytes)?;
    serde_json::from_str(text).map_err(|error| FileError::json(&error, text))
}

fn rows(rows: Array2<f64>) -> Result<Input, FileError> {
    if rows.is_empty() {
        return Err(FileError::Empty);
    }
    expect_finite("input", rows.view())?;
    Ok(Input::Rows(rows))
}

fn tokens(document: TokensDocument, file_name: &str) -> Result<Input, FileError> {
    if document.tokens.is_none() && document.format.is_some() {
        return Err(FileError::Unrecognised { file_name: file_name.to_owned(), guess: Guess::Target });
    }
    match required(document.tokens, "tokens")? {
        tokens if tokens.is_empty() => Err(FileError::Empty),
        tokens => Ok(Input::Tokens(tokens)),
    }
}

/// A table of numbers. Numbers are never quoted and hold no line breaks, so splitting is enough.
fn read_table(text: &str) -> Result<Array2<f64>, FileError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .peekable();
    let Some((_, first)) = lines.peek().copied() else { return Err(FileError::Empty) };
    let separator = Separator::of(first);
    let names_columns = separator.cells(first).all(|cell| separator.number(cell).is_none());
    if names_columns && text.trim_end().lines().count() > 1 {
        lines.next();
    }
    let mut table = Rows::default();
    for (line, content) in lines {
        table.push(separator.cells(content).enumerate().map(
            |(column, cell)| match separator.number(cell) {
                Some(number) if number.is_finite() => Ok(number),
                _ => Err(FileError::NotANumber { line, column: column + 1, found: excerpt(cell) }),
            },
        ))?;
    }
    table.matrix("input", 0)
}

#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Semicolon,
    Comma,
    Tab,
    Space,
}

impl Separator {
    fn of(line: &str) -> Self {
        if line.contains(';') {
            Separator::Semicolon
        } else if line.contains('\t') {
            Separator::Tab
        } else if line.contains(',') {
            Separator::Comma
        } else {
            Separator::Space
        }
    }

    fn cells(self, line: &str) -> impl Iterator<Item = &str> {
        let separates = move |c: char| match self {
            Separator::Semicolon => c == ';',
            Separator::Comma => c == ',',
            Separator::Tab => c == '\t',
            Separator::Space => c.is_whitespace(),
        };
        // Spaces may repeat; of the others each one ends a cell.
        line.split(separates).map(str::trim).filter(move |cell| self != Separator::Space || !cell.is_empty())
    }

    fn number(self, cell: &str) -> Option<f64> {
        match self {
            Separator::Semicolon => cell.replace(',', ".").parse().ok(),
            _ => cell.parse().ok(),
        }
    }
}

const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a two-dimensional array in numpy's own format, versions 1 to 3.
///
/// The crates for it bring a whole parser of Python literals, which is more than the rest of this
/// folder; numpy promises that the header is a literal dict of exactly these three keys.
fn read_npy(bytes: &[u8]) -> Result<Array2<f64>, FileError> {
    let (header, data) = npy_parts(bytes)?;
    let unreadable = || FileError::NpyHeader { found: excerpt(header.trim()) };
    let (descr, _) = npy_field(header, "descr")
        .and_then(|rest| rest.strip_prefix('\''))
        .and_then(|rest| rest.split_once('\''))
        .ok_or_else(unreadable)?;
    let order = npy_field(header, "fortran_order").ok_or_else(unreadable)?;
    let column_major = match () {
        () if order.starts_with("True") => true,
        () if order.starts_with("False") => false,
        () => return Err(unreadable()),
    };
    let (shape, _) = npy_field(header, "shape")
        .and_then(|rest| rest.strip_prefix('('))
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(unreadable)?;
    let shape: Vec<u64> = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().map_err(|_| unreadable()))
        .collect::<Result<_, _>>()?;
    let wrong_shape = || FileError::Shape {
        name: "input".to_owned(),
        found: shape.clone(),
        expected: "positions×width".to_owned(),
    };
    let [rows, columns] = shape[..] else { return Err(wrong_shape()) };
    let numbers = known_word("descr", Some(descr.to_owned()), &NPY_TYPES)?;
    // What the header claims is compared with what is there before anything is allocated.
    let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(numbers.bytes as u64));
    let data = match needed.and_then(|needed| usize::try_from(needed).ok()) {
        Some(needed) if needed <= data.len() => &data[..needed],
        _ => {
            return Err(FileError::Truncated {
                name: "input".to_owned(),
                needed: needed.unwrap_or(u64::MAX).saturating_add((bytes.len() - data.len()) as u64),
                found: bytes.len() as u64,
            });
        }
    };
    let shape = (rows as usize, columns as usize).set_f(column_major);
    Array2::from_shape_vec(shape, numbers.read_all(data)).map_err(|_| wrong_shape())
}

/// The header as text, and the data after it.
fn npy_parts(bytes: &[u8]) -> Result<(&str, &[u8]), FileError> {
    let truncated =
        |needed: u64| FileError::Truncated { name: "header".to_owned(), needed, found: bytes.len() as u64 };
    let (start, length) = match bytes.get(NPY_MAGIC.len()) {
        Some(1) => match bytes.get(8..10) {
            Some(&[a, b]) => (10, u64::from(u16::from_le_bytes([a, b]))),
            _ => return Err(truncated(10)),
        },
        Some(2 | 3) => match bytes.get(8..12) {
            Some(&[a, b, c, d]) => (12, u64::from(u32::from_le_bytes([a, b, c, d]))),
            _ => return Err(truncated(12)),
        },
        Some(version) => return Err(FileError::Version { found: format!(".npy {version}"), known: 3 }),
        None => return Err(truncated(10)),
    };
    let end = start as u64 + length;
    match usize::try_from(end).ok().and_then(|end| bytes.split_at_checked(end)) {
        Some((header, data)) => {
            let header = std::str::from_utf8(&header[start..])
                .map_err(|error| FileError::NotUtf8 { byte: start + error.valid_up_to() })?;
            Ok((header, data))
        }
        None => Err(truncated(end)),
    }
}

/// What follows `'key':` in the header.
fn npy_field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}
