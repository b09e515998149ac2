//! What a person chose in the workspace “Width”.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use transformer::Class;
use transformer::presets::RANDOM_CLASS;
use universal::{Bounds, Law, Table, Tying, bounds::largest_rank};

use crate::link::query::Query;
use crate::link::{Choices, Page};
use crate::rooms::shared::law;
use crate::rooms::universal::choices::{ATTENTION_WORDS, Construction, InputSource, Piece, TargetSource};

/// The workspace “Width”: the class that is surveyed, the draws that are compared, and what is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WidthState {
    /// The class.
    pub class: Class,
    /// The number of tokens of the input.
    pub tokens: usize,
    /// Seed of the target and of its input.
    pub seed: u64,
    /// Seed of the first draw of frozen weights; the others count up from it.
    pub frozen_seed: u64,
    /// How many draws of frozen weights there are of each law.
    pub draws: usize,
    /// The laws that are compared; at least one, in the order of [`Law::ALL`], the law of one's own values last.
    pub laws: Vec<Law>,
    /// One's own values, also while they are not compared.
    pub table: Table,
    /// Whether frozen weights differ from layer to layer.
    pub tying: Tying,
    /// How far the sweep goes from N, in columns on either side.
    pub reach: usize,
    /// Where the marker stands, in columns beyond N.
    pub spare: i64,
    /// What the sweep shows.
    pub measure: Measure,
    /// Which attention matrix is shown under the marker: head by head, layer by layer, from 0.
    pub matrix: usize,
    /// What is shown of the conditioning.
    pub grade: Grade,
    /// What is shown for every H.
    pub quantity: Quantity,
    /// Where the path from sparse to random weights is looked at, in hundredths of the way.
    pub way: usize,
}

/// What a sweep shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Measure {
    /// The largest difference of target and universal output.
    #[default]
    Error,
    /// ‖E C − B‖ / ‖B‖.
    Residual,
    /// The rank of C.
    Rank,
    /// The condition number of C.
    Condition,
}

/// What is shown of the conditioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Grade {
    /// The condition number of C.
    #[default]
    Condition,
    /// The largest difference of the outputs, in f64 and in f32.
    Error,
}

/// What grows with the depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Quantity {
    /// m of the sparse construction, which is also N.
    #[default]
    Sparse,
    /// m of the looped construction.
    Looped,
    /// The lower bound H^L / 2.
    LowerBound,
    /// The memory of a sparse universal transformer, in bytes.
    Memory,
    /// The multiply-adds of its forward pass.
    MultiplyAdds,
}

/// Words for what a sweep shows.
pub const MEASURE_WORDS: [(&str, Measure); 4] = [
    ("error", Measure::Error),
    ("residual", Measure::Residual),
    ("rank", Measure::Rank),
    ("condition", Measure::Condition),
];
/// Words for what grows with the depth.
pub const QUANTITY_WORDS: [(&str, Quantity); 5] = [
    ("sparse", Quantity::Sparse),
    ("looped", Quantity::Looped),
    ("lower-bound", Quantity::LowerBound),
    ("memory", Quantity::Memory),
    ("multiply-adds", Quantity::MultiplyAdds),
];
/// Words for what is shown of the conditioning.
pub const GRADE_WORDS: [(&str, Grade); 2] = [("condition", Grade::Condition), ("error", Grade::Error)];
const TYING_WORDS: [(&str, Tying); 2] = [("free", Tying::Free), ("tied", Tying::Tied)];
const SWITCH_WORDS: [(&str, bool); 2] = [("on", true), ("off", false)];

/// The most heads, layers and so on that the workspace surveys. Charts reach as far.
pub const MOST_HEADS: usize = 8;
/// See [`MOST_HEADS`].
pub const MOST_LAYERS: usize = 12;
/// See [`MOST_HEADS`].
pub const MOST_WIDTH: usize = 32;
/// See [`MOST_HEADS`].
pub const MOST_HEAD_WIDTH: usize = 16;
/// The most tokens.
pub const MOST_TOKENS: usize = 64;
/// The most draws of a law.
pub const MOST_DRAWS: usize = 12;
/// The farthest that a sweep goes from N.
pub const MOST_REACH: usize = 64;

impl Default for WidthState {
    fn default() -> Self {
        WidthState {
            class: RANDOM_CLASS,
            tokens: 6,
            seed: 1,
            frozen_seed: 7,
            draws: 3,
            laws: vec![Law::Gaussian, Law::LowRank],
            table: law::default_table(),
            tying: Tying::Free,
            reach: 10,
            spare: 0,
            measure: Measure::Error,
            matrix: 2,
            grade: Grade::Condition,
            quantity: Quantity::Sparse,
            way: 100,
        }
    }
}

impl WidthState {
    /// N: the equations of each row of E, and the least m at which a random draw can work.
    pub fn equations(&self) -> u128 {
        Bounds::of(&self.class).random_minimum
    }

    /// The largest rank that a draw of this kind can have; below N no draw works.
    pub fn largest_rank(&self) -> u128 {
        largest_rank(&self.class, self.tying)
    }

    /// The widths of the sweep, ascending: every m within reach of N.
    pub fn widths(&self) -> Vec<usize> {
        let Ok(equations) = usize::try_from(self.equations()) else { return Vec::new() };
        (equations.saturating_sub(self.reach).max(1)..=equations.saturating_add(self.reach)).collect()
    }

    /// The width under the marker.
    pub fn marked_width(&self) -> Option<usize> {
        let equations = usize::try_from(self.equations()).ok()?;
        Some(equations.saturating_add_signed(isize::try_from(self.spare).ok()?).max(1))
    }

    /// The first draw under the marker as a piece of the workspace “Universal”, on an input.
    pub fn marked_piece(&self, input: Array2<f64>) -> Option<Piece> {
        let equations = i64::try_from(self.equations()).ok()?;
        Some(Piece {
            target: TargetSource::Random,
            class: self.class,
            seed: self.seed,
            input: InputSource::Rows(input),
            construction: Construction::Random,
            law: *self.laws.first()?,
            tying: self.tying,
            spare: i64::try_from(self.marked_width()?).ok()? - equations,
            frozen_seed: self.frozen_seed,
            ..Piece::default()
        })
    }

    /// The same choices with a law more or less; the last one stays.
    #[must_use]
    pub fn toggled(mut self, law: Law) -> Self {
        if self.laws.contains(&law) {
            if self.laws.len() > 1 {
                self.laws.retain(|it| *it != law);
            }
        } else {
            self.laws.push(law);
            self.laws.sort_by_key(|law| Law::ALL.iter().position(|it| it == law).unwrap_or(Law::ALL.len()));
        }
        self
    }

    /// The same choices with other values of one's own.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        for law in &mut self.laws {
            if let Law::Table(values) = law {
                *values = table;
            }
        }
        self.table = table;
        self
    }

    /// Layer and head of the attention matrix under the marker, both from 0: the chosen one, or the last of a class
    /// that has fewer.
    pub fn shown_head(&self) -> (usize, usize) {
        let (heads, layers) = (self.class.heads, self.class.layers);
        let matrix = self.matrix.min(heads * layers - 1);
        (matrix / heads, matrix % heads)
    }
}

impl Choices for WidthState {
    const PAGE: Page = Page::Width;

    fn encode(&self, query: &mut Query) {
        let default = WidthState::default();
        let (class, base) = (self.class, default.class);
        query.set_unless("heads", class.heads, base.heads);
        query.set_unless("layers", class.layers, base.layers);
        query.set_unless("width", class.width, base.width);
        query.set_unless("head-width", class.head_width, base.head_width);
        query.set_word_unless("attention", class.attention, base.attention, &ATTENTION_WORDS);
        query.set_word_unless("residual", class.residual, base.residual, &SWITCH_WORDS);
        query.set_unless("n", self.tokens, default.tokens);
        query.set_unless("seed", self.seed, default.seed);
        query.set_unless("frozen-seed", self.frozen_seed, default.frozen_seed);
        query.set_unless("draws", self.draws, default.draws);
        if self.laws != default.laws {
            let words: Vec<&str> = self.laws.iter().map(|law| law::word(*law)).collect();
            query.set("laws", words.join(","));
        }
        law::set_values(query, self.table);
        query.set_word_unless("tying", self.tying, default.tying, &TYING_WORDS);
        query.set_unless("reach", self.reach, default.reach);
        query.set_unless("spare", self.spare, default.spare);
        query.set_word_unless("measure", self.measure, default.measure, &MEASURE_WORDS);
        query.set_unless("matrix", self.matrix, default.matrix);
        query.set_word_unless("grade", self.grade, default.grade, &GRADE_WORDS);
        query.set_word_unless("quantity", self.quantity, default.quantity, &QUANTITY_WORDS);
        query.set_unless("t", self.way, default.way);
    }

    fn decode(query: &mut Query) -> Self {
        let default = WidthState::default();
        let base = default.class;
        let class = Class {
            heads: query.number("heads", base.heads, 1, MOST_HEADS),
            layers: query.number("layers", base.layers, 1, MOST_LAYERS),
            width: query.number("width", base.width, 1, MOST_WIDTH),
            head_width: query.number("head-width", base.head_width, 1, MOST_HEAD_WIDTH),
            attention: query.word("attention", base.attention, &ATTENTION_WORDS),
            residual: query.word("residual", base.residual, &SWITCH_WORDS),
            ..base
        };
        let table = law::values(query);
        let reach = query.number("reach", default.reach, 2, MOST_REACH);
        let farthest = reach as i64;
        WidthState {
            class,
            tokens: query.number("n", default.tokens, 1, MOST_TOKENS),
            seed: query.value("seed", default.seed, "0 … 18446744073709551615", |_| true),
            frozen_seed: query.value(
                "frozen-seed",
                default.frozen_seed,
                "0 … 18446744073709551615",
                |_| true,
            ),
            draws: query.number("draws", default.draws, 1, MOST_DRAWS),
            laws: decode_laws(query, default.laws, table),
            table,
            tying: query.word("tying", default.tying, &TYING_WORDS),
            reach,
            spare: query.value("spare", default.spare, &format!("-{reach} … {reach}"), |spare| {
                (-farthest..=farthest).contains(spare)
            }),
            measure: query.word("measure", default.measure, &MEASURE_WORDS),
            matrix: query.number("matrix", default.matrix, 0, MOST_HEADS * MOST_LAYERS - 1),
            grade: query.word("grade", default.grade, &GRADE_WORDS),
            quantity: query.word("quantity", default.quantity, &QUANTITY_WORDS),
            way: query.number("t", default.way, 0, 100),
        }
    }
}

fn decode_laws(query: &mut Query, default: Vec<Law>, table: Table) -> Vec<Law> {
    let Some(text) = query.text("laws") else { return default };
    let known = law::words(table);
    if !text.split(',').all(|word| known.iter().any(|(known, _)| *known == word)) {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        query.report("laws", &words.join(","));
        return default;
    }
    let is_named = |word: &str| text.split(',').any(|named| named == word);
    known.iter().filter(|(word, _)| is_named(word)).map(|(_, law)| *law).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::link::AppState;

    fn states() -> impl Strategy<Value = WidthState> {
        let class = (
            1..=MOST_HEADS,
            1..=MOST_LAYERS,
            1..=MOST_WIDTH,
            1..=MOST_HEAD_WIDTH,
            prop::sample::select(ATTENTION_WORDS.map(|(_, attention)| attention).to_vec()),
            any::<bool>(),
        );
        let draws = (
            any::<u64>(),
            1..=MOST_DRAWS,
            prop::sample::subsequence(Law::ALL.to_vec(), 1..=Law::ALL.len()),
            prop::sample::select(vec![Tying::Free, Tying::Tied]),
            prop::collection::vec(-1e3..1e3, 1..=Table::MOST),
            any::<bool>(),
        );
        let look = (
            (2..=MOST_REACH).prop_flat_map(|reach| (Just(reach), -(reach as i64)..=reach as i64)),
            prop::sample::select(MEASURE_WORDS.map(|(_, measure)| measure).to_vec()),
            prop::sample::select(QUANTITY_WORDS.map(|(_, quantity)| quantity).to_vec()),
            0..=100_usize,
            0..MOST_HEADS * MOST_LAYERS,
            prop::sample::select(GRADE_WORDS.map(|(_, grade)| grade).to_vec()),
        );
        (class, 1..=MOST_TOKENS, any::<u64>(), draws, look).prop_map(|(class, tokens, seed, draws, look)| {
            let (heads, layers, width, head_width, attention, residual) = class;
            let base = WidthState::default().class;
            let (frozen_seed, draws, mut laws, tying, values, has_own) = draws;
            let ((reach, spare), measure, quantity, way, matrix, grade) = look;
            let table = Table::new(&values).unwrap();
            if has_own {
                laws.push(Law::Table(table));
            }
            WidthState {
                class: Class { heads, layers, width, head_width, attention, residual, ..base },
                tokens,
                seed,
                frozen_seed,
                draws,
                laws,
                table,
                tying,
                reach,
                spare,
                measure,
                matrix,
                grade,
                quantity,
                way,
            }
        })
    }

    proptest! {
        #[test]
        fn a_link_repeats_the_state(width in states()) {
            let state = AppState::of(width);
            let (decoded, bad) = AppState::decode::<WidthState>(&state.encode());
            prop_assert_eq!(bad, Vec::new());
            prop_assert_eq!(decoded, state);
        }
    }

    #[test]
    fn bad_values_are_reported_and_the_default_stands() {
        let (state, bad) =
            AppState::decode::<WidthState>("page=width&laws=gaussian,cauchy&spare=999&draws=0&values=0,x");
        assert_eq!(*state.choices::<WidthState>(), WidthState::default());
        let keys: Vec<&str> = bad.iter().map(|bad| bad.key.as_str()).collect();
        assert_eq!(keys, ["values", "draws", "laws", "spare"]);
    }

    #[test]
    fn own_values_are_kept_while_they_are_not_compared() {
        let table = Table::new(&[0.25, -4.0]).unwrap();
        let state = WidthState::default().with_table(table);
        assert_eq!(state.laws, WidthState::default().laws);
        let compared = state.clone().toggled(Law::Table(table));
        assert_eq!(compared.laws.last(), Some(&Law::Table(table)));
        let other = Table::new(&[1.0]).unwrap();
        assert_eq!(compared.clone().with_table(other).laws.last(), Some(&Law::Table(other)));
        assert_eq!(compared.toggled(Law::Table(table)).table, table);
    }

    #[test]
    fn the_last_law_stays() {
        let state = WidthState { laws: vec![Law::Sign], ..WidthState::default() };
        assert_eq!(state.clone().toggled(Law::Sign).laws, [Law::Sign]);
        assert_eq!(state.toggled(Law::Gaussian).laws, [Law::Gaussian, Law::Sign]);
    }
}
