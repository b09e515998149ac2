//! The workspace “Training”: embeddings are learned for frozen transformers, live.

use crate::universal_view::{Folder, fingerprint, link, messages, pause, quiet};
use anyhow::{Context, Result, ensure};
use harness::{Page, Theme};
use serde_json::Value;
use std::fs;
use training::{Evaluation, Report, Run};

#[tokio::test]
async fn training_begins_by_itself_and_converges() -> Result<()> {
    let page = Page::open("?page=training").await?;
    finished(&page).await?;
    let before = fingerprint(&page).await?;
    let said = page.status("What is trained and what is frozen").await?;
    ensure!(said.contains("the same before the first step and now"), "{said}");
    ensure!(accuracy(&page, 0).await? >= 0.99, "{}", accuracy(&page, 0).await?);
    let why = page.run("return document.querySelector('.training-card').innerText").await?;
    ensure!(why.as_str().unwrap_or_default().contains("Stopped by itself"), "{why}");
    // The frozen weights of another seed of the sparse construction are the same: they depend on nothing.
    page.write("Seed", "1").await?;
    page.press("Start").await?;
    finished(&page).await?;
    assert_eq!(fingerprint(&page).await?, before);
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_goes_on_whatever_is_looked_at() -> Result<()> {
    let page = Page::open("?page=training&task=2-hop&variant=residual-norm&until=1").await?;
    page.wait(
        "it has begun",
        "return /step [1-9]/.test(document.querySelector('.training-card p.number')?.innerText ?? '')",
    )
    .await?;
    let before = steps(&page).await?;
    page.press("Width").await?;
    page.wait_idle().await?;
    page.press("Theme").await?;
    page.press("Training").await?;
    page.wait("it is still at it", "return document.querySelector('.training-card') !== null").await?;
    let after = steps(&page).await?;
    ensure!(after > before, "{before} steps before, {after} after");
    page.press("Pause").await?;
    pause().await;
    let paused = steps(&page).await?;
    // A sequence of one's own, and the past.
    page.write("Example", "abcabcab").await?;
    page.wait(
        "the example is on show",
        "return document.querySelectorAll('.training-answers .is-token').length === 9",
    )
    .await?;
    page.write("Example", "abz").await?;
    page.wait(
        "a wrong one is refused",
        "return [...document.querySelectorAll('[role=alert]')].some((it) => it.innerText.includes('z'))",
    )
    .await?;
    assert_eq!(steps(&page).await?, paused, "to look costs no step");
    // What was kept is there again.
    page.reload().await?;
    page.wait("the run is there again", "return document.querySelector('.training-card') !== null").await?;
    pause().await;
    assert_eq!(steps(&page).await?, paused);
    quiet(&page).await
}

#[tokio::test]
async fn training_compares_models_and_exports() -> Result<()> {
    let page = Page::open("?page=training&length=8&steps=120&batch=8&until=1").await?;
    page.choose("Model", "Fully trained").await?;
    page.choose("Variant", "Residual + layer norm").await?;
    page.press("Start").await?;
    finished(&page).await?;
    let link = link(&page).await?;
    assert_eq!((link["models"].as_str(), link["variant"].as_str()), ("sparse,trained", "residual-norm"));
    let folder = Folder::of(&page).await?;
    let file = folder.saved_by(&page, "Export results").await?;
    let results: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    assert_eq!(results["format"], "pianola-training");
    let runs = results["runs"].as_array().context("no runs")?;
    let models: Vec<&str> = runs.iter().filter_map(|run| run["model"].as_str()).collect();
    assert_eq!(models, ["sparse", "trained"]);
    for run in runs {
        assert_eq!((&run["steps"], &run["frozen"]["changed"]), (&120.into(), &0.into()));
        let report: Report = serde_json::from_value(run.clone())?;
        assert_eq!(report.history, trained_natively(&report)?, "the same bits here and in the browser");
    }
    quiet(&page).await
}

#[tokio::test]
async fn training_keeps_nobody_out() -> Result<()> {
    for theme in [Theme::Light, Theme::Dark] {
        let page = Page::open("?page=training").await?;
        page.emulate(theme).await?;
        finished(&page).await?;
        let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
        ensure!(found.is_empty(), "{} theme\n{}", theme.name(), found.join("\n"));
    }
    Ok(())
}

/// What the same configuration finds, evaluated after the same steps.
fn trained_natively(report: &Report) -> Result<Vec<Evaluation>> {
    let mut run = Run::new(report.config.clone())?;
    for evaluation in &report.history {
        while run.steps_taken() < evaluation.step {
            run.step()?;
        }
        run.evaluate();
    }
    Ok(run.evaluations().to_vec())
}

/// All runs of the choice are finished.
pub async fn finished(page: &Page) -> Result<()> {
    page.wait("all runs are finished", "return [...document.querySelectorAll('.training-says')].some((it) => it.innerText === 'all finished')").await?;
    page.wait_idle().await
}

/// The steps of the first run.
pub async fn steps(page: &Page) -> Result<u64> {
    let text = page.run("return document.querySelector('.training-card p.number').innerText").await?;
    let digits: String = text
        .as_str()
        .unwrap_or_default()
        .trim_start_matches("step ")
        .chars()
        .take_while(|it| it.is_ascii_digit() || it.is_whitespace() || *it == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().with_context(|| format!("{text} has no steps"))
}

/// The accuracy of a run.
async fn accuracy(page: &Page, run: usize) -> Result<f64> {
    let script =
        format!("return parseFloat(document.querySelectorAll('.training-result b')[{run}].innerText)");
    Ok(page.run(&script).await?.as_f64().context("no accuracy")? / 100.0)
}
