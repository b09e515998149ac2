//! `cargo xtask test` and `cargo xtask check`: what must hold, the cheapest first.

use crate::browser;
use crate::build::{Effort, build, project};
use crate::process::cargo;
use crate::setup::{Browser, TARGET, Toolchain, Tools};
use crate::tally::Tally;
use anyhow::Result;
use std::process::Command;

/// What takes seconds once it is compiled.
///
/// # Errors
/// Something does not hold.
pub fn quick(tools: &Tools) -> Result<()> {
    let mut tally = Tally::default();
    lints(tools, &mut tally)?;
    native_tests(&mut tally);
    tally.conclude()
}

/// Everything. What fails does not keep the rest from being checked.
///
/// # Errors
/// Something does not hold.
pub fn everything(tools: &Tools) -> Result<()> {
    let browser = crate::report::step("Set up the browser", Browser::set_up)?;
    let mut tally = Tally::default();
    lints(tools, &mut tally)?;
    native_tests(&mut tally);
    let mut dist = None;
    tally.check("Release", || {
        dist = Some(build(tools, Effort::Full)?);
        Ok(())
    });
    if let Some(dist) = dist {
        tally.tests("Whole product in Chromium", &mut browser::tests(&browser, &dist)?);
    }
    tally.conclude()
}

fn lints(tools: &Tools, tally: &mut Tally) -> Result<()> {
    let deny = ["--", "-D", "warnings"];
    tally.run("Format", cargo_here().args(["fmt", "--all", "--check"]));
    tally.run("Lints", cargo_here().args(["clippy", "--quiet", "--workspace", "--all-targets"]).args(deny));
    let mut page = tools.command("cargo")?;
    page.current_dir(project());
    // Debian's compiler comes without clippy.
    match tools.toolchain {
        Toolchain::Usual => {
            page.args(["clippy", "--quiet", "--package", "pianola", "--target", TARGET]).args(deny)
        }
        Toolchain::Debian => page.args(["check", "--quiet", "--package", "pianola", "--target", TARGET]),
    };
    tally.run("Lints for the browser", &mut page);
    Ok(())
}

fn native_tests(tally: &mut Tally) {
    tally
        .tests("Tests and examples", cargo_here().args(["test", "--quiet", "--workspace", "--no-fail-fast"]));
}

fn cargo_here() -> Command {
    let mut cargo = cargo();
    cargo.current_dir(project());
    cargo
}
