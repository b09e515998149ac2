//! What the presets share: matrices written as lists of entries, letters on a circle, positions on a circle.

use ndarray::{Array2, concatenate};
use std::f64::consts::TAU;

use crate::{Class, Head, Layer, Target, Vocabulary};

/// A matrix of zeros except for `entries`: (row, column, value).
pub(super) fn matrix(shape: (usize, usize), entries: &[(usize, usize, f64)]) -> Array2<f64> {
    let mut matrix = Array2::zeros(shape);
    for (row, column, value) in entries {
        matrix[[*row, *column]] = *value;
    }
    matrix
}

/// A layer with a single head.
pub(super) fn single(head: Head) -> Layer {
    Layer { heads: vec![head] }
}

/// The target of a preset.
///
/// # Panics
/// When the weights do not fit the class, which is a mistake in this folder that its tests find.
pub(super) fn target(class: Class, layers: Vec<Layer>, vocabulary: Vocabulary) -> Target {
    Target::new(class, layers, Some(vocabulary)).expect("weights written by hand fit their class")
}

/// `a` to `z`.
pub(super) fn letters() -> Vec<String> {
    ('a'..='z').map(String::from).collect()
}

/// `count` unit vectors (count × 2), `turn` of a full circle apart, the first at (1, 0).
///
/// The dot product of two of them is the cosine of their angle: 1 for equals, less for all others.
pub(super) fn circle(count: usize, turn: f64) -> Array2<f64> {
    Array2::from_shape_fn((count, 2), |(k, axis)| {
        let angle = TAU * turn * k as f64;
        if axis == 0 { angle.cos() } else { angle.sin() }
    })
}

/// The letters as 26 points of a full circle (26 × 2).
pub(super) fn letter_circle() -> Array2<f64> {
    circle(26, 1.0 / 26.0)
}

/// Points named by `words`, one for each row.
pub(super) fn points(words: Vec<String>, rows: &Array2<f64>) -> Vec<(String, Vec<f64>)> {
    words.into_iter().zip(rows.rows().into_iter().map(|row| row.to_vec())).collect()
}

/// Blocks of columns side by side; `None` stands for that many columns of zeros.
pub(super) fn beside(rows: usize, blocks: &[(usize, Option<&Array2<f64>>)]) -> Array2<f64> {
    let columns = blocks.iter().map(|(width, _)| width).sum();
    let mut all = Array2::zeros((rows, columns));
    let mut start = 0;
    for (width, block) in blocks {
        if let Some(block) = block {
            all.slice_mut(ndarray::s![.., start..start + width]).assign(block);
        }
        start += width;
    }
    all
}

/// `rows` with a row of zeros before them, for the start token or its position.
pub(super) fn after_zeros(rows: Array2<f64>) -> Array2<f64> {
    let zeros = Array2::zeros((1, rows.ncols()));
    concatenate![ndarray::Axis(0), zeros, rows]
}
