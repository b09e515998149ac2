//! `cargo xtask fuzz`: the fuzzers, where cargo-fuzz is installed.

use crate::build::project;
use crate::process::{cargo, find, output, run};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;

/// How long each fuzzer looks for inputs that break the code, in seconds.
const PATIENCE: u32 = 60;

/// Runs the named fuzzers, or all of them, a minute each.
///
/// # Errors
/// cargo-fuzz is missing, or a fuzzer found something.
pub fn fuzz(targets: &[OsString]) -> Result<()> {
    if find("cargo-fuzz").is_none() {
        bail!(
            "cargo-fuzz is not installed. It needs a nightly Rust and Clang's libFuzzer: \
             `rustup toolchain install nightly`, then `cargo install cargo-fuzz`"
        );
    }
    let known =
        output(cargo().current_dir(project()).args(["fuzz", "list"])).context("there are no fuzzers")?;
    let all: Vec<OsString> = known.lines().map(OsString::from).collect();
    for target in if targets.is_empty() { &all[..] } else { targets } {
        let mut fuzzer = std::process::Command::new("cargo");
        fuzzer
            .args(["+nightly", "fuzz", "run"])
            .arg(target)
            .args(["--", &format!("-max_total_time={PATIENCE}")]);
        // The toolchain that runs this task would win over the nightly one.
        run(fuzzer.current_dir(project()).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO"))?;
    }
    Ok(())
}
