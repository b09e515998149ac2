//! How long a training step takes: one JSON line for each configuration, with the shortest mean of several
//! groups of steps, on the processor, so that other work on the machine disturbs less.
//! `python/compare_training_step.py` sets numpy beside it.
//!
//! `cargo run --release -p training --example step -- GROUPS STEPS`
#![allow(missing_docs, clippy::unwrap_used)]

use cpu_time::ProcessTime;
use training::{Config, Kind, Model, Run, Task, Variant, Weights, recommended};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<usize>().unwrap());
    let (groups, steps) = (arguments.next().unwrap_or(5), arguments.next().unwrap_or(10));
    for (name, config) in configurations() {
        let mut run = Run::new(config).unwrap();
        run.step().unwrap();
        let group = |_| {
            let start = ProcessTime::now();
            (0..steps).for_each(|_| {
                run.step().unwrap();
            });
            start.elapsed().as_secs_f64() / steps as f64
        };
        let seconds = (0..groups).map(group).fold(f64::INFINITY, f64::min);
        let operations = run.operations_per_step();
        println!("{}", serde_json::json!({"name": name, "seconds": seconds, "operations": operations}));
    }
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
