//! Drawing: high-DPI surfaces, painters, colour scales, the animation clock, pan and zoom.
//!
//! A picture is a function from a [`painter::Painter`] and a [`surface::Frame`] to strokes. The same function
//! draws on a canvas and writes an SVG file.
//!
//! ```ignore
//! let draw = Draw::new(move |painter, frame| {
//!     let radius = radius.get(); // a signal: reading it here is enough to redraw when it changes
//!     painter.fill_circle(Point::new(frame.width / 2.0, frame.height / 2.0), radius, frame.palette.accent);
//! });
//! view! { <Surface draw=draw class="my-picture"/> }
//! ```

pub mod canvas;
pub mod clock;
pub mod color;
pub mod export;
pub mod geometry;
pub mod gestures;
mod mosaic;
pub mod painter;
pub mod palette;
pub mod resize;
pub mod scheduler;
pub mod shifted;
pub mod step;
pub mod surface;
pub mod svg;
pub mod viewport;
