//! Where everything stands on the bench: pure mathematics, in CSS pixels.

use crate::drawing::geometry::Rect;

/// A row of cells: a stretch that is read, or a lane that is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// The left edge of its first cell.
    pub left: f64,
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

/// The width of a cell where there is room.
const LARGEST: f64 = 44.0;
/// The width from which cells hold numbers.
pub const NUMERAL: f64 = 30.0;
/// A strip whose cells would be narrower is seen through a window.
const SMALLEST: f64 = 7.0;

impl Bench {
    /// Strips in groups, each strip with its number of cells and the cell that must be seen. The strips of a group
    /// stand side by side where there is room. `text` is the size of small letters.
    pub fn new(groups: &[Vec<(usize, usize)>], width: f64, text: f64) -> Bench {
        let scale = text / 13.0;
        let gap = 24.0 * scale;
        let side_by_side = |group: &Vec<(usize, usize)>| {
            let cells: usize = group.iter().map(|(count, _)| count).sum();
            (width - gap * group.len().saturating_sub(1) as f64) / cells.max(1) as f64
        };
        let longest = groups.iter().flatten().map(|(count, _)| *count).max().unwrap_or(1).max(1);
        let stacked = (width / longest as f64).clamp(SMALLEST, LARGEST * scale);
        // Cells that are a little narrower may let two strips share a line.
        let cell = groups
            .iter()
            .map(side_by_side)
            .filter(|cell| *cell >= (NUMERAL + 2.0) * scale)
            .fold(stacked, f64::min);
        let cell = if cell > 12.0 { cell.floor() } else { cell };
        let room = ((width / cell).floor() as usize).max(1);
        let tall = (cell * 0.8).clamp(16.0, 30.0 * scale);
        let label = text * 1.7;
        // Indices stand below the cells.
        let line = label + tall + text * 1.35;
        let mut strips = Vec::new();
        let mut top = 0.0;
        for (at, group) in groups.iter().enumerate() {
            if at > 0 {
                // Room for numbers on their way.
                top += text;
            }
            let shares = side_by_side(group) >= cell;
            let mut left = 0.0;
            for (place, (count, focus)) in group.iter().enumerate() {
                if place > 0 && !shares {
                    top += line;
                }
                let seen = (*count).min(room);
                let first = focus.saturating_sub(seen / 2).min(count - seen);
                strips.push(Strip { left, top: top + label, count: *count, first, seen });
                if shares {
                    left += *count as f64 * cell + gap;
                }
            }
            top += line;
        }
        Bench { strips, cell, tall, height: top }
    }

    /// The place of a cell, if it is seen.
    pub fn rect(&self, strip: usize, cell: usize) -> Option<Rect> {
        let strip = self.strips.get(strip)?;
        let at = cell.checked_sub(strip.first).filter(|at| *at < strip.seen)?;
        let gap = if self.cell >= 12.0 { 2.0 } else { 1.0 };
        Some(Rect::new(strip.left + at as f64 * self.cell, strip.top, self.cell - gap, self.tall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_share_a_line_where_there_is_room() {
        let groups = [vec![(8, 5), (4, 3)], vec![(8, 5), (8, 5)], vec![(8, 5)]];
        let bench = Bench::new(&groups, 720.0, 13.0);
        let tops: Vec<f64> = bench.strips.iter().map(|strip| strip.top).collect();
        assert_eq!((tops[0], tops[2]), (tops[1], tops[3]));
        assert!(tops[0] + bench.tall < tops[2] && tops[2] + bench.tall < tops[4]);
        for strip in 0..bench.strips.len() {
            let last = bench.strips[strip].count - 1;
            assert!(bench.rect(strip, last).expect("seen whole").right() <= 720.0);
        }
        assert!(bench.rect(0, 7).expect("seen").right() < bench.rect(1, 0).expect("seen").x);
        assert_eq!(bench.rect(1, 4), None);
        let narrow = Bench::new(&groups, 360.0, 13.0);
        assert!(narrow.strips.windows(2).all(|pair| pair[0].top + narrow.tall < pair[1].top));
        assert!(narrow.height > bench.height);
    }

    #[test]
    fn long_strips_are_seen_through_a_window_around_what_happens() {
        for focus in [0, 500, 4095] {
            let bench = Bench::new(&[vec![(4096, focus)]], 366.0, 13.0);
            assert!(bench.strips[0].seen < 60);
            let rect = bench.rect(0, focus).expect("what happens is seen");
            assert!(rect.x >= 0.0 && rect.right() <= 366.0);
        }
    }
}
