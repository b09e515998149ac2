//! Attention paths made visible: Pascal's triangle.
//!
//! In every layer one head looks at its own place and the other at the place before. The term of a
//! path with k looks back brings the count from k places before, and C(3, k) of the 2³ paths have k:
//! a single 1 becomes 1 3 3 1.
//!
//! States: `count` (1), `position` (2, places on a circle).

use ndarray::{Array2, array};
use std::f64::consts::TAU;

use crate::{Attention, Class, Head, Layer, Mask, Scale, Vocabulary};

use super::weights::{after_zeros, beside, circle, matrix, points, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 12;
const TURN: f64 = 1.0 / 13.0;
const LAYERS: usize = 3;

/// Every position says Σ_k C(3, k) times the digit k places before it.
///
/// The head that stays also carries the positions on to the next layer, where they are needed again.
/// The start is worth 0, so that nothing comes in from before the text.
pub(super) fn pascal() -> Preset {
    let class = Class {
        heads: 2,
        layers: LAYERS,
        width: 3,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::Causal,
        // As in the previous-token head: all other keys together get less than 1e-11.
        scale: Scale::Factor(256.0),
        residual: false,
    };
    let position = || matrix((3, 2), &[(1, 0, 1.0), (2, 1, 1.0)]);
    let (sin, cos) = (TAU * TURN).sin_cos();
    let stay = Head { wq: position(), wk: position(), wv: Array2::eye(3), wo: Array2::eye(3) };
    let look_back = Head {
        wq: matrix((3, 2), &[(1, 0, cos), (2, 0, sin), (1, 1, -sin), (2, 1, cos)]),
        wk: position(),
        wv: array![[1.0], [0.0], [0.0]],
        wo: array![[1.0, 0.0, 0.0]],
    };
    let layer = Layer { heads: vec![stay, look_back] };
    let digits = array![[0.0], [1.0]];
    let vocabulary = Vocabulary {
        tokens: ["^", "0", "1"].map(str::to_owned).to_vec(),
        embedding: beside(3, &[(1, Some(&after_zeros(digits))), (2, None)]),
        positions: Some(beside(LONGEST, &[(1, None), (2, Some(&circle(LONGEST, TURN)))])),
    };
    let counts = Array2::from_shape_fn((1 + (1 << LAYERS), 1), |(count, _)| count as f64);
    let words = (0..counts.nrows()).map(|count| count.to_string()).collect();
    Preset {
        id: "pascal",
        target: target(class, vec![layer; LAYERS], vocabulary),
        input: "010000",
        splitting: Splitting::Characters,
        start: Some("^"),
        longest: LONGEST,
        blocks: blocks(&[("count", 1), ("position", 2)]),
        readout: Readout::Nearest { columns: vec![0], points: points(words, &counts), within: 0.1 },
        explain: explain("pascal", LAYERS),
        twin: None,
    }
}
