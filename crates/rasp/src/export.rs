//! A run as a file that other programs can read.

use std::collections::BTreeMap;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use crate::graph::Primitive;
use crate::selector::SelectorMatrix;
use crate::session::{Outcome, Run};
use crate::trace::Trace;
use crate::value::{Atom, Sequence};

/// The most cells of selectors that a file holds.
const MAXIMUM_CELLS: usize = 20_000_000;

/// A trace whose selectors would make a file of too many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[error("the selectors of the trace have {cells} cells; at most {limit} fit into a file")]
pub struct TraceTooLarge {
    /// The number of cells.
    pub cells: usize,
    /// The largest possible number.
    pub limit: usize,
}

/// The trace of a run as JSON: format `pianola-rasp-trace`, version 1. A selector's rows are query
/// positions, with 1 where a key position is selected; the selector of an aggregate is its first
/// operand. Numbers are written so that they read back as the same. `files` are those that the program could
/// `load` besides the constructions, by their names. After an error, `failed` says which step failed where, with
/// its values at the positions before; the steps before it have their values.
///
/// Fails when the selectors have more than 20 million cells in all.
pub fn trace_json(
    program: &str,
    files: &BTreeMap<String, String>,
    run: &Run,
) -> Result<String, TraceTooLarge> {
    let selectors = run.trace.steps.iter().filter(|step| step.primitive.is_selector());
    let cells = selectors.count() * run.input.len() * run.input.len();
    if cells > MAXIMUM_CELLS {
        return Err(TraceTooLarge { cells, limit: MAXIMUM_CELLS });
    }
    let (kind, value) = match &run.result {
        Outcome::Sequence(_) => ("sequence", Plain::Outcome(&run.result)),
        Outcome::Selector(_) => ("selector", Plain::Outcome(&run.result)),
        Outcome::Error => ("error", Plain::Errors(run)),
        other => ("atom", Plain::Outcome(other)),
    };
    let file = File {
        format: "pianola-rasp-trace",
        version: 1,
        program,
        files,
        input: run.input.tokens().iter().map(Plain::Atom).collect(),
        result: TypedValue { kind, value },
        heads_per_layer: &run.analysis.heads_per_layer,
        merged_heads_per_layer: run.analysis.merged_heads_per_layer(),
        steps: (0..run.trace.steps.len()).map(|at| step(&run.trace, at)).collect(),
        failed: run.trace.failed.as_ref().map(|failed| FailedStep {
            step: failed.step,
            position: failed.position,
            before: failed.before.as_ref().map_or(Plain::Nothing, Plain::Sequence),
        }),
    };
    // Writing to a string cannot fail, and all keys are strings.
    Ok(serde_json::to_string(&file).unwrap_or_default())
}

#[derive(Serialize)]
struct File<'a> {
    format: &'static str,
    version: u32,
    program: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    files: &'a BTreeMap<String, String>,
    input: Vec<Plain<'a>>,
    result: TypedValue<'a>,
    heads_per_layer: &'a [usize],
    merged_heads_per_layer: Vec<usize>,
    steps: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<FailedStep<'a>>,
}

#[derive(Serialize)]
struct FailedStep<'a> {
    step: usize,
    position: Option<usize>,
    before: Plain<'a>,
}

#[derive(Serialize)]
struct TypedValue<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    value: Plain<'a>,
}

#[derive(Serialize)]
struct Step<'a> {
    op: String,
    span: [usize; 2],
    operands: &'a [usize],
    selector: Plain<'a>,
    value: Plain<'a>,
    name: Option<&'a str>,
    layer: usize,
    argument: Plain<'a>,
}

fn step(trace: &Trace, at: usize) -> Step<'_> {
    let step = &trace.steps[at];
    Step {
        op: step.primitive.name(),
        span: [step.span.start, step.span.end],
        operands: &step.operands,
        selector: if step.primitive.is_selector() { Plain::SelectorStep(trace, at) } else { Plain::Nothing },
        value: step.value.as_ref().map_or(Plain::Nothing, Plain::Sequence),
        name: step.name.as_deref(),
        layer: step.layer,
        argument: match &step.primitive {
            Primitive::Constant(value) | Primitive::Aggregate { default: value } => Plain::Atom(value),
            Primitive::Member(items) | Primitive::LookUp(items) => Plain::Atoms(items),
            Primitive::LookUpKey(entries) => Plain::Entries(entries),
            Primitive::Require(text) => Plain::Text(text),
            _ => Plain::Nothing,
        },
    }
}

/// A value in the plain JSON of the file, without the tags of the types here.
enum Plain<'a> {
    Nothing,
    Atom(&'a Atom),
    Atoms(&'a [Atom]),
    Entries(&'a [(Atom, Atom)]),
    Text(&'a str),
    Sequence(&'a Sequence),
    /// The matrix is made when it is written, so that there is only one at a time.
    SelectorStep(&'a Trace, usize),
    Outcome(&'a Outcome),
    Errors(&'a Run),
}

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Plain::Nothing => serializer.serialize_none(),
            Plain::Text(text) => serializer.serialize_str(text),
            Plain::Atom(Atom::Bool(value)) => serializer.serialize_bool(*value),
            Plain::Atom(Atom::Int(value)) => serializer.serialize_i64(*value),
            Plain::Atom(Atom::Float(value)) => serializer.serialize_f64(*value),
            Plain::Atom(Atom::Text(value)) => serializer.serialize_str(value),
            Plain::Atoms(atoms) => serializer.collect_seq(atoms.iter().map(Plain::Atom)),
            Plain::Entries(entries) => serializer
                .collect_seq(entries.iter().map(|(key, value)| [Plain::Atom(key), Plain::Atom(value)])),
            Plain::Sequence(sequence) => {
                let mut list = serializer.serialize_seq(Some(sequence.len()))?;
                for atom in sequence.iter() {
                    list.serialize_element(&Plain::Atom(&atom))?;
                }
                list.end()
            }
            Plain::SelectorStep(trace, at) => match trace.selector(*at) {
                Some(matrix) => serialize_matrix(&matrix, serializer),
                None => serializer.serialize_none(),
            },
            Plain::Outcome(outcome) => match outcome {
                Outcome::Sequence(sequence) => Plain::Sequence(sequence).serialize(serializer),
                Outcome::Selector(matrix) => serialize_matrix(matrix, serializer),
                Outcome::Atom(atom) => Plain::Atom(atom).serialize(serializer),
                Outcome::List(items) => serializer.collect_seq(items.iter().map(Plain::Outcome)),
                Outcome::Dictionary(entries) => serializer
                    .collect_map(entries.iter().map(|(key, value)| (key.to_string(), Plain::Outcome(value)))),
                Outcome::Function(name) => serializer.serialize_str(name),
                Outcome::Nothing | Outcome::Error => serializer.serialize_none(),
            },
            Plain::Errors(run) => {
                serializer.collect_seq(run.diagnostics.iter().map(|diagnostic| Complaint {
                    code: diagnostic.message.code(),
                    text: diagnostic.to_string(),
                    span: [diagnostic.span.start, diagnostic.span.end],
                    position: diagnostic.position,
                }))
            }
        }
    }
}

#[derive(Serialize)]
struct Complaint {
    code: &'static str,
    text: String,
    span: [usize; 2],
    position: Option<usize>,
}

fn serialize_matrix<S: Serializer>(matrix: &SelectorMatrix, serializer: S) -> Result<S::Ok, S::Error> {
    let positions = 0..matrix.len();
    let row = |query: usize| -> Vec<u8> {
        let keys = 0..matrix.len();
        keys.map(|key| u8::from(matrix.get(query, key))).collect()
    };
    serializer.collect_seq(positions.map(row))
}
