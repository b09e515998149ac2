//! Evaluates a graph on an input: every canonical node once, operands first, without recursion.

use std::collections::HashMap;
use std::rc::Rc;

use crate::diagnostic::{Message, Phrase};
use crate::elementwise::{self, Failure};
use crate::graph::{Graph, NodeId, Primitive};
use crate::input::Input;
use crate::limits::{Budget, Limits};
use crate::selector::{Ordered, Rows};
use crate::syntax::{BinaryOperator, Comparison};
use crate::value::{Atom, Kind, Sequence};

/// The values of the nodes that some roots need.
pub(crate) struct Evaluation {
    /// Canonical nodes, operands before those who use them.
    pub(crate) order: Vec<NodeId>,
    /// The value of each node of `order`; `None` for selectors, and from the first failure on.
    pub(crate) values: Vec<Option<Sequence>>,
    /// The node that failed, and why.
    pub(crate) failure: Option<(NodeId, Failure)>,
    /// What the node that failed had computed at the positions before the one where it failed.
    pub(crate) before: Option<Sequence>,
}

/// Evaluates what the roots need. What was done before a failure is kept.
pub(crate) fn evaluate(graph: &Graph, roots: &[NodeId], input: &Input, budget: &mut Budget) -> Evaluation {
    let order = graph.canonical_order(roots);
    let mut evaluator = Evaluator {
        graph,
        input,
        place: order.iter().enumerate().map(|(at, id)| (*id, at)).collect(),
        values: vec![None; order.len()],
        rows: HashMap::new(),
        uses_left: HashMap::new(),
    };
    for id in &order {
        for operand in graph.node(*id).operands.iter() {
            let canonical = graph.node(*operand).canonical;
            *evaluator.uses_left.entry(canonical).or_default() += 1;
        }
    }
    let failure = evaluator.run(&order, budget);
    let before = failure.as_ref().and_then(|(id, failure)| evaluator.before(*id, failure));
    Evaluation { values: evaluator.values, order, failure, before }
}

struct Evaluator<'a> {
    graph: &'a Graph,
    input: &'a Input,
    place: HashMap<NodeId, usize>,
    values: Vec<Option<Sequence>>,
    /// Selectors are kept only until their last use: whoever wants to see one makes it again.
    rows: HashMap<NodeId, Rc<Rows>>,
    uses_left: HashMap<NodeId, usize>,
}

impl Evaluator<'_> {
    fn run(&mut self, order: &[NodeId], budget: &mut Budget) -> Option<(NodeId, Failure)> {
        budget.forget_values();
        // Finding out what the roots need, and tracing it, takes several looks at every node.
        if let Err(message) = budget.work(3 * self.graph.len()) {
            return order.first().map(|id| (*id, everywhere(message)));
        }
        let limit = budget.limits.positions;
        let length = self.input.len();
        if length > limit {
            let message = Message::InputTooLong { length: length.into(), limit: limit.into() };
            let failure = Failure { position: None, message };
            return order.first().map(|id| (*id, failure));
        }
        for (at, id) in order.iter().enumerate() {
            if let Err(failure) = self.step(at, *id, budget) {
                return Some((*id, failure));
            }
        }
        None
    }

    fn step(&mut self, at: usize, id: NodeId, budget: &mut Budget) -> Result<(), Failure> {
        let node = self.graph.node(id);
        let operands: Vec<NodeId> =
            node.operands.iter().map(|operand| self.graph.node(*operand).canonical).collect();
        let length = self.input.len();
        budget.work(length + 16).map_err(everywhere)?;
        if node.primitive.is_selector() {
            let rows = self.selector(&node.primitive, &operands, budget)?;
            self.rows.insert(id, rows);
        } else {
            budget.keep(length).map_err(everywhere)?;
            let value = self.sequence(&node.primitive, &operands, length, budget)?;
            if let Sequence::Texts(texts) = &value {
                let letters: usize = texts.iter().map(|text| text.len()).sum();
                budget.work(letters / 8).map_err(everywhere)?;
                budget.keep(letters / 8).map_err(everywhere)?;
            }
            self.values[at] = Some(value);
        }
        for operand in &operands {
            if let Some(uses) = self.uses_left.get_mut(operand) {
                *uses -= 1;
                if *uses == 0 {
                    self.rows.remove(operand);
                }
            }
        }
        Ok(())
    }

    /// The values of a node that failed, at the positions before its failure: none of them fails.
    fn before(&self, id: NodeId, failure: &Failure) -> Option<Sequence> {
        let node = self.graph.node(id);
        let position = failure.position.filter(|_| !node.primitive.is_selector())?;
        let operands: Vec<NodeId> =
            node.operands.iter().map(|operand| self.graph.node(*operand).canonical).collect();
        // It has been paid for: the first time went further.
        let mut free = Budget::new(Limits { work: u64::MAX, ..Limits::default() });
        self.sequence(&node.primitive, &operands, position, &mut free).ok()
    }

    fn value(&self, id: NodeId) -> Result<&Sequence, Failure> {
        let value = self.place.get(&id).and_then(|at| self.values[*at].as_ref());
        value.ok_or_else(internal)
    }

    fn selected(&self, id: NodeId) -> Result<&Rc<Rows>, Failure> {
        self.rows.get(&id).ok_or_else(internal)
    }

    fn selector(
        &self,
        primitive: &Primitive,
        operands: &[NodeId],
        budget: &mut Budget,
    ) -> Result<Rc<Rows>, Failure> {
        let rows = match (primitive, operands) {
            (Primitive::Select(comparison), [key, query]) => {
                // The sort and the search of each query, and the list of pairs that only `!=` makes.
                let (key, query) = (self.value(*key)?, self.value(*query)?);
                let length = self.input.len();
                let rounds = length.ilog2() as usize + 1;
                let weight = if key.kind() == Kind::Texts { 3 } else { 1 };
                budget.work(weight * length * rounds).map_err(everywhere)?;
                if *comparison == Comparison::NotEqual {
                    let pairs = self.input.len() * self.input.len();
                    budget.work(pairs).map_err(everywhere)?;
                }
                Rows::compare(key, query, *comparison)?
            }
            (Primitive::SelectorNot, [selector]) => {
                let pairs = self.input.len() * self.input.len();
                budget.work(pairs).map_err(everywhere)?;
                self.selected(*selector)?.not()
            }
            (_, [left, right]) => {
                let (left, right) = (self.selected(*left)?, self.selected(*right)?);
                if *primitive == Primitive::SelectorAnd {
                    let fewer = left.total().min(right.total());
                    budget.work(2 * fewer).map_err(everywhere)?;
                    left.and(right)
                } else {
                    let both = left.total() + right.total();
                    budget.work(2 * both).map_err(everywhere)?;
                    left.or(right)
                }
            }
            _ => return Err(internal()),
        };
        Ok(Rc::new(rows))
    }

    /// The values of a primitive at its first `length` positions.
    fn sequence(
        &self,
        primitive: &Primitive,
        operands: &[NodeId],
        length: usize,
        budget: &mut Budget,
    ) -> Result<Sequence, Failure> {
        match (primitive, operands) {
            (Primitive::Base(base), _) => self.input.base(*base, length),
            (Primitive::Constant(atom), _) => Ok(Sequence::constant(atom, length)),
            (Primitive::Aggregate { default }, [selector, sequence]) => {
                let rows = self.selected(*selector)?;
                aggregate(rows, self.value(*sequence)?, default, length, budget)
            }
            (Primitive::Unary(_) | Primitive::LookUp(_), [operand]) => {
                let operand = self.value(*operand)?;
                elementwise::map(length, |at| primitive.apply(&[operand.get(at)]))
            }
            (Primitive::Mathematics(_), [operand]) => {
                budget.work(2 * length).map_err(everywhere)?;
                let operand = self.value(*operand)?;
                elementwise::map(length, |at| primitive.apply(&[operand.get(at)]))
            }
            (Primitive::Member(items), [operand]) => {
                let operand = self.value(*operand)?;
                budget.work(length * items.len()).map_err(everywhere)?;
                elementwise::map(length, |at| primitive.apply(&[operand.get(at)]))
            }
            (Primitive::LookUpKey(entries), [operand]) => {
                let operand = self.value(*operand)?;
                budget.work(length * entries.len()).map_err(everywhere)?;
                elementwise::map(length, |at| primitive.apply(&[operand.get(at)]))
            }
            (Primitive::Binary(operator), [left, right]) => {
                if *operator == BinaryOperator::Power {
                    budget.work(2 * length).map_err(everywhere)?;
                }
                elementwise::binary_on_sequences(*operator, self.value(*left)?, self.value(*right)?, length)
            }
            (Primitive::Require(_), [value, condition]) => {
                let (value, condition) = (self.value(*value)?, self.value(*condition)?);
                elementwise::map(length, |at| primitive.apply(&[value.get(at), condition.get(at)]))
            }
            (Primitive::Choose, [condition, then, otherwise]) => {
                let [condition, then, otherwise] = [condition, then, otherwise].map(|id| self.value(*id));
                elementwise::choose(condition?, then?, otherwise?, length)
            }
            _ => Err(internal()),
        }
    }
}

impl Primitive {
    /// What it makes of single values at one position, when it works elementwise.
    ///
    /// # Errors
    /// What an interpreter would say at that position; also for primitives that are not elementwise.
    pub fn apply(&self, operands: &[Atom]) -> Result<Atom, Message> {
        match (self, operands) {
            (Primitive::Constant(atom), []) => Ok(atom.clone()),
            (Primitive::Unary(operator), [operand]) => elementwise::unary(*operator, operand),
            (Primitive::Mathematics(function), [operand]) => function.apply(operand),
            (Primitive::Member(items), [operand]) => {
                Ok(Atom::Bool(items.iter().any(|item| item.equals(operand))))
            }
            (Primitive::LookUp(items), [operand]) => look_up(items, operand),
            (Primitive::LookUpKey(entries), [key]) => {
                let entry = entries.iter().find(|(candidate, _)| candidate.equals(key));
                entry.map(|(_, value)| value.clone()).ok_or_else(|| Message::MissingKey { key: key.phrase() })
            }
            (Primitive::Binary(operator), [left, right]) => {
                elementwise::binary_at_position(*operator, left, right)
            }
            (Primitive::Require(_), [value, condition]) if condition.is_true() => Ok(value.clone()),
            (Primitive::Require(text), _) => {
                Err(Message::Unsatisfied { text: Phrase::Verbatim(text.to_string()) })
            }
            (Primitive::Choose, [condition, then, otherwise]) => {
                Ok(if condition.is_true() { then } else { otherwise }.clone())
            }
            _ => Err(internal().message),
        }
    }
}

/// The value at a place of a list, counted from its end when negative.
fn look_up(items: &[Atom], index: &Atom) -> Result<Atom, Message> {
    let Some(place) = index.whole() else {
        return Err(Message::Expects {
            function: Phrase::Source("[ ]".to_owned()),
            expected: crate::diagnostic::Term::WholeNumber.into(),
            found: index.phrase(),
        });
    };
    item_at(items, place).cloned()
}

/// The item at a place, counted from the end when negative.
pub(crate) fn item_at<T>(items: &[T], place: i64) -> Result<&T, Message> {
    let from_start = if place < 0 { place + items.len() as i64 } else { place };
    usize::try_from(from_start).ok().and_then(|at| items.get(at)).ok_or_else(|| Message::IndexOutOfRange {
        index: Phrase::Source(place.to_string()),
        length: items.len().into(),
    })
}

/// The average of the selected values of each of the first `length` rows; one selected value passes through as it
/// is.
fn aggregate(
    rows: &Rows,
    sequence: &Sequence,
    default: &Atom,
    length: usize,
    budget: &mut Budget,
) -> Result<Sequence, Failure> {
    let numbers = match sequence.kind() {
        Kind::Ints | Kind::Floats => Some(Numbers::of(sequence)),
        Kind::Bools | Kind::Texts => None,
    };
    let mut averages: Vec<Atom> = Vec::with_capacity(length);
    let mut sorted = Vec::new();
    for row in 0..length {
        let mut selected = rows.row(row);
        let value = match selected {
            [] => default.clone(),
            [only] => sequence.get(*only as usize),
            // The same run of the sorted keys as the row before.
            _ if row > 0 && std::ptr::eq(rows.row(row - 1), selected) => averages[row - 1].clone(),
            _ => {
                budget.work(selected.len()).map_err(everywhere)?;
                let Some(numbers) = &numbers else {
                    return Err(Failure {
                        position: Some(row),
                        message: Message::AverageOfNonNumbers {
                            count: selected.len().into(),
                            kind: sequence.kind().term().into(),
                        },
                    });
                };
                if rows.ordered() == Ordered::ByKey {
                    // Sums depend on their order: it is always that of positions.
                    sorted.clear();
                    sorted.extend_from_slice(selected);
                    sorted.sort_unstable();
                    selected = &sorted;
                }
                let mean = numbers.sum(selected) / selected.len() as f64;
                if !mean.is_finite() {
                    return Err(Failure {
                        position: Some(row),
                        message: Message::NotFinite { operation: Phrase::Source("aggregate".to_owned()) },
                    });
                }
                Atom::Float(mean)
            }
        };
        averages.push(value);
    }
    Sequence::from_atoms(averages).map_err(|not_one_kind| Failure {
        position: Some(not_one_kind.position),
        message: not_one_kind.message,
    })
}

/// Numbers to be added up: whole ones exactly.
enum Numbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Numbers {
    fn of(sequence: &Sequence) -> Self {
        match sequence {
            Sequence::Ints(values) => Numbers::Ints(values.clone()),
            _ => Numbers::Floats(sequence.to_f64().unwrap_or_default()),
        }
    }

    fn sum(&self, selected: &[u32]) -> f64 {
        match self {
            Numbers::Ints(values) => {
                selected.iter().map(|at| i128::from(values[*at as usize])).sum::<i128>() as f64
            }
            Numbers::Floats(values) => selected.iter().map(|at| values[*at as usize]).sum(),
        }
    }
}

fn everywhere(message: Message) -> Failure {
    Failure { position: None, message }
}

/// A graph is built so that this cannot happen: operands come first and have the right kinds.
fn internal() -> Failure {
    everywhere(Message::Expects {
        function: Phrase::Source("evaluate".to_owned()),
        expected: crate::diagnostic::Term::Sequence.into(),
        found: crate::diagnostic::Term::Selector.into(),
    })
}
