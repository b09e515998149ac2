//! The accessibility checker axe-core, run inside the page.

use crate::from_environment;
use crate::page::Page;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt;
use std::fs;

/// Something that keeps people out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule, as in `color-contrast`.
    pub rule: String,
    /// What the rule wants.
    pub help: String,
    /// The elements, each with what is wrong there.
    pub elements: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}: {}", self.rule, self.help)?;
        self.elements.iter().try_for_each(|element| write!(out, "\n  {element}"))
    }
}

impl Page {
    /// What axe-core finds wrong with the page as it is now.
    ///
    /// # Errors
    /// The checker is not there or fails.
    pub async fn axe(&self) -> Result<Vec<Violation>> {
        let checker = fs::read_to_string(from_environment("PIANOLA_AXE")?)?;
        self.run(&format!("{checker}\nwindow.axe = axe;")).await?;
        let found = self.run("return axe.run(document).then(({ violations }) => violations)").await?;
        let violations = found.as_array().context("axe found no list")?.iter().map(violation).collect();
        Ok(violations)
    }
}

fn violation(found: &Value) -> Violation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let element = |node: &Value| {
        let summary = text(&node["failureSummary"]).replace('\n', " ");
        format!("{} — {summary}", node["html"])
    };
    Violation {
        rule: text(&found["id"]),
        help: text(&found["help"]),
        elements: found["nodes"].as_array().into_iter().flatten().map(element).collect(),
    }
}
