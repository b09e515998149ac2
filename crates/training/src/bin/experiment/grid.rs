//! The grid: models × variants × tasks, the most telling cells first, and what else was tried.

use training::{Config, Kind, Model, Skips, Task, Variant, Weights, recommended};

/// One cell: everything but the seed.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What is learned.
    pub task: Task,
    /// What stands in the layers.
    pub variant: Variant,
    /// Which weights are frozen.
    pub kind: Kind,
    /// To which table it belongs.
    pub table: Table,
    /// What is different from the recommended configuration, in a word; empty when nothing is.
    pub difference: &'static str,
    change: fn(&mut Config),
}

/// The tables of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The recommended configurations.
    Standard,
    /// So many steps that attention alone learns k-hop, too.
    Long,
    /// Other configurations.
    Tried,
}

impl Cell {
    /// `2-hop-residual-norm-sparse`, with the difference after it.
    pub fn name(&self) -> String {
        let difference =
            if self.difference.is_empty() { String::new() } else { format!("-{}", self.difference) };
        format!("{}-{}-{}{difference}", self.task.name(), self.variant.name(), self.kind.name())
    }

    /// The configuration of one of its runs.
    pub fn config(&self, seed: u64) -> Config {
        let mut config = recommended(self.task.clone(), self.variant, self.kind);
        config.seed = seed;
        (self.change)(&mut config);
        config
    }

    /// What *Fixed Universal Transformers* reports for such a cell, where it does. Its sizes are not known here.
    pub fn reported(&self) -> &'static str {
        let is_dyck = matches!(self.task, Task::Dyck { .. });
        match (is_dyck, self.variant, self.kind) {
            (true, Variant::AttentionOnly, Kind::Sparse) => "100 %",
            (true, Variant::AttentionOnly, Kind::Random) => "94.4 %",
            (false, Variant::AttentionOnly, Kind::Sparse | Kind::Random) => "30–40 %",
            (false, Variant::AttentionOnly, Kind::Trained) => "about 99 %",
            (false, Variant::ResidualNorm, Kind::Sparse) => "100 %",
            (false, Variant::ResidualNorm, Kind::Random) => "85.7–96.1 %",
            _ => "–",
        }
    }
}

/// All cells, in the order in which they are trained.
pub fn cells() -> Vec<Cell> {
    use Kind::{Looped, Random, Sparse, Trained};
    let dyck = || Task::Dyck { length: 22 };
    let perceptron = Variant::ResidualNormMlp { hidden: 64 };
    let (alone, norm) = (Variant::AttentionOnly, Variant::ResidualNorm);
    let cell = |task, variant, kind| Cell {
        task,
        variant,
        kind,
        table: Table::Standard,
        difference: "",
        change: |_| (),
    };
    let tried = |cell, difference, change| Cell { table: Table::Tried, difference, change, ..cell };
    let long = |cell, change| Cell { table: Table::Long, difference: "long", change, ..cell };

    let mut cells = vec![cell(dyck(), alone, Sparse)];
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Sparse)));
    cells.push(cell(dyck(), alone, Random));
    cells.extend([Sparse, Trained, Random].map(|kind| cell(dyck(), norm, kind)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Random)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Sparse)));
    // What was found to overcome the plateau: a high rate, and for three hops a larger start.
    cells.push(long(cell(hops(2), alone, Sparse), |it| start_over(it, 6000, 0.5)));
    cells.push(long(cell(hops(3), alone, Sparse), |it| start_over(it, 6000, 1.0)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Trained)));
    cells.push(cell(dyck(), alone, Trained));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Trained)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Random)));
    for kind in [Sparse, Random, Trained] {
        cells.push(cell(dyck(), perceptron, kind));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), perceptron, kind)));
    }
    for variant in [alone, norm] {
        cells.push(cell(dyck(), variant, Looped));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), variant, Looped)));
    }
    let with_norm = |kind| cell(dyck(), norm, kind);
    cells.push(tried(with_norm(Sparse), "e=0.5", |it| it.embedding_scale = 0.5));
    cells.push(tried(with_norm(Sparse), "rate=0.02", |it| it.optimiser.learning_rate = 0.02));
    cells.push(tried(with_norm(Sparse), "own-skips", own_skips));
    cells.push(tried(with_norm(Sparse), "own-skips-rate=0.02", |it| {
        own_skips(it);
        it.optimiser.learning_rate = 0.02;
    }));
    cells.push(tried(with_norm(Random), "rate=0.05-e=1-g=4", |it| {
        it.optimiser.learning_rate = 0.05;
        it.embedding_scale = 1.0;
        it.model.weights = Weights::Random { gain: 4.0 };
    }));
    let three = || cell(hops(3), norm, Random);
    cells.push(tried(three(), "m=128-d_h=16", |it| {
        it.model = Model { width: 128, head_width: 16, ..it.model }
    }));
    cells.push(tried(three(), "d_h=16-half-as-long", |it| {
        it.model.head_width = 16;
        it.steps = 1500;
    }));
    cells
}

fn hops(hops: usize) -> Task {
    Task::Hops { hops, alphabet: 4, length: 15 }
}

fn start_over(config: &mut Config, steps: usize, embedding_scale: f64) {
    config.steps = steps;
    config.optimiser.learning_rate = 0.02;
    config.embedding_scale = embedding_scale;
}

fn own_skips(config: &mut Config) {
    config.model.weights = Weights::Sparse { skips: Skips::Own };
}
