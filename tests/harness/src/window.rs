//! What a person's browser is like: its size, its colours, its language.

use crate::driver::Driver;
use crate::from_environment;
use crate::page::Page;
use anyhow::Result;
use fantoccini::ClientBuilder;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// A browser window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// What the system is set to.
    pub theme: Theme,
    /// What the person reads, as in `en` or `pt-BR`.
    pub language: String,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Default for Window {
    fn default() -> Self {
        Window { width: 1280, height: 900, theme: Theme::Light, language: "en".into() }
    }
}

impl Window {
    /// Opens an address in a new browser that knows nothing of any other.
    ///
    /// # Errors
    /// The browser cannot be started, or the page does not come to rest.
    pub async fn open(&self, address: &str) -> Result<Page> {
        let driver = Driver::shared()?;
        let Value::Object(capabilities) = self.capabilities()? else {
            unreachable!("capabilities are an object")
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&driver.address())
            .await?;
        let page = Page::new(client, driver).await?;
        page.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": self.width, "height": self.height, "deviceScaleFactor": 1, "mobile": false}),
        )
        .await?;
        page.devtools("Emulation.setScrollbarsHidden", json!({"hidden": true})).await?;
        page.emulate(self.theme).await?;
        page.go(address).await?;
        Ok(page)
    }

    fn capabilities(&self) -> Result<Value> {
        // Without these a browser looks for hosts that have nothing to do with the page. ChromeDriver gives
        // each session a new profile.
        let mut flags = vec![
            "--headless".to_owned(),
            "--no-sandbox".into(),
            "--disable-gpu".into(),
            "--disable-quic".into(),
            "--disable-dev-shm-usage".into(),
            "--no-first-run".into(),
            "--disable-background-networking".into(),
            "--disable-component-update".into(),
            "--disable-sync".into(),
        ];
        flags.push(format!("--accept-lang={}", self.language));
        flags.push(format!("--window-size={},{}", self.width, self.height));
        Ok(json!({
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": from_environment("PIANOLA_CHROMIUM")?, "args": flags},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": 60_000, "pageLoad": 60_000},
        }))
    }
}

impl Theme {
    /// Its name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}
