//! What is written down of a run: `Export results`, and the figures that the project ships.

use serde::{Deserialize, Serialize};

use crate::{Config, Error, Evaluation, FrozenReport, Kind, Run, Task, Variant, Weights};

/// A file of results. From JSON it is read run by run, and also cell by cell
/// ([`to_compact_json`](Results::to_compact_json)).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// Always [`Results::FORMAT`].
    pub format: String,
    /// Always [`Results::VERSION`].
    pub version: u32,
    /// The runs.
    pub runs: Vec<Report>,
}

/// One run: everything that is needed to repeat it, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `dyck-1`, `2-hop` …
    pub task: String,
    /// `sparse`, `looped`, `random` or `trained`.
    pub model: Kind,
    /// `attention-only`, `residual-norm` or `residual-norm-mlp`.
    pub variant: String,
    /// All of it.
    pub config: Config,
    /// The seed of the configuration.
    pub seed: u64,
    /// The steps taken.
    pub steps: usize,
    /// At the last evaluation.
    pub accuracy: Accuracy,
    /// The frozen weights.
    pub frozen: FrozenReport,
    /// What was found on the way.
    pub history: Vec<Evaluation>,
    /// The day of the measurement, `2026-11-30`, where it is known.
    #[serde(default)]
    pub date: Option<String>,
}

/// Shares of the targets of held-out sequences that were predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Of all.
    pub held_out: f64,
    /// Of those that are not null, where the task has a null class.
    #[serde(default)]
    pub without_null: Option<f64>,
}

impl Results {
    /// The name of the format.
    pub const FORMAT: &str = "pianola-training";
    /// Its version.
    pub const VERSION: u32 = 1;

    /// A file of runs.
    pub fn new(runs: Vec<Report>) -> Self {
        Results { format: Results::FORMAT.to_owned(), version: Results::VERSION, runs }
    }
}

impl Run {
    /// What is written down of it. Evaluates it where that has not been done at this step.
    ///
    /// # Errors
    /// When the frozen weights cannot be made anew for the comparison.
    pub fn report(&mut self) -> Result<Report, Error> {
        let last = match self.evaluations().last() {
            Some(last) if last.step == self.steps_taken() => *last,
            _ => self.evaluate(),
        };
        let config = self.config().clone();
        Ok(Report {
            task: config.task.name(),
            model: config.model.weights.kind(),
            variant: config.variant.name().to_owned(),
            seed: config.seed,
            steps: self.steps_taken(),
            accuracy: Accuracy { held_out: last.accuracy, without_null: last.accuracy_without_null },
            frozen: self.frozen()?,
            history: self.evaluations().to_vec(),
            date: None,
            config,
        })
    }
}

impl Report {
    /// The step of the first evaluation from which on all of them found at least `accuracy`.
    pub fn steps_to(&self, accuracy: f64) -> Option<usize> {
        let reached = self.history.iter().rev().take_while(|it| it.accuracy >= accuracy);
        reached.last().map(|it| it.step)
    }
}

impl Task {
    /// Its short name: `dyck-1`, `2-hop`, `match2`, `3-parity`, `recall`, `modular-addition`, `own`.
    pub fn name(&self) -> String {
        match self {
            Task::Dyck { .. } => "dyck-1".to_owned(),
            Task::Hops { hops, .. } => format!("{hops}-hop"),
            Task::MatchTwo { .. } => "match2".to_owned(),
            Task::Parity { bits, .. } => format!("{bits}-parity"),
            Task::Recall { .. } => "recall".to_owned(),
            Task::ModularAddition { .. } => "modular-addition".to_owned(),
            Task::Own(_) => "own".to_owned(),
        }
    }
}

impl Variant {
    /// Its name in files: `attention-only`, `residual-norm` or `residual-norm-mlp`.
    pub fn name(self) -> &'static str {
        match self {
            Variant::AttentionOnly => "attention-only",
            Variant::ResidualNorm => "residual-norm",
            Variant::ResidualNormMlp { .. } => "residual-norm-mlp",
        }
    }
}

impl Weights {
    /// The model that has such weights.
    pub fn kind(self) -> Kind {
        match self {
            Weights::Sparse { .. } => Kind::Sparse,
            Weights::Looped => Kind::Looped,
            Weights::Random { .. } => Kind::Random,
            Weights::Trained => Kind::Trained,
        }
    }
}

impl Kind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sparse => "sparse",
            Kind::Looped => "looped",
            Kind::Random => "random",
            Kind::Trained => "trained",
        }
    }
}
