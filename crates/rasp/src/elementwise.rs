//! Elementwise work: what the feed-forward part of a layer does, position by position.
//!
//! Numbers behave as in Python: `/` always has a fraction, `%` takes the sign of the divisor,
//! truth values count as 1 and 0. Results are always finite: whatever would be infinite or not a
//! number is an error at its position.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Message, Phrase, Term};
use crate::syntax::{BinaryOperator, Comparison, UnaryOperator};
use crate::value::{Atom, Number, Sequence};

/// The longest text that a program may make, in bytes.
pub(crate) const MAXIMUM_TEXT: usize = 10_000;

/// Functions of one number beyond the operators of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mathematics {
    /// `exp(a)`
    Exp,
    /// `log(a)`, natural
    Log,
    /// `sqrt(a)`
    Sqrt,
    /// `abs(a)`
    Abs,
}

impl Mathematics {
    /// All of them.
    pub const ALL: [Mathematics; 4] =
        [Mathematics::Exp, Mathematics::Log, Mathematics::Sqrt, Mathematics::Abs];

    /// The name that programs call it by.
    pub fn name(self) -> &'static str {
        match self {
            Mathematics::Exp => "exp",
            Mathematics::Log => "log",
            Mathematics::Sqrt => "sqrt",
            Mathematics::Abs => "abs",
        }
    }

    pub(crate) fn apply(self, operand: &Atom) -> Result<Atom, Message> {
        let Some(number) = operand.number() else {
            return Err(bad_operand(self.name(), operand));
        };
        let value = number.to_f64();
        let not_real = || Message::NotReal {
            operation: Phrase::Source(self.name().to_owned()),
            value: operand.phrase(),
        };
        match (self, number) {
            (Mathematics::Abs, Number::Int(value)) => {
                value.checked_abs().map(Atom::Int).ok_or_else(|| too_large("abs"))
            }
            (Mathematics::Abs, Number::Float(value)) => Ok(Atom::Float(value.abs())),
            (Mathematics::Exp, _) => finite(value.exp(), "exp"),
            (Mathematics::Log, _) if value <= 0.0 => Err(not_real()),
            (Mathematics::Log, _) => finite(value.ln(), "log"),
            (Mathematics::Sqrt, _) if value < 0.0 => Err(not_real()),
            (Mathematics::Sqrt, _) => finite(value.sqrt(), "sqrt"),
        }
    }
}

/// An operator with one operand, on a single value.
pub(crate) fn unary(operator: UnaryOperator, operand: &Atom) -> Result<Atom, Message> {
    match (operator, operand.number()) {
        (UnaryOperator::Not, _) => Ok(Atom::Bool(!operand.is_true())),
        (UnaryOperator::Indicator, _) => Ok(Atom::Int(i64::from(operand.is_true()))),
        (_, None) => Err(bad_operand(operator.symbol(), operand)),
        (UnaryOperator::Plus | UnaryOperator::Round, Some(Number::Int(value))) => Ok(Atom::Int(value)),
        (UnaryOperator::Plus, Some(Number::Float(value))) => Ok(Atom::Float(value)),
        (UnaryOperator::Minus, Some(Number::Int(value))) => {
            value.checked_neg().map(Atom::Int).ok_or_else(|| too_large("-"))
        }
        (UnaryOperator::Minus, Some(Number::Float(value))) => Ok(Atom::Float(-value)),
        (UnaryOperator::Round, Some(Number::Float(value))) => {
            let rounded = value.round_ties_even();
            // 2^63 itself is a float, but no whole number of 64 bits.
            if rounded >= -(2f64.powi(63)) && rounded < 2f64.powi(63) {
                Ok(Atom::Int(rounded as i64))
            } else {
                Err(too_large("round"))
            }
        }
    }
}

/// An operator with two operands, on single values. `and` and `or` give one of their operands.
pub(crate) fn binary(operator: BinaryOperator, left: &Atom, right: &Atom) -> Result<Atom, Message> {
    match operator {
        BinaryOperator::And => Ok(if left.is_true() { right } else { left }.clone()),
        BinaryOperator::Or => Ok(if left.is_true() { left } else { right }.clone()),
        BinaryOperator::Compare(comparison) => compare(comparison, left, right).map(Atom::Bool),
        _ => match (left.number(), right.number()) {
            (Some(a), Some(b)) => arithmetic(operator, a, b),
            _ => on_texts(operator, left, right),
        },
    }
}

/// `left comparison right`; an order between a number and a text is an error.
pub(crate) fn compare(comparison: Comparison, left: &Atom, right: &Atom) -> Result<bool, Message> {
    match left.compare(right) {
        Some(ordering) => Ok(holds(comparison, ordering)),
        None => match comparison {
            Comparison::Equal => Ok(false),
            Comparison::NotEqual => Ok(true),
            _ => Err(bad_operands(comparison.symbol(), left, right)),
        },
    }
}

/// Whether a comparison holds between values in this order.
pub(crate) fn holds(comparison: Comparison, ordering: Ordering) -> bool {
    match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::LessOrEqual => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::GreaterOrEqual => ordering.is_ge(),
    }
}

fn arithmetic(operator: BinaryOperator, left: Number, right: Number) -> Result<Atom, Message> {
    if let (Number::Int(a), Number::Int(b)) = (left, right) {
        let exact = match operator {
            BinaryOperator::Add => a.checked_add(b),
            BinaryOperator::Subtract => a.checked_sub(b),
            BinaryOperator::Multiply => a.checked_mul(b),
            BinaryOperator::Remainder if b == 0 => return Err(Message::DivisionByZero {}),
            // The remainder of Rust takes the sign of the dividend.
            BinaryOperator::Remainder => match a.checked_rem(b) {
                Some(rest) if rest != 0 && (rest < 0) != (b < 0) => Some(rest + b),
                Some(rest) => Some(rest),
                None => Some(0),
            },
            BinaryOperator::Power if b >= 0 => match a {
                0 | 1 => Some(if b == 0 { 1 } else { a }),
                -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
                _ => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
            },
            _ => return on_floats(operator, a as f64, b as f64).map(Atom::Float),
        };
        return exact.map(Atom::Int).ok_or_else(|| too_large(operator.symbol()));
    }
    on_floats(operator, left.to_f64(), right.to_f64()).map(Atom::Float)
}

fn on_floats(operator: BinaryOperator, a: f64, b: f64) -> Result<f64, Message> {
    let value = match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide | BinaryOperator::Remainder if b == 0.0 => {
            return Err(Message::DivisionByZero {});
        }
        BinaryOperator::Divide => a / b,
        BinaryOperator::Remainder => {
            let rest = a % b;
            if rest == 0.0 {
                0f64.copysign(b)
            } else if (rest < 0.0) != (b < 0.0) {
                rest + b
            } else {
                rest
            }
        }
        BinaryOperator::Power if a == 0.0 && b < 0.0 => {
            return Err(Message::DivisionByZero {});
        }
        BinaryOperator::Power if a < 0.0 && b.fract() != 0.0 => {
            return Err(Message::NotReal {
                operation: Phrase::Source(format!("^ {}", Atom::Float(b))),
                value: Atom::Float(a).phrase(),
            });
        }
        _ => a.powf(b),
    };
    if value.is_finite() { Ok(value) } else { Err(too_large(operator.symbol())) }
}

fn on_texts(operator: BinaryOperator, left: &Atom, right: &Atom) -> Result<Atom, Message> {
    let repeated = |text: &str, times: i64| {
        let times = usize::try_from(times).unwrap_or(0);
        if text.len().saturating_mul(times) > MAXIMUM_TEXT {
            return Err(text_too_long());
        }
        Ok(Atom::text(&text.repeat(times)))
    };
    match (operator, left, right) {
        (BinaryOperator::Add, Atom::Text(a), Atom::Text(b)) => {
            if a.len() + b.len() > MAXIMUM_TEXT {
                return Err(text_too_long());
            }
            Ok(Atom::Text(Arc::from(format!("{a}{b}"))))
        }
        (BinaryOperator::Multiply, Atom::Text(text), _) if right.whole().is_some() => {
            repeated(text, right.whole().unwrap_or(0))
        }
        (BinaryOperator::Multiply, _, Atom::Text(text)) if left.whole().is_some() => {
            repeated(text, left.whole().unwrap_or(0))
        }
        _ => Err(bad_operands(operator.symbol(), left, right)),
    }
}

fn finite(value: f64, operation: &str) -> Result<Atom, Message> {
    if value.is_finite() { Ok(Atom::Float(value)) } else { Err(too_large(operation)) }
}

fn too_large(operation: &str) -> Message {
    Message::NotFinite { operation: Phrase::Source(operation.to_owned()) }
}

fn text_too_long() -> Message {
    Message::TextTooLong { limit: MAXIMUM_TEXT.into() }
}

fn bad_operand(operator: &str, operand: &Atom) -> Message {
    Message::BadOperand { operator: Phrase::Source(operator.to_owned()), operand: described(operand) }
}

fn bad_operands(operator: &str, left: &Atom, right: &Atom) -> Message {
    Message::BadOperands {
        operator: Phrase::Source(operator.to_owned()),
        left: described(left),
        right: described(right),
    }
}

/// Texts are shown, of numbers the kind is said: that is what matters.
fn described(atom: &Atom) -> Phrase {
    match atom {
        Atom::Text(_) => atom.phrase(),
        _ => Term::Number.into(),
    }
}

/// What went wrong at which position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) position: Option<usize>,
    pub(crate) message: Message,
}

/// One atom for each position, or the first failure.
pub(crate) fn map(
    length: usize,
    atom_at: impl Fn(usize) -> Result<Atom, Message>,
) -> Result<Sequence, Failure> {
    let mut atoms = Vec::with_capacity(length);
    for position in 0..length {
        atoms.push(atom_at(position).map_err(|message| Failure { position: Some(position), message })?);
    }
    Sequence::from_atoms(atoms).map_err(|not_one_kind| Failure {
        position: Some(not_one_kind.position),
        message: not_one_kind.message,
    })
}

/// An operator with two operands at the first `length` positions. `and` and `or` give truth values.
pub(crate) fn binary_on_sequences(
    operator: BinaryOperator,
    left: &Sequence,
    right: &Sequence,
    length: usize,
) -> Result<Sequence, Failure> {
    if length == left.len()
        && let Some(result) = fast(operator, left, right)
    {
        return Ok(result);
    }
    map(length, |position| binary_at_position(operator, &left.get(position), &right.get(position)))
}

/// An operator between two s-ops at one position: unlike between atoms, `and` and `or` give truth values.
pub(crate) fn binary_at_position(
    operator: BinaryOperator,
    left: &Atom,
    right: &Atom,
) -> Result<Atom, Message> {
    match operator {
        BinaryOperator::And => Ok(Atom::Bool(left.is_true() && right.is_true())),
        BinaryOperator::Or => Ok(Atom::Bool(left.is_true() || right.is_true())),
        _ => binary(operator, left, right),
    }
}

/// The common cases without a detour over atoms. `None` for the others, and where something fails,
/// so that the general way finds the place.
fn fast(operator: BinaryOperator, left: &Sequence, right: &Sequence) -> Option<Sequence> {
    match (left, right) {
        (Sequence::Ints(a), Sequence::Ints(b)) => {
            let pairs = a.iter().zip(b);
            let exact = |f: fn(i64, i64) -> Option<i64>| {
                let values: Option<Vec<i64>> = pairs.clone().map(|(a, b)| f(*a, *b)).collect();
                values.map(Sequence::Ints)
            };
            match operator {
                BinaryOperator::Add => exact(i64::checked_add),
                BinaryOperator::Subtract => exact(i64::checked_sub),
                BinaryOperator::Multiply => exact(i64::checked_mul),
                BinaryOperator::Compare(comparison) => {
                    Some(Sequence::Bools(pairs.map(|(a, b)| holds(comparison, a.cmp(b))).collect()))
                }
                _ => None,
            }
        }
        (Sequence::Floats(a), Sequence::Floats(b)) => {
            let pairs = a.iter().zip(b);
            let f: fn(f64, f64) -> f64 = match operator {
                BinaryOperator::Add => |a, b| a + b,
                BinaryOperator::Subtract => |a, b| a - b,
                BinaryOperator::Multiply => |a, b| a * b,
                // Division by zero is not finite, so that it takes the general way too.
                BinaryOperator::Divide => |a, b| a / b,
                _ => return None,
            };
            let values: Vec<f64> = pairs.map(|(a, b)| f(*a, *b)).collect();
            values.iter().all(|value| value.is_finite()).then_some(Sequence::Floats(values))
        }
        _ => None,
    }
}

/// `then if condition else otherwise` at the first `length` positions.
pub(crate) fn choose(
    condition: &Sequence,
    then: &Sequence,
    otherwise: &Sequence,
    length: usize,
) -> Result<Sequence, Failure> {
    if length == condition.len()
        && let (Sequence::Bools(condition), Sequence::Floats(a), Sequence::Floats(b)) =
            (condition, then, otherwise)
    {
        let values = condition.iter().zip(a.iter().zip(b));
        return Ok(Sequence::Floats(values.map(|(holds, (a, b))| if *holds { *a } else { *b }).collect()));
    }
    map(length, |position| {
        Ok(if condition.get(position).is_true() { then.get(position) } else { otherwise.get(position) })
    })
}
