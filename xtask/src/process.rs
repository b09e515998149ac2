//! Other programs: whether they are there, what they say, how they end.

use anyhow::{Context, Result, bail};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Runs a program to its end.
///
/// # Errors
/// It cannot be started, or it says that it failed.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", line(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

/// What a program prints on its standard output, without the space around it.
///
/// # Errors
/// It cannot be started, or it says that it failed.
pub fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {}", line(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` ended with {}: {}", line(command), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where a program is on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let program = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&program)).find(|path| path.is_file())
}

/// The cargo that runs this task.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program with the rights to install packages.
///
/// # Errors
/// This user has none without a password.
pub fn as_administrator(program: &str) -> Result<Command> {
    if output(Command::new("id").arg("-u"))? == "0" {
        return Ok(Command::new(program));
    }
    output(Command::new("sudo").args(["-n", "true"]))
        .context("this user may not install packages without a password")?;
    let mut command = Command::new("sudo");
    command.args(["-n", program]);
    Ok(command)
}

/// A command as a person would type it.
pub fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(|word| word.to_string_lossy()));
    words.join(" ")
}
