//! `cargo xtask …`: set up, build, serve, test, measure. `cargo xtask help` lists the commands.

mod bench;
mod browser;
mod build;
mod check;
mod command;
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
        Command::Fuzz(arguments) => fuzz::fuzz(&arguments),
    }
}
