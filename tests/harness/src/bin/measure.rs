//! How fast the built page is in a real browser: `cargo xtask bench page`. Not a test: a slow machine fails nothing.
//!
//! Every time is a median. “Painted” is when the last canvas that changed has been given all its strokes; the screen
//! shows it in the frame after.

use anyhow::{Context, Result};
use harness::{Page, Site, Theme, Window, dist};
use serde_json::{Value, json};
use xtask::release::{self, Size};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let site = Site::serve(&dist()?, "", 0)?;
    let mut table = vec![first_load()?];
    table.push(first_picture(&site).await?);
    for (what, query, tokens, aim) in [
        ("slider to all painted, as it opens", "", [11, 10], 16.0),
        ("slider to all painted, m = 966", WIDE, [7, 6], 100.0),
    ] {
        let page = open(&site, query).await?;
        let times = numbers(run(&page, &slider(tokens)).await?)?;
        table.push(Row { what, found: median(times), aim: Some(aim), unit: "ms", better: Better::Less });
    }
    for (what, order) in
        [("tree of 4096 leaves, by subtree", "subtrees"), ("tree of 4096 leaves, as on the roll", "roll")]
    {
        let page = open(&site, &format!("{DEEP}&leaves={order}")).await?;
        let found = run(&page, TREE).await?.as_f64().context("no frames")?;
        table.push(Row { what, found, aim: Some(60.0), unit: "frames/s", better: Better::More });
    }
    let page = open(&site, DEEP).await?;
    let hover = numbers(run(&page, HOVER).await?)?;
    table.push(Row {
        what: "pointing at one of 15,016 blocks to all lit",
        found: median(hover),
        aim: Some(16.0),
        unit: "ms",
        better: Better::Less,
    });

    println!("{:<44} {:>10} {:>10} {:>8}", "", "measured", "aim", "ratio");
    for row in &table {
        let (aim, ratio) = match (row.aim, row.better) {
            (None, _) => (String::new(), String::new()),
            (Some(aim), Better::Less) => (format!("{aim:.0}"), format!("{:.2}", row.found / aim)),
            (Some(aim), Better::More) => (format!("{aim:.0}"), format!("{:.2}", aim / row.found)),
        };
        println!("{:<44} {:>10.1} {aim:>10} {ratio:>8}  {}", row.what, row.found, row.unit);
    }
    println!("a ratio of 1 or less meets the aim");
    Ok(())
}

/// A random target whose sparse universal transformer is 966 columns wide.
const WIDE: &str = "?preset=random&heads=3&layers=4&width=6&head-width=2";
/// Paths of six steps through four heads.
const DEEP: &str = "?preset=random&heads=4&layers=6&width=2&head-width=1";

struct Row {
    what: &'static str,
    found: f64,
    /// What it should be, where something was aimed at.
    aim: Option<f64>,
    unit: &'static str,
    better: Better,
}

#[derive(Clone, Copy)]
enum Better {
    Less,
    More,
}

/// What has to travel before the page can be used, compressed as a host does it.
fn first_load() -> Result<Row> {
    let sizes = release::measure(&dist()?)?;
    let bytes: usize =
        sizes.files.iter().filter(|size| size.in_first_load).map(|size: &Size| size.brotli).sum();
    let found = bytes as f64 / 1024.0;
    Ok(Row { what: "first load, Brotli", found, aim: Some(250.0), unit: "KiB", better: Better::Less })
}

/// From navigation to the first picture with all its numbers, each time in a browser that has never been there.
async fn first_picture(site: &Site) -> Result<Row> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let page = open(site, "").await?;
        times.push(page.run("return probe.first").await?.as_f64().context("never at rest")?);
    }
    let what = "navigation to first finished picture";
    Ok(Row { what, found: median(times), aim: None, unit: "ms", better: Better::Less })
}

async fn open(site: &Site, query: &str) -> Result<Page> {
    let window = Window { width: 1280, height: 900, theme: Theme::Light, language: "en".into() };
    // An empty page that is at rest, so that the probe is there before the first script of the real one.
    let page = window.open("data:text/html,<html data-idle=true>").await?;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": PROBE})).await?;
    page.go(&format!("{}{query}", site.address())).await?;
    page.show_all().await?;
    Ok(page)
}

/// Runs the body of an asynchronous function in the page.
async fn run(page: &Page, body: &str) -> Result<Value> {
    page.run(&format!("return (async () => {{ {body} }})()")).await
}

/// Notes when canvases have been painted: each begins by being cleared or resized, and is finished when the script's
/// turn ends.
const PROBE: &str = "
    const probe = window.probe = { painted: 0, first: null, noting: false };
    const note = () => {
        if (probe.noting) return;
        probe.noting = true;
        queueMicrotask(() => { probe.noting = false; probe.painted = performance.now(); });
    };
    const pen = CanvasRenderingContext2D.prototype, clear = pen.clearRect;
    pen.clearRect = function (...rect) { note(); return clear.apply(this, rect); };
    for (const side of ['width', 'height']) {
        const property = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
        const set = function (value) { note(); property.set.call(this, value); };
        Object.defineProperty(HTMLCanvasElement.prototype, side, { ...property, set });
    }
    const rest = () => document.documentElement?.dataset.idle === 'true';
    probe.idle = () => new Promise((done) => {
        const observer = new MutationObserver(() => { if (rest()) { observer.disconnect(); done(); } });
        observer.observe(document, { attributes: true, subtree: true, attributeFilter: ['data-idle'] });
    });
    probe.frame = () => new Promise(requestAnimationFrame);
    probe.idle().then(() => { probe.first = probe.painted; });
";

/// Moves the slider of tokens to and fro.
fn slider(tokens: [usize; 2]) -> String {
    format!(
        "const slider = [...document.querySelectorAll('input[type=range]')]
             .find((slider) => slider.labels[0]?.innerText.trim() === 'Tokens');
         const times = [];
         for (let i = 0; i < 24; i += 1) {{
             await new Promise((done) => setTimeout(done, 100));
             await probe.frame();
             const start = performance.now(), idle = probe.idle();
             slider.value = {tokens:?}[i % 2];
             slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
             await idle;
             times.push(probe.painted - start);
         }}
         return times.slice(4)"
    )
}

/// Zooms into the tree, drags it, and zooms out again, a step in each frame.
const TREE: &str = "
    const stage = document.querySelector('[role=application][aria-label^=\"Tree\"]');
    stage.scrollIntoView({ block: 'center' });
    await new Promise((done) => setTimeout(done, 500));
    const place = stage.getBoundingClientRect();
    const at = (share) => ({ bubbles: true, cancelable: true, clientX: place.x + place.width * share, clientY: place.y + 60 });
    const wheel = (by) => stage.dispatchEvent(new WheelEvent('wheel', { ...at(0.35), ctrlKey: true, deltaY: by }));
    const pointer = (kind, share) => stage.dispatchEvent(
        new PointerEvent(kind, { ...at(share), pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1 }));
    const steps = [
        ...Array.from({ length: 60 }, () => () => wheel(-12)),
        () => pointer('pointerdown', 0.9),
        ...Array.from({ length: 60 }, (_, i) => () => pointer('pointermove', 0.9 - i * 0.01)),
        () => pointer('pointerup', 0.3),
        ...Array.from({ length: 60 }, () => () => wheel(12)),
    ];
    await probe.frame();
    const start = performance.now();
    for (const step of steps) { step(); await probe.frame(); }
    return 1000 * steps.length / (performance.now() - start)";

/// Points at block after block of the roll.
const HOVER: &str = "
    const roll = document.querySelector('[role=application][aria-label^=\"The roll\"]');
    roll.scrollIntoView({ block: 'center' });
    await new Promise((done) => setTimeout(done, 500));
    const place = roll.getBoundingClientRect(), times = [];
    for (let i = 0; i < 24; i += 1) {
        await probe.frame();
        const start = performance.now();
        roll.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerId: 1, pointerType: 'mouse',
            clientX: place.x + place.width * (0.1 + i / 30), clientY: place.y + 45 }));
        await probe.frame();
        await probe.frame();
        times.push(probe.painted - start);
    }
    return times";

fn numbers(value: Value) -> Result<Vec<f64>> {
    let list = value.as_array().context("no list of times")?;
    list.iter().map(|time| time.as_f64().context("not a time")).collect()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
