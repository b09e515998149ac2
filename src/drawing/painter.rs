//! What a picture is drawn with. Two back ends: [`super::canvas::CanvasPainter`] and [`super::svg::SvgPainter`].

use super::color::Rgba;
use super::geometry::{Path, Point, Rect};

/// Draws shapes and text; lengths are CSS pixels, later shapes cover earlier ones.
pub trait Painter {
    /// The nearest boundary between device pixels, so that edges are sharp.
    fn snap(&self, x: f64) -> f64;

    /// Device pixels in a CSS pixel: what is finer cannot be seen.
    fn density(&self) -> f64;

    /// A filled rectangle.
    fn fill_rect(&mut self, rect: Rect, color: Rgba);

    /// Filled rectangles with round corners that do not overlap: the cells of a matrix. Their edges lie on device
    /// pixels where there are such.
    fn fill_tiles(&mut self, tiles: &[(Rect, Rgba)], radius: f64) {
        for &(rect, color) in tiles {
            if radius > 0.0 {
                self.fill_round_rect(rect, radius, color);
            } else {
                self.fill_rect(rect, color);
            }
        }
    }

    /// A filled rectangle with round corners.
    fn fill_round_rect(&mut self, rect: Rect, radius: f64, color: Rgba);

    /// The outline of a rectangle with round corners; the line runs centred on its edge.
    fn stroke_rect(&mut self, rect: Rect, radius: f64, stroke: &Stroke);

    /// A filled circle.
    fn fill_circle(&mut self, center: Point, radius: f64, color: Rgba);

    /// A filled path.
    fn fill_path(&mut self, path: &Path, color: Rgba);

    /// A line along a path.
    fn stroke_path(&mut self, path: &Path, stroke: &Stroke);

    /// Rectangles filled with a texture that runs on from one to the next.
    fn fill_texture(&mut self, rects: &[Rect], texture: Texture, color: Rgba);

    /// A line of text.
    fn text(&mut self, text: &str, at: Point, style: &TextStyle);

    /// Pixels stretched over a rectangle without smoothing.
    fn image(&mut self, rect: Rect, pixels: &Pixels);

    /// Until the matching [`Painter::pop`], nothing is drawn outside `rect`.
    fn push_clip(&mut self, rect: Rect);

    /// Until the matching [`Painter::pop`], everything is drawn with its opacity multiplied by `opacity` in 0…1.
    fn push_opacity(&mut self, opacity: f64);

    /// Ends the innermost clip or opacity.
    fn pop(&mut self);
}

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub color: Rgba,
    /// Its width in CSS pixels.
    pub width: f64,
    /// Lengths of dashes and gaps in turn; empty for a solid line.
    pub dashes: Vec<f64>,
}

impl Stroke {
    /// A solid line.
    pub const fn solid(color: Rgba, width: f64) -> Stroke {
        Stroke { color, width, dashes: Vec::new() }
    }

    /// A dashed line.
    pub fn dashed(color: Rgba, width: f64, dashes: &[f64]) -> Stroke {
        Stroke { color, width, dashes: dashes.to_vec() }
    }
}

/// A fill that is told apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Texture {
    /// Diagonal lines: masked.
    Hatch,
    /// Diagonal lines both ways: locked for ever.
    Lock,
}

impl Texture {
    /// The side of the square tile that repeats, in CSS pixels.
    pub const TILE: f64 = 6.0;

    /// The lines of one tile of side 1, running on into the neighbouring tiles.
    pub fn lines(self) -> &'static [(Point, Point)] {
        const RISING: [(Point, Point); 3] = [
            (Point::new(-0.25, 0.25), Point::new(0.25, -0.25)),
            (Point::new(-0.25, 1.25), Point::new(1.25, -0.25)),
            (Point::new(0.75, 1.25), Point::new(1.25, 0.75)),
        ];
        const BOTH: [(Point, Point); 6] = [
            RISING[0],
            RISING[1],
            RISING[2],
            (Point::new(-0.25, 0.75), Point::new(0.25, 1.25)),
            (Point::new(-0.25, -0.25), Point::new(1.25, 1.25)),
            (Point::new(0.75, -0.25), Point::new(1.25, 0.25)),
        ];
        match self {
            Texture::Hatch => &RISING,
            Texture::Lock => &BOTH,
        }
    }
}

/// How text is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Its colour.
    pub color: Rgba,
    /// The size of the letters in CSS pixels.
    pub size: f64,
    /// Its family.
    pub family: Family,
    /// Its weight.
    pub weight: Weight,
    /// Where the anchor lies along the line.
    pub align: Align,
    /// Where the anchor lies across the line.
    pub baseline: Baseline,
    /// The turn about the anchor in radians, clockwise.
    pub turn: f64,
}

impl TextStyle {
    /// Plain text, anchored at the start of its middle line.
    pub const fn new(color: Rgba, size: f64, family: Family) -> TextStyle {
        TextStyle {
            color,
            size,
            family,
            weight: Weight::Normal,
            align: Align::Start,
            baseline: Baseline::Middle,
            turn: 0.0,
        }
    }

    /// The same, anchored elsewhere along the line.
    pub const fn aligned(self, align: Align) -> TextStyle {
        TextStyle { align, ..self }
    }

    /// The same, anchored elsewhere across the line.
    pub const fn on(self, baseline: Baseline) -> TextStyle {
        TextStyle { baseline, ..self }
    }

    /// The same in another colour.
    pub const fn colored(self, color: Rgba) -> TextStyle {
        TextStyle { color, ..self }
    }

    /// The same in another weight.
    pub const fn weighing(self, weight: Weight) -> TextStyle {
        TextStyle { weight, ..self }
    }

    /// The same, turned.
    pub const fn turned(self, turn: f64) -> TextStyle {
        TextStyle { turn, ..self }
    }
}

/// A family of type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// For controls and labels.
    Sans,
    /// For sentences and mathematics.
    Serif,
    /// For numbers and code.
    Mono,
}

/// A weight of type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// For reading.
    Normal,
    /// For emphasis.
    Strong,
}

/// Where the anchor of text lies along the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    /// At its start.
    Start,
    /// At its middle.
    Center,
    /// At its end.
    End,
}

/// Where the anchor of text lies across the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// Above the letters.
    Top,
    /// Half way up the letters.
    Middle,
    /// On the line that letters stand on.
    Alphabetic,
    /// Below the letters.
    Bottom,
}

/// A small picture, row by row from the top, four bytes (red, green, blue, alpha) a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// A picture of `width` × `height` pixels, each asked from `color(column, row)`.
    pub fn from_fn(width: usize, height: usize, mut color: impl FnMut(usize, usize) -> Rgba) -> Pixels {
        let mut bytes = vec![0; width * height * 4];
        for (row, line) in bytes.chunks_exact_mut((width * 4).max(1)).enumerate() {
            for (column, pixel) in line.chunks_exact_mut(4).enumerate() {
                let Rgba { red, green, blue, alpha } = color(column, row);
                pixel.copy_from_slice(&[red, green, blue, alpha]);
            }
        }
        Pixels { width, height, bytes }
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels in a column.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The channels, `width · height · 4` bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
