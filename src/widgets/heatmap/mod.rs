//! A matrix as a picture of coloured cells.
//!
//! ```ignore
//! let tokens = ["the", "cat", "sat"];
//! let weights = RwSignal::new(Matrix::new(3, 3, weights).masked(|q, k| k > q));
//! let looked_at = RwSignal::new(None);
//! view! {
//!     <Heatmap
//!         name="A[1,2]"
//!         matrix=weights
//!         kind=Kind::Probability
//!         rows=Axis::new("q", "queries").named(tokens).in_role(Role::Query)
//!         cols=Axis::new("k", "keys").named(tokens).in_role(Role::Key)
//!         lit=Signal::derive(move || sources_of(elsewhere.get()))
//!         on_look=Callback::new(move |cell| looked_at.set(cell))
//!         formula=Callback::new(move |cell| view! { <math>…</math> }.into_any())
//!     />
//! }
//! ```
//!
//! The picture is drawn again only when the numbers, the scale, the labels, the room or the theme change. What is
//! looked at lies over it, so that hovering costs the same however large the matrix is.

mod actions;
mod data;
mod editor;
mod labels;
mod layout;
mod legend;
mod paint;
mod stage;
mod state;
mod tip;
mod view;

pub use data::{Axis, Cell, Kind, Lit, Matrix, ScaleLimit, Summary};
pub use labels::AxisLabels;
pub use layout::CellSize;
pub use state::Edit;
pub use view::{Heatmap, LegendPlace};
