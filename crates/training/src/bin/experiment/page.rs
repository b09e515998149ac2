//! `docs/results.md`: every figure in it is computed from the reports and from the configurations of the grid.

use training::{Config, Data, Error, NO_TARGET, Optimiser, Report, Task, Weights, recommended};

use crate::grid::{Aim, Cell, Table};

/// The page.
///
/// # Errors
/// When the held-out sequences of a task cannot be drawn.
pub fn markdown(cells: &[Cell], runs: &[Report]) -> Result<String, Error> {
    let measured: Vec<Measured> = cells.iter().map(|cell| Measured::new(cell, runs)).collect();
    let mut page = String::from(HEAD);
    page.push_str("\n## Beside the paper\n\n");
    page.push_str(&beside(&measured));
    page.push_str(&always_null(cells)?);
    page.push_str("\n## What decides\n\n");
    page.push_str(&decides(&measured));
    for (title, table) in [("Standard budget", Table::Standard), ("Long runs", Table::Long)] {
        page.push_str(&format!("\n## {title}\n\n"));
        page.push_str(&table_head(
            "task | variant | model | the paper | measured, each seed | mean | spread | without null | to 99 % | steps | set beforehand | date",
        ));
        let mut of_table: Vec<&Measured> = measured.iter().filter(|it| it.cell.table == table).collect();
        of_table.sort_by_key(|it| order(it.cell));
        for it in of_table {
            page.push_str(&it.row());
        }
    }
    page.push_str("\n## Configurations\n\n");
    page.push_str(OPTIMISER);
    page.push_str(&table_head(
        "task | variant | model | H | L | m | d_h | learning rate | weight decay | e | batch | steps | frozen numbers, changed",
    ));
    for it in &measured {
        page.push_str(&it.configuration());
    }
    Ok(page)
}

const HEAD: &str = "# What was measured

Written by `cargo xtask experiment`, from runs of `crates/training` on this project's own tasks. Accuracy is the
share of the targets of 2,000 held-out sequences, none of which occurs in training, after the last step. Dyck-1:
strings of 22 parentheses, half of them balanced. k-hop: 15 symbols of an alphabet of 4, asked at every position;
“without null” leaves out the positions at which nothing is to be found. “To 99 %” is the evaluation (every 100 steps)
from which on accuracy stayed there. Means are over the seeds that are listed, from seed 0 on; the spread is the
highest seed less the lowest, in percentage points. What is “not measured” is what `cargo xtask experiment` would train
next. “The paper” is *Fixed Universal Transformers* (arXiv 2605.31423), whose figures were measured there at other
sizes. What was “set beforehand” was to be reached here before anything was measured.
";

const OPTIMISER: &str = "Optimiser everywhere: AdamW, β = (0.9, 0.98), gradients clipped to norm 1, warm-up over 100 steps, \
cosine decay to 5 %. Every figure is repeated bit for bit by its configuration and seed, which are in \
`crates/training/data/results.json`. Configurations were chosen by what seeds 0, 1 and 2 did, those of the long runs by \
what seeds 0 to 6 did: the other seeds are a check, and three to nine seeds are few.\n\n";

/// A cell and what its seeds found.
struct Measured<'a> {
    cell: &'a Cell,
    reports: Vec<&'a Report>,
}

impl<'a> Measured<'a> {
    fn new(cell: &'a Cell, runs: &'a [Report]) -> Self {
        let reports = runs.iter().filter(|it| it.config == cell.config(it.seed)).collect();
        Measured { cell, reports }
    }

    fn accuracies(&self) -> Vec<f64> {
        self.reports.iter().map(|it| it.accuracy.held_out).collect()
    }

    /// Named by its seed where the seeds are not all of 0, 1, 2 …
    fn each_seed(&self) -> String {
        let are_all = self.reports.iter().zip(0..).all(|(it, seed)| it.seed == seed);
        joined(self.reports.iter().map(|it| {
            let accuracy = percent(it.accuracy.held_out);
            if are_all { accuracy } else { format!("seed {}: {accuracy}", it.seed) }
        }))
    }

    fn is_whole(&self) -> bool {
        self.reports.len() as u64 >= self.cell.seeds
    }

    fn without_null(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.reports.iter().map(|it| it.accuracy.without_null).collect();
        all.filter(|all| !all.is_empty()).map(|all| mean(&all))
    }

    fn names(&self) -> String {
        let Cell { task, variant, kind, difference, .. } = self.cell;
        let model = [kind.name(), difference].join(" ");
        format!("| {} | {} | {} |", task.name(), variant.name(), model.trim_end())
    }

    fn row(&self) -> String {
        let named = format!("{} {} |", self.names(), self.cell.reported());
        let aim = self.cell.aim();
        let accuracies = self.accuracies();
        let Some(last) = self.reports.last() else {
            return format!("{named} not measured | | | | | | {} | |\n", aim.map_or("–".to_owned(), said));
        };
        let dates: Vec<&str> = self.reports.iter().filter_map(|it| it.date.as_deref()).collect();
        let (least, most) = range(&accuracies);
        let aim = aim.map_or("–".to_owned(), |aim| {
            let verdict = if aim.is_reached(&accuracies) { "reached" } else { "**not reached**" };
            format!("{}: {verdict}", said(aim))
        });
        format!(
            "{named} {} | {} | {:.2} | {} | {} | {} | {aim} | {} |\n",
            self.each_seed(),
            percent(mean(&accuracies)),
            100.0 * (most - least),
            self.without_null().map_or("–".to_owned(), percent),
            self.steps_to_99(),
            last.steps,
            dates.iter().max().unwrap_or(&"–"),
        )
    }

    fn steps_to_99(&self) -> String {
        joined(self.reports.iter().map(|it| it.steps_to(0.99).map_or("–".to_owned(), |it| it.to_string())))
    }

    /// Beside the recommended configuration of the same cell: by what it differs, and what came of it.
    fn contrast(&self) -> String {
        let Cell { task, variant, kind, .. } = self.cell;
        let named = format!("| {} | {} | {} |", task.name(), variant.name(), kind.name());
        let accuracies = self.accuracies();
        let config = self.cell.config(0);
        let usual = recommended(config.task.clone(), config.variant, self.cell.kind);
        let differences = match self.cell.table {
            Table::Standard => "recommended: ".to_owned() + &settings(&config),
            Table::Long => "long: ".to_owned() + &differences(&config, &usual),
            Table::Tried => differences(&config, &usual),
        };
        let (reached, count) = (accuracies.iter().filter(|it| **it >= 0.99).count(), accuracies.len());
        if count == 0 {
            return format!("{named} {differences} | not measured | | |\n");
        }
        format!(
            "{named} {differences} | {} | {} | {reached} of {count} |\n",
            self.each_seed(),
            percent(mean(&accuracies)),
        )
    }

    fn configuration(&self) -> String {
        let config = self.cell.config(0);
        let frozen = self.reports.first().map_or("–".to_owned(), |it| {
            let changed: u64 = self.reports.iter().map(|it| it.frozen.changed).sum();
            format!("{}, {changed}", it.frozen.parameters)
        });
        format!(
            "{} {} | {} | {} | {} | {} | {} | {} | {} | {} | {frozen} |\n",
            self.names(),
            config.model.heads,
            config.model.layers,
            config.state_width(),
            config.model.head_width,
            config.optimiser.learning_rate,
            config.optimiser.weight_decay,
            config.embedding_scale,
            config.batch,
            config.steps,
        )
    }
}

/// One row for every claim of the paper and everything that was set beforehand; k-hop is one row for all k.
fn beside(measured: &[Measured]) -> String {
    let mut rows: Vec<Vec<&Measured>> = Vec::new();
    for it in measured.iter().filter(|it| it.cell.table != Table::Tried) {
        let key = |it: &Measured| {
            let Cell { task, variant, kind, table, .. } = it.cell;
            (is_dyck(task), *variant, *kind, *table)
        };
        match rows.iter_mut().find(|row| key(row[0]) == key(it)) {
            Some(row) => row.push(it),
            None => rows.push(vec![it]),
        }
    }
    rows.retain(|row| row[0].cell.aim().is_some() || row[0].cell.reported() != "–");
    rows.sort_by_key(|row| (!is_dyck(&row[0].cell.task), order(row[0].cell), row[0].cell.difference));
    let head = "task | variant | model | the paper | measured: means | without null | lowest seed | set beforehand | so far";
    let mut text = table_head(head);
    for row in rows {
        let Cell { task, variant, kind, difference, .. } = row[0].cell;
        let of_task: Vec<String> = row.iter().map(|it| it.cell.task.name()).collect();
        let task = if is_dyck(task) { task.name() } else { of_task.join(", ") };
        let known: Vec<&&Measured> = row.iter().filter(|it| !it.reports.is_empty()).collect();
        let or_not = |share: Option<f64>| share.map_or("–".to_owned(), percent);
        let means =
            row.iter().map(|it| Some(it.accuracies()).filter(|all| !all.is_empty()).map(|all| mean(&all)));
        let lowest = known.iter().flat_map(|it| it.accuracies()).fold(f64::INFINITY, f64::min);
        let aim = row[0].cell.aim();
        let failing: Vec<String> = known
            .iter()
            .filter(|it| it.cell.aim().is_some_and(|aim| !aim.is_reached(&it.accuracies())))
            .map(|it| it.cell.task.name())
            .collect();
        let verdict = match aim {
            _ if known.is_empty() => "not measured".to_owned(),
            None => "–".to_owned(),
            Some(_) if !failing.is_empty() => format!("**not reached**: {}", failing.join(", ")),
            Some(_) if !row.iter().all(|it| it.is_whole()) => "reached where measured".to_owned(),
            Some(_) => "reached".to_owned(),
        };
        text.push_str(&format!(
            "| {task} | {} | {} | {} | {} | {} | {} | {} | {verdict} |\n",
            variant.name(),
            [kind.name(), difference].join(" ").trim_end(),
            row[0].cell.reported(),
            joined(means.map(or_not)),
            joined(row.iter().map(|it| or_not(it.without_null()))),
            or_not(Some(lowest).filter(|it| it.is_finite())),
            aim.map_or("–".to_owned(), said),
        ));
    }
    text
}

/// What a model reaches that has found nothing: the share of null among the targets of k-hop.
fn always_null(cells: &[Cell]) -> Result<String, Error> {
    let mut tasks: Vec<&Task> = Vec::new();
    for cell in cells {
        if cell.task.null_class().is_some() && !tasks.contains(&&cell.task) {
            tasks.push(&cell.task);
        }
    }
    tasks.sort_by_key(|task| task.name());
    let mut shares = Vec::new();
    for task in tasks {
        let data = Data::new(task.clone(), 0, 2000)?;
        let asked = data.held_out().targets.iter().filter(|it| **it != NO_TARGET);
        let null = asked.clone().filter(|it| Some(**it) == task.null_class()).count();
        shares.push(format!("{} {}", task.name(), percent(null as f64 / asked.count() as f64)));
    }
    Ok(format!(
        "\nWho always says “null” is right at these shares of all positions: {}. The paper's figures for attention alone \
         seem to be of the kind that is called “without null” here.\n",
        shares.join(", ")
    ))
}

/// Every cell of which more than one configuration was tried, the recommended one first.
fn decides(measured: &[Measured]) -> String {
    let mut text = String::from(DECIDES);
    text.push_str(&table_head(
        "task | variant | model | recommended, or what differs | each seed | mean | seeds that reach 99 %",
    ));
    let mut bases: Vec<&Measured> = measured.iter().filter(|it| it.cell.table == Table::Standard).collect();
    bases.sort_by_key(|it| order(it.cell));
    for base in bases {
        let is_other = |it: &&Measured| {
            let (a, b) = (it.cell, base.cell);
            a.table != Table::Standard && (&a.task, a.variant, a.kind) == (&b.task, b.variant, b.kind)
        };
        let others: Vec<&Measured> = measured.iter().filter(is_other).collect();
        if !others.is_empty() {
            text.push_str(&base.contrast());
            others.iter().for_each(|it| text.push_str(&it.contrast()));
        }
    }
    text
}

const DECIDES: &str = "Where a seed falls short it is left on a plateau, from which the learning rate, the scale e of the \
start, weight decay and the budget take it off. With layer normalisation a small start does. Attention alone wants a \
larger start and a rate that is higher still; a seed that stays on its plateau even then is freed by a little weight \
decay, presumably as it undoes attention that has saturated on wrong positions. The same frozen weights, with the same \
sizes, learn 2-hop and 3-hop in the long runs: the shortfall of the sparse transformer at the standard budget is one of \
optimisation, not of what frozen weights can express. Below, every configuration that was tried beside a recommended \
one:\n\n";

fn settings(config: &Config) -> String {
    format!(
        "rate {}, e {}, batch {}, {} steps",
        config.optimiser.learning_rate, config.embedding_scale, config.batch, config.steps
    )
}

/// The settings of a configuration that are not those of another one.
fn differences(config: &Config, usual: &Config) -> String {
    let gain = |weights: Weights| match weights {
        Weights::Random { gain } => gain.to_string(),
        Weights::Sparse { .. } | Weights::Looped | Weights::Trained => String::new(),
    };
    let skips = |weights: Weights| match weights {
        Weights::Sparse { skips: training::Skips::Own } => "blocks of their own".to_owned(),
        _ => "shared blocks".to_owned(),
    };
    let of = |config: &Config| {
        let Config { model, optimiser, embedding_scale, batch, steps, .. } = config;
        let Optimiser { learning_rate, warm_up, floor, square_momentum, weight_decay, .. } = optimiser;
        [
            ("rate", learning_rate.to_string()),
            ("e", embedding_scale.to_string()),
            ("batch", batch.to_string()),
            ("steps", steps.to_string()),
            ("warm-up", warm_up.to_string()),
            ("floor", floor.to_string()),
            ("weight decay", weight_decay.to_string()),
            ("β2", square_momentum.to_string()),
            ("H", model.heads.to_string()),
            ("L", model.layers.to_string()),
            ("m", config.state_width().to_string()),
            ("d_h", model.head_width.to_string()),
            ("g", gain(model.weights)),
            ("residuals to", skips(model.weights)),
        ]
    };
    let both = of(config).into_iter().zip(of(usual));
    let changed =
        both.filter(|(here, there)| here != there).map(|((name, value), _)| format!("{name} {value}"));
    changed.collect::<Vec<_>>().join(", ")
}

/// Dyck-1 first, as in the paper.
fn order(cell: &Cell) -> (bool, String, &'static str, &'static str) {
    (!is_dyck(&cell.task), cell.task.name(), cell.variant.name(), cell.kind.name())
}

fn is_dyck(task: &Task) -> bool {
    matches!(task, Task::Dyck { .. })
}

fn said(aim: Aim) -> String {
    match aim {
        Aim::Mean(least) => format!("mean ≥ {:.1} %", 100.0 * least),
        Aim::Every(least) => format!("every seed ≥ {:.1} %", 100.0 * least),
    }
}

fn table_head(titles: &str) -> String {
    let columns = titles.split('|').count();
    format!("| {titles} |\n|{}\n", "---|".repeat(columns))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn range(values: &[f64]) -> (f64, f64) {
    let each = || values.iter().copied();
    (each().fold(f64::INFINITY, f64::min), each().fold(f64::NEG_INFINITY, f64::max))
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(" / ")
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
