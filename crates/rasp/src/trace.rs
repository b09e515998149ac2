//! What a run did: one step for each primitive, shared work once.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Origin};
use crate::evaluate::Evaluation;
use crate::graph::{Graph, NodeId, Place, Primitive};
use crate::input::Input;
use crate::selector::{Rows, SelectorMatrix};
use crate::syntax::Span;
use crate::value::Sequence;

/// The steps that lead to a result, operands before those who use them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The steps. After an error, those before it have their values and the others have none.
    pub steps: Vec<Step>,
    /// The steps that are the result: one, or several when the result is a list.
    pub results: Vec<usize>,
    /// The s-ops and selectors that the program named, with their steps, in order of the names.
    pub names: Vec<(String, usize)>,
    /// The step that failed; it and those after it have no values.
    pub failed: Option<Failed>,
}

/// How far a step came that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// The step.
    pub step: usize,
    /// The position at which it failed; `None` when it failed as a whole.
    pub position: Option<usize>,
    /// Its values at the positions before, where there are any.
    pub before: Option<Sequence>,
}

/// A primitive and what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What it does.
    pub primitive: Primitive,
    /// The steps whose values it takes, in the order that [`Primitive`] states.
    pub operands: Vec<usize>,
    /// The innermost place of the program's own text that led to it.
    pub span: Span,
    /// Other places of the program that describe the same and share this step.
    pub also: Vec<Span>,
    /// Where a library or a loaded file describes it, when that is what does.
    pub origin: Option<Origin>,
    /// The name that the program, or else a library, gave to its value.
    pub name: Option<String>,
    /// The statement of the program, counted from 0, that `span` belongs to.
    pub statement: usize,
    /// The layer at whose end its value is there; the input is layer 0.
    pub layer: usize,
    /// Its value; `None` for a selector (see [`Trace::selector`]) and after an error.
    pub value: Option<Sequence>,
}

impl Trace {
    /// The number of steps that were done: all, or those before the one that failed.
    pub fn done(&self) -> usize {
        self.failed.as_ref().map_or(self.steps.len(), |failed| failed.step)
    }

    /// The matrix of a selector step, or of the selector that an aggregate step uses. It is made on
    /// demand. `None` for other steps, and where the keys and queries were not evaluated.
    pub fn selector(&self, step: usize) -> Option<SelectorMatrix> {
        let wanted = match &self.steps.get(step)?.primitive {
            Primitive::Aggregate { .. } => self.steps[step].operands[0],
            primitive if primitive.is_selector() => step,
            _ => return None,
        };
        Some(self.rows(wanted)?.to_matrix())
    }

    /// The step of the s-op or selector that the program gave this name to last.
    pub fn named(&self, name: &str) -> Option<usize> {
        let at = self.names.binary_search_by(|(candidate, _)| candidate.as_str().cmp(name)).ok()?;
        Some(self.names[at].1)
    }

    /// What a selector step selects. Walks the selectors below it in their order, without recursion.
    fn rows(&self, wanted: usize) -> Option<Rows> {
        let mut needed = vec![false; wanted + 1];
        needed[wanted] = true;
        for at in (0..=wanted).rev() {
            let step = &self.steps[at];
            if needed[at] && !matches!(step.primitive, Primitive::Select(_)) {
                for operand in &step.operands {
                    needed[*operand] = true;
                }
            }
        }
        let mut rows: HashMap<usize, Rows> = HashMap::new();
        for at in (0..=wanted).filter(|at| needed[*at]) {
            let step = &self.steps[at];
            let made = match (&step.primitive, step.operands.as_slice()) {
                (Primitive::Select(comparison), [key, query]) => Rows::compare(
                    self.steps[*key].value.as_ref()?,
                    self.steps[*query].value.as_ref()?,
                    *comparison,
                )
                .ok()?,
                (Primitive::SelectorNot, [selector]) => rows.get(selector)?.not(),
                (Primitive::SelectorAnd, [a, b]) => rows.get(a)?.and(rows.get(b)?),
                (Primitive::SelectorOr, [a, b]) => rows.get(a)?.or(rows.get(b)?),
                _ => return None,
            };
            rows.insert(at, made);
        }
        rows.remove(&wanted)
    }
}

/// What a trace needs to know about the texts that the nodes come from.
pub(crate) struct Texts<'a> {
    /// The name of each loaded file.
    pub(crate) files: &'a [String],
    /// The statements of the program.
    pub(crate) statements: &'a [Span],
    /// The place of the result in the program.
    pub(crate) result: Span,
}

/// The steps of an evaluation, and the step of each canonical node.
pub(crate) fn trace(
    graph: &Graph,
    roots: &[NodeId],
    evaluation: Evaluation,
    texts: &Texts,
) -> (Trace, HashMap<NodeId, usize>) {
    let Evaluation { order, values, failure, before } = evaluation;
    let step_of: HashMap<NodeId, usize> = order.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let canonical_step = |id: &NodeId| step_of[&graph.node(*id).canonical];
    let mut spans: Vec<Option<Span>> = order.iter().map(|id| graph.node(*id).place.span).collect();
    let mut also: Vec<Vec<Span>> = vec![Vec::new(); order.len()];
    for id in graph.written_order(roots) {
        let at = canonical_step(&id);
        if let Some(span) = graph.node(id).place.span {
            match spans[at] {
                Some(first) if first == span || also[at].contains(&span) => {}
                // A long loop describes one step from few places: the list stays short.
                Some(_) => also[at].push(span),
                None => spans[at] = Some(span),
            }
        }
    }
    let steps_of_operands =
        |id: NodeId| -> Vec<usize> { graph.node(id).operands.iter().map(canonical_step).collect() };
    // What a library describes at its top level belongs to the place where the program uses it.
    for at in (0..order.len()).rev() {
        let span = *spans[at].get_or_insert(texts.result);
        for operand in steps_of_operands(order[at]) {
            spans[operand].get_or_insert(span);
        }
    }
    let steps = order
        .iter()
        .zip(values)
        .enumerate()
        .map(|(at, (id, value))| {
            let node = graph.node(*id);
            let span = spans[at].unwrap_or(texts.result);
            Step {
                primitive: node.primitive.clone(),
                operands: steps_of_operands(*id),
                span,
                also: std::mem::take(&mut also[at]),
                origin: origin(&node.place, texts.files),
                name: node.name.as_ref().map(|name| name.text.to_string()),
                statement: statement_at(texts.statements, span),
                layer: node.layer as usize,
                value,
            }
        })
        .collect();
    let failed =
        failure.map(|(id, failure)| Failed { step: step_of[&id], position: failure.position, before });
    let results = roots.iter().map(canonical_step).collect();
    let trace = Trace { steps, results, names: Vec::new(), failed };
    (trace, step_of)
}

/// Puts a diagnostic at the place that a node was described at.
pub(crate) fn locate(diagnostic: Diagnostic, place: &Place, texts: &Texts) -> Diagnostic {
    Diagnostic { span: place.span.unwrap_or(texts.result), origin: origin(place, texts.files), ..diagnostic }
}

fn origin(place: &Place, files: &[String]) -> Option<Origin> {
    place.origin.map(|(file, span)| Origin { file: files.get(file).cloned().unwrap_or_default(), span })
}

fn statement_at(statements: &[Span], span: Span) -> usize {
    statements.partition_point(|statement| statement.start <= span.start).saturating_sub(1)
}

/// The input and the trace that a computed sequence came from.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) input: Input,
    pub(crate) root: NodeId,
}
