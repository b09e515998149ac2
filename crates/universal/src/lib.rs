//! Fixed universal transformers: for every class of attention-only transformers one transformer with
//! frozen weights that computes what any transformer of the class computes, steered by its embedding alone.
//!
//! The constructions are those of *Fixed Universal Transformers* (Liu, Andoni, Hsu, arXiv 2605.31423):
//! sparse, looped and random weights. Residual classes and tied random weights go beyond it.
//!
//! A [`UniversalTransformer`] is built from a class and a [`Construction`] only. A target enters by
//! [`UniversalTransformer::program`] alone, so frozen weights cannot depend on a target.
//!
//! ```
//! use ndarray::array;
//! use transformer::{Attention, Class, Mask, Scale, Target};
//! use universal::{Proof, UniversalTransformer, Verdict};
//!
//! let class = Class {
//!     heads: 2,
//!     layers: 2,
//!     width: 3,
//!     head_width: 2,
//!     attention: Attention::Softmax,
//!     mask: Mask::Causal,
//!     scale: Scale::InverseSqrt,
//!     residual: false,
//! };
//! let universal = UniversalTransformer::sparse(class)?;
//! let x = array![[1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [1.0, 1.0, 0.0]];
//! // The same frozen weights play one target after the other; only the program changes.
//! for seed in [1, 2] {
//!     let target = Target::random(class, seed)?;
//!     let program = universal.program(&target)?;
//!     let played = universal.forward(x.view(), program.embedding.view())?;
//!     let expected = transformer::forward(&target, x.view())?;
//!     let proof = Proof::new(&target, &expected, &universal, &played, None);
//!     assert_eq!(proof.verdict, Verdict::Exact);
//! }
//! # Ok::<(), universal::Error>(())
//! ```

pub mod bounds;
pub mod capacity;
mod construction;
mod consumer;
mod error;
mod fingerprint;
mod frozen;
mod layout;
mod proof;
mod random;
mod routing;
pub mod run;
pub mod sweep;
mod terms;
mod unfold;
mod universal;
pub mod witness;

pub use bounds::Bounds;
pub use capacity::Capacity;
pub use construction::{Construction, Law, RandomSpec, Table, Tying};
pub use consumer::{Consumer, Role};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use frozen::{FrozenHead, FrozenLayer, Mixing, Projection};
pub use layout::{Block, Layout, Slot};
pub use linear::Solve;
pub use proof::{Proof, Verdict};
pub use routing::{Move, Routing};
pub use run::Run;
pub use terms::{Tree, consumer_weight, leaf_term, node_value};
pub use universal::{Program, UniversalTransformer};
