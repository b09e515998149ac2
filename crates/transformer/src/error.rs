//! What can be wrong with a transformer or an input, said so that a person can mend it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// An error names the thing, what was found and what was expected.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// A matrix has the wrong shape.
    #[error("{name} is {}×{}, but the class needs {}", found.0, found.1, expected)]
    Shape {
        /// The matrix, as the files name it: `layers.0.heads.1.wq`.
        name: String,
        /// Rows and columns found.
        found: (usize, usize),
        /// The shape expected, in words: `4×2`.
        expected: String,
    },
    /// The number of layers or heads differs from the class.
    #[error("{name}: found {found}, but the class needs {expected}")]
    Count {
        /// What was counted: `layers` or `layers.0.heads`.
        name: String,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{name}[{row}, {column}] is {value}; every number must be finite")]
    NotFinite {
        /// The matrix.
        name: String,
        /// Its row, from 0.
        row: usize,
        /// Its column, from 0.
        column: usize,
        /// The number found.
        value: f64,
    },
    /// A size of the class is zero, there are too many heads, or the scale is not finite.
    #[error("the class says {name} = {value}, which must be {expected}")]
    Class {
        /// Which field of the class.
        name: Cow<'static, str>,
        /// What it says.
        value: String,
        /// What it may say.
        expected: Cow<'static, str>,
    },
    /// A token that the vocabulary does not have.
    #[error("token {position} is “{token}”, which is not in the vocabulary")]
    UnknownToken {
        /// Where it stands in the input, from 1.
        position: usize,
        /// The token.
        token: String,
    },
    /// More tokens than there are positions in the position embedding.
    #[error("{found} tokens, but the positions end at {longest}")]
    TooLong {
        /// How many tokens there are.
        found: usize,
        /// How many the position embedding can place.
        longest: usize,
    },
    /// Tokens were given to a target that has no vocabulary.
    #[error("this target has no vocabulary: give its input as rows of numbers")]
    NoVocabulary,
    /// An input with no rows.
    #[error("the input is empty: it needs at least one token")]
    EmptyInput,
}
