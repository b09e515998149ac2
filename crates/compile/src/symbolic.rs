//! The compiled program before it has coordinates: variables, linear functionals of them, and heads.

use std::collections::BTreeMap;

use rasp::{Atom, Span};

use crate::{Condition, HeadKind};

pub(crate) type VarId = usize;

/// The tokens.
pub(crate) const TOKENS: VarId = 0;
/// The positions.
pub(crate) const INDICES: VarId = 1;

/// Something that the residual stream can hold at every position of the text.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) step: Option<usize>,
    pub(crate) domain: Domain,
    /// The head that writes it; `None` for tokens and positions.
    pub(crate) producer: Option<usize>,
    /// Which values it can have at each index, where that is known: `[index][value]`.
    pub(crate) given_index: Option<Vec<Vec<bool>>>,
    /// Whether it is the same at all positions of a text.
    pub(crate) uniform: bool,
    /// Whether its numbers are known up to rounding only: averages of fractions.
    pub(crate) rounded: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Domain {
    /// One of these. Any function of the value can be read.
    Category(Vec<Atom>),
    /// One of these numbers, in order. Only multiples of the number can be read.
    Number(Vec<f64>),
}

impl Var {
    pub(crate) fn size(&self) -> usize {
        match &self.domain {
            Domain::Category(values) => values.len(),
            Domain::Number(values) => values.len(),
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self.domain, Domain::Number(_))
    }
}

/// A linear function of what the residual stream holds, at a position of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Functional {
    pub(crate) constant: f64,
    pub(crate) parts: BTreeMap<VarId, Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// A number for each value of a category.
    Values(Vec<f64>),
    /// The number itself, times a factor.
    Times(f64),
}

impl Functional {
    pub(crate) fn constant(constant: f64) -> Self {
        Functional { constant, parts: BTreeMap::new() }
    }

    pub(crate) fn of(var: VarId, part: Part) -> Self {
        Functional { constant: 0.0, parts: BTreeMap::from([(var, part)]) }
    }

    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let parts = self.parts.iter().map(|(var, part)| (*var, part.scaled(factor)));
        Functional { constant: self.constant * factor, parts: parts.collect() }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (var, part) in &other.parts {
            match sum.parts.get_mut(var) {
                Some(mine) => mine.add(part),
                None => {
                    sum.parts.insert(*var, part.clone());
                }
            }
        }
        sum.parts.retain(|_, part| !part.is_zero());
        sum
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scaled(-1.0))
    }

    /// Its value where the variables have these values (by their indices in the domains).
    pub(crate) fn at(&self, vars: &[Var], ids: &[VarId], values: &[u16]) -> f64 {
        let mut sum = self.constant;
        for (var, part) in &self.parts {
            let Some(place) = ids.iter().position(|id| id == var) else { continue };
            sum += part.at(&vars[*var], values[place] as usize);
        }
        sum
    }

    /// Bounds of its value.
    pub(crate) fn range(&self, vars: &[Var]) -> (f64, f64) {
        let mut range = (self.constant, self.constant);
        for (var, part) in &self.parts {
            let values = (0..vars[*var].size()).map(|value| part.at(&vars[*var], value));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (f64::min(low, value), f64::max(high, value))
            });
            if low <= high {
                range = (range.0 + low, range.1 + high);
            }
        }
        range
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.constant == 0.0 && self.parts.values().all(Part::is_zero)
    }
}

impl Part {
    fn scaled(&self, factor: f64) -> Self {
        match self {
            Part::Values(values) => Part::Values(values.iter().map(|value| value * factor).collect()),
            Part::Times(own) => Part::Times(own * factor),
        }
    }

    fn add(&mut self, other: &Part) {
        match (self, other) {
            (Part::Values(a), Part::Values(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a += b),
            (Part::Times(a), Part::Times(b)) => *a += b,
            _ => {}
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            Part::Values(values) => values.iter().all(|value| *value == 0.0),
            Part::Times(factor) => *factor == 0.0,
        }
    }

    pub(crate) fn at(&self, var: &Var, value: usize) -> f64 {
        match (self, &var.domain) {
            (Part::Values(values), _) => values.get(value).copied().unwrap_or(0.0),
            (Part::Times(factor), Domain::Number(numbers)) => factor * numbers[value],
            (Part::Times(_), Domain::Category(_)) => 0.0,
        }
    }
}

/// A function of some variables with finitely many combinations: a value for each combination, in the order of
/// [`Combinations`], `None` where the program has none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) vars: Vec<VarId>,
    pub(crate) values: std::rc::Rc<Vec<Option<Atom>>>,
}

/// The combinations of the values of some variables that can occur.
#[derive(Debug, Default)]
pub(crate) struct Combinations {
    pub(crate) list: Vec<Vec<u16>>,
    pub(crate) place: std::collections::HashMap<Vec<u16>, usize>,
}

/// A head before it has weights.
#[derive(Clone, Debug)]
pub(crate) struct HeadSpec {
    /// One more than that of everything that it reads when it is made.
    pub(crate) depth: usize,
    pub(crate) kind: HeadKind,
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) steps: Vec<usize>,
    pub(crate) selects: Vec<Condition>,
    pub(crate) score: Score,
    pub(crate) outputs: Vec<Output>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Score {
    /// Text looks at text.
    Text {
        /// Products of a query and a key.
        columns: Vec<(Functional, Functional)>,
        /// What the key alone says.
        content: Functional,
        rest: Rest,
    },
    /// Text looks at the entry of a table that is nearest to a number.
    Table { vars: Vec<VarId>, number: Functional },
}

/// What text looks at that selects nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rest {
    /// Something is always selected.
    Nothing,
    /// The first token, with this score and what the query adds to it.
    First { score: f64, query: Functional },
    /// An entry for each of these values of the query of this column: its key in the column, and its own score.
    Entries { column: usize, entries: Vec<(f64, f64)> },
}

/// What a head writes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    pub(crate) var: VarId,
    pub(crate) source: Source,
    /// What it is where nothing is selected: an index into a category.
    pub(crate) rest: Option<RestValue>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RestValue {
    Value(usize),
    Number(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// The category of a variable at the key: its value there is `map[value]`.
    Copy { from: VarId, map: Vec<usize> },
    /// A number at the key.
    Number(Functional),
    /// The same value wherever something is selected.
    Constant(usize),
    /// A table: for each combination of its variables the value, `None` where it does not matter.
    Table(Vec<Option<usize>>),
}
