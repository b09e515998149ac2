//! The workspace “RASP”: write a program, see what it does.

use crate::universal_view::{Folder, link, messages, options, pause, quiet};
use anyhow::{Result, ensure};
use harness::{Page, Theme};
use std::fs;

#[tokio::test]
async fn rasp_opens_on_a_finished_example() -> Result<()> {
    let page = Page::open("?page=rasp").await?;
    assert_eq!(value(&page).await?, "[1, 1, 2, 2, 1]");
    assert_eq!(messages(&page).await?, "");
    let painted = "return [...document.querySelectorAll('main canvas')].filter((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, i) => value !== data[i % 4]);
    }).length";
    let painted = page.run(painted).await?;
    ensure!(painted.as_u64() >= Some(1), "only {painted} pictures have something in them");
    quiet(&page).await
}

#[tokio::test]
async fn rasp_runs_what_is_written_at_every_key() -> Result<()> {
    let page = Page::open("?page=rasp").await?;
    page.write("Program", "indices + length;").await?;
    arrives(&page, "[5, 6, 7, 8, 9]").await?;
    page.write("Input", "abc").await?;
    arrives(&page, "[3, 4, 5]").await?;
    page.write("Input", "[1.5, 2]").await?;
    page.write("Program", "tokens_float * 2;").await?;
    arrives(&page, "[3.0, 4.0]").await?;
    page.press("Run").await?;
    arrives(&page, "[3.0, 4.0]").await?;
    quiet(&page).await
}

#[tokio::test]
async fn rasp_says_what_is_wrong_and_keeps_the_view() -> Result<()> {
    let page = Page::open("?page=rasp").await?;
    let before = value(&page).await?;
    page.write("Program", "tokens == tokns;").await?;
    page.wait(
        "the complaint is there",
        "return document.querySelector('.rasp-complaints').innerText.includes('tokens')",
    )
    .await?;
    let said = page.status("Problems").await?;
    ensure!(said.contains("line 1") && said.contains("tokns"), "{said}");
    assert_eq!(value(&page).await?, before);
    let marked = page.run("return document.querySelector('.code-error')?.innerText").await?;
    assert_eq!(marked, "tokns", "the place is marked in the text");
    page.write("Program", "tokens == \"l\";").await?;
    arrives(&page, "[False, False, True, True, False]").await?;
    assert_eq!(page.status("Problems").await?, "");
    page.write("Input", "[1, ").await?;
    page.wait("the input is refused", "return document.querySelector('[role=alert]')?.innerText.length > 0 || [...document.querySelectorAll('[role=alert]')].some((it) => it.innerText)").await?;
    quiet(&page).await
}

#[tokio::test]
async fn rasp_is_scrubbed_in_three_sizes_of_step() -> Result<()> {
    let page = Page::open("?page=rasp&example=sort").await?;
    page.press("To the start").await?;
    let mut seen = Vec::new();
    for (pace, steps) in [("position", 2), ("primitive", 1), ("statement", 1)] {
        page.choose("Step by", pace).await?;
        for _ in 0..steps {
            page.press("Step forward").await?;
            pause().await;
            page.wait_idle().await?;
            pause().await;
            seen.push(link(&page).await?);
        }
    }
    let places: Vec<(String, String)> = seen
        .iter()
        .map(|link| {
            let get = |key: &str| link.get(key).cloned().unwrap_or_default();
            (get("step"), get("position"))
        })
        .collect();
    ensure!(places[0] == ("0".into(), "1".into()) && places[1] == ("0".into(), "2".into()), "{places:?}");
    assert_eq!(places[2], ("1".into(), String::new()));
    // A statement is a longer way to go.
    let address = page.client.current_url().await?;
    let stands = "const seen = document.querySelector('.slider-track').value; window.stood = seen === window.last ? window.stood + 1 : 0;
                  window.last = seen; return window.stood > 20";
    page.wait("the animation stands", stands).await?;
    let act = act(&page).await?;
    page.press("Step back").await?;
    page.go(address.as_str()).await?;
    assert_eq!(self::act(&page).await?, act, "the link shows the same moment");
    quiet(&page).await
}

#[tokio::test]
async fn rasp_has_a_gallery() -> Result<()> {
    let page = Page::open("?page=rasp").await?;
    let examples = options(&page, "Example").await?;
    ensure!(examples.len() >= 26, "{examples:?}");
    for (example, result) in [
        ("Reverse", "[\"a\", \"l\", \"o\", \"n\", \"a\", \"i\", \"p\"]"),
        ("Sort", "[\"a\", \"e\", \"i\", \"l\", \"n\", \"r\", \"s\", \"u\", \"v\"]"),
    ] {
        pause().await;
        page.choose("Example", example).await?;
        arrives(&page, result).await?;
    }
    page.client.back().await?;
    arrives(&page, "[\"a\", \"l\", \"o\", \"n\", \"a\", \"i\", \"p\"]").await?;
    quiet(&page).await
}

#[tokio::test]
async fn rasp_programs_live_in_links_and_files() -> Result<()> {
    let query = "?page=rasp&program=reverse+%3D+aggregate%28select%28indices%2C+length+-+1+-+indices%2C+%3D%3D%29%2C+tokens%29%3B%0Areverse%3B&input=%22abc%22";
    let page = Page::open(query).await?;
    assert_eq!(value(&page).await?, "[\"c\", \"b\", \"a\"]");
    let address = page.client.current_url().await?;
    page.reload().await?;
    assert_eq!(page.client.current_url().await?, address);
    assert_eq!(value(&page).await?, "[\"c\", \"b\", \"a\"]");

    let folder = Folder::of(&page).await?;
    let file = folder.write("mine.rasp", b"# mine\r\nindices * 2;\r\n")?;
    crate::universal_view::give(&page, "Open program", &file).await?;
    arrives(&page, "[0, 2, 4]").await?;
    assert_eq!(link(&page).await?["program"], "# mine\nindices * 2;\n");
    let trace = folder.saved_by(&page, "Export trace").await?;
    let trace: serde_json::Value = serde_json::from_str(&fs::read_to_string(trace)?)?;
    assert_eq!(
        (trace["format"].as_str(), &trace["result"]["value"]),
        (Some("pianola-rasp-trace"), &serde_json::json!([0, 2, 4]))
    );
    quiet(&page).await
}

#[tokio::test]
async fn rasp_keeps_nobody_out() -> Result<()> {
    for theme in [Theme::Light, Theme::Dark] {
        let page = Page::open("?page=rasp&example=sort").await?;
        page.emulate(theme).await?;
        page.wait_idle().await?;
        let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
        ensure!(found.is_empty(), "{} theme\n{}", theme.name(), found.join("\n"));
    }
    Ok(())
}

/// The result, as it is written.
async fn value(page: &Page) -> Result<String> {
    let text = page.run("return document.querySelector('.rasp-value')?.innerText ?? ''").await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// The name of the primitive on show.
async fn act(page: &Page) -> Result<String> {
    let text = page.run("return document.querySelector('.rasp-act')?.innerText ?? ''").await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

async fn arrives(page: &Page, result: &str) -> Result<()> {
    let there = format!("return document.querySelector('.rasp-value')?.innerText === {result:?}");
    page.wait(&format!("the result is {result}"), &there).await?;
    page.wait_idle().await
}
