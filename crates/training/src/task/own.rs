//! Sequences of one's own, from a text.

use std::collections::{BTreeSet, HashMap, HashSet};

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Batch, MOST_TOKENS, NO_TARGET, name_of};
use crate::Error;

/// The most different tokens, and the most different classes.
const MOST_NAMES: usize = 512;

/// Sequences with what is asked of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSequences {
    /// What every token stands for.
    pub tokens: Vec<String>,
    /// What every class stands for.
    pub classes: Vec<String>,
    /// The sequences, which all differ.
    pub sequences: Vec<OwnSequence>,
}

/// One sequence with what is asked at each of its tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSequence {
    /// Its tokens.
    pub tokens: Vec<u16>,
    /// The class at each token, or [`NO_TARGET`].
    pub targets: Vec<u16>,
}

impl OwnSequences {
    /// Reads one sequence from each line that is not empty: `tokens => class` asks for a class at the last
    /// token; without `=>` the next token is asked for at every token. All lines are of the same kind.
    /// Tokens are words where a line has spaces within its tokens, else characters.
    ///
    /// # Errors
    /// When lines are of both kinds, a line has no tokens or too many, two lines contradict each other, or there are
    /// too many different tokens or classes.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let lines: Vec<(usize, &str, Option<&str>)> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| match line.split_once("=>") {
                Some((tokens, class)) => (number + 1, tokens.trim(), Some(class.trim())),
                None => (number + 1, line.trim(), None),
            })
            .collect();
        let Some((_, _, first_class)) = lines.first() else {
            return Err(refuse(1, "there is no sequence"));
        };
        let classified = first_class.is_some();
        let words = lines.iter().any(|(_, tokens, _)| tokens.contains(char::is_whitespace));
        let mut sequences = Vec::new();
        for (number, tokens, class) in lines {
            let tokens: Vec<String> = if words {
                tokens.split_whitespace().map(str::to_owned).collect()
            } else {
                tokens.chars().map(String::from).collect()
            };
            let least = if classified { 1 } else { 2 };
            if tokens.len() < least || tokens.len() > MOST_TOKENS {
                let reason = format!("{} tokens, which must be {least} to {MOST_TOKENS}", tokens.len());
                return Err(refuse(number, &reason));
            }
            if class.is_some() != classified {
                return Err(refuse(number, "some lines name a class with =>, others do not"));
            }
            sequences.push((number, tokens, class.unwrap_or_default()));
        }
        let names: BTreeSet<&str> =
            sequences.iter().flat_map(|(_, tokens, _)| tokens.iter().map(String::as_str)).collect();
        let classes: BTreeSet<&str> =
            if classified { sequences.iter().map(|(_, _, class)| *class).collect() } else { names.clone() };
        for (name, found) in [("task.tokens", names.len()), ("task.classes", classes.len())] {
            if found > MOST_NAMES {
                return Err(Error::setting(name, found, format!("at most {MOST_NAMES}")));
            }
        }
        let number_of = |names: &BTreeSet<&str>| -> HashMap<String, u16> {
            names.iter().enumerate().map(|(number, name)| ((*name).to_owned(), number as u16)).collect()
        };
        let (token_numbers, class_numbers) = (number_of(&names), number_of(&classes));
        let mut own = OwnSequences {
            tokens: names.iter().map(|name| (*name).to_owned()).collect(),
            classes: classes.iter().map(|name| (*name).to_owned()).collect(),
            sequences: Vec::new(),
        };
        let mut known: HashMap<Vec<u16>, u16> = HashMap::new();
        for (number, tokens, class) in &sequences {
            let tokens: Vec<u16> = tokens.iter().map(|token| token_numbers[token]).collect();
            let mut targets = vec![NO_TARGET; tokens.len()];
            if classified {
                let class = class_numbers[*class];
                match known.insert(tokens.clone(), class) {
                    Some(other) if other != class => {
                        return Err(refuse(*number, "the same tokens with another class before"));
                    }
                    Some(_) => continue,
                    None => targets[tokens.len() - 1] = class,
                }
            } else {
                if known.insert(tokens.clone(), 0).is_some() {
                    continue;
                }
                targets[..tokens.len() - 1].copy_from_slice(&tokens[1..]);
            }
            own.sequences.push(OwnSequence { tokens, targets });
        }
        own.check()?;
        Ok(own)
    }

    pub(super) fn length(&self) -> usize {
        self.sequences.iter().map(|it| it.tokens.len()).max().unwrap_or(0)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if self.sequences.len() < 2 {
            let expected = "at least 2: one to train on, one to hold out";
            return Err(Error::setting("task.sequences", self.sequences.len(), expected));
        }
        for (line, sequence) in self.sequences.iter().enumerate() {
            let fits = sequence.tokens.len() == sequence.targets.len()
                && !sequence.tokens.is_empty()
                && sequence.tokens.iter().all(|token| usize::from(*token) < self.tokens.len())
                && sequence
                    .targets
                    .iter()
                    .all(|target| *target == NO_TARGET || usize::from(*target) < self.classes.len());
            if !fits {
                return Err(refuse(line + 1, "a token or a class that has no name"));
            }
        }
        Ok(())
    }

    /// A fifth of the sequences, or `most`, with the names by which training avoids them.
    pub(super) fn held_out(&self, rng: &mut ChaCha8Rng, most: usize) -> (Batch, HashSet<u64>) {
        let mut order: Vec<usize> = (0..self.sequences.len()).collect();
        order.shuffle(rng);
        order.truncate((self.sequences.len() / 5).clamp(1, most.max(1)));
        let mut batch = Batch::zeros(order.len(), self.length());
        let length = batch.length;
        let mut reserved = HashSet::new();
        for (place, index) in order.into_iter().enumerate() {
            let range = place * length..(place + 1) * length;
            self.write(index, &mut batch.tokens[range.clone()], &mut batch.targets[range.clone()]);
            reserved.insert(name_of(&batch.tokens[range]));
        }
        (batch, reserved)
    }

    pub(super) fn draw(&self, rng: &mut ChaCha8Rng, tokens: &mut [u16], targets: &mut [u16]) {
        self.write(rng.random_range(0..self.sequences.len()), tokens, targets);
    }

    /// Shorter sequences are filled up at the end with token 0, of which nothing is asked.
    fn write(&self, index: usize, tokens: &mut [u16], targets: &mut [u16]) {
        let own = &self.sequences[index];
        let n = own.tokens.len();
        tokens[..n].copy_from_slice(&own.tokens);
        tokens[n..].fill(0);
        targets[..n].copy_from_slice(&own.targets);
        targets[n..].fill(NO_TARGET);
    }
}

fn refuse(line: usize, reason: &str) -> Error {
    Error::OwnSequences { line, reason: reason.to_owned() }
}
