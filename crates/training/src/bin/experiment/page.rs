//! `docs/results.md`: every figure in it is computed from the reports.

use training::{Config, Report};

use crate::grid::{Cell, Table};

/// The page.
pub fn markdown(cells: &[Cell], runs: &[Report]) -> String {
    let mut page = String::from(HEAD);
    for (title, table) in [
        ("Standard budget", Table::Standard),
        ("Long runs", Table::Long),
        ("What else was tried", Table::Tried),
    ] {
        page.push_str(&format!("\n## {title}\n\n"));
        page.push_str(
            "| task | variant | model | reported | measured, each seed | mean | without null | to 99 % | steps | date |\n",
        );
        page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
        let mut of_table: Vec<&Cell> = cells.iter().filter(|it| it.table == table).collect();
        // Dyck-1 first, as in the paper.
        of_table.sort_by_key(|it| {
            (it.task.name() != "dyck-1", it.task.name(), it.variant.name(), it.kind.name())
        });
        for cell in of_table {
            page.push_str(&row(cell, runs));
        }
    }
    page.push_str("\n## Configurations\n\n");
    page.push_str("Optimiser everywhere: AdamW without decay, β = (0.9, 0.98), gradients clipped to norm 1, warm-up \
                   over 100 steps, cosine decay to 5 %. Every figure is repeated bit for bit by its configuration and \
                   seed, which are in `crates/training/data/results.json`.\n\n");
    page.push_str("| task | variant | model | H | L | m | d_h | learning rate | e | batch | frozen numbers, changed |\n");
    page.push_str("|---|---|---|---|---|---|---|---|---|---|---|\n");
    for cell in cells {
        page.push_str(&configuration(cell, runs));
    }
    page
}

const HEAD: &str = "# What was measured

Written by `cargo xtask experiment`, from runs of `crates/training` on this project's own tasks. Accuracy is the
share of the targets of 2,000 held-out sequences, none of which occurs in training, after the last step. Dyck-1:
strings of 22 parentheses, half of them balanced. k-hop: 15 symbols of an alphabet of 4, asked at every position;
“without null” leaves out the positions at which nothing is to be found. “To 99 %” is the evaluation (every 100 steps)
from which on accuracy stayed there. Means are over the seeds that are listed; what is “not measured” is what
`cargo xtask experiment` would train next. “Reported” are the figures of *Fixed Universal Transformers* (arXiv 2605.31423),
measured there at other sizes.
";

fn row(cell: &Cell, runs: &[Report]) -> String {
    let reports = reports(cell, runs);
    let (task, variant, reported) = (cell.task.name(), cell.variant.name(), cell.reported());
    let named = format!("| {task} | {variant} | {} {} | {reported} |", cell.kind.name(), cell.difference);
    let Some(last) = reports.last() else {
        return format!("{named} not measured | | | | | |\n");
    };
    let list =
        |text: &dyn Fn(&Report) -> String| reports.iter().map(|it| text(it)).collect::<Vec<_>>().join(" / ");
    let count = reports.len() as f64;
    let mean = reports.iter().map(|it| it.accuracy.held_out).sum::<f64>() / count;
    let without: Option<f64> = reports.iter().map(|it| it.accuracy.without_null).sum();
    let dates: Vec<&str> = reports.iter().filter_map(|it| it.date.as_deref()).collect();
    format!(
        "{named} {} | {} | {} | {} | {} | {} |\n",
        list(&|it| percent(it.accuracy.held_out)),
        percent(mean),
        without.map_or("–".to_owned(), |sum| percent(sum / count)),
        list(&|it| it.steps_to(0.99).map_or("–".to_owned(), |step| step.to_string())),
        last.steps,
        dates.iter().max().unwrap_or(&"–"),
    )
}

fn configuration(cell: &Cell, runs: &[Report]) -> String {
    let Config { model, optimiser, embedding_scale, batch, .. } = cell.config(0);
    let reports = reports(cell, runs);
    let frozen = reports.first().map_or("–".to_owned(), |it| {
        let changed: u64 = reports.iter().map(|it| it.frozen.changed).sum();
        format!("{}, {changed}", it.frozen.parameters)
    });
    format!(
        "| {} | {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {frozen} |\n",
        cell.task.name(),
        cell.variant.name(),
        cell.kind.name(),
        cell.difference,
        model.heads,
        model.layers,
        cell.config(0).state_width(),
        model.head_width,
        optimiser.learning_rate,
        embedding_scale,
        batch,
    )
}

fn reports<'a>(cell: &Cell, runs: &'a [Report]) -> Vec<&'a Report> {
    runs.iter().filter(|it| it.config == cell.config(it.seed)).collect()
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
