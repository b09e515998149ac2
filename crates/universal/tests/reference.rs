//! Every construction reproduces the cases that an independent program made.
#![allow(clippy::unwrap_used)]

mod common;

use common::{attention_difference, constructions, difference, perform, reference_folder, references};
use universal::{Bounds, UniversalTransformer, Verdict};

#[test]
fn the_forward_pass_of_targets_is_right() {
    for case in references() {
        let trace = transformer::forward(&case.target, case.input.view()).unwrap();
        assert!(difference(trace.output.view(), case.output.view()) < 1e-12, "{}", case.name);
        assert!(attention_difference(&trace.attention, &case.attention) < 1e-12, "{}", case.name);
        for (state, expected) in trace.states.iter().zip(&case.states) {
            assert!(difference(state.view(), expected.view()) < 1e-12, "{}", case.name);
        }
    }
}

#[test]
fn every_construction_plays_every_case() {
    for case in references() {
        for construction in constructions(case.target.class(), 11) {
            let name = format!("{} {construction:?}", case.name);
            let played = perform(&case.target, construction, case.input.view());
            let bound = played.bound();
            let trace = &played.universal_trace;
            assert!(difference(trace.output.view(), case.output.view()) < bound, "{name}");
            assert!(attention_difference(&trace.attention, &case.attention) < bound, "{name}");
            assert_ne!(played.proof.verdict, Verdict::Broken, "{name} {:?}", played.proof);
        }
    }
}

#[test]
fn widths_are_those_of_the_reference() {
    for case in references() {
        let class = *case.target.class();
        let bounds = Bounds::of(&class);
        assert_eq!(
            case.widths["sparse"],
            UniversalTransformer::sparse(class).unwrap().width(),
            "{}",
            case.name
        );
        if let Some(looped) = case.widths.get("looped") {
            assert_eq!(*looped, UniversalTransformer::looped(class).unwrap().width(), "{}", case.name);
        }
        if let Some(minimum) = case.widths.get("random_minimum") {
            assert_eq!(minimum.as_u64().map(u128::from), Some(bounds.random_minimum), "{}", case.name);
        }
        let lower = case.widths.get("attention_matching_lower_bound").and_then(|bound| bound.as_f64());
        assert_eq!(lower, bounds.attention_matching_lower_bound, "{}", case.name);
    }
}

/// The cases also stand beside the project, where the independent program put them.
#[test]
fn copies_equal_the_shared_reference_where_there_is_one() {
    let shared = reference_folder().join("../../../../../shared/reference/transformers");
    if !shared.exists() {
        return;
    }
    for entry in std::fs::read_dir(shared).unwrap() {
        let file = entry.unwrap().path();
        let copy = reference_folder().join(file.file_name().unwrap());
        assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&copy).unwrap(), "{}", copy.display());
    }
}
