//! The strokes of the machine: the roll with its blocks, the blocks that meet and add up, the lines from
//! a finished query and key to the attention that they make.

use std::f64::consts::PI;

use ndarray::{ArrayView2, s};
use universal::Consumer;

use super::layout::Node;
use super::scene::{Scene, extreme, strength};
use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Texture};
use crate::drawing::palette::Palette;
use crate::drawing::step::step_stroke;
use crate::drawing::viewport::Span;
use crate::pages::universal::focus::{Focus, Lights};

/// What of the picture is painted, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The horizontal window onto the roll.
    pub span: Span,
    /// What is lit.
    pub lights: &'a Lights,
    /// What is pointed at or pinned.
    pub focus: Option<&'a Focus>,
    /// How far the animation is, in layers; at least L when it is finished.
    pub progress: f64,
    /// What full colour means.
    pub scope: Scope,
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

impl Scope {
    fn scale(self, block: ArrayView2<f64>, all: f64) -> Scale {
        match self {
            Scope::Block => Scale::Signed { max: extreme(block.iter()) },
            Scope::All => Scale::Signed { max: all },
        }
    }
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
            links: 78.0,
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

/// The hue of a consumer.
pub fn role_color(consumer: Consumer, palette: &Palette) -> Rgba {
    match consumer {
        Consumer::Query { .. } => palette.query,
        Consumer::Key { .. } => palette.key,
        Consumer::Output => palette.output,
    }
}

/// The roll: E between its perforations, its blocks bracketed and named, and X E below it.
pub fn paint_roll(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look) {
    let (d, n) = scene.played.embedding.dim();
    let n = if n == 0 { 0 } else { scene.tokens() };
    let heights = Heights::new(d, n);
    let span = look.span;
    let (left, right) = (span.pixel(0.0).max(0.0), span.pixel(span.length).min(span.window));
    let cells_top = heights.roll_cells();
    let cells_height = heights.roll_row * d as f64;

    let paper = Rect::new(left, cells_top - 14.0, right - left, cells_height + 28.0);
    painter.fill_round_rect(paper, 5.0, palette.card);
    painter.stroke_rect(paper, 5.0, &Stroke::solid(palette.line, 1.0));
    perforations(painter, palette, left, right, cells_top - 7.5);
    perforations(painter, palette, left, right, cells_top + cells_height + 7.5);

    let states_top = heights.input_cells(d);
    let Some(score) = &scene.score else {
        let scale = Scale::Signed { max: scene.extremes.embedding };
        let state_scale = Scale::Signed { max: scene.extremes.states[0] };
        let state = scene.played.universal_trace.states[0].view();
        let row = heights.state_row;
        cells(
            painter,
            palette,
            scene.played.embedding.view(),
            strip(span, cells_top),
            heights.roll_row,
            scale,
        );
        cells(painter, palette, state, strip(span, states_top), row, state_scale);
        focus_ring(painter, palette, scene, look, &heights);
        return;
    };

    for (index, node) in score.levels[0].iter().enumerate() {
        let (x, width) = (span.pixel(node.left), node.width * span.scale);
        if x + width < 0.0 || x > span.window {
            continue;
        }
        let shown = strength(look.lights, 0, node);
        painter.push_opacity(if node.is_read { shown } else { shown * 0.5 });
        let block =
            scene.played.embedding.slice(s![.., node.slot.offset..node.slot.offset + node.slot.width]);
        let scale = look.scope.scale(block, scene.extremes.embedding);
        cells(painter, palette, block, (x, width, cells_top), heights.roll_row, scale);
        let values = scene.values(0, node);
        let scale = look.scope.scale(values.view(), scene.extremes.states[0]);
        cells(painter, palette, values.view(), (x, width, states_top), heights.state_row, scale);
        if width > 6.0 {
            bracket(painter, role_color(node.consumer, palette), x, width, cells_top - 18.0);
        }
        let path = node.rest.to_string();
        let label = TextStyle::new(palette.soft, palette.text_tiny, Family::Mono);
        if fits(&path, width, palette.text_tiny) {
            let at = Point::new(x + width / 2.0, cells_top + cells_height + 17.0);
            painter.text(&path, at, &label.aligned(Align::Center).on(Baseline::Top));
        }
        painter.pop();
        if is_exactly(look.focus, 0, node, score.find(0, node.consumer, &node.rest) == Some(index)) {
            let ring = Rect::new(x - 2.0, cells_top - 2.0, width + 4.0, cells_height + 4.0);
            painter.stroke_rect(ring, 3.0, &Stroke::solid(palette.accent, 2.0));
        }
    }
    for stretch in &score.stretches {
        let (x, right) = (span.pixel(stretch.left), span.pixel(stretch.right));
        let name = stretch.consumer.to_string();
        let color = role_color(stretch.consumer, palette);
        if right - x <= 6.0 {
            painter.fill_rect(Rect::new(x, cells_top - 21.0, (right - x).max(1.0), 3.0), color);
        }
        // A stretch that is wider than the window keeps its name in sight.
        let middle = (x.max(0.0) + right.min(span.window)) / 2.0;
        if right > 0.0 && x < span.window && fits(&name, right - x + 6.0, palette.text_small) {
            let style = TextStyle::new(color, palette.text_small, Family::Mono);
            let at = Point::new(middle, cells_top - 24.0);
            painter.text(&name, at, &style.aligned(Align::Center).on(Baseline::Bottom));
        }
    }
    focus_ring(painter, palette, scene, look, &heights);
}

/// The band of layer `layer` (from 0): finished queries and keys go to the attention that they make,
/// blocks meet and add up, and below them stands the state that comes out.
pub fn paint_layer(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look, layer: usize) {
    let n = scene.tokens();
    let heights = Heights::new(scene.played.embedding.nrows(), n);
    let done = (look.progress - layer as f64).clamp(0.0, 1.0);
    let cells_top = heights.links;
    let span = look.span;
    let Some(score) = &scene.score else {
        if done > 0.0 {
            let scale = Scale::Signed { max: scene.extremes.states[layer + 1] };
            painter.push_opacity(done);
            let state = scene.played.universal_trace.states[layer + 1].view();
            cells(painter, palette, state, strip(span, cells_top), heights.state_row, scale);
            painter.pop();
        }
        return;
    };

    let (above, here) = (&score.levels[layer], &score.levels[layer + 1]);
    attention_links(painter, palette, look, above, layer, done, cells_top);

    let is_crowded = here.iter().map(|node| node.sources.len()).sum::<usize>() > 1200;
    let lit = |node: &Node| strength(look.lights, layer + 1, node);
    for node in here {
        let (x, width) = (span.pixel(node.left), node.width * span.scale);
        let to = Point::new(x + width / 2.0, cells_top - 3.0);
        for (step, source) in &node.sources {
            let source = &above[*source];
            let from = Point::new(span.pixel(source.middle()), 0.0);
            if from.x.max(to.x) < -20.0 || from.x.min(to.x) > span.window + 20.0 {
                continue;
            }
            let shown = lit(node).min(strength(look.lights, layer, source));
            if is_crowded && shown < 1.0 {
                continue;
            }
            let color = if *step == 0 { palette.residual } else { role_color(node.consumer, palette) };
            let faint = if is_crowded { 0.35 } else { 0.8 };
            let color = color.faded(faint * shown * if done > 0.0 { 1.0 } else { 0.3 });
            painter.stroke_path(&Path::link(from, to), &step_stroke(color, *step, 1.6));
        }
    }
    for node in here {
        let (x, width) = (span.pixel(node.left), node.width * span.scale);
        if x + width < -20.0 || x > span.window + 20.0 {
            continue;
        }
        // In the last quarter of a layer's time the terms have arrived and become their sum.
        let settled = ((done - 0.75) * 4.0).clamp(0.0, 1.0);
        if settled > 0.0 {
            painter.push_opacity(settled * lit(node));
            let values = scene.values(layer + 1, node);
            let scale = look.scope.scale(values.view(), scene.extremes.states[layer + 1]);
            cells(painter, palette, values.view(), (x, width, cells_top), heights.state_row, scale);
            name(painter, palette, node, x, width, cells_top + heights.state_row * n as f64 + 3.0);
            painter.pop();
        }
        if done > 0.0 && settled < 1.0 && here.len() <= 240 {
            terms(painter, palette, scene, look, layer, node, (done / 0.8).min(1.0), 1.0 - settled);
        }
        if is_exactly(look.focus, layer + 1, node, true) {
            let ring = Rect::new(x - 2.0, cells_top - 2.0, width + 4.0, heights.state_row * n as f64 + 4.0);
            painter.stroke_rect(ring, 3.0, &Stroke::solid(palette.accent, 2.0));
        }
    }
}

/// The terms of a node on their way down from the blocks that they come from.
#[expect(clippy::too_many_arguments, reason = "each is one plain fact about the moving picture")]
fn terms(
    painter: &mut dyn Painter,
    palette: &Palette,
    scene: &Scene,
    look: &Look,
    layer: usize,
    node: &Node,
    way: f64,
    opacity: f64,
) {
    let Some(score) = &scene.score else { return };
    let span = look.span;
    let n = scene.tokens();
    let heights = Heights::new(scene.played.embedding.nrows(), n);
    let eased = 0.5 - 0.5 * (way * PI).cos();
    painter.push_opacity(opacity * 0.85);
    for (step, source) in &node.sources {
        let source = &score.levels[layer][*source];
        let width = node.width * span.scale;
        let from = Point::new(span.pixel(source.middle()), -heights.state_row * n as f64);
        let to = Point::new(span.pixel(node.middle()), heights.links);
        // The same curve as the line: straight down at both ends.
        let (x, y) = along(from, to, eased);
        let term = scene.term(layer, source, *step);
        let scale = look.scope.scale(scene.values(layer + 1, node).view(), scene.extremes.states[layer + 1]);
        cells(painter, palette, term.view(), (x - width / 2.0, width, y), heights.state_row, scale);
        let frame =
            Rect::new(x - width / 2.0 - 1.0, y - 1.0, width + 2.0, heights.state_row * n as f64 + 2.0);
        painter.stroke_rect(frame, 2.0, &Stroke::solid(role_color(node.consumer, palette), 1.0));
    }
    painter.pop();
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
    look: &Look,
    above: &[Node],
    layer: usize,
    done: f64,
    cells_top: f64,
) {
    let span = look.span;
    let heads = above.iter().filter(|node| reads_here(node, layer)).count() / 2;
    for node in above.iter().filter(|node| reads_here(node, layer)) {
        let (Consumer::Query { head, .. } | Consumer::Key { head, .. }) = node.consumer else { continue };
        let shown = strength(look.lights, layer, node);
        let y = port(head, heads, cells_top);
        let from = Point::new(span.pixel(node.middle()), 0.0);
        let to = Point::new(span.window - 52.0, y);
        if from.x < -20.0 || from.x > span.window + 20.0 {
            continue;
        }
        let path = Path::new().move_to(from).curve_to(
            Point::new(from.x, y * 0.8),
            Point::new((from.x + 60.0).min(to.x), y),
            to,
        );
        let color = role_color(node.consumer, palette).faded(0.9 * shown);
        painter.stroke_path(&path, &Stroke::solid(color, 1.8));
    }
    for head in 0..heads {
        let y = port(head, heads, cells_top);
        let is_made = done > 0.0 || look.progress >= layer as f64;
        let color = if is_made { palette.ink } else { palette.soft };
        let style = TextStyle::new(color, palette.text_tiny, Family::Mono).aligned(Align::End);
        painter.text(&format!("A′[{},{}]", layer + 1, head + 1), Point::new(span.window - 1.0, y), &style);
    }
}

fn reads_here(node: &Node, layer: usize) -> bool {
    match node.consumer {
        Consumer::Query { layer: read, .. } | Consumer::Key { layer: read, .. } => {
            read == layer && node.is_root() && node.is_read
        }
        Consumer::Output => false,
    }
}

fn port(head: usize, heads: usize, room: f64) -> f64 {
    let step = ((room - 26.0) / heads.max(1) as f64).min(20.0);
    18.0 + step * head as f64
}

fn name(painter: &mut dyn Painter, palette: &Palette, node: &Node, x: f64, width: f64, top: f64) {
    let (text, color) = if node.is_root() {
        (node.consumer.to_string(), role_color(node.consumer, palette))
    } else {
        (node.rest.to_string(), palette.soft)
    };
    if fits(&text, width + if node.is_root() { 12.0 } else { 0.0 }, palette.text_tiny) {
        let style = TextStyle::new(color, palette.text_tiny, Family::Mono);
        let at = Point::new(x + width / 2.0, top);
        painter.text(&text, at, &style.aligned(Align::Center).on(Baseline::Top));
    }
}

fn bracket(painter: &mut dyn Painter, color: Rgba, x: f64, width: f64, y: f64) {
    let (left, right) = (x + 0.75, x + width - 0.75);
    let path = Path::new()
        .move_to(Point::new(left, y + 3.0))
        .line_to(Point::new(left, y))
        .line_to(Point::new(right, y))
        .line_to(Point::new(right, y + 3.0));
    painter.stroke_path(&path, &Stroke::solid(color, 1.5));
}

fn perforations(painter: &mut dyn Painter, palette: &Palette, left: f64, right: f64, y: f64) {
    let count = ((right - left - 8.0) / 12.0).floor().max(0.0) as usize;
    let start = left + (right - left - count as f64 * 12.0) / 2.0;
    for hole in 0..=count {
        painter.fill_circle(Point::new(start + 12.0 * hole as f64, y), 1.8, palette.line);
    }
}

/// The ring round one entry of E.
fn focus_ring(painter: &mut dyn Painter, palette: &Palette, scene: &Scene, look: &Look, heights: &Heights) {
    let Some(Focus::Embedding { row, column, .. }) = look.focus else { return };
    if *column >= scene.played.embedding.ncols() {
        return;
    }
    let (x, width) = column_place(scene, look.span, *column);
    let y = heights.roll_cells() + heights.roll_row * *row as f64;
    let ring = Rect::new(x - 1.0, y - 1.0, width.max(2.0) + 2.0, heights.roll_row + 2.0);
    painter.stroke_rect(ring, 2.0, &Stroke::solid(palette.accent, 2.0));
}

/// Left edge and width of a column of E, in pixels.
pub fn column_place(scene: &Scene, span: Span, column: usize) -> (f64, f64) {
    match &scene.score {
        Some(score) => {
            let roll = &score.levels[0];
            let index = roll.partition_point(|node| node.slot.offset <= column).saturating_sub(1);
            let node = &roll[index];
            let unit = node.width / node.slot.width as f64;
            (span.pixel(node.left + unit * (column - node.slot.offset) as f64), unit * span.scale)
        }
        None => {
            let unit = span.length / scene.played.frozen.width as f64;
            (span.pixel(unit * column as f64), unit * span.scale)
        }
    }
}

fn is_exactly(focus: Option<&Focus>, level: usize, node: &Node, is_the_one: bool) -> bool {
    matches!(focus, Some(Focus::Node { level: at, consumer, rest })
        if *at == level && *consumer == node.consumer && *rest == node.rest && is_the_one)
}

/// Whether a short text fits; letters of one width are about 0.62 of their size wide.
fn fits(text: &str, width: f64, size: f64) -> bool {
    text.chars().count() as f64 * size * 0.62 <= width
}

fn strip(span: Span, top: f64) -> (f64, f64, f64) {
    (span.pixel(0.0), span.length * span.scale, top)
}

/// The cells of a matrix, stretched to a width. Where a cell is narrower than two pixels, each pixel
/// shows the entry of largest modulus of what it covers: nothing large can hide.
pub fn cells(
    painter: &mut dyn Painter,
    palette: &Palette,
    values: ArrayView2<f64>,
    (x, width, y): (f64, f64, f64),
    row_height: f64,
    scale: Scale,
) {
    let (rows, columns) = values.dim();
    if rows == 0 || columns == 0 {
        return;
    }
    let unit = width / columns as f64;
    if unit < 2.0 || rows * columns > 6000 {
        let pixels = (width.ceil() as usize).clamp(1, columns).min(4096);
        let image = Pixels::from_fn(pixels, rows, |column, row| {
            let from = column * columns / pixels;
            let to = ((column + 1) * columns / pixels).max(from + 1);
            let most = values
                .slice(s![row, from..to])
                .iter()
                .copied()
                .max_by(|a, b| scale.salience(*a).total_cmp(&scale.salience(*b)));
            color(palette, most.unwrap_or(0.0), scale)
        });
        painter.image(Rect::new(x, y, width, row_height * rows as f64), &image);
        return;
    }
    let gap = if unit > 4.0 { 1.0 } else { 0.4 };
    let radius = if unit > 7.0 && row_height > 7.0 { 2.0 } else { 0.0 };
    for ((row, column), value) in values.indexed_iter() {
        let rect = Rect::new(
            x + unit * column as f64 + gap / 2.0,
            y + row_height * row as f64 + gap / 2.0,
            unit - gap,
            row_height - gap,
        );
        let color = color(palette, *value, scale);
        if radius > 0.0 {
            painter.fill_round_rect(rect, radius, color);
        } else {
            painter.fill_rect(rect, color);
        }
        if !value.is_finite() {
            painter.fill_texture(&[rect], Texture::Hatch, palette.card);
        }
    }
}

fn color(palette: &Palette, value: f64, scale: Scale) -> Rgba {
    match Mark::of(value, scale) {
        Mark::At(place) => match scale {
            Scale::Probability => palette.sequential.at(place),
            _ => palette.diverging.at(place),
        },
        Mark::Nan => palette.nan,
        Mark::PlusInfinity | Mark::MinusInfinity => palette.infinite,
    }
}
