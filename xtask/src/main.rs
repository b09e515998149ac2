//! `cargo xtask …`: set up, build, serve, test, measure.
//!
//! Needed beforehand: Rust (by rustup, or Debian's), Node.js with npm, a C compiler. Everything else is
//! installed by the first command that needs it, pinned, into a folder per person (`PIANOLA_TOOLS`, else
//! `pianola-tools` in the user's cache folder), where the next clone finds it.
//!
//! | command | what it does |
//! |---|---|
//! | `cargo xtask serve` | builds the page and serves it at <http://127.0.0.1:8080/>; `--open` shows it, `--port N` takes another port, `--watch` builds anew after every change |
//! | `cargo xtask build` | builds the page into `dist/`, ready for any static host and any folder of it, and says how large it is; `--quick` for trying out |
//! | `cargo xtask test` | everything, the cheapest first: format, lints, tests, the release, the whole product in Chromium |
//! | `cargo xtask check` | the first half of that, for the inner loop |
//! | `cargo xtask browser FILTER` | whole-product tests by name, against the last build |
//! | `cargo xtask screenshot` | a picture of the last build: `--query "page=universal" --theme dark --lang pt-BR --width 800 --full --out page.png` |
//! | `cargo xtask bench` | the benchmarks; `cargo xtask bench page` measures the last build in Chromium |
//! | `cargo xtask experiment` | trains the models of the paper on all tasks and writes `docs/results.md`; goes on where it was interrupted |
//! | `cargo xtask fuzz` | the fuzzers, a minute each |
//!
//! `cargo xtask help` says the same in brief.
//!
//! # A release
//! What Trunk writes is finished in [`xtask::release`]: the code is cut into parts and named by its content, a
//! content security policy allows the page's own files and nothing else, and a service worker keeps the
//! release for use without a network. A new release is fetched in the background, checked file by file
//! against what it must be, and shown when the page is opened or loaded again and no other tab has the old one.

mod bench;
mod browser;
mod build;
mod check;
mod command;
mod experiment;
mod fuzz;
mod process;
mod report;
mod serve;
mod setup;
mod tally;

use anyhow::Result;
use command::Command;
use report::step;
use setup::Tools;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Command::from_arguments().and_then(carry_out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(command: Command) -> Result<()> {
    let tools = || step("Set up the tools", Tools::set_up);
    match command {
        Command::Help => {
            println!("{}", command::HELP);
            Ok(())
        }
        Command::Setup => setup::all(),
        Command::Build(effort) => build::build(&tools()?, effort).map(drop),
        Command::Serve(options) => serve::serve(&tools()?, &options),
        Command::Check => check::quick(&tools()?),
        Command::Test => check::everything(&tools()?),
        Command::Browser(arguments) => browser::tests_of_last_build(&arguments),
        Command::Screenshot(arguments) => browser::screenshot(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Experiment(arguments) => experiment::experiment(&arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(&arguments),
    }
}
