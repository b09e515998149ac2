//! What comes out of the workspace “Training”, and what it is compared with: targets, programs, rolls, files, the table.

use crate::universal_view::{Folder, link, messages, pause, proved, quiet};
use anyhow::{Context, Result, ensure};
use harness::Page;
use serde_json::Value;
use std::fs;

#[tokio::test]
async fn training_makes_targets_that_universal_plays() -> Result<()> {
    let page = Page::open("?page=training&models=trained&length=12&steps=300&until=1").await?;
    finished(&page).await?;
    let sequence = tokens(&page).await?.concat();
    let before = cards(&page).await?;
    page.press("More: Fully trained, seed 0").await?;
    page.press("Open in “Universal” as a target").await?;
    page.wait(
        "the target is there",
        "return document.querySelector('.piece-story')?.innerText.includes('dyck-1') ?? false",
    )
    .await?;
    proved(&page, "the trained transformer").await?;
    assert_eq!(
        link(&page).await?.get("text").map(String::as_str),
        Some(sequence.as_str()),
        "the sequence came along"
    );
    let story = text(&page, ".piece-story").await?;
    ensure!(story.contains("seed 0, 300 steps"), "{story}");
    // Another target, and back to this one, which no link can carry.
    pause().await;
    page.choose("Preset", "Majority by counting").await?;
    page.wait_idle().await?;
    page.client.back().await?;
    page.wait_idle().await?;
    assert_eq!(text(&page, ".piece-story").await?, story);
    proved(&page, "the trained transformer again").await?;
    page.client.back().await?;
    page.wait("the run is there", "return document.querySelector('.training-card') !== null").await?;
    page.wait_idle().await?;
    assert_eq!(cards(&page).await?, before, "nothing of the run is lost");
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_stands_beside_what_rasp_constructs() -> Result<()> {
    let page =
        Page::open("?page=training&task=match2&steps=120&until=1&example=3+8+1+1+4+10+0+5+5+2+7+6").await?;
    finished(&page).await?;
    page.wait("the program has been tried", "return /has [0-9.]+\\u00a0% of/.test(document.querySelector('.training-constructed')?.innerText ?? '')")
        .await?;
    let said = text(&page, ".training-constructed").await?;
    ensure!(said.contains("100.0\u{a0}% of the 24,000 answers"), "{said}");
    ensure!(said.contains("Learned (Sparse, seed 0): "), "{said}");
    let row = |heading: &'static str| {
        let page = &page;
        async move {
            let script = format!(
                "return [...document.querySelectorAll('.training-answers tr')]
                     .find((row) => row.cells[0].innerText === '{heading}').innerText"
            );
            let text = page.run(&script).await?.as_str().context("there is no such row")?.to_owned();
            anyhow::Ok(text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        }
    };
    let truth = row("truth").await?;
    assert_eq!(truth[1..], row("constructed (RASP)").await?[2..]);
    // 3 + 8 = 11, 1 + 10, 4 + 7, 0 + 0, 5 + 6; 2 has no partner.
    let expected = ["yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes", "yes", "no", "yes", "yes"];
    assert_eq!(truth[1..], expected);
    page.press("Open this program in RASP").await?;
    page.wait(
        "the program has been run",
        "return document.body.innerText.includes('match_2(tokens_int, 11) = ')",
    )
    .await?;
    page.wait_idle().await?;
    let shown = page.run("return document.querySelector('main').innerText").await?;
    let values = expected.map(|it| if it == "yes" { "True" } else { "False" }).join(", ");
    ensure!(shown.as_str().unwrap_or_default().contains(&values), "{shown}");
    page.client.back().await?;
    page.wait("the run is there", "return document.querySelector('.training-card') !== null").await?;
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_shows_learned_and_computed_rolls() -> Result<()> {
    let page = Page::open("?page=training&length=8&steps=200&until=1").await?;
    finished(&page).await?;
    page.press("Train both in one class").await?;
    page.wait(
        "both are there",
        "return document.querySelectorAll('.training-card').length === 2 && document.querySelector('.training-pair') !== null",
    )
    .await?;
    finished(&page).await?;
    let link = link(&page).await?;
    let chosen = |key: &str| link.get(key).map(String::as_str);
    assert_eq!(
        (chosen("models"), chosen("width"), chosen("head-width")),
        (Some("sparse,trained"), Some("16"), Some("8"))
    );
    let said = text(&page, ".training-rolls").await?;
    let error = said.split("the largest difference is ").nth(1).context("it says no difference")?;
    let error: f64 = error.split_whitespace().next().unwrap_or_default().trim_end_matches('.').parse()?;
    ensure!(error < 1e-9, "the machine with the computed roll is off by {error}");
    // Two parts of two rolls, of one shape each.
    let names = page
        .run("return [...document.querySelectorAll('.training-pair [role=application]')].map((map) => map.ariaLabel)")
        .await?;
    let names: Vec<&str> =
        names.as_array().context("no heatmaps")?.iter().filter_map(Value::as_str).collect();
    ensure!(names.len() == 4, "{names:?}");
    for (name, start) in names.iter().zip([
        "learned: E, tokens, 4 × 160",
        "computed: E, tokens, 4 × 160",
        "learned: E, positions, 10 × 160",
        "computed: E, positions, 10 × 160",
    ]) {
        ensure!(name.starts_with(start), "{name} is not {start}");
    }
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_writes_files() -> Result<()> {
    let page = Page::open("?page=training&length=10&steps=120&models=sparse,trained&until=1").await?;
    finished(&page).await?;
    let folder = Folder::of(&page).await?;
    let shown = accuracies(&page).await?;
    let json: Value = serde_json::from_slice(&fs::read(folder.saved_by(&page, "Export results").await?)?)?;
    page.press("More to export").await?;
    let csv = fs::read_to_string(folder.saved_by(&page, "Export results as CSV").await?)?;
    let mut rows = csv.lines();
    assert_eq!(rows.next(), Some("task,variant,model,seed,step,loss,accuracy,accuracy_without_null,targets"));
    let runs = json["runs"].as_array().context("no runs")?;
    assert_eq!(runs.len(), 2);
    for (run, shown) in runs.iter().zip(&shown) {
        let accuracy = run["accuracy"]["held_out"].as_f64().context("no accuracy")?;
        ensure!((100.0 * accuracy - shown).abs() <= 0.05 + 1e-9, "{accuracy} was shown as {shown}");
        for it in run["history"].as_array().context("no history")? {
            let row: Vec<&str> = rows.next().context("a row is missing")?.split(',').collect();
            assert_eq!(
                (row[2], row[4]),
                (run["model"].as_str().unwrap_or_default(), it["step"].to_string().as_str())
            );
            assert_eq!(row[5].parse::<f64>()?, it["loss"].as_f64().context("no loss")?);
            assert_eq!(row[6].parse::<f64>()?, it["accuracy"].as_f64().context("no accuracy")?);
        }
    }
    assert_eq!(rows.next(), None);
    page.press("More: Sparse, seed 0").await?;
    let parameters = fs::read(folder.saved_by(&page, "Export parameters (safetensors)").await?)?;
    let length = u64::from_le_bytes(parameters[..8].try_into()?) as usize;
    let header: Value = serde_json::from_slice(&parameters[8..8 + length])?;
    assert_eq!(header["embedding.tokens"]["shape"], serde_json::json!([4, 160]));
    assert_eq!(header["__metadata__"]["step"], "120");
    // Two files at once: the script, and the numbers that it loads.
    page.press("More: Fully trained, seed 0").await?;
    let first = folder.saved_by(&page, "Export PyTorch script with parameters").await?;
    let script = first.with_extension("py");
    for _ in 0..100 {
        if fs::metadata(&script).is_ok_and(|it| it.len() > 10_000)
            && first.with_extension("safetensors").exists()
        {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let script = fs::read_to_string(script)?;
    ensure!(script.contains("dyck-1, attention-only, trained (seed 0), after 120 steps"), "{script}");
    ensure!(script.contains("pianola-dyck-1-attention-only-trained-seed-0.safetensors"), "{script}");
    for (figure, kind, start) in [
        ("Loss", "Save as SVG", b"<svg".as_slice()),
        ("Loss", "Save as PNG", b"\x89PNG"),
        ("Held-out accuracy", "Save as SVG", b"<svg"),
        ("Held-out accuracy", "Save as PNG", b"\x89PNG"),
    ] {
        page.press(&format!("Actions for {figure}")).await?;
        let file = fs::read(folder.saved_by(&page, kind).await?)?;
        ensure!(file.starts_with(start) && file.len() > 2_000, "{figure}, {kind}: {} bytes", file.len());
    }
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_fills_the_table() -> Result<()> {
    let page = Page::open("?page=training&length=8&steps=100&until=1").await?;
    finished(&page).await?;
    let before = cards(&page).await?;
    pause().await;
    page.press("Train 3 here: 3-hop, + frozen random MLP, Looped").await?;
    page.wait("the runs are there", "return document.querySelectorAll('.training-card').length === 3")
        .await?;
    let link = link(&page).await?;
    let chosen = |key: &str| link.get(key).map(String::as_str);
    assert_eq!(
        (chosen("task"), chosen("variant"), chosen("models"), chosen("seeds")),
        (Some("3-hop"), Some("residual-norm-mlp"), Some("looped"), Some("3"))
    );
    page.wait(
        "the cell says so",
        "return [...document.querySelectorAll('.training-paper td')].some((cell) => cell.innerText.trim() === '3 under way')",
    )
    .await?;
    page.press("Pause").await?;
    page.client.back().await?;
    page.wait("the run before is there", "return document.querySelectorAll('.training-card').length === 1")
        .await?;
    assert_eq!(cards(&page).await?, before);
    // What the project measured says when and how.
    let how = page
        .run(
            "const measured = [...document.querySelectorAll('.training-measured details')];
             return measured.map((it) => it.querySelector('summary').innerText + '|' + it.textContent)",
        )
        .await?;
    let how: Vec<&str> =
        how.as_array().context("nothing was measured")?.iter().filter_map(Value::as_str).collect();
    ensure!(how.len() >= 10, "{how:?}");
    for it in how {
        ensure!(
            it.contains(" seed")
                && it.contains(", 20")
                && it.contains("d_h = ")
                && it.contains("learning rate"),
            "{it}"
        );
    }
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

/// All runs of the choice are finished.
async fn finished(page: &Page) -> Result<()> {
    page.wait("all runs are finished", "return [...document.querySelectorAll('.training-says')].some((it) => it.innerText === 'all finished')").await?;
    page.wait_idle().await
}

/// The text of the first element of a kind.
async fn text(page: &Page, selector: &str) -> Result<String> {
    let text = page.run(&format!("return document.querySelector('{selector}').innerText")).await?;
    Ok(text.as_str().with_context(|| format!("{selector} has no text"))?.to_owned())
}

/// What the cards of the runs say.
async fn cards(page: &Page) -> Result<String> {
    text(page, ".training-cards").await
}

/// The tokens of the sequence that is looked at.
async fn tokens(page: &Page) -> Result<Vec<String>> {
    let script =
        "return [...document.querySelectorAll('.training-answers .is-token')].map((it) => it.innerText)";
    let tokens = page.run(script).await?;
    Ok(tokens.as_array().into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())).collect())
}

/// The accuracies of all runs, in per cent.
async fn accuracies(page: &Page) -> Result<Vec<f64>> {
    let script =
        "return [...document.querySelectorAll('.training-result b')].map((it) => parseFloat(it.innerText))";
    let found = page.run(script).await?;
    Ok(found.as_array().into_iter().flatten().filter_map(Value::as_f64).collect())
}
