//! Operators, indices, `select`, `aggregate`, and the two branches of a condition.

use super::lists::letters;
use super::value::{List, MAXIMUM_LIST, Value, list_too_long};
use super::{Choice, Machine, Stop, cost, expects};
use crate::diagnostic::{Message, Phrase, Term};
use crate::elementwise;
use crate::evaluate::item_at;
use crate::graph::{Base, NodeId, Place, Primitive};
use crate::syntax::{BinaryOperator, Comparison, UnaryOperator};
use crate::value::Atom;

impl Machine<'_> {
    pub(super) fn unary(&mut self, operator: UnaryOperator) -> Result<Value, Box<Stop>> {
        let operand = self.pop();
        match (operator, &operand) {
            (UnaryOperator::Indicator, Value::SOp(node)) | (_, Value::SOp(node)) => {
                self.sop(Primitive::Unary(operator), &[*node])
            }
            (UnaryOperator::Indicator, _) => Err(expects(operator.symbol(), Term::SOp, &operand).into()),
            (UnaryOperator::Not, Value::Selector(node)) => {
                self.node(Primitive::SelectorNot, &[*node]).map(Value::Selector)
            }
            (_, Value::Selector(_)) => Err(selector_arithmetic(operator.symbol()).into()),
            (_, Value::Atom(atom)) => Ok(Value::Atom(elementwise::unary(operator, atom)?)),
            (UnaryOperator::Not, _) => Ok(Value::Atom(Atom::Bool(!operand.is_true()))),
            _ => Err(Message::BadOperand {
                operator: Phrase::Source(operator.symbol().to_owned()),
                operand: operand.phrase(),
            }
            .into()),
        }
    }

    pub(super) fn binary(&mut self, operator: BinaryOperator) -> Result<Value, Box<Stop>> {
        let right = self.pop();
        let left = self.pop();
        let is_logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        match (&left, &right) {
            (Value::Selector(a), Value::Selector(b)) if is_logic => {
                let primitive = if operator == BinaryOperator::And {
                    Primitive::SelectorAnd
                } else {
                    Primitive::SelectorOr
                };
                self.node(primitive, &[*a, *b]).map(Value::Selector)
            }
            (Value::Selector(_), other) | (other, Value::Selector(_)) if is_logic => {
                Err(Message::SelectorWithOther {
                    operator: Phrase::Source(operator.symbol().to_owned()),
                    other: other.phrase(),
                }
                .into())
            }
            (Value::Selector(_), _) | (_, Value::Selector(_)) => {
                Err(selector_arithmetic(operator.symbol()).into())
            }
            (Value::SOp(_), Value::SOp(_) | Value::Atom(_)) | (Value::Atom(_), Value::SOp(_)) => {
                let a = self.expect_sequence(operator.symbol(), &left)?;
                let b = self.expect_sequence(operator.symbol(), &right)?;
                self.sop(Primitive::Binary(operator), &[a, b])
            }
            (Value::Atom(a), Value::Atom(b)) => Ok(Value::Atom(elementwise::binary(operator, a, b)?)),
            (Value::SOp(_), _) | (_, Value::SOp(_)) => Err(bad_operands(operator, &left, &right)),
            _ => self.binary_on_values(operator, &left, &right),
        }
    }

    /// Operators where at least one operand is a list, a dictionary, a function …
    pub(super) fn binary_on_values(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
    ) -> Result<Value, Box<Stop>> {
        self.budget.work(cost::ITEM * (left.size() + right.size()))?;
        match (operator, left, right) {
            (BinaryOperator::And, ..) => Ok(if left.is_true() { right } else { left }.clone()),
            (BinaryOperator::Or, ..) => Ok(if left.is_true() { left } else { right }.clone()),
            (BinaryOperator::Compare(Comparison::Equal), ..) => {
                Ok(Value::Atom(Atom::Bool(left.equals(right))))
            }
            (BinaryOperator::Add, Value::List(a), Value::List(b)) => {
                Ok(List::of(a.items.iter().chain(&b.items).cloned().collect())?)
            }
            (BinaryOperator::Multiply, Value::List(list), Value::Atom(times))
            | (BinaryOperator::Multiply, Value::Atom(times), Value::List(list)) => {
                let Some(times) = times.whole() else {
                    return Err(bad_operands(operator, left, right));
                };
                let times = usize::try_from(times).unwrap_or(0);
                let length = list.items.len().saturating_mul(times);
                if length > MAXIMUM_LIST {
                    return Err(list_too_long().into());
                }
                self.budget.work(cost::ITEM * length)?;
                let items = std::iter::repeat_n(&list.items, times).flatten().cloned();
                Ok(List::of(items.collect())?)
            }
            _ => Err(bad_operands(operator, left, right)),
        }
    }

    pub(super) fn contains(&mut self) -> Result<Value, Box<Stop>> {
        let container = self.pop();
        let item = self.pop();
        self.budget.work(4 * container.size())?;
        match (&item, &container) {
            (Value::SOp(node), Value::List(list)) => match list.atoms() {
                Some(atoms) => self.sop(Primitive::Member(atoms.into()), &[*node]),
                None => Err(expects("in", Term::ListOfAtoms, &container).into()),
            },
            (Value::SOp(_), _) => Err(expects("in", Term::ListOfAtoms, &container).into()),
            (Value::Atom(_), Value::List(list)) => {
                let found = list.items.iter().any(|candidate| item.equals(candidate));
                Ok(Value::Atom(Atom::Bool(found)))
            }
            (Value::Atom(_), Value::SOp(node)) => self.appears(&item, *node),
            (Value::Atom(_), _) => Err(Message::Expects {
                function: Phrase::Source("in".to_owned()),
                expected: Phrase::OneOf(vec![Term::List.into(), Term::SOp.into()]),
                found: container.phrase(),
            }
            .into()),
            _ => Err(Message::Expects {
                function: Phrase::Source("in".to_owned()),
                expected: Phrase::OneOf(vec![Term::Atom.into(), Term::SOp.into()]),
                found: item.phrase(),
            }
            .into()),
        }
    }

    /// Whether an atom stands anywhere in a sequence: one head that looks at everything.
    pub(super) fn appears(&mut self, item: &Value, sequence: NodeId) -> Result<Value, Box<Stop>> {
        let everything = match self.everything {
            Some(selector) => selector,
            None => {
                let one = self.node(Primitive::Constant(Atom::Int(1)), &[])?;
                self.node(Primitive::Select(Comparison::Equal), &[one, one])?
            }
        };
        self.everything = Some(everything);
        let item = self.expect_sequence("in", item)?;
        let equal = BinaryOperator::Compare(Comparison::Equal);
        let is_item = self.node(Primitive::Binary(equal), &[sequence, item])?;
        let ones = self.node(Primitive::Unary(UnaryOperator::Indicator), &[is_item])?;
        let default = Atom::Int(0);
        let share = self.node(Primitive::Aggregate { default }, &[everything, ones])?;
        let zero = self.node(Primitive::Constant(Atom::Int(0)), &[])?;
        let more = BinaryOperator::Compare(Comparison::Greater);
        self.sop(Primitive::Binary(more), &[share, zero])
    }

    pub(super) fn index(&mut self) -> Result<Value, Box<Stop>> {
        let index = self.pop();
        let target = self.pop();
        if !matches!((&target, &index), (Value::List(_), Value::Atom(_))) {
            self.budget.work(4 * target.size())?;
        }
        match (&target, &index) {
            (Value::List(list), Value::SOp(node)) => match list.atoms() {
                Some(atoms) => self.sop(Primitive::LookUp(atoms.into()), &[*node]),
                None => Err(expects("[ ]", Term::ListOfAtoms, &target).into()),
            },
            (Value::List(list), _) => Ok(item_at(&list.items, whole_index(&index)?)?.clone()),
            (Value::Atom(Atom::Text(text)), _) => {
                let letters: Vec<Atom> = letters(text).collect();
                self.budget.work(letters.len())?;
                match &index {
                    Value::SOp(node) => self.sop(Primitive::LookUp(letters.into()), &[*node]),
                    _ => Ok(Value::Atom(item_at(&letters, whole_index(&index)?)?.clone())),
                }
            }
            (Value::Dictionary(dictionary), Value::SOp(node)) => {
                let entries: Option<Vec<(Atom, Atom)>> = dictionary
                    .entries
                    .iter()
                    .map(|(key, value)| match value {
                        Value::Atom(value) => Some((key.clone(), value.clone())),
                        _ => None,
                    })
                    .collect();
                match entries {
                    Some(entries) => self.sop(Primitive::LookUpKey(entries.into()), &[*node]),
                    None => Err(expects("[ ]", Term::ListOfAtoms, &target).into()),
                }
            }
            (Value::Dictionary(dictionary), Value::Atom(key)) => match dictionary.get(key) {
                Some(value) => Ok(value.clone()),
                None => Err(Message::MissingKey { key: key.phrase() }.into()),
            },
            (Value::Dictionary(_), _) => Err(Message::BadKey { found: index.phrase() }.into()),
            (Value::SOp(node), _) => {
                let place = whole_index(&index)?;
                self.load_from(*node, place)
            }
            _ => Err(Message::Expects {
                function: Phrase::Source("[ ]".to_owned()),
                expected: Phrase::OneOf(vec![
                    Term::List.into(),
                    Term::Dictionary.into(),
                    Term::Text.into(),
                    Term::SOp.into(),
                ]),
                found: target.phrase(),
            }
            .into()),
        }
    }

    /// The value at one position, everywhere: one head.
    pub(super) fn load_from(&mut self, sequence: NodeId, place: i64) -> Result<Value, Box<Stop>> {
        let constant = self.node(Primitive::Constant(Atom::Int(place)), &[])?;
        let position = match self.length {
            Some(length) if place < 0 => {
                let add = Primitive::Binary(BinaryOperator::Add);
                self.node(add, &[length, constant])?
            }
            _ => constant,
        };
        let indices = self.graph.add(Primitive::Base(Base::Indices), &[], Place::default());
        let equal = Primitive::Select(Comparison::Equal);
        let selector = self.node(equal, &[indices, position])?;
        let default = Atom::Int(0);
        self.sop(Primitive::Aggregate { default }, &[selector, sequence])
    }

    pub(super) fn select(&mut self, comparison: Comparison) -> Result<Value, Box<Stop>> {
        let query = self.pop();
        let key = self.pop();
        let key = self.expect_sequence("select", &key)?;
        let query = self.expect_sequence("select", &query)?;
        self.node(Primitive::Select(comparison), &[key, query]).map(Value::Selector)
    }

    pub(super) fn aggregate(&mut self, count: usize) -> Result<Value, Box<Stop>> {
        let default = match (count == 3).then(|| self.pop()) {
            None => Atom::Int(0),
            Some(Value::Atom(atom)) => atom,
            Some(other) => return Err(expects("aggregate", Term::Atom, &other).into()),
        };
        let sequence = self.pop();
        let selector = self.pop();
        let Value::Selector(selector) = selector else {
            return Err(expects("aggregate", Term::Selector, &selector).into());
        };
        let sequence = self.expect_sequence("aggregate", &sequence)?;
        self.sop(Primitive::Aggregate { default }, &[selector, sequence])
    }

    pub(super) fn branch(&mut self, otherwise: usize) -> Result<(), Box<Stop>> {
        let choice = match self.pop() {
            Value::SOp(condition) => Choice::Both(condition),
            Value::Selector(_) => return Err(Message::SelectorCondition {}.into()),
            condition if condition.is_true() => Choice::First,
            _ => {
                self.jump(otherwise);
                Choice::Second
            }
        };
        self.choices.push(choice);
        Ok(())
    }

    pub(super) fn end_then(&mut self, end: usize) {
        if let Some(Choice::First) = self.choices.last() {
            self.choices.pop();
            self.jump(end);
        }
    }

    pub(super) fn end_choose(&mut self) -> Result<Value, Box<Stop>> {
        let otherwise = self.pop();
        let Some(Choice::Both(condition)) = self.choices.pop() else {
            return Ok(otherwise);
        };
        let then = self.pop();
        let then = self.expect_sequence("if", &then)?;
        let otherwise = self.expect_sequence("if", &otherwise)?;
        self.sop(Primitive::Choose, &[condition, then, otherwise])
    }
}

fn whole_index(index: &Value) -> Result<i64, Message> {
    match index {
        Value::Atom(atom) => atom.whole(),
        _ => None,
    }
    .ok_or_else(|| expects("[ ]", Term::WholeNumber, index))
}

fn selector_arithmetic(operator: &str) -> Message {
    Message::SelectorArithmetic { operator: Phrase::Source(operator.to_owned()) }
}

fn bad_operands(operator: BinaryOperator, left: &Value, right: &Value) -> Box<Stop> {
    Message::BadOperands {
        operator: Phrase::Source(operator.symbol().to_owned()),
        left: left.phrase(),
        right: right.phrase(),
    }
    .into()
}
