//! Why almost every draw works: the path from the sparse weights, which work, to random ones. The determinant of the
//! equations along it is a polynomial that is not zero at its start, so it vanishes at isolated points only.

use std::collections::VecDeque;

use linear::{Elimination, product, singular_values};
use ndarray::{Array2, ArrayView2, Axis, Zip, concatenate};
use serde::{Deserialize, Serialize};
use transformer::Class;

use crate::sweep::{Stage, difference};
use crate::unfold::{Root, unfold};
use crate::{Consumer, Error, RandomSpec, UniversalTransformer};

/// The path R(t) = (1 − t) R_sparse + t R_random between the weights of two universal transformers of one class
/// and one width, N.
///
/// det C(t) is a polynomial in t. At t = 0 it is ±1, since the sparse C is the identity; so it is not the zero
/// polynomial, and it vanishes at finitely many t only. That is the whole reason why almost every draw works.
#[derive(Debug, Clone)]
pub struct Witness {
    sparse: UniversalTransformer,
    random: UniversalTransformer,
}

/// The determinant of C(t) at one t.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The share of the random weights.
    pub t: f64,
    /// ln |det C(t)|, the sum of the logarithms of the singular values.
    pub log_determinant: f64,
    /// The sign of det C(t): −1, 0 or 1.
    pub sign: i8,
    /// The largest singular value over the smallest, ∞ where C(t) is singular.
    pub condition: f64,
}

/// What is known of a path for one target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Path {
    /// Determinants, t ascending, with the largest difference of the outputs at each: a regular grid, and
    /// more and more closely around the zeros.
    pub points: Vec<(Moment, f64)>,
    /// Where the determinant changes its sign, t ascending.
    pub zeros: Vec<Moment>,
}

impl Witness {
    /// `spec.width` is taken to be N, where C is square.
    ///
    /// # Errors
    /// When the class is not possible or too large.
    pub fn new(class: Class, spec: RandomSpec, seed: u64) -> Result<Self, Error> {
        let sparse = UniversalTransformer::sparse(class)?;
        let random = UniversalTransformer::random(class, RandomSpec { width: sparse.width(), ..spec }, seed)?;
        Ok(Witness { sparse, random })
    }

    /// C(t), N × N.
    pub fn columns(&self, t: f64) -> Array2<f64> {
        let class = self.sparse.class();
        let m = self.sparse.width();
        let roots = Consumer::all(class).into_iter().map(|consumer| Root {
            depth: consumer.depth(class),
            weight: blend(
                t,
                self.sparse.projection(consumer).to_dense(m),
                self.random.projection(consumer).to_dense(m),
            ),
        });
        let multiply = |layer: usize, head: usize, matrix: ArrayView2<f64>| {
            let sparse = self.sparse.head(layer, head).value.times(matrix);
            let random = self.random.head(layer, head).value.times(matrix);
            blend(t, sparse, random)
        };
        let trees = unfold(class, roots.collect(), multiply);
        let views: Vec<_> = trees.iter().map(|tree| tree.view()).collect();
        concatenate(Axis(1), &views).expect("all leaves have m rows")
    }

    /// The determinant at t, and the largest difference of the outputs of target and universal transformer on the
    /// stage's input when the program solves E C(t) = B.
    ///
    /// # Errors
    /// When the stage is of another class or the singular values cannot be computed.
    pub fn look(&self, stage: &Stage, t: f64) -> Result<(Moment, f64), Error> {
        let columns = self.columns(t);
        let singular_values = singular_values(columns.view()).map_err(|_| Error::NoSingularValues)?;
        let elimination = Elimination::new(columns.view());
        let largest = singular_values.first().copied().unwrap_or(0.0);
        let smallest = singular_values.last().copied().unwrap_or(0.0);
        let moment = Moment {
            t,
            log_determinant: singular_values.iter().map(|value| value.ln()).sum(),
            sign: elimination.determinant_sign(),
            condition: if smallest > 0.0 { largest / smallest } else { f64::INFINITY },
        };
        // Sparse programs are the leaves themselves: B.
        let leaves = self.sparse.program(stage.target())?.embedding;
        let output = self.output(stage.input(), t, elimination.solve(leaves.view()).view());
        Ok((moment, difference(stage.trace().output.view(), output.view())))
    }

    /// What the weights at t make of an input and a program.
    fn output(&self, input: ArrayView2<f64>, t: f64, embedding: ArrayView2<f64>) -> Array2<f64> {
        let class = self.sparse.class();
        let mut state = product(input, embedding);
        for layer in 0..class.layers {
            let mut next = if class.residual { state.clone() } else { Array2::zeros(state.dim()) };
            for head in 0..class.heads {
                let (sparse, random) = (self.sparse.head(layer, head), self.random.head(layer, head));
                let queries = blend(t, sparse.query.apply(state.view()), random.query.apply(state.view()));
                let keys = blend(t, sparse.key.apply(state.view()), random.key.apply(state.view()));
                let scores = queries.dot(&keys.t()) * class.score_factor();
                let attention = transformer::attend(scores, class.attention, class.mask);
                let values = blend(t, sparse.value.apply(state.view()), random.value.apply(state.view()));
                next += &attention.dot(&values);
            }
            state = next;
        }
        let sparse = self.sparse.unembedding().apply(state.view());
        blend(t, sparse, self.random.unembedding().apply(state.view()))
    }
}

/// A walk along a path from t = 0 to t = 1 in small steps, so that whoever waits can be shown how far it is and can
/// give up between any two.
///
/// Wherever the sign of the determinant changes between two points of the grid, the zero between them is found by
/// bisection, and the path is looked at beside it. Zeros that lie in pairs between two points of the grid are missed.
#[derive(Debug, Clone)]
pub struct Walk {
    witness: Witness,
    errands: VecDeque<Errand>,
    found: Path,
    done: usize,
    /// The sign at the point of the grid that was looked at last, and its t.
    behind: Option<(i8, f64)>,
}

/// What is still to be done.
#[derive(Debug, Clone, Copy)]
enum Errand {
    /// Look at a point of the grid.
    Grid(f64),
    /// Look at a point beside a zero.
    Beside(f64),
    /// Halve the interval between two t; at the first the determinant has this sign, at the second the other.
    Halve { sign: i8, low: f64, high: f64 },
}

/// How far beside a zero a path is looked at.
const BESIDE: [f64; 6] = [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13];

impl Walk {
    /// A walk in so many equal steps, and more and closer ones around the zeros.
    pub fn new(witness: Witness, steps: usize) -> Walk {
        let errands = (0..=steps).map(|step| Errand::Grid(step as f64 / steps as f64)).collect();
        Walk { witness, errands, found: Path::default(), done: 0, behind: None }
    }

    /// Goes on by one step, if it is not at its end.
    ///
    /// # Errors
    /// When the stage is of another class or the singular values cannot be computed.
    pub fn step(&mut self, stage: &Stage) -> Result<(), Error> {
        let Some(errand) = self.errands.pop_front() else { return Ok(()) };
        match errand {
            Errand::Grid(t) => {
                let moment = self.look(stage, t)?;
                match self.behind.replace((moment.sign, t)) {
                    _ if moment.sign == 0 => self.found_zero(moment),
                    Some((sign, low)) if sign * moment.sign < 0 => {
                        self.errands.push_front(Errand::Halve { sign, low, high: t });
                    }
                    _ => {}
                }
            }
            Errand::Beside(t) => {
                self.look(stage, t)?;
            }
            Errand::Halve { sign, low, high } => {
                let t = low + (high - low) / 2.0;
                if t <= low || t >= high {
                    // No number lies between them; the determinant vanishes nearer to one of the two.
                    let (before, after) = (self.look(stage, low)?, self.look(stage, high)?);
                    let is_before = before.log_determinant < after.log_determinant;
                    self.found_zero(if is_before { before } else { after });
                } else {
                    match Elimination::new(self.witness.columns(t).view()).determinant_sign() {
                        0 => {
                            let moment = self.look(stage, t)?;
                            self.found_zero(moment);
                        }
                        found if found == sign => {
                            self.errands.push_front(Errand::Halve { sign, low: t, high });
                        }
                        _ => self.errands.push_front(Errand::Halve { sign, low, high: t }),
                    }
                }
            }
        }
        self.done += 1;
        Ok(())
    }

    /// Steps that have been taken, and those that are known to come.
    pub fn steps(&self) -> (usize, usize) {
        (self.done, self.errands.len())
    }

    /// What has been found so far.
    pub fn found(&self) -> &Path {
        &self.found
    }

    /// Looks at a point and keeps it.
    fn look(&mut self, stage: &Stage, t: f64) -> Result<Moment, Error> {
        let points = &mut self.found.points;
        let at = points.partition_point(|(moment, _)| moment.t < t);
        if let Some((moment, _)) = points.get(at).filter(|(moment, _)| moment.t == t) {
            return Ok(*moment);
        }
        let (moment, error) = self.witness.look(stage, t)?;
        points.insert(at, (moment, error));
        Ok(moment)
    }

    fn found_zero(&mut self, zero: Moment) {
        let at = self.found.zeros.partition_point(|known| known.t < zero.t);
        self.found.zeros.insert(at, zero);
        for t in BESIDE.into_iter().flat_map(|distance| [zero.t + distance, zero.t - distance]) {
            if (0.0..=1.0).contains(&t) {
                self.errands.push_front(Errand::Beside(t));
            }
        }
    }
}

/// (1 − t) a + t b.
fn blend(t: f64, mut a: Array2<f64>, b: Array2<f64>) -> Array2<f64> {
    Zip::from(&mut a).and(&b).for_each(|a, b| *a = (1.0 - t) * *a + t * b);
    a
}
