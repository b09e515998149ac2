//! What can go wrong when a run is set up, continued or asked.

use serde::{Deserialize, Serialize};

/// An error names the operation, what was found and what was expected.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// The frozen weights cannot be made.
    #[error(transparent)]
    Universal(#[from] universal::Error),
    /// The shape of the model is not possible.
    #[error(transparent)]
    Transformer(#[from] transformer::Error),
    /// A setting outside its range.
    #[error("{name} is {found}, which must be {expected}")]
    Setting {
        /// The setting: `task.length`, `optimiser.learning_rate` …
        name: String,
        /// What it is.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// The held-out set leaves no sequences to train on.
    #[error(
        "data: no sequence outside the held-out set after {draws} draws; lengthen the task or hold out fewer"
    )]
    Exhausted {
        /// How often one was drawn.
        draws: usize,
    },
    /// A text that the task cannot read.
    #[error("token {position} is “{token}”, which is not in the vocabulary of the task")]
    UnknownToken {
        /// Where it stands, from 1.
        position: usize,
        /// What stands there.
        token: String,
    },
    /// A sequence of the wrong length.
    #[error("the sequence has {found} tokens, which must be {expected}")]
    Length {
        /// How many tokens it has.
        found: usize,
        /// How many it may have.
        expected: String,
    },
    /// A file of own sequences that cannot be read.
    #[error("line {line}: {reason}")]
    OwnSequences {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A loss, a gradient or a weight became infinite or NaN. The run has gone back to its last good snapshot.
    #[error(
        "step {step}: {what} became NaN or infinite; the run is back at step {last_good}; continue with a smaller learning rate"
    )]
    NotFinite {
        /// The step, from 1.
        step: usize,
        /// `the loss`, or the tensor: `the gradient of embedding.tokens`, `embedding.tokens`.
        what: String,
        /// The step of the last good snapshot.
        last_good: usize,
    },
    /// A snapshot that is not of this program or has been damaged.
    #[error("snapshot: {name} has {found} numbers, which must be {expected}")]
    Snapshot {
        /// What does not fit.
        name: String,
        /// How many numbers there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// The frozen weights are not those that the snapshot was made with.
    #[error("snapshot: the frozen weights have the fingerprint {found}, but it was made with {expected}")]
    Fingerprint {
        /// Of the weights made from the configuration.
        found: String,
        /// Of those of the snapshot.
        expected: String,
    },
}

impl Error {
    pub(crate) fn setting(name: &str, found: impl ToString, expected: impl ToString) -> Self {
        Error::Setting { name: name.to_owned(), found: found.to_string(), expected: expected.to_string() }
    }
}
