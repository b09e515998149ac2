//! What a person may ask for, read from the command line.

use crate::build::Effort;
use crate::serve::{Options, Source, Then};
use anyhow::{Result, bail};
use lexopt::prelude::*;
use std::ffi::OsString;

/// What `cargo xtask help` prints.
pub const HELP: &str = "\
cargo xtask <command>; each command first installs what it needs and is missing

  setup                 only that
  serve [--open] [--port N] [--quick|--watch]
                        builds the page and serves it; --watch: a development build, made anew after changes
  build [--quick]       builds the page into dist/, for any static host; --quick: larger, sooner
  test                  everything: format, lints, tests, the release, the whole product in a browser
  check                 for the inner loop: format, lints, native tests
  browser [FILTER …]    the whole-product tests whose names contain FILTER, against the last build
  screenshot [--width N] [--height N] [--theme light|dark] [--lang en|pt-BR] [--query TEXT] [--full]
             [--out FILE]
                        a picture of the last build; --query \"page=universal\"; --full: the whole page
  bench [FILTER …]      the benchmarks; `bench page` measures the last build in a browser
  experiment [--jobs N] [--seeds N] [--only TEXT]
                        trains all models on all tasks, or those whose name contains TEXT; goes on where it
                        was interrupted; writes docs/results.md
  fuzz [TARGET …]       the fuzzers (needs cargo-fuzz)

PIANOLA_TOOLS names the folder for installed tools; otherwise they are in the user's cache folder.";

/// A command with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Says what there is.
    Help,
    /// Installs what is missing.
    Setup,
    /// Builds the page.
    Build(Effort),
    /// Builds and serves the page.
    Serve(Options),
    /// Format, lints, native tests.
    Check,
    /// Everything.
    Test,
    /// Whole-product tests against the last build.
    Browser(Vec<OsString>),
    /// A picture of the last build.
    Screenshot(Vec<OsString>),
    /// Benchmarks.
    Bench(Vec<OsString>),
    /// The training experiments.
    Experiment(Vec<OsString>),
    /// Fuzzers.
    Fuzz(Vec<OsString>),
}

impl Command {
    /// Reads this process's arguments.
    ///
    /// # Errors
    /// There is no such command or option.
    pub fn from_arguments() -> Result<Command> {
        Command::read(lexopt::Parser::from_env())
    }

    fn read(mut arguments: lexopt::Parser) -> Result<Command> {
        let name = match arguments.next()? {
            Some(Value(name)) => name.string()?,
            None | Some(Short('h') | Long("help")) => return Ok(Command::Help),
            Some(other) => return Err(other.unexpected().into()),
        };
        let rest = |mut arguments: lexopt::Parser| Ok::<_, lexopt::Error>(arguments.raw_args()?.collect());
        let command = match name.as_str() {
            "help" => Command::Help,
            "setup" => Command::Setup,
            "check" => Command::Check,
            "test" => Command::Test,
            "build" => return build(arguments).map(Command::Build),
            "serve" => return serve(arguments).map(Command::Serve),
            "browser" => return Ok(Command::Browser(rest(arguments)?)),
            "screenshot" => return Ok(Command::Screenshot(rest(arguments)?)),
            "bench" => return Ok(Command::Bench(rest(arguments)?)),
            "experiment" => return Ok(Command::Experiment(rest(arguments)?)),
            "fuzz" => return Ok(Command::Fuzz(rest(arguments)?)),
            unknown => bail!("there is no command `{unknown}`\n\n{HELP}"),
        };
        match arguments.next()? {
            None => Ok(command),
            Some(more) => Err(more.unexpected().into()),
        }
    }
}

fn build(mut arguments: lexopt::Parser) -> Result<Effort> {
    let mut effort = Effort::Full;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("quick") => effort = Effort::Quick,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(effort)
}

fn serve(mut arguments: lexopt::Parser) -> Result<Options> {
    let mut options = Options { source: Source::Built(Effort::Full), port: 8080, then: Then::SayAddress };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("open") => options.then = Then::OpenBrowser,
            Long("quick") => options.source = Source::Built(Effort::Quick),
            Long("watch") => options.source = Source::Watched,
            Long("port") => options.port = arguments.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command> {
        Command::read(lexopt::Parser::from_iter(std::iter::once("xtask").chain(line.split_whitespace())))
    }

    #[test]
    fn reads_commands_with_their_options() {
        assert_eq!(read("").unwrap(), Command::Help);
        assert_eq!(read("test").unwrap(), Command::Test);
        let options = Options { source: Source::Built(Effort::Full), port: 9000, then: Then::OpenBrowser };
        assert_eq!(read("serve --port 9000 --open").unwrap(), Command::Serve(options));
        assert_eq!(read("browser offline").unwrap(), Command::Browser(vec!["offline".into()]));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for line in ["tset", "test --fast", "serve --port many", "--quick"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
