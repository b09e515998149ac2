//! What belongs to the reader and not to the link: language and theme, remembered in this browser.

use leptos::prelude::*;
use web_sys::Storage;

use crate::ground::language::Language;

const LANGUAGE_KEY: &str = "pianola.language";
const THEME_KEY: &str = "pianola.theme";

/// Light, dark, or whatever the system says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The next one of the switch.
    #[must_use]
    pub fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    /// A symbol for the switch.
    pub fn symbol(self) -> &'static str {
        match self {
            Theme::System => "◐",
            Theme::Light => "○",
            Theme::Dark => "●",
        }
    }

    fn word(self) -> Option<&'static str> {
        match self {
            Theme::System => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }
}

/// The remembered language, else the browser's, else English. `lang=` in the URL goes before both, so
/// that a lesson can choose.
pub fn language() -> Language {
    let asked = window().location().search().ok().and_then(|query| {
        let query = crate::link::query::Query::parse(query.trim_start_matches('?'));
        query.text("lang").and_then(Language::from_tag)
    });
    let remembered = || recall(LANGUAGE_KEY).as_deref().and_then(Language::from_tag);
    let browser = || window().navigator().language().as_deref().and_then(Language::from_tag);
    asked.or_else(remembered).or_else(browser).unwrap_or_default()
}

/// The remembered theme.
pub fn theme() -> Theme {
    let word = recall(THEME_KEY);
    [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.word() == word.as_deref()).unwrap_or_default()
}

/// Remembers the language.
pub fn remember_language(language: Language) {
    remember(LANGUAGE_KEY, Some(language.tag()));
}

/// Remembers the theme.
pub fn remember_theme(theme: Theme) {
    remember(THEME_KEY, theme.word());
}

/// Tells the document its language, for screen readers and hyphenation.
pub fn apply_language(language: Language) {
    if let Some(root) = document().document_element() {
        // An attribute with a plain name cannot be refused.
        let _ = root.set_attribute("lang", language.tag());
    }
}

/// Tells the style sheets the theme.
pub fn apply_theme(theme: Theme) {
    if let Some(root) = document().document_element() {
        let _ = match theme.word() {
            Some(word) => root.set_attribute("data-theme", word),
            None => root.remove_attribute("data-theme"),
        };
    }
}

// A browser may forbid storage; then nothing is remembered and nothing else changes.
fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

fn recall(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn remember(key: &str, value: Option<&str>) {
    if let Some(storage) = storage() {
        let _ = match value {
            Some(value) => storage.set_item(key, value),
            None => storage.remove_item(key),
        };
    }
}

crate::texts! {
    theme_system: "as the system" | "como o sistema";
    theme_light: "light" | "claro";
    theme_dark: "dark" | "escuro";
}

impl Language {
    /// The name of a theme.
    pub fn theme_name(self, theme: Theme) -> &'static str {
        match theme {
            Theme::System => self.theme_system(),
            Theme::Light => self.theme_light(),
            Theme::Dark => self.theme_dark(),
        }
    }
}
