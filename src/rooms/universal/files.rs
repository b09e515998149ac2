//! Reading and writing files, in the worker: a person's own targets, inputs and runs.

use serde::{Deserialize, Serialize};
use transformer::files::{Input, read_input, read_target, write_target_json, write_target_safetensors};
use transformer::{Target, presets};
use universal::run::{Errors, Record, Run, RunError, Sides};
use universal::{Bounds, Capacity, Consumer, UniversalTransformer};

use super::job::{self as play, Played, Workshop};
use crate::rooms::universal::choices::{
    CellEdit, Construction, InputSource, Piece, RANDOM_TARGET, TargetSource,
};
use crate::work::protocol::Failure;

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Reads a file into the choices.
///
/// # Errors
/// When the file is bad, or what it holds cannot be played.
pub fn read(request: Request, workshop: &mut Workshop) -> Result<Imported, Failure> {
    let Request { kind, name, bytes, piece } = request;
    let piece = match kind {
        ImportKind::Target => match run_text(&bytes) {
            Some(text) => piece_of_run(&Run::from_json(text)?, *piece)?,
            None => piece.with_target(TargetSource::Own(Box::new(read_target(&bytes, &name)?))),
        },
        ImportKind::Input => with_input(*piece, read_input(&bytes, &name)?)?,
    };
    // Playing it finds everything else that may be wrong; the worker keeps the result for the page.
    workshop.play(
        play::Request { piece: piece.clone(), consumer: Consumer::Output },
        UniversalTransformer::new,
    )?;
    Ok(Imported { piece: Box::new(piece) })
}

/// Writes the choices, and what came of them, as a file.
///
/// # Errors
/// When they cannot be played, or a number in them is not finite.
pub fn write(piece: Piece, kind: ExportKind, workshop: &mut Workshop) -> Result<Exported, Failure> {
    let played =
        workshop.play(play::Request { piece, consumer: Consumer::Output }, UniversalTransformer::new)?;
    let (name, bytes) = match kind {
        ExportKind::Run => ("pianola-run.json", run_of(&played).to_json()?.into_bytes()),
        ExportKind::TargetJson => ("pianola-target.json", write_target_json(&played.target)?.into_bytes()),
        ExportKind::TargetSafetensors => {
            ("pianola-target.safetensors", write_target_safetensors(&played.target)?)
        }
        ExportKind::EmbeddingCsv => ("pianola-embedding.csv", csv(&played.embedding).into_bytes()),
    };
    Ok(Exported { name: name.to_owned(), bytes })
}

/// The text of a run file, when it is one. A target file has another format, and is read elsewhere.
fn run_text(bytes: &[u8]) -> Option<&str> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        format: &'a str,
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let envelope: Envelope = serde_json::from_str(text).ok()?;
    (envelope.format == "pianola-run").then_some(text)
}

fn piece_of_run(run: &Run, before: Piece) -> Result<Piece, Failure> {
    let replay = run.replay(Capacity::default())?;
    let mut piece = before.with_target(source_of(&run.target));
    piece.class = *run.target.class();
    match run.construction {
        universal::Construction::Sparse => piece.construction = Construction::Sparse,
        universal::Construction::Looped => piece.construction = Construction::Looped,
        universal::Construction::Random { spec, seed } => {
            piece.construction = Construction::Random;
            piece.law = spec.law;
            piece.tying = spec.tying;
            let least = i64::try_from(Bounds::of(run.target.class()).random_minimum).unwrap_or(i64::MAX);
            piece.spare = i64::try_from(spec.width).unwrap_or(i64::MAX) - least;
            piece.frozen_seed = seed;
        }
    }
    piece.input = match (&run.tokens, run.target.vocabulary()) {
        (Some(tokens), Some(vocabulary))
            if vocabulary.embed(tokens).is_ok_and(|embedded| embedded == run.input) =>
        {
            input_of_tokens(&piece, tokens)?
        }
        _ => InputSource::Rows(run.input.clone()),
    };
    // What differs from the program was edited by hand.
    piece.embedding_edits = run
        .embedding
        .indexed_iter()
        .filter(|(place, value)| replay.program.embedding[*place].to_bits() != value.to_bits())
        .map(|((row, column), value)| CellEdit { row, column, value: *value })
        .collect();
    Ok(piece)
}

/// A preset comes back as itself, with its name and its way of reading; any other target is the person's own.
fn source_of(target: &Target) -> TargetSource {
    let is_its = |preset: &presets::Preset| {
        preset.target.layers() == target.layers() && preset.target.vocabulary() == target.vocabulary()
    };
    match presets::all().into_iter().find(is_its) {
        Some(preset) if preset.id != RANDOM_TARGET => TargetSource::Preset(preset.id.to_owned()),
        _ => TargetSource::Own(Box::new(target.clone())),
    }
}

fn with_input(mut piece: Piece, input: Input) -> Result<Piece, Failure> {
    piece.input_edits.clear();
    piece.input = match input {
        Input::Rows(rows) => InputSource::Rows(rows),
        Input::Tokens(tokens) => input_of_tokens(&piece, &tokens)?,
    };
    Ok(piece)
}

/// Tokens as the text that they make. A vocabulary may hold tokens that no text can say, such as a space;
/// then they become the rows that stand for them.
fn input_of_tokens(piece: &Piece, tokens: &[String]) -> Result<InputSource, Failure> {
    let (target, preset) = play::resolve_target(piece)?;
    let vocabulary = target.vocabulary().ok_or(transformer::Error::NoVocabulary)?;
    // A preset puts its start before every text by itself.
    let start = preset.as_ref().and_then(|preset| preset.start);
    let typed = match tokens.split_first() {
        Some((first, rest)) if Some(first.as_str()) == start => rest,
        _ => tokens,
    };
    let text = typed.join(" ");
    let read = match &preset {
        Some(preset) => preset.tokens(&text).split_off(usize::from(start.is_some())),
        None => vocabulary.split(&text),
    };
    let is_said = read.len() == typed.len()
        && read.iter().zip(typed).all(|(read, typed)| read == typed || *read == typed.to_ascii_lowercase());
    Ok(if is_said { InputSource::Text(text) } else { InputSource::Rows(vocabulary.embed(tokens)?) })
}

fn run_of(played: &Played) -> Run {
    let (target, universal) = (&played.target_trace, &played.universal_trace);
    Run {
        target: played.target.clone(),
        construction: played.frozen.construction,
        width: played.frozen.width,
        fingerprint: played.frozen.fingerprint.to_string(),
        tokens: played.tokens.clone().filter(|_| played.piece.input_edits.is_empty()),
        input: played.input.clone(),
        embedding: played.embedding.clone(),
        record: Record {
            output: Sides { target: target.output.clone(), universal: universal.output.clone() },
            attention: Sides { target: target.attention.clone(), universal: universal.attention.clone() },
            error: Errors {
                output: played.proof.output,
                attention: played.proof.attention.clone(),
                condition: played.solve.as_ref().map_or(1.0, |solve| solve.condition),
            },
        },
    }
}

fn csv(matrix: &ndarray::Array2<f64>) -> String {
    let mut text = String::new();
    for row in matrix.rows() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::File(error) => Failure::File(error),
            RunError::Engine(error) => Failure::Universal(error),
            other => Failure::Run(other),
        }
    }
}
