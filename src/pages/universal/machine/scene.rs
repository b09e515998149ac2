//! What the machine's pictures are painted from: the numbers, where they stand, and what is lit.

use std::sync::Arc;

use ndarray::{Array2, s};

use super::layout::{Node, Score};
use crate::jobs::universal::Played;
use crate::pages::universal::focus::{Focus, Lights, Nodes};

/// Everything that a band is painted from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The numbers.
    pub played: Arc<Played>,
    /// Where the blocks stand; `None` for random weights, which give nothing a place.
    pub score: Option<Arc<Score>>,
    /// The largest modulus in E, and in each state.
    pub extremes: Arc<Extremes>,
}

/// The scales that the colours of a state are read on.
#[derive(Debug, Clone, PartialEq)]
pub struct Extremes {
    /// Of E.
    pub embedding: f64,
    /// Of each state Z[l].
    pub states: Vec<f64>,
}

/// How many units of the picture the roll is wide; the zoom says how many pixels a unit takes.
pub const ROLL_UNITS: f64 = 1000.0;

impl Scene {
    /// The scene of some numbers.
    pub fn new(played: Arc<Played>) -> Scene {
        let frozen = &played.frozen;
        let score = frozen.has_places.then(|| Arc::new(Score::new(&frozen.columns, ROLL_UNITS)));
        // Columns that have been contracted and only linger are not shown, and must not set the scale.
        let of_level = |level: usize| match &score {
            Some(score) => score.levels[level]
                .iter()
                .map(|node| extreme(played.universal_trace.states[level].slice(columns(node)).iter()))
                .fold(0.0, f64::max),
            None => extreme(played.universal_trace.states[level].iter()),
        };
        let states = (0..played.universal_trace.states.len()).map(of_level).collect();
        let extremes = Arc::new(Extremes { embedding: extreme(played.embedding.iter()), states });
        Scene { played, score, extremes }
    }

    /// The number of tokens.
    pub fn tokens(&self) -> usize {
        self.played.input.nrows()
    }

    /// The numbers of a node: a block of the state after `level` layers, n × its width.
    pub fn values(&self, level: usize, node: &Node) -> Array2<f64> {
        self.played.universal_trace.states[level].slice(columns(node)).to_owned()
    }

    /// What a node sends to the node below it through `step`: A[l,h] times its numbers, or the numbers
    /// themselves where the step is the skip of a residual class.
    pub fn term(&self, level: usize, source: &Node, step: u8) -> Array2<f64> {
        let values = self.values(level, source);
        match step.checked_sub(1) {
            Some(head) => self.played.universal_trace.attention[level][head as usize].dot(&values),
            None => values,
        }
    }

    /// The node that a focus means, with its level.
    pub fn node_of(&self, focus: &Focus) -> Option<(usize, usize)> {
        match focus {
            Focus::Node { level, consumer, rest } => {
                Some((*level, self.score.as_ref()?.find(*level, *consumer, rest)?))
            }
            _ => None,
        }
    }
}

/// How strongly a node is painted while something is lit.
pub fn strength(lights: &Lights, level: usize, node: &Node) -> f64 {
    match &lights.nodes {
        Nodes::None => 1.0,
        nodes if nodes.has(level, node.consumer, &node.rest) => 1.0,
        _ => 0.22,
    }
}

fn columns(node: &Node) -> ndarray::SliceInfo<[ndarray::SliceInfoElem; 2], ndarray::Ix2, ndarray::Ix2> {
    s![.., node.slot.offset..node.slot.offset + node.slot.width]
}

/// The largest modulus of finite numbers.
pub fn extreme<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.filter(|value| value.is_finite()).fold(0.0, |most, value| most.max(value.abs()))
}
