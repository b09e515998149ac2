//! `cargo xtask …`: set up, build, serve, test, measure. `cargo xtask help` lists the commands.

mod build;
mod process;
mod report;
mod serve;
mod setup;

use anyhow::{Result, bail};
use report::step;
use setup::Tools;

fn main() -> Result<()> {
    let tools = step("Set up the tools", Tools::set_up)?;
    match std::env::args().nth(1).as_deref() {
        Some("build") => build::build(&tools).map(drop),
        Some("serve") => serve::serve(&tools, &serve::Options { source: serve::Source::Release, port: 8080, then: serve::Then::SayAddress }),
        other => bail!("{other:?}"),
    }
}
