//! What comes out of the compiler: a target, and what everything in it means.

use ndarray::{Array2, ArrayView2};
use rasp::{Atom, Input, SelectorMatrix, Span};
use serde::{Deserialize, Serialize};
use transformer::{Target, Trace};
use universal::Bounds;

use crate::InputError;

/// A program as weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    /// The weights: average-hard, residual, no mask, scale 1. Its vocabulary has the memory tokens first, then the
    /// tokens of the program.
    pub target: Target,
    /// The tokens of the program, in the order of the target's vocabulary after the memory tokens.
    pub vocabulary: Vec<Atom>,
    /// The most tokens of an input.
    pub longest: usize,
    /// The names of the coordinates of the residual stream, d of them: `tokens = a`, `indices`.
    pub coordinates: Vec<String>,
    /// The coordinates in groups, each coordinate in exactly one of them, in their order.
    pub groups: Vec<Group>,
    /// The heads that do something, in the order of layers. Classes have H heads in every layer; those that are not
    /// named here have weights 0.
    pub heads: Vec<HeadInfo>,
    /// The tokens that stand before every input.
    pub memory: Vec<MemoryToken>,
    /// One for each step of the program (as in [`rasp::Prepared::steps`] and [`rasp::Trace::steps`]).
    pub steps: Vec<StepInfo>,
    /// How the output is read.
    pub readout: Readout,
    /// Its sizes.
    pub statistics: Statistics,
    /// What the person should know.
    pub warnings: Vec<Warning>,
}

/// Coordinates that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `tokens`, `indices`, a name of the program, `memory` …
    pub name: String,
    /// What they are.
    pub kind: GroupKind,
    /// The first coordinate.
    pub start: usize,
    /// One past the last coordinate.
    pub end: usize,
    /// The layer after which they are there; 0 is the input.
    pub layer: usize,
    /// The step of the program that they hold, where there is one.
    pub step: Option<usize>,
    /// Its place in the program.
    pub span: Option<Span>,
    /// The values that they tell apart, with the numbers that they hold for each: `values[i]` has one number for
    /// each coordinate. Empty for groups that hold no value of the program.
    pub values: Vec<(Atom, Vec<f64>)>,
}

/// What a group of coordinates is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GroupKind {
    /// What tells content, the first token and the sink apart.
    Roles,
    /// The tokens.
    Tokens,
    /// The positions.
    Positions,
    /// A value of the program out of finitely many.
    Category,
    /// A number of the program.
    Number,
    /// The keys of memory tokens.
    Memory,
    /// What the output is read from.
    Readout,
}

/// A head and what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadInfo {
    /// Its name in the program, or what it does.
    pub name: String,
    /// Its layer, from 0.
    pub layer: usize,
    /// Its place in the layer, from 0.
    pub head: usize,
    /// What it does.
    pub kind: HeadKind,
    /// The place of the selector, or of the expression that it looks up.
    pub span: Span,
    /// Other places of the program that it serves.
    pub also: Vec<Span>,
    /// The steps of the program that it serves, the first one being that of `span`.
    pub steps: Vec<usize>,
    /// What selects: all of these hold between a query and the keys that it looks at.
    pub selects: Vec<Condition>,
    /// Queries and keys as the functions of values that they are: one for each of the d_h columns in use.
    pub columns: Vec<Column>,
    /// The groups that it reads queries from, keys from, values from, and writes to.
    pub reads: Reads,
}

/// What a head does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HeadKind {
    /// A selector of the program that fetches values: its attention is the selector, and where nothing is
    /// selected, all of it goes to memory tokens.
    Select,
    /// A selector that counts: the first token takes one share beside the selected positions.
    Width,
    /// A selector of which only matters whether it selects: any selected position will do.
    Exists,
    /// The last position, whose index says how long the text is.
    Length,
    /// A table: every position looks at one memory token.
    Table,
}

/// A condition between a query position and a key position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// The selector of this step selects.
    Selector(usize),
    /// The selector of this step does not select.
    NotSelector(usize),
    /// The sequence of this step is true at the key.
    Key(usize),
}

/// One column of Q and K: what it holds, for each value of what it is read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// What queries hold.
    pub query: Vec<Reading>,
    /// What keys hold.
    pub key: Vec<Reading>,
}

/// What a column reads from one variable of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reading {
    /// The same number at every position of the text.
    Constant(f64),
    /// A number for each value of a variable.
    Table {
        /// The name of the variable.
        name: String,
        /// Its values and the numbers.
        numbers: Vec<(Atom, f64)>,
    },
    /// A number of the program, times a factor.
    Times {
        /// The name of the number.
        name: String,
        /// The factor.
        factor: f64,
    },
}

/// Which groups a head reads and writes, as indices of [`Compiled::groups`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reads {
    /// By queries.
    pub queries: Vec<usize>,
    /// By keys.
    pub keys: Vec<usize>,
    /// By values.
    pub values: Vec<usize>,
    /// Written.
    pub writes: Vec<usize>,
}

/// A token of the fixed memory that stands before every input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryToken {
    /// As it stands in the vocabulary of the target.
    pub token: String,
    /// What it is for.
    pub role: MemoryRole,
    /// The heads that look at it, as indices of [`Compiled::heads`].
    pub heads: Vec<usize>,
}

/// What a memory token is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MemoryRole {
    /// Where a query looks that selects nothing, and the share that counts are measured by.
    First,
    /// Where everything looks that is not text.
    Sink,
    /// An entry of a table.
    Entry {
        /// What the entry is chosen by: the values of the variables that it stands for, at most a few of them.
        when: Vec<Vec<(String, String)>>,
        /// How many combinations of values it stands for.
        combinations: usize,
        /// What it says: the names and values of what is written.
        says: Vec<(String, String)>,
    },
    /// Takes a query that selects nothing.
    Default,
}

/// What became of a step of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepInfo {
    /// The place in the program.
    pub span: Span,
    /// The name that the program gave to it.
    pub name: Option<String>,
    /// What became of it.
    pub becomes: Becomes,
    /// The layer after which it is there; 0 is the input. For selectors that of the last thing that they compare.
    pub layer: usize,
    /// The coordinates that hold it or that it is a function of.
    pub coordinates: Vec<usize>,
    /// The heads that compute it, as indices of [`Compiled::heads`].
    pub heads: Vec<usize>,
    /// Its values, where they were inferred: at most the first hundred.
    pub values: Vec<Atom>,
    /// How many values it has.
    pub value_count: usize,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Becomes {
    /// Stands in coordinates of its own.
    Coordinates,
    /// Is a function of coordinates, which its readers apply.
    Folded,
    /// Is the score of heads.
    Scores,
    /// Is part of an idiom that one head does.
    Idiom,
}

/// How the output of the last layer is read at a position of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readout {
    /// How.
    pub kind: ReadoutKind,
    /// The coordinates that are looked at.
    pub coordinates: Vec<usize>,
    /// For a category the value of each coordinate, for a number the values that it can take, in order; empty when
    /// any number may come out.
    pub values: Vec<Atom>,
    /// By how much the right value is nearer, or its coordinate larger, than any other, at least.
    pub margin: f64,
}

/// How an output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ReadoutKind {
    /// The value whose coordinate is the largest.
    Category,
    /// The one coordinate is the number, which is the nearest one of the values where there are any.
    Number,
}

/// The sizes of a compiled program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// L.
    pub layers: usize,
    /// H.
    pub heads: usize,
    /// Heads that do something.
    pub used_heads: usize,
    /// d.
    pub width: usize,
    /// d_h.
    pub head_width: usize,
    /// Memory tokens.
    pub memory: usize,
    /// m of the sparse construction and of random weights, saturating.
    pub sparse: u64,
    /// m of the looped construction, which residual classes do not have.
    pub looped: Option<u64>,
    /// The least m of random weights.
    pub random: u64,
    /// The smallest distance of a score that must win from one that must not.
    pub margin: f64,
    /// The largest score.
    pub largest_score: f64,
    /// Values, combinations and inputs that were looked at on the way.
    pub work: u64,
}

/// What the person should know about a compiled program.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Warning {
    /// Some values of operands give an error, so inputs where they meet have no value in the program.
    #[error("for some values this has none: {reason}")]
    Partial {
        /// The place.
        span: Span,
        /// What the interpreter says.
        reason: String,
    },
}

impl Statistics {
    pub(crate) fn of(target: &Target) -> Self {
        let class = target.class();
        let bounds = Bounds::of(class);
        let saturated = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        Statistics {
            layers: class.layers,
            heads: class.heads,
            used_heads: 0,
            width: class.width,
            head_width: class.head_width,
            memory: 0,
            sparse: saturated(bounds.sparse),
            looped: bounds.looped.map(saturated),
            random: saturated(bounds.random_minimum),
            margin: f64::INFINITY,
            largest_score: 0.0,
            work: 0,
        }
    }
}

impl Compiled {
    /// The number of memory tokens: the first row of the text in every state.
    pub fn first_position(&self) -> usize {
        self.memory.len()
    }

    /// The tokens of the target for an input: the memory tokens, then the text.
    ///
    /// # Errors
    /// When a token is unknown or the input is too long.
    pub fn tokens(&self, input: &Input) -> Result<Vec<String>, InputError> {
        if input.len() > self.longest {
            return Err(InputError::TooLong { found: input.len(), longest: self.longest });
        }
        let mut tokens: Vec<String> = self.memory.iter().map(|memory| memory.token.clone()).collect();
        for (at, token) in input.tokens().iter().enumerate() {
            if !self.vocabulary.contains(token) {
                return Err(InputError::UnknownToken { position: at + 1, token: token.to_string() });
            }
            tokens.push(token.to_string());
        }
        Ok(tokens)
    }

    /// X: the rows of the memory tokens, then those of the text.
    ///
    /// # Errors
    /// When a token is unknown or the input is too long.
    pub fn embed(&self, input: &Input) -> Result<Array2<f64>, InputError> {
        if input.len() > self.longest {
            return Err(InputError::TooLong { found: input.len(), longest: self.longest });
        }
        let memory = self.memory.len();
        let mut x = Array2::zeros((memory + input.len(), self.coordinates.len()));
        let Some(vocabulary) = self.target.vocabulary() else {
            return Ok(x);
        };
        for row in 0..memory {
            x.row_mut(row).assign(&vocabulary.embedding.row(row));
        }
        for (at, token) in input.tokens().iter().enumerate() {
            let known = self
                .vocabulary
                .iter()
                .position(|known| known == token)
                .ok_or_else(|| InputError::UnknownToken { position: at + 1, token: token.to_string() })?;
            let mut row = x.row_mut(memory + at);
            row += &vocabulary.embedding.row(memory + known);
            if let Some(positions) = &vocabulary.positions {
                row += &positions.row(memory + at);
            }
        }
        Ok(x)
    }

    /// Runs the weights on an input and reads what comes out.
    ///
    /// # Errors
    /// When a token is unknown or the input is too long.
    pub fn run(&self, input: &Input) -> Result<(Trace, Vec<Atom>), InputError> {
        let x = self.embed(input)?;
        let trace = transformer::forward(&self.target, x.view())
            .expect("an embedded input has the width of the target and finite numbers");
        let values = self.read(trace.output.view());
        Ok((trace, values))
    }

    /// The values of the program in an output of the target, or of a universal transformer that plays it (n × d,
    /// with the rows of the memory tokens): one for each position of the text.
    pub fn read(&self, output: ArrayView2<f64>) -> Vec<Atom> {
        let readout = &self.readout;
        (self.memory.len()..output.nrows())
            .map(|row| {
                let numbers = readout.coordinates.iter().map(|at| output[[row, *at]]);
                match readout.kind {
                    ReadoutKind::Category => {
                        let best = numbers.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
                        let value = best.and_then(|(at, _)| readout.values.get(at));
                        value.cloned().unwrap_or(Atom::Bool(false))
                    }
                    ReadoutKind::Number => {
                        let number: f64 = numbers.sum();
                        let distance =
                            |value: &Atom| value.as_f64().map_or(f64::MAX, |it| (it - number).abs());
                        let nearest =
                            readout.values.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
                        nearest.cloned().unwrap_or(Atom::Float(number))
                    }
                }
            })
            .collect()
    }

    /// The attention that a head must have between the positions of the text, from a run of the program on the same
    /// input: 1 where it may look. `None` for heads that select nothing of the program (tables, the length). Rows of
    /// the real attention are this divided by the number of ones, for [`HeadKind::Width`] by one more.
    pub fn selector(&self, head: usize, run: &rasp::Trace) -> Option<Vec<Vec<bool>>> {
        let conditions = &self.heads.get(head)?.selects;
        if conditions.is_empty() {
            return None;
        }
        let mut matrix: Option<Vec<Vec<bool>>> = None;
        for condition in conditions {
            let holds: Vec<Vec<bool>> = match condition {
                Condition::Selector(step) => rows(&run.selector(*step)?, true),
                Condition::NotSelector(step) => rows(&run.selector(*step)?, false),
                Condition::Key(step) => {
                    let values = run.steps.get(*step)?.value.as_ref()?;
                    let row: Vec<bool> = values.iter().map(|atom| atom.is_true()).collect();
                    vec![row.clone(); row.len()]
                }
            };
            matrix = Some(match matrix {
                None => holds,
                Some(before) => {
                    let both =
                        |(a, b): (Vec<bool>, Vec<bool>)| a.iter().zip(&b).map(|(a, b)| *a && *b).collect();
                    before.into_iter().zip(holds).map(both).collect()
                }
            });
        }
        matrix
    }
}

fn rows(matrix: &SelectorMatrix, holds: bool) -> Vec<Vec<bool>> {
    let row = |query| (0..matrix.len()).map(|key| matrix.get(query, key) == holds).collect();
    (0..matrix.len()).map(row).collect()
}
