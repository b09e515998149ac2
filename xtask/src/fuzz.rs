//! `cargo xtask fuzz`: the fuzzers, where cargo-fuzz is installed.

use crate::build::project;
use crate::process::{cargo, find, output, run};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// How long each fuzzer looks for inputs that break the code, in seconds.
const PATIENCE: u32 = 60;

/// Runs the named fuzzers, or all of them, a minute each.
///
/// # Errors
/// cargo-fuzz is missing, or a fuzzer found something.
pub fn fuzz(targets: &[OsString]) -> Result<()> {
    if find("cargo-fuzz").is_none() {
        bail!("cargo-fuzz is not installed: `cargo install cargo-fuzz`; it also needs a C++ compiler");
    }
    let known = output(cargo_fuzz().arg("list")).context("there are no fuzzers")?;
    let all: Vec<OsString> = known.lines().map(OsString::from).collect();
    for target in if targets.is_empty() { &all[..] } else { targets } {
        if !all.contains(target) {
            bail!("there is no fuzzer {}; there are {}", target.display(), known.replace('\n', ", "));
        }
        let mut fuzzer = cargo_fuzz();
        fuzzer.arg("run").arg(target);
        // What is found goes to the first folder; the second has examples to start from.
        let folder = |kind: &str| Path::new("fuzz").join(kind).join(target);
        std::fs::create_dir_all(project().join(folder("corpus")))?;
        fuzzer.arg(folder("corpus"));
        if project().join(folder("seeds")).is_dir() {
            fuzzer.arg(folder("seeds"));
        }
        run(fuzzer.args(["--", &format!("-max_total_time={PATIENCE}")]))?;
    }
    Ok(())
}

fn cargo_fuzz() -> Command {
    let mut command = cargo();
    // Fuzzers need a sanitizer, which a stable compiler has but does not offer.
    command.arg("fuzz").current_dir(project()).env("RUSTC_BOOTSTRAP", "1");
    command
}
