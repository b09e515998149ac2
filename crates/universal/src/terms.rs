//! Terms: what stands in the nodes of a consumer's tree, in a target and in a universal transformer, and
//! what travels along each path.

use ndarray::{Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use transformer::{AttentionPath, Layer, Target, Trace, path_index, path_term, path_weight};

use crate::unfold::{Root, by_values, unfold_levels};
use crate::{Consumer, UniversalTransformer};

/// The tree of attention paths of a consumer: how much stands in each node, as Frobenius norms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Whose tree it is.
    pub consumer: Consumer,
    /// `nodes[t][i]`: the norm of the node after `t` layers whose remaining path is number `i` among the
    /// paths of length depth − t. The last level is the root.
    pub nodes: Vec<Vec<f64>>,
    /// `terms[i]`: the norm of the term that travels along path `i` and ends in the root.
    pub terms: Vec<f64>,
}

impl Tree {
    /// The tree of a consumer in a target; `trace` is that of the target.
    pub fn new(target: &Target, trace: &Trace, consumer: Consumer) -> Self {
        let class = target.class();
        let (depth, width) = (consumer.depth(class), consumer.width(class));
        let weight = consumer_weight(target, consumer);
        let mut terms = Vec::new();
        let values = |layer: &Layer| layer.heads.iter().map(|head| head.wvo()).collect();
        let walk = Walk {
            attention: &trace.attention,
            values: target.layers().iter().map(values).collect(),
            weight: &weight,
            depth,
            residual: class.residual,
        };
        walk.push_norms(0, &trace.states[0], &mut terms);
        let mut levels = unfold_levels(class, Root { depth, weight }, by_values(target));
        // Unfolding begins at the root, the last level.
        levels.reverse();
        let nodes = levels
            .iter()
            .zip(&trace.states)
            .map(|(weights, state)| norms_of_blocks(state.dot(weights).view(), width))
            .collect();
        Tree { consumer, nodes, terms }
    }
}

/// The matrix that a consumer reads a target's state with: Wq, Wk (d × d_h), or the identity (d × d).
pub fn consumer_weight(target: &Target, consumer: Consumer) -> Array2<f64> {
    match consumer {
        Consumer::Query { layer, head } => target.head(layer, head).wq.clone(),
        Consumer::Key { layer, head } => target.head(layer, head).wk.clone(),
        Consumer::Output => Array2::eye(target.class().width),
    }
}

/// The value of a node of a consumer's tree: `X[level] W_rest W_consumer` (n × d_h, or n × d for the output).
/// `trace` is that of the target. `None` when the tree has no such node.
pub fn node_value(
    target: &Target,
    trace: &Trace,
    consumer: Consumer,
    level: usize,
    rest: &AttentionPath,
) -> Option<Array2<f64>> {
    if !is_node(target, consumer, level, rest) {
        return None;
    }
    let weight = path_weight(target, rest, level).dot(&consumer_weight(target, consumer));
    Some(trace.states[level].dot(&weight))
}

/// The term of one path in what a consumer reads: `A[l,h_l] ⋯ A[1,h_1] X W_p W_consumer` (n × d_h, or n × d
/// for the output). The terms of all paths add up to the root. `None` when `path` is no leaf of the tree.
pub fn leaf_term(
    target: &Target,
    trace: &Trace,
    consumer: Consumer,
    path: &AttentionPath,
) -> Option<Array2<f64>> {
    is_node(target, consumer, 0, path)
        .then(|| path_term(target, trace, path).dot(&consumer_weight(target, consumer)))
}

impl UniversalTransformer {
    /// The same as [`node_value`], read from a state of this universal transformer, whose `trace` it is: the
    /// node's slot where it has one, and `Z[level] P_rest R` with random weights, R being Rq, Rk or U.
    pub fn node_value(
        &self,
        trace: &Trace,
        consumer: Consumer,
        level: usize,
        rest: &AttentionPath,
    ) -> Option<Array2<f64>> {
        if let Some(layout) = self.layout() {
            let slot = layout.node(consumer, level, rest)?;
            let state = trace.states.get(level)?;
            return Some(state.slice(s![.., slot.offset..slot.offset + slot.width]).to_owned());
        }
        if level + rest.0.len() != consumer.depth(self.class()) {
            return None;
        }
        path_index(self.class(), rest)?;
        let mut state = trace.states.get(level)?.clone();
        for (place, step) in rest.0.iter().enumerate() {
            if let Some(head) = step.checked_sub(1) {
                state = self.head(level + place, head as usize).value.apply(state.view());
            }
        }
        Some(self.projection(consumer).apply(state.view()))
    }
}

/// What the term of a path is made of on its way to a consumer.
struct Walk<'a> {
    attention: &'a [Vec<Array2<f64>>],
    /// Wvo, `[layer][head]`.
    values: Vec<Vec<Array2<f64>>>,
    /// The weight of the consumer.
    weight: &'a Array2<f64>,
    depth: usize,
    residual: bool,
}

impl Walk<'_> {
    /// Pushes the norms of the terms of all paths that begin with one whose term so far is `term`, in their
    /// order. Depth first, because all terms together may be more than memory holds.
    fn push_norms(&self, layer: usize, term: &Array2<f64>, norms: &mut Vec<f64>) {
        if layer == self.depth {
            norms.push(norm(term.dot(self.weight).view()));
            return;
        }
        // The skip, where there is one, is the first step.
        if self.residual {
            self.push_norms(layer + 1, term, norms);
        }
        for (value, attention) in self.values[layer].iter().zip(&self.attention[layer]) {
            self.push_norms(layer + 1, &attention.dot(term).dot(value), norms);
        }
    }
}

fn is_node(target: &Target, consumer: Consumer, level: usize, rest: &AttentionPath) -> bool {
    level + rest.0.len() == consumer.depth(target.class()) && path_index(target.class(), rest).is_some()
}

fn norms_of_blocks(matrix: ArrayView2<f64>, width: usize) -> Vec<f64> {
    matrix.axis_chunks_iter(Axis(1), width).map(norm).collect()
}

fn norm(matrix: ArrayView2<f64>) -> f64 {
    matrix.iter().map(|value| value * value).sum::<f64>().sqrt()
}
