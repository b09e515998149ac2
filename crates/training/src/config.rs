//! Everything that determines a run, bit for bit.

use serde::{Deserialize, Serialize};
use transformer::{Attention, Class, Scale};

use crate::{Error, Task};

/// Everything that determines a run: the same configuration gives the same numbers to the last bit, natively
/// and in a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// What is to be learned.
    pub task: Task,
    /// The transformer that learns it.
    pub model: Model,
    /// What stands in its layers besides attention.
    pub variant: Variant,
    /// e, the standard deviation of the token and position embeddings at the start.
    pub embedding_scale: f64,
    /// How the weights are changed.
    pub optimiser: Optimiser,
    /// The sequences of a batch. An even number keeps batches of Dyck-1 and k-PARITY balanced exactly.
    pub batch: usize,
    /// The budget: after this many steps the learning rate has come down and the run is finished.
    pub steps: usize,
    /// The number of held-out sequences.
    pub held_out: usize,
    /// Where all draws come from: data, start weights and random frozen weights.
    pub seed: u64,
}

/// A transformer's shape and the kind of its weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Which weights are frozen, and how they are made.
    pub weights: Weights,
    /// H.
    pub heads: usize,
    /// L.
    pub layers: usize,
    /// d for sparse and looped weights, whose state is as wide as their layout needs
    /// ([`Config::state_width`]); m for random and trained ones.
    pub width: usize,
    /// d_h.
    pub head_width: usize,
}

/// The kind of the weights inside the transformer. Token embedding, position embedding and unembedding are
/// trained in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Frozen: the sparse universal transformer, zeros and ones.
    Sparse {
        /// Where residual connections lead.
        skips: Skips,
    },
    /// Frozen: the looped universal transformer, zeros and ones, the same in every layer.
    Looped,
    /// Frozen: a random universal transformer, Rq and Rk ~ N(0, 1/m), Rv ~ g · N(0, 1/(mH)).
    Random {
        /// g.
        gain: f64,
    },
    /// Everything is trained, from Wq, Wk, Wv ~ N(0, 1/m) and Wo ~ N(0, 1/(H d_h)).
    Trained,
}

/// Where the residual connections of a sparse transformer lead. Without residual connections there is no
/// difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skips {
    /// Onto the blocks of the paths through the first head: the layout of a class without residual
    /// connections, (H^l paths of length l), to which the transformer adds them.
    Shared,
    /// To blocks of their own: the layout of the residual class, with (H + 1)^l paths.
    Own,
}

/// What stands in the layers besides attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Nothing.
    AttentionOnly,
    /// Residual connections, and layer normalisation (without an affine part) before attention and at the end.
    ResidualNorm,
    /// The same, and in each layer a perceptron: h + W2 ReLU(W1 LN(h) + b1), with W1 ~ N(0, 2/m),
    /// b1 ~ N(0, ¼), W2 ~ 0.3 · N(0, 1/width). It is frozen when the attention is.
    ResidualNormMlp {
        /// The number of hidden units.
        hidden: usize,
    },
}

/// AdamW with warm-up, cosine decay and clipping. Settings that a file leaves out are the usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Optimiser {
    /// The largest learning rate.
    pub learning_rate: f64,
    /// The steps over which it rises from 0.
    pub warm_up: usize,
    /// The share of it that is left at the end of the cosine decay.
    pub floor: f64,
    /// β1.
    pub momentum: f64,
    /// β2.
    pub square_momentum: f64,
    /// ε.
    pub epsilon: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// The largest Euclidean norm of the gradient; a longer one is shortened.
    pub clip: f64,
}

impl Default for Optimiser {
    fn default() -> Self {
        Optimiser {
            learning_rate: 3e-3,
            warm_up: 100,
            floor: 0.05,
            momentum: 0.9,
            square_momentum: 0.98,
            epsilon: 1e-8,
            weight_decay: 0.0,
            clip: 1.0,
        }
    }
}

impl Optimiser {
    /// The learning rate of a step (from 0) of `steps`: linear warm-up, then a cosine down to the floor.
    pub fn rate(&self, step: usize, steps: usize) -> f64 {
        if step < self.warm_up {
            return self.learning_rate * (step + 1) as f64 / self.warm_up as f64;
        }
        let decay = steps.saturating_sub(self.warm_up).max(1);
        let progress = ((step - self.warm_up) as f64 / decay as f64).min(1.0);
        let cosine = 0.5 * (1.0 + libm::cos(std::f64::consts::PI * progress));
        self.learning_rate * (self.floor + (1.0 - self.floor) * cosine)
    }
}

impl Variant {
    /// Whether it has residual connections and layer normalisation.
    pub fn has_residual(self) -> bool {
        self != Variant::AttentionOnly
    }

    /// The number of hidden units of its perceptrons.
    pub fn hidden(self) -> Option<usize> {
        match self {
            Variant::ResidualNormMlp { hidden } => Some(hidden),
            Variant::AttentionOnly | Variant::ResidualNorm => None,
        }
    }
}

impl Config {
    /// The class of transformers whose universal transformer is trained. A random or a trained one has no
    /// inner width, which is 1 here.
    pub fn class(&self) -> Class {
        let (width, residual) = match self.model.weights {
            Weights::Sparse { skips } => {
                (self.model.width, self.variant.has_residual() && skips == Skips::Own)
            }
            Weights::Looped => (self.model.width, false),
            Weights::Random { .. } | Weights::Trained => (1, false),
        };
        Class {
            heads: self.model.heads,
            layers: self.model.layers,
            width,
            head_width: self.model.head_width,
            attention: Attention::Softmax,
            mask: self.task.mask(),
            scale: Scale::InverseSqrt,
            residual,
        }
    }

    /// m, the width of the state.
    pub fn state_width(&self) -> usize {
        match self.model.weights {
            Weights::Sparse { .. } => universal::Layout::sparse(&self.class()).width(),
            Weights::Looped => universal::Layout::looped(&self.class()).width(),
            Weights::Random { .. } | Weights::Trained => self.model.width,
        }
    }

    /// # Errors
    /// When a setting is outside its range, or the model would be too large.
    pub fn check(&self) -> Result<(), Error> {
        self.task.check()?;
        self.class().check()?;
        let positive = |name: &str, found: f64| {
            if found.is_finite() && found > 0.0 {
                Ok(())
            } else {
                Err(Error::setting(name, found, "positive"))
            }
        };
        let share = |name: &str, found: f64| {
            let fits = (0.0..1.0).contains(&found);
            if fits { Ok(()) } else { Err(Error::setting(name, found, "at least 0 and less than 1")) }
        };
        positive("embedding_scale", self.embedding_scale)?;
        positive("optimiser.learning_rate", self.optimiser.learning_rate)?;
        positive("optimiser.epsilon", self.optimiser.epsilon)?;
        positive("optimiser.clip", self.optimiser.clip)?;
        share("optimiser.floor", self.optimiser.floor)?;
        share("optimiser.momentum", self.optimiser.momentum)?;
        share("optimiser.square_momentum", self.optimiser.square_momentum)?;
        share("optimiser.weight_decay", self.optimiser.weight_decay)?;
        if let Weights::Random { gain } = self.model.weights {
            positive("model.weights.gain", gain)?;
        }
        let sizes = [
            ("model.width", self.model.width, 4096),
            ("batch", self.batch, 4096),
            ("steps", self.steps, 10_000_000),
            ("held_out", self.held_out, 100_000),
            ("variant.hidden", self.variant.hidden().unwrap_or(1), 4096),
        ];
        for (name, found, most) in sizes {
            if found == 0 || found > most {
                return Err(Error::setting(name, found, format!("1 to {most}")));
            }
        }
        Ok(())
    }
}

impl Weights {
    /// Whether the weights inside the transformer are frozen.
    pub fn are_frozen(self) -> bool {
        self != Weights::Trained
    }
}
