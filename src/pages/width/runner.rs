//! Runs a sweep point by point: each is a job of its own, so that the picture grows, and the sweep can be paused and
//! given up between any two.

use std::collections::HashMap;

use leptos::prelude::*;
use universal::sweep::Sample;

use super::room::{WidthRoom, draw_of};
use crate::jobs::client::{Client, Line};
use crate::jobs::protocol::{Answer, Request};
use crate::jobs::width::{self, Cast, Draw};
use crate::notices::Notices;

/// The widest N that is swept: each point factorises an m × N matrix, which takes seconds beyond.
pub const WIDEST: u128 = 1200;

/// A sweep under way.
#[derive(Clone, Copy)]
pub struct Runner {
    room: WidthRoom,
    client: Client,
    notices: Notices,
    /// All points that are wanted, in the order in which they are computed.
    pub plan: Memo<Vec<Draw>>,
    found: RwSignal<Option<Found>>,
    /// Whether no further point is begun.
    pub is_paused: RwSignal<bool>,
    is_busy: StoredValue<bool>,
    pace: RwSignal<Pace>,
}

/// What has been computed, and for which target.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    cast: Cast,
    samples: HashMap<Draw, Sample>,
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
    /// Starts a sweep that follows the choices.
    pub fn start(room: WidthRoom) -> Runner {
        let plan = Memo::new(move |_| {
            room.state.with(|state| {
                if state.equations() > WIDEST {
                    return Vec::new();
                }
                // The first draw of every width comes before the second of any: the shape is seen at once.
                let mut plan = Vec::new();
                for number in 0..state.draws {
                    for width in state.widths() {
                        plan.extend(state.laws.iter().map(|law| draw_of(state, *law, width, number)));
                    }
                }
                plan
            })
        });
        let runner = Runner {
            room,
            client: expect_context::<Client>(),
            notices: expect_context::<Notices>(),
            plan,
            found: RwSignal::new(None),
            is_paused: RwSignal::new(false),
            is_busy: StoredValue::new(false),
            pace: RwSignal::new(Pace::default()),
        };
        Effect::new(move |_| {
            runner.plan.track();
            runner.room.cast.track();
            runner.is_paused.track();
            untrack(|| runner.advance());
        });
        runner
    }

    /// What is known of a draw.
    pub fn with_samples<T>(self, see: impl FnOnce(&HashMap<Draw, Sample>) -> T) -> T {
        let cast = self.room.cast.get();
        self.found.with(|found| match found {
            Some(found) if found.cast == cast => see(&found.samples),
            _ => see(&HashMap::new()),
        })
    }

    /// How far it has come.
    pub fn progress(self) -> Progress {
        let total = self.plan.with(Vec::len);
        let done = self.with_samples(|samples| {
            self.plan.with(|plan| plan.iter().filter(|draw| samples.contains_key(draw)).count())
        });
        let Pace { points, milliseconds } = self.pace.get();
        let seconds_left =
            (points > 0).then(|| (total - done) as f64 * milliseconds / points as f64 / 1000.0);
        Progress { done, total, seconds_left }
    }

    /// Gives up: nothing further is begun, and what there is goes.
    pub fn cancel(self) {
        self.is_paused.set(true);
        self.found.set(None);
    }

    fn advance(self) {
        let is_halted = self.is_paused.try_get_untracked().unwrap_or(true);
        if is_halted || self.is_busy.try_get_value().unwrap_or(true) {
            return;
        }
        let Some(cast) = self.room.cast.try_get_untracked() else { return };
        let next = self.found.with_untracked(|found| {
            let known = found.as_ref().filter(|found| found.cast == cast).map(|found| &found.samples);
            let is_new = |draw: &&Draw| known.is_none_or(|known| !known.contains_key(draw));
            self.plan.with_untracked(|plan| plan.iter().find(is_new).copied())
        });
        let Some(draw) = next else { return };
        self.is_busy.set_value(true);
        let begun = now();
        let request = Request::Width(width::Request::Sample(cast, draw));
        self.client.ask(Line::Sweep, request, move |answer| {
            // The page may have been left in the meantime.
            if self.is_busy.try_set_value(false).is_some() {
                return;
            }
            match answer {
                Ok(Answer::Width(width::Answer::Sample(sample))) => {
                    self.pace.try_update(|pace| {
                        pace.points += 1;
                        pace.milliseconds += now() - begun;
                    });
                    self.found.try_update(|found| match found {
                        Some(found) if found.cast == cast => {
                            found.samples.insert(draw, sample);
                        }
                        _ => *found = Some(Found { cast, samples: HashMap::from([(draw, sample)]) }),
                    });
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
