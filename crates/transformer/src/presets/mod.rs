//! Presets: small targets built by hand from weights, each named for what it teaches.
//!
//! No weight here is trained. Every file says what the columns of its states mean and why the
//! weights do what the name says; the tests compare each preset with a plain program.
//!
//! ```
//! use transformer::{forward, presets};
//!
//! let preset = presets::by_id("induction").expect("it is a preset");
//! let output = forward(&preset.target, preset.embed("abcab")?.view())?.output;
//! // The first word belongs to the start token.
//! assert_eq!(preset.readout(&output), ["·", "·", "·", "·", "b", "c"]);
//! # Ok::<(), transformer::Error>(())
//! ```

mod extreme;
mod induction;
mod lookup;
mod majority;
mod parentheses;
mod pascal;
mod random;
mod readout;
mod sorting;
mod weights;

use std::ops::Range;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub use random::{RANDOM_CLASS, random_target};
pub use readout::Readout;

use crate::{Class, Error, Target, Vocabulary};

/// A target with everything that is needed to type a text for it and to read what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name in addresses and in the keys of its explanation: `induction`.
    pub id: &'static str,
    /// The target itself, with a vocabulary.
    pub target: Target,
    /// An example that shows what it does.
    pub input: &'static str,
    /// How a text becomes tokens.
    pub splitting: Splitting,
    /// A token that is put before every text: heads that find nothing look there.
    pub start: Option<&'static str>,
    /// The most tokens, the start among them, for which it keeps its promise.
    pub longest: usize,
    /// What the columns of its states mean, from left to right, without gaps.
    pub blocks: Vec<Block>,
    /// How its output is read.
    pub readout: Readout,
    /// Keys of its explanation: what it does, then one key for each layer.
    pub explain: Vec<String>,
    /// The preset that differs from this one in exactly one weight.
    pub twin: Option<&'static str>,
}

/// How a text becomes tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Splitting {
    /// Every character that is not white space is a token.
    Characters,
    /// Words, separated by white space.
    Words,
}

/// Columns of the states that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Key of their name: `token`, `position`.
    pub name: String,
    /// Which columns.
    pub columns: Range<usize>,
}

/// The names of all presets, the simplest first.
pub const IDS: [&str; 10] = [
    "previous-token",
    "first-token",
    "majority",
    "largest",
    "smallest",
    "pascal",
    "parentheses",
    "sorting",
    "induction",
    "random",
];

/// All presets, the simplest first.
pub fn all() -> Vec<Preset> {
    IDS.iter().filter_map(|id| by_id(id)).collect()
}

/// The preset of that name; only that one is built.
pub fn by_id(id: &str) -> Option<Preset> {
    match id {
        "previous-token" => Some(lookup::previous_token()),
        "first-token" => Some(lookup::first_token()),
        "majority" => Some(majority::majority()),
        "largest" => Some(extreme::largest()),
        "smallest" => Some(extreme::smallest()),
        "pascal" => Some(pascal::pascal()),
        "parentheses" => Some(parentheses::parentheses()),
        "sorting" => Some(sorting::sorting()),
        "induction" => Some(induction::induction()),
        "random" => Some(random::random()),
        _ => None,
    }
}

impl Preset {
    /// The class of its target.
    pub fn class(&self) -> Class {
        *self.target.class()
    }

    /// The tokens of a text, the start among them. A letter that the vocabulary has only in lower
    /// case is taken in lower case. Unknown tokens stay as they are, for [`Preset::embed`] to name.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let pieces: Vec<String> = match self.splitting {
            Splitting::Characters => text.chars().filter(|c| !c.is_whitespace()).map(String::from).collect(),
            Splitting::Words => text.split_whitespace().map(str::to_owned).collect(),
        };
        let known = |piece: &String| self.vocabulary().is_some_and(|v| v.tokens.contains(piece));
        let start = self.start.map(str::to_owned);
        start
            .into_iter()
            .chain(
                pieces
                    .into_iter()
                    .map(|piece| if known(&piece) { piece } else { piece.to_ascii_lowercase() }),
            )
            .collect()
    }

    /// X for a text (n × d).
    ///
    /// # Errors
    /// When the text has no token, one that is not in the vocabulary, or more than `longest`.
    pub fn embed(&self, text: &str) -> Result<Array2<f64>, Error> {
        let tokens = self.tokens(text);
        if tokens.len() > self.longest {
            return Err(Error::TooLong { found: tokens.len(), longest: self.longest });
        }
        self.vocabulary().ok_or(Error::NoVocabulary)?.embed(&tokens)
    }

    /// What an output (n × d) says, one word for each position. It asks nothing of where the output
    /// comes from: that of a universal transformer is read in the same way.
    pub fn readout(&self, output: &Array2<f64>) -> Vec<String> {
        self.readout.read(output)
    }

    fn vocabulary(&self) -> Option<&Vocabulary> {
        self.target.vocabulary()
    }
}

/// The keys of an explanation: `preset.induction.purpose`, `preset.induction.layer-1` ….
fn explain(id: &str, layers: usize) -> Vec<String> {
    let layers = (1..=layers).map(|layer| format!("preset.{id}.layer-{layer}"));
    std::iter::once(format!("preset.{id}.purpose")).chain(layers).collect()
}

/// Blocks one after the other, each with its width.
fn blocks(widths: &[(&str, usize)]) -> Vec<Block> {
    let mut end = 0;
    let mut block = |(name, width): &(&str, usize)| {
        let start = end;
        end += width;
        Block { name: (*name).to_owned(), columns: start..end }
    };
    widths.iter().map(&mut block).collect()
}
