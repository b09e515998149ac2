//! What a person relies on of a run: the same numbers every time, frozen weights that are frozen, and that it
//! learns.
#![allow(clippy::unwrap_used)]

use ndarray::Array2;
use training::{
    Config, Error, KEEP_EVERY, Kind, Optimiser, Results, Run, Snapshot, Task, Variant, recommended,
};
use universal::UniversalTransformer;

const VARIANTS: [Variant; 3] =
    [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp { hidden: 16 }];

fn small(variant: Variant, kind: Kind) -> Config {
    let mut config = recommended(Task::Hops { hops: 1, alphabet: 3, length: 7 }, variant, kind);
    config.batch = 6;
    config.held_out = 40;
    config.seed = 9;
    if matches!(kind, Kind::Random | Kind::Trained) {
        config.model.width = 24;
    }
    config
}

fn every_model() -> impl Iterator<Item = Config> {
    VARIANTS.into_iter().flat_map(|variant| Kind::ALL.map(|kind| small(variant, kind)))
}

fn bits(run: &Run) -> Vec<u32> {
    run.parameters().iter().map(|number| number.to_bits()).collect()
}

fn steps(run: &mut Run, count: usize) {
    for _ in 0..count {
        run.step().unwrap();
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_whatever_one_looks_at() {
    for config in every_model() {
        let (mut one, mut other) = (Run::new(config.clone()).unwrap(), Run::new(config.clone()).unwrap());
        let losses: Vec<u64> = (0..12).map(|_| one.step().unwrap().loss.to_bits()).collect();
        let tokens = config.task.encode("abcab").unwrap();
        for loss in losses {
            assert_eq!(other.step().unwrap().loss.to_bits(), loss);
            other.evaluate();
            other.attention(&tokens).unwrap();
            other.predict(&tokens).unwrap();
            other.failures(3);
        }
        assert_eq!(bits(&one), bits(&other), "{config:?}");
        let mut third = Run::new(Config { seed: 10, ..config }).unwrap();
        steps(&mut third, 12);
        assert_ne!(bits(&one), bits(&third));
    }
}

#[test]
fn a_resumed_run_goes_on_as_if_it_had_not_been_interrupted() {
    for config in every_model() {
        let mut whole = Run::new(config.clone()).unwrap();
        steps(&mut whole, 9);
        whole.evaluate();
        let text = serde_json::to_string(&whole.snapshot()).unwrap();
        let bytes = postcard::to_allocvec(&whole.snapshot()).unwrap();
        steps(&mut whole, 9);
        let from_text: Snapshot = serde_json::from_str(&text).unwrap();
        let from_bytes: Snapshot = postcard::from_bytes(&bytes).unwrap();
        for snapshot in [from_text, from_bytes] {
            let mut resumed = Run::resume(snapshot).unwrap();
            assert_eq!((resumed.steps_taken(), resumed.evaluations().len()), (9, 1));
            steps(&mut resumed, 9);
            assert_eq!(bits(&resumed), bits(&whole), "{config:?}");
        }
    }
}

#[test]
fn snapshots_that_do_not_fit_are_refused() {
    let run = Run::new(small(Variant::AttentionOnly, Kind::Random)).unwrap();
    let mut short = run.snapshot();
    short.second_moments.pop();
    assert!(matches!(Run::resume(short), Err(Error::Snapshot { .. })));
    let mut other_weights = run.snapshot();
    other_weights.config.seed += 1;
    assert!(matches!(Run::resume(other_weights), Err(Error::Fingerprint { .. })));
}

#[test]
fn frozen_weights_do_not_change_and_trained_ones_do() {
    for config in every_model() {
        let mut run = Run::new(config.clone()).unwrap();
        let start = run.parameters().to_vec();
        steps(&mut run, 20);
        let report = run.frozen().unwrap();
        assert_eq!(report.before, report.now);
        assert_eq!(report.changed, 0);
        let inside = run.tensors().iter().any(|tensor| tensor.name.starts_with("layers"));
        assert_eq!(inside, report.parameters == 0, "either is frozen or trained: {config:?}");
        for tensor in run.tensors() {
            let range = tensor.range();
            assert_ne!(start[range.clone()], run.parameters()[range], "{} is not trained", tensor.name);
        }
    }
}

#[test]
fn random_weights_are_those_of_their_seed() {
    let fingerprint = |seed| {
        let config = Config { seed, ..small(Variant::AttentionOnly, Kind::Random) };
        Run::new(config).unwrap().frozen().unwrap().now
    };
    assert_eq!(fingerprint(1), fingerprint(1));
    assert_ne!(fingerprint(1), fingerprint(2));
}

/// Each model learns short strings of parentheses in a fraction of a second.
#[test]
fn every_model_learns() {
    for kind in Kind::ALL {
        let mut config = recommended(Task::Dyck { length: 10 }, Variant::AttentionOnly, kind);
        config.steps = 700;
        config.held_out = 200;
        let mut run = Run::new(config).unwrap();
        let before = run.evaluate();
        while !run.is_finished() {
            run.step().unwrap();
        }
        let after = run.evaluate();
        // Counting alone gets 75 %.
        assert!(after.accuracy > 0.9, "{kind:?}: {} after {}", after.accuracy, before.accuracy);
        assert!(after.loss < before.loss);
    }
}

#[test]
fn numbers_that_explode_are_named_and_the_run_goes_on_from_the_last_good_ones() {
    let mut run = Run::new(small(Variant::AttentionOnly, Kind::Trained)).unwrap();
    steps(&mut run, KEEP_EVERY + 5);
    let good = run.config().optimiser;
    run.change_optimiser(Optimiser { learning_rate: 1e38, ..good }).unwrap();
    let error = (0..10).find_map(|_| run.step().err()).unwrap();
    let Error::NotFinite { step, what, last_good } = &error else { panic!("{error}") };
    assert!((KEEP_EVERY + 6..=KEEP_EVERY + 16).contains(step));
    assert!(what == "the loss" || run.tensors().iter().any(|it| what.contains(&it.name)), "{what}");
    assert_eq!((*last_good, run.steps_taken()), (KEEP_EVERY, KEEP_EVERY));
    assert!(run.parameters().iter().all(|number| number.is_finite()));
    // With the rate as it was the run is what it would have been.
    run.change_optimiser(good).unwrap();
    steps(&mut run, 20);
    let mut calm = Run::new(small(Variant::AttentionOnly, Kind::Trained)).unwrap();
    steps(&mut calm, KEEP_EVERY + 20);
    assert_eq!(bits(&run), bits(&calm));
}

#[test]
fn changing_the_rate_does_not_restart() {
    let mut run = Run::new(small(Variant::ResidualNorm, Kind::Sparse)).unwrap();
    steps(&mut run, 5);
    let before = bits(&run);
    let optimiser = Optimiser { learning_rate: 1e-4, ..run.config().optimiser };
    run.change_optimiser(optimiser).unwrap();
    assert_eq!((bits(&run), run.steps_taken()), (before, 5));
    assert!(run.step().unwrap().learning_rate < 1e-4);
    let refused = run.change_optimiser(Optimiser { learning_rate: f64::NAN, ..optimiser });
    assert!(matches!(refused, Err(Error::Setting { .. })));
}

#[test]
fn attention_is_causal_and_adds_up_to_one() {
    for config in every_model() {
        let mut run = Run::new(config).unwrap();
        let tokens = run.config().task.encode("abcb").unwrap();
        let maps = run.attention(&tokens).unwrap();
        assert_eq!((maps.length, maps.shares.len(), maps.shares[0].len()), (5, 2, 2));
        for shares in maps.shares.iter().flatten() {
            for (i, row) in shares.chunks_exact(5).enumerate() {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(row[i + 1..].iter().all(|share| *share == 0.0));
            }
        }
        // What comes later does not change what was said before.
        let longer = run.config().task.encode("abcbac").unwrap();
        let (short, long) = (run.predict(&tokens).unwrap(), run.predict(&longer).unwrap());
        assert_eq!(short[..], long[..5]);
        assert!((short[3].probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(matches!(run.predict(&[]), Err(Error::Length { found: 0, .. })));
        assert!(matches!(run.predict(&[99]), Err(Error::UnknownToken { position: 1, .. })));
    }
}

#[test]
fn failures_are_sequences_on_which_the_model_errs() {
    let mut run = Run::new(small(Variant::ResidualNorm, Kind::Sparse)).unwrap();
    let failures = run.failures(5);
    assert_eq!(failures.len(), 5);
    for failure in failures {
        let predictions = run.predict(&failure.tokens).unwrap();
        assert_eq!(predictions[failure.position].class, failure.predicted);
        assert_eq!(predictions[failure.position].truth, Some(failure.truth));
        assert_ne!(failure.predicted, failure.truth);
    }
}

/// The attention of a run must be that of the universal transformer itself, computed in f64 by other code.
#[test]
fn frozen_models_are_the_universal_transformers_of_their_class() {
    for kind in [Kind::Sparse, Kind::Looped] {
        let mut run = Run::new(small(Variant::AttentionOnly, kind)).unwrap();
        steps(&mut run, 10);
        let tokens = run.config().task.encode("abcabc").unwrap();
        let class = run.config().class();
        let universal = match kind {
            Kind::Sparse => UniversalTransformer::sparse(class).unwrap(),
            _ => UniversalTransformer::looped(class).unwrap(),
        };
        // Unit vectors for tokens and for positions, so that E stacks both embeddings.
        let (m, positions) = (universal.width(), &run.tensors()[1]);
        assert_eq!(positions.columns, m);
        let of_tokens = run.tensors()[0].rows;
        assert!(of_tokens + positions.rows <= class.width);
        let embedding = Array2::from_shape_fn((class.width, m), |(row, column)| {
            let stacked = run.parameters().get(row * m + column).copied().unwrap_or(0.0);
            if row < of_tokens + positions.rows { f64::from(stacked) } else { 0.0 }
        });
        let x = Array2::from_shape_fn((tokens.len(), class.width), |(i, column)| {
            f64::from(u8::from(column == usize::from(tokens[i]) || column == of_tokens + i))
        });
        let trace = universal.forward(x.view(), embedding.view()).unwrap();
        assert_same_attention(&run.attention(&tokens).unwrap(), &trace);
    }
}

#[test]
fn a_trained_transformer_is_its_target() {
    let mut run = Run::new(small(Variant::AttentionOnly, Kind::Trained)).unwrap();
    steps(&mut run, 10);
    let text = "abcabc";
    let tokens = run.config().task.encode(text).unwrap();
    let target = run.target().unwrap();
    let vocabulary = target.vocabulary().unwrap();
    let x = vocabulary.embed(&vocabulary.split(&format!("^{text}"))).unwrap();
    let trace = transformer::forward(&target, x.view()).unwrap();
    assert_same_attention(&run.attention(&tokens).unwrap(), &trace);
    // Its output, unembedded, is what the run predicts.
    let unembedding = &run.tensors()[2];
    let numbers = run.parameters()[unembedding.range()].iter().map(|number| f64::from(*number)).collect();
    let matrix = Array2::from_shape_vec((unembedding.rows, unembedding.columns), numbers).unwrap();
    let logits = trace.output.dot(&matrix);
    for (prediction, row) in run.predict(&tokens).unwrap().iter().zip(logits.rows()) {
        let sum: f64 = row.iter().map(|logit| logit.exp()).sum();
        for (probability, logit) in prediction.probabilities.iter().zip(row) {
            assert!((f64::from(*probability) - logit.exp() / sum).abs() < 1e-5);
        }
    }
    assert!(Run::new(small(Variant::ResidualNorm, Kind::Trained)).unwrap().target().is_none());
    assert!(Run::new(small(Variant::AttentionOnly, Kind::Sparse)).unwrap().target().is_none());
}

fn assert_same_attention(maps: &training::AttentionMaps, trace: &transformer::Trace) {
    for (found, expected) in maps.shares.iter().flatten().zip(trace.attention.iter().flatten()) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} and {expected}");
        }
    }
}

#[test]
fn reports_say_what_was_found_and_repeat_it() {
    let mut run = Run::new(small(Variant::ResidualNorm, Kind::Sparse)).unwrap();
    steps(&mut run, 15);
    let report = run.report().unwrap();
    let text = serde_json::to_string(&Results::new(vec![report.clone()])).unwrap();
    let read: Results = serde_json::from_str(&text).unwrap();
    assert_eq!(read.runs, std::slice::from_ref(&report));
    let bytes = postcard::to_allocvec(&report).unwrap();
    assert_eq!(postcard::from_bytes::<training::Report>(&bytes).unwrap(), report);
    let mut again = Run::new(read.runs[0].config.clone()).unwrap();
    steps(&mut again, read.runs[0].steps);
    assert_eq!(again.evaluate().accuracy.to_bits(), report.accuracy.held_out.to_bits());
    assert!(report.accuracy.without_null.is_some());
}

#[test]
fn results_by_cell_are_those_of_their_runs() {
    let report = |seed| {
        let config = Config { seed, ..small(Variant::ResidualNorm, Kind::Sparse) };
        let mut run = Run::new(Config { steps: 400, batch: 24, ..config }).unwrap();
        while !run.is_finished() {
            steps(&mut run, 20);
            run.evaluate();
        }
        run.report().unwrap()
    };
    let results = Results::new(vec![report(0), report(1)]);
    assert!(
        results.runs.iter().any(|it| it.steps_to(0.99).is_some()),
        "it is learned, so that there is a step"
    );
    let text = results.to_compact_json(6).unwrap();
    let read: Results = serde_json::from_str(&text).unwrap();
    assert_eq!(read.to_compact_json(6).unwrap(), text, "once is enough");
    assert_eq!(read.runs.len(), 2);
    for (found, expected) in read.runs.iter().zip(&results.runs) {
        assert_eq!(found.config, expected.config);
        assert_eq!((found.seed, found.steps, found.frozen), (expected.seed, expected.steps, expected.frozen));
        assert_eq!(
            (&found.task, found.model, &found.variant),
            (&expected.task, expected.model, &expected.variant)
        );
        assert!((found.accuracy.held_out - expected.accuracy.held_out).abs() < 1e-6);
        assert_eq!(found.steps_to(0.99), expected.steps_to(0.99));
        assert!(found.history.iter().all(|it| expected.history.iter().any(|other| other.step == it.step)));
    }
    assert!((4..=9).contains(&read.runs[0].history.len()), "{} points", read.runs[0].history.len());
    assert!(read.runs[1].history.len() <= 3);
    assert!(text.len() * 2 < serde_json::to_string(&results).unwrap().len());
}

#[test]
fn shipped_results_are_whole_and_small() {
    let text = include_str!("../data/results.json");
    assert!(text.len() < 60_000, "{} bytes", text.len());
    let shipped: Results = serde_json::from_str(text).unwrap();
    assert_eq!((shipped.format.as_str(), shipped.version), (Results::FORMAT, Results::VERSION));
    assert!(!shipped.runs.is_empty());
    for report in &shipped.runs {
        assert_eq!(report.steps, report.config.steps, "it ran to its end: {report:?}");
        assert_eq!((report.frozen.changed, report.frozen.before), (0, report.frozen.now));
        assert!(report.date.is_some());
        let curve =
            shipped.runs.iter().find(|it| Config { seed: report.seed, ..it.config.clone() } == report.config);
        assert!(curve.unwrap().history.len() >= 8, "each cell has a curve: {}", report.task);
    }
}

#[test]
fn impossible_configurations_are_refused() {
    let good = small(Variant::ResidualNorm, Kind::Random);
    let refused = |change: &dyn Fn(&mut Config)| {
        let mut config = good.clone();
        change(&mut config);
        Run::new(config).is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|it| it.model.heads = 0));
    assert!(refused(&|it| it.model.layers = 0));
    assert!(refused(&|it| it.model.width = 0));
    assert!(refused(&|it| it.batch = 0));
    assert!(refused(&|it| it.steps = 0));
    assert!(refused(&|it| it.embedding_scale = f64::INFINITY));
    assert!(refused(&|it| it.optimiser.learning_rate = -1.0));
    assert!(refused(&|it| it.optimiser.momentum = 1.0));
    assert!(refused(&|it| it.variant = Variant::ResidualNormMlp { hidden: 0 }));
}
