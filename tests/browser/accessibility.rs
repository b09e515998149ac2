//! Nothing keeps people with disabilities out.

use anyhow::Result;
use harness::{Page, Theme};

#[tokio::test]
async fn axe_finds_nothing_on_a_light_page() -> Result<()> {
    nothing_found(Theme::Light).await
}

#[tokio::test]
async fn axe_finds_nothing_on_a_dark_page() -> Result<()> {
    nothing_found(Theme::Dark).await
}

#[tokio::test]
async fn axe_finds_what_is_wrong() -> Result<()> {
    let page = Page::open("").await?;
    page.run("document.querySelector('main').append(document.createElement('button'))").await?;
    let found = page.axe().await?;
    assert!(found.iter().any(|violation| violation.rule == "button-name"), "{found:?}");
    Ok(())
}

async fn nothing_found(theme: Theme) -> Result<()> {
    let page = Page::open("").await?;
    page.emulate(theme).await?;
    page.show_all().await?;
    let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{} theme\n{}", theme.name(), found.join("\n"));
    Ok(())
}
