//! A model for elsewhere: a PyTorch script that builds the same model around its numbers.

use serde_json::{Value, json};
use training::{Config, Run, Task, Wiring};
use transformer::Mask;

const TEMPLATE: &str = include_str!("script.template.py");

/// The name of a model in files: `2-hop-residual-norm-sparse-seed-0`.
pub(super) fn stem(config: &Config) -> String {
    let Config { task, variant, model, seed, .. } = config;
    format!("{}-{}-{}-seed-{seed}", task.name(), variant.name(), model.weights.kind().name())
}

/// The script.
pub(super) fn script(run: &Run) -> String {
    let config = run.config();
    let title = format!(
        "{}, {}, {} (seed {}), after {} steps: a model trained with Pianola.",
        config.task.name(),
        config.variant.name(),
        config.model.weights.kind().name(),
        config.seed,
        run.steps_taken()
    );
    let Wiring { layers, read, .. } = run.wiring();
    let design = json!({
        "task": task(&config.task),
        "model": config.model,
        "optimiser": config.optimiser,
        "steps": config.steps,
        "batch": config.batch,
        "held_out": run.data().held_out().count,
        "length": config.task.length(),
        "tokens": config.task.tokens(),
        "classes": config.task.classes(),
        "causal": config.task.mask() == Mask::Causal,
        "residual": config.variant.has_residual(),
        "layers": layers,
        "read": read,
    });
    // In JSON a quotation mark within a text has a backslash before it, so three in a row do not occur.
    let design = design.to_string();
    TEMPLATE
        .replace("@TITLE@", &title)
        .replace("@STEM@", &format!("pianola-{}", stem(config)))
        .replace("@DESIGN@", &design)
}

/// A task with everything that its sequences depend on.
fn task(task: &Task) -> Value {
    match task {
        Task::Dyck { length } => json!({"kind": "dyck", "length": length}),
        Task::Hops { hops, alphabet, length } => {
            json!({"kind": "hops", "hops": hops, "alphabet": alphabet, "length": length})
        }
        Task::MatchTwo { modulus, length } => {
            json!({"kind": "match-two", "modulus": modulus, "length": length})
        }
        Task::Parity { length, .. } => {
            json!({"kind": "parity", "length": length, "secret": task.secret_positions()})
        }
        Task::Recall { keys, values, pairs } => {
            json!({"kind": "recall", "keys": keys, "values": values, "pairs": pairs})
        }
        Task::ModularAddition { modulus } => json!({"kind": "modular-addition", "modulus": modulus}),
        Task::Own(own) => {
            let sequences: Vec<Value> = own
                .sequences
                .iter()
                .map(|it| {
                    let targets = it.targets.iter().map(|target| match *target {
                        training::NO_TARGET => -1,
                        target => i64::from(target),
                    });
                    json!({"tokens": it.tokens, "targets": targets.collect::<Vec<i64>>()})
                })
                .collect();
            json!({"kind": "own", "sequences": sequences})
        }
    }
}
