//! The choices of the workspace “RASP”: a program, an input, and which moment of the run is looked at.

use rasp::gallery::{self, Entry, GALLERY};
use serde::{Deserialize, Serialize};

use super::query::Query;
use super::{Choices, Page};

/// Everything that a person chose in the workspace “RASP”.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RaspState {
    /// What is computed.
    pub piece: Piece,
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

/// The most bytes of a program, and of an input, that a link carries.
const LONGEST_TEXT: usize = 4_000;

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

    /// Whether a link can carry all of this.
    pub fn fits_a_link(&self) -> bool {
        (self.entry().is_some() || self.program.len() <= LONGEST_TEXT) && self.input.len() <= LONGEST_TEXT
    }
}

impl Choices for RaspState {
    const PAGE: Page = Page::Rasp;

    fn encode(&self, query: &mut Query) {
        let Piece { program, input } = &self.piece;
        let entry = self.piece.entry();
        match entry {
            Some(entry) => query.set_unless("example", entry.id, FIRST_EXAMPLE),
            None if program.len() <= LONGEST_TEXT => query.set("program", program),
            None => {}
        }
        if input != usual_input(entry) && input.len() <= LONGEST_TEXT {
            query.set("input", input);
        }
        if let Some(Moment { primitives, positions }) = self.look.moment {
            query.set("step", primitives);
            query.set_unless("position", positions, 0);
        }
        query.set_word_unless("pace", self.look.pace, Pace::default(), &PACE_WORDS);
    }

    fn decode(query: &mut Query) -> Self {
        let ids: Vec<(&str, Option<&Entry>)> = GALLERY.iter().map(|entry| (entry.id, Some(entry))).collect();
        let example = query.word("example", gallery::entry(FIRST_EXAMPLE), &ids);
        let program = query.text("program").map(with_plain_line_ends);
        let entry = if program.is_some() { None } else { example };
        let piece = Piece {
            program: program.or(entry.map(|entry| entry.source.to_owned())).unwrap_or_default(),
            input: query.text("input").map_or_else(|| usual_input(entry).to_owned(), with_plain_line_ends),
        };
        let step = query.text("step").is_some().then(|| query.number("step", usize::MAX, 0, MOST_STEPS));
        let moment = step
            .filter(|step| *step <= MOST_STEPS)
            .map(|primitives| Moment { primitives, positions: query.number("position", 0, 0, MOST_STEPS) });
        let pace = query.word("pace", Pace::default(), &PACE_WORDS);
        RaspState { piece, look: Look { moment, pace } }
    }

    fn fits_a_link(&self) -> bool {
        self.piece.fits_a_link()
    }
}

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
