//! The proof: a universal transformer and a target side by side, number by number.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use transformer::{AttentionPath, Target, Trace};

use crate::{Consumer, Solve, UniversalTransformer, consumer_weight};

/// How far a universal transformer is from the target that it plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// The largest difference of the outputs.
    pub output: f64,
    /// The largest difference of attention, `[layer][head]`.
    pub attention: Vec<Vec<f64>>,
    /// For each of the L + 1 states the largest difference in what its consumers read of it: `X[l] Wq` and
    /// `X[l] Wk` of the next layer, and `X[L]` at last.
    pub states: Vec<f64>,
    /// The largest of all these differences.
    pub largest: f64,
    /// Up to here a difference is rounding.
    pub rounding: f64,
    /// Up to here a difference is what rounding can become on the way through scores and a linear solve;
    /// at least `rounding`.
    pub tolerance: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// The verdict of a [`Proof`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Equal up to rounding.
    Exact,
    /// Equal up to what rounding can become.
    WithinTolerance,
    /// Different.
    Broken,
    /// A number is NaN or infinite, so nothing is proved.
    NotFinite,
}

impl Proof {
    /// Compares what a target and a universal transformer made of the same input. `solve` is how the
    /// program of a random construction was found.
    pub fn new(
        target: &Target,
        target_trace: &Trace,
        universal: &UniversalTransformer,
        universal_trace: &Trace,
        solve: Option<&Solve>,
    ) -> Self {
        let output = difference(target_trace.output.view(), universal_trace.output.view());
        let attention: Vec<Vec<f64>> = target_trace
            .attention
            .iter()
            .zip(&universal_trace.attention)
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| difference(a.view(), b.view())).collect())
            .collect();
        let states: Vec<f64> = (0..=target.class().layers)
            .map(|layer| state_difference(target, target_trace, universal, universal_trace, layer))
            .collect();
        let all = attention.iter().flatten().chain(&states).chain([&output]);
        let largest = all.fold(0.0, |largest, difference| larger(largest, *difference));
        let rounding = ROUNDING * (1.0 + largest_magnitude(target_trace.states.iter()));
        let tolerance =
            rounding * (1.0 + largest_magnitude(target_trace.scores.iter().flatten())) * amplification(solve);
        let verdict = if !(largest.is_finite() && tolerance.is_finite()) {
            Verdict::NotFinite
        } else if largest <= rounding {
            Verdict::Exact
        } else if largest <= tolerance {
            Verdict::WithinTolerance
        } else {
            Verdict::Broken
        };
        Proof { output, attention, states, largest, rounding, tolerance, verdict }
    }
}

/// Relative rounding of sums of up to some thousands of products of f64.
const ROUNDING: f64 = 1e-12;

/// A condition number beyond this promises nothing that a person would call equal.
const WORST_CONDITION: f64 = 1e6;

/// A relative residual beyond this means that the equations have no solution.
const LARGEST_RESIDUAL: f64 = 1e-10;

/// How much a linear solve can magnify rounding: by the condition number of the equations. When they have
/// no solution there is nothing that the program could be near to.
fn amplification(solve: Option<&Solve>) -> f64 {
    match solve {
        Some(solve) if solve.residual <= LARGEST_RESIDUAL => solve.condition.clamp(1.0, WORST_CONDITION),
        _ => 1.0,
    }
}

fn state_difference(
    target: &Target,
    target_trace: &Trace,
    universal: &UniversalTransformer,
    universal_trace: &Trace,
    layer: usize,
) -> f64 {
    let class = target.class();
    let root = AttentionPath(Vec::new());
    Consumer::all(class)
        .into_iter()
        .filter(|consumer| consumer.depth(class) == layer)
        .filter_map(|consumer| {
            let read = universal.node_value(universal_trace, consumer, layer, &root)?;
            let expected = target_trace.states[layer].dot(&consumer_weight(target, consumer));
            Some(difference(expected.view(), read.view()))
        })
        .fold(0.0, larger)
}

/// The largest difference of two matrices, NaN when there is one that is not a number.
fn difference(a: ArrayView2<f64>, b: ArrayView2<f64>) -> f64 {
    a.iter().zip(b.iter()).fold(0.0, |largest, (a, b)| larger(largest, (a - b).abs()))
}

fn largest_magnitude<'a>(matrices: impl Iterator<Item = &'a Array2<f64>>) -> f64 {
    matrices.flat_map(|matrix| matrix.iter()).fold(0.0, |largest, value| larger(largest, value.abs()))
}

/// The larger of two numbers; unlike [`f64::max`] it keeps NaN, which must not pass for agreement.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
