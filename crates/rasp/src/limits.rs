//! How much work a program may do. Whatever a program says, it ends within about a second.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Message;

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The longest input, in positions.
    pub positions: usize,
    /// The amount of work: about one unit for each position that a primitive works on.
    pub work: u64,
    /// The number of values in all steps together, which bounds the memory of a trace.
    pub values: u64,
    /// How deep functions may call each other.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { positions: 5_000, work: 30_000_000, values: 8_000_000, calls: 500 }
    }
}

/// What is left of the limits of a run.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    work_left: u64,
    values_left: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, work_left: limits.work, values_left: limits.values }
    }

    /// Pays for work before it is done.
    pub(crate) fn work(&mut self, units: usize) -> Result<(), Message> {
        match self.work_left.checked_sub(units as u64) {
            Some(left) => {
                self.work_left = left;
                Ok(())
            }
            None => {
                self.work_left = 0;
                Err(Message::OutOfFuel {})
            }
        }
    }

    /// The values of one evaluation do not count for the next.
    pub(crate) fn forget_values(&mut self) {
        self.values_left = self.limits.values;
    }

    /// Pays for values that a trace will keep.
    pub(crate) fn keep(&mut self, values: usize) -> Result<(), Message> {
        match self.values_left.checked_sub(values as u64) {
            Some(left) => {
                self.values_left = left;
                Ok(())
            }
            None => Err(Message::TooMuchData { limit: (self.limits.values as usize).into() }),
        }
    }
}
