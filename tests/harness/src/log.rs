//! What the browser noted down while the page ran.

use crate::page::Page;
use anyhow::{Context, Result};
use serde_json::{Value, json};

impl Page {
    /// Errors that the console shows since the last call: exceptions, files that did not load, violations of
    /// the content security policy.
    ///
    /// # Errors
    /// The browser refuses.
    pub async fn console_errors(&self) -> Result<Vec<String>> {
        let entries = self.entries("browser").await?;
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        Ok(severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// The addresses that the page asked for since the last call, without data that is written into them.
    ///
    /// # Errors
    /// The browser refuses.
    pub async fn requests(&self) -> Result<Vec<String>> {
        let mut addresses = Vec::new();
        for entry in self.entries("performance").await? {
            let event: Value =
                serde_json::from_str(entry["message"].as_str().context("an entry without a message")?)?;
            let event = &event["message"];
            if event["method"] == "Network.requestWillBeSent" {
                let address =
                    event["params"]["request"]["url"].as_str().context("a request without an address")?;
                if !address.starts_with("data:") && !address.starts_with("blob:") {
                    addresses.push(address.to_owned());
                }
            }
        }
        Ok(addresses)
    }

    async fn entries(&self, log: &str) -> Result<Vec<Value>> {
        let entries = self.chromedriver("se/log", json!({"type": log})).await?;
        Ok(entries.as_array().context("the log is no list")?.clone())
    }
}
