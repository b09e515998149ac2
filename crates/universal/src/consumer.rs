//! Consumers: whatever reads a state. Each owns a tree of attention paths.

use serde::{Deserialize, Serialize};
use transformer::Class;

/// What reads the state `X[l]` of a target: the query or the key of a head of the layer after it, or,
/// after the last layer, the output. Layers and heads count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Consumer {
    /// The query of a head.
    Query {
        /// Its layer, from 0.
        layer: usize,
        /// Its head, from 0.
        head: usize,
    },
    /// The key of a head.
    Key {
        /// Its layer, from 0.
        layer: usize,
        /// Its head, from 0.
        head: usize,
    },
    /// The output of the transformer.
    Output,
}

/// A consumer without its layer: in the looped construction the consumers of all layers share one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// The queries of a head in all layers.
    Query {
        /// The head, from 0.
        head: usize,
    },
    /// The keys of a head in all layers.
    Key {
        /// The head, from 0.
        head: usize,
    },
    /// The output.
    Output,
}

impl Consumer {
    /// The consumers of a class in the order of the columns of a sparse program: layer by layer, first
    /// the queries and then the keys of its heads; the output last.
    pub fn all(class: &Class) -> Vec<Consumer> {
        let heads = class.heads;
        let of_layer = |layer| {
            let queries = (0..heads).map(move |head| Consumer::Query { layer, head });
            queries.chain((0..heads).map(move |head| Consumer::Key { layer, head }))
        };
        (0..class.layers).flat_map(of_layer).chain([Consumer::Output]).collect()
    }

    /// The l of the state `X[l]` that it reads, which is the depth of its tree.
    pub fn depth(self, class: &Class) -> usize {
        match self {
            Consumer::Query { layer, .. } | Consumer::Key { layer, .. } => layer,
            Consumer::Output => class.layers,
        }
    }

    /// The number of columns that it reads: d_h, or d for the output.
    pub fn width(self, class: &Class) -> usize {
        self.role().width(class)
    }

    /// Itself without its layer.
    pub fn role(self) -> Role {
        match self {
            Consumer::Query { head, .. } => Role::Query { head },
            Consumer::Key { head, .. } => Role::Key { head },
            Consumer::Output => Role::Output,
        }
    }
}

impl Role {
    /// The roles of a class in the order of the columns of a looped program: the queries of all heads,
    /// the keys of all heads, the output.
    pub fn all(class: &Class) -> Vec<Role> {
        let queries = (0..class.heads).map(|head| Role::Query { head });
        let keys = (0..class.heads).map(|head| Role::Key { head });
        queries.chain(keys).chain([Role::Output]).collect()
    }

    /// The number of columns of each of its nodes: d_h, or d for the output.
    pub fn width(self, class: &Class) -> usize {
        match self {
            Role::Query { .. } | Role::Key { .. } => class.head_width,
            Role::Output => class.width,
        }
    }

    /// The consumer of this role that reads `X[layer]`; the output reads every state in a looped
    /// construction, and is one consumer.
    pub fn at_layer(self, layer: usize) -> Consumer {
        match self {
            Role::Query { head } => Consumer::Query { layer, head },
            Role::Key { head } => Consumer::Key { layer, head },
            Role::Output => Consumer::Output,
        }
    }
}

impl std::fmt::Display for Consumer {
    /// `q1,2` is the query of head 2 of layer 1, `k1,2` its key, `out` the output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Consumer::Query { layer, head } => write!(f, "q{},{}", layer + 1, head + 1),
            Consumer::Key { layer, head } => write!(f, "k{},{}", layer + 1, head + 1),
            Consumer::Output => write!(f, "out"),
        }
    }
}

impl std::fmt::Display for Role {
    /// `q2` is the query of head 2 in every layer, `k2` its key, `out` the output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Role::Query { head } => write!(f, "q{}", head + 1),
            Role::Key { head } => write!(f, "k{}", head + 1),
            Role::Output => write!(f, "out"),
        }
    }
}
