//! Once loaded, the page opens without a network; a new release replaces the old one whole.

use anyhow::{Context, Result};
use harness::{Page, Site, Window, dist};
use std::fs;
use std::path::{Path, PathBuf};

#[tokio::test]
async fn opens_offline_after_the_first_visit() -> Result<()> {
    let site = Site::serve(&dist()?, "lessons/", 0)?;
    let page = Window::default().open(site.address()).await?;
    page.wait("everything is kept", KEPT).await?;

    let address = site.address().to_owned();
    drop(site);
    let outside = "return fetch('not-kept').then(() => 'answered', () => 'gone')";
    assert_eq!(page.run(outside).await?, "gone");
    page.go(&format!("{address}?page=universal&heads=2")).await?;
    page.wait("there is a main region", "return document.querySelector('main h1') !== null").await?;
    page.go(&format!("{address}index.html")).await?;
    page.wait("there is a main region", "return document.querySelector('main h1') !== null").await?;
    Ok(())
}

#[tokio::test]
async fn every_file_of_the_release_is_kept() -> Result<()> {
    let site = Site::serve(&dist()?, "", 0)?;
    let page = Window::default().open(site.address()).await?;
    page.wait("everything is kept", KEPT).await?;
    drop(site);
    // The browser itself keeps the service worker.
    for file in files(&dist()?)?.iter().filter(|file| *file != "sw.js") {
        let status = format!("return fetch({file:?}).then(({{ status }}) => status, () => 'gone')");
        assert_eq!(page.run(&status).await?, 200, "{file}");
    }
    Ok(())
}

#[tokio::test]
async fn a_new_release_replaces_the_old_one() -> Result<()> {
    let release = Copy::of(&dist()?)?;
    let site = Site::serve(&release.folder, "", 0)?;
    let page = Window::default().open(site.address()).await?;
    page.wait("everything is kept", KEPT).await?;

    release.publish("second release")?;
    page.reload().await?;
    page.run("return navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => true)").await?;
    page.wait(
        "the new release is here",
        "return navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting !== null)",
    )
    .await?;
    assert_eq!(page.client.title().await?, "Pianola", "an open page keeps its release");

    page.reload().await?;
    page.wait("the new release is shown", "return document.title === 'second release'").await?;
    page.wait("the old release is gone", "return caches.keys().then((names) => names.length === 1)").await?;
    drop(site);
    page.reload().await?;
    assert_eq!(page.client.title().await?, "second release");
    Ok(())
}

#[tokio::test]
async fn a_release_that_is_only_half_there_is_not_taken() -> Result<()> {
    let release = Copy::of(&dist()?)?;
    let site = Site::serve(&release.folder, "", 0)?;
    let page = Window::default().open(site.address()).await?;
    page.wait("everything is kept", KEPT).await?;
    let before = kept(&page).await?;

    // The new service worker is there, but the page that it wants is not there yet.
    let old = fs::read_to_string(release.folder.join("index.html"))?;
    release.publish("second release")?;
    fs::write(release.folder.join("index.html"), old)?;
    let update = "return navigator.serviceWorker.getRegistration()
        .then((registration) => registration.update())
        .then(({ installing }) => new Promise((resolve) => {
            installing.addEventListener('statechange', () => resolve(installing.state));
        }))";
    assert_eq!(page.run(update).await?, "redundant");
    assert_eq!(kept(&page).await?, before);
    page.reload().await?;
    assert_eq!(page.client.title().await?, "Pianola");
    Ok(())
}

/// The service worker answers for this page, and does so only once it has every file.
const KEPT: &str =
    "return navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)";

/// The title of the page that the service worker would show without a network.
async fn kept(page: &Page) -> Result<String> {
    let title = page.run("return fetch('./').then((answer) => answer.text()).then((html) => /<title>(.*)<\\/title>/.exec(html)[1])").await?;
    Ok(title.as_str().context("the page that is kept has no title")?.to_owned())
}

/// A copy of the built page, to change; removed with the value.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn of(dist: &Path) -> Result<Copy> {
        let name = format!("pianola-release-{}-{:?}", std::process::id(), std::thread::current().id());
        let folder = std::env::temp_dir().join(name);
        for file in files(dist)? {
            let to = folder.join(&file);
            fs::create_dir_all(to.parent().context("a file without a folder")?)?;
            fs::copy(dist.join(&file), to)?;
        }
        Ok(Copy { folder })
    }

    /// Makes the copy a new release, with another title.
    fn publish(&self, title: &str) -> Result<()> {
        let page = self.folder.join("index.html");
        let html = fs::read_to_string(&page)?;
        fs::write(page, html.replace("<title>Pianola</title>", &format!("<title>{title}</title>")))?;
        xtask::release::renew(&self.folder)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What the system's folder for temporary files keeps, it removes itself.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn files(folder: &Path) -> Result<Vec<String>> {
    xtask::release::files(folder)
}
