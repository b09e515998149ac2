//! What the simulator does on the way to a stage, beat by beat: what is fetched from where, and what
//! comes of it. A beat is one primitive, or a few that belong together, at all positions.

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use super::simulation::{Operation, ProductTerm, Simulation, Stage};
use crate::graph::{Base, Primitive};
use crate::syntax::Comparison;
use crate::trace::{Step, Trace};

/// One beat: for products one value of the inner index, otherwise one named step of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// The inner index of the product, counted from 0.
    pub term: Option<usize>,
    /// The sequences that are made in this beat, in their order.
    pub lanes: Vec<Lane>,
}

/// A sequence that is made in a beat: the first `rows · columns` positions of its stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The name that the program or a library gives to it.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// Where they come from.
    pub reads: Reads,
}

/// Where the values of a lane come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reads {
    /// An attention head fetches each from one position of an operand's sequence.
    Fetch {
        /// Which operand of the stage.
        operand: usize,
        /// The position asked for, for each position.
        from: Vec<u32>,
    },
    /// An attention head averages over several positions.
    Average {
        /// Of which sequence.
        of: Of,
        /// The positions selected, for each position.
        from: Vec<Vec<u32>>,
    },
    /// Elementwise: each position reads itself.
    Own,
}

/// A sequence that a lane reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Of {
    /// An operand of the stage.
    Operand(usize),
    /// An earlier lane of the stage, by its name.
    Lane(String),
}

/// Selectors of longer sequences are not looked at: their matrices have millions of cells.
const LONGEST_SELECTED: usize = 1200;

impl Simulation {
    /// The beats of a stage; none where a step of it has no value because the run stopped before.
    pub fn beats(&self, stage: &Stage) -> Vec<Beat> {
        let Some((rows, columns)) = stage.simulated.as_ref().map(Array2::dim) else {
            return Vec::new();
        };
        let reader = Reader { trace: &self.run.trace, elements: rows * columns, stage, simulation: self };
        match &stage.operation {
            Operation::Product { terms, bias, .. } => {
                let mut beats: Vec<Beat> =
                    terms.iter().enumerate().filter_map(|(t, term)| reader.term(t, term)).collect();
                if bias.is_some() {
                    beats.extend(reader.bias());
                }
                beats
            }
            Operation::Sum(_) => {
                let sum = reader.lane(stage.step, "output", Reads::Own);
                sum.map(|sum| Beat { term: None, lanes: vec![sum] }).into_iter().collect()
            }
            Operation::Transpose(_) | Operation::Attend(_) | Operation::Activate(_) => reader.named(),
        }
    }
}

/// The sums of a matrix product after each term, in the order in which the simulator adds them up.
///
/// Shapes: r × k and k × c; gives k matrices r × c.
pub fn running_sums(left: &Array2<f64>, right: &Array2<f64>) -> Vec<Array2<f64>> {
    let mut sum = Array2::zeros((left.nrows(), right.ncols()));
    left.columns()
        .into_iter()
        .zip(right.rows())
        .map(|(column, row)| {
            sum += &(&column.insert_axis(Axis(1)) * &row.insert_axis(Axis(0)));
            sum.clone()
        })
        .collect()
}

struct Reader<'a> {
    simulation: &'a Simulation,
    trace: &'a Trace,
    stage: &'a Stage,
    elements: usize,
}

impl Reader<'_> {
    fn term(&self, t: usize, term: &ProductTerm) -> Option<Beat> {
        let lanes = vec![
            self.fetched(term.left, "left", 0)?,
            self.fetched(term.right, "right", 1)?,
            self.lane(term.sum, "sum", Reads::Own)?,
        ];
        Some(Beat { term: Some(t), lanes })
    }

    /// The bias is fetched in one step and added in another, which is named after the stage.
    fn bias(&self) -> Option<Beat> {
        let sum = self.lane(self.stage.step, "sum", Reads::Own)?;
        let bias = self.reachable().into_iter().find(|at| self.step(*at).name.as_deref() == Some("bias"))?;
        Some(Beat { term: None, lanes: vec![self.fetched(bias, "bias", 2)?, sum] })
    }

    /// The named steps between the operand and the stage, each a beat of its own.
    fn named(&self) -> Vec<Beat> {
        let reachable = self.reachable();
        let depends = self.depending(&reachable);
        let mut beats: Vec<Beat> = Vec::new();
        let mut lanes: Vec<usize> = Vec::new();
        for at in reachable.into_iter().filter(|at| depends.contains(at)) {
            let step = self.step(at);
            let is_made = step.value.is_some() && !self.is_operand(at);
            let Some(name) = step.name.as_deref().filter(|_| is_made) else {
                continue;
            };
            if let Some(lane) = self.lane(at, name, self.reads(at, &lanes, &depends)) {
                beats.push(Beat { term: None, lanes: vec![lane] });
                lanes.push(at);
            }
        }
        beats
    }

    /// What a step reads: through the aggregate behind it, if there is one before the next lane.
    fn reads(&self, step: usize, lanes: &[usize], depends: &[usize]) -> Reads {
        let mut todo = vec![step];
        while let Some(at) = todo.pop() {
            if at != step && (lanes.contains(&at) || self.is_operand(at)) {
                continue;
            }
            let found = self.step(at);
            if let (Primitive::Aggregate { .. }, [selector, sequence]) =
                (&found.primitive, found.operands.as_slice())
            {
                if let Some(from) = self.asked(*selector) {
                    return Reads::Fetch { operand: 0, from };
                }
                let of = lanes.iter().find(|lane| *lane == sequence);
                let of = of.and_then(|lane| self.step(*lane).name.clone()).map_or(Of::Operand(0), Of::Lane);
                return match self.selected(at) {
                    Some(from) => Reads::Average { of, from },
                    None => Reads::Own,
                };
            }
            // The mask of valid keys is fetched too, from elsewhere.
            todo.extend(found.operands.iter().filter(|operand| depends.contains(operand)));
        }
        Reads::Own
    }

    /// The positions that a selector `select(indices, position, ==)` asks for.
    fn asked(&self, selector: usize) -> Option<Vec<u32>> {
        let step = self.step(selector);
        let (Primitive::Select(Comparison::Equal), [key, query]) =
            (&step.primitive, step.operands.as_slice())
        else {
            return None;
        };
        if self.step(*key).primitive != Primitive::Base(Base::Indices) {
            return None;
        }
        let asked = self.step(*query).value.as_ref()?.to_f64()?;
        Some(asked.into_iter().take(self.elements).map(|position| position as u32).collect())
    }

    fn selected(&self, aggregate: usize) -> Option<Vec<Vec<u32>>> {
        if self.step(aggregate).value.as_ref()?.len() > LONGEST_SELECTED {
            return None;
        }
        let matrix = self.trace.selector(aggregate)?;
        let within = |key: &usize| *key < self.elements;
        let row = |query| matrix.selected(query).filter(within).map(|key| key as u32).collect();
        Some((0..self.elements).map(row).collect())
    }

    fn fetched(&self, step: usize, name: &str, operand: usize) -> Option<Lane> {
        let from = self.asked(*self.step(step).operands.first()?)?;
        self.lane(step, name, Reads::Fetch { operand, from })
    }

    fn lane(&self, step: usize, name: &str, reads: Reads) -> Option<Lane> {
        let mut values = self.step(step).value.as_ref()?.to_f64()?;
        values.truncate(self.elements);
        Some(Lane { name: name.to_owned(), values, reads })
    }

    /// The steps that lead from earlier stages to this one, in their order.
    fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; self.stage.step + 1];
        let mut todo = vec![self.stage.step];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) || (at != self.stage.step && self.is_operand(at)) {
                continue;
            }
            todo.extend(&self.step(at).operands);
        }
        (0..seen.len()).filter(|at| seen[*at]).collect()
    }

    /// Those of some steps, in their order, that depend on what an operand holds.
    fn depending(&self, steps: &[usize]) -> Vec<usize> {
        let mut depending: Vec<usize> = Vec::new();
        for at in steps {
            let step = self.step(*at);
            if self.is_operand(*at) || step.operands.iter().any(|operand| depending.contains(operand)) {
                depending.push(*at);
            }
        }
        depending
    }

    /// Whether a step is an earlier stage, or for the transpose the input itself.
    fn is_operand(&self, at: usize) -> bool {
        match &self.stage.operation {
            Operation::Transpose(_) => self.step(at).primitive == Primitive::Base(Base::TokensFloat),
            _ => at < self.stage.step && self.simulation.stages.iter().any(|stage| stage.step == at),
        }
    }

    fn step(&self, at: usize) -> &Step {
        &self.trace.steps[at]
    }
}
