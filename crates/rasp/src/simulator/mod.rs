//! The universal simulator of attention: a fixed RASP program that receives a target's weights and
//! its input, both as data, and computes what the target computes (USA, Theorems 6 and 9 with their
//! corollaries).
//!
//! The program depends on the [`Class`] only, that is on shapes and kinds, never on a weight:
//! [`Simulator::new`] takes a class, and a [`Target`] enters only as the input of
//! [`Simulator::run`].

mod beats;
mod class;
pub mod presets;
mod program;
mod simulation;
mod target;

pub use beats::{Beat, Lane, Of, Reads, running_sums};
pub use class::{Activation, Attend, Class, FeedForwardShape, Layout, Mask, Padding, Stretch};
pub use simulation::{Operand, Operation, ProductTerm, Simulation, Simulator, Source, Stage};
pub use target::{FeedForward, Head, Target};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a target cannot be simulated.
#[derive(Clone, Debug, PartialEq, Error, Serialize, Deserialize)]
pub enum SimulatorError {
    /// A size must be at least 1.
    #[error("{what} must be at least 1")]
    Zero {
        /// Which size.
        what: Cow<'static, str>,
    },
    /// MaxMin sorts pairs, so that the hidden width must be even.
    #[error("MaxMin needs an even hidden width, not {hidden}")]
    OddHidden {
        /// The hidden width.
        hidden: usize,
    },
    /// The sequence would be longer than a program may work on.
    #[error("the sequence would have {length} positions; at most {limit} are possible")]
    TooLong {
        /// The length that the class needs.
        length: usize,
        /// The longest possible.
        limit: usize,
    },
    /// The trace would hold more values than fit into memory.
    #[error("the trace would hold about {values} values; at most {limit} are possible")]
    TooMuchData {
        /// About how many values the class needs.
        values: usize,
        /// The most that are possible.
        limit: usize,
    },
    /// A matrix has another shape than the others ask for.
    #[error("{matrix} is {found_rows} x {found_columns}, not {expected_rows} x {expected_columns}")]
    Shape {
        /// Which matrix.
        matrix: String,
        /// Its rows.
        found_rows: usize,
        /// Its columns.
        found_columns: usize,
        /// The rows that it should have.
        expected_rows: usize,
        /// The columns that it should have.
        expected_columns: usize,
    },
    /// A weight is infinite or not a number.
    #[error("{matrix} holds {value} at row {row}, column {column}")]
    NotFinite {
        /// Which matrix.
        matrix: String,
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// The target has a kind or a size that this simulator was not built for.
    #[error("the simulator has {what} {built}, the target needs {needed}")]
    Class {
        /// What differs.
        what: Cow<'static, str>,
        /// What the simulator was built for.
        built: String,
        /// What the target needs.
        needed: String,
    },
}
