//! Sorting in two layers of attention, without feed-forward layers: a counting sort.
//!
//! Position r of the sorted text holds the digit k for which N(k−1) < r − ½ < N(k), where N(k) is how
//! many digits are at most k. That k is the maximum of the concave function
//! f(k) = k (r − ½) − Σ_{k'<k} N(k'): from k to k + 1 it changes by (r − ½) − N(k).
//!
//! States: `token` (4, one-hot), `rank` (1, ln(r − ½)), `score` (3: f(2), f(3), f(4) less f(1)).

use ndarray::{Array1, Array2};

use crate::{Attention, Class, Head, Mask, Scale, Vocabulary};

use super::weights::{after_zeros, beside, single, target};
use super::{Preset, Readout, Splitting, blocks, explain};

const LONGEST: usize = 12;
const DIGITS: usize = 4;
const RANK: usize = DIGITS;
const SCORE: usize = DIGITS + 1;
const WIDTH: usize = SCORE + DIGITS - 1;
const HEAD_WIDTH: usize = DIGITS;

/// Position r says the r-th smallest digit of the text; digits are 1 to 4.
///
/// Layer 1 gives the start the weight (r − ½) and every digit the weight 1, because the query is
/// ln(r − ½) and the key −1 for digits, 0 for the start. With u = 1 / (r − ½ + n) the weights are
/// (r − ½) u and u, so u f(k) is a weighted sum over the text. Layer 2 attends to the digits with the
/// largest u f(k): neighbours differ by at least u/2 ≥ 1/43, and 512 times that is sharp enough.
pub(super) fn sorting() -> Preset {
    let class = Class {
        heads: 1,
        layers: 2,
        width: WIDTH,
        head_width: HEAD_WIDTH,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::Factor(1.0),
        residual: true,
    };
    Preset {
        id: "sorting",
        target: target(class, vec![single(score()), single(choose())], vocabulary()),
        input: "3142231",
        splitting: Splitting::Characters,
        start: Some("^"),
        longest: LONGEST,
        blocks: blocks(&[("token", DIGITS), ("rank", 1), ("score", DIGITS - 1)]),
        readout: readout(),
        explain: explain("sorting", 2),
        twin: None,
    }
}

/// Layer 1. A digit j gives to f(k) − f(1) what N says, −max(0, k − j), and −(k − 1) for the start:
/// all weights add up to 1, so the share of the start is what the digits leave, and the missing
/// k − 1 is a constant that layer 2 adds.
fn score() -> Head {
    let mut wq = Array2::zeros((WIDTH, HEAD_WIDTH));
    wq[[RANK, 0]] = 1.0;
    let mut wk = Array2::zeros((WIDTH, HEAD_WIDTH));
    let mut wv = Array2::zeros((WIDTH, DIGITS - 1));
    for digit in 1..=DIGITS {
        wk[[digit - 1, 0]] = -1.0;
        for k in 2..=DIGITS {
            wv[[digit - 1, k - 2]] = -(k.saturating_sub(digit) as f64) - (k - 1) as f64;
        }
    }
    let wo = Array2::from_shape_fn((DIGITS - 1, WIDTH), |(k, column)| f64::from(column == SCORE + k));
    Head { wq, wk, wv, wo }
}

/// Layer 2. The query is u (f(k) − f(1)), the key the digit: their product is the score of the digit.
/// The last coordinate lifts all digits above the start, whose own score would be that of a 1.
fn choose() -> Head {
    const SHARPNESS: f64 = 512.0;
    const LIFT: f64 = 64.0;
    let mut wq = Array2::zeros((WIDTH, HEAD_WIDTH));
    let mut wk = Array2::zeros((WIDTH, HEAD_WIDTH));
    for digit in 1..=DIGITS {
        wq[[digit - 1, DIGITS - 1]] = LIFT;
        wk[[digit - 1, DIGITS - 1]] = 1.0;
    }
    for k in 2..=DIGITS {
        wq[[SCORE + k - 2, k - 2]] = SHARPNESS;
        for digit in 1..=DIGITS {
            wq[[digit - 1, k - 2]] = SHARPNESS * (k - 1) as f64;
        }
        wk[[k - 1, k - 2]] = 1.0;
    }
    let token = Array2::from_shape_fn((WIDTH, DIGITS), |(row, digit)| f64::from(row == digit));
    // Twice, to outvote the digit that stands there already.
    let wo = 2.0 * &token.t();
    Head { wq, wk, wv: token, wo }
}

fn vocabulary() -> Vocabulary {
    let ranks = Array2::from_shape_fn((LONGEST - 1, 1), |(rank, _)| (rank as f64 + 0.5).ln());
    let digits = (1..=DIGITS).map(|digit| digit.to_string());
    Vocabulary {
        tokens: std::iter::once("^".to_owned()).chain(digits).collect(),
        embedding: beside(
            DIGITS + 1,
            &[(DIGITS, Some(&after_zeros(Array2::eye(DIGITS)))), (1, None), (DIGITS - 1, None)],
        ),
        positions: Some(beside(
            LONGEST,
            &[(DIGITS, None), (1, Some(&after_zeros(ranks))), (DIGITS - 1, None)],
        )),
    }
}

/// The largest of the four, or `^` for the start: its row holds 2 in all, that of a digit 3.
fn readout() -> Readout {
    let words = (1..=DIGITS).map(|digit| digit.to_string()).chain(std::iter::once("^".to_owned()));
    let weights = Array2::from_shape_fn((WIDTH, DIGITS + 1), |(row, word)| match word {
        DIGITS if row < DIGITS => -10.0,
        _ => f64::from(row == word && row < DIGITS),
    });
    let mut bias = Array1::zeros(DIGITS + 1);
    bias[DIGITS] = 30.0;
    Readout::Scores { words: words.collect(), weights, bias }
}
