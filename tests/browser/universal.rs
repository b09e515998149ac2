//! The workspace “Universal”: what every control does, and that the link says it.

use crate::universal_view::{
    Folder, fingerprint, heatmaps, link, maximum_error, messages, options, pause, proved, quiet, shown,
};
use anyhow::{Result, ensure};
use harness::Page;

#[tokio::test]
async fn opens_on_a_finished_example() -> Result<()> {
    let page = Page::open("").await?;
    proved(&page, "the first page").await?;
    assert_eq!(messages(&page).await?, "");
    let (target, universal) = said(&page).await?;
    ensure!(target.len() > 2 && target == universal, "{target:?} {universal:?}");
    ensure!(
        heatmaps(&page).await?.iter().any(|name| name.starts_with("A[1,1]")),
        "{:?}",
        heatmaps(&page).await?
    );
    let painted = "return [...document.querySelectorAll('main canvas')].filter((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value, i) => value !== data[i % 4]);
    }).length";
    let painted = page.run(painted).await?;
    ensure!(painted.as_u64() > Some(3), "only {painted} pictures have something in them");
    quiet(&page).await
}

#[tokio::test]
async fn every_construction_plays_every_preset() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let mut frozen = vec![fingerprint(&page).await?];
    for (construction, word) in [("Looped", "looped"), ("Random", "random")] {
        page.choose("Construction", construction).await?;
        proved(&page, construction).await?;
        assert_eq!(link(&page).await?["construction"], word);
        frozen.push(fingerprint(&page).await?);
    }
    page.choose("Construction", "Sparse").await?;
    proved(&page, "Sparse").await?;
    assert_eq!(link(&page).await?.get("construction"), None, "the default is not written");
    assert_eq!(fingerprint(&page).await?, frozen[0]);
    frozen.sort();
    frozen.dedup();
    assert_eq!(frozen.len(), 3, "three constructions, three kinds of frozen weights");

    let mut prints = std::collections::BTreeMap::new();
    for preset in options(&page, "Preset").await? {
        let before = shown(&page).await?;
        page.choose("Preset", &preset).await?;
        proved(&page, &preset).await?;
        assert_ne!(shown(&page).await?, before, "{preset}");
        let (target, universal) = said(&page).await?;
        ensure!(!target.is_empty() && target == universal, "{preset}: {target:?} {universal:?}");
        prints.insert(preset, fingerprint(&page).await?);
    }
    ensure!(prints.len() >= 9, "{prints:?}");
    assert_eq!(prints["Previous-token head"], prints["First token"], "one class, the same frozen weights");
    let twins: Vec<_> = prints.iter().filter(|(name, _)| name.contains("twin")).collect();
    ensure!(twins.len() == 2 && twins[0].1 == twins[1].1, "{twins:?}");
    quiet(&page).await
}

#[tokio::test]
async fn every_control_acts_and_the_link_follows() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let sparse = fingerprint(&page).await?;
    // Weights of zeros and ones depend on no seed.
    page.write("Seed", "42").await?;
    proved(&page, "Seed").await?;
    assert_eq!(link(&page).await?["seed"], "42");
    assert_eq!(fingerprint(&page).await?, sparse);

    for (slider, key, value) in [
        ("Heads", "heads", 3.0),
        ("Layers", "layers", 3.0),
        ("Width", "width", 5.0),
        ("Head width", "head-width", 3.0),
        ("Tokens", "n", 4.0),
    ] {
        let before = shown(&page).await?;
        page.set_slider(slider, value).await?;
        proved(&page, slider).await?;
        assert_eq!(
            link(&page).await?.get(key).map(String::as_str),
            Some(value.to_string().as_str()),
            "{slider}"
        );
        assert_ne!(shown(&page).await?, before, "{slider} changes what is shown");
    }
    let names = heatmaps(&page).await?;
    for name in ["A[3,3], 4 × 4", "A′[3,3], 4 × 4", "X, 4 × 5"] {
        ensure!(names.iter().any(|found| found == name), "there is no {name}: {names:?}");
    }
    ensure!(!names.iter().any(|name| name.starts_with("A[4,")), "{names:?}");

    for (name, option, key, word) in [
        ("Attention", "average-hard", "attention", "average-hard"),
        ("Attention", "leftmost-hard", "attention", "leftmost-hard"),
        ("Attention", "softmax", "attention", ""),
        ("Mask", "causal", "mask", "causal"),
    ] {
        page.choose(name, option).await?;
        let follows =
            format!("return (new URLSearchParams(location.search).get('{key}') ?? '') === '{word}'");
        page.wait(&format!("the link says {key}={word}"), &follows).await?;
        proved(&page, option).await?;
    }
    let without = fingerprint(&page).await?;
    page.press("Residual").await?;
    proved(&page, "Residual").await?;
    assert_eq!(link(&page).await?["residual"], "on");
    assert_ne!(fingerprint(&page).await?, without, "another class has other frozen weights");
    quiet(&page).await
}

#[tokio::test]
async fn back_and_forward_undo_and_redo() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    // A picture of fewer layers is shorter, and what stands below it would come near and be more to see.
    page.show_all().await?;
    let mut steps = vec![(page.client.current_url().await?, shown(&page).await?)];
    for layers in [3.0, 1.0] {
        pause().await;
        page.set_slider("Layers", layers).await?;
        page.wait_idle().await?;
        steps.push((page.client.current_url().await?, shown(&page).await?));
    }
    pause().await;
    page.choose("Construction", "Looped").await?;
    page.wait_idle().await?;
    steps.push((page.client.current_url().await?, shown(&page).await?));
    let arrives = async |step: usize| -> Result<()> {
        let (address, expected) = &steps[step];
        page.wait("the link is there", &format!("return location.href === {:?}", address.as_str())).await?;
        page.wait_idle().await?;
        assert_eq!(&shown(&page).await?, expected, "step {step}");
        Ok(())
    };
    for step in [2, 1, 0] {
        page.client.back().await?;
        arrives(step).await?;
    }
    for step in [1, 2, 3] {
        page.client.forward().await?;
        arrives(step).await?;
    }
    quiet(&page).await
}

#[tokio::test]
async fn a_link_shows_the_same_to_the_last_digit() -> Result<()> {
    let query = "?preset=random&construction=random&law=uniform&spare=3&frozen-seed=5&seed=11&heads=3&width=5\
                 &attention=softmax&mask=causal&scale=0.7&text=one+cat+one+dog\
                 &weights=1.2.wv.1.1:0.3333333333333333&input=2.1:-1e-7&embedding=1.2:0.1,3.4:-2.5e-3&tree=q2.1&step=1";
    let page = Page::open(query).await?;
    let folder = Folder::of(&page).await?;
    let (before, numbers) = (shown(&page).await?, folder.run(&page).await?);
    let address = page.client.current_url().await?;
    page.reload().await?;
    assert_eq!(page.client.current_url().await?, address, "the link says all, and nothing else");
    assert_eq!(shown(&page).await?, before);
    assert_eq!(folder.run(&page).await?, numbers);
    let embedding = |row: usize, column: usize| numbers["embedding"][row][column].as_f64();
    assert_eq!((embedding(0, 1), embedding(2, 3)), (Some(0.1), Some(-2.5e-3)));
    assert_eq!(numbers["input"][1][0].as_f64(), Some(-1e-7));
    assert_eq!(numbers["target"]["layers"][0]["heads"][1]["wv"][0][0].as_f64(), Some(0.3333333333333333));
    quiet(&page).await
}

#[tokio::test]
async fn an_edited_program_breaks_the_proof_until_it_is_restored() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let (whole, frozen) = (shown(&page).await?, fingerprint(&page).await?);
    let address = page.client.current_url().await?;
    page.go(&format!("{address}&embedding=1.1:5,2.3:-1")).await?;
    let text = page.status("Maximum error").await?;
    ensure!(maximum_error(&page).await? > 1e-3 && text.contains('✗'), "{text}");
    assert_eq!(fingerprint(&page).await?, frozen, "the frozen weights know nothing of it");
    page.press("Restore the program (2 changed)").await?;
    proved(&page, "restored").await?;
    assert_eq!(shown(&page).await?, whole);
    assert_eq!(link(&page).await?.get("embedding"), None);
    quiet(&page).await
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_the_view_stays() -> Result<()> {
    let page = Page::open("").await?;
    let before = shown(&page).await?;
    page.choose("Construction", "Looped").await?;
    page.wait_idle().await?;
    ensure!(
        !messages(&page).await?.is_empty(),
        "nothing says why looped weights do not serve residual classes"
    );
    assert_eq!(shown(&page).await?, before);
    page.choose("Construction", "Sparse").await?;
    proved(&page, "back again").await?;
    assert_eq!(messages(&page).await?, "");

    let address = page.client.current_url().await?;
    page.go(address.join("?preset=random")?.as_str()).await?;
    page.set_slider("Heads", 8.0).await?;
    proved(&page, "8 heads").await?;
    let before = shown(&page).await?;
    page.set_slider("Layers", 12.0).await?;
    page.wait_idle().await?;
    let class = transformer::Class { heads: 8, layers: 12, ..transformer::presets::RANDOM_CLASS };
    let refused = universal::Capacity::default().check(universal::Construction::Sparse, &class, 6);
    let Err(universal::Error::TooLarge(refusal)) = refused else {
        anyhow::bail!("{class:?} should be too large")
    };
    let nearest = refusal.nearest.map(|class| class.layers.to_string()).unwrap_or_default();
    let message = messages(&page).await?;
    let numbers: Vec<&str> = message.split(|letter: char| !letter.is_ascii_digit()).collect();
    ensure!(numbers.contains(&nearest.as_str()), "{nearest} layers would fit, but the message is: {message}");
    assert_eq!(shown(&page).await?, before);
    page.set_slider("Layers", 1.0).await?;
    proved(&page, "1 layer").await?;
    assert_eq!(messages(&page).await?, "");

    // A text with a token that the preset does not know.
    page.choose("Preset", "Majority by counting").await?;
    page.write("Input", "ab").await?;
    proved(&page, "ab").await?;
    let before = shown(&page).await?;
    page.find("textbox", "Input").await?.send_keys("q").await?;
    page.wait_idle().await?;
    let message = messages(&page).await?;
    ensure!(message.contains('q'), "the message does not name the token: {message}");
    assert_eq!(shown(&page).await?, before);
    page.write("Input", "abba").await?;
    proved(&page, "abba").await?;
    assert_eq!(messages(&page).await?, "");
    quiet(&page).await
}

/// What the outputs of target and universal transformer say.
async fn said(page: &Page) -> Result<(Vec<String>, Vec<String>)> {
    let rows = page
        .run(
            "const rows = [...document.querySelectorAll('main table tr')].map((row) => [...row.cells].map((cell) => cell.innerText));
             return ['Target', 'Universal'].map((name) => rows.find(([first]) => first === name)?.slice(1) ?? [])",
        )
        .await?;
    Ok(serde_json::from_value(rows)?)
}
