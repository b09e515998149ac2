//! The strokes of a picture of a primitive, and of its numbers on their way.

use std::f64::consts::PI;

use rasp::{Atom, Primitive, SelectorMatrix, Sequence};

use super::layout::{
    AttentionPlaces, CombinationPlaces, ElementwisePlaces, INDEX, Scene, index_step, numbers,
};
use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Weight};
use crate::drawing::palette::Palette;
use crate::drawing::surface::Frame;
use crate::pages::rasp::room::Played;
use crate::pages::rasp::words;
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

/// Paints a picture.
pub fn paint(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    match view.scene {
        Scene::Attention { .. } => attention(painter, frame, view),
        Scene::Combination { operands, result } => combination(painter, frame, view, operands, *result),
        Scene::Elementwise { operands, result } => elementwise(painter, frame, view, operands, *result),
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

fn attention(painter: &mut dyn Painter, frame: &Frame, view: &View) {
    let Scene::Attention { selector, compared, fetched } = view.scene else { return };
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = AttentionPlaces::new(Point::new(frame.width, frame.height), n);
    let focus = focus(view);
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

    indices(painter, palette, &places, n, focus);
    let shown = |row: usize| -> f64 { if fetched.is_some() || (row as f64) < view.done { 1.0 } else { 0.0 } };
    match compared {
        Some((keys, queries)) => {
            row_of(painter, palette, played, Some(*keys), places.keys, palette.key, &|_| 1.0);
            column_of(painter, palette, played, Some(*queries), places.queries, palette.query, &|_| 1.0);
        }
        None => {
            // A selector that is made of others has no one key and query: its rows and columns are those of the input.
            row_of(painter, palette, played, None, places.keys, palette.key, &|_| 1.0);
            column_of(painter, palette, played, None, places.queries, palette.query, &|_| 1.0);
        }
    }
    match &played.run.selectors[*selector] {
        Some(matrix) => {
            let revealed = match (fetched, focus) {
                (None, _) if view.done < n as f64 => Some(view.done),
                _ => None,
            };
            let strength = |row: usize| match (fetched, view.hovered) {
                (_, Some((query, _))) => {
                    if row == query {
                        1.0
                    } else {
                        0.5
                    }
                }
                (Some(_), None) if row as f64 >= view.done.ceil() => 0.4,
                _ => 1.0,
            };
            grid(painter, palette, matrix, places.grid, revealed, &strength);
        }
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
        row_of(painter, palette, played, Some(*values), places.values, palette.value, &|_| 1.0);
        let name = trace.steps[*results].name.clone().unwrap_or_else(|| view.labels.results.to_owned());
        let end = Point::new(places.results.right(), above);
        let style = small(palette.output).aligned(Align::End).on(Baseline::Bottom);
        let room = (frame.width - places.keys.x - letters(&key_title, palette.text_small) - 16.0)
            .max(places.results.width);
        fitted(painter, &name, end, room, &style);
        let arrived = |row: usize| {
            if (row as f64) < view.done.floor() {
                1.0
            } else {
                ((view.done - row as f64 - 0.8) * 5.0).clamp(0.0, 1.0)
            }
        };
        column_of(painter, palette, played, Some(*results), places.results, palette.output, &arrived);
        if let Some((query, _)) = focus {
            travel(painter, palette, view, &places, query);
        }
    }
    if let Some((query, key)) = focus {
        let ring = Stroke::solid(palette.accent, 2.0);
        let beside =
            Rect::new(places.queries.x, places.cell_at(query, 0).y, places.queries.width, places.cell);
        halo(painter, beside, &ring);
        if let Some(key) = key {
            let above = Rect::new(places.cell_at(0, key).x, places.keys.y, places.cell, places.keys.height);
            halo(painter, above, &ring);
            if shown(query) > 0.0 || view.hovered.is_some() || fetched.is_none() {
                halo(painter, places.cell_at(query, key), &ring);
            }
        }
    }
}

/// The values of one position on their way: up the columns that it selects, along its row, and into one.
fn travel(painter: &mut dyn Painter, palette: &Palette, view: &View, places: &AttentionPlaces, query: usize) {
    let Scene::Attention { selector, fetched: Some((values, _)), .. } = view.scene else { return };
    let played = view.played;
    let Some(matrix) = &played.run.selectors[*selector] else { return };
    let Some(sequence) = &played.run.trace.steps[*values].value else { return };
    let keys: Vec<usize> = matrix.selected(query).collect();
    let share = if view.hovered.is_none() && view.done.fract() > 0.0 { view.done.fract() } else { 1.0 };
    let (rise, run) = (eased(share / 0.45), eased((share - 0.42) / 0.4));
    let row = places.cell_at(query, 0).center().y;
    let goal = Point::new(places.results.x, row);
    let line = Stroke::solid(palette.accent, 2.0);
    if let Some(first) = keys.first() {
        // The line along the row is one, however many values travel on it.
        let from = Point::new(places.cell_at(query, *first).center().x, row);
        if share > 0.42 {
            painter.stroke_path(&Path::line(from, from.towards(goal, run)), &line);
        }
    }
    let faint =
        Stroke::solid(palette.accent.faded(if keys.len() > MOST_TRAVELLERS { 0.35 } else { 1.0 }), 1.5);
    for key in keys.iter().take(200) {
        let from = Point::new(places.cell_at(query, *key).center().x, places.values.y);
        let turn = Point::new(from.x, row);
        painter.stroke_path(&Path::line(from, from.towards(turn, rise)), &faint);
        painter.fill_circle(turn, (places.cell * 0.12).clamp(1.0, 4.0), palette.accent.faded(rise));
    }
    if share >= 1.0 {
        let ring = Rect::new(places.results.x, places.cell_at(query, 0).y, places.results.width, places.cell);
        halo(painter, ring, &Stroke::solid(palette.accent, 2.0));
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
    let places = CombinationPlaces::new(Point::new(frame.width, frame.height), n, operands.len());
    let focus = focus(view);
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
            let revealed = (is_result && view.done < n as f64).then_some(view.done);
            let strength = |row: usize| match focus {
                Some((query, _)) if row != query => 0.55,
                _ => 1.0,
            };
            grid(painter, palette, matrix, *place, revealed, &strength);
        } else {
            painter.stroke_rect(*place, 3.0, &Stroke::solid(palette.line, 1.0));
        }
        if let Some((query, key)) = focus {
            let y = place.y + places.cell * query as f64;
            let ring = match key {
                Some(key) => Rect::new(place.x + places.cell * key as f64, y, places.cell, places.cell),
                None => Rect::new(place.x, y, place.width, places.cell),
            };
            halo(painter, ring, &Stroke::solid(palette.accent, 2.0));
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

fn elementwise(painter: &mut dyn Painter, frame: &Frame, view: &View, operands: &[usize], result: usize) {
    let (played, palette) = (view.played, &*frame.palette);
    let n = played.len();
    let places = ElementwisePlaces::new(Point::new(frame.width, frame.height), n, operands.len());
    let focus = focus(view);
    let trace = &played.run.trace;
    let whole = view.done.floor() as usize;
    let step = index_step(places.cell, n);
    let tiny = TextStyle::new(palette.soft, palette.text_tiny, Family::Mono)
        .aligned(Align::Center)
        .on(Baseline::Bottom);
    for position in (0..n).step_by(step) {
        let top = places.cell_at(0, position);
        let style =
            if focus.is_some_and(|(at, _)| at == position) { tiny.colored(palette.accent) } else { tiny };
        painter.text(
            &position.to_string(),
            Point::new(top.center().x, top.y - if places.names > 0.0 { 4.0 } else { 20.0 }),
            &style,
        );
    }
    for (row, of) in operands.iter().chain([&result]).enumerate() {
        let is_result = row == operands.len();
        let place = places.rows[row];
        let hue = if is_result { palette.output } else { palette.value };
        let title = words::operand(trace, *of);
        let style = TextStyle::new(hue, palette.text_small, Family::Sans);
        if places.names > 0.0 {
            let at = Point::new(place.x - 10.0, place.center().y);
            fitted(painter, &title, at, places.names, &style.aligned(Align::End));
        } else {
            let at = Point::new(place.x, place.y - 3.0);
            fitted(painter, &title, at, frame.width - place.x, &style.on(Baseline::Bottom));
        }
        let shown = |position: usize| match (is_result, position.cmp(&whole)) {
            (false, _) | (true, std::cmp::Ordering::Less) => 1.0,
            (true, std::cmp::Ordering::Equal) => ((view.done.fract() - 0.7) / 0.3).clamp(0.0, 1.0),
            (true, std::cmp::Ordering::Greater) => 0.0,
        };
        row_of(painter, palette, played, Some(*of), place, hue, &shown);
    }
    let share = view.done.fract();
    if share > 0.0 && view.hovered.is_none() && whole < n {
        // The operands of the position fall into the place of its result.
        let goal = places.cell_at(operands.len(), whole).center();
        let radius = (places.cell * 0.36).clamp(4.0, 14.0);
        for (row, of) in operands.iter().enumerate() {
            let from = places.cell_at(row, whole).center();
            if let Some(sequence) = &trace.steps[*of].value {
                let at = from.towards(goal, eased(share / 0.8));
                traveller(painter, palette, at, radius, &sequence.get(whole), scale_of(sequence));
            }
        }
    }
    if let Some((position, _)) = focus {
        for row in 0..places.rows.len() {
            halo(painter, places.cell_at(row, position), &Stroke::solid(palette.accent, 2.0));
        }
    }
}

/// The numbers of the positions above and beside the grid.
fn indices(
    painter: &mut dyn Painter,
    palette: &Palette,
    places: &AttentionPlaces,
    n: usize,
    focus: Option<(usize, Option<usize>)>,
) {
    let step = index_step(places.cell, n);
    let style = TextStyle::new(palette.soft, palette.text_tiny, Family::Mono);
    for position in (0..n).step_by(step) {
        let (query, key) = (focus.map(|(query, _)| query), focus.and_then(|(_, key)| key));
        let lit = |is_lit: bool| {
            if is_lit { style.colored(palette.accent).weighing(Weight::Strong) } else { style }
        };
        let at = Point::new(places.cell_at(0, position).center().x, places.grid.y - INDEX / 2.0);
        painter.text(&position.to_string(), at, &lit(key == Some(position)).aligned(Align::Center));
        let at = Point::new(places.queries.x - 4.0, places.cell_at(position, 0).center().y);
        painter.text(&position.to_string(), at, &lit(query == Some(position)).aligned(Align::End));
    }
}

/// A selector. With `revealed`, only so many rows are seen, and of the next one the share that is its fraction.
fn grid(
    painter: &mut dyn Painter,
    palette: &Palette,
    matrix: &SelectorMatrix,
    place: Rect,
    revealed: Option<f64>,
    strength: &dyn Fn(usize) -> f64,
) {
    let n = matrix.len();
    let cell = place.width / n as f64;
    if cell < SMALLEST_CELL {
        // A pixel shows the share of what it covers that is selected, made visible where it is small.
        let pixels = n.min((place.width * painter.density()).ceil().max(1.0) as usize);
        let rows = revealed.map_or(n, |rows| rows.floor() as usize);
        let span = |at: usize| at * n / pixels..((at + 1) * n / pixels).max(at * n / pixels + 1);
        // Mixing colours is slow, and most rows are as strong as the one before.
        let mut last = (f64::NAN, palette.selector_on);
        let image = Pixels::from_fn(pixels, pixels, |x, y| {
            let (keys, queries) = (span(x), span(y));
            if queries.start >= rows {
                return palette.selector_off;
            }
            let cells = keys.len() * queries.len();
            let strength = strength(queries.start);
            let count: usize = queries.map(|query| matrix.count(query, keys.clone())).sum();
            let shown = strength * (count as f64 / cells as f64).sqrt();
            if shown == 0.0 {
                return palette.selector_off;
            }
            if last.0 != shown {
                last = (shown, palette.selector_off.mix(palette.selector_on, shown));
            }
            last.1
        });
        painter.image(place, &image);
        painter.stroke_rect(place, 0.0, &Stroke::solid(palette.line, 1.0));
        return;
    }
    let gap = if cell > 14.0 { 2.0 } else { 1.0 };
    let radius = if cell > 14.0 { 3.0 } else { 1.0 };
    for row in 0..n {
        let y = place.y + cell * row as f64;
        let seen = revealed.map_or(n, |rows| ((rows - row as f64).clamp(0.0, 1.0) * n as f64) as usize);
        let on = palette.selector_off.mix(palette.selector_on, strength(row));
        for key in 0..n {
            let rect =
                Rect::new(place.x + cell * key as f64 + gap / 2.0, y + gap / 2.0, cell - gap, cell - gap);
            let is_on = key < seen && matrix.get(row, key);
            painter.fill_round_rect(rect, radius, if is_on { on } else { palette.selector_off });
            if !is_on && cell > 9.0 {
                let line = if key < seen { palette.cell_line } else { palette.cell_line.faded(0.6) };
                painter.stroke_rect(rect.inset(0.5), radius, &Stroke::solid(line, 1.0));
            }
        }
    }
}

/// A sequence from left to right; without a step it is the input.
fn row_of(
    painter: &mut dyn Painter,
    palette: &Palette,
    played: &Played,
    step: Option<usize>,
    place: Rect,
    hue: Rgba,
    shown: &dyn Fn(usize) -> f64,
) {
    let n = played.len();
    let cell = place.width / n as f64;
    let rect = |at: usize| Rect::new(place.x + cell * at as f64, place.y, cell, place.height);
    cells(painter, palette, played, step, hue, &rect, shown);
}

/// A sequence from top to bottom; without a step it is the input.
fn column_of(
    painter: &mut dyn Painter,
    palette: &Palette,
    played: &Played,
    step: Option<usize>,
    place: Rect,
    hue: Rgba,
    shown: &dyn Fn(usize) -> f64,
) {
    let n = played.len();
    let cell = place.height / n as f64;
    let rect = |at: usize| Rect::new(place.x, place.y + cell * at as f64, place.width, cell);
    cells(painter, palette, played, step, hue, &rect, shown);
}

fn cells(
    painter: &mut dyn Painter,
    palette: &Palette,
    played: &Played,
    step: Option<usize>,
    hue: Rgba,
    rect: &dyn Fn(usize) -> Rect,
    shown: &dyn Fn(usize) -> f64,
) {
    let sequence = step.and_then(|step| played.run.trace.steps[step].value.as_ref());
    let scale = sequence.map_or(Scale::Signed { max: 0.0 }, scale_of);
    for position in 0..played.len() {
        let place = rect(position);
        let (gap, radius) = if place.width.min(place.height) > 14.0 { (2.0, 4.0) } else { (0.0, 0.0) };
        let place = if place.width.min(place.height) > 6.0 { place.inset(gap / 2.0) } else { place };
        let opacity = shown(position);
        let is_large = place.width.min(place.height) > 9.0;
        if opacity < 1.0 && is_large {
            painter.stroke_rect(place.inset(0.5), radius, &Stroke::dashed(palette.line, 1.0, &[2.0, 2.0]));
        }
        if opacity <= 0.0 {
            continue;
        }
        if opacity < 1.0 {
            painter.push_opacity(opacity);
        }
        let atom = match sequence {
            Some(sequence) => sequence.get(position),
            None => played.run.input.tokens()[position].clone(),
        };
        let (fill, ink) = match sequence {
            Some(_) => colors(palette, &atom, scale),
            None => (palette.card, palette.soft),
        };
        // Where a text cannot be read, its colour still tells it from others.
        let fill = match &atom {
            Atom::Text(text) if !is_large => text_color(palette, text),
            _ => fill,
        };
        painter.fill_round_rect(place, radius, fill);
        if is_large {
            painter.stroke_rect(place.inset(0.5), radius, &Stroke::solid(hue.faded(0.55), 1.0));
        }
        let size = (place.height * 0.42).min(palette.text_small + 1.0);
        let room = ((place.width - 4.0) / (size * 0.56)).floor() as usize;
        if size >= 7.5
            && let Some(text) = cell_text(&atom, room)
        {
            let style = TextStyle::new(ink, size, Family::Sans).aligned(Align::Center);
            painter.text(&text, place.center(), &style);
        }
        if opacity < 1.0 {
            painter.pop();
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
