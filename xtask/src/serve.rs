//! `cargo xtask serve`: the page on this machine.

use crate::build::{Effort, build, trunk};
use crate::process::{find, run};
use crate::setup::Tools;
use anyhow::{Context, Result};
use std::process::Command;
use xtask::site::Site;

/// What `serve` was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is served.
    pub source: Source,
    /// On which port.
    pub port: u16,
    /// What happens when the page is there.
    pub then: Then,
}

/// What is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// What `build` makes.
    Built(Effort),
    /// A development build, made anew after every change.
    Watched,
}

/// What happens when the page is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Its address is said.
    SayAddress,
    /// The browser shows it, too.
    OpenBrowser,
}

/// Serves until it is interrupted.
///
/// # Errors
/// The build fails, the port is taken, or no browser can be opened.
pub fn serve(tools: &Tools, options: &Options) -> Result<()> {
    let opens = options.then == Then::OpenBrowser;
    let Source::Built(effort) = options.source else {
        let mut trunk = trunk(tools)?;
        trunk.args(["serve", "--offline", "--dist", ".watched", "--port", &options.port.to_string()]);
        if opens {
            trunk.arg("--open");
        }
        return run(&mut trunk);
    };
    let dist = build(tools, effort)?;
    let site = Site::serve(&dist, "", options.port)?;
    println!("\nPianola is at {} (Ctrl+C ends it)", site.address());
    if opens {
        let program = ["xdg-open", "open", "wslview"].into_iter().find_map(find);
        run(Command::new(
            program.context("no program that opens a browser was found: open the address yourself")?,
        )
        .arg(site.address()))?;
    }
    loop {
        std::thread::park();
    }
}
