//! `cargo xtask bench`: the benchmarks of all packages, and of the page.

use crate::browser;
use crate::build::project;
use crate::process::{cargo, run};
use anyhow::Result;
use std::ffi::OsString;

/// Runs the benchmarks whose names contain one of the filters; the filter `page` measures the last build in a browser.
///
/// # Errors
/// A benchmark does not compile or fails, or the page is to be measured and was not built yet.
pub fn bench(filters: &[OsString]) -> Result<()> {
    if filters == ["page"] {
        return browser::measure();
    }
    // `--benches` would also run the unit tests of every library, which do not know the filters' options.
    run(cargo().current_dir(project()).args(["bench", "--workspace", "--bench", "*", "--"]).args(filters))
}
