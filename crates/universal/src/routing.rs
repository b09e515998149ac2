//! Rv of the explicit constructions: a partial routing of columns, applied as a gather.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

/// A matrix m × m of zeros and ones with at most one 1 in each row and column, kept as the contiguous
/// runs of columns that it moves. Multiplying by it is copying; the matrix itself is never built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routing {
    moves: Vec<Move>,
    width: usize,
}

/// Columns `from … from + width` become columns `to … to + width`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The first column that is read.
    pub from: usize,
    /// The first column that is written.
    pub to: usize,
    /// The number of columns.
    pub width: usize,
}

impl Routing {
    pub(crate) fn new(moves: Vec<Move>, width: usize) -> Self {
        Routing { moves, width }
    }

    /// The moves, in the order of the columns that they write.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// m, the number of rows and of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Z Rv (n × m), as a gather: columns that nothing is moved onto are 0.
    pub fn apply(&self, state: ArrayView2<f64>) -> Array2<f64> {
        let mut moved = Array2::zeros(state.dim());
        for Move { from, to, width } in &self.moves {
            moved.slice_mut(s![.., *to..to + width]).assign(&state.slice(s![.., *from..from + width]));
        }
        moved
    }

    /// Rv M (m × columns), for M of m rows: what column `from` of a state is moved to.
    pub(crate) fn times(&self, matrix: ArrayView2<f64>) -> Array2<f64> {
        let mut moved = Array2::zeros(matrix.dim());
        for Move { from, to, width } in &self.moves {
            moved.slice_mut(s![*from..from + width, ..]).assign(&matrix.slice(s![*to..to + width, ..]));
        }
        moved
    }

    /// next += A Z Rv, with `attention` n × n and the states n × m. Only columns that move are multiplied.
    pub(crate) fn mix_into(&self, attention: &Array2<f64>, state: &Array2<f64>, next: &mut Array2<f64>) {
        for Move { from, to, width } in &self.moves {
            let source = state.slice(s![.., *from..from + width]);
            general_mat_mul(1.0, attention, &source, 1.0, &mut next.slice_mut(s![.., *to..to + width]));
        }
    }
}
