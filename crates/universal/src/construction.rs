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

/// The law of random weights. All entries have mean 0 and variance 1/m, except that a person's own values may have
/// another mean.
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
    /// Independent entries from a person's own values. Like every law on finitely many values it has no density.
    Table(Table),
}

/// A few values to draw from, each as likely as the others. Draws are scaled so that their mean square is 1/m.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Table {
    /// The bits of the values; those beyond `len` are 0.
    bits: [u64; Table::MOST],
    len: u8,
}

impl Table {
    /// The most values that a table holds.
    pub const MOST: usize = 8;

    /// A table of 1 to 8 finite values that are not all 0; anything else is none.
    pub fn new(values: &[f64]) -> Option<Table> {
        let is_possible = (1..=Table::MOST).contains(&values.len())
            && values.iter().all(|value| value.is_finite() && value.abs() <= LARGEST_VALUE)
            && values.iter().any(|value| value.abs() >= 1.0 / LARGEST_VALUE);
        let mut bits = [0; Table::MOST];
        for (bits, value) in bits.iter_mut().zip(values) {
            *bits = value.to_bits();
        }
        is_possible.then_some(Table { bits, len: values.len() as u8 })
    }

    /// The values, in the order in which they were given.
    pub fn values(&self) -> impl ExactSizeIterator<Item = f64> {
        self.bits[..usize::from(self.len)].iter().map(|bits| f64::from_bits(*bits))
    }
}

/// Beyond this the mean square of values would leave the range of numbers.
const LARGEST_VALUE: f64 = 1e100;

impl TryFrom<Vec<f64>> for Table {
    type Error = &'static str;

    fn try_from(values: Vec<f64>) -> Result<Table, Self::Error> {
        Table::new(&values).ok_or("a table has 1 to 8 finite values that are not all 0")
    }
}

impl From<Table> for Vec<f64> {
    fn from(table: Table) -> Vec<f64> {
        table.values().collect()
    }
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
    /// All laws that have a name, the default first.
    pub const ALL: [Law; 4] = [Law::Gaussian, Law::Uniform, Law::Sign, Law::LowRank];
}
