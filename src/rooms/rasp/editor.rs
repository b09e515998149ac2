//! The program, with its colours, what is wrong with it, and what the animation shows of it.

use leptos::html::Div;
use leptos::prelude::*;
use rasp::syntax::{TokenClass, tokens};
use rasp::{Severity, Span};

use super::room::Room;
use crate::ground::language::{Language, use_language};
use crate::rooms::rasp::job::{About, Complaint};
use crate::widgets::code_editor::{CodeEditor, Mark, MarkKind, Reading, Tint, go_to};

/// The editor and the list of complaints below it.
#[component]
pub fn Editor() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let node = NodeRef::<Div>::new();
    let lit = Memo::new(move |_| {
        let step = room.step.get()?;
        room.played.with(|played| {
            let played = played.as_ref()?;
            // The places of a program that ran are not those of the one that is being written.
            let is_same = room.piece.with(|piece| piece.program == played.desk.piece.program);
            let step = &played.run.trace.steps[step];
            is_same.then(|| step.also.iter().chain([&step.span]).copied().collect::<Vec<Span>>())
        })
    });
    let marks = Signal::derive(move || {
        let mut marks: Vec<Mark> = lit
            .get()
            .unwrap_or_default()
            .into_iter()
            .map(|span| Mark { range: span.start..span.end, kind: MarkKind::Lit, note: String::new() })
            .collect();
        marks.extend(room.complaints.with(|complaints| {
            let about = complaints.iter().filter(|complaint| complaint.about == About::Program);
            about.map(|complaint| mark(t.get(), complaint)).collect::<Vec<_>>()
        }));
        marks
    });
    let read = move |text: String| room.names.with(|names| reading(&text, names));
    let on_place = move |at: usize| {
        let step = room.played.with_untracked(|played| {
            let played = played.as_ref()?;
            let is_same = room.piece.with_untracked(|piece| piece.program == played.desk.piece.program);
            is_same.then(|| played.step_at(at)).flatten()
        });
        if let Some(step) = step {
            room.jump(step);
        }
    };
    let complaints = move || {
        let t = t.get();
        room.complaints.with(|complaints| {
            let about = complaints.iter().filter(|complaint| complaint.about == About::Program);
            about
                .map(|complaint| {
                    let line = room.piece.with(|piece| complaint.span.line_and_column(&piece.program).0);
                    let at = complaint.span.start;
                    let go = move |_| {
                        if let Some(node) = node.get_untracked() {
                            go_to(&node, at);
                        }
                    };
                    let is_error = complaint.severity == Severity::Error;
                    view! {
                        <li class:is-warning=!is_error>
                            <button type="button" class="rasp-line" on:click=go>{t.rasp_line(line)}</button>
                            <span>{said(t, complaint)}</span>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <div node_ref=node class="rasp-editor">
            <CodeEditor
                label=Signal::derive(move || t.get().rasp_program().to_owned())
                value=Signal::derive(move || room.piece.with(|piece| piece.program.clone()))
                on_input=move |program| room.change(|desk| desk.piece.program = program)
                read=Callback::new(read)
                marks
                names=room.names
                on_place
            />
            <div class="rasp-complaints" role="status" aria-label=move || t.get().rasp_complaints()>
                <Show when=move || !room.complaints.with(|all| all.iter().all(|one| one.about != About::Program))>
                    <ul>{complaints}</ul>
                </Show>
            </div>
        </div>
    }
    .into_any()
}

/// What is wrong, with its place.
pub fn said(t: Language, complaint: &Complaint) -> String {
    let mut text = complaint.text(t).to_owned();
    if let Some(position) = complaint.position {
        text = format!("{text} {}", t.rasp_at_position(position));
    }
    if let Some(file) = &complaint.file {
        text = format!("{text} {}", t.rasp_in_file(file));
    }
    text
}

fn mark(t: Language, complaint: &Complaint) -> Mark {
    let kind = match complaint.severity {
        Severity::Error => MarkKind::Error,
        Severity::Warning => MarkKind::Warning,
    };
    Mark { range: complaint.span.start..complaint.span.end, kind, note: said(t, complaint) }
}

/// Reads a program for its colours and names; `known` are the names of the language, in order.
pub fn reading(text: &str, known: &[String]) -> Reading {
    let mut reading = Reading::default();
    for token in tokens(text) {
        let word = token.span.text(text);
        let is_known = || known.binary_search_by(|name| name.as_str().cmp(word)).is_ok();
        let tint = match token.class {
            TokenClass::Word => Tint::Word,
            TokenClass::Name if is_known() => Tint::Known,
            TokenClass::Integer | TokenClass::Float => Tint::Number,
            TokenClass::Text => Tint::Text,
            TokenClass::Comment => Tint::Comment,
            TokenClass::UnfinishedText | TokenClass::Unknown => Tint::Wrong,
            TokenClass::Name => {
                if !reading.names.iter().any(|name| name == word) {
                    reading.names.push(word.to_owned());
                }
                continue;
            }
            TokenClass::Mark | TokenClass::End => continue,
        };
        reading.tints.push((token.span.start..token.span.end, tint));
    }
    reading
}

crate::texts! {
    rasp_program: "Program" | "Programa";
    rasp_complaints: "Problems" | "Problemas";
    rasp_line(line: usize): "line {line}" | "linha {line}";
    rasp_at_position(position: usize): "(At position {position}.)" | "(Na posição {position}.)";
    rasp_in_file(file: &str): "(In {file}.)" | "(Em {file}.)";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_read_for_its_colours_and_names() {
        let known = ["select".to_owned(), "tokens".to_owned()];
        let text = "same = select(tokens, 'a'); # it\nsame + 1;";
        let reading = reading(text, &known);
        assert_eq!(reading.names, ["same"]);
        let tints: Vec<(&str, Tint)> =
            reading.tints.iter().map(|(range, tint)| (&text[range.clone()], *tint)).collect();
        assert_eq!(
            tints,
            [
                ("select", Tint::Known),
                ("tokens", Tint::Known),
                ("'a'", Tint::Wrong),
                ("# it", Tint::Comment),
                ("1", Tint::Number)
            ]
        );
    }
}
