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
    /// The seeds 0 to this that are trained.
    pub seeds: u64,
    change: fn(&mut Config),
}

/// What was to be reached, set before anything was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// By the mean of the seeds.
    Mean(f64),
    /// By every seed.
    Every(f64),
}

/// The tables of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The recommended configurations.
    Standard,
    /// So many steps, at such a rate, that attention alone learns k-hop, too.
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

    /// What was to be reached, where something was.
    pub fn aim(&self) -> Option<Aim> {
        use Kind::{Looped, Random, Sparse, Trained};
        let is_dyck = matches!(self.task, Task::Dyck { .. });
        match (self.table, is_dyck, self.variant, self.kind) {
            (Table::Tried, ..) | (_, _, _, Looped) => None,
            (Table::Long, ..) => Some(Aim::Every(0.99)),
            (_, true, Variant::AttentionOnly, Sparse) => Some(Aim::Mean(0.995)),
            (_, true, Variant::AttentionOnly, Random) => Some(Aim::Mean(0.99)),
            (_, true, Variant::ResidualNorm, _) => Some(Aim::Every(0.99)),
            (_, false, Variant::ResidualNorm, Sparse) => Some(Aim::Mean(0.999)),
            (_, false, Variant::ResidualNorm, Random) => Some(Aim::Mean(0.96)),
            (_, false, Variant::ResidualNorm, Trained) => Some(Aim::Mean(0.99)),
            (_, _, Variant::ResidualNormMlp { .. }, Sparse | Trained) => Some(Aim::Mean(0.99)),
            (_, _, Variant::ResidualNormMlp { .. }, Random) => Some(Aim::Mean(0.96)),
            (_, _, Variant::AttentionOnly, _) => None,
        }
    }
}

impl Aim {
    /// Whether accuracies reach it.
    pub fn is_reached(self, accuracies: &[f64]) -> bool {
        match self {
            Aim::Mean(least) => accuracies.iter().sum::<f64>() >= least * accuracies.len() as f64,
            Aim::Every(least) => accuracies.iter().all(|it| *it >= least),
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
        seeds: 3,
        change: |_| (),
    };
    let tried = |cell, difference, change| Cell { table: Table::Tried, difference, change, ..cell };

    let mut cells = vec![cell(dyck(), alone, Sparse)];
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Sparse)));
    cells.push(cell(dyck(), alone, Random));
    cells.extend([Sparse, Trained, Random].map(|kind| cell(dyck(), norm, kind)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Random)));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Sparse)));
    cells.extend([2, 3].map(|k| long(cell(hops(k), alone, Sparse))));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), norm, Trained)));
    cells.push(cell(dyck(), alone, Trained));
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Trained)));
    for kind in [Sparse, Trained, Random] {
        cells.push(cell(dyck(), perceptron, kind));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), perceptron, kind)));
    }
    for variant in [alone, norm] {
        cells.push(cell(dyck(), variant, Looped));
        cells.extend([1, 2, 3].map(|k| cell(hops(k), variant, Looped)));
    }
    cells.extend([1, 2, 3].map(|k| cell(hops(k), alone, Random)));

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
    // What decides how attention alone learns k-hop: the rate, the start, the budget, weight decay and the batch.
    let lonely = |k| cell(hops(k), alone, Sparse);
    cells.push(tried(lonely(1), "rate=0.01", |it| it.optimiser.learning_rate = 0.01));
    cells.push(tried(lonely(2), "6000-steps", |it| it.steps = 6000));
    cells.push(tried(lonely(2), "rate=0.04-e=0.4", |it| {
        it.optimiser.learning_rate = 0.04;
        it.embedding_scale = 0.4;
    }));
    cells.push(tried(lonely(3), "6000-steps-e=1", |it| {
        it.steps = 6000;
        it.embedding_scale = 1.0;
    }));
    let of_seven = |difference, change| Cell { seeds: 7, ..tried(lonely(3), difference, change) };
    cells.push(of_seven("long-without-decay", |it| {
        it.steps = 6000;
        it.optimiser.learning_rate = 0.04;
        it.batch = 64;
    }));
    cells.push(of_seven("long-in-batches-of-32", |it| {
        it.steps = 6000;
        it.optimiser.learning_rate = 0.04;
        it.optimiser.weight_decay = 0.05;
    }));
    cells
}

/// What was found to overcome the plateau of attention alone on k-hop.
fn long(cell: Cell) -> Cell {
    let change: fn(&mut Config) = match &cell.task {
        Task::Hops { hops: 2, .. } => |it| {
            it.steps = 6000;
            it.optimiser.learning_rate = 0.04;
            it.embedding_scale = 0.4;
        },
        _ => |it| {
            it.steps = 6000;
            it.optimiser.learning_rate = 0.04;
            it.optimiser.weight_decay = 0.05;
            it.batch = 64;
        },
    };
    Cell { table: Table::Long, difference: "long", seeds: 9, change, ..cell }
}

fn hops(hops: usize) -> Task {
    Task::Hops { hops, alphabet: 4, length: 15 }
}

fn own_skips(config: &mut Config) {
    config.model.weights = Weights::Sparse { skips: Skips::Own };
}
