//! What is trained: the token and position embeddings, the unembedding and, of a fully trained transformer,
//! the weights of its layers. Frozen weights are of another type, which the optimiser does not accept.

use std::ops::Range;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use transformer::NormalDraws;

use crate::real::Real;
use crate::{Config, Weights};

/// The trained numbers, or one number for each of them (a gradient, a moment).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameters<R> {
    pub(crate) numbers: Vec<R>,
    tensors: Vec<TensorShape>,
}

/// The name and shape of a trained matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorShape {
    /// `embedding.tokens` (tokens × m), `embedding.positions` (n × m), `unembedding` (columns read × classes);
    /// of a fully trained transformer `layers.{l}.read` (m × 3Hd_h: the queries of all heads, then the keys,
    /// then the values), `layers.{l}.write` (Hd_h × m), `layers.{l}.mlp.first` (m × hidden),
    /// `layers.{l}.mlp.bias` (1 × hidden), `layers.{l}.mlp.second` (hidden × m).
    pub name: String,
    /// The number of its rows.
    pub rows: usize,
    /// The number of its columns.
    pub columns: usize,
    /// Where its first number stands among all trained numbers.
    pub offset: usize,
}

/// Where the tensors stand that every model has.
pub(crate) const TOKENS: usize = 0;
pub(crate) const POSITIONS: usize = 1;
pub(crate) const UNEMBEDDING: usize = 2;
/// The first tensor of the layers.
pub(crate) const LAYERS: usize = 3;

impl TensorShape {
    /// Its place among all trained numbers.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.rows * self.columns
    }
}

impl<R: Real> Parameters<R> {
    /// Start weights, drawn from the seed of the configuration; `columns_read` is what the unembedding reads.
    pub(crate) fn draw(config: &Config, columns_read: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
        rng.set_stream(START_STREAM);
        let mut drawn = Drawn { draws: NormalDraws::new(rng), numbers: Vec::new(), tensors: Vec::new() };
        let (m, model) = (config.state_width(), &config.model);
        let e = config.embedding_scale;
        drawn.add("embedding.tokens", config.task.tokens().len(), m, e);
        drawn.add("embedding.positions", config.task.length(), m, e);
        let deviation = |fan_in: usize| 1.0 / (fan_in as f64).sqrt();
        drawn.add("unembedding", columns_read, config.task.classes().len(), deviation(columns_read));
        if model.weights == Weights::Trained {
            let inner = model.heads * model.head_width;
            for l in 0..model.layers {
                drawn.add(&format!("layers.{l}.read"), m, 3 * inner, deviation(m));
                drawn.add(&format!("layers.{l}.write"), inner, m, deviation(inner));
                if let Some(hidden) = config.variant.hidden() {
                    drawn.add(&format!("layers.{l}.mlp.first"), m, hidden, 2.0_f64.sqrt() * deviation(m));
                    drawn.add(&format!("layers.{l}.mlp.bias"), 1, hidden, 0.5);
                    drawn.add(&format!("layers.{l}.mlp.second"), hidden, m, 0.3 * deviation(hidden));
                }
            }
        }
        Parameters { numbers: drawn.numbers.into_iter().map(R::from_f64).collect(), tensors: drawn.tensors }
    }

    /// The same shapes, all zero.
    pub(crate) fn zeros_like(&self) -> Self {
        Parameters { numbers: vec![R::ZERO; self.numbers.len()], tensors: self.tensors.clone() }
    }

    pub(crate) fn tensors(&self) -> &[TensorShape] {
        &self.tensors
    }

    pub(crate) fn tensor(&self, index: usize) -> &[R] {
        &self.numbers[self.tensors[index].range()]
    }

    pub(crate) fn tensor_mut(&mut self, index: usize) -> &mut [R] {
        &mut self.numbers[self.tensors[index].range()]
    }

    /// The first tensor with a number that is infinite or NaN.
    pub(crate) fn not_finite(&self) -> Option<&TensorShape> {
        let finite = |it: &&TensorShape| !self.numbers[it.range()].iter().all(|number| number.is_finite());
        self.tensors.iter().find(finite)
    }

    /// The tensor with the number that is farthest from 0.
    pub(crate) fn farthest(&self) -> Option<&TensorShape> {
        let size = |it: &TensorShape| {
            self.numbers[it.range()].iter().fold(0.0_f64, |most, number| most.max(number.to_f64().abs()))
        };
        self.tensors.iter().max_by(|a, b| size(a).total_cmp(&size(b)))
    }
}

/// A stream of the seed that no training step draws from.
const START_STREAM: u64 = u64::MAX - 1;

struct Drawn {
    draws: NormalDraws,
    numbers: Vec<f64>,
    tensors: Vec<TensorShape>,
}

impl Drawn {
    fn add(&mut self, name: &str, rows: usize, columns: usize, deviation: f64) {
        let offset = self.numbers.len();
        self.tensors.push(TensorShape { name: name.to_owned(), rows, columns, offset });
        self.numbers.extend((0..rows * columns).map(|_| deviation * self.draws.draw()));
    }
}
