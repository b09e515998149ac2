//! The workspace “RASP” without a browser: its links, and what the worker answers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use futures_executor::block_on;
use pianola::ground::language::Language;
use pianola::link::AppState;
use pianola::rooms::rasp::choices::{Desk, Files, Look, Moment, Pace, Piece, RaspState};
use pianola::rooms::rasp::job::{self as job, About, Ran};
use pianola::work::protocol::{Answer, Failure, Packed, Request, from_bytes, to_bytes};
use pianola::work::serve::Engine;
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

    #[test]
    fn what_is_packed_comes_out_as_it_went_in(desk in desk()) {
        let app = AppState::of(on(desk.clone()));
        let link = app.encode();
        prop_assert_eq!(link.contains("packed="), app.fits_a_link() && !desk.is_plain());
        let (again, bad) = AppState::decode::<RaspState>(&link);
        prop_assert_eq!(bad, vec![]);
        if app.fits_a_link() {
            prop_assert!(desk.is_plain() || link.len() < 8_000, "servers refuse longer ones");
            prop_assert_eq!(&again.choices::<RaspState>().desk, &desk);
        }
    }
}

#[test]
fn links_are_readable() {
    let link = |piece: Piece, look: Look| {
        AppState::of(RaspState { desk: Desk { piece, files: Files::new() }, look }).encode()
    };
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
        state.choices::<RaspState>().desk.piece,
        Piece { program: "indices;\n".to_owned(), input: "\"ab\"".to_owned() }
    );
    let (state, _) = AppState::decode::<RaspState>("page=rasp&program=indices%3B");
    assert!(!state.choices::<RaspState>().desk.piece.input.is_empty(), "there is always something to run on");
}

#[test]
fn bad_values_are_reported() {
    let (state, bad) = AppState::decode::<RaspState>("page=rasp&example=nothing&step=-1&pace=slow");
    assert_eq!(*state.choices::<RaspState>(), RaspState::default());
    let keys: Vec<&str> = bad.iter().map(|bad| bad.key.as_str()).collect();
    assert_eq!(keys, ["example", "step", "pace"]);
}

#[test]
fn a_program_that_is_long_is_packed_and_one_that_is_too_long_is_known_to_be() {
    let with_program = |program: String| {
        AppState::of(on(Desk { piece: Piece { program, input: "a".to_owned() }, files: Files::new() }))
    };
    let constructions: String = rasp::library::CONSTRUCTIONS.iter().map(|(_, text)| *text).collect();
    assert!(constructions.len() > 10_000, "a program of a sensible size");
    let app = with_program(constructions);
    assert!(app.fits_a_link() && app.encode().contains("packed="), "{:?} letters", app.encode().len());
    // Nothing makes these shorter.
    let letter = |i: u64| {
        let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        char::from(b'a' + ((mixed >> 40) % 26) as u8)
    };
    let noise = (0..20_000).map(letter).collect();
    let app = with_program(noise);
    assert!(!app.fits_a_link());
    assert_eq!(app.encode(), "page=rasp", "nothing is cut");
    for entry in GALLERY {
        assert!(Desk::of_entry(entry).is_plain(), "{}", entry.id);
        assert_eq!(Piece::of(entry).entry(), Some(entry));
    }
}

#[test]
fn a_link_that_was_cut_is_reported() {
    let (state, bad) = AppState::decode::<RaspState>("page=rasp&packed=AAAA");
    assert_eq!(bad.iter().map(|bad| bad.key.as_str()).collect::<Vec<_>>(), ["packed"]);
    assert_eq!(*state.choices::<RaspState>(), RaspState::default());
}

#[test]
fn a_program_loads_the_files_beside_it() {
    let files = Files::from([
        ("mine".to_owned(), "load \"twice\";\ndef f(x) { return twice(x); }".to_owned()),
        ("twice".to_owned(), "def twice(x) { return 2 * x; }".to_owned()),
    ]);
    let program = "load \"mine\";\nf(indices);".to_owned();
    let desk = Desk { piece: Piece { program, input: "abc".to_owned() }, files };
    let run = ran_on(desk.clone()).run.unwrap();
    assert_eq!(run.result, Outcome::Sequence(Sequence::Ints(vec![0, 2, 4])));
    let loaded: Vec<&str> = run.loaded.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(loaded, ["mine", "twice"]);
    let alone = ran_on(Desk { files: Files::new(), ..desk.clone() });
    assert!(alone.complaints[0].text(Language::En).contains("mine"));

    // The file of the run brings all of it back.
    let Some(job::Answer::Exported(file)) = answered(job::Request::ExportTrace(desk.clone())).unwrap() else {
        panic!("no file came")
    };
    let Some(job::Answer::Opened(again)) = answered(job::Request::Open(file.bytes)).unwrap() else {
        panic!("nothing was read")
    };
    assert_eq!(again.files, desk.files);
    assert_eq!(again.piece.program, desk.piece.program);
    assert_eq!(ran_on(again).run.unwrap().result, run.result);
}

#[test]
fn every_program_of_the_gallery_comes_back_from_its_file() {
    for entry in GALLERY {
        let desk = Desk::of_entry(entry);
        let Some(job::Answer::Exported(file)) = answered(job::Request::ExportTrace(desk.clone())).unwrap()
        else {
            panic!("no file came")
        };
        let Some(job::Answer::Opened(again)) = answered(job::Request::Open(file.bytes)).unwrap() else {
            panic!("nothing was read")
        };
        assert_eq!(again.piece.program, entry.source);
        assert_eq!(ran_on(again).run, ran_on(desk).run, "{}", entry.id);
    }
}

#[test]
fn files_that_are_none_of_ours_are_refused() {
    for (text, expected) in [
        ("indices;", "line 1"),
        ("{\"format\": \"pianola-run\", \"version\": 1}", "pianola-rasp-trace"),
        ("{\"format\": \"pianola-rasp-trace\", \"version\": 2}", "version"),
        ("{\"format\": \"pianola-rasp-trace\", \"version\": 1}", "program"),
        ("{\"format\": \"pianola-rasp-trace\", \"version\": 1, \"program\": \"\", \"input\": []}", "input"),
    ] {
        let failure = answered(job::Request::Open(text.as_bytes().to_vec())).unwrap_err();
        assert!(failure.to_string().contains(expected), "{text}: {failure}");
    }
}

#[test]
fn a_run_that_fails_is_handed_over_as_far_as_it_came() {
    let program = "a = indices + 1;\nb = 6 / (2 - indices);\na + b;";
    let ran = ran(program, "abcd");
    let run = ran.run.unwrap();
    let failed = run.trace.failed.clone().unwrap();
    assert_eq!(run.trace.steps[failed.step].span.text(program), "6 / (2 - indices)");
    assert_eq!(failed.position, Some(2));
    assert_eq!(failed.before, Some(Sequence::Floats(vec![3.0, 6.0])));
    assert_eq!(run.result, Outcome::Error);
    assert_eq!(run.failure.as_ref(), Some(&ran.complaints[0]));
    let sum = run.trace.named("a").unwrap();
    assert_eq!(run.trace.steps[sum].value, Some(Sequence::Ints(vec![1, 2, 3, 4])));
}

#[test]
fn an_earlier_statement_that_fails_leaves_the_result() {
    let ran = ran("1 / indices;\nindices;", "ab");
    assert!(!ran.complaints.is_empty());
    let run = ran.run.unwrap();
    assert_eq!((run.failure, run.result), (None, Outcome::Sequence(Sequence::Ints(vec![0, 1]))));
}

#[test]
fn an_input_that_is_too_long_is_refused_where_it_is_written() {
    assert!(ran("length;", &"a".repeat(2000)).run.is_some());
    let ran = ran("length;", &"a".repeat(2001));
    assert_eq!((ran.complaints[0].about, ran.run.is_some()), (About::Input, false));
    let text = ran.complaints[0].text(Language::En);
    assert!(text.contains("2001") && text.contains("2000"), "{text}");
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
    assert_eq!(ran.run, None, "a name that is nowhere stops the program before it runs");
    let complaint = &ran.complaints[0];
    assert_eq!(complaint.span.text(program), "tokns");
    assert!(complaint.text(Language::En).contains("Did you mean `tokens`?"));
    assert!(complaint.text(Language::Pt).contains("Você quis dizer `tokens`?"));
    let ran = self::ran("1 / (indices - 1);", "abc");
    assert!(ran.run.is_some(), "what was done before is there to be seen");
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
        assert!(ran.run.is_none_or(|run| run.failure.is_some()));
        // Far from a second on any machine: what is asserted is that it ends.
        assert!(start.elapsed().as_secs() < 60, "{program}");
    }
}

#[test]
fn a_trace_is_exported_in_the_documented_format() {
    let program = "selector_width(select(tokens, tokens, ==));".to_owned();
    let desk = Desk { piece: Piece { program, input: "hello".to_owned() }, files: Files::new() };
    let Some(job::Answer::Exported(file)) = answered(job::Request::ExportTrace(desk)).unwrap() else {
        panic!("no file came")
    };
    let trace: serde_json::Value = serde_json::from_slice(&file.bytes).unwrap();
    assert_eq!(trace["format"], "pianola-rasp-trace");
    assert_eq!(trace["result"]["value"], serde_json::json!([1, 1, 2, 2, 1]));
    assert_eq!(trace["heads_per_layer"], serde_json::json!([2]));
}

fn ran(program: &str, input: &str) -> Ran {
    let piece = Piece { program: program.to_owned(), input: input.to_owned() };
    ran_on(Desk { piece, files: Files::new() })
}

fn ran_on(desk: Desk) -> Ran {
    match answered(job::Request::Run(desk)).unwrap() {
        Some(job::Answer::Ran(ran)) => *ran,
        other => panic!("{other:?}"),
    }
}

fn answered(request: job::Request) -> Result<Option<job::Answer>, Failure> {
    let answer = block_on(Engine::default().answer(Request::Rasp(Packed::of(&request))))?;
    // What crosses to the page comes out as it went in.
    Ok(from_bytes::<Answer>(&to_bytes(&answer).unwrap()).unwrap().rasp())
}

fn on(desk: Desk) -> RaspState {
    RaspState { desk, look: Look::default() }
}

fn state() -> impl Strategy<Value = RaspState> {
    let text = "[^\\r]{0,60}";
    let own = (text, text).prop_map(|(program, input)| Piece { program, input });
    let example = (0..GALLERY.len(), prop::option::of(text)).prop_map(|(at, input)| {
        let piece = Piece::of(&GALLERY[at]);
        Piece { input: input.unwrap_or(piece.input), ..piece }
    });
    let moment =
        (0..5000usize, 0..2000usize).prop_map(|(primitives, positions)| Moment { primitives, positions });
    let look = (prop::option::of(moment), prop::sample::select(Pace::ALL.to_vec()));
    (prop_oneof![own, example], look).prop_map(|(piece, (moment, pace))| RaspState {
        desk: Desk { piece, files: Files::new() },
        look: Look { moment, pace },
    })
}

fn desk() -> impl Strategy<Value = Desk> {
    let text = "[^\\r]{0,600}";
    let files = prop::collection::btree_map("[a-zä_0-9]{1,8}", text, 0..4);
    (text, "[^\\r]{0,60}", files)
        .prop_map(|(program, input, files)| Desk { piece: Piece { program, input }, files })
}
