//! The table of the paper beside what was measured: by the project, and by the person who looks.

use leptos::prelude::*;
use training::{Config, Report, Weights};

use super::room::Room;
use super::trainee::{Rest, Status};
use crate::ground::language::{Language, say, use_language};
use crate::notices::numbers::{decimal, whole};
use crate::rooms::training::choices::{Model, Plan, Settings, Task, TaskKind, Variant};
use crate::rooms::training::job::Shipped;

const TASKS: [TaskKind; 4] = [TaskKind::Dyck, TaskKind::OneHop, TaskKind::TwoHop, TaskKind::ThreeHop];
const MODELS: [Model; 4] = [Model::Sparse, Model::Random, Model::Looped, Model::Trained];

/// How many seeds a cell of the table has.
const SEEDS: usize = 3;

/// What *Fixed Universal Transformers* (arXiv 2605.31423, section 6) reports. A frozen perceptron “improves random
/// further”, without a figure.
fn reported(kind: TaskKind, variant: Variant, model: Model) -> Option<&'static str> {
    let is_hops = kind.hops().is_some();
    match (is_hops, variant, model) {
        (false, Variant::AttentionOnly, Model::Sparse) => Some("100 %"),
        (false, Variant::AttentionOnly, Model::Random) => Some("94.4 %"),
        (true, Variant::AttentionOnly, Model::Sparse | Model::Random) => Some("30–40 %"),
        (true, Variant::AttentionOnly, Model::Trained) => Some("≈ 99 %"),
        (true, Variant::ResidualNorm, Model::Sparse) => Some("100 %"),
        (true, Variant::ResidualNorm, Model::Random) => Some("85.7–96.1 %"),
        _ => None,
    }
}

/// Accuracies of several seeds.
#[derive(Debug, Clone, PartialEq, Default)]
struct Measured {
    accuracies: Vec<f64>,
    without_null: Vec<f64>,
    date: Option<String>,
    /// All of it but the seed, where the project has measured it.
    config: Option<Config>,
}

/// What was measured here for a cell.
#[derive(Debug, Clone, PartialEq, Default)]
struct Here {
    measured: Measured,
    /// The runs that train or wait to.
    under_way: usize,
}

impl Measured {
    fn says(&self, t: Language) -> Option<String> {
        let count = self.accuracies.len();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let least = self.accuracies.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.accuracies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if count == 0 {
            return None;
        }
        let spread = match most - least {
            spread if spread > 5e-5 => format!(" ({} … {})", t.training_share(least), t.training_share(most)),
            _ => String::new(),
        };
        let without = match self.without_null.len() == count {
            true => format!("; {}", t.training_without_null(&t.training_share(mean(&self.without_null)))),
            false => String::new(),
        };
        Some(format!("{}{spread}{without}", t.training_share(mean(&self.accuracies))))
    }
}

/// What the project measured: at the recommended settings, then with larger budgets.
fn by_project(shipped: &[Shipped], kind: TaskKind, variant: Variant, model: Model) -> Vec<Measured> {
    let mut found: Vec<Measured> = Vec::new();
    let is_of_cell = |it: &&Shipped| {
        let Report { task, variant: of, model: by, .. } = &it.report;
        (task.as_str(), of.as_str(), by.name()) == (kind.word(), variant.word(), model.word())
    };
    let standard = shipped.iter().filter(|it| it.is_standard);
    for Shipped { report, .. } in standard.chain(shipped.iter().filter(|it| it.is_longer)).filter(is_of_cell)
    {
        let config = Some(Config { seed: 0, ..report.config.clone() });
        let at = found.iter().position(|known| known.config == config).unwrap_or_else(|| {
            found.push(Measured { config, date: report.date.clone(), ..Measured::default() });
            found.len() - 1
        });
        found[at].accuracies.push(report.accuracy.held_out);
        found[at].without_null.extend(report.accuracy.without_null);
    }
    found
}

fn plan_of(kind: TaskKind, variant: Variant, model: Model) -> Plan {
    Plan {
        task: Task::usual(kind),
        variant,
        models: vec![model],
        seed: 0,
        seeds: SEEDS,
        settings: Settings::default(),
    }
}

fn here(room: Room, kind: TaskKind, variant: Variant, model: Model) -> Here {
    let mut here = Here::default();
    for run in room.lab.of_plan(&plan_of(kind, variant, model)) {
        if run.forked_at.is_some() {
            continue;
        }
        here.under_way += usize::from(run.is_under_way());
        if run.status.with(|status| matches!(status, Status::Resting(Rest::Converged | Rest::Spent))) {
            run.evaluations.with(|all| {
                here.measured.accuracies.extend(all.last().map(|it| it.accuracy));
                here.measured.without_null.extend(all.last().and_then(|it| it.accuracy_without_null));
            });
        }
    }
    here
}

/// The panel.
#[component]
pub fn PaperPanel() -> impl IntoView {
    let t = use_language();
    let rows = TASKS
        .into_iter()
        .flat_map(|kind| Variant::ALL.map(|variant| (kind, variant)))
        .map(|(kind, variant)| {
            let cells = MODELS.map(|model| view! { <Cell kind variant model/> }).collect_view();
            view! {
                <tr class:is-first=variant == Variant::AttentionOnly>
                    <th scope="row">
                        <b>{move || t.get().training_task(kind)}</b>
                        <span>{move || t.get().training_variant(variant)}</span>
                    </th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    let heads = MODELS
        .map(|model| view! { <th scope="col">{move || t.get().training_model(model)}</th> })
        .collect_view();
    view! {
        <section class="panel">
            <h2>{say(t, Language::training_paper_title)}</h2>
            <p class="lead">{say(t, Language::training_paper_lead)}</p>
            <div class="table-scroll training-paper" tabindex="0" role="region" aria-label=say(t, Language::training_paper_title)>
                <table>
                    <caption class="visually-hidden">{say(t, Language::training_paper_title)}</caption>
                    <thead><tr><td>{say(t, Language::training_paper_corner)}</td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// One cell: what is reported, what the project measured, what was measured here, and a button for what is missing.
#[component]
fn Cell(kind: TaskKind, variant: Variant, model: Model) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let project =
        Memo::new(move |_| room.lab.shipped.with(|shipped| by_project(shipped, kind, variant, model)));
    let here = Memo::new(move |_| here(room, kind, variant, model));
    let reported_line = move || {
        let t = t.get();
        let text = reported(kind, variant, model)?;
        // A number and its unit stay on one line.
        let text = text.replace(' ', "\u{a0}");
        let text = if t == Language::Pt { text.replace('.', ",") } else { text };
        Some(
            view! { <p><b class="number">{text}</b>" "<span class="quiet">{t.training_reported()}</span></p> },
        )
    };
    let project_lines = move || {
        let t = t.get();
        let lines = project.get().into_iter().enumerate().filter_map(|(number, measured)| {
            let says = measured.says(t)?;
            let seeds = seeds(t, measured.accuracies.len());
            let source = match (&measured.date, number) {
                (Some(date), 0) => t.training_measured_on(&seeds, date),
                (Some(date), _) => t.training_measured_longer(&seeds, date),
                (None, _) => t.training_measured(&seeds),
            };
            let config = measured.config.as_ref().map(|config| configuration(t, config));
            Some(view! {
                <div class="training-measured">
                    <b class="number">{says}</b>
                    <details class="quiet"><summary>{source}</summary>{config}</details>
                </div>
            })
        });
        lines.collect_view()
    };
    let here_line = move || {
        let (t, Here { measured, .. }) = (t.get(), here.get());
        let source = t.training_measured_here(&seeds(t, measured.accuracies.len()));
        measured.says(t).map(|says| {
            view! { <p><b class="number">{says}</b>" "<span class="quiet">{source}</span></p> }
        })
    };
    let under_way = move || {
        let count = here.with(|here| here.under_way);
        (count > 0).then(|| view! { <p class="quiet">{move || t.get().training_count(count)}</p> })
    };
    let start = move |_| {
        let plan = plan_of(kind, variant, model);
        room.change_plan(|current| {
            let own = std::mem::take(&mut current.task.own);
            *current = Plan { task: Task { own, ..plan.task.clone() }, ..plan.clone() };
        });
        room.lab.want(&plan);
        // Those that were paused go on.
        for run in untrack(|| room.lab.of_plan(&plan)) {
            if run.status.with_untracked(|status| *status == Status::Resting(Rest::Paused)) {
                run.play(room.lab);
            }
        }
    };
    let missing = Memo::new(move |_| {
        here.with(|here| SEEDS.saturating_sub(here.measured.accuracies.len() + here.under_way))
    });
    view! {
        <td>
            {reported_line}
            {project_lines}
            {here_line}
            {under_way}
            {move || (missing.get() > 0).then(|| view! {
                <button
                    type="button"
                    class="training-measure"
                    aria-label=move || {
                        let t = t.get();
                        t.training_measure_long(missing.get(), t.training_task(kind), t.training_variant(variant), t.training_model(model))
                    }
                    on:click=start
                >
                    {move || t.get().training_measure(missing.get())}
                </button>
            })}
        </td>
    }
    .into_any()
}

/// What a run needs to be repeated, but for its seed.
fn configuration(t: Language, config: &Config) -> String {
    let Config { model, embedding_scale, optimiser, batch, steps, .. } = config;
    let width = match model.weights {
        Weights::Sparse { .. } | Weights::Looped => format!("d = {}", model.width),
        Weights::Random { gain } => format!("m = {}, g = {}", model.width, decimal(gain, t)),
        Weights::Trained => format!("m = {}", model.width),
    };
    let rate = decimal(optimiser.learning_rate, t);
    let shape = format!("H = {}, L = {}, {width}, d_h = {}", model.heads, model.layers, model.head_width);
    t.training_configuration(&shape, &rate, &decimal(*embedding_scale, t), *batch, &whole(*steps, t))
}

fn seeds(t: Language, count: usize) -> String {
    match count {
        1 => t.training_one_seed().to_owned(),
        count => t.training_many_seeds(count),
    }
}

crate::texts! {
    training_paper_title: "The paper’s table, and what was measured" | "A tabela do artigo, e o que se mediu";
    training_paper_lead: "Reported: Fixed Universal Transformers (arXiv 2605.31423), at other sizes. Measured: by this project, with these very configurations, mean of the seeds with the least and the most; k-hop also without the positions whose answer is null. A press trains the missing seeds here."
        | "Relatado: Fixed Universal Transformers (arXiv 2605.31423), em outros tamanhos. Medido: por este projeto, com exatamente estas configurações, média das sementes com a menor e a maior; em k-hop também sem as posições cuja resposta é nula. Um clique treina aqui as sementes que faltam.";
    training_paper_corner: "task, variant" | "tarefa, variante";
    training_reported: "reported" | "relatado";
    training_measured(seeds: &str): "measured, {seeds}" | "medido, {seeds}";
    training_measured_on(seeds: &str, date: &str): "measured, {seeds}, {date}" | "medido, {seeds}, {date}";
    training_measured_longer(seeds: &str, date: &str): "measured with a larger budget, {seeds}, {date}" | "medido com orçamento maior, {seeds}, {date}";
    training_configuration(shape: &str, rate: &str, scale: &str, batch: usize, steps: &str):
        "{shape}; learning rate {rate}, initial scale e = {scale}, batches of {batch}, {steps} steps"
        | "{shape}; taxa de aprendizado {rate}, escala inicial e = {scale}, lotes de {batch}, {steps} passos";
    training_measured_here(seeds: &str): "measured here, {seeds}" | "medido aqui, {seeds}";
    training_one_seed: "1 seed" | "1 semente";
    training_many_seeds(seeds: usize): "{seeds} seeds" | "{seeds} sementes";
    training_measure(seeds: usize): "Train {seeds} here" | "Treinar {seeds} aqui";
    training_measure_long(seeds: usize, task: &str, variant: &str, model: &str):
        "Train {seeds} here: {task}, {variant}, {model}" | "Treinar {seeds} aqui: {task}, {variant}, {model}";
}
