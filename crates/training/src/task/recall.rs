//! Associative recall: the value that stood beside a key.

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::NO_TARGET;

pub(super) fn draw(keys: usize, values: usize, rng: &mut ChaCha8Rng, tokens: &mut [u16]) {
    let pairs = tokens.len() / 2;
    let mut order: Vec<u16> = (0..keys as u16).collect();
    order.shuffle(rng);
    for (pair, key) in order.into_iter().take(pairs).enumerate() {
        tokens[2 * pair] = key;
        tokens[2 * pair + 1] = (keys + rng.random_range(0..values)) as u16;
    }
    tokens[2 * pairs] = tokens[2 * rng.random_range(0..pairs)];
}

/// The answer stands at the last token: the value after the first place of that key.
pub(super) fn solve(keys: usize, tokens: &[u16], targets: &mut [u16]) {
    targets.fill(NO_TARGET);
    if let [pairs @ .., query] = tokens
        && let Some(pair) = pairs.chunks_exact(2).find(|pair| pair[0] == *query)
        && let Some(value) = usize::from(pair[1]).checked_sub(keys)
    {
        targets[tokens.len() - 1] = value as u16;
    }
}
