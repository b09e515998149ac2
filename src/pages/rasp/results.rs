//! What a program gives: its result as it would be written, and the values of its names at every position.

use leptos::prelude::*;
use rasp::{Outcome, SelectorMatrix, Sequence};

use super::room::{Played, Room};
use super::words::brief;
use crate::language::use_language;

/// The most positions that the table has.
const MOST_POSITIONS: usize = 200;

/// The most rows of a selector that are written out.
const MOST_QUERIES: usize = 60;

/// The result, and the table of all named values.
#[component]
pub fn Results() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let result = move || {
        room.played.with(|played| {
            let played = played.as_ref()?;
            let last = played.run.shown.last()?;
            let source = last.span.text(&played.piece.program).to_owned();
            Some(view! {
                <code>{source}</code>
                " = "
                <output class="rasp-value">{literal(&played.run.result)}</output>
            })
        })
    };
    let table = move || {
        room.played.with(|played| {
            let played = played.as_ref()?;
            Some(view! { <ValueTable rows=rows(played, t.get().rasp_input(), t.get().rasp_results()) positions=played.len()/> })
        })
    };
    let is_stale = Memo::new(move |_| {
        room.played.with(|played| {
            played.as_ref().is_some_and(|played| room.piece.with(|piece| *piece != played.piece))
        }) && room.has_errors()
    });
    view! {
        <section class="rasp-results" class:is-stale=is_stale aria-label=move || t.get().rasp_result()>
            <h2>{move || t.get().rasp_result()}</h2>
            <p class="rasp-literal">{result}</p>
            <Show when=move || is_stale.get()>
                <p class="rasp-stale">{move || t.get().rasp_stale()}</p>
            </Show>
            {table}
        </section>
    }
    .into_any()
}

/// A row of the table.
struct Row {
    title: String,
    step: Option<usize>,
    values: Vec<String>,
    is_result: bool,
}

#[component]
fn ValueTable(rows: Vec<Row>, positions: usize) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shown = positions.min(MOST_POSITIONS);
    let head = (0..shown).map(|position| view! { <th scope="col">{position}</th> }).collect_view();
    let body = rows
        .into_iter()
        .map(|Row { title, step, values, is_result }| {
            let name = match step {
                Some(step) => view! {
                    <button type="button" class="rasp-row-name" on:click=move |_| room.jump(step)>{title}</button>
                }
                .into_any(),
                None => view! { {title} }.into_any(),
            };
            let is_on_show = move || step.is_some() && room.step.get() == step;
            view! {
                <tr class:is-result=is_result class:is-lit=is_on_show>
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
        {(positions > shown).then(|| view! {
            <p class="quiet">{move || t.get().rasp_first_positions(shown, positions)}</p>
        })}
    }
    .into_any()
}

fn rows(played: &Played, input: &str, result_word: &str) -> Vec<Row> {
    let trace = &played.run.trace;
    let written = |values: &Sequence| values.iter().take(MOST_POSITIONS).map(|atom| brief(&atom)).collect();
    let tokens = played.run.input.tokens().iter().take(MOST_POSITIONS).map(brief).collect();
    let mut rows = vec![Row { title: input.to_owned(), step: None, values: tokens, is_result: false }];
    let mut named: Vec<(&String, usize)> = trace.names.iter().map(|(name, step)| (name, *step)).collect();
    named.sort_by_key(|(_, step)| *step);
    let result = trace.results.as_slice();
    for (name, step) in named.into_iter().filter(|(_, step)| result != [*step]) {
        if let Some(values) = &trace.steps[step].value {
            rows.push(Row {
                title: name.clone(),
                step: Some(step),
                values: written(values),
                is_result: false,
            });
        }
    }
    if let (Outcome::Sequence(values), [step]) = (&played.run.result, result) {
        let title = trace.steps[*step].name.clone().unwrap_or_else(|| result_word.to_owned());
        rows.push(Row { title, step: Some(*step), values: written(values), is_result: true });
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
    rasp_first_positions(shown: usize, total: usize): "The first {shown} of {total} positions. “Export trace” holds all." | "As primeiras {shown} de {total} posições. “Exportar rastro” contém todas.";
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
