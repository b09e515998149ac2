//! Drives Pianola in a real browser, as a person would: controls are found by their accessible names.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! let page = harness::Page::open("?page=universal&heads=2").await?;
//! page.choose("Construction", "Random").await?;
//! page.wait_idle().await?;
//! println!("{}", page.status("Maximum error").await?);
//! # Ok(())
//! # }
//! ```
//!
//! `cargo xtask browser` says through the environment where everything is: `PIANOLA_DIST`, the built page;
//! `PIANOLA_CHROMIUM` and `PIANOLA_CHROMEDRIVER`, the browser; `PIANOLA_AXE`, the accessibility checker.

mod axe;
mod control;
mod driver;
mod log;
mod page;
mod window;

pub use axe::Violation;
pub use page::Page;
pub use window::{Theme, Window};
pub use xtask::site::Site;

use anyhow::{Context, Result};
use std::path::PathBuf;

/// The folder of the built page.
///
/// # Errors
/// Nobody said where it is.
pub fn dist() -> Result<PathBuf> {
    from_environment("PIANOLA_DIST")
}

fn from_environment(name: &str) -> Result<PathBuf> {
    let value = std::env::var_os(name);
    let value = value.with_context(|| {
        format!("{name} is not set: run `cargo xtask test`, or `cargo xtask browser <filter>`")
    })?;
    Ok(value.into())
}
