//! One run as the page sees it: it has a worker of its own, and what it finds is kept here, above every view.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use training::{Error, Evaluation, Snapshot};

use super::lab::{self, Lab};
use super::store::{self, Change, Kept};
use crate::rooms::training::choices::USUAL_UNTIL;
use crate::rooms::training::job::{Advanced, Answer, Look, Member, Request, Setup, Stop};
use crate::work::client::{Client, Line};
use crate::work::protocol::{self, Failure, Packed};

/// A run; cheap to copy.
#[derive(Clone, Copy)]
pub struct Trainee {
    /// Its number, never used again.
    pub id: u64,
    member: StoredValue<Member>,
    /// The step at which it left the run that it was forked from.
    pub forked_at: Option<usize>,
    /// What it does.
    pub status: RwSignal<Status>,
    /// What does not change from step to step; `None` before its worker has begun.
    pub setup: RwSignal<Option<Arc<Setup>>>,
    /// The largest learning rate, once it is known.
    pub rate: RwSignal<Option<f64>>,
    /// The steps of its budget, once they are known.
    pub budget: RwSignal<Option<usize>>,
    /// How many steps it has taken.
    pub step: RwSignal<usize>,
    /// The loss of each step.
    pub losses: RwSignal<Vec<f32>>,
    /// What has been found on the held-out sequences.
    pub evaluations: RwSignal<Vec<Evaluation>>,
    /// The steps of its snapshots.
    pub snapshots: RwSignal<Vec<usize>>,
    /// Steps in a second, held-out sequences included.
    pub pace: RwSignal<Option<f64>>,
    /// The newest pictures.
    pub look: RwSignal<Option<Arc<Look>>>,
    /// Why the example cannot be looked at.
    pub refusal: RwSignal<Option<Error>>,
    client: StoredValue<Option<Client>>,
    /// Where a fork begins.
    origin: StoredValue<Option<Packed<Snapshot>>>,
    /// From where it goes on when its worker is a new one.
    kept: StoredValue<Option<Packed<Snapshot>>>,
    /// What is asked while its past is read: the new worker comes to it once it has begun.
    waiting: StoredValue<Option<Vec<Later>>, LocalStorage>,
    /// The steps of the snapshots that were handed to the browser to keep; each is handed over once.
    handed: StoredValue<BTreeSet<usize>>,
    is_busy: StoredValue<bool>,
    /// How many single steps are still to be taken.
    singles: StoredValue<usize>,
    chunk: StoredValue<usize>,
    /// Raised when it begins anew, so that answers from before are not taken for new ones.
    attempt: StoredValue<u32>,
    kept_at: StoredValue<f64>,
}

/// What is to be done once a worker has begun.
type Later = Box<dyn FnOnce()>;

/// What a run does.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// It waits for a free core.
    Waiting,
    /// It takes steps.
    Training,
    /// It has come to rest.
    Resting(Rest),
}

/// How a run came to rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Rest {
    /// It was paused.
    Paused,
    /// It has converged.
    Converged,
    /// Its budget is used up.
    Spent,
    /// Something is not finite, or cannot be.
    Refused(Error),
    /// Its worker failed.
    Failed(Failure),
}

/// With which learning rate a run begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateAfterReset {
    /// The one that it has now.
    Now,
    /// The one that it had first.
    First,
}

/// How long the steps that are asked for at once should take, in milliseconds: a pause is felt at once, and what is
/// lost on the way between page and worker is little.
const CHUNK: f64 = 200.0;

/// The most steps that are asked for at once.
const MOST_STEPS_AT_ONCE: usize = 200;

/// How long a run goes on before it is kept again, in milliseconds.
const KEEP_EVERY: f64 = 3000.0;

impl Trainee {
    /// A run that waits to begin, or to go on from a snapshot.
    pub fn new(
        id: u64,
        member: Member,
        forked_at: Option<usize>,
        origin: Option<Packed<Snapshot>>,
    ) -> Trainee {
        lab::within(|| Trainee {
            id,
            member: StoredValue::new(member),
            forked_at,
            status: RwSignal::new(Status::Waiting),
            setup: RwSignal::new(None),
            rate: RwSignal::new(None),
            budget: RwSignal::new(None),
            step: RwSignal::new(0),
            losses: RwSignal::new(Vec::new()),
            evaluations: RwSignal::new(Vec::new()),
            snapshots: RwSignal::new(Vec::new()),
            pace: RwSignal::new(None),
            look: RwSignal::new(None),
            refusal: RwSignal::new(None),
            client: StoredValue::new(None),
            kept: StoredValue::new(origin.clone()),
            origin: StoredValue::new(origin),
            waiting: StoredValue::new_local(None),
            handed: StoredValue::new(BTreeSet::new()),
            is_busy: StoredValue::new(false),
            singles: StoredValue::new(0),
            chunk: StoredValue::new(2),
            attempt: StoredValue::new(0),
            kept_at: StoredValue::new(now()),
        })
    }

    /// A run that was kept in this browser, with the steps of its snapshots.
    pub fn revived(kept: Kept, past: Vec<usize>) -> Trainee {
        let Kept { id, member, forked_at, step, rest, rate, budget, losses, evaluations, snapshot } = kept;
        let trainee = Trainee::new(id, member, forked_at, None);
        trainee.kept.set_value(snapshot);
        trainee.handed.set_value(past.iter().copied().collect());
        trainee.snapshots.set(past);
        trainee.rate.set(rate);
        trainee.budget.set(budget);
        trainee.step.set(step);
        trainee.losses.set(losses);
        trainee.evaluations.set(evaluations);
        if let Some(rest) = rest {
            trainee.status.set(Status::Resting(rest));
        }
        trainee
    }

    /// What it learns.
    pub fn member(self) -> Member {
        self.member.get_value()
    }

    /// Whether it takes steps now.
    pub fn is_training(self) -> bool {
        self.status.with(|status| *status == Status::Training)
    }

    /// Whether it takes steps, or waits to.
    pub fn is_under_way(self) -> bool {
        self.status.with(|status| !matches!(status, Status::Resting(_)))
    }

    /// Whether it will take no more steps unless it is begun anew. One whose numbers were no longer finite stands
    /// where all was well, and can go on from there.
    pub fn is_finished(self) -> bool {
        self.status.with(|status| match status {
            Status::Resting(Rest::Refused(error)) => !matches!(error, Error::NotFinite { .. }),
            Status::Resting(Rest::Converged | Rest::Spent) => true,
            _ => false,
        })
    }

    /// Whether it could not be begun at all, so that its worker has nothing to answer with.
    pub fn is_impossible(self) -> bool {
        self.setup.with(Option::is_none)
            && self.status.with(|status| matches!(status, Status::Resting(Rest::Refused(_))))
    }

    /// Seconds until the budget is used up.
    pub fn seconds_left(self) -> Option<f64> {
        let left = self.budget.get()?.saturating_sub(self.step.get());
        Some(left as f64 / self.pace.get()?)
    }

    /// Goes on, as soon as a core is free.
    pub fn play(self, lab: Lab) {
        self.status.set(Status::Waiting);
        lab.advance();
    }

    /// Goes no further.
    pub fn pause(self, lab: Lab) {
        if self.status.with_untracked(|status| !matches!(status, Status::Resting(_))) {
            self.status.set(Status::Resting(Rest::Paused));
            self.keep(lab);
            lab.advance();
        }
    }

    /// Takes one step.
    pub fn step_once(self, lab: Lab) {
        if untrack(|| self.is_impossible()) {
            return;
        }
        self.pause(lab);
        self.singles.update_value(|singles| *singles += 1);
        self.go_on(lab);
    }

    /// Begins anew and rests there: a fork where it was forked, any other at its first step.
    pub fn reset(self, lab: Lab, rate: RateAfterReset) {
        self.attempt.update_value(|attempt| *attempt += 1);
        if rate == RateAfterReset::First {
            self.rate.set(None);
        }
        let first = self.forked_at.unwrap_or(0);
        self.step.set(first);
        self.losses.update(|losses| losses.truncate(first));
        self.evaluations.update(|all| all.retain(|it| it.step <= first && first > 0));
        self.snapshots.update(|all| all.retain(|step| *step <= first && first > 0));
        self.pace.set(None);
        self.is_busy.set_value(false);
        self.singles.set_value(0);
        self.status.set(Status::Resting(Rest::Paused));
        if self.forked_at.is_none() {
            self.kept.set_value(None);
            self.handed.update_value(BTreeSet::clear);
            lab.write(Change::ForgetPast(self.id));
        }
        match (self.client.with_value(Option::is_some), self.forked_at) {
            (true, None) => self.begin(lab, Vec::new()),
            (false, None) => self.write(lab, 0, None),
            // Only its worker, or the browser, has what it was forked from.
            (_, Some(_)) => {
                let _ = self.client(lab);
                self.ask_to_begin(lab, Request::Restart(self.rate.get_untracked()));
            }
        }
        lab.advance();
    }

    /// Changes the learning rate; the run goes on.
    pub fn change_rate(self, lab: Lab, rate: f64) {
        self.rate.set(Some(rate));
        let request = Request::ChangeRate(rate);
        self.ask(lab, Line::TrainSettings, request, move |_| {
            // A run that goes on is kept soon anyway.
            if !untrack(|| self.is_under_way()) {
                self.keep(lab);
            }
        });
    }

    /// Goes on from the last good step with a smaller learning rate, after something was not finite.
    pub fn retry_smaller(self, lab: Lab) {
        if let Some(rate) = self.rate.get_untracked() {
            self.change_rate(lab, rate / 2.0);
            self.play(lab);
        }
    }

    /// Asks for pictures.
    pub fn ask_for_look(self, lab: Lab, step: Option<usize>, example: Option<String>, failures: usize) {
        let request = Request::Look { step, example, failures };
        self.ask(lab, Line::TrainLook, request, move |answer| match answer {
            Answer::Look(look) => {
                self.refusal.set(None);
                // What was not asked for stands as it was last found.
                let failures = look.failures.clone().or_else(|| {
                    self.look.with_untracked(|look| look.as_ref().and_then(|look| look.failures.clone()))
                });
                self.look.set(Some(Arc::new(Look { failures, ..*look })));
            }
            Answer::Refused(error) => self.refusal.set(Some(error)),
            _ => {}
        });
    }

    /// Asks the worker for anything else.
    pub fn ask(self, lab: Lab, line: Line, request: Request, reply: impl FnOnce(Answer) + 'static) {
        if untrack(|| self.is_impossible()) {
            return;
        }
        let client = self.client(lab);
        if self.waiting.with_value(Option::is_some) {
            let later = move || self.ask(lab, line, request, reply);
            self.waiting.update_value(|all| all.get_or_insert_default().push(Box::new(later)));
            return;
        }
        let request = protocol::Request::Training(Packed::of(&request));
        client.ask(line, request, move |answer| match answer.map(protocol::Answer::training) {
            Ok(Some(answer)) => reply(answer),
            Ok(None) => {}
            Err(failure) => self.fail(lab, failure),
        });
    }

    /// Takes steps unless it is at it.
    pub fn advance(self, lab: Lab) {
        self.take_steps(lab, self.chunk.get_value());
    }

    /// Hands the snapshots to the browser to keep that it has not, and takes back those that have gone.
    pub fn keep_past(self, lab: Lab) {
        if !lab.is_keeping.get_untracked() || self.client.with_value(Option::is_none) {
            return;
        }
        let there: BTreeSet<usize> = self.snapshots.with_untracked(|all| all.iter().copied().collect());
        let (new, gone) = self.handed.with_value(|handed| {
            let new: Vec<usize> = there.difference(handed).copied().collect();
            (new, handed.difference(&there).copied().collect::<Vec<usize>>())
        });
        if !gone.is_empty() {
            self.handed.update_value(|handed| handed.retain(|step| there.contains(step)));
            lab.write(Change::Past { id: self.id, new: Vec::new(), gone });
        }
        if new.is_empty() {
            return;
        }
        let attempt = self.attempt.get_value();
        self.ask(lab, Line::TrainPast, Request::Snapshots(new), move |answer| {
            let Answer::Snapshots(mut new) = answer else { return };
            if self.attempt.get_value() != attempt {
                return;
            }
            new.retain(|(step, _)| self.handed.try_update_value(|all| all.insert(*step)) == Some(true));
            if !new.is_empty() {
                lab.write(Change::Past { id: self.id, new, gone: Vec::new() });
            }
        });
    }

    /// Keeps it anew, with all its past, after nothing of it was kept.
    pub fn keep_again(self, lab: Lab) {
        self.handed.update_value(BTreeSet::clear);
        self.keep(lab);
        self.keep_past(lab);
    }

    /// Nothing of it is kept any longer.
    pub fn keep_no_longer(self) {
        self.handed.update_value(BTreeSet::clear);
    }

    /// Ends its worker.
    pub fn end(self) {
        if let Some(client) = self.client.get_value() {
            client.end();
        }
        self.client.set_value(None);
        self.waiting.set_value(None);
        self.losses.set(Vec::new());
        self.look.set(None);
        self.setup.set(None);
    }

    fn client(self, lab: Lab) -> Client {
        if let Some(client) = self.client.get_value() {
            return client;
        }
        let client = lab::within(Client::apart);
        self.client.set_value(Some(client));
        if self.kept.with_value(Option::is_none) && self.forked_at.is_none() {
            self.begin(lab, Vec::new());
            return client;
        }
        self.is_busy.set_value(true);
        self.waiting.set_value(Some(Vec::new()));
        spawn_local(async move {
            let mut past = match lab.is_keeping.get_untracked() {
                true => store::past(self.id).await,
                false => Vec::new(),
            };
            // It may have been removed in the meantime.
            let Some(waiting) = self.waiting.try_update_value(Option::take).flatten() else { return };
            if let Some(origin) = self.origin.get_value()
                && past.is_empty()
            {
                past.push(origin);
            }
            self.begin(lab, past);
            waiting.into_iter().for_each(|ask| ask());
        });
        client
    }

    fn begin(self, lab: Lab, past: Vec<Packed<Snapshot>>) {
        let rate = self.rate.get_untracked();
        // A fork that was reset goes on from the first of its past.
        let from = self.kept.get_value().or_else(|| past.first().cloned());
        let request = match from {
            Some(from) => Request::Resume { from, past, rate },
            None => {
                let mut member = self.member();
                // Whoever has moved the learning rate and begins anew wants to see what it does.
                member.plan.settings.learning_rate = rate.or(member.plan.settings.learning_rate);
                Request::Begin(Box::new(member))
            }
        };
        self.ask_to_begin(lab, request);
    }

    fn ask_to_begin(self, lab: Lab, request: Request) {
        self.is_busy.set_value(true);
        let attempt = self.attempt.get_value();
        self.ask(lab, Line::Train, request, move |answer| {
            if self.attempt.get_value() != attempt {
                return;
            }
            self.is_busy.set_value(false);
            match answer {
                Answer::Ready(setup) => {
                    self.rate.set(Some(setup.config.optimiser.learning_rate));
                    self.budget.set(Some(setup.config.steps));
                    self.step.set(setup.step);
                    self.snapshots.set(setup.snapshots.clone());
                    self.evaluations.set(setup.evaluations.clone());
                    // A fork knows the losses of its own steps only.
                    let step = setup.step;
                    self.losses.update(|losses| losses.resize(step, f32::NAN));
                    self.setup.set(Some(Arc::new(*setup)));
                    self.keep_past(lab);
                    if !untrack(|| self.is_under_way()) {
                        self.keep(lab);
                    }
                }
                Answer::Refused(error) => self.status.set(Status::Resting(Rest::Refused(error))),
                _ => {}
            }
            self.go_on(lab);
        });
    }

    /// Takes the single steps that are still to be taken, and lets all runs go on.
    fn go_on(self, lab: Lab) {
        if self.singles.get_value() > 0 {
            let _ = self.client(lab);
            if !self.is_busy.get_value() {
                self.singles.update_value(|singles| *singles -= 1);
                self.take_steps(lab, 1);
            }
        }
        lab.advance();
    }

    fn take_steps(self, lab: Lab, steps: usize) {
        // The worker begins with its first request.
        let _ = self.client(lab);
        if self.is_busy.get_value() {
            return;
        }
        self.is_busy.set_value(true);
        let (begun, attempt) = (now(), self.attempt.get_value());
        let until = self.member.with_value(|member| member.plan.settings.until).unwrap_or(USUAL_UNTIL);
        self.ask(lab, Line::Train, Request::Advance { steps, until }, move |answer| {
            if self.attempt.get_value() != attempt {
                return;
            }
            self.is_busy.set_value(false);
            if let Answer::Advanced(advanced) = answer {
                self.timed(advanced.losses.len(), now() - begun);
                self.take(lab, advanced);
            }
            self.go_on(lab);
        });
    }

    fn timed(self, steps: usize, milliseconds: f64) {
        if steps < 2 || milliseconds <= 0.0 {
            return;
        }
        let pace = steps as f64 / milliseconds * 1000.0;
        let smooth = self.pace.get_untracked().map_or(pace, |before| 0.8 * before + 0.2 * pace);
        self.pace.set(Some(smooth));
        let wanted = steps as f64 * (CHUNK / milliseconds).clamp(0.5, 2.0);
        self.chunk.set_value((wanted.round() as usize).clamp(2, MOST_STEPS_AT_ONCE));
    }

    fn take(self, lab: Lab, advanced: Advanced) {
        let Advanced { step, losses, evaluations, snapshots, stop } = advanced;
        let is_back = step < self.step.get_untracked();
        self.losses.update(|all| {
            all.truncate(step.saturating_sub(losses.len()));
            all.extend(losses);
        });
        if is_back {
            self.evaluations.update(|all| all.retain(|it| it.step <= step));
        }
        if !evaluations.is_empty() {
            self.evaluations.update(|all| all.extend(evaluations));
        }
        if self.snapshots.with_untracked(|known| *known != snapshots) {
            self.snapshots.set(snapshots);
            self.keep_past(lab);
        }
        self.step.set(step);
        let rest = stop.map(|stop| match stop {
            Stop::Converged => Rest::Converged,
            Stop::Spent => Rest::Spent,
            Stop::Failed(error) => Rest::Refused(error),
        });
        match rest {
            Some(rest) => {
                self.singles.set_value(0);
                self.status.set(Status::Resting(rest));
                self.keep(lab);
            }
            // A single step of a run that is paused is kept at once.
            None if now() - self.kept_at.get_value() > KEEP_EVERY || !untrack(|| self.is_under_way()) => {
                self.keep(lab);
            }
            None => {}
        }
    }

    fn keep(self, lab: Lab) {
        self.kept_at.set_value(now());
        if self.client.with_value(Option::is_none) {
            // What has not begun in this tab is kept as it was, and what has never begun at its first step.
            if self.kept.with_value(Option::is_none) && self.forked_at.is_none() {
                self.write(lab, 0, None);
            }
            return;
        }
        let attempt = self.attempt.get_value();
        self.ask(lab, Line::TrainSnapshot, Request::Snapshot(None), move |answer| {
            if let Answer::Snapshot(step, snapshot) = answer
                && self.attempt.get_value() == attempt
            {
                self.kept.set_value(Some(snapshot.clone()));
                self.write(lab, step, Some(snapshot));
            }
        });
    }

    fn write(self, lab: Lab, step: usize, snapshot: Option<Packed<Snapshot>>) {
        lab.write(Change::Run(Box::new(Kept {
            id: self.id,
            member: self.member(),
            forked_at: self.forked_at,
            step,
            rest: match self.status.get_untracked() {
                Status::Resting(rest) => Some(rest),
                Status::Waiting | Status::Training => None,
            },
            rate: self.rate.get_untracked(),
            budget: self.budget.get_untracked(),
            losses: self.losses.with_untracked(|losses| losses[..step.min(losses.len())].to_vec()),
            evaluations: self.evaluations.get_untracked(),
            snapshot,
        })));
    }

    fn fail(self, lab: Lab, failure: Failure) {
        self.is_busy.set_value(false);
        self.status.set(Status::Resting(Rest::Failed(failure)));
        // The worker that comes in its place goes on from what was kept last.
        if let Some(client) = self.client.get_value() {
            client.end();
        }
        self.client.set_value(None);
        self.waiting.set_value(None);
        self.singles.set_value(0);
        lab.advance();
    }
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
