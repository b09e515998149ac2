//! A short name for frozen weights, so that a person sees that they have not changed.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::{FrozenLayer, Mixing, Projection};

/// A hash (64 bits, XXH3) of every bit of the frozen weights. Equal weights have equal fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    pub(crate) fn of(layers: &[FrozenLayer], unembedding: &Projection) -> Self {
        let mut hasher = Xxh3::new();
        for head in layers.iter().flat_map(|layer| &layer.heads) {
            add_projection(&mut hasher, &head.query);
            add_projection(&mut hasher, &head.key);
            match &head.value {
                Mixing::Routing(routing) => {
                    add_numbers(&mut hasher, [routing.width(), routing.moves().len()]);
                    for it in routing.moves() {
                        add_numbers(&mut hasher, [it.from, it.to, it.width]);
                    }
                }
                Mixing::Dense(weights) => add_weights(&mut hasher, weights),
            }
        }
        add_projection(&mut hasher, unembedding);
        Fingerprint(hasher.digest())
    }
}

impl std::fmt::Display for Fingerprint {
    /// Four groups of four hexadecimal digits: `7f3a 91c2 04de b1a8`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let group = |shift: u32| (self.0 >> shift) & 0xffff;
        write!(f, "{:04x} {:04x} {:04x} {:04x}", group(48), group(32), group(16), group(0))
    }
}

/// How many numbers are hashed at once.
const RUN: usize = 512;

fn add_projection(hasher: &mut Xxh3, projection: &Projection) {
    match projection {
        Projection::Selection { offset, width } => add_numbers(hasher, [*offset, *width]),
        Projection::Dense(weights) => add_weights(hasher, weights),
    }
}

fn add_weights(hasher: &mut Xxh3, weights: &ndarray::Array2<f64>) {
    add_numbers(hasher, [weights.nrows(), weights.ncols()]);
    // In runs: a call for each number would take longer than the hash itself.
    let mut bytes = Vec::with_capacity(RUN * size_of::<f64>());
    for weight in weights {
        bytes.extend_from_slice(&weight.to_bits().to_le_bytes());
        if bytes.len() == bytes.capacity() {
            hasher.update(&bytes);
            bytes.clear();
        }
    }
    hasher.update(&bytes);
}

/// Always as 64 bits, so that a fingerprint is the same on every platform.
fn add_numbers<const N: usize>(hasher: &mut Xxh3, numbers: [usize; N]) {
    for number in numbers {
        hasher.update(&(number as u64).to_le_bytes());
    }
}
