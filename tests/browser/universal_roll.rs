//! Pointing at one block among thousands: everything that belongs to it lights up, and nothing else.

use anyhow::{Context, Result, ensure};
use harness::Page;
use serde_json::json;

/// H = 4, L = 6, d = 2, d_h = 1: the output has 4⁶ = 4096 paths.
const DEEP: &str = "?preset=random&heads=4&layers=6&width=2&head-width=1";
const HEADS: usize = 4;
const LAYERS: usize = 6;

/// The columns before those of the output: 2 H H^l d_h for each layer l.
fn first_column_of_output() -> usize {
    (0..LAYERS as u32).map(|layer| 2 * HEADS * HEADS.pow(layer)).sum()
}

/// The steps of a path, by its number among all paths.
fn steps(mut number: usize) -> Vec<usize> {
    let mut steps = vec![0; LAYERS];
    for step in steps.iter_mut().rev() {
        *step = number % HEADS + 1;
        number /= HEADS;
    }
    steps
}

#[tokio::test]
async fn one_of_thousands_of_blocks_lights_its_path_in_every_panel() -> Result<()> {
    let page = Page::open(DEEP).await?;
    page.show_all().await?;
    let (first, leaves, width) = (first_column_of_output(), HEADS.pow(LAYERS as u32), 2);
    let columns = first + leaves * width;
    let place = page
        .run(
            "const roll = document.querySelector('[role=application][aria-label^=\"The roll\"]');
             roll.scrollIntoView({ block: 'center' });
             const { x, y, width } = roll.getBoundingClientRect();
             return [x, y, width]",
        )
        .await?;
    let place = |i: usize| place[i].as_f64().context("the roll has no place");
    let (left, y, extent) = (place(0)?, place(1)? + 44.0, place(2)?);

    // Whole pixels: each has a dozen blocks, and half a pixel would be another.
    for pixel in [0.71, 0.9, 0.99].map(|share: f64| (left + extent * share).floor()) {
        let column = ((pixel - left) / extent * columns as f64) as usize;
        let number = (column - first) / width;
        let path = steps(number);
        page.run("document.querySelector('[aria-label^=\"The roll\"]').scrollIntoView({ block: 'center' })")
            .await?;
        page.devtools("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": pixel, "y": y})).await?;
        let name: Vec<String> = path.iter().map(usize::to_string).collect();
        let name = format!("path {}", name.join("·"));
        page.wait(
            &format!("the tree tells of {name}"),
            &format!("return document.querySelector('main').innerText.includes({})", json!(name)),
        )
        .await?;
        let from = first + number * width + 1;
        let slot = format!("columns {from}…{}", from + 1);
        let text = page.run("return document.querySelector('main').innerText").await?;
        ensure!(text.as_str().is_some_and(|text| text.contains(&slot)), "{name} does not stand in {slot}");

        // One head of each layer, on both sides.
        let lit = page
            .run(
                "return [...document.querySelectorAll('main [role=application]')]
                     .filter((map) => { for (let at = map; at; at = at.parentElement)
                         if (getComputedStyle(at).outlineStyle === 'solid') return true; })
                     .map((map) => map.ariaLabel.split(',').slice(0, 2).join(','))",
            )
            .await?;
        let lit: Vec<&str> =
            lit.as_array().context("no list")?.iter().filter_map(|name| name.as_str()).collect();
        let mut expected = Vec::new();
        for (layer, head) in path.iter().enumerate() {
            for matrix in ["A", "A′"] {
                expected.push(format!("{matrix}[{},{head}]", layer + 1));
            }
        }
        let mut attention: Vec<&str> = lit.into_iter().filter(|name| name.starts_with('A')).collect();
        attention.sort_unstable();
        expected.sort_unstable();
        assert_eq!(attention, expected, "{name}");

        // A click pins it. The ring on the roll is where the pointer was; the tree has one too.
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({"type": kind, "x": pixel, "y": y, "button": "left", "clickCount": 1});
            page.devtools("Input.dispatchMouseEvent", click).await?;
        }
        page.devtools("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": 2, "y": 2})).await?;
        for (picture, x, y, width, height) in
            [("The roll", pixel - left - 4.0, 36, 8, 4), ("Tree of", 90.0, 0, 900, 60)]
        {
            let painted = format!(
                "const picture = document.querySelector(`[role=application][aria-label^='{picture}']`);
                 picture.scrollIntoView({{ block: 'center' }});
                 const overlay = [...picture.querySelectorAll('canvas')].at(-1).getContext('2d');
                 const {{ data }} = overlay.getImageData({x}, {y}, {width}, {height});
                 return data.some((value, i) => i % 4 === 3 && value === 255)"
            );
            page.wait(&format!("{picture} marks {name}"), &painted).await?;
        }
    }
    Ok(())
}
