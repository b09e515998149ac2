//! What a person relies on of exported parameters: the file alone, read by another library, gives the outputs of
//! the run. The transformer is written down here as the documentation of the file describes it.
#![allow(clippy::unwrap_used)]

use ndarray::{Array1, Array2, Axis, s};
use safetensors::SafeTensors;
use serde_json::Value;
use training::{Config, Kind, Run, Task, Variant, recommended};

const VARIANTS: [Variant; 3] =
    [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp { hidden: 16 }];

#[test]
fn an_exported_run_is_rebuilt_with_the_same_outputs() {
    let hops = Task::Hops { hops: 2, alphabet: 3, length: 7 };
    let tasks = [hops, Task::MatchTwo { modulus: 7, length: 8 }];
    for task in tasks {
        for (variant, kind) in VARIANTS.into_iter().flat_map(|it| Kind::ALL.map(|kind| (it, kind))) {
            let mut config = recommended(task.clone(), variant, kind);
            config.model.layers = 2;
            config.batch = 4;
            config.held_out = 10;
            let mut run = Run::new(config).unwrap();
            (0..5).for_each(|_| {
                run.step().unwrap();
            });
            let tokens = run.data().held_out().sequence(1).0.to_vec();
            let rebuilt = Rebuilt::read(&run.write_safetensors().unwrap()).probabilities(&tokens);
            for (prediction, row) in run.predict(&tokens).unwrap().iter().zip(rebuilt.rows()) {
                for (found, expected) in row.iter().zip(&prediction.probabilities) {
                    let error = (found - f64::from(*expected)).abs();
                    assert!(error < 1e-4, "{variant:?} {kind:?}: {found} and {expected}");
                }
            }
        }
    }
}

struct Rebuilt<'a> {
    file: SafeTensors<'a>,
    config: Config,
    layers: Value,
    reads: (usize, usize),
}

impl<'a> Rebuilt<'a> {
    fn read(bytes: &'a [u8]) -> Self {
        let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
        let metadata = header.metadata().as_ref().unwrap();
        assert_eq!(metadata["format"], "pianola-training-parameters");
        Rebuilt {
            file: SafeTensors::deserialize(bytes).unwrap(),
            config: serde_json::from_str(&metadata["config"]).unwrap(),
            layers: serde_json::from_str(&metadata["layers"]).unwrap(),
            reads: serde_json::from_str(&metadata["unembedding_reads"]).unwrap(),
        }
    }

    fn find(&self, name: &str) -> Option<Array2<f64>> {
        let tensor = self.file.tensor(name).ok()?;
        let numbers = tensor.data().chunks_exact(4);
        let numbers = numbers.map(|it| f64::from(f32::from_le_bytes(it.try_into().unwrap())));
        let shape = (tensor.shape()[0], tensor.shape()[1]);
        Some(Array2::from_shape_vec(shape, numbers.collect()).unwrap())
    }

    /// A trained matrix, or the frozen one that stands in its place.
    fn matrix(&self, name: &str) -> Option<Array2<f64>> {
        self.find(name).or_else(|| self.find(&format!("frozen.{name}")))
    }

    fn probabilities(&self, tokens: &[u16]) -> Array2<f64> {
        let has_norm = self.config.variant.has_residual();
        let (embedding, positions) =
            (self.matrix("embedding.tokens").unwrap(), self.matrix("embedding.positions").unwrap());
        let rows: Vec<usize> = tokens.iter().map(|token| usize::from(*token)).collect();
        let mut state = embedding.select(Axis(0), &rows) + positions.slice(s![..tokens.len(), ..]);
        for (l, layer) in self.layers.as_array().unwrap().iter().enumerate() {
            let input = if has_norm { norm(&state) } else { state.clone() };
            let source = match self.matrix(&format!("layers.{l}.read")) {
                Some(read) => input.dot(&read),
                None => input,
            };
            let mut output = Array2::zeros((tokens.len(), number(&layer["output_width"])));
            for head in layer["heads"].as_array().unwrap() {
                let shares = self.shares(&source, number(&head["query"]), number(&head["key"]));
                for it in head["moves"].as_array().unwrap() {
                    let (from, to, width) = (number(&it[0]), number(&it[1]), number(&it[2]));
                    let mixed = shares.dot(&source.slice(s![.., from..from + width]));
                    output.slice_mut(s![.., to..to + width]).scaled_add(1.0, &mixed);
                }
            }
            let output = match self.matrix(&format!("layers.{l}.write")) {
                Some(write) => output.dot(&write),
                None => output,
            };
            state = if has_norm { state + output } else { output };
            if let Some(first) = self.matrix(&format!("layers.{l}.mlp.first")) {
                let bias = self.matrix(&format!("layers.{l}.mlp.bias")).unwrap();
                let hidden = (norm(&state).dot(&first) + bias).mapv(|it| it.max(0.0));
                state = state + hidden.dot(&self.matrix(&format!("layers.{l}.mlp.second")).unwrap());
            }
        }
        if has_norm {
            state = norm(&state);
        }
        let (first, count) = self.reads;
        let read = state.slice(s![.., first..first + count]).to_owned();
        softmax(read.dot(&self.matrix("unembedding").unwrap()))
    }

    fn shares(&self, source: &Array2<f64>, query: usize, key: usize) -> Array2<f64> {
        let d_h = self.config.model.head_width;
        let queries = source.slice(s![.., query..query + d_h]);
        let keys = source.slice(s![.., key..key + d_h]);
        let mut scores = queries.dot(&keys.t()) / (d_h as f64).sqrt();
        if self.config.task.mask() == transformer::Mask::Causal {
            scores.indexed_iter_mut().filter(|((i, j), _)| j > i).for_each(|(_, it)| *it = f64::NEG_INFINITY);
        }
        softmax(scores)
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn norm(state: &Array2<f64>) -> Array2<f64> {
    let centred = state - &state.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
    let variance: Array1<f64> = centred.map_axis(Axis(1), |row| row.dot(&row) / row.len() as f64);
    centred / &variance.mapv(|it| (it + 1e-5).sqrt()).insert_axis(Axis(1))
}

fn softmax(mut scores: Array2<f64>) -> Array2<f64> {
    for mut row in scores.rows_mut() {
        let top = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        row.mapv_inplace(|it| (it - top).exp());
        let sum = row.sum();
        row.mapv_inplace(|it| it / sum);
    }
    scores
}
