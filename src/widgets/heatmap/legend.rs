//! What the colours of a heatmap mean.

use leptos::prelude::*;

use super::data::{Kind, Summary};
use super::state::State;
use crate::drawing::color::Ramp;
use crate::drawing::palette::Palette;
use crate::widgets::number;

#[component]
pub(super) fn Legend(state: State) -> impl IntoView {
    let scope = move || {
        state
            .limit
            .with(|limit| limit.as_ref().map(|limit| limit.scope.clone()))
            .unwrap_or_else(|| state.words.with(|words| words.this_matrix.clone()))
    };
    let total = move || state.matrix.with(|matrix| matrix.values().len());
    let main = move || {
        match state.kind.get() {
        Kind::Probability => view! { <Gradient state=state ramp=|palette| &palette.sequential/> }.into_any(),
        Kind::Signed => view! {
            <Gradient state=state ramp=|palette| &palette.diverging/>
            <span class="heatmap-scope">{scope}</span>
        }
        .into_any(),
        Kind::Selector => view! {
            <Swatch class="swatch-off" text=Signal::derive(move || state.words.with(|words| words.no.clone()))/>
            <Swatch class="swatch-on" text=Signal::derive(move || state.words.with(|words| words.yes.clone()))/>
        }
        .into_any(),
        Kind::ZeroOne => {
            let count = move || {
                let (count, total) = (number::grouped(state.summary.get().non_zeros), number::grouped(total()));
                state.words.with(|words| number::fill(&words.non_zeros, &[("count", &count), ("total", &total)]))
            };
            view! { <Swatch class="swatch-dot" text=Signal::derive(count)/> }.into_any()
        }
    }
    };
    let mark = move |class: &'static str,
                     count: fn(Summary) -> usize,
                     word: fn(&crate::widgets::words::Words) -> &str| {
        let text = Signal::derive(move || state.words.with(|words| word(words).to_owned()));
        view! {
            <Show when=move || { count(state.summary.get()) > 0 }>
                <Swatch class=class text=text/>
            </Show>
        }
    };
    view! {
        <div class="heatmap-legend">
            {main}
            {mark("swatch-masked", |summary| summary.masked, |words| &words.masked)}
            {mark("swatch-nan", |summary| summary.nans, |words| &words.nan)}
            {mark("swatch-infinite", |summary| summary.infinities, |words| &words.infinite)}
        </div>
    }
}

/// A strip of the scale's colours over its ticks, with a marker at the number that is looked at.
#[component]
fn Gradient(state: State, ramp: fn(&Palette) -> &Ramp) -> impl IntoView {
    let background = move || {
        let palette = Palette::current();
        let stops: Vec<String> = (0..=16).map(|i| ramp(&palette).at(f64::from(i) / 16.0).css()).collect();
        format!("linear-gradient(to right, {})", stops.join(", "))
    };
    let ticks = move || {
        let ticks = state.scale.get().ticks();
        // Under a narrow matrix there is room for the ends and the middle only.
        let step = if ticks.len() > 3 { 2 } else { 1 };
        ticks
            .into_iter()
            .step_by(step)
            .map(|tick| view! { <span>{number::short(tick)}</span> })
            .collect_view()
    };
    let marker = move || {
        let value = state.looked_at().and_then(|cell| state.matrix.with(|matrix| matrix.shown(cell)));
        value.filter(|value| value.is_finite()).map(|value| state.scale.get().position(value))
    };
    view! {
        <div class="heatmap-gradient">
            <div class="heatmap-strip" style:background-image=background>
                <Show when=move || marker().is_some()>
                    <i class="heatmap-marker" style:left=move || format!("{}%", marker().unwrap_or(0.0) * 100.0)></i>
                </Show>
            </div>
            <div class="heatmap-ticks">{ticks}</div>
        </div>
    }
}

#[component]
fn Swatch(class: &'static str, text: Signal<String>) -> impl IntoView {
    view! {
        <span class="heatmap-key">
            <i class=format!("swatch {class}")></i>
            {text}
        </span>
    }
}
