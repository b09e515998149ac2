//! A simulator, and a target run in it: every matrix on the way from both sides.

use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};

use super::SimulatorError;
use super::class::{Class, LIMITS, Layout, Padding};
use super::program;
use super::target::Target;
use crate::analysis::Analysis;
use crate::diagnostic::Diagnostic;
use crate::graph::Primitive;
use crate::input::Input;
use crate::session::{Run, Session};
use crate::syntax::BinaryOperator;
use crate::trace::Trace;

/// A fixed program for a class of targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulator {
    class: Class,
    layout: Layout,
    source: String,
}

/// A target, run in a simulator and computed directly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// The run of the program, with its trace, its analysis and whatever went wrong.
    pub run: Run,
    /// Every matrix on the way, in the order of the program.
    pub stages: Vec<Stage>,
    /// The largest absolute difference between both sides in any stage; `None` after an error.
    pub largest_difference: Option<f64>,
}

/// A matrix that both sides compute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name in the program: `xt`, `xa_1`, `scores_1`, `attention_1`, `ax_1`, `head_1`, …,
    /// `output`, and with a feed-forward sub-layer `hidden`, `activated`, `feed_forward`.
    pub name: String,
    /// The head that it belongs to, counted from 1.
    pub head: Option<usize>,
    /// How the program computes it.
    pub operation: Operation,
    /// The step of the trace whose first positions hold it.
    pub step: usize,
    /// As the target computes it.
    pub direct: Array2<f64>,
    /// As the simulator computes it, in the simulator's own size: with masked padding, the target's
    /// matrix is its upper left part. `None` after an error.
    pub simulated: Option<Array2<f64>>,
    /// The largest absolute difference over the target's part.
    pub largest_difference: Option<f64>,
}

/// How a stage comes about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    /// Element (i, j) is element (j, i) of the operand.
    Transpose(Operand),
    /// A matrix product, perhaps with a bias added to each row.
    Product {
        /// The left matrix.
        left: Operand,
        /// The right matrix.
        right: Operand,
        /// The bias.
        bias: Option<Operand>,
        /// One for each value of the inner index, in its order.
        terms: Vec<ProductTerm>,
    },
    /// Scores become attention, row by row.
    Attend(Operand),
    /// The sum of the heads.
    Sum(Vec<Operand>),
    /// The activation of the feed-forward sub-layer.
    Activate(Operand),
}

/// A matrix that an operation reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// Where it comes from.
    pub source: Source,
    /// The position of its first element in that sequence.
    pub start: usize,
    /// Its rows in the simulator.
    pub rows: usize,
    /// Its columns in the simulator.
    pub columns: usize,
}

/// Where a matrix comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A stretch of the input.
    Input(String),
    /// An earlier stage.
    Stage(String),
}

/// What the program does for one value t of the inner index of a product: steps of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductTerm {
    /// Fetches element (i, t) of the left matrix for every position (i, j).
    pub left: usize,
    /// Fetches element (t, j) of the right matrix.
    pub right: usize,
    /// Their product.
    pub product: usize,
    /// The sum so far.
    pub sum: usize,
}

impl Simulator {
    /// The simulator of a class. No target has any part in it.
    pub fn new(class: Class) -> Result<Self, SimulatorError> {
        class.check()?;
        let layout = class.layout();
        Ok(Self { source: program::source(&class, &layout), class, layout })
    }

    /// What it is built for.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// Which stretch of the sequence holds what.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The program.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The layers and heads of the program, counted from it without running it.
    pub fn analyse(&self) -> Result<Analysis, Vec<Diagnostic>> {
        Session::default().with_limits(LIMITS).analyse(&self.source)
    }

    /// The target as a sequence, padded with zeros to the sizes of the simulator.
    pub fn input(&self, target: &Target) -> Result<Input, SimulatorError> {
        self.check(target)?;
        Ok(self.input_of(target))
    }

    /// Runs a target: simulates it, computes it directly, compares.
    pub fn run(&self, target: &Target) -> Result<Simulation, SimulatorError> {
        let input = self.input(target)?;
        let run = Session::default().with_limits(LIMITS).run(&self.source, &input);
        let mut stages = Vec::new();
        for (name, direct) in target.compute() {
            let (rows, columns) = self.shape_of(&name);
            let Some(step) = run.trace.named(&name) else {
                continue;
            };
            let simulated = read(&run.trace, step, rows, columns);
            let largest_difference = simulated.as_ref().map(|simulated| {
                let part = simulated.slice(s![..direct.nrows(), ..direct.ncols()]);
                let differences = (&part - &direct).mapv(f64::abs);
                differences.fold(0.0, |largest: f64, difference| largest.max(*difference))
            });
            let head = name.rsplit_once('_').and_then(|(_, number)| number.parse().ok());
            stages.push(Stage {
                operation: self.operation(&name, &run.trace, step),
                name,
                head,
                step,
                direct,
                simulated,
                largest_difference,
            });
        }
        let largest_difference = stages
            .iter()
            .map(|stage| stage.largest_difference)
            .try_fold(0.0, |largest: f64, difference| Some(largest.max(difference?)));
        Ok(Simulation { largest_difference: largest_difference.filter(|_| !run.has_errors()), run, stages })
    }

    fn check(&self, target: &Target) -> Result<(), SimulatorError> {
        let needed = target.class()?;
        let built = &self.class;
        let differs = |what: &'static str, built: &dyn std::fmt::Debug, needed: &dyn std::fmt::Debug| {
            Err(SimulatorError::Class {
                what: what.into(),
                built: format!("{built:?}"),
                needed: format!("{needed:?}"),
            })
        };
        if built.attend != needed.attend {
            return differs("the attention", &built.attend, &needed.attend);
        }
        if built.mask != needed.mask {
            return differs("the mask", &built.mask, &needed.mask);
        }
        let activation = |class: &Class| class.feed_forward.map(|shape| shape.activation);
        if activation(built) != activation(&needed) {
            return differs("the activation", &activation(built), &activation(&needed));
        }
        let sizes = |class: &Class| {
            let (hidden, output) = class.feed_forward.map_or((0, 0), |shape| (shape.hidden, shape.output));
            [
                ("rows", class.rows),
                ("width", class.width),
                ("value width", class.value_width),
                ("heads", class.heads),
                ("hidden width", hidden),
                ("output width", output),
            ]
        };
        for ((what, built_size), (_, needed_size)) in sizes(built).into_iter().zip(sizes(&needed)) {
            let fits = match built.padding {
                Padding::Exact => needed_size == built_size,
                Padding::Masked => needed_size <= built_size,
            };
            if !fits {
                return differs(what, &built_size, &needed_size);
            }
        }
        Ok(())
    }

    fn input_of(&self, target: &Target) -> Input {
        let mut numbers = vec![0.0; self.layout.length];
        let mut place = |name: &str, matrix: &Array2<f64>| {
            if let Some(stretch) = self.layout.stretch(name) {
                for ((row, column), value) in matrix.indexed_iter() {
                    numbers[stretch.start + row * stretch.columns + column] = *value;
                }
            }
        };
        // The shapes were checked, so that those asked for here play no part.
        for (name, matrix) in target.inputs() {
            place(&name, &matrix);
        }
        place("valid", &Array2::ones((1, target.x.nrows())));
        let tokens = numbers.into_iter().map(crate::value::Atom::Float).collect();
        Input::of_checked(tokens)
    }

    /// The shape of a stage in this simulator.
    fn shape_of(&self, stage: &str) -> (usize, usize) {
        let Class { rows: n, width: d, value_width: w, .. } = self.class;
        let (hidden, output) = self.class.feed_forward.map_or((0, 0), |shape| (shape.hidden, shape.output));
        match stage.split('_').next() {
            Some("xt") => (d, n),
            Some("xa" | "ax") => (n, d),
            Some("scores" | "attention") => (n, n),
            Some("hidden" | "activated") => (n, hidden),
            Some("feed") => (n, output),
            _ => (n, w),
        }
    }

    fn stretch_operand(&self, name: &str) -> Operand {
        let stretch = self.layout.stretch(name);
        let (start, rows, columns) =
            stretch.map_or((0, 0, 0), |stretch| (stretch.start, stretch.rows, stretch.columns));
        Operand { source: Source::Input(name.to_owned()), start, rows, columns }
    }

    fn stage_operand(&self, name: &str) -> Operand {
        let (rows, columns) = self.shape_of(name);
        Operand { source: Source::Stage(name.to_owned()), start: 0, rows, columns }
    }

    fn operation(&self, stage: &str, trace: &Trace, step: usize) -> Operation {
        let number = stage.rsplit_once('_').map_or("", |(_, number)| number);
        let of_head = |name: &str| format!("{name}_{number}");
        let product =
            |left, right, bias| Operation::Product { left, right, bias, terms: product_terms(trace, step) };
        match stage.split('_').next() {
            Some("xt") => Operation::Transpose(self.stretch_operand("x")),
            Some("xa") => product(self.stretch_operand("x"), self.stretch_operand(&of_head("a")), None),
            Some("scores") => product(self.stage_operand(&of_head("xa")), self.stage_operand("xt"), None),
            Some("attention") => Operation::Attend(self.stage_operand(&of_head("scores"))),
            Some("ax") => product(self.stage_operand(&of_head("attention")), self.stretch_operand("x"), None),
            Some("head") => {
                product(self.stage_operand(&of_head("ax")), self.stretch_operand(&of_head("v")), None)
            }
            Some("hidden") => product(
                self.stage_operand("output"),
                self.stretch_operand("w1"),
                Some(self.stretch_operand("b1")),
            ),
            Some("activated") => Operation::Activate(self.stage_operand("hidden")),
            Some("feed") => product(
                self.stage_operand("activated"),
                self.stretch_operand("w2"),
                Some(self.stretch_operand("b2")),
            ),
            _ => Operation::Sum(
                (1..=self.class.heads).map(|head| self.stage_operand(&format!("head_{head}"))).collect(),
            ),
        }
    }
}

/// The first `rows` × `columns` values of a step, as a matrix.
fn read(trace: &Trace, step: usize, rows: usize, columns: usize) -> Option<Array2<f64>> {
    let mut numbers = trace.steps[step].value.as_ref()?.to_f64()?;
    numbers.truncate(rows * columns);
    Array2::from_shape_vec((rows, columns), numbers).ok()
}

/// The terms of the product that a step is, found by its construction: within its bounds, a chain of
/// additions of products of two fetched values, perhaps with a bias added at the end.
fn product_terms(trace: &Trace, step: usize) -> Vec<ProductTerm> {
    let operands = |step: usize, primitive: &Primitive| {
        let found = &trace.steps[step];
        (found.primitive == *primitive).then_some(found.operands.as_slice())
    };
    let add = Primitive::Binary(BinaryOperator::Add);
    let multiply = Primitive::Binary(BinaryOperator::Multiply);
    let mut at = step;
    // Out of the bounds, past the bias, out of the bounds of the product.
    while let Some(inner) = match operands(at, &Primitive::Choose) {
        Some([_, inner, _]) => Some(*inner),
        _ => match operands(at, &add) {
            Some([sum, term]) if operands(*term, &multiply).is_none() => Some(*sum),
            _ => None,
        },
    } {
        at = inner;
    }
    let mut terms = Vec::new();
    while let Some([before, product]) = operands(at, &add) {
        let Some([left, right]) = operands(*product, &multiply) else {
            break;
        };
        terms.push(ProductTerm { left: *left, right: *right, product: *product, sum: at });
        at = *before;
    }
    terms.reverse();
    terms
}
