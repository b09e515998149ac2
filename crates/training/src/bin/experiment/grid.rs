//! The grid: models × variants × tasks, the most telling cells first.

use training::{Config, Kind, Task, Variant, recommended};

/// One cell: everything but the seed.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What is learned.
    pub task: Task,
    /// What stands in the layers.
    pub variant: Variant,
    /// Which weights are frozen.
    pub kind: Kind,
    /// How long it is trained.
    pub budget: Budget,
}

/// How long a cell is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// As recommended.
    Standard,
    /// So long that attention alone learns k-hop, too.
    Long,
}

const DYCK: Task = Task::Dyck { length: 22 };

impl Cell {
    /// `2-hop-residual-norm-sparse`; a long run says so.
    pub fn name(&self) -> String {
        let long = if self.budget == Budget::Long { "-long" } else { "" };
        format!("{}-{}-{}{long}", self.task.name(), self.variant.name(), self.kind.name())
    }

    /// The configuration of one of its runs.
    pub fn config(&self, seed: u64) -> Config {
        let mut config = recommended(self.task.clone(), self.variant, self.kind);
        config.seed = seed;
        if self.budget == Budget::Long {
            config.steps = 6000;
            // What was found to overcome the plateau: a high rate, and for three hops a larger start.
            config.optimiser.learning_rate = 0.02;
            config.embedding_scale = if matches!(self.task, Task::Hops { hops: 3, .. }) { 1.0 } else { 0.5 };
        }
        config
    }
}

/// All cells, in the order in which they are trained.
pub fn cells() -> Vec<Cell> {
    use Kind::{Looped, Random, Sparse, Trained};
    let perceptron = Variant::ResidualNormMlp { hidden: 64 };
    let (alone, norm) = (Variant::AttentionOnly, Variant::ResidualNorm);
    let cell = |task: Task, variant, kind| Cell { task, variant, kind, budget: Budget::Standard };
    let mut cells = vec![cell(DYCK, alone, Sparse)];
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Sparse)));
    cells.push(cell(DYCK, alone, Random));
    cells.extend([Sparse, Trained, Random].map(|kind| cell(DYCK, norm, kind)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Random)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Sparse)));
    cells.extend([2, 3].map(|k| Cell { budget: Budget::Long, ..cell(hops(k), alone, Sparse) }));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Trained)));
    cells.push(cell(DYCK, alone, Trained));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Trained)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Random)));
    for kind in [Sparse, Random, Trained] {
        cells.push(cell(DYCK, perceptron, kind));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), perceptron, kind)));
    }
    for variant in [alone, norm] {
        cells.push(cell(DYCK, variant, Looped));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), variant, Looped)));
    }
    cells
}

fn hops(hops: usize) -> Task {
    Task::Hops { hops, alphabet: 4, length: 15 }
}
