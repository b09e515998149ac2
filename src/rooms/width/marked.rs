//! Under the marker: what the target and one random universal transformer of that width make of the same input.

use std::sync::Arc;

use leptos::prelude::*;
use ndarray::Array2;

use super::room::{WidthRoom, draw_of};
use super::runner::WIDEST;
use crate::drawing::palette::Role;
use crate::ground::language::use_language;
use crate::notices::Notices;
use crate::rooms::width::choices::WidthState;
use crate::rooms::width::job::{self, Look};
use crate::widgets::controls::{Button, Choice, Select};
use crate::widgets::heatmap::{Axis, Heatmap, Kind, Matrix, ScaleLimit};
use crate::widgets::number::short;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Packed, Request};

/// The panel.
#[component]
pub fn MarkedPanel() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let client = expect_context::<Client>();
    let notices = expect_context::<Notices>();
    let t = use_language();
    let look = RwSignal::new(None::<Arc<Look>>);
    let wanted = Memo::new(move |_| {
        room.state.with(|state| {
            if state.equations() > WIDEST {
                return None;
            }
            Some((room.cast.get(), draw_of(state, *state.laws.first()?, state.marked_width()?, 0)))
        })
    });
    Effect::new(move |_| {
        let Some((cast, draw)) = wanted.get() else { return };
        client.ask(
            Line::WidthLook,
            Request::Width(Packed::of(&job::Request::Look(cast, draw))),
            move |answer| {
                match answer.map(Answer::width) {
                    Ok(Some(job::Answer::Look(found))) => {
                        // The page may have been left in the meantime.
                        look.try_set(Some(Arc::from(found)));
                    }
                    Ok(_) => {}
                    Err(failure) => notices.failure(failure),
                }
            },
        );
    });
    let matrix = move |of: fn(&Look) -> &Array2<f64>| {
        Signal::derive(move || {
            look.with(|look| look.as_ref().map_or_else(Matrix::default, |look| Matrix::from(of(look))))
        })
    };
    // Both outputs on one scale, so that colours can be compared.
    let limit = Signal::derive(move || {
        look.with(|look| {
            let look = look.as_ref()?;
            let all = look.target_output.iter().chain(&look.universal_output);
            let max = all.fold(0.0, |largest: f64, value| largest.max(value.abs()));
            Some(ScaleLimit { max, scope: t.get().both_outputs().to_owned() })
        })
    });
    let tokens = Signal::derive(move || Axis::new("i", t.get().tokens_axis()).counted_from(1));
    let columns = Signal::derive(|| Axis::new("j", "d").counted_from(1));
    let queries =
        Signal::derive(move || Axis::new("q", t.get().queries_axis()).counted_from(1).in_role(Role::Query));
    let keys = Signal::derive(move || Axis::new("k", t.get().keys_axis()).counted_from(1).in_role(Role::Key));
    let shown = Memo::new(move |_| room.state.with(WidthState::shown_head));
    let attention = move |of: fn(&Look) -> &Vec<Vec<Array2<f64>>>| {
        let (layer, head) = shown.get();
        look.with(|look| {
            let found = look.as_ref().and_then(|look| of(look).get(layer)?.get(head));
            found.map_or_else(Matrix::default, Matrix::from)
        })
    };
    let difference = Signal::derive(move || {
        look.with(|look| {
            let look = look.as_ref().filter(|look| look.target_output.dim() == look.universal_output.dim());
            look.map_or_else(Matrix::default, |look| {
                Matrix::from(&(&look.universal_output - &look.target_output))
            })
        })
    });
    // A power of ten, so that its legend is short and moves only with what matters.
    let decade = Signal::derive(move || {
        let error = look.with(|look| Some(look.as_ref()?.sample.error))?;
        (error > 0.0 && error.is_finite()).then(|| ScaleLimit {
            max: format!("1e{}", error.log10().ceil()).parse().unwrap_or(error),
            scope: t.get().power_of_ten().to_owned(),
        })
    });
    let heads = Signal::derive(move || {
        let class = room.class.get();
        (0..class.layers * class.heads)
            .map(|at| Choice::new(at, format!("A[{},{}]", at / class.heads + 1, at % class.heads + 1)))
            .collect::<Vec<_>>()
    });
    let chosen = Signal::derive(move || {
        let (layer, head) = shown.get();
        layer * room.class.get().heads + head
    });
    let says = move || {
        look.with(|look| {
            let sample = &look.as_ref()?.sample;
            Some(t.get().marked_says(
                sample.width,
                sample.equations,
                sample.rank,
                &short(sample.error),
                &short(sample.condition),
            ))
        })
    };
    view! {
        <section class="panel" hidden=move || wanted.with(Option::is_none)>
            <h2>{move || t.get().marked_title()}</h2>
            <p class="lead" aria-live="polite">{says}</p>
            <div class="choice-row marked-choices">
                <Select
                    label=Signal::derive(move || t.get().marked_attention().to_owned())
                    options=heads
                    value=chosen
                    on_input=move |at| room.change(|state| state.matrix = at)
                />
                <Button
                    label=Signal::derive(move || t.get().marked_play().to_owned())
                    on_press=move |()| {
                        let input = look.with_untracked(|look| look.as_ref().map(|look| look.input.clone()));
                        if let Some(input) = input {
                            room.play_marked(input);
                        }
                    }
                />
            </div>
            <div class="matrix-row">
                <div class="map"><Heatmap name="T(X)" matrix=matrix(|look| &look.target_output) kind=Kind::Signed rows=tokens cols=columns limit=limit/></div>
                <div class="map"><Heatmap name="UT(X, E)" matrix=matrix(|look| &look.universal_output) kind=Kind::Signed rows=tokens cols=columns limit=limit/></div>
                <div class="map"><Heatmap name="UT − T" matrix=difference kind=Kind::Signed rows=tokens cols=columns limit=decade/></div>
                <div class="map"><Heatmap name=Signal::derive(move || t.get().target_attention_name(shown.get().0 + 1, shown.get().1 + 1)) matrix=Signal::derive(move || attention(|look| &look.target_attention)) kind=Kind::Probability rows=queries cols=keys/></div>
                <div class="map"><Heatmap name=Signal::derive(move || t.get().universal_attention_name(shown.get().0 + 1, shown.get().1 + 1)) matrix=Signal::derive(move || attention(|look| &look.universal_attention)) kind=Kind::Probability rows=queries cols=keys/></div>
            </div>
        </section>
    }
}

crate::texts! {
    marked_play: "Play this draw in the main room" | "Tocar este sorteio na sala principal";
    marked_title: "Under the marker" | "Sob o marcador";
    marked_says(m: usize, n: usize, rank: usize, error: &str, condition: &str):
        "m = {m}, where N = {n}: rank {rank}, condition {condition}, largest difference of the outputs {error}. First law, first draw."
        | "m = {m}, onde N = {n}: posto {rank}, condição {condition}, maior diferença das saídas {error}. Primeira lei, primeiro sorteio.";
    power_of_ten: "power of ten" | "potência de dez";
    both_outputs: "both outputs" | "ambas as saídas";
    queries_axis: "queries" | "consultas";
    keys_axis: "keys" | "chaves";
    marked_attention: "Attention" | "Atenção";
    target_attention_name(layer: usize, head: usize): "A[{layer},{head}], target" | "A[{layer},{head}], alvo";
    universal_attention_name(layer: usize, head: usize): "A′[{layer},{head}], universal" | "A′[{layer},{head}], universal";
}
