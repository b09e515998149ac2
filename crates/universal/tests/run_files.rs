//! Run files restore everything, and what was changed in them is found out.
#![allow(clippy::unwrap_used)]

mod common;

use common::{class, constructions, input, perform};
use ndarray::Array2;
use serde_json::{Value, json};
use transformer::{Class, Scale, Target};
use universal::run::{Replay, Run, RunError};
use universal::{Capacity, Construction, Law, RandomSpec, Table, Tying};

fn run(construction: Construction, class: Class) -> Run {
    let target = Target::random(class, 5).unwrap();
    let x = input(4, class.width, 6);
    let played = perform(&target, construction, x.view());
    let embedding = played.program.embedding.clone();
    let replay = Replay {
        universal: played.universal,
        program: played.program,
        target_trace: played.target_trace,
        universal_trace: played.universal_trace,
        proof: played.proof,
    };
    Run::new(&target, None, &x, &embedding, &replay)
}

fn changed(run: &Run, change: impl FnOnce(&mut Value)) -> Result<Run, RunError> {
    let mut value: Value = serde_json::from_str(&run.to_json().unwrap()).unwrap();
    change(&mut value);
    Run::from_json(&value.to_string())
}

fn replayed(run: &Run, change: impl FnOnce(&mut Value)) -> RunError {
    changed(run, change).unwrap().replay(Capacity::default()).unwrap_err()
}

#[test]
fn everything_comes_back_bit_for_bit() {
    let odd = Class { scale: Scale::Factor(0.1 + 0.2), residual: true, ..class(2, 2, 4, 2) };
    for class in [class(2, 2, 4, 2), odd] {
        for construction in constructions(&class, u64::MAX) {
            let run = run(construction, class);
            let again = Run::from_json(&run.to_json().unwrap()).unwrap();
            assert_eq!(again, run);
            let replay = again.replay(Capacity::default()).unwrap();
            assert_eq!(replay.universal_trace.output, run.record.output.universal);
            assert_eq!(replay.proof.output, run.record.error.output);
        }
    }
}

#[test]
fn the_file_is_as_documented() {
    let run = run(constructions(&class(2, 1, 3, 2), 7)[2], class(2, 1, 3, 2));
    let value: Value = serde_json::from_str(&run.to_json().unwrap()).unwrap();
    assert_eq!(value["format"], "pianola-run");
    assert_eq!(value["version"], 1);
    assert_eq!(value["target"]["format"], "pianola-target");
    assert_eq!(value["universal"]["construction"], "random");
    assert_eq!(value["universal"]["law"], "gaussian");
    assert_eq!(value["universal"]["seed"], 7);
    assert_eq!(value["universal"]["m"], run.width);
    for name in ["target", "universal"] {
        assert_eq!(value["output"][name].as_array().unwrap().len(), 4);
        assert_eq!(value["attention"][name][0][1][3].as_array().unwrap().len(), 4);
    }
    assert!(value["error"]["output"].as_f64().unwrap() < 1e-9);
    assert!(value["error"]["condition"].as_f64().unwrap() > 1.0);
}

#[test]
fn ones_own_law_comes_back_with_its_values() {
    let class = class(2, 1, 3, 2);
    let law = Law::Table(Table::new(&[-1.5, 0.1, 3.0]).unwrap());
    let spec = RandomSpec { law, tying: Tying::Free, width: 20 };
    let run = run(Construction::Random { spec, seed: 9 }, class);
    let value: Value = serde_json::from_str(&run.to_json().unwrap()).unwrap();
    assert_eq!(value["universal"]["law"], json!({"table": [-1.5, 0.1, 3.0]}));
    let again = Run::from_json(&value.to_string()).unwrap();
    assert_eq!(again, run);
    assert_eq!(again.replay(Capacity::default()).unwrap().proof.output, run.record.error.output);
    let error = replayed(&run, |value| value["universal"]["law"] = json!({"table": [-1.5, 0.1, 3.5]}));
    assert!(matches!(error, RunError::Fingerprint { .. }), "{error}");
}

#[test]
fn another_seed_is_found_by_the_fingerprint() {
    let run = run(constructions(&class(2, 1, 3, 2), 7)[2], class(2, 1, 3, 2));
    let error = replayed(&run, |value| value["universal"]["seed"] = json!(8));
    assert!(matches!(error, RunError::Fingerprint { .. }), "{error}");
}

#[test]
fn changed_numbers_are_found() {
    let run = run(Construction::Sparse, class(2, 1, 3, 2));
    type Place = fn(&mut Value) -> &mut Value;
    let changes: [(&str, Place); 5] = [
        ("output.target", |value| &mut value["output"]["target"][1][2]),
        ("output.universal", |value| &mut value["output"]["universal"][0][0]),
        ("attention.target.0.1", |value| &mut value["attention"]["target"][0][1][2][3]),
        ("attention.universal.0.0", |value| &mut value["attention"]["universal"][0][0][0][0]),
        ("error.output", |value| &mut value["error"]["output"]),
    ];
    for (expected, place) in changes {
        let error = replayed(&run, |value| {
            let number = place(value);
            *number = json!(number.as_f64().unwrap() + 1e-6);
        });
        match error {
            RunError::Differs { name, .. } => assert_eq!(name, expected),
            other => panic!("{expected}: {other}"),
        }
    }
}

#[test]
fn an_edited_embedding_is_part_of_the_run() {
    let class = class(2, 1, 3, 2);
    let whole = run(Construction::Sparse, class);
    let mut edited = whole.embedding.clone();
    edited[[0, 0]] += 1.0;
    let replay = whole.replay(Capacity::default()).unwrap();
    let universal_trace = replay.universal.forward(whole.input.view(), edited.view()).unwrap();
    let proof =
        universal::Proof::new(&whole.target, &replay.target_trace, &replay.universal, &universal_trace, None);
    let edited_run =
        Run::new(&whole.target, None, &whole.input, &edited, &Replay { universal_trace, proof, ..replay });
    let again = Run::from_json(&edited_run.to_json().unwrap()).unwrap();
    let replay = again.replay(Capacity::default()).unwrap();
    assert_eq!(replay.proof.verdict, universal::Verdict::Broken);
    assert_eq!(replay.program.embedding, whole.embedding, "restoring the program is possible");
}

#[test]
fn wrong_files_are_refused_by_name() {
    let run = run(Construction::Sparse, class(2, 1, 3, 2));
    let error = |change: fn(&mut Value)| changed(&run, change).unwrap_err().to_string();
    let refusals = [
        (error(|value| value["format"] = json!("pianola-target")), "pianola-target"),
        (error(|value| value["version"] = json!(2)), "version is 2"),
        (error(|value| drop(value.as_object_mut().unwrap().remove("format"))), "format is missing"),
        (error(|value| value["universal"]["construction"] = json!("dense")), "dense"),
        (error(|value| value["universal"]["construction"] = json!("random")), "universal.law is missing"),
        (error(|value| value["universal"]["m"] = json!(7)), "embedding has shape"),
        (error(|value| value["input"][1] = json!([1.0])), "row 1 of input"),
        (error(|value| value["output"]["target"][0][0] = Value::Null), "null"),
        (error(|value| value["target"]["layers"] = json!([])), "layers"),
        (Run::from_json("").unwrap_err().to_string(), "empty"),
        (Run::from_json("{\"format\": ").unwrap_err().to_string(), "line 1"),
    ];
    for (message, part) in refusals {
        assert!(message.contains(part), "“{message}” does not say “{part}”");
    }
}

#[test]
fn a_run_that_is_not_finite_is_not_written() {
    let mut run = run(Construction::Sparse, class(2, 1, 3, 2));
    run.record.output.universal = Array2::from_elem((4, 3), f64::NAN);
    assert_eq!(run.to_json(), Err(RunError::NotFinite { name: "output.universal".to_owned() }));
}

#[test]
fn a_run_beyond_the_capacity_is_not_replayed() {
    let run = run(Construction::Sparse, class(2, 1, 3, 2));
    let error = run.replay(Capacity { max_bytes: 100, max_width: 5 }).unwrap_err();
    assert!(matches!(error, RunError::Engine(universal::Error::TooLarge(_))), "{error}");
}
