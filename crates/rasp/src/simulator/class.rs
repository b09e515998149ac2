//! What a simulator is built for: shapes and kinds, and where each matrix stands in the sequence.

use serde::{Deserialize, Serialize};

use super::SimulatorError;
use crate::limits::Limits;

/// What a simulation may cost. The work is known from the class, so that it may be more than what an
/// unknown program gets.
pub(super) const LIMITS: Limits =
    Limits { positions: 5_000, work: 120_000_000, values: 16_000_000, calls: 50 };

/// Values in the trace for each head and position: a constant, an address, a fetched value and half
/// of a product or a sum, rounded up.
const VALUES_FOR_EACH_HEAD: usize = 4;

/// How scores become attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Attend {
    /// Softmax, as the paper computes it. Scores above about 709 are too large for it.
    Softmax,
    /// Softmax of the scores less the largest of their row: the same for all scores, two layers more.
    ShiftedSoftmax,
    /// Uniform over the largest scores of each row.
    AverageHard,
}

/// Which keys a query may attend to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mask {
    /// All.
    None,
    /// Those up to its own position.
    Causal,
}

/// Whether smaller targets can run in the simulator (USA, Corollary 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Padding {
    /// Only targets of exactly these sizes.
    Exact,
    /// All targets up to these sizes: the sequence also says which rows are valid.
    Masked,
}

/// The activation of the feed-forward sub-layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Activation {
    /// The larger of the value and 0.
    Relu,
    /// Columns 2p and 2p + 1 sorted, the larger first.
    MaxMin,
}

/// The shape of a feed-forward sub-layer, `activation(y w1 + b1) w2 + b2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FeedForwardShape {
    /// The number of columns of `w1`.
    pub hidden: usize,
    /// The number of columns of `w2`.
    pub output: usize,
    /// What stands between.
    pub activation: Activation,
}

/// The class of targets that one simulator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Class {
    /// Rows of the input, n.
    pub rows: usize,
    /// Columns of the input, d.
    pub width: usize,
    /// Columns of what attention gives, d_v.
    pub value_width: usize,
    /// The number of heads, H.
    pub heads: usize,
    /// How scores become attention.
    pub attend: Attend,
    /// Which keys count.
    pub mask: Mask,
    /// The feed-forward sub-layer, if there is one.
    pub feed_forward: Option<FeedForwardShape>,
    /// Whether smaller targets fit.
    pub padding: Padding,
}

/// A matrix in the sequence, row after row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// `x`, `a_1`, `v_1`, …, `w1`, `b1`, `w2`, `b2`, `valid`, `scratch`.
    pub name: String,
    /// The position of its first element.
    pub start: usize,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
}

impl Stretch {
    /// The number of its elements.
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Whether it has no elements, which scratch may not have.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which stretch of the sequence holds what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// All stretches in their order, without gaps; scratch, perhaps empty, is the last.
    pub stretches: Vec<Stretch>,
    /// The number of positions.
    pub length: usize,
}

impl Layout {
    /// The stretch of this name.
    pub fn stretch(&self, name: &str) -> Option<&Stretch> {
        self.stretches.iter().find(|stretch| stretch.name == name)
    }

    /// The number of positions that hold no data and are there because an intermediate matrix needs
    /// them: RASP keeps the length of the sequence.
    pub fn scratch(&self) -> usize {
        self.stretch("scratch").map_or(0, Stretch::len)
    }
}

impl Class {
    /// Checks the sizes.
    pub(super) fn check(&self) -> Result<(), SimulatorError> {
        let feed_forward = self.feed_forward;
        let sizes = [
            ("the number of rows", self.rows),
            ("the width", self.width),
            ("the value width", self.value_width),
            ("the number of heads", self.heads),
            ("the hidden width", feed_forward.map_or(1, |shape| shape.hidden)),
            ("the output width", feed_forward.map_or(1, |shape| shape.output)),
        ];
        if let Some((what, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
            return Err(SimulatorError::Zero { what: what.into() });
        }
        if let Some(shape) = feed_forward
            && shape.activation == Activation::MaxMin
            && shape.hidden % 2 == 1
        {
            return Err(SimulatorError::OddHidden { hidden: shape.hidden });
        }
        let limit = LIMITS.positions;
        // A single size beyond the limit would make the products below overflow.
        let largest = sizes.into_iter().map(|(_, size)| size).max().unwrap_or(0);
        let length = if largest > limit { largest } else { self.layout().length };
        if length > limit {
            return Err(SimulatorError::TooLong { length, limit });
        }
        let heads: usize = self.heads_by_formula().iter().sum();
        let values = VALUES_FOR_EACH_HEAD * heads * length;
        let limit = LIMITS.values as usize;
        if values > limit {
            return Err(SimulatorError::TooMuchData { values, limit });
        }
        Ok(())
    }

    /// Where each matrix stands. Scratch makes room for the largest intermediate matrix.
    pub fn layout(&self) -> Layout {
        let (n, d, w) = (self.rows, self.width, self.value_width);
        let mut matrices = vec![("x".to_owned(), n, d)];
        for head in 1..=self.heads {
            matrices.push((format!("a_{head}"), d, d));
            matrices.push((format!("v_{head}"), d, w));
        }
        let mut largest = n * n.max(d).max(w);
        if let Some(shape) = self.feed_forward {
            matrices.push(("w1".to_owned(), w, shape.hidden));
            matrices.push(("b1".to_owned(), 1, shape.hidden));
            matrices.push(("w2".to_owned(), shape.hidden, shape.output));
            matrices.push(("b2".to_owned(), 1, shape.output));
            largest = largest.max(n * shape.hidden.max(shape.output));
        }
        if self.padding == Padding::Masked {
            matrices.push(("valid".to_owned(), 1, n));
        }
        let mut start = 0;
        let mut stretches: Vec<Stretch> = Vec::with_capacity(matrices.len() + 1);
        for (name, rows, columns) in matrices {
            stretches.push(Stretch { name, start, rows, columns });
            start += rows * columns;
        }
        stretches.push(Stretch {
            name: "scratch".to_owned(),
            start,
            rows: 1,
            columns: largest.saturating_sub(start),
        });
        Layout { stretches, length: start.max(largest) }
    }

    /// The number of heads of each layer by the formula, every selector counted as it is written.
    /// The number of layers does not depend on any size.
    ///
    /// Layer 1 has `H(3d + n) + 1`, and `d_v + f + 2` more with a feed-forward sub-layer, and 1 more
    /// with masked padding: all that is fetched from the input. Then come `2dH` for the scores, `H`
    /// in each layer of softmax (1, shifted 3) or of the average-hard maximum (2), `nH` and `dH` for
    /// the products with X and V, and `d_v`, 1 with MaxMin, and `f` for the feed-forward sub-layer.
    pub fn heads_by_formula(&self) -> Vec<usize> {
        let (n, d, h) = (self.rows, self.width, self.heads);
        let mut heads = vec![h * (3 * d + n) + 1 + self.fetched_besides_heads(), 2 * d * h];
        heads.extend(vec![h; self.attend_layers()]);
        heads.extend([n * h, d * h]);
        heads.extend(self.feed_forward_heads());
        heads
    }

    /// The number of heads of each layer by the formula, equal selectors counted once: layer 1 has
    /// `2dH + d + n + 1` and the same additions as in [`Class::heads_by_formula`], and later layers
    /// depend on H only where scores are compared.
    pub fn merged_heads_by_formula(&self) -> Vec<usize> {
        let (n, d, h) = (self.rows, self.width, self.heads);
        let mut heads = vec![2 * d * h + d + n + 1 + self.fetched_besides_heads(), 2 * d];
        heads.extend(vec![h; self.attend_layers() - 1]);
        heads.extend([1, n, d]);
        heads.extend(self.feed_forward_heads());
        heads
    }

    fn attend_layers(&self) -> usize {
        match self.attend {
            Attend::Softmax => 1,
            Attend::AverageHard => 2,
            Attend::ShiftedSoftmax => 3,
        }
    }

    fn fetched_besides_heads(&self) -> usize {
        let feed_forward = self.feed_forward.map_or(0, |shape| self.value_width + shape.hidden + 2);
        feed_forward + usize::from(self.padding == Padding::Masked)
    }

    fn feed_forward_heads(&self) -> Vec<usize> {
        match self.feed_forward {
            None => Vec::new(),
            Some(shape) => match shape.activation {
                Activation::Relu => vec![self.value_width, shape.hidden],
                Activation::MaxMin => vec![self.value_width, 1, shape.hidden],
            },
        }
    }
}
