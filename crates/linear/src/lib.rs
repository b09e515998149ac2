//! Products and equations of large dense matrices, done by faer.
//!
//! A crate of its own, because faer's code is generic and is compiled here: this crate is compiled for speed,
//! and what is built upon it for size.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Qr, Svd};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// The equations E C = B for a fixed C (m × N), factorised once for all B.
///
/// With C = Q R of full column rank the solution of least norm is E = B R⁻¹ Qᵀ. Otherwise, with
/// C = U S Vᵀ, the E of least norm among those that come nearest to B is B V S⁻¹ Uᵀ over the singular
/// values that count.
#[derive(Debug, Clone)]
pub struct Equations {
    columns: Mat<f64>,
    /// Q or U, m × rank.
    basis: Mat<f64>,
    inverse: Inverse,
    rank: usize,
    singular_values: Vec<f64>,
}

/// How E C = B was solved, with C (m × N) and B (d × N).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solve {
    /// N, the number of columns of C: equations for each row of E, which has m unknowns.
    pub equations: usize,
    /// The numerical rank of C. A solution for every B exists when it is N.
    pub rank: usize,
    /// The largest singular value of C over the smallest that counts for the rank.
    pub condition: f64,
    /// ‖E C − B‖ / ‖B‖ in Frobenius norms.
    pub residual: f64,
    /// The singular values of C, the largest first; min(m, N) of them.
    pub singular_values: Vec<f64>,
}

/// A matrix whose singular values cannot be computed, as one that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the singular values of the equations cannot be computed")]
pub struct NoSingularValues;

#[derive(Debug, Clone)]
enum Inverse {
    /// R, N × N.
    Triangular(Mat<f64>),
    /// V S⁻¹, N × rank.
    Pseudo(Mat<f64>),
}

impl Equations {
    /// Factorises C (m × N).
    ///
    /// # Errors
    /// When the singular values cannot be computed, as of a matrix that is not finite.
    pub fn new(columns: ArrayView2<f64>) -> Result<Self, NoSingularValues> {
        let (m, n) = columns.dim();
        let columns = Mat::from_fn(m, n, |row, column| columns[[row, column]]);
        if m >= n {
            let qr = Qr::new(columns.as_ref());
            let triangle = qr.thin_R().to_owned();
            // The singular values of R are those of C, and R is smaller.
            let singular_values = triangle.singular_values().map_err(|_| NoSingularValues)?;
            if rank(&singular_values, m) == n {
                let (basis, inverse) = (qr.compute_thin_Q(), Inverse::Triangular(triangle));
                return Ok(Equations { columns, basis, inverse, rank: n, singular_values });
            }
        }
        let svd = Svd::new_thin(columns.as_ref()).map_err(|_| NoSingularValues)?;
        let singular_values: Vec<f64> = svd.S().column_vector().iter().copied().collect();
        let rank = rank(&singular_values, m.max(n));
        let pseudo = Mat::from_fn(n, rank, |row, column| svd.V()[(row, column)] / singular_values[column]);
        let basis = svd.U().subcols(0, rank).to_owned();
        Ok(Equations { columns, basis, inverse: Inverse::Pseudo(pseudo), rank, singular_values })
    }

    /// E (d × m) for a right-hand side B (d × N), with one step of iterative refinement.
    pub fn solve(&self, right: &Array2<f64>) -> (Array2<f64>, Solve) {
        let right = Mat::from_fn(right.nrows(), right.ncols(), |row, column| right[[row, column]]);
        let mut embedding = self.without_refinement(right.as_ref());
        let rest = self.rest(right.as_ref(), embedding.as_ref());
        embedding += self.without_refinement(rest.as_ref());
        let rest = self.rest(right.as_ref(), embedding.as_ref());
        let norm = right.norm_l2();
        let solve = Solve {
            equations: self.columns.ncols(),
            rank: self.rank,
            condition: self.condition(),
            // A target whose leaves are all 0 is met exactly by E = 0.
            residual: if norm == 0.0 { rest.norm_l2() } else { rest.norm_l2() / norm },
            singular_values: self.singular_values.clone(),
        };
        (Array2::from_shape_fn((embedding.nrows(), embedding.ncols()), |at| embedding[at]), solve)
    }

    fn condition(&self) -> f64 {
        match self.rank.checked_sub(1) {
            Some(last) => self.singular_values[0] / self.singular_values[last],
            None => f64::INFINITY,
        }
    }

    fn without_refinement(&self, right: MatRef<f64>) -> Mat<f64> {
        let coefficients = match &self.inverse {
            Inverse::Triangular(triangle) => {
                let mut solved = right.to_owned();
                triangle.transpose().solve_lower_triangular_in_place(solved.transpose_mut());
                solved
            }
            Inverse::Pseudo(pseudo) => right * pseudo,
        };
        coefficients * self.basis.transpose()
    }

    /// B − E C.
    fn rest(&self, right: MatRef<f64>, embedding: MatRef<f64>) -> Mat<f64> {
        right - embedding * &self.columns
    }
}

/// A B, for matrices of any strides.
pub fn product(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let (rows, inner, columns) = (a.nrows(), a.ncols(), b.ncols());
    let (a, b) = (a.as_standard_layout(), b.as_standard_layout());
    let mut result = Array2::zeros((rows, columns));
    if let (Some(a), Some(b), Some(result)) = (a.as_slice(), b.as_slice(), result.as_slice_mut()) {
        matmul(
            MatMut::from_row_major_slice_mut(result, rows, columns),
            Accum::Replace,
            MatRef::from_row_major_slice(a, rows, inner),
            MatRef::from_row_major_slice(b, inner, columns),
            1.0,
            Par::Seq,
        );
    }
    result
}

/// How many singular values are more than rounding errors of a matrix whose longer side is `side`.
fn rank(singular_values: &[f64], side: usize) -> usize {
    let largest = singular_values.first().copied().unwrap_or(0.0);
    singular_values.iter().filter(|value| **value > largest * side as f64 * f64::EPSILON).count()
}
