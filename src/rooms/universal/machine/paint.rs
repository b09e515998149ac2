//! The strokes of the machine: the roll with its blocks, the blocks that meet and add up, the lines from
//! a finished query and key to the attention that they make.
//!
//! What is lit is painted over a veil on a second canvas, so that the picture at rest is painted once.

use std::f64::consts::PI;
use std::ops::Range;

use ndarray::ArrayView2;
use universal::Consumer;

use super::cells::{Grid, Run, paint_cells};
use super::layout::{Comb, Row, Score};
use super::scene::{Extremes, Scene, extreme};
use crate::drawing::color::Rgba;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Stroke, TextStyle};
use crate::drawing::palette::Palette;
use crate::drawing::step::step_stroke;
use crate::drawing::viewport::Span;
use crate::rooms::universal::focus::{Focus, Nodes};

/// How the picture is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The horizontal window onto the roll.
    pub span: Span,
    /// How far the animation is.
    pub stage: Stage,
    /// What full colour means.
    pub scope: Scope,
}

/// How far the animation is in one layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    /// Earlier layers are not done yet.
    Waiting,
    /// So much of the layer is done, in 0…1.
    Done(f64),
}

impl Stage {
    /// The stage of a layer (from 0) at a position of the animation, in layers.
    pub fn of(layer: usize, progress: f64) -> Stage {
        let done = progress - layer as f64;
        if done < 0.0 { Stage::Waiting } else { Stage::Done(done.min(1.0)) }
    }

    fn done(self) -> f64 {
        match self {
            Stage::Waiting => 0.0,
            Stage::Done(done) => done,
        }
    }
}

/// What of a band is painted.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// All of it.
    All,
    /// These nodes and the lines between them.
    Lit(&'a Nodes),
}

/// What a block's colours are measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Its own largest entry: every block shows its structure.
    #[default]
    Block,
    /// The largest entry of all blocks: sizes can be compared.
    All,
}

/// Heights of the parts of a band, in CSS pixels; they follow from the class and the number of tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heights {
    /// A row of E.
    pub roll_row: f64,
    /// A row of a state.
    pub state_row: f64,
    /// Above the cells of E: brackets and names.
    pub roll_top: f64,
    /// Below the cells of E: paths.
    pub roll_bottom: f64,
    /// Above the cells of a state: the lines.
    pub links: f64,
    /// Below the cells of a state: names.
    pub names: f64,
}

impl Heights {
    /// For a class of width `d` and `n` tokens.
    pub fn new(d: usize, n: usize) -> Heights {
        Heights {
            roll_row: (150.0 / d as f64).clamp(4.0, 16.0),
            state_row: (110.0 / n as f64).clamp(3.0, 9.0),
            roll_top: 40.0,
            roll_bottom: 30.0,
            links: LINKS,
            names: 20.0,
        }
    }

    /// The band of the roll and of the state X E below it.
    pub fn roll_band(self, d: usize, n: usize) -> f64 {
        self.roll_top + self.roll_row * d as f64 + self.roll_bottom + self.state_row * n as f64 + 8.0
    }

    /// The band of one layer.
    pub fn layer_band(self, n: usize) -> f64 {
        self.links + self.state_row * n as f64 + self.names
    }

    /// Where the cells of E begin.
    pub fn roll_cells(self) -> f64 {
        self.roll_top
    }

    /// Where the cells of X E begin in the band of the roll.
    pub fn input_cells(self, d: usize) -> f64 {
        self.roll_top + self.roll_row * d as f64 + self.roll_bottom
    }
}

/// The height of the lines above a state, in CSS pixels.
const LINKS: f64 = 78.0;
/// Where they end.
const LINKS_FOOT: f64 = LINKS - 3.0;
/// Blocks and nodes narrower than this, in CSS pixels, have no bracket.
const NARROWEST_BRACKET: f64 = 6.0;
/// Lines closer than this, in CSS pixels, are one band.
const CLOSEST_LINES: f64 = 3.0;
/// More nodes than this do not travel one by one.
const MOST_TRAVELLERS: usize = 240;
/// What reaches into the window by so many pixels is painted too.
const MARGIN: f64 = 20.0;

/// The hue of a consumer.
pub fn role_color(consumer: Consumer, palette: &Palette) -> Rgba {
    match consumer {
        Consumer::Query { .. } => palette.query,
        Consumer::Key { .. } => palette.key,
        Consumer::Output => palette.output,
    }
}

/// The roll: E between its perforations, its blocks bracketed and named, and X E below it.
pub fn paint_roll(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look, part: Part) {
    let d = scene.played.embedding.nrows();
    let heights = Heights::new(d, scene.tokens());
    let span = look.span;
    let (cells_top, states_top) = (heights.roll_cells(), heights.input_cells(d));
    let cells_bottom = cells_top + heights.roll_row * d as f64;

    if matches!(part, Part::All) {
        let (left, right) = (span.pixel(0.0).max(0.0), span.pixel(span.length).min(span.window));
        let paper = Rect::new(left, cells_top - 14.0, right - left, cells_bottom - cells_top + 28.0);
        painter.fill_round_rect(paper, 5.0, palette.card);
        painter.stroke_rect(paper, 5.0, &Stroke::solid(palette.line, 1.0));
        perforations(painter, palette, left, right, cells_top - 7.5);
        perforations(painter, palette, left, right, cells_bottom + 7.5);
    }

    let embedding = scene.played.embedding.view();
    let state = scene.played.universal_trace.states[0].view();
    let numbers = [
        (embedding, &*scene.embedding, cells_top, heights.roll_row),
        (state, &scene.states[0], states_top, heights.state_row),
    ];
    for (values, extremes, top, row_height) in numbers {
        paint_numbers(painter, palette, scene, look, 0, part, (values, extremes), (top, row_height));
    }

    let Some(score) = &scene.score else { return };
    let label = TextStyle::new(palette.soft, palette.text_tiny, Family::Mono);
    let label = label.aligned(Align::Center).on(Baseline::Top);
    for row in &score.levels[0] {
        let width = row.width * span.scale;
        let lit = part.nodes(score, 0, row);
        painter.push_opacity(opacity(row));
        if width > NARROWEST_BRACKET {
            let mut brackets = Path::new();
            for index in lit.within(&visible(row, span)) {
                brackets = bracket(brackets, span.pixel(row.left_of(index)), width, cells_top - 18.0);
            }
            painter.stroke_path(&brackets, &Stroke::solid(role_color(row.consumer, palette), 1.5));
        }
        if fits(path_letters(row.length), width, palette.text_tiny) {
            for index in lit.within(&visible(row, span)) {
                let at = Point::new(span.pixel(row.middle(index)), cells_bottom + 17.0);
                painter.text(&path_name(score, row, index), at, &label);
            }
        }
        painter.pop();
    }
    if matches!(part, Part::All) {
        stretches(painter, palette, score, span, cells_top);
    }
}

/// The band of layer `layer` (from 0): finished queries and keys go to the attention that they make,
/// blocks meet and add up, and below them stands the state that comes out.
pub fn paint_layer(
    painter: &mut dyn Painter,
    palette: &Palette,
    scene: &Scene,
    look: &Look,
    layer: usize,
    part: Part,
) {
    let heights = Heights::new(scene.played.embedding.nrows(), scene.tokens());
    let done = look.stage.done();
    let cells_top = heights.links;
    let level = layer + 1;
    let numbers = (scene.played.universal_trace.states[level].view(), &scene.states[level]);
    let place = (cells_top, heights.state_row);
    let Some(score) = &scene.score else {
        if done > 0.0 {
            painter.push_opacity(done);
            paint_numbers(painter, palette, scene, look, level, part, numbers, place);
            painter.pop();
        }
        return;
    };

    attention_links(painter, palette, score, look, layer, part);
    for row in &score.levels[level] {
        links(painter, palette, score, look, level, row, part);
    }
    // In the last quarter of a layer's time the terms have arrived and become their sum.
    let settled = ((done - 0.75) * 4.0).clamp(0.0, 1.0);
    if settled > 0.0 {
        painter.push_opacity(settled);
        paint_numbers(painter, palette, scene, look, level, part, numbers, place);
        for row in &score.levels[level] {
            names(
                painter,
                palette,
                score,
                look.span,
                level,
                row,
                part,
                cells_top + state_height(scene) + 3.0,
            );
        }
        painter.pop();
    }
    let count: usize = score.levels[level].iter().map(|row| row.count).sum();
    if done > 0.0 && settled < 1.0 && count <= MOST_TRAVELLERS {
        painter.push_opacity((1.0 - settled) * 0.85);
        for row in &score.levels[level] {
            for index in part.nodes(score, level, row).within(&visible(row, look.span)) {
                terms(painter, palette, scene, score, look, level, row, index);
            }
        }
        painter.pop();
    }
}

/// What lets everything in the roll's band that is not lit stand back. The perforations and the names stay.
pub fn paint_roll_veil(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look) {
    let d = scene.played.embedding.nrows();
    let heights = Heights::new(d, scene.tokens());
    let (top, bottom) = (heights.roll_cells(), heights.roll_cells() + heights.roll_row * d as f64);
    let width = look.span.window;
    veil(painter, Rect::new(0.0, top - 19.5, width, 5.0), palette.paper);
    veil(painter, Rect::new(0.0, top, width, bottom - top), palette.card);
    veil(painter, Rect::new(0.0, bottom + 14.5, width, heights.roll_band(d, scene.tokens())), palette.paper);
}

/// What lets everything in a layer's band that is not lit stand back.
pub fn paint_layer_veil(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look) {
    let heights = Heights::new(scene.played.embedding.nrows(), scene.tokens());
    let height = heights.layer_band(scene.tokens());
    veil(painter, Rect::new(0.0, 0.0, look.span.window, height), palette.paper);
}

/// The ring round the node or the entry of E that is pointed at, in the band of a level.
pub fn paint_focus(
    painter: &mut dyn Painter,
    palette: &Palette,
    scene: &Scene,
    look: &Look,
    level: usize,
    focus: &Focus,
) {
    let heights = Heights::new(scene.played.embedding.nrows(), scene.tokens());
    let rows = scene.played.embedding.nrows();
    let (top, height) = match level {
        0 => (heights.roll_cells(), heights.roll_row * rows as f64),
        _ => (heights.links, state_height(scene)),
    };
    let stroke = Stroke::solid(palette.accent, 2.0);
    match focus {
        Focus::Embedding { row, column, .. } if level == 0 && *column < scene.played.embedding.ncols() => {
            let (x, width) = column_place(scene, look.span, *column);
            let y = top + heights.roll_row * *row as f64;
            let ring = Rect::new(x - 1.0, y - 1.0, width.max(2.0) + 2.0, heights.roll_row + 2.0);
            painter.stroke_rect(ring, 2.0, &stroke);
        }
        _ => {
            let (Some(score), Some(place)) = (&scene.score, scene.node_of(focus)) else { return };
            if place.level == level {
                let row = score.row(place);
                let (x, width) = (look.span.pixel(row.left_of(place.index)), row.width * look.span.scale);
                painter.stroke_rect(Rect::new(x - 2.0, top - 2.0, width + 4.0, height + 4.0), 3.0, &stroke);
            }
        }
    }
}

/// Left edge and width of a column of E, in pixels.
fn column_place(scene: &Scene, span: Span, column: usize) -> (f64, f64) {
    let place = scene.score.as_ref().and_then(|score| Some((score, score.block_of(column)?)));
    let (left, unit) = match place {
        Some((score, place)) => {
            let row = score.row(place);
            let inside = column - row.slot_of(place.index).offset;
            (row.left_of(place.index) + score.unit * inside as f64, score.unit)
        }
        None => {
            let unit = span.length / scene.played.frozen.width as f64;
            (unit * column as f64, unit)
        }
    };
    (span.pixel(left), unit * span.scale)
}

impl Part<'_> {
    fn nodes(self, score: &Score, level: usize, row: &Row) -> Comb {
        match self {
            Part::All => row.all(),
            Part::Lit(nodes) => score.lit(level, row, nodes),
        }
    }
}

impl Scope {
    fn full(self, block: f64, all: f64) -> f64 {
        match self {
            Scope::Block => block,
            Scope::All => all,
        }
    }
}

/// The numbers of a level as cells: E, or a state, with the moduli that their colours are measured against.
#[expect(clippy::too_many_arguments, reason = "each is one plain fact about the cells")]
fn paint_numbers(
    painter: &mut dyn Painter,
    palette: &Palette,
    scene: &Scene,
    look: &Look,
    level: usize,
    part: Part,
    (values, extremes): (ArrayView2<f64>, &Extremes),
    (top, row_height): (f64, f64),
) {
    let span = look.span;
    let Some(score) = &scene.score else {
        if matches!(part, Part::All) {
            let unit = span.length / values.ncols().max(1) as f64;
            let run = Run { columns: 0..values.ncols(), left: 0.0, full: extremes.all };
            let grid = Grid { span, unit, top, row_height };
            paint_cells(painter, palette, values, &grid, std::iter::once(run));
        }
        return;
    };
    let grid = Grid { span, unit: score.unit, top, row_height };
    for kind in [true, false] {
        let rows = score.levels[level].iter().zip(&extremes.nodes).filter(|(row, _)| row.is_read == kind);
        let runs = rows.flat_map(|(row, largest)| {
            part.nodes(score, level, row).within(&visible(row, span)).map(move |index| {
                let slot = row.slot_of(index);
                Run {
                    columns: slot.offset..slot.offset + slot.width,
                    left: row.left_of(index),
                    full: look.scope.full(largest[index], extremes.all),
                }
            })
        });
        painter.push_opacity(if kind { 1.0 } else { 0.5 });
        paint_cells(painter, palette, values, &grid, runs);
        painter.pop();
    }
}

/// Blocks that only keep a place stand back.
fn opacity(row: &Row) -> f64 {
    if row.is_read { 1.0 } else { 0.5 }
}

/// The nodes of a row that are seen at least in part.
fn visible(row: &Row, span: Span) -> Range<usize> {
    let index = |pixel: f64| (span.unit(pixel) - row.left) / row.pitch;
    let first = (index(-MARGIN) - row.width / row.pitch).floor().clamp(0.0, row.count as f64);
    let end = index(span.window + MARGIN).ceil().clamp(first, row.count as f64);
    first as usize..end as usize
}

/// The names of the consumers above their blocks.
fn stretches(painter: &mut dyn Painter, palette: &Palette, score: &Score, span: Span, cells_top: f64) {
    for rows in score.levels[0].chunk_by(|one, other| one.consumer == other.consumer) {
        let consumer = rows[0].consumer;
        let (x, right) = (span.pixel(rows[0].left), span.pixel(rows[rows.len() - 1].right()));
        let name = consumer.to_string();
        let color = role_color(consumer, palette);
        if right - x <= NARROWEST_BRACKET {
            painter.fill_rect(Rect::new(x, cells_top - 21.0, (right - x).max(1.0), 3.0), color);
        }
        // A stretch that is wider than the window keeps its name in sight.
        let middle = (x.max(0.0) + right.min(span.window)) / 2.0;
        if right > 0.0 && x < span.window && fits(name.chars().count(), right - x + 6.0, palette.text_small) {
            let style = TextStyle::new(color, palette.text_small, Family::Mono);
            let at = Point::new(middle, cells_top - 24.0);
            painter.text(&name, at, &style.aligned(Align::Center).on(Baseline::Bottom));
        }
    }
}

/// The lines from the nodes that are added up in the nodes of a row. Lines that are too close to be told apart are a
/// band: all nodes that take the same step move by the same distance.
fn links(
    painter: &mut dyn Painter,
    palette: &Palette,
    score: &Score,
    look: &Look,
    level: usize,
    row: &Row,
    part: Part,
) {
    let Some(above) = score.above(level, row) else { return };
    let (here, there) = (part.nodes(score, level, row), part.nodes(score, level - 1, above));
    if here.count == 0 {
        return;
    }
    let span = look.span;
    let pitch = row.pitch * here.stride as f64 * span.scale;
    let reached = if look.stage.done() > 0.0 { 1.0 } else { 0.3 };
    let foot = LINKS_FOOT;
    let clip = -MARGIN..span.window + MARGIN;
    for (step, first) in score.sources(row.count, here.first) {
        if !there.has(first) {
            continue;
        }
        let hue = if step == 0 { palette.residual } else { role_color(row.consumer, palette) };
        let (from, to) = (span.pixel(above.middle(first)), span.pixel(row.middle(here.first)));
        let length = pitch * (here.count - 1) as f64;
        if from.min(to) > span.window + MARGIN || from.max(to) + length < -MARGIN {
            continue;
        }
        if pitch < CLOSEST_LINES && length > CLOSEST_LINES {
            let half = pitch / 2.0;
            let band = Path::link(Point::new(from - half, 0.0), Point::new(to - half, foot))
                .line_to(Point::new(to + length + half, foot))
                .curve_to(
                    Point::new(to + length + half, foot / 2.0),
                    Point::new(from + length + half, foot / 2.0),
                    Point::new(from + length + half, 0.0),
                )
                .close();
            painter.fill_path(&band, hue.faded(0.22 * reached));
        } else {
            let near = ((-MARGIN - from.max(to)) / pitch).ceil().max(0.0) as usize;
            let far = ((span.window + MARGIN - from.min(to)) / pitch).floor() as usize;
            let mut lines = Path::new();
            for number in near..=far.min(here.count - 1) {
                let x = pitch * number as f64;
                lines = lines.join(Point::new(from + x, 0.0), Point::new(to + x, foot), &clip);
            }
            painter.stroke_path(&lines, &step_stroke(hue.faded(0.8 * reached), step, 1.6));
        }
    }
}

/// The terms of a node on their way down from the blocks that they come from.
#[expect(clippy::too_many_arguments, reason = "each is one plain fact about the moving picture")]
fn terms(
    painter: &mut dyn Painter,
    palette: &Palette,
    scene: &Scene,
    score: &Score,
    look: &Look,
    level: usize,
    row: &Row,
    index: usize,
) {
    let Some(above) = score.above(level, row) else { return };
    let span = look.span;
    let heights = Heights::new(scene.played.embedding.nrows(), scene.tokens());
    let height = state_height(scene);
    let way = (look.stage.done() / 0.8).min(1.0);
    let eased = 0.5 - 0.5 * (way * PI).cos();
    let full = look.scope.full(extreme(scene.values(level, row, index).iter()), scene.states[level].all);
    let frame = Stroke::solid(role_color(row.consumer, palette), 1.0);
    for (step, source) in score.sources(row.count, index) {
        let from = Point::new(span.pixel(above.middle(source)), -height);
        let to = Point::new(span.pixel(row.middle(index)), heights.links);
        // The same curve as the line: straight down at both ends.
        let (x, y) = along(from, to, eased);
        let left = x - row.width * span.scale / 2.0;
        let term = scene.term(level - 1, above, source, step);
        let grid = Grid { span, unit: score.unit, top: y, row_height: heights.state_row };
        let run = Run { columns: 0..term.ncols(), left: span.unit(left), full };
        paint_cells(painter, palette, term.view(), &grid, std::iter::once(run));
        let around = Rect::new(left - 1.0, y - 1.0, row.width * span.scale + 2.0, height + 2.0);
        painter.stroke_rect(around, 2.0, &frame);
    }
}

/// A point of the curve of [`Path::link`].
fn along(from: Point, to: Point, t: f64) -> (f64, f64) {
    let bend = (to.y - from.y) * 0.5;
    let bezier = |a: f64, b: f64, c: f64, d: f64| {
        let u = 1.0 - t;
        u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
    };
    (bezier(from.x, from.x, to.x, to.x), bezier(from.y, from.y + bend, to.y - bend, to.y))
}

/// From every finished query and key to the edge where the attention matrix stands that they make.
fn attention_links(
    painter: &mut dyn Painter,
    palette: &Palette,
    score: &Score,
    look: &Look,
    layer: usize,
    part: Part,
) {
    let span = look.span;
    let room = LINKS_FOOT;
    let finished: Vec<&Row> = score.levels[layer].iter().filter(|row| reads_here(row, layer)).collect();
    let heads = finished.len() / 2;
    for row in finished.into_iter().filter(|row| part.nodes(score, layer, row).has(0)) {
        let (Consumer::Query { head, .. } | Consumer::Key { head, .. }) = row.consumer else { continue };
        let y = port(head, heads, room);
        let from = Point::new(span.pixel(row.middle(0)), 0.0);
        let to = Point::new(span.window - 52.0, y);
        if from.x < -MARGIN || from.x > span.window + MARGIN {
            continue;
        }
        let path = Path::new().move_to(from).curve_to(
            Point::new(from.x, y * 0.8),
            Point::new((from.x + 60.0).min(to.x), y),
            to,
        );
        let color = role_color(row.consumer, palette).faded(0.9);
        painter.stroke_path(&path, &Stroke::solid(color, 1.8));
    }
    let color = if look.stage == Stage::Waiting { palette.soft } else { palette.ink };
    for head in 0..heads {
        let style = TextStyle::new(color, palette.text_tiny, Family::Mono).aligned(Align::End);
        let at = Point::new(span.window - 1.0, port(head, heads, room));
        painter.text(&format!("A′[{},{}]", layer + 1, head + 1), at, &style);
    }
}

fn reads_here(row: &Row, layer: usize) -> bool {
    match row.consumer {
        Consumer::Query { layer: read, .. } | Consumer::Key { layer: read, .. } => {
            read == layer && row.is_root() && row.is_read
        }
        Consumer::Output => false,
    }
}

fn port(head: usize, heads: usize, room: f64) -> f64 {
    let step = ((room - 23.0) / heads.max(1) as f64).min(20.0);
    18.0 + step * head as f64
}

/// The names of the nodes of a row below their cells: the consumer where the path is contracted, else the path.
#[expect(clippy::too_many_arguments, reason = "each is one plain fact about the names")]
fn names(
    painter: &mut dyn Painter,
    palette: &Palette,
    score: &Score,
    span: Span,
    level: usize,
    row: &Row,
    part: Part,
    top: f64,
) {
    let width = row.width * span.scale;
    let root = row.is_root().then(|| row.consumer.to_string());
    let (letters, room, color) = match &root {
        Some(name) => (name.chars().count(), width + 12.0, role_color(row.consumer, palette)),
        None => (path_letters(row.length), width, palette.soft),
    };
    if !fits(letters, room, palette.text_tiny) {
        return;
    }
    let style = TextStyle::new(color, palette.text_tiny, Family::Mono);
    let style = style.aligned(Align::Center).on(Baseline::Top);
    for index in part.nodes(score, level, row).within(&visible(row, span)) {
        let text = root.clone().unwrap_or_else(|| path_name(score, row, index));
        painter.text(&text, Point::new(span.pixel(row.middle(index)), top), &style);
    }
}

fn path_name(score: &Score, row: &Row, index: usize) -> String {
    transformer::path_at(score.class(), row.length, index).to_string()
}

/// How long the name of a path is: its steps with dots between, or a dash. Few classes have ten heads.
fn path_letters(length: usize) -> usize {
    (2 * length).saturating_sub(1).max(1)
}

fn bracket(path: Path, x: f64, width: f64, y: f64) -> Path {
    let (left, right) = (x + 0.75, x + width - 0.75);
    path.move_to(Point::new(left, y + 3.0))
        .line_to(Point::new(left, y))
        .line_to(Point::new(right, y))
        .line_to(Point::new(right, y + 3.0))
}

fn perforations(painter: &mut dyn Painter, palette: &Palette, left: f64, right: f64, y: f64) {
    let count = ((right - left - 8.0) / 12.0).floor().max(0.0) as usize;
    let start = left + (right - left - count as f64 * 12.0) / 2.0;
    for hole in 0..=count {
        painter.fill_circle(Point::new(start + 12.0 * hole as f64, y), 1.8, palette.line);
    }
}

/// Exactly what is not veiled keeps its strength; the rest is left with a fifth of it.
fn veil(painter: &mut dyn Painter, rect: Rect, paper: Rgba) {
    painter.fill_rect(rect, paper.faded(0.78));
}

fn state_height(scene: &Scene) -> f64 {
    let n = scene.tokens();
    Heights::new(scene.played.embedding.nrows(), n).state_row * n as f64
}

/// Whether a short text fits; letters of one width are about 0.62 of their size wide.
fn fits(letters: usize, width: f64, size: f64) -> bool {
    letters as f64 * size * 0.62 <= width
}
