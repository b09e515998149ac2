//! What a person chose in the workspace “Simulator”.

use ndarray::Array2;
use rasp::simulator::{Activation, Attend, Mask, presets};
use serde::{Deserialize, Serialize};

use crate::link::query::Query;
use crate::link::{Choices, Page};
use crate::rooms::universal::choices::{
    CellEdit, RANDOM_TARGET, blob, cell_edit_word, decode_list, read_cell_edit, set_list, unblob,
};

/// The workspace “Simulator”: what is computed, and how it is looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SimulatorState {
    /// What is computed.
    pub piece: Piece,
    /// How it is looked at.
    pub look: Look,
}

/// Everything that decides the numbers. It is the request to the worker, as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Where the target's weights come from.
    pub target: TargetSource,
    /// The target's sizes.
    pub sizes: Sizes,
    /// How scores become attention.
    pub attend: Attend,
    /// Which keys count.
    pub mask: Mask,
    /// The activation of the feed-forward sub-layer, where there is one.
    pub activation: Option<Activation>,
    /// A person's own input in place of the one that comes with the target.
    pub rows: Option<Array2<f64>>,
    /// Seed of whatever is drawn.
    pub seed: u64,
    /// How many rows more than the target's the simulator is built for.
    pub extra_rows: usize,
    /// How many columns more than the target's the simulator is built for.
    pub extra_width: usize,
    /// Entries of the input and the weights changed by hand.
    pub edits: Vec<Edit>,
}

/// Where the target's weights come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TargetSource {
    /// A preset, by its word in the URL.
    Preset(String),
    /// Drawn from the seed.
    Random,
    /// One layer of a person's own transformer, counted from 0; its input is what reaches that layer.
    Own(Box<transformer::Target>, usize),
}

/// The sizes of an attention layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Tokens, n.
    pub rows: usize,
    /// Coordinates of a token, d.
    pub width: usize,
    /// Columns of what attention gives, d_v.
    pub value_width: usize,
    /// Heads, H.
    pub heads: usize,
    /// The hidden width of the feed-forward sub-layer, where there is one.
    pub hidden: usize,
}

/// An entry of one of the target's matrices changed by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The matrix, by the name that the simulator's program gives it: `x`, `a_1`, `v_1`, `w1` …
    pub matrix: String,
    /// Place and value.
    pub cell: CellEdit,
}

/// How the numbers are looked at; nothing here changes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Look {
    /// How many steps the animation has played; `None` is where the workspace opens.
    pub step: Option<usize>,
    /// What one step is.
    pub grain: Grain,
    /// Along which size depth and width are counted.
    pub along: Along,
}

/// What one step of the animation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Grain {
    /// A statement of the program: a whole matrix.
    Statement,
    /// A primitive at all positions, as the program runs it.
    Primitive,
    /// A primitive at one position, one after the other.
    #[default]
    Position,
}

/// A size along which depth and width are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Along {
    /// Tokens, n.
    #[default]
    Rows,
    /// Coordinates, d.
    Width,
    /// Heads, H.
    Heads,
}

impl Along {
    /// All of them.
    pub const ALL: [Along; 3] = [Along::Rows, Along::Width, Along::Heads];
}

/// Words for how scores become attention.
pub const ATTEND_WORDS: [(&str, Attend); 3] =
    [("soft", Attend::Softmax), ("soft-shifted", Attend::ShiftedSoftmax), ("hard", Attend::AverageHard)];
const MASK_WORDS: [(&str, Mask); 2] = [("none", Mask::None), ("causal", Mask::Causal)];
const FEED_FORWARD_WORDS: [(&str, Option<Activation>); 3] =
    [("none", None), ("relu", Some(Activation::Relu)), ("maxmin", Some(Activation::MaxMin))];
const GRAIN_WORDS: [(&str, Grain); 3] =
    [("statement", Grain::Statement), ("primitive", Grain::Primitive), ("position", Grain::Position)];
const ALONG_WORDS: [(&str, Along); 3] = [("n", Along::Rows), ("d", Along::Width), ("H", Along::Heads)];

/// The preset that the workspace opens on.
pub const FIRST_PRESET: &str = "first";
/// The most tokens.
pub const MOST_ROWS: usize = 64;
/// The most coordinates, of tokens and of what attention gives.
pub const MOST_WIDTH: usize = 16;
/// The most heads.
pub const MOST_HEADS: usize = 8;
/// The largest hidden width.
pub const MOST_HIDDEN: usize = 16;
/// The most rows that a simulator has more than its target.
pub const MOST_EXTRA_ROWS: usize = 16;
/// The most columns that a simulator has more than its target.
pub const MOST_EXTRA_WIDTH: usize = 8;
/// The hidden width where a feed-forward sub-layer is added.
const USUAL_HIDDEN: usize = 4;
/// How many tokens an own target is shown with at first.
const EXAMPLE_ROWS: usize = 6;

impl Default for Piece {
    fn default() -> Self {
        Piece::of(TargetSource::Preset(FIRST_PRESET.to_owned()))
    }
}

impl Piece {
    /// A target as it comes.
    pub fn of(target: TargetSource) -> Piece {
        let Base { sizes, attend, mask, activation } = base(&target);
        Piece {
            target,
            sizes,
            attend,
            mask,
            activation,
            rows: None,
            seed: 1,
            extra_rows: 0,
            extra_width: 0,
            edits: Vec::new(),
        }
    }

    /// Another target, as it comes; the seed and the simulator's room stay.
    pub fn with_target(self, target: TargetSource) -> Piece {
        Piece {
            seed: self.seed,
            extra_rows: self.extra_rows,
            extra_width: self.extra_width,
            ..Piece::of(target)
        }
    }

    /// Other sizes. More or fewer tokens leave the weights alone; any other size asks for drawn ones.
    pub fn with_sizes(mut self, sizes: Sizes) -> Piece {
        if shape(&sizes) != shape(&self.sizes) {
            self.target = TargetSource::Random;
            self.edits.clear();
            self.rows = None;
        } else if sizes.hidden != self.sizes.hidden {
            self.edits.retain(|edit| !is_of_feed_forward(&edit.matrix));
        }
        self.edits.retain(|edit| edit.matrix != "x" || edit.cell.row < sizes.rows);
        self.sizes = sizes;
        self
    }

    /// Another feed-forward sub-layer, or none.
    pub fn with_activation(mut self, activation: Option<Activation>) -> Piece {
        if activation.is_none() {
            self.edits.retain(|edit| !is_of_feed_forward(&edit.matrix));
        }
        self.activation = activation;
        self
    }

    /// Rows of one's own as the input.
    pub fn with_rows(mut self, rows: Array2<f64>) -> Piece {
        self.edits.retain(|edit| edit.matrix != "x");
        self.sizes.rows = rows.nrows();
        self.rows = Some(rows);
        self
    }

    /// The same with one entry changed; an entry that was changed before has its newest value only.
    pub fn with_edit(mut self, edit: Edit) -> Piece {
        let place = |edit: &Edit| (edit.matrix.clone(), edit.cell.row, edit.cell.column);
        self.edits.retain(|other| place(other) != place(&edit));
        self.edits.push(edit);
        self
    }

    /// Whether a link can carry all of this.
    pub fn fits_a_link(&self) -> bool {
        let own = match &self.target {
            TargetSource::Own(target, _) => blob(target.as_ref()).is_some(),
            _ => true,
        };
        own && self.rows.as_ref().is_none_or(|rows| blob(rows).is_some())
    }
}

impl Choices for SimulatorState {
    const PAGE: Page = Page::Simulator;

    fn encode(&self, query: &mut Query) {
        let (piece, look) = (&self.piece, &self.look);
        match &piece.target {
            TargetSource::Preset(id) => query.set_unless("preset", id.as_str(), FIRST_PRESET),
            TargetSource::Random => query.set("preset", RANDOM_TARGET),
            TargetSource::Own(target, layer) => {
                if let Some(text) = blob(target.as_ref()) {
                    query.set("target", text);
                }
                query.set_unless("layer", layer + 1, 1);
            }
        }
        let (sizes, base) = (piece.sizes, base(&piece.target));
        query.set_unless("n", sizes.rows, base.sizes.rows);
        query.set_unless("width", sizes.width, base.sizes.width);
        query.set_unless("value-width", sizes.value_width, base.sizes.value_width);
        query.set_unless("heads", sizes.heads, base.sizes.heads);
        query.set_unless("hidden", sizes.hidden, base.sizes.hidden);
        query.set_word_unless("attention", piece.attend, base.attend, &ATTEND_WORDS);
        query.set_word_unless("mask", piece.mask, base.mask, &MASK_WORDS);
        query.set_word_unless("feed-forward", piece.activation, base.activation, &FEED_FORWARD_WORDS);
        if let Some(text) = piece.rows.as_ref().and_then(blob) {
            query.set("rows", text);
        }
        query.set_unless("seed", piece.seed, Piece::default().seed);
        query.set_unless("extra-n", piece.extra_rows, 0);
        query.set_unless("extra-width", piece.extra_width, 0);
        set_list(query, "cells", piece.edits.iter().map(edit_word));
        if let Some(step) = look.step {
            query.set("step", step);
        }
        query.set_word_unless("grain", look.grain, Grain::default(), &GRAIN_WORDS);
        query.set_word_unless("along", look.along, Along::default(), &ALONG_WORDS);
    }

    fn decode(query: &mut Query) -> Self {
        let target = decode_target(query);
        let base = base(&target);
        let sizes = Sizes {
            rows: query.number("n", base.sizes.rows, 1, MOST_ROWS),
            width: query.number("width", base.sizes.width, 1, MOST_WIDTH),
            value_width: query.number("value-width", base.sizes.value_width, 1, MOST_WIDTH),
            heads: query.number("heads", base.sizes.heads, 1, MOST_HEADS),
            hidden: query.number("hidden", base.sizes.hidden, 1, MOST_HIDDEN),
        };
        // A preset has the shape it has; a link that asks for another shape asks for a random target.
        let target = if shape(&sizes) == shape(&base.sizes) { target } else { TargetSource::Random };
        let mut piece = Piece {
            sizes,
            attend: query.word("attention", base.attend, &ATTEND_WORDS),
            mask: query.word("mask", base.mask, &MASK_WORDS),
            activation: query.word("feed-forward", base.activation, &FEED_FORWARD_WORDS),
            rows: decode_rows(query, &sizes),
            seed: query.value("seed", Piece::default().seed, "0 … 18446744073709551615", |_| true),
            extra_rows: query.number("extra-n", 0, 0, MOST_EXTRA_ROWS),
            extra_width: query.number("extra-width", 0, 0, MOST_EXTRA_WIDTH),
            ..Piece::of(target)
        };
        piece.edits =
            decode_list(query, "cells", "x.1.1:0.5, a_1.2.1:-3", read_edit, |edit| has_cell(&piece, edit));
        let step = query.text("step").is_some().then(|| query.number("step", usize::MAX, 0, usize::MAX - 1));
        let look = Look {
            step: step.filter(|step| *step != usize::MAX),
            grain: query.word("grain", Grain::default(), &GRAIN_WORDS),
            along: query.word("along", Along::default(), &ALONG_WORDS),
        };
        SimulatorState { piece, look }
    }

    fn fits_a_link(&self) -> bool {
        self.piece.fits_a_link()
    }
}

/// What a target brings.
struct Base {
    sizes: Sizes,
    attend: Attend,
    mask: Mask,
    activation: Option<Activation>,
}

fn base(target: &TargetSource) -> Base {
    let of_class = |class: rasp::simulator::Class| Base {
        sizes: Sizes {
            rows: class.rows,
            width: class.width,
            value_width: class.value_width,
            heads: class.heads,
            hidden: class.feed_forward.map_or(USUAL_HIDDEN, |shape| shape.hidden),
        },
        attend: class.attend,
        mask: class.mask,
        activation: class.feed_forward.map(|shape| shape.activation),
    };
    let random = Base {
        sizes: Sizes { rows: 5, width: 3, value_width: 3, heads: 1, hidden: USUAL_HIDDEN },
        attend: Attend::Softmax,
        mask: Mask::None,
        activation: None,
    };
    match target {
        TargetSource::Preset(id) => {
            presets::by_id(id).and_then(|target| target.class().ok()).map_or(random, of_class)
        }
        TargetSource::Random => random,
        TargetSource::Own(target, _) => {
            let class = target.class();
            let longest =
                target.vocabulary().and_then(|it| it.positions.as_ref()).map_or(EXAMPLE_ROWS, Array2::nrows);
            Base {
                sizes: Sizes {
                    rows: EXAMPLE_ROWS.min(longest),
                    width: class.width,
                    value_width: class.width,
                    heads: class.heads,
                    hidden: USUAL_HIDDEN,
                },
                attend: match class.attention {
                    transformer::Attention::Softmax => Attend::Softmax,
                    _ => Attend::AverageHard,
                },
                mask: match class.mask {
                    transformer::Mask::None => Mask::None,
                    transformer::Mask::Causal => Mask::Causal,
                },
                activation: None,
            }
        }
    }
}

/// What decides the shapes of the weights of attention.
fn shape(sizes: &Sizes) -> (usize, usize, usize) {
    (sizes.width, sizes.value_width, sizes.heads)
}

fn is_of_feed_forward(matrix: &str) -> bool {
    matches!(matrix, "w1" | "b1" | "w2" | "b2")
}

/// Whether the target has such a cell.
fn has_cell(piece: &Piece, edit: &Edit) -> bool {
    let Sizes { rows, width, value_width, heads, hidden } = piece.sizes;
    let has_feed_forward = piece.activation.is_some();
    let of_head = |number: &str| number.parse().is_ok_and(|head: usize| (1..=heads).contains(&head));
    let shape = match edit.matrix.as_str() {
        "x" => Some((rows, width)),
        "w1" if has_feed_forward => Some((value_width, hidden)),
        "b1" if has_feed_forward => Some((1, hidden)),
        "w2" if has_feed_forward => Some((hidden, width)),
        "b2" if has_feed_forward => Some((1, width)),
        name => match name.split_once('_') {
            Some(("a", number)) if of_head(number) => Some((width, width)),
            Some(("v", number)) if of_head(number) => Some((width, value_width)),
            _ => None,
        },
    };
    shape.is_some_and(|(rows, columns)| edit.cell.row < rows && edit.cell.column < columns)
}

fn decode_target(query: &mut Query) -> TargetSource {
    if let Some(text) = query.text("target") {
        let own = unblob::<transformer::Target>(text).and_then(|target| {
            // What came through a URL is checked like what comes from a file.
            let (class, layers, vocabulary) = target.into_parts();
            transformer::Target::new(class, layers, vocabulary).ok()
        });
        match own.filter(fits) {
            Some(target) => {
                let layer = query.number("layer", 1, 1, target.class().layers) - 1;
                return TargetSource::Own(Box::new(target), layer);
            }
            None => query.report_cut("target"),
        }
    }
    match query.text("preset").map(str::to_owned) {
        None => Piece::default().target,
        Some(word) if word == RANDOM_TARGET => TargetSource::Random,
        Some(word) if presets::IDS.contains(&word.as_str()) => TargetSource::Preset(word),
        Some(_) => {
            query.report("preset", &format!("{}, {RANDOM_TARGET}", presets::IDS.join(", ")));
            Piece::default().target
        }
    }
}

/// Whether an own transformer has sizes that the workspace shows.
pub fn fits(target: &transformer::Target) -> bool {
    let class = target.class();
    class.width <= MOST_WIDTH && class.heads <= MOST_HEADS
}

fn decode_rows(query: &mut Query, sizes: &Sizes) -> Option<Array2<f64>> {
    let text = query.text("rows")?;
    let rows = unblob::<Array2<f64>>(text).filter(|rows| {
        rows.ncols() == sizes.width
            && (1..=MOST_ROWS).contains(&rows.nrows())
            && rows.iter().all(|value| value.is_finite())
    });
    if rows.is_none() {
        query.report_cut("rows");
    }
    rows
}

fn edit_word(edit: &Edit) -> String {
    format!("{}.{}", edit.matrix, cell_edit_word(&edit.cell))
}

fn read_edit(text: &str) -> Option<Edit> {
    let (matrix, cell) = text.split_once('.')?;
    Some(Edit { matrix: matrix.to_owned(), cell: read_cell_edit(cell)? })
}
