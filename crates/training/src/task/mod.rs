//! What is to be learned: the sequences of each task, drawn from a seed and balanced by construction.

mod dyck;
mod hops;
mod match_two;
mod own;
mod parity;
mod recall;

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use transformer::Mask;

use crate::Error;

pub use own::{OwnSequence, OwnSequences};

/// The target of a position at which nothing is asked.
pub const NO_TARGET: u16 = u16::MAX;

/// A task. Tokens and classes are numbered from 0; [`Task::tokens`] and [`Task::classes`] name them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Dyck-1: is this string of parentheses balanced? Asked at the end of `^ characters $`.
    ///
    /// Exactly half of every batch is balanced: a uniform Dyck path. Of the others half are a balanced
    /// string with one character flipped, half a permutation of as many `(` as `)` in which some prefix
    /// has more `)`. Counting alone gets 75 %.
    Dyck {
        /// The number of parentheses, which is even.
        length: usize,
    },
    /// k-hop induction heads (Sanford, Hsu, Telgarsky 2024), asked at every position.
    ///
    /// `s_0` is uniform and `s_t` uniform over the other symbols. f(t) = 1 + the last j < t with s_j = s_t,
    /// and the target at t is the symbol at f(f(…f(t))), k times, or null where there is none.
    Hops {
        /// k.
        hops: usize,
        /// The number of symbols.
        alphabet: usize,
        /// The number of symbols in a sequence.
        length: usize,
    },
    /// Match2: is there a j with x_i + x_j ≡ 0 modulo M? Asked at every position i, j = i included; exactly
    /// half of the positions (rounded down) have a match.
    MatchTwo {
        /// M.
        modulus: usize,
        /// The number of residues in a sequence.
        length: usize,
    },
    /// k-PARITY: the parity of the bits at the first k of a secret permutation of the positions. Asked at
    /// the end of `bits $`; exactly half are odd.
    Parity {
        /// k.
        bits: usize,
        /// The number of bits in a sequence.
        length: usize,
        /// Where the secret positions are drawn from.
        secret: u64,
    },
    /// Associative recall (Zhong, Andreas 2024): pairs of a key and a value, then one of the keys; asked for
    /// its value. The keys of a sequence differ.
    Recall {
        /// The number of keys that there are.
        keys: usize,
        /// The number of values that there are.
        values: usize,
        /// The number of pairs in a sequence.
        pairs: usize,
    },
    /// Modular addition (Zhong, Andreas 2024): `a b`, asked for a + b modulo p.
    ModularAddition {
        /// p.
        modulus: usize,
    },
    /// One's own sequences.
    Own(OwnSequences),
}

/// Sequences side by side: `count` of `length` tokens each, and what is asked at each of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Batch {
    /// The number of sequences.
    pub count: usize,
    /// n, the number of tokens in each.
    pub length: usize,
    /// The tokens, sequence by sequence.
    pub tokens: Vec<u16>,
    /// The class asked for at each token, or [`NO_TARGET`].
    pub targets: Vec<u16>,
}

/// The held-out sequences of a run, and its training stream, which avoids them.
#[derive(Debug, Clone)]
pub struct Data {
    task: Task,
    seed: u64,
    held_out: Batch,
    reserved: HashSet<u64>,
}

impl Task {
    /// What every token stands for.
    pub fn tokens(&self) -> Vec<String> {
        match self {
            Task::Dyck { .. } => dyck::TOKENS.map(str::to_owned).to_vec(),
            Task::Hops { alphabet, .. } => {
                std::iter::once("^".to_owned()).chain((0..*alphabet).map(hops::symbol)).collect()
            }
            Task::MatchTwo { modulus, .. } | Task::ModularAddition { modulus } => numbers(*modulus),
            Task::Parity { .. } => ["0", "1", "$"].map(str::to_owned).to_vec(),
            Task::Recall { keys, values, .. } => {
                (0..*keys).map(|k| format!("k{k}")).chain((0..*values).map(|v| format!("v{v}"))).collect()
            }
            Task::Own(own) => own.tokens.clone(),
        }
    }

    /// What every class that is predicted stands for.
    pub fn classes(&self) -> Vec<String> {
        match self {
            Task::Dyck { .. } | Task::MatchTwo { .. } => ["no", "yes"].map(str::to_owned).to_vec(),
            Task::Hops { alphabet, .. } => {
                (0..*alphabet).map(hops::symbol).chain(std::iter::once("–".to_owned())).collect()
            }
            Task::Parity { .. } => ["even", "odd"].map(str::to_owned).to_vec(),
            Task::Recall { values, .. } => (0..*values).map(|v| format!("v{v}")).collect(),
            Task::ModularAddition { modulus } => numbers(*modulus),
            Task::Own(own) => own.classes.clone(),
        }
    }

    /// The class that says that there is nothing to be found, where the task has one. Accuracy is also
    /// reported without it, because it may be the most frequent answer.
    pub fn null_class(&self) -> Option<u16> {
        match self {
            Task::Hops { alphabet, .. } => Some(*alphabet as u16),
            _ => None,
        }
    }

    /// n, the number of tokens in a sequence: the largest one for sequences of one's own.
    pub fn length(&self) -> usize {
        match self {
            Task::Dyck { length } => length + 2,
            Task::Hops { length, .. } => length + 1,
            Task::MatchTwo { length, .. } => *length,
            Task::Parity { length, .. } => length + 1,
            Task::Recall { pairs, .. } => 2 * pairs + 1,
            Task::ModularAddition { .. } => 2,
            Task::Own(own) => own.length(),
        }
    }

    /// The mask that the task is meant for: Match2 looks both ways.
    pub fn mask(&self) -> Mask {
        match self {
            Task::MatchTwo { .. } => Mask::None,
            _ => Mask::Causal,
        }
    }

    /// The secret positions of k-PARITY, in order; empty for other tasks.
    pub fn secret_positions(&self) -> Vec<usize> {
        match self {
            Task::Parity { bits, length, secret } => parity::secret_positions(*bits, *length, *secret),
            _ => Vec::new(),
        }
    }

    /// The tokens of a text: characters where every token is one, else words. What the task adds by itself
    /// at the beginning and at the end (`^`, `$`) may be left out.
    ///
    /// # Errors
    /// When a token is unknown, or there are none or too many of them.
    pub fn encode(&self, text: &str) -> Result<Vec<u16>, Error> {
        let names = self.tokens();
        let mut words: Vec<String> = if names.iter().all(|name| name.chars().count() == 1) {
            text.chars().filter(|it| !it.is_whitespace()).map(String::from).collect()
        } else {
            text.split_whitespace().map(str::to_owned).collect()
        };
        let (first, last) = match self {
            Task::Dyck { .. } => (Some("^"), Some("$")),
            Task::Hops { .. } => (Some("^"), None),
            Task::Parity { .. } => (None, Some("$")),
            _ => (None, None),
        };
        if let Some(first) = first.filter(|first| words.first().is_none_or(|word| word != first)) {
            words.insert(0, first.to_owned());
        }
        if let Some(last) = last.filter(|last| words.last().is_none_or(|word| word != last)) {
            words.push(last.to_owned());
        }
        if words.is_empty() || words.len() > self.length() {
            return Err(Error::Length { found: words.len(), expected: format!("1 to {}", self.length()) });
        }
        let number = |(position, word): (usize, &String)| {
            let found = names.iter().position(|name| name == word);
            found
                .map(|token| token as u16)
                .ok_or_else(|| Error::UnknownToken { position: position + 1, token: word.clone() })
        };
        words.iter().enumerate().map(number).collect()
    }

    /// The targets of tokens that someone has written: the truth of the task, where it can be told.
    /// Sequences of one's own have none.
    pub fn targets(&self, tokens: &[u16]) -> Vec<u16> {
        let mut targets = vec![NO_TARGET; tokens.len()];
        self.answer(tokens, &mut targets);
        targets
    }

    /// # Errors
    /// When a size is not possible.
    pub fn check(&self) -> Result<(), Error> {
        let at_least = |name: &str, found: usize, least: usize| {
            if found < least { Err(Error::setting(name, found, format!("at least {least}"))) } else { Ok(()) }
        };
        match self {
            Task::Dyck { length } => {
                at_least("task.length", *length, 2)?;
                if length % 2 == 1 {
                    return Err(Error::setting("task.length", length, "even"));
                }
            }
            Task::Hops { hops, alphabet, length } => {
                at_least("task.hops", *hops, 1)?;
                at_least("task.alphabet", *alphabet, 2)?;
                at_least("task.length", *length, 3)?;
            }
            Task::MatchTwo { modulus, length } => {
                at_least("task.modulus", *modulus, 5)?;
                at_least("task.length", *length, 2)?;
            }
            Task::Parity { bits, length, .. } => {
                at_least("task.bits", *bits, 1)?;
                at_least("task.length", *length, *bits)?;
            }
            Task::Recall { keys, values, pairs } => {
                at_least("task.pairs", *pairs, 1)?;
                at_least("task.keys", *keys, *pairs)?;
                at_least("task.values", *values, 2)?;
            }
            Task::ModularAddition { modulus } => at_least("task.modulus", *modulus, 3)?,
            Task::Own(own) => own.check()?,
        }
        if self.length() > MOST_TOKENS {
            return Err(Error::setting(
                "task.length",
                self.length(),
                format!("at most {MOST_TOKENS} tokens"),
            ));
        }
        let names = self.tokens().len().max(self.classes().len());
        if names >= usize::from(NO_TARGET) {
            return Err(Error::setting("task", format!("{names} tokens"), "fewer than 65535"));
        }
        Ok(())
    }

    fn answer(&self, tokens: &[u16], targets: &mut [u16]) {
        match self {
            Task::Dyck { .. } => dyck::solve(tokens, targets),
            Task::Hops { hops, alphabet, .. } => hops::solve(*hops, *alphabet, tokens, targets),
            Task::MatchTwo { modulus, .. } => match_two::solve(*modulus, tokens, targets),
            Task::Parity { .. } => parity::solve(&self.secret_positions(), tokens, targets),
            Task::Recall { keys, .. } => recall::solve(*keys, tokens, targets),
            Task::ModularAddition { modulus } => {
                targets.fill(NO_TARGET);
                if let [a, b] = tokens {
                    targets[1] = ((usize::from(*a) + usize::from(*b)) % modulus) as u16;
                }
            }
            Task::Own(_) => targets.fill(NO_TARGET),
        }
    }

    /// How many sequences it has at least, so that not too many of them are held out.
    fn sequences(&self) -> f64 {
        let power = |base: usize, exponent: usize| libm::pow(base as f64, exponent as f64);
        match self {
            // As many as are balanced (a Catalan number), twice.
            Task::Dyck { length } => {
                let half = length / 2;
                (1..=half).fold(2.0, |count, k| count * (half + k) as f64 / k as f64) / (half + 1) as f64
            }
            Task::Hops { alphabet, length, .. } => *alphabet as f64 * power(alphabet - 1, length - 1),
            Task::MatchTwo { modulus, length } => power(modulus / 2, length.div_ceil(2)),
            Task::Parity { length, .. } => power(2, *length),
            Task::Recall { keys, values, pairs } => {
                (0..*pairs).map(|k| (keys - k) as f64).product::<f64>() * power(*values, *pairs)
            }
            Task::ModularAddition { modulus } => power(*modulus, 2),
            Task::Own(own) => own.sequences.len() as f64,
        }
    }

    /// Draws one sequence with its targets. `number` counts the sequences, so that labels alternate and
    /// every batch is balanced.
    fn draw(&self, number: usize, rng: &mut ChaCha8Rng, tokens: &mut [u16], targets: &mut [u16]) {
        match self {
            Task::Dyck { .. } => dyck::draw(number, rng, tokens),
            Task::Hops { alphabet, .. } => hops::draw(*alphabet, rng, tokens),
            Task::MatchTwo { modulus, .. } => match_two::draw(*modulus, rng, tokens),
            Task::Parity { .. } => parity::draw(number, &self.secret_positions(), rng, tokens),
            Task::Recall { keys, values, .. } => recall::draw(*keys, *values, rng, tokens),
            Task::ModularAddition { modulus } => {
                tokens.fill_with(|| rng.random_range(0..*modulus) as u16);
            }
            Task::Own(own) => {
                own.draw(rng, tokens, targets);
                return;
            }
        }
        self.answer(tokens, targets);
    }
}

impl Batch {
    /// Room for sequences.
    pub fn zeros(count: usize, length: usize) -> Self {
        Batch { count, length, tokens: vec![0; count * length], targets: vec![NO_TARGET; count * length] }
    }

    /// The tokens and targets of one sequence.
    pub fn sequence(&self, index: usize) -> (&[u16], &[u16]) {
        let range = index * self.length..(index + 1) * self.length;
        (&self.tokens[range.clone()], &self.targets[range])
    }
}

impl Data {
    /// Draws the held-out sequences, which all differ: `held_out` of them, or fewer where the task does not
    /// have four times as many.
    ///
    /// # Errors
    /// When the task is not possible.
    pub fn new(task: Task, seed: u64, held_out: usize) -> Result<Self, Error> {
        task.check()?;
        let length = task.length();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(HELD_OUT_STREAM);
        let mut data = Data { held_out: Batch::zeros(0, length), reserved: HashSet::new(), task, seed };
        if let Task::Own(own) = &data.task {
            // Everything that is held out is known beforehand.
            (data.held_out, data.reserved) = own.held_out(&mut rng, held_out);
            return Ok(data);
        }
        let (mut tokens, mut targets) = (vec![0; length], vec![NO_TARGET; length]);
        let wanted = (held_out as f64).min(data.task.sequences() / 4.0) as usize;
        let (mut count, mut draws) = (0, 0);
        while count < wanted && draws < wanted * MOST_DRAWS {
            data.task.draw(count, &mut rng, &mut tokens, &mut targets);
            draws += 1;
            if data.reserved.insert(name_of(&tokens)) {
                data.held_out.tokens.extend_from_slice(&tokens);
                data.held_out.targets.extend_from_slice(&targets);
                count += 1;
            }
        }
        data.held_out.count = count;
        Ok(data)
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The held-out sequences.
    pub fn held_out(&self) -> &Batch {
        &self.held_out
    }

    /// Fills a batch with the sequences of a training step. They depend on the seed and on the step alone, so
    /// a run that is resumed goes on with the sequences that it would have had.
    ///
    /// # Errors
    /// When sequences outside the held-out set are not found.
    pub fn draw(&self, step: usize, batch: &mut Batch) -> Result<(), Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(step as u64);
        let sequences = batch
            .tokens
            .chunks_exact_mut(batch.length)
            .zip(batch.targets.chunks_exact_mut(batch.length))
            .enumerate();
        for (number, (tokens, targets)) in sequences {
            let mut draws = 0;
            loop {
                self.task.draw(number, &mut rng, tokens, targets);
                if !self.reserved.contains(&name_of(tokens)) {
                    break;
                }
                draws += 1;
                if draws == MOST_DRAWS {
                    return Err(Error::Exhausted { draws });
                }
            }
        }
        Ok(())
    }
}

/// The longest sequences.
const MOST_TOKENS: usize = 512;

const HELD_OUT_STREAM: u64 = u64::MAX;

const MOST_DRAWS: usize = 10_000;

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

fn name_of(tokens: &[u16]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    for token in tokens {
        hasher.update(&token.to_le_bytes());
    }
    hasher.digest()
}
