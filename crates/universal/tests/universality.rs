//! What the mathematics promises, on random classes and targets.
#![allow(clippy::unwrap_used)]

mod common;

use common::{class, constructions, difference, input, perform, random, unknowns};
use ndarray::Array2;
use proptest::prelude::*;
use transformer::{Attention, Class, Mask, Scale, Target, path_at, path_term};
use universal::bounds::largest_rank;
use universal::{
    Bounds, Consumer, Error, Law, Mixing, Tree, Tying, UniversalTransformer, Verdict, leaf_term, node_value,
};

/// Small classes of every kind.
fn classes() -> impl Strategy<Value = Class> {
    let sizes = (1..=3_usize, 1..=3_usize, 1..=5_usize, 1..=3_usize);
    let attention =
        prop_oneof![Just(Attention::Softmax), Just(Attention::AverageHard), Just(Attention::LeftmostHard)];
    let mask = prop_oneof![Just(Mask::None), Just(Mask::Causal)];
    let scale = prop_oneof![Just(Scale::InverseSqrt), (-2.0..2.0).prop_map(Scale::Factor)];
    (sizes, attention, mask, scale, any::<bool>())
        .prop_map(|((heads, layers, width, head_width), attention, mask, scale, residual)| Class {
            heads,
            layers,
            width,
            head_width,
            attention,
            mask,
            scale,
            residual,
        })
        .prop_filter("random weights of this width take too long in a test", |class| unknowns(class) <= 160)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_construction_plays_every_target(class in classes(), n in 1..=9_usize, seed in 0..1000_u64) {
        let target = Target::random(class, seed).unwrap();
        let x = input(n, class.width, seed + 1);
        for construction in constructions(&class, seed) {
            let played = perform(&target, construction, x.view());
            prop_assert!(matches!(played.proof.verdict, Verdict::Exact | Verdict::WithinTolerance),
                "{construction:?} {:?}", played.proof);
            // States grow with the depth, so an absolute bound is one on their scale.
            let scale = 1.0 + played.target_trace.states.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
            prop_assert!(played.error() <= played.bound() * scale, "{construction:?} {}", played.error());
        }
    }

    #[test]
    fn nodes_hold_what_the_mathematics_says(class in classes(), n in 1..=5_usize, seed in 0..1000_u64) {
        let target = Target::random(class, seed).unwrap();
        let x = input(n, class.width, seed + 1);
        for construction in constructions(&class, seed).into_iter().take(3) {
            let played = perform(&target, construction, x.view());
            let bound = played.proof.tolerance;
            for consumer in Consumer::all(&class) {
                let depth = consumer.depth(&class);
                for level in 0..=depth {
                    for index in 0..class.steps().0.pow((depth - level) as u32) {
                        let rest = path_at(&class, depth - level, index);
                        let expected =
                            node_value(&target, &played.target_trace, consumer, level, &rest).unwrap();
                        let found =
                            played.universal.node_value(&played.universal_trace, consumer, level, &rest).unwrap();
                        prop_assert!(difference(expected.view(), found.view()) <= bound,
                            "{construction:?} {consumer} level {level} rest {rest}");
                    }
                }
            }
        }
    }

    #[test]
    fn terms_add_up(class in classes(), n in 1..=6_usize, seed in 0..1000_u64) {
        let target = Target::random(class, seed).unwrap();
        let trace = transformer::forward(&target, input(n, class.width, seed + 1).view()).unwrap();
        let norm = |matrix: &Array2<f64>| matrix.iter().map(|value| value * value).sum::<f64>().sqrt();
        for (level, state) in trace.states.iter().enumerate() {
            let paths = (0..class.steps().0.pow(level as u32)).map(|index| path_at(&class, level, index));
            let sum = paths.map(|path| path_term(&target, &trace, &path))
                .fold(Array2::zeros(state.dim()), |sum, term| sum + term);
            prop_assert!(difference(sum.view(), state.view()) < 1e-12 * (1.0 + norm(state)));
        }
        for consumer in Consumer::all(&class) {
            let depth = consumer.depth(&class);
            let norms = Tree::new(&target, &trace, consumer);
            prop_assert_eq!(norms.nodes.len(), depth + 1);
            for (level, nodes) in norms.nodes.iter().enumerate() {
                prop_assert_eq!(nodes.len(), class.steps().0.pow((depth - level) as u32));
                for (index, found) in nodes.iter().enumerate() {
                    let rest = path_at(&class, depth - level, index);
                    let value = node_value(&target, &trace, consumer, level, &rest).unwrap();
                    prop_assert!((norm(&value) - found).abs() < 1e-12 * (1.0 + found));
                }
            }
            for (index, found) in norms.terms.iter().enumerate() {
                let term = leaf_term(&target, &trace, consumer, &path_at(&class, depth, index)).unwrap();
                prop_assert!((norm(&term) - found).abs() < 1e-12 * (1.0 + found));
            }
        }
    }

    #[test]
    fn programs_solve_the_equations_of_the_leaves(class in classes(), seed in 0..1000_u64) {
        let target = Target::random(class, seed).unwrap();
        let sparse = UniversalTransformer::sparse(class).unwrap();
        let leaves = sparse.program(&target).unwrap().embedding;
        // The sparse construction is the point where the determinant of the equations is seen not to be 0.
        let columns = sparse.leaf_columns();
        prop_assert_eq!(&columns, &Array2::<f64>::eye(unknowns(&class)));
        for construction in constructions(&class, seed) {
            let universal = UniversalTransformer::new(class, construction).unwrap();
            let program = universal.program(&target).unwrap();
            let residual = difference(program.embedding.dot(&universal.leaf_columns()).view(), leaves.view());
            prop_assert!(residual < 1e-11, "{construction:?} {residual}");
        }
    }
}

#[test]
fn frozen_weights_do_not_depend_on_the_target() {
    let class = class(2, 2, 4, 2);
    for construction in constructions(&class, 5) {
        let universal = UniversalTransformer::new(class, construction).unwrap();
        let (before, layers) = (universal.fingerprint(), universal.layers().to_vec());
        let programs =
            [1, 2].map(|seed| universal.program(&Target::random(class, seed).unwrap()).unwrap().embedding);
        assert_ne!(programs[0], programs[1]);
        assert_eq!(universal.fingerprint(), before);
        assert_eq!(universal.layers(), layers);
        // Built once more, it is the same again.
        assert_eq!(UniversalTransformer::new(class, construction).unwrap().fingerprint(), before);
    }
}

#[test]
fn seeds_laws_and_tying_give_different_weights() {
    let class = class(2, 2, 3, 2);
    let mut fingerprints: Vec<u64> = Law::ALL
        .into_iter()
        .flat_map(|law| [Tying::Free, Tying::Tied].map(|tying| (law, tying)))
        .flat_map(|(law, tying)| [1, 2].map(|seed| random(law, tying, 40, seed)))
        .map(|construction| UniversalTransformer::new(class, construction).unwrap().fingerprint().0)
        .collect();
    let count = fingerprints.len();
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), count);
}

#[test]
fn laws_have_mean_0_and_variance_1_over_m() {
    let class = class(2, 2, 4, 2);
    for law in Law::ALL {
        let universal = UniversalTransformer::new(class, random(law, Tying::Free, 200, 3)).unwrap();
        for head in universal.layers().iter().flat_map(|layer| &layer.heads) {
            let Mixing::Dense(weights) = &head.value else { panic!("random weights are dense") };
            let mean = weights.mean().unwrap();
            let variance = weights.mapv(|weight| weight * weight).mean().unwrap();
            assert!(mean.abs() < 0.02 / 200.0_f64.sqrt(), "{law:?} {mean}");
            assert!((variance * 200.0 - 1.0).abs() < 0.15, "{law:?} {variance}");
        }
    }
}

#[test]
fn a_target_of_another_class_is_refused() {
    let universal = UniversalTransformer::sparse(class(2, 2, 4, 2)).unwrap();
    let other = Target::random(Class { residual: true, ..class(2, 2, 4, 2) }, 1).unwrap();
    let error = universal.program(&other).unwrap_err();
    assert!(matches!(error, Error::ClassMismatch { .. }));
    assert!(error.to_string().contains("with residual"), "{error}");
}

#[test]
fn looped_weights_and_residual_connections_exclude_each_other() {
    let error = UniversalTransformer::looped(Class { residual: true, ..class(1, 2, 4, 2) }).unwrap_err();
    assert_eq!(error, Error::LoopedResidual);
}

#[test]
fn an_embedding_of_the_wrong_shape_is_refused() {
    let universal = UniversalTransformer::sparse(class(1, 1, 4, 4)).unwrap();
    let error = universal.forward(input(3, 4, 1).view(), input(4, 11, 2).view()).unwrap_err();
    assert_eq!(error, Error::EmbeddingShape { found: (4, 11), expected: (4, 12) });
}

#[test]
fn looped_weights_play_tied_targets_too() {
    let class = class(2, 3, 4, 2);
    let (_, mut layers, _) = Target::random(class, 1).unwrap().into_parts();
    layers = vec![layers[0].clone(); 3];
    let tied = Target::new(class, layers, None).unwrap();
    let played = perform(&tied, universal::Construction::Looped, input(5, 4, 2).view());
    assert_eq!(played.universal.layers().len(), 1);
    assert!(played.error() < 1e-12);
}

/// Repeated tokens tie in the first layer and, as what they attend to is the same, in every other.
#[test]
fn hard_attention_with_ties_is_reproduced() {
    for attention in [Attention::AverageHard, Attention::LeftmostHard] {
        for residual in [false, true] {
            for mask in [Mask::None, Mask::Causal] {
                let class = Class { attention, residual, mask, ..class(2, 2, 4, 2) };
                let target = Target::random(class, 8).unwrap();
                let tokens = input(3, 4, 9);
                let x = tokens.select(ndarray::Axis(0), &[0, 1, 0, 2, 1, 0, 2, 2]);
                for construction in constructions(&class, 4) {
                    let played = perform(&target, construction, x.view());
                    assert!(played.error() < played.bound(), "{class:?} {construction:?} {}", played.error());
                    let first = &played.target_trace.attention[0];
                    if attention == Attention::AverageHard {
                        assert!(first.iter().flatten().any(|share| *share > 0.0 && *share < 1.0));
                    }
                }
            }
        }
    }
}

/// One column short of N the equations have no solution; with N they have one.
#[test]
fn random_universality_has_a_cliff_at_the_minimum_width() {
    for (heads, layers) in [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2)] {
        for residual in [false, true] {
            for tying in [Tying::Free, Tying::Tied] {
                let class = Class { residual, ..class(heads, layers, 4, 2) };
                let n = unknowns(&class);
                let universal = largest_rank(&class, tying) == n as u128;
                if n > 300 || !universal {
                    continue;
                }
                let target = Target::random(class, 21).unwrap();
                let x = input(6, 4, 22);
                let at = |width| perform(&target, random(Law::Gaussian, tying, width, 23), x.view());
                let (short, enough) = (at(n - 1), at(n));
                let name = format!("{class:?} {tying:?}");
                assert_eq!(short.program.solve.as_ref().unwrap().rank, n - 1, "{name}");
                assert!(short.error() > 1e-3, "{name} {}", short.error());
                assert_eq!(short.proof.verdict, Verdict::Broken, "{name}");
                assert_eq!(enough.program.solve.as_ref().unwrap().rank, n, "{name}");
                assert!(enough.error() < enough.bound(), "{name} {}", enough.error());
            }
        }
    }
}

/// With residual connections tied weights cannot tell where on a path the skips are. They play the targets
/// that do not tell either, those with equal layers, as soon as m is that of a looped construction.
#[test]
fn tied_weights_with_residual_connections_play_tied_targets_only() {
    for (heads, layers) in [(1, 2), (1, 3), (2, 2), (2, 3)] {
        let class = Class { residual: true, ..class(heads, layers, 4, 2) };
        let rank = usize::try_from(largest_rank(&class, Tying::Tied)).unwrap();
        assert!(rank < unknowns(&class));
        let free = Target::random(class, 41).unwrap();
        let (_, parts, _) = free.clone().into_parts();
        let tied = Target::new(class, vec![parts[0].clone(); layers], None).unwrap();
        let x = input(5, 4, 42);
        let play = |target, width| perform(target, random(Law::Gaussian, Tying::Tied, width, 43), x.view());
        let wide = play(&free, 2 * unknowns(&class));
        assert_eq!(wide.program.solve.as_ref().unwrap().rank, rank, "{class:?}");
        assert_eq!(wide.proof.verdict, Verdict::Broken);
        assert!(wide.error() > 1e-3, "{class:?} {}", wide.error());
        assert!(play(&tied, rank - 1).error() > 1e-3, "{class:?}");
        let enough = play(&tied, rank);
        assert!(enough.error() < enough.bound(), "{class:?} {}", enough.error());
        assert_ne!(enough.proof.verdict, Verdict::Broken, "{:?}", enough.proof);
    }
    // One layer cannot differ from itself.
    let single = Class { residual: true, ..class(2, 1, 4, 2) };
    assert_eq!(largest_rank(&single, Tying::Tied), Bounds::of(&single).random_minimum);
}

/// Weights of deficient rank are a set of measure zero, and no width makes up for it.
#[test]
fn low_rank_weights_fail_at_any_width() {
    for residual in [false, true] {
        for tying in [Tying::Free, Tying::Tied] {
            let class = Class { residual, ..class(2, 2, 4, 2) };
            let target = Target::random(class, 31).unwrap();
            for width in [unknowns(&class), 2 * unknowns(&class)] {
                let played = perform(&target, random(Law::LowRank, tying, width, 1), input(6, 4, 2).view());
                let solve = played.program.solve.as_ref().unwrap();
                assert!(solve.rank < solve.equations);
                assert!(played.error() > 1e-3, "{}", played.error());
                assert_eq!(played.proof.verdict, Verdict::Broken);
            }
        }
    }
}

#[test]
fn an_edited_embedding_breaks_the_proof() {
    let class = class(2, 2, 4, 2);
    let target = Target::random(class, 1).unwrap();
    let x = input(5, 4, 2);
    for construction in constructions(&class, 3).into_iter().take(3) {
        let played = perform(&target, construction, x.view());
        let proof_of = |value: f64| {
            let mut edited = played.program.embedding.clone();
            edited[[1, 0]] = value;
            let trace = played.universal.forward(x.view(), edited.view()).unwrap();
            universal::Proof::new(
                &target,
                &played.target_trace,
                &played.universal,
                &trace,
                played.program.solve.as_ref(),
            )
        };
        assert_eq!(proof_of(played.program.embedding[[1, 0]] + 0.1).verdict, Verdict::Broken);
        assert_eq!(proof_of(f64::NAN).verdict, Verdict::NotFinite);
    }
}

/// A width at which a dense m × m matrix would fill three gigabytes.
#[test]
fn a_sparse_universal_transformer_of_width_20_000_plays() {
    let class = class(2, 10, 12, 2);
    assert!(Bounds::of(&class).sparse > 20_000);
    let target = Target::random(class, 1).unwrap();
    let played = perform(&target, universal::Construction::Sparse, input(6, 12, 2).view());
    assert_eq!(played.universal_trace.states[0].ncols() as u128, Bounds::of(&class).sparse);
    assert!(played.error() < 1e-12, "{}", played.error());
}
