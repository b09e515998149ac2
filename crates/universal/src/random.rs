//! Random frozen weights: independent draws by ChaCha8, the same bits on every platform.

use ndarray::{Array2, Axis};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use transformer::{Class, NormalDraws};

use crate::{Consumer, FrozenHead, FrozenLayer, Law, Mixing, Projection, RandomSpec, Tying};

/// Draws the frozen layers (one when they are tied) and the unembedding. For each layer and head Rq, Rk
/// and Rv are drawn in this order, row by row; U comes last.
pub(crate) fn draw(
    class: &Class,
    spec: RandomSpec,
    seed: u64,
    normals: &mut NormalSequence,
) -> (Vec<FrozenLayer>, Projection) {
    let m = spec.width;
    let layers = match spec.tying {
        Tying::Free => class.layers,
        Tying::Tied => 1,
    };
    let drawn = match spec.law {
        Law::Gaussian => {
            let entries = layers * class.heads * m * (m + 2 * class.head_width) + m * class.width;
            normals.first(seed, entries)
        }
        Law::Uniform | Law::Sign | Law::LowRank | Law::Table(_) => &[],
    };
    let mut draws = Draws { rng: NormalDraws::new(ChaCha8Rng::seed_from_u64(seed)), drawn, spec };
    let layers = (0..layers)
        .map(|_| FrozenLayer {
            heads: (0..class.heads)
                .map(|_| FrozenHead {
                    query: Projection::Dense(draws.matrix(class.head_width)),
                    key: Projection::Dense(draws.matrix(class.head_width)),
                    value: Mixing::Dense(match spec.law {
                        Law::LowRank => draws.low_rank_matrix(deficient_rank(class)),
                        Law::Gaussian | Law::Uniform | Law::Sign | Law::Table(_) => draws.matrix(m),
                    }),
                })
                .collect(),
        })
        .collect();
    (layers, Projection::Dense(draws.matrix(class.width)))
}

/// The normal numbers of one seed. Gaussian weights of all widths are the same sequence, cut and scaled otherwise, so
/// whoever draws several widths makes it once.
#[derive(Debug, Clone, Default)]
pub(crate) struct NormalSequence {
    numbers: Vec<f64>,
    source: Option<(u64, NormalDraws)>,
}

impl NormalSequence {
    /// The first `count` numbers of a seed.
    fn first(&mut self, seed: u64, count: usize) -> &[f64] {
        if self.source.as_ref().is_none_or(|(known, _)| *known != seed) {
            self.numbers.clear();
        }
        let known = self.source.take().filter(|(known, _)| *known == seed);
        let (_, draws) = self
            .source
            .insert(known.unwrap_or_else(|| (seed, NormalDraws::new(ChaCha8Rng::seed_from_u64(seed)))));
        let missing = count.saturating_sub(self.numbers.len());
        self.numbers.reserve_exact(missing);
        self.numbers.extend((0..missing).map(|_| draws.draw()));
        &self.numbers[..count]
    }
}

/// Half the number of columns that the leaves with one given first step have. They all lie in the column
/// space of one Rv, so a program needs an Rv of at least twice this rank.
fn deficient_rank(class: &Class) -> usize {
    let (base, _) = class.steps();
    let leaf_columns = |consumer: Consumer| {
        let longer_paths = consumer.depth(class).checked_sub(1);
        longer_paths.map_or(0, |length| base.pow(length as u32) * consumer.width(class))
    };
    Consumer::all(class).into_iter().map(leaf_columns).sum::<usize>() / 2
}

struct Draws<'a> {
    rng: NormalDraws,
    /// What Gaussian weights are cut from.
    drawn: &'a [f64],
    spec: RandomSpec,
}

impl Draws<'_> {
    /// m × columns of independent entries with mean square 1/m.
    fn matrix(&mut self, columns: usize) -> Array2<f64> {
        let shape = (self.spec.width, columns);
        let deviation = 1.0 / (self.spec.width as f64).sqrt();
        match self.spec.law {
            Law::Gaussian => {
                let (normals, rest) = self.drawn.split_at(shape.0 * shape.1);
                self.drawn = rest;
                let entries = normals.iter().map(|normal| deviation * normal).collect();
                Array2::from_shape_vec(shape, entries)
                    .expect("as many numbers were drawn as there are entries")
            }
            Law::LowRank => Array2::from_shape_simple_fn(shape, || deviation * self.rng.draw()),
            Law::Uniform => {
                let bound = deviation * 3.0_f64.sqrt();
                Array2::from_shape_simple_fn(shape, || {
                    bound * (2.0 * self.rng.source().random::<f64>() - 1.0)
                })
            }
            Law::Sign => Array2::from_shape_simple_fn(shape, || {
                if self.rng.source().random::<bool>() { deviation } else { -deviation }
            }),
            Law::Table(table) => {
                let count = table.values().len() as u32;
                let mean_square = table.values().map(|value| value * value).sum::<f64>() / f64::from(count);
                let factor = deviation / mean_square.sqrt();
                let values: Vec<f64> = table.values().map(|value| factor * value).collect();
                Array2::from_shape_simple_fn(shape, || {
                    values[self.rng.source().random_range(0..count) as usize]
                })
            }
        }
    }

    /// m × m of the given rank: a product of normal factors, scaled so that entries have variance 1/m.
    fn low_rank_matrix(&mut self, rank: usize) -> Array2<f64> {
        let m = self.spec.width;
        let mut matrix = Array2::zeros((m, m));
        if rank == 0 {
            return matrix;
        }
        let deviation = (1.0 / (rank as f64 * m as f64)).sqrt().sqrt();
        let left = Array2::from_shape_simple_fn((m, rank), || deviation * self.rng.draw());
        let right = Array2::from_shape_simple_fn((rank, m), || deviation * self.rng.draw());
        // A plain loop and not a library's product: that one fuses multiplications and additions where
        // the processor can, and the bits would differ between platforms.
        for (mut row, factors) in matrix.axis_iter_mut(Axis(0)).zip(left.axis_iter(Axis(0))) {
            for (factor, addend) in factors.iter().zip(right.axis_iter(Axis(0))) {
                row.zip_mut_with(&addend, |sum, entry| *sum += factor * entry);
            }
        }
        matrix
    }
}
