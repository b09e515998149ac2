//! Results in a file: run by run, as they are exported, or cell by cell, as the project ships them, with what the
//! seeds of a cell have in common written once and histories thinned to what a chart needs.

use serde::{Deserialize, Deserializer, Serialize};
use universal::Fingerprint;

use crate::{Accuracy, Config, Evaluation, FrozenReport, Optimiser, Report, Results};

impl Results {
    /// The results cell by cell, as JSON. Of every cell the first seed keeps about `points` evaluations of its
    /// history, and the other seeds those that say when 99 % was reached for good. Numbers of the histories
    /// are rounded to what is shown. Read back by [`Results`]' own `Deserialize`.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn to_compact_json(&self, points: usize) -> Result<String, serde_json::Error> {
        let mut cells: Vec<Cell> = Vec::new();
        for report in &self.runs {
            let cell = Cell::of(report);
            match cells.iter_mut().find(|it| it.is_like(&cell)) {
                Some(known) => known.seeds.push(Seed::of(report, 0)),
                None => cells.push(Cell { seeds: vec![Seed::of(report, points)], ..cell }),
            }
        }
        let mut document = serde_json::to_value(Document {
            format: self.format.clone(),
            version: self.version,
            runs: Vec::new(),
            cells,
        })?;
        let usual = serde_json::to_value(Optimiser::default())?;
        for cell in document["cells"].as_array_mut().into_iter().flatten() {
            let optimiser = cell["config"]["optimiser"].as_object_mut();
            optimiser.into_iter().for_each(|it| it.retain(|name, value| usual[name.as_str()] != *value));
        }
        serde_json::to_string(&document)
    }
}

impl<'de> Deserialize<'de> for Results {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (format, version, runs) = if deserializer.is_human_readable() {
            let Document { format, version, mut runs, cells } = Document::deserialize(deserializer)?;
            runs.extend(cells.iter().flat_map(Cell::reports));
            (format, version, runs)
        } else {
            Deserialize::deserialize(deserializer)?
        };
        Ok(Results { format, version, runs })
    }
}

/// A file.
#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<Report>,
    #[serde(default)]
    cells: Vec<Cell>,
}

/// What runs that differ only by their seed have in common.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Cell {
    /// With seed 0.
    config: Config,
    date: Option<String>,
    /// How many numbers are frozen, and how many of them have changed.
    frozen: (u64, u64),
    /// The number of held-out targets.
    targets: usize,
    seeds: Vec<Seed>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Seed {
    seed: u64,
    /// Of the frozen weights before the first step.
    fingerprint: Fingerprint,
    /// Of the frozen weights after the last one, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed_to: Option<Fingerprint>,
    /// Step, loss, accuracy, accuracy without the null class.
    history: Vec<(usize, f64, f64, Option<f64>)>,
}

impl Cell {
    fn of(report: &Report) -> Self {
        Cell {
            config: Config { seed: 0, ..report.config.clone() },
            date: report.date.clone(),
            frozen: (report.frozen.parameters, report.frozen.changed),
            targets: report.history.last().map_or(0, |it| it.targets),
            seeds: Vec::new(),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let of_all = |cell: &Self| (cell.date.clone(), cell.frozen, cell.targets);
        self.config == other.config && of_all(self) == of_all(other)
    }

    fn reports(&self) -> impl Iterator<Item = Report> {
        self.seeds.iter().map(|it| {
            let evaluation = |(step, loss, accuracy, accuracy_without_null)| Evaluation {
                step,
                loss,
                accuracy,
                accuracy_without_null,
                targets: self.targets,
            };
            let history: Vec<Evaluation> = it.history.iter().copied().map(evaluation).collect();
            let last = history.last();
            Report {
                task: self.config.task.name(),
                model: self.config.model.weights.kind(),
                variant: self.config.variant.name().to_owned(),
                config: Config { seed: it.seed, ..self.config.clone() },
                seed: it.seed,
                steps: last.map_or(0, |it| it.step),
                accuracy: Accuracy {
                    held_out: last.map_or(0.0, |it| it.accuracy),
                    without_null: last.and_then(|it| it.accuracy_without_null),
                },
                frozen: FrozenReport {
                    parameters: self.frozen.0,
                    changed: self.frozen.1,
                    before: it.fingerprint,
                    now: it.changed_to.unwrap_or(it.fingerprint),
                },
                history,
                date: self.date.clone(),
            }
        })
    }
}

impl Seed {
    fn of(report: &Report, points: usize) -> Self {
        let history = &report.history;
        let last = history.len().saturating_sub(1);
        let reached = report.steps_to(0.99).and_then(|step| history.iter().position(|it| it.step == step));
        // The last one below belongs to it: without it the evaluations before would be counted, too.
        let tells = |index: usize| {
            index == last || reached.is_some_and(|reached| index == reached || index + 1 == reached)
        };
        let stride = history.len().div_ceil(points.max(1)).max(1);
        let shown = |index: usize| points > 0 && (last - index).is_multiple_of(stride);
        // What has been thinned before stays as it is.
        let is_short = history.len() <= points + 3;
        let kept = history.iter().enumerate().filter(|(index, _)| is_short || tells(*index) || shown(*index));
        let share = |share: f64| (share * 1e6).round() / 1e6;
        let row = |it: &Evaluation| {
            (it.step, rounded(it.loss), share(it.accuracy), it.accuracy_without_null.map(share))
        };
        Seed {
            seed: report.seed,
            fingerprint: report.frozen.before,
            changed_to: Some(report.frozen.now).filter(|now| *now != report.frozen.before),
            history: kept.map(|(_, it)| row(it)).collect(),
        }
    }
}

/// To three significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}
