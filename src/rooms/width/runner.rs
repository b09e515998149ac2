//! The points of a sweep: what is wanted, and what has been computed.

use std::collections::HashMap;

use leptos::prelude::*;
use universal::sweep::Sample;

use super::work::{Job, Plan, Work};
use crate::rooms::width::job::{Answer, Cast, Draw, Point, Request};
use crate::work::client::Line;

/// The widest N that is swept: each point factorises an m × N matrix, which takes seconds beyond.
pub const WIDEST: u128 = 1200;

/// Points under way.
#[derive(Clone, Copy)]
pub struct Runner {
    found: RwSignal<Samples>,
    /// The work of computing them.
    pub work: Work,
}

/// What has been computed, target by target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples(Vec<(Cast, HashMap<Draw, Sample>)>);

impl Samples {
    /// What is known of a point.
    pub fn get(&self, (cast, draw): &Point) -> Option<&Sample> {
        self.0.iter().find(|(known, _)| known == cast)?.1.get(draw)
    }

    fn insert(&mut self, (cast, draw): Point, sample: Sample, wanted: &[Point]) {
        match self.0.iter_mut().find(|(known, _)| *known == cast) {
            Some((_, samples)) => {
                samples.insert(draw, sample);
            }
            None => {
                // Targets that nobody asks about any more make room.
                self.0.retain(|(known, _)| wanted.iter().any(|(wanted, _)| wanted == known));
                self.0.push((cast, HashMap::from([(draw, sample)])));
            }
        }
    }
}

impl Runner {
    /// Starts computing whatever is wanted, in this order, as long as `may_run` allows it.
    pub fn start(
        line: Line,
        ask: fn(Vec<Point>) -> Request,
        wanted: Memo<Vec<Point>>,
        may_run: Signal<bool>,
    ) -> Runner {
        let found = RwSignal::new(Samples::default());
        let steps = Memo::new(move |_| {
            wanted.with(|wanted| {
                let done =
                    found.with(|found| wanted.iter().filter(|point| found.get(point).is_some()).count());
                (done, wanted.len())
            })
        });
        let next = Callback::new(move |steps: usize| {
            let points: Vec<Point> = wanted.with_untracked(|wanted| {
                found.with_untracked(|found| {
                    wanted.iter().filter(|point| found.get(point).is_none()).take(steps).copied().collect()
                })
            });
            let asked = points.clone();
            let keep = move |answer| {
                let Answer::Samples(samples) = answer else { return };
                let wanted = wanted.try_get_untracked().unwrap_or_default();
                found.try_update(|found| {
                    for (point, sample) in asked.into_iter().zip(samples) {
                        found.insert(point, sample, &wanted);
                    }
                });
            };
            (!points.is_empty()).then(|| Job {
                steps: points.len(),
                request: ask(points),
                keep: Box::new(keep),
            })
        });
        let forget = Callback::new(move |()| found.set(Samples::default()));
        Runner { found, work: Work::start(line, Plan { next, steps, forget }, may_run) }
    }

    /// Looks at what is known.
    pub fn with_samples<T>(self, see: impl FnOnce(&Samples) -> T) -> T {
        self.found.with(see)
    }
}
