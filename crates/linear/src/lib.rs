//! Products and equations of large dense matrices, done by faer.
//!
//! A crate of its own, because faer's code is generic and is compiled here: this crate is compiled for speed,
//! and what is built upon it for size.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj,
};
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{PartialPivLu, Qr, Solve as _, Svd};
use faer::traits::RealField;
use faer::{Accum, Col, Conj, Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// The equations E C = B for a fixed C (m × N), factorised once for all B.
///
/// They are solved by C = Q R where C has full column rank, which gives the E of least norm, and by Cᵀ = Q R where
/// it has full row rank, which gives the E that comes nearest. Otherwise, with C = U S Vᵀ, the E of least norm among
/// those that come nearest to B is B V S⁻¹ Uᵀ over the singular values that count.
#[derive(Debug, Clone)]
pub struct Equations {
    columns: Mat<f64>,
    factors: Factors,
    rank: usize,
    /// The largest singular value of C, and the smallest of those that count.
    extremes: (f64, f64),
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
}

/// A matrix whose singular values cannot be computed, as one that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the singular values of the equations cannot be computed")]
pub struct NoSingularValues;

#[derive(Debug, Clone)]
enum Factors {
    /// C = Q R, m ≥ N.
    Columns(Qr<f64>),
    /// Cᵀ = Q R, m < N.
    Rows(Qr<f64>),
    /// U (m × rank), and V S⁻¹ (N × rank).
    Deficient { basis: Mat<f64>, pseudo: Mat<f64> },
}

impl Equations {
    /// # Errors
    /// When the singular values cannot be computed, as of a matrix that is not finite.
    pub fn new(columns: ArrayView2<f64>) -> Result<Self, NoSingularValues> {
        let (m, n) = columns.dim();
        let (short, long) = (m.min(n), m.max(n));
        let columns = Mat::from_fn(m, n, |row, column| columns[[row, column]]);
        let qr = Qr::new(if m >= n { columns.as_ref() } else { columns.transpose() });
        // The singular values of R are those of C, and R is smaller.
        let extremes = extreme_singular_values(qr.thin_R())?;
        if counts(extremes.1, extremes.0, long) {
            let factors = if m >= n { Factors::Columns(qr) } else { Factors::Rows(qr) };
            return Ok(Equations { columns, factors, rank: short, extremes });
        }
        let svd = Svd::new_thin(columns.as_ref()).map_err(|_| NoSingularValues)?;
        let singular_values: Vec<f64> = svd.S().column_vector().iter().copied().collect();
        let largest = singular_values.first().copied().unwrap_or(0.0);
        let rank = singular_values.iter().filter(|value| counts(**value, largest, long)).count();
        let pseudo = Mat::from_fn(n, rank, |row, column| svd.V()[(row, column)] / singular_values[column]);
        let basis = svd.U().subcols(0, rank).to_owned();
        let smallest = rank.checked_sub(1).map_or(0.0, |last| singular_values[last]);
        let factors = Factors::Deficient { basis, pseudo };
        Ok(Equations { columns, factors, rank, extremes: (largest, smallest) })
    }

    /// E (d × m) for a right-hand side B (d × N), with one step of iterative refinement.
    pub fn solve(&self, right: &Array2<f64>) -> (Array2<f64>, Solve) {
        let right = Mat::from_fn(right.nrows(), right.ncols(), |row, column| right[[row, column]]);
        let mut embedding = self.without_refinement(right.as_ref());
        let rest = self.rest(right.as_ref(), embedding.as_ref());
        embedding += self.without_refinement(rest.as_ref());
        let rest = self.rest(right.as_ref(), embedding.as_ref());
        let norm = right.norm_l2();
        let (largest, smallest) = self.extremes;
        let solve = Solve {
            equations: self.columns.ncols(),
            rank: self.rank,
            condition: if smallest > 0.0 { largest / smallest } else { f64::INFINITY },
            // A target whose leaves are all 0 is met exactly by E = 0.
            residual: if norm == 0.0 { rest.norm_l2() } else { rest.norm_l2() / norm },
        };
        (Array2::from_shape_fn((embedding.nrows(), embedding.ncols()), |at| embedding[at]), solve)
    }

    fn without_refinement(&self, right: MatRef<f64>) -> Mat<f64> {
        let (m, d) = (self.columns.nrows(), right.nrows());
        match &self.factors {
            Factors::Columns(qr) => least_norm(qr, right),
            // Eᵀ = R⁻¹ Qᵀ Bᵀ.
            Factors::Rows(qr) => {
                let mut turned = right.transpose().to_owned();
                let scratch = apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<f64>(
                    turned.nrows(),
                    qr.Q_coeff().nrows(),
                    d,
                );
                apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
                    qr.Q_basis(),
                    qr.Q_coeff(),
                    Conj::No,
                    turned.as_mut(),
                    Par::Seq,
                    MemStack::new(&mut MemBuffer::new(scratch)),
                );
                let mut solved = turned.as_ref().subrows(0, m).to_owned();
                qr.thin_R().solve_upper_triangular_in_place(solved.as_mut());
                solved.transpose().to_owned()
            }
            Factors::Deficient { basis, pseudo } => (right * pseudo) * basis.transpose(),
        }
    }

    /// B − E C.
    fn rest(&self, right: MatRef<f64>, embedding: MatRef<f64>) -> Mat<f64> {
        right - embedding * &self.columns
    }
}

/// E (d × m) of least norm with E C = B, for a C (m × N) of full column rank and B (d × N), in single precision: all
/// numbers are rounded to f32, and what is computed of them is f32. With one step of iterative refinement.
pub fn solve_in_single(columns: ArrayView2<f64>, right: ArrayView2<f64>) -> Array2<f64> {
    let rounded = |matrix: ArrayView2<f64>| -> Mat<f32> {
        Mat::from_fn(matrix.nrows(), matrix.ncols(), |row, column| matrix[[row, column]] as f32)
    };
    let (columns, right) = (rounded(columns), rounded(right));
    let qr = Qr::new(columns.as_ref());
    let mut embedding = least_norm(&qr, right.as_ref());
    let rest = &right - &embedding * &columns;
    embedding += least_norm(&qr, rest.as_ref());
    Array2::from_shape_fn((embedding.nrows(), embedding.ncols()), |at| f64::from(embedding[at]))
}

/// E (d × m) of least norm with E Q R = B: Eᵀ = Q R⁻ᵀ Bᵀ, with Bᵀ filled up with zeros.
fn least_norm<T: RealField>(qr: &Qr<T>, right: MatRef<T>) -> Mat<T> {
    let (m, d) = (qr.Q_basis().nrows(), right.nrows());
    let mut solved = Mat::zeros(m, d);
    let mut top = solved.as_mut().subrows_mut(0, right.ncols());
    top.copy_from(right.transpose());
    qr.thin_R().transpose().solve_lower_triangular_in_place(top);
    let scratch =
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(m, qr.Q_coeff().nrows(), d);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        qr.Q_basis(),
        qr.Q_coeff(),
        Conj::No,
        solved.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
    solved.transpose().to_owned()
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

/// All singular values, the largest first.
///
/// # Errors
/// When they cannot be computed, as of a matrix that is not finite.
pub fn singular_values(matrix: ArrayView2<f64>) -> Result<Vec<f64>, NoSingularValues> {
    copied(matrix).singular_values().map_err(|_| NoSingularValues)
}

/// A square C (m × m), factorised by elimination with row exchanges.
#[derive(Debug, Clone)]
pub struct Elimination {
    factors: PartialPivLu<f64>,
}

impl Elimination {
    /// Factorises C.
    pub fn new(columns: ArrayView2<f64>) -> Self {
        Elimination { factors: PartialPivLu::new(copied(columns).as_ref()) }
    }

    /// The sign of det C: −1, 0 or 1. Unlike the determinant it cannot underflow.
    pub fn determinant_sign(&self) -> i8 {
        let triangle = self.factors.U();
        let mut sign = 1_i8;
        for i in 0..triangle.nrows() {
            let pivot = triangle[(i, i)];
            if pivot == 0.0 || pivot.is_nan() {
                return 0;
            }
            if pivot < 0.0 {
                sign = -sign;
            }
        }
        // A cycle of even length is an odd number of exchanges.
        let (forward, _) = self.factors.P().arrays();
        let mut seen = vec![false; forward.len()];
        for start in 0..forward.len() {
            let (mut at, mut length) = (start, 0);
            while !seen[at] {
                seen[at] = true;
                at = forward[at];
                length += 1;
            }
            if length > 0 && length % 2 == 0 {
                sign = -sign;
            }
        }
        sign
    }

    /// E (d × m) with E C = B, for B of d × m.
    pub fn solve(&self, right: ArrayView2<f64>) -> Array2<f64> {
        let solved = self.factors.solve_transpose(copied(right.t()));
        Array2::from_shape_fn((solved.ncols(), solved.nrows()), |(i, j)| solved[(j, i)])
    }
}

fn copied(matrix: ArrayView2<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[[i, j]])
}

/// Whether a singular value is more than a rounding error of a matrix whose longer side is `side`.
fn counts(value: f64, largest: f64, side: usize) -> bool {
    value > largest * side as f64 * f64::EPSILON
}

/// The largest and the smallest singular value of an upper triangle.
///
/// All of them take longer than the factorisation. Of large triangles only the two are computed, by Lanczos' method
/// on RᵀR and on its inverse, whose largest eigenvalues they are: to at least six digits.
fn extreme_singular_values(triangle: MatRef<f64>) -> Result<(f64, f64), NoSingularValues> {
    let n = triangle.nrows();
    if n <= ALL_UP_TO {
        let all = triangle.singular_values().map_err(|_| NoSingularValues)?;
        return Ok((all.first().copied().unwrap_or(0.0), all.last().copied().unwrap_or(0.0)));
    }
    if (0..n).any(|i| !triangle[(i, i)].is_finite()) {
        return Err(NoSingularValues);
    }
    let largest = largest_eigenvalue(n, |vector| triangle.transpose() * (triangle * vector))?.sqrt();
    if (0..n).any(|i| triangle[(i, i)] == 0.0) {
        return Ok((largest, 0.0));
    }
    let inverse = largest_eigenvalue(n, |vector| {
        let mut solved = vector.as_mat().to_owned();
        triangle.transpose().solve_lower_triangular_in_place(solved.as_mut());
        triangle.solve_upper_triangular_in_place(solved.as_mut());
        solved.col(0).to_owned()
    })?;
    // An inverse beyond the range of numbers is that of a singular matrix.
    Ok((largest, if inverse.is_finite() { 1.0 / inverse.sqrt() } else { 0.0 }))
}

/// Up to this size all singular values are computed.
const ALL_UP_TO: usize = 128;

/// The largest eigenvalue of a symmetric positive n × n matrix, which is known by what it makes of vectors.
fn largest_eigenvalue(n: usize, apply: impl Fn(&Col<f64>) -> Col<f64>) -> Result<f64, NoSingularValues> {
    /// Vectors between two looks at the eigenvalue, and the most of them.
    const ROUND: usize = 8;
    const MOST: usize = 160;
    /// Between two looks the eigenvalue may grow by no more than this share of it.
    const SETTLED: f64 = 1e-9;
    // Any start that no eigenvector is orthogonal to by design; these numbers are spread evenly over (½, 3/2).
    let mut vector = Col::from_fn(n, |i| 0.5 + (i as f64 * 0.618_033_988_749_895).fract());
    vector /= faer::Scale(vector.norm_l2());
    let (mut basis, mut diagonal, mut beside) = (vec![vector], Vec::new(), Vec::new());
    let mut found = 0.0;
    for step in 1..=MOST.min(n) {
        let newest = &basis[step - 1];
        let mut next = apply(newest);
        diagonal.push(newest.transpose() * &next);
        // Twice, because rounding brings back what was taken out.
        for _ in 0..2 {
            for earlier in &basis {
                let share = earlier.transpose() * &next;
                next -= earlier * faer::Scale(share);
            }
        }
        let length = next.norm_l2();
        if !length.is_finite() {
            return Ok(f64::INFINITY);
        }
        if step % ROUND == 0 || step == n || length == 0.0 {
            let small = Mat::from_fn(step, step, |i, j| match (i as isize) - (j as isize) {
                0 => diagonal[i],
                1 => beside[j],
                -1 => beside[i],
                _ => 0.0,
            });
            // Of a positive matrix eigenvalues are singular values.
            let all = small.singular_values().map_err(|_| NoSingularValues)?;
            let largest = all.first().copied().unwrap_or(0.0);
            if length == 0.0 || largest - found <= SETTLED * largest {
                return Ok(largest);
            }
            found = largest;
        }
        beside.push(length);
        next /= faer::Scale(length);
        basis.push(next);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn drawn(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Array2::from_shape_simple_fn((rows, columns), || rng.random_range(-1.0..1.0))
    }

    #[test]
    fn two_singular_values_are_those_of_all() {
        for (rows, columns) in [(200, 200), (201, 200), (330, 200), (200, 330)] {
            let matrix = drawn(rows, columns, 3);
            let equations = Equations::new(matrix.view()).unwrap();
            let all = Mat::from_fn(rows, columns, |i, j| matrix[[i, j]]).singular_values().unwrap();
            let (largest, smallest) = equations.extremes;
            assert!((largest / all[0] - 1.0).abs() < 1e-6, "{largest} {}", all[0]);
            assert!((smallest / all[199] - 1.0).abs() < 1e-6, "{smallest} {}", all[199]);
        }
    }

    #[test]
    fn large_matrices_without_full_rank_are_recognised() {
        let matrix = drawn(180, 150, 1).dot(&drawn(150, 180, 2));
        let equations = Equations::new(matrix.view()).unwrap();
        assert_eq!(equations.rank, 150);
    }

    #[test]
    fn the_nearest_solution_is_found_on_either_side_of_square() {
        for (m, n) in [(30, 50), (50, 50), (50, 30), (140, 170)] {
            let columns = drawn(m, n, 5);
            let right = drawn(3, n, 6);
            let (embedding, solve) = Equations::new(columns.view()).unwrap().solve(&right);
            let rest = &right - &embedding.dot(&columns);
            let norm = |matrix: &Array2<f64>| matrix.iter().map(|it| it * it).sum::<f64>().sqrt();
            assert!((solve.residual - norm(&rest) / norm(&right)).abs() < 1e-12);
            // What is left over is orthogonal to all that can be reached.
            assert!(norm(&rest.dot(&columns.t())) < 1e-10 * norm(&right), "{m} {n}");
            assert_eq!(solve.residual < 1e-12, m >= n, "{solve:?}");
        }
    }

    #[test]
    fn single_precision_is_single() {
        let (columns, right) = (drawn(60, 40, 7), drawn(3, 40, 8));
        let single = solve_in_single(columns.view(), right.view());
        let (double, solve) = Equations::new(columns.view()).unwrap().solve(&right);
        let largest = (&single - &double).iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let unit = f64::from(f32::EPSILON);
        assert!(largest > unit / 100.0 && largest < 100.0 * unit * solve.condition, "{largest} {solve:?}");
        assert!(single.iter().all(|entry| f64::from(*entry as f32) == *entry));
    }

    #[test]
    fn the_sign_is_that_of_the_determinant() {
        for (rows, sign) in [
            ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1),
            ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], -1),
            ([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], 1),
            ([[2.0, 1.0, 0.5], [1.0, -3.0, 0.0], [0.0, 4.0, 1.0]], -1),
            ([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]], 0),
        ] {
            let matrix = Array2::from_shape_fn((3, 3), |(i, j)| rows[i][j]);
            assert_eq!(Elimination::new(matrix.view()).determinant_sign(), sign, "{rows:?}");
        }
    }
}
