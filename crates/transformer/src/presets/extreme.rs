//! Hard attention that sorts out the largest, and its twin: one weight has the other sign, and it
//! sorts out the smallest.
//!
//! States: `number` (1), `constant` (1), `position` (1, in sixteenths).

use ndarray::{Array2, array};

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{beside, points, single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 12;

/// Every position says the largest digit up to there.
///
/// The key is the digit less its position in sixteenths: twelve positions never add up to a whole
/// digit, and of equal digits the first wins, so that no two keys are equal.
pub(super) fn largest() -> Preset {
    preset("largest", "smallest", 1.0)
}

/// Every position says the smallest digit up to there; of equal digits the last one wins.
pub(super) fn smallest() -> Preset {
    preset("smallest", "largest", -1.0)
}

fn preset(id: &'static str, twin: &'static str, query: f64) -> Preset {
    let class = Class {
        heads: 1,
        layers: 1,
        width: 3,
        head_width: 1,
        attention: Attention::LeftmostHard,
        mask: Mask::Causal,
        scale: Scale::Factor(1.0),
        residual: false,
    };
    let head = Head {
        // The one weight in which the twins differ.
        wq: array![[0.0], [query], [0.0]],
        wk: array![[1.0], [0.0], [-1.0]],
        wv: array![[1.0], [0.0], [0.0]],
        wo: array![[1.0, 0.0, 0.0]],
    };
    let digits = Array2::from_shape_fn((10, 1), |(digit, _)| digit as f64);
    let words: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
    let (ones, places) =
        (Array2::ones((10, 1)), Array2::from_shape_fn((LONGEST, 1), |(place, _)| place as f64 / 16.0));
    let vocabulary = Vocabulary {
        tokens: words.clone(),
        embedding: beside(10, &[(1, Some(&digits)), (1, Some(&ones)), (1, None)]),
        positions: Some(beside(LONGEST, &[(2, None), (1, Some(&places))])),
    };
    Preset {
        id,
        target: target(class, vec![single(head)], vocabulary),
        input: "31415926",
        splitting: Splitting::Characters,
        start: None,
        longest: LONGEST,
        blocks: blocks(&[("number", 1), ("constant", 1), ("position", 1)]),
        readout: Readout::Nearest { columns: vec![0], points: points(words, &digits), within: 0.4 },
        explain: explain(id, 1),
        twin: Some(twin),
    }
}
