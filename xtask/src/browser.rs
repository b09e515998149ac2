//! `cargo xtask browser`, `cargo xtask screenshot`, `cargo xtask bench page`: the built page in a real browser.

use crate::build::project;
use crate::process::{cargo, run};
use crate::report::step;
use crate::setup::{self, Browser};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The whole-product tests of a release.
///
/// # Errors
/// The accessibility checker is missing and cannot be installed.
pub fn tests(browser: &Browser, dist: &Path) -> Result<Command> {
    let mut command = driving(browser, dist);
    command.args(["test", "--package", "pianola", "--test", "browser"]).env("PIANOLA_AXE", setup::axe()?);
    Ok(command)
}

/// `cargo xtask browser`.
///
/// # Errors
/// Nothing was built yet, or a test fails.
pub fn tests_of_last_build(filters: &[OsString]) -> Result<()> {
    let browser = step("Set up the browser", Browser::set_up)?;
    run(tests(&browser, &last_build()?)?.arg("--").args(filters))
}

/// `cargo xtask screenshot`.
///
/// # Errors
/// Nothing was built yet, an option is unknown, or the page does not come to rest.
pub fn screenshot(arguments: &[OsString]) -> Result<()> {
    let browser = step("Set up the browser", Browser::set_up)?;
    run(driving(&browser, &last_build()?)
        .args(["run", "--quiet", "--package", "harness", "--bin", "screenshot", "--"])
        .args(arguments))
}

/// `cargo xtask bench page`.
///
/// # Errors
/// Nothing was built yet, or the page does not come to rest.
pub fn measure() -> Result<()> {
    let browser = step("Set up the browser", Browser::set_up)?;
    run(driving(&browser, &last_build()?).args([
        "run",
        "--quiet",
        "--package",
        "harness",
        "--bin",
        "measure",
    ]))
}

/// A cargo whose programs know where the browser and the page are.
fn driving(browser: &Browser, dist: &Path) -> Command {
    let mut command = cargo();
    // Where a test was when something did not hold matters more than how the error was made.
    command
        .env("RUST_BACKTRACE", "0")
        .env("PIANOLA_DIST", dist)
        .env("PIANOLA_CHROMIUM", &browser.program)
        .env("PIANOLA_CHROMEDRIVER", &browser.driver);
    command
}

fn last_build() -> Result<PathBuf> {
    let dist = project().join("dist");
    if !dist.join("index.html").is_file() {
        bail!("nothing was built yet: run `cargo xtask build` first");
    }
    Ok(dist)
}
