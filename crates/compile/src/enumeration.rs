//! What all inputs do, where they are few: which values occur, and which occur together.

use std::collections::BTreeSet;

use crate::symbolic::VarId;

/// All inputs, position by position, with the value of each variable there.
pub(crate) struct Enumeration {
    /// Where each input begins, and its length.
    inputs: Vec<(usize, usize)>,
    /// `columns[var][position of all inputs]`: an index into the domain of the variable.
    columns: Vec<Vec<u16>>,
}

impl Enumeration {
    pub(crate) fn new(tokens: usize, longest: usize) -> Self {
        let mut inputs = Vec::new();
        let (mut token, mut index) = (Vec::new(), Vec::new());
        for length in 1..=longest {
            let mut text = vec![0_u16; length];
            loop {
                inputs.push((token.len(), length));
                token.extend(&text);
                index.extend(0..length as u16);
                // The next text, as an odometer.
                let Some(at) = text.iter().rposition(|letter| (*letter as usize) + 1 < tokens) else { break };
                text[at] += 1;
                text[at + 1..].fill(0);
            }
        }
        Enumeration { inputs, columns: vec![token, index] }
    }

    /// The combinations of these variables that occur, in order.
    pub(crate) fn combinations(&self, vars: &[VarId]) -> Vec<Vec<u16>> {
        let rows = self.columns[0].len();
        let found: BTreeSet<Vec<u16>> =
            (0..rows).map(|row| vars.iter().map(|var| self.columns[*var][row]).collect()).collect();
        found.into_iter().collect()
    }

    /// The combination of these variables at every position of every input.
    pub(crate) fn rows(&self, vars: &[VarId]) -> Vec<Vec<u16>> {
        (0..self.columns[0].len())
            .map(|row| vars.iter().map(|var| self.columns[*var][row]).collect())
            .collect()
    }

    /// Where each input begins, and its length.
    pub(crate) fn inputs(&self) -> &[(usize, usize)] {
        &self.inputs
    }

    /// The value of a new variable at every position.
    pub(crate) fn push(&mut self, column: Vec<u16>) {
        self.columns.push(column);
    }
}
