//! Loss and held-out accuracy of all runs of the plan, beside those that the project has measured.

use leptos::prelude::*;

use super::room::{Room, Runs};
use super::trainee::{Trainee, now};
use super::words::role_of;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, text_of, use_language};
use crate::notices::numbers::whole;
use crate::rooms::training::choices::{LossScale, MOST_SMOOTHING, Plan, USUAL_UNTIL};
use crate::rooms::training::job::Shipped;
use crate::widgets::chart::{Axis, Chart, Dot, Figure, Line, Rule, Series};
use crate::widgets::controls::{Range, Slider, Toggle};

/// The most points of a line of losses.
const MOST_POINTS: usize = 320;

/// How long at least between two pictures of runs that go on, in milliseconds.
const BETWEEN: f64 = 240.0;

/// How much higher than the smoothed losses those of single steps are shown; what is beyond stands on the edge.
const HEADROOM: f64 = 1.6;

/// Both charts.
#[component]
pub fn Curves() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let beat = beat(room);
    let losses = Memo::new(move |_| {
        beat.track();
        let look = room.look.get();
        let Runs(runs) = room.runs.get();
        untrack(|| loss_figure(&runs, look.scale, look.smoothing, t.get_untracked()))
    });
    let accuracies = Memo::new(move |_| {
        beat.track();
        let Runs(runs) = room.runs.get();
        let shipped = room.lab.shipped.get();
        room.plan.with(|plan| untrack(|| accuracy_figure(plan, &runs, &shipped, t.get_untracked())))
    });
    let finding = Memo::new(move |_| {
        beat.track();
        let Runs(runs) = room.runs.get();
        let t = t.get();
        untrack(|| finding(&runs, t))
    });
    view! {
        <section class="panel training-curves">
            <div class="choice-row training-curve-options">
                <Toggle
                    label=text_of(t, Language::training_log)
                    value=Signal::derive(move || room.look.with(|look| look.scale == LossScale::Logarithmic))
                    on_input=move |log: bool| room.change_look(|look| {
                        look.scale = if log { LossScale::Logarithmic } else { LossScale::Linear };
                    })
                />
                <Slider
                    label=text_of(t, Language::training_smoothing)
                    value=Signal::derive(move || room.look.with(|look| look.smoothing) as f64)
                    range=Range::whole(1, MOST_SMOOTHING as i32)
                    on_input=move |steps: f64| room.change_look(|look| look.smoothing = steps as usize)
                />
            </div>
            <div class="chart-pair">
                <Chart
                    name=text_of(t, Language::training_loss_name)
                    figure=losses
                    finding=text_of(t, Language::training_loss_finding)
                />
                <Chart name=text_of(t, Language::training_accuracy_name) figure=accuracies finding/>
            </div>
        </section>
    }
    .into_any()
}

/// Changes when something of the runs has changed, a few times a second at most; and at once when one comes to rest.
fn beat(room: Room) -> RwSignal<u64> {
    let beat = RwSignal::new(0);
    let last = StoredValue::new(f64::NEG_INFINITY);
    Effect::new(move |before: Option<usize>| {
        let Runs(runs) = room.runs.get();
        let under_way = runs
            .iter()
            .map(|run| {
                run.step.track();
                run.evaluations.track();
                usize::from(run.is_under_way())
            })
            .sum();
        t_track();
        if before != Some(under_way) || under_way == 0 || now() - last.get_value() > BETWEEN {
            last.set_value(now());
            beat.update(|beat| *beat += 1);
        }
        under_way
    });
    beat
}

/// The words of the figures are in the language of the page.
fn t_track() {
    use_language().track();
}

fn loss_figure(runs: &[Trainee], scale: LossScale, smoothing: usize, t: Language) -> Figure {
    let mut series = Vec::new();
    let mut largest = 0.0;
    for run in runs {
        let (raw, smooth) = run.losses.with(|losses| (thinned(losses), smoothed(losses, smoothing)));
        if raw.is_empty() {
            continue;
        }
        let name = t.training_run(*run);
        let role = role_of(run.member().model);
        if smoothing > 1 {
            largest = smooth.iter().skip(1).map(|(_, loss)| *loss).fold(largest, f64::max);
            series.insert(0, Series::new(t.training_raw(&name), role, raw).joined(Line::Pale));
            series.push(Series::new(name, role, smooth).joined(Line::Strong));
        } else {
            series.push(Series::new(name, role, raw));
        }
    }
    let y = match scale {
        // One step may lose ten times as much as its neighbours, and would press all others to the foot.
        LossScale::Linear => Axis {
            most: (largest > 0.0).then_some(HEADROOM * largest),
            ..Axis::new(t.training_loss_axis()).including([0.0])
        },
        LossScale::Logarithmic => {
            let axis = Axis::new(t.training_loss_axis_log()).logarithmic();
            Axis { least: Some(1e-6), ..axis }
        }
    };
    let y = if series.is_empty() { y.including([0.01, 1.0]) } else { y };
    Figure { x: steps_axis(&series, t), y, series, rules: Vec::new() }
}

/// From 0 on; with room for the first steps before there are any.
fn steps_axis(series: &[Series], t: Language) -> Axis {
    let furthest = if series.is_empty() { 100.0 } else { 0.0 };
    Axis::new(t.training_step_axis()).including([0.0, furthest]).counting()
}

/// Every step, or so many of them that they can be told apart.
fn thinned(losses: &[f32]) -> Vec<(f64, f64)> {
    let stride = losses.len().div_ceil(MOST_POINTS).max(1);
    let last = losses.len().saturating_sub(1);
    (0..losses.len())
        .filter(|step| step % stride == 0 || *step == last)
        .filter(|step| losses[*step].is_finite())
        .map(|step| ((step + 1) as f64, f64::from(losses[step])))
        .collect()
}

/// The mean over the last steps, weighted less the longer ago.
fn smoothed(losses: &[f32], steps: usize) -> Vec<(f64, f64)> {
    let keep = 1.0 - 1.0 / steps as f64;
    let (mut sum, mut weight) = (0.0, 0.0);
    let smooth: Vec<f32> = losses
        .iter()
        .map(|loss| {
            if !loss.is_finite() {
                return f32::NAN;
            }
            sum = keep * sum + f64::from(*loss);
            weight = keep * weight + 1.0;
            (sum / weight) as f32
        })
        .collect();
    thinned(&smooth)
}

fn accuracy_figure(plan: &Plan, runs: &[Trainee], shipped: &[Shipped], t: Language) -> Figure {
    let mut series = Vec::new();
    for model in &plan.models {
        let measured = shipped.iter().find(|it| {
            let report = &it.report;
            it.is_standard
                && report.task == plan.task.kind.word()
                && report.variant == plan.variant.word()
                && report.model.name() == model.word()
        });
        if let Some(Shipped { report, .. }) = measured {
            let name = t.training_measured_name(t.training_model(*model), report.seed);
            let points = report.history.iter().map(|it| (it.step as f64, it.accuracy)).collect();
            series.push(Series::new(name, role_of(*model), points).joined(Line::Dashed));
        }
    }
    for run in runs {
        let role = role_of(run.member().model);
        let name = t.training_run(*run);
        run.evaluations.with(|all| {
            if all.is_empty() {
                return;
            }
            let points = all.iter().map(|it| (it.step as f64, it.accuracy)).collect();
            let without: Vec<(f64, f64)> =
                all.iter().filter_map(|it| Some((it.step as f64, it.accuracy_without_null?))).collect();
            if !without.is_empty() {
                series.push(Series::new(t.training_without_null(&name), role, without).marked(Dot::Triangle));
            }
            series.push(Series::new(name, role, points).joined(Line::Strong).marked(Dot::Disc));
        });
    }
    let until = plan.settings.until.unwrap_or(USUAL_UNTIL);
    Figure {
        x: steps_axis(&series, t),
        y: Axis::new(t.training_accuracy_axis()).including([0.5, 1.0]).within(0.0, 1.0),
        series,
        rules: vec![Rule::level(until, t.training_until_rule(), Role::Frozen)],
    }
}

fn finding(runs: &[Trainee], t: Language) -> String {
    let sentences: Vec<String> = runs
        .iter()
        .filter_map(|run| {
            let last = run.evaluations.with(|all| all.last().copied())?;
            Some(t.training_finding(
                &t.training_run(*run),
                &t.training_share(last.accuracy),
                &whole(last.targets, t),
                &whole(last.step, t),
            ))
        })
        .collect();
    match sentences.is_empty() {
        true => t.training_no_finding().to_owned(),
        false => sentences.join("\n"),
    }
}

crate::texts! {
    training_log: "Loss on a log scale" | "Perda em escala log";
    training_smoothing: "Smoothing (steps)" | "Suavização (passos)";
    training_loss_name: "Loss" | "Perda";
    training_loss_finding: "The mean cross-entropy of each batch: thick it is smoothed, thin it is each step as it was."
        | "A entropia cruzada média de cada lote: grossa, suavizada; fina, cada passo como foi.";
    training_accuracy_name: "Held-out accuracy" | "Acurácia em dados reservados";
    training_raw(run: &str): "{run}: each step" | "{run}: cada passo";
    training_measured_name(model: &str, seed: u64): "{model}, measured by the project (seed {seed})" | "{model}, medido pelo projeto (semente {seed})";
    training_loss_axis: "cross-entropy (nats)" | "entropia cruzada (nats)";
    training_loss_axis_log: "cross-entropy (nats, log scale)" | "entropia cruzada (nats, escala log)";
    training_step_axis: "steps" | "passos";
    training_accuracy_axis: "share of targets predicted" | "fração dos alvos prevista";
    training_until_rule: "stops here" | "para aqui";
    training_finding(run: &str, share: &str, targets: &str, step: &str):
        "{run}: {share} of {targets} targets in sequences that it never saw, after {step} steps."
        | "{run}: {share} de {targets} alvos em sequências que nunca viu, após {step} passos.";
    training_no_finding: "Every 100 steps a run is tried on sequences that it never saw. Dashed lines are runs that the project has measured."
        | "A cada 100 passos um treino é testado em sequências que nunca viu. Linhas tracejadas são treinos que o projeto mediu.";
}
