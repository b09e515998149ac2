//! Runs a sweep point by point: each is a job of its own, so that the picture grows, and the sweep can be paused and
//! given up between any two.

use std::collections::HashMap;

use leptos::prelude::*;
use universal::sweep::Sample;

use crate::jobs::client::{Client, Line};
use crate::jobs::protocol::{Answer, Packed, Request};
use crate::jobs::width::{self, Cast, Draw};
use crate::notices::Notices;

/// The widest N that is swept: each point factorises an m × N matrix, which takes seconds beyond.
pub const WIDEST: u128 = 1200;

/// One point: a target, and a draw that has to play it.
pub type Point = (Cast, Draw);

/// Points under way.
#[derive(Clone, Copy)]
pub struct Runner {
    client: Client,
    notices: Notices,
    line: Line,
    ask: fn(Cast, Draw) -> width::Request,
    /// All points that are wanted, in the order in which they are computed.
    pub plan: Memo<Vec<Point>>,
    found: RwSignal<Samples>,
    /// Whether no further point is begun.
    pub is_paused: RwSignal<bool>,
    may_run: Signal<bool>,
    is_busy: StoredValue<bool>,
    /// Raised when all is given up, so that what is under way is not kept either.
    attempt: StoredValue<u32>,
    pace: RwSignal<Pace>,
}

/// What has been computed, target by target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples(Vec<(Cast, HashMap<Draw, Sample>)>);

impl Samples {
    /// What is known of a point.
    pub fn get(&self, (cast, draw): &Point) -> Option<&Sample> {
        self.0.iter().find(|(known, _)| known == cast)?.1.get(draw)
    }

    fn insert(&mut self, (cast, draw): Point, sample: Sample, plan: &[Point]) {
        match self.0.iter_mut().find(|(known, _)| *known == cast) {
            Some((_, samples)) => {
                samples.insert(draw, sample);
            }
            None => {
                // Targets that nobody asks about any more make room.
                self.0.retain(|(known, _)| plan.iter().any(|(wanted, _)| wanted == known));
                self.0.push((cast, HashMap::from([(draw, sample)])));
            }
        }
    }
}

/// How long points take.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Pace {
    points: usize,
    milliseconds: f64,
}

/// How far a sweep has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Points that are there.
    pub done: usize,
    /// Points that are wanted.
    pub total: usize,
    /// Seconds until the last, if any point has been timed.
    pub seconds_left: Option<f64>,
}

impl Runner {
    /// Starts computing whatever the plan asks for, as long as `may_run` allows it.
    pub fn start(
        line: Line,
        ask: fn(Cast, Draw) -> width::Request,
        plan: Memo<Vec<Point>>,
        may_run: Signal<bool>,
    ) -> Runner {
        let runner = Runner {
            client: expect_context::<Client>(),
            notices: expect_context::<Notices>(),
            line,
            ask,
            plan,
            found: RwSignal::new(Samples::default()),
            is_paused: RwSignal::new(false),
            may_run,
            is_busy: StoredValue::new(false),
            attempt: StoredValue::new(0),
            pace: RwSignal::new(Pace::default()),
        };
        Effect::new(move |_| {
            runner.plan.track();
            runner.is_paused.track();
            runner.may_run.track();
            untrack(|| runner.advance());
        });
        runner
    }

    /// Looks at what is known.
    pub fn with_samples<T>(self, see: impl FnOnce(&Samples) -> T) -> T {
        self.found.with(see)
    }

    /// Whether nothing is left to do, or nothing is to be done for now.
    pub fn is_at_rest(self) -> bool {
        let progress = self.progress();
        progress.done == progress.total || self.is_paused.get()
    }

    /// How far it has come.
    pub fn progress(self) -> Progress {
        let total = self.plan.with(Vec::len);
        let done = self.with_samples(|samples| {
            self.plan.with(|plan| plan.iter().filter(|point| samples.get(point).is_some()).count())
        });
        let Pace { points, milliseconds } = self.pace.get();
        let seconds_left =
            (points > 0).then(|| (total - done) as f64 * milliseconds / points as f64 / 1000.0);
        Progress { done, total, seconds_left }
    }

    /// Gives up: nothing further is begun, and what there is goes.
    pub fn cancel(self) {
        self.is_paused.set(true);
        self.attempt.update_value(|attempt| *attempt += 1);
        self.found.set(Samples::default());
    }

    fn advance(self) {
        let is_halted = self.is_paused.try_get_untracked().unwrap_or(true)
            || !self.may_run.try_get_untracked().unwrap_or(false);
        if is_halted || self.is_busy.try_get_value().unwrap_or(true) {
            return;
        }
        let next = self.found.with_untracked(|found| {
            self.plan.with_untracked(|plan| plan.iter().find(|point| found.get(point).is_none()).copied())
        });
        let Some((cast, draw)) = next else { return };
        self.is_busy.set_value(true);
        let (begun, attempt) = (now(), self.attempt.get_value());
        self.client.ask(self.line, Request::Width(Packed::of(&(self.ask)(cast, draw))), move |answer| {
            // The page may have been left in the meantime.
            if self.is_busy.try_set_value(false).is_some() {
                return;
            }
            match answer.map(Answer::width) {
                Ok(_) if self.attempt.try_get_value() != Some(attempt) => {}
                Ok(Some(width::Answer::Sample(sample))) => {
                    self.pace.try_update(|pace| {
                        pace.points += 1;
                        pace.milliseconds += now() - begun;
                    });
                    let plan = self.plan.try_get_untracked().unwrap_or_default();
                    self.found.try_update(|found| found.insert((cast, draw), sample, &plan));
                }
                Ok(_) => {}
                Err(failure) => {
                    // The next points would fail in the same way.
                    self.is_paused.try_set(true);
                    self.notices.failure(failure);
                }
            }
            self.advance();
        });
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
