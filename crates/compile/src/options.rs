//! What is asked of the compiler: a vocabulary, a longest length, limits and passes.

use std::collections::BTreeSet;

use rasp::{Atom, Input};
use serde::{Deserialize, Serialize};

use crate::Error;

/// What a program is compiled for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The tokens that inputs are made of.
    pub vocabulary: Vec<Atom>,
    /// The most tokens of an input.
    pub longest: usize,
    /// How large things may become.
    pub limits: Limits,
    /// What is done to make the weights small.
    pub passes: Passes,
}

impl Request {
    /// All passes, with the usual limits.
    pub fn new(vocabulary: Vec<Atom>, longest: usize) -> Self {
        Request { vocabulary, longest, limits: Limits::default(), passes: Passes::all() }
    }

    /// A vocabulary as a person writes it: single letters (`abc`) or a list (`[1, 2, "x"]`). A token that is
    /// written twice counts once.
    ///
    /// # Errors
    /// When it is empty or no list.
    pub fn vocabulary(text: &str) -> Result<Vec<Atom>, Box<rasp::Diagnostic>> {
        let mut tokens = Vec::new();
        for token in Input::parse(text)?.tokens() {
            if !tokens.contains(token) {
                tokens.push(token.clone());
            }
        }
        Ok(tokens)
    }

    /// The number of inputs, saturating.
    pub fn inputs(&self) -> u64 {
        let size = self.vocabulary.len() as u64;
        let mut of_length = 1_u64;
        (0..self.longest).fold(0_u64, |sum, _| {
            of_length = of_length.saturating_mul(size);
            sum.saturating_add(of_length)
        })
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let empty = |what: &str| Err(Error::Empty { what: what.to_owned() });
        if self.vocabulary.is_empty() {
            return empty("vocabulary");
        }
        if self.longest == 0 {
            return empty("length");
        }
        let mut seen = BTreeSet::new();
        for token in &self.vocabulary {
            let written = token.to_string();
            if !seen.insert(written.clone()) {
                return Err(Error::SameToken { token: written });
            }
        }
        Ok(())
    }
}

/// How large things may become before a program is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Values of one expression.
    pub values: usize,
    /// Combinations of the values that one expression is computed from.
    pub combinations: usize,
    /// Memory tokens in all.
    pub memory: usize,
    /// d.
    pub width: usize,
    /// Layers.
    pub layers: usize,
    /// Up to this many inputs, all are run to find out which values occur.
    pub enumerated: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            values: 2_000,
            combinations: 60_000,
            memory: 1_000,
            width: 1_000,
            layers: 24,
            enumerated: 6_000,
        }
    }
}

/// A way to make the weights smaller. Each keeps what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Pass {
    /// Equal heads, tables and variables are made once.
    Share,
    /// `selector_width`, `length`, `count` and `has_focus` are one head each, whatever the library writes.
    Idioms,
    /// Functions of several sequences that are sums stay sums: no table is made for them.
    Sums,
    /// A boolean that is a threshold of a number is read from the number by the head that asks for it.
    Thresholds,
    /// The last table is left to the readout: an argmax, or a number.
    Readout,
    /// Coordinates are what heads read, not one for each value.
    Compact,
    /// Which values occur together is found out by running all inputs, where they are few.
    Enumerate,
    /// H and L are chosen such that m is least.
    Schedule,
}

impl Pass {
    /// All, in the order in which the benchmark adds them.
    pub const ALL: [Pass; 8] = [
        Pass::Share,
        Pass::Idioms,
        Pass::Sums,
        Pass::Thresholds,
        Pass::Readout,
        Pass::Compact,
        Pass::Enumerate,
        Pass::Schedule,
    ];
}

/// Which passes are done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passes(BTreeSet<Pass>);

impl Passes {
    /// All of them.
    pub fn all() -> Self {
        Passes(Pass::ALL.into())
    }

    /// These.
    pub fn of(passes: &[Pass]) -> Self {
        Passes(passes.iter().copied().collect())
    }

    /// Whether it is done.
    pub fn has(&self, pass: Pass) -> bool {
        self.0.contains(&pass)
    }
}
