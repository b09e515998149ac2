//! The simulator of attention against ndarray, for many shapes and kinds.

#![allow(clippy::unwrap_used)]

use ndarray::{Array1, Array2, Axis, s};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rasp::simulator::{
    Activation, Attend, Beat, Class, FeedForward, Head, Mask, Of, Operand, Operation, Padding, Reads,
    Simulation, Simulator, SimulatorError, Source, Stage, Target, presets, running_sums,
};
use rasp::{Atom, Outcome};

const TOLERANCE: f64 = 1e-12;

fn matrix(generator: &mut ChaCha8Rng, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |_| generator.random_range(-1.0..1.0))
}

struct Sizes {
    n: usize,
    d: usize,
    w: usize,
    h: usize,
}

const SIZES: [Sizes; 6] = [
    Sizes { n: 1, d: 1, w: 1, h: 1 },
    Sizes { n: 4, d: 3, w: 3, h: 1 },
    Sizes { n: 3, d: 2, w: 4, h: 2 },
    Sizes { n: 6, d: 2, w: 1, h: 3 },
    Sizes { n: 2, d: 5, w: 2, h: 1 },
    Sizes { n: 7, d: 4, w: 4, h: 2 },
];

fn target(
    generator: &mut ChaCha8Rng,
    sizes: &Sizes,
    attend: Attend,
    mask: Mask,
    activation: Option<Activation>,
) -> Target {
    let Sizes { n, d, w, h } = *sizes;
    Target {
        x: matrix(generator, n, d),
        heads: (0..h).map(|_| Head { a: matrix(generator, d, d), v: matrix(generator, d, w) }).collect(),
        attend,
        mask,
        feed_forward: activation.map(|activation| FeedForward {
            w1: matrix(generator, w, 4),
            b1: Array1::from_shape_fn(4, |_| generator.random_range(-1.0..1.0)),
            w2: matrix(generator, 4, d),
            b2: Array1::from_shape_fn(d, |_| generator.random_range(-1.0..1.0)),
            activation,
        }),
    }
}

/// The output of the layer by ndarray's own products, written down once more from the definition.
fn expected(target: &Target) -> Array2<f64> {
    let x = &target.x;
    let mut output = Array2::zeros((x.nrows(), target.heads[0].v.ncols()));
    for head in &target.heads {
        let mut scores = x.dot(&head.a).dot(&x.t());
        if target.mask == Mask::Causal {
            for ((query, key), score) in scores.indexed_iter_mut() {
                if key > query {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
        for mut row in scores.outer_iter_mut() {
            let maximum = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            row.mapv_inplace(|score| match target.attend {
                Attend::AverageHard => f64::from(u8::from(score == maximum)),
                _ => (score - maximum).exp(),
            });
            let total = row.sum();
            row /= total;
        }
        output += &scores.dot(x).dot(&head.v);
    }
    match &target.feed_forward {
        None => output,
        Some(layer) => {
            let hidden = output.dot(&layer.w1) + layer.b1.view().insert_axis(Axis(0));
            let activated = match layer.activation {
                Activation::Relu => hidden.mapv(|value| value.max(0.0)),
                Activation::MaxMin => {
                    let mut sorted = hidden.clone();
                    for row in 0..hidden.nrows() {
                        for pair in 0..hidden.ncols() / 2 {
                            let (a, b) = (hidden[[row, 2 * pair]], hidden[[row, 2 * pair + 1]]);
                            sorted[[row, 2 * pair]] = a.max(b);
                            sorted[[row, 2 * pair + 1]] = a.min(b);
                        }
                    }
                    sorted
                }
            };
            activated.dot(&layer.w2) + layer.b2.view().insert_axis(Axis(0))
        }
    }
}

fn kinds() -> Vec<(Attend, Mask, Option<Activation>)> {
    let mut kinds = Vec::new();
    for attend in [Attend::Softmax, Attend::ShiftedSoftmax, Attend::AverageHard] {
        for mask in [Mask::None, Mask::Causal] {
            for activation in [None, Some(Activation::Relu), Some(Activation::MaxMin)] {
                kinds.push((attend, mask, activation));
            }
        }
    }
    kinds
}

fn largest(matrix: &Array2<f64>) -> f64 {
    matrix.fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

#[test]
fn it_computes_what_the_target_computes() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    for (attend, mask, activation) in kinds() {
        for sizes in &SIZES {
            let target = target(&mut generator, sizes, attend, mask, activation);
            let simulator = Simulator::new(target.class().unwrap()).unwrap();
            let simulation = simulator.run(&target).unwrap();
            assert!(!simulation.run.has_errors(), "{:?}", simulation.run.diagnostics);
            assert!(simulation.largest_difference.unwrap() <= TOLERANCE);
            let stages = 2 + 5 * sizes.h + if activation.is_some() { 3 } else { 0 };
            assert_eq!(simulation.stages.len(), stages);
            let last = simulation.stages.last().unwrap();
            let simulated = last.simulated.as_ref().unwrap();
            assert!(largest(&(simulated - &expected(&target))) <= TOLERANCE);
            let class = simulator.class();
            let analysis = &simulation.run.analysis;
            assert_eq!(analysis.heads_per_layer, class.heads_by_formula(), "{class:?}");
            assert_eq!(analysis.merged_heads_per_layer(), class.merged_heads_by_formula(), "{class:?}");
        }
    }
}

#[test]
fn the_program_is_fixed_and_the_target_is_data() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let sizes = &SIZES[2];
    let one = target(&mut generator, sizes, Attend::Softmax, Mask::None, None);
    let other = target(&mut generator, sizes, Attend::Softmax, Mask::None, None);
    let simulator = Simulator::new(one.class().unwrap()).unwrap();
    assert_eq!(simulator, Simulator::new(other.class().unwrap()).unwrap());
    let layout = simulator.layout();
    for target in [&one, &other] {
        let input = simulator.input(target).unwrap();
        assert_eq!(input.len(), layout.length);
        let place = layout.stretch("a_2").unwrap();
        let element = &input.tokens()[place.start + place.columns];
        assert_eq!(*element, Atom::Float(target.heads[1].a[[1, 0]]));
    }
}

#[test]
fn the_depth_does_not_depend_on_any_size() {
    for (attend, mask, activation) in kinds() {
        let mut generator = ChaCha8Rng::seed_from_u64(3);
        let depths: Vec<usize> = SIZES
            .iter()
            .map(|sizes| {
                let class = target(&mut generator, sizes, attend, mask, activation).class().unwrap();
                let simulator = Simulator::new(class).unwrap();
                let session = rasp::Session::default();
                session.analyse(simulator.source()).unwrap().depth()
            })
            .collect();
        assert!(depths.windows(2).all(|pair| pair[0] == pair[1]), "{depths:?}");
    }
}

#[test]
fn a_larger_simulator_runs_a_smaller_target() {
    let mut generator = ChaCha8Rng::seed_from_u64(4);
    for (attend, mask, activation) in kinds() {
        let sizes = Sizes { n: 3, d: 2, w: 2, h: 1 };
        let small = target(&mut generator, &sizes, attend, mask, activation);
        let exact = small.class().unwrap();
        let class = Class {
            rows: 5,
            width: 4,
            value_width: 3,
            heads: 2,
            feed_forward: exact.feed_forward.map(|shape| rasp::simulator::FeedForwardShape {
                hidden: shape.hidden + 2,
                output: shape.output + 1,
                ..shape
            }),
            padding: Padding::Masked,
            ..exact
        };
        let simulator = Simulator::new(class).unwrap();
        let simulation = simulator.run(&small).unwrap();
        assert!(!simulation.run.has_errors(), "{:?}", simulation.run.diagnostics);
        assert!(simulation.largest_difference.unwrap() <= TOLERANCE);
        let attention = simulation.stages.iter().find(|stage| stage.name == "attention_1").unwrap();
        let weights = attention.simulated.as_ref().unwrap();
        assert_eq!(weights.dim(), (5, 5));
        assert_eq!(largest(&weights.slice(s![.., 3..]).to_owned()), 0.0, "padding is masked");
        let analysis = &simulation.run.analysis;
        assert_eq!(analysis.heads_per_layer, class.heads_by_formula());
        assert_eq!(analysis.merged_heads_per_layer(), class.merged_heads_by_formula());
        // Too large a target is refused.
        let wide = Sizes { n: 6, d: 2, w: 2, h: 1 };
        let too_large = target(&mut generator, &wide, attend, mask, activation);
        assert!(
            matches!(simulator.run(&too_large), Err(SimulatorError::Class { what, .. }) if what == "rows")
        );
    }
}

#[test]
fn products_show_what_they_fetch() {
    let mut generator = ChaCha8Rng::seed_from_u64(5);
    let sizes = &SIZES[2];
    let kind = Some(Activation::MaxMin);
    let target = target(&mut generator, sizes, Attend::Softmax, Mask::Causal, kind);
    let simulator = Simulator::new(target.class().unwrap()).unwrap();
    let simulation = simulator.run(&target).unwrap();
    let trace = &simulation.run.trace;
    let stage = |name: &str| simulation.stages.iter().find(|stage| stage.name == name).unwrap();
    let mut products = 0;
    for stage_found in &simulation.stages {
        let Operation::Product { left, right, terms, .. } = &stage_found.operation else {
            continue;
        };
        products += 1;
        let element = |operand: &Operand, row: usize, column: usize| match &operand.source {
            Source::Input(_) => {
                let at = operand.start + row * operand.columns + column;
                simulation.run.input.tokens()[at].as_f64().unwrap()
            }
            Source::Stage(name) => stage(name).simulated.as_ref().unwrap()[[row, column]],
        };
        let simulated = stage_found.simulated.as_ref().unwrap();
        assert_eq!(terms.len(), left.columns, "{}", stage_found.name);
        assert_eq!(left.columns, right.rows);
        let (rows, columns) = simulated.dim();
        for (t, term) in terms.iter().enumerate() {
            for i in 0..rows {
                for j in 0..columns {
                    let value = |step: usize| {
                        let values = trace.steps[step].value.as_ref().unwrap();
                        values.get(i * columns + j).as_f64().unwrap()
                    };
                    assert_eq!(value(term.left), element(left, i, t), "{}", stage_found.name);
                    assert_eq!(value(term.right), element(right, t, j), "{}", stage_found.name);
                    // The selector of the fetch points at the element itself.
                    let selected: Vec<usize> =
                        trace.selector(term.left).unwrap().selected(i * columns + j).collect();
                    assert_eq!(selected, [left.start + i * left.columns + t]);
                }
            }
        }
    }
    assert_eq!(products, 4 * sizes.h + 2);
    // All of it reaches a page from its worker.
    let bytes = postcard::to_stdvec(&simulation).unwrap();
    let received: Simulation = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(received, simulation);
}

#[test]
fn weights_of_a_head_fold_into_two_matrices() {
    let mut generator = ChaCha8Rng::seed_from_u64(6);
    let (wq, wk) = (matrix(&mut generator, 4, 2), matrix(&mut generator, 4, 2));
    let (wv, wo) = (matrix(&mut generator, 4, 3), matrix(&mut generator, 3, 4));
    let scale = 1.0 / 2f64.sqrt();
    let head = Head::from_weights(&wq, &wk, &wv, &wo, scale).unwrap();
    let x = matrix(&mut generator, 5, 4);
    let scores = x.dot(&wq).dot(&x.dot(&wk).t()) * scale;
    assert!(largest(&(x.dot(&head.a).dot(&x.t()) - scores)) <= TOLERANCE);
    assert!(largest(&(&head.v - &wv.dot(&wo))) <= TOLERANCE);
    let bad = matrix(&mut generator, 3, 2);
    assert_eq!(
        Head::from_weights(&wq, &bad, &wv, &wo, scale).unwrap_err().to_string(),
        "wk is 3 x 2, not 4 x 2"
    );
}

#[test]
fn bad_targets_are_refused_before_they_run() {
    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let good = target(&mut generator, &SIZES[1], Attend::Softmax, Mask::None, None);
    let simulator = Simulator::new(good.class().unwrap()).unwrap();
    let mut hard = good.clone();
    hard.attend = Attend::AverageHard;
    assert!(matches!(simulator.run(&hard), Err(SimulatorError::Class { .. })));
    let mut crooked = good.clone();
    crooked.heads[0].v = matrix(&mut generator, 2, 3);
    assert!(matches!(simulator.run(&crooked), Err(SimulatorError::Shape { .. })));
    let mut infinite = good.clone();
    infinite.heads[0].a[[2, 1]] = f64::INFINITY;
    assert_eq!(simulator.run(&infinite).unwrap_err().to_string(), "a_1 holds inf at row 2, column 1");
    let huge = Class { rows: usize::MAX, ..*simulator.class() };
    assert!(matches!(Simulator::new(huge), Err(SimulatorError::TooLong { .. })));
}

#[test]
fn the_largest_simulators_that_are_built_also_run() {
    let mut generator = ChaCha8Rng::seed_from_u64(9);
    let largest = [
        Sizes { n: 64, d: 16, w: 16, h: 1 },
        Sizes { n: 70, d: 4, w: 4, h: 4 },
        Sizes { n: 2, d: 40, w: 40, h: 1 },
        Sizes { n: 24, d: 12, w: 12, h: 8 },
        Sizes { n: 5, d: 3, w: 3, h: 80 },
    ];
    for (sizes, attend) in largest.iter().zip([
        Attend::Softmax,
        Attend::AverageHard,
        Attend::ShiftedSoftmax,
        Attend::ShiftedSoftmax,
        Attend::AverageHard,
    ]) {
        let target = target(&mut generator, sizes, attend, Mask::Causal, None);
        let simulator = Simulator::new(target.class().unwrap()).unwrap();
        let simulation = simulator.run(&target).unwrap();
        assert!(!simulation.run.has_errors(), "{:?}", simulation.run.diagnostics);
        assert!(simulation.largest_difference.unwrap() <= TOLERANCE);
    }
    let class = Class {
        heads: 400,
        ..target(&mut generator, &SIZES[1], Attend::Softmax, Mask::None, None).class().unwrap()
    };
    assert!(matches!(Simulator::new(class), Err(SimulatorError::TooLong { .. })));
    let class = Class { rows: 60, heads: 60, width: 5, ..class };
    assert!(matches!(Simulator::new(class), Err(SimulatorError::TooMuchData { .. })));
}

#[test]
fn scores_too_large_for_the_plain_softmax_stop_the_run_and_keep_what_was_there() {
    let mut generator = ChaCha8Rng::seed_from_u64(8);
    let mut target = target(&mut generator, &SIZES[1], Attend::Softmax, Mask::None, None);
    target.heads[0].a *= 1e5;
    let simulator = Simulator::new(target.class().unwrap()).unwrap();
    let simulation = simulator.run(&target).unwrap();
    assert_eq!(simulation.run.result, Outcome::Error);
    assert_eq!(simulation.largest_difference, None);
    let by_name = |name: &str| simulation.stages.iter().find(|stage| stage.name == name).unwrap();
    assert!(by_name("scores_1").simulated.is_some());
    assert!(by_name("attention_1").simulated.is_none());
    let error = &simulation.run.diagnostics[0];
    let place = error.span.text(simulator.source());
    assert!(place.contains("masked_softmax(scores_1"), "{place}");

    target.attend = Attend::ShiftedSoftmax;
    let simulator = Simulator::new(target.class().unwrap()).unwrap();
    let simulation = simulator.run(&target).unwrap();
    let last = simulation.stages.last().unwrap();
    let error = last.simulated.as_ref().unwrap() - &expected(&target);
    assert!(largest(&error) <= TOLERANCE);
}

#[test]
fn beats_tell_what_every_position_reads() {
    let mut generator = ChaCha8Rng::seed_from_u64(10);
    for (attend, mask, activation) in kinds() {
        let target = target(&mut generator, &SIZES[2], attend, mask, activation);
        let exact = target.class().unwrap();
        let larger =
            Class { rows: exact.rows + 1, width: exact.width + 1, padding: Padding::Masked, ..exact };
        for class in [exact, larger] {
            let simulation = Simulator::new(class).unwrap().run(&target).unwrap();
            for stage in &simulation.stages {
                let beats = simulation.beats(stage);
                let simulated = stage.simulated.as_ref().unwrap();
                // The last lane is the stage itself.
                let made = &beats.last().unwrap().lanes.last().unwrap().values;
                assert_eq!(made, simulated.as_slice().unwrap(), "{}", stage.name);
                for (at, beat) in beats.iter().enumerate() {
                    check_beat(&simulation, stage, &beats[..at], beat);
                }
            }
        }
    }
}

/// What a beat says it reads gives what it says it makes.
fn check_beat(simulation: &Simulation, stage: &Stage, before: &[Beat], beat: &Beat) {
    let name = &stage.name;
    for lane in &beat.lanes {
        match &lane.reads {
            Reads::Fetch { operand, from } => {
                let sequence = sequence_of(simulation, operands(&stage.operation)[*operand]);
                for (value, from) in lane.values.iter().zip(from) {
                    let fetched = sequence.get(*from as usize).copied().unwrap_or(0.0);
                    assert_eq!(*value, fetched, "{name}, {}", lane.name);
                }
            }
            Reads::Average { of: Of::Lane(of), from } => {
                let of = before.iter().flat_map(|beat| &beat.lanes).find(|lane| lane.name == *of).unwrap();
                let columns = stage.simulated.as_ref().unwrap().ncols() as f64;
                for (value, from) in lane.values.iter().zip(from) {
                    let sum: f64 = from.iter().map(|key| of.values[*key as usize]).sum();
                    let mean = sum / from.len() as f64;
                    let is_mean = |mean: f64| (value - mean).abs() <= TOLERANCE * mean.abs().max(1.0);
                    // Sums of a row are fetched as its average times its length.
                    assert!(is_mean(mean) || is_mean(mean * columns), "{name}, {}", lane.name);
                }
            }
            // Rivals, and the maximum of a row, are positions of the scores.
            Reads::Average { of: Of::Operand(operand), .. } => assert_eq!(*operand, 0),
            Reads::Own => {}
        }
    }
    if let (Some(t), [left, right, sum]) = (beat.term, beat.lanes.as_slice()) {
        let earlier = t.checked_sub(1).map(|t| before[t].lanes[2].values.as_slice());
        for at in 0..sum.values.len() {
            let so_far = earlier.map_or(0.0, |sums| sums[at]);
            assert_eq!(sum.values[at], so_far + left.values[at] * right.values[at], "{name}, term {t}");
        }
    }
}

fn operands(operation: &Operation) -> Vec<&Operand> {
    match operation {
        Operation::Product { left, right, bias, .. } => [left, right].into_iter().chain(bias).collect(),
        Operation::Transpose(operand) | Operation::Attend(operand) | Operation::Activate(operand) => {
            vec![operand]
        }
        Operation::Sum(operands) => operands.iter().collect(),
    }
}

fn sequence_of(simulation: &Simulation, operand: &Operand) -> Vec<f64> {
    match &operand.source {
        Source::Input(_) => simulation.run.input.tokens().iter().map(|atom| atom.as_f64().unwrap()).collect(),
        Source::Stage(name) => {
            let stage = simulation.stages.iter().find(|stage| stage.name == *name).unwrap();
            stage.simulated.as_ref().unwrap().iter().copied().collect()
        }
    }
}

#[test]
fn running_sums_end_in_the_product() {
    let mut generator = ChaCha8Rng::seed_from_u64(11);
    let (left, right) = (matrix(&mut generator, 3, 4), matrix(&mut generator, 4, 2));
    let sums = running_sums(&left, &right);
    assert_eq!(sums.len(), 4);
    assert!(largest(&(&sums[3] - &left.dot(&right))) <= TOLERANCE);
    assert!(largest(&(&sums[0] - &left.slice(s![.., ..1]).dot(&right.slice(s![..1, ..])))) <= TOLERANCE);
}

#[test]
fn presets_do_what_they_are_named_for() {
    let run = |id: &str| {
        let target = presets::by_id(id).unwrap();
        Simulator::new(target.class().unwrap()).unwrap().run(&target).unwrap()
    };
    for id in presets::IDS.into_iter().filter(|id| *id != "overflow") {
        assert!(run(id).largest_difference.unwrap() <= TOLERANCE, "{id}");
    }
    let output = |id: &str| run(id).stages.into_iter().find(|stage| stage.name == "output").unwrap().direct;
    assert_eq!(output("lookup").column(0).to_vec(), [20.0, 30.0, 10.0, 30.0, 20.0]);
    assert_eq!(output("average").row(2).to_vec(), [3.0, 0.5]);
    assert_eq!(output("ties").row(0).to_vec(), [4.0, 0.0]);
    let previous = output("previous");
    for (row, before) in [9.0, 3.0, 1.0, 4.0, 1.0, 5.0].into_iter().enumerate() {
        assert!((previous[[row, 0]] - before).abs() < 1e-6, "{previous}");
    }
    assert_eq!(run("overflow").largest_difference, None);
    let shifted = Target { attend: Attend::ShiftedSoftmax, ..presets::by_id("overflow").unwrap() };
    let simulation = Simulator::new(shifted.class().unwrap()).unwrap().run(&shifted).unwrap();
    assert!(simulation.largest_difference.unwrap() <= TOLERANCE);
    assert!(presets::by_id("nobody").is_none());
}
