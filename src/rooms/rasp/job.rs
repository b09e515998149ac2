//! Running a RASP program: its result, what each of its primitives did, and what is wrong with it.

use rasp::{
    Analysis, Atom, Diagnostic, Input, Limits, Message, Outcome, SelectorMatrix, Session, Severity,
    ShownValue, Span, Trace,
};
use serde::{Deserialize, Serialize};
use transformer::files::FileError;

use crate::ground::language::Language;
use crate::notices::failures::programs;
use crate::rooms::rasp::choices::{Desk, Files, Piece, with_plain_line_ends};
use crate::rooms::universal::files::Exported;
use crate::work::protocol::Failure;

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Run a program.
    Run(Desk),
    /// Write the trace of a run as a file.
    ExportTrace(Desk),
    /// Read the program, its files and its input from such a file.
    Open(Vec<u8>),
    /// Run a program on many inputs, and compare what it says with the truth.
    Grade(Exam),
}

/// Questions for a program, with the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exam {
    /// The program.
    pub program: String,
    /// What it may say to mean each class.
    pub classes: Vec<Vec<Atom>>,
    /// The inputs; a program that cannot be run on one of them answers nothing there.
    pub sheets: Vec<Sheet>,
}

/// One input with what is asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// The input, as it is written.
    pub input: String,
    /// At which positions of the result something is asked, and the class that is right.
    pub questions: Vec<(usize, u16)>,
}

/// How a program did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graded {
    /// How many questions it answered rightly.
    pub right: usize,
    /// Of how many.
    pub asked: usize,
    /// What it answered to the questions of the first sheet: a class, or something else.
    pub answers: Vec<Option<u16>>,
}

/// The answer to a [`Request`], variant by variant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// A program has been run.
    Ran(Box<Ran>),
    /// The trace has been written.
    Exported(Exported),
    /// A file has been read.
    Opened(Desk),
    /// A program has been examined.
    Graded(Graded),
}

/// What came of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The choices that this belongs to.
    pub desk: Desk,
    /// What is wrong, those about the text first.
    pub complaints: Vec<Complaint>,
    /// Every name that a program can use without giving it, in alphabetical order.
    pub names: Vec<String>,
    /// The run; `None` when there was none, because something is wrong with the program or the input.
    pub run: Option<Run>,
}

/// A run: to its end, or as far as it came.
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
    /// Names and texts of the files that the program loaded.
    pub loaded: Vec<(String, String)>,
    /// Why the trace ends before its last step.
    pub failure: Option<Complaint>,
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
/// When the trace does not fit into a file, or a file is none that can be read.
pub fn answer(request: Request) -> Result<Answer, Failure> {
    match request {
        Request::Run(desk) => Ok(Answer::Ran(Box::new(ran(desk)))),
        Request::ExportTrace(desk) => exported(desk),
        Request::Open(bytes) => opened(&bytes).map(Answer::Opened),
        Request::Grade(exam) => Ok(Answer::Graded(graded(&exam))),
    }
}

fn graded(exam: &Exam) -> Graded {
    let mut graded = Graded { right: 0, asked: 0, answers: Vec::new() };
    for (number, sheet) in exam.sheets.iter().enumerate() {
        let said = answers(exam, sheet);
        graded.asked += said.len();
        graded.right +=
            said.iter().zip(&sheet.questions).filter(|(said, (_, truth))| **said == Some(*truth)).count();
        if number == 0 {
            graded.answers = said;
        }
    }
    graded
}

fn answers(exam: &Exam, sheet: &Sheet) -> Vec<Option<u16>> {
    let result = Input::parse(&sheet.input)
        .ok()
        .map(|input| Session::default().with_limits(LIMITS).run(&exam.program, &input).result);
    let class_of = |position: usize| {
        let Some(Outcome::Sequence(values)) = &result else { return None };
        let value = (position < values.len()).then(|| values.get(position))?;
        let means = |names: &Vec<Atom>| names.iter().any(|name| name.equals(&value));
        exam.classes.iter().position(means).map(|class| class as u16)
    };
    sheet.questions.iter().map(|(position, _)| class_of(*position)).collect()
}

fn run(desk: &Desk, input: &Input) -> rasp::Run {
    Session::default().with_limits(LIMITS).with_files(&desk.files).run(&desk.piece.program, input)
}

fn input_of(desk: &Desk) -> Result<Input, Complaint> {
    let refused = |diagnostic: Diagnostic| Complaint::new(About::Input, &diagnostic);
    let input = Input::parse(&desk.piece.input).map_err(|diagnostic| refused(*diagnostic))?;
    if input.len() > LIMITS.positions {
        let message = Message::InputTooLong { length: input.len().into(), limit: LIMITS.positions.into() };
        return Err(refused(Diagnostic::error(Span::new(0, desk.piece.input.len()), message)));
    }
    Ok(input)
}

fn ran(desk: Desk) -> Ran {
    let names = rasp::library::names();
    match input_of(&desk) {
        Ok(input) => {
            let run = run(&desk, &input);
            let complaints: Vec<Complaint> =
                run.diagnostics.iter().map(|it| Complaint::new(About::Program, it)).collect();
            let run = Run::of(run, &complaints);
            Ran { desk, complaints, names, run }
        }
        Err(complaint) => Ran { desk, complaints: vec![complaint], names, run: None },
    }
}

fn exported(desk: Desk) -> Result<Answer, Failure> {
    match input_of(&desk) {
        Ok(input) => {
            let text = rasp::trace_json(&desk.piece.program, &desk.files, &run(&desk, &input))?;
            let name = "pianola-rasp-trace.json".to_owned();
            Ok(Answer::Exported(Exported { name, bytes: text.into_bytes() }))
        }
        // There is no run to write; its complaints say why.
        Err(_) => Ok(Answer::Ran(Box::new(ran(desk)))),
    }
}

const FORMAT: &str = "pianola-rasp-trace";
const VERSION: u32 = 1;

/// What of a trace is read back.
#[derive(Deserialize)]
struct Saved {
    program: String,
    input: Vec<serde_json::Value>,
    #[serde(default)]
    files: Files,
}

/// What every file of this kind starts with.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: serde_json::Value,
}

fn opened(bytes: &[u8]) -> Result<Desk, Failure> {
    let bad = |error: serde_json::Error| FileError::Json {
        line: error.line(),
        column: error.column(),
        reason: error.to_string(),
    };
    let Head { format, version } = serde_json::from_slice(bytes).map_err(bad)?;
    if format != FORMAT {
        return Err(FileError::Format { found: format, expected: FORMAT.to_owned() }.into());
    }
    if version != VERSION {
        return Err(FileError::Version { found: version.to_string(), known: VERSION }.into());
    }
    let saved: Saved = serde_json::from_slice(bytes).map_err(bad)?;
    let tokens: Vec<Atom> = saved.input.iter().filter_map(atom).collect();
    let input = Input::from_atoms(tokens).map_err(|_| FileError::Missing { name: "input".to_owned() })?;
    let piece = Piece { program: with_plain_line_ends(&saved.program), input: input.to_string() };
    Ok(Desk { piece, files: saved.files })
}

/// A token as JSON writes it.
fn atom(value: &serde_json::Value) -> Option<Atom> {
    use serde_json::Value;
    match value {
        Value::Bool(value) => Some(Atom::Bool(*value)),
        Value::Number(number) => number.as_i64().map(Atom::Int).or_else(|| number.as_f64().map(Atom::Float)),
        Value::String(text) => Some(Atom::Text(text.as_str().into())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl Run {
    /// What there is to see of a run, if anything was computed.
    fn of(run: rasp::Run, complaints: &[Complaint]) -> Option<Run> {
        let failed = run.trace.failed.as_ref();
        let is_worth_a_look = match failed {
            Some(failed) => failed.step > 0 || failed.position.is_some(),
            None => run.result != Outcome::Error,
        };
        if !is_worth_a_look {
            return None;
        }
        // What stops the last statement is the first error: those of earlier statements are found after it.
        let first_error = complaints.iter().find(|complaint| complaint.severity == Severity::Error);
        let failure = failed.and(first_error).cloned();
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
        let rasp::Run { input, result, trace, analysis, shown, files, .. } = run;
        // The first file is the standard library.
        let loaded = files.into_iter().skip(1).collect();
        Some(Run { input, result, shown, trace, selectors, analysis, loaded, failure })
    }
}
