//! Where everything stands on the bench: pure mathematics, in CSS pixels.

use crate::drawing::geometry::Rect;

/// A row of cells: a stretch that is read, or a lane that is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// The top of its cells.
    pub top: f64,
    /// How many cells it has.
    pub count: usize,
    /// The first cell that is seen.
    pub first: usize,
    /// How many cells are seen.
    pub seen: usize,
}

/// The places of all strips.
#[derive(Debug, Clone, PartialEq)]
pub struct Bench {
    /// The strips, from top to bottom: first what is read.
    pub strips: Vec<Strip>,
    /// The width of a cell with its gap.
    pub cell: f64,
    /// The height of a cell.
    pub tall: f64,
    /// The height of all.
    pub height: f64,
}

const LARGEST: f64 = 44.0;
const SMALLEST: f64 = 7.0;

impl Bench {
    /// Strips for so many cells, each with the cell that must be seen, the first `sources` of which are read. `text`
    /// is the size of small letters.
    pub fn new(counts: &[(usize, usize)], sources: usize, width: f64, text: f64) -> Bench {
        let longest = counts.iter().map(|(count, _)| *count).max().unwrap_or(1).max(1);
        let cell = (width / longest as f64).clamp(SMALLEST, LARGEST * text / 13.0);
        let cell = if cell > 12.0 { cell.floor() } else { cell };
        let room = ((width / cell).floor() as usize).max(1);
        let tall = (cell * 0.8).clamp(16.0, 30.0 * text / 13.0);
        let label = text * 1.7;
        // Indices stand below the cells.
        let below = text * 1.35;
        let mut top = 0.0;
        let strips = counts
            .iter()
            .enumerate()
            .map(|(at, (count, focus))| {
                if at == sources && sources > 0 {
                    top += text * 1.2;
                }
                top += label;
                let seen = (*count).min(room);
                let first = focus.saturating_sub(seen / 2).min(count - seen);
                let strip = Strip { top, count: *count, first, seen };
                top += tall + below;
                strip
            })
            .collect();
        Bench { strips, cell, tall, height: top }
    }

    /// The place of a cell, if it is seen.
    pub fn rect(&self, strip: usize, cell: usize) -> Option<Rect> {
        let strip = self.strips.get(strip)?;
        let at = cell.checked_sub(strip.first).filter(|at| *at < strip.seen)?;
        let gap = if self.cell >= 12.0 { 2.0 } else { 1.0 };
        Some(Rect::new(at as f64 * self.cell, strip.top, self.cell - gap, self.tall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_strips_are_seen_whole_and_do_not_touch() {
        let bench = Bench::new(&[(8, 5), (4, 3), (8, 5)], 2, 600.0, 13.0);
        for strip in &bench.strips {
            assert_eq!((strip.first, strip.seen), (0, strip.count));
        }
        for pair in bench.strips.windows(2) {
            assert!(pair[0].top + bench.tall < pair[1].top);
        }
        assert!(bench.rect(0, 7).expect("seen").right() <= 600.0);
        assert_eq!(bench.rect(1, 4), None);
    }

    #[test]
    fn long_strips_are_seen_through_a_window_around_what_happens() {
        for focus in [0, 500, 4095] {
            let bench = Bench::new(&[(4096, focus)], 0, 366.0, 13.0);
            assert!(bench.strips[0].seen < 60);
            let rect = bench.rect(0, focus).expect("what happens is seen");
            assert!(rect.x >= 0.0 && rect.right() <= 366.0);
        }
    }
}
