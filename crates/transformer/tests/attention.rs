//! Attention, paths, classes and draws: what everything else stands on.

use ndarray::{Array2, array};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use transformer::{
    Attention, AttentionPath, Class, Error, Mask, NormalDraws, Scale, Target, attend, path_at, path_index,
    paths_of_length,
};

const KINDS: [Attention; 3] = [Attention::Softmax, Attention::AverageHard, Attention::LeftmostHard];

fn class() -> Class {
    Class {
        heads: 3,
        layers: 2,
        width: 4,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::InverseSqrt,
        residual: false,
    }
}

proptest! {
    #[test]
    fn rows_are_distributions_over_what_is_visible(
        scores in prop::collection::vec(-1e3..1e3_f64, 36),
        causal in any::<bool>(),
    ) {
        let mask = if causal { Mask::Causal } else { Mask::None };
        for kind in KINDS {
            let shares = attend(Array2::from_shape_vec((6, 6), scores.clone()).unwrap(), kind, mask);
            for (query, row) in shares.rows().into_iter().enumerate() {
                prop_assert!((row.sum() - 1.0).abs() < 1e-12);
                prop_assert!(row.iter().all(|share| (0.0..=1.0).contains(share)));
                let hidden = if causal { query + 1 } else { 6 };
                prop_assert!(row.iter().skip(hidden).all(|share| *share == 0.0));
            }
        }
    }

    #[test]
    fn an_index_and_a_path_name_each_other(heads in 1..=4_usize, length in 0..=4_usize, residual in any::<bool>()) {
        let class = Class { heads, residual, ..class() };
        let paths: Vec<AttentionPath> = paths_of_length(&class, length).collect();
        prop_assert_eq!(paths.len(), class.steps().0.pow(length as u32));
        // The first step is the high digit, so the order is that of the words.
        prop_assert!(paths.is_sorted());
        for (index, path) in paths.iter().enumerate() {
            prop_assert_eq!(path_index(&class, path), Some(index));
            prop_assert_eq!(&path_at(&class, length, index), path);
        }
    }
}

#[test]
fn softmax_survives_scores_of_any_size() {
    let shares = attend(array![[1e308, -1e308], [1e4, 1e4]], Attention::Softmax, Mask::None);
    assert_eq!(shares, array![[1.0, 0.0], [0.5, 0.5]]);
}

#[test]
fn ties_are_shared_or_go_to_the_left() {
    let scores = array![[0.5, 2.0, 2.0], [1.0, 1.0, 1.0], [3.0, 0.0, 3.0]];
    let third = 1.0 / 3.0;
    assert_eq!(
        attend(scores.clone(), Attention::AverageHard, Mask::None),
        array![[0.0, 0.5, 0.5], [third, third, third], [0.5, 0.0, 0.5]]
    );
    assert_eq!(
        attend(scores, Attention::LeftmostHard, Mask::None),
        array![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    );
}

#[test]
fn scores_that_differ_by_rounding_tie_and_others_do_not() {
    let row = |difference: f64| array![[1.0, 1.0 + difference], [0.0, 0.0]];
    let share = |difference| attend(row(difference), Attention::AverageHard, Mask::None)[[0, 0]];
    assert_eq!(share(4.0 * f64::EPSILON), 0.5);
    assert_eq!(share(1e-8), 0.0);
    let leftmost = |difference| attend(row(difference), Attention::LeftmostHard, Mask::None)[[0, 0]];
    assert_eq!(leftmost(4.0 * f64::EPSILON), 1.0);
    assert_eq!(leftmost(1e-8), 0.0);
}

#[test]
fn impossible_classes_are_refused_by_name() {
    let refusals = [
        (Class { heads: 0, ..class() }, "heads"),
        (Class { heads: 256, ..class() }, "heads"),
        (Class { layers: 0, ..class() }, "layers"),
        (Class { width: 0, ..class() }, "width"),
        (Class { head_width: 0, ..class() }, "head_width"),
        (Class { scale: Scale::Factor(f64::NAN), ..class() }, "scale"),
    ];
    for (class, field) in refusals {
        match class.check() {
            Err(Error::Class { name, .. }) => assert_eq!(name, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    assert_eq!(Class { heads: Class::MOST_HEADS, ..class() }.check(), Ok(()));
}

#[test]
fn draws_are_normal_and_repeat() {
    let draws = |seed| {
        let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(seed));
        (0..20_000).map(|_| draws.draw()).collect::<Vec<f64>>()
    };
    assert_eq!(draws(1), draws(1));
    assert_ne!(draws(1), draws(2));
    let moment = |power: i32| draws(3).iter().map(|x| x.powi(power)).sum::<f64>() / 20_000.0;
    // Each within four standard errors of the moments of the standard normal law.
    for (power, expected, error) in [(1, 0.0, 0.03), (2, 1.0, 0.04), (3, 0.0, 0.11), (4, 3.0, 0.28)] {
        assert!((moment(power) - expected).abs() < error, "moment {power}: {}", moment(power));
    }
}

#[test]
fn random_targets_repeat() {
    assert_eq!(Target::random(class(), 5), Target::random(class(), 5));
    assert_ne!(Target::random(class(), 5), Target::random(class(), 6));
}
