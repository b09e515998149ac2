//! Balanced parentheses in two layers of attention without hard choices.
//!
//! One uniform head can compare how many there are of each, no more: `)(` would pass. The second
//! layer looks for the prefix that went lowest, and so sees whether any closed too early.
//!
//! States: `bracket` (1: +1, −1 or 0), `constant` (1), `average` (1), `lowest` (1).

use ndarray::{Array1, array};

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 24;

/// Every position says whether the text up to there is balanced (`✓`), can still become so (`…`), or
/// never will (`✗`). `x` is neither bracket.
///
/// Layer 1, uniform and causal, writes the mean of the brackets, depth / length, into `average`: its
/// sign is that of the depth, and one bracket of 24 is its smallest size. Layer 2 attends sharply to
/// the least of all averages so far and writes it into `lowest`: negative exactly when the depth was
/// once negative. Balanced is: `lowest` not negative and `average` 0. Both are held against half a
/// bracket of 24, so it keeps its promise up to that length.
pub(super) fn parentheses() -> Preset {
    let class = Class {
        heads: 1,
        layers: 2,
        width: 4,
        head_width: 1,
        attention: Attention::Softmax,
        mask: Mask::Causal,
        scale: Scale::InverseSqrt,
        residual: true,
    };
    let mean = Head {
        wq: array![[0.0], [0.0], [0.0], [0.0]],
        wk: array![[0.0], [0.0], [0.0], [0.0]],
        wv: array![[1.0], [0.0], [0.0], [0.0]],
        wo: array![[0.0, 0.0, 1.0, 0.0]],
    };
    let minimum = Head {
        // exp(512 / 24) is about 2e9: a single prefix below zero outweighs all those that are not.
        wq: array![[0.0], [512.0], [0.0], [0.0]],
        wk: array![[0.0], [0.0], [-1.0], [0.0]],
        wv: array![[0.0], [0.0], [1.0], [0.0]],
        wo: array![[0.0, 0.0, 0.0, 1.0]],
    };
    let vocabulary = Vocabulary {
        tokens: ["(", ")", "x"].map(str::to_owned).to_vec(),
        embedding: array![[1.0, 1.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
        positions: None,
    };
    let half_bracket = 0.5 / LONGEST as f64;
    // `…` scores the average, at most 1. `✗` scores −1 where nothing went below zero, and 3 or more
    // where something did.
    let broken = -2.0 / half_bracket;
    Preset {
        id: "parentheses",
        target: target(class, vec![single(mean), single(minimum)], vocabulary),
        input: "(x(x))())(",
        splitting: Splitting::Characters,
        start: None,
        longest: LONGEST,
        blocks: blocks(&[("bracket", 1), ("constant", 1), ("average", 1), ("lowest", 1)]),
        readout: Readout::Scores {
            words: ["✓", "…", "✗"].map(str::to_owned).to_vec(),
            weights: array![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, broken]],
            bias: Array1::from_vec(vec![half_bracket, 0.0, -1.0]),
        },
        explain: explain("parentheses", 2),
        twin: None,
    }
}
