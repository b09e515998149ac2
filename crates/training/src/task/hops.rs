//! k-hop induction heads.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::NO_TARGET;

const BEGIN: u16 = 0;

/// `a` … `z`, then `s26` and so on.
pub(super) fn symbol(number: usize) -> String {
    match u8::try_from(number) {
        Ok(small) if small < 26 => char::from(b'a' + small).to_string(),
        _ => format!("s{number}"),
    }
}

pub(super) fn draw(alphabet: usize, rng: &mut ChaCha8Rng, tokens: &mut [u16]) {
    tokens[0] = BEGIN;
    let mut previous = None;
    for token in &mut tokens[1..] {
        // Uniform over the symbols other than the one before.
        *token = match previous {
            None => rng.random_range(1..=alphabet as u16),
            Some(previous) => {
                let drawn = rng.random_range(1..alphabet as u16);
                if drawn < previous { drawn } else { drawn + 1 }
            }
        };
        previous = Some(*token);
    }
}

/// Class `alphabet` is null. The begin token has no target.
pub(super) fn solve(hops: usize, alphabet: usize, tokens: &[u16], targets: &mut [u16]) {
    targets.fill(NO_TARGET);
    let Some((_, symbols)) = tokens.split_first() else { return };
    let next_of_last = |t: usize| (0..t).rev().find(|j| symbols[*j] == symbols[t]).map(|j| j + 1);
    for t in 0..symbols.len() {
        let found = (0..hops).try_fold(t, |place, _| next_of_last(place));
        targets[t + 1] = found.map_or(alphabet as u16, |place| symbols[place].saturating_sub(1));
    }
}
