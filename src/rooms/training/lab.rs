//! All runs of the page. They live above every view: whatever a person looks at, they go on.

use std::cell::OnceCell;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::store::{self, Change};
use super::trainee::{Status, Trainee};
use crate::rooms::training::choices::{Model, Plan, Settings, TaskKind};
use crate::rooms::training::job::{Answer, Member, Request, Shipped};
use crate::work::client::{Client, Line};
use crate::work::protocol::{self, Packed};

/// The runs; cheap to copy.
#[derive(Clone, Copy)]
pub struct Lab {
    /// All of them, in the order in which they were wanted.
    pub runs: RwSignal<Vec<Trainee>>,
    /// What the project has measured.
    pub shipped: RwSignal<Arc<Vec<Shipped>>>,
    /// Whether runs are kept in this browser.
    pub is_keeping: RwSignal<bool>,
    /// Whether the browser refused to keep something.
    pub is_out_of_room: RwSignal<bool>,
    /// Whether what was kept has been read.
    pub is_open: RwSignal<bool>,
    /// The page's own worker.
    pub client: Client,
}

thread_local! {
    static ROOT: Owner = Owner::default();
    static LAB: OnceCell<Lab> = const { OnceCell::new() };
}

/// Where the switch is remembered.
const KEEPING: &str = "pianola.training.keep";

/// Makes something that lives as long as the page.
pub fn within<T>(make: impl FnOnce() -> T) -> T {
    ROOT.with(|root| root.with(make))
}

impl Lab {
    /// The runs of this page. The first time, it reads what was kept, asks for what the project has measured, and
    /// begins what the plan wants.
    pub fn open(client: Client, plan: Plan) -> Lab {
        LAB.with(|lab| {
            *lab.get_or_init(|| {
                let lab = within(|| Lab {
                    runs: RwSignal::new(Vec::new()),
                    shipped: RwSignal::new(Arc::default()),
                    is_keeping: RwSignal::new(recall() != Some("off".to_owned())),
                    is_out_of_room: RwSignal::new(false),
                    is_open: RwSignal::new(false),
                    client,
                });
                lab.ask_for_shipped();
                spawn_local(async move {
                    if lab.is_keeping.get_untracked() {
                        let kept = store::read().await;
                        let revived: Vec<Trainee> =
                            kept.into_iter().map(|(kept, past)| Trainee::revived(kept, past)).collect();
                        lab.runs.update(|runs| runs.splice(0..0, revived).for_each(drop));
                    }
                    lab.is_open.set(true);
                    lab.want(&plan);
                });
                lab
            })
        })
    }

    /// The runs of a plan that there are, in its order, with those that were forked from them.
    pub fn of_plan(self, plan: &Plan) -> Vec<Trainee> {
        let wanted: Vec<Member> = members(plan).collect();
        self.runs.with(|runs| {
            let mut found: Vec<(usize, Trainee)> = runs
                .iter()
                .filter_map(|run| {
                    let member = run.member();
                    wanted.iter().position(|wanted| is_same(wanted, &member)).map(|at| (at, *run))
                })
                .collect();
            found.sort_by_key(|(at, run)| (*at, run.id));
            found.into_iter().map(|(_, run)| run).collect()
        })
    }

    /// The members of a plan for which there is no run yet.
    pub fn missing(self, plan: &Plan) -> Vec<Member> {
        self.runs.with(|runs| {
            let is_there = |wanted: &Member| {
                runs.iter().any(|run| run.forked_at.is_none() && is_same(wanted, &run.member()))
            };
            members(plan).filter(|wanted| !is_there(wanted)).collect()
        })
    }

    /// Begins what a plan wants and there is not.
    pub fn want(self, plan: &Plan) {
        let missing = untrack(|| self.missing(plan));
        let new: Vec<Trainee> =
            missing.into_iter().map(|member| Trainee::new(fresh_id(), member, None, None)).collect();
        if !new.is_empty() {
            self.runs.update(|runs| runs.extend(new));
        }
        self.advance();
    }

    /// Forks a run: another goes on from a snapshot of it.
    pub fn fork(self, from: Trainee, step: Option<usize>, then: impl FnOnce(Trainee) + 'static) {
        from.ask(self, Line::TrainSnapshot, Request::Snapshot(step), move |answer| {
            if let Answer::Snapshot(step, snapshot) = answer {
                let fork = Trainee::new(fresh_id(), from.member(), Some(step), Some(snapshot));
                fork.step.set(step);
                fork.evaluations.set(
                    from.evaluations
                        .with_untracked(|all| all.iter().filter(|it| it.step <= step).copied().collect()),
                );
                self.runs.update(|runs| runs.push(fork));
                then(fork);
                self.advance();
            }
        });
    }

    /// Takes a run away.
    pub fn remove(self, run: Trainee) {
        self.runs.update(|runs| runs.retain(|other| other.id != run.id));
        run.end();
        self.write(Change::Forget(run.id));
        self.advance();
    }

    /// As many runs as there are cores to spare take steps; the others wait.
    pub fn advance(self) {
        let runs = self.runs.get_untracked();
        let mut free = cores_to_spare();
        let status = |run: &Trainee| run.status.get_untracked();
        free = free.saturating_sub(runs.iter().filter(|run| status(run) == Status::Training).count());
        for run in runs.iter().filter(|run| status(run) == Status::Waiting).take(free) {
            run.status.set(Status::Training);
        }
        for run in runs.into_iter().filter(|run| status(run) == Status::Training) {
            run.advance(self);
        }
    }

    /// Writes a change into the browser's storage. When that is refused, the runs go on, and it is said.
    pub fn write(self, change: Change) {
        let id = match &change {
            Change::Run(kept) => Some(kept.id),
            Change::Past { id, .. } => Some(*id),
            Change::ForgetPast(_) | Change::Forget(_) | Change::ForgetAll => None,
        };
        let is_there = |id: u64| self.runs.with_untracked(|runs| runs.iter().any(|run| run.id == id));
        if id.is_some_and(|id| !self.is_keeping.get_untracked() || !is_there(id)) {
            return;
        }
        spawn_local(async move {
            let is_refused = store::write(change).await.is_err();
            if id.is_some() && self.is_out_of_room.get_untracked() != is_refused {
                self.is_out_of_room.set(is_refused);
            }
        });
    }

    /// Keeps runs in this browser, or nothing.
    pub fn set_keeping(self, is_keeping: bool) {
        self.is_keeping.set(is_keeping);
        remember(if is_keeping { "on" } else { "off" });
        let runs = self.runs.get_untracked();
        if is_keeping {
            runs.into_iter().for_each(|run| run.keep_again(self));
        } else {
            self.is_out_of_room.set(false);
            runs.into_iter().for_each(Trainee::keep_no_longer);
            self.write(Change::ForgetAll);
        }
    }

    fn ask_for_shipped(self) {
        let request = protocol::Request::Training(Packed::of(&Request::Shipped));
        self.client.ask(Line::TrainShipped, request, move |answer| {
            if let Ok(Some(Answer::Shipped(runs))) = answer.map(protocol::Answer::training) {
                self.shipped.set(Arc::new(runs));
            }
        });
    }
}

/// How many workers may train at once: all cores but one, which is the page's.
pub fn cores_to_spare() -> usize {
    let cores = window().navigator().hardware_concurrency();
    ((cores as usize).saturating_sub(1)).max(1)
}

fn members(plan: &Plan) -> impl Iterator<Item = Member> {
    plan.members().map(|(model, seed)| Member { plan: plain(plan.clone(), model, seed), model, seed })
}

/// A plan of one run, without what does not concern it.
fn plain(mut plan: Plan, model: Model, seed: u64) -> Plan {
    if plan.task.kind != TaskKind::Own {
        plan.task.own.clear();
    }
    Plan { models: vec![model], seed, seeds: 1, ..plan }
}

/// Whether two runs are the same but for when they stop.
fn is_same(a: &Member, b: &Member) -> bool {
    let settled = |member: &Member| Settings { until: None, ..member.plan.settings };
    (a.model, a.seed, &a.plan.task, a.plan.variant, settled(a))
        == (b.model, b.seed, &b.plan.task, b.plan.variant, settled(b))
}

/// A number that no other run has, in this tab or in another.
fn fresh_id() -> u64 {
    (js_sys::Date::now() * 1000.0) as u64 + (js_sys::Math::random() * 1000.0) as u64
}

fn recall() -> Option<String> {
    window().local_storage().ok()??.get_item(KEEPING).ok()?
}

fn remember(word: &str) {
    // A browser that forbids storage remembers nothing, and keeps no runs either.
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(KEEPING, word);
    }
}
