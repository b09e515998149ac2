//! Match2: which residues have a partner with which they add up to zero?

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Half of the positions (rounded down) get residues in pairs x, M − x; the others residues whose negatives
/// do not occur. Which residues serve for which half is drawn anew for each sequence, so that no residue
/// gives its answer away.
pub(super) fn draw(modulus: usize, rng: &mut ChaCha8Rng, tokens: &mut [u16]) {
    // One residue of every pair {x, M − x} with two different members.
    let mut pairs: Vec<usize> = (1..modulus.div_ceil(2)).collect();
    pairs.shuffle(rng);
    let (matched, lonely) = pairs.split_at(pairs.len() / 2);
    let (with_match, without) = tokens.split_at_mut(tokens.len() / 2);
    for pair in with_match.chunks_mut(2) {
        match pair {
            [x, y] => {
                let residue = matched[rng.random_range(0..matched.len())];
                *x = residue as u16;
                *y = (modulus - residue) as u16;
            }
            // Zero is its own partner.
            single => single.fill(0),
        }
    }
    // One side of each lonely pair, the same wherever the pair occurs.
    let sides: Vec<usize> =
        lonely.iter().map(|x| if rng.random::<bool>() { *x } else { modulus - x }).collect();
    without.fill_with(|| sides[rng.random_range(0..sides.len())] as u16);
    tokens.shuffle(rng);
}

pub(super) fn solve(modulus: usize, tokens: &[u16], targets: &mut [u16]) {
    for (token, target) in tokens.iter().zip(targets) {
        let has_match = tokens.iter().any(|other| (usize::from(*token) + usize::from(*other)) % modulus == 0);
        *target = u16::from(has_match);
    }
}
