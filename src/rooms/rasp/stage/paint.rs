//! The strokes of a picture of a primitive, and of its numbers on their way.
//!
//! A picture has two sheets: one with everything that a step takes and gives, and one over it that changes in every
//! frame: it covers what is not there yet, and holds what moves.

use std::f64::consts::PI;
use std::ops::Range;

use rasp::{Atom, Primitive, SelectorMatrix, Sequence};

use super::layout::{
    AttentionPlaces, CombinationPlaces, ElementwisePlaces, INDEX, Scene, index_step, numbers,
};
use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Weight};
use crate::drawing::palette::Palette;
use crate::drawing::surface::Frame;
use crate::drawing::viewport::{Span, View as Seen, Zoom};
use crate::rooms::rasp::room::Played;
use crate::rooms::rasp::words;
use crate::widgets::number::in_room;

/// What of a picture is painted.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The run.
    pub played: &'a Played,
    /// What the picture shows.
    pub scene: &'a Scene,
    /// At how many positions the step is done; the fraction is the share of the next one.
    pub done: f64,
    /// What is pointed at: a query position, and a key position of it.
    pub hovered: Option<(usize, Option<usize>)>,
    /// What is zoomed into.
    pub zoom: Zoom,
    /// The words that pictures are labelled with.
    pub labels: Labels,
}

/// The words that pictures are labelled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labels {
    /// Above the keys.
    pub keys: &'static str,
    /// Beside the queries.
    pub queries: &'static str,
    /// Beside the values.
    pub values: &'static str,
    /// Above the results.
    pub results: &'static str,
    /// In the place of a matrix that is too large to be sent.
    pub too_large: &'static str,
}

/// A matrix with cells smaller than this is drawn as an image.
const SMALLEST_CELL: f64 = 5.0;

/// The most values that are seen travelling to one position.
const MOST_TRAVELLERS: usize = 24;

/// What is not looked at lies under a veil.
const VEIL: f64 = 0.55;

/// Paints the lower sheet, which is the same as long as the step is: it takes nothing from `done` and `hovered`.
pub fn paint_still(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    match view.scene {
        Scene::Attention { .. } => attention(painter, frame, view),
        Scene::Combination { operands, result } => combination(painter, frame, view, operands, *result),
        Scene::Elementwise { operands, result } => elementwise(painter, frame, view, operands, *result),
    }
}

/// Paints the upper sheet: what moves, and what is looked at.
pub fn paint_moving(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    match view.scene {
        Scene::Attention { .. } => moving_attention(painter, frame, view),
        Scene::Combination { operands, result } => {
            moving_combination(painter, frame, view, operands, *result);
        }
        Scene::Elementwise { operands, result } => {
            moving_elementwise(painter, frame, view, operands, *result);
        }
    }
}

/// The query position and the key position that a picture is about: what is pointed at, or else what moves.
pub fn focus(view: &View) -> Option<(usize, Option<usize>)> {
    if view.hovered.is_some() {
        return view.hovered;
    }
    let positions = view.played.len();
    let (whole, share) = (view.done.floor() as usize, view.done.fract());
    if share > 0.0 {
        let asks = matches!(view.scene, Scene::Attention { fetched: None, .. } | Scene::Combination { .. });
        return Some((whole, asks.then(|| ((share * positions as f64) as usize).min(positions - 1))));
    }
    // A position that is done stays in sight until the next one moves, and the last one gives way to the whole.
    (0 < whole && whole < positions).then(|| (whole - 1, None))
}

/// The share of a position's act after which its result is there to be seen.
const ARRIVAL: f64 = 0.8;

fn attention(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    let Scene::Attention { selector, compared, fetched } = view.scene else { return };
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = AttentionPlaces::new(Point::new(frame.width, frame.height), n, view.zoom);
    let trace = &played.run.trace;
    let title = |step: usize| words::operand(trace, step);
    let (key_title, query_title) = match compared {
        Some((keys, queries)) => (
            format!("{}: {}", view.labels.keys, title(*keys)),
            format!("{}: {}", view.labels.queries, title(*queries)),
        ),
        None => (view.labels.keys.to_owned(), view.labels.queries.to_owned()),
    };
    let small = |color: Rgba| TextStyle::new(color, palette.text_small, Family::Sans);
    let above = places.keys.y - 5.0;
    fitted(
        painter,
        &key_title,
        Point::new(places.keys.x, above),
        places.keys.width.max(frame.width * 0.5),
        &small(palette.key).on(Baseline::Bottom),
    );
    let turned = small(palette.query).aligned(Align::Center).turned(-PI / 2.0);
    let at = Point::new(places.queries.x - numbers(n) - 10.0, places.grid.center().y);
    fitted(painter, &query_title, at, places.grid.height.max(140.0), &turned);

    indices(painter, palette, &places);
    // A selector that is made of others has no one key and query: its rows and columns are those of the input.
    let (keys, queries) = compared.map_or((None, None), |(keys, queries)| (Some(keys), Some(queries)));
    let cells = |step: Option<usize>, hue: Rgba| Cells { played, step, hue };
    cells(keys, palette.key).across(painter, palette, places.keys, &places.view.x);
    cells(queries, palette.query).down(painter, palette, places.queries, &places.view.y);
    match &played.run.selectors[*selector] {
        Some(matrix) => grid(painter, palette, matrix, places.grid, &places.view),
        None => {
            painter.stroke_rect(places.grid, 3.0, &Stroke::solid(palette.line, 1.0));
            let style = small(palette.soft).aligned(Align::Center);
            fitted(painter, view.labels.too_large, places.grid.center(), places.grid.width, &style);
        }
    }
    if let Some((values, results)) = fetched {
        let style = small(palette.value).aligned(Align::End);
        let value_title = title(*values);
        let label = format!("{}: {value_title}", view.labels.values);
        let room = places.values.x - 12.0;
        if letters(&label, palette.text_small) <= room {
            painter.text(&label, Point::new(places.values.x - 8.0, places.values.center().y), &style);
        } else {
            let at = Point::new(places.values.x, places.values.bottom() + 4.0);
            fitted(painter, &label, at, frame.width - at.x, &style.aligned(Align::Start).on(Baseline::Top));
        }
        cells(Some(*values), palette.value).across(painter, palette, places.values, &places.view.x);
        let name = trace.steps[*results].name.clone().unwrap_or_else(|| view.labels.results.to_owned());
        let end = Point::new(places.results.right(), above);
        let style = small(palette.output).aligned(Align::End).on(Baseline::Bottom);
        let room = (frame.width - places.keys.x - letters(&key_title, palette.text_small) - 16.0)
            .max(places.results.width);
        fitted(painter, &name, end, room, &style);
        cells(Some(*results), palette.output).down(painter, palette, places.results, &places.view.y);
    }
}

fn moving_attention(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    let Scene::Attention { selector, fetched, .. } = view.scene else { return };
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = AttentionPlaces::new(Point::new(frame.width, frame.height), n, view.zoom);
    let focus = focus(view);
    let grid = places.grid;
    let veil = |painter: &mut dyn Painter, rows: Range<usize>| {
        let from = places.cell_at(rows.start, 0).y.max(grid.y);
        let to = places.cell_at(rows.end, 0).y.min(grid.bottom());
        if to > from {
            painter.fill_rect(Rect::new(grid.x, from, grid.width, to - from), palette.card.faded(VEIL));
        }
    };
    match (fetched, view.hovered) {
        (_, Some((query, _))) => {
            veil(painter, 0..query);
            veil(painter, query + 1..n);
        }
        (Some(_), None) => veil(painter, (view.done.ceil() as usize).min(n)..n),
        (None, None) => {}
    }
    let whole = view.done.floor() as usize;
    let window = (view.zoom.factor > 1.0).then(|| {
        // What moves is cut off where the rows and columns beside the grid end.
        let (left, top) = (places.queries.x, places.keys.y);
        Rect::new(
            left - 8.0,
            top - 8.0,
            places.results.right() - left + 16.0,
            places.values.bottom() - top + 16.0,
        )
    });
    if let Some(window) = window {
        painter.push_clip(window);
    }
    if let (None, true, Some(matrix)) = (fetched, whole < n, &played.run.selectors[*selector]) {
        let seen = (view.done.fract() * n as f64) as usize;
        painter.push_clip(grid);
        cover_rows(painter, palette, grid, &places.view, whole);
        revealed_row(painter, palette, matrix, whole, seen, &places.view.x, &|key| {
            places.cell_at(whole, key)
        });
        painter.pop();
    }
    lit_indices(painter, palette, &places, focus);
    if let Some((_, results)) = fetched {
        let place = |query: usize| {
            let cell = places.cell_at(query, 0);
            Rect::new(places.results.x, cell.y, places.results.width, cell.height)
        };
        painter.push_clip(places.results.inset(-1.0));
        cover_cells(
            painter,
            palette,
            whole.max(places.view.y.visible().start)..places.view.y.visible().end,
            &place,
        );
        let arriving = ((view.done.fract() - ARRIVAL) / (1.0 - ARRIVAL)).clamp(0.0, 1.0);
        if arriving > 0.0 && whole < n {
            let only = Cells { played, step: Some(*results), hue: palette.output };
            only.cell(painter, palette, whole, place(whole), arriving);
        }
        painter.pop();
        if let Some((query, _)) = focus {
            travel(painter, palette, view, &places, query);
        }
    }
    if let Some((query, key)) = focus {
        let ring = Stroke::solid(palette.accent, 2.0);
        let cell = places.cell_at(query, key.unwrap_or(0));
        halo(painter, Rect::new(places.queries.x, cell.y, places.queries.width, cell.height), &ring);
        if key.is_some() {
            halo(painter, Rect::new(cell.x, places.keys.y, cell.width, places.keys.height), &ring);
            halo(painter, cell, &ring);
        }
    }
    if window.is_some() {
        painter.pop();
    }
}

/// The values of one position on their way: up the columns that it selects, along its row, and into one.
fn travel(painter: &mut dyn Painter, palette: &Palette, view: &View, places: &AttentionPlaces, query: usize) {
    let Scene::Attention { selector, fetched: Some((values, result)), .. } = view.scene else { return };
    let played = view.played;
    let Some(matrix) = &played.run.selectors[*selector] else { return };
    let Some(sequence) = played.values(*values) else { return };
    let seen = places.view.x.visible();
    let keys: Vec<usize> = matrix.selected(query).filter(|key| seen.contains(key)).collect();
    let share = if view.hovered.is_none() && view.done.fract() > 0.0 { view.done.fract() } else { 1.0 };
    let (rise, run) = (eased(share / 0.45), eased((share - 0.42) / 0.4));
    let row = places.cell_at(query, 0).center().y;
    let goal = Point::new(places.results.x, row);
    let is_failing = played.failed_at(*result) == Some(query);
    let color = if is_failing { palette.bad } else { palette.accent };
    let line = Stroke::solid(color, 2.0);
    if let Some(first) = keys.first() {
        // The line along the row is one, however many values travel on it.
        let from = Point::new(places.cell_at(query, *first).center().x, row);
        if share > 0.42 {
            painter.stroke_path(&Path::line(from, from.towards(goal, run)), &line);
        }
    }
    let faint = Stroke::solid(color.faded(if keys.len() > MOST_TRAVELLERS { 0.35 } else { 1.0 }), 1.5);
    for key in keys.iter().take(200) {
        let from = Point::new(places.cell_at(query, *key).center().x, places.values.y);
        let turn = Point::new(from.x, row);
        painter.stroke_path(&Path::line(from, from.towards(turn, rise)), &faint);
        painter.fill_circle(turn, (places.cell * 0.12).clamp(1.0, 4.0), color.faded(rise));
    }
    if share >= 1.0 {
        let ring = Rect::new(places.results.x, places.cell_at(query, 0).y, places.results.width, places.cell);
        halo(painter, ring, &Stroke::solid(color, 2.0));
        return;
    }
    let scale = scale_of(sequence);
    let radius = (places.cell * 0.36).clamp(5.0, 15.0);
    for key in keys.iter().rev().take(MOST_TRAVELLERS) {
        let turn = Point::new(places.cell_at(query, *key).center().x, row);
        let from = Point::new(turn.x, places.values.center().y);
        let at = if run > 0.0 { turn.towards(goal, run) } else { from.towards(turn, rise) };
        traveller(painter, palette, at, radius, &sequence.get(*key), scale);
    }
}

/// A value on its way.
fn traveller(
    painter: &mut dyn Painter,
    palette: &Palette,
    at: Point,
    radius: f64,
    atom: &Atom,
    scale: Scale,
) {
    let (fill, ink) = colors(palette, atom, scale);
    painter.fill_circle(at, radius + 2.0, palette.accent);
    painter.fill_circle(at, radius, fill);
    let size = (radius * 0.85).min(palette.text_small);
    if size >= 7.0 {
        let room = ((2.0 * radius) / (size * 0.6)) as usize;
        let style = TextStyle::new(ink, size, Family::Sans).aligned(Align::Center);
        if let Some(text) = cell_text(atom, room) {
            painter.text(&text, at, &style);
        }
    }
}

fn combination(painter: &mut dyn Painter, frame: &Frame, view: &View, operands: &[usize], result: usize) {
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = CombinationPlaces::new(Point::new(frame.width, frame.height), n, operands.len(), view.zoom);
    let step = &played.run.trace.steps[result];
    let joint = match step.primitive {
        Primitive::SelectorAnd => "and",
        Primitive::SelectorOr => "or",
        _ => "",
    };
    for (at, (of, place)) in operands.iter().chain([&result]).zip(&places.grids).enumerate() {
        let is_result = at == operands.len();
        let title = words::operand(&played.run.trace, *of);
        let title =
            if step.primitive == Primitive::SelectorNot && at == 0 { format!("not {title}") } else { title };
        let hue = if is_result { palette.ink } else { palette.soft };
        let style =
            TextStyle::new(hue, palette.text_small, Family::Sans).aligned(Align::Center).on(Baseline::Bottom);
        fitted(painter, &title, Point::new(place.center().x, place.y - 8.0), place.width + 20.0, &style);
        if let Some(matrix) = &played.run.selectors[*of] {
            grid(painter, palette, matrix, *place, &places.view);
        } else {
            painter.stroke_rect(*place, 3.0, &Stroke::solid(palette.line, 1.0));
        }
        if !is_result {
            let next = places.grids[at + 1];
            let between = Point::new((place.right() + next.x) / 2.0, place.center().y);
            let sign = if at + 1 == operands.len() { "=" } else { joint };
            let style = TextStyle::new(palette.ink, palette.text_body, Family::Serif).aligned(Align::Center);
            painter.text(sign, between, &style);
        }
    }
}

fn moving_combination(
    painter: &mut dyn Painter,
    frame: &Frame,
    view: &View,
    operands: &[usize],
    result: usize,
) {
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = CombinationPlaces::new(Point::new(frame.width, frame.height), n, operands.len(), view.zoom);
    let whole = view.done.floor() as usize;
    let focus = focus(view);
    for (at, place) in places.grids.iter().enumerate() {
        if view.zoom.factor > 1.0 {
            painter.push_clip(place.inset(-2.0));
        }
        if let (true, true, Some(matrix)) = (at == operands.len(), whole < n, &played.run.selectors[result]) {
            let seen = (view.done.fract() * n as f64) as usize;
            painter.push_clip(*place);
            cover_rows(painter, palette, *place, &places.view, whole);
            painter.pop();
            revealed_row(painter, palette, matrix, whole, seen, &places.view.x, &|key| {
                places.cell_at(at, whole, key)
            });
        }
        if let Some((query, key)) = focus {
            let cell = places.cell_at(at, query, key.unwrap_or(0));
            for (from, to) in [(place.y, cell.y), (cell.bottom(), place.bottom())] {
                if to > from {
                    let rest = Rect::new(place.x, from.max(place.y), place.width, to - from.max(place.y));
                    painter.fill_rect(rest, palette.card.faded(VEIL * 0.8));
                }
            }
            let ring = match key {
                Some(_) => cell,
                None => Rect::new(place.x, cell.y, place.width, cell.height),
            };
            halo(painter, ring, &Stroke::solid(palette.accent, 2.0));
        }
        if view.zoom.factor > 1.0 {
            painter.pop();
        }
    }
}

fn elementwise(painter: &mut dyn Painter, frame: &Frame, view: &View, operands: &[usize], result: usize) {
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = ElementwisePlaces::new(Point::new(frame.width, frame.height), n, operands.len(), view.zoom);
    let step = index_step(places.cell, n);
    for position in places.view.x.visible().filter(|position| position.is_multiple_of(step)) {
        let at = index_place(&places, position);
        painter.text(&position.to_string(), at, &index_style(palette).on(Baseline::Bottom));
    }
    for (row, of) in operands.iter().chain([&result]).enumerate() {
        let is_result = row == operands.len();
        let place = places.rows[row];
        let hue = if is_result { palette.output } else { palette.value };
        let title = words::operand(&played.run.trace, *of);
        let style = TextStyle::new(hue, palette.text_small, Family::Sans);
        if places.names > 0.0 {
            let at = Point::new(place.x - 10.0, place.center().y);
            fitted(painter, &title, at, places.names, &style.aligned(Align::End));
        } else {
            let at = Point::new(place.x, place.y - 3.0);
            fitted(painter, &title, at, frame.width - place.x, &style.on(Baseline::Bottom));
        }
        Cells { played, step: Some(*of), hue }.across(painter, palette, place, &places.view.x);
    }
}

fn moving_elementwise(
    painter: &mut dyn Painter,
    frame: &Frame,
    view: &View,
    operands: &[usize],
    result: usize,
) {
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = ElementwisePlaces::new(Point::new(frame.width, frame.height), n, operands.len(), view.zoom);
    let focus = focus(view);
    let whole = view.done.floor() as usize;
    let share = view.done.fract();
    if view.zoom.factor > 1.0 {
        let row = places.rows[0];
        painter.push_clip(Rect::new(row.x - 3.0, 0.0, row.width + 6.0, frame.height));
    }
    let seen = places.view.x.visible();
    cover_cells(painter, palette, whole.max(seen.start)..seen.end, &|position| {
        places.cell_at(operands.len(), position)
    });
    if share > 0.7 && whole < n {
        let last = places.cell_at(operands.len(), whole);
        let only = Cells { played, step: Some(result), hue: palette.output };
        only.cell(painter, palette, whole, last, (share - 0.7) / 0.3);
    }
    if share > 0.0 && view.hovered.is_none() && whole < n {
        // The operands of the position fall into the place of its result.
        let goal = places.cell_at(operands.len(), whole).center();
        let radius = (places.cell * 0.36).clamp(4.0, 14.0);
        for (row, of) in operands.iter().enumerate() {
            let from = places.cell_at(row, whole).center();
            if let Some(sequence) = played.values(*of) {
                let at = from.towards(goal, eased(share / 0.8));
                traveller(painter, palette, at, radius, &sequence.get(whole), scale_of(sequence));
            }
        }
    }
    if let Some((position, _)) = focus {
        let is_failing = played.failed_at(result) == Some(position);
        for row in 0..places.rows.len() {
            let color = if is_failing && row == operands.len() { palette.bad } else { palette.accent };
            halo(painter, places.cell_at(row, position), &Stroke::solid(color, 2.0));
        }
        let style = index_style(palette).colored(palette.accent).weighing(Weight::Strong);
        let width = letters(&n.to_string(), style.size) + 6.0;
        let (back, on) = covered(position, index_step(places.cell, n), places.cell, width);
        let (at, height) = (index_place(&places, position), style.size * 1.3);
        painter.fill_rect(Rect::new(at.x - back, at.y - height, back + on, height), palette.card);
        painter.text(&position.to_string(), at, &style.on(Baseline::Bottom));
    }
    if view.zoom.factor > 1.0 {
        painter.pop();
    }
}

/// Where the number of a position stands above the rows.
fn index_place(places: &ElementwisePlaces, position: usize) -> Point {
    let top = places.cell_at(0, position);
    Point::new(top.center().x, top.y - if places.names > 0.0 { 4.0 } else { 20.0 })
}

fn index_style(palette: &Palette) -> TextStyle {
    TextStyle::new(palette.soft, palette.text_tiny, Family::Mono).aligned(Align::Center)
}

/// The numbers of the positions above and beside the grid.
fn indices(painter: &mut dyn Painter, palette: &Palette, places: &AttentionPlaces) {
    let positions = places.view.x.length as usize;
    let step = index_step(places.cell, positions);
    let style = index_style(palette);
    let is_seen = |span: &Span, position: usize| {
        let middle = span.pixel(position as f64 + 0.5);
        (0.0..=span.window).contains(&middle)
    };
    for position in (0..positions).step_by(step) {
        if is_seen(&places.view.x, position) {
            painter.text(&position.to_string(), key_index(places, position), &style);
        }
        if is_seen(&places.view.y, position) {
            let at = query_index(places, position);
            painter.text(&position.to_string(), at, &style.aligned(Align::End));
        }
    }
}

/// The numbers of what is looked at, over those of all.
fn lit_indices(
    painter: &mut dyn Painter,
    palette: &Palette,
    places: &AttentionPlaces,
    focus: Option<(usize, Option<usize>)>,
) {
    let Some((query, key)) = focus else { return };
    let step = index_step(places.cell, places.view.x.length as usize);
    let style = index_style(palette).colored(palette.accent).weighing(Weight::Strong);
    let (width, height) = (letters(&places.view.x.length.to_string(), style.size) + 6.0, style.size * 1.3);
    let (back, on) = covered(query, step, places.cell, height);
    let at = query_index(places, query);
    painter.fill_rect(Rect::new(at.x - width, at.y - back, width + 1.0, back + on), palette.card);
    painter.text(&query.to_string(), at, &style.aligned(Align::End));
    if let Some(key) = key {
        let (back, on) = covered(key, step, places.cell, width);
        let at = key_index(places, key);
        painter.fill_rect(Rect::new(at.x - back, at.y - height / 2.0, back + on, height), palette.card);
        painter.text(&key.to_string(), at, &style);
    }
}

/// How far before and after the middle of a number that is written over others room is made for it: its own size, and
/// all of a number that it would touch. Numbers stand at every `step`-th cell.
fn covered(position: usize, step: usize, cell: f64, size: f64) -> (f64, f64) {
    let reach = |cells: usize| {
        let distance = cells as f64 * cell;
        if cells > 0 && distance < size { distance + size / 2.0 } else { size / 2.0 }
    };
    let after_one = position % step;
    (reach(after_one), reach(if after_one == 0 { 0 } else { step - after_one }))
}

fn key_index(places: &AttentionPlaces, position: usize) -> Point {
    Point::new(places.cell_at(0, position).center().x, places.grid.y - INDEX / 2.0)
}

fn query_index(places: &AttentionPlaces, position: usize) -> Point {
    Point::new(places.queries.x - 4.0, places.cell_at(position, 0).center().y)
}

/// A selector.
fn grid(painter: &mut dyn Painter, palette: &Palette, matrix: &SelectorMatrix, place: Rect, seen: &Seen) {
    let (rows, keys) = (seen.y.visible(), seen.x.visible());
    let cell = seen.x.scale;
    painter.push_clip(place);
    if cell < SMALLEST_CELL {
        // A pixel shows the share of what it covers that is selected, made visible where it is small.
        let pixels = |count: usize| count.min((place.width * painter.density()).ceil().max(1.0) as usize);
        let (wide, high) = (pixels(keys.len()), pixels(rows.len()));
        let span = |of: &Range<usize>, at: usize, count: usize| {
            let start = of.start + at * of.len() / count;
            start..(of.start + (at + 1) * of.len() / count).max(start + 1)
        };
        // Mixing colours is slow, and most pixels are as dark as the one before.
        let mut last = (0.0, palette.selector_off);
        let image = Pixels::from_fn(wide, high, |x, y| {
            let (keys, queries) = (span(&keys, x, wide), span(&rows, y, high));
            let cells = keys.len() * queries.len();
            let count: usize = queries.map(|query| matrix.count(query, keys.clone())).sum();
            let shown = (count as f64 / cells as f64).sqrt();
            if last.0 != shown {
                last = (shown, palette.selector_off.mix(palette.selector_on, shown));
            }
            last.1
        });
        let corner = seen.pixel(Point::new(keys.start as f64, rows.start as f64));
        let (width, height) = (cell * keys.len() as f64, cell * rows.len() as f64);
        painter.image(Rect::new(place.x + corner.x, place.y + corner.y, width, height), &image);
        painter.pop();
        painter.stroke_rect(place, 0.0, &Stroke::solid(palette.line, 1.0));
        return;
    }
    let shape = CellShape::of(cell);
    // Lines between cells are what is seen of the ground.
    painter.fill_rect(place, palette.cell_line);
    let mut tiles = Vec::with_capacity(rows.len() * keys.len());
    for row in rows {
        for key in keys.clone() {
            let is_on = matrix.get(row, key);
            let corner = seen.pixel(Point::new(key as f64, row as f64));
            let rect = Rect::new(place.x + corner.x, place.y + corner.y, cell, cell);
            tiles.push((shape.within(rect), if is_on { palette.selector_on } else { palette.selector_off }));
        }
    }
    painter.fill_tiles(&tiles, shape.radius);
    painter.pop();
}

/// Covers the rows of a selector from `first` on: nothing is selected there yet.
fn cover_rows(painter: &mut dyn Painter, palette: &Palette, place: Rect, seen: &Seen, first: usize) {
    let rows = first.max(seen.y.visible().start)..seen.y.visible().end;
    let top = place.y + seen.y.pixel(rows.start as f64);
    let bottom = place.y + seen.y.pixel(rows.end as f64);
    painter.fill_rect(Rect::new(place.x, top, place.width, bottom - top), palette.selector_off);
    if seen.x.scale < SMALLEST_CELL {
        return;
    }
    // As the cells themselves leave them: on device pixels.
    let gap = CellShape::of(seen.x.scale).gap / 2.0;
    let sharp = |painter: &dyn Painter, at: f64| (painter.snap(at - gap), painter.snap(at + gap));
    for row in rows.start..=rows.end {
        let (from, to) = sharp(painter, place.y + seen.y.pixel(row as f64));
        painter.fill_rect(Rect::new(place.x, from, place.width, to - from), palette.cell_line);
    }
    for key in seen.x.visible().start..=seen.x.visible().end {
        let (from, to) = sharp(painter, place.x + seen.x.pixel(key as f64));
        painter.fill_rect(Rect::new(from, top, to - from, bottom - top), palette.cell_line);
    }
}

/// Covers values that are not there yet.
fn cover_cells(
    painter: &mut dyn Painter,
    palette: &Palette,
    positions: Range<usize>,
    place: &dyn Fn(usize) -> Rect,
) {
    let (Some(last), false) = (positions.end.checked_sub(1), positions.is_empty()) else { return };
    let (first, last) = (place(positions.start), place(last));
    let all = Rect::new(first.x, first.y, last.right() - first.x, last.bottom() - first.y);
    painter.fill_rect(all.inset(-1.0), palette.card);
    if first.width.min(first.height) <= LARGE {
        painter.stroke_rect(all.inset(0.5), 0.0, &empty_place(palette));
        return;
    }
    let outlines = positions.fold(Path::new(), |path, position| {
        let Rect { x, y, width, height } = place(position).inset(1.5);
        let path = path.move_to(Point::new(x, y)).line_to(Point::new(x + width, y));
        path.line_to(Point::new(x + width, y + height)).line_to(Point::new(x, y + height)).close()
    });
    painter.stroke_path(&outlines, &empty_place(palette));
}

/// The edge of the place of a value that is not there.
fn empty_place(palette: &Palette) -> Stroke {
    Stroke::dashed(palette.line, 1.0, &[2.0, 2.0])
}

/// A cell that is larger has an edge, and a place where nothing is.
const LARGE: f64 = 9.0;

/// How much of its place a cell of a grid fills.
struct CellShape {
    gap: f64,
    radius: f64,
}

impl CellShape {
    fn of(cell: f64) -> CellShape {
        if cell > 14.0 { CellShape { gap: 2.0, radius: 2.0 } } else { CellShape { gap: 1.0, radius: 0.0 } }
    }

    fn within(&self, cell: Rect) -> Rect {
        cell.inset(self.gap / 2.0)
    }
}

/// The row of a selector that is being worked on: what it selects among its first `seen` keys.
fn revealed_row(
    painter: &mut dyn Painter,
    palette: &Palette,
    matrix: &SelectorMatrix,
    row: usize,
    seen: usize,
    span: &Span,
    place: &dyn Fn(usize) -> Rect,
) {
    let shape = CellShape::of(span.scale);
    let keys = span.visible();
    for key in keys.start..keys.end.min(seen).max(keys.start) {
        if matrix.get(row, key) {
            let cell = place(key);
            let cell = if span.scale < SMALLEST_CELL { cell } else { shape.within(cell) };
            painter.fill_round_rect(cell, shape.radius, palette.selector_on);
        }
    }
}

/// The values of a step, or of the input where there is no step.
struct Cells<'a> {
    played: &'a Played,
    step: Option<usize>,
    hue: Rgba,
}

impl Cells<'_> {
    /// From left to right.
    fn across(&self, painter: &mut dyn Painter, palette: &Palette, place: Rect, span: &Span) {
        let rect = |at: usize| Rect::new(place.x + span.pixel(at as f64), place.y, span.scale, place.height);
        self.all(painter, palette, place, span.visible(), &rect);
    }

    /// From top to bottom.
    fn down(&self, painter: &mut dyn Painter, palette: &Palette, place: Rect, span: &Span) {
        let rect = |at: usize| Rect::new(place.x, place.y + span.pixel(at as f64), place.width, span.scale);
        self.all(painter, palette, place, span.visible(), &rect);
    }

    fn all(
        &self,
        painter: &mut dyn Painter,
        palette: &Palette,
        window: Rect,
        positions: Range<usize>,
        rect: &dyn Fn(usize) -> Rect,
    ) {
        let scale = self.scale();
        painter.push_clip(window.inset(-1.0));
        for position in positions {
            self.painted(painter, palette, position, rect(position), scale);
        }
        painter.pop();
    }

    /// One value, faint while it arrives.
    fn cell(&self, painter: &mut dyn Painter, palette: &Palette, position: usize, place: Rect, opacity: f64) {
        painter.push_opacity(opacity);
        self.painted(painter, palette, position, place, self.scale());
        painter.pop();
    }

    fn scale(&self) -> Scale {
        self.step.and_then(|step| self.played.values(step)).map_or(Scale::Signed { max: 0.0 }, scale_of)
    }

    fn painted(
        &self,
        painter: &mut dyn Painter,
        palette: &Palette,
        position: usize,
        place: Rect,
        scale: Scale,
    ) {
        let least = place.width.min(place.height);
        let (gap, radius) = if least > 14.0 { (2.0, 4.0) } else { (0.0, 0.0) };
        let place = if least > 6.0 { place.inset(gap / 2.0) } else { place };
        let least = place.width.min(place.height);
        let is_large = least > LARGE;
        let atom = match self.step {
            Some(step) => self.played.value(step, position),
            None => self.played.run.input.tokens().get(position).cloned(),
        };
        let is_failing = self.step.is_some_and(|step| self.played.failed_at(step) == Some(position));
        match atom {
            Some(atom) => self.value(painter, palette, &atom, (place, radius, is_large), scale),
            None if is_failing => {
                painter.fill_round_rect(place, radius, palette.card);
                painter.stroke_rect(place.inset(0.5), radius, &Stroke::solid(palette.bad, 2.0));
                let size = (least * 0.6).clamp(8.0, palette.text_body);
                let style = TextStyle::new(palette.bad, size, Family::Sans).aligned(Align::Center);
                painter.text(words::NO_VALUE, place.center(), &style.weighing(Weight::Strong));
            }
            // The run ended before it came here.
            None if is_large => painter.stroke_rect(place.inset(0.5), radius, &empty_place(palette)),
            None => {}
        }
    }

    fn value(
        &self,
        painter: &mut dyn Painter,
        palette: &Palette,
        atom: &Atom,
        (place, radius, is_large): (Rect, f64, bool),
        scale: Scale,
    ) {
        let (fill, ink) = match self.step {
            Some(_) => colors(palette, atom, scale),
            None => (palette.card, palette.soft),
        };
        // Where a text cannot be read, its colour still tells it from others.
        let fill = match atom {
            Atom::Text(text) if !is_large => text_color(palette, text),
            _ => fill,
        };
        painter.fill_round_rect(place, radius, fill);
        if is_large {
            painter.stroke_rect(place.inset(0.5), radius, &Stroke::solid(self.hue.faded(0.55), 1.0));
        }
        let size = (place.height * 0.42).min(palette.text_small + 1.0);
        let room = ((place.width - 4.0) / (size * 0.56)).floor() as usize;
        // A cell may be high and very narrow.
        if size >= 7.5
            && place.width >= 0.75 * size
            && let Some(text) = cell_text(atom, room)
        {
            let style = TextStyle::new(ink, size, Family::Sans).aligned(Align::Center);
            painter.text(&text, place.center(), &style);
        }
    }
}

/// The scale that the colours of a sequence are read on.
fn scale_of(sequence: &Sequence) -> Scale {
    let most = match sequence {
        Sequence::Ints(values) => values.iter().map(|value| value.unsigned_abs() as f64).fold(0.0, f64::max),
        Sequence::Floats(values) => values.iter().map(|value| value.abs()).fold(0.0, f64::max),
        Sequence::Mixed(values) => values.iter().filter_map(Atom::as_f64).map(f64::abs).fold(0.0, f64::max),
        Sequence::Bools(_) | Sequence::Texts(_) => 0.0,
    };
    Scale::Signed { max: most }
}

/// The colours of a value: of its cell, and of its text.
fn colors(palette: &Palette, atom: &Atom, scale: Scale) -> (Rgba, Rgba) {
    match atom {
        Atom::Text(_) => (palette.card, palette.ink),
        Atom::Bool(true) => (palette.selector_on, palette.selector_off),
        Atom::Bool(false) => (palette.selector_off, palette.soft),
        Atom::Int(_) | Atom::Float(_) => {
            let fill = match Mark::of(atom.as_f64().unwrap_or(0.0), scale) {
                Mark::At(place) => palette.diverging.at(0.5 + (place - 0.5) * 0.8),
                Mark::Nan => palette.nan,
                Mark::PlusInfinity | Mark::MinusInfinity => palette.infinite,
            };
            (fill, fill.readable(palette.numeral_dark, palette.numeral_light))
        }
    }
}

fn text_color(palette: &Palette, text: &str) -> Rgba {
    // The hash of Fowler, Noll and Vo, stirred once more: neighbouring letters come out far apart.
    let hash =
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    palette.sequential.at(0.1 + 0.8 * f64::from(hash.wrapping_mul(0x9e37_79b1) >> 24) / 255.0)
}

/// A value in so many letters; `None` where it would not be understood.
fn cell_text(atom: &Atom, room: usize) -> Option<String> {
    match atom {
        Atom::Text(text) => {
            let letters = text.chars().count();
            let shown = if text.trim().is_empty() { text.replace(' ', "␣") } else { text.to_string() };
            if letters <= room.max(1) {
                Some(shown)
            } else {
                (room >= 3).then(|| format!("{}…", shown.chars().take(room - 1).collect::<String>()))
            }
        }
        Atom::Bool(value) => (room >= 1).then(|| if *value { "T" } else { "F" }.to_owned()),
        Atom::Int(value) => {
            let text = value.to_string().replace('-', "−");
            if text.chars().count() <= room.max(1) {
                Some(text)
            } else {
                (room >= 4).then(|| in_room(*value as f64, room))
            }
        }
        Atom::Float(value) => {
            // The sign needs a place of its own.
            let digits = room.saturating_sub(usize::from(*value < 0.0));
            (room >= 3).then(|| in_room(*value, digits.clamp(4, 5)))
        }
    }
}

/// A ring round a cell, so large that it is seen where cells are small.
fn halo(painter: &mut dyn Painter, rect: Rect, stroke: &Stroke) {
    let least = 6.0;
    let (extra_x, extra_y) = ((least - rect.width).max(0.0) / 2.0, (least - rect.height).max(0.0) / 2.0);
    let rect = Rect::new(
        rect.x - extra_x,
        rect.y - extra_y,
        rect.width + 2.0 * extra_x,
        rect.height + 2.0 * extra_y,
    );
    painter.stroke_rect(rect, 4.0, stroke);
}

/// Text that is cut where it would be longer than `room`.
fn fitted(painter: &mut dyn Painter, text: &str, at: Point, room: f64, style: &TextStyle) {
    if letters(text, style.size) <= room {
        painter.text(text, at, style);
        return;
    }
    let most = (room / (style.size * LETTER)).floor() as usize;
    if most >= 3 {
        let cut: String = text.chars().take(most - 1).collect();
        painter.text(&format!("{cut}…"), at, style);
    }
}

/// About how wide a letter is, as a share of its size.
const LETTER: f64 = 0.56;

fn letters(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * LETTER
}

/// From 0 to 1 without jerks.
fn eased(share: f64) -> f64 {
    0.5 - 0.5 * (share.clamp(0.0, 1.0) * PI).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_written_over_others_covers_those_that_it_touches() {
        // Numbers at 195 and 200, cells of 8: that at 199 touches the one at 200 and not the one at 195.
        assert_eq!(covered(199, 5, 8.0, 24.0), (12.0, 20.0));
        assert_eq!(covered(196, 5, 8.0, 24.0), (20.0, 12.0));
        assert_eq!(covered(200, 5, 8.0, 24.0), (12.0, 12.0));
        assert_eq!(covered(3, 1, 40.0, 12.0), (6.0, 6.0));
    }
}
