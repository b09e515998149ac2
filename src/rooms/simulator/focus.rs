//! Linked looking: a cell of a matrix, and everything on both sides that it is made of or goes into. Pure, so that
//! it can be tested without a browser.

use std::collections::BTreeMap;

use rasp::simulator::{Operand, Source};

use crate::rooms::simulator::job::{Kind, Shown, Simulated};
use crate::widgets::heatmap::{Cell, Lit};

/// A cell that a person points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus {
    /// The matrix, by its name in the program.
    pub matrix: String,
    /// The cell, in the target's own size.
    pub cell: Cell,
    /// Of an entry of a product, one term alone.
    pub term: Option<usize>,
}

/// What is lit in each matrix, by its name.
pub type Lights = BTreeMap<String, Lit>;

impl Focus {
    /// A cell of a matrix.
    pub fn at(matrix: &str, cell: Cell) -> Focus {
        Focus { matrix: matrix.to_owned(), cell, term: None }
    }

    /// What lights up with it: the cell itself on both sides, its sources, its consumers.
    pub fn lights(&self, simulated: &Simulated) -> Lights {
        let mut lights = Lights::new();
        lights.entry(self.matrix.clone()).or_default().cells.push(self.cell);
        for stage in &simulated.stages {
            if stage.name == self.matrix {
                sources(&mut lights, stage, self.cell, self.term);
            }
            for (place, operand) in stage.operands.iter().enumerate() {
                if operand_name(operand) == self.matrix {
                    consumer(&mut lights, stage, place, self.cell);
                }
            }
        }
        lights
    }
}

/// The name of the matrix that an operand is.
pub fn operand_name(operand: &Operand) -> &str {
    match &operand.source {
        Source::Input(name) | Source::Stage(name) => name,
    }
}

/// The places, row by row, that are lit of a matrix of such a shape.
pub fn lit_places(lit: &Lit, rows: usize, columns: usize) -> impl Iterator<Item = usize> {
    let cells = lit.cells.iter().map(|cell| (cell.row, cell.col));
    let in_rows = lit.rows.iter().flat_map(move |row| (0..columns).map(move |column| (*row, column)));
    let in_columns = lit.cols.iter().flat_map(move |column| (0..rows).map(move |row| (row, *column)));
    let inside = cells.chain(in_rows).chain(in_columns);
    inside
        .filter(move |(row, column)| *row < rows && *column < columns)
        .map(move |(row, column)| row * columns + column)
}

fn sources(lights: &mut Lights, stage: &Shown, cell: Cell, term: Option<usize>) {
    for (place, operand) in stage.operands.iter().enumerate() {
        let lit = lights.entry(operand_name(operand).to_owned()).or_default();
        match (stage.kind, place, term) {
            (Kind::Transpose, ..) => lit.cells.push(Cell::new(cell.col, cell.row)),
            (Kind::Product, 0, Some(term)) => lit.cells.push(Cell::new(cell.row, term)),
            (Kind::Product, 1, Some(term)) => lit.cells.push(Cell::new(term, cell.col)),
            (Kind::Product, 0, None) | (Kind::Attend, ..) => lit.rows.push(cell.row),
            (Kind::Product, 1, None) => lit.cols.push(cell.col),
            (Kind::Product, _, Some(_)) => {}
            (Kind::Product, _, None) => lit.cells.push(Cell::new(0, cell.col)),
            (Kind::Sum | Kind::Activate, ..) => lit.cells.push(cell),
        }
    }
}

fn consumer(lights: &mut Lights, stage: &Shown, place: usize, cell: Cell) {
    let lit = lights.entry(stage.name.clone()).or_default();
    match (stage.kind, place) {
        (Kind::Transpose, _) => lit.cells.push(Cell::new(cell.col, cell.row)),
        (Kind::Product, 0) | (Kind::Attend, _) => lit.rows.push(cell.row),
        (Kind::Product, _) => lit.cols.push(cell.col),
        (Kind::Sum | Kind::Activate, _) => lit.cells.push(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::simulator::choices::Piece;
    use crate::rooms::simulator::job::Workshop;

    #[test]
    fn sources_and_consumers_are_lit() {
        let simulated = Workshop::default().run(Piece::default()).expect("the first preset runs");
        let lights = Focus::at("xa_1", Cell::new(2, 1)).lights(&simulated);
        assert_eq!(lights["xa_1"].cells, [Cell::new(2, 1)]);
        assert_eq!(lights["x"].rows, [2]);
        assert_eq!(lights["a_1"].cols, [1]);
        assert_eq!(lights["scores_1"].rows, [2]);
        assert_eq!(lights.get("head_1"), None);
        let lights = Focus::at("x", Cell::new(3, 0)).lights(&simulated);
        assert_eq!(lights["xt"].cells, [Cell::new(0, 3)]);
        assert_eq!(lights["xa_1"].rows, [3]);
        // As the right factor of α X, an entry reaches a column.
        assert_eq!(lights["ax_1"].cols, [0]);
        let term = Focus { term: Some(1), ..Focus::at("xa_1", Cell::new(2, 0)) }.lights(&simulated);
        assert_eq!(
            (&*term["x"].cells, &*term["a_1"].cells),
            (&[Cell::new(2, 1)][..], &[Cell::new(1, 0)][..])
        );
        assert!(term["x"].rows.is_empty() && term["a_1"].cols.is_empty());
    }
}
