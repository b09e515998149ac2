//! Where the parts of a picture of a primitive stand. Pure.

use rasp::{Primitive, Trace};

use crate::drawing::geometry::{Point, Rect};
use crate::drawing::viewport::{Track, View, Viewport, Zoom};

/// What a picture shows, by the steps of the trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Scene {
    /// A selector between its keys and queries, and what is fetched through it.
    Attention {
        /// The selector.
        selector: usize,
        /// Its keys and queries, when it compares two sequences.
        compared: Option<(usize, usize)>,
        /// Values and results, when something is fetched.
        fetched: Option<(usize, usize)>,
    },
    /// A selector made of one or two others.
    Combination {
        /// The others.
        operands: Vec<usize>,
        /// The selector.
        result: usize,
    },
    /// A sequence made of others, position by position.
    Elementwise {
        /// The others.
        operands: Vec<usize>,
        /// The sequence.
        result: usize,
    },
}

impl Scene {
    /// The picture of a step.
    pub fn of(trace: &Trace, step: usize) -> Scene {
        let this = &trace.steps[step];
        let compared =
            |selector: usize| match (&trace.steps[selector].primitive, &*trace.steps[selector].operands) {
                (Primitive::Select(_), [keys, queries]) => Some((*keys, *queries)),
                _ => None,
            };
        match (&this.primitive, &*this.operands) {
            (Primitive::Select(_), _) => {
                Scene::Attention { selector: step, compared: compared(step), fetched: None }
            }
            (Primitive::Aggregate { .. }, [selector, values]) => Scene::Attention {
                selector: *selector,
                compared: compared(*selector),
                fetched: Some((*values, step)),
            },
            (Primitive::SelectorAnd | Primitive::SelectorOr | Primitive::SelectorNot, operands) => {
                Scene::Combination { operands: operands.to_vec(), result: step }
            }
            (_, operands) => Scene::Elementwise { operands: operands.to_vec(), result: step },
        }
    }
}

/// The largest side of a cell in CSS pixels.
const LARGEST_CELL: f64 = 52.0;

/// A row of cells that is too long is lower than wide, and never lower than this.
const LOWEST_ROW: f64 = 22.0;

/// Room for words above a row or column.
pub const TITLE: f64 = 20.0;

/// Room for the numbers of positions.
pub const INDEX: f64 = 16.0;

/// Between a grid and what is fetched: here values travel.
const GAP: f64 = 22.0;

/// Between parts that belong together.
const NEAR: f64 = 6.0;

/// A row or column beside a grid of fine cells is so thick that values can be read when one zooms in.
const THICK: f64 = 24.0;

/// Cells that are finer than this have such thick rows beside them.
const FINE: f64 = 12.0;

/// How high the pictures of a run are, so that they do not change from step to step.
pub fn height(width: f64, positions: usize, has_attention: bool) -> f64 {
    if !has_attention {
        return 280.0;
    }
    let (cell, beside) = fitting(width - attention_width(positions), positions);
    (cell * positions as f64 + 2.0 * beside + attention_height()).clamp(280.0, 1000.0)
}

/// The side of a cell, and the thickness of a row beside the grid, where grid and two such rows have this room.
fn fitting(room: f64, positions: usize) -> (f64, f64) {
    let n = positions as f64;
    let alike = (room / (n + 2.0)).min(LARGEST_CELL);
    if alike >= FINE { (alike, alike) } else { (((room - 2.0 * THICK) / n).clamp(0.01, FINE), THICK) }
}

/// What the picture of a selector needs in width beside its cells.
fn attention_width(positions: usize) -> f64 {
    TITLE + numbers(positions) + 2.0 * NEAR + GAP + NEAR
}

/// The width of the number of a position.
pub fn numbers(positions: usize) -> f64 {
    let digits = positions.saturating_sub(1).to_string().len();
    digits as f64 * 7.0 + 6.0
}

/// What the picture of a selector needs in height beside its cells.
fn attention_height() -> f64 {
    TITLE + INDEX + NEAR + GAP + TITLE + 2.0 * NEAR
}

/// The places of [`Scene::Attention`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionPlaces {
    /// The side of a cell.
    pub cell: f64,
    /// The window of the grid: a row for each query, a column for each key.
    pub grid: Rect,
    /// The keys, above the grid.
    pub keys: Rect,
    /// The queries, at its left.
    pub queries: Rect,
    /// The values, below it.
    pub values: Rect,
    /// The results, at its right.
    pub results: Rect,
    /// What of the grid is seen.
    pub view: View,
}

impl AttentionPlaces {
    /// In a picture of this size.
    pub fn new(size: Point, positions: usize, zoom: Zoom) -> AttentionPlaces {
        let room = (size.x - attention_width(positions)).min(size.y - attention_height());
        let (cell, beside) = fitting(room, positions);
        let side = cell * positions as f64;
        let used = attention_width(positions) + side + 2.0 * beside;
        let left = NEAR + ((size.x - used) / 2.0).max(0.0) + TITLE + numbers(positions) + beside;
        let used = attention_height() + side + 2.0 * beside;
        let top = NEAR + ((size.y - used) / 2.0).max(0.0) + TITLE + beside + INDEX;
        let grid = Rect::new(left + NEAR, top, side, side);
        let view = square(positions, side).view(zoom);
        AttentionPlaces {
            cell: view.x.scale,
            grid,
            keys: Rect::new(grid.x, grid.y - INDEX - beside, side, beside),
            queries: Rect::new(grid.x - NEAR - beside, grid.y, beside, side),
            values: Rect::new(grid.x, grid.bottom() + GAP, side, beside),
            results: Rect::new(grid.right() + GAP, grid.y, beside, side),
            view,
        }
    }

    /// The place of a cell of the grid.
    pub fn cell_at(&self, query: usize, key: usize) -> Rect {
        cell_in(self.grid, &self.view, query, key)
    }

    /// The query and, on the grid, the key at a point.
    pub fn hit(&self, point: Point) -> Option<(usize, Option<usize>)> {
        let (query, key) = pair_in(self.grid, &self.view, point);
        if self.grid.contains(point) {
            Some((query, Some(key)))
        } else if self.queries.contains(point) || self.results.contains(point) {
            Some((query, None))
        } else {
            None
        }
    }
}

/// The pan and zoom of a grid.
fn square(positions: usize, side: f64) -> Viewport {
    let track = Track::fitting(positions as f64, side, LARGEST_CELL);
    Viewport { x: track, y: track }
}

fn cell_in(grid: Rect, view: &View, query: usize, key: usize) -> Rect {
    let corner = view.pixel(Point::new(key as f64, query as f64));
    Rect::new(grid.x + corner.x, grid.y + corner.y, view.x.scale, view.y.scale)
}

fn pair_in(grid: Rect, view: &View, point: Point) -> (usize, usize) {
    let unit = view.unit(Point::new(point.x - grid.x, point.y - grid.y));
    (unit.y as usize, unit.x as usize)
}

/// The places of [`Scene::Combination`]: square grids in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct CombinationPlaces {
    /// The side of a cell.
    pub cell: f64,
    /// The operands, and last the result.
    pub grids: Vec<Rect>,
    /// What of each grid is seen.
    pub view: View,
}

impl CombinationPlaces {
    /// In a picture of this size, for so many operands.
    pub fn new(size: Point, positions: usize, operands: usize, zoom: Zoom) -> CombinationPlaces {
        let count = operands as f64 + 1.0;
        let gap = if size.x < 500.0 { 26.0 } else { 48.0 };
        let room = (size.x - 2.0 * NEAR - INDEX - gap * (count - 1.0)) / count;
        let side =
            room.min(size.y - TITLE - INDEX - 2.0 * NEAR).min(LARGEST_CELL * positions as f64).max(1.0);
        let left = INDEX
            + NEAR
            + ((size.x - 2.0 * NEAR - INDEX - side * count - gap * (count - 1.0)) / 2.0).max(0.0);
        let top = TITLE + INDEX + ((size.y - TITLE - INDEX - side) / 2.0).max(0.0);
        let grids =
            (0..=operands).map(|at| Rect::new(left + (side + gap) * at as f64, top, side, side)).collect();
        let view = square(positions, side).view(zoom);
        CombinationPlaces { cell: view.x.scale, grids, view }
    }

    /// The place of a cell of a grid.
    pub fn cell_at(&self, grid: usize, query: usize, key: usize) -> Rect {
        cell_in(self.grids[grid], &self.view, query, key)
    }

    /// The pair at a point.
    pub fn hit(&self, point: Point) -> Option<(usize, Option<usize>)> {
        let grid = self.grids.iter().find(|grid| grid.contains(point))?;
        let (query, key) = pair_in(*grid, &self.view, point);
        Some((query, Some(key)))
    }
}

/// The places of [`Scene::Elementwise`]: rows of cells, one below the other, the result last.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementwisePlaces {
    /// The width of a cell.
    pub cell: f64,
    /// Room for the names of the rows, at their left or, where it is 0, above them.
    pub names: f64,
    /// The operands, and last the result: the windows of their rows.
    pub rows: Vec<Rect>,
    /// What of each row is seen.
    pub view: View,
}

impl ElementwisePlaces {
    /// In a picture of this size, for so many operands.
    pub fn new(size: Point, positions: usize, operands: usize, zoom: Zoom) -> ElementwisePlaces {
        let n = positions as f64;
        let names = if size.x < 560.0 { 0.0 } else { 190.0 };
        let cell = ((size.x - names - 4.0 * NEAR) / n).min(LARGEST_CELL);
        let gap = if names > 0.0 { 18.0 } else { 26.0 };
        let count = operands as f64 + 1.0;
        let room = (size.y - TITLE - INDEX - NEAR - gap * count) / count;
        let lowest = if cell < FINE { THICK } else { LOWEST_ROW };
        let height = cell.clamp(lowest, LARGEST_CELL).min(room);
        // The result stands off: values fall a little way to it.
        let used = height * count + gap * (count - 1.0) + gap + INDEX;
        let left = 2.0 * NEAR
            + names
            + ((size.x - names - 4.0 * NEAR - cell * n) / 2.0).max(0.0) * f64::from(u8::from(names == 0.0));
        let top = ((size.y - used) / 2.0).max(TITLE) + INDEX;
        let rows: Vec<Rect> = (0..=operands)
            .map(|at| {
                let off = if at == operands && operands > 0 { gap } else { 0.0 };
                Rect::new(left, top + (height + gap) * at as f64 + off, cell * n, height)
            })
            .collect();
        let view = line(positions, cell * n).view(zoom);
        ElementwisePlaces { cell: view.x.scale, names, rows, view }
    }

    /// A cell of a row.
    pub fn cell_at(&self, row: usize, position: usize) -> Rect {
        let Rect { x, y, height, .. } = self.rows[row];
        Rect::new(x + self.view.x.pixel(position as f64), y, self.cell, height)
    }

    /// The position at a point.
    pub fn hit(&self, point: Point) -> Option<(usize, Option<usize>)> {
        let row = self.rows.iter().find(|row| row.contains(point))?;
        Some((self.view.x.unit(point.x - row.x) as usize, None))
    }
}

/// The pan and zoom of rows.
fn line(positions: usize, width: f64) -> Viewport {
    Viewport { x: Track::fitting(positions as f64, width, LARGEST_CELL), y: Track::default() }
}

/// How far a picture of this size can be zoomed into, and where in it the window is that is zoomed.
pub fn viewport(scene: &Scene, size: Point, positions: usize) -> (Viewport, Rect) {
    match scene {
        Scene::Attention { .. } => {
            let grid = AttentionPlaces::new(size, positions, Zoom::WHOLE).grid;
            (square(positions, grid.width), grid)
        }
        Scene::Combination { operands, .. } => {
            let places = CombinationPlaces::new(size, positions, operands.len(), Zoom::WHOLE);
            (square(positions, places.grids[0].width), places.grids[0])
        }
        Scene::Elementwise { operands, .. } => {
            let row = ElementwisePlaces::new(size, positions, operands.len(), Zoom::WHOLE).rows[0];
            (line(positions, row.width), row)
        }
    }
}

/// Every how many positions a number is written, when a cell is so wide.
pub fn index_step(cell: f64, positions: usize) -> usize {
    let digits = positions.saturating_sub(1).to_string().len() as f64;
    let room = digits * 7.0 + 6.0;
    [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|step| *step as f64 * cell >= room).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [(f64, f64); 4] = [(340.0, 300.0), (720.0, 560.0), (1200.0, 640.0), (300.0, 280.0)];

    #[test]
    fn every_part_lies_in_the_picture() {
        for (width, height) in SIZES {
            let picture = Rect::new(0.0, 0.0, width, height);
            let within = |rect: &Rect, what: &str| {
                assert!(
                    rect.x >= 0.0
                        && rect.y >= 0.0
                        && rect.right() <= picture.right() + 0.5
                        && rect.bottom() <= picture.bottom() + 0.5,
                    "{what}: {rect:?} in {picture:?}"
                );
            };
            for positions in [1, 2, 5, 14, 30, 60, 200, 2000] {
                let size = Point::new(width, height);
                let places = AttentionPlaces::new(size, positions, Zoom::WHOLE);
                for rect in [&places.grid, &places.keys, &places.queries, &places.values, &places.results] {
                    within(rect, &format!("attention {positions}"));
                }
                for operands in 0..=3 {
                    let places = ElementwisePlaces::new(size, positions, operands, Zoom::WHOLE);
                    assert_eq!(places.rows.len(), operands + 1);
                    places
                        .rows
                        .iter()
                        .for_each(|rect| within(rect, &format!("elementwise {positions} {operands}")));
                    let places = CombinationPlaces::new(size, positions, operands.clamp(1, 2), Zoom::WHOLE);
                    places.grids.iter().for_each(|rect| within(rect, &format!("combination {positions}")));
                }
            }
        }
    }

    #[test]
    fn what_is_drawn_at_a_cell_is_found_there() {
        let places = AttentionPlaces::new(Point::new(720.0, 560.0), 7, Zoom::WHOLE);
        assert_eq!(places.hit(places.cell_at(3, 5).center()), Some((3, Some(5))));
        let result = Rect::new(places.results.x, places.cell_at(6, 0).y, places.results.width, places.cell);
        assert_eq!(places.hit(result.center()), Some((6, None)));
        assert_eq!(places.hit(Point::new(0.0, 0.0)), None);
        let places = ElementwisePlaces::new(Point::new(720.0, 560.0), 7, 2, Zoom::WHOLE);
        assert_eq!(places.hit(places.cell_at(2, 6).center()), Some((6, None)));
    }

    #[test]
    fn what_is_zoomed_into_is_found_where_it_is_drawn() {
        let (size, positions) = (Point::new(720.0, 560.0), 200);
        let scene = Scene::Attention { selector: 0, compared: None, fetched: None };
        let (viewport, window) = viewport(&scene, size, positions);
        assert!(viewport.is_zoomable());
        let zoom = viewport.zoomed(Zoom::WHOLE, Point::new(window.width * 0.7, window.height * 0.2), 8.0);
        let places = AttentionPlaces::new(size, positions, zoom);
        assert_eq!(places.grid, window, "the window stays where it is");
        let visible = (places.view.y.visible(), places.view.x.visible());
        assert!(visible.0.len() < 40 && visible.1.len() < 40, "{visible:?}");
        let (query, key) = (visible.0.start + 5, visible.1.start + 9);
        assert_eq!(places.hit(places.cell_at(query, key).center()), Some((query, Some(key))));
    }

    #[test]
    fn numbers_of_positions_do_not_touch() {
        assert_eq!(index_step(44.0, 5), 1);
        assert!(index_step(3.0, 200) as f64 * 3.0 >= 3.0 * 7.0);
    }
}
