//! A link repeats exactly what a person chose: every state survives the URL to the last bit, and no query,
//! however broken, does more than fall back to a default and say so.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ndarray::Array2;
use pianola::link::{AppState, Page};
use pianola::rooms::universal::choices::{
    CellEdit, Construction, InputSource, Leaves, Look, Origin, Piece, RANDOM_TARGET, TargetSource,
    UniversalState, WeightEdit,
};
use pianola::rooms::width::choices::WidthState;
use pianola::work::protocol::to_bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use transformer::presets;
use transformer::{Attention, Class, Head, HeadMatrix, Layer, Mask, Scale, Target, Vocabulary};
use universal::{Consumer, Law, Table, Tying};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_state_survives_its_link(state in state()) {
        prop_assert!(state.choices::<UniversalState>().piece.fits_a_link());
        let link = state.encode();
        let (again, bad) = AppState::decode::<UniversalState>(&link);
        prop_assert_eq!(&bad, &vec![], "{}", link);
        prop_assert_eq!(&again, &state, "{}", link);
        // `==` takes 0 for −0; the bytes do not.
        prop_assert_eq!(bytes(&again), bytes(&state), "{}", link);
        prop_assert_eq!(again.encode(), link);
    }

    #[test]
    fn unknown_keys_are_ignored(state in state(), key in "[a-z]{1,8}", value in any::<String>(), first in any::<bool>()) {
        prop_assume!(!KEYS.contains(&key.as_str()));
        let link = state.encode();
        let other = form_urlencoded::Serializer::new(String::new()).append_pair(&key, &value).finish();
        let longer = if first { format!("{other}&{link}") } else { format!("{link}&{other}") };
        prop_assert_eq!(AppState::decode::<UniversalState>(&longer), (state, vec![]));
    }

    #[test]
    fn any_text_is_some_state_with_a_link_of_its_own(text in any::<String>()) {
        settles(&text)?;
    }

    #[test]
    fn so_is_any_list_of_known_keys(pairs in vec((prop::sample::select(KEYS.to_vec()), value()), 0..8)) {
        let pairs: Vec<(&str, String)> = pairs;
        settles(&form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())?;
    }

    #[test]
    fn a_damaged_target_or_input_is_reported_or_another_good_one(
        target in own_target(), rows in rows(3), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        for (key, mut bytes) in [("target", to_bytes(&target).unwrap()), ("rows", to_bytes(&rows).unwrap())] {
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
            settles(&format!("preset=random&width=3&{key}={}", URL_SAFE_NO_PAD.encode(bytes)))?;
        }
    }

    /// The sliders leave nothing behind that does not fit the new class.
    #[test]
    fn every_change_of_class_or_target_has_a_link(state in state(), class in class(), target in target_source()) {
        let piece = state.choices::<UniversalState>().piece.clone();
        for piece in [piece.clone().with_class(class), piece.clone().with_target(target), piece.reseeded()] {
            let state = AppState::of(UniversalState { piece, look: Look::default() });
            prop_assume!(state.choices::<UniversalState>().piece.fits_a_link());
            prop_assert_eq!(AppState::decode::<UniversalState>(&state.encode()), (state, vec![]));
        }
    }
}

#[test]
fn the_first_page_has_the_shortest_link() {
    assert_eq!(AppState::default().encode(), "page=universal");
    assert_eq!(AppState::decode::<UniversalState>(""), (AppState::of(UniversalState::default()), vec![]));
}

#[test]
fn links_are_readable() {
    let (state, bad) = AppState::decode::<UniversalState>(
        "page=universal&preset=random&heads=3&layers=2&width=6&head-width=2&attention=average-hard&mask=causal\
         &residual=on&scale=0.5&n=9&seed=12&construction=random&law=sign&tying=tied&spare=-2&frozen-seed=3\
         &weights=2.3.wo.1.6:-0.25&input=9.6:1e-3&embedding=6.1:2&tree=k2.3&step=1&leaves=subtrees&embed=1&hide=heads, layers",
    );
    assert_eq!(bad, []);
    let cell = |row, column, value| CellEdit { row, column, value };
    let piece = Piece {
        target: TargetSource::Random,
        class: Class {
            heads: 3,
            layers: 2,
            width: 6,
            head_width: 2,
            attention: Attention::AverageHard,
            mask: Mask::Causal,
            scale: Scale::Factor(0.5),
            residual: true,
        },
        seed: 12,
        input: InputSource::Length(9),
        construction: Construction::Random,
        law: Law::Sign,
        tying: Tying::Tied,
        spare: -2,
        frozen_seed: 3,
        weight_edits: vec![WeightEdit { layer: 1, head: 2, matrix: HeadMatrix::Wo, cell: cell(0, 5, -0.25) }],
        input_edits: vec![cell(8, 5, 1e-3)],
        embedding_edits: vec![cell(5, 0, 2.0)],
    };
    let consumer = Consumer::Key { layer: 1, head: 2 };
    let look = Look { consumer, step: Some(1), leaves: Some(Leaves::BySubtree), origin: None };
    let hide = vec!["heads".to_owned(), "layers".to_owned()];
    let mut expected = AppState::of(UniversalState { piece, look });
    (expected.embed, expected.hide) = (true, hide);
    assert_eq!(state, expected);
}

#[test]
fn every_preset_is_named_in_its_link() {
    for preset in presets::all() {
        let query = format!("preset={}", preset.id);
        let (state, bad) = AppState::decode::<UniversalState>(&query);
        assert_eq!(bad, [], "{query}");
        assert_eq!(state.choices::<UniversalState>().piece.class, preset.class(), "{query}");
        let expected = match preset.id {
            RANDOM_TARGET => TargetSource::Random,
            id => TargetSource::Preset(id.to_owned()),
        };
        assert_eq!(state.choices::<UniversalState>().piece.target, expected);
    }
}

#[test]
fn each_bad_value_is_reported_and_its_default_stands() {
    let bad_values: &[(&str, &[&str])] = &[
        ("page", &["", "nowhere", "Universal"]),
        ("embed", &["", "yes", "2"]),
        ("preset", &["", "no-such", "RANDOM"]),
        ("target", &["", "AAAA", "!", "%00", "target"]),
        ("heads", &["", "0", "-1", "2.0", "two", "1e3", "18446744073709551616", "NaN"]),
        ("layers", &["", "0", "-1", "1000000", "x"]),
        ("width", &["", "0", "-1", "1000000", "x"]),
        ("head-width", &["", "0", "-1", "1000000", "x"]),
        ("attention", &["", "hard", "Softmax"]),
        ("mask", &["", "yes"]),
        ("residual", &["", "1", "true"]),
        ("scale", &["", "NaN", "inf", "-inf", "1e999", "sqrt", "0,5"]),
        ("n", &["", "0", "-3", "100000", "many"]),
        ("rows", &["", "AAAA", "[[1]]"]),
        ("seed", &["", "-1", "1.5", "18446744073709551616"]),
        ("construction", &["", "dense"]),
        ("law", &["", "normal"]),
        ("values", &["", "0", "1,x", "1,2,3,4,5,6,7,8,9"]),
        ("tying", &["", "yes"]),
        ("spare", &["", "-65", "4097", "1.5"]),
        ("frozen-seed", &["", "-1", "x"]),
        (
            "weights",
            &[
                "",
                "1.1.wq.1.1",
                "1.1.wx.1.1:0",
                "0.1.wq.1.1:0",
                "9.1.wq.1.1:0",
                "1.9.wq.1.1:0",
                "1.1.wq.1.1:NaN",
                "1.1.wq.1.1:0,",
            ],
        ),
        ("input", &["", "1.1", "0.1:0", "1.0:0", "1.99:0", "1.1:inf", "1:1:0", "1.1:0;1.2:0"]),
        ("embedding", &["", "1.1", "0.1:0", "1.0:0", "99.1:0", "1.1:NaN"]),
        ("tree", &["", "q", "q1", "q0.1", "q1.0", "q9.1", "k1.9", "v1.1", "é1.1", "output"]),
        ("step", &["", "-1", "99", "all"]),
    ];
    for base in ["", "preset=random&construction=random", "preset=majority&text=aab"] {
        let default = AppState::decode::<UniversalState>(base).0;
        for (key, values) in bad_values {
            if base.contains(&format!("{key}=")) {
                continue;
            }
            for value in *values {
                let query = format!("{base}&{key}={value}");
                let (state, bad) = AppState::decode::<UniversalState>(&query);
                let read: String =
                    form_urlencoded::parse(format!("={value}").as_bytes()).map(|(_, value)| value).collect();
                assert_eq!(state, default, "{query}");
                assert_eq!(bad.len(), 1, "{query}: {bad:?}");
                assert_eq!((bad[0].key.as_str(), bad[0].value.as_str()), (*key, read.as_str()), "{query}");
                assert!(bad[0].expected.as_ref().is_none_or(|expected| !expected.is_empty()), "{query}");
            }
        }
    }
}

#[test]
fn one_bad_value_does_not_spoil_its_neighbours() {
    let (state, bad) =
        AppState::decode::<UniversalState>("preset=random&heads=many&layers=3&seed=x&n=4&colour=blue");
    let keys: Vec<&str> = bad.iter().map(|bad| bad.key.as_str()).collect();
    assert_eq!(keys, ["heads", "seed"]);
    let Piece { class, seed, input, .. } = state.choices::<UniversalState>().piece.clone();
    assert_eq!((class.heads, class.layers, seed, input), (2, 3, 7, InputSource::Length(4)));
}

#[test]
fn what_may_be_said_is_said_once() {
    let (_, bad) = AppState::decode::<UniversalState>("preset=none");
    let mut known: Vec<&str> = bad[0].expected.as_deref().unwrap().split(", ").collect();
    let mut expected: Vec<&str> = presets::all().iter().map(|preset| preset.id).collect();
    known.sort_unstable();
    expected.sort_unstable();
    assert_eq!(known, expected);
}

#[test]
fn what_is_too_large_for_a_link_is_known_to_be() {
    let class = Class { heads: 4, layers: 2, width: 16, head_width: 4, ..presets::RANDOM_CLASS };
    let own = TargetSource::Own(Box::new(Target::random(class, 1).unwrap()));
    let large_target = Piece::default().with_target(own);
    let rows = Array2::from_elem((200, 16), 0.5);
    let large_input = Piece { input: InputSource::Rows(rows), ..Piece::default() };
    for piece in [large_target, large_input] {
        assert!(!piece.fits_a_link());
        let universal = UniversalState { piece, look: Look::default() };
        let (_, bad) = AppState::decode::<UniversalState>(&AppState::of(universal).encode());
        assert_eq!(bad, [], "the link carries what it can and nothing broken");
    }
}

#[test]
fn back_finds_a_target_that_no_link_can_carry() {
    let class = Class { heads: 4, layers: 2, width: 16, head_width: 4, ..presets::RANDOM_CLASS };
    let origin = |seed| Some(Origin { task: "dyck-1".to_owned(), seed, steps: 600 });
    let states: Vec<AppState> = [1, 2]
        .into_iter()
        .map(|seed| {
            let own = TargetSource::Own(Box::new(Target::random(class, seed).unwrap()));
            let look = Look { origin: origin(seed), ..Look::default() };
            AppState::of(UniversalState { piece: Piece::default().with_target(own), look })
        })
        .collect();
    let links: Vec<String> = states.iter().map(AppState::encode).collect();
    assert_ne!(links[0], links[1]);
    for (state, link) in states.iter().zip(&links) {
        assert!(link.len() < 100, "{link}");
        let (found, bad) = AppState::decode::<UniversalState>(link);
        assert_eq!((&found, bad), (state, vec![]));
    }
    let (elsewhere, bad) = AppState::decode::<UniversalState>("kept=0123456789abcdef");
    assert_eq!(elsewhere.choices::<UniversalState>().piece, Piece::default());
    assert_eq!(
        bad.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(),
        ["kept"],
        "it says that it is not here"
    );
}

#[test]
fn a_text_stays_where_it_can_be_read() {
    let typed = InputSource::Text("42".to_owned());
    let piece =
        Piece { input: typed.clone(), seed: 9, construction: Construction::Looped, ..Piece::default() };
    let preset = |id: &str| TargetSource::Preset(id.to_owned());
    let largest = Piece { input: InputSource::Example, ..piece.with_target(preset("largest")) };
    let largest = Piece { input: typed.clone(), ..largest };
    let smallest = largest.clone().with_target(preset("smallest"));
    assert_eq!(smallest.input, typed, "the twin has the same vocabulary");
    assert_eq!((smallest.seed, smallest.construction), (9, Construction::Looped));
    assert_eq!(largest.with_target(preset("majority")).input, InputSource::Example);
}

#[test]
fn only_a_change_of_shape_needs_new_weights() {
    let edit = WeightEdit {
        layer: 0,
        head: 0,
        matrix: HeadMatrix::Wq,
        cell: CellEdit { row: 0, column: 0, value: 3.0 },
    };
    let piece = Piece { weight_edits: vec![edit], ..Piece::default() };
    let masked = piece.clone().with_class(Class { attention: Attention::AverageHard, ..piece.class });
    assert_eq!((&masked.target, &masked.weight_edits), (&piece.target, &piece.weight_edits));
    let wider = piece.clone().with_class(Class { heads: piece.class.heads + 1, ..piece.class });
    assert_eq!((wider.target, wider.weight_edits), (TargetSource::Random, vec![]));
}

/// All keys of a link.
const KEYS: [&str; 28] = [
    "page",
    "embed",
    "hide",
    "preset",
    "target",
    "heads",
    "layers",
    "width",
    "head-width",
    "attention",
    "mask",
    "residual",
    "scale",
    "text",
    "n",
    "rows",
    "seed",
    "construction",
    "law",
    "values",
    "tying",
    "spare",
    "frozen-seed",
    "weights",
    "input",
    "embedding",
    "tree",
    "step",
];

/// Whatever a query says, what is made of it has a link that says the same, without anything bad in it.
fn settles(query: &str) -> Result<(), TestCaseError> {
    let (state, bad) = AppState::decode::<UniversalState>(query);
    for bad in bad {
        prop_assert!(KEYS.contains(&bad.key.as_str()), "{:?}", bad);
    }
    let (again, bad) = AppState::decode::<UniversalState>(&state.encode());
    prop_assert_eq!(&bad, &vec![], "{}", query);
    prop_assert_eq!(bytes(&again), bytes(&state), "{}", query);
    Ok(())
}

/// Values that are almost, or really, those of some key.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "-?[0-9]{0,20}",
        "[0-9]{1,3}[.][0-9]{1,3}:-?[0-9]{0,3}[.]?[0-9]{0,3}(e-?[0-9]{1,3})?",
        "[0-9]{1,2}[.][0-9]{1,2}[.]w[qkvox][.][0-9]{1,2}[.][0-9]{1,2}:[0-9]{1,3}",
        "[qk][0-9]{1,2}[.][0-9]{1,2}",
        "[A-Za-z0-9_-]{0,40}",
        prop::sample::select(vec![
            "on",
            "off",
            "1",
            "softmax",
            "leftmost-hard",
            "causal",
            "inverse-sqrt",
            "looped",
            "random",
            "sign",
            "tied",
            "out",
            "sorting",
            "pascal",
            "a,b",
            " , ",
            "-0",
            "1e-320",
        ])
        .prop_map(str::to_owned),
    ]
}

#[test]
fn a_link_waits_for_its_workspace_and_others_stay() {
    let mut state = AppState::of(UniversalState::default());
    state.change(|universal: &mut UniversalState| universal.piece.seed = 3);
    assert_eq!(state.follow("page=width&draws=5&seed=x"), [], "nobody here can read it yet");
    assert_eq!((state.page, state.encode().as_str()), (Page::Width, "page=width&draws=5&seed=x"));
    let bad = state.enter::<WidthState>();
    assert_eq!(bad.iter().map(|bad| bad.key.as_str()).collect::<Vec<_>>(), ["seed"]);
    assert_eq!((state.choices::<WidthState>().draws, state.encode().as_str()), (5, "page=width&draws=5"));
    assert_eq!(state.follow("page=universal&seed=4"), []);
    assert_eq!(state.choices::<WidthState>().draws, 5, "what was chosen elsewhere stays");
    assert_eq!(state.choices::<UniversalState>().piece.seed, 4);
}

fn bytes(state: &AppState) -> Vec<u8> {
    to_bytes(&*state.choices::<UniversalState>()).unwrap()
}

fn state() -> impl Strategy<Value = AppState> {
    (any::<bool>(), vec("[a-z-]{1,10}", 0..3), universal()).prop_map(|(embed, hide, universal)| {
        let mut state = AppState::of(universal);
        (state.embed, state.hide) = (embed, hide);
        state
    })
}

fn universal() -> impl Strategy<Value = UniversalState> {
    (target_source(), class(), construction(), [any::<u64>(), any::<u64>()], -64..=4096_i64)
        .prop_flat_map(|(target, class, (construction, law, tying), [seed, frozen_seed], spare)| {
            let class = match &target {
                TargetSource::Random => class,
                TargetSource::Preset(id) => with_shape_of(class, &presets::by_id(id).unwrap().class()),
                TargetSource::Own(target) => with_shape_of(class, target.class()),
            };
            let edits = (
                vec(weight_edit(class), 0..4),
                vec(cell_edit(1000, class.width), 0..4),
                vec(cell_edit(class.width, 100_000), 0..4),
            );
            let leaves = prop::option::of(prop::sample::select(vec![Leaves::AsOnRoll, Leaves::BySubtree]));
            let look = (consumer(class), prop::option::of(0..=class.layers), leaves);
            (
                Just((target, class, construction, law, tying, seed, frozen_seed, spare)),
                input(class.width),
                edits,
                look,
            )
        })
        .prop_map(
            |(choices, input, (weight_edits, input_edits, embedding_edits), (consumer, step, leaves))| {
                let (target, class, construction, law, tying, seed, frozen_seed, spare) = choices;
                UniversalState {
                    piece: Piece {
                        target,
                        class,
                        seed,
                        input,
                        construction,
                        law,
                        tying,
                        spare,
                        frozen_seed,
                        weight_edits,
                        input_edits,
                        embedding_edits,
                    },
                    look: Look { consumer, step, leaves, origin: None },
                }
            },
        )
}

fn with_shape_of(class: Class, shape: &Class) -> Class {
    Class {
        attention: class.attention,
        mask: class.mask,
        scale: class.scale,
        residual: class.residual,
        ..*shape
    }
}

fn class() -> impl Strategy<Value = Class> {
    let attention =
        prop::sample::select(vec![Attention::Softmax, Attention::AverageHard, Attention::LeftmostHard]);
    let mask = prop::sample::select(vec![Mask::None, Mask::Causal]);
    let scale = prop_oneof![Just(Scale::InverseSqrt), finite().prop_map(Scale::Factor)];
    ([1..=64_usize, 1..=64], [1..=4096_usize, 1..=4096], attention, mask, scale, any::<bool>()).prop_map(
        |([heads, layers], [width, head_width], attention, mask, scale, residual)| Class {
            heads,
            layers,
            width,
            head_width,
            attention,
            mask,
            scale,
            residual,
        },
    )
}

fn construction() -> impl Strategy<Value = (Construction, Law, Tying)> {
    let construction =
        prop::sample::select(vec![Construction::Sparse, Construction::Looped, Construction::Random]);
    (
        construction,
        prop_oneof![
            prop::sample::select(Law::ALL.to_vec()),
            vec(-1e3..1e3, 1..=Table::MOST).prop_map(|values| Law::Table(Table::new(&values).unwrap())),
        ],
        prop::sample::select(vec![Tying::Free, Tying::Tied]),
    )
}

fn target_source() -> impl Strategy<Value = TargetSource> {
    let ids: Vec<&str> =
        presets::all().iter().map(|preset| preset.id).filter(|id| *id != RANDOM_TARGET).collect();
    prop_oneof![
        prop::sample::select(ids).prop_map(|id| TargetSource::Preset(id.to_owned())),
        Just(TargetSource::Random),
        own_target().prop_map(|target| TargetSource::Own(Box::new(target))),
    ]
}

fn own_target() -> impl Strategy<Value = Target> {
    (class(), [1..=2_usize, 1..=2, 1..=3, 1..=2, 1..=3]).prop_flat_map(
        |(class, [heads, layers, width, head_width, v])| {
            let class = Class { heads, layers, width, head_width, ..class };
            let head =
                (matrix(width, head_width), matrix(width, head_width), matrix(width, v), matrix(v, width))
                    .prop_map(|(wq, wk, wv, wo)| Head { wq, wk, wv, wo });
            let layers = vec(vec(head, heads).prop_map(|heads| Layer { heads }), layers);
            let vocabulary = vec(any::<String>(), 1..4).prop_flat_map(move |tokens| {
                let positions = prop::option::of((1..4_usize).prop_flat_map(move |n| matrix(n, width)));
                (matrix(tokens.len(), width), positions, Just(tokens)).prop_map(
                    |(embedding, positions, tokens)| Vocabulary {
                        tokens: tokens.into_iter().map(|token| token.chars().take(8).collect()).collect(),
                        embedding,
                        positions,
                    },
                )
            });
            (layers, prop::option::of(vocabulary))
                .prop_map(move |(layers, vocabulary)| Target::new(class, layers, vocabulary).unwrap())
        },
    )
}

fn input(width: usize) -> impl Strategy<Value = InputSource> {
    // What is wider goes into a file.
    let rows = rows(width.min(40)).prop_map(move |rows| match rows.ncols() == width {
        true => InputSource::Rows(rows),
        false => InputSource::Example,
    });
    prop_oneof![
        Just(InputSource::Example),
        any::<String>().prop_map(InputSource::Text),
        (1..=256_usize).prop_map(InputSource::Length),
        rows,
    ]
}

fn rows(width: usize) -> impl Strategy<Value = Array2<f64>> {
    // Long ones too, as far as a link carries them.
    (1..=5_000 / 8 / width).prop_flat_map(move |n| matrix(n, width))
}

fn matrix(rows: usize, columns: usize) -> impl Strategy<Value = Array2<f64>> {
    vec(finite(), rows * columns)
        .prop_map(move |numbers| Array2::from_shape_vec((rows, columns), numbers).unwrap())
}

fn weight_edit(class: Class) -> impl Strategy<Value = WeightEdit> {
    (0..class.layers, 0..class.heads, prop::sample::select(HeadMatrix::ALL.to_vec()), cell_edit(5000, 5000))
        .prop_map(|(layer, head, matrix, cell)| WeightEdit { layer, head, matrix, cell })
}

fn cell_edit(rows: usize, columns: usize) -> impl Strategy<Value = CellEdit> {
    (0..rows, 0..columns, finite()).prop_map(|(row, column, value)| CellEdit { row, column, value })
}

fn consumer(class: Class) -> impl Strategy<Value = Consumer> {
    let place = (0..class.layers, 0..class.heads);
    prop_oneof![
        Just(Consumer::Output),
        place.clone().prop_map(|(layer, head)| Consumer::Query { layer, head }),
        place.prop_map(|(layer, head)| Consumer::Key { layer, head }),
    ]
}

/// Every finite number: also the smallest, the largest and both zeros.
fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}
