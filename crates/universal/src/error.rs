//! What can go wrong when a universal transformer is built, programmed or run.

use serde::{Deserialize, Serialize};
use transformer::Class;

use crate::capacity::TooLarge;

/// An error names the operation, what was found and what was expected.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// A class, a target or an input is wrong in itself.
    #[error(transparent)]
    Transformer(#[from] transformer::Error),
    /// A target of one class for the universal transformer of another.
    #[error(
        "program: the target is of the class {}, but this universal transformer is for {}",
        describe(found),
        describe(expected)
    )]
    ClassMismatch {
        /// The class of the target.
        found: Box<Class>,
        /// The class of the universal transformer.
        expected: Box<Class>,
    },
    /// More width or memory than there may be; found before anything is allocated.
    #[error(transparent)]
    TooLarge(Box<TooLarge>),
    /// Looped weights for a class with residual connections.
    #[error(
        "looped: a class with residual connections has no looped construction, because the same weights in \
         every layer cannot tell in which layer a path skips its heads; choose sparse or random"
    )]
    LoopedResidual,
    /// A random universal transformer without columns.
    #[error("random: the width is 0, but a state needs at least one column")]
    ZeroWidth,
    /// The equations of a random construction have no singular values.
    #[error("program: the singular values of the equations cannot be computed; choose another seed")]
    NoSingularValues,
    /// A program of the wrong shape.
    #[error("forward: the embedding is {}×{}, but this universal transformer needs {}×{}",
        found.0, found.1, expected.0, expected.1)]
    EmbeddingShape {
        /// Rows and columns found.
        found: (usize, usize),
        /// d and m.
        expected: (usize, usize),
    },
}

/// `H=2 L=3 d=8 d_h=2`, and what else tells classes apart.
fn describe(class: &Class) -> String {
    format!(
        "H={} L={} d={} d_h={} {:?} mask {:?} scale {} {}",
        class.heads,
        class.layers,
        class.width,
        class.head_width,
        class.attention,
        class.mask,
        class.score_factor(),
        if class.residual { "with residual" } else { "without residual" },
    )
}
