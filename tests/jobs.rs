//! What the worker does, without a browser: files in, numbers out, files out; and nothing bad that a person
//! gives it is more than a message.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use futures_executor::block_on;
use ndarray::{Array2, ArrayView2};
use pianola::rooms::universal::choices::{
    CellEdit, Construction, InputSource, MOST_TOKENS, Piece, RANDOM_TARGET, TargetSource, WeightEdit,
};
use pianola::rooms::universal::files::{self, ExportKind, ImportKind};
use pianola::rooms::universal::job::{self as play, Played};
use pianola::work::protocol::{Answer, Failure, Job, Message, Request, VERSION, from_bytes, to_bytes};
use pianola::work::serve::Engine;
use proptest::prelude::*;
use serde_json::{Value, json};
use transformer::files::{FileError, Guess, write_target_json, write_target_safetensors};
use transformer::presets::{self, RANDOM_CLASS};
use transformer::{Attention, Class, HeadMatrix, Mask, Scale, Target};
use universal::run::RunError;
use universal::{Consumer, Law, Tying, Verdict};

const CONSTRUCTIONS: [Construction; 3] = [Construction::Sparse, Construction::Looped, Construction::Random];

// ---- the reference cases, through files ----

#[test]
fn imported_reference_cases_give_the_expected_numbers_by_every_construction() {
    let mut engine = Engine::default();
    for case in references() {
        for construction in CONSTRUCTIONS {
            let name = format!("{} {construction:?}", case.name);
            let start = Piece { construction, ..Piece::default() };
            if case.target["class"]["residual"] == true && construction == Construction::Looped {
                let refused =
                    import(&mut engine, &start, ImportKind::Target, "target.json", &case.target_file());
                assert_eq!(refused, Err(Failure::Universal(universal::Error::LoopedResidual)), "{name}");
                continue;
            }
            let piece =
                import(&mut engine, &start, ImportKind::Target, "target.json", &case.target_file()).unwrap();
            for (file, bytes) in case.input_files() {
                let piece = import(&mut engine, &piece, ImportKind::Input, file, &bytes).unwrap();
                let played = played(&mut engine, &piece).unwrap();
                case.check(&played, &format!("{name} {file}"));
            }
        }
    }
}

#[test]
fn widths_are_those_of_the_reference_cases() {
    let mut engine = Engine::default();
    for case in references() {
        for construction in CONSTRUCTIONS {
            let key = match construction {
                Construction::Sparse => "sparse",
                Construction::Looped => "looped",
                Construction::Random => "random_minimum",
            };
            let Some(width) = case.widths[key].as_u64() else { continue };
            let piece = case.piece(construction);
            let played = played(&mut engine, &piece).unwrap();
            let name = format!("{} {key}", case.name);
            assert_eq!(played.frozen.width as u64, width, "{name}");
            assert_eq!(played.embedding.dim(), (played.target.class().width, played.frozen.width), "{name}");
            assert_eq!(played.estimate.width, u128::from(width), "{name}");
            let lower = case.widths["attention_matching_lower_bound"].as_f64();
            assert_eq!(played.bounds.attention_matching_lower_bound, lower, "{name}");
        }
    }
}

#[test]
fn both_formats_of_a_target_are_the_same_target() {
    let mut engine = Engine::default();
    for case in references() {
        let target = case.read();
        let start = Piece::default();
        let json = write_target_json(&target).unwrap().into_bytes();
        let tensors = write_target_safetensors(&target).unwrap();
        let from_json = import(&mut engine, &start, ImportKind::Target, "a.json", &json).unwrap();
        let from_tensors =
            import(&mut engine, &start, ImportKind::Target, "a.safetensors", &tensors).unwrap();
        assert_eq!(from_json, from_tensors, "{}", case.name);
        assert_eq!(from_json.target, TargetSource::Own(Box::new(target)));
    }
}

#[test]
fn random_weights_of_every_law_and_tying_play_a_reference_case() {
    let mut engine = Engine::default();
    let case = references().into_iter().find(|case| case.name == "two-heads-two-layers").unwrap();
    for law in [Law::Gaussian, Law::Uniform, Law::Sign] {
        for tying in [Tying::Free, Tying::Tied] {
            for spare in [0, 16] {
                let piece = Piece { law, tying, spare, ..case.piece(Construction::Random) };
                case.check(&played(&mut engine, &piece).unwrap(), &format!("{law:?} {tying:?} {spare}"));
            }
        }
    }
    for (law, spare) in [(Law::LowRank, 0), (Law::LowRank, 40), (Law::Gaussian, -1)] {
        let piece = Piece { law, spare, ..case.piece(Construction::Random) };
        let played = played(&mut engine, &piece).unwrap();
        assert_eq!(played.proof.verdict, Verdict::Broken, "{law:?} {spare} must fail, and be seen to");
    }
}

// ---- what only the program may change, and what changes with the target ----

#[test]
fn another_target_of_the_class_changes_the_program_and_no_frozen_weight() {
    let mut engine = Engine::default();
    let mut pairs = vec![("previous-token", "first-token"), ("largest", "smallest")]
        .into_iter()
        .map(|(a, b)| [a, b].map(|id| Piece::default().with_target(TargetSource::Preset(id.to_owned()))))
        .collect::<Vec<_>>();
    let random = Piece::default().with_target(TargetSource::Random).with_class(RANDOM_CLASS);
    pairs.push([random.clone(), Piece { seed: 8, ..random }]);
    for pair in pairs {
        for construction in CONSTRUCTIONS {
            let [a, b] = pair.clone().map(|piece| {
                let piece = Piece { construction, ..piece };
                match played(&mut engine, &piece) {
                    Ok(played) => Some(played),
                    Err(failure) => {
                        assert_eq!(failure, Failure::Universal(universal::Error::LoopedResidual));
                        None
                    }
                }
            });
            let (Some(a), Some(b)) = (a, b) else { continue };
            assert_eq!(to_bytes(&a.frozen), to_bytes(&b.frozen), "{construction:?}");
            assert_ne!(a.embedding, b.embedding, "{construction:?}");
            assert_ne!(a.target_trace.output, b.target_trace.output, "{construction:?}");
        }
    }
}

#[test]
fn other_frozen_weights_have_another_fingerprint() {
    let mut engine = Engine::default();
    let piece = Piece { construction: Construction::Random, ..random_piece() };
    let mut fingerprint = |piece: &Piece| played(&mut engine, piece).unwrap().frozen.fingerprint;
    let first = fingerprint(&piece);
    assert_ne!(first, fingerprint(&Piece { frozen_seed: 8, ..piece.clone() }));
    assert_ne!(first, fingerprint(&Piece { law: Law::Uniform, ..piece.clone() }));
    assert_ne!(first, fingerprint(&Piece { spare: 1, ..piece.clone() }));
    assert_eq!(first, fingerprint(&piece), "and the same weights have the same again");
}

#[test]
fn an_edited_program_breaks_the_proof_and_restoring_it_heals() {
    let mut engine = Engine::default();
    for construction in CONSTRUCTIONS {
        let piece = Piece { construction, ..random_piece() };
        let whole = played(&mut engine, &piece).unwrap();
        assert_ne!(whole.proof.verdict, Verdict::Broken);
        let mut breaking = vec![0; whole.frozen.width];
        for ((row, column), value) in whole.embedding.indexed_iter() {
            let edit = CellEdit { row, column, value: value + 1.0 };
            let edited =
                played(&mut engine, &Piece { embedding_edits: vec![edit], ..piece.clone() }).unwrap();
            assert_eq!(edited.embedding[(row, column)], value + 1.0);
            assert_eq!(to_bytes(&edited.frozen), to_bytes(&whole.frozen));
            assert_eq!(edited.target_trace, whole.target_trace, "the target knows nothing of E");
            breaking[column] += usize::from(edited.proof.verdict == Verdict::Broken);
        }
        // Whatever the construction, N columns are needed; the looped one has more, because it keeps places
        // for the output's nodes of every depth and fills some of them for nothing.
        let needed = breaking.iter().filter(|rows| **rows == whole.target.class().width).count();
        assert_eq!(needed as u128, whole.bounds.random_minimum, "{construction:?}");
        let unused = breaking.iter().filter(|rows| **rows == 0).count();
        assert_eq!(needed + unused, whole.frozen.width, "{construction:?}: {breaking:?}");
        assert_eq!(played(&mut engine, &piece).unwrap(), whole, "{construction:?}");
    }
}

#[test]
fn an_edit_reaches_target_and_universal_alike() {
    let mut engine = Engine::default();
    for construction in CONSTRUCTIONS {
        let piece = Piece { construction, ..random_piece() };
        let before = played(&mut engine, &piece).unwrap();
        let cell = CellEdit { row: 1, column: 0, value: 0.75 };
        let mut changed = vec![Piece { input_edits: vec![cell], ..piece.clone() }];
        for matrix in HeadMatrix::ALL {
            let edit = WeightEdit { layer: 1, head: 1, matrix, cell };
            changed.push(Piece { weight_edits: vec![edit], ..piece.clone() });
        }
        for piece in changed {
            let after = played(&mut engine, &piece).unwrap();
            assert_ne!(after.target_trace.output, before.target_trace.output);
            assert_ne!(after.universal_trace.output, before.universal_trace.output);
            assert_ne!(after.proof.verdict, Verdict::Broken, "{construction:?} {:?}", after.proof);
            assert_eq!(to_bytes(&after.frozen), to_bytes(&before.frozen), "{construction:?}");
            let is_input = piece.weight_edits.is_empty();
            assert_eq!(
                after.embedding == before.embedding,
                is_input,
                "E depends on weights and on nothing else"
            );
        }
    }
}

#[test]
fn an_edit_of_a_preset_keeps_its_reading() {
    let mut engine = Engine::default();
    let piece = Piece::default();
    let edit = WeightEdit {
        layer: 0,
        head: 0,
        matrix: HeadMatrix::Wo,
        cell: CellEdit { row: 0, column: 0, value: 0.125 },
    };
    let played = played(&mut engine, &Piece { weight_edits: vec![edit], ..piece }).unwrap();
    assert_eq!(played.target.head(0, 0).wo[(0, 0)], 0.125);
    let (target, universal) = played.readout.unwrap();
    assert_eq!(target, universal);
}

#[test]
fn another_tree_changes_no_number() {
    let mut engine = Engine::default();
    for construction in CONSTRUCTIONS {
        let piece = Piece { construction, ..random_piece() };
        let first = played(&mut engine, &piece).unwrap();
        for consumer in Consumer::all(&piece.class) {
            let other = ask(&mut engine, &piece, consumer).unwrap();
            assert_eq!(other.tree.consumer, consumer);
            let fresh = ask(&mut Engine::default(), &piece, consumer).unwrap();
            assert_eq!(other.tree, fresh.tree, "{consumer}");
            assert_eq!(
                to_bytes(&Played { tree: first.tree.clone(), ..other }),
                to_bytes(&first),
                "{consumer}"
            );
        }
    }
}

/// A link or a file can bring a smaller class while another consumer's tree is open.
#[test]
fn the_tree_of_a_consumer_that_is_not_there_is_that_of_the_output() {
    let mut engine = Engine::default();
    let piece = random_piece();
    for consumer in [Consumer::Query { layer: 9, head: 0 }, Consumer::Key { layer: 0, head: 9 }] {
        for _ in 0..2 {
            assert_eq!(ask(&mut engine, &piece, consumer).unwrap().tree.consumer, Consumer::Output);
        }
    }
}

#[test]
fn memory_between_requests_changes_no_number() {
    let mut engine = Engine::default();
    let pieces: Vec<Piece> = CONSTRUCTIONS
        .into_iter()
        .flat_map(|construction| {
            [1, 2].map(|seed| Piece { construction, seed, frozen_seed: seed, ..random_piece() })
        })
        .collect();
    for _ in 0..2 {
        for piece in &pieces {
            let warm = played(&mut engine, piece).unwrap();
            let cold = played(&mut Engine::default(), piece).unwrap();
            assert_eq!(to_bytes(&warm), to_bytes(&cold));
        }
    }
}

// ---- presets ----

#[test]
fn what_a_preset_says_the_universal_transformer_says() {
    let mut engine = Engine::default();
    for preset in presets::all().into_iter().filter(|preset| preset.id != RANDOM_TARGET) {
        for construction in CONSTRUCTIONS {
            let name = format!("{} {construction:?}", preset.id);
            let target = TargetSource::Preset(preset.id.to_owned());
            let piece = Piece { construction, ..Piece::default().with_target(target) };
            let played = match played(&mut engine, &piece) {
                Err(Failure::Universal(universal::Error::LoopedResidual)) => {
                    assert!(preset.class().residual && construction == Construction::Looped, "{name}");
                    continue;
                }
                other => other.unwrap(),
            };
            assert_eq!(played.tokens.as_ref().unwrap(), &preset.tokens(preset.input), "{name}");
            assert_eq!(played.target, preset.target, "{name}");
            let (target, universal) = played.readout.clone().unwrap();
            assert_eq!(target, preset.readout(&played.target_trace.output), "{name}");
            assert_eq!(target, universal, "{name}");
            assert_ne!(played.proof.verdict, Verdict::Broken, "{name} {:?}", played.proof);
        }
    }
}

#[test]
fn a_random_target_reads_any_words() {
    let mut engine = Engine::default();
    let piece = Piece { input: InputSource::Text("never heard of it".to_owned()), ..random_piece() };
    let played = played(&mut engine, &piece).unwrap();
    assert_eq!(played.tokens.unwrap(), ["never", "heard", "of", "it"]);
    let (target, universal) = played.readout.unwrap();
    assert_eq!(target, universal);
}

#[test]
fn inputs_are_as_long_as_asked_for() {
    let mut engine = Engine::default();
    let example = played(&mut engine, &random_piece()).unwrap().tokens.unwrap();
    for n in [1, 2, 17, MOST_TOKENS] {
        let piece = Piece { input: InputSource::Length(n), ..random_piece() };
        let played = played(&mut engine, &piece).unwrap();
        assert_eq!(played.input.dim(), (n, piece.class.width));
        assert_ne!(played.proof.verdict, Verdict::Broken);
        let repeated: Vec<String> = example.iter().cycle().take(n).cloned().collect();
        assert_eq!(played.tokens, Some(repeated), "the example, repeated or cut");
    }
}

// ---- files out and in again ----

#[test]
fn a_run_file_restores_the_picture() {
    let mut engine = Engine::default();
    for (name, piece) in pieces_to_export() {
        let before = played(&mut engine, &piece).unwrap();
        let file = export(&mut engine, &piece, ExportKind::Run).unwrap();
        // Whoever opens it was at something else.
        let elsewhere = Piece {
            seed: 99,
            construction: Construction::Looped,
            ..Piece::default().with_target(TargetSource::Preset("majority".to_owned()))
        };
        let mut other = Engine::default();
        let restored = import(&mut other, &elsewhere, ImportKind::Target, &file.name, &file.bytes).unwrap();
        assert_eq!(restored.construction, piece.construction, "{name}");
        let after = played(&mut other, &restored).unwrap();
        same_numbers(&after, &before, &name);
        assert_eq!(after.tokens.is_some(), before.tokens.is_some() && piece.input_edits.is_empty(), "{name}");
        let again = export(&mut other, &restored, ExportKind::Run).unwrap();
        assert_eq!(String::from_utf8(again.bytes), String::from_utf8(file.bytes), "{name}");
    }
}

/// As far as a file can tell: what was drawn or edited comes back as the person's own.
#[test]
fn a_run_file_of_a_preset_restores_the_choices_themselves() {
    let mut engine = Engine::default();
    for preset in presets::all().into_iter().filter(|preset| preset.id != RANDOM_TARGET) {
        let piece = Piece::default().with_target(TargetSource::Preset(preset.id.to_owned()));
        let file = export(&mut engine, &piece, ExportKind::Run).unwrap();
        let start = Piece::default().with_target(TargetSource::Random);
        let restored = import(&mut engine, &start, ImportKind::Target, &file.name, &file.bytes).unwrap();
        assert_eq!(restored.target, piece.target, "{}", preset.id);
        let (before, after) = (played(&mut engine, &piece).unwrap(), played(&mut engine, &restored).unwrap());
        assert_eq!((before.tokens, before.readout), (after.tokens, after.readout), "{}", preset.id);
    }
}

#[test]
fn a_run_file_holds_what_the_page_shows() {
    let mut engine = Engine::default();
    for (name, piece) in pieces_to_export() {
        let played = played(&mut engine, &piece).unwrap();
        let file = export(&mut engine, &piece, ExportKind::Run).unwrap();
        let run: Value = serde_json::from_slice(&file.bytes).unwrap();
        assert_eq!((&run["format"], &run["version"]), (&json!("pianola-run"), &json!(1)));
        assert_eq!(matrix(&run["input"]), played.input, "{name}");
        assert_eq!(matrix(&run["embedding"]), played.embedding, "{name}");
        assert_eq!(matrix(&run["output"]["target"]), played.target_trace.output, "{name}");
        assert_eq!(matrix(&run["output"]["universal"]), played.universal_trace.output, "{name}");
        assert_eq!(attention(&run["attention"]["target"]), played.target_trace.attention, "{name}");
        assert_eq!(attention(&run["attention"]["universal"]), played.universal_trace.attention, "{name}");
        assert_eq!(run["error"]["output"].as_f64(), Some(played.proof.output), "{name}");
        assert_eq!(run["universal"]["m"].as_u64(), Some(played.frozen.width as u64), "{name}");
        assert_eq!(run["universal"]["fingerprint"], played.frozen.fingerprint.to_string(), "{name}");
        let target = serde_json::to_vec(&run["target"]).unwrap();
        assert_eq!(transformer::files::read_target_json(&target).unwrap(), played.target, "{name}");
    }
}

#[test]
fn exported_targets_are_read_again() {
    let mut engine = Engine::default();
    for (name, piece) in pieces_to_export() {
        let expected = played(&mut engine, &piece).unwrap().target;
        for kind in [ExportKind::TargetJson, ExportKind::TargetSafetensors] {
            let file = export(&mut engine, &piece, kind).unwrap();
            let start = Piece::default();
            let piece = import(&mut engine, &start, ImportKind::Target, &file.name, &file.bytes).unwrap();
            assert_eq!(played(&mut engine, &piece).unwrap().target, expected, "{name} {kind:?}");
        }
    }
}

#[test]
fn the_exported_program_is_read_as_an_input() {
    let mut engine = Engine::default();
    let piece = random_piece();
    let expected = played(&mut engine, &piece).unwrap().embedding;
    let file = export(&mut engine, &piece, ExportKind::EmbeddingCsv).unwrap();
    let read = transformer::files::read_input(&file.bytes, &file.name).unwrap();
    assert_eq!(read, transformer::files::Input::Rows(expected), "every digit is there");
}

#[test]
fn tokens_from_a_file_are_those_of_the_text() {
    let mut engine = Engine::default();
    let preset = |id: &str| Piece::default().with_target(TargetSource::Preset(id.to_owned()));
    for (piece, tokens) in [
        (preset("majority"), vec!["a", "b", "b"]),
        (Piece::default(), vec!["a", "b", "c", "a"]),
        (random_piece(), vec!["one", "cat", "one", "piano"]),
    ] {
        let file = json!({ "tokens": tokens }).to_string();
        let imported =
            import(&mut engine, &piece, ImportKind::Input, "tokens.json", file.as_bytes()).unwrap();
        let played = played(&mut engine, &imported).unwrap();
        let found = played.tokens.unwrap();
        assert!(found.ends_with(&tokens.iter().map(ToString::to_string).collect::<Vec<_>>()), "{found:?}");
    }
}

/// A vocabulary may hold a space, or tokens that a text would be split at.
#[test]
fn tokens_that_no_text_can_say_are_still_those_of_the_file() {
    let mut engine = Engine::default();
    for tokens in [["a", " ", "b"], ["new york", "york", "new"], ["", "a", "b"]] {
        let target = with_vocabulary(&tokens);
        let expected =
            target.vocabulary().unwrap().embed(&[tokens[0], tokens[1], tokens[2], tokens[1]]).unwrap();
        let piece = Piece::default().with_target(TargetSource::Own(Box::new(target)));
        let file = json!({ "tokens": [tokens[0], tokens[1], tokens[2], tokens[1]] }).to_string();
        let piece = import(&mut engine, &piece, ImportKind::Input, "tokens.json", file.as_bytes()).unwrap();
        assert_eq!(played(&mut engine, &piece).unwrap().input, expected, "{tokens:?}");
    }
}

#[test]
fn an_imported_target_keeps_an_input_that_fits_it() {
    let mut engine = Engine::default();
    let cases = references();
    let of_width = |width: usize| cases.iter().filter(move |case| case.read().class().width == width);
    let mut four = of_width(4);
    let (first, second, other) = (four.next().unwrap(), four.next().unwrap(), of_width(3).next().unwrap());
    let piece = first.piece(Construction::Sparse);
    let same = import(&mut engine, &piece, ImportKind::Target, "t.json", &second.target_file()).unwrap();
    assert_eq!(same.input, piece.input);
    let wider = import(&mut engine, &piece, ImportKind::Target, "t.json", &other.target_file()).unwrap();
    assert_eq!(wider.input, InputSource::Example);
}

// ---- what cannot be, as a typed failure, with the engine as it was ----

#[test]
fn looped_weights_for_residual_classes_are_refused() {
    let piece = random_piece().with_class(Class { residual: true, ..RANDOM_CLASS });
    let piece = Piece { construction: Construction::Looped, ..piece };
    refuses(&piece, |failure| matches!(failure, Failure::Universal(universal::Error::LoopedResidual)));
}

#[test]
fn what_is_too_large_is_refused_with_the_nearest_that_fits() {
    let mut engine = Engine::default();
    for construction in CONSTRUCTIONS {
        let large = Piece { construction, ..random_piece() }.with_class(Class {
            heads: 8,
            layers: 12,
            ..RANDOM_CLASS
        });
        refuses(&large, |failure| matches!(failure, Failure::Universal(universal::Error::TooLarge(_))));
        let Err(Failure::Universal(universal::Error::TooLarge(refusal))) = played(&mut engine, &large) else {
            panic!("it was refused just now");
        };
        assert!(refusal.width > 1 << 32, "{refusal}");
        let nearest = refusal.nearest.unwrap();
        assert_eq!(
            (nearest.heads, nearest.width, nearest.head_width),
            (8, 4, 2),
            "layers are given up first"
        );
        // Its numbers are not computed here: it only just fits, and takes its time.
        assert!(nearest.layers < 12 && nearest.layers >= 1);
        assert!(
            universal::Capacity::default()
                .check(play::construction_of(&large, &universal::Bounds::of(&nearest)), &nearest, 6)
                .is_ok()
        );
    }
}

#[test]
fn cells_that_are_not_there_are_named() {
    let no_cell = |piece: &Piece, expected: &str| {
        refuses(piece, |failure| matches!(failure, Failure::NoSuchCell { name, .. } if name == expected));
    };
    let cell = CellEdit { row: 0, column: 1000, value: 1.0 };
    no_cell(&Piece { input_edits: vec![cell], ..random_piece() }, "X");
    no_cell(&Piece { embedding_edits: vec![cell], ..random_piece() }, "E");
    let edit = WeightEdit { layer: 1, head: 0, matrix: HeadMatrix::Wv, cell };
    no_cell(&Piece { weight_edits: vec![edit], ..random_piece() }, "layers.1.heads.0.wv");
    let edit = WeightEdit { layer: 7, ..edit };
    no_cell(&Piece { weight_edits: vec![edit], ..random_piece() }, "layers.7.heads.0.wv");
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    use transformer::Error;
    let refuses_input = |piece: &Piece, input: InputSource, is: fn(&Error) -> bool| {
        let piece = Piece { input, ..piece.clone() };
        refuses(&piece, |failure| matches!(failure, Failure::Transformer(error) if is(error)));
    };
    let text = |text: &str| InputSource::Text(text.to_owned());
    let rows = |shape| InputSource::Rows(Array2::from_elem(shape, 0.5));
    let random = random_piece();
    refuses_input(&random, rows((3, 5)), |error| matches!(error, Error::Shape { found: (3, 5), .. }));
    refuses_input(&random, rows((0, 4)), |error| *error == Error::EmptyInput);
    refuses_input(&random, InputSource::Length(0), |error| *error == Error::EmptyInput);
    refuses_input(&random, text(" "), |error| *error == Error::EmptyInput);
    let bad = InputSource::Rows(Array2::from_elem((1, 4), f64::NAN));
    refuses_input(&random, bad, |error| matches!(error, Error::NotFinite { .. }));

    let preset = Piece::default();
    refuses_input(
        &preset,
        text("ab!c"),
        |error| matches!(error, Error::UnknownToken { token, .. } if token == "!"),
    );
    refuses_input(&preset, text(&"a".repeat(10_000)), |error| matches!(error, Error::TooLong { .. }));

    let own = Piece::default().with_target(TargetSource::Own(Box::new(references()[0].read())));
    refuses_input(&own, text("a b"), |error| *error == Error::NoVocabulary);
    let preset = Piece { target: TargetSource::Preset("no-such".to_owned()), ..Piece::default() };
    refuses(&preset, |failure| *failure == Failure::NoSuchPreset("no-such".to_owned()));
}

#[test]
fn bad_files_are_refused_by_name() {
    let case = references().into_iter().find(|case| case.name == "two-heads-two-layers").unwrap();
    let json = String::from_utf8(case.target_file()).unwrap();
    let tensors = write_target_safetensors(&case.read()).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut target = case.target.clone();
        change(&mut target);
        target.to_string().into_bytes()
    };
    let target = |bytes: &[u8], is: &dyn Fn(&FileError) -> bool| refuses_file(ImportKind::Target, bytes, is);
    let input = |bytes: &[u8], is: &dyn Fn(&FileError) -> bool| refuses_file(ImportKind::Input, bytes, is);

    for kind in [ImportKind::Target, ImportKind::Input] {
        refuses_file(kind, b"", &|error| *error == FileError::Empty);
        refuses_file(kind, b" \n", &|error| *error == FileError::Empty);
        refuses_file(kind, b"<!DOCTYPE html><p>Not found", &|error| unrecognised(error, Guess::Html));
        refuses_file(kind, b"PK\x03\x04 and more", &|error| unrecognised(error, Guess::Zip));
        refuses_file(kind, b"\x80\x04\x95 and more", &|error| unrecognised(error, Guess::Pickle));
    }
    target(b"[[1, 2], [3, 4]]", &|error| unrecognised(error, Guess::Rows));
    target(b"\x93NUMPY\x01\x00", &|error| unrecognised(error, Guess::Npy));
    input(json.as_bytes(), &|error| unrecognised(error, Guess::Target));
    input(&tensors, &|error| unrecognised(error, Guess::Target));

    for end in [1, json.len() / 2, json.len() - 1] {
        target(&json.as_bytes()[..end], &|error| matches!(error, FileError::Json { .. }));
    }
    for end in [9, 20, tensors.len() / 2, tensors.len() - 1] {
        target(&tensors[..end], &|error| matches!(error, FileError::Truncated { .. }));
    }
    let huge = [&(2_u64 << 30).to_le_bytes()[..], b"{}"].concat();
    target(&huge, &|error| matches!(error, FileError::TooLarge { .. } | FileError::Truncated { .. }));

    let name = "layers.1.heads.0.wk";
    let wk = |target: &mut Value, value: Value| target["layers"][1]["heads"][0]["wk"] = value;
    target(
        &changed(&|target| wk(target, json!([[1.0, 2.0]]))),
        &|error| matches!(error, FileError::Shape { name: found, .. } if found == name),
    );
    target(
        &changed(&|target| wk(target, json!([[1.0, 2.0], [1.0]]))),
        &|error| matches!(error, FileError::Ragged { name: found, .. } if found == name),
    );
    let missing = changed(&|target| {
        target["layers"][1]["heads"][0].as_object_mut().unwrap().remove("wk");
    });
    target(&missing, &|error| matches!(error, FileError::Missing { name: found } if found == name));
    target(
        &changed(&|target| target["class"]["layers"] = json!(3)),
        &|error| matches!(error, FileError::Count { name, found: 2, expected: 3 } if name == "layers"),
    );
    target(
        &changed(&|target| target["class"]["attention"] = json!("linear")),
        &|error| matches!(error, FileError::UnknownWord { found, .. } if found == "linear"),
    );
    target(&changed(&|target| target["version"] = json!(2)), &|error| {
        matches!(error, FileError::Version { .. })
    });
    target(&changed(&|target| target["format"] = json!("x")), &|error| {
        matches!(error, FileError::Format { .. })
    });
    let nan = json.replacen("\"wq\":[[", "\"wq\":[[NaN,", 1);
    assert_ne!(nan, json);
    target(nan.as_bytes(), &|error| matches!(error, FileError::NotANumber { found, .. } if found == "NaN"));

    input(b"1,2\n3,x\n", &|error| matches!(error, FileError::NotANumber { line: 2, column: 2, .. }));
    input(b"1,2\n3,nan\n", &|error| matches!(error, FileError::NotANumber { line: 2, column: 2, .. }));
    input(b"[[1, 2], [3]]", &|error| matches!(error, FileError::Ragged { row: 1, .. }));
    input(b"[[1, 2", &|error| matches!(error, FileError::Json { .. }));
    input(b"[]", &|error| *error == FileError::Empty);
    input(br#"{"tokens": []}"#, &|error| *error == FileError::Empty);
    let npy = npy(&matrix(&case.input));
    input(&npy[..npy.len() - 1], &|error| matches!(error, FileError::Truncated { .. }));
}

#[test]
fn files_that_do_not_fit_the_view_are_refused() {
    let mut engine = Engine::default();
    let piece = random_piece();
    let import =
        |engine: &mut Engine, kind, name: &str, bytes: &[u8]| import(engine, &piece, kind, name, bytes);
    let before = played(&mut engine, &piece).unwrap();
    let wrong_width = import(&mut engine, ImportKind::Input, "x.csv", b"1,2,3\n4,5,6\n");
    assert!(
        matches!(&wrong_width, Err(Failure::Transformer(transformer::Error::Shape { name, found: (2, 3), .. })) if name == "input"),
        "{wrong_width:?}"
    );
    let large = Class { heads: 8, layers: 12, width: 1, head_width: 1, ..RANDOM_CLASS };
    let file = write_target_json(&Target::random(large, 1).unwrap()).unwrap();
    let refused = import(&mut engine, ImportKind::Target, "large.json", file.as_bytes());
    assert!(matches!(refused, Err(Failure::Universal(universal::Error::TooLarge(_)))), "{refused:?}");
    assert_eq!(played(&mut engine, &piece).unwrap(), before);

    let preset = Piece::default();
    let unknown = br#"{"tokens": ["a", "?"]}"#;
    let refused = self::import(&mut engine, &preset, ImportKind::Input, "t.json", unknown);
    assert!(
        matches!(&refused, Err(Failure::Transformer(transformer::Error::UnknownToken { token, .. })) if token == "?"),
        "{refused:?}"
    );
}

#[test]
fn run_files_that_were_changed_are_refused() {
    let mut engine = Engine::default();
    for construction in CONSTRUCTIONS {
        let piece = Piece { construction, ..random_piece() };
        let file = export(&mut engine, &piece, ExportKind::Run).unwrap();
        let run: Value = serde_json::from_slice(&file.bytes).unwrap();
        let mut refused = |change: &dyn Fn(&mut Value)| {
            let mut run = run.clone();
            change(&mut run);
            let refused =
                import(&mut engine, &piece, ImportKind::Target, "run.json", run.to_string().as_bytes());
            played(&mut engine, &piece).unwrap();
            refused.unwrap_err()
        };
        let failure = refused(&|run| run["universal"]["fingerprint"] = json!("0000 0000 0000 0000"));
        assert!(matches!(failure, Failure::Run(RunError::Fingerprint { .. })), "{failure:?}");
        let failure = refused(&|run| run["output"]["universal"][0][0] = json!(1e6));
        assert!(matches!(failure, Failure::Run(RunError::Differs { .. })), "{failure:?}");
        let failure = refused(&|run| run["embedding"][0] = json!([1.0]));
        assert!(matches!(failure, Failure::File(FileError::Ragged { .. })), "{failure:?}");
        let failure = refused(&|run| run["universal"]["construction"] = json!("dense"));
        assert!(matches!(failure, Failure::File(FileError::UnknownWord { .. })), "{failure:?}");
        let failure = refused(&|run| drop(run.as_object_mut().unwrap().remove("embedding")));
        assert!(
            matches!(failure, Failure::File(FileError::Json { .. } | FileError::Missing { .. })),
            "{failure:?}"
        );
        let failure = refused(&|run| run["target"]["layers"][0]["heads"][0]["wq"] = json!([[1.0]]));
        assert!(matches!(failure, Failure::File(FileError::Shape { .. })), "{failure:?}");
    }
}

#[test]
fn nothing_but_finite_numbers_is_proved_or_written() {
    let mut engine = Engine::default();
    let edit = CellEdit { row: 0, column: 0, value: f64::MAX };
    let piece = Piece { input_edits: vec![edit], ..random_piece() };
    match played(&mut engine, &piece) {
        Ok(played) => assert_eq!(played.proof.verdict, Verdict::NotFinite),
        Err(failure) => {
            assert!(matches!(failure, Failure::Transformer(_) | Failure::Universal(_)), "{failure:?}")
        }
    }
    assert!(export(&mut engine, &piece, ExportKind::Run).is_err());
    assert_ne!(played(&mut engine, &random_piece()).unwrap().proof.verdict, Verdict::Broken);
}

// ---- messages ----

#[test]
fn messages_cross_unchanged() {
    let mut engine = Engine::default();
    let mut requests = Vec::new();
    for (_, piece) in pieces_to_export() {
        let request = play::Request { piece: piece.clone(), consumer: Consumer::Query { layer: 0, head: 0 } };
        requests.push(Request::Universal(Box::new(request)));
        for kind in
            [ExportKind::Run, ExportKind::TargetJson, ExportKind::TargetSafetensors, ExportKind::EmbeddingCsv]
        {
            requests.push(Request::Export(Box::new(piece.clone()), kind));
        }
    }
    let case = &references()[0];
    for (kind, bytes) in [
        (ImportKind::Target, case.target_file()),
        (ImportKind::Input, b"oops".to_vec()),
        (ImportKind::Input, vec![]),
    ] {
        let piece = Box::new(random_piece());
        requests.push(Request::Import(files::Request { kind, name: "file".to_owned(), bytes, piece }));
    }
    let too_large = random_piece().with_class(Class { heads: 8, layers: 12, ..RANDOM_CLASS });
    requests
        .push(Request::Universal(Box::new(play::Request { piece: too_large, consumer: Consumer::Output })));
    for (id, request) in (0..).zip(requests) {
        crosses(&Job { id, request: request.clone() });
        crosses(&Message::Done { id, result: block_on(engine.answer(request)) });
    }
    crosses(&Message::Ready { version: VERSION });
    crosses(&Message::Crashed { message: "“ouch”".to_owned() });
    assert!(from_bytes::<Message>(&[]).is_err());
    assert!(from_bytes::<Job>(&[0xff; 40]).is_err());
}

#[test]
fn the_numbers_cross_bit_for_bit() {
    let mut engine = Engine::default();
    for (name, piece) in pieces_to_export() {
        let played = played(&mut engine, &piece).unwrap();
        let again: Played = from_bytes(&to_bytes(&played).unwrap()).unwrap();
        assert_eq!(again, played, "{name}");
    }
}

// ---- whatever a person does ----

/// What a person does at the page, one control after the other.
#[derive(Debug, Clone)]
enum Act {
    Class(usize, usize, usize, usize),
    Residual(bool),
    Attention(Attention),
    Mask(Mask),
    Scale(Scale),
    Preset(prop::sample::Index),
    RandomTarget,
    Seed(u64),
    Construction(Construction),
    Length(usize),
    Weight(prop::sample::Index, prop::sample::Index, f64),
    Input(prop::sample::Index, f64),
    Embedding(prop::sample::Index, f64),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// No control leads into a dead end: each gives numbers that are proved, or is refused for what the
    /// class or the construction cannot do.
    #[test]
    fn any_row_of_changes_gives_proved_numbers_or_a_reason(acts in prop::collection::vec(act(), 1..12)) {
        let mut engine = Engine::default();
        let mut piece = Piece::default();
        let mut last = played(&mut engine, &piece).unwrap();
        for act in acts {
            piece = act.on(piece, &last);
            match played(&mut engine, &piece) {
                Ok(played) => {
                    let exact = piece.construction != Construction::Random && piece.embedding_edits.is_empty();
                    prop_assert!(!exact || played.proof.verdict != Verdict::Broken, "{act:?} {piece:?} {:?}", played.proof);
                    last = played;
                }
                Err(Failure::Universal(universal::Error::TooLarge(_) | universal::Error::LoopedResidual)) => {}
                Err(failure) => prop_assert!(false, "{act:?}: {failure} {piece:?}"),
            }
        }
    }
}

fn act() -> impl Strategy<Value = Act> {
    let value = -2.0..2.0_f64;
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (1..=3_usize, 1..=3_usize, 1..=5_usize, 1..=3_usize)
            .prop_map(|(h, l, d, d_h)| Act::Class(h, l, d, d_h)),
        any::<bool>().prop_map(Act::Residual),
        prop::sample::select(vec![Attention::Softmax, Attention::AverageHard, Attention::LeftmostHard])
            .prop_map(Act::Attention),
        prop::sample::select(vec![Mask::None, Mask::Causal]).prop_map(Act::Mask),
        prop::sample::select(vec![Scale::InverseSqrt, Scale::Factor(0.5), Scale::Factor(-1.0)])
            .prop_map(Act::Scale),
        index().prop_map(Act::Preset),
        Just(Act::RandomTarget),
        any::<u64>().prop_map(Act::Seed),
        prop::sample::select(vec![Construction::Sparse, Construction::Looped]).prop_map(Act::Construction),
        (1..=9_usize).prop_map(Act::Length),
        (index(), index(), value.clone()).prop_map(|(matrix, cell, value)| Act::Weight(matrix, cell, value)),
        (index(), value.clone()).prop_map(|(cell, value)| Act::Input(cell, value)),
        (index(), value).prop_map(|(cell, value)| Act::Embedding(cell, value)),
    ]
}

impl Act {
    /// As the controls of the page do it: cells are those that are seen, which are those of `last`.
    fn on(&self, mut piece: Piece, last: &Played) -> Piece {
        let class = piece.class;
        let cell = |index: &prop::sample::Index, (rows, columns): (usize, usize), value: f64| {
            let place = index.index(rows * columns);
            CellEdit { row: place / columns, column: place % columns, value }
        };
        // What is on the screen can lag behind a choice that was refused; then there is nothing to point at.
        let is_current = last.piece == piece;
        match self {
            Act::Class(heads, layers, width, head_width) => piece.with_class(Class {
                heads: *heads,
                layers: *layers,
                width: *width,
                head_width: *head_width,
                ..class
            }),
            Act::Residual(residual) => piece.with_class(Class { residual: *residual, ..class }),
            Act::Attention(attention) => piece.with_class(Class { attention: *attention, ..class }),
            Act::Mask(mask) => piece.with_class(Class { mask: *mask, ..class }),
            Act::Scale(scale) => piece.with_class(Class { scale: *scale, ..class }),
            Act::Preset(index) => {
                let all = presets::all();
                let id = index.get(&all).id;
                piece.with_target(if id == RANDOM_TARGET {
                    TargetSource::Random
                } else {
                    TargetSource::Preset(id.to_owned())
                })
            }
            Act::RandomTarget => piece.with_target(TargetSource::Random),
            Act::Seed(seed) => Piece { seed: *seed, ..piece.reseeded() },
            Act::Construction(construction) => {
                Piece { construction: *construction, embedding_edits: vec![], ..piece }
            }
            Act::Length(n) => {
                piece.input_edits.retain(|edit| edit.row < *n);
                Piece { input: InputSource::Length(*n), ..piece }
            }
            Act::Weight(matrix, index, value) if is_current => {
                let place = matrix.index(class.layers * class.heads * 4);
                let (layer, head, matrix) =
                    (place / 4 / class.heads, place / 4 % class.heads, HeadMatrix::ALL[place % 4]);
                let cell = cell(index, last.target.head(layer, head).matrix(matrix).dim(), *value);
                piece.weight_edits.push(WeightEdit { layer, head, matrix, cell });
                piece
            }
            Act::Input(index, value) if is_current => {
                piece.input_edits.push(cell(index, last.input.dim(), *value));
                piece
            }
            Act::Embedding(index, value) if is_current => {
                piece.embedding_edits.push(cell(index, last.embedding.dim(), *value));
                piece
            }
            Act::Weight(..) | Act::Input(..) | Act::Embedding(..) => piece,
        }
    }
}

// ---- helpers ----

fn ask(engine: &mut Engine, piece: &Piece, consumer: Consumer) -> Result<Played, Failure> {
    match block_on(
        engine.answer(Request::Universal(Box::new(play::Request { piece: piece.clone(), consumer }))),
    )? {
        Answer::Universal(played) => {
            assert_eq!(&played.piece, piece);
            Ok(*played)
        }
        other => panic!("{other:?}"),
    }
}

fn played(engine: &mut Engine, piece: &Piece) -> Result<Played, Failure> {
    ask(engine, piece, Consumer::Output)
}

fn import(
    engine: &mut Engine,
    piece: &Piece,
    kind: ImportKind,
    name: &str,
    bytes: &[u8],
) -> Result<Piece, Failure> {
    let piece = Box::new(piece.clone());
    let request = files::Request { kind, name: name.to_owned(), bytes: bytes.to_vec(), piece };
    match block_on(engine.answer(Request::Import(request)))? {
        Answer::Import(imported) => Ok(*imported.piece),
        other => panic!("{other:?}"),
    }
}

fn export(engine: &mut Engine, piece: &Piece, kind: ExportKind) -> Result<files::Exported, Failure> {
    match block_on(engine.answer(Request::Export(Box::new(piece.clone()), kind)))? {
        Answer::Export(file) => Ok(file),
        other => panic!("{other:?}"),
    }
}

/// The piece is refused for this reason, and what was played before is played as before.
fn refuses(piece: &Piece, is: impl Fn(&Failure) -> bool) {
    let mut engine = Engine::default();
    let good = random_piece();
    let before = played(&mut engine, &good).unwrap();
    let failure = played(&mut engine, piece).unwrap_err();
    assert!(is(&failure), "{failure:?}");
    assert!(!failure.to_string().is_empty());
    assert_eq!(played(&mut engine, &good).unwrap(), before);
}

fn refuses_file(kind: ImportKind, bytes: &[u8], is: &dyn Fn(&FileError) -> bool) {
    let mut engine = Engine::default();
    let good = random_piece();
    let before = played(&mut engine, &good).unwrap();
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
    match import(&mut engine, &good, kind, "a-file", bytes) {
        Err(Failure::File(error)) => assert!(is(&error), "{start}: {error:?}"),
        other => panic!("{start}: {other:?}"),
    }
    assert_eq!(played(&mut engine, &good).unwrap(), before);
}

fn unrecognised(error: &FileError, expected: Guess) -> bool {
    matches!(error, FileError::Unrecognised { file_name, guess } if *guess == expected && file_name == "a-file")
}

fn crosses<T: serde::Serialize + serde::de::DeserializeOwned + Debug>(value: &T) {
    let bytes = to_bytes(value).unwrap();
    let again: T = from_bytes(&bytes).unwrap();
    assert_eq!(to_bytes(&again).unwrap(), bytes, "{value:?}");
}

fn same_numbers(found: &Played, expected: &Played, name: &str) {
    assert_eq!(found.target.layers(), expected.target.layers(), "{name}");
    assert_eq!(found.target.class(), expected.target.class(), "{name}");
    let numbers = |played: &Played| {
        to_bytes(&(
            &played.input,
            &played.target_trace,
            &played.universal_trace,
            &played.embedding,
            &played.frozen,
            &played.proof,
            &played.solve,
            &played.tree,
        ))
    };
    assert_eq!(numbers(found), numbers(expected), "{name}");
}

/// A random target with one token for each row of its embedding.
fn with_vocabulary(tokens: &[&str]) -> Target {
    let (class, layers, _) = Target::random(RANDOM_CLASS, 3).unwrap().into_parts();
    let vocabulary = transformer::Vocabulary {
        tokens: tokens.iter().map(ToString::to_string).collect(),
        embedding: Array2::from_shape_fn((tokens.len(), class.width), |(i, j)| {
            (3 * i + j) as f64 / 8.0 - 0.5
        }),
        positions: None,
    };
    Target::new(class, layers, Some(vocabulary)).unwrap()
}

fn random_piece() -> Piece {
    Piece::default().with_target(TargetSource::Random).with_class(RANDOM_CLASS)
}

/// Choices of every kind.
fn pieces_to_export() -> Vec<(String, Piece)> {
    let cell = |row, column, value| CellEdit { row, column, value };
    let own = TargetSource::Own(Box::new(with_vocabulary(&["do", "re", "mi"])));
    let own =
        Piece { input: InputSource::Text("mi re do re".to_owned()), ..Piece::default().with_target(own) };
    let mut all =
        vec![("the first page".to_owned(), Piece::default()), ("words of one's own".to_owned(), own)];
    for construction in CONSTRUCTIONS {
        let random = Piece { construction, ..random_piece() };
        let weight = WeightEdit { layer: 0, head: 1, matrix: HeadMatrix::Wk, cell: cell(3, 1, 1.0 / 3.0) };
        let edited = Piece {
            weight_edits: vec![weight],
            input_edits: vec![cell(2, 1, -1e-7)],
            embedding_edits: vec![cell(0, 5, 0.1), cell(3, 39, -0.0)],
            ..random.clone()
        };
        let causal = random.clone().with_class(Class {
            mask: Mask::Causal,
            attention: Attention::AverageHard,
            scale: Scale::Factor(0.3),
            ..RANDOM_CLASS
        });
        let drawn = Piece {
            input: InputSource::Length(11),
            law: Law::Sign,
            tying: Tying::Tied,
            spare: 5,
            frozen_seed: u64::MAX,
            ..random.clone()
        };
        for (name, piece) in [("random", random), ("edited", edited), ("causal", causal), ("drawn", drawn)] {
            all.push((format!("{name} {construction:?}"), piece));
        }
    }
    all
}

/// One case of an independent program: a target, an input, and what must come out.
struct Reference {
    name: String,
    target: Value,
    input: Value,
    output: Array2<f64>,
    attention: Vec<Vec<Array2<f64>>>,
    widths: Value,
}

fn references() -> Vec<Reference> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/transformer/tests/reference");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(files.len() >= 10, "the reference cases are not there");
    let read = |file: &PathBuf| {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        Reference {
            name: case["name"].as_str().unwrap().to_owned(),
            output: matrix(&case["expect"]["output"]),
            attention: attention(&case["expect"]["attention"]),
            widths: case["expect"]["widths"].clone(),
            target: case["target"].clone(),
            input: case["input"].clone(),
        }
    };
    files.iter().map(read).collect()
}

impl Reference {
    fn target_file(&self) -> Vec<u8> {
        self.target.to_string().into_bytes()
    }

    /// The input as every kind of file that it can be.
    fn input_files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let rows = matrix(&self.input);
        let line =
            |row: ndarray::ArrayView1<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let csv = rows.rows().into_iter().map(line).collect::<Vec<_>>().join("\n");
        vec![
            ("input.json", self.input.to_string().into_bytes()),
            ("input.csv", csv.into_bytes()),
            ("input.npy", npy(&rows)),
        ]
    }

    fn read(&self) -> Target {
        transformer::files::read_target_json(&self.target_file()).unwrap()
    }

    fn piece(&self, construction: Construction) -> Piece {
        let target = TargetSource::Own(Box::new(self.read()));
        let input = InputSource::Rows(matrix(&self.input));
        Piece { construction, input, ..Piece::default().with_target(target) }
    }

    /// Exact weights are held to 1e-12, solved programs to as much times their condition number.
    fn check(&self, played: &Played, name: &str) {
        assert_eq!(played.input, matrix(&self.input), "{name}");
        let bound = played.solve.as_ref().map_or(1e-12, |solve| 1e-12 * solve.condition.max(1e3));
        for (trace, bound) in [(&played.target_trace, 1e-12), (&played.universal_trace, bound)] {
            let error = difference(trace.output.view(), self.output.view());
            assert!(error <= bound, "{name}: output {error:e} > {bound:e}");
            let counts: Vec<usize> = trace.attention.iter().map(Vec::len).collect();
            assert_eq!(counts, self.attention.iter().map(Vec::len).collect::<Vec<_>>(), "{name}");
            for (found, expected) in trace.attention.iter().flatten().zip(self.attention.iter().flatten()) {
                let error = difference(found.view(), expected.view());
                assert!(error <= bound, "{name}: attention {error:e} > {bound:e}");
            }
        }
        assert!(
            matches!(played.proof.verdict, Verdict::Exact | Verdict::WithinTolerance),
            "{name}: {:?}",
            played.proof
        );
    }
}

fn matrix(rows: &Value) -> Array2<f64> {
    let number = |number: &Value| number.as_f64().unwrap();
    let rows: Vec<Vec<f64>> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(number).collect())
        .collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

fn attention(layers: &Value) -> Vec<Vec<Array2<f64>>> {
    let layer = |layer: &Value| layer.as_array().unwrap().iter().map(matrix).collect();
    layers.as_array().unwrap().iter().map(layer).collect()
}

fn difference(a: ArrayView2<f64>, b: ArrayView2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    // `max` would ignore a NaN.
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |most: f64, error| if most.is_nan() || error <= most { most } else { error })
}

/// A `.npy` file, version 1, as numpy writes it.
fn npy(matrix: &Array2<f64>) -> Vec<u8> {
    let (rows, columns) = matrix.dim();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(matrix.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}
