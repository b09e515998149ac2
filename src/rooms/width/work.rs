//! Long work in many small jobs, one after the other: the picture grows with each, and all can be held or given up
//! between any two. Each job takes about as long as a person does not notice.

use leptos::prelude::*;

use crate::ground::language::use_language;
use crate::notices::Notices;
use crate::rooms::width::job;
use crate::widgets::controls::Button;
use crate::widgets::number::short;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Packed, Request};

/// One job, and what is done with its answer.
pub struct Job {
    /// What the worker is asked.
    pub request: job::Request,
    /// How many steps of the whole it takes.
    pub steps: usize,
    /// Takes what the worker found.
    pub keep: Box<dyn FnOnce(job::Answer)>,
}

/// What is to be done.
#[derive(Clone, Copy)]
pub struct Plan {
    /// The next job, of about so many steps; `None` when all is done.
    pub next: Callback<usize, Option<Job>>,
    /// Steps that are done, and all steps.
    pub steps: Memo<(usize, usize)>,
    /// Throws away what has been found.
    pub forget: Callback<()>,
}

/// Work under way. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Work {
    client: Client,
    notices: Notices,
    line: Line,
    plan: Plan,
    /// Whether no further job is begun.
    pub is_paused: RwSignal<bool>,
    /// Whether its turn has come.
    pub may_run: Signal<bool>,
    is_busy: StoredValue<bool>,
    /// Raised when all is given up, so that what is under way is not kept either.
    attempt: StoredValue<u32>,
    /// Milliseconds that a step takes, as the last jobs had it.
    pace: RwSignal<Option<f64>>,
}

/// A job should take so many milliseconds: a person who drags something waits behind it.
const JOB: f64 = 80.0;

/// The most steps of a job.
const MOST_STEPS: f64 = 64.0;

impl Work {
    /// Begins, and goes on as long as there is something to do and `may_run` allows it.
    pub fn start(line: Line, plan: Plan, may_run: Signal<bool>) -> Work {
        let work = Work {
            client: expect_context::<Client>(),
            notices: expect_context::<Notices>(),
            line,
            plan,
            is_paused: RwSignal::new(false),
            may_run,
            is_busy: StoredValue::new(false),
            attempt: StoredValue::new(0),
            pace: RwSignal::new(None),
        };
        Effect::new(move |_| {
            plan.steps.track();
            work.is_paused.track();
            work.may_run.track();
            untrack(|| work.advance());
        });
        work
    }

    /// Whether nothing is left to do, or nothing is to be done for now.
    pub fn is_at_rest(self) -> bool {
        let (done, all) = self.plan.steps.get();
        done == all || self.is_paused.get()
    }

    /// Gives up: nothing further is begun, and what there is goes.
    fn cancel(self) {
        self.is_paused.set(true);
        self.attempt.update_value(|attempt| *attempt += 1);
        self.plan.forget.run(());
    }

    /// Seconds until the end, if a step has been timed.
    fn seconds_left(self) -> Option<f64> {
        let (done, all) = self.plan.steps.get();
        self.pace.get().map(|pace| (all - done) as f64 * pace / 1000.0)
    }

    fn advance(self) {
        let is_halted = self.is_paused.try_get_untracked().unwrap_or(true)
            || !self.may_run.try_get_untracked().unwrap_or(false);
        if is_halted || self.is_busy.try_get_value().unwrap_or(true) {
            return;
        }
        let pace = self.pace.get_untracked();
        let steps = pace.map_or(1.0, |pace| (JOB / pace).clamp(1.0, MOST_STEPS)) as usize;
        let Some(job) = self.plan.next.run(steps) else { return };
        self.is_busy.set_value(true);
        let (begun, attempt) = (now(), self.attempt.get_value());
        self.client.ask(self.line, Request::Width(Packed::of(&job.request)), move |answer| {
            // The page may have been left in the meantime.
            if self.is_busy.try_set_value(false).is_some() {
                return;
            }
            match answer.map(Answer::width) {
                Ok(_) if self.attempt.try_get_value() != Some(attempt) => {}
                Ok(Some(answer)) => {
                    let newest = (now() - begun) / job.steps.max(1) as f64;
                    // A job that waited behind another, or for the engine to be loaded, says little of the next one.
                    let smoothed = |pace: f64| newest.min((pace + newest) / 2.0);
                    self.pace.try_update(|pace| *pace = Some(pace.map_or(newest, smoothed)));
                    (job.keep)(answer);
                }
                Ok(None) => {}
                Err(failure) => {
                    // The next job would fail in the same way.
                    self.is_paused.try_set(true);
                    self.notices.failure(failure);
                }
            }
            self.advance();
        });
    }
}

/// Which work it is, for what is said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The points of the sweep.
    Sweep,
    /// The steps of the walk from sparse to random weights.
    Walk,
    /// The points of the charts about conditioning.
    Grades,
}

/// How far work has come, and the buttons that hold it.
#[component]
pub fn Running(
    /// The work.
    work: Work,
    /// Which it is.
    kind: Kind,
) -> impl IntoView {
    let t = use_language();
    let steps = work.plan.steps;
    let is_done = move || steps.with(|(done, all)| done == all);
    let text = move || {
        let ((done, all), t) = (steps.get(), t.get());
        let of = match kind {
            Kind::Walk if done == all => return t.steps_done(all),
            _ if done == all => return t.points_done(all),
            Kind::Walk => t.steps_of(done, all),
            Kind::Sweep | Kind::Grades => t.points_of(done, all),
        };
        match work.seconds_left() {
            Some(seconds) if !work.is_paused.get() && work.may_run.get() => {
                t.work_left(&of, &short(rounded(seconds)))
            }
            _ => of,
        }
    };
    let name = move || match kind {
        Kind::Sweep => t.get().sweep_progress(),
        Kind::Walk => t.get().walk_progress(),
        Kind::Grades => t.get().grades_progress(),
    };
    let hold = Signal::derive(move || {
        let (t, is_paused) = (t.get(), work.is_paused.get());
        let name = match (kind, is_paused) {
            (Kind::Sweep, false) => t.sweep_pause(),
            (Kind::Walk, false) => t.walk_pause(),
            (Kind::Grades, false) => t.grades_pause(),
            (Kind::Sweep, true) => t.sweep_continue(),
            (Kind::Walk, true) => t.walk_continue(),
            (Kind::Grades, true) => t.grades_continue(),
        };
        name.to_owned()
    });
    let give_up = Signal::derive(move || {
        let name = match kind {
            Kind::Sweep => t.get().sweep_cancel(),
            Kind::Walk => t.get().walk_cancel(),
            Kind::Grades => t.get().grades_cancel(),
        };
        name.to_owned()
    });
    view! {
        <div class="running" role="group" aria-label=name>
            <progress
                hidden=is_done
                aria-label=name
                max=move || steps.with(|(_, all)| all.to_string())
                prop:value=move || steps.with(|(done, _)| *done as f64)
            ></progress>
            <span class="quiet number">{text}</span>
            <Show when=move || !is_done()>
                <Button label=hold on_press=move |()| work.is_paused.update(|is_paused| *is_paused = !*is_paused)/>
                <Show when=move || steps.with(|(done, _)| *done > 0)>
                    <Button label=give_up on_press=move |()| work.cancel()/>
                </Show>
            </Show>
        </div>
    }
}

/// A time as a person says it: tenths below ten seconds, whole seconds beyond.
fn rounded(seconds: f64) -> f64 {
    if seconds < 10.0 { (seconds * 10.0).round().max(1.0) / 10.0 } else { seconds.round() }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

crate::texts! {
    points_done(total: usize): "All {total} points are computed." | "Todos os {total} pontos foram computados.";
    points_of(done: usize, total: usize): "{done} of {total} points" | "{done} de {total} pontos";
    steps_done(total: usize): "All {total} steps are done." | "Todos os {total} passos foram dados.";
    steps_of(done: usize, total: usize): "{done} of {total} steps" | "{done} de {total} passos";
    work_left(of: &str, seconds: &str): "{of}, about {seconds} s left" | "{of}, faltam cerca de {seconds} s";
    sweep_progress: "Progress of the sweep" | "Progresso da varredura";
    sweep_pause: "Pause" | "Pausar";
    sweep_continue: "Continue" | "Continuar";
    sweep_cancel: "Cancel" | "Cancelar";
    walk_progress: "Progress of the walk" | "Progresso do caminho";
    walk_pause: "Pause the walk" | "Pausar o caminho";
    walk_continue: "Continue the walk" | "Continuar o caminho";
    walk_cancel: "Cancel the walk" | "Cancelar o caminho";
    grades_progress: "Progress of the grades" | "Progresso das avaliações";
    grades_pause: "Pause the grades" | "Pausar as avaliações";
    grades_continue: "Continue the grades" | "Continuar as avaliações";
    grades_cancel: "Cancel the grades" | "Cancelar as avaliações";
}
