//! How large universal transformers are and must be. Every number saturates instead of overflowing, so
//! that classes far beyond what any machine can hold may be asked about.

use serde::{Deserialize, Serialize};
use transformer::Class;

use crate::{Construction, Tying};

/// The widths that belong to a class, with B = H steps a layer (H + 1 with residual connections).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The number of attention paths to the output, B^L.
    pub paths: u128,
    /// The number of leaves of all trees, Σ_{l<L} 2H·B^l + B^L.
    pub leaves: u128,
    /// m of the sparse construction, Σ_{l<L} 2H·B^l·d_h + B^L·d.
    pub sparse: u128,
    /// m of the looped construction, Σ_{l<L} 2H·H^l·d_h + d·Σ_{l≤L} H^l. Residual classes have none.
    pub looped: Option<u128>,
    /// The least m at which a random draw works (with probability 1), N: that of the sparse construction. See
    /// [`largest_rank`] for the one kind of draw that never does.
    pub random_minimum: u128,
    /// H^L / 2: no universal transformer that reproduces attention exactly has a smaller m (FUT, theorem 4.1,
    /// for H ≥ 2 and classes without residual connections; even for d = 1).
    pub attention_matching_lower_bound: Option<f64>,
}

impl Bounds {
    /// The bounds of a class.
    pub fn of(class: &Class) -> Self {
        let (heads, layers) = (class.heads as u128, class.layers as u128);
        let (d, d_h) = (class.width as u128, class.head_width as u128);
        let base = steps(class);
        let paths = power(base, layers);
        let inner = heads.saturating_mul(2).saturating_mul(geometric_sum(base, layers));
        let sparse = inner.saturating_mul(d_h).saturating_add(paths.saturating_mul(d));
        let all_depths = geometric_sum(base, layers.saturating_add(1));
        Bounds {
            paths,
            leaves: inner.saturating_add(paths),
            sparse,
            looped: (!class.residual)
                .then(|| inner.saturating_mul(d_h).saturating_add(all_depths.saturating_mul(d))),
            random_minimum: sparse,
            attention_matching_lower_bound: (class.heads >= 2 && !class.residual)
                .then(|| (class.heads as f64).powf(class.layers as f64) / 2.0),
        }
    }

    /// m of a construction; `None` when the class has no such construction.
    pub fn width(&self, construction: Construction) -> Option<u128> {
        match construction {
            Construction::Sparse => Some(self.sparse),
            Construction::Looped => self.looped,
            Construction::Random { spec, .. } => Some(spec.width as u128),
        }
    }
}

/// The largest rank that the equations of a random construction can have, reached with probability 1 as
/// soon as m is as large. It is N, and random weights are universal, except when tied weights meet residual
/// connections in more than one layer.
///
/// Then P_p depends only on the heads of p and no longer on where its skips are: Rv·1 = 1·Rv. Leaves that
/// differ in their skips share a column, while a target's own leaves agree there only when its layers are
/// all the same. What is left is one column for each sequence of heads, which is m of the looped
/// construction: such weights play the tied targets of the class, and only those.
pub fn largest_rank(class: &Class, tying: Tying) -> u128 {
    match (tying, class.residual) {
        (Tying::Tied, true) => {
            let without_skips = Bounds::of(&Class { residual: false, ..*class });
            without_skips.looped.unwrap_or(u128::MAX).min(Bounds::of(class).random_minimum)
        }
        (Tying::Free, _) | (Tying::Tied, false) => Bounds::of(class).random_minimum,
    }
}

/// The number of multiplications (each with an addition) of a forward pass over n tokens, as this crate
/// runs it: explicit constructions multiply only columns that move, O(n² m + n m d).
pub fn multiply_adds(construction: Construction, class: &Class, n: usize) -> u128 {
    let (heads, layers) = (class.heads as u128, class.layers as u128);
    let (d, d_h, n) = (class.width as u128, class.head_width as u128, n as u128);
    let m = Bounds::of(class).width(construction).unwrap_or(0);
    let (nn, nm) = (n.saturating_mul(n), n.saturating_mul(m));
    let embed = nm.saturating_mul(d);
    let scores = product([layers, heads, nn, d_h]);
    let mix = match construction {
        Construction::Sparse | Construction::Looped => {
            product([heads, nn, moved_columns(construction, class)])
        }
        Construction::Random { .. } => {
            let project = product([layers, heads, 2, nm, d_h]);
            let mix = product([layers, heads, nm, m.saturating_add(n)]);
            project.saturating_add(mix).saturating_add(nm.saturating_mul(d))
        }
    };
    embed.saturating_add(scores).saturating_add(mix)
}

/// The bytes that a construction needs, each number 8 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// E, d × m.
    pub embedding: u128,
    /// L + 1 states, n × m.
    pub states: u128,
    /// Scores and attention of all layers and heads, n × n.
    pub attention: u128,
    /// Routings, or random weights as numbers.
    pub frozen: u128,
    /// The list of all leaves.
    pub layout: u128,
    /// The equations of a random construction and their factors.
    pub solve: u128,
}

impl Memory {
    /// What a construction needs for an input of n tokens; `None` when the class has no such construction.
    pub fn of(construction: Construction, class: &Class, n: usize) -> Option<Self> {
        let bounds = Bounds::of(class);
        let m = bounds.width(construction)?;
        let (heads, layers) = (class.heads as u128, class.layers as u128);
        let (d, d_h, n) = (class.width as u128, class.head_width as u128, n as u128);
        let leaves = match construction {
            Construction::Sparse | Construction::Random { .. } => bounds.leaves,
            // One leaf more for each inner node of the output's tree.
            Construction::Looped => bounds.leaves.saturating_add(geometric_sum(steps(class), layers)),
        };
        let consumers = product([2, layers, heads]).saturating_add(1);
        let (frozen, solve) = match construction {
            Construction::Sparse => (product([MOVE_BYTES, layers, heads, consumers]), 0),
            Construction::Looped => (product([MOVE_BYTES, heads, consumers]), 0),
            Construction::Random { spec, .. } => {
                let own_layers = if spec.tying == Tying::Tied { 1 } else { layers };
                let each = m.saturating_mul(m.saturating_add(d_h.saturating_mul(2)));
                let frozen = product([own_layers, heads, each]).saturating_add(m.saturating_mul(d));
                let equations = bounds.sparse;
                // C, its orthogonal basis and the factor between them.
                let solve = product([2, m, equations]).saturating_add(equations.saturating_mul(equations));
                (frozen.saturating_mul(8), solve.saturating_mul(8))
            }
        };
        Some(Memory {
            embedding: product([8, d, m]),
            states: product([8, layers.saturating_add(1), n, m]),
            attention: product([16, layers, heads, n.saturating_mul(n)]),
            frozen,
            layout: leaves.saturating_mul(LEAF_BYTES.saturating_add(layers)),
            solve,
        })
    }

    /// All together.
    pub fn total(&self) -> u128 {
        let parts = [self.embedding, self.states, self.attention, self.frozen, self.layout, self.solve];
        parts.into_iter().fold(0, u128::saturating_add)
    }
}

const MOVE_BYTES: u128 = size_of::<crate::Move>() as u128;
const LEAF_BYTES: u128 = size_of::<crate::Block>() as u128;

fn steps(class: &Class) -> u128 {
    class.heads as u128 + u128::from(class.residual)
}

/// Σ over the layers of the columns that one head moves.
fn moved_columns(construction: Construction, class: &Class) -> u128 {
    let (heads, layers) = (class.heads as u128, class.layers as u128);
    let (d, d_h, base) = (class.width as u128, class.head_width as u128, steps(class));
    let in_layers_before_last = |below: u128| {
        // Trees of `below` kinds of depth, and the output's tree, after one contraction.
        let inner = product([2, heads, d_h, geometric_sum(base, below)]);
        inner.saturating_add(power(base, below).saturating_mul(d))
    };
    match construction {
        Construction::Looped => {
            let inner = product([2, heads, d_h, geometric_sum(base, layers.saturating_sub(1))]);
            let each = inner.saturating_add(geometric_sum(base, layers).saturating_mul(d));
            layers.saturating_mul(each)
        }
        // The layers form an arithmetic series when there is one path only.
        _ if base == 1 => {
            let pairs = layers.saturating_mul(layers.saturating_sub(1)) / 2;
            product([2, heads, d_h, pairs]).saturating_add(layers.saturating_mul(d))
        }
        _ if layers > 128 => u128::MAX,
        _ => (0..layers).map(in_layers_before_last).fold(0, u128::saturating_add),
    }
}

fn product<const N: usize>(factors: [u128; N]) -> u128 {
    factors.into_iter().fold(1, u128::saturating_mul)
}

fn power(base: u128, exponent: u128) -> u128 {
    match base {
        1 => 1,
        _ => base.saturating_pow(u32::try_from(exponent).unwrap_or(u32::MAX)),
    }
}

/// 1 + base + base² + … of `terms` terms.
fn geometric_sum(base: u128, terms: u128) -> u128 {
    if base == 1 {
        return terms;
    }
    let mut sum = 0_u128;
    for exponent in 0..terms {
        sum = sum.saturating_add(power(base, exponent));
        if sum == u128::MAX {
            break;
        }
    }
    sum
}
