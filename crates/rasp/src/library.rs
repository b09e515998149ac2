//! The texts that programs can use without bringing them: the standard library, and the
//! constructions that `load "name";` finds.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::elementwise::Mathematics;
use crate::graph::Base;
use crate::syntax::{Program, RESERVED_WORDS, parse};

/// The standard library, which every program knows.
pub const STANDARD: &str = include_str!("../library/standard.rasp");

/// The tree of the standard library, read once.
pub(crate) static STANDARD_TREE: LazyLock<Program> = LazyLock::new(|| parse(STANDARD).tree);

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

macro_rules! constructions {
    ($($name:literal)*) => {
        /// The constructions: files that any program can load by these names.
        pub const CONSTRUCTIONS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../constructions/", $name, ".rasp"))),)*
        ];
    };
}

constructions! {
    "layout" "transpose" "matmul" "softmax" "hard_max" "determinant" "inverse" "activation" "affine" "attention" "feed_forward" "multi_head" "encoder" "match2" "parity"
}

/// The text of a construction.
pub fn construction(name: &str) -> Option<&'static str> {
    CONSTRUCTIONS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// What the headers of the constructions state: for each function, the number of heads in each layer
/// as a RASP list of formulas in the names of its arguments (`h` stands for the number of heads).
///
/// The depth is the length of the list. It holds no length of the sequence: depth never depends on it.
pub fn stated_heads() -> Vec<(&'static str, &'static str)> {
    let lines = CONSTRUCTIONS.iter().flat_map(|(_, text)| text.lines());
    lines.filter_map(|line| line.strip_prefix("# Heads of ")?.split_once(": ")).collect()
}

/// The names and words that every program knows, in alphabetical order: for completion in an editor.
/// Those that a program adds are [`Program::defined_names`](crate::syntax::Program::defined_names).
pub fn names() -> Vec<String> {
    let mut names = STANDARD_TREE.defined_names();
    let others = ["True", "False", "tokens", "out", "require"];
    let forms = ["select", "aggregate", "range", "zip", "len"];
    names.extend(others.into_iter().chain(forms).map(str::to_owned));
    names.extend(Base::ALL.iter().map(|base| base.name().to_owned()));
    names.extend(Mathematics::ALL.iter().map(|function| function.name().to_owned()));
    names.extend(RESERVED_WORDS.iter().map(|word| (*word).to_owned()));
    names.sort();
    names
}
