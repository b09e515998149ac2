//! What frozen weights cost: the gathers of sparse weights against dense products of the same weights,
//! and the linear solve of random ones. Single-threaded.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ndarray::{Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use transformer::{Attention, Class, Mask, NormalDraws, Scale, Target, attend};
use universal::{Consumer, Law, Mixing, RandomSpec, Tying, UniversalTransformer};

const TOKENS: usize = 16;

fn class(heads: usize, layers: usize) -> Class {
    Class {
        heads,
        layers,
        width: 8,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::InverseSqrt,
        residual: false,
    }
}

fn input(width: usize) -> Array2<f64> {
    let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(2));
    Array2::from_shape_simple_fn((TOKENS, width), || draws.draw())
}

/// A sparse universal transformer with its zeros and ones written out.
struct Dense {
    class: Class,
    /// Rq, Rk and Rv, `[layer][head]`.
    heads: Vec<Vec<[Array2<f64>; 3]>>,
    unembedding: Array2<f64>,
}

impl Dense {
    fn new(universal: &UniversalTransformer) -> Self {
        let class = *universal.class();
        let m = universal.width();
        let select = |consumer| universal.projection(consumer).to_dense(m);
        let head = |layer, head| {
            let Mixing::Routing(routing) = &universal.head(layer, head).value else {
                panic!("sparse weights are routings")
            };
            let mut dense = Array2::zeros((m, m));
            for it in routing.moves() {
                for column in 0..it.width {
                    dense[[it.from + column, it.to + column]] = 1.0;
                }
            }
            [select(Consumer::Query { layer, head }), select(Consumer::Key { layer, head }), dense]
        };
        let layer = |layer| (0..class.heads).map(|h| head(layer, h)).collect();
        Dense { class, heads: (0..class.layers).map(layer).collect(), unembedding: select(Consumer::Output) }
    }

    fn forward(&self, x: ArrayView2<f64>, embedding: ArrayView2<f64>) -> Array2<f64> {
        let mut state = x.dot(&embedding);
        for layer in &self.heads {
            let mut next = Array2::zeros(state.dim());
            for [query, key, value] in layer {
                let scores = state.dot(query).dot(&state.dot(key).t()) * self.class.score_factor();
                let shares = attend(scores, self.class.attention, self.class.mask);
                next += &shares.dot(&state.dot(value));
            }
            state = next;
        }
        state.dot(&self.unembedding)
    }
}

/// How the two forward passes grow with m. Four heads and three layers have m = 848.
fn forward(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("forward");
    group.sample_size(20);
    for (heads, layers) in [(2, 3), (4, 2), (2, 5), (4, 3), (2, 7)] {
        let class = class(heads, layers);
        let universal = UniversalTransformer::sparse(class).unwrap();
        let program = universal.program(&Target::random(class, 1).unwrap()).unwrap();
        let x = input(class.width);
        let name = format!("H={heads} L={layers} m={}", universal.width());
        group.bench_function(BenchmarkId::new("sparse", &name), |bencher| {
            bencher.iter(|| universal.forward(black_box(x.view()), program.embedding.view()).unwrap());
        });
        let dense = Dense::new(&universal);
        group.bench_function(BenchmarkId::new("dense", &name), |bencher| {
            bencher.iter(|| dense.forward(black_box(x.view()), program.embedding.view()));
        });
    }
    let class = class(2, 11);
    let universal = UniversalTransformer::sparse(class).unwrap();
    let program = universal.program(&Target::random(class, 1).unwrap()).unwrap();
    let x = input(class.width);
    let name = format!("H=2 L=11 m={}", universal.width());
    group.bench_function(BenchmarkId::new("sparse", &name), |bencher| {
        bencher.iter(|| universal.forward(black_box(x.view()), program.embedding.view()).unwrap());
    });
    group.finish();
}

fn program(criterion: &mut Criterion) {
    let class = class(4, 3);
    let target = Target::random(class, 1).unwrap();
    let mut group = criterion.benchmark_group("program m=848");
    group.sample_size(10);
    group.bench_function("sparse", |bencher| {
        let universal = UniversalTransformer::sparse(class).unwrap();
        bencher.iter(|| universal.program(black_box(&target)).unwrap());
    });
    let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: 848 };
    let build = || UniversalTransformer::random(class, spec, 7).unwrap();
    group.bench_function("draw random weights", |bencher| bencher.iter(build));
    let universal = build();
    assert_eq!(universal.program(&target).unwrap().solve.unwrap().equations, 848);
    group.bench_function("random, equations and their factors included", |bencher| {
        // A clone of what has not been asked for a program has no factors yet.
        let fresh = build();
        bencher.iter_batched(
            || fresh.clone(),
            |universal| universal.program(black_box(&target)).unwrap(),
            criterion::BatchSize::PerIteration,
        );
    });
    group.bench_function("random, another target", |bencher| {
        bencher.iter(|| universal.program(black_box(&target)).unwrap());
    });
    group.finish();
}

criterion_group!(benches, forward, program);
criterion_main!(benches);
