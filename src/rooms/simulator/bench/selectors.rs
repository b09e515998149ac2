//! Draws the selectors at the foot of the bench: strictly two-tone, a row for each position that asks and a column for
//! each key.

use std::ops::Range;

use super::layout::{Bench, Grid};
use super::paint::index_step;
use crate::drawing::color::Rgba;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Stroke, TextStyle, Weight};
use crate::drawing::palette::{Palette, Role};

/// A selector as it is now.
pub struct SelectorRow {
    /// What it is.
    pub label: String,
    /// Whose hue its keys have.
    pub role: Role,
    /// The position of its first key in its sequence.
    pub start: usize,
    /// The keys that each position selects, as far as positions are seen.
    pub selected: Vec<Vec<usize>>,
    /// The position that selects now.
    pub position: Option<usize>,
    /// Whether it is at work now.
    pub is_now: bool,
}

/// Draws all selectors of a bench and what is said above them.
pub fn paint_selectors(
    painter: &mut dyn Painter,
    palette: &Palette,
    bench: &Bench,
    selectors: &[SelectorRow],
    heading: &str,
) {
    let Some(first) = bench.grids.first() else { return };
    let style = TextStyle::new(palette.soft, palette.text_small, Family::Sans).on(Baseline::Alphabetic);
    painter.text(
        heading,
        Point::new(first.left, label_line(palette, first) - palette.text_small * 1.6),
        &style,
    );
    for (grid, selector) in bench.grids.iter().zip(selectors) {
        paint_cells(painter, palette, grid, selector);
        paint_labels(painter, palette, grid, selector);
        paint_way(painter, palette, grid, selector);
    }
}

fn label_line(palette: &Palette, grid: &Grid) -> f64 {
    grid.area.y - palette.text_tiny * 1.6
}

/// The keys that answer now.
fn asked<'a>(grid: &Grid, selector: &'a SelectorRow) -> &'a [usize] {
    let row = selector.position.and_then(|now| now.checked_sub(grid.rows.0));
    row.and_then(|row| selector.selected.get(row)).map_or(&[], Vec::as_slice)
}

fn paint_cells(painter: &mut dyn Painter, palette: &Palette, grid: &Grid, selector: &SelectorRow) {
    let Grid { area, cell, rows, keys, .. } = *grid;
    painter.fill_rect(area, palette.selector_off);
    let line = Stroke::solid(palette.cell_line, 1.0);
    for row in 1..rows.1 {
        let y = area.y + row as f64 * cell;
        painter.stroke_path(&Path::line(Point::new(area.x, y), Point::new(area.right(), y)), &line);
    }
    for key in 1..keys.1 {
        let x = area.x + key as f64 * cell;
        painter.stroke_path(&Path::line(Point::new(x, area.y), Point::new(x, area.bottom())), &line);
    }
    let tiles: Vec<(Rect, Rgba)> = selector
        .selected
        .iter()
        .zip(rows.0..)
        .flat_map(|(selected, row)| {
            // Positions whose turn has not come stand back, and so does a selector that rests.
            let waits = !selector.is_now || selector.position.is_some_and(|now| row > now);
            let color = if waits { palette.selector_on.faded(0.4) } else { palette.selector_on };
            selected.iter().filter_map(move |key| Some((grid.rect(row, *key)?.inset(0.5), color)))
        })
        .collect();
    painter.fill_tiles(&tiles, if cell >= 12.0 { 2.0 } else { 0.0 });
    painter.stroke_rect(area, 0.0, &Stroke::solid(palette.edge, 1.0));
}

fn paint_labels(painter: &mut dyn Painter, palette: &Palette, grid: &Grid, selector: &SelectorRow) {
    let Grid { area, cell, rows, keys, left } = *grid;
    let hue = if selector.is_now { palette.role(selector.role) } else { palette.soft };
    let title = TextStyle::new(hue, palette.text_small, Family::Sans)
        .on(Baseline::Alphabetic)
        .weighing(Weight::Strong);
    painter.text(&selector.label, Point::new(left, label_line(palette, grid)), &title);
    let tiny = TextStyle::new(palette.soft, palette.text_tiny, Family::Sans);
    // Of many keys that answer together only the first and the last have room for a number.
    let asked = asked(grid, selector);
    let ends: Vec<usize> = asked.first().into_iter().chain(asked.last()).copied().collect();
    let step = index_step(palette, selector.start + keys.0 + keys.1, cell);
    let style = tiny.aligned(Align::Center);
    for (key, is_lit) in numbered(keys.0..keys.0 + keys.1, selector.start, step, &ends) {
        let x = area.x + (key as f64 - keys.0 as f64 + 0.5) * cell;
        let at = Point::new(x, area.y - palette.text_tiny * 0.75);
        paint_number(painter, palette, selector.start + key, at, (style, is_lit));
    }
    let now: Vec<usize> = selector.position.into_iter().collect();
    // Numbers below each other need less room than side by side.
    let step = (palette.text_tiny * 1.15 / cell).ceil().max(1.0) as usize;
    let style = tiny.aligned(Align::End);
    for (row, is_lit) in numbered(rows.0..rows.0 + rows.1, 0, step, &now) {
        let y = area.y + (row as f64 - rows.0 as f64 + 0.5) * cell;
        let at = Point::new(area.x - palette.text_tiny * 0.5, y);
        paint_number(painter, palette, row, at, (style, is_lit));
    }
}

/// Which places have a number: every `step`-th, and those that are lit, to which their neighbours give way.
fn numbered(
    places: Range<usize>,
    start: usize,
    step: usize,
    lit: &[usize],
) -> impl Iterator<Item = (usize, bool)> {
    places.filter_map(move |at| {
        let is_lit = lit.contains(&at);
        let is_crowded = lit.iter().any(|lit| lit.abs_diff(at) < step);
        (is_lit || (!is_crowded && (start + at).is_multiple_of(step))).then_some((at, is_lit))
    })
}

fn paint_number(
    painter: &mut dyn Painter,
    palette: &Palette,
    number: usize,
    at: Point,
    (style, is_lit): (TextStyle, bool),
) {
    let style = match is_lit {
        true => style.colored(palette.accent).weighing(Weight::Strong),
        false => style,
    };
    painter.text(&number.to_string(), at, &style);
}

/// The position that asks now is followed from its number to the keys that answer, and from these to theirs.
fn paint_way(painter: &mut dyn Painter, palette: &Palette, grid: &Grid, selector: &SelectorRow) {
    let area = grid.area;
    let accent = Stroke::solid(palette.accent, 1.5);
    for key in asked(grid, selector) {
        let Some(rect) = selector.position.and_then(|now| grid.rect(now, *key)) else { continue };
        let center = rect.center();
        let along = Path::line(Point::new(area.x, center.y), Point::new(rect.x, center.y));
        painter.stroke_path(&along, &accent);
        painter.stroke_path(&Path::line(Point::new(center.x, area.y), Point::new(center.x, rect.y)), &accent);
        painter.stroke_rect(rect.inset(-0.5), 2.0, &Stroke::solid(palette.accent, 2.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_give_way_to_those_that_are_lit() {
        let shown: Vec<(usize, bool)> = numbered(0..10, 0, 3, &[4]).collect();
        assert_eq!(shown, [(0, false), (4, true), (9, false)]);
        let shown: Vec<usize> = numbered(2..6, 8, 1, &[]).map(|(at, _)| at).collect();
        assert_eq!(shown, [2, 3, 4, 5]);
    }
}
