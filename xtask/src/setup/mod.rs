//! Installs what is missing, pinned, and only what is missing.

mod apt;
mod browser;
mod cache;
mod target;

pub use browser::Browser;
pub use target::{TARGET, Toolchain};

use crate::process::{cargo, find, output, run};
use crate::report::step;
use anyhow::{Context, Result, bail};
use cache::Cache;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// These three are also named in `Trunk.toml`, `Cargo.toml` and there must be the same.
const TRUNK: &str = "0.21.14";
const WASM_BINDGEN: &str = "0.2.130";
const BINARYEN: &str = "132";
/// Only tests use it; nothing of it is published.
const AXE: &str = "4.14.1";

/// The tools that turn the sources into a web page.
pub struct Tools {
    /// Put before PATH.
    folders: Vec<PathBuf>,
    /// The compiler that knows WebAssembly.
    pub toolchain: Toolchain,
}

impl Tools {
    /// Finds or installs them.
    ///
    /// # Errors
    /// A tool is missing and cannot be installed; the error says what to do.
    pub fn set_up() -> Result<Tools> {
        let cache = Cache::open()?;
        let toolchain = target::set_up()?;
        let tools = [
            Tool { name: "trunk", package: "trunk", version: TRUNK, source: Source::CratesIoLocked },
            // Its own lock file names a release of a dependency that was withdrawn.
            Tool {
                name: "wasm-bindgen",
                package: "wasm-bindgen-cli",
                version: WASM_BINDGEN,
                source: Source::CratesIo,
            },
            Tool { name: "wasm-opt", package: "binaryen", version: BINARYEN, source: Source::Npm },
        ];
        let folders =
            tools.iter().filter_map(|tool| tool.set_up(&cache).transpose()).collect::<Result<_>>()?;
        Ok(Tools { folders, toolchain })
    }

    /// A program that finds these tools first.
    pub fn command(&self, program: &str) -> Result<Command> {
        let path = env::var_os("PATH").unwrap_or_default();
        let path: OsString = env::join_paths(self.folders.iter().cloned().chain(env::split_paths(&path)))?;
        // Command searches the PATH of this process, not the one that it passes on.
        let known = self.folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file());
        let mut command = known.map_or_else(|| Command::new(program), Command::new);
        command.env("PATH", path);
        self.toolchain.apply(&mut command);
        Ok(command)
    }
}

/// The script that finds what keeps people with disabilities out, as a file to run in the page.
///
/// # Errors
/// It is missing and cannot be installed.
pub fn axe() -> Result<PathBuf> {
    let cache = Cache::open()?;
    let script = |folder: &Path| folder.join("node_modules/axe-core/axe.min.js");
    let folder = cache.get(
        &format!("axe-core-{AXE}"),
        |folder| {
            if script(folder).is_file() { Ok(()) } else { bail!("{} is missing", script(folder).display()) }
        },
        |folder| install_from_npm("axe-core", AXE, folder),
    )?;
    Ok(script(&folder))
}

struct Tool {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    source: Source,
}

#[derive(Clone, Copy)]
enum Source {
    CratesIo,
    CratesIoLocked,
    Npm,
}

impl Tool {
    /// The folder to put before PATH; `None` when the right version is on PATH already.
    fn set_up(&self, cache: &Cache) -> Result<Option<PathBuf>> {
        if find(self.name).is_some_and(|path| self.verify(&path).is_ok()) {
            return Ok(None);
        }
        let bin = match self.source {
            Source::CratesIo | Source::CratesIoLocked => "bin",
            Source::Npm => "node_modules/.bin",
        };
        let folder = cache.get(
            &format!("{}-{}", self.package, self.version),
            |folder| self.verify(&folder.join(bin).join(self.name)),
            |folder| self.install(folder),
        )?;
        Ok(Some(folder.join(bin)))
    }

    /// Whether a program is this tool in this version.
    fn verify(&self, program: &Path) -> Result<()> {
        let said = output(Command::new(program).arg("--version"))?;
        if said.split_whitespace().any(|word| word == self.version) {
            return Ok(());
        }
        bail!("{} is `{said}`, not version {}", program.display(), self.version)
    }

    fn install(&self, folder: &Path) -> Result<()> {
        let mut command = cargo();
        command.args(["install", self.package, "--version", self.version, "--root"]).arg(folder);
        match self.source {
            Source::Npm => return install_from_npm(self.package, &format!("{}.0.0", self.version), folder),
            Source::CratesIo => {}
            Source::CratesIoLocked => {
                command.arg("--locked");
            }
        }
        // A target folder set for this workspace is not one for the tools.
        command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET_DIR");
        run(&mut command).with_context(|| {
            format!(
                "{} could not be installed from crates.io. Is the network there? By hand: \
                 cargo install {} --version {}, with its folder on PATH",
                self.package, self.package, self.version
            )
        })
    }
}

fn install_from_npm(package: &str, version: &str, folder: &Path) -> Result<()> {
    let npm = find("npm").context("npm is not on PATH: install Node.js 20 or newer")?;
    let mut command = Command::new(npm);
    command.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(folder);
    command.arg(format!("{package}@{version}"));
    run(&mut command).with_context(|| {
        format!("{package} could not be installed from npm. Is the network there? By hand: npm install -g {package}@{version}")
    })
}

/// Sets up everything, for building and for testing in a browser.
///
/// # Errors
/// Something is missing and cannot be installed; the error says what to do.
pub fn all() -> Result<()> {
    step("Set up the tools", Tools::set_up)?;
    step("Set up the browser", Browser::set_up)?;
    Ok(())
}
