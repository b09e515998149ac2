//! `cargo xtask bench`: the benchmarks of all packages.

use crate::build::project;
use crate::process::{cargo, run};
use anyhow::Result;
use std::ffi::OsString;

/// Runs the benchmarks whose names contain one of the filters.
///
/// # Errors
/// A benchmark does not compile or fails.
pub fn bench(filters: &[OsString]) -> Result<()> {
    // `--benches` would also run the unit tests of every library, which do not know the filters' options.
    run(cargo().current_dir(project()).args(["bench", "--workspace", "--bench", "*", "--"]).args(filters))
}
