//! `cargo xtask experiment`: the training experiments, by the program of the package `training`.

use crate::build::project;
use crate::process::{cargo, run};
use anyhow::Result;
use std::ffi::OsString;

/// Trains what the arguments name, and writes down what is found.
///
/// # Errors
/// The program does not compile, or a run fails.
pub fn experiment(arguments: &[OsString]) -> Result<()> {
    let program = ["run", "--package", "training", "--features", "experiment", "--bin", "experiment", "--"];
    run(cargo().current_dir(project()).args(program).args(arguments))
}
