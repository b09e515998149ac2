//! The life of a run: whatever happens to the page or to its worker, nothing of it is lost.

use crate::training::{finished, steps};
use crate::universal_view::{Folder, messages, pause, quiet};
use anyhow::{Context, Result, ensure};
use harness::Page;
use serde_json::{Value, json};
use std::fs;

/// Small enough to take steps quickly, and never finished before it is looked at.
const SMALL: &str = "?page=training&task=2-hop&variant=residual-norm&until=1&batch=8&width=8&steps=100000";

#[tokio::test]
async fn training_keeps_its_time_line() -> Result<()> {
    let page = Page::open(SMALL).await?;
    reached(&page, 0, 230).await?;
    page.press("Pause").await?;
    settled(&page).await?;
    let paused = steps(&page).await?;
    let kept = kept(&page).await?;
    let expected: Vec<u64> = (0..=paused / 100).map(|number| 100 * number).collect();
    assert_eq!(kept.snapshots, expected, "each snapshot has a place of its own");

    page.reload().await?;
    settled(&page).await?;
    assert_eq!(steps(&page).await?, paused);
    // The past can be looked at, and forked from.
    page.press("Step back").await?;
    page.press("Step back").await?;
    let there = 100 * (paused / 100 - 1);
    let said = format!(
        "return document.querySelector('.scrubber-caption').innerText.replaceAll(',', '').includes('at step {there} ')"
    );
    page.wait("the past is on show", &said).await?;
    page.wait_idle().await?;
    page.press("Fork from here").await?;
    reached(&page, 1, there + 120).await?;
    page.press("Pause").await?;
    settled(&page).await?;
    assert_eq!(steps(&page).await?, paused, "the run itself stays where it was");

    // A fork that is begun anew stands where it was forked, also in another tab.
    page.reload().await?;
    settled(&page).await?;
    let fork = format!("Sparse, seed 0, forked at step {there}");
    page.press(&format!("Reset: {fork}")).await?;
    reached_exactly(&page, 1, there).await?;
    page.press("Reset: Sparse, seed 0").await?;
    reached_exactly(&page, 0, 0).await?;
    settled(&page).await?;
    let mut left = self::kept(&page).await?.snapshots;
    left.sort_unstable();
    assert_eq!(left, [0, there], "of each the first");

    // Whoever wants nothing kept has nothing kept.
    page.press("Keep runs in this browser").await?;
    settled(&page).await?;
    let nothing = self::kept(&page).await?;
    assert_eq!((nothing.runs, nothing.snapshots.len()), (0, 0));
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_goes_on_from_where_all_was_well() -> Result<()> {
    let wild = "?page=training&length=6&batch=4&until=1&rate=1&scale=100&models=trained";
    let page = Page::open(wild).await?;
    page.wait("it is not finite", "return document.querySelector('.training-card .notice') !== null").await?;
    page.wait_idle().await?;
    let said = card(&page, 0).await?;
    ensure!(said.contains("stopped: not finite") && said.contains("At step"), "{said}");
    let tensors = ["E (tokens)", "E (positions)", "U", "layers.", "the loss"];
    ensure!(tensors.iter().any(|tensor| said.contains(tensor)), "which tensor? {said}");
    page.press("PT").await?;
    let said = card(&page, 0).await?;
    ensure!(said.contains("No passo") && !said.contains("gradient of"), "{said}");
    page.press("EN").await?;
    // Half as large may still be too large; some half is not.
    for _ in 0..14 {
        let failed = page.run("return document.querySelector('.training-card .notice') !== null").await?;
        if failed == false && steps(&page).await? > 200 {
            break;
        }
        if failed == true {
            page.press("Go on with half the learning rate").await?;
        }
        pause().await;
    }
    reached(&page, 0, 200).await?;
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_keeps_another_learning_rate() -> Result<()> {
    let page = Page::open(SMALL).await?;
    reached(&page, 0, 20).await?;
    let recommended = rate(&page).await?;
    // A slider whose places are logarithms is moved to a place, not to a number.
    page.run(
        "const slider = document.querySelector('.training-card input[type=range]');
        slider.value = 0.6 * slider.value + 0.4 * slider.min;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        slider.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await?;
    let before = steps(&page).await?;
    reached(&page, 0, before + 20).await?;
    let changed = rate(&page).await?;
    ensure!(changed < 0.5 * recommended, "{changed} after {recommended}");
    page.press("Pause").await?;
    settled(&page).await?;
    let paused = steps(&page).await?;
    page.reload().await?;
    settled(&page).await?;
    assert_eq!((rate(&page).await?, steps(&page).await?), (changed, paused));
    page.press("Reset").await?;
    reached_exactly(&page, 0, 0).await?;
    settled(&page).await?;
    assert_eq!(rate(&page).await?, changed, "it begins anew with the rate on show");
    // What is written down of it says with which rate it was trained.
    let results = results(&page).await?;
    let written = results["runs"][0]["config"]["optimiser"]["learning_rate"].as_f64().context("no rate")?;
    ensure!((written / changed).ln().abs() < 0.01, "{written} and {changed}");
    // And there is a way back to the rate that it had first.
    page.press("More: Sparse, seed 0").await?;
    page.press("Reset, with the first learning rate").await?;
    settled(&page).await?;
    assert_eq!(rate(&page).await?, recommended);
    quiet(&page).await
}

#[tokio::test]
async fn training_survives_the_death_of_a_worker() -> Result<()> {
    let page = Page::open("?page=width").await?;
    let address = page.client.current_url().await?;
    // From the next page on, this script sees every worker as it is made; and two of them may train.
    let watch = "window.workers = [];
        window.Worker = class extends Worker {
            constructor(...given) { super(...given); window.workers.push(this); }
        };
        Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', {get: () => 3});";
    page.devtools("Page.enable", json!({})).await?;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": watch})).await?;
    page.go(address.join(&format!("{SMALL}&models=sparse,random"))?.as_str()).await?;
    reached(&page, 0, 120).await?;
    reached(&page, 1, 20).await?;
    // A run is kept every three seconds.
    page.wait("it is kept", &format!("{KEPT} return window.kept?.runs === 2")).await?;
    // The next message reaches the worker of the first run as bytes that mean nothing: it gives up as in a panic.
    let spoil = "const worker = window.workers[1];
        const send = worker.postMessage;
        worker.postMessage = function () { worker.postMessage = send; this.postMessage(new Uint8Array([255, 255]).buffer); }";
    page.run(spoil).await?;
    page.wait("it is said", "return document.querySelector('.training-card .notice') !== null").await?;
    let said = card(&page, 0).await?;
    ensure!(said.contains("Play goes on"), "{said}");
    let other = steps_of(&page, 1).await?;
    reached(&page, 1, other + 10).await?;
    ensure!(!card(&page, 1).await?.contains("Play goes on"), "the other run is not touched");
    page.press("Play: Sparse, seed 0").await?;
    page.wait("it goes on", "return document.querySelector('.training-card .notice') === null").await?;
    let again = steps(&page).await?;
    ensure!(again > 0, "it begins where it was kept");
    reached(&page, 0, again + 100).await?;
    assert_eq!(messages(&page).await?, "");
    Ok(())
}

/// Two runs of the same choice, one left alone and one in front of a restless person, find the same to the last bit.
#[tokio::test]
async fn training_is_touched_by_nothing_that_is_looked_at() -> Result<()> {
    let query = "?page=training&task=2-hop&variant=residual-norm&until=1&batch=16&width=8&steps=900";
    let page = Page::open(query).await?;
    finished(&page).await?;
    let alone = results(&page).await?;
    drop(page);

    let page = Page::open(query).await?;
    reached(&page, 0, 10).await?;
    let mut last = steps(&page).await?;
    for press in ["Theme", "Loss on a log scale", "Width", "Training", "PT", "EN", "Theme"] {
        page.press(press).await?;
        pause().await;
        if press == "Width" || press == "PT" {
            continue;
        }
        let now = steps(&page).await?;
        ensure!(now >= last, "{now} after {last}, at {press}");
        last = now;
    }
    page.choose("Model", "Random").await?;
    page.choose("Model", "Random").await?;
    page.press("Pause").await?;
    settled(&page).await?;
    page.reload().await?;
    settled(&page).await?;
    page.press("Start").await?;
    finished(&page).await?;
    let restless = results(&page).await?;
    let history = |results: &Value| results["runs"][0]["history"].clone();
    ensure!(history(&alone).as_array().is_some_and(|all| all.len() == 9), "{}", history(&alone));
    assert_eq!(history(&restless), history(&alone));
    quiet(&page).await
}

#[tokio::test]
async fn training_goes_on_without_room_in_the_browser() -> Result<()> {
    let page = Page::open("?page=width").await?;
    let address = page.client.current_url().await?;
    let full =
        "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };";
    page.devtools("Page.enable", json!({})).await?;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": full})).await?;
    page.go(address.join(SMALL)?.as_str()).await?;
    page.wait(
        "it is said",
        "return document.querySelector('.training-runs > .notice')?.innerText.includes('Training goes on')",
    )
    .await?;
    let now = steps(&page).await?;
    reached(&page, 0, now + 100).await?;
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn training_takes_own_files_and_refuses_others() -> Result<()> {
    let page = Page::open("?page=training&task=own&variant=residual-norm&batch=8&width=8&steps=300").await?;
    let folder = Folder::of(&page).await?;
    let lines: Vec<String> =
        (0..24).map(|n| format!("{n:05b} => {}", if n % 2 == 0 { "even" } else { "odd" })).collect();
    let good = lines.join("\n");
    page.upload("Open sequences", &folder.write("good.txt", good.as_bytes())?).await?;
    let text = "return document.querySelector('.training-own textarea').value";
    page.wait("they are there", &format!("{text}.includes('10111 => odd')")).await?;
    // None of these is taken; each is named, with what is wrong with it.
    let too_many: String = (0..600).map(|n| format!("w{n} w{} => x\n", n + 1)).collect();
    for (name, content, why) in [
        ("binary.txt", vec![0xff, 0xfe, 0, 1], "UTF-8"),
        ("contradiction.txt", b"01 => a\n01 => b\n".to_vec(), "Line 2"),
        ("long.txt", format!("{}\nab\n", "a".repeat(600)).into_bytes(), "600 tokens"),
        ("words.txt", too_many.into_bytes(), "601"),
        ("large.txt", vec![b'a'; 300_000], "200 kB"),
    ] {
        page.upload("Open sequences", &folder.write(name, &content)?).await?;
        let said = format!(
            "const said = document.querySelector('.training-own').innerText;
            return said.includes('{name}') && said.includes('{why}')"
        );
        page.wait(&format!("{name} is refused"), &said).await?;
        assert_eq!(page.run(text).await?, good.as_str(), "nothing is lost");
    }
    page.press("Start").await?;
    finished(&page).await?;
    let said = card(&page, 0).await?;
    ensure!(said.contains("Stopped by itself"), "{said}");
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

/// Asks the browser what it keeps, and puts it into `window.kept` when it has been found.
const KEPT: &str = "const asked = indexedDB.open('pianola-training');
    asked.onsuccess = () => {
        const base = asked.result;
        if (!base.objectStoreNames.contains('snapshots')) { base.close(); return; }
        const look = base.transaction(['runs', 'snapshots']);
        const runs = look.objectStore('runs').getAllKeys();
        const snapshots = look.objectStore('snapshots').getAllKeys();
        look.oncomplete = () => {
            window.kept = {runs: runs.result.length, snapshots: snapshots.result.map((key) => Number(key.split('/')[1]))};
            base.close();
        };
    };";

/// What the browser keeps.
struct Kept {
    runs: u64,
    /// The steps of the snapshots, run by run.
    snapshots: Vec<u64>,
}

async fn kept(page: &Page) -> Result<Kept> {
    page.run(&format!("delete window.kept; {KEPT}")).await?;
    page.wait("the browser has answered", "return window.kept !== undefined").await?;
    let kept = page.run("return window.kept").await?;
    let steps = kept["snapshots"].as_array().context("no snapshots")?;
    Ok(Kept {
        runs: kept["runs"].as_u64().context("no runs")?,
        snapshots: steps.iter().filter_map(Value::as_u64).collect(),
    })
}

/// What is written down of all runs.
async fn results(page: &Page) -> Result<Value> {
    let folder = Folder::of(page).await?;
    let file = folder.saved_by(page, "Export results").await?;
    Ok(serde_json::from_str(&fs::read_to_string(file)?)?)
}

/// Nothing is under way any longer, and what was to be kept is.
async fn settled(page: &Page) -> Result<()> {
    page.wait("the run is there", "return document.querySelector('.training-card') !== null").await?;
    page.wait_idle().await?;
    pause().await;
    page.wait_idle().await
}

async fn card(page: &Page, run: usize) -> Result<String> {
    let text =
        page.run(&format!("return document.querySelectorAll('.training-card')[{run}].innerText")).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// A script that gives the step of a run.
fn step_script(run: usize) -> String {
    format!(
        "const text = document.querySelectorAll('.training-card')[{run}]?.querySelector('p.number').innerText ?? '';
        const step = Number(text.split(' of ')[0].replace(/[^0-9]/g, '') || -1);"
    )
}

async fn steps_of(page: &Page, run: usize) -> Result<u64> {
    page.run(&format!("{} return step", step_script(run))).await?.as_u64().context("no step")
}

async fn reached(page: &Page, run: usize, step: u64) -> Result<()> {
    let script = format!("{} return step >= {step}", step_script(run));
    page.wait(&format!("run {run} has taken {step} steps"), &script).await
}

async fn reached_exactly(page: &Page, run: usize, step: u64) -> Result<()> {
    let script = format!("{} return step === {step}", step_script(run));
    page.wait(&format!("run {run} stands at step {step}"), &script).await
}

/// The learning rate on the card of the first run.
async fn rate(page: &Page) -> Result<f64> {
    let script =
        "return document.querySelector('.training-card input[type=range]').getAttribute('aria-valuetext')";
    let text = page.run(script).await?;
    text.as_str().unwrap_or_default().trim().parse().with_context(|| format!("{text} is no rate"))
}
