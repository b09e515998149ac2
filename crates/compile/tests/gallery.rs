//! The gallery of RASP, compiled and compared with the interpreter on the target and on the universal transformer.

#![allow(clippy::unwrap_used)]

use compile::{Inputs, Request, Verifier, compile};
use rasp::{Session, gallery};

/// All inputs of a small vocabulary and length: compiled, every value is the interpreter's.
fn is_right(id: &str, vocabulary: &str, longest: usize, most_columns: u64) {
    let source = gallery::entry(id).unwrap().source;
    let request = Request::new(Request::vocabulary(vocabulary).unwrap(), longest);
    let program = compile(&Session::default(), source, &request, &|| false).unwrap();
    let statistics = &program.compiled.statistics;
    assert!(statistics.sparse <= most_columns, "{id}: m is {}", statistics.sparse);
    let inputs = Inputs::new(&program.compiled, 20_000, 0, 0);
    assert!(inputs.is_exhaustive());
    let verifier = Verifier::new(&program.prepared, &program.compiled).unwrap();
    let found = verifier.run(&inputs, 0..inputs.count(), &mut |found| found.is_right());
    assert_eq!(found.first, None, "{id}");
    assert_eq!(found.equal + found.without_value, request.inputs(), "{id}");
    assert!(found.equal > 0, "{id}: no input has a value");
}

#[test]
fn histogram_of_all_texts_of_six_letters() {
    is_right("histogram", "abc", 6, 1_000);
}

#[test]
fn reverse_of_all_texts_of_six_letters() {
    is_right("reverse", "abc", 6, 1_000);
}

#[test]
fn sort_with_ties_of_all_texts_of_six_letters() {
    is_right("sort", "abc", 6, 1_000);
}

#[test]
fn balanced_brackets_up_to_eight() {
    is_right("dyck_1", "()", 8, 1_000);
}
