//! Why width matters, measured: one random universal transformer after the other, of all widths around N.

use std::cell::RefCell;

use linear::{product, solve_in_single};
use ndarray::{Array2, ArrayView2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use transformer::{
    Attention, Class, Head, Layer, Mask, NormalDraws, Scale, TIE_TOLERANCE, Target, Trace, attend_within,
    forward,
};

use crate::random::NormalSequence;
use crate::universal::leaves;
use crate::{Error, Projection, RandomSpec, UniversalTransformer};

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
    /// The weights are f32, their equations are solved in f32, and every matrix on the way is rounded to f32. Where
    /// the equations have no solution for every target, the program is that of f64, rounded.
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
        self.played(&self.universal(spec, seed)?)
    }

    /// The same with the error in single precision.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn graded(&self, spec: RandomSpec, seed: u64) -> Result<Sample, Error> {
        let universal = self.universal(spec, seed)?;
        let (sample, _) = self.played(&universal)?;
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

    /// Solves for the program of random weights and plays it.
    fn played(&self, universal: &UniversalTransformer) -> Result<(Sample, Trace), Error> {
        let program = universal.program(&self.target)?;
        let played = universal.forward(self.input.view(), program.embedding.view())?;
        let solve = program.solve.ok_or(Error::NoSingularValues)?;
        let sample = Sample {
            width: universal.width(),
            error: difference(self.trace.output.view(), played.output.view()),
            residual: solve.residual,
            rank: solve.rank,
            equations: solve.equations,
            condition: solve.condition,
            single_error: None,
        };
        Ok((sample, played))
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
        let program = universal.program(&self.target)?;
        let rounded = match precision {
            Precision::Double => None,
            Precision::Single => Some(universal.with_weights(&|weights| kept(weights.clone()))),
        };
        let embedding = match (&rounded, program.solve) {
            (Some(rounded), Some(solve)) if solve.rank == solve.equations => {
                solve_in_single(rounded.leaf_columns_kept(&kept).view(), leaves(&self.target).view())
            }
            _ => kept(program.embedding),
        };
        let universal = rounded.as_ref().unwrap_or(universal);
        let read = |state: &Array2<f64>, projection: &Projection| kept(projection.apply(state.view()));
        let mut state = kept(product(kept(self.input.clone()).view(), embedding.view()));
        for layer in 0..class.layers {
            let mut next = if class.residual { state.clone() } else { Array2::zeros(state.dim()) };
            for head in 0..class.heads {
                let frozen = universal.head(layer, head);
                let (queries, keys) = (read(&state, &frozen.query), read(&state, &frozen.key));
                let scores = kept(queries.dot(&keys.t()) * class.score_factor());
                let attention = kept(attend_within(scores, class.attention, class.mask, tie_tolerance));
                next += &attention.dot(&kept(frozen.value.apply(state.view())));
            }
            state = kept(next);
        }
        let output = read(&state, universal.unembedding());
        Ok(difference(self.trace.output.view(), output.view()))
    }
}

/// The largest difference of two matrices, NaN when there is one that is not a number.
pub(crate) fn difference(a: ArrayView2<f64>, b: ArrayView2<f64>) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
    a.iter().zip(b.iter()).fold(0.0, |largest, (a, b)| larger(largest, (a - b).abs()))
}
