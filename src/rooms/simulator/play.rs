//! How far a run has come at a moment of the animation: which lanes are done where. Pure mathematics.

use rasp::simulator::Beat;

use super::timeline::Moment;
use crate::rooms::simulator::job::{Kind, Shown};
use crate::widgets::heatmap::Matrix;

/// The part of a step in which a lane is made, of `lanes` that a beat has.
pub fn window(lanes: usize, lane: usize) -> (f64, f64) {
    match (lanes, lane) {
        // Both factors are fetched nearly at the same time, then they meet.
        (3, 0) => (0.0, 0.5),
        (3, 1) => (0.12, 0.62),
        (3, 2) => (0.62, 1.0),
        (lanes, lane) => (lane as f64 / lanes as f64, (lane + 1) as f64 / lanes as f64),
    }
}

/// Whether a lane of a beat is made at a position.
pub fn is_made(moment: &Moment, beats: &[Beat], beat: usize, lane: usize, position: usize) -> bool {
    if beat != moment.beat {
        return beat < moment.beat;
    }
    let lanes = beats.get(beat).map_or(1, |beat| beat.lanes.len());
    let now = moment.phase >= window(lanes, lane).1 - 1e-9;
    match moment.position {
        Some(at) => position < at || (position == at && now),
        None => now,
    }
}

/// How much of its way a lane has gone at a position: 0 before, 1 when it is there.
pub fn progress(moment: &Moment, lanes: usize, lane: usize, position: usize) -> f64 {
    let (from, to) = window(lanes, lane);
    match moment.position {
        Some(at) if position < at => 1.0,
        Some(at) if position > at => 0.0,
        _ => ((moment.phase - from) / (to - from)).clamp(0.0, 1.0),
    }
}

/// The newest beat that has made a lane at a position, and the lane's place in it.
pub fn made_in(moment: &Moment, beats: &[Beat], name: &str, position: usize) -> Option<(usize, usize)> {
    (0..=moment.beat.min(beats.len().checked_sub(1)?)).rev().find_map(|at| {
        let lane = beats[at].lanes.iter().position(|lane| lane.name == name)?;
        is_made(moment, beats, at, lane, position).then_some((at, lane))
    })
}

/// The value of a lane at a position: that of the newest beat that has made it.
pub fn lane_value(moment: &Moment, beats: &[Beat], name: &str, position: usize) -> Option<f64> {
    let (beat, lane) = made_in(moment, beats, name, position)?;
    beats[beat].lanes[lane].values.get(position).copied()
}

/// The target's matrix as far as it has come: sums so far for products, and no number where none is yet.
pub fn running(stage: &Shown, moment: &Moment) -> Matrix {
    let direct = &stage.direct;
    let (rows, columns) = direct.dim();
    let width = stage.simulated.as_ref().map_or(columns, |simulated| simulated.ncols());
    let beats = &stage.beats;
    // The newest beat whose last lane is made there.
    let done = |row: usize, column: usize| {
        let position = row * width + column;
        (0..=moment.beat.min(beats.len().saturating_sub(1))).rev().find(|beat| {
            let lanes = beats.get(*beat).map_or(1, |beat| beat.lanes.len());
            is_made(moment, beats, *beat, lanes - 1, position)
        })
    };
    let value = |row: usize, column: usize| match done(row, column) {
        None => f64::NAN,
        Some(beat)
            if stage.kind == Kind::Product && beat < stage.direct_sums.len() && beat + 1 < beats.len() =>
        {
            stage.direct_sums[beat][[row, column]]
        }
        Some(_) => direct[[row, column]],
    };
    let is_there = |row: usize, column: usize| match stage.kind {
        Kind::Product => done(row, column).is_some(),
        _ => done(row, column) == Some(beats.len().saturating_sub(1)),
    };
    Matrix::from_fn(rows, columns, value).revealed(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::simulator::choices::{Grain, Piece};
    use crate::rooms::simulator::job::Workshop;
    use crate::rooms::simulator::timeline::Timeline;
    use crate::widgets::heatmap::Cell;

    #[test]
    fn sums_grow_on_both_sides_alike_until_the_product_is_there() {
        let simulated = Workshop::default().run(Piece::default()).expect("the first preset runs");
        let stages = simulated.stages.iter().map(|stage| (stage.beats.len(), stage.direct.len()));
        let timeline = Timeline::new(stages, Grain::Position);
        let mut seen = 0;
        for time in 0..=2 * timeline.length() {
            let moment = timeline.moment(time as f64 / 2.0).expect("a moment");
            let stage = &simulated.stages[moment.stage];
            let matrix = running(stage, &moment);
            if stage.kind != Kind::Product {
                continue;
            }
            for position in 0..stage.direct.len() {
                let cell = Cell::new(position / stage.direct.ncols(), position % stage.direct.ncols());
                let run = lane_value(&moment, &stage.beats, "sum", position);
                let direct = matrix.shown(cell);
                assert_eq!(direct.is_some(), run.is_some(), "{} at {time}", stage.name);
                // After softmax both sides differ by rounding.
                let difference = direct.zip(run).map_or(0.0, |(direct, run)| (direct - run).abs());
                assert!(difference <= simulated.tolerance, "{} at {time}: {difference:e}", stage.name);
                seen += usize::from(run.is_some());
            }
        }
        assert!(seen > 100, "{seen}");
        let last = simulated.stages.last().expect("an output");
        let end = timeline.moment(timeline.length() as f64).expect("a moment");
        assert_eq!(running(last, &end), Matrix::from(&last.direct).revealed(|_, _| true));
    }
}
