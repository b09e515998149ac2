//! What is to be made of each step: the idioms of the standard library are recognised here, and what nothing needs
//! any more is left out.

use rasp::syntax::{BinaryOperator, Comparison, UnaryOperator};
use rasp::{Atom, Base, Primitive, Step};

use crate::{Pass, Passes};

/// What is made of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plan {
    /// A sequence of the input.
    Base(Base),
    /// A function of other sequences.
    Elementwise,
    /// How many positions are selected, of those where a sequence is true.
    Width { selector: Option<usize>, counted: Option<usize> },
    /// Whether a position is selected, of those where a sequence is true.
    Exists { selector: usize, counted: Option<usize> },
    /// How long the text is.
    Length,
    /// What is selected.
    Aggregate { selector: usize, sequence: usize },
    /// A selector: it belongs to those who use it.
    Selector,
}

impl Plan {
    /// The sequences whose values are needed.
    pub(crate) fn needs(&self, steps: &[Step], step: usize) -> Vec<usize> {
        let selectors = |selector: usize, others: &[Option<usize>]| {
            let mut needed = leaves(steps, selector);
            needed.extend(others.iter().flatten());
            needed
        };
        match self {
            Plan::Base(_) | Plan::Length | Plan::Selector => Vec::new(),
            Plan::Elementwise => steps[step].operands.clone(),
            Plan::Width { selector: Some(selector), counted } => selectors(*selector, &[*counted]),
            Plan::Width { selector: None, counted } => counted.iter().copied().collect(),
            Plan::Exists { selector, counted } => selectors(*selector, &[*counted]),
            Plan::Aggregate { selector, sequence } => selectors(*selector, &[Some(*sequence)]),
        }
    }
}

/// The sequences that a selector compares.
pub(crate) fn leaves(steps: &[Step], selector: usize) -> Vec<usize> {
    let mut needed = vec![false; selector + 1];
    needed[selector] = true;
    let mut found = Vec::new();
    for at in (0..=selector).rev().filter(|at| steps[*at].primitive.is_selector()) {
        if !needed[at] {
            continue;
        }
        for operand in &steps[at].operands {
            if steps[*operand].primitive.is_selector() {
                needed[*operand] = true;
            } else {
                found.push(*operand);
            }
        }
    }
    found
}

/// The plan of a step.
pub(crate) fn plan(steps: &[Step], step: usize, passes: &Passes) -> Plan {
    let idiom = passes.has(Pass::Idioms).then(|| idiom(steps, step)).flatten();
    idiom.unwrap_or_else(|| match (&steps[step].primitive, steps[step].operands.as_slice()) {
        (Primitive::Base(base), _) => Plan::Base(*base),
        (Primitive::Aggregate { .. }, [selector, sequence]) => {
            Plan::Aggregate { selector: *selector, sequence: *sequence }
        }
        (primitive, _) if primitive.is_selector() => Plan::Selector,
        _ => Plan::Elementwise,
    })
}

fn idiom(steps: &[Step], step: usize) -> Option<Plan> {
    let program = Program { steps };
    program
        .length(step)
        .or_else(|| program.width(step))
        .or_else(|| program.count(step))
        .or_else(|| program.exists(step))
}

struct Program<'a> {
    steps: &'a [Step],
}

impl Program<'_> {
    fn unary(&self, step: usize, operator: UnaryOperator) -> Option<usize> {
        match (&self.steps[step].primitive, self.steps[step].operands.as_slice()) {
            (Primitive::Unary(found), [operand]) if *found == operator => Some(*operand),
            _ => None,
        }
    }

    fn binary(&self, step: usize, operator: BinaryOperator) -> Option<(usize, usize)> {
        match (&self.steps[step].primitive, self.steps[step].operands.as_slice()) {
            (Primitive::Binary(found), [left, right]) if *found == operator => Some((*left, *right)),
            _ => None,
        }
    }

    fn is_constant(&self, step: usize, value: i64) -> bool {
        matches!(&self.steps[step].primitive, Primitive::Constant(atom) if atom.equals(&Atom::Int(value)))
    }

    /// Selector, sequence and default.
    fn aggregate(&self, step: usize) -> Option<(usize, usize, &Atom)> {
        match (&self.steps[step].primitive, self.steps[step].operands.as_slice()) {
            (Primitive::Aggregate { default }, [selector, sequence]) => Some((*selector, *sequence, default)),
            _ => None,
        }
    }

    fn comparison(&self, step: usize) -> Option<(Comparison, usize, usize)> {
        match (&self.steps[step].primitive, self.steps[step].operands.as_slice()) {
            (Primitive::Select(comparison), [key, query]) => Some((*comparison, *key, *query)),
            _ => None,
        }
    }

    /// `select(indices, 0, ==)`
    fn is_beacon(&self, step: usize) -> bool {
        self.comparison(step).is_some_and(|(comparison, key, query)| {
            comparison == Comparison::Equal
                && self.steps[key].primitive == Primitive::Base(Base::Indices)
                && self.is_constant(query, 0)
        })
    }

    /// `indicator(indices == 0)`
    fn is_first(&self, step: usize) -> bool {
        let compared = self.unary(step, UnaryOperator::Indicator);
        let compared = compared.and_then(|it| self.binary(it, BinaryOperator::Compare(Comparison::Equal)));
        compared.is_some_and(|(left, right)| {
            self.steps[left].primitive == Primitive::Base(Base::Indices) && self.is_constant(right, 0)
        })
    }

    /// A selector of everything.
    fn is_full(&self, step: usize) -> bool {
        self.comparison(step).is_some_and(|(comparison, key, query)| {
            let constant = |step: usize| match &self.steps[step].primitive {
                Primitive::Constant(atom) => Some(atom),
                _ => None,
            };
            comparison == Comparison::Equal
                && constant(key).zip(constant(query)).is_some_and(|(key, query)| key.equals(query))
        })
    }

    /// `round(1 / aggregate(full_s, indicator(indices == 0)))`
    fn length(&self, step: usize) -> Option<Plan> {
        let (one, share) = self.binary(self.unary(step, UnaryOperator::Round)?, BinaryOperator::Divide)?;
        let (selector, sequence, _) = self.aggregate(share)?;
        (self.is_constant(one, 1) && self.is_full(selector) && self.is_first(sequence))
            .then_some(Plan::Length)
    }

    /// `round((1 / aggregate(sel or beacon, indicator(indices == 0)) - 1) + aggregate(sel and beacon, 1, 0))`
    fn width(&self, step: usize) -> Option<Plan> {
        let (others, own) = self.binary(self.unary(step, UnaryOperator::Round)?, BinaryOperator::Add)?;
        let (quotient, one) = self.binary(others, BinaryOperator::Subtract)?;
        let (dividend, share) = self.binary(quotient, BinaryOperator::Divide)?;
        let (with_beacon, first, _) = self.aggregate(share)?;
        let (beacon_only, counted, default) = self.aggregate(own)?;
        let operands = |step: usize, primitive: Primitive| {
            (self.steps[step].primitive == primitive).then(|| self.steps[step].operands.clone())
        };
        let either = operands(with_beacon, Primitive::SelectorOr)?;
        let both = operands(beacon_only, Primitive::SelectorAnd)?;
        let other = |pair: &[usize]| match pair {
            [a, b] if self.is_beacon(*b) => Some(*a),
            [a, b] if self.is_beacon(*a) => Some(*b),
            _ => None,
        };
        let selector = other(&either)?;
        let holds = self.is_constant(one, 1)
            && self.is_constant(dividend, 1)
            && self.is_first(first)
            && self.is_constant(counted, 1)
            && default.equals(&Atom::Int(0))
            && other(&both)? == selector;
        holds.then_some(Plan::Width { selector: Some(selector), counted: None })
    }

    /// `round(length * aggregate(full_s, indicator(p)))`
    fn count(&self, step: usize) -> Option<Plan> {
        let (a, b) = self.binary(self.unary(step, UnaryOperator::Round)?, BinaryOperator::Multiply)?;
        let share = if self.length(a).is_some() { b } else { a };
        let length = if share == b { a } else { b };
        self.length(length)?;
        let (selector, sequence, _) = self.aggregate(share)?;
        let counted = self.unary(sequence, UnaryOperator::Indicator)?;
        self.is_full(selector).then_some(Plan::Width { selector: None, counted: Some(counted) })
    }

    /// `aggregate(sel, 1, 0) > 0`, and the same of an indicator.
    fn exists(&self, step: usize) -> Option<Plan> {
        let (share, zero) = self.binary(step, BinaryOperator::Compare(Comparison::Greater))?;
        let (selector, sequence, default) = self.aggregate(share)?;
        if !self.is_constant(zero, 0) || !default.equals(&Atom::Int(0)) {
            return None;
        }
        let counted = match self.unary(sequence, UnaryOperator::Indicator) {
            Some(counted) => Some(counted),
            None if self.is_constant(sequence, 1) => None,
            None => return None,
        };
        Some(Plan::Exists { selector, counted })
    }
}
