//! The language beyond the reference cases: diagnostics, what differs from the original, limits.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use rasp::{
    Atom, Input, Kind, Limits, Message, Outcome, Run, Sequence, Session, Severity, parse,
    syntax::{print, tokens},
};

fn run_on(source: &str, input: &str) -> Run {
    Session::default().run(source, &Input::parse(input).unwrap())
}

fn run(source: &str) -> Run {
    run_on(source, "hello")
}

fn value(source: &str) -> Outcome {
    let run = run(source);
    let errors: Vec<String> = run.diagnostics.iter().map(|d| d.to_string()).collect();
    assert!(errors.is_empty(), "{source}: {errors:?}");
    run.result
}

fn ints(values: &[i64]) -> Outcome {
    Outcome::Sequence(Sequence::Ints(values.to_vec()))
}

/// The only diagnostic: its code and the text that it points to.
fn complaint(source: &str) -> (&'static str, String) {
    let run = run(source);
    assert_eq!(run.result, Outcome::Error, "{source}");
    assert_eq!(run.diagnostics.len(), 1, "{source}: {:?}", run.diagnostics);
    let diagnostic = &run.diagnostics[0];
    assert_eq!(diagnostic.severity, Severity::Error);
    assert!(!diagnostic.to_string().contains(['{', '}']), "{diagnostic}");
    (diagnostic.message.code(), diagnostic.span.text(source).to_owned())
}

#[test]
fn each_mistake_is_named_once_and_at_its_place() {
    let cases = [
        ("tokens", "missing-semicolon", ""),
        ("tokens;;", "extra-semicolon", ";"),
        ("a = 'x';", "single-quote", "'x'"),
        ("x = .5;", "number-starts-with-dot", "."),
        ("x = \"abc;\ny = 1;", "unfinished-text", "\"abc;"),
        ("x = §;", "unknown-character", "§"),
        ("tokens != \"a\";", "not-equal-outside-select", "!="),
        ("x = (a = 3);", "assign-in-expression", "="),
        ("selector_width(tokens, tokens, ==);", "loose-comparison", "=="),
        ("aggregate (full_s, indices);", "space-before-parenthesis", "aggregate ("),
        ("select (indices, 1, ==);", "space-before-parenthesis", "select ("),
        ("on = 3;", "word-of-the-language", "on"),
        ("f(tokens;", "unexpected", ";"),
        ("x = f(1, 2", "unclosed", "("),
        ("x = [1, 2", "unclosed", "["),
        ("def f(a) { b = a; }", "missing-return", "f"),
        ("return 3;", "misplaced-return", "return"),
        ("for i in [1] { set example \"a\" }", "repl-statement-inside", "set"),
        ("load affine;", "unexpected", "affine"),
        ("x = 99999999999999999999;", "number-too-large", "99999999999999999999"),
        ("select(tokens, tokens);", "unexpected", ")"),
        ("tokns;", "undefined-name-similar", "tokns"),
        ("wonderful;", "undefined-name", "wonderful"),
        ("max = 3;", "reserved-name", "max"),
        ("sort(tokens);", "argument-count", "sort(tokens)"),
        ("3(4);", "not-callable", "3(4)"),
        ("full_s + 1;", "selector-arithmetic", "full_s + 1"),
        ("full_s and indices;", "selector-with-other", "full_s and indices"),
        ("1 if full_s else 2;", "selector-condition", "full_s"),
        ("[1, 2][2];", "index-out-of-range", "[1, 2][2]"),
        ("{1: 2}[3];", "missing-key", "{1: 2}[3]"),
        ("range(1, 5, 0);", "zero-step", "range(1, 5, 0)"),
        ("zip([1], [1, 2]);", "zip-lengths", "zip([1], [1, 2])"),
        ("a, b = 1, 2, 3;", "name-count", "a, b"),
        ("for a, b in [1] { c = a; }", "not-several", "a, b"),
        ("load \"nowhere\";", "file-not-found", "load \"nowhere\";"),
        ("tokens_int;", "bad-token", "tokens_int"),
        ("1 / (indices - 2);", "division-by-zero", "1 / (indices - 2)"),
        ("exp(1000 * indices);", "not-finite", "exp(1000 * indices)"),
        ("log(indices);", "not-real", "log(indices)"),
        ("aggregate(full_s, tokens);", "average-of-non-numbers", "aggregate(full_s, tokens)"),
        ("\"a\" if indices == 2 else 1;", "mixed-kinds", "\"a\" if indices == 2 else 1"),
        (
            "require(tokens, indices < 3, \"too long\");",
            "unsatisfied",
            "require(tokens, indices < 3, \"too long\")",
        ),
    ];
    for (source, code, place) in cases {
        assert_eq!(complaint(source), (code, place.to_owned()), "{source}");
    }
}

#[test]
fn evaluation_errors_name_the_position() {
    for (source, position) in [
        ("1 / (indices - 2);", 2),
        ("log(3 - indices);", 3),
        ("aggregate(select(indices, indices, <=), tokens);", 1),
        ("\"a\" if indices == 2 else 1;", 2),
        ("[1, 2, 3, 4][indices];", 4),
    ] {
        assert_eq!(run(source).diagnostics[0].position, Some(position), "{source}");
    }
}

#[test]
fn an_error_in_a_library_points_to_the_call_and_says_where_inside() {
    let source = "x = average(tokens);\nx;";
    let run = run(source);
    let error = &run.diagnostics[0];
    assert_eq!(error.span.text(source), "average(tokens)");
    let origin = error.origin.as_ref().unwrap();
    assert_eq!(origin.file, "library");
    let (_, library) = &run.files[0];
    assert_eq!(origin.span.text(library), "aggregate(full_s, a)");
}

#[test]
fn reading_goes_on_after_a_mistake() {
    let parse = parse("a = ;\nb = 2;\ndef f( { return 1; }\nc = (3;\nd = 4;");
    let lines: Vec<usize> = parse
        .diagnostics
        .iter()
        .map(|d| d.span.line_and_column("a = ;\nb = 2;\ndef f( { return 1; }\nc = (3;\nd = 4;").0)
        .collect();
    assert_eq!(lines, [1, 3, 4]);
    let text = print(&parse.tree);
    assert!(text.contains("b = 2;") && text.contains("d = 4;"), "{text}");
}

#[test]
fn what_the_docs_say_about_differences_holds() {
    // `s-op` is a difference.
    assert_eq!(value("s = indices; op = 1; s-op;"), ints(&[-1, 0, 1, 2, 3]));
    // A failing s-op that nobody looks at is no error.
    assert_eq!(value("x = tokens_int + 1; indices;"), ints(&[0, 1, 2, 3, 4]));
    // Whole numbers do not turn into fractions silently.
    assert_eq!(complaint("2 ^ 70;").0, "not-finite");
    assert_eq!(value("2 ^ 62;"), Outcome::Atom(Atom::Int(1 << 62)));
    // Between an s-op and a list operators are refused.
    assert_eq!(complaint("tokens == [1];").0, "bad-operands");
    // `out` is the value of the last statement.
    assert_eq!(value("indices + 1; out * 2;"), ints(&[2, 4, 6, 8, 10]));
    // Comments stand anywhere, loops may be empty, dictionaries have a length.
    assert_eq!(
        value("a = [1, # one\n 2];\nfor i in a { }\nlen({1: 2, 3: 4}) + len(a);"),
        Outcome::Atom(Atom::Int(4))
    );
}

#[test]
fn elementwise_mathematics() {
    let Outcome::Sequence(values) = value("sqrt(indices) + abs(-indices) + log(exp(indices));") else {
        panic!()
    };
    for (position, found) in values.to_f64().unwrap().iter().enumerate() {
        let i = position as f64;
        assert!((found - (i.sqrt() + i + i)).abs() < 1e-12);
    }
    assert_eq!(value("abs(-3);"), Outcome::Atom(Atom::Int(3)));
    // They are ordinary names, which programs may use otherwise.
    assert_eq!(value("exp = 7; exp;"), Outcome::Atom(Atom::Int(7)));
}

#[test]
fn examples_and_applications() {
    let both = run("set example \"abc\"\nlength; tokens(\"xy\");");
    assert_eq!(both.shown[0].value, ints(&[3, 3, 3]));
    let Outcome::Sequence(values) = &both.result else { panic!() };
    assert_eq!(values.kind(), Kind::Texts);
    assert_eq!(both.input, Input::parse("xy").unwrap());
    assert_eq!(both.trace.steps.last().unwrap().value.as_ref(), Some(values));

    let selectors =
        run("set selector example \"ab\"\nset s-op example [1, 2, 3];\nshow example\nfull_s; indices;");
    assert!(matches!(&selectors.shown[0].value, Outcome::List(items) if items.len() == 3));
    assert!(matches!(&selectors.shown[1].value, Outcome::Selector(matrix) if matrix.len() == 2));
    assert_eq!(selectors.result, ints(&[0, 1, 2]));

    assert_eq!(
        run("examples off\nfull seq display on\ns-op examples on\n draw(indices + 1, \"ab\");").result,
        ints(&[1, 2])
    );
    assert_eq!(run("indices; exit\nwonderful;").result, ints(&[0, 1, 2, 3, 4]));
}

#[test]
fn statements_about_the_session_end_with_their_line() {
    for source in ["exit\n(tokens);", "exit()\n(tokens);", "set example \"ab\"\n(tokens);"] {
        let read = parse(source);
        assert!(read.diagnostics.is_empty(), "{source}: {:?}", read.diagnostics);
        assert_eq!(read.tree.statements.len(), 2, "{source}");
    }
    // Inside of brackets a line break means nothing.
    assert_eq!(run("set example [1,\n 2]\nindices;").result, ints(&[0, 1]));
}

#[test]
fn files_are_loaded_once_found_and_hand_over_their_names() {
    let files: HashMap<String, String> = [
        ("a", "load \"b\"; _hidden = 1; twice = 2 * shared;"),
        ("b", "shared = indices;"),
        ("loop", "load \"pool\";"),
        ("pool", "load \"loop\";"),
        ("broken", "x = ;"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into();
    let session = Session::default().with_files(&files);
    let input = Input::parse("abc").unwrap();
    let run = session.run("load \"a\"; twice + shared;", &input);
    assert_eq!(run.result, ints(&[0, 3, 6]));
    let names: Vec<&str> = run.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["library", "a", "b"]);
    let code = |source: &str| session.run(source, &input).diagnostics[0].message.code();
    assert_eq!(code("load \"a\"; _hidden;"), "undefined-name");
    assert_eq!(code("load \"loop\";"), "load-cycle");
    assert_eq!(code("load \"broken\";"), "unexpected");
}

#[test]
fn scopes() {
    // A function sees what was defined after it, and what it names stays inside.
    assert_eq!(
        value("def f() { return g() + 1; }\ndef g() { x = 1; return x; }\nx = 5; f() + x;"),
        Outcome::Atom(Atom::Int(7))
    );
    // Functions made in a comprehension keep the value of their round.
    assert_eq!(
        value(
            "def adder(k) { def add(x) { return x + k; } return add; }\nfs = [adder(k) for k in range(3)];\n[f(10) for f in fs];"
        ),
        Outcome::List(vec![10, 11, 12].into_iter().map(|k| Outcome::Atom(Atom::Int(k))).collect())
    );
    // Branches of an atom are chosen, those of an s-op are both described.
    assert_eq!(value("indices + (1 if False else (2 if indices > 2 else 3));"), ints(&[3, 4, 5, 5, 6]));
}

#[test]
fn whatever_does_not_end_is_stopped() {
    let cases = [
        ("def f(n) { return f(n + 1); }\nf(0);", "too-many-calls"),
        ("def f(n) { return 1 if n < 1 else f(n - 1) + f(n - 1); }\nf(60);", "out-of-fuel"),
        ("for a in range(90000) { for b in range(90000) { c = a; } }", "out-of-fuel"),
        ("range(1000000000);", "list-too-long"),
        ("a = [1]; for i in range(100) { a = a + a; }", "list-too-long"),
        ("a = [1]; for i in range(100) { a = [a, a]; }", "list-too-long"),
        ("a = [1]; for i in range(100) { a = [a]; }", "list-too-deep"),
        ("a = \"x\"; for i in range(100) { a = a + a; }", "text-too-long"),
        ("a = tokens; for i in range(100) { a = a + a; }\na;", "text-too-long"),
        ("\"x\" * 1000000000;", "text-too-long"),
        ("d = {i: i for i in range(90000)};", "out-of-fuel"),
        (
            "a = indices; for i in range(90000) { a = a + i; }\nfor i in range(90000) { a = a * 1; }\na;",
            "out-of-fuel",
        ),
        (
            "s = full_s; for i in range(90000) { s = s and select(indices, i, <); }\naggregate(s, indices);",
            "out-of-fuel",
        ),
        (
            "a = indices; for i in range(5000) { a = a + i; }
for i in range(90000) { x = indices(\"ab\"); }",
            "out-of-fuel",
        ),
    ];
    for (source, code) in cases {
        assert_eq!(run(source).diagnostics[0].message.code(), code, "{source}");
    }
    let long = Input::from_text(&"a".repeat(6000)).unwrap();
    let session = Session::default();
    let too_long = session.run("indices;", &long);
    assert_eq!(too_long.diagnostics[0].message.code(), "input-too-long");
    // The work that a selector of all pairs takes is paid for too.
    let input = Input::from_text(&"ab".repeat(2500)).unwrap();
    let source = "a = tokens; for i in range(300) { a = aggregate(select(a, a, !=) and select(indices, i, !=), indices); }\na;";
    assert_eq!(session.run(source, &input).diagnostics[0].message.code(), "out-of-fuel");
    let small = session.with_limits(Limits { values: 10, ..Limits::default() });
    let run = small.run("indices + 1;", &Input::parse("hello").unwrap());
    assert_eq!(run.diagnostics[0].message.code(), "too-much-data");
}

#[test]
fn depth_of_text_never_exhausts_the_stack() {
    // The stack of a page's worker is 1 MB.
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let check = || {
        let deep = 100_000;
        for source in [
            format!("{}1{};", "(".repeat(deep), ")".repeat(deep)),
            format!("{}1;", "-".repeat(deep)),
            format!("{}1{};", "[".repeat(deep), "]".repeat(deep)),
            format!("1{};", " + 1".repeat(deep)),
            format!("1{};", " if 1 else 1".repeat(deep)),
            format!("tokens{};", "[0]".repeat(deep)),
            format!("f{};", "(1)".repeat(deep)),
            "for a in b {".repeat(deep),
            "def f() {".repeat(deep),
            "{1: ".repeat(deep),
            format!("x = {}", "round(".repeat(deep)),
            format!("a if {}", "a if ".repeat(deep)),
        ] {
            let found = parse(&source);
            assert!(!found.diagnostics.is_empty());
            print(&found.tree);
        }
        // As deep as it may be, it still runs.
        let nested = format!("{}indices{};", "-(".repeat(80), ")".repeat(80));
        assert!(matches!(run(&nested).result, Outcome::Sequence(_)));
        let calls = "def f(n) { return 0 if n < 1 else 1 + f(n - 1); }\nf(400);";
        assert_eq!(run(calls).result, Outcome::Atom(Atom::Int(400)));
    };
    thread.spawn(check).unwrap().join().unwrap();
}

#[test]
fn inputs_as_people_write_them() {
    let input = |text: &str| Input::parse(text).map(|input| input.to_string());
    assert_eq!(input("hello"), Ok("\"hello\"".to_owned()));
    assert_eq!(input(" \"(())\" "), Ok("\"(())\"".to_owned()));
    assert_eq!(input("(())"), Ok("\"(())\"".to_owned()));
    assert_eq!(input("[1, -2.5, \"a\", true]"), Ok("[1, -2.5, \"a\", True]".to_owned()));
    assert_eq!(input("[1e-3]"), Ok("[0.001]".to_owned()));
    for (bad, code) in [
        ("", "empty-input"),
        ("\"\"", "empty-input"),
        ("[]", "empty-input"),
        ("[1, 2", "unexpected"),
        ("[1 2]", "unexpected"),
        ("[x]", "unexpected"),
        ("[1] 2", "unexpected"),
        ("[1e999]", "unexpected"),
    ] {
        assert_eq!(Input::parse(bad).unwrap_err().message.code(), code, "{bad}");
    }
    assert!(Input::from_numbers(&[1.0, f64::NAN]).is_err());
}

#[test]
fn tokens_cover_the_text_for_an_editor() {
    let source = "a = \"x\" # note\n  + 1.5;";
    let texts: Vec<&str> = tokens(source).iter().map(|token| token.span.text(source)).collect();
    assert_eq!(texts, ["a", "=", "\"x\"", "# note", "+", "1.5", ";", ""]);
}

#[test]
fn every_message_can_be_translated() {
    // A template in another language is filled with the same arguments.
    let run = run("1 / (indices - 2); [1][5];");
    let message = &run.diagnostics[0].message;
    let text = rasp::fill(
        "Não há lugar {index}: o comprimento é {length}.",
        message,
        &|term| term.code().to_owned(),
        "ou",
    );
    assert_eq!(text, "Não há lugar `5`: o comprimento é 1.");
    let mut codes: Vec<&str> = rasp::MESSAGES.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    let all = codes.len();
    codes.dedup();
    assert_eq!(codes.len(), all, "codes are unique");
    assert!(matches!(message, Message::IndexOutOfRange { .. }));
}
