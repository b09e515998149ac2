//! What a heatmap shows: a matrix, what its rows and columns are called, and which cells are lit.

use std::sync::Arc;

use crate::drawing::color::Scale;
use crate::drawing::palette::Role;

/// A place in a matrix; both indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// Which row.
    pub row: usize,
    /// Which column.
    pub col: usize,
}

impl Cell {
    /// A cell.
    pub const fn new(row: usize, col: usize) -> Cell {
        Cell { row, col }
    }
}

/// Numbers of `rows` × `cols`, some of them perhaps masked. Cloning shares the numbers.
#[derive(Clone, Debug)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Arc<[f64]>,
    mask: Option<Arc<[bool]>>,
    absent: Option<Arc<[bool]>>,
}

impl Matrix {
    /// A matrix from its numbers, row by row. Numbers that are missing are NaN, numbers too many are dropped.
    pub fn new(rows: usize, cols: usize, values: impl Into<Vec<f64>>) -> Matrix {
        let mut values: Vec<f64> = values.into();
        values.resize(rows * cols, f64::NAN);
        Matrix { rows, cols, values: values.into(), mask: None, absent: None }
    }

    /// A matrix whose numbers are asked for one by one.
    pub fn from_fn(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * cols).map(|i| value(i / cols, i % cols)).collect();
        Matrix { rows, cols, values, mask: None, absent: None }
    }

    /// The same numbers, of which those cells are masked for which `is_masked(row, col)`.
    pub fn masked(self, is_masked: impl Fn(usize, usize) -> bool) -> Matrix {
        let cols = self.cols;
        let mask = (0..self.rows * cols).map(|i| is_masked(i / cols, i % cols)).collect();
        Matrix { mask: Some(mask), ..self }
    }

    /// The same numbers, of which only those are there yet for which `is_there(row, col)`; the other cells are empty.
    pub fn revealed(self, is_there: impl Fn(usize, usize) -> bool) -> Matrix {
        let cols = self.cols;
        let absent: Arc<[bool]> = (0..self.rows * cols).map(|i| !is_there(i / cols, i % cols)).collect();
        Matrix { absent: absent.contains(&true).then_some(absent), ..self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The numbers, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number in a cell, whether or not it is masked; NaN outside the matrix.
    pub fn value(&self, cell: Cell) -> f64 {
        if self.contains(cell) { self.values[cell.row * self.cols + cell.col] } else { f64::NAN }
    }

    /// The number in a cell, or `None` where it is masked or not there yet.
    pub fn shown(&self, cell: Cell) -> Option<f64> {
        (!self.is_masked(cell) && !self.is_absent(cell)).then(|| self.value(cell))
    }

    /// Whether the number of a cell is not there yet.
    pub fn is_absent(&self, cell: Cell) -> bool {
        self.contains(cell)
            && self.absent.as_ref().is_some_and(|absent| absent[cell.row * self.cols + cell.col])
    }

    /// Whether a cell is masked.
    pub fn is_masked(&self, cell: Cell) -> bool {
        self.contains(cell) && self.mask.as_ref().is_some_and(|mask| mask[cell.row * self.cols + cell.col])
    }

    /// Whether the matrix has such a cell.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.row < self.rows && cell.col < self.cols
    }

    /// The numbers of a row, and which of them are masked if any of the matrix are.
    pub fn row(&self, row: usize) -> (&[f64], Option<&[bool]>) {
        let range = row * self.cols..(row + 1) * self.cols;
        (&self.values[range.clone()], self.mask.as_ref().map(|mask| &mask[range]))
    }

    /// The sum of the numbers in a row that are not masked.
    pub fn row_sum(&self, row: usize) -> f64 {
        (0..self.cols).filter_map(|col| self.shown(Cell::new(row, col))).sum()
    }

    /// What a legend has to explain.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for (i, &value) in self.values.iter().enumerate() {
            if self.absent.as_ref().is_some_and(|absent| absent[i]) {
                continue;
            }
            if self.mask.as_ref().is_some_and(|mask| mask[i]) {
                summary.masked += 1;
            } else if value.is_nan() {
                summary.nans += 1;
            } else if value.is_infinite() {
                summary.infinities += 1;
            } else {
                summary.non_zeros += usize::from(value != 0.0);
                summary.largest = summary.largest.max(value.abs());
            }
        }
        summary
    }
}

impl Default for Matrix {
    fn default() -> Matrix {
        Matrix::new(0, 0, Vec::new())
    }
}

impl PartialEq for Matrix {
    /// Bit for bit, so that NaN equals itself and a matrix equals its copy.
    fn eq(&self, other: &Matrix) -> bool {
        let same_values = Arc::ptr_eq(&self.values, &other.values)
            || self.values.iter().map(|x| x.to_bits()).eq(other.values.iter().map(|x| x.to_bits()));
        (self.rows, self.cols) == (other.rows, other.cols)
            && same_values
            && self.mask == other.mask
            && self.absent == other.absent
    }
}

impl From<&ndarray::Array2<f64>> for Matrix {
    fn from(array: &ndarray::Array2<f64>) -> Matrix {
        let (rows, cols) = array.dim();
        Matrix { rows, cols, values: array.iter().copied().collect(), mask: None, absent: None }
    }
}

impl From<&ndarray::Array2<f32>> for Matrix {
    fn from(array: &ndarray::Array2<f32>) -> Matrix {
        let (rows, cols) = array.dim();
        Matrix { rows, cols, values: array.iter().map(|&x| f64::from(x)).collect(), mask: None, absent: None }
    }
}

/// Counts over a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Masked cells; they count nowhere else.
    pub masked: usize,
    /// Cells that are not a number.
    pub nans: usize,
    /// Cells that are ±∞.
    pub infinities: usize,
    /// Finite cells that are not zero.
    pub non_zeros: usize,
    /// The largest magnitude of a finite cell.
    pub largest: f64,
}

/// How the numbers are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Shares of a whole, 0…1.
    Probability,
    /// Positive and negative numbers.
    #[default]
    Signed,
    /// A yes or a no in each cell.
    Selector,
    /// Frozen weights 0 and 1.
    ZeroOne,
}

impl Kind {
    /// The scale, on which `largest` gets the full colour if the kind has no fixed one.
    pub fn scale(self, largest: f64) -> Scale {
        match self {
            Kind::Probability => Scale::Probability,
            Kind::Signed => Scale::Signed { max: largest },
            Kind::Selector => Scale::Selector,
            Kind::ZeroOne => Scale::ZeroOne,
        }
    }
}

/// How far a scale of signed numbers reaches, and over what that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleLimit {
    /// The magnitude that gets the full colour.
    pub max: f64,
    /// Over what: "this layer", "all".
    pub scope: String,
}

/// The names of the rows, or of the columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The letter of the index, as in `q = 3`.
    pub symbol: String,
    /// What stands in the rows or columns: "queries". Said aloud, and the heading of a table.
    pub title: String,
    /// A name for each, such as a token; may be shorter than the axis.
    pub names: Arc<[String]>,
    /// The index of the first; 0, or 1 where the mathematics counts from 1.
    pub first: usize,
    /// The role whose hue the letter gets.
    pub role: Role,
}

impl Axis {
    /// An axis whose rows or columns have an index and no other name.
    pub fn new(symbol: impl Into<String>, title: impl Into<String>) -> Axis {
        Axis { symbol: symbol.into(), title: title.into(), ..Axis::default() }
    }

    /// The same axis with a name for each row or column.
    pub fn named(self, names: impl IntoIterator<Item = impl Into<String>>) -> Axis {
        Axis { names: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same axis, counted from `first`.
    pub fn counted_from(self, first: usize) -> Axis {
        Axis { first, ..self }
    }

    /// The same axis in the hue of a role.
    pub fn in_role(self, role: Role) -> Axis {
        Axis { role, ..self }
    }

    /// The name of a row or column, if it has one.
    pub fn name(&self, i: usize) -> Option<&str> {
        self.names.get(i).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The index as it is counted, with the name: `3 "b"`.
    pub fn label(&self, i: usize) -> String {
        match self.name(i) {
            Some(name) => format!("{} \"{name}\"", i + self.first),
            None => (i + self.first).to_string(),
        }
    }

    /// The place: `q = 3 "b"`.
    pub fn place(&self, i: usize) -> String {
        if self.symbol.is_empty() { self.label(i) } else { format!("{} = {}", self.symbol, self.label(i)) }
    }
}

/// What else on the page the person looks at: these cells, rows and columns are lit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lit {
    /// Single cells.
    pub cells: Vec<Cell>,
    /// Whole rows.
    pub rows: Vec<usize>,
    /// Whole columns.
    pub cols: Vec<usize>,
}

impl Lit {
    /// One cell.
    pub fn cell(cell: Cell) -> Lit {
        Lit { cells: vec![cell], ..Lit::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_sums_leave_out_what_is_masked() {
        let matrix =
            Matrix::new(2, 3, vec![0.25, 0.75, 9.0, 1.0, 2.0, 3.0]).masked(|row, col| row == 0 && col == 2);
        assert_eq!(matrix.row_sum(0), 1.0);
        assert_eq!(matrix.row_sum(1), 6.0);
        assert_eq!(matrix.shown(Cell::new(0, 2)), None);
        assert_eq!(matrix.value(Cell::new(0, 2)), 9.0);
    }

    #[test]
    fn a_summary_counts_each_cell_once() {
        let values = vec![0.0, -3.0, f64::NAN, f64::INFINITY, 100.0, 2.0];
        let summary = Matrix::new(2, 3, values).masked(|row, col| (row, col) == (1, 1)).summary();
        assert_eq!(summary, Summary { masked: 1, nans: 1, infinities: 1, non_zeros: 2, largest: 3.0 });
    }

    #[test]
    fn what_is_not_there_yet_counts_nowhere() {
        let matrix = Matrix::new(1, 3, vec![1.0, 5.0, 2.0]).revealed(|_, col| col != 1);
        assert_eq!(matrix.shown(Cell::new(0, 1)), None);
        assert!(matrix.is_absent(Cell::new(0, 1)) && !matrix.is_masked(Cell::new(0, 1)));
        assert_eq!(matrix.row_sum(0), 3.0);
        assert_eq!(matrix.summary(), Summary { non_zeros: 2, largest: 2.0, ..Summary::default() });
    }

    #[test]
    fn places_are_named_as_in_the_formula() {
        let axis = Axis::new("q", "queries").named(["a", "", "c"]).counted_from(1);
        assert_eq!(axis.place(0), "q = 1 \"a\"");
        assert_eq!(axis.place(1), "q = 2");
        assert_eq!(axis.place(7), "q = 8");
    }

    #[test]
    fn a_matrix_with_nan_equals_its_copy() {
        let matrix = Matrix::new(1, 2, vec![f64::NAN, 1.0]);
        assert_eq!(matrix, Matrix::new(1, 2, vec![f64::NAN, 1.0]));
        assert_ne!(matrix, Matrix::new(2, 1, vec![f64::NAN, 1.0]));
        assert_ne!(Matrix::new(1, 1, vec![0.0]), Matrix::new(1, 1, vec![-0.0]));
    }
}
