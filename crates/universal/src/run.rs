//! Run files, JSON, format `pianola-run`, version 1: a target, a universal transformer, an input, and
//! everything that came out, so that anyone can see it again and check it.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use transformer::files::{FileError, TargetDocument, check_limits};
use transformer::{Target, Trace, forward};

use crate::{Capacity, Construction, Error, Law, Program, Proof, RandomSpec, Tying, UniversalTransformer};

/// What a run file holds, with the parts in it that can be computed once more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The target.
    pub target: Target,
    /// How the frozen weights are made.
    pub construction: Construction,
    /// m.
    pub width: usize,
    /// The fingerprint of the frozen weights, as it is displayed.
    pub fingerprint: String,
    /// The input as tokens of the target's vocabulary, where it was given so.
    pub tokens: Option<Vec<String>>,
    /// X, n × d.
    pub input: Array2<f64>,
    /// E, d × m, with what was edited by hand.
    pub embedding: Array2<f64>,
    /// What came out.
    pub record: Record,
}

/// What came out of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The outputs, n × d.
    pub output: Sides<Array2<f64>>,
    /// Attention, `[layer][head]`, n × n.
    pub attention: Sides<Vec<Vec<Array2<f64>>>>,
    /// How far the two sides are apart.
    pub error: Errors,
}

/// The same thing on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sides<T> {
    /// Of the target.
    pub target: T,
    /// Of the universal transformer.
    pub universal: T,
}

/// How far a universal transformer was from its target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// The largest difference of the outputs.
    pub output: f64,
    /// The largest difference of attention, `[layer][head]`.
    pub attention: Vec<Vec<f64>>,
    /// The condition number of the equations of a random construction, 1 for the others.
    pub condition: f64,
}

/// A run computed once more.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The universal transformer, built from class and construction.
    pub universal: UniversalTransformer,
    /// The program of the target, without what was edited by hand.
    pub program: Program,
    /// What the target does.
    pub target_trace: Trace,
    /// What the universal transformer does with the embedding of the run.
    pub universal_trace: Trace,
    /// The comparison of the two.
    pub proof: Proof,
}

/// Why a run file cannot be written, read or replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum RunError {
    /// The file itself is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// What it describes cannot be built or run.
    #[error(transparent)]
    Engine(#[from] Error),
    /// A number that JSON cannot hold.
    #[error("{name} holds a number that is not finite, which a run file cannot hold")]
    NotFinite {
        /// Where it stands: `output.universal`.
        name: String,
    },
    /// The frozen weights are not those of the run.
    #[error(
        "the frozen weights have the fingerprint {found}, but the run was made with {expected}: the file was \
         changed, or it is from another version"
    )]
    Fingerprint {
        /// That of the weights built from the file.
        found: String,
        /// That in the file.
        expected: String,
    },
    /// Computing it once more gives something else.
    #[error("{name} differs by {difference:e} from what is computed; at most {tolerance:e} is rounding")]
    Differs {
        /// What differs: `output.target`.
        name: String,
        /// By how much.
        difference: f64,
        /// What it may differ by.
        tolerance: f64,
    },
}

impl Run {
    /// A run from its parts: `embedding` with `universal` played `target` on `input`. The traces and the
    /// proof are what they computed, `program` is the program of the target.
    pub fn new(
        target: &Target,
        tokens: Option<Vec<String>>,
        input: &Array2<f64>,
        embedding: &Array2<f64>,
        replay: &Replay,
    ) -> Self {
        let condition = replay.program.solve.as_ref().map_or(1.0, |solve| solve.condition);
        Run {
            target: target.clone(),
            construction: replay.universal.construction(),
            width: replay.universal.width(),
            fingerprint: replay.universal.fingerprint().to_string(),
            tokens,
            input: input.clone(),
            embedding: embedding.clone(),
            record: Record {
                output: Sides {
                    target: replay.target_trace.output.clone(),
                    universal: replay.universal_trace.output.clone(),
                },
                attention: Sides {
                    target: replay.target_trace.attention.clone(),
                    universal: replay.universal_trace.attention.clone(),
                },
                error: Errors {
                    output: replay.proof.output,
                    attention: replay.proof.attention.clone(),
                    condition,
                },
            },
        }
    }

    /// The run as JSON text. Reading it gives the same numbers, bit for bit.
    ///
    /// # Errors
    /// [`RunError::NotFinite`] when a number is NaN or infinite.
    pub fn to_json(&self) -> Result<String, RunError> {
        self.check_finite()?;
        serde_json::to_string(&Document::from(self))
            .map_err(|error| FileError::Refused { reason: error.to_string() }.into())
    }

    /// Reads JSON text. It is believed as to its form only; see [`Run::replay`].
    ///
    /// # Errors
    /// When it is not JSON, of another format or version, or a part is missing or has the wrong shape.
    pub fn from_json(text: &str) -> Result<Self, RunError> {
        if text.trim().is_empty() {
            return Err(FileError::Empty.into());
        }
        let envelope: Envelope = parse(text)?;
        envelope.check()?;
        parse::<Document>(text)?.run()
    }

    /// Builds the universal transformer of this run and computes everything once more.
    ///
    /// # Errors
    /// When it is too large for `capacity` or the parts do not fit, when the frozen weights have another
    /// fingerprint, or when what was recorded is not what is computed.
    pub fn replay(&self, capacity: Capacity) -> Result<Replay, RunError> {
        let class = *self.target.class();
        capacity.check(self.construction, &class, self.input.nrows())?;
        let universal = UniversalTransformer::new(class, self.construction)?;
        let found = universal.fingerprint().to_string();
        if found != self.fingerprint {
            return Err(RunError::Fingerprint { found, expected: self.fingerprint.clone() });
        }
        let program = universal.program(&self.target)?;
        let target_trace = forward(&self.target, self.input.view()).map_err(Error::from)?;
        let universal_trace = universal.forward(self.input.view(), self.embedding.view())?;
        let solve = program.solve.as_ref();
        let proof = Proof::new(&self.target, &target_trace, &universal, &universal_trace, solve);
        self.check_record(&target_trace, &universal_trace, &proof)?;
        Ok(Replay { universal, program, target_trace, universal_trace, proof })
    }

    /// Another processor may add in another order, so what was recorded may differ by rounding, and by what
    /// becomes of it on the way.
    fn check_record(&self, target: &Trace, universal: &Trace, proof: &Proof) -> Result<(), RunError> {
        let record = &self.record;
        let near = |name: &str, recorded: &Array2<f64>, computed: &Array2<f64>| {
            if recorded.dim() != computed.dim() {
                let (rows, columns) = computed.dim();
                return Err(shape_error(name, recorded, format!("{rows}×{columns}")));
            }
            let differences = recorded.iter().zip(computed).map(|(a, b)| (a - b).abs());
            let difference = differences.fold(0.0, f64::max);
            if difference > proof.tolerance {
                let (name, tolerance) = (name.to_owned(), proof.tolerance);
                return Err(RunError::Differs { name, difference, tolerance });
            }
            Ok(())
        };
        near("output.target", &record.output.target, &target.output)?;
        near("output.universal", &record.output.universal, &universal.output)?;
        let sides = [
            ("attention.target", &record.attention.target, target),
            ("attention.universal", &record.attention.universal, universal),
        ];
        for (name, recorded, trace) in sides {
            expect_count(name, recorded.len(), trace.attention.len())?;
            for (l, (recorded, computed)) in recorded.iter().zip(&trace.attention).enumerate() {
                expect_count(&format!("{name}.{l}"), recorded.len(), computed.len())?;
                for (h, (recorded, computed)) in recorded.iter().zip(computed).enumerate() {
                    near(&format!("{name}.{l}.{h}"), recorded, computed)?;
                }
            }
        }
        let recorded = Array2::from_elem((1, 1), record.error.output);
        near("error.output", &recorded, &Array2::from_elem((1, 1), proof.output))
    }

    fn check_finite(&self) -> Result<(), RunError> {
        let record = &self.record;
        let single = |name: &str, matrix: &Array2<f64>| {
            let finite = matrix.iter().all(|value| value.is_finite());
            if finite { Ok(()) } else { Err(RunError::NotFinite { name: name.to_owned() }) }
        };
        single("input", &self.input)?;
        single("embedding", &self.embedding)?;
        single("output.target", &record.output.target)?;
        single("output.universal", &record.output.universal)?;
        for matrix in record.attention.target.iter().flatten() {
            single("attention.target", matrix)?;
        }
        for matrix in record.attention.universal.iter().flatten() {
            single("attention.universal", matrix)?;
        }
        let errors = record.error.attention.iter().flatten().chain([&record.error.output]);
        if !errors.chain([&record.error.condition]).all(|error| error.is_finite()) {
            return Err(RunError::NotFinite { name: "error".to_owned() });
        }
        Ok(())
    }
}

const FORMAT: &str = "pianola-run";
const VERSION: u32 = 1;

type Rows = Vec<Vec<f64>>;

#[derive(Deserialize)]
struct Envelope {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    target: TargetDocument,
    universal: UniversalDocument,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Vec<String>>,
    input: Rows,
    embedding: Rows,
    output: Sides<Rows>,
    attention: Sides<Vec<Vec<Rows>>>,
    error: Errors,
}

#[derive(Serialize, Deserialize)]
struct UniversalDocument {
    construction: String,
    m: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    law: Option<Law>,
    /// Older programs knew free weights only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tying: Option<Tying>,
    fingerprint: String,
}

impl Envelope {
    fn check(self) -> Result<(), FileError> {
        let missing = |name: &str| FileError::Missing { name: name.to_owned() };
        let format = self.format.ok_or_else(|| missing("format"))?;
        if format != FORMAT {
            return Err(FileError::Format { found: format, expected: FORMAT.to_owned() });
        }
        let version = self.version.ok_or_else(|| missing("version"))?;
        if version != u64::from(VERSION) {
            return Err(FileError::Version { found: version.to_string(), known: VERSION });
        }
        Ok(())
    }
}

impl From<&Run> for Document {
    fn from(run: &Run) -> Self {
        let (word, random) = match run.construction {
            Construction::Sparse => ("sparse", None),
            Construction::Looped => ("looped", None),
            Construction::Random { spec, seed } => ("random", Some((spec, seed))),
        };
        let all = |attention: &[Vec<Array2<f64>>]| {
            attention.iter().map(|layer| layer.iter().map(rows).collect()).collect()
        };
        let record = &run.record;
        Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            target: TargetDocument::from(&run.target),
            universal: UniversalDocument {
                construction: word.to_owned(),
                m: run.width,
                seed: random.map(|(_, seed)| seed),
                law: random.map(|(spec, _)| spec.law),
                tying: random.map(|(spec, _)| spec.tying),
                fingerprint: run.fingerprint.clone(),
            },
            tokens: run.tokens.clone(),
            input: rows(&run.input),
            embedding: rows(&run.embedding),
            output: Sides { target: rows(&record.output.target), universal: rows(&record.output.universal) },
            attention: Sides {
                target: all(&record.attention.target),
                universal: all(&record.attention.universal),
            },
            error: record.error.clone(),
        }
    }
}

impl Document {
    fn run(self) -> Result<Run, RunError> {
        let target = Target::try_from(self.target)?;
        check_limits(target.class())?;
        let all = |name: &str, attention: Vec<Vec<Rows>>| {
            let layer = |layer: Vec<Rows>| layer.into_iter().map(|rows| matrix(name, rows)).collect();
            attention.into_iter().map(layer).collect::<Result<Vec<Vec<_>>, FileError>>()
        };
        let (m, d) = (self.universal.m, target.class().width);
        let construction = self.universal.construction()?;
        let embedding = matrix("embedding", self.embedding)?;
        if embedding.dim() != (d, m) {
            return Err(shape_error("embedding", &embedding, format!("{d}×{m}")));
        }
        Ok(Run {
            construction,
            width: m,
            fingerprint: self.universal.fingerprint,
            tokens: self.tokens,
            input: matrix("input", self.input)?,
            embedding,
            record: Record {
                output: Sides {
                    target: matrix("output.target", self.output.target)?,
                    universal: matrix("output.universal", self.output.universal)?,
                },
                attention: Sides {
                    target: all("attention.target", self.attention.target)?,
                    universal: all("attention.universal", self.attention.universal)?,
                },
                error: self.error,
            },
            target,
        })
    }
}

impl UniversalDocument {
    fn construction(&self) -> Result<Construction, FileError> {
        match self.construction.as_str() {
            "sparse" => Ok(Construction::Sparse),
            "looped" => Ok(Construction::Looped),
            "random" => {
                let missing = |name: &str| FileError::Missing { name: format!("universal.{name}") };
                let law = self.law.ok_or_else(|| missing("law"))?;
                let seed = self.seed.ok_or_else(|| missing("seed"))?;
                let tying = self.tying.unwrap_or(Tying::Free);
                Ok(Construction::Random { spec: RandomSpec { law, tying, width: self.m }, seed })
            }
            other => Err(FileError::UnknownWord {
                name: "universal.construction".to_owned(),
                found: other.to_owned(),
                known: ["sparse", "looped", "random"].map(str::to_owned).to_vec(),
            }),
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|error| FileError::Json {
        line: error.line(),
        column: error.column(),
        reason: error.to_string(),
    })
}

fn matrix(name: &str, rows: Rows) -> Result<Array2<f64>, FileError> {
    let columns = rows.first().map_or(0, Vec::len);
    if let Some((row, found)) = rows.iter().map(Vec::len).enumerate().find(|(_, found)| *found != columns) {
        return Err(FileError::Ragged { name: name.to_owned(), row, found, expected: columns });
    }
    let shape = (rows.len(), columns);
    Array2::from_shape_vec(shape, rows.into_iter().flatten().collect())
        .map_err(|error| FileError::Refused { reason: format!("{name}: {error}") })
}

fn rows(matrix: &Array2<f64>) -> Rows {
    matrix.rows().into_iter().map(|row| row.to_vec()).collect()
}

fn shape_error(name: &str, found: &Array2<f64>, expected: String) -> RunError {
    let found = [found.nrows(), found.ncols()].map(|size| size as u64).to_vec();
    FileError::Shape { name: name.to_owned(), found, expected }.into()
}

fn expect_count(name: &str, found: usize, expected: usize) -> Result<(), FileError> {
    if found == expected { Ok(()) } else { Err(FileError::Count { name: name.to_owned(), found, expected }) }
}
