//! Tables along a number: which of several lines is the highest there.
//!
//! A head that looks at the memory token with the largest slope · number + intercept finds the entry of a table,
//! since the upper envelope of lines is made of intervals. Every interval of numbers with one outcome is one line, and
//! neighbours are at least 1 apart at every number that occurs.

/// The line of an interval of numbers that have one outcome.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) outcome: usize,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) slope: f64,
    pub(crate) intercept: f64,
}

/// Scores that must be told apart may differ by as little as this, relative to the largest: attention takes for
/// equal what is within 1e-10.
pub(crate) const LEAST_RELATIVE_MARGIN: f64 = 1e-8;

/// The lines for these numbers and outcomes, in order: the line of each number is above all others there by at least
/// 1, and above 0 by at least 1.
///
/// `Err` with the smallest gap and the largest score when rounding could decide, or when one number has two outcomes.
pub(crate) fn lines(mut points: Vec<(f64, usize)>) -> Result<Vec<Line>, (f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lines: Vec<Line> = Vec::new();
    let mut smallest = f64::INFINITY;
    for (number, outcome) in points {
        match lines.last_mut() {
            Some(last) if last.outcome == outcome => last.high = number,
            Some(last) => {
                let gap = number - last.high;
                smallest = smallest.min(gap);
                if gap <= 1e-9 * (1.0 + number.abs()) {
                    return Err((gap.max(0.0), number.abs()));
                }
                lines.push(Line { outcome, low: number, high: number, slope: 0.0, intercept: 0.0 });
            }
            None => lines.push(Line { outcome, low: number, high: number, slope: 0.0, intercept: 0.0 }),
        }
    }
    for at in 1..lines.len() {
        let (high, low) = (lines[at - 1].high, lines[at].low);
        let rise = 2.0 / (low - high);
        lines[at].slope = lines[at - 1].slope + rise;
        lines[at].intercept = lines[at - 1].intercept - rise * (low + high) / 2.0;
    }
    // Slopes on both sides of 0 keep the scores small.
    let tilt = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => ((first.slope + last.slope) / 2.0).round(),
        _ => 0.0,
    };
    for line in &mut lines {
        line.slope -= tilt;
    }
    let at_ends =
        |line: &Line| [line.slope * line.low + line.intercept, line.slope * line.high + line.intercept];
    let lowest = lines.iter().flat_map(at_ends).fold(f64::INFINITY, f64::min);
    let shift = if lowest.is_finite() { 1.0 - lowest } else { 1.0 };
    for line in &mut lines {
        line.intercept += shift;
    }
    let largest = lines.iter().flat_map(at_ends).fold(0.0, |largest: f64, score| largest.max(score.abs()));
    let terms = lines.iter().map(|line| line.intercept.abs()).fold(largest, f64::max);
    if 1.0 / (1.0 + terms) < LEAST_RELATIVE_MARGIN {
        return Err((smallest, terms));
    }
    Ok(lines)
}
