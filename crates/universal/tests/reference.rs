//! Every construction reproduces the cases that an independent program made.
#![allow(clippy::unwrap_used)]

mod common;

use common::{attention_difference, difference, reference_folder, references};
use universal::UniversalTransformer;

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
fn explicit_constructions_are_exact() {
    for case in references() {
        let class = *case.target.class();
        let mut universals = vec![UniversalTransformer::sparse(class).unwrap()];
        if !class.residual {
            universals.push(UniversalTransformer::looped(class).unwrap());
        }
        for universal in universals {
            let name = format!("{} {:?}", case.name, universal.construction());
            let program = universal.program(&case.target).unwrap();
            let trace = universal.forward(case.input.view(), program.embedding.view()).unwrap();
            assert!(difference(trace.output.view(), case.output.view()) < 1e-12, "{name}");
            assert!(attention_difference(&trace.attention, &case.attention) < 1e-12, "{name}");
        }
    }
}

#[test]
fn widths_are_those_of_the_reference() {
    for case in references() {
        let class = *case.target.class();
        let sparse = UniversalTransformer::sparse(class).unwrap();
        assert_eq!(case.widths["sparse"], sparse.width(), "{}", case.name);
        if !class.residual {
            let looped = UniversalTransformer::looped(class).unwrap();
            assert_eq!(case.widths["looped"], looped.width(), "{}", case.name);
        }
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
