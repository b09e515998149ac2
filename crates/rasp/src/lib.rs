//! RASP: the language, its interpreter with a trace, the depth and width analysis, the constructions.
//!
//! RASP (Weiss, Goldberg, Yahav, *Thinking Like Transformers*, 2021) describes what a transformer
//! computes. [`parse`] reads a program, [`Session`] runs it on an [`Input`], and a [`Run`] holds the
//! result with its [`Trace`] and its [`Analysis`].
//!
//! # Where this differs from the original interpreter
//! - `s-op` is the difference of `s` and `op`, except in `set s-op example` and its like.
//! - Results are always finite: what would be infinite or not a number is an error at its position.
//! - Whole numbers have 64 bits; leaving them is an error, never a silent change to a fraction.
//! - A statement is described first and evaluated only where its value is shown. An s-op that fails
//!   on the running example is no error until somebody looks at it.
//! - `out` is the value of the last statement, not that of the last sub-expression.
//! - A file that is loaded hands over its names when it has ended.
//! - Between an s-op and a list, operators are refused; the original compares them as unequal.
//! - Comments may stand anywhere, `for` may have an empty body, `len` counts dictionaries too.
//!
//! # Beyond the original
//! `exp`, `log`, `sqrt`, `abs`, elementwise; numbers with an exponent; lists of numbers as input;
//! `require(value, condition, "text")`, which gives the value and stops with the text wherever the
//! condition does not hold.

mod analysis;
mod code;
mod diagnostic;
mod elementwise;
mod evaluate;
mod export;
pub mod gallery;
mod graph;
mod input;
pub mod library;
mod limits;
mod machine;
mod selector;
mod session;
pub mod simulator;
pub mod syntax;
mod trace;
mod value;

pub use analysis::{Analysis, Head, Layer};
pub use diagnostic::{Diagnostic, MESSAGES, Message, Origin, Phrase, Severity, TERMS, Term, fill};
pub use elementwise::Mathematics;
pub use export::{TraceTooLarge, trace_json};
pub use graph::{Base, Primitive};
pub use input::Input;
pub use limits::Limits;
pub use selector::SelectorMatrix;
pub use session::{Outcome, Prepared, Run, Session, ShownValue, Unprepared};
pub use syntax::{Parse, Span, parse};
pub use trace::{Failed, Step, Trace};
pub use value::{Atom, Kind, Sequence};
