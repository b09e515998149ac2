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
    let marked = page
        .run("return [...document.querySelectorAll('.code-error')].map((part) => part.innerText).join('')")
        .await?;
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
async fn rasp_loads_files_that_are_dropped_together() -> Result<()> {
    let page = Page::open("?page=rasp&input=abc").await?;
    page.run(
        "const data = new DataTransfer();
         const add = (name, text) => data.items.add(new File([text], name));
         add('helper.rasp', 'def twice(x) { return 2 * x; }\\n');
         add('main.rasp', 'load \"helper\";\\ntwice(indices);\\n');
         const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
         document.querySelector('.rasp').dispatchEvent(drop)",
    )
    .await?;
    arrives(&page, "[0, 2, 4]").await?;
    let listed = page.run("return document.querySelector('.rasp-files').innerText").await?;
    ensure!(listed.as_str().is_some_and(|text| text.contains("helper.rasp")), "{listed}");
    ensure!(link(&page).await?.contains_key("packed"), "the link holds the files too");
    page.reload().await?;
    assert_eq!(value(&page).await?, "[0, 2, 4]");

    // The file of the run brings program, files and input back.
    let folder = Folder::of(&page).await?;
    let trace = folder.saved_by(&page, "Export trace").await?;
    page.press("Remove helper.rasp").await?;
    page.wait("the file is missed", "return document.querySelector('.rasp-file.is-missing') !== null")
        .await?;
    crate::universal_view::give(&page, "Open program", &trace).await?;
    arrives(&page, "[0, 2, 4]").await?;
    quiet(&page).await
}

#[tokio::test]
async fn rasp_shows_a_run_as_far_as_it_came() -> Result<()> {
    let page =
        Page::open("?page=rasp&program=up+%3D+indices+%2B+1%3B%0Aup+%2F+%282+-+indices%29%3B&input=abcd")
            .await?;
    let result = page.run("return document.querySelector('.rasp-results').innerText").await?;
    let result = result.as_str().unwrap_or_default();
    ensure!(result.contains("no result") && result.contains("position 2"), "{result}");
    let row =
        "return [...document.querySelectorAll('.rasp-values .is-failed td')].map((cell) => cell.innerText)";
    assert_eq!(page.run(row).await?, serde_json::json!(["0.5", "2", "✕", ""]));
    let sentence = page.run("return document.querySelector('.rasp-sentence').innerText").await?;
    let sentence = sentence.as_str().unwrap_or_default();
    ensure!(sentence.contains("Division by zero") && sentence.contains("3 / 0"), "{sentence}");
    let marked = page
        .run("return [...document.querySelectorAll('.code-error')].map((part) => part.innerText).join('')")
        .await?;
    assert_eq!(marked, "up / (2 - indices)");
    quiet(&page).await
}

#[tokio::test]
async fn rasp_has_shelves() -> Result<()> {
    let page = Page::open("?page=rasp").await?;
    page.press("Gallery").await?;
    page.wait("the shelves are there", "return document.querySelectorAll('.rasp-card').length >= 26").await?;
    let bare = page
        .run("return [...document.querySelectorAll('.rasp-card')].filter((card) => [...card.children].some((part) => !part.innerText)).length")
        .await?;
    assert_eq!(bare, 0, "each says what it computes and where that comes from");
    page.run("[...document.querySelectorAll('.rasp-card')].find((card) => card.innerText.includes('Reverse')).click()")
        .await?;
    arrives(&page, "[\"a\", \"l\", \"o\", \"n\", \"a\", \"i\", \"p\"]").await?;
    quiet(&page).await
}

#[tokio::test]
async fn rasp_pages_and_zooms_what_is_long() -> Result<()> {
    let long = "ab".repeat(150);
    let page = Page::open(&format!("?page=rasp&input={long}")).await?;
    let heads = "return document.querySelectorAll('.rasp-values thead th').length";
    assert_eq!(page.run(heads).await?, 100);
    for _ in 0..2 {
        page.press("Later positions").await?;
    }
    page.wait(
        "the last page is there",
        "return document.querySelector('.rasp-values thead th').innerText === '200'",
    )
    .await?;
    page.press("Larger (also Ctrl and the wheel, or two fingers)").await?;
    page.wait("it is zoomed", "return document.querySelector('.rasp-picture.is-zoomed') !== null").await?;
    page.press("Show everything").await?;
    page.wait("it is whole", "return document.querySelector('.rasp-picture.is-zoomed') === null").await?;
    // The plain wheel belongs to the page.
    let kept = page
        .run(
            "const wheel = new WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true });
             document.querySelector('.rasp-picture').dispatchEvent(wheel); return wheel.defaultPrevented",
        )
        .await?;
    assert_eq!(kept, false);
    page.write("Input", &"a".repeat(2001)).await?;
    page.wait(
        "the input is refused",
        "return [...document.querySelectorAll('[role=alert]')].some((it) => it.innerText.includes('2001'))",
    )
    .await?;
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
