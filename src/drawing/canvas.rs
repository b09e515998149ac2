//! The painter that draws on a canvas.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::document;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::color::Rgba;
use super::geometry::{Path, Point, Rect, Step};
use super::mosaic::mosaic;
use super::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Texture, Weight};
use super::palette::Palette;

/// Draws on the canvas of a device with `density` device pixels in a CSS pixel.
pub struct CanvasPainter {
    context: CanvasRenderingContext2d,
    palette: Rc<Palette>,
    density: f64,
    // What the context was last told, so as not to tell it again.
    fill: Option<u32>,
    stroke: Option<(u32, u64)>,
    type_face: Option<TypeFace>,
    align: Option<Align>,
    opacity: Vec<f64>,
}

/// What decides the `font` of a context: family, weight, and the size's bits.
type TypeFace = (Family, Weight, u64);

impl CanvasPainter {
    /// A painter whose context measures in device pixels so far; it will measure in CSS pixels.
    pub fn new(context: CanvasRenderingContext2d, palette: Rc<Palette>, density: f64) -> CanvasPainter {
        let _ = context.set_transform(density, 0.0, 0.0, density, 0.0, 0.0);
        CanvasPainter {
            context,
            palette,
            density,
            fill: None,
            stroke: None,
            type_face: None,
            align: None,
            opacity: vec![1.0],
        }
    }

    fn fill_with(&mut self, color: Rgba) {
        if self.fill != Some(color.packed()) {
            self.fill = Some(color.packed());
            // The setter for strings decodes UTF-8 each time; a kept JavaScript string is several times as fast.
            #[allow(deprecated)]
            self.context.set_fill_style(&js_color(color));
        }
    }

    fn stroke_with(&mut self, stroke: &Stroke) {
        let wanted = (stroke.color.packed(), stroke.width.to_bits());
        if self.stroke != Some(wanted) {
            self.stroke = Some(wanted);
            #[allow(deprecated)]
            self.context.set_stroke_style(&js_color(stroke.color));
            self.context.set_line_width(stroke.width);
        }
    }

    fn trace(&self, path: &Path) {
        self.context.begin_path();
        for step in path.steps() {
            match *step {
                Step::Move(to) => self.context.move_to(to.x, to.y),
                Step::Line(to) => self.context.line_to(to.x, to.y),
                Step::Curve(control1, control2, end) => {
                    self.context
                        .bezier_curve_to(control1.x, control1.y, control2.x, control2.y, end.x, end.y);
                }
                Step::Close => self.context.close_path(),
            }
        }
    }

    fn line_dashed(&self, stroke: &Stroke) {
        if stroke.dashes.is_empty() {
            self.context.stroke();
            return;
        }
        let dashes: js_sys::Array = stroke.dashes.iter().map(|&dash| JsValue::from_f64(dash)).collect();
        let _ = self.context.set_line_dash(&dashes);
        self.context.stroke();
        let _ = self.context.set_line_dash(&js_sys::Array::new());
    }

    fn forget(&mut self) {
        self.fill = None;
        self.stroke = None;
        self.type_face = None;
        self.align = None;
    }
}

impl Painter for CanvasPainter {
    fn snap(&self, x: f64) -> f64 {
        (x * self.density).round() / self.density
    }

    fn density(&self) -> f64 {
        self.density
    }

    fn fill_rect(&mut self, rect: Rect, color: Rgba) {
        self.fill_with(color);
        self.context.fill_rect(rect.x, rect.y, rect.width, rect.height);
    }

    fn fill_tiles(&mut self, tiles: &[(Rect, Rgba)], radius: f64) {
        // A call for each cell takes longer than to paint all of them here, and the picture of many is handed over at
        // once.
        if let Some((left, top, pixels)) = mosaic(tiles, radius, self.density) {
            let d = self.density;
            let (width, height) = (pixels.width() as f64 / d, pixels.height() as f64 / d);
            self.image(Rect::new(left / d, top / d, width, height), &pixels);
        }
    }

    fn fill_round_rect(&mut self, rect: Rect, radius: f64, color: Rgba) {
        self.fill_with(color);
        self.context.begin_path();
        let _ = self.context.round_rect_with_f64(rect.x, rect.y, rect.width, rect.height, radius);
        self.context.fill();
    }

    fn stroke_rect(&mut self, rect: Rect, radius: f64, stroke: &Stroke) {
        self.stroke_with(stroke);
        self.context.begin_path();
        let _ = self.context.round_rect_with_f64(rect.x, rect.y, rect.width, rect.height, radius);
        self.line_dashed(stroke);
    }

    fn fill_circle(&mut self, center: Point, radius: f64, color: Rgba) {
        self.fill_with(color);
        self.context.begin_path();
        let _ = self.context.arc(center.x, center.y, radius, 0.0, std::f64::consts::TAU);
        self.context.fill();
    }

    fn fill_path(&mut self, path: &Path, color: Rgba) {
        self.fill_with(color);
        self.trace(path);
        self.context.fill();
    }

    fn stroke_path(&mut self, path: &Path, stroke: &Stroke) {
        self.stroke_with(stroke);
        self.trace(path);
        self.line_dashed(stroke);
    }

    fn fill_texture(&mut self, rects: &[Rect], texture: Texture, color: Rgba) {
        let Some(pattern) = texture_pattern(&self.context, texture, color, self.density) else { return };
        self.context.set_fill_style_canvas_pattern(&pattern);
        self.fill = None;
        // A pattern is measured in the context's units; its tile was made in device pixels.
        let _ = self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
        let d = self.density;
        for rect in rects {
            self.context.fill_rect(rect.x * d, rect.y * d, rect.width * d, rect.height * d);
        }
        let _ = self.context.set_transform(d, 0.0, 0.0, d, 0.0, 0.0);
    }

    fn text(&mut self, text: &str, at: Point, style: &TextStyle) {
        self.fill_with(style.color);
        let type_face = (style.family, style.weight, style.size.to_bits());
        if self.type_face != Some(type_face) {
            self.type_face = Some(type_face);
            self.context.set_font(&font(&self.palette, style));
        }
        if self.align != Some(style.align) {
            self.align = Some(style.align);
            self.context.set_text_align(match style.align {
                Align::Start => "left",
                Align::Center => "center",
                Align::End => "right",
            });
        }
        // The middle of the em box sits too high for digits: half the height of a digit looks centred. So the
        // context's own baseline stays what it is at first, the alphabetic one.
        let shift = match style.baseline {
            Baseline::Top => 0.8,
            Baseline::Middle => 0.35,
            Baseline::Alphabetic => 0.0,
            Baseline::Bottom => -0.2,
        };
        let shift = shift * style.size;
        if style.turn == 0.0 {
            let _ = self.context.fill_text(text, at.x, at.y + shift);
        } else {
            let (sin, cos) = style.turn.sin_cos();
            let d = self.density;
            let _ = self.context.set_transform(d * cos, d * sin, -d * sin, d * cos, d * at.x, d * at.y);
            let _ = self.context.fill_text(text, 0.0, shift);
            let _ = self.context.set_transform(d, 0.0, 0.0, d, 0.0, 0.0);
        }
    }

    fn image(&mut self, rect: Rect, pixels: &Pixels) {
        with_pixels(pixels, |picture| {
            self.context.set_image_smoothing_enabled(false);
            let _ =
                self.context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                    picture,
                    0.0,
                    0.0,
                    pixels.width() as f64,
                    pixels.height() as f64,
                    rect.x,
                    rect.y,
                    rect.width,
                    rect.height,
                );
        });
    }

    fn push_clip(&mut self, rect: Rect) {
        self.context.save();
        self.context.begin_path();
        self.context.rect(rect.x, rect.y, rect.width, rect.height);
        self.context.clip();
        self.opacity.push(self.opacity.last().copied().unwrap_or(1.0));
    }

    fn push_opacity(&mut self, opacity: f64) {
        self.context.save();
        let total = self.opacity.last().copied().unwrap_or(1.0) * opacity;
        self.context.set_global_alpha(total);
        self.opacity.push(total);
    }

    fn pop(&mut self) {
        self.context.restore();
        self.opacity.pop();
        self.forget();
    }
}

/// The width of a line of text in CSS pixels.
pub fn text_width(text: &str, style: &TextStyle) -> f64 {
    type Widths = HashMap<(TypeFace, String), f64>;
    thread_local! {
        static MEASURE: RefCell<(Option<CanvasRenderingContext2d>, Widths)> = RefCell::default();
    }
    /// Labels repeat; numbers that change all the time must not fill the memory.
    const KEPT: usize = 4096;
    MEASURE.with_borrow_mut(|(context, known)| {
        let key = ((style.family, style.weight, style.size.to_bits()), text.to_owned());
        if let Some(width) = known.get(&key) {
            return *width;
        }
        if context.is_none() {
            *context = new_canvas(1, 1).map(|(_, context)| context);
        }
        let Some(context) = context else { return 0.0 };
        context.set_font(&font(&Palette::current(), style));
        let width = context.measure_text(text).map_or(0.0, |metrics| metrics.width());
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, width);
        width
    })
}

/// A canvas of this many device pixels that is not part of the page, with its context.
pub fn new_canvas(width: u32, height: u32) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    let context = context_of(&canvas)?;
    Some((canvas, context))
}

/// The drawing context of a canvas.
pub fn context_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// Calls `then` with a canvas in whose upper left corner the pixels are.
pub(super) fn with_pixels<T>(pixels: &Pixels, then: impl FnOnce(&HtmlCanvasElement) -> T) -> Option<T> {
    thread_local! {
        static SCRATCH: RefCell<Option<(HtmlCanvasElement, CanvasRenderingContext2d)>> = const { RefCell::new(None) };
    }
    let (width, height) = (pixels.width() as u32, pixels.height() as u32);
    if width == 0 || height == 0 {
        return None;
    }
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.is_none() {
            *scratch = new_canvas(width, height);
        }
        let (canvas, context) = scratch.as_ref()?;
        if canvas.width() < width || canvas.height() < height {
            canvas.set_width(width.max(canvas.width()));
            canvas.set_height(height.max(canvas.height()));
        }
        let data =
            ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels.bytes()), width, height).ok()?;
        context.put_image_data(&data, 0.0, 0.0).ok()?;
        Some(then(canvas))
    })
}

fn font(palette: &Palette, style: &TextStyle) -> String {
    let weight = if style.weight == Weight::Strong { "600 " } else { "" };
    let slant = if style.family == Family::Serif { "italic " } else { "" };
    format!("{slant}{weight}{}px {}", style.size, palette.family(style.family))
}

fn js_color(color: Rgba) -> JsValue {
    thread_local! {
        static KNOWN: RefCell<HashMap<u32, JsValue>> = RefCell::default();
    }
    /// Two ramps of 513 samples in two themes, and then some.
    const KEPT: usize = 8192;
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= KEPT {
            known.clear();
        }
        known.entry(color.packed()).or_insert_with(|| JsValue::from_str(&color.css())).clone()
    })
}

fn texture_pattern(
    context: &CanvasRenderingContext2d,
    texture: Texture,
    color: Rgba,
    density: f64,
) -> Option<CanvasPattern> {
    thread_local! {
        static KNOWN: RefCell<HashMap<(Texture, u32, u32), CanvasPattern>> = RefCell::default();
    }
    let side = (Texture::TILE * density).round().max(2.0) as u32;
    KNOWN.with_borrow_mut(|known| {
        let key = (texture, color.packed(), side);
        if let Some(pattern) = known.get(&key) {
            return Some(pattern.clone());
        }
        let (tile, drawing) = new_canvas(side, side)?;
        drawing.set_stroke_style_str(&color.css());
        drawing.set_line_width(density);
        drawing.begin_path();
        for (from, to) in texture.lines() {
            drawing.move_to(from.x * f64::from(side), from.y * f64::from(side));
            drawing.line_to(to.x * f64::from(side), to.y * f64::from(side));
        }
        drawing.stroke();
        let pattern = context.create_pattern_with_html_canvas_element(&tile, "repeat").ok()??;
        known.insert(key, pattern.clone());
        Some(pattern)
    })
}
