//! Playing a piece: the target and the universal transformer on the same input.

use ndarray::Array2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use transformer::presets::{self, Preset};
use transformer::{Target, Trace, Vocabulary, forward};
use universal::{
    Capacity, Consumer, Fingerprint, Layout, Mixing, Program, Projection, Proof, RandomSpec, Solve, Tree,
    UniversalTransformer,
};

use super::protocol::Failure;
use crate::state::universal::{CellEdit, Construction, InputSource, MOST_TOKENS, Piece, TargetSource};

/// A piece to play, and whose tree of attention paths to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// What to compute.
    pub piece: Piece,
    /// Whose tree.
    pub consumer: Consumer,
}

/// Everything that the workspace shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The choices that these are the numbers of.
    pub piece: Piece,
    /// The target, with the edits in it.
    pub target: Target,
    /// The input as tokens, where there are any.
    pub tokens: Option<Vec<String>>,
    /// X, n × d, with the edits in it.
    pub input: Array2<f64>,
    /// What the target computes; states are n × d.
    pub target_trace: Trace,
    /// What the universal transformer computes; states are n × m.
    pub universal_trace: Trace,
    /// E, d × m, with the edits in it.
    pub embedding: Array2<f64>,
    /// How the equations of a random construction were solved.
    pub solve: Option<Solve>,
    /// The fixed part.
    pub frozen: Frozen,
    /// The comparison of the two.
    pub proof: Proof,
    /// The two outputs as tokens, where the target says how to read them: target, universal.
    pub readout: Option<(Vec<String>, Vec<String>)>,
    /// The tree of attention paths of the consumer asked for.
    pub tree: Tree,
}

/// The frozen part of a universal transformer, as far as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// m.
    pub width: usize,
    /// The hash of all frozen weights.
    pub fingerprint: Fingerprint,
    /// The columns of E; for random weights those of the equations E C = B.
    pub columns: Layout,
    /// Whether the columns of E are blocks of `columns`. Random weights give nothing a place.
    pub has_places: bool,
    /// Random weights, `[layer][head]`; empty for constructions whose weights are routings. One layer
    /// when all layers share theirs.
    pub weights: Vec<Vec<HeadPicture>>,
}

/// The frozen weights of one head of a random universal transformer, drawn small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadPicture {
    /// Rq.
    pub query: Thumbnail,
    /// Rk.
    pub key: Thumbnail,
    /// Rv.
    pub value: Thumbnail,
}

/// A matrix with few enough cells to be drawn: each cell the entry of largest modulus of its patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// Rows and columns of the matrix itself.
    pub shape: (usize, usize),
    /// The cells.
    pub cells: Array2<f64>,
}

/// What the page may use at most. A browser gives a page 4 GiB at the very most, phones less.
pub const CAPACITY: Capacity = Capacity { max_bytes: 1 << 30, max_width: 1 << 20 };

/// The side of the largest thumbnail.
const THUMBNAIL_SIDE: usize = 64;

/// What is kept between requests: frozen weights are drawn once for all targets, and a piece is not
/// played again for another look at it.
#[derive(Debug, Default)]
pub struct Workshop {
    universal: Option<UniversalTransformer>,
    program: Option<(Target, Program)>,
    played: Option<Request>,
    last: Option<Played>,
}

impl Workshop {
    /// Plays a piece.
    ///
    /// # Errors
    /// When the target, its input or the universal transformer is not possible or too large.
    pub fn play(&mut self, request: Request) -> Result<Played, Failure> {
        if let Some(last) = self.last.take_if(|last| last.piece == request.piece) {
            let played = self.with_tree(last, request.consumer);
            self.last = Some(played.clone());
            return Ok(played);
        }
        let played = self.compute(&request)?;
        self.last = Some(played.clone());
        self.played = Some(request);
        Ok(played)
    }
}
