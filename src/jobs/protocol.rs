//! What page and worker say to each other: postcard bytes in transferred buffers.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{import, universal};
use crate::state::universal::Piece;

/// Page and worker of different releases must not talk.
/// Raise it with every change of a type that crosses.
pub const VERSION: u32 = 2;

/// The name of the worker's script beside the page in a development build.
pub const WORKER_SCRIPT: &str = "worker.js";

/// From the page to the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// Comes back with the answer.
    pub id: u64,
    /// What is asked for.
    pub request: Request,
}

/// What can be asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
    /// Play a piece: run the target and the universal transformer.
    Universal(Box<universal::Request>),
    /// Read a file that a person gave.
    Import(import::Request),
    /// Write a file that a person asked for.
    Export(Box<Piece>, import::ExportKind),
}

/// From the worker to the page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Message {
    /// The first message: what is sent to the worker before it is lost.
    Ready {
        /// The worker's [`VERSION`].
        version: u32,
    },
    /// A job is done.
    Done {
        /// Of which job.
        id: u64,
        /// The answer, or why there is none.
        result: Result<Answer, Failure>,
    },
    /// The worker is about to die of a bug; the text is for the report.
    Crashed {
        /// What the panic said.
        message: String,
    },
}

/// The answer to a [`Request`], variant by variant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// A piece has been played.
    Universal(Box<universal::Played>),
    /// A file has been read.
    Import(import::Imported),
    /// A file has been written.
    Export(import::Exported),
}

/// Why a job has no answer. Everything here can be put into either language by the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// The target or its input is not possible.
    #[error(transparent)]
    Transformer(#[from] transformer::Error),
    /// The universal transformer is not possible, or too large.
    #[error(transparent)]
    Universal(#[from] ::universal::Error),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] transformer::files::FileError),
    /// A run file does not say what its parts say.
    #[error(transparent)]
    Run(::universal::run::RunError),
    /// A cell was edited that the matrix no longer has.
    #[error("{name} has no cell [{row}, {column}]")]
    NoSuchCell {
        /// The matrix.
        name: String,
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
    },
    /// The preset of a link does not exist.
    #[error("there is no preset “{0}”")]
    NoSuchPreset(String),
    /// A part of the engine is not here.
    #[error(transparent)]
    Missing(#[from] crate::parts::Missing),
    /// The worker died of a bug and has been started again.
    #[error("the engine stopped: {0}")]
    Crashed(String),
    /// The worker could not be started.
    #[error("the engine could not be started: {0}")]
    NoWorker(String),
    /// Page and worker come from different releases.
    #[error("the page (protocol {page}) and its engine ({worker}) are of different releases")]
    Versions {
        /// The page's version.
        page: u32,
        /// The worker's version.
        worker: u32,
    },
}

/// The bytes of a value.
pub fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    postcard::to_stdvec(value).map_err(|error| error.to_string())
}

/// The value of some bytes.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}
