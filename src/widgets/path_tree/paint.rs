//! The strokes of a tree of attention paths.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::Range;

use super::layout::{Bundle, Layout, NodeAt, Run};
use crate::drawing::color::Rgba;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle, Weight};
use crate::drawing::palette::{Palette, Role};
use crate::drawing::step::step_stroke;
use crate::drawing::viewport::Span;

/// Everything that the picture is painted from.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// Where the nodes stand.
    pub layout: &'a Layout,
    /// The horizontal window onto them.
    pub span: Span,
    /// Where the rows stand.
    pub rows: Rows,
    /// The width of the whole picture.
    pub width: f64,
    /// How far the animation is, in levels.
    pub progress: f64,
    /// The role that gives nodes and edges their hue.
    pub role: Role,
    /// What each row is called.
    pub row_names: &'a [String],
}

/// What of the tree is painted.
#[derive(Clone, Copy)]
pub enum Part<'a> {
    /// All of it.
    All,
    /// The runs of a level for which this holds, and the edges that lead on from them.
    Lit(&'a dyn Fn(usize, &Range<usize>) -> bool),
}

/// Where the rows stand, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// The middle of the leaves.
    pub top: f64,
    /// From one level to the next.
    pub gap: f64,
    /// The height of the picture.
    pub height: f64,
}

/// At the left, for the names of the rows.
pub const GUTTER: f64 = 68.0;
/// At the right, and between the names and the tree.
pub const MARGIN: f64 = 18.0;
/// Nodes narrower than this are taken together.
pub const NARROWEST: f64 = 2.5;
/// The largest radius of a node.
const RADIUS: f64 = 11.0;
/// Cells narrower than this have bars instead of discs.
const DISC: f64 = 7.0;
/// The height of the tallest bar.
const BAR: f64 = 22.0;
/// How much of what the animation has not reached is seen.
const AHEAD: f64 = 0.16;
/// How much of what it has left behind is seen.
const BEHIND: f64 = 0.4;
/// Edges closer than this are taken together: those of nodes that are bars.
const CLOSEST_EDGES: f64 = DISC;
/// Shades of edges that are told apart; edges of one shade are one stroke.
const SHADES: u8 = 6;

impl Rows {
    /// For a tree of this depth.
    pub fn new(depth: usize) -> Rows {
        let (top, foot) = (36.0, 34.0);
        let gap = (420.0 / depth.max(1) as f64).clamp(44.0, 92.0);
        Rows { top, gap, height: top + gap * depth as f64 + foot }
    }

    /// The middle of a row.
    pub fn y(self, level: usize) -> f64 {
        self.top + self.gap * level as f64
    }

    /// The level whose row is nearest to `y`.
    pub fn level_at(self, y: f64, depth: usize) -> usize {
        (((y - self.top) / self.gap).round().max(0.0) as usize).min(depth)
    }
}

impl Picture<'_> {
    /// Where a unit of the layout is seen.
    pub fn x(&self, unit: f64) -> f64 {
        GUTTER + MARGIN + self.span.pixel(unit)
    }

    /// Where a node is seen.
    pub fn point(&self, node: NodeAt) -> Point {
        let layout = self.layout;
        Point::new(self.x(layout.middle(node.level, layout.place(node))), self.rows.y(node.level))
    }

    /// The radius of a node's disc, or of the ring round its bar.
    pub fn radius(&self, node: NodeAt) -> f64 {
        let width = self.layout.spacing(node.level) * self.span.scale;
        radius(self.share(node.level, self.layout.norm(node)), width, node.level == self.layout.depth())
    }

    fn window(&self) -> Range<f64> {
        self.span.unit(-MARGIN)..self.span.unit(self.span.window + MARGIN)
    }

    fn clip(&self) -> Rect {
        Rect::new(GUTTER, 0.0, self.width - GUTTER, self.rows.height)
    }

    /// The share of the largest norm of its level; what is not finite counts as largest.
    fn share(&self, level: usize, norm: f64) -> f64 {
        let share = norm / self.layout.largest(level);
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else if norm == 0.0 {
            0.0
        } else {
            1.0
        }
    }

    /// How strongly the nodes of a level are seen at this point of the animation.
    fn presence(&self, level: usize) -> f64 {
        let (level, depth, progress) = (level as f64, self.layout.depth() as f64, self.progress);
        if progress >= depth || level == progress.floor() {
            1.0
        } else if level < progress {
            // Everything comes back as the last layer ends.
            let ending = (progress - (depth - 1.0)).clamp(0.0, 1.0);
            BEHIND + (1.0 - BEHIND) * ending
        } else {
            // A node appears when its terms arrive.
            let arrived = ((progress - (level - 1.0) - 0.75) * 4.0).clamp(0.0, 1.0);
            AHEAD + (1.0 - AHEAD) * arrived
        }
    }
}

/// The tree, or the lit part of it.
pub fn paint_tree(painter: &mut dyn Painter, palette: &Palette, picture: &Picture, part: Part) {
    let layout = picture.layout;
    let window = picture.window();
    let is_painted = |level: usize, places: &Range<usize>| match part {
        Part::All => true,
        Part::Lit(is_lit) => is_lit(level, places),
    };
    let opacity = |level: usize| match part {
        Part::All => picture.presence(level),
        Part::Lit(_) => 1.0,
    };
    painter.push_clip(picture.clip());
    for level in 0..layout.depth() {
        let mut bundles = layout.bundles(level, &window, picture.span.scale, CLOSEST_EDGES);
        bundles.retain(|bundle| is_painted(level, &bundle.run.places));
        let shown = opacity(level).min(opacity(level + 1).max(BEHIND));
        edges(painter, palette, picture, level, &bundles, shown, matches!(part, Part::Lit(_)));
        if matches!(part, Part::All) {
            travellers(painter, palette, picture, level, &bundles);
        }
    }
    for level in 0..=layout.depth() {
        let runs = layout.runs(level, &window, picture.span.scale, NARROWEST);
        painter.push_opacity(opacity(level));
        for run in runs.iter().filter(|run| is_painted(level, &run.places)) {
            node(painter, palette, picture, level, run);
        }
        painter.pop();
    }
    painter.pop();
}

/// The names of the rows and of the nodes.
pub fn paint_names(painter: &mut dyn Painter, palette: &Palette, picture: &Picture, root_name: &str) {
    let layout = picture.layout;
    let style = TextStyle::new(palette.soft, palette.text_tiny, Family::Sans);
    for (level, name) in picture.row_names.iter().enumerate().take(layout.depth() + 1) {
        painter.text(name, Point::new(0.0, picture.rows.y(level)), &style);
    }
    painter.push_clip(picture.clip());
    let style = TextStyle::new(palette.soft, palette.text_tiny, Family::Mono);
    for level in 0..layout.depth() {
        let room = layout.spacing(level) * picture.span.scale;
        let letters = (layout.depth() - level) * 2 - 1;
        let length = letters as f64 * palette.text_tiny * 0.62;
        let beside = if level == 0 { 6.0 } else { 2.0 * RADIUS + 10.0 };
        if length + beside > room {
            continue;
        }
        for run in layout.runs(level, &picture.window(), picture.span.scale, NARROWEST) {
            let node = layout.node(level, run.places.start);
            let at = picture.point(node);
            let radius = picture.radius(node);
            let text = path_name(&layout.path(node));
            if level == 0 {
                painter.text(&text, Point::new(at.x, at.y - RADIUS - 9.0), &style.aligned(Align::Center));
            } else {
                painter.text(&text, Point::new(at.x + radius + 4.0, at.y), &style);
            }
        }
    }
    let at = picture.point(layout.root());
    let style = style.colored(palette.role(picture.role)).weighing(Weight::Strong);
    painter.text(root_name, Point::new(at.x, at.y + RADIUS + 11.0), &style.aligned(Align::Center));
    painter.pop();
}

/// What lets everything that is not lit stand back.
pub fn paint_veil(painter: &mut dyn Painter, palette: &Palette, picture: &Picture) {
    painter.fill_rect(picture.clip(), palette.card.faded(0.78));
}

/// The ring round the node that is looked at.
pub fn paint_ring(painter: &mut dyn Painter, palette: &Palette, picture: &Picture, node: NodeAt) {
    let at = picture.point(node);
    let radius = picture.radius(node) + 3.5;
    painter.push_clip(picture.clip());
    let ring = Rect::new(at.x - radius, at.y - radius, 2.0 * radius, 2.0 * radius);
    painter.stroke_rect(ring.inset(-1.0), radius + 1.0, &Stroke::solid(palette.card, 4.0));
    painter.stroke_rect(ring, radius, &Stroke::solid(palette.accent, 2.0));
    painter.pop();
}

/// The name of a path: its steps with dots between.
pub fn path_name(path: &[u8]) -> String {
    let steps: Vec<String> = path.iter().map(u8::to_string).collect();
    steps.join("·")
}

fn edges(
    painter: &mut dyn Painter,
    palette: &Palette,
    picture: &Picture,
    level: usize,
    bundles: &[Bundle],
    opacity: f64,
    is_lit: bool,
) {
    let (from, to) = (picture.rows.y(level), picture.rows.y(level + 1));
    let clip = GUTTER..picture.width;
    // Dashes closer than this are a grey mist, and take longer than all else.
    let is_wide = picture.layout.spacing(level) * picture.span.scale >= 2.0 * DISC;
    // One stroke for all edges of a kind: thousands of single ones would not keep up with a finger.
    let mut lines: BTreeMap<(Option<u8>, u8), Path> = BTreeMap::new();
    let mut bands: BTreeMap<(Option<u8>, u8), Path> = BTreeMap::new();
    for bundle in bundles {
        let share = picture.share(level, bundle.run.largest).sqrt();
        let kind = (bundle.step, (share * f64::from(SHADES - 1)).round() as u8);
        if bundle.run.places.len() == 1 {
            let path = lines.entry(kind).or_default();
            let top = Point::new(picture.x(middle(bundle.top)), from);
            let foot = Point::new(picture.x(middle(bundle.foot)), to);
            *path = std::mem::take(path).join(top, foot, &clip);
        } else {
            let path = bands.entry(kind).or_default();
            *path = band(std::mem::take(path), picture, bundle, (from, to));
        }
    }
    for ((step, shade), path) in bands {
        let strength = 0.08 + 0.5 * f64::from(shade) / f64::from(SHADES - 1);
        painter.fill_path(&path, hue(palette, picture, step).faded(strength * opacity));
    }
    for ((step, shade), path) in lines {
        let share = f64::from(shade) / f64::from(SHADES - 1);
        let color = hue(palette, picture, step).faded((0.22 + 0.68 * share) * opacity);
        let width = 1.0 + 0.9 * share + if is_lit { 0.8 } else { 0.0 };
        let stroke = match step {
            Some(step) if is_wide => step_stroke(color, step, width),
            _ => Stroke::solid(color, width.min(1.2)),
        };
        painter.stroke_path(&path, &stroke);
    }
}

/// The nodes of a level on their way along the edges.
fn travellers(
    painter: &mut dyn Painter,
    palette: &Palette,
    picture: &Picture,
    level: usize,
    bundles: &[Bundle],
) {
    let way = picture.progress - level as f64;
    if way <= 0.0 || way >= 1.0 || picture.progress >= picture.layout.depth() as f64 {
        return;
    }
    let along = 0.5 - 0.5 * ((way / 0.85).min(1.0) * PI).cos();
    let (from, to) = (picture.rows.y(level), picture.rows.y(level + 1));
    // What has arrived has become its sum.
    painter.push_opacity(1.0 - ((way - 0.85) / 0.15).clamp(0.0, 1.0));
    let width = picture.layout.spacing(level) * picture.span.scale;
    for bundle in bundles {
        let share = picture.share(level, bundle.run.largest);
        let color = shade(palette, hue(palette, picture, bundle.step), share);
        let place = |top: f64, foot: f64| {
            let (top, foot) = (Point::new(picture.x(top), from), Point::new(picture.x(foot), to));
            link_point(top, foot, along)
        };
        if bundle.run.places.len() == 1 && width >= DISC {
            let at = place(middle(bundle.top), middle(bundle.foot));
            let radius = radius(share, width, false);
            painter.fill_circle(at, radius + 1.5, palette.card);
            painter.fill_circle(at, radius, color);
        } else {
            let (left, right) = (place(bundle.top.0, bundle.foot.0), place(bundle.top.1, bundle.foot.1));
            let height = bar(share);
            let width = (right.x - left.x).max(2.0);
            painter.fill_rect(Rect::new(left.x, left.y - height / 2.0, width, height), color);
        }
    }
    painter.pop();
}

fn node(painter: &mut dyn Painter, palette: &Palette, picture: &Picture, level: usize, run: &Run) {
    let share = picture.share(level, run.largest);
    let color = shade(palette, palette.role(picture.role), share);
    let width = picture.layout.spacing(level) * picture.span.scale;
    let y = picture.rows.y(level);
    let (left, right) = picture.layout.extent(level, &run.places);
    let (left, right) = (picture.x(left), picture.x(right));
    let is_root = level == picture.layout.depth();
    if is_root || (run.places.len() == 1 && width >= DISC) {
        let at = Point::new((left + right) / 2.0, y);
        let radius = radius(share, width, is_root);
        painter.fill_circle(at, radius + 1.5, palette.card);
        painter.fill_circle(at, radius, color);
        let edge = palette.role(picture.role).faded(0.75);
        let ring = Rect::new(at.x - radius, at.y - radius, 2.0 * radius, 2.0 * radius);
        painter.stroke_rect(ring, radius, &Stroke::solid(edge, 1.0));
    } else {
        let height = bar(share);
        let gap = if width >= 4.0 { 1.0 } else { 0.0 };
        let wide = (right - left - gap).max(1.0);
        painter.fill_rect(Rect::new((left + right - wide) / 2.0, y - height / 2.0, wide, height), color);
    }
}

/// A filled band from the children to the parents.
fn band(path: Path, picture: &Picture, bundle: &Bundle, (from, to): (f64, f64)) -> Path {
    let bend = (to - from) / 2.0;
    let corner = |x: f64, y: f64| Point::new(picture.x(x), y);
    let (top_left, top_right) = (corner(bundle.top.0, from), corner(bundle.top.1, from));
    let (foot_left, foot_right) = (corner(bundle.foot.0, to), corner(bundle.foot.1, to));
    path.move_to(top_left)
        .curve_to(Point::new(top_left.x, from + bend), Point::new(foot_left.x, to - bend), foot_left)
        .line_to(foot_right)
        .curve_to(Point::new(foot_right.x, to - bend), Point::new(top_right.x, from + bend), top_right)
        .close()
}

/// A point of the curve of [`Path::link`].
fn link_point(from: Point, to: Point, t: f64) -> Point {
    let bend = (to.y - from.y) / 2.0;
    let bezier = |a: f64, b: f64, c: f64, d: f64| {
        let u = 1.0 - t;
        u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
    };
    Point::new(bezier(from.x, from.x, to.x, to.x), bezier(from.y, from.y + bend, to.y - bend, to.y))
}

fn hue(palette: &Palette, picture: &Picture, step: Option<u8>) -> Rgba {
    palette.role(if step == Some(0) { Role::Residual } else { picture.role })
}

/// Equal steps of the share are equal steps for the eye: the way from the paper to the hue is straight in OKLab.
fn shade(palette: &Palette, hue: Rgba, share: f64) -> Rgba {
    palette.card.mix(hue, 0.12 + 0.88 * share)
}

/// The area of a disc is as its share.
fn radius(share: f64, width: f64, is_root: bool) -> f64 {
    let largest = if is_root { RADIUS } else { RADIUS.min(width * 0.42) };
    (largest * share.sqrt()).max(1.5)
}

fn bar(share: f64) -> f64 {
    3.0 + (BAR - 3.0) * share
}

fn middle((left, right): (f64, f64)) -> f64 {
    (left + right) / 2.0
}
