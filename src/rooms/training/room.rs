//! What all panels of the workspace share: the choices, the runs that belong to them, and the one that is looked at.

use std::sync::Arc;

use leptos::prelude::*;

use super::lab::Lab;
use super::trainee::{Rest, Status, Trainee, now};
use crate::notices::Notices;
use crate::rooms::training::choices::{Look, Plan, TrainingState};
use crate::rooms::training::job::{Look as Pictures, Setup};
use crate::shell::app::Store;
use crate::work::client::Client;

/// The shared part of the workspace; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct Room {
    pub store: Store,
    pub notices: Notices,
    /// All runs of the page.
    pub lab: Lab,
    /// What is trained.
    pub plan: Memo<Plan>,
    /// How it is looked at.
    pub look: Memo<Look>,
    /// The runs of the plan.
    pub runs: Memo<Runs>,
    /// The run whose pictures are shown.
    pub selected: Memo<Option<Chosen>>,
    /// The run that was chosen by hand; a fork has the name of the run that it comes from.
    picked: RwSignal<Option<u64>>,
}

/// Runs that equal others when they are the same ones.
#[derive(Clone)]
pub struct Runs(pub Vec<Trainee>);

impl PartialEq for Runs {
    fn eq(&self, other: &Runs) -> bool {
        self.0.iter().map(|run| run.id).eq(other.0.iter().map(|run| run.id))
    }
}

/// A run that equals another when it is the same.
#[derive(Clone, Copy)]
pub struct Chosen(pub Trainee);

impl PartialEq for Chosen {
    fn eq(&self, other: &Chosen) -> bool {
        self.0.id == other.0.id
    }
}

/// How long at least between two pictures of a run that is training, in milliseconds.
const BETWEEN_LOOKS: f64 = 450.0;

/// How many held-out sequences on which a model errs are shown.
const FAILURES: usize = 6;

impl Room {
    /// Sets up the shared part and offers it as a context.
    pub fn provide() -> Room {
        let store = Store::entered::<TrainingState>();
        let plan = store.memo(|state: &TrainingState| &state.plan);
        let look = store.memo(|state: &TrainingState| &state.look);
        let lab = Lab::open(expect_context::<Client>(), plan.get_untracked());
        let runs = Memo::new(move |_| plan.with(|plan| Runs(lab.of_plan(plan))));
        let picked = RwSignal::new(None::<u64>);
        let selected = Memo::new(move |_| {
            let Runs(runs) = runs.get();
            let wanted = look.with(|look| look.run);
            let of_id = |id: u64| runs.iter().find(|run| run.id == id);
            let by_name = || {
                runs.iter().find(|run| {
                    let member = run.member();
                    Some((member.model, member.seed)) == wanted
                })
            };
            picked.get().and_then(of_id).or_else(by_name).or_else(|| runs.first()).map(|run| Chosen(*run))
        });
        let room =
            Room { store, notices: expect_context::<Notices>(), lab, plan, look, runs, selected, picked };
        provide_context(room);
        room.keep_looking();
        room
    }

    /// Changes what was chosen.
    pub fn change(self, change: impl FnOnce(&mut TrainingState)) {
        self.store.change(change);
    }

    /// Changes what is trained.
    pub fn change_plan(self, change: impl FnOnce(&mut Plan)) {
        self.change(|state| {
            change(&mut state.plan);
            state.look.step = None;
        });
    }

    /// Changes how it is looked at.
    pub fn change_look(self, change: impl FnOnce(&mut Look)) {
        self.change(|state| change(&mut state.look));
    }

    /// Shows the pictures of a run.
    pub fn select(self, run: Trainee) {
        self.picked.set(Some(run.id));
        let member = run.member();
        self.change_look(|look| {
            look.run = Some((member.model, member.seed));
            look.step = None;
        });
    }

    /// Something of the run that is looked at, once its worker has begun.
    pub fn with_setup<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        derive: impl Fn(&Arc<Setup>) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>> {
        Memo::new(move |_| self.selected.get()?.0.setup.with(|setup| setup.as_ref().map(&derive)))
    }

    /// Something of the newest pictures.
    pub fn with_pictures<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        derive: impl Fn(&Arc<Pictures>, &Arc<Setup>) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>> {
        Memo::new(move |_| {
            let Chosen(run) = self.selected.get()?;
            let setup = run.setup.get()?;
            run.look.with(|look| look.as_ref().map(|look| derive(look, &setup)))
        })
    }

    /// Asks for pictures when there is something new to be seen.
    fn keep_looking(self) {
        let wanted = Memo::new(move |_| {
            let look = self.look.get();
            (self.selected.get(), look.example, look.step)
        });
        let asked_at = StoredValue::new(f64::NEG_INFINITY);
        Effect::new(move |before: Option<(Option<Chosen>, Option<String>, Option<usize>)>| {
            let now_wanted = wanted.get();
            let (Some(Chosen(run)), example, step) = now_wanted.clone() else { return now_wanted };
            run.step.track();
            let status = run.status.get();
            // What cannot be begun has no pictures, a run that waits has not begun, and a worker that has failed
            // is not asked again before a person wants it to go on.
            let is_there = (run.setup.with(Option::is_some)
                && !matches!(status, Status::Resting(Rest::Failed(_))))
                || matches!(status, Status::Resting(Rest::Paused | Rest::Converged | Rest::Spent));
            let is_new = before.as_ref() != Some(&now_wanted);
            let is_training = status == Status::Training;
            let is_soon = is_training && now() - asked_at.get_value() < BETWEEN_LOOKS;
            // The past does not change.
            let is_past = step.is_some() && !is_new && is_training;
            if is_there && (is_new || !(is_soon || is_past)) {
                asked_at.set_value(now());
                let failures = if is_training && step.is_none() { 0 } else { FAILURES };
                run.ask_for_look(self.lab, step, example, failures);
            }
            now_wanted
        });
    }
}
