//! The worker dies, or is not the one that belongs to the page: it is said, and nothing that a person chose is lost.

use crate::universal_view::{link, messages, proved, shown};
use anyhow::{Error, Result, ensure};
use harness::{Page, Site, Window, dist};
use pianola::work::protocol::{Message, VERSION, WORKER_SCRIPT, to_bytes};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

#[tokio::test]
async fn a_worker_that_dies_is_reported_and_replaced() -> Result<()> {
    let page = Page::open("").await?;
    let address = page.client.current_url().await?;
    // From the next page on, this script sees every worker as it is made.
    let watch = "window.workers = [];
        window.Worker = class extends Worker {
            constructor(...given) { super(...given); window.workers.push(this); }
        }";
    page.devtools("Page.enable", json!({})).await?;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": watch})).await?;
    page.go(address.join("?preset=random&text=one+two+one")?.as_str()).await?;
    proved(&page, "before").await?;
    let before = shown(&page).await?;
    assert_eq!(page.run("return window.workers.length").await?, 1);

    // The next message reaches the worker as bytes that mean nothing: it says so and gives up, as it does
    // in a panic.
    let spoil = "const [worker] = window.workers;
        const send = worker.postMessage;
        worker.postMessage = function () { worker.postMessage = send; this.postMessage(new Uint8Array([255, 255]).buffer); }";
    page.run(spoil).await?;
    page.set_slider("Layers", 3.0).await?;
    page.wait_idle().await?;
    ensure!(!messages(&page).await?.is_empty(), "nobody says that the worker died");
    assert_eq!(shown(&page).await?, before, "the view stays");
    assert_eq!(page.run("return window.workers.length").await?, 2, "a new worker is there");
    let said = link(&page).await?;
    assert_eq!((said["layers"].as_str(), said["text"].as_str()), ("3", "one two one"), "nothing is lost");

    page.set_slider("Heads", 3.0).await?;
    proved(&page, "after").await?;
    assert_eq!(messages(&page).await?, "");
    let said = link(&page).await?;
    assert_eq!((said["layers"].as_str(), said["heads"].as_str()), ("3", "3"));
    assert_eq!(page.console_errors().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_worker_of_another_release_is_reported_and_tried_again() -> Result<()> {
    let release = Release::copy()?;
    let script = release.worker_script()?;
    let whole = fs::read(&script)?;
    // What a worker says first, once it is there.
    let ready = to_bytes(&Message::Ready { version: VERSION + 1 }).map_err(Error::msg)?;
    fs::write(&script, format!("postMessage(new Uint8Array({ready:?}).buffer)"))?;
    let site = Site::serve(&release.folder, "", 0)?;
    let page = Window::default().open(&format!("{}?preset=random", site.address())).await?;
    let message = messages(&page).await?;
    let versions = [VERSION.to_string(), (VERSION + 1).to_string()];
    let numbers: Vec<&str> = message.split(|letter: char| !letter.is_ascii_digit()).collect();
    ensure!(versions.iter().all(|version| numbers.contains(&version.as_str())), "which releases? {message}");

    fs::write(&script, whole)?;
    page.set_slider("Layers", 3.0).await?;
    proved(&page, "after").await?;
    assert_eq!(messages(&page).await?, "");
    assert_eq!(link(&page).await?["layers"], "3");
    Ok(())
}

/// A copy of the built page, to damage; removed with the value.
struct Release {
    folder: PathBuf,
}

impl Release {
    fn copy() -> Result<Release> {
        let folder = std::env::temp_dir().join(format!("pianola-damaged-{}", std::process::id()));
        for file in xtask::release::files(&dist()?)? {
            let to = folder.join(&file);
            fs::create_dir_all(to.parent().unwrap_or(&folder))?;
            fs::copy(dist()?.join(&file), to)?;
        }
        // A service worker would keep the damaged file.
        let page = folder.join("index.html");
        let html = fs::read_to_string(&page)?;
        fs::write(page, html.replace("name=\"service-worker\"", "name=\"no-service-worker\""))?;
        Ok(Release { folder })
    }

    /// The first script of the worker: the page's head says which it is.
    fn worker_script(&self) -> Result<PathBuf> {
        let page = fs::read_to_string(self.folder.join("index.html"))?;
        let name =
            page.split("<meta name=\"worker\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
        Ok(self.folder.join(name.unwrap_or(WORKER_SCRIPT)))
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        // What the system's folder for temporary files keeps, it removes itself.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
