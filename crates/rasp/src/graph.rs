//! What a program describes: s-ops and selectors as nodes of a graph, each with its operands.
//!
//! Every expression makes a node of its own, so that heads can be counted as they are written. A
//! node also knows its *canonical* node: the first one that computes the same by its construction.
//! Only canonical nodes are evaluated, so that shared work is done and shown once.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::elementwise::Mathematics;
use crate::syntax::{BinaryOperator, Comparison, Span, UnaryOperator};
use crate::value::Atom;

/// The sequences that every program starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Base {
    /// The tokens as texts.
    TokensText,
    /// The tokens as whole numbers.
    TokensInt,
    /// The tokens as numbers with a fraction.
    TokensFloat,
    /// The tokens as truth values.
    TokensBool,
    /// The tokens as they are.
    TokensAsIs,
    /// 0, 1, 2 …
    Indices,
}

impl Base {
    /// All of them.
    pub const ALL: [Base; 6] = [
        Base::TokensText,
        Base::TokensInt,
        Base::TokensFloat,
        Base::TokensBool,
        Base::TokensAsIs,
        Base::Indices,
    ];

    /// The name that programs call it by.
    pub fn name(self) -> &'static str {
        match self {
            Base::TokensText => "tokens_str",
            Base::TokensInt => "tokens_int",
            Base::TokensFloat => "tokens_float",
            Base::TokensBool => "tokens_bool",
            Base::TokensAsIs => "tokens_asis",
            Base::Indices => "indices",
        }
    }
}

/// A primitive. Its operands are sequences, but for the selectors that `And`, `Or`, `Not` of
/// selectors and the first operand of `Aggregate` take.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Primitive {
    /// A sequence of the input.
    Base(Base),
    /// The same value everywhere.
    Constant(Atom),
    /// Elementwise, one operand.
    Unary(UnaryOperator),
    /// Elementwise, one operand.
    Mathematics(Mathematics),
    /// Elementwise, two operands.
    Binary(BinaryOperator),
    /// `then if condition else otherwise`; operands: condition, then, otherwise.
    Choose,
    /// Elementwise: whether the operand is one of these values.
    Member(Arc<[Atom]>),
    /// Elementwise: the value at the place that the operand says, counted from the end when negative.
    LookUp(Arc<[Atom]>),
    /// Elementwise: the value of the key that the operand says.
    LookUpKey(Arc<[(Atom, Atom)]>),
    /// Elementwise: the first operand, where the second holds; elsewhere an error with this text.
    Require(Arc<str>),
    /// Operands: key, query.
    Select(Comparison),
    /// Both of two selectors.
    SelectorAnd,
    /// At least one of two selectors.
    SelectorOr,
    /// Not a selector.
    SelectorNot,
    /// The average of what is selected; operands: selector, sequence.
    Aggregate {
        /// The value where nothing is selected.
        default: Atom,
    },
}

impl Primitive {
    /// A stable name: `select ==`, `aggregate`, `+` …
    pub fn name(&self) -> String {
        match self {
            Primitive::Base(base) => base.name().to_owned(),
            Primitive::Constant(_) => "constant".to_owned(),
            Primitive::Unary(operator) => operator.symbol().to_owned(),
            Primitive::Mathematics(function) => function.name().to_owned(),
            Primitive::Binary(operator) => operator.symbol().to_owned(),
            Primitive::Choose => "if else".to_owned(),
            Primitive::Member(_) => "in".to_owned(),
            Primitive::LookUp(_) | Primitive::LookUpKey(_) => "look up".to_owned(),
            Primitive::Require(_) => "require".to_owned(),
            Primitive::Select(comparison) => format!("select {}", comparison.symbol()),
            Primitive::SelectorAnd => "selector and".to_owned(),
            Primitive::SelectorOr => "selector or".to_owned(),
            Primitive::SelectorNot => "selector not".to_owned(),
            Primitive::Aggregate { .. } => "aggregate".to_owned(),
        }
    }

    /// Whether it gives a selector rather than a sequence.
    pub fn is_selector(&self) -> bool {
        matches!(
            self,
            Primitive::Select(_) | Primitive::SelectorAnd | Primitive::SelectorOr | Primitive::SelectorNot
        )
    }
}

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// Where in which text a node was described.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// In the program itself: the innermost place of the program that led there.
    pub(crate) span: Option<Span>,
    /// In a loaded file: the index of the file, and the place in it.
    pub(crate) origin: Option<(usize, Span)>,
}

pub(crate) struct Node {
    pub(crate) primitive: Primitive,
    pub(crate) operands: Rc<[NodeId]>,
    pub(crate) canonical: NodeId,
    /// The layer at whose end the value is there; 0 is the input.
    pub(crate) layer: u32,
    pub(crate) place: Place,
    pub(crate) name: Option<NodeName>,
}

/// The first name that a program gave to a node; those of the program itself win over a library's.
#[derive(Clone)]
pub(crate) struct NodeName {
    pub(crate) text: Rc<str>,
    pub(crate) given_by: GivenBy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenBy {
    Program,
    File,
}

#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    by_construction: HashMap<(Primitive, Rc<[NodeId]>), NodeId>,
}

impl Graph {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn add(&mut self, primitive: Primitive, operands: &[NodeId], place: Place) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let mut canonical: Vec<NodeId> =
            operands.iter().map(|operand| self.node(*operand).canonical).collect();
        if matches!(primitive, Primitive::SelectorAnd | Primitive::SelectorOr) {
            // The same selector in either order.
            canonical.sort_unstable();
        }
        let layer = self.layer_of(&primitive, operands);
        let key = (primitive.clone(), Rc::from(canonical));
        let canonical = *self.by_construction.entry(key).or_insert(id);
        self.nodes.push(Node {
            primitive,
            operands: Rc::from(operands),
            canonical,
            layer,
            place,
            name: None,
        });
        id
    }

    /// Selectors belong to the layer after what they compare. An aggregate stands in the layer of
    /// its selector, or in the one after the sequence that it fetches, whichever is later.
    fn layer_of(&self, primitive: &Primitive, operands: &[NodeId]) -> u32 {
        let layer = |id: &NodeId| self.node(*id).layer;
        let last = operands.iter().map(layer).max().unwrap_or(0);
        match (primitive, operands) {
            (Primitive::Select(_), _) => last + 1,
            (Primitive::Aggregate { .. }, [selector, sequence]) => layer(selector).max(layer(sequence) + 1),
            _ => last,
        }
    }

    /// Keeps the name that a program gave to a node.
    pub(crate) fn give_name(&mut self, id: NodeId, text: &Rc<str>, given_by: GivenBy) {
        let canonical = self.node(id).canonical;
        let node = &mut self.nodes[canonical.0 as usize];
        let is_new = match &node.name {
            None => !matches!(node.primitive, Primitive::Base(_) | Primitive::Constant(_)),
            Some(name) => name.given_by == GivenBy::File && given_by == GivenBy::Program,
        };
        if is_new {
            node.name = Some(NodeName { text: text.clone(), given_by });
        }
    }

    /// The canonical nodes that the roots need, operands before those who use them.
    pub(crate) fn canonical_order(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let canonical = |id: NodeId| self.node(id).canonical;
        self.reachable(roots.iter().map(|id| canonical(*id)), canonical)
    }

    /// The nodes as written that the roots need, operands before those who use them.
    pub(crate) fn written_order(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.reachable(roots.iter().copied(), |id| id)
    }

    /// Operands are always older than who uses them, so that the order of ids is one of evaluation.
    fn reachable(
        &self,
        roots: impl Iterator<Item = NodeId>,
        represent: impl Fn(NodeId) -> NodeId,
    ) -> Vec<NodeId> {
        let mut needed = vec![false; self.nodes.len()];
        for root in roots {
            needed[root.0 as usize] = true;
        }
        for index in (0..self.nodes.len()).rev() {
            if needed[index] {
                for operand in self.nodes[index].operands.iter() {
                    needed[represent(*operand).0 as usize] = true;
                }
            }
        }
        (0..self.nodes.len()).filter(|index| needed[*index]).map(|index| NodeId(index as u32)).collect()
    }
}
