//! Selectors as conditions between the variables at a query and those at a key.

use rasp::Atom;

use crate::Condition;
use crate::symbolic::VarId;

/// One side of a term: some variables, and a class for each of their combinations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) vars: Vec<VarId>,
    /// The class of each combination; `None` where the program has no value.
    pub(crate) classes: Vec<Option<u16>>,
    /// What stands for each class: the value of the sequence, where the side is one.
    pub(crate) atoms: Vec<Atom>,
    /// The step that the side is the value of.
    pub(crate) step: Option<usize>,
}

/// A condition between two sides: a truth value for each pair of classes, `[query][key]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) query: Side,
    pub(crate) key: Side,
    pub(crate) holds: Vec<Vec<bool>>,
    pub(crate) conditions: Option<Vec<Condition>>,
    /// Whether it is a `select(…, …, ==)` as it stands in the program.
    pub(crate) is_equality: bool,
}

/// A selector.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    Term(Box<Term>),
    All(Vec<Selection>),
    Any(Vec<Selection>),
}

impl Term {
    /// The opposite.
    pub(crate) fn not(&self) -> Term {
        let conditions = match self.conditions.as_deref() {
            Some([Condition::Selector(step)]) => Some(vec![Condition::NotSelector(*step)]),
            Some([Condition::NotSelector(step)]) => Some(vec![Condition::Selector(*step)]),
            _ => None,
        };
        Term {
            holds: self.holds.iter().map(|row| row.iter().map(|holds| !holds).collect()).collect(),
            conditions,
            is_equality: false,
            ..self.clone()
        }
    }

    /// Whether it never holds.
    pub(crate) fn is_never(&self) -> bool {
        self.holds.iter().flatten().all(|holds| !holds)
    }

    /// Whether it always holds.
    pub(crate) fn is_always(&self) -> bool {
        self.holds.iter().flatten().all(|holds| *holds)
    }

    /// Both of two terms between the same variables, as one; or at least one of them.
    pub(crate) fn combined(&self, other: &Term, both: bool) -> Option<Term> {
        if self.query.vars != other.query.vars || self.key.vars != other.key.vars {
            return None;
        }
        let (query, query_pairs) = self.query.combined(&other.query);
        let (key, key_pairs) = self.key.combined(&other.key);
        let holds = query_pairs
            .iter()
            .map(|(q1, q2)| {
                let cell = |(k1, k2): &(u16, u16)| {
                    let a = self.holds[*q1 as usize][*k1 as usize];
                    let b = other.holds[*q2 as usize][*k2 as usize];
                    if both { a && b } else { a || b }
                };
                key_pairs.iter().map(cell).collect()
            })
            .collect();
        let conditions = match (both, &self.conditions, &other.conditions) {
            (true, Some(a), Some(b)) => Some(a.iter().chain(b).copied().collect()),
            _ => None,
        };
        Some(Term { query, key, holds, conditions, is_equality: false })
    }
}

impl Side {
    /// The classes of both, as pairs.
    fn combined(&self, other: &Side) -> (Side, Vec<(u16, u16)>) {
        if self.classes == other.classes {
            let pairs = (0..self.atoms.len() as u16).map(|class| (class, class)).collect();
            return (self.clone(), pairs);
        }
        let mut pairs: Vec<(u16, u16)> = Vec::new();
        let mut class_of = std::collections::HashMap::new();
        let classes = self.classes.iter().zip(&other.classes).map(|(a, b)| {
            let pair = (*a)?;
            let pair = (pair, (*b)?);
            Some(*class_of.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                (pairs.len() - 1) as u16
            }))
        });
        let classes = classes.collect();
        let atoms = (0..pairs.len() as i64).map(Atom::Int).collect();
        (Side { vars: self.vars.clone(), classes, atoms, step: None }, pairs)
    }
}

impl Selection {
    /// Terms between the same variables made one, nested lists made flat.
    pub(crate) fn simplified(self) -> Selection {
        let (children, both) = match self {
            Selection::Term(_) => return self,
            Selection::All(children) => (children, true),
            Selection::Any(children) => (children, false),
        };
        let mut flat: Vec<Selection> = Vec::new();
        for child in children {
            match (child.simplified(), both) {
                (Selection::All(inner), true) | (Selection::Any(inner), false) => flat.extend(inner),
                (other, _) => flat.push(other),
            }
        }
        let mut merged: Vec<Selection> = Vec::new();
        for child in flat {
            let Selection::Term(term) = &child else {
                merged.push(child);
                continue;
            };
            let joined = merged.iter_mut().find_map(|other| match other {
                Selection::Term(earlier) => {
                    // An equality as it stands in the program can be more than its table: it stays alone.
                    let combined = earlier.combined(term, both)?;
                    **earlier = combined;
                    Some(())
                }
                _ => None,
            });
            if joined.is_none() {
                merged.push(child);
            }
        }
        if merged.len() == 1 {
            return merged.remove(0);
        }
        if both { Selection::All(merged) } else { Selection::Any(merged) }
    }

    /// The same as alternatives of which at most one holds, each a list of terms that all hold. `None` when there
    /// are more than `limit`.
    pub(crate) fn alternatives(&self, limit: usize) -> Option<Vec<Vec<Term>>> {
        let mut found = match self {
            Selection::Term(term) => vec![vec![(**term).clone()]],
            Selection::All(children) => {
                let mut product: Vec<Vec<Term>> = vec![Vec::new()];
                for child in children {
                    product = both(&product, &child.alternatives(limit)?, limit)?;
                }
                product
            }
            Selection::Any(children) => {
                let mut parts: Vec<Vec<Vec<Term>>> =
                    children.iter().map(|child| child.alternatives(limit)).collect::<Option<_>>()?;
                // Short ones first: what they exclude is easily said.
                parts.sort_by_key(|part| part.iter().map(Vec::len).max());
                let mut none_before: Vec<Vec<Term>> = vec![Vec::new()];
                let mut found = Vec::new();
                for part in parts {
                    found.extend(both(&part, &none_before, limit)?);
                    for conjunction in &part {
                        none_before = both(&none_before, &opposite(conjunction), limit)?;
                    }
                }
                found
            }
        };
        found.retain(|conjunction| !conjunction.iter().any(Term::is_never));
        for conjunction in &mut found {
            conjunction.retain(|term| !term.is_always());
        }
        (found.len() <= limit).then_some(found)
    }

    /// All variables of the queries, and of the keys.
    pub(crate) fn vars(&self) -> (Vec<VarId>, Vec<VarId>) {
        let mut vars = (Vec::new(), Vec::new());
        self.terms(&mut |term| {
            vars.0.extend(&term.query.vars);
            vars.1.extend(&term.key.vars);
        });
        for side in [&mut vars.0, &mut vars.1] {
            side.sort_unstable();
            side.dedup();
        }
        vars
    }

    pub(crate) fn terms(&self, see: &mut dyn FnMut(&Term)) {
        match self {
            Selection::Term(term) => see(term),
            Selection::All(children) | Selection::Any(children) => {
                children.iter().for_each(|child| child.terms(see));
            }
        }
    }

    /// Whether it holds, where `holds` says it of each of its terms by its place among them, from `next` on.
    pub(crate) fn holds(&self, next: &mut usize, holds: &dyn Fn(usize) -> bool) -> bool {
        // Every child is asked, so that places stay those of `terms`.
        match self {
            Selection::Term(_) => {
                *next += 1;
                holds(*next - 1)
            }
            Selection::All(children) => {
                let each: Vec<bool> = children.iter().map(|child| child.holds(next, holds)).collect();
                each.into_iter().all(|holds| holds)
            }
            Selection::Any(children) => {
                let each: Vec<bool> = children.iter().map(|child| child.holds(next, holds)).collect();
                each.into_iter().any(|holds| holds)
            }
        }
    }
}

/// Alternatives of which one says that not all of these hold, without overlaps.
fn opposite(conjunction: &[Term]) -> Vec<Vec<Term>> {
    (0..conjunction.len())
        .map(|at| {
            let mut alternative = conjunction[..at].to_vec();
            alternative.push(conjunction[at].not());
            alternative
        })
        .collect()
}

/// One of these and one of those.
fn both(a: &[Vec<Term>], b: &[Vec<Term>], limit: usize) -> Option<Vec<Vec<Term>>> {
    let mut product = Vec::new();
    for left in a {
        for right in b {
            let mut terms = left.clone();
            for term in right {
                match terms.iter_mut().find_map(|earlier| {
                    let combined = earlier.combined(term, true)?;
                    *earlier = combined;
                    Some(())
                }) {
                    Some(()) => {}
                    None => terms.push(term.clone()),
                }
            }
            if !terms.iter().any(Term::is_never) {
                product.push(terms);
            }
        }
        if product.len() > limit {
            return None;
        }
    }
    Some(product)
}
