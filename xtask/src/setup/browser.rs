//! Chromium and its driver, for the whole-product tests.

use super::apt;
use crate::process::find;
use crate::report::step;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The browser and its driver.
pub struct Browser {
    /// Chromium or Chrome.
    pub program: PathBuf,
    /// Its WebDriver server.
    pub driver: PathBuf,
}

impl Browser {
    /// Finds them or installs them.
    ///
    /// # Errors
    /// They are missing and cannot be installed here; the error says what to install.
    pub fn set_up() -> Result<Browser> {
        if let Some(browser) = Browser::find() {
            return Ok(browser);
        }
        step("Install Chromium and its driver (once)", || apt::install(&["chromium", "chromium-driver", "fonts-dejavu-core"]))
            .and_then(|()| Browser::find().context("Chromium was installed but is not on PATH"))
            .context(
                "The tests need Chromium (or Chrome) and chromedriver of the same version, both on PATH. \
                 Debian: apt-get install chromium chromium-driver. Fedora: dnf install chromium chromedriver. \
                 macOS: brew install --cask chromium chromedriver",
            )
    }

    fn find() -> Option<Browser> {
        let program =
            ["chromium", "chromium-browser", "google-chrome", "chrome"].into_iter().find_map(find)?;
        Some(Browser { program, driver: find("chromedriver")? })
    }
}
