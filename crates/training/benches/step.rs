//! A training step of each kind of model, single-threaded; throughput is floating-point operations of matrix
//! products a second. A pass over the held-out sequences stands beside it.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use training::{Config, Kind, Model, Run, Task, Variant, Weights, recommended};

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("training step");
    group.sample_size(20);
    for (name, config) in configurations() {
        let mut run = Run::new(config).unwrap();
        group.throughput(Throughput::Elements(run.operations_per_step()));
        group.bench_function(name, |bencher| bencher.iter(|| run.step().unwrap()));
    }
    group.finish();
}

fn evaluate(criterion: &mut Criterion) {
    let dyck = Task::Dyck { length: 22 };
    let mut run = Run::new(recommended(dyck, Variant::AttentionOnly, Kind::Sparse)).unwrap();
    let mut group = criterion.benchmark_group("held-out");
    group.sample_size(10);
    group.bench_function("2000 strings of parentheses, sparse", |bencher| bencher.iter(|| run.evaluate()));
    group.finish();
}

fn configurations() -> Vec<(String, Config)> {
    let dyck = Task::Dyck { length: 22 };
    let hops = Task::Hops { hops: 2, alphabet: 4, length: 15 };
    let mut full = recommended(dyck.clone(), Variant::AttentionOnly, Kind::Trained);
    full.batch = 64;
    full.model = Model { weights: Weights::Trained, heads: 2, layers: 2, width: 64, head_width: 32 };
    let mut wide = recommended(hops.clone(), Variant::ResidualNorm, Kind::Random);
    wide.model.width = 256;
    let mut all =
        vec![("trained, batch 64, m 64, d_h 32".to_owned(), full), ("random, 2-hop, m 256".to_owned(), wide)];
    for kind in Kind::ALL {
        all.push((
            format!("{}, Dyck-1", kind.name()),
            recommended(dyck.clone(), Variant::AttentionOnly, kind),
        ));
        all.push((format!("{}, 2-hop", kind.name()), recommended(hops.clone(), Variant::ResidualNorm, kind)));
    }
    all
}

criterion_group!(benches, step, evaluate);
criterion_main!(benches);
