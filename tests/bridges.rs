//! What comes out of the workspace “Training”, and what it is compared with: targets, computed rolls, programs of RASP.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use futures_executor::block_on;
use ndarray::Array2;
use pianola::rooms::rasp::job::{self as programs, Exam, Graded};
use pianola::rooms::training::choices::{Model, Plan, Settings, Task, TaskKind, Variant};
use pianola::rooms::training::job::{
    Answer, Computed, ExportKind, Look, Machine, Member, Request, Setup, task_of,
};
use pianola::work::protocol::{Answer as Reply, Packed, Request as Ask, from_bytes, to_bytes};
use pianola::work::serve::Engine;
use serde_json::Value;
use training::NO_TARGET;
use transformer::Target;

fn ask(engine: &mut Engine, request: Request) -> Answer {
    let request: Ask = from_bytes(&to_bytes(&Ask::Training(Packed::of(&request))).unwrap()).unwrap();
    let answer = to_bytes(&block_on(engine.answer(request)).unwrap()).unwrap();
    from_bytes::<Reply>(&answer).unwrap().training().unwrap()
}

fn grade(engine: &mut Engine, exam: &Exam) -> Graded {
    let request = Ask::Rasp(Packed::of(&programs::Request::Grade(exam.clone())));
    match block_on(engine.answer(request)).unwrap().rasp().unwrap() {
        programs::Answer::Graded(graded) => graded,
        other => panic!("{other:?}"),
    }
}

/// A small run of attention alone, with d = `width` or m = `width`, after 60 steps.
fn trained(kind: TaskKind, model: Model, width: usize) -> (Engine, Setup, Look) {
    let settings = Settings {
        steps: Some(200),
        batch: Some(8),
        heads: Some(2),
        layers: Some(2),
        width: Some(width),
        head_width: Some(4),
        ..Settings::default()
    };
    let variant = Variant::AttentionOnly;
    let plan = Plan { task: Task::usual(kind), variant, models: vec![model], seed: 5, seeds: 1, settings };
    let mut engine = Engine::default();
    let Answer::Ready(setup) = ask(&mut engine, Request::Begin(Box::new(Member { plan, model, seed: 5 })))
    else {
        panic!("it cannot begin")
    };
    ask(&mut engine, Request::Advance { steps: 60, until: 2.0 });
    let look = Request::Look { step: None, example: None, failures: 0 };
    let Answer::Look(look) = ask(&mut engine, look) else { panic!("no look") };
    (engine, *setup, *look)
}

fn target(engine: &mut Engine) -> Target {
    match ask(engine, Request::Target) {
        Answer::Target(Some(target)) => *target,
        other => panic!("{other:?}"),
    }
}

fn names(setup: &Setup, look: &Look) -> Vec<String> {
    look.tokens.iter().map(|token| setup.tokens[usize::from(*token)].clone()).collect()
}

/// The largest difference between the attention of a run, in f32, and some other.
fn apart<'a>(look: &Look, other: impl Iterator<Item = &'a [f64]>) -> f64 {
    let own = look.attention.shares.iter().flatten();
    let mut largest = 0.0_f64;
    let mut heads = 0;
    for (own, other) in own.zip(other) {
        assert_eq!(own.len(), other.len());
        heads += 1;
        largest = own.iter().zip(other).fold(largest, |most, (a, b)| most.max((f64::from(*a) - b).abs()));
    }
    assert_eq!(heads, 4, "two heads in each of two layers");
    largest
}

fn flat(matrix: &Array2<f64>) -> &[f64] {
    matrix.as_slice().unwrap()
}

#[test]
fn a_run_and_the_target_that_it_becomes_attend_alike() {
    for kind in [TaskKind::Dyck, TaskKind::OneHop, TaskKind::MatchTwo] {
        let (mut engine, setup, look) = trained(kind, Model::Trained, 8);
        let target = target(&mut engine);
        let input = target.vocabulary().unwrap().embed(&names(&setup, &look)).unwrap();
        let attention = transformer::forward(&target, input.view()).unwrap().attention;
        let difference = apart(&look, attention.iter().flatten().map(flat));
        assert!(difference < 1e-5, "{kind:?}: {difference}");
    }
}

#[test]
fn a_computed_roll_makes_the_frozen_machine_attend_like_the_run() {
    let (mut engine, setup, look) = trained(TaskKind::Dyck, Model::Trained, 8);
    let target = target(&mut engine);
    for (machine, model) in [(Machine::Sparse, Model::Sparse), (Machine::Looped, Model::Looped)] {
        let request = Request::Computed(Box::new(target.clone()), machine, names(&setup, &look));
        let Answer::Computed(computed) = ask(&mut engine, request) else { panic!("nothing is computed") };
        let Computed { tokens, positions, columns, attention, error } = *computed;
        assert!(error < 1e-12, "{machine:?}: {error}");
        let difference = apart(&look, attention.iter().flatten().map(Vec::as_slice));
        assert!(difference < 1e-5, "{machine:?}: {difference}");
        // It has the very shape of the roll that is learned for the machine of this class.
        let (mut engine, learner, _) = trained(TaskKind::Dyck, model, 8);
        assert_eq!(columns.len(), learner.state_width);
        assert_eq!(
            (columns[0].consumer.as_str(), columns[0].path.as_str(), columns[0].place),
            ("q1,1", "–", 1)
        );
        let last = columns.last().unwrap();
        assert_eq!((last.consumer.as_str(), last.path.as_str(), last.place), ("out", "2·2", 8));
        // And the machine is the same one: put into the place of the learned roll, the computed one makes the run's
        // own frozen weights attend as the transformer does.
        let Answer::Snapshot(_, snapshot) = ask(&mut engine, Request::Snapshot(None)) else {
            panic!("no snapshot")
        };
        let mut snapshot = snapshot.open().unwrap();
        for (name, roll) in [("embedding.tokens", &tokens), ("embedding.positions", &positions)] {
            let tensor = learner.tensors.iter().find(|it| it.name == name).unwrap();
            assert_eq!(roll.dim(), (tensor.rows, tensor.columns));
            let numbers: Vec<f32> = roll.iter().map(|number| *number as f32).collect();
            snapshot.parameters[tensor.range()].copy_from_slice(&numbers);
        }
        ask(&mut engine, Request::Resume { from: Packed::of(&snapshot), past: Vec::new(), rate: None });
        let example = Some(names(&setup, &look).concat());
        let Answer::Look(played) = ask(&mut engine, Request::Look { step: None, example, failures: 0 })
        else {
            panic!("no look")
        };
        let shares: Vec<Vec<f64>> = played
            .attention
            .shares
            .iter()
            .flatten()
            .map(|head| head.iter().map(|share| f64::from(*share)).collect())
            .collect();
        let difference = apart(&look, shares.iter().map(Vec::as_slice));
        assert!(difference < 1e-4, "{machine:?}, in the run: {difference}");
    }
}

#[test]
fn programs_of_rasp_solve_what_is_learned() {
    let mut engine = Engine::default();
    let sizes = [
        (TaskKind::Dyck, 22, 0),
        (TaskKind::Dyck, 14, 0),
        (TaskKind::OneHop, 15, 4),
        (TaskKind::TwoHop, 15, 4),
        (TaskKind::ThreeHop, 20, 3),
        (TaskKind::FourHop, 24, 4),
        (TaskKind::MatchTwo, 12, 11),
        (TaskKind::MatchTwo, 9, 7),
        (TaskKind::Parity, 16, 2),
        (TaskKind::Parity, 10, 4),
    ];
    for (kind, length, symbols) in sizes {
        let task = Task { length, symbols, ..Task::usual(kind) };
        let plan = Plan { task, ..Plan::default() };
        let member = Box::new(Member { model: Model::Sparse, seed: 1, plan });
        let request = Request::Constructed(member.clone(), None);
        let Answer::Constructed(Some(mut exam)) = ask(&mut engine, request) else {
            panic!("{kind:?} has none")
        };
        assert!(exam.sheets.len() >= 60, "{kind:?}: {}", exam.sheets.len());
        exam.sheets.truncate(300);
        let Graded { right, asked, answers } = grade(&mut engine, &exam);
        assert!(asked >= exam.sheets.len().min(60), "{kind:?}: {asked}");
        assert_eq!(right, asked, "{kind:?}, {length}, {symbols}: {}", exam.program);
        let truths: Vec<Option<u16>> =
            exam.sheets[0].questions.iter().map(|(_, truth)| Some(*truth)).collect();
        assert_eq!(answers, truths, "{kind:?}");
        // Every class is an answer to something, so none of it is right by chance.
        let task = task_of(&member.plan.task).unwrap();
        let said = exam.sheets.iter().flat_map(|sheet| &sheet.questions).map(|(_, class)| *class);
        let said: BTreeSet<u16> = said.collect();
        assert_eq!(said.len(), task.classes().len(), "{kind:?}");
        // One sequence alone is asked what the task asks of it.
        let tokens = training::Data::new(task.clone(), 1, 3).unwrap().held_out().sequence(1).0.to_vec();
        let request = Request::Constructed(member, Some(tokens.clone()));
        let Answer::Constructed(Some(exam)) = ask(&mut engine, request) else { panic!("{kind:?} has none") };
        let asked: Vec<u16> =
            task.targets(&tokens).into_iter().filter(|target| *target != NO_TARGET).collect();
        assert_eq!(grade(&mut engine, &exam).answers, asked.into_iter().map(Some).collect::<Vec<_>>());
    }
}

#[test]
fn a_program_that_errs_is_not_called_right() {
    let mut engine = Engine::default();
    let plan = Plan { task: Task::usual(TaskKind::MatchTwo), ..Plan::default() };
    let member = Box::new(Member { model: Model::Sparse, seed: 1, plan });
    let Answer::Constructed(Some(exam)) = ask(&mut engine, Request::Constructed(member, None)) else {
        panic!("there is none")
    };
    let wrong = Exam { program: exam.program.replace(", 11)", ", 10)"), ..exam.clone() };
    let Graded { right, asked, .. } = grade(&mut engine, &wrong);
    assert!(right < asked, "{right} of {asked}");
    let broken = Exam { program: "tokens + ;".to_owned(), ..exam };
    let Graded { right, asked, answers } = grade(&mut engine, &broken);
    assert_eq!((right, asked > 0), (0, true));
    assert!(answers.iter().all(Option::is_none));
}

#[test]
fn tasks_without_a_program_have_none() {
    for kind in [TaskKind::Recall, TaskKind::ModularAddition] {
        let plan = Plan { task: Task::usual(kind), ..Plan::default() };
        let member = Box::new(Member { model: Model::Sparse, seed: 1, plan });
        let answer = ask(&mut Engine::default(), Request::Constructed(member, None));
        assert_eq!(answer, Answer::Constructed(None));
    }
}

/// The exported script gives the outputs of the run, in numpy and, where it is installed, in torch, where it also goes
/// on training; and the sequences that it draws are those of the task. `PYTHON` names another interpreter.
#[test]
#[ignore = "needs python3 with numpy"]
fn the_script_gives_the_same_outputs() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let started = |arguments: &[&str]| {
        let output = Command::new(&python).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json = |arguments: &[&str]| -> Value { serde_json::from_str(&started(arguments)).unwrap() };
    let has_torch = Command::new(&python).args(["-c", "import torch"]).output().unwrap().status.success();
    let folder = std::env::temp_dir().join(format!("pianola-script-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    // Every model in every variant, and every task on the way.
    let tasks = [
        TaskKind::Dyck,
        TaskKind::ThreeHop,
        TaskKind::MatchTwo,
        TaskKind::Parity,
        TaskKind::Recall,
        TaskKind::ModularAddition,
        TaskKind::Own,
    ];
    let variants = Variant::ALL.into_iter().flat_map(|variant| Model::ALL.map(|model| (variant, model)));
    for ((variant, model), kind) in variants.zip(tasks.into_iter().cycle()) {
        let case = format!("{kind:?}, {variant:?}, {model:?}");
        let (mut engine, setup, member) = begun(kind, variant, model);
        ask(&mut engine, Request::Advance { steps: 40, until: 2.0 });
        let mut paths = Vec::new();
        for export in [ExportKind::Parameters, ExportKind::Script] {
            let Answer::Exported(exported) = ask(&mut engine, Request::Export(export)) else {
                panic!("nothing is exported")
            };
            let to = folder.join(exported.name);
            fs::write(&to, exported.bytes).unwrap();
            paths.push(to.to_string_lossy().into_owned());
        }
        let (parameters, script) = (paths[0].as_str(), paths[1].as_str());
        let task = task_of(&member.plan.task).unwrap();
        let sample = json(&[script, "sample", "--count", "40"]);
        let mut right = 0;
        for (tokens, targets) in rows(&sample["tokens"]).zip(rows(&sample["targets"])) {
            let tokens: Vec<u16> = tokens.into_iter().map(|it| it as u16).collect();
            let truth = task.targets(&tokens).into_iter();
            let truth: Vec<i64> = truth.map(|it| if it == NO_TARGET { -1 } else { i64::from(it) }).collect();
            if kind != TaskKind::Own {
                assert_eq!(targets, truth, "{case}: {tokens:?}");
            }
            right += 1;
        }
        assert_eq!(right, 40);
        let ways: &[&[&str]] = if has_torch { &[&["--numpy"], &[]] } else { &[&["--numpy"]] };
        for way in ways {
            let outputs = json(&[&[script, "outputs"], *way].concat());
            for (tokens, logits) in rows(&outputs["tokens"]).zip(outputs["logits"].as_array().unwrap()) {
                let tokens: Vec<u16> = tokens.into_iter().map(|it| it as u16).collect();
                let text: Vec<&str> =
                    tokens.iter().map(|it| setup.tokens[usize::from(*it)].as_str()).collect();
                let example = Some(text.join(" "));
                let Answer::Look(look) = ask(&mut engine, Request::Look { step: None, example, failures: 0 })
                else {
                    panic!("{text:?} cannot be looked at")
                };
                assert_eq!(look.tokens, tokens);
                for (prediction, logits) in look.predictions.iter().zip(logits.as_array().unwrap()) {
                    for (found, share) in prediction.probabilities.iter().zip(softmax(logits)) {
                        let difference = (f64::from(*found) - share).abs();
                        assert!(difference < 1e-5, "{case}, {way:?}: off by {difference}");
                    }
                }
            }
        }
        if has_torch {
            let train = [script, "train", "--steps", "4", "--batch", "4", "--held-out", "8"];
            let said = started(&train);
            assert!(said.contains("step 4: loss "), "{case}: {said}");
            // On two processes, started as on two machines.
            let launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"];
            let said = started(&[launcher.as_slice(), train.as_slice()].concat());
            assert!(said.contains("step 4: loss "), "{case}, two processes: {said}");
            // What is trained has changed, what is frozen has not.
            let trained = parameters.replace(".safetensors", "-trained.safetensors");
            let (before, after) = (tensors(parameters), tensors(&trained));
            assert_eq!(before.len(), after.len());
            for (name, numbers) in &before {
                assert_eq!(*numbers == after[name], name.starts_with("frozen."), "{case}: {name}");
            }
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// A small run of any kind at step 0.
fn begun(kind: TaskKind, variant: Variant, model: Model) -> (Engine, Setup, Member) {
    let settings = Settings {
        steps: Some(250),
        batch: Some(8),
        width: Some(if matches!(model, Model::Sparse | Model::Looped) { 4 } else { 16 }),
        head_width: Some(4),
        layers: Some(2),
        ..Settings::default()
    };
    let own = "a b => x\nb a => y\na a => x\nb b => y\na b a => y\n".to_owned();
    let task = Task { own, ..Task::usual(kind) };
    let plan = Plan { task, variant, models: vec![model], seed: 3, seeds: 1, settings };
    let member = Member { plan, model, seed: 3 };
    let mut engine = Engine::default();
    match ask(&mut engine, Request::Begin(Box::new(member.clone()))) {
        Answer::Ready(setup) => (engine, *setup, member),
        other => panic!("{other:?}"),
    }
}

/// The tensors of a file of parameters, by their names.
fn tensors(path: &str) -> BTreeMap<String, Vec<f32>> {
    let bytes = fs::read(path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: BTreeMap<String, Value> = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let data = &bytes[8 + length..];
    let cut = |tensor: &Value| {
        let offset = |end: usize| tensor["data_offsets"][end].as_u64().unwrap() as usize;
        let numbers = data[offset(0)..offset(1)].chunks_exact(4);
        numbers.map(|it| f32::from_le_bytes(it.try_into().unwrap())).collect()
    };
    header
        .iter()
        .filter(|(name, _)| *name != "__metadata__")
        .map(|(name, it)| (name.clone(), cut(it)))
        .collect()
}

fn rows(value: &Value) -> impl Iterator<Item = Vec<i64>> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(|it| it.as_i64().unwrap()).collect())
}

fn softmax(logits: &Value) -> Vec<f64> {
    let logits: Vec<f64> = logits.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logits.iter().map(|it| (it - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|it| it / sum).collect()
}
