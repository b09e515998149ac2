//! Running a RASP program: its result, what each of its primitives did, and what is wrong with it.

use rasp::{
    Analysis, Diagnostic, Input, Limits, Outcome, SelectorMatrix, Session, Severity, ShownValue, Span, Trace,
};
use serde::{Deserialize, Serialize};

use super::import::Exported;
use super::protocol::Failure;
use crate::language::Language;
use crate::notices::failures::programs;
use crate::state::rasp::Piece;

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Run a program.
    Run(Piece),
    /// Write the trace of a run as a file.
    ExportTrace(Piece),
}

/// The answer to a [`Request`], variant by variant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// A program has been run.
    Ran(Box<Ran>),
    /// The trace has been written.
    Exported(Exported),
}

/// What came of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The choices that this belongs to.
    pub piece: Piece,
    /// What is wrong, those about the text first.
    pub complaints: Vec<Complaint>,
    /// Every name that a program can use without giving it, in alphabetical order.
    pub names: Vec<String>,
    /// The run; `None` when something is wrong with the program or the input.
    pub run: Option<Run>,
}

/// A run without errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The input that the result belongs to: the program may set its own.
    pub input: Input,
    /// The value of the last statement that is an expression.
    pub result: Outcome,
    /// The values of all statements that are expressions, in their order.
    pub shown: Vec<ShownValue>,
    /// The primitives that led to the result.
    pub trace: Trace,
    /// The matrix of each step that is a selector. Those of very long inputs have none.
    pub selectors: Vec<Option<SelectorMatrix>>,
    /// The layers and heads that it needs.
    pub analysis: Analysis,
}

/// Something that is wrong, in the words of both languages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Complaint {
    /// Whether it keeps the program from running.
    pub severity: Severity,
    /// What it is about: the program, or the line of the input.
    pub about: About,
    /// Where, in bytes.
    pub span: Span,
    /// At which position of the sequence.
    pub position: Option<usize>,
    /// The file that the program uses and in which it happened.
    pub file: Option<String>,
    english: String,
    portuguese: String,
}

/// The text that a complaint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum About {
    /// The program.
    Program,
    /// The input.
    Input,
}

impl Complaint {
    fn new(about: About, diagnostic: &Diagnostic) -> Complaint {
        Complaint {
            severity: diagnostic.severity,
            about,
            span: diagnostic.span,
            position: diagnostic.position,
            file: diagnostic.origin.as_ref().map(|origin| origin.file.clone()),
            english: programs::describe(diagnostic, Language::En),
            portuguese: programs::describe(diagnostic, Language::Pt),
        }
    }

    /// The sentence.
    pub fn text(&self, t: Language) -> &str {
        match t {
            Language::En => &self.english,
            Language::Pt => &self.portuguese,
        }
    }
}

/// What a page may ask of its worker: an answer within about a second, and matrices that can be drawn.
const LIMITS: Limits = Limits { positions: 2_000, work: 30_000_000, values: 2_000_000, calls: 500 };

/// The most cells of selectors that are sent to the page, as bits.
const MOST_CELLS: usize = 100_000_000;

/// Answers a request.
///
/// # Errors
/// When the trace does not fit into a file.
pub fn answer(request: Request) -> Result<Answer, Failure> {
    match request {
        Request::Run(piece) => Ok(Answer::Ran(Box::new(ran(piece)))),
        Request::ExportTrace(piece) => exported(piece),
    }
}

fn session() -> Session<'static> {
    Session::default().with_limits(LIMITS)
}

fn ran(piece: Piece) -> Ran {
    let names = rasp::library::names();
    match Input::parse(&piece.input) {
        Ok(input) => {
            let run = session().run(&piece.program, &input);
            let complaints = run.diagnostics.iter().map(|it| Complaint::new(About::Program, it)).collect();
            let run = (!run.has_errors()).then(|| Run::of(run));
            Ran { piece, complaints, names, run }
        }
        Err(diagnostic) => {
            let complaints = vec![Complaint::new(About::Input, &diagnostic)];
            Ran { piece, complaints, names, run: None }
        }
    }
}

fn exported(piece: Piece) -> Result<Answer, Failure> {
    match Input::parse(&piece.input) {
        Ok(input) => {
            let text = rasp::trace_json(&piece.program, &session().run(&piece.program, &input))?;
            let name = "pianola-rasp-trace.json".to_owned();
            Ok(Answer::Exported(Exported { name, bytes: text.into_bytes() }))
        }
        // There is no run to write; its complaints say why.
        Err(_) => Ok(Answer::Ran(Box::new(ran(piece)))),
    }
}

impl Run {
    fn of(run: rasp::Run) -> Run {
        let mut cells = MOST_CELLS;
        let selectors = (0..run.trace.steps.len())
            .map(|step| {
                if !run.trace.steps[step].primitive.is_selector() {
                    return None;
                }
                cells = cells.checked_sub(run.input.len() * run.input.len())?;
                run.trace.selector(step)
            })
            .collect();
        let rasp::Run { input, result, trace, analysis, shown, .. } = run;
        Run { input, result, shown, trace, selectors, analysis }
    }
}
