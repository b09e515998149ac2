//! A painter that draws somewhere else: several pictures become one, one below the other.

use super::color::Rgba;
use super::geometry::{Path, Point, Rect, Step};
use super::painter::{Painter, Pixels, Stroke, TextStyle, Texture};

/// Draws with another painter, everything moved by `by`.
pub struct Shifted<'a> {
    inner: &'a mut dyn Painter,
    by: Point,
}

impl<'a> Shifted<'a> {
    /// A painter that moves what it draws.
    pub fn new(inner: &'a mut dyn Painter, by: Point) -> Shifted<'a> {
        Shifted { inner, by }
    }

    fn point(&self, point: Point) -> Point {
        Point::new(point.x + self.by.x, point.y + self.by.y)
    }

    fn rect(&self, rect: Rect) -> Rect {
        Rect::new(rect.x + self.by.x, rect.y + self.by.y, rect.width, rect.height)
    }

    fn path(&self, path: &Path) -> Path {
        path.steps().iter().fold(Path::new(), |moved, step| match *step {
            Step::Move(to) => moved.move_to(self.point(to)),
            Step::Line(to) => moved.line_to(self.point(to)),
            Step::Curve(one, two, to) => moved.curve_to(self.point(one), self.point(two), self.point(to)),
            Step::Close => moved.close(),
        })
    }
}

impl Painter for Shifted<'_> {
    fn snap(&self, x: f64) -> f64 {
        self.inner.snap(x + self.by.x) - self.by.x
    }

    fn density(&self) -> f64 {
        self.inner.density()
    }

    fn fill_rect(&mut self, rect: Rect, color: Rgba) {
        let rect = self.rect(rect);
        self.inner.fill_rect(rect, color);
    }

    fn fill_tiles(&mut self, tiles: &[(Rect, Rgba)], radius: f64) {
        let tiles: Vec<(Rect, Rgba)> = tiles.iter().map(|&(rect, color)| (self.rect(rect), color)).collect();
        self.inner.fill_tiles(&tiles, radius);
    }

    fn fill_round_rect(&mut self, rect: Rect, radius: f64, color: Rgba) {
        let rect = self.rect(rect);
        self.inner.fill_round_rect(rect, radius, color);
    }

    fn stroke_rect(&mut self, rect: Rect, radius: f64, stroke: &Stroke) {
        let rect = self.rect(rect);
        self.inner.stroke_rect(rect, radius, stroke);
    }

    fn fill_circle(&mut self, center: Point, radius: f64, color: Rgba) {
        let center = self.point(center);
        self.inner.fill_circle(center, radius, color);
    }

    fn fill_path(&mut self, path: &Path, color: Rgba) {
        let path = self.path(path);
        self.inner.fill_path(&path, color);
    }

    fn stroke_path(&mut self, path: &Path, stroke: &Stroke) {
        let path = self.path(path);
        self.inner.stroke_path(&path, stroke);
    }

    fn fill_texture(&mut self, rects: &[Rect], texture: Texture, color: Rgba) {
        let rects: Vec<Rect> = rects.iter().map(|rect| self.rect(*rect)).collect();
        self.inner.fill_texture(&rects, texture, color);
    }

    fn text(&mut self, text: &str, at: Point, style: &TextStyle) {
        let at = self.point(at);
        self.inner.text(text, at, style);
    }

    fn image(&mut self, rect: Rect, pixels: &Pixels) {
        let rect = self.rect(rect);
        self.inner.image(rect, pixels);
    }

    fn push_clip(&mut self, rect: Rect) {
        let rect = self.rect(rect);
        self.inner.push_clip(rect);
    }

    fn push_opacity(&mut self, opacity: f64) {
        self.inner.push_opacity(opacity);
    }

    fn pop(&mut self) {
        self.inner.pop();
    }
}
