//! The workspace “RASP” without a browser: its links, and what the worker answers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use futures_executor::block_on;
use pianola::jobs::protocol::{Answer, Packed, Request, from_bytes, to_bytes};
use pianola::jobs::rasp::{self as job, About, Ran};
use pianola::jobs::serve::Engine;
use pianola::language::Language;
use pianola::state::rasp::{Look, Moment, Pace, Piece, RaspState};
use pianola::state::{AppState, Page};
use proptest::prelude::*;
use rasp::gallery::GALLERY;
use rasp::{Outcome, Primitive, Sequence};

proptest! {
    #[test]
    fn every_state_survives_its_link(state in state()) {
        let state = AppState::of(state);
        prop_assert!(state.fits_a_link());
        let link = state.encode();
        let (again, bad) = AppState::decode::<RaspState>(&link);
        prop_assert_eq!(bad, vec![]);
        prop_assert_eq!(&again, &state, "{}", link);
        prop_assert_eq!(again.encode(), link);
    }

    #[test]
    fn any_program_and_input_are_answered(program in "[a-z0-9 =+(),;\"\\n\\[\\]]{0,60}", input in ".{0,12}") {
        let ran = ran(&program, &input);
        prop_assert!(ran.run.is_some() || !ran.complaints.is_empty());
    }
}

#[test]
fn links_are_readable() {
    let link = |piece: Piece, look: Look| AppState::of(RaspState { piece, look }).encode();
    assert_eq!(link(Piece::default(), Look::default()), "page=rasp");
    let sort = rasp::gallery::entry("sort").unwrap();
    let look = Look { moment: Some(Moment { primitives: 3, positions: 2 }), pace: Pace::Position };
    assert_eq!(link(Piece::of(sort), look), "page=rasp&example=sort&step=3&position=2&pace=position");
    let own = Piece { program: "tokens;".to_owned(), input: "[1, 2]".to_owned() };
    assert_eq!(link(own, Look::default()), "page=rasp&program=tokens%3B&input=%5B1%2C+2%5D");
}

#[test]
fn the_documented_link_opens_a_program() {
    let (state, bad) = AppState::decode::<RaspState>("page=rasp&program=indices%3B%0D%0A&input=%22ab%22");
    assert_eq!(bad, vec![]);
    assert_eq!(
        state.choices::<RaspState>().piece,
        Piece { program: "indices;\n".to_owned(), input: "\"ab\"".to_owned() }
    );
    let (state, _) = AppState::decode::<RaspState>("page=rasp&program=indices%3B");
    assert!(!state.choices::<RaspState>().piece.input.is_empty(), "there is always something to run on");
}

#[test]
fn bad_values_are_reported() {
    let (state, bad) = AppState::decode::<RaspState>("page=rasp&example=nothing&step=-1&pace=slow");
    assert_eq!(state.choices::<RaspState>(), RaspState::default());
    let keys: Vec<&str> = bad.iter().map(|bad| bad.key.as_str()).collect();
    assert_eq!(keys, ["example", "step", "pace"]);
}

#[test]
fn a_program_that_is_too_large_for_a_link_is_known_to_be() {
    let piece = Piece { program: "tokens;\n".repeat(1000), input: "a".to_owned() };
    assert!(!piece.fits_a_link());
    for entry in GALLERY {
        assert!(Piece::of(entry).fits_a_link(), "{}", entry.id);
        assert_eq!(Piece::of(entry).entry(), Some(entry));
    }
}

#[test]
fn the_whole_gallery_runs_in_the_worker() {
    for entry in GALLERY {
        let ran = ran(entry.source, entry.input);
        assert!(ran.complaints.is_empty(), "{}: {:?}", entry.id, ran.complaints);
        let run = ran.run.unwrap();
        assert!(matches!(run.result, Outcome::Sequence(_)), "{}", entry.id);
        for (step, selector) in run.trace.steps.iter().zip(&run.selectors) {
            assert_eq!(step.primitive.is_selector(), selector.is_some());
        }
    }
}

#[test]
fn what_is_selected_and_fetched_agrees() {
    for entry in GALLERY {
        let run = ran(entry.source, entry.input).run.unwrap();
        for step in &run.trace.steps {
            let (Primitive::Aggregate { default }, [selector, values]) = (&step.primitive, &*step.operands)
            else {
                continue;
            };
            let matrix = run.selectors[*selector].as_ref().unwrap();
            let values = run.trace.steps[*values].value.as_ref().unwrap();
            for query in 0..run.input.len() {
                let keys: Vec<usize> = matrix.selected(query).collect();
                let result = step.value.as_ref().unwrap().get(query);
                match keys.as_slice() {
                    [] => assert_eq!(&result, default),
                    [key] => assert!(values.get(*key).equals(&result)),
                    keys => {
                        let sum: f64 = keys.iter().map(|key| values.get(*key).as_f64().unwrap()).sum();
                        let mean = sum / keys.len() as f64;
                        assert!((mean - result.as_f64().unwrap()).abs() <= 1e-12 * mean.abs().max(1.0));
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_both_languages_with_its_place() {
    let program = "a = 1 / (indices - 1);\na + tokns;";
    let ran = ran(program, "abc");
    assert_eq!(ran.run, None);
    let complaint = &ran.complaints[0];
    assert_eq!(complaint.span.text(program), "tokns");
    assert!(complaint.text(Language::En).contains("Did you mean `tokens`?"));
    assert!(complaint.text(Language::Pt).contains("Você quis dizer `tokens`?"));
    let ran = self::ran("1 / (indices - 1);", "abc");
    assert_eq!(ran.complaints[0].position, Some(1));
    let ran = self::ran("tokens;", "[1, 2");
    assert_eq!((ran.complaints[0].about, ran.run), (About::Input, None));
}

#[test]
fn a_program_may_set_its_own_input() {
    let run = ran("set example \"xyz\"\nindices;", "a").run.unwrap();
    assert_eq!(run.result, Outcome::Sequence(Sequence::Ints(vec![0, 1, 2])));
    assert_eq!(run.input.len(), 3);
}

#[test]
fn nothing_freezes_the_worker() {
    for (program, input) in [
        ("def f(x) { return f(x); }\nf(tokens);", "a"),
        ("x = indices; for i in range(100000000) { x = x + 1; }\nx;", "ab"),
        ("tokens;", &*"a".repeat(100_000)),
        (
            "s = select(indices, indices, <=); x = indices; for i in range(3000) { x = aggregate(s, x + i); }\nx;",
            &*"a".repeat(1900),
        ),
    ] {
        let start = std::time::Instant::now();
        let ran = ran(program, input);
        assert!(!ran.complaints.is_empty(), "{program}");
        assert!(ran.run.is_none());
        // Far from a second on any machine: what is asserted is that it ends.
        assert!(start.elapsed().as_secs() < 60, "{program}");
    }
}

#[test]
fn a_trace_is_exported_in_the_documented_format() {
    let piece = Piece {
        program: "selector_width(select(tokens, tokens, ==));".to_owned(),
        input: "hello".to_owned(),
    };
    let answer =
        block_on(Engine::default().answer(Request::Rasp(Packed::of(&job::Request::ExportTrace(piece)))))
            .unwrap();
    let Some(job::Answer::Exported(file)) = answer.rasp() else { panic!("no file came") };
    let trace: serde_json::Value = serde_json::from_slice(&file.bytes).unwrap();
    assert_eq!(trace["format"], "pianola-rasp-trace");
    assert_eq!(trace["result"]["value"], serde_json::json!([1, 1, 2, 2, 1]));
    assert_eq!(trace["heads_per_layer"], serde_json::json!([2]));
}

fn ran(program: &str, input: &str) -> Ran {
    let piece = Piece { program: program.to_owned(), input: input.to_owned() };
    let answer =
        block_on(Engine::default().answer(Request::Rasp(Packed::of(&job::Request::Run(piece))))).unwrap();
    // What crosses to the page comes out as it went in.
    let bytes = to_bytes(&answer).unwrap();
    match from_bytes::<Answer>(&bytes).unwrap().rasp() {
        Some(job::Answer::Ran(ran)) => *ran,
        other => panic!("{other:?}"),
    }
}

fn state() -> impl Strategy<Value = RaspState> {
    let text = "[^\\r]{0,200}";
    let own = (text, text).prop_map(|(program, input)| Piece { program, input });
    let example = (0..GALLERY.len(), prop::option::of(text)).prop_map(|(at, input)| {
        let piece = Piece::of(&GALLERY[at]);
        Piece { input: input.unwrap_or(piece.input), ..piece }
    });
    let moment =
        (0..5000usize, 0..2000usize).prop_map(|(primitives, positions)| Moment { primitives, positions });
    let look = (prop::option::of(moment), prop::sample::select(Pace::ALL.to_vec()));
    (prop_oneof![own, example], look)
        .prop_map(|(piece, (moment, pace))| RaspState { piece, look: Look { moment, pace } })
}
