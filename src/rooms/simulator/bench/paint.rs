//! Draws the bench: what is read above, what is made below, numbers on their way from one to the other, and the
//! selectors that send them.

use super::layout::{Bench, Strip};
use super::selectors::{SelectorRow, paint_selectors};
use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Stroke, TextStyle, Weight};
use crate::drawing::palette::{Palette, Role};
use crate::widgets::number;

/// A strip as it is now.
pub struct Row {
    /// What it is.
    pub label: String,
    /// Whose hue its label has.
    pub role: Role,
    /// How its numbers become colours.
    pub scale: Scale,
    /// The position of its first cell in its sequence.
    pub start: usize,
    /// Its numbers, as far as they are seen; `None` where there is none yet.
    pub values: Vec<Option<f64>>,
    /// The cells that are looked at.
    pub lit: Vec<usize>,
}

/// A number on its way.
pub struct Travel {
    /// Strip and cell that it comes from.
    pub from: (usize, usize),
    /// Strip and cell that it goes to.
    pub to: (usize, usize),
    /// How far it is, in 0…1.
    pub way: f64,
    /// The number.
    pub value: f64,
}

/// Draws everything.
pub fn paint(
    painter: &mut dyn Painter,
    palette: &Palette,
    bench: &Bench,
    (rows, selectors, travels): (&[Row], &[SelectorRow], &[Travel]),
    heading: &str,
) {
    // Lines first, so that no number is crossed out.
    for travel in travels {
        paint_line(painter, palette, bench, travel, travels.len());
    }
    for (at, row) in rows.iter().enumerate() {
        paint_row(painter, palette, bench, at, row);
    }
    for travel in travels {
        paint_number(painter, palette, bench, travel, travels.len());
    }
    paint_selectors(painter, palette, bench, selectors, heading);
}

/// More numbers on their way are dots.
const MOST_NUMBERS: usize = 24;

fn paint_row(painter: &mut dyn Painter, palette: &Palette, bench: &Bench, at: usize, row: &Row) {
    let strip = bench.strips[at];
    // With an overview, words keep off it.
    let above = strip.overview.map_or(strip.top, |bar| bar.y) - palette.text_small * 0.45;
    let label = TextStyle::new(palette.role(row.role), palette.text_small, Family::Sans)
        .on(Baseline::Alphabetic)
        .weighing(Weight::Strong);
    painter.text(&row.label, Point::new(strip.left, above), &label);
    let tiny = TextStyle::new(palette.soft, palette.text_tiny, Family::Sans).aligned(Align::Center);
    // Indices that would touch are left out, from the first on.
    let step = index_step(palette, row.start + strip.count, bench.cell);
    for (value, cell) in row.values.iter().zip(strip.first..) {
        let Some(rect) = bench.rect(at, cell) else { continue };
        let is_lit = row.lit.contains(&cell);
        paint_cell(painter, palette, rect, *value, row.scale);
        if is_lit {
            // The halo keeps the ring apart from cells of its own hue.
            painter.stroke_rect(rect.inset(1.5), 2.0, &Stroke::solid(palette.card, 2.0));
            painter.stroke_rect(rect.inset(-0.5), 3.0, &Stroke::solid(palette.accent, 2.5));
        }
        let index = row.start + cell;
        if is_lit || index.is_multiple_of(step) {
            let style = match is_lit {
                true => tiny.colored(palette.accent).weighing(Weight::Strong),
                false => tiny,
            };
            // Neighbours of a lit index give way to it.
            let crowded = step > 1 && !is_lit && row.lit.iter().any(|lit| lit.abs_diff(cell) < step);
            if !crowded {
                let below = Point::new(rect.center().x, rect.bottom() + palette.text_tiny * 0.75);
                painter.text(&index.to_string(), below, &style);
            }
        }
    }
    paint_overview(painter, palette, &strip, row);
}

/// The whole strip as a bar, with the window and what is read in it.
fn paint_overview(painter: &mut dyn Painter, palette: &Palette, strip: &Strip, row: &Row) {
    let (Some(bar), Some(part)) = (strip.overview, strip.part(strip.first, strip.seen)) else { return };
    let hue = palette.role(row.role);
    painter.fill_round_rect(bar, bar.height / 2.0, hue.faded(0.2));
    painter.fill_round_rect(part, bar.height / 2.0, hue);
    for cell in &row.lit {
        let Some(mark) = strip.part(*cell, 1) else { continue };
        // A hairline would not be found.
        let width = mark.width.max(3.0);
        let mark = Rect::new(mark.center().x - width / 2.0, bar.y - 1.5, width, bar.height + 3.0);
        painter.fill_rect(mark, palette.accent);
    }
}

/// Every how many cells an index is written.
pub fn index_step(palette: &Palette, largest: usize, cell: f64) -> usize {
    let digits = largest.to_string().len() as f64;
    (digits * palette.text_tiny * 0.75 / cell).ceil().max(1.0) as usize
}

fn paint_cell(painter: &mut dyn Painter, palette: &Palette, rect: Rect, value: Option<f64>, scale: Scale) {
    let radius = 3.0;
    let Some(value) = value else {
        painter.stroke_rect(rect.inset(0.5), radius, &Stroke::solid(palette.line, 1.0));
        return;
    };
    let color = color_of(palette, value, scale);
    painter.fill_round_rect(rect, radius, color);
    painter.stroke_rect(rect.inset(0.5), radius, &Stroke::solid(palette.cell_line, 1.0));
    let ink = color.readable(palette.numeral_dark, palette.numeral_light);
    let style = TextStyle::new(ink, palette.text_tiny, Family::Sans).aligned(Align::Center);
    painter.text(&number::in_room(value, 4), rect.center(), &style);
}

/// Numbers leave slowly and arrive slowly.
fn eased(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

fn ends(bench: &Bench, palette: &Palette, travel: &Travel) -> Option<(Point, Point)> {
    let from = bench.rect(travel.from.0, travel.from.1)?;
    let to = bench.rect(travel.to.0, travel.to.1)?;
    // Below the index of the cell, so that it can be read.
    let below = |rect: Rect| rect.bottom() + palette.text_tiny * 1.5;
    let down = from.y < to.y;
    let start = Point::new(from.center().x, if down { below(from) } else { from.y });
    let end = Point::new(to.center().x, if down { to.y } else { below(to) });
    Some((start, end))
}

fn paint_line(painter: &mut dyn Painter, palette: &Palette, bench: &Bench, travel: &Travel, count: usize) {
    let Some((from, to)) = ends(bench, palette, travel) else { return };
    let opacity = if count > MOST_NUMBERS { 0.3 } else { 0.8 };
    painter.stroke_path(&Path::link(from, to), &Stroke::solid(palette.accent.faded(opacity), 1.5));
}

fn paint_number(painter: &mut dyn Painter, palette: &Palette, bench: &Bench, travel: &Travel, count: usize) {
    let Some((from, to)) = ends(bench, palette, travel) else { return };
    if travel.way <= 0.0 || travel.way >= 1.0 {
        return;
    }
    let t = eased(travel.way);
    // The same curve as the line's: it leaves and arrives straight down.
    let middle = (from.y + to.y) / 2.0;
    let blend = |a: f64, b: f64, c: f64, d: f64| {
        let s = 1.0 - t;
        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
    };
    let at = Point::new(blend(from.x, from.x, to.x, to.x), blend(from.y, middle, middle, to.y));
    if count > MOST_NUMBERS {
        painter.fill_circle(at, 3.0, palette.accent);
        return;
    }
    // Numbers that fall side by side keep to their columns.
    let (size, room) = if count > 3 { (palette.text_tiny, 4) } else { (palette.text_small, 5) };
    let text = number::in_room(travel.value, room);
    let width = text.chars().count() as f64 * size * 0.58 + 8.0;
    let width = if count > 3 { width.min(bench.cell) } else { width };
    let tall = size * 1.6;
    painter.fill_round_rect(
        Rect::new(at.x - width / 2.0, at.y - tall / 2.0, width, tall),
        tall / 2.0,
        palette.accent,
    );
    let style =
        TextStyle::new(palette.on_accent, size, Family::Sans).aligned(Align::Center).weighing(Weight::Strong);
    painter.text(&text, at, &style);
}

/// The colour of a number on a scale.
pub fn color_of(palette: &Palette, value: f64, scale: Scale) -> Rgba {
    match (Mark::of(value, scale), scale) {
        (Mark::At(at), Scale::Probability) => palette.sequential.at(at),
        (Mark::At(at), _) => palette.diverging.at(at),
        (Mark::Nan, _) => palette.nan,
        (Mark::PlusInfinity | Mark::MinusInfinity, _) => palette.infinite,
    }
}
