//! The witness: on the way from the sparse weights to random ones the equations fail at isolated points only.
#![allow(missing_docs, clippy::unwrap_used)]

use transformer::{Attention, Class, Mask, Scale};
use universal::sweep::Stage;
use universal::witness::{Path, Walk, Witness};
use universal::{Law, RandomSpec, Tying, UniversalTransformer};

const CLASS: Class = Class {
    heads: 2,
    layers: 1,
    width: 2,
    head_width: 2,
    attention: Attention::Softmax,
    mask: Mask::None,
    scale: Scale::InverseSqrt,
    residual: false,
};
const SPEC: RandomSpec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: 0 };
const STEPS: usize = 100;

fn walked(stage: &Stage, spec: RandomSpec, seed: u64) -> Path {
    let class = *stage.target().class();
    let mut walk = Walk::new(Witness::new(class, spec, seed).unwrap(), STEPS);
    while walk.steps().1 > 0 {
        let before = walk.steps().0;
        walk.step(stage).unwrap();
        assert_eq!(walk.steps().0, before + 1);
    }
    walk.found().clone()
}

#[test]
fn it_leads_from_the_identity_to_the_draw() {
    for seed in 0..8 {
        let witness = Witness::new(CLASS, SPEC, seed).unwrap();
        let stage = Stage::drawn(CLASS, seed, 5).unwrap();
        let (start, error) = witness.look(&stage, 0.0).unwrap();
        assert!(start.log_determinant.abs() < 1e-12 && start.condition < 1.0 + 1e-12 && error < 1e-12);
        let width = witness.columns(0.0).nrows();
        let random = UniversalTransformer::random(CLASS, RandomSpec { width, ..SPEC }, seed).unwrap();
        let difference = &witness.columns(1.0) - &random.leaf_columns();
        assert!(difference.iter().all(|entry| entry.abs() < 1e-12), "C(1) is the random C");
        let (sample, _) = stage.sample(RandomSpec { width, ..SPEC }, seed).unwrap();
        let (end, error) = witness.look(&stage, 1.0).unwrap();
        assert!((end.condition / sample.condition - 1.0).abs() < 1e-6);
        assert!(error < 1e-9, "{error}");
    }
}

#[test]
fn it_is_singular_at_isolated_points_and_works_beside_them() {
    let mut zeros = 0;
    for seed in 0..8 {
        let stage = Stage::drawn(CLASS, seed, 5).unwrap();
        let path = walked(&stage, SPEC, seed);
        assert!(path.points.len() > STEPS && path.points.is_sorted_by(|a, b| a.0.t < b.0.t));
        assert!(path.zeros.is_sorted_by(|a, b| a.t < b.t));
        // The sign of the determinant changes at the zeros, and nowhere else.
        let mut sign = path.points[0].0.sign;
        for (moment, _) in &path.points {
            let passed = path.zeros.iter().filter(|zero| zero.t < moment.t).count();
            if path.zeros.iter().any(|zero| (zero.t - moment.t).abs() < 1e-12) {
                continue;
            }
            let expected = path.points[0].0.sign * if passed % 2 == 0 { 1 } else { -1 };
            assert_eq!(moment.sign, expected, "{moment:?} {:?}", path.zeros);
            sign = moment.sign;
        }
        assert_ne!(sign, 0);
        let error_at = |t: f64| path.points.iter().find(|(moment, _)| moment.t == t).unwrap();
        for zero in &path.zeros {
            zeros += 1;
            assert!(zero.condition > 1e12, "{zero:?}");
            let at = error_at(zero.t).1;
            for beside in [zero.t - 1e-3, zero.t + 1e-3] {
                let (moment, error) = error_at(beside);
                assert!(moment.condition < 1e9, "{beside}: {moment:?}");
                assert!(at.is_nan() || at > 1e3 * error, "the error is {at} at a zero and {error} beside it");
            }
        }
    }
    assert!(zeros > 0, "no draw had a zero, so nothing was shown");
}

#[test]
fn draws_that_never_work_end_at_a_zero() {
    let class = Class { layers: 2, ..CLASS };
    let stage = Stage::drawn(class, 1, 5).unwrap();
    let path = walked(&stage, RandomSpec { law: Law::LowRank, ..SPEC }, 1);
    let (end, error) = path.points.last().unwrap();
    assert_eq!(end.t, 1.0);
    assert!(end.condition > 1e13 && (error.is_nan() || *error > 1e-3), "{end:?} {error}");
}
