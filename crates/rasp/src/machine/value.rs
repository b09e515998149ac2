//! What names stand for while a program runs.

use std::rc::Rc;

use crate::code::Function;
use crate::diagnostic::{Message, Phrase, Term};
use crate::elementwise::Mathematics;
use crate::graph::NodeId;
use crate::trace::Applied;
use crate::value::Atom;

/// The longest list that a program may make.
pub(super) const MAXIMUM_LIST: usize = 100_000;
/// How deep lists may stand inside of lists.
const MAXIMUM_LIST_DEPTH: usize = 50;

/// Anything that a name can stand for.
#[derive(Clone)]
pub(crate) enum Value {
    Atom(Atom),
    List(Rc<List>),
    Dictionary(Rc<Dictionary>),
    SOp(NodeId),
    Selector(NodeId),
    Function(Rc<Closure>),
    Native(Native),
    /// An s-op or a selector that was given an input.
    Applied(Rc<Applied>),
}

/// A list. Its size and depth are known, so that no walk through it can be too long or too deep.
pub(crate) struct List {
    pub(crate) items: Vec<Value>,
    pub(super) size: usize,
    pub(super) depth: usize,
}

/// A dictionary in the order in which its keys were first given.
pub(crate) struct Dictionary {
    pub(crate) entries: Vec<(Atom, Value)>,
    pub(super) size: usize,
    pub(super) depth: usize,
}

pub(crate) struct Closure {
    pub(crate) function: Rc<Function>,
    pub(super) scope: usize,
}

/// Functions that are not written in RASP.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    Mathematics(Mathematics),
    /// `require(value, condition, text)`: the value where the condition holds, else an error.
    Require,
}

impl Native {
    pub(super) fn name(self) -> &'static str {
        match self {
            Native::Mathematics(function) => function.name(),
            Native::Require => "require",
        }
    }
}

impl Value {
    pub(crate) fn term(&self) -> Term {
        match self {
            Value::Atom(atom) => atom.term(),
            Value::List(_) => Term::List,
            Value::Dictionary(_) => Term::Dictionary,
            Value::SOp(_) => Term::SOp,
            Value::Selector(_) => Term::Selector,
            Value::Function(_) | Value::Native(_) => Term::Function,
            Value::Applied(_) => Term::Sequence,
        }
    }

    /// Atoms are shown, of everything else the kind is said.
    pub(super) fn phrase(&self) -> Phrase {
        match self {
            Value::Atom(atom) => atom.phrase(),
            _ => self.term().into(),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Atom(atom) => atom.is_true(),
            Value::List(list) => !list.items.is_empty(),
            Value::Dictionary(dictionary) => !dictionary.entries.is_empty(),
            _ => true,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Value::List(list) => list.size,
            Value::Dictionary(dictionary) => dictionary.size,
            _ => 1,
        }
    }

    pub(super) fn depth(&self) -> usize {
        match self {
            Value::List(list) => list.depth,
            Value::Dictionary(dictionary) => dictionary.depth,
            _ => 0,
        }
    }

    pub(super) fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Atom(a), Value::Atom(b)) => a.equals(b),
            (Value::List(a), Value::List(b)) => {
                a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| a.equals(b))
            }
            (Value::Dictionary(a), Value::Dictionary(b)) => {
                a.entries.len() == b.entries.len()
                    && a.entries
                        .iter()
                        .all(|(key, value)| b.get(key).is_some_and(|other| value.equals(other)))
            }
            (Value::SOp(a), Value::SOp(b)) | (Value::Selector(a), Value::Selector(b)) => a == b,
            _ => false,
        }
    }
}

impl List {
    /// A list of these values, unless it would be too long or too deep.
    pub(super) fn of(items: Vec<Value>) -> Result<Value, Message> {
        let (size, depth) = extent(items.iter())?;
        Ok(Value::List(Rc::new(List { items, size, depth })))
    }

    /// The items, when all are atoms.
    pub(super) fn atoms(&self) -> Option<Vec<Atom>> {
        self.items
            .iter()
            .map(|item| match item {
                Value::Atom(atom) => Some(atom.clone()),
                _ => None,
            })
            .collect()
    }
}

impl Dictionary {
    /// A dictionary of these entries; later ones replace earlier ones of the same key.
    pub(super) fn of(given: Vec<(Atom, Value)>) -> Result<Value, Message> {
        let mut entries: Vec<(Atom, Value)> = Vec::with_capacity(given.len());
        for (key, value) in given {
            match entries.iter_mut().find(|(known, _)| known.equals(&key)) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        let (size, depth) = extent(entries.iter().map(|(_, value)| value))?;
        Ok(Value::Dictionary(Rc::new(Dictionary { entries, size, depth })))
    }

    pub(super) fn get(&self, key: &Atom) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known.equals(key)).map(|(_, value)| value)
    }
}

/// Size and depth of a list or dictionary of these values.
fn extent<'v>(values: impl Iterator<Item = &'v Value>) -> Result<(usize, usize), Message> {
    let (size, depth) = values.fold((1usize, 0), |(size, depth), value| {
        (size.saturating_add(value.size()), depth.max(value.depth()))
    });
    if size > MAXIMUM_LIST + 1 {
        return Err(list_too_long());
    }
    if depth >= MAXIMUM_LIST_DEPTH {
        return Err(Message::ListTooDeep { limit: MAXIMUM_LIST_DEPTH.into() });
    }
    Ok((size, depth + 1))
}

pub(super) fn list_too_long() -> Message {
    Message::ListTooLong { limit: MAXIMUM_LIST.into() }
}
