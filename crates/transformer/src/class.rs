//! A class of transformers: everything about a target except its weights.

use serde::{Deserialize, Serialize};

use crate::Error;

/// The class (H, L, d, d_h, attend, mask, scale, residual) that a universal transformer is built for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// H, the number of attention heads in each layer.
    pub heads: usize,
    /// L, the number of layers.
    pub layers: usize,
    /// d, the width of a token's vector.
    pub width: usize,
    /// d_h, the width of queries and keys.
    pub head_width: usize,
    /// How a row of scores becomes a row of attention.
    pub attention: Attention,
    /// Which keys a query may see.
    pub mask: Mask,
    /// What the scores are multiplied by.
    pub scale: Scale,
    /// Whether every layer adds its own input to its output.
    pub residual: bool,
}

/// How a row of scores becomes a row of attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attention {
    /// Softmax: every visible key gets a share.
    Softmax,
    /// Average-hard: the keys with the largest score share equally.
    AverageHard,
    /// Unique-hard: the left-most key with the largest score takes all.
    LeftmostHard,
}

/// Which keys a query may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mask {
    /// All of them.
    None,
    /// Those at its own position and before.
    Causal,
}

/// What the scores are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// 1 / sqrt(d_h).
    InverseSqrt,
    /// A number of one's own.
    Factor(f64),
}

impl Class {
    /// The largest H: a step of an [`AttentionPath`](crate::AttentionPath) is one byte.
    pub const MOST_HEADS: usize = u8::MAX as usize;

    /// The factor that multiplies q·k.
    pub fn score_factor(&self) -> f64 {
        match self.scale {
            Scale::InverseSqrt => 1.0 / (self.head_width as f64).sqrt(),
            Scale::Factor(factor) => factor,
        }
    }

    /// # Errors
    /// When a size is zero, there are more heads than a step of an [`AttentionPath`](crate::AttentionPath)
    /// can name, or the scale is not a finite number.
    pub fn check(&self) -> Result<(), Error> {
        let sizes = [
            ("heads", self.heads),
            ("layers", self.layers),
            ("width", self.width),
            ("head_width", self.head_width),
        ];
        if let Some((name, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(Error::Class {
                name: (*name).into(),
                value: "0".to_owned(),
                expected: "at least 1".into(),
            });
        }
        if self.heads > Class::MOST_HEADS {
            return Err(Error::Class {
                name: "heads".into(),
                value: self.heads.to_string(),
                expected: "at most 255".into(),
            });
        }
        match self.scale {
            Scale::Factor(factor) if !factor.is_finite() => Err(Error::Class {
                name: "scale".into(),
                value: factor.to_string(),
                expected: "“inverse-sqrt” or a finite number".into(),
            }),
            _ => Ok(()),
        }
    }
}

/// In files the scale is the word `inverse-sqrt` or a number; between page and worker it is an
/// ordinary enum, because that format does not describe itself.
impl Serialize for Scale {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            match self {
                Scale::InverseSqrt => serializer.serialize_str("inverse-sqrt"),
                Scale::Factor(factor) => serializer.serialize_f64(*factor),
            }
        } else {
            match self {
                Scale::InverseSqrt => None,
                Scale::Factor(factor) => Some(*factor),
            }
            .serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Word(String),
            Number(f64),
        }
        if deserializer.is_human_readable() {
            match Written::deserialize(deserializer)? {
                Written::Word(word) if word == "inverse-sqrt" => Ok(Scale::InverseSqrt),
                Written::Word(word) => Err(serde::de::Error::custom(format!(
                    "scale is “{word}”, which must be “inverse-sqrt” or a number"
                ))),
                Written::Number(factor) => Ok(Scale::Factor(factor)),
            }
        } else {
            Ok(Option::<f64>::deserialize(deserializer)?.map_or(Scale::InverseSqrt, Scale::Factor))
        }
    }
}
