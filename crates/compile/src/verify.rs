//! Nothing is compiled wrongly in silence: a compiled program beside the interpreter, on all inputs or on a sample.

use ndarray::s;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rasp::{Atom, Input, Prepared};
use serde::{Deserialize, Serialize};
use universal::{Program, UniversalTransformer};

use crate::Compiled;

/// Which inputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The number of tokens of the vocabulary.
    tokens: usize,
    /// The most tokens of an input.
    longest: usize,
    /// How many are compared.
    count: u64,
    /// Whether these are all there are.
    exhaustive: bool,
    /// Where the draws of a sample begin.
    seed: u64,
}

impl Inputs {
    /// All inputs when there are at most `budget`, else a random sample of `sample` of them: lengths and tokens are
    /// drawn uniformly.
    pub fn new(compiled: &Compiled, budget: u64, sample: u64, seed: u64) -> Self {
        let (tokens, longest) = (compiled.vocabulary.len(), compiled.longest);
        let all = crate::Request::new(compiled.vocabulary.clone(), longest).inputs();
        let exhaustive = all <= budget;
        Inputs { tokens, longest, count: if exhaustive { all } else { sample }, exhaustive, seed }
    }

    /// How many are compared.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether these are all there are.
    pub fn is_exhaustive(&self) -> bool {
        self.exhaustive
    }

    /// An input by its number, which is less than the count: the indices of its tokens in the vocabulary. Short
    /// inputs come first when all are compared.
    pub fn tokens(&self, number: u64) -> Vec<usize> {
        let tokens = self.tokens.max(1) as u64;
        if self.exhaustive {
            let (mut length, mut rest, mut of_length) = (1, number, tokens);
            while rest >= of_length && length < self.longest {
                rest -= of_length;
                of_length = of_length.saturating_mul(tokens);
                length += 1;
            }
            let mut text = vec![0; length];
            for place in text.iter_mut().rev() {
                *place = (rest % tokens) as usize;
                rest /= tokens;
            }
            return text;
        }
        // Every input has a generator of its own, so that any part of a sample can be compared by itself.
        let mut draws = ChaCha8Rng::seed_from_u64(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let length = draws.random_range(1..=self.longest.max(1));
        (0..length).map(|_| draws.random_range(0..self.tokens.max(1))).collect()
    }

    /// The same as an input of a program.
    pub fn input(&self, compiled: &Compiled, number: u64) -> Option<Input> {
        let tokens = self.tokens(number);
        let atoms = tokens.iter().filter_map(|token| compiled.vocabulary.get(*token).cloned());
        Input::from_atoms(atoms.collect()).ok()
    }
}

/// What has been found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Inputs that were compared.
    pub compared: u64,
    /// Of those, inputs for which the program itself has no value: nothing is claimed about them.
    pub without_value: u64,
    /// Inputs with the right values on both sides.
    pub equal: u64,
    /// The first input that differs.
    pub first: Option<Difference>,
    /// The largest difference between the outputs of the target and of the universal transformer at the text.
    pub largest_error: f64,
}

/// An input for which a transformer says something else than the interpreter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The input.
    pub input: Input,
    /// The first position with another value, from 0.
    pub position: usize,
    /// What the interpreter says.
    pub expected: Vec<Atom>,
    /// What the target says.
    pub target: Vec<Atom>,
    /// What the universal transformer says, where it was asked.
    pub universal: Option<Vec<Atom>>,
}

impl Comparison {
    /// Both together, `other` being the later one.
    pub fn and(mut self, other: Comparison) -> Comparison {
        self.compared += other.compared;
        self.without_value += other.without_value;
        self.equal += other.equal;
        self.first = self.first.or(other.first);
        self.largest_error = self.largest_error.max(other.largest_error);
        self
    }

    /// Whether nothing differs so far.
    pub fn is_right(&self) -> bool {
        self.first.is_none()
    }
}

/// Compares a compiled program with the interpreter.
pub struct Verifier<'a> {
    prepared: &'a Prepared,
    compiled: &'a Compiled,
    universal: Option<(UniversalTransformer, Program)>,
}

impl<'a> Verifier<'a> {
    /// On the target alone.
    pub fn of_target(prepared: &'a Prepared, compiled: &'a Compiled) -> Self {
        Verifier { prepared, compiled, universal: None }
    }

    /// On the target and on the sparse universal transformer that plays it.
    ///
    /// # Errors
    /// When the universal transformer is too large.
    pub fn new(prepared: &'a Prepared, compiled: &'a Compiled) -> Result<Self, universal::Error> {
        let universal = UniversalTransformer::sparse(*compiled.target.class())?;
        let program = universal.program(&compiled.target)?;
        Ok(Verifier { prepared, compiled, universal: Some((universal, program)) })
    }

    /// Compares one input.
    pub fn compare(&self, input: &Input) -> Comparison {
        let mut found = Comparison { compared: 1, ..Comparison::default() };
        let expected: Vec<Atom> = match self.prepared.evaluate(input) {
            Ok(sequence) => sequence.iter().collect(),
            Err(_) => {
                found.without_value = 1;
                return found;
            }
        };
        let Ok(x) = self.compiled.embed(input) else {
            found.without_value = 1;
            return found;
        };
        let Ok(trace) = transformer::forward(&self.compiled.target, x.view()) else {
            found.without_value = 1;
            return found;
        };
        let target = self.compiled.read(trace.output.view());
        let universal = self.universal.as_ref().and_then(|(universal, program)| {
            let played = universal.forward(x.view(), program.embedding.view()).ok()?;
            let text = s![self.compiled.first_position().., ..];
            let error = &played.output.slice(text) - &trace.output.slice(text);
            found.largest_error = error.iter().fold(0.0, |largest, it| f64::max(largest, it.abs()));
            Some(self.compiled.read(played.output.view()))
        });
        let sides = [Some(&target), universal.as_ref()];
        let differs = |position: &usize| {
            sides.iter().flatten().any(|side| !agree(&expected[*position], side.get(*position)))
        };
        match (0..expected.len()).find(differs) {
            Some(position) => {
                found.first =
                    Some(Difference { input: input.clone(), position, expected, target, universal });
            }
            None => found.equal = 1,
        }
        found
    }

    /// Compares the inputs of these numbers, one after the other, as long as `go_on` says so of what was found.
    pub fn run(
        &self,
        inputs: &Inputs,
        numbers: std::ops::Range<u64>,
        go_on: &mut dyn FnMut(&Comparison) -> bool,
    ) -> Comparison {
        let mut all = Comparison::default();
        for number in numbers.start..numbers.end.min(inputs.count()) {
            if let Some(input) = inputs.input(self.compiled, number) {
                all = all.and(self.compare(&input));
            }
            if !go_on(&all) {
                break;
            }
        }
        all
    }
}

/// Whether a value that was read is what the interpreter says: numbers up to rounding, 1 and `True` are equal.
fn agree(expected: &Atom, found: Option<&Atom>) -> bool {
    let Some(found) = found else { return false };
    match (expected.as_f64(), found.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
        _ => expected == found,
    }
}
