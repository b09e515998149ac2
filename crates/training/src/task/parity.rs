//! k-PARITY: the parity of the bits at secret positions.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::NO_TARGET;

const END: u16 = 2;

pub(super) fn secret_positions(bits: usize, length: usize, secret: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(secret);
    let mut positions: Vec<usize> = (0..length).collect();
    positions.shuffle(&mut rng);
    positions.truncate(bits);
    positions.sort_unstable();
    positions
}

/// Uniform bits; the first secret one is set so that sequences with an odd number have odd parity.
pub(super) fn draw(number: usize, secret: &[usize], rng: &mut ChaCha8Rng, tokens: &mut [u16]) {
    let last = tokens.len() - 1;
    tokens[last] = END;
    tokens[..last].fill_with(|| rng.random_range(0..2));
    if parity(secret, tokens) != number as u16 % 2 {
        tokens[secret[0]] ^= 1;
    }
}

/// The answer stands at the end of a sequence that has all secret positions.
pub(super) fn solve(secret: &[usize], tokens: &[u16], targets: &mut [u16]) {
    targets.fill(NO_TARGET);
    if let [bits @ .., END] = tokens
        && secret.iter().all(|position| *position < bits.len())
    {
        targets[tokens.len() - 1] = parity(secret, bits);
    }
}

fn parity(secret: &[usize], bits: &[u16]) -> u16 {
    secret.iter().map(|position| bits[*position] & 1).sum::<u16>() % 2
}
