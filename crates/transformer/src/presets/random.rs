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

const LONGEST: usize = 256;
const WORDS: [&str; 40] = [
    "the", "a", "is", "are", "was", "and", "or", "not", "in", "on", "at", "to", "of", "with", "she", "you",
    "we", "it", "my", "one", "two", "cat", "dog", "bird", "mat", "tree", "house", "song", "piano", "music",
    "sat", "ran", "sang", "plays", "sees", "big", "small", "old", "new", "red",
];

/// A target of `class` with weights, words and positions drawn from `seed`, as [`Target::random`]
/// draws. What it says is the word whose vector goes furthest in the direction of the output.
///
/// Its vocabulary is open: words of `text` that are not among its own get a vector too, which depends on
/// the seed and the word alone, so that a word keeps its vector whatever stands beside it.
///
/// # Errors
/// When the class is not possible.
pub fn random_target(class: Class, seed: u64, text: &str) -> Result<Preset, Error> {
    let (class, layers, _) = Target::random(class, seed)?.into_parts();
    // A stream of its own, so that the words do not repeat the numbers of the weights.
    let mut own = draws(seed, 1);
    let mut normal = |rows: usize, deviation: f64| {
        Array2::from_shape_simple_fn((rows, class.width), || own.draw() * deviation)
    };
    let mut vectors = normal(WORDS.len(), 1.0).into_raw_vec_and_offset().0;
    let positions = normal(LONGEST, 0.5);
    let mut tokens: Vec<String> = WORDS.map(str::to_owned).to_vec();
    for word in text.split_whitespace() {
        if !tokens.iter().any(|known| known == word || *known == word.to_ascii_lowercase()) {
            let mut of_word = draws(seed, hash(word));
            vectors.extend((0..class.width).map(|_| of_word.draw()));
            tokens.push(word.to_owned());
        }
    }
    let embedding = Array2::from_shape_fn((tokens.len(), class.width), |(i, j)| vectors[i * class.width + j]);
    let readout = Readout::Scores {
        words: tokens.clone(),
        weights: directions(&embedding),
        bias: Array1::zeros(tokens.len()),
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
    random_target(RANDOM_CLASS, 1, "").expect("the class above is possible")
}

fn draws(seed: u64, stream: u64) -> NormalDraws {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    NormalDraws::new(rng)
}

/// FNV-1a, 64 bits: the same for a word on every platform and in every release.
fn hash(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
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
