//! Why a program is not compiled: where, how many values there would be, and what would help.

use rasp::{Diagnostic, Span};
use serde::{Deserialize, Serialize};

/// Why a program is not compiled. Nothing is ever compiled in part.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// The program itself is wrong.
    #[error("the program is wrong: {}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Program(Vec<Diagnostic>),
    /// The program shows nothing that could be computed.
    #[error("the program shows nothing: its last statement must be a sequence")]
    NothingShown,
    /// The result is a selector, a list, a function or a single value.
    #[error("the result is no sequence; let the last statement be one, for example an aggregate")]
    NotASequence {
        /// The last statement.
        span: Span,
    },
    /// The result belongs to an input of the program's own.
    #[error("the result belongs to an input that the program sets itself; take that statement away")]
    OwnInput {
        /// The last statement.
        span: Span,
    },
    /// No token, or no position.
    #[error("{what} must be at least 1")]
    Empty {
        /// What is empty: `vocabulary` or `length`.
        what: String,
    },
    /// The same token twice, or two tokens that are written the same.
    #[error("the vocabulary has “{token}” twice")]
    SameToken {
        /// As it is written.
        token: String,
    },
    /// An expression has more values, or more combinations of values, than the limit.
    #[error("`{expression}` takes {values} values, at most {limit} can be compiled; {help}")]
    TooManyValues {
        /// The expression.
        span: Span,
        /// Its text or the name of its operation.
        expression: String,
        /// How many values there are, at least.
        values: usize,
        /// How many there may be.
        limit: usize,
        /// What would help.
        help: Help,
    },
    /// No input of the vocabulary gives the expression a value.
    #[error("`{expression}` has no value for any input of this vocabulary: {reason}; {help}")]
    NoValue {
        /// The expression.
        span: Span,
        /// Its text or the name of its operation.
        expression: String,
        /// What the interpreter says.
        reason: String,
        /// What would help.
        help: Help,
    },
    /// Numbers that must be told apart are closer than what rounding leaves of them.
    #[error("`{expression}` must tell numbers apart that differ by {gap:e} of {size:e}; {help}")]
    TooClose {
        /// The expression.
        span: Span,
        /// Its text or the name of its operation.
        expression: String,
        /// The smallest difference.
        gap: f64,
        /// The largest score beside it.
        size: f64,
        /// What would help.
        help: Help,
    },
    /// Rounding decides what the expression is.
    #[error("rounding decides what `{expression}` is: it takes averages of fractions apart; {help}")]
    RoundingDecides {
        /// The expression.
        span: Span,
        /// Its text or the name of its operation.
        expression: String,
        /// What would help.
        help: Help,
    },
    /// The weights would be larger than anything that can be run.
    #[error("{what} would be {found}, at most {limit}; {help}")]
    TooLarge {
        /// `width`, `memory tokens`, `heads`.
        what: String,
        /// How large.
        found: usize,
        /// How large at most.
        limit: usize,
        /// What would help.
        help: Help,
    },
    /// The person who asked does not want it any more.
    #[error("cancelled")]
    Cancelled,
}

/// What would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Help {
    /// Fewer tokens in the vocabulary, or a smaller length.
    #[error("a smaller vocabulary or a shorter length would help")]
    Smaller,
    /// Another vocabulary.
    #[error("a vocabulary of tokens that the program can read would help")]
    OtherVocabulary,
    /// Whole numbers instead of fractions.
    #[error("counting with whole numbers instead of fractions would help")]
    WholeNumbers,
}

impl Error {
    /// The place in the program, where there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Error::NotASequence { span }
            | Error::OwnInput { span }
            | Error::TooManyValues { span, .. }
            | Error::NoValue { span, .. }
            | Error::TooClose { span, .. }
            | Error::RoundingDecides { span, .. } => Some(*span),
            Error::Program(diagnostics) => diagnostics.first().map(|diagnostic| diagnostic.span),
            Error::NothingShown
            | Error::Empty { .. }
            | Error::SameToken { .. }
            | Error::TooLarge { .. }
            | Error::Cancelled => None,
        }
    }
}

/// Why an input cannot be given to a compiled program.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum InputError {
    /// A token that the vocabulary does not have.
    #[error("token {position} is “{token}”, which is not in the vocabulary")]
    UnknownToken {
        /// Where it stands, from 1.
        position: usize,
        /// The token.
        token: String,
    },
    /// The input is longer than what the program was compiled for.
    #[error("{found} tokens, but the program was compiled for {longest} at most")]
    TooLong {
        /// How many there are.
        found: usize,
        /// How many there may be.
        longest: usize,
    },
}
