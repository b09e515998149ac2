//! How a transformer is put together, with every number that is frozen: enough to build it elsewhere.

use serde::{Deserialize, Serialize};

use crate::TensorShape;
use crate::frozen::{Bias, Frozen, LayerPlan, MlpPlan, Weight};

/// A transformer without what is trained. A layer reads its input Z (the state, normalised where the variant
/// does so): its *source* is Z times the matrix `read`, or Z itself where there is none. Each head takes queries
/// and keys from d_h columns of the source, mixes columns of the source by its attention, and adds them to
/// columns of an *output*, which is multiplied by the matrix `write`, where there is one, and added to the state
/// (with residual connections) or takes its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wiring {
    /// m, the width of the state.
    pub width: usize,
    /// The layers.
    pub layers: Vec<LayerWiring>,
    /// The first column of the final state that the unembedding reads, and the number of these columns.
    pub read: (usize, usize),
    /// Every matrix of numbers that is frozen; routings are in the heads.
    pub frozen: Vec<FrozenMatrix>,
}

/// One layer; matrices are named as in [`Run::tensors`](crate::Run::tensors) or in [`Wiring::frozen`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerWiring {
    /// The heads.
    pub heads: Vec<HeadWiring>,
    /// What Z is multiplied by to be the source: m × columns of the source.
    pub read: Option<String>,
    /// What the output is multiplied by: columns of the output × m.
    pub write: Option<String>,
    /// First matrix (m × hidden), bias (hidden) and second matrix (hidden × m) of the perceptron.
    pub mlp: Option<[String; 3]>,
    /// The number of columns of the output.
    pub output_width: usize,
}

/// One head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadWiring {
    /// The first column of the source that is a query, d_h in all.
    pub query: usize,
    /// The first column that is a key.
    pub key: usize,
    /// First column of the source, first column of the output, and number of columns of each run that is mixed.
    pub moves: Vec<(usize, usize, usize)>,
}

/// A matrix of frozen numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrozenMatrix {
    /// `frozen.layers.{l}.read` (m × H (2 d_h + m): Rq of all heads, Rk of all heads, Rv of all heads),
    /// `frozen.layers.{l}.mlp.first`, `….bias`, `….second`.
    pub name: String,
    /// The number of its rows.
    pub rows: usize,
    /// The number of its columns.
    pub columns: usize,
    /// Its numbers, row by row.
    pub numbers: Vec<f32>,
}

impl Wiring {
    pub(crate) fn new(frozen: &Frozen<f32>, width: usize, tensors: &[TensorShape]) -> Self {
        let mut wiring =
            Wiring { width, layers: Vec::new(), read: frozen.columns_read(), frozen: Vec::new() };
        for (number, plan) in frozen.layers().iter().enumerate() {
            let layer = wiring.layer(number, plan, frozen, tensors);
            wiring.layers.push(layer);
        }
        wiring
    }

    /// Whether the heads of a layer move columns of the state itself: routing, and nothing else.
    pub fn is_routed(&self) -> bool {
        self.layers.iter().all(|layer| layer.read.is_none())
    }

    fn layer(
        &mut self,
        number: usize,
        plan: &LayerPlan,
        frozen: &Frozen<f32>,
        tensors: &[TensorShape],
    ) -> LayerWiring {
        let mut named = |weight: Weight, part: &str| match weight {
            Weight::Trained { tensor, .. } => tensors[tensor].name.clone(),
            Weight::Frozen(index) => {
                let matrix = &frozen.linear(index).forward;
                self.keep(number, part, matrix.shape(), matrix.entries().collect())
            }
        };
        let read = plan.read.map(|weight| named(weight, "read"));
        let write = plan.write.map(|weight| named(weight, "write"));
        let mlp = match &plan.mlp {
            None => None,
            Some(MlpPlan { first, bias, second }) => {
                let (first, second) = (named(*first, "mlp.first"), named(*second, "mlp.second"));
                let bias = match bias {
                    Bias::Trained { tensor } => tensors[*tensor].name.clone(),
                    Bias::Frozen(index) => {
                        let numbers = frozen.bias(*index).to_vec();
                        self.keep(number, "mlp.bias", (1, numbers.len()), numbers)
                    }
                };
                Some([first, bias, second])
            }
        };
        let heads = plan.heads.iter().map(|head| HeadWiring {
            query: head.query,
            key: head.key,
            moves: head.moves.iter().map(|it| (it.from, it.to, it.width)).collect(),
        });
        LayerWiring { heads: heads.collect(), read, write, mlp, output_width: plan.output_width }
    }

    fn keep(
        &mut self,
        layer: usize,
        part: &str,
        (rows, columns): (usize, usize),
        numbers: Vec<f32>,
    ) -> String {
        let name = format!("frozen.layers.{layer}.{part}");
        self.frozen.push(FrozenMatrix { name: name.clone(), rows, columns, numbers });
        name
    }
}
