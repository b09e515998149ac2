//! Attention paths: one head for each layer, and the term of the output that travels along it.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::{Class, Target, Trace};

/// A path p = (h_1 … h_l) through the first l layers.
///
/// A step is a head, counted from 1 as in the mathematics; 0 is the skip of a residual class.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AttentionPath(pub Vec<u8>);

/// All paths of a given length, the first step slowest: the order of the blocks in `E`.
pub fn paths_of_length(class: &Class, length: usize) -> impl Iterator<Item = AttentionPath> + use<> {
    let class = *class;
    (0..class.steps().0.pow(length as u32)).map(move |index| path_at(&class, length, index))
}

/// The path at `index` among all paths of `length`: the inverse of [`path_index`].
pub fn path_at(class: &Class, length: usize, mut index: usize) -> AttentionPath {
    let (base, first) = class.steps();
    let mut steps = vec![0; length];
    for step in steps.iter_mut().rev() {
        *step = (index % base + first) as u8;
        index /= base;
    }
    AttentionPath(steps)
}

/// Where `path` stands among all paths of its length, its first step being the high digit; `None`
/// when a step is not one of the class or the index does not fit.
pub fn path_index(class: &Class, path: &AttentionPath) -> Option<usize> {
    let (base, first) = class.steps();
    path.0.iter().try_fold(0_usize, |index, step| {
        let digit = (*step as usize).checked_sub(first).filter(|digit| *digit < base)?;
        index.checked_mul(base)?.checked_add(digit)
    })
}

/// `W_p = Wvo[1,h_1] ⋯ Wvo[l,h_l]` (d × d), a skip being the identity. `first_layer` (from 0) is the
/// layer of the first step, so that the same function serves the rest of a path that has begun.
pub fn path_weight(target: &Target, path: &AttentionPath, first_layer: usize) -> Array2<f64> {
    let mut weight = Array2::eye(target.class().width);
    for (place, step) in path.0.iter().enumerate() {
        if let Some(head) = step.checked_sub(1) {
            let head = target.head(first_layer + place, head as usize);
            weight = weight.dot(&head.wv).dot(&head.wo);
        }
    }
    weight
}

/// The term `A[l,h_l] ⋯ A[1,h_1] X W_p` of `X[l]` (n × d). The terms of all paths add up to `X[l]`.
pub fn path_term(target: &Target, trace: &Trace, path: &AttentionPath) -> Array2<f64> {
    let mut term = trace.states[0].clone();
    for (layer, step) in path.0.iter().enumerate() {
        if let Some(head) = step.checked_sub(1) {
            term = trace.attention[layer][head as usize].dot(&term);
        }
    }
    term.dot(&path_weight(target, path, 0))
}

impl Class {
    /// How many ways there are through one layer, and the number of the first of them: heads 1 … H,
    /// and before them the skip 0 when the class has residual connections.
    pub fn steps(&self) -> (usize, usize) {
        if self.residual { (self.heads + 1, 0) } else { (self.heads, 1) }
    }
}

impl std::fmt::Display for AttentionPath {
    /// `1·2`, or `–` for the empty path.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return write!(f, "–");
        }
        let steps: Vec<String> = self.0.iter().map(u8::to_string).collect();
        write!(f, "{}", steps.join("·"))
    }
}
