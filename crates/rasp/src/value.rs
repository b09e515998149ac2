//! The values that a program computes with: atoms, and sequences of atoms of one kind.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Message, Phrase, Term};

/// A single value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Atom {
    /// `True` or `False`, which count as 1 and 0 in arithmetic.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction; always finite.
    Float(f64),
    /// A text.
    Text(Arc<str>),
}

/// Two atoms are identical when they have the same type and the same bits. Whether a program finds
/// them equal is [`Atom::equals`]: there 1, 1.0 and `True` are equal.
impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Atom::Bool(a), Atom::Bool(b)) => a == b,
            (Atom::Int(a), Atom::Int(b)) => a == b,
            (Atom::Float(a), Atom::Float(b)) => a.to_bits() == b.to_bits(),
            (Atom::Text(a), Atom::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Atom {}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Atom::Bool(value) => value.hash(state),
            Atom::Int(value) => value.hash(state),
            Atom::Float(value) => value.to_bits().hash(state),
            Atom::Text(value) => value.hash(state),
        }
    }
}

/// A number, as arithmetic sees it.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(crate) fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl Atom {
    /// A text.
    pub fn text(text: &str) -> Self {
        Atom::Text(Arc::from(text))
    }

    /// Whether a condition takes it as true: everything but 0 and the empty text.
    pub fn is_true(&self) -> bool {
        match self {
            Atom::Bool(value) => *value,
            Atom::Int(value) => *value != 0,
            Atom::Float(value) => *value != 0.0,
            Atom::Text(value) => !value.is_empty(),
        }
    }

    /// Whether a program finds both equal: numbers by their value, texts letter by letter, a number
    /// never equals a text.
    pub fn equals(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// The order of two numbers or of two texts; `None` between a number and a text.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Atom::Text(a), Atom::Text(b)) => Some(a.cmp(b)),
            _ => match (self.number()?, other.number()?) {
                (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
                (a, b) => a.to_f64().partial_cmp(&b.to_f64()),
            },
        }
    }

    /// As an `f64`, when it is a number or a truth value.
    pub fn as_f64(&self) -> Option<f64> {
        self.number().map(Number::to_f64)
    }

    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Atom::Bool(value) => Some(Number::Int(i64::from(*value))),
            Atom::Int(value) => Some(Number::Int(*value)),
            Atom::Float(value) => Some(Number::Float(*value)),
            Atom::Text(_) => None,
        }
    }

    /// As a whole number, when it is one or a truth value.
    pub(crate) fn whole(&self) -> Option<i64> {
        match self.number() {
            Some(Number::Int(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Atom::Bool(_) => Kind::Bools,
            Atom::Int(_) => Kind::Ints,
            Atom::Float(_) => Kind::Floats,
            Atom::Text(_) => Kind::Texts,
        }
    }

    pub(crate) fn term(&self) -> Term {
        match self {
            Atom::Bool(_) => Term::TruthValue,
            Atom::Int(_) => Term::WholeNumber,
            Atom::Float(_) => Term::Fraction,
            Atom::Text(_) => Term::Text,
        }
    }

    /// As it would be written in a program.
    pub fn to_source(&self) -> String {
        match self {
            Atom::Text(text) => format!("\"{text}\""),
            _ => self.to_string(),
        }
    }

    pub(crate) fn phrase(&self) -> Phrase {
        Phrase::Source(self.to_source())
    }
}

/// As `tokens_str` writes it.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Bool(true) => f.write_str("True"),
            Atom::Bool(false) => f.write_str("False"),
            Atom::Int(value) => write!(f, "{value}"),
            Atom::Float(value) => write_float(f, *value),
            Atom::Text(text) => f.write_str(text),
        }
    }
}

/// The shortest digits that read back as `value`, with at least one after the point, and with an
/// exponent only below 1e-4 and from 1e16 on.
fn write_float(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return write!(f, "{value:?}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            write!(f, "{digits}e{sign}{exponent:0>2}")
        }
        None => f.write_str(&text),
    }
}

/// What all values of a sequence are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Truth values only.
    Bools,
    /// Whole numbers, perhaps with truth values among them.
    Ints,
    /// Numbers, at least one of which has a fraction.
    Floats,
    /// Texts only.
    Texts,
}

impl Kind {
    pub(crate) fn term(self) -> Term {
        match self {
            Kind::Bools => Term::TruthValues,
            Kind::Ints => Term::WholeNumbers,
            Kind::Floats => Term::Fractions,
            Kind::Texts => Term::Texts,
        }
    }
}

/// One value for each position, all of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sequence {
    /// Truth values.
    Bools(Vec<bool>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers with a fraction.
    Floats(Vec<f64>),
    /// Texts.
    Texts(Vec<Arc<str>>),
    /// Numbers of which some are whole, some have a fraction, some are truth values; each keeps its type.
    Mixed(Vec<Atom>),
}

/// Why values do not make a sequence: the one at `position` does not fit those before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NotOneKind {
    pub(crate) position: usize,
    pub(crate) message: Message,
}

impl Sequence {
    /// The sequence of these atoms. Fails where texts and numbers meet.
    pub(crate) fn from_atoms(atoms: Vec<Atom>) -> Result<Self, NotOneKind> {
        let Some(first) = atoms.first().map(Atom::kind) else {
            return Ok(Sequence::Mixed(atoms));
        };
        let other = atoms.iter().position(|atom| atom.kind() != first);
        if let Some(position) = other {
            let differs = |atom: &Atom| (atom.kind() == Kind::Texts) != (first == Kind::Texts);
            return match atoms[position..].iter().position(differs) {
                Some(offset) => Err(NotOneKind {
                    position: position + offset,
                    message: Message::MixedKinds {
                        first: first.term().into(),
                        other: atoms[position + offset].kind().term().into(),
                    },
                }),
                None => Ok(Sequence::Mixed(atoms)),
            };
        }
        // All atoms have the kind of the first, so each of these patterns holds for every one.
        let all = atoms.into_iter();
        Ok(match first {
            Kind::Bools => Sequence::Bools(all.map(|atom| atom.is_true()).collect()),
            Kind::Ints => Sequence::Ints(all.filter_map(|atom| atom.whole()).collect()),
            Kind::Floats => Sequence::Floats(all.filter_map(|atom| atom.as_f64()).collect()),
            Kind::Texts => Sequence::Texts(
                all.filter_map(|atom| match atom {
                    Atom::Text(text) => Some(text),
                    _ => None,
                })
                .collect(),
            ),
        })
    }

    /// The same value at each of `length` positions.
    pub(crate) fn constant(atom: &Atom, length: usize) -> Self {
        match atom {
            Atom::Bool(value) => Sequence::Bools(vec![*value; length]),
            Atom::Int(value) => Sequence::Ints(vec![*value; length]),
            Atom::Float(value) => Sequence::Floats(vec![*value; length]),
            Atom::Text(value) => Sequence::Texts(vec![value.clone(); length]),
        }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        match self {
            Sequence::Bools(values) => values.len(),
            Sequence::Ints(values) => values.len(),
            Sequence::Floats(values) => values.len(),
            Sequence::Texts(values) => values.len(),
            Sequence::Mixed(values) => values.len(),
        }
    }

    /// Whether it has no positions. No run of a program gives such a sequence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a position, which must be less than the length.
    pub fn get(&self, position: usize) -> Atom {
        match self {
            Sequence::Bools(values) => Atom::Bool(values[position]),
            Sequence::Ints(values) => Atom::Int(values[position]),
            Sequence::Floats(values) => Atom::Float(values[position]),
            Sequence::Texts(values) => Atom::Text(values[position].clone()),
            Sequence::Mixed(values) => values[position].clone(),
        }
    }

    /// All values in their order.
    pub fn iter(&self) -> impl Iterator<Item = Atom> + '_ {
        (0..self.len()).map(|position| self.get(position))
    }

    /// What all its values are.
    pub fn kind(&self) -> Kind {
        match self {
            Sequence::Bools(_) => Kind::Bools,
            Sequence::Ints(_) => Kind::Ints,
            Sequence::Floats(_) => Kind::Floats,
            Sequence::Texts(_) => Kind::Texts,
            Sequence::Mixed(values) => {
                if values.iter().any(|atom| atom.kind() == Kind::Floats) {
                    Kind::Floats
                } else {
                    Kind::Ints
                }
            }
        }
    }

    /// All values as `f64`; `None` for texts.
    pub fn to_f64(&self) -> Option<Vec<f64>> {
        match self {
            Sequence::Floats(values) => Some(values.clone()),
            _ => self.iter().map(|atom| atom.as_f64()).collect(),
        }
    }
}

/// `[1, 2.5, 3]`
impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.iter().map(|atom| atom.to_source()).collect();
        write!(f, "[{}]", values.join(", "))
    }
}
