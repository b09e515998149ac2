//! What a program gives: its result as it would be written, and the values of its names at every position.

use std::ops::Range;

use leptos::prelude::*;
use rasp::{Outcome, SelectorMatrix};

use super::room::{Played, Room};
use super::words::{NO_VALUE, brief};
use crate::ground::language::use_language;
use crate::widgets::controls::{Button, Look};
use crate::widgets::icon::Icon;

/// The most positions of one page of the table.
const PAGE: usize = 100;

/// The most rows of a selector that are written out.
const MOST_QUERIES: usize = 60;

/// A result with more letters may be longer than its place.
const MOST_LETTERS: usize = 150;

/// The result, and the table of all named values.
#[component]
pub fn Results() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let written = Memo::new(move |_| {
        room.played
            .with(|played| played.as_ref().map(|played| literal(&played.run.result)).unwrap_or_default())
    });
    let result = move || {
        room.played.with(|played| {
            let played = played.as_ref()?;
            let last = played.run.shown.last()?;
            let source = last.span.text(&played.desk.piece.program).to_owned();
            let value = match &played.run.failure {
                Some(failure) => {
                    let why = super::editor::said(t.get(), failure);
                    view! { <span class="rasp-no-value">{t.get().rasp_no_result(&why)}</span> }.into_any()
                }
                None => view! { <output class="rasp-value">{written.get()}</output> }.into_any(),
            };
            Some(view! {
                <code>{source}</code>
                " = "
                {value}
            })
        })
    };
    let page = RwSignal::new(0);
    let positions =
        Memo::new(move |_| room.played.with(|played| played.as_ref().map_or(0, |played| played.len())));
    let stretch = Memo::new(move |_| {
        let last = positions.get().saturating_sub(1) / PAGE;
        let start = page.get().min(last) * PAGE;
        start..(start + PAGE).min(positions.get())
    });
    let table = move || {
        room.played.with(|played| {
            let played = played.as_ref()?;
            let stretch = stretch.get();
            let rows = rows(played, &stretch, [t.get().rasp_input(), t.get().rasp_results()]);
            Some(view! { <ValueTable rows stretch/> })
        })
    };
    let is_stale = Memo::new(move |_| {
        room.played
            .with(|played| played.as_ref().is_some_and(|played| room.desk.with(|desk| *desk != played.desk)))
            && room.has_errors()
    });
    view! {
        <section class="rasp-results" class:is-stale=is_stale aria-label=move || t.get().rasp_result()>
            <h2>{move || t.get().rasp_result()}</h2>
            // What is long scrolls, also by the keyboard.
            <p class="rasp-literal" tabindex=move || { (written.with(String::len) > MOST_LETTERS).then_some("0") }>
                {result}
            </p>
            <Show when=move || is_stale.get()>
                <p class="rasp-stale">{move || t.get().rasp_stale()}</p>
            </Show>
            {table}
            <Show when=move || { positions.get() > PAGE }>
                <Pager page positions stretch/>
            </Show>
        </section>
    }
    .into_any()
}

/// A row of the table.
struct Row {
    title: String,
    step: Option<usize>,
    values: Vec<String>,
    kind: RowKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Plain,
    Result,
    /// It ends where the run failed.
    Failed,
}

#[component]
fn ValueTable(rows: Vec<Row>, stretch: Range<usize>) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let head = stretch.map(|position| view! { <th scope="col">{position}</th> }).collect_view();
    let body = rows
        .into_iter()
        .map(|Row { title, step, values, kind }| {
            let name = match step {
                Some(step) => view! {
                    <button type="button" class="rasp-row-name" on:click=move |_| room.jump(step)>{title}</button>
                }
                .into_any(),
                None => view! { {title} }.into_any(),
            };
            let is_on_show = move || step.is_some() && room.step.get() == step;
            view! {
                <tr class:is-result=kind == RowKind::Result class:is-failed=kind == RowKind::Failed class:is-lit=is_on_show>
                    <th scope="row">{name}</th>
                    {values.into_iter().map(|value| view! { <td>{value}</td> }).collect_view()}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll rasp-values" tabindex="0" role="region" aria-label=move || t.get().rasp_values_table()>
            <table>
                <caption class="visually-hidden">{move || t.get().rasp_values_table()}</caption>
                <thead><tr><td>{move || t.get().rasp_position()}</td>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Turns the pages of the table.
#[component]
fn Pager(page: RwSignal<usize>, positions: Memo<usize>, stretch: Memo<Range<usize>>) -> impl IntoView {
    let t = use_language();
    let now = move || stretch.get_untracked().start / PAGE;
    let refusal = move |is_there: bool| (!is_there).then(|| t.get().rasp_no_more_positions().to_owned());
    view! {
        <div class="rasp-pager" role="group" aria-label=move || t.get().rasp_pages()>
            <Button
                label=Signal::derive(move || t.get().rasp_earlier_positions().to_owned())
                icon=Icon::Left
                look=Look::Quiet
                refusal=Signal::derive(move || refusal(stretch.get().start > 0))
                on_press=move |()| page.set(now().saturating_sub(1))
            />
            <span aria-live="polite">{move || {
                let stretch = stretch.get();
                t.get().rasp_stretch(stretch.start, stretch.end.saturating_sub(1), positions.get())
            }}</span>
            <Button
                label=Signal::derive(move || t.get().rasp_later_positions().to_owned())
                icon=Icon::Right
                look=Look::Quiet
                refusal=Signal::derive(move || refusal(stretch.get().end < positions.get()))
                on_press=move |()| page.set(now() + 1)
            />
        </div>
    }
    .into_any()
}

fn rows(played: &Played, stretch: &Range<usize>, [input, result_word]: [&str; 2]) -> Vec<Row> {
    let trace = &played.run.trace;
    let written = |step: usize| {
        let at = |position: usize| match played.value(step, position) {
            Some(atom) => brief(&atom),
            None if played.failed_at(step) == Some(position) => NO_VALUE.to_owned(),
            None => String::new(),
        };
        stretch.clone().map(at).collect()
    };
    let tokens = played.run.input.tokens()[stretch.clone()].iter().map(brief).collect();
    let mut rows = vec![Row { title: input.to_owned(), step: None, values: tokens, kind: RowKind::Plain }];
    let mut named: Vec<(&String, usize)> = trace.names.iter().map(|(name, step)| (name, *step)).collect();
    named.sort_by_key(|(_, step)| *step);
    let result = trace.results.as_slice();
    let failed = played.failed().map(|failed| failed.step);
    let row = |title: String, step: usize, kind: RowKind| Row {
        title,
        step: Some(step),
        values: written(step),
        kind,
    };
    for (name, step) in named {
        let is_shown_below = result == [step] || failed == Some(step);
        if trace.steps[step].value.is_some() && !is_shown_below {
            rows.push(row(name.clone(), step, RowKind::Plain));
        }
    }
    if let Some(step) = failed.filter(|step| played.failed_at(*step).is_some()) {
        rows.push(row(played.title(step), step, RowKind::Failed));
    }
    if let (Outcome::Sequence(_), [step]) = (&played.run.result, result) {
        let title = trace.steps[*step].name.clone().unwrap_or_else(|| result_word.to_owned());
        rows.push(row(title, *step, RowKind::Result));
    }
    rows
}

/// A value as it would be written in a program; a selector row by row.
pub fn literal(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Sequence(sequence) => sequence.to_string(),
        Outcome::Selector(matrix) => matrix_text(matrix),
        Outcome::Atom(atom) => atom.to_source(),
        Outcome::List(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Outcome::Dictionary(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key.to_source(), literal(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        Outcome::Function(name) => name.clone(),
        Outcome::Nothing | Outcome::Error => String::new(),
    }
}

fn matrix_text(matrix: &SelectorMatrix) -> String {
    let rows = (0..matrix.len().min(MOST_QUERIES)).map(|query| {
        let bits: Vec<&str> =
            (0..matrix.len()).map(|key| if matrix.get(query, key) { "1" } else { "0" }).collect();
        format!("[{}]", bits.join(", "))
    });
    let more = (matrix.len() > MOST_QUERIES).then(|| "…".to_owned());
    format!("[{}]", rows.chain(more).collect::<Vec<_>>().join(",\n "))
}

crate::texts! {
    rasp_result: "Result" | "Resultado";
    rasp_input: "Input" | "Entrada";
    rasp_position: "position" | "posição";
    rasp_values_table: "Values at every position" | "Valores em cada posição";
    rasp_no_result(why: &str): "no result. {why}" | "sem resultado. {why}";
    rasp_pages: "Pages of the table" | "Páginas da tabela";
    rasp_stretch(first: usize, last: usize, total: usize): "positions {first} to {last} of {total}" | "posições {first} a {last} de {total}";
    rasp_earlier_positions: "Earlier positions" | "Posições anteriores";
    rasp_later_positions: "Later positions" | "Posições seguintes";
    rasp_no_more_positions: "There are no more." | "Não há mais.";
    rasp_stale: "This belongs to the last program that ran." | "Isto pertence ao último programa que rodou.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasp::{Input, Session};

    #[test]
    fn results_are_written_as_in_a_program() {
        for (program, text) in [
            ("tokens;", "[\"a\", \"b\"]"),
            ("indices / 2;", "[0.0, 0.5]"),
            ("select(indices, indices, <=);", "[[1, 0],\n [1, 1]]"),
            ("[1, \"x\"];", "[1, \"x\"]"),
            ("{\"k\": 2};", "{\"k\": 2}"),
        ] {
            let run = Session::default().run(program, &Input::parse("ab").expect("an input"));
            assert_eq!(literal(&run.result), text);
        }
    }
}
