//! A roll that is computed rather than learned: the program of a trained transformer, for the machine of its class,
//! written as the rows of tokens and positions that a learned roll has.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use transformer::Target;
use universal::UniversalTransformer;

use crate::work::protocol::Failure;

/// A computed roll, and what the frozen machine does with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// W_E · E: tokens × m.
    pub tokens: Array2<f64>,
    /// W_pos · E: positions × m.
    pub positions: Array2<f64>,
    /// What each column belongs to.
    pub columns: Vec<Column>,
    /// The attention of the machine with this roll on the sequence, `[layer][head]`, n × n row by row.
    pub attention: Vec<Vec<Vec<f64>>>,
    /// The largest difference between it and the attention of the transformer itself.
    pub error: f64,
}

/// A column of a roll: one of those of a leaf of a tree of attention paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Whose leaf: `q1,2`, `k1,2` or `out`.
    pub consumer: String,
    /// The attention path: `1·2`, or `–` for the empty one.
    pub path: String,
    /// Its place among the columns of the leaf, from 1.
    pub place: usize,
}

/// Which frozen machine is given the roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Machine {
    /// The sparse universal transformer.
    Sparse,
    /// The looped one.
    Looped,
}

/// Computes the roll with which the machine plays `target`, and lets it play the sequence.
///
/// # Errors
/// When the target has no vocabulary for the sequence, or its machine would be too large.
pub(super) fn computed(target: &Target, machine: Machine, sequence: &[String]) -> Result<Computed, Failure> {
    let class = *target.class();
    let universal = match machine {
        Machine::Sparse => UniversalTransformer::sparse(class)?,
        Machine::Looped => UniversalTransformer::looped(class)?,
    };
    let program = universal.program(target)?.embedding;
    let empty = transformer::Error::EmptyInput;
    let vocabulary = target.vocabulary().ok_or(empty)?;
    let input = vocabulary.embed(sequence)?;
    let own = transformer::forward(target, input.view())?.attention;
    let played = universal.forward(input.view(), program.view())?.attention;
    let mut error = 0.0_f64;
    for (own, played) in own.iter().flatten().zip(played.iter().flatten()) {
        error = own.iter().zip(played).fold(error, |most, (a, b)| most.max((a - b).abs()));
    }
    let columns = universal.program_columns().blocks().iter().flat_map(|block| {
        let (consumer, path) = (block.consumer.to_string(), block.path.to_string());
        (1..=block.width).map(move |place| Column { consumer: consumer.clone(), path: path.clone(), place })
    });
    let rows = |matrix: &Array2<f64>| matrix.dot(&program);
    Ok(Computed {
        tokens: rows(&vocabulary.embedding),
        positions: vocabulary.positions.as_ref().map(rows).unwrap_or_default(),
        columns: columns.collect(),
        attention: played
            .iter()
            .map(|heads| heads.iter().map(|it| it.iter().copied().collect()).collect())
            .collect(),
        error,
    })
}
