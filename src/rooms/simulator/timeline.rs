//! Where the animation is: steps of the clock to stages, beats and positions, and back. Pure mathematics.

use crate::rooms::simulator::choices::Grain;

/// The steps of one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    grain: Grain,
    stages: Vec<Part>,
}

/// A stage's part of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    first: usize,
    beats: usize,
    elements: usize,
    steps: usize,
}

/// What happens at a point of the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Which stage.
    pub stage: usize,
    /// Which of its beats.
    pub beat: usize,
    /// At which position, or at all of them.
    pub position: Option<usize>,
    /// How far, in 0…1.
    pub phase: f64,
}

impl Timeline {
    /// A timeline over stages, each with its number of beats and of positions.
    pub fn new(stages: impl Iterator<Item = (usize, usize)>, grain: Grain) -> Timeline {
        let mut first = 0;
        let stages = stages
            .map(|(beats, elements)| {
                let steps = match grain {
                    Grain::Statement => usize::from(beats > 0),
                    Grain::Primitive => beats,
                    Grain::Position => beats * elements,
                };
                let part = Part { first, beats, elements, steps };
                first += steps;
                part
            })
            .collect();
        Timeline { grain, stages }
    }

    /// The number of steps.
    pub fn length(&self) -> usize {
        self.stages.last().map_or(0, |part| part.first + part.steps)
    }

    /// What happens at a time, counted in steps: just after a whole number, what that many steps have led to.
    pub fn moment(&self, time: f64) -> Option<Moment> {
        let length = self.length();
        if length == 0 {
            return None;
        }
        let step = (time.ceil().max(1.0) as usize).min(length) - 1;
        let phase = (time - step as f64).clamp(0.0, 1.0);
        let stage = self.stages.partition_point(|part| part.first <= step).checked_sub(1)?;
        // Stages without steps begin where the one before ends.
        let stage = (0..=stage).rev().find(|stage| self.stages[*stage].steps > 0)?;
        let part = self.stages[stage];
        let step = step - part.first;
        Some(match self.grain {
            Grain::Position => {
                Moment { stage, beat: step / part.elements, position: Some(step % part.elements), phase }
            }
            Grain::Primitive => Moment { stage, beat: step, position: None, phase },
            Grain::Statement => {
                let along = phase * part.beats as f64;
                let beat = (along.ceil().max(1.0) as usize).min(part.beats) - 1;
                Moment { stage, beat, position: None, phase: along - beat as f64 }
            }
        })
    }

    /// The time at which a beat of a stage has been done at a position; a beat at all positions is done with its
    /// last one.
    pub fn time_of(&self, stage: usize, beat: usize, position: Option<usize>) -> usize {
        let Some(part) = self.stages.get(stage) else { return 0 };
        let beat = beat.min(part.beats.saturating_sub(1));
        let last = part.elements.saturating_sub(1);
        part.first
            + match self.grain {
                Grain::Statement => part.steps,
                Grain::Primitive => beat + 1,
                Grain::Position => beat * part.elements + position.unwrap_or(last).min(last) + 1,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: [(usize, usize); 4] = [(2, 3), (0, 5), (1, 4), (3, 2)];

    fn timeline(grain: Grain) -> Timeline {
        Timeline::new(STAGES.into_iter(), grain)
    }

    #[test]
    fn every_step_leads_somewhere_and_back() {
        for grain in [Grain::Statement, Grain::Primitive, Grain::Position] {
            let timeline = timeline(grain);
            for time in 1..=timeline.length() {
                let moment = timeline.moment(time as f64).expect("a moment");
                assert_eq!(moment.phase, 1.0);
                assert_eq!(timeline.time_of(moment.stage, moment.beat, moment.position), time, "{grain:?}");
            }
        }
    }

    #[test]
    fn positions_follow_beats_follow_stages() {
        let timeline = timeline(Grain::Position);
        assert_eq!(timeline.length(), 6 + 4 + 6);
        let at = |time: f64| timeline.moment(time).map(|it| (it.stage, it.beat, it.position, it.phase));
        assert_eq!(at(0.0), Some((0, 0, Some(0), 0.0)));
        assert_eq!(at(3.5), Some((0, 1, Some(0), 0.5)));
        assert_eq!(at(7.0), Some((2, 0, Some(0), 1.0)));
        assert_eq!(at(99.0), Some((3, 2, Some(1), 1.0)));
    }

    #[test]
    fn a_statement_runs_through_its_beats() {
        let timeline = timeline(Grain::Statement);
        assert_eq!(timeline.length(), 3);
        let moment = timeline.moment(2.5).expect("a moment");
        assert_eq!((moment.stage, moment.beat), (3, 1));
        assert!((moment.phase - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_has_no_moment() {
        assert_eq!(Timeline::default().moment(0.0), None);
    }
}
