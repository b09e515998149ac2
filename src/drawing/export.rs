//! Pictures and numbers as files.

use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::canvas::{CanvasPainter, new_canvas, with_pixels};
use super::geometry::{Point, Rect};
use super::painter::{Painter, Pixels};
use super::palette::Palette;
use super::surface::Frame;
use super::svg::SvgPainter;

/// The picture as the text of an SVG file, on the theme's paper.
pub fn svg_text(size: Point, title: &str, paint: impl FnOnce(&mut dyn Painter, &Frame)) -> String {
    let palette = Palette::current();
    let mut painter = SvgPainter::new(&palette, encode_png);
    paint_on_paper(&mut painter, size, palette.clone(), paint);
    painter.finish(size.x, size.y, title)
}

/// Saves a picture as an SVG file.
pub fn save_svg(file_name: &str, size: Point, title: &str, paint: impl FnOnce(&mut dyn Painter, &Frame)) {
    save_text(file_name, "image/svg+xml", &svg_text(size, title, paint));
}

/// Saves a picture as a PNG file with `density` pixels for each CSS pixel.
pub fn save_png(file_name: &str, size: Point, density: f64, paint: impl FnOnce(&mut dyn Painter, &Frame)) {
    let pixels = |length: f64| (length * density).ceil().max(1.0) as u32;
    let Some((canvas, context)) = new_canvas(pixels(size.x), pixels(size.y)) else { return };
    let palette = Palette::current();
    let mut painter = CanvasPainter::new(context, palette.clone(), density);
    paint_on_paper(&mut painter, size, palette, paint);
    let file_name = file_name.to_owned();
    let on_blob = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            save_blob(&file_name, &blob);
        }
    });
    let _ = canvas.to_blob(on_blob.unchecked_ref());
}

/// Saves text as a file of a media type such as `text/csv`.
pub fn save_text(file_name: &str, media_type: &str, text: &str) {
    save_parts(file_name, media_type, &js_sys::Array::of1(&text.into()));
}

/// Saves bytes as a file.
pub fn save_bytes(file_name: &str, media_type: &str, bytes: &[u8]) {
    save_parts(file_name, media_type, &js_sys::Array::of1(&js_sys::Uint8Array::from(bytes)));
}

/// A file name made of `name`: letters, digits and hyphens, whatever a matrix is called.
pub fn file_stem(name: &str) -> String {
    let mut stem = String::new();
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            stem.push(letter);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_end_matches('-');
    if stem.is_empty() { "pianola".to_owned() } else { stem.to_owned() }
}

fn paint_on_paper(
    painter: &mut dyn Painter,
    size: Point,
    palette: std::rc::Rc<Palette>,
    paint: impl FnOnce(&mut dyn Painter, &Frame),
) {
    painter.fill_rect(Rect::new(0.0, 0.0, size.x, size.y), palette.card);
    paint(painter, &Frame { width: size.x, height: size.y, palette });
}

fn save_parts(file_name: &str, media_type: &str, parts: &js_sys::Array) {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    // The parts are one string or one byte array, which every browser accepts.
    if let Ok(blob) = Blob::new_with_blob_sequence_and_options(parts, &options) {
        save_blob(file_name, &blob);
    }
}

fn save_blob(file_name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    if let Some(anchor) =
        document().create_element("a").ok().and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok())
    {
        anchor.set_href(&address);
        anchor.set_download(file_name);
        anchor.click();
    }
    // Safari reads the blob only after the click has been handled.
    set_timeout(
        move || {
            let _ = Url::revoke_object_url(&address);
        },
        std::time::Duration::from_secs(60),
    );
}

fn encode_png(pixels: &Pixels) -> Option<String> {
    with_pixels(pixels, |scratch| {
        // The scratch canvas may be larger than the picture.
        let (canvas, context) = new_canvas(pixels.width() as u32, pixels.height() as u32)?;
        context.draw_image_with_html_canvas_element(scratch, 0.0, 0.0).ok()?;
        canvas.to_data_url().ok()
    })
    .flatten()
}

/// Copies text to the clipboard; what comes of it is not known at once, so `then` is told.
pub fn copy_text(text: &str, then: impl FnOnce(bool) + 'static) {
    let promise = window().navigator().clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move {
        then(wasm_bindgen_futures::JsFuture::from(promise).await.is_ok());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_stem("A[1,2]"), "A-1-2");
        assert_eq!(file_stem("  "), "pianola");
    }
}
