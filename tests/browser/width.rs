//! The workspace “Width”: the sweep finishes with the cliff at N, its numbers are the engine's, and everything that a
//! chart offers works.

use anyhow::{Context, Result, ensure};
use harness::{Page, Theme};
use serde_json::json;
use std::fs;
use transformer::{Attention, Class, Mask, Scale};
use universal::sweep::Stage;
use universal::{Law, RandomSpec, Table, Tying};

use crate::universal_view::{Folder, give, link, quiet, shown};

const CLASS: Class = Class {
    heads: 2,
    layers: 2,
    width: 4,
    head_width: 2,
    attention: Attention::Softmax,
    mask: Mask::None,
    scale: Scale::InverseSqrt,
    residual: false,
};
/// N of the class.
const EQUATIONS: usize = 40;
/// One law and one draw, quick to sweep.
const SMALL: &str = "?page=width&laws=gaussian&draws=1&reach=4";
const SWEEP: &str = "The sweep around N, H\u{a0}=\u{a0}2, L\u{a0}=\u{a0}2, d\u{a0}=\u{a0}4";

#[tokio::test]
async fn the_sweep_shows_the_engines_numbers_and_the_cliff_at_n() -> Result<()> {
    let page = Page::open(SMALL).await?;
    let folder = Folder::of(&page).await?;
    let stage = Stage::drawn(CLASS, 1, 6)?;
    for measure in ["output error", "residual", "rank", "condition"] {
        page.choose("Show", measure).await?;
        page.wait_idle().await?;
        let rows = csv(&page, &folder, SWEEP).await?;
        assert_eq!(rows[0], ["m (columns)", "Gaussian"]);
        assert_eq!(rows.len(), 1 + 9, "{rows:?}");
        for row in &rows[1..] {
            let (width, found): (usize, f64) = (row[0].parse()?, row[1].parse()?);
            let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width };
            let (sample, _) = stage.sample(spec, 7)?;
            let expected = match measure {
                "output error" => sample.error,
                "residual" => sample.residual,
                "rank" => sample.rank as f64,
                _ => sample.condition,
            };
            // Rounding differs between platforms; all that is not rounding is the same.
            let is_rounding = expected < 1e-9 && found < 1e-9;
            ensure!(
                is_rounding || (found / expected - 1.0).abs() < 1e-6,
                "{measure} at {width}: {found}, expected {expected}"
            );
            if measure == "output error" {
                assert_eq!(is_rounding, width >= EQUATIONS, "{width}: {found}");
            }
        }
    }
    quiet(&page).await
}

#[tokio::test]
async fn the_marker_is_moved_by_dragging_and_by_keys() -> Result<()> {
    let page = Page::open(SMALL).await?;
    let says = "return document.querySelector('main .panel [aria-live=polite].lead')?.innerText ?? ''";
    let before = page.run(says).await?;
    ensure!(before.as_str().is_some_and(|text| text.contains("m = 40")), "{before}");

    let place = page
        .run(
            "const stage = document.querySelector('.chart-draggable');
             stage.scrollIntoView({ block: 'center', behavior: 'instant' });
             const { x, y, width, height } = stage.getBoundingClientRect();
             return [x, y + height / 2, width]",
        )
        .await?;
    let number = |at: usize| place[at].as_f64().context("no place");
    let (left, y, width) = (number(0)?, number(1)?, number(2)?);
    let mouse = async |kind: &str, x: f64, buttons: i32| {
        let event =
            json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
        page.devtools("Input.dispatchMouseEvent", event).await
    };
    mouse("mouseMoved", left + width * 0.6, 0).await?;
    mouse("mousePressed", left + width * 0.6, 1).await?;
    mouse("mouseMoved", left + width * 0.4, 1).await?;
    mouse("mouseMoved", left + width * 0.3, 1).await?;
    mouse("mouseReleased", left + width * 0.3, 0).await?;
    page.wait(
        "the link has the marker",
        "return Number(new URLSearchParams(location.search).get('spare')) < 0",
    )
    .await?;
    page.wait_idle().await?;
    let spare: i64 = link(&page).await?["spare"].parse()?;
    let expected = format!("m = {}", EQUATIONS as i64 + spare);
    let after = page.run(says).await?;
    ensure!(after.as_str().is_some_and(|text| text.contains(&expected)), "{after} has not {expected}");

    // The first point is the narrowest; Enter takes the marker there.
    let chart = page.find("application", SWEEP).await?;
    chart.send_keys("\u{e011}\u{e007}").await?;
    page.wait(
        "the marker is at the start",
        "return new URLSearchParams(location.search).get('spare') === '-4'",
    )
    .await?;
    let spoken = "return document.querySelector('.chart > .visually-hidden[aria-live]').innerText";
    let spoken = page.run(spoken).await?;
    ensure!(spoken.as_str().is_some_and(|text| text.contains("Gaussian") && text.contains("36")), "{spoken}");
    chart.send_keys("t").await?;
    page.wait("the table is open", "return document.querySelector('dialog[open] table')?.rows.length === 10")
        .await?;
    quiet(&page).await
}

#[tokio::test]
async fn a_sweep_is_paused_continued_and_cancelled() -> Result<()> {
    let page = Page::open("?page=width&laws=gaussian&draws=1&layers=4&reach=64").await?;
    // All is computed; more draws take long enough to be held.
    page.set_slider("Draws of each", 12.0).await?;
    page.press("Pause").await?;
    page.press("Pause the grades").await?;
    page.wait_idle().await?;
    let progress = "return document.querySelector('.running .quiet').innerText";
    let held = page.run(progress).await?;
    ensure!(held.as_str().is_some_and(|text| text.contains(" of 1548 points")), "{held}");
    assert_eq!(page.run(progress).await?, held);
    page.press("Cancel").await?;
    page.wait(
        "nothing is kept",
        "return document.querySelector('.running .quiet').innerText.startsWith('0 of')",
    )
    .await?;
    page.set_slider("Draws of each", 1.0).await?;
    page.press("Continue").await?;
    page.wait(
        "all is computed",
        "return document.querySelector('.running .quiet').innerText.startsWith('All 129')",
    )
    .await?;
    quiet(&page).await
}

#[tokio::test]
async fn own_values_are_a_law() -> Result<()> {
    let page = Page::open(SMALL).await?;
    let folder = Folder::of(&page).await?;
    page.press("own values").await?;
    page.write("Values to draw from", "2; −1; 0,5").await?;
    page.wait_idle().await?;
    let link = link(&page).await?;
    assert_eq!((link["laws"].as_str(), link["values"].as_str()), ("gaussian,own", "2,-1,0.5"));
    let rows = csv(&page, &folder, SWEEP).await?;
    assert_eq!(rows[0][2], "own values");
    let error = |spare: usize| rows[rows.len() - 5 + spare][2].parse::<f64>();
    ensure!(error(2)? < 1e-9, "{rows:?}");
    page.write("Values to draw from", "0").await?;
    let said = page.run("return document.querySelector('.field-error:not(:empty)').innerText").await?;
    ensure!(said.as_str().is_some_and(|text| text.contains("not all 0")), "{said}");
    quiet(&page).await
}

#[tokio::test]
async fn the_draw_under_the_marker_is_kept_as_a_run_with_ones_own_law() -> Result<()> {
    let page = Page::open("?page=width&laws=own&values=1,-2.5&draws=1&reach=4&spare=2&seed=5").await?;
    let folder = Folder::of(&page).await?;
    page.press("Play this draw in the main room").await?;
    let run = folder.run(&page).await?;
    assert_eq!(run["universal"]["law"], json!({"table": [1.0, -2.5]}));
    assert_eq!(run["universal"]["m"], EQUATIONS + 2);
    let (stage, law) = (Stage::drawn(CLASS, 5, 6)?, Table::new(&[1.0, -2.5]).context("no table")?);
    let spec = RandomSpec { law: Law::Table(law), tying: Tying::Free, width: EQUATIONS + 2 };
    let output = &stage.sample(spec, 7)?.1.output;
    let found: Vec<Vec<f64>> = serde_json::from_value(run["output"]["universal"].clone())?;
    ensure!(found.iter().flatten().zip(output).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {output}");
    // The link repeats it, and so does the file.
    let words = link(&page).await?;
    assert_eq!((words["law"].as_str(), words["values"].as_str()), ("own", "1,-2.5"));
    page.reload().await?;
    assert_eq!(folder.run(&page).await?, run);
    let file = folder.write("run.json", run.to_string().as_bytes())?;
    let address = page.client.current_url().await?;
    page.go(address.join("?preset=majority")?.as_str()).await?;
    give(&page, "Import target", &file).await?;
    assert_eq!(folder.run(&page).await?["universal"], run["universal"]);
    quiet(&page).await
}

#[tokio::test]
async fn a_walk_is_paused_continued_and_cancelled() -> Result<()> {
    let page = Page::open("?page=width&laws=gaussian&draws=1&reach=2&layers=4").await?;
    let says = "return document.querySelectorAll('.running .quiet')[1].innerText";
    let all = page.run(says).await?;
    ensure!(all.as_str().is_some_and(|text| text.starts_with("All ")), "{all}");
    // Another seed is another walk, which takes long enough to be held.
    page.write("Frozen draw", "8").await?;
    page.wait("the walk has begun", &format!("{says}.match(/^[1-9][0-9]* of /) !== null")).await?;
    page.press("Pause the walk").await?;
    page.press("Pause the grades").await?;
    page.wait_idle().await?;
    let held = page.run(says).await?;
    ensure!(held.as_str().is_some_and(|text| text.contains(" steps")), "{held}");
    assert_eq!(page.run(says).await?, held);
    page.press("Cancel the walk").await?;
    page.wait("nothing is kept", &format!("{says}.startsWith('0 of')")).await?;
    page.press("Continue the walk").await?;
    page.wait("all is walked", &format!("{says}.startsWith('All ')")).await?;
    quiet(&page).await
}

#[tokio::test]
async fn conditioning_is_judged_by_the_condition_and_by_both_errors() -> Result<()> {
    let page = Page::open(SMALL).await?;
    let folder = Folder::of(&page).await?;
    let (stage, beyond) = (Stage::drawn(CLASS, 1, 6)?, "With width beyond N");
    let expected = |spare: usize| {
        let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: EQUATIONS + spare };
        stage.graded(spec, 7)
    };
    let rows = csv(&page, &folder, beyond).await?;
    assert_eq!(rows[0], ["m − N (columns)", "Gaussian"]);
    for row in &rows[1..] {
        let (spare, condition): (usize, f64) = (row[0].parse()?, row[1].parse()?);
        ensure!((condition / expected(spare)?.condition - 1.0).abs() < 1e-6, "{row:?}");
    }
    page.choose("Judge by", "output error, f64 and f32").await?;
    page.wait_idle().await?;
    let rows = csv(&page, &folder, beyond).await?;
    assert_eq!(rows[0], ["m − N (columns)", "Gaussian, f64", "Gaussian, f32"]);
    for row in &rows[1..] {
        let (double, single): (f64, f64) = (row[1].parse()?, row[2].parse()?);
        let unit = f64::from(f32::EPSILON);
        let condition = expected(row[0].parse()?)?.condition;
        ensure!(double < 1e-9 && single > 1e3 * double && single < 100.0 * unit * condition, "{row:?}");
    }
    // Every chart and the table of ties say what is to be seen.
    let findings = findings(&page).await?.to_string();
    for finding in ["digits fewer", "columns more than N", "multiplies the scores", "targets with ties"] {
        ensure!(findings.contains(finding), "{finding} is not in {findings}");
    }
    quiet(&page).await
}

#[tokio::test]
async fn charts_are_saved_as_numbers_and_pictures() -> Result<()> {
    let page = Page::open(SMALL).await?;
    let folder = Folder::of(&page).await?;
    page.press(&format!("Actions for {SWEEP}")).await?;
    let svg = fs::read_to_string(folder.saved_by(&page, "Save as SVG").await?)?;
    for text in ["<svg", "N = 40", "m (columns)", "largest output error", "Gaussian"] {
        ensure!(svg.contains(text), "{text} is not in the picture");
    }
    page.press(&format!("Actions for {SWEEP}")).await?;
    let png = fs::read(folder.saved_by(&page, "Save as PNG").await?)?;
    ensure!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{} bytes", png.len());
    quiet(&page).await
}

#[tokio::test]
async fn a_link_shows_the_same_width_page() -> Result<()> {
    let query = "?page=width&heads=3&layers=2&width=3&head-width=1&attention=average-hard&n=5&seed=9&frozen-seed=4\
                 &draws=2&laws=uniform,own&values=1,-2.5&tying=tied&reach=5&spare=-2&measure=rank&matrix=1\
                 &grade=error&quantity=memory&t=40";
    let page = Page::open(query).await?;
    let (before, findings) = (shown(&page).await?, findings(&page).await?);
    let address = page.client.current_url().await?;
    for (key, value) in url_pairs(query) {
        assert_eq!(link(&page).await?.get(&key), Some(&value), "{key}");
    }
    page.reload().await?;
    assert_eq!(page.client.current_url().await?, address);
    assert_eq!(shown(&page).await?, before);
    assert_eq!(self::findings(&page).await?, findings);
    quiet(&page).await
}

#[tokio::test]
async fn tied_residual_weights_fail_and_the_page_says_why() -> Result<()> {
    let page = Page::open(&format!("{SMALL}&residual=on&tying=tied")).await?;
    let text = page.run("return document.querySelector('main').innerText").await?;
    let text = text.as_str().unwrap_or_default();
    let class = Class { residual: true, ..CLASS };
    let rank = universal::bounds::largest_rank(&class, Tying::Tied).to_string();
    ensure!(text.contains(&format!("rank stays at {rank}")), "{text}");
    quiet(&page).await
}

#[tokio::test]
async fn axe_finds_nothing_on_the_width_page() -> Result<()> {
    let page = Page::open(&format!("{SMALL}&laws=gaussian,low-rank,own")).await?;
    for theme in [Theme::Light, Theme::Dark] {
        page.emulate(theme).await?;
        page.wait_idle().await?;
        let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
        ensure!(found.is_empty(), "{} theme\n{}", theme.name(), found.join("\n"));
    }
    Ok(())
}

/// The rows of a chart's numbers, as its menu saves them.
async fn csv(page: &Page, folder: &Folder, chart: &str) -> Result<Vec<Vec<String>>> {
    page.press(&format!("Actions for {chart}")).await?;
    let text = fs::read_to_string(folder.saved_by(page, "Save as CSV").await?)?;
    Ok(text.lines().map(cells).collect())
}

/// The cells of a line; commas within quotes are text.
fn cells(line: &str) -> Vec<String> {
    let mut is_quoted = false;
    let cells = line.split(|c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    cells.map(|cell| cell.trim_matches('"').to_owned()).collect()
}

/// What all charts say that is to be seen in them.
async fn findings(page: &Page) -> Result<serde_json::Value> {
    page.run("return [...document.querySelectorAll('.chart-finding')].map((finding) => finding.innerText)")
        .await
}

fn url_pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}
