//! Counts of what passed and what failed, read from what the test programs say themselves.

use crate::process::{line, run};
use crate::report::seconds;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How many tests and checks passed, failed and were skipped, with the failures by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    failures: Vec<String>,
}

impl Tally {
    /// Does something that counts as one check.
    pub fn check(&mut self, title: &str, work: impl FnOnce() -> Result<()>) {
        self.count(title, |tally| {
            work()?;
            tally.passed += 1;
            Ok(())
        });
    }

    /// Runs a command that must succeed.
    pub fn run(&mut self, title: &str, command: &mut Command) {
        self.check(title, || run(command));
    }

    /// Runs a `cargo test` and counts its tests.
    pub fn tests(&mut self, title: &str, command: &mut Command) {
        self.count(title, |tally| {
            let before = (tally.passed, tally.failed);
            let mut child = command
                .stdout(Stdio::piped())
                .spawn()
                .with_context(|| format!("cannot start {}", line(command)))?;
            for said in BufReader::new(child.stdout.take().context("no output")?).lines() {
                let said = said?;
                println!("{said}");
                tally.add(&said);
            }
            let status = child.wait()?;
            if tally.failed > before.1 {
                // Each failure is counted already.
                tally.failed -= 1;
                bail!("tests failed");
            }
            if !status.success() {
                bail!("`{}` ended with {status}", line(command));
            }
            if tally.passed == before.0 {
                bail!("no test ran");
            }
            Ok(())
        });
    }

    /// Says what failed, and the counts alone on the last line.
    ///
    /// # Errors
    /// Something failed.
    pub fn conclude(self) -> Result<()> {
        println!();
        for failure in &self.failures {
            println!("failed: {failure}");
        }
        println!("{self}");
        if self.failed > 0 { bail!("not everything passed") } else { Ok(()) }
    }

    fn count(&mut self, title: &str, work: impl FnOnce(&mut Tally) -> Result<()>) {
        println!("── {title}");
        let start = Instant::now();
        match work(self) {
            Ok(()) => println!("   {title}: passed in {}", seconds(start.elapsed())),
            Err(error) => {
                println!("   {title}: FAILED after {}: {error:#}", seconds(start.elapsed()));
                self.failed += 1;
                self.failures.push(format!("{title}: {error:#}"));
            }
        }
    }

    /// Adds a line such as `test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; …`.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("test result: ").and_then(|(_, rest)| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn adds_up_what_test_programs_say() {
        let mut tally = Tally::default();
        let said = "echo 'test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s'; \
                    echo 'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out'; exit 101";
        tally.tests("units", &mut shell(said));
        tally.run("format", &mut shell("exit 0"));
        assert_eq!(tally.to_string(), "9 passed, 2 failed, 1 skipped");
        assert!(tally.conclude().is_err());
    }

    #[test]
    fn a_test_program_that_breaks_or_runs_nothing_is_a_failure() {
        for script in
            ["exit 101", "exit 0", "echo 'test result: ok. 5 passed; 0 failed; 0 ignored'; exit 101"]
        {
            let mut tally = Tally::default();
            tally.tests("units", &mut shell(script));
            assert_eq!(tally.failed, 1, "{script}");
        }
    }

    #[test]
    fn everything_passed() {
        let mut tally = Tally::default();
        tally.tests("units", &mut shell("echo 'test result: ok. 5 passed; 0 failed; 0 ignored'"));
        assert_eq!(tally.to_string(), "5 passed, 0 failed, 0 skipped");
        assert!(tally.conclude().is_ok());
    }
}
