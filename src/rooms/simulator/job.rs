//! Running a target in the simulator, and counting how deep and wide simulators are.

use ndarray::{Array1, Array2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rasp::simulator::{
    Activation, Attend, Beat, Class, FeedForward, FeedForwardShape, Head, Layout, Mask, Operand, Operation,
    Padding, Simulation, Simulator, SimulatorError, Source, Stage, Target, presets, running_sums,
};
use serde::{Deserialize, Serialize};
use transformer::files::{Input, read_input, read_target};
use transformer::{Attention, NormalDraws, forward};

use crate::rooms::simulator::choices::{
    Along, MOST_HEADS, MOST_ROWS, MOST_WIDTH, Piece, Sizes, TargetSource, fits,
};
use crate::rooms::universal::files::ImportKind;
use crate::work::protocol::Failure;

/// What can be asked of the simulator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Run a target.
    Run(Box<Piece>),
    /// Count layers and heads of the simulators of these sizes and of others.
    Count(Class, Along),
    /// Read a file into the choices.
    Import {
        /// What the person said that it is.
        kind: ImportKind,
        /// Its name, for recognising the format and for messages.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
        /// The choices that it enters into.
        piece: Box<Piece>,
    },
}

/// The answer, variant by variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// A target has been run.
    Run(Box<Simulated>),
    /// Simulators have been counted.
    Count(Counts),
    /// A file has been read: the choices with its content in them.
    Import(Box<Piece>),
}

/// Targets for which there is no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unsupported {
    /// The program adds no residual connection.
    Residual,
    /// Selectors average; they cannot take the first of several.
    LeftmostHard,
    /// More heads or coordinates than the workspace shows.
    Large,
}

/// Everything that the workspace shows of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// The choices that these are the numbers of.
    pub piece: Piece,
    /// The class of the target.
    pub target: Class,
    /// The class that the simulator is built for.
    pub class: Class,
    /// What the simulator receives, by the names of its stretches: the target's matrices, with the edits in them.
    pub inputs: Vec<(String, Array2<f64>)>,
    /// Which stretch of the sequence holds what.
    pub layout: Layout,
    /// The sequence.
    pub sequence: Vec<f64>,
    /// The program.
    pub source: String,
    /// The names and texts of the files that it loads.
    pub files: Vec<(String, String)>,
    /// The names that every program can use, in order.
    pub names: Vec<String>,
    /// A hash of the program, which no weight moves.
    pub fingerprint: u64,
    /// Every matrix on the way, in the order of the program.
    pub stages: Vec<Shown>,
    /// Layers and heads, counted from the program.
    pub count: Count,
    /// The largest difference of both sides in any stage; `None` when the run stopped.
    pub largest: Option<f64>,
    /// What differences are held to.
    pub tolerance: f64,
    /// The largest difference between this simulator and the one of exactly the target's size; `None` where they
    /// are the same, or the run stopped.
    pub unchanged: Option<f64>,
}

/// A stage, and how it comes about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Its name in the program.
    pub name: String,
    /// The head that it belongs to, counted from 1.
    pub head: Option<usize>,
    /// What kind of step it is.
    pub kind: Kind,
    /// What it reads, in the order of the operation.
    pub operands: Vec<Operand>,
    /// As the target computes it.
    pub direct: Array2<f64>,
    /// For products, the target's sums after each term.
    pub direct_sums: Vec<Array2<f64>>,
    /// As the simulator computes it, in the simulator's own size; `None` when the run stopped before.
    pub simulated: Option<Array2<f64>>,
    /// The largest difference over the target's part.
    pub difference: Option<f64>,
    /// What the simulator does, beat by beat.
    pub beats: Vec<Beat>,
}

/// What kind of step a stage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Rows become columns.
    Transpose,
    /// A matrix product, perhaps with a bias.
    Product,
    /// Scores become attention.
    Attend,
    /// Heads are added up.
    Sum,
    /// The activation of the feed-forward sub-layer.
    Activate,
}

/// Layers and heads of one program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Count {
    /// Heads in each layer, as written.
    pub heads: Vec<usize>,
    /// Heads in each layer, equal selectors counted once.
    pub merged: Vec<usize>,
    /// Heads in each layer by the formula.
    pub formula: Vec<usize>,
}

impl Count {
    /// The number of layers.
    pub fn depth(&self) -> usize {
        self.heads.len()
    }

    /// The largest number of heads in a layer, as written.
    pub fn width(&self) -> usize {
        largest_of(&self.heads)
    }

    /// The same with equal selectors counted once.
    pub fn merged_width(&self) -> usize {
        largest_of(&self.merged)
    }

    /// The largest number of heads in a layer by the formula.
    pub fn width_by_formula(&self) -> usize {
        largest_of(&self.formula)
    }
}

/// Simulators of one kind, one size growing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// The class in the middle.
    pub class: Class,
    /// Which size grows.
    pub along: Along,
    /// The size and what was counted, ascending.
    pub points: Vec<(usize, Count)>,
}

/// What is kept between requests.
#[derive(Debug, Default)]
pub struct Workshop {
    last: Option<Simulated>,
}

/// Differences up to this are rounding, for numbers of size 1.
const ROUNDING: f64 = 1e-12;

impl Workshop {
    /// Answers a request.
    ///
    /// # Errors
    /// When the target cannot be simulated, the simulator would be too large, or a file is bad.
    pub fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        Ok(match request {
            Request::Run(piece) => Answer::Run(Box::new(self.run(*piece)?)),
            Request::Count(class, along) => Answer::Count(count_along(class, along)),
            Request::Import { kind, name, bytes, piece } => {
                let piece = import(kind, &name, &bytes, *piece)?;
                // Running it finds everything else that may be wrong; the result is kept for the page.
                self.run(piece.clone())?;
                Answer::Import(Box::new(piece))
            }
        })
    }

    /// Runs a target in the simulator.
    ///
    /// # Errors
    /// When the target cannot be simulated, or the simulator would be too large.
    pub fn run(&mut self, piece: Piece) -> Result<Simulated, Failure> {
        if let Some(last) = self.last.as_ref().filter(|last| last.piece == piece) {
            return Ok(last.clone());
        }
        let target = resolve(&piece)?;
        // Sizes are refused before shapes are looked at, so that the refusal can say what would fit.
        let class = class_of(&piece, sizes_of(&target));
        let simulator = simulator_of(class)?;
        let exact = target.class()?;
        let simulation = simulator.run(&target)?;
        let unchanged = match class == exact {
            true => None,
            false => difference(&simulator_of(exact)?.run(&target)?, &simulation),
        };
        let simulated = shown(piece, &target, exact, &simulator, simulation, unchanged);
        self.last = Some(simulated.clone());
        Ok(simulated)
    }
}

/// The class of a target by its sizes and kinds alone, whether or not it is possible.
fn sizes_of(target: &Target) -> Class {
    Class {
        rows: target.x.nrows(),
        width: target.x.ncols(),
        value_width: target.heads.first().map_or(0, |head| head.v.ncols()),
        heads: target.heads.len(),
        attend: target.attend,
        mask: target.mask,
        feed_forward: target.feed_forward.as_ref().map(|layer| FeedForwardShape {
            hidden: layer.w1.ncols(),
            output: layer.w2.ncols(),
            activation: layer.activation,
        }),
        padding: Padding::Exact,
    }
}

/// The class that the simulator is built for: the target's own, or a larger one.
fn class_of(piece: &Piece, exact: Class) -> Class {
    let Piece { extra_rows, extra_width, .. } = *piece;
    if extra_rows == 0 && extra_width == 0 {
        return exact;
    }
    Class {
        rows: exact.rows + extra_rows,
        width: exact.width + extra_width,
        value_width: exact.value_width + extra_width,
        padding: Padding::Masked,
        ..exact
    }
}

/// The simulator of a class; one that is too large is refused with what would fit.
fn simulator_of(class: Class) -> Result<Simulator, Failure> {
    Simulator::new(class).map_err(|error| match error {
        SimulatorError::TooLong { .. } | SimulatorError::TooMuchData { .. } => {
            let fits = |rows: &usize| Simulator::new(Class { rows: *rows, ..class }).is_ok();
            // Fewer tokens of the target do not shrink the padding that was asked for.
            let rows = match class.padding {
                Padding::Exact => (1..class.rows).rev().find(fits),
                Padding::Masked => None,
            };
            Failure::SimulatorTooLarge { error, rows }
        }
        error => Failure::Simulator(error),
    })
}

fn shown(
    piece: Piece,
    target: &Target,
    exact: Class,
    simulator: &Simulator,
    simulation: Simulation,
    unchanged: Option<f64>,
) -> Simulated {
    let inputs = target.inputs();
    let matrix = |operand: &Operand| match &operand.source {
        Source::Input(name) => {
            inputs.iter().find(|(found, _)| found == name).map(|(_, matrix)| matrix.clone())
        }
        Source::Stage(name) => {
            simulation.stages.iter().find(|stage| stage.name == *name).map(|stage| stage.direct.clone())
        }
    };
    let stages: Vec<Shown> = simulation
        .stages
        .iter()
        .map(|stage| {
            let operands: Vec<Operand> = operands(stage).into_iter().cloned().collect();
            let direct_sums = match (&stage.operation, operands.as_slice()) {
                (Operation::Product { .. }, [left, right, ..]) => matrix(left)
                    .zip(matrix(right))
                    .map(|(left, right)| running_sums(&left, &right))
                    .unwrap_or_default(),
                _ => Vec::new(),
            };
            Shown {
                name: stage.name.clone(),
                head: stage.head,
                kind: kind(&stage.operation),
                operands,
                direct: stage.direct.clone(),
                direct_sums,
                simulated: stage.simulated.clone(),
                difference: stage.largest_difference,
                beats: simulation.beats(stage),
            }
        })
        .collect();
    let magnitude = stages
        .iter()
        .flat_map(|stage| stage.direct.iter())
        .filter(|value| value.is_finite())
        .fold(1.0, |most: f64, value| most.max(value.abs()));
    let class = *simulator.class();
    Simulated {
        piece,
        target: exact,
        class,
        layout: simulator.layout().clone(),
        sequence: simulation.run.input.tokens().iter().filter_map(rasp::Atom::as_f64).collect(),
        source: simulator.source().to_owned(),
        files: simulation.run.files.clone(),
        names: rasp::library::names(),
        fingerprint: xxhash_rust::xxh3::xxh3_64(simulator.source().as_bytes()),
        count: Count {
            heads: simulation.run.analysis.heads_per_layer.clone(),
            merged: simulation.run.analysis.merged_heads_per_layer(),
            formula: class.heads_by_formula(),
        },
        largest: simulation.largest_difference,
        tolerance: ROUNDING * magnitude,
        unchanged,
        inputs,
        stages,
    }
}

fn operands(stage: &Stage) -> Vec<&Operand> {
    match &stage.operation {
        Operation::Product { left, right, bias, .. } => [left, right].into_iter().chain(bias).collect(),
        Operation::Transpose(operand) | Operation::Attend(operand) | Operation::Activate(operand) => {
            vec![operand]
        }
        Operation::Sum(operands) => operands.iter().collect(),
    }
}

fn kind(operation: &Operation) -> Kind {
    match operation {
        Operation::Transpose(_) => Kind::Transpose,
        Operation::Product { .. } => Kind::Product,
        Operation::Attend(_) => Kind::Attend,
        Operation::Sum(_) => Kind::Sum,
        Operation::Activate(_) => Kind::Activate,
    }
}

/// The largest difference between what two simulators compute, over the part that both have.
fn difference(one: &Simulation, other: &Simulation) -> Option<f64> {
    one.stages.iter().zip(&other.stages).try_fold(0.0, |most: f64, (one, other)| {
        let (one, other) = (one.simulated.as_ref()?, other.simulated.as_ref()?);
        let differences =
            one.indexed_iter().filter_map(|(place, value)| Some((value - other.get(place)?).abs()));
        Some(differences.fold(most, f64::max))
    })
}

/// The target of the choices, with the edits in it.
fn resolve(piece: &Piece) -> Result<Target, Failure> {
    let Sizes { rows, width, value_width, heads, hidden } = piece.sizes;
    let draw = |stream: u64, rows: usize, columns: usize, spread: f64| {
        draw(piece.seed, stream, rows, columns, spread)
    };
    let mut target = match &piece.target {
        TargetSource::Preset(id) => presets::by_id(id).ok_or_else(|| Failure::NoSuchPreset(id.clone()))?,
        TargetSource::Random => {
            let spread = 1.0 / (width as f64).sqrt();
            Target {
                x: draw(0, rows, width, 1.0),
                heads: (0..heads as u64)
                    .map(|head| Head {
                        a: draw(5 + 2 * head, width, width, spread),
                        v: draw(6 + 2 * head, width, value_width, spread),
                    })
                    .collect(),
                attend: piece.attend,
                mask: piece.mask,
                feed_forward: None,
            }
        }
        TargetSource::Own(target, layer) => own(target, *layer, piece)?,
    };
    if let Some(own) = &piece.rows {
        if own.ncols() != width {
            return Err(SimulatorError::Shape {
                matrix: "x".to_owned(),
                found_rows: own.nrows(),
                found_columns: own.ncols(),
                expected_rows: own.nrows(),
                expected_columns: width,
            }
            .into());
        }
        target.x = own.clone();
    }
    if target.x.nrows() != rows {
        let take: Vec<usize> = (0..rows).map(|row| row % target.x.nrows()).collect();
        target.x = target.x.select(ndarray::Axis(0), &take);
    }
    target.attend = piece.attend;
    target.mask = piece.mask;
    target.feed_forward = piece.activation.map(|activation| match target.feed_forward.take() {
        Some(layer) if layer.w1.ncols() == hidden => FeedForward { activation, ..layer },
        _ => feed_forward(piece, activation),
    });
    for edit in &piece.edits {
        let cell = cell_of(&mut target, &edit.matrix, edit.cell.row, edit.cell.column);
        *cell.ok_or_else(|| Failure::NoSuchCell {
            name: edit.matrix.clone(),
            row: edit.cell.row + 1,
            column: edit.cell.column + 1,
        })? = edit.cell.value;
    }
    Ok(target)
}

/// A drawn feed-forward sub-layer; its output has the width of the input, as in a stack of layers.
fn feed_forward(piece: &Piece, activation: Activation) -> FeedForward {
    let Sizes { width, value_width, hidden, .. } = piece.sizes;
    let draw = |stream: u64, rows: usize, columns: usize| draw(piece.seed, stream, rows, columns, 0.7);
    let bias = |stream: u64, columns: usize| Array1::from_iter(draw(stream, 1, columns));
    FeedForward {
        w1: draw(1, value_width, hidden),
        b1: bias(2, hidden),
        w2: draw(3, hidden, width),
        b2: bias(4, width),
        activation,
    }
}

/// Normal numbers with two decimals, so that they can be read whole. Every matrix has a stream of its own, so that
/// one that grows leaves the others as they are.
fn draw(seed: u64, stream: u64, rows: usize, columns: usize, spread: f64) -> Array2<f64> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    let mut draws = NormalDraws::new(generator);
    Array2::from_shape_simple_fn((rows, columns), || (draws.draw() * spread * 100.0).round() / 100.0)
}

/// One layer of a person's own transformer, with what reaches it as its input.
fn own(target: &transformer::Target, layer: usize, piece: &Piece) -> Result<Target, Failure> {
    let class = target.class();
    if class.residual {
        return Err(Failure::NotSimulated(Unsupported::Residual));
    }
    if class.attention == Attention::LeftmostHard {
        return Err(Failure::NotSimulated(Unsupported::LeftmostHard));
    }
    let rows = piece.sizes.rows;
    let input = match target.vocabulary() {
        Some(vocabulary) => {
            let tokens: Vec<&String> = vocabulary.tokens.iter().cycle().take(rows).collect();
            vocabulary.embed(&tokens)?
        }
        None => draw(piece.seed, 0, rows, class.width, 1.0),
    };
    let trace = forward(target, input.view())?;
    let found = target.layers().get(layer).zip(trace.states.get(layer));
    let (weights, x) = found.ok_or_else(|| Failure::NoSuchPreset((layer + 1).to_string()))?;
    let heads = weights
        .heads
        .iter()
        .map(|head| Head::from_weights(&head.wq, &head.wk, &head.wv, &head.wo, class.score_factor()))
        .collect::<Result<_, _>>()?;
    Ok(Target { x: x.clone(), heads, attend: Attend::Softmax, mask: Mask::None, feed_forward: None })
}

fn cell_of<'a>(target: &'a mut Target, matrix: &str, row: usize, column: usize) -> Option<&'a mut f64> {
    let layer = target.feed_forward.as_mut();
    match matrix {
        "x" => return target.x.get_mut((row, column)),
        "w1" => return layer?.w1.get_mut((row, column)),
        "w2" => return layer?.w2.get_mut((row, column)),
        "b1" if row == 0 => return layer?.b1.get_mut(column),
        "b2" if row == 0 => return layer?.b2.get_mut(column),
        _ => {}
    }
    let (which, head) = matrix.split_once('_')?;
    let head = target.heads.get_mut(head.parse::<usize>().ok()?.checked_sub(1)?)?;
    match which {
        "a" => head.a.get_mut((row, column)),
        "v" => head.v.get_mut((row, column)),
        _ => None,
    }
}

fn import(kind: ImportKind, name: &str, bytes: &[u8], piece: Piece) -> Result<Piece, Failure> {
    match kind {
        ImportKind::Target => {
            let target = read_target(bytes, name)?;
            if !fits(&target) {
                return Err(Failure::NotSimulated(Unsupported::Large));
            }
            Ok(piece.with_target(TargetSource::Own(Box::new(target), 0)))
        }
        ImportKind::Input => {
            let rows = match read_input(bytes, name)? {
                Input::Rows(rows) => rows,
                Input::Tokens(tokens) => match &piece.target {
                    TargetSource::Own(target, 0) => {
                        let vocabulary = target.vocabulary().ok_or(transformer::Error::NoVocabulary)?;
                        vocabulary.embed(&tokens)?
                    }
                    _ => return Err(transformer::Error::NoVocabulary.into()),
                },
            };
            if rows.nrows() > MOST_ROWS {
                return Err(transformer::Error::TooLong { found: rows.nrows(), longest: MOST_ROWS }.into());
            }
            Ok(piece.with_rows(rows))
        }
    }
}

/// Counts the simulators of a class with one size growing. Nothing is run: the program alone is read.
fn count_along(class: Class, along: Along) -> Counts {
    let most = match along {
        Along::Rows => 16,
        Along::Width => MOST_WIDTH,
        Along::Heads => MOST_HEADS,
    };
    let points = (1..=most)
        .filter_map(|size| {
            let class = match along {
                Along::Rows => Class { rows: size, ..class },
                Along::Width => Class { width: size, ..class },
                Along::Heads => Class { heads: size, ..class },
            };
            let simulator = Simulator::new(class).ok()?;
            let analysis = simulator.analyse().ok()?;
            let count = Count {
                heads: analysis.heads_per_layer.clone(),
                merged: analysis.merged_heads_per_layer(),
                formula: class.heads_by_formula(),
            };
            Some((size, count))
        })
        .collect();
    Counts { class, along, points }
}

fn largest_of(heads: &[usize]) -> usize {
    heads.iter().copied().max().unwrap_or(0)
}
