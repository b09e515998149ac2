//! Lists, dictionaries, and the loops over them.

use std::rc::Rc;

use super::value::{Dictionary, List, MAXIMUM_LIST, Value, list_too_long};
use super::{Loop, Machine, ScopeKind, Stop, cost, expects};
use crate::code::{LoopKind, Symbol};
use crate::diagnostic::{Message, Phrase, Term};
use crate::value::Atom;

impl Machine<'_> {
    pub(super) fn list(&mut self, count: usize) -> Result<Value, Box<Stop>> {
        self.budget.work(cost::ITEM * count)?;
        let items = self.pop_many(count);
        Ok(List::of(items)?)
    }

    pub(super) fn dictionary(&mut self, count: usize) -> Result<Value, Box<Stop>> {
        let mut values = self.pop_many(2 * count).into_iter();
        let mut entries = Vec::with_capacity(count);
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            entries.push((atom_key(&key)?, value));
        }
        self.budget.work(count * count / 2)?;
        Ok(Dictionary::of(entries)?)
    }

    pub(super) fn range(&mut self, count: usize) -> Result<Value, Box<Stop>> {
        let values = self.pop_many(count);
        let mut numbers = Vec::with_capacity(count);
        for value in &values {
            match value {
                Value::Atom(atom) if atom.whole().is_some() => {
                    numbers.extend(atom.whole());
                }
                _ => return Err(expects("range", Term::WholeNumber, value).into()),
            }
        }
        let (start, end, step) = match numbers[..] {
            [end] => (0, end, 1),
            [start, end] => (start, end, 1),
            [start, end, step] => (start, end, step),
            _ => {
                return Err(Message::ArgumentCount {
                    function: Phrase::Source("range".to_owned()),
                    expected: Phrase::OneOf(vec![1.into(), 2.into(), 3.into()]),
                    found: count.into(),
                }
                .into());
            }
        };
        if step == 0 {
            return Err(Message::ZeroStep {}.into());
        }
        let mut items = Vec::new();
        let mut at = start;
        while (step > 0 && at < end) || (step < 0 && at > end) {
            if items.len() == MAXIMUM_LIST {
                return Err(list_too_long().into());
            }
            items.push(Value::Atom(Atom::Int(at)));
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        self.budget.work(cost::ITEM * items.len())?;
        Ok(List::of(items)?)
    }

    pub(super) fn zip(&mut self, count: usize) -> Result<Value, Box<Stop>> {
        let values = self.pop_many(count);
        let mut lists = Vec::with_capacity(count);
        for value in &values {
            match value {
                Value::List(list) => lists.push(list),
                _ => return Err(expects("zip", Term::List, value).into()),
            }
        }
        let first = lists.first().map_or(0, |list| list.items.len());
        for (place, list) in lists.iter().enumerate() {
            if list.items.len() != first {
                return Err(Message::ZipLengths {
                    first: first.into(),
                    place: (place + 1).into(),
                    length: list.items.len().into(),
                }
                .into());
            }
        }
        self.budget.work(cost::ITEM * first * count)?;
        let rows: Result<Vec<Value>, Message> = (0..first)
            .map(|at| List::of(lists.iter().map(|list| list.items[at].clone()).collect()))
            .collect();
        Ok(List::of(rows?)?)
    }

    pub(super) fn len(&mut self) -> Result<Value, Box<Stop>> {
        let value = self.pop();
        let length = match &value {
            Value::List(list) => list.items.len(),
            Value::Dictionary(dictionary) => dictionary.entries.len(),
            _ => return Err(expects("len", Term::List, &value).into()),
        };
        Ok(Value::Atom(Atom::Int(length as i64)))
    }

    pub(super) fn open_loop(&mut self, kind: LoopKind) -> Result<(), Box<Stop>> {
        let iterable = self.pop();
        self.budget.work(iterable.size())?;
        let items = match &iterable {
            Value::List(list) => list.clone(),
            Value::Dictionary(dictionary) => {
                let keys = dictionary.entries.iter();
                let items = keys.map(|(key, _)| Value::Atom(key.clone())).collect();
                Rc::new(List { size: dictionary.size, depth: 1, items })
            }
            _ => {
                return Err(Message::Expects {
                    function: Phrase::Source("for".to_owned()),
                    expected: Phrase::OneOf(vec![Term::List.into(), Term::Dictionary.into()]),
                    found: iterable.phrase(),
                }
                .into());
            }
        };
        self.loops.push(Loop { items, next: 0, kind, collected: Vec::new(), scope: self.scope() });
        Ok(())
    }

    pub(super) fn next_round(&mut self, names: &[Symbol], exit: usize) -> Result<(), Box<Stop>> {
        let Some(current) = self.loops.last_mut() else {
            return Ok(());
        };
        let Some(item) = current.items.items.get(current.next).cloned() else {
            self.jump(exit);
            return Ok(());
        };
        current.next += 1;
        if current.kind != LoopKind::Statement {
            let around = current.scope;
            let scope = self.open_scope(Some(around), ScopeKind::Local);
            self.set_scope(scope);
        }
        if let [name] = names {
            return self.store(*name, item);
        }
        let values = several(&item, names.len())?;
        if values.len() != names.len() {
            return Err(Message::NameCount { names: names.len().into(), values: values.len().into() }.into());
        }
        for (name, value) in names.iter().zip(values) {
            self.store(*name, value)?;
        }
        Ok(())
    }

    pub(super) fn collect(&mut self) -> Result<(), Box<Stop>> {
        let value = self.pop();
        let is_dictionary = self.loops.last().is_some_and(|current| current.kind == LoopKind::Dictionary);
        let key = if is_dictionary {
            let key = self.pop();
            Some(atom_key(&key)?)
        } else {
            None
        };
        let inner = self.scope();
        if let Some(current) = self.loops.last_mut() {
            current.collected.push((key, value));
            let around = current.scope;
            self.set_scope(around);
            self.close_scope(inner);
        }
        Ok(())
    }

    pub(super) fn close_loop(&mut self) -> Result<(), Box<Stop>> {
        let Some(ended) = self.loops.pop() else {
            return Ok(());
        };
        let value = match ended.kind {
            LoopKind::Statement => return Ok(()),
            LoopKind::List => List::of(ended.collected.into_iter().map(|(_, v)| v).collect())?,
            LoopKind::Dictionary => {
                let count = ended.collected.len();
                self.budget.work(count * count / 2)?;
                let entries = ended.collected.into_iter();
                Dictionary::of(entries.filter_map(|(k, v)| Some((k?, v))).collect())?
            }
        };
        self.stack.push(value);
        Ok(())
    }
}

/// The values that several names share: the items of a list, the keys of a dictionary, letters.
pub(super) fn several(value: &Value, names: usize) -> Result<Vec<Value>, Message> {
    match value {
        Value::List(list) => Ok(list.items.clone()),
        Value::Dictionary(dictionary) => {
            Ok(dictionary.entries.iter().map(|(key, _)| Value::Atom(key.clone())).collect())
        }
        Value::Atom(Atom::Text(text)) => Ok(letters(text).map(Value::Atom).collect()),
        _ => Err(Message::NotSeveral { names: names.into(), found: value.phrase() }),
    }
}

pub(super) fn letters(text: &str) -> impl Iterator<Item = Atom> + '_ {
    text.chars().map(|letter| Atom::text(letter.encode_utf8(&mut [0; 4])))
}

fn atom_key(key: &Value) -> Result<Atom, Message> {
    match key {
        Value::Atom(atom) => Ok(atom.clone()),
        _ => Err(Message::BadKey { found: key.phrase() }),
    }
}
