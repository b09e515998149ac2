//! The induction head: two layers that continue what they have seen before.
//!
//! States: `token` (2, letters on a circle), `position` (2, places on a half circle), `previous` (2),
//! `next` (2).

use std::f64::consts::TAU;

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{after_zeros, beside, circle, letter_circle, letters, matrix, points, single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 12;
/// Half a circle for twelve places: the farther back, the smaller the cosine.
const TURN: f64 = 1.0 / 24.0;
const WIDTH: usize = 8;
const HEAD_WIDTH: usize = 4;

/// Every position whose letter has occurred before says the letter that followed the last time;
/// the others say `·`.
///
/// Layer 1 copies the letter before into `previous`. Layer 2 looks for the last place whose
/// `previous` is the own letter, copies the letter that stands there into `next`, and subtracts the
/// `previous` that it found from `token`: where it found the own letter, nothing is left, and where
/// nothing is left the letter in `next` is an answer.
pub(super) fn induction() -> Preset {
    let class = Class {
        heads: 1,
        layers: 2,
        width: WIDTH,
        head_width: HEAD_WIDTH,
        attention: Attention::LeftmostHard,
        mask: Mask::Causal,
        scale: Scale::Factor(1.0),
        residual: true,
    };
    let tokens: Vec<String> = std::iter::once("^".to_owned()).chain(letters()).collect();
    let vocabulary = Vocabulary {
        embedding: beside(tokens.len(), &[(2, Some(&after_zeros(letter_circle()))), (6, None)]),
        tokens,
        positions: Some(beside(LONGEST, &[(2, None), (2, Some(&circle(LONGEST, TURN))), (4, None)])),
    };
    let answers = beside(26, &[(2, None), (2, Some(&letter_circle()))]);
    Preset {
        id: "induction",
        target: target(class, vec![single(look_back()), single(match_and_copy())], vocabulary),
        input: "abracadabra",
        splitting: Splitting::Characters,
        start: Some("^"),
        longest: LONGEST,
        blocks: blocks(&[("token", 2), ("position", 2), ("previous", 2), ("next", 2)]),
        readout: Readout::Nearest {
            columns: vec![0, 1, 6, 7],
            points: points(letters(), &answers),
            within: 0.1,
        },
        explain: explain("induction", 2),
        twin: None,
    }
}

/// Layer 1: the query is the own position turned back by one place.
fn look_back() -> Head {
    let (sin, cos) = (TAU * TURN).sin_cos();
    let turn = |x: f64| PLACE * x;
    Head {
        wq: matrix(
            (WIDTH, HEAD_WIDTH),
            &[(2, 2, turn(cos)), (3, 2, turn(sin)), (2, 3, turn(-sin)), (3, 3, turn(cos))],
        ),
        wk: matrix((WIDTH, HEAD_WIDTH), &[(2, 2, PLACE), (3, 3, PLACE)]),
        wv: matrix((WIDTH, 2), &[(0, 0, 1.0), (1, 1, 1.0)]),
        wo: matrix((2, WIDTH), &[(0, 4, 1.0), (1, 5, 1.0)]),
    }
}

/// Layer 2: the score is 64² times the cosine of own letter and `previous`, plus 4² times that of
/// the positions. The first differs by at least 119 between a match and the best other letter, the
/// second by at most 32 in all, and by at least 0.5 between neighbouring places.
fn match_and_copy() -> Head {
    Head {
        wq: matrix((WIDTH, HEAD_WIDTH), &[(0, 0, LETTER), (1, 1, LETTER), (2, 2, PLACE), (3, 3, PLACE)]),
        wk: matrix((WIDTH, HEAD_WIDTH), &[(4, 0, LETTER), (5, 1, LETTER), (2, 2, PLACE), (3, 3, PLACE)]),
        wv: matrix((WIDTH, 4), &[(0, 0, 1.0), (1, 1, 1.0), (4, 2, 1.0), (5, 3, 1.0)]),
        wo: matrix((4, WIDTH), &[(0, 6, 1.0), (1, 7, 1.0), (2, 0, -1.0), (3, 1, -1.0)]),
    }
}

const LETTER: f64 = 64.0;
const PLACE: f64 = 4.0;
