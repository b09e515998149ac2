//! Targets as JSON, format `pianola-target`, version 1.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Attention, Class, Head, Layer, Mask, Scale, Target, Vocabulary};

use super::error::excerpt;
use super::rows::Rows;
use super::{FileError, limits, text};

pub(super) const FORMAT: &str = "pianola-target";
pub(super) const VERSION: u32 = 1;

/// Reads a target from JSON text.
///
/// # Errors
/// When the bytes are not UTF-8, not JSON (with line and column), of another format or version, or
/// when a field is missing, a word unknown, a matrix ragged or of the wrong shape, a size too large.
pub fn read_target_json(bytes: &[u8]) -> Result<Target, FileError> {
    limits::check_file_size(bytes)?;
    let text = text(bytes)?;
    // The version comes first: a newer file may differ in everything else.
    let head: Envelope = serde_json::from_str(text).map_err(|error| FileError::json(&error, text))?;
    head.check()?;
    let document: TargetDocument =
        serde_json::from_str(text).map_err(|error| FileError::json(&error, text))?;
    Target::try_from(document)
}

/// Writes a target as JSON text. Reading it gives the same target, bit for bit.
///
/// # Errors
/// None is known: the numbers of a target are finite, so JSON can hold them all.
pub fn write_target_json(target: &Target) -> Result<String, FileError> {
    serde_json::to_string(&TargetDocument::from(target))
        .map_err(|error| FileError::Refused { reason: error.to_string() })
}

/// A target as it stands in JSON: a part of other files as well. It may still be wrong; turning it
/// into a [`Target`] says how. Nothing here is meant for formats that do not describe themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetDocument {
    format: Option<Value>,
    version: Option<Value>,
    class: Option<ClassDocument>,
    layers: Option<Vec<LayerDocument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary: Option<VocabularyDocument>,
}

impl From<&Target> for TargetDocument {
    fn from(target: &Target) -> Self {
        let head = |head: &Head| HeadDocument {
            wq: Some(Rows::from(&head.wq)),
            wk: Some(Rows::from(&head.wk)),
            wv: Some(Rows::from(&head.wv)),
            wo: Some(Rows::from(&head.wo)),
        };
        let layer = |layer: &Layer| LayerDocument { heads: Some(layer.heads.iter().map(head).collect()) };
        TargetDocument {
            format: Some(FORMAT.into()),
            version: Some(VERSION.into()),
            class: Some(ClassDocument::from(target.class())),
            layers: Some(target.layers().iter().map(layer).collect()),
            vocabulary: target.vocabulary().map(|vocabulary| VocabularyDocument {
                tokens: Some(vocabulary.tokens.clone()),
                embedding: Some(Rows::from(&vocabulary.embedding)),
                positions: vocabulary.positions.as_ref().map(Rows::from),
            }),
        }
    }
}

impl TryFrom<TargetDocument> for Target {
    type Error = FileError;

    fn try_from(document: TargetDocument) -> Result<Self, FileError> {
        Envelope { format: document.format, version: document.version }.check()?;
        let class = required(document.class, "class")?.class()?;
        let layers = required(document.layers, "layers")?
            .into_iter()
            .enumerate()
            .map(|(l, layer)| layer.layer(&format!("layers.{l}"), class.width))
            .collect::<Result<_, _>>()?;
        let vocabulary =
            document.vocabulary.map(|vocabulary| vocabulary.vocabulary(class.width)).transpose()?;
        Ok(Target::new(class, layers, vocabulary)?)
    }
}

#[derive(Deserialize)]
struct Envelope {
    format: Option<Value>,
    version: Option<Value>,
}

/// The class of a file, before anything in it is believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ClassDocument {
    heads: Option<u64>,
    layers: Option<u64>,
    width: Option<u64>,
    head_width: Option<u64>,
    attention: Option<String>,
    mask: Option<String>,
    scale: Option<Value>,
    residual: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LayerDocument {
    heads: Option<Vec<HeadDocument>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct HeadDocument {
    wq: Option<Rows>,
    wk: Option<Rows>,
    wv: Option<Rows>,
    wo: Option<Rows>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct VocabularyDocument {
    tokens: Option<Vec<String>>,
    embedding: Option<Rows>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<Rows>,
}

impl Envelope {
    fn check(self) -> Result<(), FileError> {
        check_format(&word(required(self.format, "format")?))?;
        check_version(&word(required(self.version, "version")?))
    }
}

impl ClassDocument {
    /// Sizes are checked against the limits here, before any of them is used.
    pub(super) fn class(self) -> Result<Class, FileError> {
        let sizes = [
            required(self.heads, "class.heads")?,
            required(self.layers, "class.layers")?,
            required(self.width, "class.width")?,
            required(self.head_width, "class.head_width")?,
        ];
        limits::check_sizes(sizes)?;
        let [heads, layers, width, head_width] = sizes.map(|size| size as usize);
        let class = Class {
            heads,
            layers,
            width,
            head_width,
            attention: known_word("class.attention", self.attention, &ATTENTION)?,
            mask: known_word("class.mask", self.mask, &MASK)?,
            scale: scale(required(self.scale, "class.scale")?)?,
            residual: required(self.residual, "class.residual")?,
        };
        class.check()?;
        Ok(class)
    }
}

impl From<&Class> for ClassDocument {
    fn from(class: &Class) -> Self {
        ClassDocument {
            heads: Some(class.heads as u64),
            layers: Some(class.layers as u64),
            width: Some(class.width as u64),
            head_width: Some(class.head_width as u64),
            attention: Some(word_for(&class.attention, &ATTENTION)),
            mask: Some(word_for(&class.mask, &MASK)),
            scale: Some(match class.scale {
                Scale::InverseSqrt => INVERSE_SQRT.into(),
                Scale::Factor(factor) => factor.into(),
            }),
            residual: Some(class.residual),
        }
    }
}

impl LayerDocument {
    fn layer(self, name: &str, width: usize) -> Result<Layer, FileError> {
        let heads = required(self.heads, &format!("{name}.heads"))?
            .into_iter()
            .enumerate()
            .map(|(h, head)| head.head(&format!("{name}.heads.{h}"), width))
            .collect::<Result<_, _>>()?;
        Ok(Layer { heads })
    }
}

impl HeadDocument {
    fn head(self, name: &str, width: usize) -> Result<Head, FileError> {
        let read = |rows: Option<Rows>, which: &str| {
            let name = format!("{name}.{which}");
            required(rows, &name)?.matrix(&name, width)
        };
        Ok(Head {
            wq: read(self.wq, "wq")?,
            wk: read(self.wk, "wk")?,
            wv: read(self.wv, "wv")?,
            wo: read(self.wo, "wo")?,
        })
    }
}

impl VocabularyDocument {
    fn vocabulary(self, width: usize) -> Result<Vocabulary, FileError> {
        Ok(Vocabulary {
            tokens: required(self.tokens, "vocabulary.tokens")?,
            embedding: required(self.embedding, "vocabulary.embedding")?
                .matrix("vocabulary.embedding", width)?,
            positions: self
                .positions
                .map(|positions| positions.matrix("vocabulary.positions", width))
                .transpose()?,
        })
    }
}

const INVERSE_SQRT: &str = "inverse-sqrt";
const ATTENTION: [(&str, Attention); 3] = [
    ("softmax", Attention::Softmax),
    ("average-hard", Attention::AverageHard),
    ("leftmost-hard", Attention::LeftmostHard),
];
const MASK: [(&str, Mask); 2] = [("none", Mask::None), ("causal", Mask::Causal)];

pub(super) fn check_format(found: &str) -> Result<(), FileError> {
    if found != FORMAT {
        return Err(FileError::Format { found: excerpt(found), expected: FORMAT.to_owned() });
    }
    Ok(())
}

pub(super) fn check_version(found: &str) -> Result<(), FileError> {
    if found != VERSION.to_string() {
        return Err(FileError::Version { found: excerpt(found), known: VERSION });
    }
    Ok(())
}

pub(super) fn required<T>(value: Option<T>, name: &str) -> Result<T, FileError> {
    value.ok_or_else(|| FileError::Missing { name: name.to_owned() })
}

pub(super) fn known_word<T: Copy>(
    name: &str,
    found: Option<String>,
    known: &[(&str, T)],
) -> Result<T, FileError> {
    let found = required(found, name)?;
    known.iter().find(|(word, _)| *word == found).map(|(_, value)| *value).ok_or_else(|| {
        FileError::UnknownWord {
            name: name.to_owned(),
            found: excerpt(&found),
            known: known.iter().map(|(word, _)| (*word).to_owned()).collect(),
        }
    })
}

fn word_for<T: PartialEq>(value: &T, known: &[(&str, T)]) -> String {
    known.iter().find(|(_, other)| other == value).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}

fn scale(found: Value) -> Result<Scale, FileError> {
    match (&found, found.as_f64()) {
        (Value::String(word), _) if word == INVERSE_SQRT => Ok(Scale::InverseSqrt),
        (_, Some(factor)) => Ok(Scale::Factor(factor)),
        _ => Err(FileError::UnknownWord {
            name: "class.scale".to_owned(),
            found: excerpt(&word(found)),
            known: vec![INVERSE_SQRT.to_owned(), "a number".to_owned()],
        }),
    }
}

/// A value as a person would say it: text without its quotation marks, the rest as JSON.
fn word(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
