//! The standard library for WebAssembly, from rustup or, where rustup cannot fetch it, built from Debian's
//! sources by Debian's compiler.

use super::apt;
use crate::process::{as_administrator, output, run};
use crate::report::step;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page is compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Which compiler knows [`TARGET`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that compiles everything else.
    Usual,
    /// Debian's, in `/usr`.
    Debian,
}

impl Toolchain {
    /// Makes a command use this compiler.
    pub fn apply(self, command: &mut Command) {
        if self == Toolchain::Debian {
            command
                .env("RUSTUP_TOOLCHAIN", "/usr")
                .env("RUSTC", "/usr/bin/rustc")
                .env("CARGO", "/usr/bin/cargo");
        }
    }
}

/// Finds or installs the target.
///
/// # Errors
/// Neither rustup nor Debian's packages have it.
pub fn set_up() -> Result<Toolchain> {
    if has_target(&mut Command::new("rustc")) {
        return Ok(Toolchain::Usual);
    }
    let added = step("Add the WebAssembly target with rustup (once)", || {
        run(Command::new("rustup").args(["target", "add", TARGET]))
    });
    let Err(error) = added else { return Ok(Toolchain::Usual) };
    if has_target(&mut Command::new("/usr/bin/rustc")) {
        return Ok(Toolchain::Debian);
    }
    println!("   {error:#}");
    step("Build the WebAssembly target from Debian's sources (once)", build_from_debian)
        .map(|()| Toolchain::Debian)
        .with_context(|| {
            format!("This Rust cannot compile for {TARGET}. With a network, `rustup target add {TARGET}` adds what is missing")
        })
}

fn has_target(rustc: &mut Command) -> bool {
    let folder = output(rustc.args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_ok_and(|folder| libraries(Path::new(&folder)).is_ok_and(|found| !found.is_empty()))
}

fn build_from_debian() -> Result<()> {
    apt::install(&["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22"])?;

    // An empty library makes cargo build the standard library.
    let folder = std::env::temp_dir().join(format!("pianola-standard-library-{}", std::process::id()));
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n")?;
    let mut build = Command::new("/usr/bin/cargo");
    build
        .args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TARGET])
        .current_dir(&folder);
    // Debian's is a stable compiler; the flag lets it build its own standard library.
    build
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", "/usr/bin/rustc")
        .env("CARGO_TARGET_DIR", folder.join("target"));
    build.env_remove("RUSTUP_TOOLCHAIN");
    run(&mut build)?;

    let place =
        output(Command::new("/usr/bin/rustc").args(["--print", "target-libdir", "--target", TARGET]))?;
    run(as_administrator("mkdir")?.args(["-p", &place]))?;
    let built = libraries(&folder.join("target").join(TARGET).join("release/deps"))?;
    let ours =
        |path: &&PathBuf| !path.ends_with("libempty.rlib") && !path.to_string_lossy().contains("libempty-");
    run(as_administrator("cp")?.args(built.iter().filter(ours)).arg(&place))?;
    Ok(fs::remove_dir_all(folder)?)
}

fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rlib") {
            found.push(path);
        }
    }
    Ok(found)
}
