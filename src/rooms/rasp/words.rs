//! What a step does, in the names of the program and in the numbers of one position.

use rasp::{Atom, Base, Primitive, Sequence, Trace};

use super::room::Played;
use crate::ground::language::Language;

/// A sentence about what is on show: an explanation, and the numbers that it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// The explanation.
    pub words: String,
    /// The numbers.
    pub numbers: String,
}

/// How many levels of unnamed operands a formula writes out.
const DEPTH: usize = 3;

/// What a step does, in the names of its operands: `tokens == "a"`.
pub fn formula(trace: &Trace, step: usize) -> String {
    written(trace, step, DEPTH)
}

/// What a step is called where it is an operand: its name, or else what it does.
pub fn operand(trace: &Trace, step: usize) -> String {
    part(trace, step, DEPTH)
}

fn written(trace: &Trace, step: usize, depth: usize) -> String {
    let step = &trace.steps[step];
    if depth == 0 {
        return "…".to_owned();
    }
    let plain = |at: usize| match step.operands.get(at) {
        Some(operand) => part(trace, *operand, depth - 1),
        None => "…".to_owned(),
    };
    // An operand of an operator that is itself one stands in parentheses.
    let tight = |at: usize| {
        let text = plain(at);
        let is_operator = step.operands.get(at).is_some_and(|operand| {
            let operand = &trace.steps[*operand];
            operand.name.is_none()
                && matches!(
                    operand.primitive,
                    Primitive::Binary(_)
                        | Primitive::Choose
                        | Primitive::Member(_)
                        | Primitive::SelectorAnd
                        | Primitive::SelectorOr
                )
        });
        if is_operator { format!("({text})") } else { text }
    };
    match &step.primitive {
        Primitive::Base(base) => base_name(*base).to_owned(),
        Primitive::Constant(atom) => atom.to_source(),
        Primitive::Unary(operator) => match operator.symbol() {
            symbol @ ("round" | "indicator") => format!("{symbol}({})", plain(0)),
            "not" => format!("not {}", tight(0)),
            symbol => format!("{symbol}{}", tight(0)),
        },
        Primitive::Mathematics(function) => format!("{}({})", function.name(), plain(0)),
        Primitive::Binary(operator) => format!("{} {} {}", tight(0), operator.symbol(), tight(1)),
        Primitive::Choose => format!("{} if {} else {}", tight(1), tight(0), tight(2)),
        Primitive::Member(items) => format!("{} in {}", tight(0), list(items.iter())),
        Primitive::LookUp(items) => format!("{}[{}]", list(items.iter()), plain(0)),
        Primitive::LookUpKey(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .take(MOST_ITEMS)
                .map(|(key, value)| format!("{}: {}", key.to_source(), value.to_source()))
                .chain((entries.len() > MOST_ITEMS).then(|| "…".to_owned()))
                .collect();
            format!("{{{}}}[{}]", entries.join(", "), plain(0))
        }
        Primitive::Require(_) => format!("require({}, {})", plain(0), plain(1)),
        Primitive::Select(comparison) => {
            format!("select({}, {}, {})", plain(0), plain(1), comparison.symbol())
        }
        Primitive::SelectorAnd => format!("{} and {}", tight(0), tight(1)),
        Primitive::SelectorOr => format!("{} or {}", tight(0), tight(1)),
        Primitive::SelectorNot => format!("not {}", tight(0)),
        Primitive::Aggregate { default } => match default {
            Atom::Int(0) => format!("aggregate({}, {})", plain(0), plain(1)),
            default => format!("aggregate({}, {}, {})", plain(0), plain(1), default.to_source()),
        },
    }
}

fn part(trace: &Trace, step: usize, depth: usize) -> String {
    match &trace.steps[step].name {
        Some(name) => name.clone(),
        None => written(trace, step, depth.max(1)),
    }
}

/// The name that programs usually call it by.
fn base_name(base: Base) -> &'static str {
    match base {
        Base::TokensText | Base::TokensAsIs => "tokens",
        other => other.name(),
    }
}

/// The most items of a list that a formula writes out.
const MOST_ITEMS: usize = 4;

fn list<'a>(items: impl ExactSizeIterator<Item = &'a Atom>) -> String {
    let more = items.len() > MOST_ITEMS;
    let shown: Vec<String> =
        items.take(MOST_ITEMS).map(Atom::to_source).chain(more.then(|| "…".to_owned())).collect();
    format!("[{}]", shown.join(", "))
}

/// A value in a few characters.
pub fn brief(atom: &Atom) -> String {
    match atom {
        Atom::Float(value) => crate::widgets::number::short(*value),
        Atom::Int(value) => value.to_string().replace('-', "−"),
        other => other.to_source(),
    }
}

/// What a step does at a query position, and at a key position of it.
pub fn at_position(
    t: Language,
    played: &Played,
    step: usize,
    (query, key): (usize, Option<usize>),
) -> Sentence {
    let trace = &played.run.trace;
    let this = &trace.steps[step];
    if let Some(sentence) = failure_at(t, played, step, query) {
        return sentence;
    }
    let text = |step: usize, at: usize| text_at(played, step, at);
    let yes_no = |yes: bool| if yes { t.rasp_yes() } else { t.rasp_no() };
    let selected = |step: usize| -> Vec<usize> {
        played.run.selectors[step].as_ref().map(|matrix| matrix.selected(query).collect()).unwrap_or_default()
    };
    let is_selected = |step: usize, key: usize| {
        played.run.selectors[step].as_ref().is_some_and(|matrix| matrix.get(query, key))
    };
    match (&this.primitive, this.operands.as_slice()) {
        (Primitive::Select(comparison), [keys, queries]) => match key {
            Some(key) => Sentence {
                words: t.rasp_asks(query, key),
                numbers: format!(
                    "{} {} {}  {}",
                    text(*keys, key),
                    comparison.symbol(),
                    text(*queries, query),
                    yes_no(is_selected(step, key))
                ),
            },
            None => selects(t, query, &selected(step), played.len()),
        },
        (Primitive::SelectorAnd | Primitive::SelectorOr | Primitive::SelectorNot, operands) => match key {
            Some(key) => {
                let parts: Vec<&str> = operands.iter().map(|it| yes_no(is_selected(*it, key))).collect();
                let before = match this.primitive {
                    Primitive::SelectorAnd => parts.join(" and "),
                    Primitive::SelectorOr => parts.join(" or "),
                    _ => format!("not {}", parts.join("")),
                };
                Sentence {
                    words: t.rasp_pair(query, key),
                    numbers: format!("{before} = {}", yes_no(is_selected(step, key))),
                }
            }
            None => selects(t, query, &selected(step), played.len()),
        },
        (Primitive::Aggregate { default }, [selector, values]) => {
            let keys = selected(*selector);
            let result = text(step, query);
            match keys.as_slice() {
                [] => Sentence { words: t.rasp_fetches_nothing(query), numbers: default.to_source() },
                [key] => Sentence { words: t.rasp_fetches_one(query, *key), numbers: result },
                keys => {
                    let many = keys.len() > MOST_TERMS;
                    let terms: Vec<String> = keys
                        .iter()
                        .take(MOST_TERMS)
                        .map(|key| text(*values, *key))
                        .chain(many.then(|| "…".to_owned()))
                        .collect();
                    Sentence {
                        words: t.rasp_fetches(query, keys.len()),
                        numbers: format!("({}) / {} = {result}", terms.join(" + "), keys.len()),
                    }
                }
            }
        }
        (primitive, operands) => Sentence {
            words: t.rasp_here(query),
            numbers: computed(
                primitive,
                &operands.iter().map(|it| text(*it, query)).collect::<Vec<_>>(),
                &text(step, query),
            ),
        },
    }
}

/// What went wrong, where a step failed at this position.
fn failure_at(t: Language, played: &Played, step: usize, position: usize) -> Option<Sentence> {
    let this = &played.run.trace.steps[step];
    if played.failed_at(step)? != position {
        return None;
    }
    let words = t.rasp_fails(position, played.run.failure.as_ref()?.text(t));
    let numbers = match this.primitive {
        // What is averaged is many values, and what is given was never computed.
        Primitive::Aggregate { .. } | Primitive::Base(_) | Primitive::Require(_) => String::new(),
        _ => {
            let operands: Vec<String> =
                this.operands.iter().map(|operand| text_at(played, *operand, position)).collect();
            computed(&this.primitive, &operands, NO_VALUE)
        }
    };
    Some(Sentence { words, numbers })
}

/// Stands where a value would stand that cannot be computed.
pub const NO_VALUE: &str = "✕";

fn text_at(played: &Played, step: usize, position: usize) -> String {
    played.value(step, position).map_or_else(String::new, |atom| brief(&atom))
}

/// The most terms of an average that are written out.
const MOST_TERMS: usize = 6;

fn selects(t: Language, query: usize, keys: &[usize], positions: usize) -> Sentence {
    const MOST: usize = 12;
    let many = keys.len() > MOST;
    let named: Vec<String> =
        keys.iter().take(MOST).map(usize::to_string).chain(many.then(|| "…".to_owned())).collect();
    Sentence { words: t.rasp_selects(query, keys.len(), positions), numbers: named.join(", ") }
}

/// An elementwise step in numbers: `3 + 1 = 4`.
fn computed(primitive: &Primitive, operands: &[String], result: &str) -> String {
    match (primitive, operands) {
        (Primitive::Binary(operator), [left, right]) => {
            format!("{left} {} {right} = {result}", operator.symbol())
        }
        (Primitive::Unary(operator), [one]) => match operator.symbol() {
            symbol @ ("round" | "indicator") => format!("{symbol}({one}) = {result}"),
            "not" => format!("not {one} = {result}"),
            symbol => format!("{symbol}({one}) = {result}"),
        },
        (Primitive::Mathematics(function), [one]) => format!("{}({one}) = {result}", function.name()),
        (Primitive::Choose, [condition, then, otherwise]) => {
            format!("{then} if {condition} else {otherwise} = {result}")
        }
        (Primitive::Member(items), [one]) => format!("{one} in {} = {result}", list(items.iter())),
        (Primitive::LookUp(_) | Primitive::LookUpKey(_), [one]) => format!("[{one}] = {result}"),
        _ => result.to_owned(),
    }
}

/// What a step has done when it is through.
pub fn at_end(t: Language, played: &Played, step: usize) -> Sentence {
    let this = &played.run.trace.steps[step];
    if let Some(sentence) = played.failed_at(step).and_then(|position| failure_at(t, played, step, position))
    {
        return sentence;
    }
    match &this.primitive {
        primitive if primitive.is_selector() => {
            let count = played.run.selectors[step]
                .as_ref()
                .map_or(0, |matrix| (0..matrix.len()).map(|query| matrix.selected(query).count()).sum());
            Sentence { words: t.rasp_selected(count, played.len()), numbers: String::new() }
        }
        Primitive::Aggregate { .. } => {
            Sentence { words: t.rasp_fetched().to_owned(), numbers: values(this.value.as_ref()) }
        }
        Primitive::Base(_) => {
            Sentence { words: t.rasp_given().to_owned(), numbers: values(this.value.as_ref()) }
        }
        Primitive::Constant(_) => {
            Sentence { words: t.rasp_constant().to_owned(), numbers: values(this.value.as_ref()) }
        }
        _ => Sentence { words: t.rasp_everywhere().to_owned(), numbers: values(this.value.as_ref()) },
    }
}

/// A sequence in one short line.
fn values(sequence: Option<&Sequence>) -> String {
    const MOST: usize = 10;
    let Some(sequence) = sequence else { return String::new() };
    let more = sequence.len() > MOST;
    let shown: Vec<String> =
        sequence.iter().take(MOST).map(|atom| brief(&atom)).chain(more.then(|| "…".to_owned())).collect();
    shown.join(", ")
}

crate::texts! {
    rasp_yes: "yes" | "sim";
    rasp_no: "no" | "não";
    rasp_asks(query: usize, key: usize): "Query {query} asks key {key}:" | "A consulta {query} pergunta à chave {key}:";
    rasp_pair(query: usize, key: usize): "Query {query}, key {key}:" | "Consulta {query}, chave {key}:";
    rasp_selects(query: usize, count: usize, positions: usize): "Query {query} selects {count} of {positions} keys:" | "A consulta {query} seleciona {count} de {positions} chaves:";
    rasp_fetches_nothing(query: usize): "Position {query} selects nothing and gets the default:" | "A posição {query} não seleciona nada e recebe o padrão:";
    rasp_fetches_one(query: usize, key: usize): "Position {query} fetches from key {key}; one value passes through as it is:" | "A posição {query} busca na chave {key}; um só valor passa como está:";
    rasp_fetches(query: usize, count: usize): "Position {query} fetches {count} values, and they are averaged:" | "A posição {query} busca {count} valores, e tira-se a média:";
    rasp_fails(position: usize, why: &str): "The run ends here, at position {position}. {why}" | "A execução termina aqui, na posição {position}. {why}";
    rasp_here(query: usize): "Position {query}:" | "Posição {query}:";
    rasp_selected(count: usize, positions: usize): "Every query has chosen its keys: {count} of {positions} × {positions} cells." | "Cada consulta escolheu suas chaves: {count} de {positions} × {positions} células.";
    rasp_fetched: "Every position has fetched what it selects:" | "Cada posição buscou o que seleciona:";
    rasp_given: "The input gives:" | "A entrada dá:";
    rasp_constant: "The same at every position:" | "O mesmo em cada posição:";
    rasp_everywhere: "Each position for itself:" | "Cada posição por si:";
}
