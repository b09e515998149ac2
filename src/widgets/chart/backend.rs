//! Lets plotters draw with the page's own [`Painter`]: on canvases of any density and into SVG files alike, in the
//! page's own type, and without a second way of measuring text.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};

use crate::drawing::color::Rgba;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Stroke, TextStyle, Weight};

/// Plotters measures in whole numbers; so many of them are one CSS pixel, so that lines are smooth.
pub const UNITS: f64 = 16.0;

/// The width of a line of text, in CSS pixels.
pub type Measure<'a> = &'a dyn Fn(&str, &TextStyle) -> f64;

/// A length in plotters' units.
pub fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

/// A painter as a back end of plotters.
pub struct PainterBackend<'a> {
    painter: &'a mut dyn Painter,
    size: Point,
    measure: Measure<'a>,
}

impl<'a> PainterBackend<'a> {
    /// A back end for a picture of this size in CSS pixels.
    pub fn new(painter: &'a mut dyn Painter, size: Point, measure: Measure<'a>) -> PainterBackend<'a> {
        PainterBackend { painter, size, measure }
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for PainterBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (units(self.size.x).max(0) as u32, units(self.size.y).max(0) as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Drawn {
        let Point { x, y } = point(at);
        self.painter.fill_rect(Rect::new(x, y, 1.0 / UNITS, 1.0 / UNITS), rgba(color));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        let (mut from, mut to) = (point(from), point(to));
        // Level and upright lines lie on the middle of device pixels, so that they are sharp.
        let half = 0.5 / self.painter.density();
        if from.x == to.x {
            from.x = self.painter.snap(from.x - half) + half;
            to.x = from.x;
        }
        if from.y == to.y {
            from.y = self.painter.snap(from.y - half) + half;
            to.y = from.y;
        }
        self.painter.stroke_path(&Path::line(from, to), &stroke(style));
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (from, to) = (point(upper_left), point(lower_right));
        let rect = Rect::new(from.x, from.y, to.x - from.x, to.y - from.y);
        if fill {
            self.painter.fill_rect(rect, rgba(style.color()));
        } else {
            self.painter.stroke_rect(rect, 0.0, &stroke(style));
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let mut points = path.into_iter().map(point);
        let Some(first) = points.next() else { return Ok(()) };
        let path = points.fold(Path::new().move_to(first), Path::line_to);
        self.painter.stroke_path(&path, &stroke(style));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (center, radius) = (point(center), f64::from(radius) / UNITS);
        if fill {
            self.painter.fill_circle(center, radius, rgba(style.color()));
        } else {
            let box_around = Rect::new(center.x - radius, center.y - radius, 2.0 * radius, 2.0 * radius);
            self.painter.stroke_rect(box_around, radius, &stroke(style));
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.painter.fill_path(&Path::polygon(corners.into_iter().map(point)), rgba(style.color()));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        self.painter.text(text, point(at), &text_style(style));
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let style = text_style(style);
        let (width, height) = (units((self.measure)(text, &style)) as u32, units(style.size) as u32);
        Ok(if style.turn.sin().abs() > 0.5 { (height, width) } else { (width, height) })
    }
}

fn point((x, y): BackendCoord) -> Point {
    Point::new(f64::from(x) / UNITS, f64::from(y) / UNITS)
}

fn rgba(BackendColor { alpha, rgb: (red, green, blue) }: BackendColor) -> Rgba {
    Rgba { red, green, blue, alpha: (alpha * 255.0).round() as u8 }
}

fn stroke(style: &impl BackendStyle) -> Stroke {
    Stroke::solid(rgba(style.color()), f64::from(style.stroke_width()) / UNITS)
}

fn text_style(style: &impl BackendTextStyle) -> TextStyle {
    let anchor = style.anchor();
    TextStyle {
        color: rgba(style.color()),
        size: style.size() / UNITS,
        family: Family::Sans,
        weight: match style.style() {
            FontStyle::Bold => Weight::Strong,
            FontStyle::Normal | FontStyle::Oblique | FontStyle::Italic => Weight::Normal,
        },
        align: match anchor.h_pos {
            HPos::Left => Align::Start,
            HPos::Center => Align::Center,
            HPos::Right => Align::End,
        },
        baseline: match anchor.v_pos {
            VPos::Top => Baseline::Top,
            VPos::Center => Baseline::Middle,
            VPos::Bottom => Baseline::Bottom,
        },
        turn: match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => std::f64::consts::FRAC_PI_2,
            FontTransform::Rotate180 => std::f64::consts::PI,
            FontTransform::Rotate270 => -std::f64::consts::FRAC_PI_2,
        },
    }
}
