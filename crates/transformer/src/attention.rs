//! From scores to attention: softmax, average-hard, left-most hard, with or without a causal mask.

use ndarray::{Array2, ArrayViewMut1};

use crate::{Attention, Mask};

/// Turns scores (n×n, rows are queries, already scaled) into attention whose rows sum to 1.
///
/// Masked keys get exactly 0. Ties of hard attention are ties of the exact f64 scores.
pub fn attend(mut scores: Array2<f64>, attention: Attention, mask: Mask) -> Array2<f64> {
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
            Attention::AverageHard => average_hard(&mut seen),
            Attention::LeftmostHard => leftmost_hard(&mut seen),
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

fn average_hard(row: &mut ArrayViewMut1<f64>) {
    let max = maximum(row);
    let winners = row.iter().filter(|score| **score == max).count() as f64;
    row.mapv_inplace(|score| if score == max { 1.0 / winners } else { 0.0 });
}

fn leftmost_hard(row: &mut ArrayViewMut1<f64>) {
    let max = maximum(row);
    let winner = row.iter().position(|score| *score == max);
    for (key, share) in row.iter_mut().enumerate() {
        *share = if Some(key) == winner { 1.0 } else { 0.0 };
    }
}

fn maximum(row: &ArrayViewMut1<f64>) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
