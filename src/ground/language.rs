//! The two languages of the page, and how a text is written in both.
//!
//! `texts!` turns each entry into a method of [`Language`], with its arguments. A text that lacks a
//! language, a key that does not exist or an argument of the wrong kind does not compile.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Brazilian Portuguese.
    Pt,
}

impl Language {
    /// Both, in the order in which the switch offers them.
    pub const ALL: [Language; 2] = [Language::En, Language::Pt];

    /// The BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Pt => "pt-BR",
        }
    }

    /// The language of a BCP 47 tag, when it is one of ours: `pt`, `pt-BR` and `pt-PT` are all read in Portuguese.
    pub fn from_tag(tag: &str) -> Option<Language> {
        match tag.split('-').next()?.to_ascii_lowercase().as_str() {
            "en" => Some(Language::En),
            "pt" => Some(Language::Pt),
            _ => None,
        }
    }
}

/// The current language, from the shell's context: `let t = use_language();` then `move || t.get().title()`.
pub fn use_language() -> Signal<Language> {
    use_context::<Signal<Language>>().unwrap_or_else(|| Signal::stored(Language::En))
}

/// A text in the current language, for a view: `{say(t, Language::title)}`. All such texts share one type, so they
/// share the code that keeps them up to date.
pub fn say(t: Signal<Language>, text: fn(Language) -> &'static str) -> impl Fn() -> &'static str + Copy {
    move || text(t.get())
}

/// The same as a signal, for a widget.
pub fn text_of(t: Signal<Language>, text: fn(Language) -> &'static str) -> Signal<String> {
    Signal::derive(move || text(t.get()).to_owned())
}

/// Declares texts: `name: "English" | "Português";` or `name(argument: Type): "… {argument}" | "… {argument}";`.
#[macro_export]
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $(($($argument:ident: $kind:ty),+))? : $en:literal | $pt:literal;)+) => {
        impl $crate::ground::language::Language {
            $($crate::texts!(@one $(#[$doc])* $name $(($($argument: $kind),+))? : $en | $pt);)+
        }
    };
    (@one $(#[$doc:meta])* $name:ident : $en:literal | $pt:literal) => {
        $(#[$doc])*
        #[doc = $en]
        pub fn $name(self) -> &'static str {
            match self {
                $crate::ground::language::Language::En => $en,
                $crate::ground::language::Language::Pt => $pt,
            }
        }
    };
    (@one $(#[$doc:meta])* $name:ident ($($argument:ident: $kind:ty),+) : $en:literal | $pt:literal) => {
        $(#[$doc])*
        #[doc = $en]
        #[allow(clippy::too_many_arguments, reason = "a sentence has as many numbers as it has")]
        pub fn $name(self, $($argument: $kind),+) -> String {
            match self {
                $crate::ground::language::Language::En => format!($en),
                $crate::ground::language::Language::Pt => format!($pt),
            }
        }
    };
}
