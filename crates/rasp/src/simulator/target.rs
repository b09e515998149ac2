//! The attention layer that is simulated, and the same computed directly.

use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

use super::SimulatorError;
use super::class::{Activation, Attend, Class, FeedForwardShape, Mask, Padding};

/// A head: `attend(X A Xᵀ) X V`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// `A = Wq Wkᵀ · scale`, d × d.
    pub a: Array2<f64>,
    /// `V = Wv Wo`, d × d_v.
    pub v: Array2<f64>,
}

impl Head {
    /// From the four matrices of a head. The simulator's formula has no factor of its own, so that
    /// `scale` (for example `1 / sqrt(head width)`) goes into `A`.
    ///
    /// Shapes: `wq`, `wk` d × d_h; `wv` d × any; `wo` any × d_v.
    pub fn from_weights(
        wq: &Array2<f64>,
        wk: &Array2<f64>,
        wv: &Array2<f64>,
        wo: &Array2<f64>,
        scale: f64,
    ) -> Result<Self, SimulatorError> {
        expect_shape("wk", wk, wq.nrows(), wq.ncols())?;
        expect_shape("wv", wv, wq.nrows(), wv.ncols())?;
        expect_shape("wo", wo, wv.ncols(), wo.ncols())?;
        Ok(Self { a: wq.dot(&wk.t()) * scale, v: wv.dot(wo) })
    }
}

/// A feed-forward sub-layer: `activation(y w1 + b1) w2 + b2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedForward {
    /// d_v × hidden.
    pub w1: Array2<f64>,
    /// hidden.
    pub b1: Array1<f64>,
    /// hidden × output.
    pub w2: Array2<f64>,
    /// output.
    pub b2: Array1<f64>,
    /// What stands between.
    pub activation: Activation,
}

/// An attention layer and its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The input X, n × d.
    pub x: Array2<f64>,
    /// The heads, whose outputs are added up.
    pub heads: Vec<Head>,
    /// How scores become attention. Both kinds of softmax are the same here.
    pub attend: Attend,
    /// Which keys count.
    pub mask: Mask,
    /// The feed-forward sub-layer, if there is one.
    pub feed_forward: Option<FeedForward>,
}

impl Target {
    /// The smallest class that holds this target. Fails when shapes do not fit each other or a
    /// weight is not finite.
    pub fn class(&self) -> Result<Class, SimulatorError> {
        let (n, d) = self.x.dim();
        let w = self.heads.first().map_or(0, |head| head.v.ncols());
        for (name, matrix, rows, columns) in self.matrices(n, d, w) {
            expect_shape(&name, &matrix, rows, columns)?;
            expect_finite(&name, &matrix)?;
        }
        let class = Class {
            rows: n,
            width: d,
            value_width: w,
            heads: self.heads.len(),
            attend: self.attend,
            mask: self.mask,
            feed_forward: self.feed_forward.as_ref().map(|layer| FeedForwardShape {
                hidden: layer.w1.ncols(),
                output: layer.w2.ncols(),
                activation: layer.activation,
            }),
            padding: Padding::Exact,
        };
        if class.heads == 0 {
            return Err(SimulatorError::Zero { what: "the number of heads".into() });
        }
        class.check()?;
        Ok(class)
    }

    /// The matrices that the simulator receives, by the names of their stretches.
    pub fn inputs(&self) -> Vec<(String, Array2<f64>)> {
        self.matrices(0, 0, 0).into_iter().map(|(name, matrix, ..)| (name, matrix)).collect()
    }

    /// All matrices by the names of their stretches, with the shapes that they should have.
    pub(super) fn matrices(&self, n: usize, d: usize, w: usize) -> Vec<(String, Array2<f64>, usize, usize)> {
        let mut matrices = vec![("x".to_owned(), self.x.clone(), n, d)];
        for (at, head) in self.heads.iter().enumerate() {
            matrices.push((format!("a_{}", at + 1), head.a.clone(), d, d));
            matrices.push((format!("v_{}", at + 1), head.v.clone(), d, w));
        }
        if let Some(layer) = &self.feed_forward {
            let (hidden, output) = (layer.w1.ncols(), layer.w2.ncols());
            let row = |bias: &Array1<f64>| bias.clone().insert_axis(Axis(0));
            matrices.push(("w1".to_owned(), layer.w1.clone(), w, hidden));
            matrices.push(("b1".to_owned(), row(&layer.b1), 1, hidden));
            matrices.push(("w2".to_owned(), layer.w2.clone(), hidden, output));
            matrices.push(("b2".to_owned(), row(&layer.b2), 1, output));
        }
        matrices
    }

    /// Every matrix on the way, by the names that the simulator's program gives them.
    pub fn compute(&self) -> Vec<(String, Array2<f64>)> {
        let mut stages = vec![("xt".to_owned(), self.x.t().to_owned())];
        let mut output: Option<Array2<f64>> = None;
        for (at, head) in self.heads.iter().enumerate() {
            let xa = product(&self.x, &head.a);
            let scores = product(&xa, &self.x.t().to_owned());
            let attention = self.attention(&scores);
            let ax = product(&attention, &self.x);
            let result = product(&ax, &head.v);
            output = Some(match output {
                None => result.clone(),
                Some(sum) => sum + &result,
            });
            let number = at + 1;
            stages.extend([
                (format!("xa_{number}"), xa),
                (format!("scores_{number}"), scores),
                (format!("attention_{number}"), attention),
                (format!("ax_{number}"), ax),
                (format!("head_{number}"), result),
            ]);
        }
        let Some(output) = output else {
            return stages;
        };
        stages.push(("output".to_owned(), output.clone()));
        if let Some(layer) = &self.feed_forward {
            let hidden = product(&output, &layer.w1) + &layer.b1;
            let activated = activate(&hidden, layer.activation);
            let result = product(&activated, &layer.w2) + &layer.b2;
            stages.extend([
                ("hidden".to_owned(), hidden),
                ("activated".to_owned(), activated),
                ("feed_forward".to_owned(), result),
            ]);
        }
        stages
    }

    fn attention(&self, scores: &Array2<f64>) -> Array2<f64> {
        let mut attention = Array2::zeros(scores.dim());
        for (query, row) in scores.outer_iter().enumerate() {
            let keys = match self.mask {
                Mask::None => row.len(),
                Mask::Causal => query + 1,
            };
            let allowed = || row.iter().take(keys);
            let maximum = allowed().copied().fold(f64::NEG_INFINITY, f64::max);
            let weight = |score: &f64| match self.attend {
                Attend::Softmax | Attend::ShiftedSoftmax => (score - maximum).exp(),
                Attend::AverageHard => f64::from(u8::from(*score == maximum)),
            };
            let total: f64 = allowed().map(weight).sum();
            for (key, score) in allowed().enumerate() {
                attention[[query, key]] = weight(score) / total;
            }
        }
        attention
    }
}

/// The matrix product, its terms added up in the order of the inner index. The simulator adds in
/// this order too, so that scores which tie on one side also tie on the other.
fn product(left: &Array2<f64>, right: &Array2<f64>) -> Array2<f64> {
    let mut sum = Array2::zeros((left.nrows(), right.ncols()));
    for (column, row) in left.columns().into_iter().zip(right.rows()) {
        sum += &(&column.insert_axis(Axis(1)) * &row.insert_axis(Axis(0)));
    }
    sum
}

fn activate(hidden: &Array2<f64>, activation: Activation) -> Array2<f64> {
    match activation {
        Activation::Relu => hidden.mapv(|value| value.max(0.0)),
        Activation::MaxMin => Array2::from_shape_fn(hidden.dim(), |(row, column)| {
            let (value, partner) = (hidden[[row, column]], hidden[[row, column ^ 1]]);
            if column % 2 == 0 { value.max(partner) } else { value.min(partner) }
        }),
    }
}

fn expect_shape(name: &str, matrix: &Array2<f64>, rows: usize, columns: usize) -> Result<(), SimulatorError> {
    if matrix.dim() == (rows, columns) {
        return Ok(());
    }
    Err(SimulatorError::Shape {
        matrix: name.to_owned(),
        found_rows: matrix.nrows(),
        found_columns: matrix.ncols(),
        expected_rows: rows,
        expected_columns: columns,
    })
}

fn expect_finite(name: &str, matrix: &Array2<f64>) -> Result<(), SimulatorError> {
    match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(((row, column), value)) => {
            Err(SimulatorError::NotFinite { matrix: name.to_owned(), row, column, value: *value })
        }
    }
}
