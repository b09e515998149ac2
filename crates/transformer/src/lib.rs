//! The ground floor: attention, transformers, a forward pass with its whole trace, and their files.
//!
//! The class of transformers is that of *Fixed Universal Transformers* (Liu, Andoni, Hsu, arXiv 2605.31423):
//! attention only, any number of heads and layers, with or without residual connections.

mod attention;
mod class;
mod draws;
mod error;
pub mod files;
mod forward;
mod paths;
pub mod presets;
mod target;

pub use attention::{TIE_TOLERANCE, attend, attend_within};
pub use class::{Attention, Class, Mask, Scale};
pub use draws::NormalDraws;
pub use error::Error;
pub use forward::{Trace, check_input, forward};
pub use paths::{AttentionPath, path_at, path_index, path_term, path_weight, paths_of_length};
pub use target::{Head, HeadMatrix, Layer, Target, Vocabulary};
