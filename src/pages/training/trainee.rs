//! One run as the page sees it: it has a worker of its own, and what it finds is kept here, above every view.

use std::sync::Arc;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use training::{Error, Evaluation, Snapshot};

use super::lab::{self, Lab};
use super::store::Kept;
use crate::jobs::client::{Client, Line};
use crate::jobs::protocol::{self, Failure, Packed};
use crate::jobs::training::{Advanced, Answer, Look, Member, Request, Setup, Stop};
use crate::state::training::USUAL_UNTIL;

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
    /// The largest learning rate.
    pub rate: RwSignal<Option<f64>>,
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
    is_busy: StoredValue<bool>,
    chunk: StoredValue<usize>,
    /// Raised when it begins anew, so that answers from before are not taken for new ones.
    attempt: StoredValue<u32>,
    kept_at: StoredValue<f64>,
}

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
            step: RwSignal::new(0),
            losses: RwSignal::new(Vec::new()),
            evaluations: RwSignal::new(Vec::new()),
            snapshots: RwSignal::new(Vec::new()),
            pace: RwSignal::new(None),
            look: RwSignal::new(None),
            refusal: RwSignal::new(None),
            client: StoredValue::new(None),
            kept: StoredValue::new(origin.clone()),
            origin: StoredValue::new(origin.filter(|_| forked_at.is_some())),
            is_busy: StoredValue::new(false),
            chunk: StoredValue::new(2),
            attempt: StoredValue::new(0),
            kept_at: StoredValue::new(now()),
        })
    }

    /// A run that was kept in this browser.
    pub fn revived(kept: Kept) -> Trainee {
        let Kept { id, member, forked_at, step, rest, losses, evaluations, snapshot } = kept;
        let trainee = Trainee::new(id, member, forked_at, Some(snapshot));
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

    /// Whether it will take no more steps unless it is begun anew.
    pub fn is_finished(self) -> bool {
        self.status.with(|status| {
            matches!(status, Status::Resting(Rest::Converged | Rest::Spent | Rest::Refused(_)))
        })
    }

    /// The steps of its budget.
    pub fn budget(self) -> Option<usize> {
        self.setup.with(|setup| setup.as_ref().map(|setup| setup.config.steps))
    }

    /// Seconds until the budget is used up.
    pub fn seconds_left(self) -> Option<f64> {
        let left = self.budget()?.saturating_sub(self.step.get());
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
        self.pause(lab);
        self.take_steps(lab, 1);
    }

    /// Begins anew.
    pub fn reset(self, lab: Lab) {
        self.attempt.update_value(|attempt| *attempt += 1);
        self.step.set(0);
        self.losses.set(Vec::new());
        self.evaluations.set(Vec::new());
        self.snapshots.set(Vec::new());
        self.pace.set(None);
        self.is_busy.set_value(false);
        // A fork begins anew where it was forked.
        self.kept.set_value(self.origin.get_value());
        self.status.set(Status::Resting(Rest::Paused));
        if self.client.with_value(Option::is_some) {
            self.begin(lab);
        }
    }

    /// Changes the learning rate; the run goes on.
    pub fn change_rate(self, lab: Lab, rate: f64) {
        self.rate.set(Some(rate));
        let request = Request::ChangeRate(rate);
        self.ask(lab, Line::TrainSettings, request, move |_| {});
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
        let request = protocol::Request::Training(Packed::of(&request));
        self.client(lab).ask(line, request, move |answer| match answer.map(protocol::Answer::training) {
            Ok(Some(answer)) => reply(answer),
            Ok(None) => {}
            Err(failure) => self.fail(lab, failure),
        });
    }

    /// Takes steps unless it is at it.
    pub fn advance(self, lab: Lab) {
        self.take_steps(lab, self.chunk.get_value());
    }

    /// Ends its worker.
    pub fn end(self) {
        if let Some(client) = self.client.get_value() {
            client.end();
        }
        self.client.set_value(None);
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
        self.begin(lab);
        client
    }

    fn begin(self, lab: Lab) {
        let request = match self.kept.get_value() {
            Some(snapshot) => Request::Resume(snapshot, self.rate.get_untracked()),
            None => Request::Begin(Box::new(self.member())),
        };
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
                    self.step.set(setup.step);
                    self.snapshots.set(setup.snapshots.clone());
                    self.evaluations.set(setup.evaluations.clone());
                    // A fork knows the losses of its own steps only.
                    let step = setup.step;
                    self.losses.update(|losses| losses.resize(step, f32::NAN));
                    self.setup.set(Some(Arc::new(*setup)));
                }
                Answer::Refused(error) => self.status.set(Status::Resting(Rest::Refused(error))),
                _ => {}
            }
            lab.advance();
        });
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
            lab.advance();
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
        }
        self.step.set(step);
        let rest = stop.map(|stop| match stop {
            Stop::Converged => Rest::Converged,
            Stop::Spent => Rest::Spent,
            Stop::Failed(error) => Rest::Refused(error),
        });
        match rest {
            Some(rest) => {
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
            return;
        }
        let attempt = self.attempt.get_value();
        self.ask(lab, Line::TrainSnapshot, Request::Snapshot(None), move |answer| {
            if let Answer::Snapshot(step, snapshot) = answer
                && self.attempt.get_value() == attempt
            {
                self.kept.set_value(Some(snapshot.clone()));
                lab.keep(Kept {
                    id: self.id,
                    member: self.member(),
                    forked_at: self.forked_at,
                    step,
                    rest: match self.status.get_untracked() {
                        Status::Resting(rest) => Some(rest),
                        Status::Waiting | Status::Training => None,
                    },
                    losses: self.losses.with_untracked(|losses| losses[..step.min(losses.len())].to_vec()),
                    evaluations: self.evaluations.get_untracked(),
                    snapshot,
                });
            }
        });
    }

    fn fail(self, lab: Lab, failure: Failure) {
        self.is_busy.set_value(false);
        self.status.set(Status::Resting(Rest::Failed(failure)));
        // The worker that comes in its place goes on from what was kept last.
        if let Some(client) = self.client.get_value() {
            client.end();
        }
        self.client.set_value(None);
        lab.advance();
    }
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
