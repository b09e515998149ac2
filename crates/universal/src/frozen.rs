//! The frozen weights of a universal transformer.

use ndarray::{Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

use crate::Routing;
use linear::product;

/// The frozen weights of one layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrozenLayer {
    /// One entry for each head.
    pub heads: Vec<FrozenHead>,
}

/// The frozen weights of one head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrozenHead {
    /// Rq, m × d_h.
    pub query: Projection,
    /// Rk, m × d_h.
    pub key: Projection,
    /// Rv, m × m.
    pub value: Mixing,
}

/// A matrix of m rows and few columns that reads a state: Rq, Rk or U.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Projection {
    /// Zeros and ones that select `width` columns of the state from `offset` on.
    Selection {
        /// The first column.
        offset: usize,
        /// The number of columns.
        width: usize,
    },
    /// Any numbers.
    Dense(Array2<f64>),
}

/// Rv (m × m), which mixes the columns of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Mixing {
    /// Zeros and ones that move columns.
    Routing(Routing),
    /// Any numbers.
    Dense(Array2<f64>),
}

impl Projection {
    /// Z R: what is read of the state (n × m).
    pub fn apply(&self, state: ArrayView2<f64>) -> Array2<f64> {
        match self {
            Projection::Selection { offset, width } => {
                state.slice(s![.., *offset..offset + width]).to_owned()
            }
            Projection::Dense(weights) => state.dot(weights),
        }
    }

    /// Itself as numbers, m × its columns. `m` is the width of the state.
    pub fn to_dense(&self, m: usize) -> Array2<f64> {
        match self {
            Projection::Selection { offset, width } => {
                let mut dense = Array2::zeros((m, *width));
                dense.slice_mut(s![*offset..offset + width, ..]).diag_mut().fill(1.0);
                dense
            }
            Projection::Dense(weights) => weights.clone(),
        }
    }
}

impl Mixing {
    /// Z Rv, for a state n × m.
    pub fn apply(&self, state: ArrayView2<f64>) -> Array2<f64> {
        match self {
            Mixing::Routing(routing) => routing.apply(state),
            Mixing::Dense(weights) => state.dot(weights),
        }
    }

    /// Rv M, for M of m rows.
    pub(crate) fn times(&self, matrix: ArrayView2<f64>) -> Array2<f64> {
        match self {
            Mixing::Routing(routing) => routing.times(matrix),
            Mixing::Dense(weights) => product(weights.view(), matrix),
        }
    }

    /// next += A Z Rv.
    pub(crate) fn mix_into(&self, attention: &Array2<f64>, state: &Array2<f64>, next: &mut Array2<f64>) {
        match self {
            Mixing::Routing(routing) => routing.mix_into(attention, state, next),
            Mixing::Dense(weights) => *next += &attention.dot(&state.dot(weights)),
        }
    }
}
