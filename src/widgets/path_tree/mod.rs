//! A tree of attention paths, with as many leaves as there are paths: thousands of them can be panned and zoomed.
//!
//! ```ignore
//! view! {
//!     <PathTree
//!         norms=norms                       // Signal<Arc<Norms>>: the norm of every node
//!         order=order                       // Signal<Order>: the order of the leaves
//!         role=Role::Output
//!         progress=progress                 // Signal<f64>: how far it is contracted, in levels
//!         looked_at=looked_at               // Signal<Option<NodeAt>>: has a ring
//!         lit=lit                           // Signal<Lit>: what the page lights
//!         on_look=move |node| look(node)    // hover, or the arrow keys
//!         on_pin=move |node| pin(node)      // a click, Enter, Space
//!         …
//!     />
//! }
//! ```
//!
//! What is looked at or lit lies over the tree, which is drawn again only when it moves or its numbers change.

mod layout;
mod paint;
mod view;

pub use layout::{Layout, NodeAt, Norms, Order};
pub use paint::path_name;
pub use view::{Lit, PathTree};
