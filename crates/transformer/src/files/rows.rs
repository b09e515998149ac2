//! A matrix as a JSON list of rows, read straight into one block of numbers.
//!
//! A list of lists would take many times the size of a file whose rows are short.

use std::fmt;

use ndarray::Array2;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::FileError;

/// Rows of numbers, which may still differ in length.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Rows {
    numbers: Vec<f64>,
    count: usize,
    /// Length of the first row.
    columns: usize,
    /// The first row of another length: which, and how long.
    ragged: Option<(usize, usize)>,
}

impl Rows {
    /// Adds a row, all of it or up to its first error.
    pub(super) fn push<E>(&mut self, row: impl Iterator<Item = Result<f64, E>>) -> Result<(), E> {
        let before = self.numbers.len();
        for number in row {
            self.numbers.push(number?);
        }
        self.end_row(before);
        Ok(())
    }

    /// The matrix called `name`. Without rows it is `empty_width` wide, which its rows would say.
    pub(super) fn matrix(self, name: &str, empty_width: usize) -> Result<Array2<f64>, FileError> {
        if let Some((row, found)) = self.ragged {
            return Err(FileError::Ragged { name: name.to_owned(), row, found, expected: self.columns });
        }
        let columns = if self.count == 0 { empty_width } else { self.columns };
        Array2::from_shape_vec((self.count, columns), self.numbers)
            .map_err(|error| FileError::Refused { reason: format!("{name}: {error}") })
    }

    /// Counts the row whose numbers begin at `start`.
    fn end_row(&mut self, start: usize) {
        let length = self.numbers.len() - start;
        if self.count == 0 {
            self.columns = length;
        } else if length != self.columns && self.ragged.is_none() {
            self.ragged = Some((self.count, length));
        }
        self.count += 1;
    }
}

impl From<&Array2<f64>> for Rows {
    fn from(matrix: &Array2<f64>) -> Self {
        Rows {
            numbers: matrix.iter().copied().collect(),
            count: matrix.nrows(),
            columns: matrix.ncols(),
            ragged: None,
        }
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |index: usize| &self.numbers[index * self.columns..(index + 1) * self.columns];
        serializer.collect_seq((0..self.count).map(row))
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MatrixVisitor)
    }
}

struct MatrixVisitor;

impl<'de> Visitor<'de> for MatrixVisitor {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of rows of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rows, A::Error> {
        let mut rows = Rows::default();
        while seq.next_element_seed(RowVisitor(&mut rows))?.is_some() {}
        Ok(rows)
    }
}

struct RowVisitor<'a>(&'a mut Rows);

impl<'de> DeserializeSeed<'de> for RowVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push(std::iter::from_fn(|| seq.next_element().transpose()))
    }
}
