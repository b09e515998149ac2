//! A run that goes on for long takes no more memory than at its start.
#![allow(clippy::unwrap_used)]

use allocation_counter::measure;
use training::{Kind, Run, Task, Variant, recommended};

const VARIANTS: [Variant; 3] =
    [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp { hidden: 16 }];

#[test]
fn a_step_allocates_nothing_after_the_first() {
    for task in [Task::Dyck { length: 8 }, Task::Hops { hops: 2, alphabet: 4, length: 8 }] {
        for (variant, kind) in VARIANTS.into_iter().flat_map(|it| Kind::ALL.map(|kind| (it, kind))) {
            let mut config = recommended(task.clone(), variant, kind);
            config.model.layers = 2;
            config.batch = 8;
            config.held_out = 20;
            let mut run = Run::new(config).unwrap();
            run.step().unwrap();
            let later = measure(|| {
                (0..120).for_each(|_| {
                    run.step().unwrap();
                });
            });
            assert_eq!(later.count_total, 0, "{variant:?} {kind:?}: {} bytes", later.bytes_total);
        }
    }
}

/// Other tasks draw their sequences with room of their own, and give it back.
#[test]
fn steps_of_every_task_keep_nothing() {
    let tasks = [
        Task::MatchTwo { modulus: 7, length: 9 },
        Task::Parity { bits: 2, length: 6, secret: 1 },
        Task::Recall { keys: 5, values: 4, pairs: 3 },
        Task::ModularAddition { modulus: 11 },
    ];
    for task in tasks {
        let mut config = recommended(task.clone(), Variant::ResidualNorm, Kind::Sparse);
        config.batch = 8;
        config.held_out = 20;
        let mut run = Run::new(config).unwrap();
        run.step().unwrap();
        let later = measure(|| {
            (0..50).for_each(|_| {
                run.step().unwrap();
            });
        });
        assert_eq!(later.bytes_current, 0, "{task:?}");
    }
}

/// What is kept of an evaluation is its result.
#[test]
fn an_evaluation_keeps_nothing_but_its_result() {
    let config = recommended(Task::Dyck { length: 8 }, Variant::AttentionOnly, Kind::Sparse);
    let mut run = Run::new(config).unwrap();
    run.evaluate();
    let later = measure(|| {
        (0..20).for_each(|_| {
            run.evaluate();
        });
    });
    let results = 64 * size_of::<training::Evaluation>();
    assert!(later.bytes_current <= results as i64, "{} bytes", later.bytes_current);
}
