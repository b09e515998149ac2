//! Lines and points over labelled axes, drawn by plotters on the page's own surfaces.
//!
//! ```ignore
//! let figure = RwSignal::new(Figure {
//!     x: Axis::new("L, layers"),
//!     y: Axis::new("m, columns").logarithmic(),
//!     series: vec![Series::new("sparse", Role::Universal, points)],
//!     rules: vec![],
//! });
//! view! { <Chart name="Width against depth" figure finding="The width doubles with every layer."/> }
//! ```
//!
//! What is drawn changes only with the numbers, the room and the theme; what is looked at and the marker lie over it.

mod actions;
mod backend;
mod overlay;
mod paint;
mod projection;
mod series;
mod state;
mod view;

pub use projection::Scale;
pub use series::{Axis, Band, Dot, Figure, Line, Rule, Series};
pub use state::Marker;
pub use view::Chart;
