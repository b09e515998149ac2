//! The texts that programs can use without bringing them: the standard library, and the
//! constructions that `load "name";` finds.

use std::collections::{BTreeMap, HashMap};

/// The standard library, which every program knows.
pub const STANDARD: &str = include_str!("../library/standard.rasp");

/// Finds the text of a file for `load "name";`.
pub trait Resolver {
    /// The text of the file `name.rasp`; `None` when there is none.
    fn resolve(&self, name: &str) -> Option<String>;
}

/// No files but the constructions of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn resolve(&self, _name: &str) -> Option<String> {
        None
    }
}

impl Resolver for HashMap<String, String> {
    fn resolve(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

impl Resolver for BTreeMap<String, String> {
    fn resolve(&self, name: &str) -> Option<String> {
        self.get(name).cloned()
    }
}

/// The constructions: files that any program can load by these names.
pub const CONSTRUCTIONS: &[(&str, &str)] = &[];

/// The text of a construction.
pub fn construction(name: &str) -> Option<&'static str> {
    CONSTRUCTIONS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}
