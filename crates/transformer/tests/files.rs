//! Files: what is written is read back bit for bit, and what is wrong is named.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use half::{bf16, f16};
use ndarray::{Array2, array};
use proptest::prelude::*;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};
use transformer::files::{
    FileError, Guess, Input, Limits, check_limits, read_input, read_target, read_target_json,
    read_target_safetensors, write_target_json, write_target_safetensors,
};
use transformer::{Attention, Class, Head, Layer, Mask, Scale, Target, Vocabulary, presets};

// What is written is read back.

proptest! {
    #[test]
    fn json_keeps_every_bit(target in any_target()) {
        let text = write_target_json(&target).unwrap();
        let back = read_target(text.as_bytes(), "x.json").unwrap();
        prop_assert_eq!(bits(&back), bits(&target));
        prop_assert_eq!(back, target);
    }

    #[test]
    fn safetensors_keep_every_bit(target in any_target()) {
        let bytes = write_target_safetensors(&target).unwrap();
        let back = read_target(&bytes, "x.safetensors").unwrap();
        prop_assert_eq!(bits(&back), bits(&target));
        prop_assert_eq!(&back, &target);
        prop_assert_eq!(write_target_safetensors(&back).unwrap(), bytes);
    }

    /// The reference implementation of the format agrees on what our files hold.
    #[test]
    fn the_safetensors_crate_reads_our_files(target in any_target()) {
        let bytes = write_target_safetensors(&target).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        for (l, layer) in target.layers().iter().enumerate() {
            for (h, head) in layer.heads.iter().enumerate() {
                for (name, matrix) in
                    [("wq", &head.wq), ("wk", &head.wk), ("wv", &head.wv), ("wo", &head.wo)]
                {
                    let view = file.tensor(&format!("layers.{l}.heads.{h}.{name}")).unwrap();
                    prop_assert_eq!(view.dtype(), Dtype::F64);
                    prop_assert_eq!(view.shape(), matrix.shape());
                    let data: Vec<u8> = matrix.iter().flat_map(|x| x.to_le_bytes()).collect();
                    prop_assert_eq!(view.data(), &data[..]);
                }
            }
        }
    }

    /// No change of a few bytes makes a reader panic, and what it still accepts is a target.
    #[test]
    fn damaged_files_are_refused_or_read(
        target in any_target(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        for mut bytes in [
            write_target_json(&target).unwrap().into_bytes(),
            write_target_safetensors(&target).unwrap(),
        ] {
            for (place, value) in &damage {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
            let _ = read_target(&bytes, "damaged");
            let _ = read_input(&bytes, "damaged");
            bytes.truncate(cut.index(bytes.len()));
            prop_assert!(read_target_safetensors(&bytes).is_err());
            let _ = read_target(&bytes, "cut");
            let _ = read_input(&bytes, "cut");
        }
    }

    #[test]
    fn inputs_keep_every_bit(rows in any_matrix(1..6, 1..6)) {
        let lists: Vec<Vec<f64>> = rows.rows().into_iter().map(|row| row.to_vec()).collect();
        let json = serde_json::to_string(&lists).unwrap();
        prop_assert_eq!(row_bits(&read_input(json.as_bytes(), "x.json").unwrap()), matrix_bits(&rows));
        for (separator, decimal) in [(",", "."), ("\t", "."), ("  ", "."), (";", ",")] {
            // A single column shows no separator, so nothing says that its commas are decimal.
            let decimal = if rows.ncols() == 1 { "." } else { decimal };
            let line = |row: &Vec<f64>| {
                let cells: Vec<String> = row.iter().map(|x| format!("{x:?}").replace('.', decimal)).collect();
                cells.join(separator)
            };
            let table: String = lists.iter().map(|row| line(row) + "\r\n").collect();
            prop_assert_eq!(row_bits(&read_input(table.as_bytes(), "x.csv").unwrap()), matrix_bits(&rows));
        }
        for column_major in [false, true] {
            let file = npy("<f8", column_major, &[rows.nrows(), rows.ncols()], &order(&rows, column_major)
                .flat_map(f64::to_le_bytes).collect::<Vec<_>>());
            prop_assert_eq!(row_bits(&read_input(&file, "x.npy").unwrap()), matrix_bits(&rows));
        }
    }
}

#[test]
fn presets_survive_both_formats() {
    for preset in presets::all() {
        let json = write_target_json(&preset.target).unwrap();
        assert_eq!(read_target(json.as_bytes(), "preset.json").unwrap(), preset.target, "{}", preset.id);
        let bytes = write_target_safetensors(&preset.target).unwrap();
        assert_eq!(read_target(&bytes, "preset.safetensors").unwrap(), preset.target, "{}", preset.id);
    }
}

#[test]
fn a_vocabulary_without_positions_or_without_any_token_survives() {
    let (class, layers, _) = small_target().into_parts();
    for tokens in [vec![], vec!["é\"\n".to_owned()]] {
        let vocabulary = Vocabulary {
            embedding: Array2::ones((tokens.len(), class.width)),
            tokens,
            positions: Some(Array2::zeros((0, class.width))),
        };
        let target = Target::new(class, layers.clone(), Some(vocabulary)).unwrap();
        assert_eq!(read_target(write_target_json(&target).unwrap().as_bytes(), "").unwrap(), target);
        assert_eq!(read_target(&write_target_safetensors(&target).unwrap(), "").unwrap(), target);
    }
}

#[test]
fn shorter_numbers_are_read_exactly() {
    let wanted = small_target();
    for dtype in [Dtype::F64, Dtype::F32, Dtype::F16, Dtype::BF16] {
        let bytes = by_the_crate(&wanted, dtype, metadata(&wanted));
        assert_eq!(read_target(&bytes, "x.safetensors").unwrap(), wanted, "{dtype:?}");
    }
}

#[test]
fn metadata_may_be_json_text_and_tensors_may_be_more() {
    let target = small_target();
    let mut metadata = metadata(&target);
    metadata.insert("format".into(), "\"pianola-target\"".into());
    metadata.insert("version".into(), "\"1\"".into());
    metadata.insert("made by".into(), "a test".into());
    let bytes = by_the_crate(&target, Dtype::F64, metadata);
    assert_eq!(read_target(&bytes, "x.safetensors").unwrap(), target);
}

#[test]
fn a_byte_order_mark_and_white_space_do_not_matter() {
    let target = small_target();
    let text = format!("\u{feff}\r\n  {}\n", write_target_json(&target).unwrap());
    assert_eq!(read_target(text.as_bytes(), "x.json").unwrap(), target);
}

/// The seeds of the fuzz targets come from Python: numpy, json, and safetensors by `export_target.py`.
#[test]
fn files_that_python_wrote_are_read() {
    let seeds = |kind: &str| {
        let folder = format!("{}/../../fuzz/seeds/{kind}", env!("CARGO_MANIFEST_DIR"));
        let files: HashMap<String, Vec<u8>> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap())
            })
            .collect();
        assert!(!files.is_empty());
        files
    };
    let targets = |kind| -> HashMap<String, Target> {
        let read = |(name, bytes): (String, Vec<u8>)| {
            let target = read_target(&bytes, &name).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name.split_once('.').unwrap().0.to_owned(), target)
        };
        seeds(kind).into_iter().map(read).collect()
    };
    // The same targets, once as JSON and once as safetensors.
    let (json, safetensors) = (targets("target_json"), targets("target_safetensors"));
    for name in ["average-hard-with-ties", "leftmost-hard-causal-with-ties", "one-token"] {
        assert_eq!(json[name], safetensors[name], "{name}");
    }
    assert_eq!(safetensors["half"], safetensors["vocabulary"]);

    let counting = array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
    for (name, bytes) in seeds("input") {
        let input = read_input(&bytes, &name).unwrap_or_else(|error| panic!("{name}: {error}"));
        if name.ends_with(".npy") {
            assert_eq!(input, Input::Rows(counting.clone()), "{name}");
        }
    }
}

// What is wrong is named: JSON.

#[test]
fn json_that_lacks_a_part_names_it() {
    for (path, name) in [
        ("/format", "format"),
        ("/version", "version"),
        ("/class", "class"),
        ("/class/heads", "class.heads"),
        ("/class/head_width", "class.head_width"),
        ("/class/attention", "class.attention"),
        ("/class/mask", "class.mask"),
        ("/class/scale", "class.scale"),
        ("/class/residual", "class.residual"),
        ("/layers", "layers"),
        ("/layers/1/heads", "layers.1.heads"),
        ("/layers/1/heads/0/wk", "layers.1.heads.0.wk"),
        ("/vocabulary/tokens", "vocabulary.tokens"),
        ("/vocabulary/embedding", "vocabulary.embedding"),
    ] {
        let (parent, key) = path.rsplit_once('/').unwrap();
        let error = edited(|file| {
            file.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
        });
        assert_eq!(error, FileError::Missing { name: name.to_owned() });
    }
}

#[test]
fn json_with_an_unknown_word_lists_what_is_known() {
    let error = edited(|file| file["class"]["attention"] = json!("linear"));
    assert_eq!(
        error,
        FileError::UnknownWord {
            name: "class.attention".into(),
            found: "linear".into(),
            known: vec!["softmax".into(), "average-hard".into(), "leftmost-hard".into()],
        }
    );
    assert_eq!(
        error.to_string(),
        "class.attention is “linear”; known are softmax, average-hard, leftmost-hard"
    );
    let error = edited(|file| file["class"]["mask"] = json!("sliding"));
    assert!(matches!(error, FileError::UnknownWord { name, .. } if name == "class.mask"));
    for scale in [json!("sqrt"), json!([1]), json!(true)] {
        let error = edited(|file| file["class"]["scale"] = scale);
        assert!(matches!(error, FileError::UnknownWord { name, .. } if name == "class.scale"));
    }
}

#[test]
fn json_of_another_kind_or_version_is_refused_before_all_else() {
    let error = read_target(br#"{"format": "pianola-run", "version": 1, "target": 7}"#, "run.json");
    assert_eq!(
        error,
        Err(FileError::Format { found: "pianola-run".into(), expected: "pianola-target".into() })
    );
    let error =
        read_target(br#"{"format": "pianola-target", "version": 2, "layers": "elsewhere"}"#, "new.json");
    assert_eq!(error, Err(FileError::Version { found: "2".into(), known: 1 }));
}

#[test]
fn json_of_the_wrong_shape_says_found_and_expected() {
    let shape = |name: &str, found: [u64; 2], expected: &str| FileError::Shape {
        name: name.into(),
        found: found.to_vec(),
        expected: expected.into(),
    };
    let error = edited(|file| file["layers"][0]["heads"][1]["wq"] = json!([[1, 2]]));
    assert_eq!(error, shape("layers.0.heads.1.wq", [1, 2], "3×2"));
    assert_eq!(error.to_string(), "layers.0.heads.1.wq has shape 1×2, but 3×2 is needed");
    let error = edited(|file| file["layers"][1]["heads"][0]["wo"] = json!([[1, 2, 3]]));
    assert_eq!(error, shape("layers.1.heads.0.wo", [1, 3], "4×3"));
    let error = edited(|file| file["layers"][1]["heads"][0]["wv"] = json!([[], [], []]));
    assert_eq!(error, shape("layers.1.heads.0.wv", [3, 0], "3×v with v ≥ 1"));
    let error = edited(|file| file["vocabulary"]["tokens"] = json!(["a"]));
    assert_eq!(error, shape("vocabulary.embedding", [2, 3], "1×3"));
    let error = edited(|file| file["vocabulary"]["positions"] = json!([[1.0]]));
    assert_eq!(error, shape("vocabulary.positions", [1, 1], "1×3"));
    let error = edited(|file| file["layers"][0]["heads"][0]["wk"] = json!([[1, 2], [1], [1, 2]]));
    assert_eq!(
        error,
        FileError::Ragged { name: "layers.0.heads.0.wk".into(), row: 1, found: 1, expected: 2 }
    );
    let error = edited(|file| file["layers"][0]["heads"].as_array_mut().unwrap().truncate(1));
    assert_eq!(error, FileError::Count { name: "layers.0.heads".into(), found: 1, expected: 2 });
    let error = edited(|file| file["layers"].as_array_mut().unwrap().clear());
    assert_eq!(error, FileError::Count { name: "layers".into(), found: 0, expected: 2 });
}

#[test]
fn json_with_a_syntax_error_says_line_and_column() {
    let error = read_target(b"{\n  \"format\": \"pianola-target\",\n  \"version\": 1,,\n}", "x.json");
    assert!(matches!(error, Err(FileError::Json { line: 3, column: 16, .. })), "{error:?}");
    let text = write_target_json(&small_target()).unwrap();
    let error = read_target(&text.as_bytes()[..text.len() / 2], "x.json").unwrap_err();
    assert!(matches!(&error, FileError::Json { line: 1, reason, .. } if reason.contains("EOF")), "{error:?}");
    let wrong_type = text.replacen("\"heads\":2", "\"heads\":\"two\"", 1);
    let error = read_target(wrong_type.as_bytes(), "x.json").unwrap_err();
    assert!(matches!(&error, FileError::Json { reason, .. } if reason.contains("\"two\"")), "{error:?}");
    let nested = format!("{{\"format\": {}", "[".repeat(1 << 20));
    assert!(matches!(read_target(nested.as_bytes(), "x.json"), Err(FileError::Json { .. })));
    let double = text.replacen("\"version\":1", "\"version\":1,\"version\":1", 1);
    assert!(matches!(read_target(double.as_bytes(), "x.json"), Err(FileError::Json { .. })));
}

#[test]
fn json_with_a_number_that_is_not_finite_says_so() {
    let text = write_target_json(&small_target()).unwrap().replace("[[", "[\n[");
    for word in ["NaN", "Infinity", "-Infinity"] {
        let text = text.replacen("\"wq\":[\n[0.5", &format!("\"wq\":[\n[{word}"), 1);
        let error = read_target(text.as_bytes(), "x.json").unwrap_err();
        assert!(
            matches!(&error, FileError::NotANumber { line: 2, found, .. } if found == word),
            "{word}: {error:?}"
        );
    }
    let text = text.replacen("\"wq\":[\n[0.5", "\"wq\":[\n[1e999", 1);
    let error = read_target(text.as_bytes(), "x.json").unwrap_err();
    assert!(
        matches!(&error, FileError::Json { line: 2, reason, .. } if reason.contains("range")),
        "{error:?}"
    );
}

#[test]
fn sizes_beyond_reason_are_refused_before_anything_is_made() {
    for (field, value) in [
        ("heads", json!(256)),
        ("layers", json!(65)),
        ("width", json!(65_537)),
        ("head_width", json!(u64::MAX)),
    ] {
        let error = edited(|file| file["class"][field] = value.clone());
        let FileError::TooLarge { name, found, .. } = error else { panic!("{field}: {error:?}") };
        assert_eq!((name, Some(found)), (format!("class.{field}"), value.as_u64()));
    }
    // Each of them is possible, all of them together are not.
    let class = Class { heads: 255, layers: 64, width: 65_536, head_width: 65_536, ..small_class() };
    let found = 2 * 255 * 64 * 65_536 * 65_536;
    assert_eq!(
        check_limits(&class),
        Err(FileError::TooLarge { name: "weights".into(), found, most: Limits::STANDARD.weights })
    );
    assert_eq!(check_limits(&small_class()), Ok(()));
    for (field, value) in [("heads", json!(0)), ("width", json!(0))] {
        let error = edited(|file| file["class"][field] = value);
        assert!(matches!(error, FileError::Class { name, .. } if name == field));
    }
    let error = edited(|file| file["class"]["heads"] = json!(-1));
    assert!(matches!(error, FileError::Json { .. }));
}

#[test]
fn messages_stay_short_whatever_the_file_says() {
    let long = "x".repeat(1 << 20);
    for field in ["attention", "mask", "scale", "heads"] {
        assert!(edited(|file| file["class"][field] = json!(long)).to_string().len() < 1000, "{field}");
    }
    assert!(edited(|file| file["format"] = json!(long)).to_string().len() < 1000);
    assert!(edited(|file| file["version"] = json!([long])).to_string().len() < 1000);
    assert!(read_input(format!("1,2\n3,{long}").as_bytes(), "x.csv").unwrap_err().to_string().len() < 1000);
}

// What is wrong is named: safetensors.

#[test]
fn a_header_that_claims_gigabytes_is_refused() {
    for claimed in [2_u64 << 30, 100_000_001, u64::from(u32::MAX)] {
        let bytes = [&claimed.to_le_bytes()[..], b"{}"].concat();
        assert_eq!(
            read_target(&bytes, "x.safetensors"),
            Err(FileError::TooLarge { name: "header".into(), found: claimed, most: 100_000_000 })
        );
    }
    assert!(matches!(read_target_safetensors(&[0xff; 64]), Err(FileError::TooLarge { .. })));
    let bytes = [&99_000_000_u64.to_le_bytes()[..], b"{}"].concat();
    assert_eq!(
        read_target(&bytes, "x.safetensors"),
        Err(FileError::Truncated { name: "header".into(), needed: 99_000_008, found: 10 })
    );
}

#[test]
fn safetensors_that_are_cut_name_the_tensor() {
    let whole = write_target_safetensors(&small_target()).unwrap();
    let cut = &whole[..whole.len() - 1];
    assert_eq!(
        read_target(cut, "x.safetensors"),
        Err(FileError::Truncated {
            name: "vocabulary.positions".into(),
            needed: whole.len() as u64,
            found: cut.len() as u64,
        })
    );
    assert_eq!(
        read_target_safetensors(b"1234"),
        Err(FileError::Truncated { name: "header".into(), needed: 8, found: 4 })
    );
}

#[test]
fn safetensors_that_lack_a_part_name_it() {
    let target = small_target();
    for name in ["format", "version", "class", "tokens"] {
        let mut metadata = metadata(&target);
        metadata.remove(name);
        assert_eq!(
            read_target(&by_the_crate(&target, Dtype::F64, metadata), "x.safetensors"),
            Err(FileError::Missing { name: format!("__metadata__.{name}") })
        );
    }
    for name in ["layers.1.heads.0.wv", "vocabulary.embedding"] {
        let bytes = with_header(&target, |header| {
            header.as_object_mut().unwrap().remove(name).unwrap();
        });
        assert_eq!(read_target(&bytes, "x.safetensors"), Err(FileError::Missing { name: name.to_owned() }));
    }
}

#[test]
fn safetensors_with_wrong_tensors_say_which_and_why() {
    let name = "layers.0.heads.1.wk";
    let refused = |edit: &dyn Fn(&mut Value)| {
        let bytes = with_header(&small_target(), |header| edit(&mut header[name]));
        read_target(&bytes, "x.safetensors").unwrap_err()
    };
    let error = refused(&|tensor| tensor["dtype"] = json!("I64"));
    assert_eq!(error.to_string(), "layers.0.heads.1.wk.dtype is “I64”; known are F64, F32, F16, BF16");
    assert_eq!(
        refused(&|tensor| tensor["shape"] = json!([2, 3])),
        FileError::Shape { name: name.into(), found: vec![2, 3], expected: "3×2".into() }
    );
    assert_eq!(
        refused(&|tensor| tensor["shape"] = json!([6])),
        FileError::Shape { name: name.into(), found: vec![6], expected: "3×2".into() }
    );
    assert_eq!(
        refused(&|tensor| tensor["shape"] = json!([3, 3])),
        FileError::Extent { name: name.into(), needed: 72, found: 48 }
    );
    // Sizes whose product does not fit 64 bits, offsets beyond the file, offsets that go backwards.
    assert!(matches!(refused(&|tensor| tensor["shape"] = json!([u64::MAX, 2])), FileError::Extent { .. }));
    let far = refused(&|tensor| tensor["data_offsets"] = json!([u64::MAX - 48, u64::MAX]));
    assert!(matches!(&far, FileError::Truncated { name: tensor, .. } if tensor == name), "{far:?}");
    assert!(matches!(refused(&|tensor| tensor["data_offsets"] = json!([48, 0])), FileError::Extent { .. }));
    let empty = refused(&|tensor| {
        tensor["shape"] = json!([u64::MAX, 0]);
        tensor["data_offsets"] = json!([0, 0]);
    });
    assert!(matches!(&empty, FileError::Shape { name: tensor, .. } if tensor == name), "{empty:?}");
    let shapeless = refused(&|tensor| *tensor = json!({"dtype": "F64"}));
    assert!(matches!(&shapeless, FileError::HeaderJson { name, .. } if name == "header"), "{shapeless:?}");
}

#[test]
fn safetensors_with_a_number_that_is_not_finite_say_where() {
    let target = small_target();
    let mut bytes = write_target_safetensors(&target).unwrap();
    let end = bytes.len();
    bytes[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
    assert_eq!(
        read_target(&bytes, "x.safetensors"),
        Err(FileError::NotFinite {
            name: "vocabulary.positions".into(),
            row: 1,
            column: 2,
            value: "NaN".into()
        })
    );
}

#[test]
fn safetensors_with_a_wrong_class_are_refused_as_json_is() {
    let target = small_target();
    let refused = |class: &str| {
        let mut metadata = metadata(&target);
        metadata.insert("class".into(), class.into());
        read_target(&by_the_crate(&target, Dtype::F64, metadata), "x.safetensors").unwrap_err()
    };
    let error = refused("{\"heads\": 2,\n]");
    assert!(
        matches!(&error, FileError::HeaderJson { name, line: 2, .. } if name == "__metadata__.class"),
        "{error:?}"
    );
    let class = metadata(&target)["class"].replace("softmax", "sparsemax");
    assert!(matches!(refused(&class), FileError::UnknownWord { found, .. } if found == "sparsemax"));
    let class = metadata(&target)["class"].replace("\"layers\":2", "\"layers\":3");
    assert_eq!(refused(&class), FileError::Missing { name: "layers.2.heads.0.wq".into() });
}

// What is wrong is named: other files.

#[test]
fn files_of_other_kinds_are_recognised() {
    let guess = |bytes: &[u8]| match read_target(bytes, "model.bin") {
        Err(FileError::Unrecognised { file_name, guess }) => {
            assert_eq!(file_name, "model.bin");
            guess
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(guess(b"<!doctype html><html></html>"), Guess::Html);
    assert_eq!(guess(b"PK\x03\x04rest"), Guess::Zip);
    assert_eq!(guess(b"\x80\x02}q\x00"), Guess::Pickle);
    assert_eq!(guess(&npy("<f8", false, &[1, 1], &[0; 8])), Guess::Npy);
    assert_eq!(guess(b"[[1, 2]]"), Guess::Rows);
    assert_eq!(guess(b"hello"), Guess::Other);
    assert_eq!(read_target(b"", "x"), Err(FileError::Empty));
    assert_eq!(read_target(b" \n\t", "x"), Err(FileError::Empty));
    assert_eq!(read_target(b"\xff\xfe{\0", "x"), Err(FileError::NotUtf8 { byte: 0 }));
    assert_eq!(read_target(b"{\"a\": \"\xe9\"}", "x"), Err(FileError::NotUtf8 { byte: 7 }));
}

#[test]
fn errors_cross_to_another_thread_of_the_page_unchanged() {
    let errors = [
        edited(|file| file["class"]["attention"] = json!("linear")),
        read_target(b"hello", "x").unwrap_err(),
        read_target(b"{", "x").unwrap_err(),
        edited(|file| file["class"]["width"] = json!(1 << 20)),
    ];
    for error in errors {
        let bytes = postcard::to_allocvec(&error).unwrap();
        assert_eq!(postcard::from_bytes::<FileError>(&bytes).unwrap(), error);
    }
    let input = Input::Rows(array![[1.0, 2.0]]);
    let bytes = postcard::to_allocvec(&input).unwrap();
    assert_eq!(postcard::from_bytes::<Input>(&bytes).unwrap(), input);
}

// Inputs.

#[test]
fn tokens_are_read() {
    let input = read_input(br#"{"tokens": ["a", "b"]}"#, "x.json").unwrap();
    assert_eq!(input, Input::Tokens(vec!["a".into(), "b".into()]));
    assert_eq!(read_input(br#"{"tokens": []}"#, "x.json"), Err(FileError::Empty));
    assert_eq!(read_input(br#"{"token": []}"#, "x.json"), Err(FileError::Missing { name: "tokens".into() }));
}

#[test]
fn a_target_is_no_input() {
    let target = small_target();
    for bytes in
        [write_target_json(&target).unwrap().into_bytes(), write_target_safetensors(&target).unwrap()]
    {
        assert!(matches!(read_input(&bytes, "x"), Err(FileError::Unrecognised { guess: Guess::Target, .. })));
    }
}

#[test]
fn tables_are_read_as_people_write_them() {
    let rows = Input::Rows(array![[1.0, -2.5], [3e2, 4.0]]);
    for table in [
        "1,-2.5\n300,4",
        "x,y\n1,-2.5\n300,4\n",
        "# made by numpy\n1.0e0 -2.5e0\n  3.0e2   4.0e0\n",
        "a;b\r\n1,0;-2,5\r\n\r\n300;4\r\n",
        "\u{feff}1\t-2.5\n300\t4",
    ] {
        assert_eq!(read_input(table.as_bytes(), "x.csv").as_ref(), Ok(&rows), "{table:?}");
    }
}

#[test]
fn tables_that_are_wrong_say_where() {
    let refused = |table: &str| read_input(table.as_bytes(), "x.csv").unwrap_err();
    assert_eq!(
        refused("1,2\n\n3"),
        FileError::Ragged { name: "input".into(), row: 1, found: 1, expected: 2 }
    );
    for (cell, found) in [("x", "x"), ("nan", "nan"), ("inf", "inf"), ("1e999", "1e999"), ("", "")] {
        assert_eq!(
            refused(&format!("a,b\n1,2\n3,{cell}")),
            FileError::NotANumber { line: 3, column: 2, found: found.into() }
        );
    }
    assert_eq!(refused("hello"), FileError::NotANumber { line: 1, column: 1, found: "hello".into() });
    assert_eq!(refused("# only a remark"), FileError::Empty);
    assert_eq!(refused(""), FileError::Empty);
    assert!(matches!(refused("<html>"), FileError::Unrecognised { guess: Guess::Html, .. }));
    assert_eq!(read_input(b"1,2\n3,\xe9", "x.csv"), Err(FileError::NotUtf8 { byte: 6 }));
}

#[test]
fn json_rows_that_are_wrong_say_where() {
    let refused = |text: &str| read_input(text.as_bytes(), "x.json").unwrap_err();
    assert_eq!(
        refused("[[1, 2], [3]]"),
        FileError::Ragged { name: "input".into(), row: 1, found: 1, expected: 2 }
    );
    assert_eq!(refused("[]"), FileError::Empty);
    assert_eq!(refused("[[]]"), FileError::Empty);
    assert_eq!(refused("[[1],\n[NaN]]"), FileError::NotANumber { line: 2, column: 2, found: "NaN".into() });
    assert!(matches!(refused("[[1], 2]"), FileError::Json { line: 1, .. }));
    assert!(matches!(refused("[[1]"), FileError::Json { .. }));
}

#[test]
fn npy_is_read_in_every_type_and_order() {
    let rows = array![[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]];
    for column_major in [false, true] {
        let numbers: Vec<f64> = order(&rows, column_major).collect();
        for (descr, data) in [
            ("<f8", numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()),
            (">f8", numbers.iter().flat_map(|x| x.to_be_bytes()).collect()),
            ("<f4", numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect()),
            (">f4", numbers.iter().flat_map(|x| (*x as f32).to_be_bytes()).collect()),
            ("<i8", numbers.iter().flat_map(|x| (*x as i64).to_le_bytes()).collect()),
            (">i8", numbers.iter().flat_map(|x| (*x as i64).to_be_bytes()).collect()),
            ("<i4", numbers.iter().flat_map(|x| (*x as i32).to_le_bytes()).collect()),
            (">i4", numbers.iter().flat_map(|x| (*x as i32).to_be_bytes()).collect()),
        ] {
            let file = npy(descr, column_major, &[2, 3], &data);
            assert_eq!(read_input(&file, "x.npy"), Ok(Input::Rows(rows.clone())), "{descr}, {column_major}");
        }
    }
}

#[test]
fn npy_that_is_wrong_says_why() {
    let refused = |file: &[u8]| read_input(file, "x.npy").unwrap_err();
    let error = refused(&npy("<c16", false, &[1, 1], &[0; 16]));
    assert!(
        matches!(error, FileError::UnknownWord { name, found, .. } if name == "descr" && found == "<c16")
    );
    assert_eq!(
        refused(&npy("<f8", false, &[4], &[0; 32])),
        FileError::Shape { name: "input".into(), found: vec![4], expected: "positions×width".into() }
    );
    assert!(matches!(refused(&npy("<f8", false, &[], &[0; 8])), FileError::Shape { .. }));
    assert!(matches!(refused(&npy("<f8", false, &[0, 3], &[])), FileError::Empty));
    let file = npy("<f8", false, &[1 << 30, 1 << 30], &[0; 32]);
    let error = refused(&file);
    assert!(matches!(&error, FileError::Truncated { name, .. } if name == "input"), "{error:?}");
    let error = refused(&npy("<f8", false, &[usize::MAX, usize::MAX], &[0; 32]));
    assert!(matches!(error, FileError::Truncated { needed: u64::MAX, .. }));
    assert_eq!(
        refused(&npy("<f8", false, &[1, 2], &[1.0_f64.to_le_bytes(), f64::NAN.to_le_bytes()].concat())),
        FileError::NotFinite { name: "input".into(), row: 0, column: 1, value: "NaN".into() }
    );
    let whole = npy("<f8", false, &[2, 2], &[0; 32]);
    for length in 6..whole.len() {
        assert!(
            matches!(refused(&whole[..length]), FileError::Truncated { .. }),
            "cut at {length}: {:?}",
            refused(&whole[..length])
        );
    }
    let error = refused(b"\x93NUMPY\x02\x00\x00\x00\x00\x80{}");
    assert!(matches!(error, FileError::Truncated { needed, .. } if needed == 12 + (1 << 31)));
    assert!(matches!(refused(b"\x93NUMPY\x01\x00\x02\x00{}"), FileError::NpyHeader { .. }));
    assert!(matches!(refused(b"\x93NUMPY\x09\x00\x02\x00{}"), FileError::Version { .. }));
}

// Helpers.

fn small_class() -> Class {
    Class {
        heads: 2,
        layers: 2,
        width: 3,
        head_width: 2,
        attention: Attention::Softmax,
        mask: Mask::Causal,
        scale: Scale::InverseSqrt,
        residual: true,
    }
}

/// Two layers of two heads with value width 4 and a vocabulary, in numbers that fit every type.
fn small_target() -> Target {
    let filled =
        |rows, columns| Array2::from_shape_fn((rows, columns), |(i, j)| 0.5 + i as f64 - 0.25 * j as f64);
    let head = Head { wq: filled(3, 2), wk: filled(3, 2), wv: filled(3, 4), wo: filled(4, 3) };
    let layer = Layer { heads: vec![head.clone(), head] };
    let vocabulary = Vocabulary {
        tokens: vec!["a".into(), "b".into()],
        embedding: filled(2, 3),
        positions: Some(filled(2, 3)),
    };
    Target::new(small_class(), vec![layer.clone(), layer], Some(vocabulary)).unwrap()
}

/// How the JSON file of the small target is refused after an edit.
fn edited(edit: impl FnOnce(&mut Value)) -> FileError {
    let mut file: Value = serde_json::from_str(&write_target_json(&small_target()).unwrap()).unwrap();
    edit(&mut file);
    read_target_json(file.to_string().as_bytes()).unwrap_err()
}

fn metadata(target: &Target) -> HashMap<String, String> {
    let bytes = write_target_safetensors(target).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    metadata.metadata().clone().unwrap().into_iter().collect()
}

/// The file of `target` as the safetensors crate writes it.
fn by_the_crate(target: &Target, dtype: Dtype, metadata: HashMap<String, String>) -> Vec<u8> {
    let encode = |x: &f64| -> Vec<u8> {
        match dtype {
            Dtype::F64 => x.to_le_bytes().to_vec(),
            Dtype::F32 => (*x as f32).to_le_bytes().to_vec(),
            Dtype::F16 => f16::from_f64(*x).to_le_bytes().to_vec(),
            Dtype::BF16 => bf16::from_f64(*x).to_le_bytes().to_vec(),
            other => panic!("{other:?}"),
        }
    };
    let mut tensors: Vec<(String, &Array2<f64>)> = Vec::new();
    for (l, layer) in target.layers().iter().enumerate() {
        for (h, head) in layer.heads.iter().enumerate() {
            for (name, matrix) in [("wq", &head.wq), ("wk", &head.wk), ("wv", &head.wv), ("wo", &head.wo)] {
                tensors.push((format!("layers.{l}.heads.{h}.{name}"), matrix));
            }
        }
    }
    let vocabulary = target.vocabulary().unwrap();
    tensors.push(("vocabulary.embedding".into(), &vocabulary.embedding));
    tensors.push(("vocabulary.positions".into(), vocabulary.positions.as_ref().unwrap()));
    let data: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, matrix)| (name, matrix.shape().to_vec(), matrix.iter().flat_map(encode).collect()))
        .collect();
    let views = data
        .iter()
        .map(|(name, shape, data)| (name.clone(), TensorView::new(dtype, shape.clone(), data).unwrap()));
    safetensors::serialize(views, Some(metadata.into_iter().collect())).unwrap()
}

/// The safetensors file of `target` with another header.
fn with_header(target: &Target, edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let bytes = write_target_safetensors(target).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    edit(&mut header);
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes[8 + length..]].concat()
}

/// A `.npy` file, version 1, as numpy writes it.
fn npy(descr: &str, column_major: bool, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(|size| format!("{size},")).collect();
    let order = if column_major { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({}), }}", sizes.join(" "));
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn order(rows: &Array2<f64>, column_major: bool) -> impl Iterator<Item = f64> {
    let view = if column_major { rows.t() } else { rows.view() };
    view.iter().copied().collect::<Vec<_>>().into_iter()
}

fn matrix_bits(matrix: &Array2<f64>) -> (Vec<usize>, Vec<u64>) {
    (matrix.shape().to_vec(), matrix.iter().map(|x| x.to_bits()).collect())
}

fn row_bits(input: &Input) -> (Vec<usize>, Vec<u64>) {
    match input {
        Input::Rows(rows) => matrix_bits(rows),
        Input::Tokens(tokens) => panic!("{tokens:?}"),
    }
}

/// All bits of all numbers of a target: `==` takes 0 and −0 for the same.
fn bits(target: &Target) -> Vec<(Vec<usize>, Vec<u64>)> {
    let heads = target.layers().iter().flat_map(|layer| &layer.heads);
    let weights = heads.flat_map(|head| [&head.wq, &head.wk, &head.wv, &head.wo]);
    let vocabulary = target.vocabulary();
    let scale = Array2::from_elem((1, 1), target.class().score_factor());
    weights
        .chain(vocabulary.map(|vocabulary| &vocabulary.embedding))
        .chain(vocabulary.and_then(|vocabulary| vocabulary.positions.as_ref()))
        .map(matrix_bits)
        .chain([matrix_bits(&scale)])
        .collect()
}

/// Any finite number: small, large, subnormal, −0.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        -4.0..4.0,
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
    ]
}

fn any_matrix(
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) -> impl Strategy<Value = Array2<f64>> {
    (rows, columns).prop_flat_map(|(rows, columns)| sized_matrix(rows, columns))
}

fn sized_matrix(rows: usize, columns: usize) -> impl Strategy<Value = Array2<f64>> {
    prop::collection::vec(any_number(), rows * columns)
        .prop_map(move |numbers| Array2::from_shape_vec((rows, columns), numbers).unwrap())
}

fn any_class() -> impl Strategy<Value = Class> {
    (
        (1..4_usize, 1..4_usize, 1..6_usize, 1..5_usize),
        prop::sample::select(vec![Attention::Softmax, Attention::AverageHard, Attention::LeftmostHard]),
        prop::sample::select(vec![Mask::None, Mask::Causal]),
        prop_oneof![Just(Scale::InverseSqrt), any_number().prop_map(Scale::Factor)],
        any::<bool>(),
    )
        .prop_map(|((heads, layers, width, head_width), attention, mask, scale, residual)| Class {
            heads,
            layers,
            width,
            head_width,
            attention,
            mask,
            scale,
            residual,
        })
}

fn any_head(d: usize, d_h: usize) -> impl Strategy<Value = Head> {
    (1..6_usize)
        .prop_flat_map(move |v| {
            (sized_matrix(d, d_h), sized_matrix(d, d_h), sized_matrix(d, v), sized_matrix(v, d))
        })
        .prop_map(|(wq, wk, wv, wo)| Head { wq, wk, wv, wo })
}

fn any_vocabulary(d: usize) -> impl Strategy<Value = Option<Vocabulary>> {
    let vocabulary = (prop::collection::vec(".{0,4}", 0..4), prop::option::of(any_matrix(0..4, d..d + 1)))
        .prop_flat_map(move |(tokens, positions)| {
            sized_matrix(tokens.len(), d).prop_map(move |embedding| Vocabulary {
                tokens: tokens.clone(),
                embedding,
                positions: positions.clone(),
            })
        });
    prop::option::of(vocabulary)
}

fn any_target() -> impl Strategy<Value = Target> {
    any_class().prop_flat_map(|class| {
        let (d, d_h) = (class.width, class.head_width);
        let layer = prop::collection::vec(any_head(d, d_h), class.heads).prop_map(|heads| Layer { heads });
        (prop::collection::vec(layer, class.layers), any_vocabulary(d))
            .prop_map(move |(layers, vocabulary)| Target::new(class, layers, vocabulary).unwrap())
    })
}
