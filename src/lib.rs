//! Pianola's web app: fixed universal transformers and universal simulators of attention, made touchable.

pub mod app;
pub mod drawing;
pub mod widgets;
