//! A run as a file that other programs can read.

use serde_json::{Value as Json, json};

use crate::graph::Primitive;
use crate::session::{Outcome, Run};
use crate::value::{Atom, Sequence};

/// The trace of a run as JSON: format `pianola-rasp-trace`, version 1. A selector's rows are query
/// positions, with 1 where a key position is selected; an aggregate's selector is that of its first
/// operand. Numbers are written so that they read back as the same.
pub fn trace_json(program: &str, run: &Run) -> Json {
    let steps: Vec<Json> = (0..run.trace.steps.len())
        .map(|at| {
            let step = &run.trace.steps[at];
            let selector = if step.primitive.is_selector() { run.trace.selector(at) } else { None };
            json!({
                "op": step.primitive.name(),
                "span": [step.span.start, step.span.end],
                "operands": step.operands,
                "selector": selector.map(|matrix| rows(&matrix)),
                "value": step.value.as_ref().map(sequence),
                "name": step.name,
                "layer": step.layer,
                "argument": argument(&step.primitive),
            })
        })
        .collect();
    let input: Vec<Json> = run.input.tokens().iter().map(atom).collect();
    json!({
        "format": "pianola-rasp-trace",
        "version": 1,
        "program": program,
        "input": input,
        "result": result(run),
        "heads_per_layer": run.analysis.heads_per_layer,
        "merged_heads_per_layer": run.analysis.merged_heads_per_layer(),
        "steps": steps,
    })
}

fn result(run: &Run) -> Json {
    let (kind, value) = match &run.result {
        Outcome::Sequence(values) => ("sequence", sequence(values)),
        Outcome::Selector(matrix) => ("selector", rows(matrix)),
        Outcome::Error => {
            let messages = run.diagnostics.iter().map(|diagnostic| {
                json!({
                    "code": diagnostic.message.code(),
                    "text": diagnostic.to_string(),
                    "span": [diagnostic.span.start, diagnostic.span.end],
                    "position": diagnostic.position,
                })
            });
            ("error", messages.collect())
        }
        other => ("atom", outcome(other)),
    };
    json!({"type": kind, "value": value})
}

fn outcome(value: &Outcome) -> Json {
    match value {
        Outcome::Sequence(values) => sequence(values),
        Outcome::Selector(matrix) => rows(matrix),
        Outcome::Atom(value) => atom(value),
        Outcome::List(items) => items.iter().map(outcome).collect(),
        Outcome::Dictionary(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.to_string(), outcome(value))).collect())
        }
        Outcome::Function(name) => Json::from(name.as_str()),
        Outcome::Nothing | Outcome::Error => Json::Null,
    }
}

/// What a primitive needs besides its operands.
fn argument(primitive: &Primitive) -> Json {
    match primitive {
        Primitive::Constant(value) => atom(value),
        Primitive::Aggregate { default } => atom(default),
        Primitive::Member(items) | Primitive::LookUp(items) => items.iter().map(atom).collect(),
        Primitive::LookUpKey(entries) => {
            entries.iter().map(|(key, value)| json!([atom(key), atom(value)])).collect()
        }
        Primitive::Require(text) => Json::from(&**text),
        _ => Json::Null,
    }
}

fn rows(matrix: &crate::selector::SelectorMatrix) -> Json {
    let positions = 0..matrix.len();
    positions
        .clone()
        .map(|query| {
            let row = positions.clone().map(|key| u8::from(matrix.get(query, key)));
            row.collect::<Json>()
        })
        .collect()
}

fn sequence(values: &Sequence) -> Json {
    values.iter().map(|value| atom(&value)).collect()
}

fn atom(value: &Atom) -> Json {
    match value {
        Atom::Bool(value) => Json::from(*value),
        Atom::Int(value) => Json::from(*value),
        Atom::Float(value) => Json::from(*value),
        Atom::Text(value) => Json::from(&**value),
    }
}
