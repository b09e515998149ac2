//! What stands around the workspace “Universal”, and whom it serves: languages, themes, lessons, phones,
//! keyboards, assistive technology.

use crate::universal_view::{link, maximum_error, messages, proved, quiet, shown};
use anyhow::{Context, Result, ensure};
use harness::{Page, Theme, Window};
use serde_json::json;

const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

#[tokio::test]
async fn bad_values_of_a_link_are_reported_and_unknown_ones_ignored() -> Result<()> {
    let page = Page::open("?preset=random&heads=many&seed=-1&colour=blue").await?;
    proved(&page, "the defaults").await?;
    let message = messages(&page).await?;
    for part in ["heads", "many", "seed", "-1"] {
        ensure!(message.contains(part), "the messages do not say {part}: {message}");
    }
    ensure!(!message.contains("colour"), "{message}");
    let found = (shown(&page).await?[1].clone(), shown(&page).await?[2].clone());
    let address = page.client.current_url().await?;
    page.go(address.join("?preset=random")?.as_str()).await?;
    assert_eq!(messages(&page).await?, "");
    assert_eq!((shown(&page).await?[1].clone(), shown(&page).await?[2].clone()), found);
    quiet(&page).await
}

#[tokio::test]
async fn language_and_theme_are_remembered() -> Result<()> {
    let page = Page::open("?preset=majority").await?;
    let address = page.client.current_url().await?;
    let english = page.run("return document.querySelector('main h1').innerText").await?;
    page.choose("Language", "PT").await?;
    page.wait("the page is in Portuguese", "return document.documentElement.lang.startsWith('pt')").await?;
    let portuguese = page.run("return document.querySelector('main h1').innerText").await?;
    assert_ne!(portuguese, english);
    let error = page.status("Erro máximo").await?;
    ensure!(error.contains('e') && error.contains('✓'), "{error}");
    assert_eq!(page.client.current_url().await?, address, "a link does not say in which language it is read");
    page.reload().await?;
    assert_eq!(page.run("return document.querySelector('main h1').innerText").await?, portuguese);
    // What fails is said in Portuguese, too.
    page.go(address.join("?preset=nenhum")?.as_str()).await?;
    let message = page.status("Mensagens").await?;
    ensure!(message.contains("nenhum") && !message.contains("The "), "{message}");
    page.choose("Idioma", "EN").await?;
    page.find("status", "Maximum error").await?;

    let ink = "return getComputedStyle(document.body).color";
    let mut seen = vec![page.run(ink).await?];
    for _ in 0..2 {
        page.press("Theme").await?;
        seen.push(page.run(ink).await?);
    }
    ensure!(seen.iter().any(|colour| *colour != seen[0]), "the theme changes nothing: {seen:?}");
    page.reload().await?;
    assert_eq!(page.run(ink).await?, seen[2], "the theme is remembered");
    quiet(&page).await
}

#[tokio::test]
async fn lessons_show_what_they_want() -> Result<()> {
    let page = Page::open("?preset=random&hide=heads,construction&embed=1").await?;
    proved(&page, "a lesson").await?;
    let around = "return document.querySelectorAll('nav, body > header, body > footer').length";
    assert_eq!(page.run(around).await?, 0, "a lesson has its own navigation");
    ensure!(page.find_all("slider", "Heads").await?.is_empty(), "Heads is hidden");
    ensure!(page.find_all("group", "Construction").await?.is_empty(), "Construction is hidden");
    ensure!(page.find_all("slider", "Layers").await?.len() == 1, "Layers is not");
    page.set_slider("Layers", 3.0).await?;
    proved(&page, "3 layers").await?;
    let link = link(&page).await?;
    assert_eq!(
        (link["hide"].as_str(), link["embed"].as_str()),
        ("heads,construction", "1"),
        "it stays a lesson"
    );
    quiet(&page).await
}

#[tokio::test]
async fn axe_finds_nothing_in_either_theme_and_language() -> Result<()> {
    let page = Page::open("").await?;
    page.show_all().await?;
    let address = page.client.current_url().await?;
    // The first page, everything that random weights bring, and an error.
    for query in ["?", "?preset=random&construction=random&embedding=1.1:9&heads=many"] {
        for language in ["en", "pt-BR"] {
            page.go(address.join(&format!("{query}&lang={language}"))?.as_str()).await?;
            for theme in [Theme::Light, Theme::Dark] {
                page.emulate(theme).await?;
                page.wait_idle().await?;
                let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
                ensure!(found.is_empty(), "{query} {language} {}\n{}", theme.name(), found.join("\n"));
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_phone_never_scrolls_sideways() -> Result<()> {
    let home = Page::open("").await?;
    let address = home.client.current_url().await?;
    for width in [320, 390] {
        let window = Window { width, height: 844, ..Window::default() };
        let page = window.open(address.as_str()).await?;
        for query in [
            "?",
            "?preset=random&construction=random",
            "?preset=random&heads=4&layers=3",
            "?lang=pt-BR&preset=sorting",
        ] {
            page.go(address.join(query)?.as_str()).await?;
            let size = page.run("return [document.scrollingElement.scrollWidth, innerWidth]").await?;
            ensure!(size[0].as_f64() <= size[1].as_f64(), "{query} at {width}: {size}");
        }
        page.go(address.join("?preset=random")?.as_str()).await?;
        // The picture comes first; the controls unfold.
        page.find("DisclosureTriangle", "Controls").await?.click().await?;
        page.set_slider("Heads", 3.0).await?;
        proved(&page, "3 heads on a phone").await?;
        quiet(&page).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_keyboard_reaches_every_cell() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let heatmap = page.find("application", "A[1,1], 6 × 6").await?;
    page.client.execute("arguments[0].focus()", vec![serde_json::to_value(&heatmap)?]).await?;
    let announced = "return document.activeElement.closest('figure').querySelector('[aria-live]').innerText";
    let mut heard = Vec::new();
    for key in [RIGHT, RIGHT, DOWN, LEFT] {
        heatmap.send_keys(key).await?;
        page.wait_idle().await?;
        heard.push(page.run(announced).await?.as_str().unwrap_or_default().to_owned());
    }
    for said in &heard {
        ensure!(said.starts_with("A[1,1][") && said.contains("q = ") && said.contains("k = "), "{heard:?}");
    }
    ensure!(heard[0] != heard[1] && heard[1] != heard[2] && heard[2] != heard[3], "{heard:?}");
    // Attention is a share; the table has the same number with all its digits.
    let value = heard[3].rsplit(' ').next().context("nothing was said")?.replace('−', "-");
    let number: f64 = value.parse().with_context(|| format!("“{value}” is no number"))?;
    ensure!((0.0..=1.0).contains(&number), "{value}");
    heatmap.send_keys(ENTER).await?;
    heatmap.send_keys(ESCAPE).await?;
    heatmap.send_keys("t").await?;
    page.wait("the table is open", "return document.querySelector('dialog[open] table') !== null").await?;
    let cells = "return [...document.querySelectorAll('dialog[open] td')].map((cell) => Number(cell.innerText)).filter(Number.isFinite)";
    let cells: Vec<f64> = serde_json::from_value(page.run(cells).await?)?;
    ensure!(
        cells.iter().any(|cell| (cell - number).abs() <= 1e-5 * number),
        "{number} is not among {cells:?}"
    );
    page.press("Close").await?;
    page.wait("the table is closed", "return document.querySelector('dialog[open]') === null").await?;
    quiet(&page).await
}

#[tokio::test]
async fn a_keyboard_reaches_every_control() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let mut reached = Vec::new();
    for _ in 0..60 {
        for kind in ["keyDown", "keyUp"] {
            let key = json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
            page.devtools("Input.dispatchKeyEvent", key).await?;
        }
        let name = "const it = document.activeElement; return it.ariaLabel ?? it.labels?.[0]?.innerText ?? it.innerText";
        reached.push(page.run(name).await?.as_str().unwrap_or_default().trim().to_owned());
    }
    for control in [
        "Share",
        "Theme",
        "Preset",
        "Heads",
        "Layers",
        "Width",
        "Head width",
        "Tokens",
        "Attention",
        "Mask",
        "Residual",
        "Seed",
        "Import target",
        "Import input",
        "Export run",
    ] {
        ensure!(reached.iter().any(|name| name == control), "Tab does not reach {control}: {reached:?}");
    }
    let heads = page.find("slider", "Heads").await?;
    heads.send_keys(RIGHT).await?;
    proved(&page, "one head more").await?;
    assert_eq!(link(&page).await?["heads"], "3");
    ensure!(maximum_error(&page).await? <= 1e-9);
    quiet(&page).await
}
