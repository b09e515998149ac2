//! The workspace “Universal”: targets, inputs and runs as files.

use crate::universal_view::{Folder, fingerprint, give, link, messages, proved, quiet, shown};
use anyhow::{Context, Result, ensure};
use harness::Page;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

#[tokio::test]
async fn imported_reference_cases_give_the_expected_numbers() -> Result<()> {
    let page = Page::open("").await?;
    let folder = Folder::of(&page).await?;
    for case in references()? {
        let (name, target) = (text(&case["name"]), &case["target"]);
        page.choose("Construction", "Sparse").await?;
        give(&page, "Import target", &folder.write("target.json", target.to_string().as_bytes())?).await?;
        give(&page, "Import input", &folder.write("input.json", case["input"].to_string().as_bytes())?)
            .await?;
        for construction in ["Sparse", "Looped", "Random"] {
            if construction == "Looped" && target["class"]["residual"] == true {
                continue;
            }
            let what = format!("{name} {construction}");
            page.choose("Construction", construction).await?;
            proved(&page, &what).await?;
            let run = folder.run(&page).await?;
            ensure!(run["format"] == "pianola-run" && run["version"] == 1, "{what}");
            ensure!(text(&run["universal"]["construction"]) == construction.to_lowercase(), "{what}");
            ensure!(difference(&run["input"], &case["input"])? == 0.0, "{what}: the input is another");
            ensure!(text(&run["universal"]["fingerprint"]) == fingerprint(&page).await?, "{what}");
            // Exact weights are held to 1e-12, solved programs to as much times their condition number.
            let condition = run["error"]["condition"].as_f64().context("no condition number")?;
            let solved = 1e-12 * condition.max(if construction == "Random" { 1e3 } else { 1.0 });
            for (side, bound) in [("target", 1e-12), ("universal", solved)] {
                for part in ["output", "attention"] {
                    let error = difference(&run[part][side], &case["expect"][part])?;
                    ensure!(error <= bound, "{what}: {part}.{side} is off by {error:e}");
                }
            }
        }
    }
    quiet(&page).await
}

#[tokio::test]
async fn rows_come_as_json_csv_and_npy() -> Result<()> {
    let page = Page::open("").await?;
    let folder = Folder::of(&page).await?;
    let cases = references()?;
    let case = cases.iter().find(|case| case["name"] == "two-heads-two-layers").context("no such case")?;
    give(&page, "Import target", &folder.write("target.json", case["target"].to_string().as_bytes())?)
        .await?;
    let rows = case["input"].as_array().context("no rows")?;
    let lines: Vec<String> = rows
        .iter()
        .map(|row| row.as_array().into_iter().flatten().map(Value::to_string).collect::<Vec<_>>().join(","))
        .collect();
    let mut shows = Vec::new();
    for (file, bytes) in [
        ("input.json", case["input"].to_string().into_bytes()),
        ("input.csv", lines.join("\n").into_bytes()),
        ("input.npy", npy(rows)?),
    ] {
        // Something else in between, so that nothing is seen only because it was there before.
        give(&page, "Import input", &folder.write("other.csv", b"1,0,0,0\n0,1,0,0")?).await?;
        give(&page, "Import input", &folder.write(file, &bytes)?).await?;
        proved(&page, file).await?;
        ensure!(difference(&folder.run(&page).await?["input"], &case["input"])? == 0.0, "{file}");
        shows.push(shown(&page).await?);
    }
    ensure!(shows.iter().all(|show| *show == shows[0]));
    quiet(&page).await
}

#[tokio::test]
async fn an_exported_run_restores_the_view() -> Result<()> {
    let page = Page::open("").await?;
    let folder = Folder::of(&page).await?;
    let address = page.client.current_url().await?;
    for query in [
        "?preset=induction",
        "?preset=sorting&construction=random&spare=4",
        "?preset=random&construction=looped&seed=3&text=one+two+one&mask=causal",
        "?preset=random&construction=random&law=sign&tying=tied&weights=1.1.wq.2.1:0.5&input=2.2:3&embedding=2.5:0.25",
    ] {
        page.go(address.join(query)?.as_str()).await?;
        let (before, run) = (shown(&page).await?, folder.run(&page).await?);
        let file = folder.write("run.json", &fs::read(folder.saved_by(&page, "Export run").await?)?)?;
        page.go(address.join("?preset=majority&construction=sparse")?.as_str()).await?;
        give(&page, "Import target", &file).await?;
        assert_eq!(folder.run(&page).await?, run, "{query}");
        let after = shown(&page).await?;
        assert_eq!((&after[0], &after[1]), (&before[0], &before[1]), "{query}");
        let construction = link(&page).await?.get("construction").cloned().unwrap_or("sparse".to_owned());
        assert_eq!(text(&run["universal"]["construction"]), construction);
        // A link carries what the file brought, but for the long vocabulary of a random target: “Share” says so.
        if query.contains("preset=random") {
            continue;
        }
        page.reload().await?;
        assert_eq!(folder.run(&page).await?, run, "{query} through its link");
    }
    quiet(&page).await
}

#[tokio::test]
async fn bad_files_are_named_and_the_view_stays() -> Result<()> {
    let page = Page::open("?preset=random").await?;
    let folder = Folder::of(&page).await?;
    let before = shown(&page).await?;
    let address = page.client.current_url().await?;
    let good = references()?
        .into_iter()
        .find(|case| case["name"] == "two-heads-two-layers")
        .context("no such case")?;
    let good = good["target"].clone();
    let mut wrong = good.clone();
    wrong["layers"][1]["heads"][0]["wk"] = json!([[1.0, 2.0], [3.0, 4.0]]);
    let mut missing = good.clone();
    missing["layers"][0]["heads"][1].as_object_mut().context("no head")?.remove("wv");
    let not_a_number = good.to_string().replacen("[[", "[[NaN,", 1);
    let whole = good.to_string();
    for (control, name, bytes, says) in [
        (
            "Import target",
            "wrong.json",
            wrong.to_string().into_bytes(),
            &["layers.1.heads.0.wk", "2×2", "4×2"][..],
        ),
        ("Import target", "missing.json", missing.to_string().into_bytes(), &["layers.0.heads.1.wv"]),
        ("Import target", "nan.json", not_a_number.into_bytes(), &["NaN"]),
        ("Import target", "half.json", whole.as_bytes()[..whole.len() / 2].to_vec(), &[]),
        ("Import target", "page.json", b"<!DOCTYPE html><title>Not found</title>".to_vec(), &[]),
        ("Import target", "nothing.json", vec![], &[]),
        ("Import target", "weights.safetensors", vec![255; 64], &[]),
        ("Import input", "narrow.csv", b"1,2,3\n4,5,6".to_vec(), &["2×3", "4"]),
        ("Import input", "words.csv", b"1,2,3,4\n5,6,seven,8".to_vec(), &["seven"]),
        ("Import input", "target.json", whole.clone().into_bytes(), &[]),
    ] {
        give(&page, control, &folder.write(name, &bytes)?).await?;
        let message = messages(&page).await?;
        ensure!(!message.is_empty(), "{name}: no message");
        for part in says {
            ensure!(message.contains(part), "{name}: the message does not name {part}: {message}");
        }
        assert_eq!(shown(&page).await?, before, "{name}");
        assert_eq!(page.client.current_url().await?, address, "{name}");
    }
    give(&page, "Import target", &folder.write("good.json", whole.as_bytes())?).await?;
    proved(&page, "a good file").await?;
    assert_eq!(messages(&page).await?, "", "the message goes when things work again");
    quiet(&page).await
}

fn references() -> Result<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/transformer/tests/reference");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    files.iter().map(|file| Ok(serde_json::from_slice(&fs::read(file)?)?)).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The largest difference of two lists of lists … of numbers of the same shape.
fn difference(found: &Value, expected: &Value) -> Result<f64> {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) => {
            ensure!(found.len() == expected.len(), "{} instead of {}", found.len(), expected.len());
            let differences = found.iter().zip(expected).map(|(found, expected)| difference(found, expected));
            differences.into_iter().try_fold(0.0, |most: f64, next| Ok(most.max(next?)))
        }
        _ => {
            let both = found.as_f64().zip(expected.as_f64());
            both.map(|(found, expected)| (found - expected).abs())
                .with_context(|| format!("{found} instead of {expected}"))
        }
    }
}

/// A `.npy` file, version 1, as numpy writes it.
fn npy(rows: &[Value]) -> Result<Vec<u8>> {
    let numbers: Vec<f64> =
        rows.iter().flat_map(|row| row.as_array().into_iter().flatten()).filter_map(Value::as_f64).collect();
    let header = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
        rows.len(),
        numbers.len() / rows.len()
    );
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len())?.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    Ok(bytes)
}
