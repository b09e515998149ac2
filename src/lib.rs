//! Pianola's web app: fixed universal transformers and universal simulators of attention, made touchable.

pub mod app;
pub mod decimal;
pub mod drawing;
pub mod jobs;
pub mod language;
pub mod notices;
pub mod offline;
pub mod pages;
pub mod parts;
pub mod preferences;
pub mod state;
mod widget_words;
pub mod widgets;
