//! The workspace “Simulator” without a browser: what the worker answers, and that links repeat what was chosen.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use futures_executor::block_on;
use ndarray::Array2;
use pianola::link::AppState;
use pianola::rooms::simulator::choices::{Along, Edit, Grain, Look, Piece, SimulatorState, TargetSource};
use pianola::rooms::simulator::job::{self, Simulated, Unsupported};
use pianola::rooms::universal::choices::CellEdit;
use pianola::rooms::universal::files::ImportKind;
use pianola::work::protocol::{Answer, Failure, Packed, Request, from_bytes, to_bytes};
use pianola::work::serve::Engine;
use proptest::prelude::*;
use rasp::simulator::{Activation, Attend, Class, Mask, Padding, presets};
use transformer::files::write_target_json;

fn ask(engine: &mut Engine, request: job::Request) -> Result<job::Answer, Failure> {
    // Everything crosses to the worker and back.
    let request: Request = from_bytes(&to_bytes(&Request::Simulator(Packed::of(&request))).unwrap()).unwrap();
    let answer = to_bytes(&block_on(engine.answer(request))?).unwrap();
    Ok(from_bytes::<Answer>(&answer).unwrap().simulator().unwrap())
}

fn run(engine: &mut Engine, piece: &Piece) -> Result<Simulated, Failure> {
    match ask(engine, job::Request::Run(Box::new(piece.clone())))? {
        job::Answer::Run(simulated) => Ok(*simulated),
        other => panic!("{other:?}"),
    }
}

fn edit(matrix: &str, row: usize, column: usize, value: f64) -> Edit {
    Edit { matrix: matrix.to_owned(), cell: CellEdit { row, column, value } }
}

#[test]
fn every_preset_and_kind_is_matched() {
    let mut engine = Engine::default();
    for id in presets::IDS {
        for attend in [Attend::Softmax, Attend::ShiftedSoftmax, Attend::AverageHard] {
            for activation in [None, Some(Activation::Relu), Some(Activation::MaxMin)] {
                let piece = Piece::of(TargetSource::Preset(id.to_owned())).with_activation(activation);
                let piece = Piece { attend, mask: Mask::Causal, ..piece };
                let simulated = run(&mut engine, &piece).unwrap();
                let overflows = id == "overflow" && attend == Attend::Softmax;
                assert_eq!(simulated.largest.is_none(), overflows, "{id} {attend:?}");
                assert!(simulated.largest.unwrap_or(0.0) <= simulated.tolerance, "{id} {attend:?}");
                assert_eq!(simulated.count.heads, simulated.count.formula);
            }
        }
    }
}

#[test]
fn an_edited_cell_reaches_the_sequence_and_both_sides_and_leaves_the_program_alone() {
    let mut engine = Engine::default();
    let piece = Piece::default();
    let before = run(&mut engine, &piece).unwrap();
    let after = run(&mut engine, &piece.with_edit(edit("a_1", 1, 0, -3.25))).unwrap();
    assert_eq!((&after.source, after.fingerprint), (&before.source, before.fingerprint));
    let stretch = after.layout.stretch("a_1").unwrap();
    assert_eq!(after.sequence[stretch.start + stretch.columns], -3.25);
    let output = |simulated: &Simulated| simulated.stages.last().unwrap().clone();
    let (before, after) = (output(&before), output(&after));
    assert_ne!(before.direct, after.direct);
    assert!(after.difference.unwrap() < 1e-12 && before.simulated != after.simulated);
}

#[test]
fn a_larger_simulator_gives_the_same_to_rounding() {
    let mut engine = Engine::default();
    let piece = Piece { extra_rows: 3, extra_width: 2, ..Piece::default() };
    let simulated = run(&mut engine, &piece).unwrap();
    assert_eq!(simulated.class.rows, simulated.target.rows + 3);
    assert_eq!(simulated.class.padding, Padding::Masked);
    assert!(simulated.unchanged.unwrap() <= simulated.tolerance);
    let exact = run(&mut engine, &Piece { extra_rows: 0, extra_width: 0, ..piece }).unwrap();
    assert_eq!(exact.unchanged, None);
    assert_eq!(exact.count.depth(), simulated.count.depth());
}

#[test]
fn what_is_too_large_is_refused_with_what_would_fit() {
    let mut engine = Engine::default();
    let mut piece = Piece { target: TargetSource::Random, ..Piece::default() };
    piece.sizes.heads = 8;
    piece.sizes.width = 16;
    piece.sizes.value_width = 16;
    piece.sizes.rows = 64;
    let Err(Failure::SimulatorTooLarge { rows: Some(rows), .. }) = run(&mut engine, &piece) else {
        panic!("it should be too large");
    };
    assert!(rows < 64);
    let class = |rows: usize| Class {
        rows,
        width: 16,
        value_width: 16,
        heads: 8,
        attend: Attend::Softmax,
        mask: Mask::None,
        feed_forward: None,
        padding: Padding::Exact,
    };
    assert!(rasp::simulator::Simulator::new(class(rows)).is_ok());
    assert!(rasp::simulator::Simulator::new(class(rows + 1)).is_err());
}

#[test]
fn depth_is_flat_and_width_follows_the_formula() {
    let mut engine = Engine::default();
    let class = run(&mut engine, &Piece::default()).unwrap().class;
    for along in Along::ALL {
        let job::Answer::Count(counts) = ask(&mut engine, job::Request::Count(class, along)).unwrap() else {
            panic!("no counts");
        };
        assert!(counts.points.len() >= 8);
        for (size, count) in &counts.points {
            assert_eq!(count.depth(), counts.points[0].1.depth(), "{along:?} {size}");
            assert_eq!(count.heads, count.formula, "{along:?} {size}");
            assert!(count.merged_width() <= count.width());
        }
        let width = |at: usize| counts.points[at].1.width();
        assert!(width(counts.points.len() - 1) > width(0));
    }
}

#[test]
fn own_targets_come_from_files_layer_by_layer() {
    let mut engine = Engine::default();
    let class = transformer::Class {
        heads: 2,
        layers: 2,
        width: 4,
        head_width: 2,
        attention: transformer::Attention::Softmax,
        mask: transformer::Mask::Causal,
        scale: transformer::Scale::InverseSqrt,
        residual: false,
    };
    let target = transformer::Target::random(class, 3).unwrap();
    let import = |engine: &mut Engine, target: &transformer::Target| {
        let request = job::Request::Import {
            kind: ImportKind::Target,
            name: "target.json".to_owned(),
            bytes: write_target_json(target).unwrap().into_bytes(),
            piece: Box::default(),
        };
        match ask(engine, request)? {
            job::Answer::Import(piece) => Ok(*piece),
            other => panic!("{other:?}"),
        }
    };
    let piece = import(&mut engine, &target).unwrap();
    let first = run(&mut engine, &piece).unwrap();
    let TargetSource::Own(own, _) = piece.target.clone() else { panic!("{:?}", piece.target) };
    let second = run(&mut engine, &Piece { target: TargetSource::Own(own, 1), ..piece }).unwrap();
    // What the first layer gives is what reaches the second; the end is what the transformer computes.
    let input = &first.inputs[0].1;
    let trace = transformer::forward(&target, input.view()).unwrap();
    let output = |simulated: &Simulated| {
        simulated.stages.iter().find(|stage| stage.name == "output").unwrap().simulated.clone().unwrap()
    };
    let close = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().all(|difference| difference.abs() < 1e-12);
    assert!(close(&output(&first), &trace.states[1]));
    assert!(close(&second.inputs[0].1, &trace.states[1]));
    assert!(close(&output(&second), &trace.output));

    for (class, reason) in [
        (transformer::Class { residual: true, ..class }, Unsupported::Residual),
        (
            transformer::Class { attention: transformer::Attention::LeftmostHard, ..class },
            Unsupported::LeftmostHard,
        ),
        (transformer::Class { heads: 9, ..class }, Unsupported::Large),
    ] {
        let target = transformer::Target::random(class, 3).unwrap();
        assert_eq!(import(&mut engine, &target), Err(Failure::NotSimulated(reason)));
    }
}

fn cell() -> impl Strategy<Value = CellEdit> {
    (0..4usize, 0..2usize, any::<f64>().prop_filter("finite", |value| value.is_finite()))
        .prop_map(|(row, column, value)| CellEdit { row, column, value })
}

fn state() -> impl Strategy<Value = AppState> {
    let piece = (
        prop::sample::select(vec![0, 1, 2, 8]),
        prop::sample::select(vec![Attend::Softmax, Attend::ShiftedSoftmax, Attend::AverageHard]),
        prop::sample::select(vec![Mask::None, Mask::Causal]),
        prop::sample::select(vec![None, Some(Activation::Relu), Some(Activation::MaxMin)]),
        any::<u64>(),
        (0..=16usize, 0..=8usize, 4..=64usize),
        prop::collection::vec(cell(), 0..3),
    )
        .prop_map(|(preset, attend, mask, activation, seed, (extra_rows, extra_width, rows), cells)| {
            let target = match presets::IDS.get(preset) {
                Some(id) => TargetSource::Preset((*id).to_owned()),
                None => TargetSource::Random,
            };
            let mut piece = Piece::of(target);
            piece.sizes.rows = rows;
            let piece = Piece { attend, mask, activation, seed, extra_rows, extra_width, ..piece };
            cells
                .into_iter()
                .fold(piece, |piece, cell| piece.with_edit(Edit { matrix: "x".to_owned(), cell }))
        });
    let look = (
        prop::option::of(0..500usize),
        prop::sample::select(vec![Grain::Statement, Grain::Primitive, Grain::Position]),
        prop::sample::select(Along::ALL.to_vec()),
    )
        .prop_map(|(step, grain, along)| Look { step, grain, along });
    (piece, look).prop_map(|(piece, look)| AppState::of(SimulatorState { piece, look }))
}

proptest! {
    #[test]
    fn every_state_survives_its_link(state in state()) {
        let link = state.encode();
        let (again, bad) = AppState::decode::<SimulatorState>(&link);
        prop_assert_eq!(&bad, &vec![], "{}", link);
        prop_assert_eq!(&again, &state, "{}", link);
        prop_assert_eq!(to_bytes(&*again.choices::<SimulatorState>()), to_bytes(&*state.choices::<SimulatorState>()), "{}", link);
    }

    #[test]
    fn no_link_does_more_than_fall_back(value in "[a-z0-9.:,_-]{0,12}", key in prop::sample::select(vec![
        "preset", "n", "width", "value-width", "heads", "hidden", "attention", "mask", "feed-forward", "rows",
        "target", "layer", "seed", "extra-n", "extra-width", "cells", "step", "grain", "along",
    ])) {
        let (state, _) = AppState::decode::<SimulatorState>(&format!("page=simulator&{key}={value}"));
        prop_assert_eq!(AppState::decode::<SimulatorState>(&state.encode()), (state, vec![]));
    }
}

#[test]
fn a_change_of_shape_asks_for_drawn_weights_and_a_change_of_length_does_not() {
    let piece = Piece::default().with_edit(edit("x", 3, 1, 9.0)).with_edit(edit("a_1", 0, 0, 9.0));
    let mut sizes = piece.sizes;
    sizes.rows = 3;
    let shorter = piece.clone().with_sizes(sizes);
    assert_eq!(shorter.target, piece.target);
    assert_eq!(shorter.edits, [edit("a_1", 0, 0, 9.0)]);
    sizes.heads = 2;
    let other = piece.with_sizes(sizes);
    assert_eq!((other.target, other.edits), (TargetSource::Random, vec![]));
}
