//! What is not trained: the frozen weights of a universal transformer, and how its heads read and write.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use transformer::NormalDraws;
use universal::{
    Construction, Fingerprint, Law, Mixing, Projection, RandomSpec, Tying, UniversalTransformer,
};

use crate::kernels::Packed;
use crate::parameters::LAYERS;
use crate::real::Real;
use crate::{Config, Error, Weights};

/// Frozen weights with the plan of the transformer around them. Nothing here can be changed: there is no
/// method that takes `&mut self`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frozen<R> {
    layers: Vec<LayerPlan>,
    linears: Vec<Linear<R>>,
    biases: Vec<Vec<R>>,
    read: (usize, usize),
    count: u64,
}

/// A matrix in both directions: for the product with it and for that with its transpose.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Linear<R> {
    pub(crate) forward: Packed<R>,
    pub(crate) backward: Packed<R>,
}

/// How one layer works.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayerPlan {
    pub(crate) heads: Vec<HeadPlan>,
    /// What the state is multiplied by before the heads read it; they read the state itself when there is none.
    pub(crate) read: Option<Weight>,
    /// What the heads' output is multiplied by; it is added to the state as it is when there is none.
    pub(crate) write: Option<Weight>,
    pub(crate) mlp: Option<MlpPlan>,
    /// The number of columns that the heads read from and write to.
    pub(crate) source_width: usize,
    pub(crate) output_width: usize,
}

/// Where one head reads its queries, keys and values, and where it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeadPlan {
    /// The first column of the queries, d_h in all.
    pub(crate) query: usize,
    /// The first column of the keys.
    pub(crate) key: usize,
    /// Which columns it mixes, and onto which it adds them. Routing is nothing but this.
    pub(crate) moves: Vec<Move>,
}

/// Columns `from … from + width` are mixed and added to columns `to … to + width`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MlpPlan {
    pub(crate) first: Weight,
    pub(crate) bias: Bias,
    pub(crate) second: Weight,
}

/// Which matrix: one of the frozen ones, or the trained one that is also a tensor of the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Frozen(usize),
    Trained { linear: usize, tensor: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bias {
    Frozen(usize),
    Trained { tensor: usize },
}

impl<R: Real> Frozen<R> {
    /// Makes the frozen weights of a configuration from nothing but its class and seed.
    ///
    /// # Errors
    /// When the universal transformer cannot be made.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let mut frozen =
            Frozen { layers: Vec::new(), linears: Vec::new(), biases: Vec::new(), read: (0, 0), count: 0 };
        match config.model.weights {
            Weights::Trained => frozen.plan_trained(config),
            Weights::Sparse { .. } => frozen.plan_routed(&universal(config, Construction::Sparse)?),
            Weights::Looped => frozen.plan_routed(&universal(config, Construction::Looped)?),
            Weights::Random { gain } => {
                let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: config.model.width };
                let construction = Construction::Random { spec, seed: config.seed };
                frozen.plan_random(&universal(config, construction)?, gain);
            }
        }
        if let Some(hidden) = config.variant.hidden().filter(|_| config.model.weights.are_frozen()) {
            frozen.add_perceptrons(config, hidden);
        }
        Ok(frozen)
    }

    pub(crate) fn layers(&self) -> &[LayerPlan] {
        &self.layers
    }

    pub(crate) fn linear(&self, index: usize) -> &Linear<R> {
        &self.linears[index]
    }

    pub(crate) fn bias(&self, index: usize) -> &[R] {
        &self.biases[index]
    }

    /// The first column of the final state that the unembedding reads, and the number of these columns.
    pub(crate) fn columns_read(&self) -> (usize, usize) {
        self.read
    }

    /// How many numbers are frozen, zeros and ones of routings included.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// A hash of every bit of the frozen weights as they stand in memory now.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        let mut add = |number: u64| hasher.update(&number.to_le_bytes());
        for head in self.layers.iter().flat_map(|layer| &layer.heads) {
            add(head.query as u64);
            add(head.key as u64);
            for it in &head.moves {
                [it.from, it.to, it.width].into_iter().for_each(|number| add(number as u64));
            }
        }
        for number in self.numbers() {
            add(number.to_f64().to_bits());
        }
        Fingerprint(hasher.digest())
    }

    /// How many of the frozen numbers differ from those of `other`.
    pub(crate) fn differences(&self, other: &Self) -> u64 {
        let bits = |number: R| number.to_f64().to_bits();
        let differ = self.numbers().zip(other.numbers()).filter(|(a, b)| bits(*a) != bits(*b)).count();
        differ as u64 + u64::from(self.layers != other.layers) * self.count
    }

    /// Every frozen number that is kept, in the order of its matrix and in both directions.
    fn numbers(&self) -> impl Iterator<Item = R> {
        let matrices = self.linears.iter().flat_map(|it| [&it.forward, &it.backward]);
        matrices.flat_map(Packed::entries).chain(self.biases.iter().flatten().copied())
    }

    /// The heads read the state and write to it; their weights are where they do so.
    fn plan_routed(&mut self, universal: &UniversalTransformer) {
        let class = universal.class();
        let m = universal.width();
        for layer in 0..class.layers {
            let heads = (0..class.heads).map(|head| {
                let frozen = universal.head(layer, head);
                HeadPlan {
                    query: selected(&frozen.query).0,
                    key: selected(&frozen.key).0,
                    moves: match &frozen.value {
                        Mixing::Routing(routing) => merged(routing.moves()),
                        Mixing::Dense(_) => unreachable!("explicit constructions are routed"),
                    },
                }
            });
            let heads = heads.collect();
            let (read, write, mlp) = (None, None, None);
            self.layers.push(LayerPlan { heads, read, write, mlp, source_width: m, output_width: m });
        }
        self.read = selected(universal.unembedding());
        let distinct = universal.layers().len() * class.heads;
        self.count = (distinct * (2 * m * class.head_width + m * m) + m * class.width) as u64;
    }

    /// The heads read Z [Rq of all heads | Rk of all heads | Rv of all heads].
    fn plan_random(&mut self, universal: &UniversalTransformer, gain: f64) {
        let class = universal.class();
        let (h, d_h, m) = (class.heads, class.head_width, universal.width());
        let columns = h * (2 * d_h + m);
        let value_scale = gain / (h as f64).sqrt();
        for layer in 0..class.layers {
            let mut matrix = vec![R::ZERO; m * columns];
            let mut put = |first: usize, weights: &ndarray::Array2<f64>, scale: f64| {
                for ((row, column), weight) in weights.indexed_iter() {
                    matrix[row * columns + first + column] = R::from_f64(scale * weight);
                }
            };
            for head in 0..h {
                let frozen = universal.head(layer, head);
                put(head * d_h, &frozen.query.to_dense(m), 1.0);
                put((h + head) * d_h, &frozen.key.to_dense(m), 1.0);
                match &frozen.value {
                    Mixing::Dense(weights) => put(2 * h * d_h + head * m, weights, value_scale),
                    Mixing::Routing(_) => unreachable!("random weights are dense"),
                }
            }
            let read = Some(self.add(&matrix, m, columns));
            let head = |head| HeadPlan {
                query: head * d_h,
                key: (h + head) * d_h,
                moves: vec![Move { from: 2 * h * d_h + head * m, to: 0, width: m }],
            };
            let heads = (0..h).map(head).collect();
            let (write, mlp) = (None, None);
            self.layers.push(LayerPlan { heads, read, write, mlp, source_width: columns, output_width: m });
        }
        self.read = (0, m);
    }

    /// Nothing is frozen: `read` is [Wq | Wk | Wv] of all heads, `write` is Wo.
    fn plan_trained(&mut self, config: &Config) {
        let model = &config.model;
        let (h, d_h) = (model.heads, model.head_width);
        // The tensors and the matrices among them; the first trained matrix is the unembedding.
        let (tensors, linears) = if config.variant.hidden().is_some() { (5, 4) } else { (2, 2) };
        for layer in 0..model.layers {
            let (tensor, linear) = (LAYERS + layer * tensors, 1 + layer * linears);
            let trained = |place: usize, index: usize| Weight::Trained {
                linear: linear + place,
                tensor: tensor + index,
            };
            let (read, write) = (Some(trained(0, 0)), Some(trained(1, 1)));
            let mlp = config.variant.hidden().map(|_| MlpPlan {
                first: trained(2, 2),
                bias: Bias::Trained { tensor: tensor + 3 },
                second: trained(3, 4),
            });
            let head = |head| HeadPlan {
                query: head * d_h,
                key: (h + head) * d_h,
                moves: vec![Move { from: (2 * h + head) * d_h, to: head * d_h, width: d_h }],
            };
            let heads = (0..h).map(head).collect();
            let (source_width, output_width) = (3 * h * d_h, h * d_h);
            self.layers.push(LayerPlan { heads, read, write, mlp, source_width, output_width });
        }
        self.read = (0, model.width);
    }

    fn add_perceptrons(&mut self, config: &Config, hidden: usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
        rng.set_stream(PERCEPTRON_STREAM);
        let mut draws = NormalDraws::new(rng);
        let m = config.state_width();
        let mut matrix = |count: usize, deviation: f64| -> Vec<R> {
            (0..count).map(|_| R::from_f64(deviation * draws.draw())).collect()
        };
        for layer in 0..self.layers.len() {
            let first = matrix(m * hidden, (2.0 / m as f64).sqrt());
            let bias = matrix(hidden, 0.5);
            let second = matrix(hidden * m, 0.3 / (hidden as f64).sqrt());
            let (first, second) = (self.add(&first, m, hidden), self.add(&second, hidden, m));
            self.layers[layer].mlp = Some(MlpPlan { first, bias: Bias::Frozen(self.biases.len()), second });
            self.count += hidden as u64;
            self.biases.push(bias);
        }
    }

    fn add(&mut self, matrix: &[R], rows: usize, columns: usize) -> Weight {
        let mut linear = Linear::zeros(rows, columns);
        linear.set(matrix);
        self.linears.push(linear);
        self.count += (rows * columns) as u64;
        Weight::Frozen(self.linears.len() - 1)
    }
}

impl<R: Real> Linear<R> {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Linear { forward: Packed::zeros(rows, columns), backward: Packed::zeros(columns, rows) }
    }

    /// Takes over a matrix that is written row by row.
    pub(crate) fn set(&mut self, matrix: &[R]) {
        self.forward.pack(matrix);
        self.backward.pack_transposed(matrix);
    }
}

/// A stream of the seed that nothing else draws from.
const PERCEPTRON_STREAM: u64 = u64::MAX - 2;

fn universal(config: &Config, construction: Construction) -> Result<UniversalTransformer, Error> {
    Ok(UniversalTransformer::new(config.class(), construction)?)
}

fn selected(projection: &Projection) -> (usize, usize) {
    match projection {
        Projection::Selection { offset, width } => (*offset, *width),
        Projection::Dense(_) => unreachable!("explicit constructions select columns"),
    }
}

/// The moves with neighbours made one where they stay neighbours.
fn merged(moves: &[universal::Move]) -> Vec<Move> {
    let mut merged: Vec<Move> = Vec::new();
    for it in moves {
        match merged.last_mut() {
            Some(last) if last.from + last.width == it.from && last.to + last.width == it.to => {
                last.width += it.width;
            }
            _ => merged.push(Move { from: it.from, to: it.to, width: it.width }),
        }
    }
    merged
}
