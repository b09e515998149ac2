//! The reference cases, made by an independent program: all are read, and all are reproduced.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde::Deserialize;
use transformer::files::{TargetDocument, read_target_json};
use transformer::{Target, forward};

#[derive(Deserialize)]
struct Case {
    target: TargetDocument,
    input: Vec<Vec<f64>>,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    output: Vec<Vec<f64>>,
    attention: Vec<Vec<Vec<Vec<f64>>>>,
    states: Vec<Vec<Vec<f64>>>,
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths
}

fn matrix(rows: &[Vec<f64>]) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

fn assert_close(found: &Array2<f64>, expected: &[Vec<f64>], what: &str) {
    let expected = matrix(expected);
    assert_eq!(found.dim(), expected.dim(), "{what}");
    let error = (found - &expected).iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!(error <= 1e-12, "{what}: error {error:e}");
}

#[test]
fn forward_reproduces_every_reference_case() {
    let cases = cases();
    assert_eq!(cases.len(), 10);
    for path in cases {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let case: Case = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let target = Target::try_from(case.target).unwrap();
        let trace = forward(&target, matrix(&case.input).view()).unwrap();
        assert_close(&trace.output, &case.expect.output, &name);
        assert_eq!(trace.states.len(), case.expect.states.len());
        for (l, (found, expected)) in trace.states.iter().zip(&case.expect.states).enumerate() {
            assert_close(found, expected, &format!("{name}, state {l}"));
        }
        assert_eq!(trace.attention.len(), case.expect.attention.len());
        for (l, (found, expected)) in trace.attention.iter().zip(&case.expect.attention).enumerate() {
            assert_eq!(found.len(), expected.len());
            for (h, (found, expected)) in found.iter().zip(expected).enumerate() {
                assert_close(found, expected, &format!("{name}, layer {l}, head {h}"));
            }
        }
    }
}

#[test]
fn the_targets_inside_are_files_in_their_own_right() {
    for path in cases() {
        let case: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let target = read_target_json(case["target"].to_string().as_bytes()).unwrap();
        assert_eq!(target.layers().len(), target.class().layers);
    }
}
