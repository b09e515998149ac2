//! The gradients of every trained tensor, in every variant of every model, against two judges: finite
//! differences in f64, and the automatic differentiation of another library, for which the same transformer is
//! written down anew with dense matrices.

use candle_core::{D, DType, Device, Tensor, Var};
use transformer::Mask;
use universal::{Construction, Consumer, Law, Mixing, RandomSpec, Tying, UniversalTransformer};

use crate::frozen::Frozen;
use crate::network::Network;
use crate::parameters::Parameters;
use crate::task::{Batch, Data, NO_TARGET};
use crate::{Config, Kind, Skips, Task, Variant, Weights, recommended};

const VARIANTS: [Variant; 3] =
    [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp { hidden: 6 }];

/// Small transformers of all kinds, causal and not, asked at one position and at all of them.
fn configurations() -> Vec<Config> {
    let tasks = [
        Task::Dyck { length: 6 },
        Task::Hops { hops: 1, alphabet: 3, length: 6 },
        Task::MatchTwo { modulus: 7, length: 9 },
    ];
    let mut configurations = Vec::new();
    for task in tasks {
        for variant in VARIANTS {
            for kind in Kind::ALL {
                let mut config = recommended(task.clone(), variant, kind);
                config.embedding_scale = 0.7;
                config.batch = 3;
                config.held_out = 2;
                config.seed = 5;
                config.model.head_width = 3;
                config.model.width = if config.model.weights.are_frozen() { 5 } else { 6 };
                config.model.layers = 2;
                configurations.push(config.clone());
                if kind == Kind::Sparse && variant.has_residual() {
                    config.model.weights = Weights::Sparse { skips: Skips::Own };
                    configurations.push(config);
                }
            }
        }
    }
    configurations
}

struct Prepared {
    config: Config,
    network: Network<f64>,
    parameters: Parameters<f64>,
    batch: Batch,
}

impl Prepared {
    fn new(config: Config) -> Self {
        let data = Data::new(config.task.clone(), config.seed, config.held_out).unwrap();
        let network = Network::<f64>::new(&config, config.batch).unwrap();
        let parameters = Parameters::draw(&config, network.frozen().columns_read().1);
        let mut batch = Batch::zeros(config.batch, config.task.length());
        data.draw(0, &mut batch).unwrap();
        Prepared { config, network, parameters, batch }
    }

    fn loss(&mut self) -> f64 {
        self.network.forward(&self.parameters, &self.batch);
        let tally = self.network.judge(&self.batch, None);
        tally.loss / tally.asked as f64
    }

    fn gradient(&mut self) -> (f64, Parameters<f64>) {
        let mut gradient = self.parameters.zeros_like();
        let loss = self.loss();
        self.network.backward(&self.batch, &mut gradient);
        (loss, gradient)
    }

    fn name(&self) -> String {
        format!("{:?} {:?} {:?}", self.config.task, self.config.variant, self.config.model.weights)
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    for config in configurations() {
        let mut prepared = Prepared::new(config);
        let (_, gradient) = prepared.gradient();
        for tensor in prepared.parameters.tensors().to_vec() {
            let largest = gradient.numbers[tensor.range()].iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            assert!(largest > 1e-6, "{}: nothing flows to {}", prepared.name(), tensor.name);
            // A prime step visits rows and columns of all kinds.
            for index in tensor.range().step_by(7) {
                let (value, step) = (prepared.parameters.numbers[index], 1e-5);
                let mut at = |number| {
                    prepared.parameters.numbers[index] = number;
                    prepared.loss()
                };
                let difference = (at(value + step) - at(value - step)) / (2.0 * step);
                prepared.parameters.numbers[index] = value;
                let error = (difference - gradient.numbers[index]).abs();
                assert!(
                    error < 1e-8 + 1e-6 * largest,
                    "{}: {}[{}] is {} but the difference says {difference}",
                    prepared.name(),
                    tensor.name,
                    index - tensor.offset,
                    gradient.numbers[index]
                );
            }
        }
    }
}

#[test]
fn gradients_agree_with_automatic_differentiation() {
    for config in configurations() {
        let mut prepared = Prepared::new(config);
        let (loss, gradient) = prepared.gradient();
        let other = Differentiated::new(&prepared);
        let (other_loss, other_gradients) = other.run().unwrap();
        assert!((loss - other_loss).abs() < 1e-12, "{}: {loss} and {other_loss}", prepared.name());
        for (tensor, other) in gradient.tensors().iter().zip(other_gradients) {
            for (index, (a, b)) in gradient.numbers[tensor.range()].iter().zip(other).enumerate() {
                let error = (a - b).abs();
                assert!(error < 1e-12, "{}: {}[{index}]: {a} and {b}", prepared.name(), tensor.name);
            }
        }
    }
}

/// The same transformer for a library that differentiates by itself. Routings are dense matrices here.
struct Differentiated<'a> {
    config: &'a Config,
    batch: &'a Batch,
    vars: Vec<Var>,
    /// Query, key and value weights of every head, where they are frozen.
    heads: Vec<Vec<[Tensor; 3]>>,
    unembedding: Option<Tensor>,
    perceptrons: Vec<[Tensor; 3]>,
}

impl<'a> Differentiated<'a> {
    fn new(prepared: &'a Prepared) -> Self {
        let config = &prepared.config;
        let shaped = |it: &crate::TensorShape| {
            let numbers = &prepared.parameters.numbers[it.range()];
            Var::from_slice(numbers, (it.rows, it.columns), &Device::Cpu).unwrap()
        };
        let vars = prepared.parameters.tensors().iter().map(shaped).collect();
        let (mut heads, mut unembedding) = (Vec::new(), None);
        if let Some((universal, value_scale)) = universal_of(config) {
            let m = universal.width();
            let dense = |matrix: &ndarray::Array2<f64>| {
                let numbers: Vec<f64> = matrix.iter().copied().collect();
                Tensor::from_vec(numbers, matrix.dim(), &Device::Cpu).unwrap()
            };
            let value = |mixing: &Mixing| match mixing {
                Mixing::Dense(weights) => dense(&(weights * value_scale)),
                Mixing::Routing(routing) => {
                    let mut matrix = ndarray::Array2::zeros((m, m));
                    for it in routing.moves() {
                        (0..it.width).for_each(|column| matrix[[it.from + column, it.to + column]] = 1.0);
                    }
                    dense(&matrix)
                }
            };
            heads = (0..config.model.layers)
                .map(|layer| {
                    let head = |head| {
                        let frozen = universal.head(layer, head);
                        let (query, key) = (frozen.query.to_dense(m), frozen.key.to_dense(m));
                        [dense(&query), dense(&key), value(&frozen.value)]
                    };
                    (0..config.model.heads).map(head).collect()
                })
                .collect();
            if universal.layout().is_some() {
                unembedding = Some(dense(&universal.projection(Consumer::Output).to_dense(m)));
            }
        }
        let perceptrons = match config.variant.hidden() {
            Some(hidden) if config.model.weights.are_frozen() => {
                frozen_perceptrons(&Frozen::new(config).unwrap(), config.state_width(), hidden)
            }
            _ => Vec::new(),
        };
        Differentiated { config, batch: &prepared.batch, vars, heads, unembedding, perceptrons }
    }

    /// The loss, and its derivative by each variable.
    fn run(&self) -> candle_core::Result<(f64, Vec<Vec<f64>>)> {
        let (variant, model) = (self.config.variant, self.config.model);
        let (b, n) = (self.batch.count, self.batch.length);
        let indices = |numbers: Vec<u32>| Tensor::new(numbers, &Device::Cpu);
        let tokens = indices(self.batch.tokens.iter().map(|token| u32::from(*token)).collect())?;
        let positions = indices((0..b * n).map(|row| (row % n) as u32).collect())?;
        let m = self.config.state_width();
        let embedded =
            (self.vars[0].index_select(&tokens, 0)? + self.vars[1].index_select(&positions, 0)?)?;
        let mut state = embedded.reshape((b, n, m))?;
        let per_layer = if variant.hidden().is_some() { 5 } else { 2 };
        for layer in 0..model.layers {
            let input = if variant.has_residual() { norm(&state)? } else { state.clone() };
            let of_layer = |index: usize| self.vars[3 + layer * per_layer + index].as_tensor();
            let mut mixed: Option<Tensor> = None;
            for head in 0..model.heads {
                let (d_h, inner) = (model.head_width, model.heads * model.head_width);
                let part = |kind: usize| of_layer(0).narrow(1, kind * inner + head * d_h, d_h);
                let [query, key, value] = match self.heads.get(layer) {
                    Some(heads) => heads[head].clone(),
                    None => {
                        let write = of_layer(1).narrow(0, head * d_h, d_h)?;
                        [part(0)?, part(1)?, part(2)?.matmul(&write)?]
                    }
                };
                let queries = input.broadcast_matmul(&query)?;
                let keys = input.broadcast_matmul(&key)?;
                let scores = (queries.matmul(&keys.transpose(1, 2)?)? / (d_h as f64).sqrt())?;
                let shares = softmax(&scores.broadcast_add(&self.mask(n)?)?)?;
                let term = shares.matmul(&input.broadcast_matmul(&value)?)?;
                mixed = Some(match mixed {
                    None => term,
                    Some(sum) => (sum + term)?,
                });
            }
            let mixed = mixed.expect("there is a head");
            state = if variant.has_residual() { (state + mixed)? } else { mixed };
            if variant.hidden().is_some() {
                let [first, bias, second] = match self.perceptrons.get(layer) {
                    Some(frozen) => frozen.clone(),
                    None => [of_layer(2).clone(), of_layer(3).clone(), of_layer(4).clone()],
                };
                let hidden = norm(&state)?.broadcast_matmul(&first)?.broadcast_add(&bias)?.relu()?;
                state = (state + hidden.broadcast_matmul(&second)?)?;
            }
        }
        if variant.has_residual() {
            state = norm(&state)?;
        }
        let mut unembedding = self.vars[2].as_tensor().clone();
        if let Some(selection) = &self.unembedding {
            unembedding = selection.matmul(&unembedding)?;
        }
        let logits = state.broadcast_matmul(&unembedding)?.reshape((b * n, unembedding.dim(1)?))?;
        let asked: Vec<usize> = (0..b * n).filter(|row| self.batch.targets[*row] != NO_TARGET).collect();
        let chosen = logits.index_select(&indices(asked.iter().map(|row| *row as u32).collect())?, 0)?;
        let top = chosen.max_keepdim(D::Minus1)?.detach();
        let shifted = chosen.broadcast_sub(&top)?;
        let log_sum = shifted.exp()?.sum_keepdim(D::Minus1)?.log()?;
        let targets = indices(asked.iter().map(|row| u32::from(self.batch.targets[*row])).collect())?;
        let right = shifted.broadcast_sub(&log_sum)?.gather(&targets.unsqueeze(1)?, 1)?;
        let loss = right.mean_all()?.neg()?;
        let store = loss.backward()?;
        let gradients = self.vars.iter().map(|var| match store.get(var) {
            Some(gradient) => gradient.flatten_all()?.to_vec1::<f64>(),
            None => Ok(vec![0.0; var.elem_count()]),
        });
        Ok((loss.to_scalar()?, gradients.collect::<candle_core::Result<_>>()?))
    }

    fn mask(&self, n: usize) -> candle_core::Result<Tensor> {
        let hidden = |i: usize, j: usize| self.config.task.mask() == Mask::Causal && j > i;
        let mask = (0..n * n).map(|at| if hidden(at / n, at % n) { -1e9 } else { 0.0 });
        Tensor::from_vec(mask.collect::<Vec<f64>>(), (n, n), &Device::Cpu)
    }
}

/// The universal transformer inside, and what its values are multiplied by.
fn universal_of(config: &Config) -> Option<(UniversalTransformer, f64)> {
    let (construction, scale) = match config.model.weights {
        Weights::Trained => return None,
        Weights::Sparse { .. } => (Construction::Sparse, 1.0),
        Weights::Looped => (Construction::Looped, 1.0),
        Weights::Random { gain } => {
            let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: config.model.width };
            (Construction::Random { spec, seed: config.seed }, gain / (config.model.heads as f64).sqrt())
        }
    };
    Some((UniversalTransformer::new(config.class(), construction).unwrap(), scale))
}

fn frozen_perceptrons(frozen: &Frozen<f64>, m: usize, hidden: usize) -> Vec<[Tensor; 3]> {
    use crate::frozen::{Bias, Weight};
    let matrix = |weight: Weight, shape: (usize, usize)| match weight {
        Weight::Frozen(index) => {
            let numbers: Vec<f64> = frozen.linear(index).forward.entries().collect();
            Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
        }
        Weight::Trained { .. } => panic!("it is frozen"),
    };
    let plans = frozen.layers().iter().map(|layer| layer.mlp.expect("there is a perceptron"));
    let tensors = plans.map(|plan| {
        let Bias::Frozen(bias) = plan.bias else { panic!("it is frozen") };
        let bias = Tensor::from_slice(frozen.bias(bias), (1, hidden), &Device::Cpu).unwrap();
        [matrix(plan.first, (m, hidden)), bias, matrix(plan.second, (hidden, m))]
    });
    tensors.collect()
}

fn norm(state: &Tensor) -> candle_core::Result<Tensor> {
    let centred = state.broadcast_sub(&state.mean_keepdim(D::Minus1)?)?;
    let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
    centred.broadcast_div(&(variance + 1e-5)?.sqrt()?)
}

fn softmax(scores: &Tensor) -> candle_core::Result<Tensor> {
    assert_eq!(scores.dtype(), DType::F64);
    let weights = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?.detach())?.exp()?;
    weights.broadcast_div(&weights.sum_keepdim(D::Minus1)?)
}
