//! Reading and writing files, in the worker: a person's own targets, inputs and runs.

use serde::{Deserialize, Serialize};

use super::protocol::Failure;
use super::universal as play;
use crate::state::universal::{InputSource, Piece, TargetSource};

/// A file to be read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// What the person said that it is.
    pub kind: ImportKind,
    /// Its name, for recognising the format and for messages.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The choices that it enters into.
    pub piece: Box<Piece>,
}

/// What a file is expected to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// A target, or a run, which brings its own target.
    Target,
    /// An input.
    Input,
}

/// What has been read: the choices with the file's content in them. Answered only when they can be
/// played, so that a bad file leaves everything as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Imported {
    /// The new choices.
    pub piece: Box<Piece>,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// The whole run, JSON.
    Run,
    /// The target, JSON.
    TargetJson,
    /// The target, safetensors.
    TargetSafetensors,
    /// The program E, CSV.
    EmbeddingCsv,
}

/// A file to be handed to the person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
