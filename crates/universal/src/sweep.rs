//! Why width matters, measured: one random universal transformer after the other, of all widths around N, and the
//! path from the sparse weights, which work, to random ones, which therefore almost always do.

use std::cell::RefCell;

use linear::{determinant_sign, product, singular_values, solve_square};
use ndarray::{Array2, ArrayView2, Axis, Zip, concatenate};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use transformer::{
    Attention, Class, Head, Layer, Mask, NormalDraws, Scale, TIE_TOLERANCE, Target, Trace, attend_within,
    forward,
};

use crate::random::NormalSequence;
use crate::unfold::{Root, unfold};
use crate::{Consumer, Error, Mixing, Projection, RandomSpec, UniversalTransformer};

/// A target on an input, which random universal transformers are to play.
#[derive(Debug, Clone)]
pub struct Stage {
    target: Target,
    input: Array2<f64>,
    trace: Trace,
    /// What the last draw was cut from; the next is often of another width and the same seed.
    normals: RefCell<NormalSequence>,
}

/// What one random universal transformer makes of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// m.
    pub width: usize,
    /// The largest difference of the outputs.
    pub error: f64,
    /// ‖E C − B‖ / ‖B‖ in Frobenius norms.
    pub residual: f64,
    /// The numerical rank of C.
    pub rank: usize,
    /// N, the number of columns of C.
    pub equations: usize,
    /// The largest singular value of C over the smallest that counts.
    pub condition: f64,
    /// The largest difference of the outputs in single precision; only of samples that were asked for it.
    pub single_error: Option<f64>,
}

/// How exactly a universal transformer is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// All numbers are f64.
    Double,
    /// The program is computed in f64; then every weight, the program and every matrix on the way are rounded to
    /// f32, as those of a model are that is kept in f32.
    Single,
}

/// Ties of hard attention, played in different ways: the largest differences of the outputs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TieErrors {
    /// Rows of the target's attention in which several keys tie.
    pub ties: usize,
    /// All rows of its attention.
    pub rows: usize,
    /// The sparse universal transformer, f64, scores equal to the last bit.
    pub sparse_exact: f64,
    /// The random one, f64, scores equal to the last bit.
    pub random_exact: f64,
    /// The random one, f64, scores equal within [`TIE_TOLERANCE`].
    pub random_tolerant: f64,
    /// The random one, f32, scores equal within [`TIE_TOLERANCE`].
    pub single_tolerant: f64,
    /// The random one, f32, scores equal within [`SINGLE_TIE_TOLERANCE`].
    pub single_generous: f64,
}

/// A tie tolerance that is as generous for f32 as [`TIE_TOLERANCE`] is for f64.
pub const SINGLE_TIE_TOLERANCE: f64 = 1e-3;

impl Stage {
    /// # Errors
    /// When the input does not fit the target.
    pub fn new(target: Target, input: Array2<f64>) -> Result<Self, Error> {
        let trace = forward(&target, input.view())?;
        Ok(Stage { target, input, trace, normals: RefCell::default() })
    }

    /// The target of a class drawn from `seed`, on `tokens` rows of independent normal numbers drawn from the
    /// seed after it.
    ///
    /// # Errors
    /// When the class is not possible.
    pub fn drawn(class: Class, seed: u64, tokens: usize) -> Result<Self, Error> {
        let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(seed.wrapping_add(1)));
        let input = Array2::from_shape_simple_fn((tokens, class.width), || draws.draw());
        Stage::new(Target::random(class, seed)?, input)
    }

    /// A target of one layer with average-hard attention in which different tokens tie: its tokens and weights are
    /// small whole numbers, so that its scores are exact. The first entry of every token is 1, all queries are (1, 0)
    /// and the scores are around 3, because a relative tie tolerance cannot tell a row of zeros from its rounding.
    ///
    /// # Errors
    /// When there are no tokens.
    pub fn tied(seed: u64, tokens: usize) -> Result<Self, Error> {
        let class = Class {
            heads: 2,
            layers: 1,
            width: 4,
            head_width: 2,
            attention: Attention::AverageHard,
            mask: Mask::None,
            scale: Scale::InverseSqrt,
            residual: false,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = |shape: (usize, usize)| {
            Array2::from_shape_simple_fn(shape, || f64::from(rng.random_range(-1_i8..=1)))
        };
        let (d, d_h) = (class.width, class.head_width);
        let mut head = || {
            let mut wq = Array2::zeros((d, d_h));
            wq[[0, 0]] = 1.0;
            let mut wk = draw((d, d_h));
            wk[[0, 0]] = 3.0;
            Head { wq, wk, wv: draw((d, d_h)), wo: draw((d_h, d)) }
        };
        let layer = Layer { heads: (0..class.heads).map(|_| head()).collect() };
        let target = Target::new(class, vec![layer], None)?;
        let mut input = draw((tokens, d));
        input.column_mut(0).fill(1.0);
        Stage::new(target, input)
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The input, n × d.
    pub fn input(&self) -> ArrayView2<'_, f64> {
        self.input.view()
    }

    /// What the target computes.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Draws random weights, solves for the program and plays it.
    ///
    /// # Errors
    /// When the universal transformer is too large or its equations have no singular values.
    pub fn sample(&self, spec: RandomSpec, seed: u64) -> Result<(Sample, Trace), Error> {
        let universal = self.universal(spec, seed)?;
        let program = universal.program(&self.target)?;
        let played = universal.forward(self.input.view(), program.embedding.view())?;
        let solve = program.solve.ok_or(Error::NoSingularValues)?;
        let sample = Sample {
            width: spec.width,
            error: difference(self.trace.output.view(), played.output.view()),
            residual: solve.residual,
            rank: solve.rank,
            equations: solve.equations,
            condition: solve.condition,
            single_error: None,
        };
        Ok((sample, played))
    }

    /// The same with the error in single precision.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn graded(&self, spec: RandomSpec, seed: u64) -> Result<Sample, Error> {
        let (sample, _) = self.sample(spec, seed)?;
        let universal = self.universal(spec, seed)?;
        let single = self.error(&universal, Precision::Single, TIE_TOLERANCE)?;
        Ok(Sample { single_error: Some(single), ..sample })
    }

    /// What becomes of ties of the target's attention when scores are only nearly equal.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn tie_errors(&self, spec: RandomSpec, seed: u64) -> Result<TieErrors, Error> {
        let class = *self.target.class();
        let sparse = UniversalTransformer::sparse(class)?;
        let random = UniversalTransformer::random(class, spec, seed)?;
        let rows = self.trace.attention.iter().flatten().flat_map(|attention| attention.rows());
        let has_tie = |row: &ndarray::ArrayView1<f64>| row.iter().any(|share| *share > 0.0 && *share < 1.0);
        Ok(TieErrors {
            ties: rows.clone().filter(has_tie).count(),
            rows: rows.count(),
            sparse_exact: self.error(&sparse, Precision::Double, 0.0)?,
            random_exact: self.error(&random, Precision::Double, 0.0)?,
            random_tolerant: self.error(&random, Precision::Double, TIE_TOLERANCE)?,
            single_tolerant: self.error(&random, Precision::Single, TIE_TOLERANCE)?,
            single_generous: self.error(&random, Precision::Single, SINGLE_TIE_TOLERANCE)?,
        })
    }

    fn universal(&self, spec: RandomSpec, seed: u64) -> Result<UniversalTransformer, Error> {
        let class = *self.target.class();
        UniversalTransformer::random_from(class, spec, seed, &mut self.normals.borrow_mut())
    }

    /// The largest difference of the outputs of the target and of a universal transformer that plays it.
    fn error(
        &self,
        universal: &UniversalTransformer,
        precision: Precision,
        tie_tolerance: f64,
    ) -> Result<f64, Error> {
        let class = universal.class();
        let kept = |matrix: Array2<f64>| match precision {
            Precision::Double => matrix,
            Precision::Single => matrix.mapv_into(|value| f64::from(value as f32)),
        };
        let read = |state: &Array2<f64>, projection: &Projection| match projection {
            Projection::Selection { .. } => projection.apply(state.view()),
            Projection::Dense(weights) => kept(product(state.view(), kept(weights.clone()).view())),
        };
        let embedding = kept(universal.program(&self.target)?.embedding);
        let mut state = kept(product(kept(self.input.clone()).view(), embedding.view()));
        for layer in 0..class.layers {
            let mut next = if class.residual { state.clone() } else { Array2::zeros(state.dim()) };
            for head in 0..class.heads {
                let frozen = universal.head(layer, head);
                let (queries, keys) = (read(&state, &frozen.query), read(&state, &frozen.key));
                let scores = kept(queries.dot(&keys.t()) * class.score_factor());
                let attention = kept(attend_within(scores, class.attention, class.mask, tie_tolerance));
                let values = match &frozen.value {
                    Mixing::Routing(routing) => routing.apply(state.view()),
                    Mixing::Dense(weights) => kept(product(state.view(), kept(weights.clone()).view())),
                };
                next += &attention.dot(&values);
            }
            state = kept(next);
        }
        let output = read(&state, universal.unembedding());
        Ok(difference(self.trace.output.view(), output.view()))
    }
}

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

/// The whole path from t = 0 to t = 1 for one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// Determinants, t ascending, with the largest difference of the outputs at each: a regular grid, and
    /// more and more closely around the zeros.
    pub points: Vec<(Moment, f64)>,
    /// Where the determinant changes its sign.
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

    /// The determinant at t.
    ///
    /// # Errors
    /// When the singular values cannot be computed.
    pub fn moment(&self, t: f64) -> Result<Moment, Error> {
        let columns = self.columns(t);
        let singular_values = singular_values(columns.view()).map_err(|_| Error::NoSingularValues)?;
        let largest = singular_values.first().copied().unwrap_or(0.0);
        let smallest = singular_values.last().copied().unwrap_or(0.0);
        Ok(Moment {
            t,
            log_determinant: singular_values.iter().map(|value| value.ln()).sum(),
            sign: determinant_sign(columns.view()),
            condition: if smallest > 0.0 { largest / smallest } else { f64::INFINITY },
        })
    }

    /// The path in `steps` equal steps, with its zeros and what happens beside them. Zeros between which there
    /// is no step of the grid may be missed in pairs.
    ///
    /// # Errors
    /// When the stage is of another class or singular values cannot be computed.
    pub fn path(&self, stage: &Stage, steps: usize) -> Result<Path, Error> {
        let grid = (0..=steps).map(|step| self.moment(step as f64 / steps as f64));
        let mut moments = grid.collect::<Result<Vec<_>, _>>()?;
        let mut zeros = Vec::new();
        for pair in moments.windows(2) {
            if pair[0].sign * pair[1].sign < 0 {
                zeros.push(self.zero_between(pair[0], pair[1])?);
            }
        }
        zeros.extend(moments.iter().filter(|moment| moment.sign == 0));
        zeros.sort_by(|a, b| a.t.total_cmp(&b.t));
        for zero in &zeros {
            moments.push(*zero);
            for distance in BESIDE {
                for t in [zero.t - distance, zero.t + distance] {
                    if (0.0..=1.0).contains(&t) {
                        moments.push(self.moment(t)?);
                    }
                }
            }
        }
        moments.sort_by(|a, b| a.t.total_cmp(&b.t));
        moments.dedup_by(|a, b| a.t == b.t);
        let with_error = |moment: Moment| Ok((moment, self.error(stage, moment.t)?));
        let points = moments.into_iter().map(with_error).collect::<Result<Vec<_>, Error>>()?;
        Ok(Path { points, zeros })
    }

    /// A t between `low` and `high`, whose signs differ, at which the determinant changes its sign: by bisection
    /// to the last bit that f64 resolves.
    ///
    /// # Errors
    /// When the singular values cannot be computed.
    pub fn zero_between(&self, low: Moment, high: Moment) -> Result<Moment, Error> {
        let (mut low, mut high) = (low, high);
        loop {
            let t = low.t + (high.t - low.t) / 2.0;
            if t <= low.t || t >= high.t {
                return Ok(if low.log_determinant < high.log_determinant { low } else { high });
            }
            let middle = self.moment(t)?;
            if middle.sign == 0 {
                return Ok(middle);
            }
            if middle.sign == low.sign { low = middle } else { high = middle }
        }
    }

    /// The program for a target at t, by the equations E C(t) = B, and the largest difference of the outputs of
    /// target and universal transformer on the stage's input.
    ///
    /// # Errors
    /// When the stage is of another class.
    pub fn error(&self, stage: &Stage, t: f64) -> Result<f64, Error> {
        let class = self.sparse.class();
        // Sparse programs are the leaves themselves: B.
        let leaves = self.sparse.program(stage.target())?.embedding;
        let embedding = solve_square(self.columns(t).view(), leaves.view());
        let mut state = product(stage.input(), embedding.view());
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
        let output = blend(
            t,
            self.sparse.unembedding().apply(state.view()),
            self.random.unembedding().apply(state.view()),
        );
        Ok(difference(stage.trace.output.view(), output.view()))
    }
}

/// How far beside a zero a path is looked at.
const BESIDE: [f64; 6] = [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13];

/// (1 − t) a + t b.
fn blend(t: f64, mut a: Array2<f64>, b: Array2<f64>) -> Array2<f64> {
    Zip::from(&mut a).and(&b).for_each(|a, b| *a = (1.0 - t) * *a + t * b);
    a
}

/// The largest difference of two matrices, NaN when there is one that is not a number.
fn difference(a: ArrayView2<f64>, b: ArrayView2<f64>) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
    a.iter().zip(b.iter()).fold(0.0, |largest, (a, b)| larger(largest, (a - b).abs()))
}
