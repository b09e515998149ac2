//! Traces, analyses, the gallery and the exported file.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};

use rasp::gallery::{GALLERY, entry};
use rasp::{Input, Outcome, Primitive, Run, Sequence, Session, trace_json};

fn run(source: &str, input: &str) -> Run {
    let run = Session::default().run(source, &Input::parse(input).unwrap());
    assert!(run.diagnostics.is_empty(), "{source}: {:?}", run.diagnostics);
    run
}

#[test]
fn shared_work_is_one_step() {
    let source = "a = indices + 1;\nb = indices + 1;\na * b;";
    let run = run(source, "abc");
    let sums: Vec<_> = run.trace.steps.iter().filter(|step| step.primitive.name() == "+").collect();
    assert_eq!(sums.len(), 1);
    assert_eq!(sums[0].span.start, 4);
    assert_eq!(sums[0].also.len(), 1, "the other place is remembered");
    assert_eq!(sums[0].also[0].text(source), "indices + 1");
    assert_eq!(sums[0].name.as_deref(), Some("a"));
    assert_eq!(run.trace.named("a"), run.trace.named("b"));
}

#[test]
fn equal_selectors_count_once_and_as_written() {
    let source = "tokens[0] + tokens[0] + aggregate(select(indices, 0, ==), tokens);";
    let run = run(source, "ab");
    assert_eq!(run.analysis.heads_per_layer, [3]);
    assert_eq!(run.analysis.merged_heads_per_layer(), [1]);
    let either = "s = select(indices, 0, ==); t = select(tokens, tokens, ==);\naggregate(s and t, 1) + aggregate(t and s, 1);";
    let run = crate::run(either, "ab");
    assert_eq!((run.analysis.width(), run.analysis.merged_width()), (2, 1));
}

#[test]
fn layers_say_what_can_run_side_by_side() {
    for entry in GALLERY {
        let run = run(entry.source, entry.input);
        let mut seen: HashSet<usize> = HashSet::new();
        for (at, layer) in run.analysis.layers.iter().enumerate() {
            for head in &layer.heads {
                assert!(run.trace.steps[head.selector].primitive.is_selector());
                for aggregate in &head.aggregates {
                    let step = &run.trace.steps[*aggregate];
                    assert_eq!(step.layer, at + 1, "{}", entry.id);
                    assert_eq!(step.operands[0], head.selector);
                    // Nothing that a head needs comes from its own layer or a later one.
                    let values = [step.operands[1]].into_iter();
                    let compared = leaves(&run, head.selector);
                    for operand in values.chain(compared) {
                        assert!(run.trace.steps[operand].layer <= at, "{}", entry.id);
                    }
                    assert!(seen.insert(*aggregate));
                }
            }
            for step in &layer.elementwise {
                assert!(seen.insert(*step));
            }
        }
        let aggregates =
            run.trace.steps.iter().filter(|step| matches!(step.primitive, Primitive::Aggregate { .. }));
        assert!(aggregates.count() <= seen.len());
        let analysis = Session::default().analyse(entry.source).unwrap();
        assert_eq!(analysis, run.analysis, "{}: no input is needed", entry.id);
    }
}

/// The sequences that a selector compares.
fn leaves(run: &Run, selector: usize) -> Vec<usize> {
    let step = &run.trace.steps[selector];
    match step.primitive {
        Primitive::Select(_) => step.operands.clone(),
        _ => step.operands.iter().flat_map(|operand| leaves(run, *operand)).collect(),
    }
}

#[test]
fn every_step_of_the_gallery_can_be_looked_at() {
    for entry in GALLERY {
        let run = run(entry.source, entry.input);
        let length = run.input.len();
        assert_eq!(run.trace.results, [run.trace.steps.len() - 1], "{}", entry.id);
        for (at, step) in run.trace.steps.iter().enumerate() {
            assert!(step.operands.iter().all(|operand| *operand < at));
            let in_text = step.span.text(entry.source);
            assert!(!in_text.is_empty(), "{}: step {at} has no place", entry.id);
            match (&step.primitive, run.trace.selector(at)) {
                (Primitive::Aggregate { default }, Some(matrix)) => {
                    // The value is the average of what the matrix says, or the default.
                    let source = run.trace.steps[step.operands[1]].value.as_ref().unwrap();
                    for query in 0..length {
                        let selected: Vec<usize> = matrix.selected(query).collect();
                        let value = step.value.as_ref().unwrap().get(query);
                        match selected.as_slice() {
                            [] => assert_eq!(value, *default),
                            [key] => assert_eq!(value, source.get(*key)),
                            keys => {
                                let numbers = source.to_f64().unwrap();
                                let sum: f64 = keys.iter().map(|key| numbers[*key]).sum();
                                let mean = sum / keys.len() as f64;
                                assert_eq!(value.as_f64(), Some(mean));
                            }
                        }
                    }
                }
                (primitive, matrix) => {
                    assert_eq!(primitive.is_selector(), matrix.is_some());
                    assert_eq!(primitive.is_selector(), step.value.is_none());
                }
            }
        }
    }
}

#[test]
fn the_gallery_does_what_its_titles_say() {
    let texts = |id: &str| {
        let entry = entry(id).unwrap();
        match run(entry.source, entry.input).result {
            Outcome::Sequence(sequence) => {
                let values: Vec<String> = sequence.iter().map(|value| value.to_string()).collect();
                values.join(" ")
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(texts("histogram"), "1 1 2 2 1");
    assert_eq!(texts("double_histogram"), "1 2 2 2 2 2 2 2 1 1 2");
    assert_eq!(texts("reverse"), "a l o n a i p");
    assert_eq!(texts("sort"), "a e i l n r s u v");
    assert_eq!(texts("most_frequent"), "i s p m . . . . . . .");
    assert_eq!(texts("dyck_1"), "P P P P P T P T F");
    assert_eq!(texts("dyck_2"), "P P P T P P F F");
    assert_eq!(texts("long_addition"), "0 0 0 0 0 1 0 0 0");
    assert_eq!(texts("induction"), "? ? ? b c ? b d");
    assert_eq!(texts("match_2"), "True True True True True False");
    assert_eq!(texts("k_parity"), "1 1 1 1 1 1");
}

#[test]
fn long_addition_adds() {
    let entry = entry("long_addition").unwrap();
    let mut seed = 1u64;
    for _ in 0..200 {
        // A small generator of numbers with many nines, which carry far.
        let mut draw = |most: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % most
        };
        let mut number =
            |digits: u64| (0..digits).fold(0u64, |n, _| n * 10 + [0, 9, 9, 9, 1, 5][draw(6) as usize]);
        let (a, b) = (number(9), number(7));
        let run = run(entry.source, &format!("{a}+{b}"));
        let Outcome::Sequence(Sequence::Ints(digits)) = run.result else { panic!() };
        let sum = digits.iter().fold(0, |n, digit| n * 10 + *digit as u64);
        assert_eq!(sum, a + b, "{a}+{b}");
    }
}

#[test]
fn dyck_agrees_with_a_stack() {
    for (id, pairs) in [("dyck_1", "()"), ("dyck_2", "(){}")] {
        let entry = entry(id).unwrap();
        let letters: Vec<char> = pairs.chars().collect();
        for number in 0..letters.len().pow(5) as u32 {
            let text: String = (0..5)
                .map(|place| letters[(number as usize / letters.len().pow(place)) % letters.len()])
                .collect();
            let mut stack = Vec::new();
            let mut failed = false;
            let expected: Vec<&str> = text
                .chars()
                .map(|letter| {
                    match letter {
                        '(' => stack.push(')'),
                        '{' => stack.push('}'),
                        closing => failed |= stack.pop() != Some(closing),
                    }
                    match (failed, stack.is_empty()) {
                        (true, _) => "F",
                        (false, true) => "T",
                        (false, false) => "P",
                    }
                })
                .collect();
            let Outcome::Sequence(found) = run(entry.source, &format!("\"{text}\"")).result else { panic!() };
            let found: Vec<String> = found.iter().map(|value| value.to_string()).collect();
            assert_eq!(found, expected, "{id}: {text}");
        }
    }
}

#[test]
fn the_exported_trace_reads_back() {
    let source = "average(indices / 3);";
    let run = run(source, "hello");
    let text = trace_json(source, &BTreeMap::new(), &run).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["format"], "pianola-rasp-trace");
    assert_eq!(json["version"], 1);
    assert_eq!(json["program"], source);
    assert_eq!(json["heads_per_layer"], serde_json::json!([1]));
    assert_eq!(json["result"]["type"], "sequence");
    let Outcome::Sequence(Sequence::Floats(values)) = &run.result else { panic!() };
    let written: Vec<f64> = serde_json::from_value(json["result"]["value"].clone()).unwrap();
    assert_eq!(&written, values);
    let steps = json["steps"].as_array().unwrap();
    assert_eq!(steps.len(), run.trace.steps.len());
    let selector = steps.iter().find(|step| step["op"] == "select ==").unwrap();
    assert_eq!(selector["selector"][4], serde_json::json!([1, 1, 1, 1, 1]));
    assert!(selector["value"].is_null());

    let failed = Session::default().run("1 / indices;", &Input::parse("ab").unwrap());
    let text = trace_json("1 / indices;", &BTreeMap::new(), &failed).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["result"]["type"], "error");
    assert_eq!(json["result"]["value"][0]["code"], "division-by-zero");
}

#[test]
fn a_run_crosses_a_worker_boundary() {
    for entry in GALLERY {
        let run = run(entry.source, entry.input);
        let bytes = postcard::to_stdvec(&run).unwrap();
        assert_eq!(postcard::from_bytes::<Run>(&bytes).unwrap(), run, "{}", entry.id);
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run, "{}", entry.id);
    }
    let failed = Session::default().run("x = (1;\nwonderful", &Input::parse("ab").unwrap());
    let bytes = postcard::to_stdvec(&failed).unwrap();
    assert_eq!(postcard::from_bytes::<Run>(&bytes).unwrap(), failed);
}

#[test]
fn a_trace_that_makes_too_large_a_file_is_refused() {
    let input = Input::from_text(&"a".repeat(4500)).unwrap();
    let run = Session::default().run("length;", &input);
    let error = trace_json("length;", &BTreeMap::new(), &run).unwrap_err();
    assert_eq!(error.cells, 4500 * 4500);
}

#[test]
fn an_editor_knows_the_names() {
    let known = rasp::library::names();
    for name in ["selector_width", "full_s", "tokens_int", "exp", "aggregate", "def"] {
        assert!(known.iter().any(|candidate| candidate == name), "{name}");
    }
    let tree = rasp::parse("a, b = 1, 2; def f(x) { y = x; return y; } a = 3;").tree;
    assert_eq!(tree.defined_names(), ["a", "b", "f"]);
}

#[test]
fn selected_positions_are_counted_in_any_stretch() {
    let length = 150;
    let program = "select(indices % 7, indices % 5, <=);";
    let run = run(program, &"a".repeat(length));
    let Outcome::Selector(matrix) = run.result else { panic!("{:?}", run.result) };
    for query in [0, 3, 64, 149] {
        let selected: Vec<usize> = matrix.selected(query).collect();
        for (start, end) in [(0, 150), (0, 0), (5, 6), (63, 65), (64, 128), (1, 149), (128, 150)] {
            let expected = selected.iter().filter(|key| (start..end).contains(*key)).count();
            assert_eq!(matrix.count(query, start..end), expected, "{query} {start}..{end}");
        }
    }
}

#[test]
fn what_was_done_before_an_error_is_kept() {
    for (source, input, op, position, before) in [
        ("a = indices + 1;\n6 / (2 - indices) + a;", "abcd", "/", 2, "[3.0, 6.0]"),
        ("log(2 - indices);", "abc", "log", 2, "[0.6931471805599453, 0.0]"),
        ("1 / indices;", "ab", "/", 0, "[]"),
        ("tokens if indices < 2 else 7;", "abc", "if else", 2, "[\"a\", \"b\"]"),
        ("tokens_int;", "12x4", "tokens_int", 2, "[1, 2]"),
        ("aggregate(select(indices, indices, <=), tokens);", "abc", "aggregate", 1, "[\"a\"]"),
        ("{\"a\": 1, \"b\": 2}[tokens];", "abz", "look up", 2, "[1, 2]"),
        ("require(indices * 2, indices < 1, \"no\");", "abz", "require", 1, "[0]"),
    ] {
        let run = Session::default().run(source, &Input::parse(input).unwrap());
        assert_eq!(run.result, Outcome::Error);
        let failed = run.trace.failed.clone().unwrap();
        let step = &run.trace.steps[failed.step];
        assert_eq!((step.primitive.name().as_str(), failed.position), (op, Some(position)), "{source}");
        assert_eq!(run.diagnostics[0].position, failed.position);
        assert_eq!(failed.before.unwrap().to_string(), before, "{source}");
        assert_eq!(run.trace.done(), failed.step);
        for (at, step) in run.trace.steps.iter().enumerate() {
            let is_done = at < failed.step;
            if step.primitive.is_selector() {
                assert_eq!(run.trace.selector(at).is_some(), is_done, "{source}");
            } else {
                assert_eq!(step.value.is_some(), is_done, "{source}: {}", step.primitive.name());
            }
        }
    }
    let run = Session::default().run("indices;", &Input::parse("ab").unwrap());
    assert_eq!((run.trace.failed.clone(), run.trace.done()), (None, run.trace.steps.len()));
}

#[test]
fn the_gallery_has_shelves() {
    let on_shelves: Vec<&str> =
        rasp::gallery::Shelf::ALL.iter().flat_map(|shelf| shelf.entries()).map(|entry| entry.id).collect();
    let all: Vec<&str> = GALLERY.iter().map(|entry| entry.id).collect();
    assert_eq!(on_shelves, all, "every program stands on a shelf, in the order of the gallery");
    for entry in GALLERY {
        assert!(!entry.statement().is_empty() && !entry.origin.is_empty(), "{}", entry.id);
    }
}
