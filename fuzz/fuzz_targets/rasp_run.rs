//! Whatever the program and the input, which stand before and after the first NUL: a run ends within
//! its limits without a panic, and everything that a page may ask of it answers.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use rasp::{Atom, Input, Limits, Outcome, Session, trace_json};

fuzz_target!(|text: &str| {
    let (source, input) = text.split_once('\0').unwrap_or((text, "hello"));
    let Ok(input) = Input::parse(input) else {
        return;
    };
    // A fraction of the usual work, so that a slow run is a bug and not a long one.
    let limits = Limits { work: 2_000_000, values: 400_000, ..Limits::default() };
    let run = Session::default().with_limits(limits).run(source, &input);
    assert!(run.result != Outcome::Error || run.has_errors());
    for (at, step) in run.trace.steps.iter().enumerate() {
        assert!(step.operands.iter().all(|operand| *operand < at));
        assert!(source.get(step.span.start..step.span.end).is_some());
        if let Some(values) = &step.value {
            assert_eq!(values.len(), run.input.len());
            let finite = |atom: Atom| atom.as_f64().is_none_or(f64::is_finite);
            assert!(values.iter().all(finite));
        }
    }
    if let Some(failed) = &run.trace.failed {
        assert_eq!(run.result, Outcome::Error);
        assert!(run.trace.steps[failed.step..].iter().all(|step| step.value.is_none()));
        let before = failed.before.as_ref();
        assert!(before.is_none_or(|values| Some(values.len()) == failed.position));
    }
    for diagnostic in &run.diagnostics {
        assert!(source.get(diagnostic.span.start..diagnostic.span.end).is_some());
    }
    let depth = run.trace.steps.iter().map(|step| step.layer).max().unwrap_or(0);
    assert!(run.analysis.depth() <= depth);
    // The matrices of a whole trace are large, so that only short ones are written.
    if run.input.len() < 20 && run.trace.steps.len() < 200 {
        assert!(trace_json(source, &BTreeMap::new(), &run).is_ok());
    }
});
