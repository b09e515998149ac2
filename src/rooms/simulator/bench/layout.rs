//! Where everything stands on the bench: pure mathematics, in CSS pixels.

use crate::drawing::geometry::{Point, Rect};

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
    /// The bar that stands for the whole strip, where only a window of it is seen.
    pub overview: Option<Rect>,
}

impl Strip {
    /// The part of the overview that stands for some of its cells.
    pub fn part(&self, first: usize, count: usize) -> Option<Rect> {
        let bar = self.overview?;
        let cell = bar.width / self.count.max(1) as f64;
        Some(Rect::new(bar.x + first as f64 * cell, bar.y, count as f64 * cell, bar.height))
    }
}

/// A selector: a row for each position, a column for each key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Its cells.
    pub area: Rect,
    /// The side of a cell.
    pub cell: f64,
    /// The first position that is seen, and how many.
    pub rows: (usize, usize),
    /// The first key that is seen, and how many.
    pub keys: (usize, usize),
    /// Where the words above it begin.
    pub left: f64,
}

impl Grid {
    /// The place of a cell, if it is seen.
    pub fn rect(&self, row: usize, key: usize) -> Option<Rect> {
        let row = row.checked_sub(self.rows.0).filter(|row| *row < self.rows.1)? as f64;
        let key = key.checked_sub(self.keys.0).filter(|key| *key < self.keys.1)? as f64;
        Some(Rect::new(self.area.x + key * self.cell, self.area.y + row * self.cell, self.cell, self.cell))
    }
}

/// What a strip is to show: how many cells, and which of them must be seen.
pub type StripSize = (usize, usize);

/// What a selector is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridSize {
    /// Positions that ask, and the one that must be seen.
    pub rows: (usize, usize),
    /// Keys, and the one that must be seen.
    pub keys: (usize, usize),
}

/// The places of all strips and selectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Bench {
    /// The strips, from top to bottom: first what is read.
    pub strips: Vec<Strip>,
    /// The selectors, side by side below the strips.
    pub grids: Vec<Grid>,
    /// The width of a cell of a strip with its gap.
    pub cell: f64,
    /// The height of a cell of a strip.
    pub tall: f64,
    /// The height of all.
    pub height: f64,
    /// The room beside the selectors, where there is enough for a sentence.
    pub beside: Option<Rect>,
}

/// A place on the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A cell of a strip.
    Cell(usize, usize),
    /// A pair of position and key of a selector.
    Pair(usize, usize, usize),
}

/// The width of a cell where there is room.
const LARGEST: f64 = 44.0;
/// The width from which cells hold numbers. A strip whose cells would be narrower is seen through a window.
const NUMERAL: f64 = 38.0;
/// The height of an overview.
const OVERVIEW: f64 = 5.0;
/// The sides of a selector's cells.
const GRID_CELLS: (f64, f64) = (7.0, 18.0);
/// From this width on, selectors leave room beside them.
const BESIDE: f64 = 620.0;
/// The height of a selector where its rows are many.
const TALLEST_GRID: f64 = 150.0;

impl Bench {
    /// Strips in groups, and selectors. The strips of a group stand side by side where there is room. `text` is the
    /// size of small letters.
    pub fn new(groups: &[Vec<StripSize>], grids: &[GridSize], width: f64, text: f64) -> Bench {
        let scale = text / 13.0;
        let gap = 24.0 * scale;
        let side_by_side = |group: &Vec<StripSize>| {
            let cells: usize = group.iter().map(|(count, _)| count).sum();
            (width - gap * group.len().saturating_sub(1) as f64) / cells.max(1) as f64
        };
        let longest = groups.iter().flatten().map(|(count, _)| *count).max().unwrap_or(1).max(1);
        let stacked = (width / longest as f64).clamp(NUMERAL * scale, LARGEST * scale);
        // Cells that are a little narrower may let two strips share a line.
        let cell = groups
            .iter()
            .map(side_by_side)
            .filter(|cell| *cell >= (NUMERAL + 2.0) * scale)
            .fold(stacked, f64::min)
            .floor();
        let room = ((width / cell).floor() as usize).max(1);
        let tall = (cell * 0.8).clamp(16.0, 30.0 * scale);
        let label = text * 1.7;
        // Indices stand below the cells.
        let line = label + tall + text * 1.35;
        let overview = (OVERVIEW + 5.0) * scale;
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
                let (first, seen) = window(*count, *focus, room);
                let bar = (seen < *count).then(|| {
                    let bar = Rect::new(left, top + label, seen as f64 * cell, OVERVIEW * scale);
                    top += overview;
                    bar
                });
                strips.push(Strip { left, top: top + label, count: *count, first, seen, overview: bar });
                if shares {
                    left += *count as f64 * cell + gap;
                }
            }
            top += line;
        }
        let is_wide = width >= BESIDE * scale && !grids.is_empty();
        let share = if is_wide { width * 0.58 } else { width };
        let (grids, height) = place_grids(grids, top, share, text);
        let beside = is_wide.then(|| {
            let left = grids.iter().map(|grid| grid.area.right()).fold(0.0, f64::max) + gap;
            Rect::new(left, top, width - left, height - top)
        });
        Bench { strips, grids, cell, tall, height, beside }
    }

    /// The place of a cell, if it is seen.
    pub fn rect(&self, strip: usize, cell: usize) -> Option<Rect> {
        let strip = self.strips.get(strip)?;
        let at = cell.checked_sub(strip.first).filter(|at| *at < strip.seen)?;
        Some(Rect::new(strip.left + at as f64 * self.cell, strip.top, self.cell - 2.0, self.tall))
    }

    /// What is at a point.
    pub fn spot(&self, point: Point) -> Option<Spot> {
        let strips = self.strips.iter().enumerate().find_map(|(at, strip)| {
            let row = Rect::new(strip.left, strip.top, strip.seen as f64 * self.cell, self.tall);
            row.contains(point)
                .then(|| Spot::Cell(at, strip.first + ((point.x - strip.left) / self.cell) as usize))
        });
        let grids = || {
            self.grids.iter().enumerate().find_map(|(at, grid)| {
                let Grid { area, cell, rows, keys, .. } = *grid;
                let place = |offset: f64, (first, seen): (usize, usize)| {
                    first + ((offset / cell) as usize).min(seen.saturating_sub(1))
                };
                area.contains(point)
                    .then(|| Spot::Pair(at, place(point.y - area.y, rows), place(point.x - area.x, keys)))
            })
        };
        strips.or_else(grids)
    }

    /// The place of a spot, if it is seen.
    pub fn rect_of(&self, spot: Spot) -> Option<Rect> {
        match spot {
            Spot::Cell(strip, cell) => self.rect(strip, cell),
            Spot::Pair(grid, row, key) => self.grids.get(grid)?.rect(row, key),
        }
    }

    /// The neighbour of a spot, `across` to the right and `down` below; beyond the edge of a strip or a selector is
    /// the next one.
    pub fn neighbour(&self, spot: Spot, across: isize, down: isize) -> Spot {
        let moved =
            |at: usize, by: isize, count: usize| at.saturating_add_signed(by).min(count.saturating_sub(1));
        match spot {
            Spot::Cell(strip, cell) if down == 0 => {
                Spot::Cell(strip, moved(cell, across, self.strips.get(strip).map_or(1, |it| it.count)))
            }
            Spot::Cell(strip, cell) => match strip.checked_add_signed(down) {
                Some(next) if next < self.strips.len() => {
                    let Strip { first, seen, .. } = self.strips[next];
                    Spot::Cell(next, cell.clamp(first, first + seen.max(1) - 1))
                }
                Some(_) if !self.grids.is_empty() => {
                    Spot::Pair(0, self.grids[0].rows.0, self.grids[0].keys.0)
                }
                _ => spot,
            },
            Spot::Pair(at, row, key) => {
                let Some(grid) = self.grids.get(at) else { return Spot::Cell(0, 0) };
                let inside = |at: isize, (first, seen): (usize, usize)| {
                    at >= first as isize && at < (first + seen) as isize
                };
                let (to_row, to_key) = (row as isize + down, key as isize + across);
                if inside(to_row, grid.rows) && inside(to_key, grid.keys) {
                    return Spot::Pair(at, to_row as usize, to_key as usize);
                }
                if down < 0 && !inside(to_row, grid.rows) {
                    let strip = self.strips.len().saturating_sub(1);
                    return Spot::Cell(strip, self.strips.get(strip).map_or(0, |it| it.first));
                }
                match at.checked_add_signed(across).and_then(|next| Some((next, self.grids.get(next)?))) {
                    Some((next, grid)) if across > 0 => Spot::Pair(next, row, grid.keys.0),
                    Some((next, grid)) if across < 0 => Spot::Pair(next, row, grid.keys.0 + grid.keys.1 - 1),
                    _ => spot,
                }
            }
        }
    }
}

/// The part of `count` things that is seen where there is room for `room`: the first, and how many.
fn window(count: usize, focus: usize, room: usize) -> (usize, usize) {
    let seen = count.min(room);
    (focus.saturating_sub(seen / 2).min(count - seen), seen)
}

/// Selectors side by side, with two lines of words and the numbers of keys above them, and the numbers of positions at
/// their left.
fn place_grids(sizes: &[GridSize], top: f64, width: f64, text: f64) -> (Vec<Grid>, f64) {
    let scale = text / 13.0;
    let rows = sizes.iter().map(|size| size.rows.0).max().unwrap_or(0);
    if rows == 0 {
        return (Vec::new(), top);
    }
    let (smallest, largest) = (GRID_CELLS.0 * scale, GRID_CELLS.1 * scale);
    let digits = rows.to_string().len() as f64;
    let (index, gap) = (text * (0.9 + 0.6 * digits), text * 1.6);
    // The words above a selector may be wider than its few keys.
    let least = text * 5.5;
    let count = sizes.len() as f64;
    let across = width - count * index - gap * (count - 1.0);
    let keys: usize = sizes.iter().map(|size| size.keys.0).sum();
    let cell = (across / keys.max(1) as f64)
        .min(TALLEST_GRID * scale / rows as f64)
        .clamp(smallest, largest)
        .floor();
    let seen_rows = ((TALLEST_GRID * scale / cell) as usize).max(1);
    // Each may have its share of the room, and what others leave.
    let mut room = (across / cell) as usize;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|at| sizes[*at].keys.0);
    let mut seen_keys = vec![0; sizes.len()];
    for (place, at) in order.iter().enumerate() {
        let share = (room / (sizes.len() - place)).max(1);
        seen_keys[*at] = sizes[*at].keys.0.min(share);
        room = room.saturating_sub(seen_keys[*at]);
    }
    let top = top + text * 4.2;
    let mut left = 0.0;
    let grids: Vec<Grid> = sizes
        .iter()
        .zip(seen_keys)
        .map(|(size, seen)| {
            let rows = window(size.rows.0, size.rows.1, seen_rows);
            let keys = window(size.keys.0, size.keys.1, seen);
            let area = Rect::new(left + index, top, keys.1 as f64 * cell, rows.1 as f64 * cell);
            let grid = Grid { area, cell, rows, keys, left };
            left = area.right().max(left + index + least) + gap;
            grid
        })
        .collect();
    let bottom = grids.iter().map(|grid| grid.area.bottom()).fold(top, f64::max);
    (grids, bottom + text * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_share_a_line_where_there_is_room() {
        let groups = [vec![(8, 5), (4, 3)], vec![(8, 5), (8, 5)], vec![(8, 5)]];
        let bench = Bench::new(&groups, &[], 720.0, 13.0);
        let tops: Vec<f64> = bench.strips.iter().map(|strip| strip.top).collect();
        assert_eq!((tops[0], tops[2]), (tops[1], tops[3]));
        assert!(tops[0] + bench.tall < tops[2] && tops[2] + bench.tall < tops[4]);
        for strip in 0..bench.strips.len() {
            let last = bench.strips[strip].count - 1;
            assert!(bench.rect(strip, last).expect("seen whole").right() <= 720.0);
        }
        assert!(bench.rect(0, 7).expect("seen").right() < bench.rect(1, 0).expect("seen").x);
        assert_eq!(bench.rect(1, 4), None);
        let narrow = Bench::new(&groups, &[], 360.0, 13.0);
        assert!(narrow.strips.windows(2).all(|pair| pair[0].top + narrow.tall < pair[1].top));
        assert!(narrow.height > bench.height);
    }

    #[test]
    fn cells_have_room_for_numbers_and_long_strips_are_seen_through_a_window() {
        for (width, count) in [(366.0, 16), (366.0, 4096), (735.0, 25), (1500.0, 64)] {
            for focus in [0, count / 3, count - 1] {
                let bench = Bench::new(&[vec![(count, focus)]], &[], width, 13.0);
                assert!(bench.cell >= NUMERAL);
                let strip = bench.strips[0];
                let rect = bench.rect(0, focus).expect("what happens is seen");
                assert!(rect.x >= 0.0 && rect.right() <= width);
                let Some(bar) = strip.overview else {
                    assert_eq!(strip.seen, count);
                    continue;
                };
                let part = strip.part(strip.first, strip.seen).expect("a part");
                assert!(part.x >= bar.x && part.right() <= bar.right() + 1e-9 && bar.bottom() < strip.top);
                let mark = strip.part(focus, 1).expect("a part");
                assert!(mark.x >= part.x - 1e-9 && mark.right() <= part.right() + 1e-9);
            }
        }
    }

    fn selectors(rows: usize, keys: [usize; 2]) -> Vec<GridSize> {
        keys.map(|keys| GridSize { rows: (rows, rows / 2), keys: (keys, keys - 1) }).to_vec()
    }

    #[test]
    fn selectors_stand_side_by_side_and_show_what_is_asked() {
        for (rows, keys) in [(8, [8, 4]), (16, [8, 8]), (36, [36, 12]), (4096, [1024, 4096]), (1, [1, 1])] {
            for width in [340.0, 735.0, 1500.0] {
                let bench = Bench::new(&[vec![(8, 0)]], &selectors(rows, keys), width, 13.0);
                let [left, right] = bench.grids[..] else { panic!("two selectors") };
                assert!(left.area.right() < right.area.x && right.area.right() <= width, "{rows} {width}");
                assert!(left.area.bottom() <= bench.height);
                if let Some(beside) = bench.beside {
                    assert!(beside.x > right.area.right() && beside.width >= 0.35 * width, "{rows} {width}");
                }
                for (at, grid) in [left, right].into_iter().enumerate() {
                    let asked = grid.rect(rows / 2, keys[at] - 1).expect("what is asked is seen");
                    assert_eq!(bench.spot(asked.center()), Some(Spot::Pair(at, rows / 2, keys[at] - 1)));
                }
            }
        }
    }

    #[test]
    fn every_spot_is_reached_by_its_neighbours() {
        let bench = Bench::new(&[vec![(8, 5), (4, 3)], vec![(8, 5)]], &selectors(8, [8, 4]), 735.0, 13.0);
        let at = bench.rect(1, 2).expect("seen").center();
        assert_eq!(bench.spot(at), Some(Spot::Cell(1, 2)));
        let mut spot = Spot::Cell(0, 7);
        for (across, down, expected) in [
            (1, 0, Spot::Cell(0, 7)),
            (0, 1, Spot::Cell(1, 3)),
            (0, 1, Spot::Cell(2, 3)),
            (0, 1, Spot::Pair(0, 0, 0)),
            (0, 1, Spot::Pair(0, 1, 0)),
            (-1, 0, Spot::Pair(0, 1, 0)),
            (7, 0, Spot::Pair(0, 1, 7)),
            (1, 0, Spot::Pair(1, 1, 0)),
            (-1, 0, Spot::Pair(0, 1, 7)),
            (0, -1, Spot::Pair(0, 0, 7)),
            (0, -1, Spot::Cell(2, 0)),
        ] {
            spot = bench.neighbour(spot, across, down);
            assert_eq!(spot, expected);
        }
    }
}
