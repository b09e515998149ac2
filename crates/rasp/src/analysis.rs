//! How many layers and heads a transformer needs for a program, counted from the program.
//!
//! Every aggregate is done by an attention head, in the first layer that has all that it needs. The
//! heads of a layer are the different selectors that its aggregates use; one head may carry several
//! aggregates. Elementwise work belongs to the feed-forward part and adds no layer.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, NodeId, Primitive};

/// Layers and heads of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The number of heads in each layer, each selector counted as often as it is written or made
    /// by a call: this is the count of the original language.
    pub heads_per_layer: Vec<usize>,
    /// The layers, with selectors that are the same by their construction counted once. That is
    /// sound: they select the same positions for every input.
    pub layers: Vec<Layer>,
}

impl Analysis {
    /// The number of attention layers.
    pub fn depth(&self) -> usize {
        self.heads_per_layer.len()
    }

    /// The largest number of heads in a layer, as written.
    pub fn width(&self) -> usize {
        self.heads_per_layer.iter().copied().max().unwrap_or(0)
    }

    /// The largest number of heads in a layer, equal selectors counted once.
    pub fn merged_width(&self) -> usize {
        self.layers.iter().map(|layer| layer.heads.len()).max().unwrap_or(0)
    }

    /// The number of heads in each layer, equal selectors counted once.
    pub fn merged_heads_per_layer(&self) -> Vec<usize> {
        self.layers.iter().map(|layer| layer.heads.len()).collect()
    }
}

/// One layer. All its heads can run side by side; its elementwise steps follow them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// The heads.
    pub heads: Vec<Head>,
    /// The steps of the feed-forward part.
    pub elementwise: Vec<usize>,
}

/// A selector and what is fetched through it in one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The step of the selector.
    pub selector: usize,
    /// The aggregate steps.
    pub aggregates: Vec<usize>,
}

/// Counts the layers and heads that the roots need.
pub(crate) fn analyse(graph: &Graph, roots: &[NodeId], step_of: &HashMap<NodeId, usize>) -> Analysis {
    let written = graph.written_order(roots);
    let depth = written
        .iter()
        .map(|id| graph.node(*id))
        // A selector that nothing is fetched through needs no layer yet.
        .filter(|node| !node.primitive.is_selector())
        .map(|node| node.layer as usize)
        .max()
        .unwrap_or(0);
    let mut selectors: Vec<BTreeSet<NodeId>> = vec![BTreeSet::new(); depth];
    for id in &written {
        let node = graph.node(*id);
        if let (Primitive::Aggregate { .. }, Some(selector)) = (&node.primitive, node.operands.first()) {
            selectors[node.layer as usize - 1].insert(*selector);
        }
    }
    let mut layers = vec![Layer::default(); depth];
    for id in graph.canonical_order(roots) {
        let node = graph.node(id);
        let at = node.layer as usize;
        if at == 0 || node.primitive.is_selector() {
            continue;
        }
        let layer = &mut layers[at - 1];
        let step = step_of[&id];
        let selector = match (&node.primitive, node.operands.first()) {
            (Primitive::Aggregate { .. }, Some(selector)) => step_of[&graph.node(*selector).canonical],
            _ => {
                layer.elementwise.push(step);
                continue;
            }
        };
        match layer.heads.iter_mut().find(|head| head.selector == selector) {
            Some(head) => head.aggregates.push(step),
            None => layer.heads.push(Head { selector, aggregates: vec![step] }),
        }
    }
    Analysis { heads_per_layer: selectors.iter().map(BTreeSet::len).collect(), layers }
}
