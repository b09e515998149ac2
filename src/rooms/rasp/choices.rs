//! The choices of the workspace “RASP”: a program, its files, an input, and which moment of the run is looked at.

use super::packing;

use std::collections::BTreeMap;

use rasp::gallery::{self, Entry, GALLERY};
use serde::{Deserialize, Serialize};

use crate::link::query::Query;
use crate::link::{Choices, Page};

/// Everything that a person chose in the workspace “RASP”.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RaspState {
    /// What is computed.
    pub desk: Desk,
    /// How it is looked at.
    pub look: Look,
}

/// A program and its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The program.
    pub program: String,
    /// The input as it is written: a text in quotes, a list, or bare letters.
    pub input: String,
}

/// Files that a program can load, by the names that it loads them by: that of `mine.rasp` is `mine`.
pub type Files = BTreeMap<String, String>;

/// What stands on the desk of the workspace: everything that decides a result.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Desk {
    /// The program and its input.
    pub piece: Piece,
    /// The files that the program can load besides those of the language.
    pub files: Files,
}

impl Desk {
    /// A program of the gallery with its input.
    pub fn of_entry(entry: &Entry) -> Desk {
        Desk { piece: Piece::of(entry), files: Files::new() }
    }

    /// Whether a link can carry this as it is.
    pub fn is_plain(&self) -> bool {
        self.files.is_empty() && self.piece.fits_plainly()
    }

    /// This as a link holds what it cannot hold in plain text, if it can at all; see [`packing`].
    fn packed(&self) -> Option<String> {
        Some(packing::pack(self)).filter(|packed| packed.len() <= LONGEST_PACKED)
    }
}

/// How a run is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Look {
    /// Where the animation stands; `None` is the picture that tells most.
    pub moment: Option<Moment>,
    /// What one step of the animation is.
    pub pace: Pace,
}

/// A moment of a run at which nothing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Moment {
    /// How many primitives are done.
    pub primitives: usize,
    /// At how many positions the one after them is done.
    pub positions: usize,
}

/// What one step of the animation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Pace {
    /// A statement of the program.
    Statement,
    /// A primitive.
    #[default]
    Primitive,
    /// A primitive at one position.
    Position,
}

impl Pace {
    /// All, from the longest step to the shortest.
    pub const ALL: [Pace; 3] = [Pace::Statement, Pace::Primitive, Pace::Position];
}

const PACE_WORDS: [(&str, Pace); 3] =
    [("statement", Pace::Statement), ("primitive", Pace::Primitive), ("position", Pace::Position)];

/// The program on which the workspace opens.
pub const FIRST_EXAMPLE: &str = "histogram";

/// The most letters of a program and its input that a link carries as they are.
const LONGEST_TEXT: usize = 3_000;

/// The most letters that a link carries of what it packs: servers refuse addresses much longer than this.
const LONGEST_PACKED: usize = 7_000;

impl Default for Piece {
    fn default() -> Self {
        let empty = Piece { program: String::new(), input: String::new() };
        gallery::entry(FIRST_EXAMPLE).map_or(empty, Piece::of)
    }
}

impl Piece {
    /// A program of the gallery with its input.
    pub fn of(entry: &Entry) -> Piece {
        Piece { program: entry.source.to_owned(), input: entry.input.to_owned() }
    }

    /// The entry of the gallery whose program this is.
    pub fn entry(&self) -> Option<&'static Entry> {
        GALLERY.iter().find(|entry| entry.source == self.program)
    }

    fn encode(&self, query: &mut Query) {
        let entry = self.entry();
        match entry {
            Some(entry) => query.set_unless("example", entry.id, FIRST_EXAMPLE),
            None => query.set("program", &self.program),
        }
        if self.input != usual_input(entry) {
            query.set("input", &self.input);
        }
    }

    fn decode(query: &mut Query) -> Piece {
        let ids: Vec<(&str, Option<&Entry>)> = GALLERY.iter().map(|entry| (entry.id, Some(entry))).collect();
        let example = query.word("example", gallery::entry(FIRST_EXAMPLE), &ids);
        let program = query.text("program").map(with_plain_line_ends);
        let entry = if program.is_some() { None } else { example };
        Piece {
            program: program.or(entry.map(|entry| entry.source.to_owned())).unwrap_or_default(),
            input: query.text("input").map_or_else(|| usual_input(entry).to_owned(), with_plain_line_ends),
        }
    }

    /// Whether a link can carry this as it is.
    fn fits_plainly(&self) -> bool {
        let letters =
            |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).map(str::len).sum::<usize>();
        let program = if self.entry().is_some() { 0 } else { letters(&self.program) };
        program + letters(&self.input) <= LONGEST_TEXT
    }
}

impl Choices for RaspState {
    const PAGE: Page = Page::Rasp;

    fn fits_a_link(&self) -> bool {
        self.desk.is_plain() || self.desk.packed().is_some()
    }

    fn encode(&self, query: &mut Query) {
        if self.desk.is_plain() {
            self.desk.piece.encode(query);
        } else if let Some(packed) = self.desk.packed() {
            query.set(PACKED, packed);
        }
        if let Some(Moment { primitives, positions }) = self.look.moment {
            query.set("step", primitives);
            query.set_unless("position", positions, 0);
        }
        query.set_word_unless("pace", self.look.pace, Pace::default(), &PACE_WORDS);
    }

    fn decode(query: &mut Query) -> Self {
        let packed = query.text(PACKED).map(packing::unpack);
        if let Some(None) = packed {
            query.report_cut(PACKED);
        }
        let desk =
            packed.flatten().unwrap_or_else(|| Desk { piece: Piece::decode(query), files: Files::new() });
        let step = query.text("step").is_some().then(|| query.number("step", usize::MAX, 0, MOST_STEPS));
        let moment = step
            .filter(|step| *step <= MOST_STEPS)
            .map(|primitives| Moment { primitives, positions: query.number("position", 0, 0, MOST_STEPS) });
        let pace = query.word("pace", Pace::default(), &PACE_WORDS);
        RaspState { desk, look: Look { moment, pace } }
    }
}

/// The key of what a link cannot hold in plain text.
const PACKED: &str = "packed";

/// More primitives than any program may make.
const MOST_STEPS: usize = 1_000_000_000;

/// The input that belongs to a program of the gallery, or to one of a person's own.
fn usual_input(entry: Option<&'static Entry>) -> &'static str {
    entry.or_else(|| gallery::entry(FIRST_EXAMPLE)).map_or("", |entry| entry.input)
}

/// A text area knows only one way to end a line.
pub fn with_plain_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
