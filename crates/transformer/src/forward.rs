//! The forward pass of a target, with everything that happens on the way.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::target::expect_finite;
use crate::{Error, Target, attend};

/// Everything that a forward pass computes. The same for targets (states n × d) and for universal
/// transformers (states n × m).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Scaled scores, `[layer][head]`, n × n, before the mask.
    pub scores: Vec<Vec<Array2<f64>>>,
    /// Attention, `[layer][head]`, n × n.
    pub attention: Vec<Vec<Array2<f64>>>,
    /// States: the input of the first layer, then the output of every layer; L + 1 of them.
    pub states: Vec<Array2<f64>>,
    /// What comes out: the last state of a target, the unembedded last state of a universal one; n × d.
    pub output: Array2<f64>,
}

/// Runs `target` on `x` (n × d), by the formulas of the class:
///
/// ```text
/// A[l,h] = attend( X[l-1] Wq[l,h] (X[l-1] Wk[l,h])ᵀ · scale + mask )
/// X[l]   = Σ_h A[l,h] X[l-1] Wvo[l,h]   (+ X[l-1] with residual connections)
/// ```
///
/// # Errors
/// When `x` is empty, is not d wide or holds a number that is not finite.
pub fn forward(target: &Target, x: ArrayView2<f64>) -> Result<Trace, Error> {
    let class = target.class();
    check_input(x, class.width)?;
    let mut trace = Trace {
        scores: Vec::new(),
        attention: Vec::new(),
        states: vec![x.to_owned()],
        output: Array2::zeros((0, 0)),
    };
    let mut state = x.to_owned();
    for layer in target.layers() {
        let mut next = if class.residual { state.clone() } else { Array2::zeros(state.dim()) };
        let (mut scores, mut attention) = (Vec::new(), Vec::new());
        for head in &layer.heads {
            let raw = state.dot(&head.wq).dot(&state.dot(&head.wk).t()) * class.score_factor();
            let shares = attend(raw.clone(), class.attention, class.mask);
            next += &shares.dot(&state.dot(&head.wv).dot(&head.wo));
            scores.push(raw);
            attention.push(shares);
        }
        trace.scores.push(scores);
        trace.attention.push(attention);
        trace.states.push(next.clone());
        state = next;
    }
    trace.output = state;
    Ok(trace)
}

/// Whether `x` can be the input of a transformer that reads rows of `width` numbers.
///
/// # Errors
/// When `x` is empty, is not `width` wide or holds a number that is not finite.
pub fn check_input(x: ArrayView2<f64>, width: usize) -> Result<(), Error> {
    if x.nrows() == 0 {
        return Err(Error::EmptyInput);
    }
    if x.ncols() != width {
        return Err(Error::Shape {
            name: "input".to_owned(),
            found: x.dim(),
            expected: format!("n×{width}"),
        });
    }
    expect_finite("input", x)
}
