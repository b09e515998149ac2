//! What the model does with a sequence: its answer at every position, the attention of every head, and where it fails.

use leptos::prelude::*;

use super::bridges::spelled;
use super::constructed::{Constructed, ConstructedNote};
use super::room::Room;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::notices::numbers::whole;
use crate::rooms::training::job::{Look as Pictures, Setup};
use crate::widgets::controls::TextField;
use crate::widgets::heatmap::{Axis, AxisLabels, CellSize, Heatmap, Kind, LegendPlace, Matrix};

/// The panel.
#[component]
pub fn ExamplePanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shown = room.with_pictures(|look, setup| spelled(&look.tokens, &setup.tokens));
    let constructed = Constructed::provide(room);
    let error = Signal::derive(move || {
        let run = room.selected.get()?.0;
        run.refusal.with(|error| error.as_ref().map(|error| t.get().training_error(error)))
    });
    view! {
        <section class="panel">
            <h2>{say(t, Language::training_example_title)}</h2>
            <p class="lead">{say(t, Language::training_example_lead)}</p>
            <div class="training-example">
                <TextField
                    label=text_of(t, Language::training_example_label)
                    value=Signal::derive(move || room.look.with(|look| look.example.clone()).unwrap_or_default())
                    example=Signal::derive(move || shown.get())
                    error=error
                    on_input=move |text: String| room.change_look(|look| {
                        look.example = Some(text).filter(|text| !text.trim().is_empty());
                    })
                />
            </div>
            <Answers constructed/>
            <ConstructedNote constructed/>
            <Attention/>
            <Failures/>
        </section>
    }
    .into_any()
}

/// What is said at one position.
#[derive(Debug, Clone, PartialEq)]
struct Answer {
    token: String,
    said: String,
    confidence: f32,
    truth: Option<String>,
    is_asked: bool,
}

fn answers(look: &Pictures, setup: &Setup, classes: &[String]) -> Vec<Answer> {
    let name = |names: &[String], number: u16| names.get(usize::from(number)).cloned().unwrap_or_default();
    look.predictions
        .iter()
        .zip(&look.tokens)
        .zip(&look.asked)
        .map(|((prediction, token), is_asked)| Answer {
            token: name(&setup.tokens, *token),
            said: name(classes, prediction.class),
            confidence: prediction.probabilities.get(usize::from(prediction.class)).copied().unwrap_or(0.0),
            truth: prediction.truth.map(|truth| name(classes, truth)),
            is_asked: *is_asked,
        })
        .collect()
}

fn classes_of(t: Language, setup: &Setup) -> Vec<String> {
    t.training_classes(&setup.config.task, &setup.classes)
}

/// Predictions against the truth, position by position.
#[component]
fn Answers(constructed: Constructed) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let answers = room.with_pictures(move |look, setup| answers(look, setup, &classes_of(t.get(), setup)));
    let row = move |heading: fn(Language) -> &'static str, cell: fn(&Answer, Language) -> AnyView| {
        move || {
            let t = t.get();
            let cells = answers.get().unwrap_or_default();
            let cells = cells.iter().map(|answer| cell(answer, t)).collect_view();
            view! { <tr><th scope="row">{heading(t)}</th>{cells}</tr> }
        }
    };
    let classes = room.with_setup(move |setup| classes_of(t.get(), setup));
    // What a program of RASP says stands where something is asked.
    let built = move || {
        let (answers, classes) = (answers.get()?, classes.get()?);
        let mut said = constructed.answers()?.into_iter();
        let cells = answers.into_iter().map(|answer| {
            let class = answer.is_asked.then(|| said.next().flatten()).flatten();
            let name = class.and_then(|class| classes.get(usize::from(class)).cloned());
            let is_right = name.is_some() && name == answer.truth;
            let is_wrong = answer.is_asked && !is_right;
            let shown = name.unwrap_or_else(|| if answer.is_asked { "?" } else { "·" }.to_owned());
            view! { <td class:is-right=is_right class:is-wrong=is_wrong>{shown}</td> }
        });
        let cells = cells.collect_view();
        Some(view! { <tr><th scope="row">{say(t, Language::training_constructed)}</th>{cells}</tr> })
    };
    let verdict = move || {
        let asked: Vec<Answer> =
            answers.get()?.into_iter().filter(|answer| answer.is_asked && answer.truth.is_some()).collect();
        let right = asked.iter().filter(|answer| answer.truth.as_ref() == Some(&answer.said)).count();
        let t = t.get();
        Some(match asked.len() {
            0 => t.training_nothing_asked().to_owned(),
            total => t.training_right_of(&whole(right, t), &whole(total, t)),
        })
    };
    view! {
        <div class="training-answers" tabindex="0" role="region" aria-label=say(t, Language::training_answers)>
            <table>
                <caption class="visually-hidden">{say(t, Language::training_answers)}</caption>
                <tbody>
                    {row(Language::training_token, |it, _| view! { <td class="is-token">{it.token.clone()}</td> }.into_any())}
                    {row(Language::training_truth, |it, _| view! { <td>{it.truth.clone().unwrap_or_else(|| "·".to_owned())}</td> }.into_any())}
                    {row(Language::training_said, |it, _| {
                        let is_right = it.truth.as_ref() == Some(&it.said);
                        view! {
                            <td
                                class:is-right=it.is_asked && is_right
                                class:is-wrong=it.is_asked && it.truth.is_some() && !is_right
                                class:quiet=!it.is_asked
                            >{it.said.clone()}</td>
                        }.into_any()
                    })}
                    {row(Language::training_confidence, |it, _| view! {
                        <td class="number" class:quiet=!it.is_asked>{format!("{:.0}", 100.0 * it.confidence)}</td>
                    }.into_any())}
                    {built}
                </tbody>
            </table>
        </div>
        <p class="quiet">{verdict}</p>
    }
    .into_any()
}

/// The attention of every head.
#[component]
fn Attention() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shape = room.with_setup(|setup| (setup.config.model.layers, setup.config.model.heads));
    let layers = move || {
        let (layers, heads) = shape.get()?;
        let layers = (0..layers).map(|layer| {
            let maps = (0..heads).map(|head| view! { <AttentionMap layer head/> }).collect_view();
            view! {
                <div class="training-layer">
                    <h3>{move || t.get().layer(layer + 1)}</h3>
                    <div class="matrix-row">{maps}</div>
                </div>
            }
        });
        Some(layers.collect_view())
    };
    view! { <div class="training-attention">{layers}</div> }.into_any()
}

#[component]
fn AttentionMap(layer: usize, head: usize) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let picture = room.with_pictures(move |look, setup| {
        let n = look.attention.length;
        let shares = look.attention.shares.get(layer).and_then(|heads| heads.get(head));
        let numbers: Vec<f64> = shares.into_iter().flatten().map(|share| f64::from(*share)).collect();
        let is_causal = setup.config.task.mask() == transformer::Mask::Causal;
        let matrix = Matrix::new(n, n, numbers).masked(|query, key| is_causal && key > query);
        let names: Vec<String> =
            look.tokens.iter().filter_map(|token| setup.tokens.get(usize::from(*token)).cloned()).collect();
        (matrix, names)
    });
    let axis = move |symbol: &'static str, title: fn(Language) -> &'static str, role: Role| {
        Signal::derive(move || {
            let names = picture.with(|picture| picture.as_ref().map(|it| it.1.clone()).unwrap_or_default());
            Axis::new(symbol, title(t.get())).named(names).in_role(role)
        })
    };
    view! {
        <div class="map training-attention-map">
            <Heatmap
                name=Signal::stored(format!("A[{},{}]", layer + 1, head + 1))
                matrix=Signal::derive(move || picture.with(|picture| picture.as_ref().map(|it| it.0.clone()).unwrap_or_default()))
                kind=Signal::stored(Kind::Probability)
                rows=axis("q", Language::training_queries, Role::Query)
                cols=axis("k", Language::training_keys_axis, Role::Key)
                cell_size=Signal::stored(CellSize { smallest: 5.0, tallest: 340.0, ..CellSize::square(13.0) })
                axis_labels=AxisLabels::Hidden
                legend=if layer + head == 0 { LegendPlace::Below } else { LegendPlace::Elsewhere }
            />
        </div>
    }
    .into_any()
}

/// Held-out sequences on which the model errs; a press takes one as the example.
#[component]
fn Failures() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let found = room.with_pictures(move |look, setup| {
        let failures = look.failures.as_ref()?;
        let classes = classes_of(t.get(), setup);
        let name = |number: u16| classes.get(usize::from(number)).cloned().unwrap_or_default();
        Some(
            failures
                .iter()
                .map(|it| {
                    (spelled(&it.tokens, &setup.tokens), it.position, name(it.truth), name(it.predicted))
                })
                .collect::<Vec<_>>(),
        )
    });
    let list = move || match found.get().flatten() {
        None => view! { <p class="quiet">{say(t, Language::training_failures_later)}</p> }.into_any(),
        Some(failures) if failures.is_empty() => {
            view! { <p class="quiet">{say(t, Language::training_no_failures)}</p> }.into_any()
        }
        Some(failures) => {
            let entries = failures.into_iter().map(|(text, position, truth, predicted)| {
                let chosen = text.clone();
                view! {
                    <li>
                        <button type="button" class="training-failure"
                            on:click=move |_| room.change_look(|look| look.example = Some(chosen.clone()))>
                            {text}
                        </button>
                        <span class="quiet">{move || t.get().training_failure(position, &truth, &predicted)}</span>
                    </li>
                }
            });
            view! { <ul class="training-failures">{entries.collect_view()}</ul> }.into_any()
        }
    };
    view! {
        <h3>{say(t, Language::training_failures_title)}</h3>
        {list}
    }
    .into_any()
}

crate::texts! {
    training_example_title: "On one sequence" | "Em uma sequência";
    training_example_lead: "Write a sequence of your own, or leave the field empty for the first that was held out. What the task adds by itself (^, $) may be left out."
        | "Escreva uma sequência sua, ou deixe o campo vazio para a primeira reservada. O que a tarefa acrescenta sozinha (^, $) pode ser omitido.";
    training_example_label: "Example" | "Exemplo";
    training_answers: "Predictions, position by position" | "Previsões, posição por posição";
    training_token: "token" | "token";
    training_truth: "truth" | "verdade";
    training_said: "predicted" | "previsto";
    training_confidence: "% sure" | "% certo";
    training_nothing_asked: "The task asks nothing of this sequence." | "A tarefa não pergunta nada desta sequência.";
    training_right_of(right: &str, total: &str): "{right} of {total} right" | "{right} de {total} corretas";
    training_queries: "queries" | "consultas";
    training_keys_axis: "keys" | "chaves";
    training_failures_title: "Where it fails" | "Onde falha";
    training_failures_later: "Pause the run to see held-out sequences on which it errs." | "Pause o treino para ver sequências reservadas em que erra.";
    training_no_failures: "No held-out sequence on which it errs." | "Nenhuma sequência reservada em que erre.";
    training_failure(position: usize, truth: &str, predicted: &str):
        "at position {position}: {truth}, but it says {predicted}"
        | "na posição {position}: {truth}, mas diz {predicted}";
}
