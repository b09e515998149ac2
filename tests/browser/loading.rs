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
