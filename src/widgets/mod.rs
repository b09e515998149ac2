//! Views that know no page: they get numbers, labels and callbacks. Each module shows how it is used.
//!
//! Numbers come in as signals and plain data, changes go out through callbacks, and no widget knows where its numbers
//! come from. What widgets say by themselves comes from [`words`].
//!
//! Widgets end in `into_any`: a page holds dozens of them, and the nested types of their views would otherwise take
//! minutes to compile and more stack than WebAssembly has in a debug build.

pub mod chart;
pub mod code_editor;
pub mod controls;
pub mod dialog;
pub mod heatmap;
pub mod icon;
pub mod math;
pub mod number;
pub mod path_tree;
pub mod scrubber;
pub mod status;
pub mod table;
pub mod tooltip;
pub mod words;

use std::sync::atomic::{AtomicUsize, Ordering};

/// An `id` that no other element of the page has.
pub fn unique_id(prefix: &str) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
