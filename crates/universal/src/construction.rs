//! The ways to make a universal transformer for a class.

use serde::{Deserialize, Serialize};

/// How the frozen weights are made. With a class it determines them bit for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Construction {
    /// Weights 0 and 1 that contract the tree of attention paths (FUT, the explicit construction).
    Sparse,
    /// Weights 0 and 1, the same in every layer: nodes of all depths have a place of their own.
    Looped,
    /// Weights drawn at random; the program is the solution of linear equations.
    Random {
        /// From what they are drawn.
        spec: RandomSpec,
        /// The seed of the draw.
        seed: u64,
    },
}

/// From what random weights are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RandomSpec {
    /// The law of the entries.
    pub law: Law,
    /// Whether the layers share their weights.
    pub tying: Tying,
    /// m, the width of the state.
    pub width: usize,
}

/// The law of random weights. All entries have mean 0 and variance 1/m.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Independent normal entries.
    Gaussian,
    /// Independent entries, uniform on [−√(3/m), √(3/m)].
    Uniform,
    /// Independent entries ±1/√m. This law has no density, so the theorem does not speak of it.
    Sign,
    /// Like Gaussian, except that each Rv is a product of two thin matrices with only half the rank that
    /// a program needs. Such weights are a set of measure zero, and no width makes them universal.
    LowRank,
}

/// Whether the layers of a random universal transformer share their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tying {
    /// Every layer has weights of its own.
    Free,
    /// All layers have the same Rq, Rk and Rv. With residual connections and more than one layer such
    /// weights play tied targets only; see [`largest_rank`](crate::bounds::largest_rank).
    Tied,
}

impl Law {
    /// All laws, the default first.
    pub const ALL: [Law; 4] = [Law::Gaussian, Law::Uniform, Law::Sign, Law::LowRank];
}
