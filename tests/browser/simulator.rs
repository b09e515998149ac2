//! What a person sees and does in the workspace “Simulator”, by the names that they read.

use anyhow::{Context, Result, ensure};
use harness::{Page, Theme, Window};
use serde_json::Value;

use crate::universal_view::{
    fingerprint, heatmaps, link, maximum_error, messages, pause, proved, quiet, shown,
};

async fn open(query: &str) -> Result<Page> {
    Page::open(&format!("?page=simulator{query}")).await
}

#[tokio::test]
async fn both_sides_match_for_every_preset() -> Result<()> {
    let page = open("").await?;
    proved(&page, "the first preset").await?;
    for preset in ["Looking up", "An average", "Ties share", "The row before", "Two heads", "A whole layer"] {
        page.choose("Preset", preset).await?;
        proved(&page, preset).await?;
    }
    quiet(&page).await
}

#[tokio::test]
async fn every_kind_of_attention_and_sub_layer_is_matched() -> Result<()> {
    let page = open("&preset=random&heads=2").await?;
    let mut programs = vec![fingerprint(&page).await?];
    for attention in ["Soft, shifted", "Hard", "Soft"] {
        page.choose("Construction of the attention", attention).await?;
        proved(&page, attention).await?;
    }
    for sub_layer in ["ReLU", "MaxMin"] {
        page.choose("Feed-forward", sub_layer).await?;
        proved(&page, sub_layer).await?;
        let program = fingerprint(&page).await?;
        ensure!(!programs.contains(&program), "{sub_layer} is another program");
        programs.push(program);
    }
    let names = heatmaps(&page).await?;
    ensure!(names.iter().any(|name| name.starts_with("feed_forward")), "{names:?}");
    quiet(&page).await
}

#[tokio::test]
async fn an_edited_cell_follows_on_both_sides_and_the_program_stays() -> Result<()> {
    let page = open("").await?;
    let (before, program) = (sides(&page, "output").await?, fingerprint(&page).await?);
    // The first heatmap named A is the one at the left of the room.
    page.run(
        "const map = [...document.querySelectorAll('[role=application]')].find((map) => map.ariaLabel.startsWith('A,'));
         map.focus();
         const press = (key) => map.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
         press('ArrowRight'); press('F2')",
    )
    .await?;
    page.wait("the editor is there", "return !!document.querySelector('.heatmap-editor input')").await?;
    let editor = page.client.active_element().await?;
    editor.send_keys("\u{e009}a\u{e000}-7.5\u{e007}").await?;
    proved(&page, "edited").await?;
    let after = sides(&page, "output").await?;
    ensure!(before.0 != after.0 && before.1 != after.1, "both sides follow");
    assert_eq!(fingerprint(&page).await?, program);
    let cells = link(&page).await?.get("cells").cloned().context("the link says nothing of the edit")?;
    ensure!(cells.starts_with("a_1.") && cells.ends_with(":-7.5"), "{cells}");
    page.press("Restore the target (1 changed)").await?;
    proved(&page, "restored").await?;
    assert_eq!(sides(&page, "output").await?, before);
    quiet(&page).await
}

#[tokio::test]
async fn a_larger_simulator_leaves_the_result_unchanged() -> Result<()> {
    let page = open("").await?;
    let target = sides(&page, "output").await?.0;
    page.set_slider("Spare tokens", 3.0).await?;
    page.set_slider("Spare width", 2.0).await?;
    proved(&page, "padded").await?;
    let said = page.status("Hierarchy").await?;
    ensure!(said.contains("n = 7") && said.contains("unchanged"), "{said}");
    let (left, right) = sides(&page, "output").await?;
    assert_eq!(left, target);
    ensure!(right.contains("masked"), "the padding is not masked: {right}");
    let names = heatmaps(&page).await?;
    ensure!(names.iter().any(|name| name == "attention_1, 7 × 7"), "{names:?}");
    ensure!(names.iter().any(|name| name == "α, 4 × 4"), "{names:?}");
    quiet(&page).await
}

#[tokio::test]
async fn what_is_too_large_is_refused_and_the_view_stays() -> Result<()> {
    let page = open("&preset=random&heads=8&width=4").await?;
    proved(&page, "eight heads").await?;
    let before = shown(&page).await?;
    page.set_slider("Tokens", 64.0).await?;
    page.wait_idle().await?;
    let message = messages(&page).await?;
    let class = |rows: usize| rasp::simulator::Class {
        rows,
        width: 4,
        value_width: 3,
        heads: 8,
        attend: rasp::simulator::Attend::Softmax,
        mask: rasp::simulator::Mask::None,
        feed_forward: None,
        padding: rasp::simulator::Padding::Exact,
    };
    let fits = (1..64).rev().find(|rows| rasp::simulator::Simulator::new(class(*rows)).is_ok());
    let fits = fits.context("some number of tokens fits")?;
    ensure!(message.contains(&format!("n = {fits} ")), "{fits} tokens fit, but the message is: {message}");
    let after = shown(&page).await?;
    assert_eq!(after[1], before[1], "the pictures stay");
    page.set_slider("Tokens", 4.0).await?;
    proved(&page, "four tokens").await?;
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn scores_too_large_stop_the_run_until_they_are_shifted() -> Result<()> {
    let page = open("&preset=overflow").await?;
    let text = page.status("Maximum error").await?;
    ensure!(text.contains('✗'), "{text}");
    page.choose("Construction of the attention", "Soft, shifted").await?;
    proved(&page, "shifted").await?;
    ensure!(maximum_error(&page).await? <= 1e-9);
    quiet(&page).await
}

#[tokio::test]
async fn the_animation_steps_forward_and_back_and_its_place_is_in_the_link() -> Result<()> {
    let page = open("&step=12").await?;
    let before = page.run(SENTENCE).await?;
    page.press("Step forward").await?;
    page.wait("the step is kept", "return new URLSearchParams(location.search).get('step') === '13'").await?;
    page.wait("it is made", "return document.querySelector('.scrubber input[type=range]').value === '13'")
        .await?;
    let after = page.run(SENTENCE).await?;
    assert_ne!(before, after);
    page.press("Step back").await?;
    page.wait("the step is taken back", "return new URLSearchParams(location.search).get('step') === '12'")
        .await?;
    page.wait(
        "it has gone back",
        "return document.querySelector('.scrubber input[type=range]').value === '12'",
    )
    .await?;
    assert_eq!(page.run(SENTENCE).await?, before);
    page.choose("One step is", "primitive").await?;
    page.wait_idle().await?;
    assert_eq!(link(&page).await?.get("grain").map(String::as_str), Some("primitive"));
    quiet(&page).await
}

const SENTENCE: &str = "return document.querySelector('.sim-sentence').innerText";

#[tokio::test]
async fn a_link_shows_the_same_to_the_last_digit() -> Result<()> {
    let query = "&preset=random&n=3&width=2&value-width=4&heads=3&attention=hard&mask=causal&feed-forward=maxmin\
                 &hidden=6&seed=11&extra-n=1&extra-width=1&cells=x.2.1:0.3333333333333333,v_3.1.4:-1e-7&step=9\
                 &grain=primitive&along=d";
    let page = open(query).await?;
    let before = shown(&page).await?;
    let address = page.client.current_url().await?;
    page.reload().await?;
    assert_eq!(page.client.current_url().await?, address, "the link says all, and nothing else");
    assert_eq!(shown(&page).await?, before);
    let table = open_table(&page, "X").await?;
    ensure!(table.contains("0.3333333333333333"), "{table}");
    quiet(&page).await
}

#[tokio::test]
async fn axe_finds_nothing_in_either_theme() -> Result<()> {
    for theme in [Theme::Light, Theme::Dark] {
        let page = open("&preset=encoder&extra-n=1").await?;
        page.emulate(theme).await?;
        page.wait_idle().await?;
        let found: Vec<String> = page.axe().await?.iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{} theme\n{}", theme.name(), found.join("\n"));
    }
    Ok(())
}

#[tokio::test]
async fn a_phone_scrolls_one_way_only() -> Result<()> {
    let page = open("").await?;
    let address = page.client.current_url().await?;
    for (width, language) in [(320, "en"), (390, "pt-BR")] {
        let window = Window { width, height: 800, language: language.into(), ..Window::default() };
        let page = window.open(address.as_str()).await?;
        // A scrollbar that has a place of its own is no part of the page's width.
        let over =
            "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth > clientWidth";
        assert_eq!(page.run(over).await?, false, "{width} px");
    }
    Ok(())
}

/// Points at a place of the bench, from 0 at its upper left to 1 at its lower right.
async fn point_at_bench(page: &Page, x: f64, y: f64) -> Result<()> {
    page.run(&format!(
        "const bench = document.querySelector('.sim-bench-picture');
         bench.scrollIntoView({{ block: 'center' }});
         const {{ left, top, width, height }} = bench.getBoundingClientRect();
         const at = {{ clientX: left + {x} * width, clientY: top + {y} * height }};
         bench.dispatchEvent(new PointerEvent('pointermove', {{ ...at, bubbles: true, pointerType: 'mouse' }}))"
    ))
    .await?;
    Ok(())
}

#[tokio::test]
async fn what_is_pointed_at_on_the_bench_is_lit_on_both_sides_and_stops_the_animation() -> Result<()> {
    // After Xᵀ and the first term of X A, the second fetches the second column of X, for eight steps.
    let page = open("&step=17").await?;
    let lit = "return document.querySelector('.sim-bench-over .heatmap-lit').getAttribute('d') ?? ''";
    let in_target = "return [...document.querySelectorAll('.sim-target .heatmap-lit')].map((it) => it.getAttribute('d')).join()";
    assert_eq!(page.run(lit).await?, "", "nothing is pointed at");
    let before = page.run(in_target).await?;
    page.press("Play").await?;
    // The second cell of X, a little below the label of its strip.
    point_at_bench(&page, 0.085, 0.09).await?;
    page.wait("a note floats beside it", "return !!document.querySelector('.tooltip .tooltip-main')").await?;
    let note = page.run("return document.querySelector('.tooltip').innerText").await?;
    let note = note.as_str().context("no text")?;
    ensure!(note.starts_with("X[1, 2] = −1") && note.contains("Position 1 of the input"), "{note}");
    let paths = page.run(lit).await?;
    ensure!(
        paths.as_str().is_some_and(|paths| paths.matches('z').count() > 2),
        "who fetches it is lit: {paths}"
    );
    assert_ne!(page.run(in_target).await?, before, "the target's entry is lit");
    let position = "return document.querySelector('.scrubber input[type=range]').value";
    let held = page.run(position).await?;
    pause().await;
    assert_eq!(page.run(position).await?, held, "what plays stands still");
    page.run("document.querySelector('.sim-bench-picture').dispatchEvent(new PointerEvent('pointerleave', { pointerType: 'mouse' }))")
        .await?;
    page.wait(
        "it goes on",
        &format!(
            "return document.querySelector('.scrubber input[type=range]').value !== '{}'",
            held.as_str().unwrap_or_default()
        ),
    )
    .await?;
    assert_eq!(page.run("return !!document.querySelector('.tooltip')").await?, false);
    page.press("Pause").await?;
    quiet(&page).await
}

#[tokio::test]
async fn the_keyboard_reaches_every_selector() -> Result<()> {
    let page = open("").await?;
    let said = "return document.querySelector('.sim-bench [aria-live]').innerText";
    page.run("document.querySelector('.sim-bench-picture').focus()").await?;
    let press = |key: &'static str| {
        let page = &page;
        async move {
            page.run(&format!(
                "document.querySelector('.sim-bench-picture').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
            ))
            .await?;
            page.run(said).await
        }
    };
    let first = press("ArrowDown").await?;
    ensure!(first.as_str().is_some_and(|first| first.starts_with("X[1, 1]")), "{first}");
    let mut answers = Vec::new();
    for _ in 0..5 {
        press("ArrowDown").await?;
    }
    for key in std::iter::repeat_n("ArrowRight", 14) {
        let told = press(key).await?;
        answers.push(told.as_str().context("no text")?.to_owned());
    }
    let selected = answers.iter().filter(|told| told.contains(": selected")).count();
    ensure!(selected >= 2, "a position asks each of two selectors once: {answers:?}");
    ensure!(answers.iter().any(|told| told.contains("not selected")), "{answers:?}");
    press("Escape").await?;
    assert_eq!(page.run(said).await?, "");
    quiet(&page).await
}

#[tokio::test]
async fn the_program_opens_in_rasp_at_its_top_and_runs_there() -> Result<()> {
    let page = open("").await?;
    page.run("scrollTo(0, 600)").await?;
    page.press("Open in RASP, with this target as its input").await?;
    page.wait("the other workspace is there", "return !!document.querySelector('.rasp-stage')").await?;
    page.wait_idle().await?;
    assert_eq!(page.run("return scrollY").await?, Value::from(0));
    let program = page.run("return document.querySelector('.code-area').value").await?;
    ensure!(program.as_str().is_some_and(|text| text.contains("attention_1 = masked_softmax")), "{program}");
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

/// The numbers of a matrix on both sides, as its table views say them.
async fn sides(page: &Page, name: &str) -> Result<(String, String)> {
    Ok((open_table(page, "Y").await?, open_table(page, name).await?))
}

/// The table of the last heatmap with this name.
async fn open_table(page: &Page, name: &str) -> Result<String> {
    page.wait_idle().await?;
    page.run(&format!(
        "const maps = [...document.querySelectorAll('[role=application]')].filter((map) => map.ariaLabel.startsWith('{name},'));
         const map = maps.at(-1);
         map.focus();
         map.dispatchEvent(new KeyboardEvent('keydown', {{ key: 't', bubbles: true }}))"
    ))
    .await?;
    page.wait("the table is open", "return !!document.querySelector('dialog[open] table')").await?;
    let text = page
        .run("return [...document.querySelectorAll('dialog[open] tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.innerText).join(' ')).join('\\n')")
        .await?;
    page.run("document.querySelector('dialog[open]').close()").await?;
    page.wait("the table is closed", "return !document.querySelector('dialog[open]')").await?;
    Ok(text.as_str().context("no text")?.to_owned())
}
