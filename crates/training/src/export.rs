//! A run as safetensors: everything that is needed to rebuild its model elsewhere and to get the same outputs.

use std::collections::BTreeMap;

use serde::Serialize;
use transformer::files::{FileError, NamedMatrix, write_matrices_safetensors};

use crate::Run;
use crate::frozen::{Bias, LayerPlan, Weight};

impl Run {
    /// All matrices of the model in f32: the trained ones by their names ([`Run::tensors`]), and the frozen ones
    /// as `frozen.layers.{l}.read` (m × columns), `frozen.layers.{l}.mlp.first` (m × hidden),
    /// `frozen.layers.{l}.mlp.bias` (1 × hidden) and `frozen.layers.{l}.mlp.second` (hidden × m).
    ///
    /// `__metadata__` has, as JSON text, `config`, `step`, `fingerprint` (of the frozen weights), `tokens`,
    /// `classes`, `unembedding_reads` (the first of the columns of the final state that the unembedding reads, and
    /// their number) and `layers`, which says how every layer works. With Z the state, normalised in variants
    /// that do so, a layer's source is Z `read`, or Z itself where there is no such matrix. A head reads its
    /// d_h queries from column `query` of the source on, its keys from column `key` on, and for every
    /// `[from, to, width]` of its `moves` it adds what it mixes of that many columns to those of the layer's output,
    /// `output_width` wide, from column `to` on. The output, times `layers.{l}.write` where there is such a
    /// matrix, is added to the state, or is the next state in the variant of attention alone.
    ///
    /// # Errors
    /// When the header would be longer than the format permits.
    pub fn write_safetensors(&self) -> Result<Vec<u8>, FileError> {
        let json = |value: serde_json::Result<String>| {
            value.map_err(|error| FileError::Refused { reason: error.to_string() })
        };
        let (config, frozen) = (self.config(), self.frozen_weights());
        let plans: Vec<Plan> = frozen.layers().iter().map(Plan::of).collect();
        let metadata = BTreeMap::from([
            ("format".to_owned(), FORMAT.to_owned()),
            ("version".to_owned(), "1".to_owned()),
            ("config".to_owned(), json(serde_json::to_string(config))?),
            ("step".to_owned(), self.steps_taken().to_string()),
            ("fingerprint".to_owned(), json(serde_json::to_string(&frozen.fingerprint().to_string()))?),
            ("tokens".to_owned(), json(serde_json::to_string(&config.task.tokens()))?),
            ("classes".to_owned(), json(serde_json::to_string(&config.task.classes()))?),
            ("unembedding_reads".to_owned(), json(serde_json::to_string(&frozen.columns_read()))?),
            ("layers".to_owned(), json(serde_json::to_string(&plans))?),
        ]);
        let mut frozen_matrices: Vec<(String, (usize, usize), Vec<f32>)> = Vec::new();
        for (l, plan) in frozen.layers().iter().enumerate() {
            let mlp = plan.mlp.map(|mlp| [("mlp.first", mlp.first), ("mlp.second", mlp.second)]);
            for (name, weight) in
                plan.read.map(|read| ("read", read)).into_iter().chain(mlp.into_iter().flatten())
            {
                if let Weight::Frozen(index) = weight {
                    let matrix = &frozen.linear(index).forward;
                    let name = format!("frozen.layers.{l}.{name}");
                    frozen_matrices.push((name, matrix.shape(), matrix.entries().collect()));
                }
            }
            if let Some(Bias::Frozen(index)) = plan.mlp.map(|mlp| mlp.bias) {
                let bias = frozen.bias(index).to_vec();
                frozen_matrices.push((format!("frozen.layers.{l}.mlp.bias"), (1, bias.len()), bias));
            }
        }
        let trained = self.tensors().iter().map(|it| NamedMatrix {
            name: &it.name,
            shape: (it.rows, it.columns),
            numbers: &self.parameters()[it.range()],
        });
        let frozen =
            frozen_matrices.iter().map(|(name, shape, numbers)| NamedMatrix { name, shape: *shape, numbers });
        write_matrices_safetensors(metadata, &trained.chain(frozen).collect::<Vec<_>>())
    }
}

const FORMAT: &str = "pianola-training-parameters";

#[derive(Serialize)]
struct Plan {
    heads: Vec<HeadColumns>,
    output_width: usize,
}

#[derive(Serialize)]
struct HeadColumns {
    query: usize,
    key: usize,
    moves: Vec<[usize; 3]>,
}

impl Plan {
    fn of(layer: &LayerPlan) -> Self {
        let heads = layer.heads.iter().map(|head| HeadColumns {
            query: head.query,
            key: head.key,
            moves: head.moves.iter().map(|it| [it.from, it.to, it.width]).collect(),
        });
        Plan { heads: heads.collect(), output_width: layer.output_width }
    }
}
