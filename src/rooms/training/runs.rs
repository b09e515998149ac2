//! The runs side by side: what each does, and the buttons that hold them.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use training::Report;

use super::bridges::{is_target, send_to_universal};
use super::lab::cores_to_spare;
use super::room::{Chosen, Room, Runs};
use super::trainee::{RateAfterReset, Rest, Status, Trainee};
use super::words::role_of;
use crate::drawing::export::save_bytes;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::notices::numbers::{decimal, whole};
use crate::rooms::training::job::{Answer, ExportKind, Request, ResultsKind};
use crate::rooms::universal::files::Exported;
use crate::widgets::controls::{Button, Look, Menu, MenuItem, Range, Slider, Toggle};
use crate::widgets::icon::Icon;
use crate::work::client::Line;
use crate::work::protocol::{self, Packed};

/// All runs of the plan.
#[component]
pub fn RunsPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let cards = move || {
        let Runs(runs) = room.runs.get();
        runs.into_iter().map(|run| view! { <Card run/> }).collect_view()
    };
    let elsewhere = Memo::new(move |_| {
        let Runs(here) = room.runs.get();
        room.lab.runs.with(|all| {
            let is_elsewhere = |run: &&Trainee| !here.iter().any(|other| other.id == run.id);
            all.iter().filter(is_elsewhere).filter(|run| run.is_under_way()).count()
        })
    });
    view! {
        <section class="training-runs" aria-label=say(t, Language::training_runs)>
            <Transport/>
            <div class="training-cards">{cards}</div>
            {move || room.lab.is_out_of_room.get().then(|| view! {
                <p class="notice notice-bad" role="status"><span>{say(t, Language::training_out_of_room)}</span></p>
            })}
            <p class="quiet training-aside">{say(t, Language::training_reset_note)}</p>
            {move || (elsewhere.get() > 0).then(|| view! {
                <p class="quiet">{t.get().training_elsewhere(elsewhere.get())}</p>
            })}
        </section>
    }
    .into_any()
}

/// The buttons for all runs of the plan together, and how far they have come.
#[component]
fn Transport() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let runs = move || room.runs.get().0;
    let missing = Memo::new(move |_| room.plan.with(|plan| room.lab.missing(plan).len()));
    let resting =
        Memo::new(move |_| runs().iter().filter(|run| !run.is_under_way() && !run.is_finished()).count());
    let under_way = Memo::new(move |_| runs().iter().filter(|run| run.is_under_way()).count());
    let start = move |()| {
        let plan = room.plan.get_untracked();
        room.lab.want(&plan);
        for run in
            untrack(runs).into_iter().filter(|run| untrack(|| !run.is_under_way() && !run.is_finished()))
        {
            run.play(room.lab);
        }
    };
    let done = Memo::new(move |_| {
        let runs = runs();
        let share = |run: &Trainee| match run.is_finished() {
            true => 1.0,
            false => run.budget.get().map_or(0.0, |budget| run.step.get() as f64 / budget as f64),
        };
        let total = runs.len() + missing.get();
        if total == 0 { 0.0 } else { runs.iter().map(share).sum::<f64>() / total as f64 }
    });
    let waiting = Memo::new(move |_| runs().iter().filter(|run| run.status.get() == Status::Waiting).count());
    let left = Memo::new(move |_| {
        // Of a run that has not begun nobody knows how long it takes, nor of all of them together.
        let under_way = runs().into_iter().filter(|run| run.is_under_way());
        let seconds: Option<Vec<f64>> = under_way.map(|run| run.seconds_left()).collect();
        let seconds = seconds?;
        let total: f64 = seconds.iter().sum();
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        (total > 0.0).then(|| (total / cores_to_spare() as f64).max(longest))
    });
    let says = move || {
        let t = t.get();
        match (under_way.get(), left.get()) {
            (0, _) if missing.get() + resting.get() > 0 => t.training_ready(missing.get() + resting.get()),
            (0, _) => t.training_done().to_owned(),
            (count, left) => {
                let waiting = waiting.get();
                let parts = [
                    Some(t.training_count(count - waiting)),
                    (waiting > 0).then(|| t.training_waiting_count(waiting)),
                    left.map(|seconds| t.training_left(&t.training_time(seconds))),
                ];
                parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
        }
    };
    let export = move |kind: ResultsKind| export_results(room, kind);
    let exports = move |()| {
        let words = t.get_untracked();
        vec![MenuItem::new(words.training_export_csv(), move || export(ResultsKind::Csv))]
    };
    view! {
        <div class="training-transport" role="group" aria-label=say(t, Language::training_all_runs)>
            <Button
                label=text_of(t, Language::training_start)
                icon=Icon::Play
                look=Look::Strong
                refusal=Signal::derive(move || {
                    (missing.get() + resting.get() == 0).then(|| t.get().training_nothing_to_start().to_owned())
                })
                on_press=start
            />
            <Button
                label=text_of(t, Language::training_pause)
                icon=Icon::Pause
                refusal=Signal::derive(move || (under_way.get() == 0).then(|| t.get().training_nothing_runs().to_owned()))
                on_press=move |()| untrack(runs).into_iter().for_each(|run| run.pause(room.lab))
            />
            <Button
                label=text_of(t, Language::training_reset)
                icon=Icon::ToStart
                on_press=move |()| untrack(runs).into_iter().for_each(|run| run.reset(room.lab, RateAfterReset::Now))
            />
            <progress max="1" prop:value=move || done.get().to_string() aria-label=say(t, Language::training_progress)></progress>
            <span class="training-says number">{says}</span>
            <span class="training-exports">
                <Button
                    label=text_of(t, Language::training_export)
                    icon=Icon::Save
                    refusal=Signal::derive(move || runs().is_empty().then(|| t.get().training_nothing_to_export().to_owned()))
                    on_press=move |()| export(ResultsKind::Json)
                />
                <Menu label=text_of(t, Language::training_more_exports) items=exports/>
                <Toggle
                    label=text_of(t, Language::training_keep)
                    value=room.lab.is_keeping
                    on_input=move |is_keeping| room.lab.set_keeping(is_keeping)
                />
            </span>
        </div>
    }
    .into_any()
}

/// One run.
#[component]
fn Card(run: Trainee) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let name = Signal::derive(move || t.get().training_run(run));
    let is_chosen = Memo::new(move |_| room.selected.get() == Some(Chosen(run)));
    let status = Memo::new(move |_| run.status.get());
    let newest = Memo::new(move |_| run.evaluations.with(|all| all.last().copied()));
    // A run that has not been tried yet has a dash, so that nothing moves when it is.
    let accuracy = move || newest.get().map_or("–".to_owned(), |it| t.get().training_share(it.accuracy));
    let without_null = move || {
        let share = newest.get()?.accuracy_without_null?;
        Some(t.get().training_without_null(&t.get().training_share(share)))
    };
    let far = move || {
        let t = t.get();
        let step = whole(run.step.get(), t);
        let step = match run.budget.get() {
            Some(budget) => t.training_step_of(&step, &whole(budget, t)),
            None => t.training_step(&step),
        };
        let pace = run.pace.get().map(|pace| t.training_pace(&decimal(round(pace), t)));
        let left = run
            .seconds_left()
            .filter(|_| run.is_training())
            .map(|left| t.training_left(&t.training_time(left)));
        [Some(step), pace.filter(|_| run.is_under_way()), left]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · ")
    };
    let share = move || {
        let share = run.budget.get().map_or(0.0, |budget| run.step.get() as f64 / budget as f64);
        format!("{}%", 100.0 * share.min(1.0))
    };
    let shape = move || {
        let t = t.get();
        run.setup.with(|setup| {
            setup.as_ref().map(|setup| {
                let model = &setup.config.model;
                t.training_shape(setup.state_width, model.heads, model.layers, model.head_width)
            })
        })
    };
    let play_label = Signal::derive(move || {
        let name = name.get();
        match run.is_under_way() {
            true => t.get().training_pause_run(&name),
            false => t.get().training_play_run(&name),
        }
    });
    let play_icon = Signal::derive(move || Some(if run.is_under_way() { Icon::Pause } else { Icon::Play }));
    let done = move || match status.get() {
        Status::Resting(Rest::Converged) => Some(t.get().training_converged_why().to_owned()),
        Status::Resting(Rest::Spent) => Some(t.get().training_spent_why().to_owned()),
        _ => None,
    };
    let trouble = move || match status.get() {
        Status::Resting(Rest::Refused(error)) => {
            let can_retry = matches!(error, training::Error::NotFinite { .. });
            Some(
                view! {
                    <p class="notice notice-bad"><span>{t.get().training_error(&error)}</span></p>
                    {can_retry.then(|| view! {
                        <Button
                            label=text_of(t, Language::training_retry)
                            on_press=move |()| run.retry_smaller(room.lab)
                        />
                    })}
                }
                .into_any(),
            )
        }
        Status::Resting(Rest::Failed(_)) => Some(
            view! {
                <p class="notice notice-bad"><span>{t.get().training_worker_failed()}</span></p>
            }
            .into_any(),
        ),
        _ => None,
    };
    // A run that waits has told nobody yet with which rate it will begin.
    let first_rate = run.member().config().map_or(f64::NAN, |config| config.optimiser.learning_rate);
    let rate = Signal::derive(move || run.rate.get().unwrap_or(first_rate));
    let items = move |()| {
        let words = t.get_untracked();
        let mut items = vec![
            MenuItem::new(words.training_export_parameters(), move || {
                export_run(room, run, ExportKind::Parameters)
            }),
            MenuItem::new(words.training_export_script(), move || {
                export_run(room, run, ExportKind::Parameters);
                export_run(room, run, ExportKind::Script);
            }),
        ];
        let is_target =
            run.setup.with_untracked(|setup| setup.as_ref().is_some_and(|setup| is_target(&setup.config)));
        if is_target {
            items.push(MenuItem::new(words.training_to_universal(), move || send_to_universal(room, run)));
        }
        items.push(MenuItem::new(words.training_reset_rate(), move || {
            run.reset(room.lab, RateAfterReset::First)
        }));
        items.push(MenuItem::new(words.training_remove(), move || room.lab.remove(run)));
        items
    };
    view! {
        <article
            class=format!("training-card {}", role_of(run.member().model).class())
            class:is-chosen=move || is_chosen.get()
            aria-label=name
        >
            <div class="training-card-head">
                <button
                    type="button"
                    class="training-name"
                    aria-pressed=move || is_chosen.get().to_string()
                    title=say(t, Language::training_show)
                    on:click=move |_| room.select(run)
                >
                    <i class="training-swatch"></i>{name}
                </button>
                <span class="training-buttons">
                    <Button label=play_label icon=play_icon look=Look::Quiet
                        refusal=Signal::derive(move || run.is_finished().then(|| t.get().training_finished().to_owned()))
                        on_press=move |()| if untrack(|| run.is_under_way()) { run.pause(room.lab) } else { run.play(room.lab) }/>
                    <Button label=Signal::derive(move || t.get().training_step_run(&name.get())) icon=Icon::StepForward look=Look::Quiet
                        on_press=move |()| run.step_once(room.lab)/>
                    <Button label=Signal::derive(move || t.get().training_reset_run(&name.get())) icon=Icon::ToStart look=Look::Quiet
                        on_press=move |()| run.reset(room.lab, RateAfterReset::Now)/>
                    <Menu label=Signal::derive(move || t.get().training_more_run(&name.get())) items=items/>
                </span>
            </div>
            <p class="training-result">
                <b class="number">{accuracy}</b>
                <span class="quiet number">{without_null}</span>
                <span class="training-status">{move || t.get().training_status(&status.get())}</span>
            </p>
            <div class="training-bar-track" aria-hidden="true"><i style:inline-size=share></i></div>
            <p class="quiet number">{far}</p>
            <p class="quiet">{move || done().or_else(shape)}</p>
            <Slider
                label=Signal::derive(move || t.get().training_rate_run(&name.get()))
                value=rate
                range=Range::logarithmic(1e-5, 0.5)
                on_input=move |rate: f64| run.change_rate(room.lab, rate)
            />
            {trouble}
        </article>
    }
    .into_any()
}

fn round(pace: f64) -> f64 {
    if pace >= 10.0 { pace.round() } else { (pace * 10.0).round() / 10.0 }
}

fn save(exported: &Exported) {
    save_bytes(&exported.name, "application/octet-stream", &exported.bytes);
}

/// Writes a file of one run.
fn export_run(room: Room, run: Trainee, kind: ExportKind) {
    // Each kind has a place of its own, or the second would take that of the first.
    let line = match kind {
        ExportKind::Parameters => Line::TrainExport,
        ExportKind::Script => Line::Files,
    };
    run.ask(room.lab, line, Request::Export(kind), |answer| {
        if let Answer::Exported(exported) = answer {
            save(&exported);
        }
    });
}

/// Asks every run of the plan for its report, and writes them into one file.
fn export_results(room: Room, kind: ResultsKind) {
    let Runs(mut runs) = room.runs.get_untracked();
    runs.retain(|run| !untrack(|| run.is_impossible()));
    let wanted = runs.len();
    // The menu from which this was asked may be gone when the answers come, and its signals with it.
    let reports = Rc::new(RefCell::new(vec![None::<Report>; wanted]));
    for (at, run) in runs.into_iter().enumerate() {
        let reports = Rc::clone(&reports);
        run.ask(room.lab, Line::TrainExport, Request::Report, move |answer| {
            let Answer::Report(report) = answer else { return };
            reports.borrow_mut()[at] = Some(*report);
            let Some(all) = reports.borrow().iter().cloned().collect::<Option<Vec<Report>>>() else { return };
            let request = protocol::Request::Training(Packed::of(&Request::Results(all, kind)));
            room.lab.client.ask(Line::TrainExport, request, move |answer| {
                match answer.map(protocol::Answer::training) {
                    Ok(Some(Answer::Exported(exported))) => save(&exported),
                    Ok(_) => {}
                    Err(failure) => room.notices.failure(failure),
                }
            });
        });
    }
}

crate::texts! {
    training_runs: "Runs" | "Treinos";
    training_all_runs: "All runs" | "Todos os treinos";
    training_start: "Start" | "Iniciar";
    training_pause: "Pause" | "Pausar";
    training_reset: "Reset" | "Reiniciar";
    training_export: "Export results" | "Exportar resultados";
    training_more_exports: "More to export" | "Mais exportações";
    training_export_csv: "Export results as CSV" | "Exportar resultados em CSV";
    training_export_parameters: "Export parameters (safetensors)" | "Exportar parâmetros (safetensors)";
    training_export_script: "Export PyTorch script with parameters" | "Exportar script PyTorch com parâmetros";
    training_to_universal: "Open in “Universal” as a target" | "Abrir em “Universal” como alvo";
    training_reset_rate: "Reset, with the first learning rate" | "Reiniciar com a primeira taxa de aprendizado";
    training_reset_note: "Another learning rate takes effect at the next step, and a run keeps it: through pause, reload and Reset, which goes back to the first step (a fork: to where it was forked)."
        | "Outra taxa de aprendizado vale a partir do próximo passo, e o treino a mantém: na pausa, ao recarregar e em Reiniciar, que volta ao primeiro passo (uma ramificação: ao ponto em que nasceu).";
    training_out_of_room: "This browser has no room left for runs, or forbids it. Training goes on as before; what is new is lost when this tab is closed. Remove runs that you no longer need, or export the results."
        | "Este navegador não tem mais espaço para treinos, ou não permite guardá-los. O treino continua como antes; o que é novo se perde ao fechar esta aba. Remova treinos de que não precisa mais, ou exporte os resultados.";
    training_remove: "Remove this run" | "Remover este treino";
    training_keep: "Keep runs in this browser" | "Guardar treinos neste navegador";
    training_progress: "Progress of all runs" | "Progresso de todos os treinos";
    training_ready(count: usize): "{count} ready to start" | "{count} prontos para iniciar";
    training_done: "all finished" | "todos terminados";
    training_count(count: usize): "{count} under way" | "{count} em andamento";
    training_waiting_count(count: usize): "{count} waiting for a free core" | "{count} à espera de um núcleo livre";
    training_left(time: &str): "at most {time} left" | "no máximo mais {time}";
    training_elsewhere(count: usize): "Runs of other tasks that go on: {count}" | "Treinos de outras tarefas que continuam: {count}";
    training_nothing_to_start: "Every run of this choice is under way or finished; Reset begins them anew." | "Todo treino desta escolha está em andamento ou terminado; Reiniciar começa de novo.";
    training_nothing_runs: "No run is under way." | "Nenhum treino em andamento.";
    training_nothing_to_export: "There is no run yet." | "Ainda não há treino.";
    training_finished: "This run is finished; Reset begins it anew." | "Este treino terminou; Reiniciar começa de novo.";
    training_show: "Show the pictures of this run" | "Mostrar as imagens deste treino";
    training_play_run(run: &str): "Play: {run}" | "Tocar: {run}";
    training_pause_run(run: &str): "Pause: {run}" | "Pausar: {run}";
    training_step_run(run: &str): "One step: {run}" | "Um passo: {run}";
    training_reset_run(run: &str): "Reset: {run}" | "Reiniciar: {run}";
    training_more_run(run: &str): "More: {run}" | "Mais: {run}";
    training_rate_run(run: &str): "Learning rate: {run}" | "Taxa de aprendizado: {run}";
    training_step_of(step: &str, budget: &str): "step {step} of {budget}" | "passo {step} de {budget}";
    training_step(step: &str): "step {step}" | "passo {step}";
    training_pace(pace: &str): "{pace} steps/s" | "{pace} passos/s";
    training_without_null(share: &str): "{share} without null" | "{share} sem nulos";
    training_shape(m: usize, heads: usize, layers: usize, d_h: usize): "m = {m}, H = {heads}, L = {layers}, d_h = {d_h}" | "m = {m}, H = {heads}, L = {layers}, d_h = {d_h}";
    training_converged_why: "Stopped by itself: it reached the accuracy asked for twice in a row." | "Parou sozinho: alcançou duas vezes seguidas a acurácia pedida.";
    training_spent_why: "Stopped by itself: its budget of steps is used up." | "Parou sozinho: seu orçamento de passos se esgotou.";
    training_retry: "Go on with half the learning rate" | "Continuar com metade da taxa";
    training_worker_failed: "The worker of this run stopped because of a mistake in Pianola. Play goes on from where it was kept last." | "O motor deste treino parou por um erro do Pianola. Tocar continua de onde foi guardado por último.";
}
