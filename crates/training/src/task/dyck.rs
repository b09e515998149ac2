//! Dyck-1: balanced strings of parentheses, and strings that are nearly balanced.

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::NO_TARGET;

pub(super) const TOKENS: [&str; 4] = ["^", "(", ")", "$"];
const BEGIN: u16 = 0;
const OPEN: u16 = 1;
const CLOSE: u16 = 2;
const END: u16 = 3;

/// Sequences with an even number are balanced.
pub(super) fn draw(number: usize, rng: &mut ChaCha8Rng, tokens: &mut [u16]) {
    let n = tokens.len();
    tokens[0] = BEGIN;
    tokens[n - 1] = END;
    let characters = &mut tokens[1..n - 1];
    match number % 4 {
        0 | 2 => uniform_path(rng, characters),
        1 => {
            uniform_path(rng, characters);
            let flipped = rng.random_range(0..characters.len());
            characters[flipped] = OPEN + CLOSE - characters[flipped];
        }
        _ => loop {
            let half = characters.len() / 2;
            characters[..half].fill(OPEN);
            characters[half..].fill(CLOSE);
            characters.shuffle(rng);
            if !balanced(characters) {
                break;
            }
        },
    }
}

/// The answer stands at the end: class 1 when what is between `^` and `$` is balanced.
pub(super) fn solve(tokens: &[u16], targets: &mut [u16]) {
    targets.fill(NO_TARGET);
    if let [BEGIN, characters @ .., END] = tokens {
        targets[tokens.len() - 1] = u16::from(balanced(characters));
    }
}

/// A Dyck path of the slice's length, all equally likely: from height h with r characters left, the next one
/// opens with probability (h + 2)(r − h) / (2 (h + 1) r), the share of the paths to the end that begin so.
fn uniform_path(rng: &mut ChaCha8Rng, characters: &mut [u16]) {
    let mut height = 0;
    for place in 0..characters.len() {
        let left = characters.len() - place;
        let opens = rng.random_range(0..2 * (height + 1) * left) < (height + 2) * (left - height);
        characters[place] = if opens { OPEN } else { CLOSE };
        height = if opens { height + 1 } else { height - 1 };
    }
}

fn balanced(characters: &[u16]) -> bool {
    let mut height = 0_usize;
    for character in characters {
        height = match *character {
            OPEN => height + 1,
            CLOSE if height > 0 => height - 1,
            _ => return false,
        };
    }
    height == 0
}
