//! A run: a model that learns a task, step by step.

use serde::{Deserialize, Serialize};
use transformer::{Class, Head, Layer, Mask, Scale, Target, Vocabulary};
use universal::Fingerprint;

use crate::adam::Moments;
use crate::frozen::Frozen;
use crate::kernels::Processor;
use crate::network::{Network, Tally};
use crate::parameters::{LAYERS, POSITIONS, Parameters, TOKENS};
use crate::task::{Batch, Data, NO_TARGET};
use crate::{Config, Error, Optimiser, TensorShape, Weights, Wiring};

/// A model that learns a task. Nothing here reads a clock or starts a thread, so that a run gives the same
/// numbers natively and in a browser.
#[derive(Debug, Clone)]
pub struct Run {
    config: Config,
    data: Data,
    network: Network<f32>,
    parameters: Parameters<f32>,
    gradient: Parameters<f32>,
    moments: Moments<f32>,
    step: usize,
    fingerprint: Fingerprint,
    evaluations: Vec<Evaluation>,
    batch: Batch,
    /// For passes that are not training steps.
    other_batch: Batch,
    good: Good,
}

/// What a training step found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many steps have been taken.
    pub step: usize,
    /// The mean cross-entropy of the batch, before the step.
    pub loss: f64,
    /// The share of the batch's targets that were predicted, before the step.
    pub accuracy: f64,
    /// The learning rate of the step.
    pub learning_rate: f64,
    /// The Euclidean norm of the gradient, before it was clipped.
    pub gradient_norm: f64,
}

/// What the held-out sequences say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// After how many steps.
    pub step: usize,
    /// The mean cross-entropy.
    pub loss: f64,
    /// The share of all targets that were predicted.
    pub accuracy: f64,
    /// The same without targets of the null class; `None` for tasks that have no such class.
    pub accuracy_without_null: Option<f64>,
    /// The number of targets.
    pub targets: usize,
}

/// Everything from which a run goes on as if it had never been interrupted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its configuration.
    pub config: Config,
    /// How many steps have been taken.
    pub step: usize,
    /// All trained numbers, in the order of [`Run::tensors`].
    pub parameters: Vec<f32>,
    /// The first moments of their gradients.
    pub first_moments: Vec<f32>,
    /// The second moments.
    pub second_moments: Vec<f32>,
    /// Of the frozen weights.
    pub fingerprint: Fingerprint,
    /// What has been found on the held-out sequences.
    pub evaluations: Vec<Evaluation>,
}

/// The frozen weights, and the proof that they have not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenReport {
    /// How many numbers are frozen, the zeros and ones of routings included.
    pub parameters: u64,
    /// How many of them differ from weights that are made anew from the configuration.
    pub changed: u64,
    /// Of the weights before the first step.
    pub before: Fingerprint,
    /// Of the weights as they stand in memory now.
    pub now: Fingerprint,
}

/// What a model says at one token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The probability of every class.
    pub probabilities: Vec<f32>,
    /// The class of the largest probability.
    pub class: u16,
    /// The class asked for, where one is.
    pub truth: Option<u16>,
}

/// The attention of all heads on one sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionMaps {
    /// n, the number of tokens.
    pub length: usize,
    /// For every layer and head n × n shares, row by row; a row is a query.
    pub shares: Vec<Vec<Vec<f32>>>,
}

/// A held-out sequence on which the model errs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its tokens.
    pub tokens: Vec<u16>,
    /// The token at which it errs first.
    pub position: usize,
    /// The class asked for there.
    pub truth: u16,
    /// The class predicted there.
    pub predicted: u16,
}

impl Run {
    /// Sets up a run at step 0.
    ///
    /// # Errors
    /// When a setting is outside its range or the model would be too large.
    pub fn new(config: Config) -> Result<Self, Error> {
        config.check()?;
        let data = Data::new(config.task.clone(), config.seed, config.held_out)?;
        let network = Network::new(&config, config.batch)?;
        let parameters = Parameters::draw(&config, network.frozen().columns_read().1);
        let moments = Moments::zeros(parameters.numbers.len());
        let length = config.task.length();
        Ok(Run {
            data,
            fingerprint: network.frozen().fingerprint(),
            gradient: parameters.zeros_like(),
            good: Good { step: 0, parameters: parameters.numbers.clone(), moments: moments.clone() },
            step: 0,
            evaluations: Vec::new(),
            batch: Batch::zeros(config.batch, length),
            other_batch: Batch::zeros(config.batch, length),
            network,
            parameters,
            moments,
            config,
        })
    }

    /// Goes on from a snapshot.
    ///
    /// # Errors
    /// When the snapshot does not fit its own configuration, or the frozen weights made from it are not those
    /// that it was made with.
    pub fn resume(snapshot: Snapshot) -> Result<Self, Error> {
        let mut run = Run::new(snapshot.config)?;
        let expected = run.parameters.numbers.len();
        for (name, numbers) in [
            ("parameters", &snapshot.parameters),
            ("first moments", &snapshot.first_moments),
            ("second moments", &snapshot.second_moments),
        ] {
            if numbers.len() != expected {
                return Err(Error::Snapshot { name: name.to_owned(), found: numbers.len(), expected });
            }
        }
        if snapshot.fingerprint != run.fingerprint {
            let (found, expected) = (run.fingerprint.to_string(), snapshot.fingerprint.to_string());
            return Err(Error::Fingerprint { found, expected });
        }
        run.step = snapshot.step;
        run.parameters.numbers = snapshot.parameters;
        run.moments = Moments { first: snapshot.first_moments, second: snapshot.second_moments };
        run.evaluations = snapshot.evaluations;
        run.keep();
        Ok(run)
    }

    /// Takes one step. A run may go on beyond its budget, with the smallest learning rate.
    ///
    /// # Errors
    /// When the loss, a gradient or a weight is no longer finite; the run is then back at its last good
    /// snapshot, at most [`KEEP_EVERY`] steps before. And when the task has no sequences left to train on.
    pub fn step(&mut self) -> Result<Progress, Error> {
        self.data.draw(self.step, &mut self.batch)?;
        self.network.forward(&self.parameters, &self.batch);
        let tally = self.network.judge(&self.batch, self.config.task.null_class());
        self.network.backward(&self.batch, &mut self.gradient);
        let loss = tally.mean_loss();
        let norm = f64::from(Processor::new().sum_of_squares(&self.gradient.numbers)).sqrt();
        if !loss.is_finite() || !norm.is_finite() {
            // The norm can be too large for a number of 32 bits before any part of it is.
            let tensor = self.gradient.not_finite().or_else(|| self.gradient.farthest());
            let of_gradient =
                || tensor.map_or("the gradient".to_owned(), |it| format!("the gradient of {}", it.name));
            let what = if loss.is_finite() { of_gradient() } else { "the loss".to_owned() };
            return Err(self.go_back(what));
        }
        let rate = self.config.optimiser.rate(self.step, self.config.steps);
        let gradient = (&self.gradient, norm);
        self.moments.update(&self.config.optimiser, rate, self.step, gradient, &mut self.parameters);
        if let Some(tensor) = self.parameters.not_finite() {
            let what = tensor.name.clone();
            return Err(self.go_back(what));
        }
        self.step += 1;
        if self.step.is_multiple_of(KEEP_EVERY) {
            self.keep();
        }
        Ok(Progress {
            step: self.step,
            loss,
            accuracy: tally.accuracy(),
            learning_rate: rate,
            gradient_norm: norm,
        })
    }

    /// Whether the budget is used up.
    pub fn is_finished(&self) -> bool {
        self.step >= self.config.steps
    }

    /// Whether the last two evaluations found at least `accuracy`.
    pub fn has_reached(&self, accuracy: f64) -> bool {
        let last = self.evaluations.last_chunk::<2>();
        last.is_some_and(|both| both.iter().all(|it| it.accuracy >= accuracy))
    }

    /// Tries the model on the held-out sequences, and keeps what it finds in [`evaluations`](Self::evaluations).
    pub fn evaluate(&mut self) -> Evaluation {
        let mut tally = Tally::default();
        let null_class = self.config.task.null_class();
        for first in (0..self.data.held_out().count).step_by(self.config.batch) {
            self.take_held_out(first);
            self.network.forward(&self.parameters, &self.other_batch);
            tally.add(self.network.judge(&self.other_batch, null_class));
        }
        let evaluation = Evaluation {
            step: self.step,
            loss: tally.mean_loss(),
            accuracy: tally.accuracy(),
            accuracy_without_null: null_class.map(|_| tally.accuracy_of_something()),
            targets: tally.asked,
        };
        self.evaluations.push(evaluation);
        evaluation
    }

    /// Held-out sequences on which the model errs, `most` of them at most.
    pub fn failures(&mut self, most: usize) -> Vec<Failure> {
        let mut failures = Vec::new();
        let classes = self.config.task.classes().len();
        for first in (0..self.data.held_out().count).step_by(self.config.batch) {
            self.take_held_out(first);
            self.network.forward(&self.parameters, &self.other_batch);
            let mut logits = self.network.logits().chunks_exact(classes);
            for index in 0..self.other_batch.count {
                let (tokens, targets) = self.other_batch.sequence(index);
                let asked = (0..targets.len()).filter(|position| targets[*position] != NO_TARGET);
                let answers: Vec<(usize, u16)> =
                    asked.zip(logits.by_ref()).map(|(at, it)| (at, best(it))).collect();
                let wrong = answers.into_iter().find(|(position, class)| targets[*position] != *class);
                if let Some((position, predicted)) = wrong {
                    let truth = targets[position];
                    failures.push(Failure { tokens: tokens.to_vec(), position, truth, predicted });
                    if failures.len() >= most {
                        return failures;
                    }
                }
            }
        }
        failures
    }

    /// What the model says at every one of the tokens (n, at most as many as the task has).
    ///
    /// # Errors
    /// When there are no tokens, too many of them, or one that the task does not have.
    pub fn predict(&mut self, tokens: &[u16]) -> Result<Vec<Prediction>, Error> {
        self.pass(tokens)?;
        let truths = self.config.task.targets(tokens);
        let classes = self.config.task.classes().len();
        let predictions = self.network.logits().chunks_exact(classes).zip(truths).map(|(logits, truth)| {
            let class = best(logits);
            let top = logits[usize::from(class)];
            let weights: Vec<f32> = logits.iter().map(|logit| libm::expf(logit - top)).collect();
            let sum: f32 = weights.iter().sum();
            Prediction {
                probabilities: weights.into_iter().map(|weight| weight / sum).collect(),
                class,
                truth: Some(truth).filter(|truth| *truth != NO_TARGET),
            }
        });
        Ok(predictions.collect())
    }

    /// The attention of every head on a sequence of tokens.
    ///
    /// # Errors
    /// As for [`predict`](Self::predict).
    pub fn attention(&mut self, tokens: &[u16]) -> Result<AttentionMaps, Error> {
        self.pass(tokens)?;
        let model = self.config.model;
        let of_layer = |layer| (0..model.heads).map(|head| self.network.attention(layer, head, 0)).collect();
        Ok(AttentionMaps { length: tokens.len(), shares: (0..model.layers).map(of_layer).collect() })
    }

    /// Everything from which this run goes on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            config: self.config.clone(),
            step: self.step,
            parameters: self.parameters.numbers.clone(),
            first_moments: self.moments.first.clone(),
            second_moments: self.moments.second.clone(),
            fingerprint: self.fingerprint,
            evaluations: self.evaluations.clone(),
        }
    }

    /// Goes on with other settings of the optimiser, from where the run stands.
    ///
    /// # Errors
    /// When one is outside its range.
    pub fn change_optimiser(&mut self, optimiser: Optimiser) -> Result<(), Error> {
        let config = Config { optimiser, ..self.config.clone() };
        config.check()?;
        self.config = config;
        Ok(())
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How many steps have been taken.
    pub fn steps_taken(&self) -> usize {
        self.step
    }

    /// What has been found on the held-out sequences, the oldest first.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.evaluations
    }

    /// The held-out sequences and the training stream.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The names and shapes of everything that is trained.
    pub fn tensors(&self) -> &[TensorShape] {
        self.parameters.tensors()
    }

    /// All trained numbers, tensor by tensor, each row by row.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters.numbers
    }

    /// How the transformer is put together, with its frozen numbers as they stand in memory now.
    pub fn wiring(&self) -> Wiring {
        Wiring::new(self.network.frozen(), self.config.state_width(), self.tensors())
    }

    pub(crate) fn frozen_weights(&self) -> &Frozen<f32> {
        self.network.frozen()
    }

    /// The floating-point operations of the matrix products of one step: forwards, and backwards by states and
    /// by what is trained. Routings cost nothing. Attention is counted as if every token saw all others.
    pub fn operations_per_step(&self) -> u64 {
        let config = &self.config;
        let (n, m) = (config.task.length(), config.state_width());
        let rows = config.batch * n;
        // A frozen matrix has one product backwards, a trained one two.
        let passes = if config.model.weights.are_frozen() { 2 } else { 3 };
        let frozen = self.network.frozen();
        let of_layer = frozen.layers().iter().map(|layer| {
            let mixed: usize = layer.heads.iter().flat_map(|head| &head.moves).map(|it| it.width).sum();
            let attention = 3 * n * (config.model.heads * config.model.head_width + mixed);
            let read = if layer.read.is_some() { m * layer.source_width } else { 0 };
            let write = if layer.write.is_some() { m * layer.output_width } else { 0 };
            let perceptron = 2 * m * config.variant.hidden().unwrap_or(0);
            attention + passes * (read + write + perceptron)
        });
        let held_out = self.data.held_out();
        let targets = held_out.targets.iter().filter(|target| **target != NO_TARGET).count();
        let asked = config.batch * targets / held_out.count.max(1);
        let unembedding = 3 * asked * frozen.columns_read().1 * config.task.classes().len();
        2 * (rows * of_layer.sum::<usize>() + unembedding) as u64
    }

    /// Compares the frozen weights with what they were and with what they must be. Makes them anew, so it
    /// takes as long as setting up the run.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn frozen(&self) -> Result<FrozenReport, Error> {
        let frozen = self.network.frozen();
        let anew = Frozen::new(&self.config)?;
        Ok(FrozenReport {
            parameters: frozen.count(),
            changed: frozen.differences(&anew),
            before: self.fingerprint,
            now: frozen.fingerprint(),
        })
    }

    /// A fully trained transformer of attention alone as a target, which a universal transformer can play:
    /// its vocabulary gives the inputs, its output is what the unembedding reads. `None` for other models.
    pub fn target(&self) -> Option<Target> {
        let Config { model, variant, task, .. } = &self.config;
        if model.weights != Weights::Trained || variant.has_residual() {
            return None;
        }
        let (m, d_h, inner) = (model.width, model.head_width, model.heads * model.head_width);
        let matrix = |tensor: usize, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            let width = self.parameters.tensors()[tensor].columns;
            let numbers = self.parameters.tensor(tensor);
            ndarray::Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| {
                f64::from(numbers[(rows.start + i) * width + columns.start + j])
            })
        };
        let layers = (0..model.layers).map(|l| {
            let (read, write) = (LAYERS + 2 * l, LAYERS + 2 * l + 1);
            let part = |kind: usize, head: usize| {
                let first = kind * inner + head * d_h;
                matrix(read, 0..m, first..first + d_h)
            };
            let head = |head: usize| Head {
                wq: part(0, head),
                wk: part(1, head),
                wv: part(2, head),
                wo: matrix(write, head * d_h..(head + 1) * d_h, 0..m),
            };
            Layer { heads: (0..model.heads).map(head).collect() }
        });
        let class = Class { width: m, mask: task.mask(), scale: Scale::InverseSqrt, ..self.config.class() };
        let vocabulary = Vocabulary {
            tokens: task.tokens(),
            embedding: matrix(TOKENS, 0..task.tokens().len(), 0..m),
            positions: Some(matrix(POSITIONS, 0..task.length(), 0..m)),
        };
        // The weights of a run are finite and fit its class.
        Target::new(class, layers.collect(), Some(vocabulary)).ok()
    }

    /// A forward pass over one sequence, with logits at every token.
    fn pass(&mut self, tokens: &[u16]) -> Result<(), Error> {
        let most = self.config.task.length();
        let fits =
            if self.config.task.mask() == Mask::None { tokens.len() == most } else { tokens.len() <= most };
        if tokens.is_empty() || !fits {
            let expected = match self.config.task.mask() {
                Mask::None => most.to_string(),
                Mask::Causal => format!("1 to {most}"),
            };
            return Err(Error::Length { found: tokens.len(), expected });
        }
        let known = self.config.task.tokens().len();
        if let Some(at) = tokens.iter().position(|token| usize::from(*token) >= known) {
            return Err(Error::UnknownToken { position: at + 1, token: tokens[at].to_string() });
        }
        let batch = &mut self.other_batch;
        (batch.count, batch.length) = (1, tokens.len());
        batch.tokens.clear();
        batch.tokens.extend_from_slice(tokens);
        batch.targets.clear();
        // Any target will do: it asks for logits.
        batch.targets.resize(tokens.len(), 0);
        self.network.forward(&self.parameters, batch);
        Ok(())
    }

    /// Fills the other batch with held-out sequences from the given one on.
    fn take_held_out(&mut self, first: usize) {
        let held_out = self.data.held_out();
        let batch = &mut self.other_batch;
        batch.length = held_out.length;
        batch.count = self.config.batch.min(held_out.count - first);
        let range = first * batch.length..(first + batch.count) * batch.length;
        batch.tokens.clear();
        batch.tokens.extend_from_slice(&held_out.tokens[range.clone()]);
        batch.targets.clear();
        batch.targets.extend_from_slice(&held_out.targets[range]);
    }

    fn keep(&mut self) {
        self.good.step = self.step;
        self.good.parameters.copy_from_slice(&self.parameters.numbers);
        self.good.moments.first.copy_from_slice(&self.moments.first);
        self.good.moments.second.copy_from_slice(&self.moments.second);
    }

    fn go_back(&mut self, what: String) -> Error {
        let error = Error::NotFinite { step: self.step + 1, what, last_good: self.good.step };
        self.step = self.good.step;
        self.parameters.numbers.copy_from_slice(&self.good.parameters);
        self.moments.clone_from(&self.good.moments);
        self.evaluations.retain(|it| it.step <= self.step);
        error
    }
}

/// How often a run keeps what it goes back to when its numbers are no longer finite.
pub const KEEP_EVERY: usize = 100;

#[derive(Debug, Clone)]
struct Good {
    step: usize,
    parameters: Vec<f32>,
    moments: Moments<f32>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.loss += other.loss;
        self.asked += other.asked;
        self.correct += other.correct;
        self.asked_of_something += other.asked_of_something;
        self.correct_of_something += other.correct_of_something;
    }

    fn mean_loss(&self) -> f64 {
        self.loss / self.asked.max(1) as f64
    }

    fn accuracy(&self) -> f64 {
        self.correct as f64 / self.asked.max(1) as f64
    }

    fn accuracy_of_something(&self) -> f64 {
        self.correct_of_something as f64 / self.asked_of_something.max(1) as f64
    }
}

fn best(logits: &[f32]) -> u16 {
    let better = |best: usize, index: usize| if logits[index] > logits[best] { index } else { best };
    (1..logits.len()).fold(0, better) as u16
}
