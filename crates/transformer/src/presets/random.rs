//! A target that means nothing: random weights in any class, with words so that text works.

use ndarray::{Array1, Array2};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{Attention, Class, Error, Mask, NormalDraws, Scale, Target, Vocabulary};

use super::{Preset, Readout, Splitting, blocks, explain};

/// The class of the random target where nobody chooses another.
pub const RANDOM_CLASS: Class = Class {
    heads: 2,
    layers: 2,
    width: 4,
    head_width: 2,
    attention: Attention::Softmax,
    mask: Mask::None,
    scale: Scale::InverseSqrt,
    residual: false,
};

const LONGEST: usize = 32;
const WORDS: [&str; 40] = [
    "the", "a", "is", "are", "was", "and", "or", "not", "in", "on", "at", "to", "of", "with", "she", "you",
    "we", "it", "my", "one", "two", "cat", "dog", "bird", "mat", "tree", "house", "song", "piano", "music",
    "sat", "ran", "sang", "plays", "sees", "big", "small", "old", "new", "red",
];

/// A target of `class` with weights, words and positions drawn from `seed`, as [`Target::random`]
/// draws. What it says is the word whose vector goes furthest in the direction of the output.
///
/// # Errors
/// When the class is not possible.
pub fn random_target(class: Class, seed: u64) -> Result<Preset, Error> {
    let (class, layers, _) = Target::random(class, seed)?.into_parts();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // A stream of its own, so that the words do not repeat the numbers of the weights.
    rng.set_stream(1);
    let mut draws = NormalDraws::new(rng);
    let mut normal = |rows: usize, deviation: f64| {
        Array2::from_shape_simple_fn((rows, class.width), || draws.draw() * deviation)
    };
    let embedding = normal(WORDS.len(), 1.0);
    let positions = normal(LONGEST, 0.5);
    let tokens: Vec<String> = WORDS.map(str::to_owned).to_vec();
    let readout = Readout::Scores {
        words: tokens.clone(),
        weights: directions(&embedding),
        bias: Array1::zeros(WORDS.len()),
    };
    let vocabulary = Vocabulary { tokens, embedding, positions: Some(positions) };
    Ok(Preset {
        id: "random",
        target: Target::new(class, layers, Some(vocabulary))?,
        input: "the cat sat on the mat",
        splitting: Splitting::Words,
        start: None,
        longest: LONGEST,
        blocks: blocks(&[("state", class.width)]),
        readout,
        explain: explain("random", 0),
        twin: None,
    })
}

/// The random target of [`RANDOM_CLASS`].
///
/// # Panics
/// When that class is not possible, which is a mistake in this file that its tests find.
pub(super) fn random() -> Preset {
    random_target(RANDOM_CLASS, 1).expect("the class above is possible")
}

/// The rows, each of length 1, as columns (d × rows).
fn directions(rows: &Array2<f64>) -> Array2<f64> {
    let mut columns = rows.t().to_owned();
    for mut column in columns.columns_mut() {
        let length = column.dot(&column).sqrt();
        column.mapv_inplace(|x| x / length);
    }
    columns
}
