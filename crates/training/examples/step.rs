//! How long a training step takes: one JSON line for each configuration, with the shortest mean of several
//! groups of steps. Where the system tells it, that is the time on the processor, so that other work on the
//! machine disturbs less. `python/compare_training_step.py` sets numpy beside it.
//!
//! `cargo run --release -p training --example step -- GROUPS STEPS`
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Instant;

use training::{Config, Kind, Model, Run, Task, Variant, Weights, recommended};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<usize>().unwrap());
    let (groups, steps) = (arguments.next().unwrap_or(5), arguments.next().unwrap_or(10));
    for (name, config) in configurations() {
        let mut run = Run::new(config).unwrap();
        run.step().unwrap();
        let began = Instant::now();
        let clock = || on_processor().unwrap_or_else(|| began.elapsed().as_secs_f64());
        let group = |_| {
            let start = clock();
            (0..steps).for_each(|_| {
                run.step().unwrap();
            });
            (clock() - start) / steps as f64
        };
        let seconds = (0..groups).map(group).fold(f64::INFINITY, f64::min);
        let operations = run.operations_per_step();
        println!("{}", serde_json::json!({"name": name, "seconds": seconds, "operations": operations}));
    }
}

/// Seconds for which this program has been on a processor (Linux).
fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Full training at the size at which the browser is measured, and two frozen ones.
fn configurations() -> [(&'static str, Config); 3] {
    let dyck = Task::Dyck { length: 22 };
    let mut full = recommended(dyck, Variant::AttentionOnly, Kind::Trained);
    full.batch = 64;
    full.model = Model { weights: Weights::Trained, heads: 2, layers: 2, width: 64, head_width: 32 };
    let hops = Task::Hops { hops: 2, alphabet: 4, length: 15 };
    let sparse = recommended(hops.clone(), Variant::ResidualNorm, Kind::Sparse);
    let mut random = recommended(hops, Variant::ResidualNorm, Kind::Random);
    random.model.width = 256;
    [("full", full), ("sparse", sparse), ("random", random)]
}
