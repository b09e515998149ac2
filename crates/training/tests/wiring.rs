//! A transformer that is built from nothing but its wiring and its numbers says what the run says.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use ndarray::{Array2, Axis, s};
use training::{Kind, Run, Task, Variant, recommended};
use transformer::Mask;

#[test]
fn wiring_and_numbers_are_the_whole_model() {
    let tasks = [
        Task::Dyck { length: 8 },
        Task::Hops { hops: 2, alphabet: 3, length: 7 },
        Task::MatchTwo { modulus: 7, length: 6 },
    ];
    let variants = [Variant::AttentionOnly, Variant::ResidualNorm, Variant::ResidualNormMlp { hidden: 5 }];
    for task in tasks {
        for variant in variants {
            for kind in Kind::ALL {
                let mut config = recommended(task.clone(), variant, kind);
                config.batch = 4;
                config.held_out = 8;
                let mut run = Run::new(config).unwrap();
                (0..5).for_each(|_| {
                    run.step().unwrap();
                });
                let tokens = run.data().held_out().sequence(0).0.to_vec();
                let found = shares(&run, &tokens);
                for (prediction, row) in run.predict(&tokens).unwrap().iter().zip(found.rows()) {
                    for (share, expected) in prediction.probabilities.iter().zip(row) {
                        let difference = (f64::from(*share) - expected).abs();
                        assert!(
                            difference < 1e-4,
                            "{}, {variant:?}, {kind:?}: off by {difference}",
                            task.name()
                        );
                    }
                }
            }
        }
    }
}

/// The predicted shares (n × classes), in f64 and with dense matrices.
fn shares(run: &Run, tokens: &[u16]) -> Array2<f64> {
    let (config, wiring) = (run.config(), run.wiring());
    let mut numbers: HashMap<String, Array2<f64>> = HashMap::new();
    let mut add = |name: &str, rows: usize, columns: usize, entries: &[f32]| {
        let entries = entries.iter().map(|it| f64::from(*it)).collect();
        numbers.insert(name.to_owned(), Array2::from_shape_vec((rows, columns), entries).unwrap());
    };
    for tensor in run.tensors() {
        add(&tensor.name, tensor.rows, tensor.columns, &run.parameters()[tensor.range()]);
    }
    for matrix in &wiring.frozen {
        add(&matrix.name, matrix.rows, matrix.columns, &matrix.numbers);
    }
    let has_residual = config.variant.has_residual();
    let d_h = config.model.head_width;
    let n = tokens.len();
    let mut state = Array2::from_shape_fn((n, wiring.width), |(i, j)| {
        numbers["embedding.tokens"][(usize::from(tokens[i]), j)] + numbers["embedding.positions"][(i, j)]
    });
    for layer in &wiring.layers {
        let read = if has_residual { normalised(&state) } else { state.clone() };
        let source = layer.read.as_ref().map_or(read.clone(), |name| read.dot(&numbers[name]));
        let mut output = Array2::zeros((n, layer.output_width));
        for head in &layer.heads {
            let q = source.slice(s![.., head.query..head.query + d_h]);
            let k = source.slice(s![.., head.key..head.key + d_h]);
            let mut scores = q.dot(&k.t()) / (d_h as f64).sqrt();
            if config.task.mask() == Mask::Causal {
                scores
                    .indexed_iter_mut()
                    .filter(|((i, j), _)| j > i)
                    .for_each(|(_, x)| *x = f64::NEG_INFINITY);
            }
            let attention = softmax(&scores);
            for (from, to, width) in &head.moves {
                let mixed = attention.dot(&source.slice(s![.., *from..from + width]));
                let mut place = output.slice_mut(s![.., *to..to + width]);
                place += &mixed;
            }
        }
        let output = layer.write.as_ref().map_or(output.clone(), |name| output.dot(&numbers[name]));
        state = if has_residual { state + output } else { output };
        if let Some([first, bias, second]) = &layer.mlp {
            let hidden = (normalised(&state).dot(&numbers[first]) + &numbers[bias]).mapv(|x| x.max(0.0));
            state = state + hidden.dot(&numbers[second]);
        }
    }
    let last = if has_residual { normalised(&state) } else { state };
    let (first, width) = wiring.read;
    softmax(&last.slice(s![.., first..first + width]).dot(&numbers["unembedding"]))
}

fn normalised(x: &Array2<f64>) -> Array2<f64> {
    let centred = x - &x.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
    let variance = (&centred * &centred).mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
    centred / variance.mapv(|it| (it + 1e-5).sqrt())
}

fn softmax(x: &Array2<f64>) -> Array2<f64> {
    let mut shares = x.clone();
    for mut row in shares.rows_mut() {
        let most = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        row.mapv_inplace(|it| (it - most).exp());
        let sum = row.sum();
        row /= sum;
    }
    shares
}
