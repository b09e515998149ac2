//! What stands around the workspaces: header, navigation, language, theme, the URL.

pub mod app;
pub mod offline;
pub mod preferences;
mod widget_words;
