//! The painter that writes an SVG file.

use std::fmt::Write;

use super::color::Rgba;
use super::geometry::{Path, Point, Rect, svg_number as n};
use super::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Texture, Weight};
use super::palette::Palette;

/// Turns pixels into the address of a picture (`data:image/png;base64,…`).
pub type ImageEncoder = fn(&Pixels) -> Option<String>;

/// Collects a picture as the text of an SVG file.
pub struct SvgPainter<'a> {
    palette: &'a Palette,
    encode_image: ImageEncoder,
    definitions: String,
    textures: Vec<(Texture, Rgba)>,
    clips: usize,
    body: String,
}

impl<'a> SvgPainter<'a> {
    /// An empty picture, whose type is the palette's.
    pub fn new(palette: &'a Palette, encode_image: ImageEncoder) -> SvgPainter<'a> {
        SvgPainter {
            palette,
            encode_image,
            definitions: String::new(),
            textures: Vec::new(),
            clips: 0,
            body: String::new(),
        }
    }

    /// The file, for a picture of this size in CSS pixels.
    pub fn finish(self, width: f64, height: f64, title: &str) -> String {
        let (w, h, title) = (n(width), n(height), escape(title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\
             <title>{title}</title><defs>{}</defs>{}</svg>\n",
            self.definitions, self.body
        )
    }

    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
    }

    fn texture_id(&mut self, texture: Texture, color: Rgba) -> usize {
        if let Some(id) = self.textures.iter().position(|known| *known == (texture, color)) {
            return id;
        }
        let id = self.textures.len();
        self.textures.push((texture, color));
        let side = n(Texture::TILE);
        let lines: String = texture
            .lines()
            .iter()
            .map(|(from, to)| {
                let scaled = |p: &Point| Point::new(p.x * Texture::TILE, p.y * Texture::TILE);
                Path::line(scaled(from), scaled(to)).svg_data()
            })
            .collect();
        let _ = write!(
            self.definitions,
            "<pattern id=\"t{id}\" width=\"{side}\" height=\"{side}\" patternUnits=\"userSpaceOnUse\">\
             <path d=\"{lines}\" fill=\"none\" {}/></pattern>",
            stroke_attributes(&Stroke::solid(color, 1.0))
        );
        id
    }
}

impl Painter for SvgPainter<'_> {
    fn snap(&self, x: f64) -> f64 {
        x
    }

    /// A file is looked at on screens of all kinds.
    fn density(&self) -> f64 {
        2.0
    }

    fn fill_rect(&mut self, rect: Rect, color: Rgba) {
        let (place, fill) = (rect_attributes(rect), fill_attributes(color));
        self.put(format_args!("<rect {place} {fill}/>"));
    }

    fn fill_round_rect(&mut self, rect: Rect, radius: f64, color: Rgba) {
        let (place, fill) = (rect_attributes(rect), fill_attributes(color));
        self.put(format_args!("<rect {place} rx=\"{}\" {fill}/>", n(radius)));
    }

    fn stroke_rect(&mut self, rect: Rect, radius: f64, stroke: &Stroke) {
        let (place, line) = (rect_attributes(rect), stroke_attributes(stroke));
        self.put(format_args!("<rect {place} rx=\"{}\" fill=\"none\" {line}/>", n(radius)));
    }

    fn fill_circle(&mut self, center: Point, radius: f64, color: Rgba) {
        let fill = fill_attributes(color);
        self.put(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {fill}/>",
            n(center.x),
            n(center.y),
            n(radius)
        ));
    }

    fn fill_path(&mut self, path: &Path, color: Rgba) {
        self.put(format_args!("<path d=\"{}\" {}/>", path.svg_data(), fill_attributes(color)));
    }

    fn stroke_path(&mut self, path: &Path, stroke: &Stroke) {
        self.put(format_args!(
            "<path d=\"{}\" fill=\"none\" {}/>",
            path.svg_data(),
            stroke_attributes(stroke)
        ));
    }

    fn fill_texture(&mut self, rects: &[Rect], texture: Texture, color: Rgba) {
        if rects.is_empty() {
            return;
        }
        let id = self.texture_id(texture, color);
        self.put(format_args!("<path fill=\"url(#t{id})\" d=\""));
        for r in rects {
            self.put(format_args!("M{} {}h{}v{}h{}Z", n(r.x), n(r.y), n(r.width), n(r.height), n(-r.width)));
        }
        self.body.push_str("\"/>");
    }

    fn text(&mut self, text: &str, at: Point, style: &TextStyle) {
        let family = escape(self.palette.family(style.family));
        let anchor = match style.align {
            Align::Start => "start",
            Align::Center => "middle",
            Align::End => "end",
        };
        // Editors disagree about `dominant-baseline`; a shift by a share of the size is the same everywhere.
        let shift = match style.baseline {
            Baseline::Top => 0.8,
            Baseline::Middle => 0.35,
            Baseline::Alphabetic => 0.0,
            Baseline::Bottom => -0.2,
        } * style.size;
        let (x, y) = (n(at.x), n(at.y + shift));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-family=\"{family}\" font-size=\"{}\"",
            n(style.size)
        ));
        if style.weight == Weight::Strong {
            self.body.push_str(" font-weight=\"600\"");
        }
        if style.family == Family::Serif {
            self.body.push_str(" font-style=\"italic\"");
        }
        if style.turn != 0.0 {
            self.put(format_args!(
                " transform=\"rotate({} {} {})\"",
                n(style.turn.to_degrees()),
                n(at.x),
                n(at.y)
            ));
        }
        self.put(format_args!(
            " text-anchor=\"{anchor}\" {}>{}</text>",
            fill_attributes(style.color),
            escape(text)
        ));
    }

    fn image(&mut self, rect: Rect, pixels: &Pixels) {
        if let Some(address) = (self.encode_image)(pixels) {
            let place = rect_attributes(rect);
            self.put(format_args!(
                "<image {place} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" href=\"{address}\"/>"
            ));
        }
    }

    fn push_clip(&mut self, rect: Rect) {
        let id = self.clips;
        self.clips += 1;
        let _ =
            write!(self.definitions, "<clipPath id=\"c{id}\"><rect {}/></clipPath>", rect_attributes(rect));
        self.put(format_args!("<g clip-path=\"url(#c{id})\">"));
    }

    fn push_opacity(&mut self, opacity: f64) {
        self.put(format_args!("<g opacity=\"{}\">", n(opacity)));
    }

    fn pop(&mut self) {
        self.body.push_str("</g>");
    }
}

fn rect_attributes(rect: Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        n(rect.x),
        n(rect.y),
        n(rect.width),
        n(rect.height)
    )
}

fn fill_attributes(color: Rgba) -> String {
    paint_attributes("fill", color)
}

fn stroke_attributes(stroke: &Stroke) -> String {
    let mut attributes = paint_attributes("stroke", stroke.color);
    let _ = write!(attributes, " stroke-width=\"{}\"", n(stroke.width));
    if !stroke.dashes.is_empty() {
        let dashes: Vec<String> = stroke.dashes.iter().map(|&dash| n(dash)).collect();
        let _ = write!(attributes, " stroke-dasharray=\"{}\"", dashes.join(" "));
    }
    attributes
}

/// SVG 1.1 readers know no eight-digit colours, so opacity is an attribute of its own.
fn paint_attributes(kind: &str, color: Rgba) -> String {
    let solid = Rgba { alpha: 255, ..color }.css();
    if color.alpha == 255 {
        format!("{kind}=\"{solid}\"")
    } else {
        format!("{kind}=\"{solid}\" {kind}-opacity=\"{}\"", n(f64::from(color.alpha) / 255.0))
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::palette::tests::{Theme, palette};

    fn written(draw: impl Fn(&mut SvgPainter)) -> String {
        let palette = palette(Theme::Light);
        let mut painter = SvgPainter::new(&palette, |_| None);
        draw(&mut painter);
        painter.finish(100.0, 50.0, "A<1>")
    }

    #[test]
    fn every_group_that_is_opened_is_closed() {
        let svg = written(|painter| {
            painter.push_clip(Rect::new(0.0, 0.0, 5.0, 5.0));
            painter.push_opacity(0.5);
            painter.fill_rect(Rect::new(0.0, 0.0, 1.0, 1.0), Rgba::opaque(1, 2, 3));
            painter.pop();
            painter.pop();
        });
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(svg.contains("<title>A&lt;1&gt;</title>"));
        assert!(svg.contains("clip-path=\"url(#c0)\""));
    }

    #[test]
    fn text_is_escaped() {
        let style = TextStyle::new(Rgba::opaque(0, 0, 0), 12.0, Family::Sans);
        let svg = written(|painter| painter.text("a<b & \"c\"", Point::new(1.0, 2.0), &style));
        assert!(svg.contains(">a&lt;b &amp; &quot;c&quot;</text>"));
    }

    #[test]
    fn a_texture_is_defined_once() {
        let color = Rgba::opaque(9, 9, 9);
        let svg = written(|painter| {
            painter.fill_texture(&[Rect::new(0.0, 0.0, 4.0, 4.0)], Texture::Hatch, color);
            painter.fill_texture(&[Rect::new(4.0, 0.0, 4.0, 4.0)], Texture::Hatch, color);
            painter.fill_texture(&[Rect::new(8.0, 0.0, 4.0, 4.0)], Texture::Lock, color);
        });
        assert_eq!(svg.matches("<pattern ").count(), 2);
        assert_eq!(svg.matches("url(#t0)").count(), 2);
    }
}
