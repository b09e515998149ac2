//! What the machine's pictures are painted from: the numbers, where they stand, and what is lit.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2, s};

use super::layout::{Comb, Place, Row, Score};
use crate::rooms::universal::focus::{Focus, Nodes};
use crate::rooms::universal::job::Played;

/// Everything that a band is painted from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The numbers.
    pub played: Arc<Played>,
    /// Where the blocks stand; `None` for random weights, which give nothing a place.
    pub score: Option<Arc<Score>>,
    /// The largest moduli of E.
    pub embedding: Arc<Extremes>,
    /// The largest moduli of each state Z[l].
    pub states: Arc<[Extremes]>,
}

/// The largest moduli of a matrix: what its colours are measured against.
#[derive(Debug, Clone, PartialEq)]
pub struct Extremes {
    /// Of everything that is shown.
    pub all: f64,
    /// Of each node of each row of the level; empty where nothing has a place.
    pub nodes: Vec<Vec<f64>>,
}

/// How many units of the picture the roll is wide; the zoom says how many pixels a unit takes.
pub const ROLL_UNITS: f64 = 1000.0;

impl Scene {
    /// The scene of some numbers.
    pub fn new(played: Arc<Played>) -> Scene {
        let frozen = &played.frozen;
        let score = frozen.has_places.then(|| Arc::new(Score::new(&frozen.columns, ROLL_UNITS)));
        let extremes = |level: usize, matrix: &Array2<f64>| match &score {
            // Columns that have been contracted and only linger are not shown, and must not set the scale.
            Some(score) => Extremes::of_nodes(matrix.view(), &score.levels[level]),
            None => Extremes { all: extreme(matrix.iter()), nodes: Vec::new() },
        };
        let embedding = Arc::new(extremes(0, &played.embedding));
        let states = played.universal_trace.states.iter().enumerate();
        let states = states.map(|(level, state)| extremes(level, state)).collect();
        Scene { played, score, embedding, states }
    }

    /// The number of tokens.
    pub fn tokens(&self) -> usize {
        self.played.input.nrows()
    }

    /// The numbers of a node: a block of the state after `level` layers, n × its width.
    pub fn values(&self, level: usize, row: &Row, index: usize) -> ArrayView2<'_, f64> {
        let slot = row.slot_of(index);
        self.played.universal_trace.states[level].slice(s![.., slot.offset..slot.offset + slot.width])
    }

    /// What a node sends to the node below it through `step`: A[l,h] times its numbers, or the numbers
    /// themselves where the step is the skip of a residual class.
    pub fn term(&self, level: usize, row: &Row, source: usize, step: u8) -> Array2<f64> {
        let values = self.values(level, row, source);
        match step.checked_sub(1) {
            Some(head) => self.played.universal_trace.attention[level][head as usize].dot(&values),
            None => values.to_owned(),
        }
    }

    /// The node that a focus means.
    pub fn node_of(&self, focus: &Focus) -> Option<Place> {
        match focus {
            Focus::Node { level, consumer, rest } => self.score.as_ref()?.find(*level, *consumer, rest),
            _ => None,
        }
    }
}

impl Score {
    /// Which nodes of a row are lit.
    pub fn lit(&self, level: usize, row: &Row, nodes: &Nodes) -> Comb {
        let is_lit = match nodes {
            Nodes::None => false,
            Nodes::Trees(consumers) => row.is_read && consumers.contains(&row.consumer),
            Nodes::Leaves => level == 0,
            Nodes::Through(consumer, rest) if row.is_read && *consumer == row.consumer => {
                return row.through(self.class(), rest);
            }
            Nodes::Through(..) => false,
        };
        if is_lit { row.all() } else { Comb::NONE }
    }
}

impl Extremes {
    fn of_nodes(matrix: ArrayView2<f64>, rows: &[Row]) -> Extremes {
        let of_row = |row: &Row| {
            let columns = row.slot.offset..row.slot.offset + row.slot.width * row.count;
            let mut nodes = vec![0.0; row.count];
            for line in matrix.slice(s![.., columns]).rows() {
                for (most, block) in nodes.iter_mut().zip(line.exact_chunks(row.slot.width)) {
                    *most = extreme(block.iter()).max(*most);
                }
            }
            nodes
        };
        let nodes: Vec<Vec<f64>> = rows.iter().map(of_row).collect();
        Extremes { all: nodes.iter().flatten().copied().fold(0.0, f64::max), nodes }
    }
}

/// The largest modulus of finite numbers.
pub fn extreme<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.filter(|value| value.is_finite()).fold(0.0, |most, value| most.max(value.abs()))
}
