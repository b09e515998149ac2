//! Two heads that look at a place: the previous token, the first token. One class, the same
//! embedding, other queries.
//!
//! States: `token` (2, letters on a circle), `position` (2, places on another circle), `constant` (1).

use ndarray::Array2;
use std::f64::consts::TAU;

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{beside, circle, letter_circle, letters, matrix, points, single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 12;
/// One more place on the circle than there are positions, so that the last is not next to the first.
const TURN: f64 = 1.0 / 13.0;

/// Every position says the token before it; the first, which has none, says itself.
///
/// The query is the own position turned back by one place, the key is the position: the score is
/// the cosine of the angle between them, largest at the place before.
pub(super) fn previous_token() -> Preset {
    let (sin, cos) = (TAU * TURN).sin_cos();
    preset("previous-token", matrix((5, 2), &[(2, 0, cos), (3, 0, sin), (2, 1, -sin), (3, 1, cos)]))
}

/// Every position says the first token of the text.
///
/// The query is the constant, which asks for the first place whatever the own position is.
pub(super) fn first_token() -> Preset {
    preset("first-token", matrix((5, 2), &[(4, 0, 1.0)]))
}

fn preset(id: &'static str, wq: Array2<f64>) -> Preset {
    let class = Class {
        heads: 1,
        layers: 1,
        width: 5,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::Causal,
        // Neighbouring places differ by 0.11 in their cosine: other keys together get less than 1e-11.
        scale: Scale::Factor(256.0),
        residual: false,
    };
    let head = Head {
        wq,
        wk: matrix((5, 2), &[(2, 0, 1.0), (3, 1, 1.0)]),
        wv: matrix((5, 2), &[(0, 0, 1.0), (1, 1, 1.0)]),
        wo: matrix((2, 5), &[(0, 0, 1.0), (1, 1, 1.0)]),
    };
    let constant = Array2::ones((LONGEST, 1));
    let vocabulary = Vocabulary {
        tokens: letters(),
        embedding: beside(26, &[(2, Some(&letter_circle())), (3, None)]),
        positions: Some(beside(
            LONGEST,
            &[(2, None), (2, Some(&circle(LONGEST, TURN))), (1, Some(&constant))],
        )),
    };
    Preset {
        id,
        target: target(class, vec![single(head)], vocabulary),
        input: "pianola",
        splitting: Splitting::Characters,
        start: None,
        longest: LONGEST,
        blocks: blocks(&[("token", 2), ("position", 2), ("constant", 1)]),
        readout: Readout::Nearest {
            columns: vec![0, 1],
            points: points(letters(), &letter_circle()),
            within: 0.1,
        },
        explain: explain(id, 1),
        twin: None,
    }
}
