//! The reference cases: values, types, selectors, errors and head counts of the original interpreter.

#![allow(clippy::unwrap_used)]

use rasp::{Atom, Input, Kind, Outcome, Run, Session};
use serde_json::Value as Json;

/// What a missing input of a case stands for: the running example of the original.
const RUNNING_EXAMPLE: &str = "hello";

fn atom(json: &Json) -> Atom {
    match json {
        Json::Bool(value) => Atom::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Atom::Int(value),
            None => Atom::Float(number.as_f64().unwrap()),
        },
        Json::String(text) => Atom::text(text),
        _ => panic!("not an atom: {json}"),
    }
}

fn input(json: &Json) -> Input {
    match json {
        Json::Null => Input::from_text(RUNNING_EXAMPLE).unwrap(),
        Json::String(text) => Input::from_text(text).unwrap(),
        Json::Array(items) => Input::from_atoms(items.iter().map(atom).collect()).unwrap(),
        _ => panic!("not an input: {json}"),
    }
}

fn to_json(outcome: &Outcome) -> Json {
    let atom = |atom: &Atom| match atom {
        Atom::Bool(value) => Json::from(*value),
        Atom::Int(value) => Json::from(*value),
        Atom::Float(value) => Json::from(*value),
        Atom::Text(text) => Json::from(text.to_string()),
    };
    match outcome {
        Outcome::Sequence(sequence) => sequence.iter().map(|value| atom(&value)).collect(),
        Outcome::Selector(matrix) => (0..matrix.len())
            .map(|query| {
                (0..matrix.len()).map(|key| Json::from(u8::from(matrix.get(query, key)))).collect::<Json>()
            })
            .collect(),
        Outcome::Atom(value) => atom(value),
        Outcome::List(items) => items.iter().map(to_json).collect(),
        Outcome::Dictionary(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.to_string(), to_json(value))).collect())
        }
        other => panic!("no value: {other:?}"),
    }
}

fn type_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Sequence(sequence) => match sequence.kind() {
            Kind::Bools => "bools",
            Kind::Ints => "ints",
            Kind::Floats => "floats",
            Kind::Texts => "strings",
        },
        Outcome::Atom(Atom::Bool(_)) => "bool",
        Outcome::Atom(Atom::Int(_)) => "int",
        Outcome::Atom(Atom::Float(_)) => "float",
        Outcome::Atom(Atom::Text(_)) => "str",
        Outcome::List(_) => "list",
        Outcome::Dictionary(_) => "dict",
        _ => "selector (rows=query/output position, cols=key/input position)",
    }
}

fn run(case: &Json) -> Run {
    let program = case.get("program").and_then(Json::as_str).unwrap_or("");
    let expression = case["expr"].as_str().unwrap();
    let ends_itself = expression.ends_with(';') || expression.ends_with('}') && case["mode"] == "error";
    let end = if ends_itself { "" } else { ";" };
    let source = format!("{program}{expression}{end}");
    Session::default().run(&source, &input(case.get("input").unwrap_or(&Json::Null)))
}

fn check_file(text: &str) {
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    assert!(!cases.is_empty());
    for case in &cases {
        let run = run(case);
        let id = &case["id"];
        if case["mode"] == "error" {
            assert!(run.has_errors(), "{id}: {} must be refused", case["expr"]);
            assert_eq!(run.result, Outcome::Error, "{id}");
            continue;
        }
        let errors: Vec<String> = run.diagnostics.iter().map(|d| d.to_string()).collect();
        assert!(errors.is_empty(), "{id}: {errors:?}");
        assert_eq!(to_json(&run.result), case["expected_output"], "{id}");
        assert_eq!(type_name(&run.result), case["expected_type"], "{id}");
        if let Some(heads) = case.get("heads_per_layer") {
            let found: Json = run.analysis.heads_per_layer.iter().copied().collect();
            assert_eq!(&found, heads, "{id}: heads per layer");
        }
    }
}

macro_rules! files {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check_file(include_str!(concat!("reference/", stringify!($name), ".json")));
        })*
    };
}

files! { aggregate attn_sim base elementwise error language programs rasplib select }
