//! The workspace “Training” without a browser: what the worker of a run answers, request by request.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::fs;

use futures_executor::block_on;
use pianola::rooms::training::choices::{Model, Plan, Settings, Task, TaskKind, Variant};
use pianola::rooms::training::job::{Advanced, Answer, Look, Member, Request, ResultsKind, Setup, Stop};
use pianola::work::protocol::{Answer as Reply, Packed, Request as Ask, from_bytes, to_bytes};
use pianola::work::serve::Engine;
use serde_json::{Value, json};
use training::{Error, Report, Run, Snapshot};

fn ask(engine: &mut Engine, request: Request) -> Answer {
    // Everything crosses to the worker and back.
    let request: Ask = from_bytes(&to_bytes(&Ask::Training(Packed::of(&request))).unwrap()).unwrap();
    let answer = to_bytes(&block_on(engine.answer(request)).unwrap()).unwrap();
    from_bytes::<Reply>(&answer).unwrap().training().unwrap()
}

fn member(kind: TaskKind, variant: Variant, model: Model, settings: Settings) -> Member {
    let plan = Plan { task: Task::usual(kind), variant, models: vec![model], seed: 3, seeds: 1, settings };
    Member { plan, model, seed: 3 }
}

/// A run that is small enough for a test.
fn small(kind: TaskKind, variant: Variant, model: Model) -> Member {
    let settings = Settings {
        steps: Some(250),
        batch: Some(8),
        width: Some(if matches!(model, Model::Sparse | Model::Looped) { 4 } else { 16 }),
        head_width: Some(4),
        layers: Some(2),
        ..Settings::default()
    };
    member(kind, variant, model, settings)
}

fn begin(engine: &mut Engine, member: &Member) -> Setup {
    match ask(engine, Request::Begin(Box::new(member.clone()))) {
        Answer::Ready(setup) => *setup,
        other => panic!("{other:?}"),
    }
}

fn advance(engine: &mut Engine, steps: usize, until: f64) -> Advanced {
    match ask(engine, Request::Advance { steps, until }) {
        Answer::Advanced(advanced) => advanced,
        other => panic!("{other:?}"),
    }
}

fn look(engine: &mut Engine, step: Option<usize>) -> Look {
    match ask(engine, Request::Look { step, example: None, failures: 3 }) {
        Answer::Look(look) => *look,
        other => panic!("{other:?}"),
    }
}

fn snapshot(engine: &mut Engine) -> Packed<Snapshot> {
    match ask(engine, Request::Snapshot(None)) {
        Answer::Snapshot(_, snapshot) => snapshot,
        other => panic!("{other:?}"),
    }
}

fn snapshots(engine: &mut Engine, steps: &[usize]) -> Vec<Packed<Snapshot>> {
    match ask(engine, Request::Snapshots(steps.to_vec())) {
        Answer::Snapshots(found) => found.into_iter().map(|(_, snapshot)| snapshot).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn steps_are_the_same_however_they_are_asked_for() {
    let member = small(TaskKind::Dyck, Variant::ResidualNorm, Model::Sparse);
    let mut run = Run::new(member.config().unwrap()).unwrap();
    let mut losses = Vec::new();
    let mut evaluations = Vec::new();
    while !run.is_finished() {
        losses.push(run.step().unwrap().loss as f32);
        if run.steps_taken().is_multiple_of(100) || run.is_finished() {
            evaluations.push(run.evaluate());
        }
    }
    for chunk in [1, 7, 1000] {
        let mut engine = Engine::default();
        begin(&mut engine, &member);
        let (mut found, mut tried) = (Vec::new(), Vec::new());
        let stop = loop {
            let advanced = advance(&mut engine, chunk, 2.0);
            found.extend(advanced.losses);
            tried.extend(advanced.evaluations);
            if let Some(stop) = advanced.stop {
                break stop;
            }
        };
        assert_eq!(stop, Stop::Spent);
        assert_eq!(found, losses, "in steps of {chunk}");
        assert_eq!(tried, evaluations, "in steps of {chunk}");
        assert_eq!(look(&mut engine, None).parameters, run.parameters());
    }
}

#[test]
fn the_first_example_converges_by_itself() {
    let mut engine = Engine::default();
    let plan = Plan::default();
    let member = Member { model: plan.models[0], seed: plan.seed, plan };
    begin(&mut engine, &member);
    let advanced = advance(&mut engine, 10_000, 0.99);
    assert_eq!(advanced.stop, Some(Stop::Converged), "at step {}", advanced.step);
    assert!(advanced.evaluations.iter().rev().take(2).all(|it| it.accuracy >= 0.99));
    let look = look(&mut engine, None);
    assert_eq!((look.frozen.changed, look.frozen.before), (0, look.frozen.now));
    assert_eq!(advanced.snapshots.last(), Some(&advanced.step));
}

#[test]
fn a_run_that_was_kept_goes_on_as_if_nothing_had_been() {
    let member = small(TaskKind::TwoHop, Variant::ResidualNormMlp, Model::Random);
    let mut engine = Engine::default();
    begin(&mut engine, &member);
    advance(&mut engine, 130, 2.0);
    let kept = snapshot(&mut engine);
    let there = advance(&mut engine, 60, 2.0);
    let mut other = Engine::default();
    let Answer::Ready(setup) = ask(&mut other, Request::Resume { from: kept, past: Vec::new(), rate: None })
    else {
        panic!("refused")
    };
    assert_eq!((setup.step, setup.evaluations.len()), (130, 1));
    let here = advance(&mut other, 60, 2.0);
    assert_eq!((here.losses, here.evaluations), (there.losses, there.evaluations));
}

#[test]
fn the_past_looks_as_it_did() {
    let mut engine = Engine::default();
    begin(&mut engine, &small(TaskKind::OneHop, Variant::AttentionOnly, Model::Looped));
    advance(&mut engine, 100, 2.0);
    let then = look(&mut engine, None);
    let advanced = advance(&mut engine, 100, 2.0);
    assert_eq!(advanced.snapshots, [0, 100, 200]);
    assert_ne!(look(&mut engine, None).parameters, then.parameters);
    assert_eq!(look(&mut engine, Some(100)), then);
    // To look back touches nothing.
    assert_eq!(look(&mut engine, None).step, 200);
}

#[test]
fn the_time_line_outlives_its_worker() {
    let member = small(TaskKind::OneHop, Variant::ResidualNorm, Model::Trained);
    let mut engine = Engine::default();
    begin(&mut engine, &member);
    let advanced = advance(&mut engine, 230, 2.0);
    assert_eq!(advanced.snapshots, [0, 100, 200]);
    let from = snapshot(&mut engine);
    let past = snapshots(&mut engine, &advanced.snapshots);
    let then: Vec<Look> = advanced.snapshots.iter().map(|step| look(&mut engine, Some(*step))).collect();

    let mut other = Engine::default();
    let again = Request::Resume { from, past: past.clone(), rate: None };
    let Answer::Ready(setup) = ask(&mut other, again) else { panic!("refused") };
    assert_eq!((setup.step, &setup.snapshots), (230, &advanced.snapshots));
    for (step, then) in advanced.snapshots.iter().zip(then) {
        assert_eq!(look(&mut other, Some(*step)), then, "at step {step}");
    }
    // A fork from the middle is the run as it was.
    let Answer::Snapshot(100, middle) = ask(&mut other, Request::Snapshot(Some(100))) else {
        panic!("no 100")
    };
    assert_eq!(middle, past[1]);
    // What is not there is not given, and nothing else in its place.
    assert_eq!(snapshots(&mut other, &[50, 200]), past[2..]);
}

#[test]
fn a_fork_begins_anew_where_it_was_forked() {
    let mut engine = Engine::default();
    begin(&mut engine, &small(TaskKind::Dyck, Variant::ResidualNorm, Model::Sparse));
    advance(&mut engine, 130, 2.0);
    let from = snapshot(&mut engine);
    let mut fork = Engine::default();
    ask(&mut fork, Request::Resume { from, past: Vec::new(), rate: None });
    let first = advance(&mut fork, 80, 2.0);
    assert_eq!(first.snapshots, [130, 200]);
    let Answer::Ready(setup) = ask(&mut fork, Request::Restart(None)) else { panic!("refused") };
    assert_eq!((setup.step, setup.snapshots, setup.evaluations.len()), (130, vec![130], 1));
    assert_eq!(advance(&mut fork, 80, 2.0), first);
    let Answer::Ready(setup) = ask(&mut fork, Request::Restart(Some(1e-4))) else { panic!("refused") };
    assert_eq!((setup.step, setup.config.optimiser.learning_rate), (130, 1e-4));
}

#[test]
fn the_time_line_stays_small() {
    // 64 numbers wide, 4 layers: more than 60 000 numbers, each of them three times in every snapshot.
    let mut member = small(TaskKind::Dyck, Variant::AttentionOnly, Model::Trained);
    member.plan.task.length = 4;
    member.plan.settings = Settings {
        steps: Some(4_000),
        batch: Some(1),
        width: Some(64),
        head_width: Some(32),
        layers: Some(4),
        ..member.plan.settings
    };
    let mut engine = Engine::default();
    begin(&mut engine, &member);
    let advanced = advance(&mut engine, 4_000, 2.0);
    let steps = advanced.snapshots;
    assert_eq!((steps.first(), steps.last()), (Some(&0), Some(&4_000)), "the whole run is there");
    assert!(steps.is_sorted() && steps.len() >= 8, "{steps:?}");
    let bytes: usize = snapshots(&mut engine, &steps).iter().map(|it| it.bytes().len()).sum();
    assert!(bytes < 13_000_000, "{bytes}");
}

#[test]
fn another_learning_rate_does_not_begin_anew() {
    let member = small(TaskKind::Dyck, Variant::AttentionOnly, Model::Trained);
    let mut engine = Engine::default();
    begin(&mut engine, &member);
    advance(&mut engine, 20, 2.0);
    let Answer::Changed(config) = ask(&mut engine, Request::ChangeRate(1e-3)) else { panic!("refused") };
    assert_eq!(config.optimiser.learning_rate, 1e-3);
    assert_eq!(advance(&mut engine, 1, 2.0).step, 21);
}

#[test]
fn what_is_not_finite_is_named_and_taken_back() {
    let mut engine = Engine::default();
    begin(&mut engine, &small(TaskKind::Dyck, Variant::AttentionOnly, Model::Sparse));
    advance(&mut engine, 110, 2.0);
    ask(&mut engine, Request::ChangeRate(1e38));
    let advanced = advance(&mut engine, 10, 2.0);
    let Some(Stop::Failed(Error::NotFinite { step, what, last_good })) = advanced.stop else {
        panic!("{:?}", advanced.stop)
    };
    assert!((111..=120).contains(&step), "{step}");
    assert!(what.contains("embedding") || what.contains("loss"), "{what}");
    assert_eq!((last_good, advanced.step), (100, 100));
    // The time line ends where all was well, and with a rate that is possible it goes on from there.
    assert_eq!(advanced.snapshots, [0, 100]);
    ask(&mut engine, Request::ChangeRate(1e-2));
    let advanced = advance(&mut engine, 10, 2.0);
    assert_eq!((advanced.step, advanced.stop), (110, None));
}

#[test]
fn no_loss_before_the_failure_is_lost() {
    let member = small(TaskKind::Dyck, Variant::AttentionOnly, Model::Sparse);
    let mut engine = Engine::default();
    begin(&mut engine, &member);
    let mut losses = advance(&mut engine, 90, 2.0).losses;
    ask(&mut engine, Request::ChangeRate(1e30));
    // It fails after an evaluation in the same chunk: what was found until then is told.
    let mut step = 90;
    let failed = loop {
        let advanced = advance(&mut engine, 200, 2.0);
        losses.truncate(advanced.step - advanced.losses.len());
        losses.extend(&advanced.losses);
        assert_eq!(losses.len(), advanced.step, "a loss for each step");
        if matches!(advanced.stop, Some(Stop::Failed(_))) {
            break advanced;
        }
        step = advanced.step;
        assert!(step < 250, "it never fails");
    };
    assert!(failed.step <= step.max(100));
    ask(&mut engine, Request::ChangeRate(1e-2));
    let next = advance(&mut engine, 5, 2.0);
    assert_eq!(next.step, failed.step + 5);
    assert!(next.losses.iter().all(|loss| loss.is_finite()));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut engine = Engine::default();
    let mut odd = small(TaskKind::Dyck, Variant::AttentionOnly, Model::Sparse);
    odd.plan.task.length = 7;
    let answer = ask(&mut engine, Request::Begin(Box::new(odd)));
    assert!(
        matches!(&answer, Answer::Refused(Error::Setting { name, .. }) if name == "task.length"),
        "{answer:?}"
    );
    begin(&mut engine, &small(TaskKind::Dyck, Variant::AttentionOnly, Model::Sparse));
    let wrong = Request::Look { step: None, example: Some("((x))".to_owned()), failures: 0 };
    let answer = ask(&mut engine, wrong);
    let expected = Error::UnknownToken { position: 4, token: "x".to_owned() };
    assert_eq!(answer, Answer::Refused(expected));
}

#[test]
fn own_sequences_are_learned() {
    let mut member = small(TaskKind::Own, Variant::ResidualNorm, Model::Sparse);
    member.plan.task.own =
        (0..16).map(|n| format!("{n:04b} => {}\n", if n % 2 == 0 { "even" } else { "odd" })).collect();
    let mut engine = Engine::default();
    let setup = begin(&mut engine, &member);
    assert_eq!(
        (setup.tokens, setup.classes),
        (vec!["0".to_owned(), "1".to_owned()], vec!["even".to_owned(), "odd".to_owned()],)
    );
    let advanced = advance(&mut engine, 250, 2.0);
    assert!(advanced.losses.last() < advanced.losses.first());
}

#[test]
fn frozen_weights_are_drawn_as_they_are() {
    for model in [Model::Sparse, Model::Looped, Model::Random] {
        let member = small(TaskKind::Dyck, Variant::AttentionOnly, model);
        let setup = begin(&mut Engine::default(), &member);
        let distinct = if model == Model::Looped { 1 } else { 2 };
        assert_eq!((setup.heads.len(), setup.heads[0].len()), (distinct, 2));
        let head = &setup.heads[0][1];
        assert_eq!(head.is_routed, model != Model::Random);
        assert_eq!(head.query.shape, (setup.state_width, 4));
        assert_eq!(head.value.shape, (setup.state_width, setup.state_width));
        if head.is_routed {
            let ones = head.query.cells.iter().filter(|it| **it == 1.0).count();
            assert_eq!(ones, 4, "Rq selects d_h columns");
        }
    }
    let trained = small(TaskKind::Dyck, Variant::AttentionOnly, Model::Trained);
    assert_eq!(begin(&mut Engine::default(), &trained).heads, Vec::<Vec<_>>::new());
}

#[test]
fn results_are_files_that_say_everything() {
    let mut reports: Vec<Report> = Vec::new();
    for model in [Model::Sparse, Model::Trained] {
        let mut engine = Engine::default();
        begin(&mut engine, &small(TaskKind::TwoHop, Variant::ResidualNorm, model));
        advance(&mut engine, 120, 2.0);
        let Answer::Report(report) = ask(&mut engine, Request::Report) else { panic!("no report") };
        reports.push(*report);
    }
    let written = |kind| match ask(&mut Engine::default(), Request::Results(reports.clone(), kind)) {
        Answer::Exported(exported) => String::from_utf8(exported.bytes).unwrap(),
        other => panic!("{other:?}"),
    };
    let file: Value = serde_json::from_str(&written(ResultsKind::Json)).unwrap();
    assert_eq!((&file["format"], &file["version"]), (&json!("pianola-training"), &json!(1)));
    let run = &file["runs"][0];
    assert_eq!(
        (&run["task"], &run["model"], &run["variant"]),
        (&json!("2-hop"), &json!("sparse"), &json!("residual-norm"),)
    );
    assert_eq!((&run["steps"], &run["seed"], &run["frozen"]["changed"]), (&json!(120), &json!(3), &json!(0)));
    assert_eq!(run["history"].as_array().unwrap().len(), 2, "one at step 100, one at the end");
    assert!(run["accuracy"]["held_out"].as_f64().unwrap() > 0.0);
    let config: training::Config = serde_json::from_value(run["config"].clone()).unwrap();
    assert_eq!(config, reports[0].config, "the run can be repeated");
    let csv = written(ResultsKind::Csv);
    assert_eq!(csv.lines().count(), 1 + 4);
    assert!(csv.lines().nth(1).unwrap().starts_with("2-hop,residual-norm,sparse,3,100,"), "{csv}");
}

#[test]
fn what_the_project_measured_is_shipped_as_it_was_written() {
    let Answer::Shipped(shipped) = ask(&mut Engine::default(), Request::Shipped) else { panic!("nothing") };
    let file: Value =
        serde_json::from_str(&fs::read_to_string("crates/training/data/results.json").unwrap()).unwrap();
    let cells = file["cells"].as_array().unwrap();
    let runs: Vec<&Value> = cells.iter().flat_map(|cell| cell["seeds"].as_array().unwrap()).collect();
    assert_eq!(shipped.len(), runs.len());
    for (shipped, run) in shipped.iter().zip(runs) {
        let last = run["history"].as_array().unwrap().last().unwrap();
        let accuracy = shipped.report.accuracy.held_out;
        assert!((accuracy - last[2].as_f64().unwrap()).abs() < 1e-6, "{accuracy} {last}");
    }
    assert!(shipped.iter().any(|it| it.is_standard), "some have the recommended settings");
}

#[test]
fn a_fully_trained_transformer_of_attention_alone_is_a_target() {
    let mut engine = Engine::default();
    begin(&mut engine, &small(TaskKind::Dyck, Variant::AttentionOnly, Model::Trained));
    assert!(matches!(ask(&mut engine, Request::Target), Answer::Target(Some(_))));
    begin(&mut engine, &small(TaskKind::Dyck, Variant::AttentionOnly, Model::Sparse));
    assert_eq!(ask(&mut engine, Request::Target), Answer::Target(None));
}
