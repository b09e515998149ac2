//! Debian's and Ubuntu's packages.

use crate::process::{as_administrator, find, run};
use anyhow::{Result, bail};

/// Installs packages.
///
/// # Errors
/// There is no apt-get, this user may not use it, or a package does not exist.
pub fn install(packages: &[&str]) -> Result<()> {
    if find("apt-get").is_none() {
        bail!("there is no apt-get on this system");
    }
    let apt = |arguments: &[&str]| -> Result<()> {
        let mut command = as_administrator("env")?;
        command.args([
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "--quiet=2",
            "-o",
            "DPkg::Lock::Timeout=300",
        ]);
        run(command.args(arguments))
    };
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}
