//! `cargo xtask build`: the page as it is published.

use crate::process::{cargo, run};
use crate::report::step;
use crate::setup::{TARGET, Tools};
use anyhow::Result;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::release;

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// How much time the compiler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As small and as fast as it gets: what is published.
    Full,
    /// About as fast, larger, and built in a fraction of the time.
    Quick,
}

/// Builds the page, says how large it is, and returns its folder, `dist`.
///
/// The release is made beside the folder and moved there when it is whole.
///
/// # Errors
/// The sources do not compile, or a tool fails.
pub fn build(tools: &Tools, effort: Effort) -> Result<PathBuf> {
    let stage = project().join(".stage");
    let dist = project().join("dist");
    step("Build the page", || {
        // Trunk runs without a network, so that it never fetches tools; the crates must be here before.
        run(cargo()
            .args(["fetch", "--quiet", "--target", TARGET, "--target", "host-tuple"])
            .current_dir(project()))?;
        let mut trunk = trunk(tools)?;
        trunk.args(["build", "--offline", "--filehash", "true", "--dist"]).arg(&stage);
        trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", release::code::RUSTFLAGS);
        let (profile, optimise): (_, &[&str]) = match effort {
            // Twice finds a little more.
            Effort::Full => ("release", &["-Oz", "-Oz"]),
            Effort::Quick => ("quick", &[]),
        };
        run(trunk.args(["--cargo-profile", profile]))?;
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| project().join("target"), PathBuf::from);
        let built = target.join(TARGET).join(profile).join("pianola.wasm");
        release::finish(&stage, &release::Code { built, optimise, tool: &|name| tools.command(name) })?;
        if dist.exists() {
            fs::remove_dir_all(&dist)?;
        }
        Ok(fs::rename(&stage, &dist)?)
    })?;
    println!("{}", release::measure(&dist)?);
    Ok(dist)
}

/// Trunk in the project's folder, with everything that it needs to run without a network.
///
/// # Errors
/// The crates cannot be fetched.
pub fn trunk(tools: &Tools) -> Result<Command> {
    // Offline it fetches no tools of its own, but no crates either: they must be here before.
    run(cargo()
        .args(["fetch", "--quiet", "--target", TARGET, "--target", "host-tuple"])
        .current_dir(project()))?;
    let mut trunk = tools.command("trunk")?;
    // Many set NO_COLOR=1, which Trunk takes for a mistake: it wants `true`.
    trunk.current_dir(project()).env_remove("NO_COLOR").env("TRUNK_SKIP_VERSION_CHECK", "true");
    Ok(trunk)
}
