//! The page opens, by itself, without an error.

use anyhow::Result;
use harness::{Page, Site, Window, dist};

#[tokio::test]
async fn opens_without_an_error() -> Result<()> {
    let page = Page::open("").await?;
    page.wait("there is a main region", "return document.querySelector('main h1') !== null").await?;
    assert_eq!(page.console_errors().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn asks_no_other_host() -> Result<()> {
    let site = Site::serve(&dist()?, "", 0)?;
    let page = Window::default().open(site.address()).await?;
    let requests = page.requests().await?;
    assert!(
        requests.iter().any(|address| address.ends_with(".wasm")),
        "the log shows what was asked: {requests:?}"
    );
    let elsewhere: Vec<_> = requests.iter().filter(|address| !address.starts_with(site.address())).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    Ok(())
}

#[tokio::test]
async fn the_console_shows_errors_to_these_tests() -> Result<()> {
    let page = Page::open("").await?;
    page.run("setTimeout(() => { throw new Error('seen') })").await?;
    page.run("return new Promise((resolve) => setTimeout(resolve, 100))").await?;
    let errors = page.console_errors().await?;
    assert!(errors.iter().any(|error| error.contains("seen")), "{errors:?}");
    Ok(())
}

/// The limit of a first visit, in bytes as a host sends them with Brotli.
const MOST_BYTES: usize = 400_000;

#[tokio::test]
async fn the_first_visit_fetches_what_it_needs_and_no_more() -> Result<()> {
    let sizes = xtask::release::measure(&dist()?)?;
    let first: Vec<_> = sizes.files.iter().filter(|size| size.in_first_load).collect();
    let bytes: usize = first.iter().map(|size| size.brotli).sum();
    assert!(bytes <= MOST_BYTES, "{sizes}");

    let site = Site::serve(&dist()?, "", 0)?;
    let page = Window::default().open(site.address()).await?;
    // What the service worker fetches for later is no request of the page.
    let fetched = page.run("return performance.getEntriesByType('resource').map((it) => it.name)").await?;
    let fetched: Vec<String> = serde_json::from_value(fetched)?;
    let is_fetched = |file: &str| fetched.iter().any(|address| address.ends_with(&format!("/{file}")));
    for size in &sizes.files {
        // The page itself is no resource of its own, and the worker asks for its code by itself.
        let is_known =
            !matches!(size.file.as_str(), "index.html" | "sw.js") && !size.file.ends_with("_worker.js");
        if is_known {
            assert_eq!(is_fetched(&size.file), size.in_first_load, "{}: {fetched:?}", size.file);
        }
    }
    page.show_all().await
}
