//! The cliff: random weights fail below N and work from N on.
#![allow(missing_docs, clippy::unwrap_used)]

use transformer::{Attention, Class, Mask, Scale};
use universal::bounds::largest_rank;
use universal::sweep::{Sample, Stage};
use universal::{Bounds, Law, RandomSpec, Table, Tying};

fn class(heads: usize, layers: usize, width: usize) -> Class {
    Class {
        heads,
        layers,
        width,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::InverseSqrt,
        residual: false,
    }
}

fn least(class: &Class) -> usize {
    Bounds::of(class).random_minimum.try_into().unwrap()
}

/// The samples at N − 1 and at N + 2 of many targets and draws.
fn around_the_cliff(class: Class) -> Vec<(Sample, Sample)> {
    let least = least(&class);
    let mut samples = Vec::new();
    for law in [Law::Gaussian, Law::Uniform] {
        for tying in [Tying::Free, Tying::Tied] {
            for seed in 0..20 {
                let stage = Stage::drawn(class, seed, 6).unwrap();
                let sample = |width| stage.sample(RandomSpec { law, tying, width }, 1000 + seed).unwrap().0;
                let (below, above) = (sample(least - 1), sample(least + 2));
                assert_eq!((below.rank, above.rank), (least - 1, least));
                samples.push((below, above));
            }
        }
    }
    samples
}

#[test]
fn one_column_less_than_n_fails_and_two_more_work() {
    for class in [class(2, 2, 4), class(2, 3, 3), class(3, 2, 2)] {
        for (below, above) in around_the_cliff(class) {
            assert!(below.error > 1e-3, "{class:?}: {below:?}");
            assert!(above.error < 1e-9, "{class:?}: {above:?}");
        }
    }
}

/// With one head the one missing equation may matter little: the error of some targets is below 1e-3.
#[test]
fn with_one_head_the_cliff_is_as_steep() {
    for (below, above) in around_the_cliff(class(1, 3, 3)) {
        assert!(below.error > 1e6 * above.error && above.error < 1e-9, "{below:?} {above:?}");
    }
}

#[test]
fn low_rank_draws_fail_at_every_width() {
    let class = class(2, 2, 4);
    let stage = Stage::drawn(class, 3, 6).unwrap();
    for spare in [0, 2, 20, 200] {
        let spec = RandomSpec { law: Law::LowRank, tying: Tying::Free, width: least(&class) + spare };
        let (sample, _) = stage.sample(spec, 5).unwrap();
        assert!(sample.rank < sample.equations && sample.error > 1e-3, "{sample:?}");
    }
}

#[test]
fn laws_of_ones_own_work_when_their_values_are_several() {
    let class = class(2, 2, 4);
    let stage = Stage::drawn(class, 3, 6).unwrap();
    let sample = |values: &[f64], spare: usize| {
        let law = Law::Table(Table::new(values).unwrap());
        let spec = RandomSpec { law, tying: Tying::Free, width: least(&class) + spare };
        stage.sample(spec, 5).unwrap().0
    };
    for values in [&[-1.0, 0.0, 1.0][..], &[0.0, 1.0], &[-2.0, 0.5, 7.0, 1e-3]] {
        let above = sample(values, 2);
        assert!(above.error < 1e-9 && above.rank == above.equations, "{values:?} {above:?}");
    }
    // The mean square of the entries does not depend on the unit of the values.
    assert_eq!(sample(&[-1.0, 0.0, 1.0], 0).rank, sample(&[-1e30, 0.0, 1e30], 0).rank);
    let constant = sample(&[3.0], 20);
    assert!(constant.rank < constant.equations && constant.error > 1e-3, "{constant:?}");
    for values in [&[][..], &[0.0], &[f64::NAN], &[1.0; 9]] {
        assert_eq!(Table::new(values), None, "{values:?}");
    }
}

#[test]
fn single_precision_costs_what_the_condition_says() {
    let class = class(2, 2, 4);
    for seed in 0..10 {
        let stage = Stage::drawn(class, seed, 6).unwrap();
        let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: least(&class) + 8 };
        let sample = stage.graded(spec, seed).unwrap();
        assert_eq!(Sample { single_error: None, ..sample.clone() }, stage.sample(spec, seed).unwrap().0);
        let single = sample.single_error.unwrap();
        assert!(single > 1e3 * sample.error, "{sample:?}");
        assert!(single < 100.0 * f64::from(f32::EPSILON) * sample.condition, "{sample:?}");
    }
}

#[test]
fn ties_survive_rounding_only_within_a_tolerance() {
    let (mut with_ties, mut broken) = (0, 0);
    for seed in 0..12 {
        let stage = Stage::tied(seed, 8).unwrap();
        let width = least(stage.target().class()) + 10;
        let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width };
        let errors = stage.tie_errors(spec, seed).unwrap();
        assert_eq!(errors.sparse_exact, 0.0, "{errors:?}");
        assert!(errors.random_tolerant < 1e-9 && errors.single_generous < 1e-3, "{errors:?}");
        with_ties += usize::from(errors.ties > 0);
        broken += usize::from(errors.random_exact > 1e-3 && errors.single_tolerant > 1e-3);
    }
    assert!(with_ties >= 8 && 2 * broken > with_ties, "{broken} of {with_ties} targets lost their ties");
}

#[test]
fn tied_residual_draws_fail_however_wide_they_are() {
    let class = Class { residual: true, ..class(2, 2, 4) };
    let stage = Stage::drawn(class, 3, 6).unwrap();
    let expected: usize = largest_rank(&class, Tying::Tied).try_into().unwrap();
    for spare in [0, 40] {
        let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Tied, width: least(&class) + spare };
        let (sample, _) = stage.sample(spec, 5).unwrap();
        assert_eq!(sample.rank, expected);
        assert!(sample.error > 1e-3, "{sample:?}");
    }
}

#[test]
fn a_sample_is_what_the_engine_plays() {
    let class = class(2, 2, 4);
    let stage = Stage::drawn(class, 3, 6).unwrap();
    let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: least(&class) - 3 };
    let (sample, played) = stage.sample(spec, 5).unwrap();
    let universal = universal::UniversalTransformer::random(class, spec, 5).unwrap();
    let program = universal.program(stage.target()).unwrap();
    let trace = universal.forward(stage.input(), program.embedding.view()).unwrap();
    assert_eq!(played, trace);
    let expected = transformer::forward(stage.target(), stage.input()).unwrap();
    let error =
        (&trace.output - &expected.output).iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    assert_eq!(sample.error, error);
    let solve = program.solve.unwrap();
    assert_eq!(
        (sample.rank, sample.condition, sample.residual),
        (solve.rank, solve.condition, solve.residual)
    );
}
