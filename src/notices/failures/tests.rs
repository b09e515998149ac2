//! Every variant of every error, in both languages.

use crate::rooms::simulator::job::Unsupported;
use ::rasp::simulator::SimulatorError;
use transformer::files::{FileError, Guess, read_input, read_target};
use transformer::presets::{self, RANDOM_CLASS};
use transformer::{Class, Error, Scale, Target};
use universal::{Bounds, Capacity, Construction, Law, RandomSpec, Tying};

use super::*;

/// A failure, and what its words must contain in either language.
type Example = (Failure, Vec<&'static str>);

/// Examples of an error. A variant without a pattern here does not compile.
macro_rules! examples {
    ($wrap:expr, $error:ty; $($pattern:pat => $value:expr, [$($needle:literal),*];)+) => {{
        // Exhaustive, so that a variant without an example does not compile; some have two.
        #[allow(unreachable_patterns)]
        let _every_variant = |error: &$error| match error { $($pattern => (),)+ };
        vec![$({
            let value: $error = $value;
            assert!(matches!(&value, $pattern), "{value:?} is not an example of its pattern");
            ($wrap(value), vec![$($needle),*])
        }),+]
    }};
}

fn of_transformers() -> Vec<Example> {
    let name = || "layers.0.heads.1.wq".to_owned();
    examples! { Failure::Transformer, Error;
        Error::Shape { .. } => Error::Shape { name: name(), found: (4, 3), expected: "4×2".to_owned() },
            ["layers.0.heads.1.wq", "4×3", "4×2"];
        Error::Count { .. } => Error::Count { name: "layers.0.heads".to_owned(), found: 3, expected: 2 },
            ["layers.0.heads", "3", "2"];
        Error::NotFinite { .. } => Error::NotFinite { name: name(), row: 5, column: 7, value: f64::NAN },
            ["layers.0.heads.1.wq", "5", "7", "NaN"];
        Error::Class { .. } =>
            Error::Class { name: "heads".into(), value: "300".to_owned(), expected: "at most 255".into() },
            ["heads", "300", "255"];
        Error::UnknownToken { .. } => Error::UnknownToken { position: 3, token: "queijo".to_owned() },
            ["“queijo”", "3"];
        Error::TooLong { .. } => Error::TooLong { found: 31, longest: 24 }, ["31", "24", "7"];
        Error::NoVocabulary => Error::NoVocabulary, [".npy"];
        Error::EmptyInput => Error::EmptyInput, [];
    }
}

fn of_universals() -> Vec<Example> {
    use universal::Error;
    let other = Class { heads: 3, residual: true, scale: Scale::Factor(0.5), ..RANDOM_CLASS };
    examples! { Failure::Universal, Error;
        Error::Transformer(_) => Error::Transformer(transformer::Error::EmptyInput), [];
        Error::ClassMismatch { .. } =>
            Error::ClassMismatch { found: Box::new(other), expected: Box::new(RANDOM_CLASS) },
            ["H 3 / 2", "1/√d_h"];
        Error::TooLarge(_) => refusal(Capacity::default(), Construction::Sparse, DEEP, 8), ["H = 4", "GB"];
        Error::LoopedResidual => Error::LoopedResidual, [];
        Error::ZeroWidth => Error::ZeroWidth, ["m = 0"];
        Error::NoSingularValues => Error::NoSingularValues, ["E"];
        Error::EmbeddingShape { .. } => Error::EmbeddingShape { found: (4, 11), expected: (4, 12) },
            ["4×11", "4×12"];
    }
}

fn of_runs() -> Vec<Example> {
    examples! { Failure::Run, RunError;
        RunError::File(_) => RunError::File(FileError::Empty), [];
        RunError::Engine(_) => RunError::Engine(universal::Error::LoopedResidual), [];
        RunError::NotFinite { .. } => RunError::NotFinite { name: "output.universal".to_owned() },
            ["output.universal"];
        RunError::Fingerprint { .. } =>
            RunError::Fingerprint { found: "12ab".to_owned(), expected: "34cd".to_owned() },
            ["12ab", "34cd"];
        RunError::Differs { .. } => RunError::Differs {
            name: "output.target".to_owned(),
            difference: 2e-3,
            tolerance: 1e-12,
        }, ["output.target", "002", "1e−12"];
    }
}

fn of_files() -> Vec<Example> {
    let name = || "layers.0.heads.1.wk".to_owned();
    let text = str::to_owned;
    examples! { Failure::File, FileError;
        FileError::Empty => FileError::Empty, [];
        FileError::Unrecognised { .. } => unrecognised(Guess::Other), ["“x.pt”"];
        FileError::NotUtf8 { .. } => FileError::NotUtf8 { byte: 17 }, ["17"];
        FileError::Json { .. } => FileError::Json { line: 3, column: 16, reason: text("EOF") },
            ["3", "16", "“EOF”"];
        FileError::HeaderJson { .. } => FileError::HeaderJson {
            name: text("__metadata__.class"),
            line: 1,
            column: 9,
            reason: text("EOF"),
        }, ["__metadata__.class", "1", "9", "“EOF”"];
        FileError::NotANumber { .. } => FileError::NotANumber { line: 2, column: 5, found: text("abc") },
            ["2", "5", "“abc”"];
        FileError::Format { .. } =>
            FileError::Format { found: text("outro"), expected: text("pianola-target") },
            ["“outro”", "“pianola-target”"];
        FileError::Version { .. } => FileError::Version { found: text("7"), known: 1 }, ["7", "1"];
        FileError::Missing { .. } => FileError::Missing { name: name() }, ["layers.0.heads.1.wk"];
        FileError::UnknownWord { .. } => FileError::UnknownWord {
            name: text("class.mask"),
            found: text("diagonal"),
            known: vec![text("none"), text("causal")],
        }, ["class.mask", "“diagonal”", "none, causal"];
        FileError::Ragged { .. } => FileError::Ragged { name: name(), row: 6, found: 1, expected: 2 },
            ["layers.0.heads.1.wk", "6", "1", "2"];
        FileError::Shape { .. } => FileError::Shape { name: name(), found: vec![6], expected: text("3×2") },
            ["layers.0.heads.1.wk", "(6)", "3×2"];
        FileError::Count { .. } => FileError::Count { name: text("layers"), found: 5, expected: 2 },
            ["layers", "5", "2"];
        FileError::NotFinite { .. } =>
            FileError::NotFinite { name: name(), row: 8, column: 9, value: text("-inf") },
            ["layers.0.heads.1.wk", "8", "9", "-inf"];
        FileError::Class { .. } =>
            FileError::Class { name: text("width"), value: text("0"), expected: text("at least 1") },
            ["width", "0", "1"];
        FileError::TooLarge { .. } => FileError::TooLarge { name: text("class.layers"), found: 99, most: 64 },
            ["class.layers", "99", "64"];
        FileError::TooLarge { .. } => FileError::TooLarge { name: text("file"), found: 1 << 28, most: 1 << 27 },
            ["256 MB", "128 MB"];
        FileError::Truncated { .. } => FileError::Truncated { name: name(), needed: 900, found: 10 },
            ["layers.0.heads.1.wk", "900", "10"];
        FileError::Extent { .. } => FileError::Extent { name: name(), needed: 64, found: 32 },
            ["layers.0.heads.1.wk", "64", "32"];
        FileError::Extent { .. } => FileError::Extent { name: name(), needed: 0, found: 0 },
            ["layers.0.heads.1.wk"];
        FileError::Refused { .. } => FileError::Refused { reason: text("xyz") }, ["“xyz”"];
        FileError::NpyHeader { .. } => FileError::NpyHeader { found: text("{'descr'}") }, ["“{'descr'}”"];
    }
}

fn of_guesses() -> Vec<Example> {
    let unrecognised = |guess| Failure::File(unrecognised(guess));
    examples! { unrecognised, Guess;
        Guess::Html => Guess::Html, ["“x.pt”"];
        Guess::Zip => Guess::Zip, ["“x.pt”", "zip", "safetensors"];
        Guess::Pickle => Guess::Pickle, ["“x.pt”", "pickle", "safetensors"];
        Guess::Npy => Guess::Npy, ["“x.pt”", "numpy"];
        Guess::Rows => Guess::Rows, ["“x.pt”"];
        Guess::Target => Guess::Target, ["“x.pt”"];
        Guess::Other => Guess::Other, ["“x.pt”", "JSON", "safetensors"];
    }
}

fn all() -> Vec<Example> {
    let itself = |failure| failure;
    let mut all = examples! { itself, Failure;
        Failure::Transformer(_) => Failure::Transformer(Error::EmptyInput), [];
        Failure::Universal(_) => Failure::Universal(universal::Error::ZeroWidth), [];
        Failure::Simulator(_) => Failure::Simulator(SimulatorError::OddHidden { hidden: 13 }), ["13", "MaxMin"];
        Failure::SimulatorTooLarge { .. } => Failure::SimulatorTooLarge {
            error: SimulatorError::TooLong { length: 812, limit: 805 },
            rows: Some(47),
        }, ["812", "805", "n = 47"];
        Failure::NotSimulated(_) => Failure::NotSimulated(Unsupported::Residual), ["Universal"];
        Failure::File(_) => Failure::File(FileError::Empty), [];
        Failure::Run(_) => Failure::Run(RunError::File(FileError::Empty)), [];
        Failure::NoSuchCell { .. } => Failure::NoSuchCell { name: "X".to_owned(), row: 12, column: 34 },
            ["X", "12", "34"];
        Failure::NoSuchPreset(_) => Failure::NoSuchPreset("xyz".to_owned()), ["“xyz”"];
        Failure::Missing(_) => Failure::Missing(Missing), [];
        Failure::Trace(_) => Failure::Trace(rasp::TraceTooLarge { cells: 91, limit: 90 }), ["91", "90"];
        Failure::ProgramTooLong { .. } =>
            Failure::ProgramTooLong { name: "x.rasp".to_owned(), size: 81, limit: 80 }, ["x.rasp", "81", "80"];
        Failure::Crashed(_) => Failure::Crashed("xyz".to_owned()), ["“xyz”"];
        Failure::Crashed(_) => Failure::Crashed(String::new()), [];
        Failure::NoWorker(_) => Failure::NoWorker("xyz".to_owned()), ["“xyz”"];
        Failure::Versions { .. } => Failure::Versions { page: 71, worker: 72 }, ["71", "72"];
    };
    all.extend([of_transformers(), of_universals(), of_runs(), of_files(), of_guesses()].concat());
    all
}

const DEEP: Class = Class { heads: 4, layers: 10, width: 4, head_width: 2, ..RANDOM_CLASS };

fn unrecognised(guess: Guess) -> FileError {
    FileError::Unrecognised { file_name: "x.pt".to_owned(), guess }
}

fn refusal(capacity: Capacity, construction: Construction, class: Class, n: usize) -> universal::Error {
    capacity.check(construction, &class, n).expect_err("it is too large")
}

/// A failure in both languages.
fn both(failure: impl Into<Failure>) -> (String, String) {
    let failure = failure.into();
    (describe(&failure, Language::En), describe(&failure, Language::Pt))
}

fn assert_portuguese(text: &str) {
    let text = format!(" {} ", text.replace(|c: char| !c.is_alphanumeric(), " ").to_lowercase());
    for word in ["the", "is", "are", "but", "must", "with", "least", "most", "number", "width", "positions"] {
        assert!(!text.contains(&format!(" {word} ")), "“{word}” in Portuguese: {text}");
    }
}

#[test]
fn every_error_has_words_of_its_own_in_both_languages() {
    for (failure, needles) in all() {
        let (en, pt) = both(failure.clone());
        assert_ne!(en, pt, "{failure:?}");
        for text in [&en, &pt] {
            assert!(text.split_whitespace().count() > 5 && text.ends_with(['.', '”']), "{failure:?}: {text}");
            for needle in &needles {
                assert!(text.contains(needle), "“{needle}” is not in: {text}");
            }
        }
        // The names of fields and the words of files stay as they are.
        assert_portuguese(&pt.replace("width = ", "").replace("numpy", ""));
        // What another program says is quoted; a sentence of ours is not left in English.
        let said = failure.to_string();
        assert!(!said.contains(' ') || !pt.contains(&said), "{pt}");
    }
}

#[test]
fn a_refusal_says_what_is_needed_and_what_would_fit() {
    let capacity = Capacity { max_width: u64::MAX, ..Capacity::default() };
    let law = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: 1_398_100 };
    let random = Construction::Random { spec: law, seed: 1 };
    let error = refusal(capacity, random, Class { layers: 6, ..DEEP }, 8);
    let universal::Error::TooLarge(refused) = &error else { panic!("{error}") };
    let nearest = refused.nearest.expect("a smaller class fits");
    let m = Bounds::of(&nearest).random_minimum;
    assert!((1_000..1_000_000).contains(&m), "one group of digits: {m}");
    let (thousands, rest, layers) = (m / 1000, m % 1000, nearest.layers);

    let (en, pt) = both(error);
    assert!(en.starts_with("m = 1,398,100 needs "), "{en}");
    assert!(en.contains(" TB, more than the 1 GB that a page may use; "), "{en}");
    assert!(en.contains(&format!("with {layers} layers (H = 4, d = 4, d_h = 2)")), "{en}");
    assert!(en.ends_with(&format!("it is {thousands},{rest:03}.")), "{en}");
    assert!(pt.starts_with("m = 1.398.100 precisa de "), "{pt}");
    assert!(pt.contains(&format!("com {layers} camadas (H = 4, d = 4, d_h = 2)")), "{pt}");
    assert!(pt.ends_with(&format!("é {thousands}.{rest:03}.")), "{pt}");
}

#[test]
fn a_refusal_for_width_says_the_largest_width() {
    for construction in [Construction::Sparse, Construction::Looped] {
        let m = Bounds::of(&DEEP).width(construction).expect("the class has no residual connections");
        let (en, pt) = both(refusal(Capacity::default(), construction, DEEP, 8));
        assert!(
            en.starts_with(&format!("m = {} is more than the 1,048,576 columns", whole(m, Language::En)))
        );
        assert!(
            pt.starts_with(&format!("m = {} passa do limite de 1.048.576 colunas", whole(m, Language::Pt)))
        );
        let nearest = Class { layers: 8, ..DEEP };
        let fits = Bounds::of(&nearest).width(construction).expect("the class has no residual connections");
        assert!(Capacity::default().check(construction, &nearest, 8).is_ok());
        assert!(en.contains("with 8 layers ") && en.contains(&whole(fits, Language::En)), "{en}");
        assert!(pt.contains("com 8 camadas ") && pt.contains(&whole(fits, Language::Pt)), "{pt}");
    }
}

#[test]
fn a_refusal_without_a_smaller_class_asks_for_fewer_tokens() {
    let smallest = Class { heads: 1, layers: 1, width: 1, head_width: 1, ..RANDOM_CLASS };
    let (en, pt) = both(refusal(Capacity::default(), Construction::Sparse, smallest, 1 << 20));
    assert!(en.contains("tokens: use fewer"), "{en}");
    assert!(pt.contains("tokens: use menos"), "{pt}");
}

#[test]
fn sizes_beyond_counting_are_not_said_to_be_exact() {
    let class = Class { heads: 255, layers: 64, ..RANDOM_CLASS };
    let (en, pt) = both(refusal(Capacity::default(), Construction::Sparse, class, 8));
    assert!(en.starts_with("m ≥ 3.4 × 10³⁸ "), "{en}");
    assert!(pt.starts_with("m ≥ 3,4 × 10³⁸ "), "{pt}");
}

#[test]
fn looped_and_residual_says_what_to_choose() {
    let class = Class { residual: true, ..RANDOM_CLASS };
    let (en, pt) = both(refusal(Capacity::default(), Construction::Looped, class, 4));
    assert!(en.contains("sparse") && en.contains("random"), "{en}");
    assert!(pt.contains("esparsa") && pt.contains("aleatória"), "{pt}");
}

/// The engine puts English words between its numbers. Whatever it really says is said in Portuguese.
#[test]
fn what_the_engine_expects_is_translated() {
    let class = |class: Class| Failure::from(class.check().expect_err("the class is impossible"));
    let target = |change: fn(&mut Parts)| {
        let (class, layers, vocabulary) = presets::by_id("majority").expect("a preset").target.into_parts();
        let mut parts = (class, layers, vocabulary);
        change(&mut parts);
        Failure::from(Target::new(parts.0, parts.1, parts.2).expect_err("the target is impossible"))
    };
    let npy = b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } \n";
    let json = r#"{"format": "pianola-target", "version": 1, "layers": [], "class": {"heads": 1, "layers": 1,
        "width": 1, "head_width": 1, "attention": "softmax", "mask": "none", "scale": true, "residual": false}}"#;
    for (failure, expected) in [
        (class(Class { heads: 0, ..RANDOM_CLASS }), "no mínimo 1"),
        (class(Class { heads: 256, ..RANDOM_CLASS }), "no máximo 255"),
        (
            class(Class { scale: Scale::Factor(f64::NAN), ..RANDOM_CLASS }),
            "“inverse-sqrt” ou um número finito",
        ),
        (target(|parts| parts.1[0].heads[0].wv = ndarray::Array2::zeros((1, 1))), "×v com v ≥ 1"),
        (read_input(npy, "x.npy").expect_err("it has one dimension").into(), "posições×largura"),
        (
            read_target(json.as_bytes(), "x.json").expect_err("it has no scale").into(),
            "inverse-sqrt, um número",
        ),
    ] {
        let (_, pt) = both(failure);
        assert!(pt.contains(expected), "“{expected}” is not in: {pt}");
        assert_portuguese(&pt);
    }
}

type Parts = (Class, Vec<transformer::Layer>, Option<transformer::Vocabulary>);
