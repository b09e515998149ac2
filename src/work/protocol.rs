//! What page and worker say to each other: postcard bytes in transferred buffers.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::rooms::rasp::job as rasp;
use crate::rooms::simulator::job as simulator;
use crate::rooms::training::job as training;
use crate::rooms::universal::choices::Piece;
use crate::rooms::universal::files as import;
use crate::rooms::universal::job as universal;
use crate::rooms::width::job as width;

/// Page and worker of different releases must not talk.
/// Raise it with every change of a type that crosses.
pub const VERSION: u32 = 7;

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
    /// Sample random universal transformers.
    Width(Packed<width::Request>),
    /// Run a program.
    Rasp(Packed<rasp::Request>),
    /// Run a target in the simulator, and what belongs to it.
    Simulator(Packed<simulator::Request>),
    /// Train a run, and what belongs to it.
    Training(Packed<training::Request>),
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
    /// Random universal transformers have been sampled.
    Width(Packed<width::Answer>),
    /// A program has been run.
    Rasp(Packed<rasp::Answer>),
    /// Of the simulator.
    Simulator(Packed<simulator::Answer>),
    /// Of a run that is trained.
    Training(Packed<training::Answer>),
}

impl Answer {
    /// What it says of the workspace “Width”, if it does.
    pub fn width(self) -> Option<width::Answer> {
        match self {
            Answer::Width(packed) => packed.open().ok(),
            _ => None,
        }
    }

    /// What it says of the workspace “RASP”, if it does.
    pub fn rasp(self) -> Option<rasp::Answer> {
        match self {
            Answer::Rasp(packed) => packed.open().ok(),
            _ => None,
        }
    }

    /// What it says of the workspace “Simulator”, if it does.
    pub fn simulator(self) -> Option<simulator::Answer> {
        match self {
            Answer::Simulator(packed) => packed.open().ok(),
            _ => None,
        }
    }

    /// What it says of a run that is trained, if it does.
    pub fn training(self) -> Option<training::Answer> {
        match self {
            Answer::Training(packed) => packed.open().ok(),
            _ => None,
        }
    }
}

/// A value as its bytes, so that only who asks and who answers know how it is read: the code for that comes with
/// their parts and not with every first visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Packed<T> {
    bytes: Vec<u8>,
    kind: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Packed<T> {
    /// The bytes of a value.
    pub fn of(value: &T) -> Packed<T> {
        // What crosses is plain data, which always has bytes; none at all are refused by whoever opens them.
        Packed { bytes: to_bytes(value).unwrap_or_default(), kind: PhantomData }
    }

    /// The value.
    ///
    /// # Errors
    /// When the bytes are not those of such a value.
    pub fn open(&self) -> Result<T, Failure> {
        from_bytes(&self.bytes).map_err(Failure::Crashed)
    }
}

impl<T> Packed<T> {
    /// Bytes that were kept, which may be those of such a value.
    pub fn from_bytes(bytes: Vec<u8>) -> Packed<T> {
        Packed { bytes, kind: PhantomData }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
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
    /// The target cannot be simulated.
    #[error(transparent)]
    Simulator(#[from] ::rasp::simulator::SimulatorError),
    /// The simulator would be too large; with so many tokens it would not, if with any.
    #[error("{error}")]
    SimulatorTooLarge {
        /// What is too large.
        error: ::rasp::simulator::SimulatorError,
        /// The most tokens that fit, the other sizes as they are.
        rows: Option<usize>,
    },
    /// The simulator has no program for targets of this kind.
    #[error("the simulator has no program for {0:?}")]
    NotSimulated(simulator::Unsupported),
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
    Missing(#[from] crate::ground::parts::Missing),
    /// The trace of a program is too large for a file.
    #[error(transparent)]
    Trace(#[from] ::rasp::TraceTooLarge),
    /// A program is longer than an editor holds.
    #[error("{name} has {size} bytes; a program has at most {limit}")]
    ProgramTooLong {
        /// The file.
        name: String,
        /// Its bytes.
        size: usize,
        /// The most bytes.
        limit: usize,
    },
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
