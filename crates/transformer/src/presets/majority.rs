//! Counting by uniform attention: are there more `a` or more `b` so far?
//!
//! States: `votes` (2): the share of `a`, the share of `b`.

use ndarray::{Array1, Array2, array};

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 24;

/// Every position says which of `a` and `b` is more frequent up to there, or `=`; `c` abstains.
///
/// With all scores 0 a query attends to what it sees in equal parts, so the output is the mean of
/// the votes. Every majority is at least one vote of 24, and half a vote decides.
pub(super) fn majority() -> Preset {
    let class = Class {
        heads: 1,
        layers: 1,
        width: 2,
        head_width: 1,
        attention: Attention::Softmax,
        mask: Mask::Causal,
        scale: Scale::InverseSqrt,
        residual: false,
    };
    let zeros = Array2::zeros((2, 1));
    let head = Head { wq: zeros.clone(), wk: zeros, wv: Array2::eye(2), wo: Array2::eye(2) };
    let vocabulary = Vocabulary {
        tokens: ["a", "b", "c"].map(str::to_owned).to_vec(),
        embedding: array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
        positions: None,
    };
    Preset {
        id: "majority",
        target: target(class, vec![single(head)], vocabulary),
        input: "abbcabaa",
        splitting: Splitting::Characters,
        start: None,
        longest: LONGEST,
        blocks: blocks(&[("votes", 2)]),
        readout: Readout::Scores {
            words: ["a", "b", "="].map(str::to_owned).to_vec(),
            weights: array![[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]],
            bias: Array1::from_vec(vec![0.0, 0.0, 0.5 / LONGEST as f64]),
        },
        explain: explain("majority", 1),
        twin: None,
    }
}
