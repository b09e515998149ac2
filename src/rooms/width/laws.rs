//! How laws look and what they are called, the same in all panels.

use universal::Law;

use crate::drawing::palette::Role;
use crate::ground::language::Language;
use crate::widgets::chart::Dot;

/// The hue and the mark of a law; each keeps them everywhere in the workspace.
pub fn look_of(law: Law) -> (Role, Dot) {
    match law {
        Law::Gaussian => (Role::Universal, Dot::Disc),
        Law::Uniform => (Role::Query, Dot::Square),
        Law::Sign => (Role::Value, Dot::Triangle),
        Law::LowRank => (Role::Target, Dot::Cross),
        Law::Table(_) => (Role::Key, Dot::Square),
    }
}

/// The name of a law.
pub fn law_name(law: Law, t: Language) -> &'static str {
    match law {
        Law::Gaussian => t.gaussian(),
        Law::Uniform => t.uniform(),
        Law::Sign => t.sign(),
        Law::LowRank => t.low_rank(),
        Law::Table(_) => t.own_values(),
    }
}

/// The name of a law at the start of a sentence.
pub fn law_title(law: Law, t: Language) -> String {
    let name = law_name(law, t);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The middle one of ascending values.
pub fn median(values: &[f64]) -> Option<f64> {
    values.get(values.len().checked_sub(1)? / 2).copied()
}
