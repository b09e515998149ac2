//! When each primitive of a run is animated, and where the animation may rest. Pure.

use rasp::{Primitive, Step, Trace};

use crate::rooms::rasp::choices::{Moment, Pace};

/// The acts of an animation, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The acts.
    pub acts: Vec<Act>,
    /// The number of positions of the sequence.
    pub positions: usize,
    /// How many steps of the trace were done.
    pub done: usize,
}

/// A primitive at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Act {
    /// Its step in the trace.
    pub step: usize,
    /// When it begins, in seconds at normal speed.
    pub start: f64,
    /// How long it takes.
    pub length: f64,
    /// The statement of the program that it belongs to.
    pub statement: usize,
    /// How many positions it goes through, one after the other: all, unless it fails on its way.
    pub positions: usize,
}

impl Act {
    /// When it is done at so many positions.
    pub fn time_at(&self, positions: usize) -> f64 {
        self.start + self.length * (positions as f64 / self.positions.max(1) as f64).min(1.0)
    }
}

/// What is going on at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// The act, by its place in the timeline.
    pub act: usize,
    /// At how many positions it is done; the fraction is the share of the next one.
    pub done: f64,
}

impl Timeline {
    /// The acts of a trace. What the input and the program give as it is needs no act, unless there is nothing else.
    pub fn new(trace: &Trace, positions: usize) -> Timeline {
        let is_given =
            |step: usize| matches!(trace.steps[step].primitive, Primitive::Base(_) | Primitive::Constant(_));
        let steps = 0..trace.done();
        let mut chosen: Vec<usize> = steps.clone().filter(|step| !is_given(*step)).collect();
        let failed = trace.failed.as_ref().and_then(|failed| Some((failed.step, failed.position?)));
        if chosen.is_empty() && failed.is_none() {
            chosen = steps.collect();
        }
        // A library describes its own steps before the program says a word; they are shown where the program comes
        // to use them. Whatever a step needs is shown before it.
        let mut statement: Vec<usize> = trace.steps.iter().map(|step| step.statement).collect();
        for at in 0..statement.len() {
            let needed = trace.steps[at].operands.iter().map(|operand| statement[*operand]);
            statement[at] = needed.fold(statement[at], usize::max);
        }
        chosen.sort_by_key(|step| statement[*step]);
        // What fails comes last; all that it needs was done before.
        let failing = failed.map(|(step, position)| (step, position + 1));
        let mut start = 0.0;
        let acts = chosen
            .into_iter()
            .map(|step| (step, positions))
            .chain(failing)
            .map(|(step, done)| {
                let share = done as f64 / positions.max(1) as f64;
                let length = seconds(&trace.steps[step].primitive, positions) * share;
                let act = Act { step, start, length, statement: statement[step], positions: done };
                start += length;
                act
            })
            .collect();
        Timeline { acts, positions, done: trace.done() }
    }

    /// The whole length in seconds.
    pub fn length(&self) -> f64 {
        self.acts.last().map_or(0.0, |act| act.start + act.length)
    }

    /// What is going on at `time`. An act that has just ended is shown until the next one moves.
    pub fn at(&self, time: f64) -> Option<Now> {
        let act = self.acts.partition_point(|act| act.start < time - TOLERANCE).saturating_sub(1);
        let Act { start, length, positions, .. } = *self.acts.get(act)?;
        let done = ((time - start) / length).clamp(0.0, 1.0) * positions as f64;
        let whole = done.round();
        Some(Now { act, done: if (done - whole).abs() < TOLERANCE { whole } else { done } })
    }

    /// The time of a moment; beyond the end is the end.
    pub fn time(&self, moment: Moment) -> f64 {
        let Moment { primitives, positions } = moment;
        match self.acts.get(primitives) {
            Some(act) => act.time_at(positions),
            None => self.length(),
        }
    }

    /// The moment that is nearest to a time, none of it half done.
    pub fn moment(&self, time: f64) -> Moment {
        let Some(now) = self.at(time) else { return Moment::default() };
        let positions = now.done.round() as usize;
        if positions >= self.acts[now.act].positions {
            Moment { primitives: now.act + 1, positions: 0 }
        } else {
            Moment { primitives: now.act, positions }
        }
    }

    /// When the act of a step has ended. A step without an act is there from the start, or was never come to.
    pub fn end_of(&self, step: usize) -> f64 {
        let act = self.acts.iter().find(|act| act.step == step);
        let missing = if step < self.done { 0.0 } else { self.length() };
        act.map_or(missing, |act| act.start + act.length)
    }

    /// Whether the animation comes to a step at all.
    pub fn comes_to(&self, step: usize) -> bool {
        step < self.done || self.acts.last().is_some_and(|act| act.step == step)
    }

    /// Where the animation rests when one steps by `pace`.
    pub fn stops(&self, pace: Pace) -> Vec<f64> {
        let ends = self.acts.iter().enumerate().filter(|(at, act)| {
            pace != Pace::Statement
                || self.acts.get(at + 1).is_none_or(|next| next.statement != act.statement)
        });
        let within = move |act: &Act| {
            let Act { start, length, positions, .. } = *act;
            let parts = if pace == Pace::Position { positions.max(1) } else { 1 };
            (1..=parts).map(move |part| start + length * part as f64 / parts as f64)
        };
        std::iter::once(0.0).chain(ends.flat_map(|(_, act)| within(act))).collect()
    }

    /// The moment that tells most of a program: where it failed, or else the end of the last fetch that it describes itself, or else of its
    /// last selector, or else of the last fetch of all, or else of everything.
    pub fn telling(&self, trace: &Trace) -> Moment {
        if trace.failed.is_some() {
            return Moment { primitives: self.acts.len(), positions: 0 };
        }
        let last_of = |fits: &dyn Fn(&Step) -> bool| {
            self.acts.iter().rposition(|act| fits(&trace.steps[act.step])).map(|at| at + 1)
        };
        let is_fetch = |step: &Step| matches!(step.primitive, Primitive::Aggregate { .. });
        let last = last_of(&|step| step.origin.is_none() && is_fetch(step))
            .or_else(|| last_of(&|step| step.origin.is_none() && step.primitive.is_selector()))
            .or_else(|| last_of(&is_fetch))
            .unwrap_or(self.acts.len());
        Moment { primitives: last, positions: 0 }
    }
}

/// Times that differ by less are the same.
const TOLERANCE: f64 = 1e-9;

/// How long a primitive is watched: long enough to see single positions of a short input, and never long.
fn seconds(primitive: &Primitive, positions: usize) -> f64 {
    let n = positions as f64;
    match primitive {
        Primitive::Base(_) | Primitive::Constant(_) => 0.5,
        Primitive::Select(_) => (n * 0.3).clamp(1.0, 3.0),
        Primitive::SelectorAnd | Primitive::SelectorOr | Primitive::SelectorNot => (n * 0.2).clamp(0.8, 2.0),
        Primitive::Aggregate { .. } => (n * 0.6).clamp(1.5, 6.0),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasp::{Input, Session};

    fn of(program: &str, input: &str) -> (Trace, Timeline) {
        let input = Input::parse(input).expect("an input");
        let run = Session::default().run(program, &input);
        assert!(!run.has_errors(), "{:?}", run.diagnostics);
        let timeline = Timeline::new(&run.trace, input.len());
        (run.trace, timeline)
    }

    #[test]
    fn every_stop_is_a_moment_and_back() {
        let (_, timeline) = of("s = select(tokens, tokens, ==);\nx = selector_width(s);\nx + 1;", "hello");
        for pace in Pace::ALL {
            let stops = timeline.stops(pace);
            assert_eq!(stops.first(), Some(&0.0));
            assert!(stops.windows(2).all(|pair| pair[0] < pair[1]), "{pace:?}: {stops:?}");
            assert!((stops[stops.len() - 1] - timeline.length()).abs() < 1e-9);
            for stop in stops {
                let moment = timeline.moment(stop);
                assert!((timeline.time(moment) - stop).abs() < 1e-9, "{pace:?} {stop} {moment:?}");
            }
        }
        let counts = Pace::ALL.map(|pace| timeline.stops(pace).len() - 1);
        assert_eq!(counts[2], counts[1] * 5);
        assert_eq!(counts[0], 3, "one for each statement");
    }

    #[test]
    fn what_an_act_needs_comes_before_it() {
        for entry in rasp::gallery::GALLERY {
            let (trace, timeline) = of(entry.source, entry.input);
            let order: Vec<usize> = timeline.acts.iter().map(|act| act.step).collect();
            for (at, step) in order.iter().enumerate() {
                for operand in &trace.steps[*step].operands {
                    assert!(!order[at..].contains(operand), "{}: {operand} after {step}", entry.id);
                }
            }
            assert!(timeline.acts.is_sorted_by_key(|act| act.statement), "{}", entry.id);
        }
    }

    #[test]
    fn an_act_that_has_ended_stays_until_the_next_one_moves() {
        let (_, timeline) = of("tokens == \"l\";", "hello");
        let now = timeline.at(timeline.length()).expect("an act");
        assert_eq!(now, Now { act: timeline.acts.len() - 1, done: 5.0 });
        assert_eq!(timeline.moment(1e9), Moment { primitives: timeline.acts.len(), positions: 0 });
        assert_eq!(timeline.at(0.0), Some(Now { act: 0, done: 0.0 }));
    }

    #[test]
    fn the_telling_moment_is_the_programs_own() {
        for (id, primitive) in [("histogram", "select =="), ("reverse", "aggregate"), ("sort", "aggregate")] {
            let entry = rasp::gallery::entry(id).expect("an entry");
            let (trace, timeline) = of(entry.source, entry.input);
            let telling = timeline.telling(&trace);
            let step = &trace.steps[timeline.acts[telling.primitives - 1].step];
            assert_eq!(step.primitive.name(), primitive, "{id}");
        }
    }

    #[test]
    fn a_run_that_fails_is_shown_as_far_as_it_came() {
        let input = Input::parse("abcd").expect("an input");
        let run = Session::default().run("a = indices + 1;\nb = 6 / (2 - indices);\na + b;", &input);
        let timeline = Timeline::new(&run.trace, 4);
        let last = timeline.acts[timeline.acts.len() - 1];
        assert_eq!(run.trace.steps[last.step].primitive.name(), "/");
        assert_eq!(last.positions, 3, "two quotients and the place of the error");
        assert_eq!(timeline.at(timeline.length()).map(|now| now.done), Some(3.0));
        assert_eq!(timeline.telling(&run.trace).primitives, timeline.acts.len());
        for pace in Pace::ALL {
            for stop in timeline.stops(pace) {
                assert!((timeline.time(timeline.moment(stop)) - stop).abs() < 1e-9, "{pace:?} {stop}");
            }
        }
        let sum = run.trace.steps.len() - 1;
        assert!(!timeline.comes_to(sum) && timeline.comes_to(last.step));
        assert_eq!(timeline.end_of(sum), timeline.length());
    }

    #[test]
    fn what_is_given_has_acts_only_where_there_is_nothing_else() {
        let (trace, timeline) = of("tokens;", "ab");
        assert_eq!(timeline.acts.len(), trace.steps.len());
        let (_, timeline) = of("1 + 1;", "ab");
        assert_eq!((timeline.length(), timeline.at(0.0)), (0.0, None));
    }
}
