//! One run of the workspace “Training”: the page asks for so many steps at a time, so that a run can be paused, changed
//! and looked at between any two of them. Each run has a worker of its own; nothing here reads a clock.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use training::{
    AttentionMaps, Config, Data, Error, Evaluation, FrozenReport, Kind, NO_TARGET, Optimiser, OwnSequences,
    Prediction, Report, Results, Run, Snapshot, TensorShape, Variant, Weights, recommended,
};
use transformer::Target;

use crate::rooms::rasp::job::Exam;
use crate::rooms::training::choices::{self as choice, EVALUATE_EVERY, Model, Plan, TaskKind};
use crate::rooms::universal::files::Exported;
use crate::rooms::universal::job::Thumbnail;
use crate::work::protocol::{Failure, Packed};

mod computed;
mod constructed;
mod script;

pub use computed::{Column, Computed, Machine};

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Set up a run at step 0, in the place of the one that was there.
    Begin(Box<Member>),
    /// Go on from a snapshot.
    Resume {
        /// Where it stands.
        from: Packed<Snapshot>,
        /// The snapshots from before, which can be looked at and forked from again.
        past: Vec<Packed<Snapshot>>,
        /// Another learning rate.
        rate: Option<f64>,
    },
    /// Go on from the first snapshot that there is: a fork begins anew where it was forked.
    Restart(Option<f64>),
    /// Take so many steps, or fewer when the run stops by itself.
    Advance {
        /// The most steps.
        steps: usize,
        /// The accuracy at which it has converged.
        until: f64,
    },
    /// Go on with another largest learning rate.
    ChangeRate(f64),
    /// Look at the model as it is, or as it was at a snapshot.
    Look {
        /// The step of the snapshot.
        step: Option<usize>,
        /// The sequence that it is tried on; without one, the first that was held out.
        example: Option<String>,
        /// How many held-out sequences on which it errs are wanted.
        failures: usize,
    },
    /// The snapshot of a step, or of the run as it is.
    Snapshot(Option<usize>),
    /// The snapshots of these steps, those that there still are.
    Snapshots(Vec<usize>),
    /// What is written down of the run.
    Report,
    /// Write a file of the run.
    Export(ExportKind),
    /// Write a file of several runs.
    Results(Vec<Report>, ResultsKind),
    /// The transformer as a target for the workspace “Universal”.
    Target,
    /// The program of RASP that solves a task by construction, with this sequence or all that are held out.
    Constructed(Box<Member>, Option<Vec<u16>>),
    /// The roll with which a frozen machine plays a trained transformer, and its attention on a sequence.
    Computed(Box<Target>, Machine, Vec<String>),
    /// The runs that the project has measured.
    Shipped,
}

/// A member of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The plan.
    pub plan: Plan,
    /// Which of its models.
    pub model: Model,
    /// With which of its seeds.
    pub seed: u64,
}

/// What can be written of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// All numbers, trained and frozen, as safetensors.
    Parameters,
    /// A PyTorch script that builds the same model, loads the parameters, and can go on training.
    Script,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultsKind {
    /// `pianola-training`.
    Json,
    /// A row for each evaluation.
    Csv,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// A run is ready.
    Ready(Box<Setup>),
    /// Steps have been taken.
    Advanced(Advanced),
    /// The learning rate is another one.
    Changed(Box<Config>),
    /// What a model looks like.
    Look(Box<Look>),
    /// A snapshot, and its step.
    Snapshot(usize, Packed<Snapshot>),
    /// Snapshots with their steps.
    Snapshots(Vec<(usize, Packed<Snapshot>)>),
    /// What is written down.
    Report(Box<Report>),
    /// A file.
    Exported(Exported),
    /// The transformer as a target, if it is one.
    Target(Option<Box<Target>>),
    /// The program with its questions, if the task has one.
    Constructed(Option<Exam>),
    /// A computed roll.
    Computed(Box<Computed>),
    /// The runs that the project has measured.
    Shipped(Vec<Shipped>),
    /// It cannot be done, and why.
    Refused(Error),
}

/// Everything about a run that does not change from step to step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Its configuration.
    pub config: Config,
    /// How many steps have been taken.
    pub step: usize,
    /// m.
    pub state_width: usize,
    /// The trained matrices.
    pub tensors: Vec<TensorShape>,
    /// Floating-point operations of a step.
    pub operations: u64,
    /// The frozen weights.
    pub frozen: FrozenReport,
    /// The frozen weights as pictures, `[layer][head]`; none for a model that is fully trained.
    pub heads: Vec<Vec<FrozenHead>>,
    /// What every token stands for.
    pub tokens: Vec<String>,
    /// What every class stands for.
    pub classes: Vec<String>,
    /// The number of held-out sequences.
    pub held_out: usize,
    /// The steps of the snapshots that there are.
    pub snapshots: Vec<usize>,
    /// What has been found on the held-out sequences.
    pub evaluations: Vec<Evaluation>,
}

/// The frozen weights of one head, drawn small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrozenHead {
    /// Rq, m × d_h.
    pub query: Thumbnail,
    /// Rk, m × d_h.
    pub key: Thumbnail,
    /// Rv, m × m.
    pub value: Thumbnail,
    /// Whether all of them are zeros and ones.
    pub is_routed: bool,
}

/// What steps have found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advanced {
    /// How many steps have been taken in all.
    pub step: usize,
    /// The loss of each new step.
    pub losses: Vec<f32>,
    /// What was found on the held-out sequences on the way.
    pub evaluations: Vec<Evaluation>,
    /// The steps of the snapshots that there are.
    pub snapshots: Vec<usize>,
    /// Why it went no further, if it did not.
    pub stop: Option<Stop>,
}

/// Why a run stops by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// It has converged: twice in a row it reached the accuracy that was asked for.
    Converged,
    /// Its budget is used up.
    Spent,
    /// Something is no longer finite; it is back at its last good step.
    Failed(Error),
}

/// A model, and what it does with a sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// After how many steps.
    pub step: usize,
    /// All trained numbers.
    pub parameters: Vec<f32>,
    /// The sequence.
    pub tokens: Vec<u16>,
    /// What the model says at each token.
    pub predictions: Vec<Prediction>,
    /// The tokens at which the task asks something.
    pub asked: Vec<bool>,
    /// The attention of every head.
    pub attention: AttentionMaps,
    /// Held-out sequences on which it errs; `None` when they were not asked for.
    pub failures: Option<Vec<training::Failure>>,
    /// The frozen weights.
    pub frozen: FrozenReport,
}

/// A run that the project has measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shipped {
    /// What was written down of it.
    pub report: Report,
    /// Whether its settings are the recommended ones.
    pub is_standard: bool,
    /// Whether it had a larger budget of steps than is recommended.
    pub is_longer: bool,
}

/// The most snapshots that are kept of a run; beyond, every second one goes.
const MOST_SNAPSHOTS: usize = 48;

/// The most bytes of all snapshots of a run, so that a large model keeps fewer of them.
const MOST_SNAPSHOT_BYTES: usize = 12_000_000;

/// However large a model is, its time line has a beginning, a middle and an end.
const FEWEST_SNAPSHOTS: usize = 4;

/// The hidden units of a perceptron.
const HIDDEN: usize = 64;

/// The figures that the project ships, as `cargo xtask experiment` wrote them.
const SHIPPED: &str = include_str!("../../../crates/training/data/results.json");

impl Member {
    /// The configuration: what is recommended, with the settings that a person chose.
    ///
    /// # Errors
    /// When the sequences of one's own cannot be read.
    pub fn config(&self) -> Result<Config, Error> {
        let Member { plan, model, seed } = self;
        let settings = &plan.settings;
        let mut config = recommended(task_of(&plan.task)?, variant_of(plan.variant), kind_of(*model));
        let set = |to: &mut usize, from: Option<usize>| *to = from.unwrap_or(*to);
        set(&mut config.model.heads, settings.heads);
        set(&mut config.model.layers, settings.layers);
        set(&mut config.model.width, settings.width);
        set(&mut config.model.head_width, settings.head_width);
        set(&mut config.steps, settings.steps);
        set(&mut config.batch, settings.batch);
        config.embedding_scale = settings.embedding_scale.unwrap_or(config.embedding_scale);
        config.optimiser.learning_rate = settings.learning_rate.unwrap_or(config.optimiser.learning_rate);
        config.seed = *seed;
        Ok(config)
    }
}

/// The task of the engine that a choice means.
///
/// # Errors
/// When the sequences of one's own cannot be read.
pub fn task_of(task: &choice::Task) -> Result<training::Task, Error> {
    use training::Task;
    let choice::Task { kind, length, symbols, own } = task;
    let (length, symbols) = (*length, *symbols);
    Ok(match kind {
        TaskKind::Dyck => Task::Dyck { length },
        TaskKind::OneHop => Task::Hops { hops: 1, alphabet: symbols, length },
        TaskKind::TwoHop => Task::Hops { hops: 2, alphabet: symbols, length },
        TaskKind::ThreeHop => Task::Hops { hops: 3, alphabet: symbols, length },
        TaskKind::FourHop => Task::Hops { hops: 4, alphabet: symbols, length },
        TaskKind::MatchTwo => Task::MatchTwo { modulus: symbols, length },
        TaskKind::Parity => Task::Parity { bits: symbols, length, secret: 0 },
        TaskKind::Recall => Task::Recall { keys: symbols, values: symbols, pairs: length },
        TaskKind::ModularAddition => Task::ModularAddition { modulus: symbols },
        TaskKind::Own => Task::Own(OwnSequences::parse(own)?),
    })
}

fn variant_of(variant: choice::Variant) -> Variant {
    match variant {
        choice::Variant::AttentionOnly => Variant::AttentionOnly,
        choice::Variant::ResidualNorm => Variant::ResidualNorm,
        choice::Variant::ResidualNormMlp => Variant::ResidualNormMlp { hidden: HIDDEN },
    }
}

fn kind_of(model: Model) -> Kind {
    match model {
        Model::Sparse => Kind::Sparse,
        Model::Looped => Kind::Looped,
        Model::Random => Kind::Random,
        Model::Trained => Kind::Trained,
    }
}

/// The worker's memory: its run, if it has one.
#[derive(Debug, Default)]
pub struct Workshop(Option<Box<Trainee>>);

#[derive(Debug)]
struct Trainee {
    run: Run,
    snapshots: Vec<Snapshot>,
    /// A run that stands at the snapshot that was looked at last.
    past: Option<Run>,
}

impl Workshop {
    /// Answers a request.
    ///
    /// # Errors
    /// When bytes that crossed are not what they should be. What the engine refuses is an answer.
    pub fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        Ok(self.try_to(request)?.unwrap_or_else(Answer::Refused))
    }

    fn try_to(&mut self, request: Request) -> Result<Result<Answer, Error>, Failure> {
        Ok(match request {
            Request::Begin(member) => self.begin(member.config().and_then(Run::new), Vec::new()),
            Request::Resume { from, past, rate } => {
                // What another release has kept cannot be read: the run goes on without that part of its past.
                let past = past.iter().filter_map(|it| it.open().ok()).collect();
                self.begin(resumed(from.open()?, rate), past)
            }
            Request::Results(reports, kind) => Ok(Answer::Exported(written(reports, kind))),
            Request::Shipped => Ok(Answer::Shipped(shipped())),
            Request::Constructed(member, tokens) => exam(&member, tokens).map(Answer::Constructed),
            Request::Computed(target, machine, sequence) => {
                Ok(Answer::Computed(Box::new(computed::computed(&target, machine, &sequence)?)))
            }
            request => match &mut self.0 {
                Some(trainee) => match request {
                    Request::Export(ExportKind::Parameters) => Ok(Answer::Exported(Exported {
                        name: format!("pianola-{}.safetensors", script::stem(trainee.run.config())),
                        bytes: trainee.run.write_safetensors()?,
                    })),
                    request => trainee.answer(request),
                },
                None => return Err(Failure::Crashed("there is no run".to_owned())),
            },
        })
    }

    fn begin(&mut self, run: Result<Run, Error>, past: Vec<Snapshot>) -> Result<Answer, Error> {
        let run = run?;
        let mut snapshots = past;
        snapshots.retain(|it| it.step <= run.steps_taken());
        snapshots.sort_by_key(|it| it.step);
        if snapshots.is_empty() {
            snapshots.push(run.snapshot());
        }
        let trainee = self.0.insert(Box::new(Trainee { run, snapshots, past: None }));
        Ok(Answer::Ready(Box::new(trainee.setup()?)))
    }
}

fn exam(member: &Member, tokens: Option<Vec<u16>>) -> Result<Option<Exam>, Error> {
    let Config { task, seed, held_out, .. } = member.config()?;
    match tokens {
        Some(tokens) => {
            let targets = task.targets(&tokens);
            Ok(constructed::exam(&task, [(tokens.as_slice(), targets.as_slice())].into_iter()))
        }
        None => {
            let data = Data::new(task, seed, held_out)?;
            let held_out = data.held_out();
            Ok(constructed::exam(data.task(), (0..held_out.count).map(|number| held_out.sequence(number))))
        }
    }
}

fn resumed(snapshot: Snapshot, rate: Option<f64>) -> Result<Run, Error> {
    let mut run = Run::resume(snapshot)?;
    if let Some(learning_rate) = rate {
        let optimiser = Optimiser { learning_rate, ..run.config().optimiser };
        run.change_optimiser(optimiser)?;
    }
    Ok(run)
}

impl Trainee {
    fn answer(&mut self, request: Request) -> Result<Answer, Error> {
        match request {
            Request::Advance { steps, until } => Ok(Answer::Advanced(self.advance(steps, until))),
            Request::ChangeRate(learning_rate) => {
                let optimiser = Optimiser { learning_rate, ..self.run.config().optimiser };
                self.run.change_optimiser(optimiser)?;
                Ok(Answer::Changed(Box::new(self.run.config().clone())))
            }
            Request::Look { step, example, failures } => {
                Ok(Answer::Look(Box::new(self.look(step, example, failures)?)))
            }
            Request::Snapshot(step) => {
                let snapshot = step
                    .and_then(|step| self.snapshots.iter().find(|it| it.step == step).cloned())
                    .unwrap_or_else(|| self.run.snapshot());
                Ok(Answer::Snapshot(snapshot.step, Packed::of(&snapshot)))
            }
            Request::Snapshots(steps) => {
                let wanted = self.snapshots.iter().filter(|it| steps.contains(&it.step));
                Ok(Answer::Snapshots(wanted.map(|it| (it.step, Packed::of(it))).collect()))
            }
            Request::Restart(rate) => {
                self.snapshots.truncate(1);
                self.past = None;
                let first = self.snapshots.first().cloned().unwrap_or_else(|| self.run.snapshot());
                self.run = resumed(first, rate)?;
                Ok(Answer::Ready(Box::new(self.setup()?)))
            }
            Request::Export(ExportKind::Script) => Ok(Answer::Exported(Exported {
                name: format!("pianola-{}.py", script::stem(self.run.config())),
                bytes: script::script(&self.run).into_bytes(),
            })),
            Request::Target => Ok(Answer::Target(self.run.target().map(Box::new))),
            // The others have been answered without a run.
            _ => Ok(Answer::Report(Box::new(self.run.report()?))),
        }
    }

    fn setup(&self) -> Result<Setup, Error> {
        let Trainee { run, snapshots, .. } = self;
        let config = run.config();
        Ok(Setup {
            step: run.steps_taken(),
            state_width: config.state_width(),
            tensors: run.tensors().to_vec(),
            operations: run.operations_per_step(),
            frozen: run.frozen()?,
            heads: pictures(run),
            tokens: config.task.tokens(),
            classes: config.task.classes(),
            held_out: run.data().held_out().count,
            snapshots: snapshots.iter().map(|it| it.step).collect(),
            evaluations: run.evaluations().to_vec(),
            config: config.clone(),
        })
    }

    fn advance(&mut self, steps: usize, until: f64) -> Advanced {
        let (start, before) = (self.run.steps_taken(), self.run.evaluations().len());
        let mut losses = Vec::with_capacity(steps);
        let mut stop = None;
        for _ in 0..steps {
            match self.run.step() {
                Ok(progress) => losses.push(progress.loss as f32),
                Err(error) => {
                    let good = self.run.steps_taken();
                    self.snapshots.retain(|it| it.step <= good);
                    // What comes next at the same steps may be another model.
                    self.past = None;
                    losses.truncate(good.saturating_sub(start));
                    stop = Some(Stop::Failed(error));
                    break;
                }
            }
            let is_spent = self.run.steps_taken() == self.run.config().steps;
            if self.run.steps_taken().is_multiple_of(EVALUATE_EVERY) || is_spent {
                self.run.evaluate();
                self.keep();
                if self.run.has_reached(until) {
                    stop = Some(Stop::Converged);
                    break;
                }
            }
            if is_spent {
                stop = Some(Stop::Spent);
                break;
            }
        }
        Advanced {
            step: self.run.steps_taken(),
            losses,
            evaluations: self.run.evaluations().get(before..).unwrap_or_default().to_vec(),
            snapshots: self.snapshots.iter().map(|it| it.step).collect(),
            stop,
        }
    }

    fn keep(&mut self) {
        self.snapshots.push(self.run.snapshot());
        // Each has every number three times: itself, and both of its moments.
        let bytes = 3 * size_of_val(self.run.parameters());
        if self.snapshots.len() > (MOST_SNAPSHOT_BYTES / bytes).clamp(FEWEST_SNAPSHOTS, MOST_SNAPSHOTS) {
            let last = self.snapshots.len() - 1;
            let mut number = 0;
            // The first, every second one and the last.
            self.snapshots.retain(|_| {
                number += 1;
                (number - 1) % 2 == 0 || number - 1 == last
            });
        }
    }

    fn look(&mut self, step: Option<usize>, example: Option<String>, failures: usize) -> Result<Look, Error> {
        let past = step.and_then(|step| self.snapshots.iter().find(|it| it.step == step));
        let run = match past {
            None => &mut self.run,
            Some(snapshot) => {
                let past = match self.past.take().filter(|past| past.steps_taken() == snapshot.step) {
                    Some(past) => past,
                    None => Run::resume(snapshot.clone())?,
                };
                self.past.insert(past)
            }
        };
        let tokens = match example.filter(|text| !text.trim().is_empty()) {
            Some(text) => run.config().task.encode(&text)?,
            None => run.data().held_out().sequence(0).0.to_vec(),
        };
        let asked = run.config().task.targets(&tokens).into_iter().map(|target| target != NO_TARGET);
        Ok(Look {
            step: run.steps_taken(),
            asked: asked.collect(),
            predictions: run.predict(&tokens)?,
            attention: run.attention(&tokens)?,
            tokens,
            failures: (failures > 0).then(|| run.failures(failures)),
            parameters: run.parameters().to_vec(),
            frozen: run.frozen()?,
        })
    }
}

/// The frozen weights of every head, as they stand in memory.
fn pictures(run: &Run) -> Vec<Vec<FrozenHead>> {
    let config = run.config();
    if !config.model.weights.are_frozen() {
        return Vec::new();
    }
    let wiring = run.wiring();
    let (m, d_h) = (wiring.width, config.model.head_width);
    let distinct = if config.model.weights == Weights::Looped { 1 } else { wiring.layers.len() };
    let picture = |rows: usize, columns: usize, at: &dyn Fn(usize, usize) -> f64| {
        Thumbnail::of(&Array2::from_shape_fn((rows, columns), |(i, j)| at(i, j)))
    };
    let one = |yes: bool| if yes { 1.0 } else { 0.0 };
    let layers = wiring.layers.iter().take(distinct).map(|layer| {
        let heads = layer.heads.iter().map(|head| {
            let matrix =
                layer.read.as_ref().and_then(|name| wiring.frozen.iter().find(|it| it.name == *name));
            match matrix {
                Some(matrix) => {
                    let from = |first: usize| {
                        move |i: usize, j: usize| f64::from(matrix.numbers[i * matrix.columns + first + j])
                    };
                    let value = head.moves.first().map_or(0, |(from, _, _)| *from);
                    FrozenHead {
                        query: picture(m, d_h, &from(head.query)),
                        key: picture(m, d_h, &from(head.key)),
                        value: picture(m, m, &from(value)),
                        is_routed: false,
                    }
                }
                None => FrozenHead {
                    query: picture(m, d_h, &|i, j| one(i == head.query + j)),
                    key: picture(m, d_h, &|i, j| one(i == head.key + j)),
                    value: picture(m, m, &|i, j| {
                        one(head.moves.iter().any(|(from, to, width)| {
                            (*from..from + width).contains(&i) && i - from + to == j
                        }))
                    }),
                    is_routed: true,
                },
            }
        });
        heads.collect()
    });
    layers.collect()
}

fn shipped() -> Vec<Shipped> {
    // A test reads the same text and compares.
    let results: Results = serde_json::from_str(SHIPPED).unwrap_or_else(|_| Results::new(Vec::new()));
    let runs = results.runs.into_iter().map(|report| {
        let Config { task, variant, model, seed, .. } = &report.config;
        let standard = Config { seed: *seed, ..recommended(task.clone(), *variant, model.weights.kind()) };
        Shipped {
            is_standard: standard == report.config,
            is_longer: report.config.steps > standard.steps,
            report,
        }
    });
    runs.collect()
}

fn written(reports: Vec<Report>, kind: ResultsKind) -> Exported {
    let text = match kind {
        ResultsKind::Json => serde_json::to_string_pretty(&Results::new(reports)).unwrap_or_default(),
        ResultsKind::Csv => {
            let mut text =
                "task,variant,model,seed,step,loss,accuracy,accuracy_without_null,targets\n".to_owned();
            for report in &reports {
                for it in &report.history {
                    let without_null = it.accuracy_without_null.map(|it| it.to_string()).unwrap_or_default();
                    text += &format!(
                        "{},{},{},{},{},{},{},{without_null},{}\n",
                        report.task,
                        report.variant,
                        report.model.name(),
                        report.seed,
                        it.step,
                        it.loss,
                        it.accuracy,
                        it.targets
                    );
                }
            }
            text
        }
    };
    let ending = match kind {
        ResultsKind::Json => "json",
        ResultsKind::Csv => "csv",
    };
    Exported { name: format!("pianola-training.{ending}"), bytes: text.into_bytes() }
}
