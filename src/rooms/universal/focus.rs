//! Linked looking: what a person points at, and everything that belongs to it in every panel.
//! Pure, so that it can be tested without a browser.

use std::collections::BTreeSet;

use transformer::{AttentionPath, Class, HeadMatrix, path_index};
use universal::Consumer;

/// What a person points at. Everything counts from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Focus {
    /// An entry of an attention matrix, on either side.
    Attention {
        /// Layer.
        layer: usize,
        /// Head.
        head: usize,
        /// Row.
        query: usize,
        /// Column.
        key: usize,
    },
    /// An entry of a state X[level] of the target; level 0 is the input, the last one the output.
    State {
        /// How many layers have worked on it.
        level: usize,
        /// Token.
        row: usize,
        /// Coordinate.
        column: usize,
    },
    /// A node of a tree: a block of the universal transformer's state after `level` layers. At level 0
    /// it is a block of E.
    Node {
        /// How many layers have contracted it.
        level: usize,
        /// Whose tree.
        consumer: Consumer,
        /// The path that is left.
        rest: AttentionPath,
    },
    /// An entry of E.
    Embedding {
        /// Row: a coordinate of the input.
        row: usize,
        /// Column: a coordinate of the state.
        column: usize,
        /// The block that it is in, where columns have a place: whose leaf, and its path.
        leaf: Option<(Consumer, AttentionPath)>,
    },
    /// An entry of a weight matrix of the target.
    Weight {
        /// Layer.
        layer: usize,
        /// Head.
        head: usize,
        /// Which matrix.
        matrix: HeadMatrix,
        /// Row.
        row: usize,
        /// Column.
        column: usize,
    },
}

/// Which part of a matrix lights up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// One cell.
    Cell(usize, usize),
    /// A row.
    Row(usize),
    /// A column.
    Column(usize),
    /// All of it.
    Whole,
}

/// Everything that belongs to a focus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lights {
    /// Attention matrices: layer, head, part.
    pub attention: BTreeSet<(usize, usize, Part)>,
    /// States of the target: level, part.
    pub states: BTreeSet<(usize, Part)>,
    /// Weight matrices of the target: layer, head, matrix (its place in [`HeadMatrix::ALL`]), part.
    pub weights: BTreeSet<(usize, usize, usize, Part)>,
    /// Nodes of the trees.
    pub nodes: Nodes,
}

/// A set of nodes, described rather than listed: there may be thousands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Nodes {
    /// None.
    #[default]
    None,
    /// Every node of these consumers' trees.
    Trees(Vec<Consumer>),
    /// The nodes of one tree that are on the way through one node: those whose path ends with its rest
    /// (above it), and those whose rest ends its own (below it).
    Through(Consumer, AttentionPath),
    /// All leaves: one row of E is in all of them.
    Leaves,
}

impl Nodes {
    /// Whether a node is one of them.
    pub fn has(&self, level: usize, consumer: Consumer, rest: &AttentionPath) -> bool {
        match self {
            Nodes::None => false,
            Nodes::Trees(consumers) => consumers.contains(&consumer),
            Nodes::Through(of, through) => {
                consumer == *of && (rest.0.ends_with(&through.0) || through.0.ends_with(&rest.0))
            }
            Nodes::Leaves => level == 0,
        }
    }
}

impl Focus {
    /// What lights up with it.
    pub fn lights(&self, class: &Class) -> Lights {
        let mut lights = Lights::default();
        match self {
            Focus::Attention { layer, head, query, key } => {
                lights.attention.insert((*layer, *head, Part::Cell(*query, *key)));
                lights.states.extend([(*layer, Part::Row(*query)), (*layer, Part::Row(*key))]);
                lights.states.insert((layer + 1, Part::Row(*query)));
                for matrix in [HeadMatrix::Wq, HeadMatrix::Wk] {
                    lights.weight(*layer, *head, matrix, Part::Whole);
                }
                let (layer, head) = (*layer, *head);
                lights.nodes =
                    Nodes::Trees(vec![Consumer::Query { layer, head }, Consumer::Key { layer, head }]);
            }
            Focus::State { level, row, column } => {
                lights.states.insert((*level, Part::Cell(*row, *column)));
                if let Some(layer) = level.checked_sub(1) {
                    // It is made of the row of every head of the layer before …
                    for head in 0..class.heads {
                        lights.attention.insert((layer, head, Part::Row(*row)));
                        lights.weight(layer, head, HeadMatrix::Wo, Part::Column(*column));
                    }
                    lights.states.insert((layer, Part::Whole));
                }
                if *level < class.layers {
                    // … and is read as a query and as a key of the layer after.
                    for head in 0..class.heads {
                        lights.attention.insert((*level, head, Part::Row(*row)));
                        lights.attention.insert((*level, head, Part::Column(*row)));
                        for matrix in [HeadMatrix::Wq, HeadMatrix::Wk, HeadMatrix::Wv] {
                            lights.weight(*level, head, matrix, Part::Row(*column));
                        }
                    }
                } else {
                    lights.nodes = Nodes::Trees(vec![Consumer::Output]);
                }
                if *level == 0 {
                    lights.nodes = Nodes::Leaves;
                }
            }
            Focus::Embedding { row, leaf, .. } => {
                if let Some((consumer, path)) = leaf {
                    let (level, consumer, rest) = (0, *consumer, path.clone());
                    lights = Focus::Node { level, consumer, rest }.lights(class);
                }
                lights.states.insert((0, Part::Column(*row)));
            }
            Focus::Node { level, consumer, rest } => {
                lights.nodes = Nodes::Through(*consumer, rest.clone());
                // The layers that have contracted it: all their heads are in it.
                for layer in 0..*level {
                    for head in 0..class.heads {
                        lights.attention.insert((layer, head, Part::Whole));
                    }
                }
                // The layers that are still to come: the heads of its path, and their values.
                for (place, step) in rest.0.iter().enumerate() {
                    if let Some(head) = step.checked_sub(1) {
                        let (layer, head) = (level + place, head as usize);
                        lights.attention.insert((layer, head, Part::Whole));
                        lights.weight(layer, head, HeadMatrix::Wv, Part::Whole);
                        lights.weight(layer, head, HeadMatrix::Wo, Part::Whole);
                    }
                }
                lights.consumer(*consumer, class);
            }
            Focus::Weight { layer, head, matrix, row, column } => {
                lights.weight(*layer, *head, *matrix, Part::Cell(*row, *column));
                let (layer, head) = (*layer, *head);
                match matrix {
                    HeadMatrix::Wq => {
                        lights.attention.insert((layer, head, Part::Whole));
                        lights.nodes = Nodes::Trees(vec![Consumer::Query { layer, head }]);
                    }
                    HeadMatrix::Wk => {
                        lights.attention.insert((layer, head, Part::Whole));
                        lights.nodes = Nodes::Trees(vec![Consumer::Key { layer, head }]);
                    }
                    // A value weight is in every path through its head.
                    HeadMatrix::Wv | HeadMatrix::Wo => {
                        let later = |consumer: &Consumer| consumer.depth(class) > layer;
                        lights.nodes = Nodes::Trees(Consumer::all(class).into_iter().filter(later).collect());
                        lights.states.insert((layer + 1, Part::Whole));
                    }
                }
            }
        }
        lights
    }

    /// Whether there still is such a thing in a class with so many tokens.
    pub fn fits(&self, class: &Class, tokens: usize) -> bool {
        match self {
            Focus::Attention { layer, head, query, key } => {
                *layer < class.layers && *head < class.heads && *query < tokens && *key < tokens
            }
            Focus::State { level, row, column } => {
                *level <= class.layers && *row < tokens && *column < class.width
            }
            Focus::Node { level, consumer, rest } => {
                crate::rooms::universal::choices::fits(*consumer, class)
                    && level + rest.0.len() == consumer.depth(class)
                    && path_index(class, rest).is_some()
            }
            Focus::Embedding { row, leaf, .. } => {
                *row < class.width
                    && leaf.as_ref().is_none_or(|(consumer, path)| {
                        let (level, consumer, rest) = (0, *consumer, path.clone());
                        Focus::Node { level, consumer, rest }.fits(class, tokens)
                    })
            }
            Focus::Weight { layer, head, .. } => *layer < class.layers && *head < class.heads,
        }
    }
}

impl Lights {
    fn weight(&mut self, layer: usize, head: usize, matrix: HeadMatrix, part: Part) {
        self.weights.insert((layer, head, matrix as usize, part));
    }

    fn consumer(&mut self, consumer: Consumer, class: &Class) {
        match consumer {
            Consumer::Query { layer, head } => {
                self.attention.insert((layer, head, Part::Whole));
                self.weight(layer, head, HeadMatrix::Wq, Part::Whole);
            }
            Consumer::Key { layer, head } => {
                self.attention.insert((layer, head, Part::Whole));
                self.weight(layer, head, HeadMatrix::Wk, Part::Whole);
            }
            Consumer::Output => {
                self.states.insert((class.layers, Part::Whole));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transformer::presets::RANDOM_CLASS;

    #[test]
    fn a_leaf_lights_its_route_and_its_consumer() {
        let focus = Focus::Node {
            level: 0,
            consumer: Consumer::Key { layer: 1, head: 0 },
            rest: AttentionPath(vec![2]),
        };
        let lights = focus.lights(&RANDOM_CLASS);
        assert!(lights.attention.contains(&(0, 1, Part::Whole)), "its one step goes through head 2");
        assert!(!lights.attention.contains(&(0, 0, Part::Whole)), "and not through head 1");
        assert!(lights.attention.contains(&(1, 0, Part::Whole)), "it becomes the key of layer 2, head 1");
        assert!(lights.nodes.has(0, Consumer::Key { layer: 1, head: 0 }, &AttentionPath(vec![2])));
        assert!(lights.nodes.has(1, Consumer::Key { layer: 1, head: 0 }, &AttentionPath(vec![])));
        assert!(!lights.nodes.has(0, Consumer::Key { layer: 1, head: 0 }, &AttentionPath(vec![1])));
        assert!(!lights.nodes.has(0, Consumer::Key { layer: 1, head: 1 }, &AttentionPath(vec![2])));
    }

    #[test]
    fn attention_lights_the_rows_that_it_compares_and_the_row_that_it_makes() {
        let focus = Focus::Attention { layer: 0, head: 1, query: 3, key: 2 };
        let lights = focus.lights(&RANDOM_CLASS);
        let rows = [(0, Part::Row(2)), (0, Part::Row(3)), (1, Part::Row(3))];
        assert_eq!(lights.states, BTreeSet::from(rows));
        assert!(lights.nodes.has(0, Consumer::Query { layer: 0, head: 1 }, &AttentionPath(vec![])));
    }

    #[test]
    fn what_a_smaller_class_lacks_no_longer_fits() {
        let focus = Focus::Attention { layer: 1, head: 1, query: 0, key: 0 };
        assert!(focus.fits(&RANDOM_CLASS, 3));
        assert!(!focus.fits(&Class { layers: 1, ..RANDOM_CLASS }, 3));
        assert!(!Focus::State { level: 0, row: 3, column: 0 }.fits(&RANDOM_CLASS, 3));
    }
}
