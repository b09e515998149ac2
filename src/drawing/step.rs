//! The line of a step of an attention path.

use super::color::Rgba;
use super::painter::Stroke;

/// How the line of a step is drawn, so that heads are told apart without colour: solid, dashed, dotted,
/// dash-dotted, and so on; the skip of a residual class is thin.
pub fn step_stroke(color: Rgba, step: u8, width: f64) -> Stroke {
    match step {
        0 => Stroke::solid(color, width * 0.6),
        1 => Stroke::solid(color, width),
        2 => Stroke::dashed(color, width, &[5.0, 3.0]),
        3 => Stroke::dashed(color, width, &[1.5, 3.0]),
        4 => Stroke::dashed(color, width, &[7.0, 3.0, 1.5, 3.0]),
        more => Stroke::dashed(color, width, &[2.0 + f64::from(more), 2.0]),
    }
}
