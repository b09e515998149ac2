//! What a person sees and does in the workspace “Universal”, by the names that they read.

use anyhow::{Context, Result, ensure};
use harness::Page;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// The number in the status “Maximum error”, which is written in scientific notation.
pub async fn maximum_error(page: &Page) -> Result<f64> {
    let text = page.status("Maximum error").await?;
    let number = text.split_whitespace().next().unwrap_or_default();
    ensure!(number.contains('e'), "“{text}” is not in scientific notation");
    number.parse().with_context(|| format!("“{text}” begins with no number"))
}

/// The page has come to rest, and says that both transformers are equal.
pub async fn proved(page: &Page, what: &str) -> Result<()> {
    page.wait_idle().await?;
    let error = maximum_error(page).await?;
    let text = page.status("Maximum error").await?;
    ensure!(
        error <= 1e-9 && text.contains('✓'),
        "{what}: the maximum error is {text}; {}",
        messages(page).await?
    );
    Ok(())
}

/// What the strip of messages says.
pub async fn messages(page: &Page) -> Result<String> {
    page.status("Messages").await
}

/// The fingerprint of the frozen weights.
pub async fn fingerprint(page: &Page) -> Result<String> {
    let found = page
        .run("return document.querySelector('main').innerText.match(/[0-9a-f]{4}( [0-9a-f]{4}){3}/)?.[0] ?? null")
        .await?;
    Ok(found.as_str().context("there is no fingerprint")?.to_owned())
}

/// All that is on show in words and numbers: the error, the names and sizes of all heatmaps, every table.
pub async fn shown(page: &Page) -> Result<Value> {
    page.run(
        "const all = (what) => [...document.querySelectorAll(`main ${what}`)];
         return [
             all('[role=status]').map((status) => status.innerText),
             all('[role=application]').map((heatmap) => heatmap.ariaLabel),
             all('table').map((table) => table.innerText),
         ]",
    )
    .await
}

/// The names of all heatmaps, as in `A[1,2], 6 × 6`.
pub async fn heatmaps(page: &Page) -> Result<Vec<String>> {
    let shown = shown(page).await?;
    let names = shown[1].as_array().context("no list of heatmaps")?;
    Ok(names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect())
}

/// What the link says.
pub async fn link(page: &Page) -> Result<BTreeMap<String, String>> {
    Ok(page.client.current_url().await?.query_pairs().into_owned().collect())
}

/// The labels of all options of a list.
pub async fn options(page: &Page, name: &str) -> Result<Vec<String>> {
    let list = page.find("combobox", name).await?;
    let labels = page
        .client
        .execute(
            "return [...arguments[0].options].map((option) => option.label)",
            vec![serde_json::to_value(&list)?],
        )
        .await?;
    Ok(labels.as_array().into_iter().flatten().filter_map(|label| Some(label.as_str()?.to_owned())).collect())
}

/// Nothing went wrong behind the scenes, and no other host was asked for anything.
pub async fn quiet(page: &Page) -> Result<()> {
    ensure!(page.console_errors().await? == Vec::<String>::new(), "errors in the console");
    let home = page.client.current_url().await?;
    let home = home.join("/")?;
    let requests = page.requests().await?;
    let elsewhere: Vec<_> = requests.iter().filter(|address| !address.starts_with(home.as_str())).collect();
    ensure!(elsewhere.is_empty(), "asked of other hosts: {elsewhere:?}");
    Ok(())
}

/// Waits long enough for the next change to be a step of its own in the history.
pub async fn pause() {
    sleep(Duration::from_millis(800)).await;
}

/// Gives a file to the page and waits until it has been read and shown, or refused.
pub async fn give(page: &Page, control: &str, file: &Path) -> Result<()> {
    // A file is read after the event that brings it: the page is idle once more in between.
    page.run(
        "window.rests = [];
         new MutationObserver(() => window.rests.push(document.documentElement.dataset.idle))
             .observe(document.documentElement, { attributes: true, attributeFilter: ['data-idle'] })",
    )
    .await?;
    page.upload(control, file).await?;
    page.wait("the file was read", "return window.rests.includes('false') && window.rests.at(-1) === 'true'")
        .await
}

/// A folder for files that come from and go to the page; removed with the value.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder, into which this page saves.
    pub async fn of(page: &Page) -> Result<Folder> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("pianola-files-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("saved"))?;
        let saved = path.join("saved");
        page.devtools("Browser.setDownloadBehavior", json!({"behavior": "allow", "downloadPath": saved}))
            .await?;
        Ok(Folder(path))
    }

    /// A new file in it.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.0.join(name);
        fs::write(&path, content)?;
        Ok(path)
    }

    /// Presses a button that saves a file, and returns where it is.
    pub async fn saved_by(&self, page: &Page, button: &str) -> Result<PathBuf> {
        let saved = self.0.join("saved");
        for old in fs::read_dir(&saved)? {
            fs::remove_file(old?.path())?;
        }
        page.press(button).await?;
        // The browser gives the file its name when all of it is there.
        for _ in 0..600 {
            for file in fs::read_dir(&saved)? {
                let path = file?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_written = fs::metadata(&path).is_ok_and(|file| file.len() > 0);
                if !name.starts_with('.') && !name.ends_with(".crdownload") && is_written {
                    return Ok(path);
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
        anyhow::bail!("{button} saved nothing; {}", messages(page).await?)
    }

    /// The run that the page exports now.
    pub async fn run(&self, page: &Page) -> Result<Value> {
        page.wait_idle().await?;
        Ok(serde_json::from_slice(&fs::read(self.saved_by(page, "Export run").await?)?)?)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What the system's folder for temporary files keeps, it removes itself.
        let _ = fs::remove_dir_all(&self.0);
    }
}
