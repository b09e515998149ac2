//! Only the roll is trained: embeddings learned for frozen transformers.
//!
//! The experiments are those of *Fixed Universal Transformers* (Liu, Andoni, Hsu, arXiv 2605.31423): inside
//! the transformer everything is frozen (sparse, looped or random), and only token embedding, position
//! embedding and unembedding are trained; a fully trained transformer of the same shape stands beside them.
//!
//! ```
//! use training::{Kind, Run, Task, Variant, recommended};
//!
//! let mut config = recommended(Task::Dyck { length: 8 }, Variant::AttentionOnly, Kind::Sparse);
//! config.steps = 20;
//! let mut run = Run::new(config)?;
//! while !run.is_finished() {
//!     let progress = run.step()?;
//!     assert!(progress.loss.is_finite());
//! }
//! assert_eq!(run.frozen()?.changed, 0);
//! let tokens = run.config().task.encode("(())()()")?;
//! assert_eq!(run.predict(&tokens)?.len(), 10);
//! # Ok::<(), training::Error>(())
//! ```

mod adam;
mod compact;
mod config;
mod error;
mod export;
mod frozen;
#[cfg(test)]
mod gradient_tests;
mod kernels;
mod lanes;
mod network;
mod parameters;
mod real;
mod recipes;
mod report;
mod run;
mod task;
mod wiring;

pub use config::{Config, Model, Optimiser, Skips, Variant, Weights};
pub use error::Error;
pub use parameters::TensorShape;
pub use recipes::{Kind, recommended};
pub use report::{Accuracy, Report, Results};
pub use run::{
    AttentionMaps, Evaluation, Failure, FrozenReport, KEEP_EVERY, Prediction, Progress, Run, Snapshot,
};
pub use task::{Batch, Data, NO_TARGET, OwnSequence, OwnSequences, Task};
pub use wiring::{FrozenMatrix, HeadWiring, LayerWiring, Wiring};
