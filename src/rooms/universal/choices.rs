//! What a person chose in the workspace “Universal”.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use transformer::presets::RANDOM_CLASS;
use transformer::{Attention, Class, HeadMatrix, Mask, Scale, Target};
use universal::{Consumer, Law, Tying};

use super::kept::{keep, recall};
use crate::link::query::Query;
use crate::link::{Choices, Page};
use crate::rooms::shared::law;

use crate::ground::decimal;

/// The workspace “Universal”: what is computed, and how it is looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct UniversalState {
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
    /// The class. A random target takes all of it; other targets take attention, mask, scale and residual.
    pub class: Class,
    /// Seed of a random target and of drawn inputs.
    pub seed: u64,
    /// Where the input comes from.
    pub input: InputSource,
    /// Which universal transformer plays.
    pub construction: Construction,
    /// What random frozen weights are drawn from.
    pub law: Law,
    /// Whether random frozen weights differ from layer to layer.
    pub tying: Tying,
    /// Width of a random universal transformer beyond the least sufficient one, N. Below 0 it must fail.
    pub spare: i64,
    /// Seed of random frozen weights.
    pub frozen_seed: u64,
    /// Weights of the target changed by hand.
    pub weight_edits: Vec<WeightEdit>,
    /// Entries of the input changed by hand.
    pub input_edits: Vec<CellEdit>,
    /// Entries of the program E changed by hand.
    pub embedding_edits: Vec<CellEdit>,
}

/// How the numbers are looked at; nothing here changes one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Whose tree of attention paths is shown.
    pub consumer: Consumer,
    /// How many layers the animation has played; `None` is the finished picture.
    pub step: Option<usize>,
    /// The order of the leaves of the tree; `None` is the one that suits their number.
    pub leaves: Option<Leaves>,
    /// Where a target of one's own was learned, if it was. A link does not say it; Back and Forward find it again.
    pub origin: Option<Origin>,
}

/// The run of the workspace “Training” that a target was taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// What it learned, by its word.
    pub task: String,
    /// The seed of the run.
    pub seed: u64,
    /// After how many steps.
    pub steps: usize,
}

/// How the leaves of a tree of attention paths are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Leaves {
    /// As the blocks of E.
    AsOnRoll,
    /// What is added up stands together.
    BySubtree,
}

/// Where the target's weights come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TargetSource {
    /// A preset, by its word in the URL.
    Preset(String),
    /// Drawn from the seed.
    Random,
    /// A person's own.
    Own(Box<Target>),
}

/// Where the input comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum InputSource {
    /// The one that comes with the target.
    Example,
    /// A text, read with the target's vocabulary.
    Text(String),
    /// So many tokens: the example, repeated or cut; for a target without a vocabulary, normal vectors
    /// drawn from the seed.
    Length(usize),
    /// A person's own vectors, n × d.
    Rows(Array2<f64>),
}

/// Which universal transformer plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Construction {
    /// 0/1 weights, one tree of attention paths for each consumer (FUT, sparse construction).
    #[default]
    Sparse,
    /// 0/1 weights, the same in every layer.
    Looped,
    /// Frozen random weights.
    Random,
}

/// One weight of the target changed by hand. Layer, head, row and column count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightEdit {
    /// Layer.
    pub layer: usize,
    /// Head.
    pub head: usize,
    /// Which of the head's matrices.
    pub matrix: HeadMatrix,
    /// Place and value.
    pub cell: CellEdit,
}

/// One entry of a matrix changed by hand. Row and column count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CellEdit {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
    /// The new value; finite.
    pub value: f64,
}

/// Words for attention in URLs and files.
pub const ATTENTION_WORDS: [(&str, Attention); 3] = [
    ("softmax", Attention::Softmax),
    ("average-hard", Attention::AverageHard),
    ("leftmost-hard", Attention::LeftmostHard),
];
/// Words for masks in URLs and files.
pub const MASK_WORDS: [(&str, Mask); 2] = [("none", Mask::None), ("causal", Mask::Causal)];
/// Words for constructions in URLs and files.
pub const CONSTRUCTION_WORDS: [(&str, Construction); 3] =
    [("sparse", Construction::Sparse), ("looped", Construction::Looped), ("random", Construction::Random)];
const TYING_WORDS: [(&str, Tying); 2] = [("free", Tying::Free), ("tied", Tying::Tied)];
const LEAVES_WORDS: [(&str, Option<Leaves>); 2] =
    [("roll", Some(Leaves::AsOnRoll)), ("subtrees", Some(Leaves::BySubtree))];
const RESIDUAL_WORDS: [(&str, bool); 2] = [("on", true), ("off", false)];

/// The word of the random target in the URL, beside those of the presets.
pub const RANDOM_TARGET: &str = "random";
/// The preset that the workspace opens on.
pub const FIRST_PRESET: &str = "induction";
/// The most tokens that the page shows.
pub const MOST_TOKENS: usize = 256;
/// Longest target or input that is written into a link, in bytes before base64. Beyond it, a file.
const LONGEST_BLOB: usize = 6_000;

impl Default for Piece {
    fn default() -> Self {
        let class =
            transformer::presets::by_id(FIRST_PRESET).map_or(RANDOM_CLASS, |preset| *preset.target.class());
        Piece {
            target: TargetSource::Preset(FIRST_PRESET.to_owned()),
            class,
            seed: 7,
            input: InputSource::Example,
            construction: Construction::Sparse,
            law: Law::Gaussian,
            tying: Tying::Free,
            spare: 0,
            frozen_seed: 7,
            weight_edits: Vec::new(),
            input_edits: Vec::new(),
            embedding_edits: Vec::new(),
        }
    }
}

impl Default for Look {
    fn default() -> Self {
        Look { consumer: Consumer::Output, step: None, leaves: None, origin: None }
    }
}

impl Piece {
    /// The same choices with another target. What belonged to the old target's numbers goes; what
    /// belongs to the person stays: construction, law, seeds, and a text that the new target can read.
    #[must_use]
    pub fn with_target(mut self, target: TargetSource) -> Self {
        let class = match &target {
            TargetSource::Random => self.class,
            other => base_class(other),
        };
        let keeps_input = match (&self.input, &target) {
            (InputSource::Rows(rows), _) => rows.ncols() == class.width,
            (_, TargetSource::Random) => true,
            (InputSource::Text(_), _) => tokens_of(&self.target) == tokens_of(&target),
            _ => false,
        };
        if !keeps_input {
            self.input = InputSource::Example;
        }
        self.class = class;
        self.target = target;
        self.weight_edits.clear();
        self.input_edits.clear();
        self.embedding_edits.clear();
        self
    }

    /// The same choices, about to be drawn from another seed: edits of drawn numbers go.
    #[must_use]
    pub fn reseeded(mut self) -> Self {
        if matches!(self.target, TargetSource::Random) {
            self.weight_edits.clear();
            self.input_edits.clear();
            self.embedding_edits.clear();
        }
        self
    }

    /// The same choices with another class. Only a random target can follow a change of shape, so any
    /// other becomes one; attention, mask, scale and residual leave the weights as they are.
    #[must_use]
    pub fn with_class(mut self, class: Class) -> Self {
        let same_shape = shape(&class) == shape(&self.class);
        if !same_shape {
            if !matches!(self.target, TargetSource::Random) {
                self.target = TargetSource::Random;
                // The random target reads the same text as other vectors, and has another example.
                if !matches!(self.input, InputSource::Rows(_)) {
                    self.input_edits.clear();
                }
            }
            if class.width != self.class.width {
                self.input_edits.clear();
                if matches!(self.input, InputSource::Rows(_)) {
                    self.input = InputSource::Example;
                }
            }
            self.weight_edits.clear();
        }
        if class != self.class {
            self.embedding_edits.clear();
        }
        self.class = class;
        self
    }

    /// Whether a link can carry all of this.
    pub fn fits_a_link(&self) -> bool {
        let own = match &self.target {
            TargetSource::Own(target) => blob(target.as_ref()).is_some(),
            _ => true,
        };
        let rows = match &self.input {
            InputSource::Rows(rows) => blob(rows).is_some(),
            _ => true,
        };
        own && rows
    }
}

impl Choices for UniversalState {
    const PAGE: Page = Page::Universal;

    fn encode(&self, query: &mut Query) {
        let (piece, look) = (&self.piece, &self.look);
        match &piece.target {
            TargetSource::Preset(id) => query.set_unless("preset", id.as_str(), FIRST_PRESET),
            TargetSource::Random => query.set("preset", RANDOM_TARGET),
            TargetSource::Own(target) => match blob(target.as_ref()) {
                Some(text) => query.set("target", text),
                None => query.set("kept", keep(target, look.origin.as_ref())),
            },
        }
        let (class, base) = (piece.class, base_class(&piece.target));
        query.set_unless("heads", class.heads, base.heads);
        query.set_unless("layers", class.layers, base.layers);
        query.set_unless("width", class.width, base.width);
        query.set_unless("head-width", class.head_width, base.head_width);
        query.set_word_unless("attention", class.attention, base.attention, &ATTENTION_WORDS);
        query.set_word_unless("mask", class.mask, base.mask, &MASK_WORDS);
        query.set_word_unless("residual", class.residual, base.residual, &RESIDUAL_WORDS);
        if scale_word(class.scale) != scale_word(base.scale) {
            query.set("scale", scale_word(class.scale));
        }
        match &piece.input {
            InputSource::Example => {}
            InputSource::Text(text) => query.set("text", text),
            InputSource::Length(n) => query.set("n", n),
            InputSource::Rows(rows) => {
                if let Some(text) = blob(rows) {
                    query.set("rows", text);
                }
            }
        }
        let default = Piece::default();
        query.set_unless("seed", piece.seed, default.seed);
        query.set_word_unless("construction", piece.construction, default.construction, &CONSTRUCTION_WORDS);
        if piece.law != default.law {
            query.set("law", law::word(piece.law));
        }
        if let Law::Table(table) = piece.law {
            law::set_values(query, table);
        }
        query.set_word_unless("tying", piece.tying, default.tying, &TYING_WORDS);
        query.set_unless("spare", piece.spare, default.spare);
        query.set_unless("frozen-seed", piece.frozen_seed, default.frozen_seed);
        set_list(query, "weights", piece.weight_edits.iter().map(weight_edit_word));
        set_list(query, "input", piece.input_edits.iter().map(cell_edit_word));
        set_list(query, "embedding", piece.embedding_edits.iter().map(cell_edit_word));
        if look.consumer != Consumer::Output {
            query.set("tree", consumer_word(look.consumer));
        }
        if let Some(step) = look.step {
            query.set("step", step);
        }
        query.set_word_unless("leaves", look.leaves, None, &LEAVES_WORDS);
    }

    fn decode(query: &mut Query) -> Self {
        let (target, origin) = decode_target(query);
        let base = base_class(&target);
        let class = Class {
            heads: query.number("heads", base.heads, 1, 64),
            layers: query.number("layers", base.layers, 1, 64),
            width: query.number("width", base.width, 1, 4096),
            head_width: query.number("head-width", base.head_width, 1, 4096),
            attention: query.word("attention", base.attention, &ATTENTION_WORDS),
            mask: query.word("mask", base.mask, &MASK_WORDS),
            scale: query.value("scale", ScaleWord(base.scale), "inverse-sqrt, 0.5", |_| true).0,
            residual: query.word("residual", base.residual, &RESIDUAL_WORDS),
        };
        // A preset or a target of one's own has the shape it has; a link that asks for another shape
        // asks for a random target.
        let target = if shape(&class) == shape(&base) { target } else { TargetSource::Random };
        let default = Piece::default();
        let table = law::values(query);
        let piece = Piece {
            class,
            input: decode_input(query, class.width),
            seed: query.value("seed", default.seed, "0 … 18446744073709551615", |_| true),
            construction: query.word("construction", default.construction, &CONSTRUCTION_WORDS),
            law: query.word("law", default.law, &law::words(table)),
            tying: query.word("tying", default.tying, &TYING_WORDS),
            spare: query.value("spare", default.spare, "-64 … 4096", |spare| (-64..=4096).contains(spare)),
            frozen_seed: query.value(
                "frozen-seed",
                default.frozen_seed,
                "0 … 18446744073709551615",
                |_| true,
            ),
            weight_edits: decode_list(query, "weights", "1.1.wq.1.1:0.5", read_weight_edit, |edit| {
                edit.layer < class.layers && edit.head < class.heads
            }),
            input_edits: decode_list(query, "input", "1.1:0.5", read_cell_edit, |edit| {
                edit.column < class.width
            }),
            embedding_edits: decode_list(query, "embedding", "1.1:0.5", read_cell_edit, |edit| {
                edit.row < class.width
            }),
            target,
        };
        let consumer = query
            .value("tree", ConsumerWord(Consumer::Output), "out, q2.1, k2.1", |word| fits(word.0, &class))
            .0;
        let step = query
            .value("step", Step(None), &format!("0 … {}", class.layers), |step| {
                step.0.is_some_and(|step| step <= class.layers)
            })
            .0;
        let leaves = query.word("leaves", None, &LEAVES_WORDS);
        UniversalState { piece, look: Look { consumer, step, leaves, origin } }
    }

    fn fits_a_link(&self) -> bool {
        self.piece.fits_a_link()
    }
}

/// Whether `class` has this consumer.
pub fn fits(consumer: Consumer, class: &Class) -> bool {
    match consumer {
        Consumer::Query { layer, head } | Consumer::Key { layer, head } => {
            layer < class.layers && head < class.heads
        }
        Consumer::Output => true,
    }
}

/// The vocabulary of a target, where it has a fixed one.
fn tokens_of(target: &TargetSource) -> Option<Vec<String>> {
    let vocabulary = match target {
        TargetSource::Preset(id) => transformer::presets::by_id(id)?.target.vocabulary().cloned(),
        TargetSource::Own(target) => target.vocabulary().cloned(),
        TargetSource::Random => None,
    };
    vocabulary.map(|vocabulary| vocabulary.tokens)
}

fn shape(class: &Class) -> (usize, usize, usize, usize) {
    (class.heads, class.layers, class.width, class.head_width)
}

fn base_class(target: &TargetSource) -> Class {
    match target {
        TargetSource::Preset(id) => {
            transformer::presets::by_id(id).map_or(RANDOM_CLASS, |preset| *preset.target.class())
        }
        TargetSource::Random => RANDOM_CLASS,
        TargetSource::Own(target) => *target.class(),
    }
}

fn decode_target(query: &mut Query) -> (TargetSource, Option<Origin>) {
    if let Some((target, origin)) = query.text("kept").map(str::to_owned).and_then(|name| recall(&name)) {
        return (TargetSource::Own(Box::new(target)), origin);
    }
    if query.text("kept").is_some() {
        query.report_cut("kept");
    }
    (decode_source(query), None)
}

fn decode_source(query: &mut Query) -> TargetSource {
    if let Some(text) = query.text("target") {
        match unblob::<Target>(text).and_then(|target| {
            // What came through a URL is checked like what comes from a file.
            let (class, layers, vocabulary) = target.into_parts();
            Target::new(class, layers, vocabulary).ok()
        }) {
            Some(target) => return TargetSource::Own(Box::new(target)),
            None => query.report_cut("target"),
        }
    }
    let Some(word) = query.text("preset").map(str::to_owned) else {
        return Piece::default().target;
    };
    if word == RANDOM_TARGET {
        return TargetSource::Random;
    }
    if transformer::presets::by_id(&word).is_some() {
        return TargetSource::Preset(word);
    }
    let known: Vec<&str> = transformer::presets::all().iter().map(|preset| preset.id).collect();
    query.report("preset", &known.join(", "));
    Piece::default().target
}

fn decode_input(query: &mut Query, width: usize) -> InputSource {
    // Read in any case, so that a bad value is reported where a text goes before it.
    let length = query.text("n").is_some().then(|| query.number("n", 0, 1, MOST_TOKENS)).filter(|n| *n > 0);
    if let Some(text) = query.text("rows") {
        match unblob::<Array2<f64>>(text).filter(|rows| {
            rows.ncols() == width && rows.nrows() > 0 && rows.iter().all(|value| value.is_finite())
        }) {
            Some(rows) => return InputSource::Rows(rows),
            None => query.report_cut("rows"),
        }
    }
    if let Some(text) = query.text("text") {
        return InputSource::Text(text.to_owned());
    }
    length.map_or(InputSource::Example, InputSource::Length)
}

pub(crate) fn blob<T: Serialize>(value: &T) -> Option<String> {
    let bytes = postcard::to_stdvec(value).ok()?;
    (bytes.len() <= LONGEST_BLOB).then(|| URL_SAFE_NO_PAD.encode(bytes))
}

pub(crate) fn unblob<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    postcard::from_bytes(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

struct ScaleWord(Scale);

impl std::str::FromStr for ScaleWord {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "inverse-sqrt" {
            return Ok(ScaleWord(Scale::InverseSqrt));
        }
        finite(text).map(|factor| ScaleWord(Scale::Factor(factor))).ok_or(())
    }
}

fn scale_word(scale: Scale) -> String {
    match scale {
        Scale::InverseSqrt => "inverse-sqrt".to_owned(),
        // `-0` and powers of ten stay what they are.
        Scale::Factor(factor) => short_number(factor),
    }
}

struct Step(Option<usize>);

impl std::str::FromStr for Step {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(|step| Step(Some(step)))
    }
}

struct ConsumerWord(Consumer);

impl std::str::FromStr for ConsumerWord {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "out" {
            return Ok(ConsumerWord(Consumer::Output));
        }
        let (layer, head) = text.get(1..).and_then(|place| place.split_once('.')).ok_or(())?;
        let (layer, head) = (from_one(layer).ok_or(())?, from_one(head).ok_or(())?);
        match text.as_bytes().first() {
            Some(b'q') => Ok(ConsumerWord(Consumer::Query { layer, head })),
            Some(b'k') => Ok(ConsumerWord(Consumer::Key { layer, head })),
            _ => Err(()),
        }
    }
}

fn consumer_word(consumer: Consumer) -> String {
    match consumer {
        Consumer::Query { layer, head } => format!("q{}.{}", layer + 1, head + 1),
        Consumer::Key { layer, head } => format!("k{}.{}", layer + 1, head + 1),
        Consumer::Output => "out".to_owned(),
    }
}

fn weight_edit_word(edit: &WeightEdit) -> String {
    format!("{}.{}.{}.{}", edit.layer + 1, edit.head + 1, edit.matrix.name(), cell_edit_word(&edit.cell))
}

/// A number in its shortest form that reads back as the same: `0.5`, `3`, `1e-300`.
pub(super) fn short_number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

pub(crate) fn cell_edit_word(edit: &CellEdit) -> String {
    format!("{}.{}:{}", edit.row + 1, edit.column + 1, short_number(edit.value))
}

fn read_weight_edit(text: &str) -> Option<WeightEdit> {
    let mut parts = text.splitn(4, '.');
    let (layer, head) = (from_one(parts.next()?)?, from_one(parts.next()?)?);
    let name = parts.next()?;
    let matrix = HeadMatrix::ALL.into_iter().find(|matrix| matrix.name() == name)?;
    Some(WeightEdit { layer, head, matrix, cell: read_cell_edit(parts.next()?)? })
}

pub(crate) fn read_cell_edit(text: &str) -> Option<CellEdit> {
    let (place, value) = text.split_once(':')?;
    let (row, column) = place.split_once('.')?;
    Some(CellEdit { row: from_one(row)?, column: from_one(column)?, value: finite(value)? })
}

pub(super) fn from_one(text: &str) -> Option<usize> {
    text.parse::<usize>().ok()?.checked_sub(1)
}

pub(super) fn finite(text: &str) -> Option<f64> {
    decimal::parse(text).filter(|value| value.is_finite())
}

pub(crate) fn set_list(query: &mut Query, key: &str, words: impl Iterator<Item = String>) {
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        query.set(key, words.join(","));
    }
}

pub(crate) fn decode_list<T>(
    query: &mut Query,
    key: &str,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
    fits: impl Fn(&T) -> bool,
) -> Vec<T> {
    let Some(text) = query.text(key) else { return Vec::new() };
    match text.split(',').map(|word| read(word).filter(&fits)).collect::<Option<Vec<T>>>() {
        Some(edits) => edits,
        None => {
            query.report(key, expected);
            Vec::new()
        }
    }
}
