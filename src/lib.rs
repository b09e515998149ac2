//! Pianola's web app: fixed universal transformers and universal simulators of attention, made touchable.

#[cfg(feature = "page")]
pub mod app;
#[cfg(feature = "page")]
pub mod drawing;
pub mod jobs;
#[cfg(feature = "page")]
pub mod language;
#[cfg(feature = "page")]
pub mod notices;
#[cfg(feature = "page")]
pub mod offline;
#[cfg(feature = "page")]
pub mod pages;
#[cfg(feature = "page")]
pub mod preferences;
pub mod state;
#[cfg(feature = "page")]
mod widget_words;
#[cfg(feature = "page")]
pub mod widgets;
