//! From scores to attention: softmax, average-hard, left-most hard, with or without a causal mask.

use ndarray::{Array2, ArrayViewMut1};

use crate::{Attention, Mask};

/// How far apart, relative to the largest score of the row, two scores may be that hard attention takes
/// for equal.
///
/// Two transformers that compute the same scores in a different order differ in the last bits. Were ties
/// decided by those bits, equal tokens would tie in one and not in the other.
pub const TIE_TOLERANCE: f64 = 1e-10;

/// Turns scores (n×n, rows are queries, already scaled) into attention whose rows sum to 1.
///
/// Masked keys get exactly 0. For hard attention a key ties with the best one when its score is less by at
/// most [`TIE_TOLERANCE`] times the largest magnitude among the visible scores of the row.
pub fn attend(scores: Array2<f64>, attention: Attention, mask: Mask) -> Array2<f64> {
    attend_within(scores, attention, mask, TIE_TOLERANCE)
}

/// The same with a tie tolerance of one's own; 0 takes only scores for equal that are so to the last bit.
pub fn attend_within(
    mut scores: Array2<f64>,
    attention: Attention,
    mask: Mask,
    tie_tolerance: f64,
) -> Array2<f64> {
    let keys = scores.ncols();
    for (query, mut row) in scores.rows_mut().into_iter().enumerate() {
        let visible = match mask {
            Mask::None => keys,
            Mask::Causal => keys.min(query + 1),
        };
        let (mut seen, mut hidden) = row.view_mut().split_at(ndarray::Axis(0), visible);
        hidden.fill(0.0);
        match attention {
            Attention::Softmax => softmax(&mut seen),
            Attention::AverageHard => average_hard(&mut seen, tie_tolerance),
            Attention::LeftmostHard => leftmost_hard(&mut seen, tie_tolerance),
        }
    }
    scores
}

fn softmax(row: &mut ArrayViewMut1<f64>) {
    let max = maximum(row);
    // Subtracting the maximum leaves the result unchanged and keeps `exp` from overflowing.
    row.mapv_inplace(|score| (score - max).exp());
    let sum = row.sum();
    row.mapv_inplace(|share| share / sum);
}

fn average_hard(row: &mut ArrayViewMut1<f64>, tie_tolerance: f64) {
    let least = least_winning_score(row, tie_tolerance);
    let winners = row.iter().filter(|score| **score >= least).count() as f64;
    row.mapv_inplace(|score| if score >= least { 1.0 / winners } else { 0.0 });
}

fn leftmost_hard(row: &mut ArrayViewMut1<f64>, tie_tolerance: f64) {
    let least = least_winning_score(row, tie_tolerance);
    let winner = row.iter().position(|score| *score >= least);
    for (key, share) in row.iter_mut().enumerate() {
        *share = if Some(key) == winner { 1.0 } else { 0.0 };
    }
}

fn least_winning_score(row: &ArrayViewMut1<f64>, tie_tolerance: f64) -> f64 {
    let magnitude = row.iter().fold(0.0_f64, |largest, score| largest.max(score.abs()));
    maximum(row) - tie_tolerance * magnitude
}

fn maximum(row: &ArrayViewMut1<f64>) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
