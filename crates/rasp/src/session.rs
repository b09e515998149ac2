//! Runs a program on an input.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, analyse};
use crate::diagnostic::{Diagnostic, Message, Severity};
use crate::evaluate::{Evaluation, evaluate};
use crate::graph::{Graph, NodeId};
use crate::input::Input;
use crate::library::{NoFiles, Resolver};
use crate::limits::{Budget, Limits};
use crate::machine::{Machine, Shown, Value};
use crate::selector::SelectorMatrix;
use crate::syntax::{Parse, Span, StatementKind, parse};
use crate::trace::{Step, Texts, Trace, locate, trace};
use crate::value::{Atom, Sequence};

/// What a program gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The value of an s-op.
    Sequence(Sequence),
    /// The matrix of a selector.
    Selector(SelectorMatrix),
    /// A single value.
    Atom(Atom),
    /// A list.
    List(Vec<Outcome>),
    /// A dictionary.
    Dictionary(Vec<(Atom, Outcome)>),
    /// A function, by its name.
    Function(String),
    /// The program shows nothing.
    Nothing,
    /// There is no value; the diagnostics say why.
    Error,
}

/// All that there is to know about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The input that the result belongs to: the one given, unless the program sets another.
    pub input: Input,
    /// The value of the last expression statement.
    pub result: Outcome,
    /// The steps that lead to it.
    pub trace: Trace,
    /// The layers and heads that it needs.
    pub analysis: Analysis,
    /// Errors and warnings, those about the text first.
    pub diagnostics: Vec<Diagnostic>,
    /// The values of all expression statements of the program in their order, the last one included.
    pub shown: Vec<ShownValue>,
    /// Names and texts of the files that the program used, the standard library first.
    pub files: Vec<(String, String)>,
}

/// The value that one statement shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownValue {
    /// The expression.
    pub span: Span,
    /// Its value.
    pub value: Outcome,
}

impl Run {
    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Runs programs under some limits, with some files to load.
///
/// ```
/// use rasp::{Input, Outcome, Sequence, Session};
/// let input = Input::parse("hello").unwrap();
/// let run = Session::default().run("selector_width(select(tokens, tokens, ==));", &input);
/// assert_eq!(run.result, Outcome::Sequence(Sequence::Ints(vec![1, 1, 2, 2, 1])));
/// assert_eq!(run.analysis.heads_per_layer, [2]);
/// ```
#[derive(Clone, Copy)]
pub struct Session<'r> {
    limits: Limits,
    files: &'r dyn Resolver,
}

impl Default for Session<'_> {
    fn default() -> Self {
        Self { limits: Limits::default(), files: &NoFiles }
    }
}

impl<'r> Session<'r> {
    /// With these limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With these files for `load`.
    pub fn with_files(self, files: &'r dyn Resolver) -> Self {
        Self { files, ..self }
    }

    /// Runs a program on an input. Always ends; whatever goes wrong is among the diagnostics.
    pub fn run(&self, source: &str, input: &Input) -> Run {
        let Parse { tree, diagnostics } = parse(source);
        let budget = Budget::new(self.limits);
        let mut machine = Machine::new(input.clone(), budget, self.files);
        let has_syntax_errors = !diagnostics.is_empty();
        machine.diagnostics.extend(diagnostics);
        if has_syntax_errors {
            return finish(machine, source, &[], input);
        }
        machine.run_program(&tree.statements);
        let statements: Vec<Span> = tree
            .statements
            .iter()
            .filter(|statement| !matches!(statement.kind, StatementKind::Comment(_)))
            .map(|statement| statement.span)
            .collect();
        finish(machine, source, &statements, input)
    }

    /// Counts the layers and heads of a program without evaluating it: they are the same for every
    /// input. Fails with what is wrong with the program.
    ///
    /// ```
    /// let analysis = rasp::Session::default().analyse("sort(tokens, tokens);").unwrap();
    /// assert_eq!(analysis.heads_per_layer, [2, 1]);
    /// ```
    pub fn analyse(&self, source: &str) -> Result<Analysis, Vec<Diagnostic>> {
        let Parse { tree, diagnostics } = parse(source);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        // Only a program that applies an s-op to an input of its own has anything evaluated here.
        let input = Input::from_text("a").map_err(|message| {
            let nowhere = Span::default();
            vec![Diagnostic::error(nowhere, message)]
        })?;
        let mut machine = Machine::new(input, Budget::new(self.limits), self.files);
        machine.run_program(&tree.statements);
        if !machine.diagnostics.is_empty() {
            return Err(machine.diagnostics);
        }
        let roots = machine.shown.last().map(|shown| roots_of(&shown.value)).unwrap_or_default();
        let order = machine.graph.canonical_order(&roots);
        let step_of = order.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        Ok(analyse(&machine.graph, &roots, &step_of))
    }
}

/// A program that was read and described once, to be evaluated on many inputs.
pub struct Prepared {
    graph: Graph,
    root: NodeId,
    steps: Vec<Step>,
    result: usize,
    names: Vec<(String, usize)>,
    limits: Limits,
}

/// Why a program has no single sequence as its result on whatever input it is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Unprepared {
    /// There is something wrong with the program itself.
    Diagnostics(Vec<Diagnostic>),
    /// It shows nothing.
    NothingShown,
    /// Its result, at this place, is no s-op: a selector, a list, a function, a single value.
    NotASequence(Span),
    /// Its result, at this place, belongs to an input that the program brings itself.
    OwnInput(Span),
}

impl Session<'_> {
    /// Reads a program and describes what its last statement shows, without evaluating it.
    ///
    /// ```
    /// use rasp::{Input, Sequence, Session};
    /// let program = Session::default().prepare("indices + 1;").unwrap();
    /// let input = Input::parse("abc").unwrap();
    /// assert_eq!(program.evaluate(&input), Ok(Sequence::Ints(vec![1, 2, 3])));
    /// ```
    ///
    /// # Errors
    /// When the program is wrong, or its result is not one s-op of the input.
    pub fn prepare(&self, source: &str) -> Result<Prepared, Unprepared> {
        let Parse { tree, diagnostics } = parse(source);
        if !diagnostics.is_empty() {
            return Err(Unprepared::Diagnostics(diagnostics));
        }
        // A token that no program brings, so that an input of its own is recognised.
        let input = Input::of_checked(vec![Atom::text("\u{0}")]);
        let mut machine = Machine::new(input.clone(), Budget::new(self.limits), self.files);
        machine.run_program(&tree.statements);
        if machine.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(Unprepared::Diagnostics(machine.diagnostics));
        }
        let last = machine.shown.last().ok_or(Unprepared::NothingShown)?;
        let root = match &last.value {
            Value::SOp(_) if last.sop_example != input => return Err(Unprepared::OwnInput(last.span)),
            Value::SOp(node) => *node,
            Value::Applied(_) => return Err(Unprepared::OwnInput(last.span)),
            _ => return Err(Unprepared::NotASequence(last.span)),
        };
        let statements: Vec<Span> = tree
            .statements
            .iter()
            .filter(|statement| !matches!(statement.kind, StatementKind::Comment(_)))
            .map(|statement| statement.span)
            .collect();
        let files: Vec<String> = machine.files.iter().map(|(name, _)| name.clone()).collect();
        let texts = Texts { files: &files, statements: &statements, result: last.span };
        let order = machine.graph.canonical_order(&[root]);
        let values = vec![None; order.len()];
        let described = Evaluation { order, values, failure: None, before: None };
        let (trace, step_of) = trace(&machine.graph, &[root], described, &texts);
        let names = named_steps(&machine, &step_of);
        let result = trace.results[0];
        Ok(Prepared { graph: machine.graph, root, steps: trace.steps, result, names, limits: self.limits })
    }
}

impl Prepared {
    /// The steps that lead to the result, operands before those who use them; none has a value yet. A
    /// [`Run`] of the same program has the same steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step that is the result.
    pub fn result(&self) -> usize {
        self.result
    }

    /// The s-ops and selectors that the program named, with their steps.
    pub fn names(&self) -> &[(String, usize)] {
        &self.names
    }

    /// The result on an input.
    ///
    /// # Errors
    /// What is wrong with this input, at the place of the step that failed.
    pub fn evaluate(&self, input: &Input) -> Result<Sequence, Box<Diagnostic>> {
        let evaluation = evaluate(&self.graph, &[self.root], input, &mut Budget::new(self.limits));
        let at = |node: NodeId| {
            let canonical = self.graph.node(node).canonical;
            evaluation.order.iter().position(|candidate| *candidate == canonical)
        };
        if let Some((node, failure)) = &evaluation.failure {
            let span = at(*node).map_or(Span::default(), |step| self.steps[step].span);
            let diagnostic = Diagnostic::error(span, failure.message.clone());
            return Err(Box::new(Diagnostic { position: failure.position, ..diagnostic }));
        }
        let value = at(self.root).and_then(|step| evaluation.values[step].clone());
        value.ok_or_else(|| Box::new(Diagnostic::error(Span::default(), Message::NothingToShow {})))
    }
}

/// Evaluates what the program showed, its last value first and with a trace.
fn finish(mut machine: Machine, source: &str, statements: &[Span], input: &Input) -> Run {
    let files: Vec<String> = machine.files.iter().map(|(name, _)| name.clone()).collect();
    let mut run = Run {
        input: input.clone(),
        result: Outcome::Error,
        trace: Trace::default(),
        analysis: Analysis::default(),
        diagnostics: std::mem::take(&mut machine.diagnostics),
        shown: Vec::new(),
        files: std::mem::take(&mut machine.files),
    };
    let mut shown = std::mem::take(&mut machine.shown);
    let stopped = run.has_errors();
    let last = if stopped { None } else { shown.pop() };
    if let Some(last) = &last {
        result(&mut machine, &mut run, last, statements, &files);
    } else if !stopped {
        run.result = Outcome::Nothing;
        let end = source.trim_end().len();
        run.diagnostics.push(Diagnostic::warning(Span::new(end, end), Message::NothingToShow {}));
    }
    for earlier in &shown {
        let texts = Texts { files: &files, statements, result: earlier.span };
        let roots = roots_of(&earlier.value);
        let (value, failure) = match roots_input(&machine.graph, earlier) {
            Some(input) => {
                let evaluation = evaluate(&machine.graph, &roots, &input, &mut machine.budget);
                let failure = evaluation.failure.clone();
                let (trace, step_of) = trace(&machine.graph, &roots, evaluation, &texts);
                (outcome(&machine, &earlier.value, &trace, &step_of), failure)
            }
            None => {
                let value = outcome(&machine, &earlier.value, &run.trace, &HashMap::new());
                (value, None)
            }
        };
        let is_spent = matches!(&failure, Some((_, found)) if found.message == Message::OutOfFuel {});
        let value = match failure {
            Some((node, failure)) => {
                let diagnostic = located(&machine.graph, node, failure, &texts);
                run.diagnostics.push(diagnostic);
                Outcome::Error
            }
            None => value,
        };
        run.shown.push(ShownValue { span: earlier.span, value });
        if is_spent {
            // Nothing that follows could be evaluated either.
            break;
        }
    }
    if let Some(last) = last {
        run.shown.push(ShownValue { span: last.span, value: run.result.clone() });
    }
    run
}

/// Evaluates the last value that the program showed: result, trace and analysis.
fn result(machine: &mut Machine, run: &mut Run, last: &Shown, statements: &[Span], files: &[String]) {
    let texts = Texts { files, statements, result: last.span };
    let roots = roots_of(&last.value);
    let mut step_of = HashMap::new();
    if let Some(input) = roots_input(&machine.graph, last) {
        let evaluation = evaluate(&machine.graph, &roots, &input, &mut machine.budget);
        let failure = evaluation.failure.clone();
        (run.trace, step_of) = trace(&machine.graph, &roots, evaluation, &texts);
        run.trace.names = named_steps(machine, &step_of);
        run.analysis = analyse(&machine.graph, &roots, &step_of);
        run.input = input;
        if let Some((node, failure)) = failure {
            let diagnostic = located(&machine.graph, node, failure, &texts);
            run.diagnostics.push(diagnostic);
            return;
        }
    }
    run.result = outcome(machine, &last.value, &run.trace, &step_of);
}

fn named_steps(machine: &Machine, step_of: &HashMap<NodeId, usize>) -> Vec<(String, usize)> {
    machine
        .named_nodes()
        .into_iter()
        .filter_map(|(name, node)| {
            let step = step_of.get(&machine.graph.node(node).canonical)?;
            Some((name, *step))
        })
        .collect()
}

fn located(graph: &Graph, node: NodeId, failure: crate::elementwise::Failure, texts: &Texts) -> Diagnostic {
    let diagnostic =
        Diagnostic { position: failure.position, ..Diagnostic::error(texts.result, failure.message) };
    locate(diagnostic, &graph.node(node).place, texts)
}

/// The s-ops and selectors that a value holds.
fn roots_of(value: &Value) -> Vec<NodeId> {
    match value {
        Value::SOp(node) | Value::Selector(node) => vec![*node],
        Value::Applied(applied) => vec![applied.root],
        Value::List(list) => list.items.iter().flat_map(roots_of).collect(),
        Value::Dictionary(dictionary) => {
            dictionary.entries.iter().flat_map(|(_, value)| roots_of(value)).collect()
        }
        Value::Atom(_) | Value::Function(_) | Value::Native(_) => Vec::new(),
    }
}

/// The input that the roots of a value are to be evaluated on; `None` when it has none.
fn roots_input(graph: &Graph, shown: &Shown) -> Option<Input> {
    let first = *roots_of(&shown.value).first()?;
    Some(match &shown.value {
        Value::Applied(applied) => applied.input.clone(),
        _ if graph.node(first).primitive.is_selector() => shown.selector_example.clone(),
        _ => shown.sop_example.clone(),
    })
}

/// A value for those who look at it, with s-ops and selectors taken from a trace.
fn outcome(machine: &Machine, value: &Value, trace: &Trace, step_of: &HashMap<NodeId, usize>) -> Outcome {
    let of_node = |node: NodeId| {
        let step = step_of.get(&machine.graph.node(node).canonical)?;
        match &trace.steps[*step].value {
            Some(sequence) => Some(Outcome::Sequence(sequence.clone())),
            None => trace.selector(*step).map(Outcome::Selector),
        }
    };
    match value {
        Value::Atom(atom) => Outcome::Atom(atom.clone()),
        Value::SOp(node) | Value::Selector(node) => of_node(*node).unwrap_or(Outcome::Error),
        Value::Applied(applied) => of_node(applied.root).unwrap_or(Outcome::Error),
        Value::List(list) => {
            Outcome::List(list.items.iter().map(|item| outcome(machine, item, trace, step_of)).collect())
        }
        Value::Dictionary(dictionary) => Outcome::Dictionary(
            dictionary
                .entries
                .iter()
                .map(|(key, value)| (key.clone(), outcome(machine, value, trace, step_of)))
                .collect(),
        ),
        Value::Function(_) | Value::Native(_) => Outcome::Function(machine.function_name(value)),
    }
}
