//! Views that know no page: they get numbers, labels and callbacks.

pub mod chart;
pub mod controls;
pub mod dialog;
pub mod heatmap;
pub mod icon;
pub mod math;
pub mod number;
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
