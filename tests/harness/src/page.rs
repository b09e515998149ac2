//! An open page.

use crate::driver::Driver;
use crate::window::{Theme, Window};
use crate::{Site, dist};
use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fantoccini::Client;
use fantoccini::wd::WebDriverCompatibleCommand;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A page in a browser of its own; the browser ends with the value.
pub struct Page {
    /// The WebDriver client, for what has no method here.
    pub client: Client,
    session: String,
    driver: Arc<Driver>,
}

impl Page {
    /// Opens the built page with this query (empty, or from the question mark on) and waits until it is idle.
    ///
    /// # Errors
    /// The page was not built, the browser cannot be started, or the page does not come to rest.
    pub async fn open(query: &str) -> Result<Page> {
        Window::default().open(&format!("{}{query}", site()?.address())).await
    }

    /// Goes to an address and waits until the page there is idle.
    ///
    /// # Errors
    /// The page does not come to rest.
    pub async fn go(&self, address: &str) -> Result<()> {
        self.client.goto(address).await?;
        self.wait_idle().await
    }

    /// Loads the page again and waits until it is idle.
    ///
    /// # Errors
    /// The page does not come to rest.
    pub async fn reload(&self) -> Result<()> {
        self.client.refresh().await?;
        self.wait_idle().await
    }

    /// Waits until no work is under way and the last picture is painted: the page says so itself, by
    /// `data-idle="true"` on its root.
    ///
    /// # Errors
    /// This takes more than a minute.
    pub async fn wait_idle(&self) -> Result<()> {
        // What was just done reaches the page in a task of its own, and a file has to be read first.
        sleep(Duration::from_millis(200)).await;
        self.wait("the page is idle", r#"return document.documentElement?.dataset.idle === "true""#).await
    }

    /// Shows what comes only when the window is near it.
    ///
    /// # Errors
    /// It does not come, or the page does not come to rest.
    pub async fn show_all(&self) -> Result<()> {
        self.run("document.querySelectorAll('main .later').forEach((place) => place.click())").await?;
        self.wait("everything is there", "return document.querySelector('main .later') === null").await?;
        self.wait_idle().await
    }

    /// Waits until a script returns true; `what` says it in words, for the error.
    ///
    /// # Errors
    /// The script fails, or does not return true within a minute.
    pub async fn wait(&self, what: &str, script: &str) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if self.run(script).await? == Value::Bool(true) {
                return Ok(());
            }
            if Instant::now() > deadline {
                let seen = self.client.source().await.unwrap_or_default();
                let start: String = seen.chars().take(2000).collect();
                bail!(
                    "waited a minute until {what}; errors: {:?}; the page is {start}",
                    self.console_errors().await?
                );
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Runs a script in the page and returns what it returns; promises are waited for.
    ///
    /// # Errors
    /// The script throws.
    pub async fn run(&self, script: &str) -> Result<Value> {
        let first_line = script.lines().next().unwrap_or_default();
        self.client.execute(script, Vec::new()).await.with_context(|| format!("in the script `{first_line}`"))
    }

    /// Makes the page believe that the system is light or dark.
    ///
    /// # Errors
    /// The browser refuses.
    pub async fn emulate(&self, theme: Theme) -> Result<()> {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": theme.name()}]});
        self.devtools("Emulation.setEmulatedMedia", features).await.map(drop)
    }

    /// Writes what the window shows to a PNG file.
    ///
    /// # Errors
    /// The browser refuses, or the file cannot be written.
    pub async fn screenshot(&self, path: &Path) -> Result<()> {
        self.picture(path, json!({"format": "png"})).await
    }

    /// Writes the whole page, also what lies below the window, to a PNG file.
    ///
    /// # Errors
    /// The browser refuses, or the file cannot be written.
    pub async fn screenshot_of_all(&self, path: &Path) -> Result<()> {
        self.show_all().await?;
        let metrics = self.devtools("Page.getLayoutMetrics", json!({})).await?;
        let size = &metrics["cssContentSize"];
        let clip = json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        self.picture(path, json!({"format": "png", "captureBeyondViewport": true, "clip": clip})).await
    }

    /// Sends a command of the Chrome DevTools protocol.
    ///
    /// # Errors
    /// The browser refuses.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Result<Value> {
        self.chromedriver("goog/cdp/execute", json!({"cmd": method, "params": parameters}))
            .await
            .with_context(|| format!("in {method}"))
    }

    /// Sends one of ChromeDriver's own commands.
    pub(crate) async fn chromedriver(&self, path: &'static str, body: Value) -> Result<Value> {
        Ok(self.client.issue_cmd(Command { path, body: body.to_string() }).await?)
    }

    pub(crate) async fn new(client: Client, driver: Arc<Driver>) -> Result<Page> {
        let session = client.session_id().await?.context("the browser gave no session")?;
        Ok(Page { client, session, driver })
    }

    async fn picture(&self, path: &Path, parameters: Value) -> Result<()> {
        let picture = self.devtools("Page.captureScreenshot", parameters).await?;
        let picture = STANDARD.decode(picture["data"].as_str().context("the browser gave no picture")?)?;
        fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // A browser that has crashed needs no end.
        let _ = self.driver.end_session(&self.session);
    }
}

/// The built page, served to all tests of this process.
fn site() -> Result<&'static Site> {
    static SITE: OnceLock<Site> = OnceLock::new();
    if let Some(site) = SITE.get() {
        return Ok(site);
    }
    let site = Site::serve(&dist()?, "", 0)?;
    Ok(SITE.get_or_init(|| site))
}

#[derive(Debug)]
struct Command {
    path: &'static str,
    body: String,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.clone()))
    }
}
