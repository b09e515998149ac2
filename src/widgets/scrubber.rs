//! The one scrubber for every animation.

use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;

use super::controls::{Button, Choice, LabelPlace, Look, Segments, Select};
use super::icon::Icon;
use super::number::{fill, short};
use super::words::{Words, use_words};
use crate::drawing::clock::{Clock, next_stop, previous_stop};
use crate::drawing::geometry::svg_number;
use crate::ground::decimal;

/// A size of step: where an animation stops when one steps through it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Granularity {
    /// What one step is: "layer", "primitive", "position".
    pub label: String,
    /// Where steps end, ascending, from the start to the end.
    pub stops: Vec<f64>,
}

/// Play, pause, step forward and back, speed, step size, and a slider with ticks. Space plays and pauses, the arrow keys
/// step, Home and End go to the ends.
#[component]
pub fn Scrubber(
    /// The animation's clock.
    clock: Clock,
    /// What is animated; it names the group of controls.
    #[prop(into)]
    label: Signal<String>,
    /// The sizes of step to choose from; without any, steps are whole.
    #[prop(into, optional)]
    granularities: Signal<Vec<Granularity>>,
    /// The chosen size of step, if the page keeps it.
    #[prop(optional)]
    granularity: Option<RwSignal<usize>>,
    /// Where it stands, in the place of “step 3 of 8”.
    #[prop(into, optional)]
    place: MaybeProp<String>,
    /// What happens at a position, in words: spoken, and shown beside the slider.
    #[prop(into, optional)]
    caption: MaybeProp<String>,
) -> impl IntoView {
    let words = use_words();
    let word = move |of: fn(&Words) -> &String| Signal::derive(move || words.with(|words| of(words).clone()));
    let granularity = granularity.unwrap_or_else(|| RwSignal::new(0));
    let stops = Memo::new(move |_| {
        let chosen = granularities.with(|all| all.get(granularity.get()).map(|chosen| chosen.stops.clone()));
        chosen.filter(|stops| !stops.is_empty()).unwrap_or_else(|| whole_steps(clock.length()))
    });
    let step = move |of: fn(&[f64], f64) -> Option<f64>| {
        let from = clock.destination();
        if let Some(stop) = stops.with_untracked(|stops| of(stops, from)) {
            clock.glide(stop);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let from_slider = event_target_is(&event, "input[type=range]");
        let from_control = event_target_is(&event, "button, select, input:not([type=range])");
        match event.key().as_str() {
            " " if !from_control => clock.toggle(),
            "ArrowRight" | "ArrowUp" if from_slider || !from_control => step(next_stop),
            "ArrowLeft" | "ArrowDown" if from_slider || !from_control => step(previous_stop),
            "Home" if !from_control => clock.seek(0.0),
            "End" if !from_control => clock.seek(f64::MAX),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let play_label = Signal::derive(move || {
        words.with(|words| if clock.is_playing() { words.pause.clone() } else { words.play.clone() })
    });
    let play_icon = Signal::derive(move || Some(if clock.is_playing() { Icon::Pause } else { Icon::Play }));
    let step_text = move || {
        if let Some(place) = place.get() {
            return place;
        }
        let position = clock.position();
        // Stops ascend, and there may be hundreds of thousands.
        let (passed, total) = stops.with(|stops| {
            let first = stops.partition_point(|&stop| stop <= 0.0);
            let passed = stops.partition_point(|&stop| stop <= position + 1e-9);
            (passed.saturating_sub(first), stops.len() - first)
        });
        words.with(|words| {
            fill(&words.step_of, &[("step", &passed.to_string()), ("total", &total.to_string())])
        })
    };
    let value_text = move || match caption.get() {
        Some(caption) => format!("{}: {caption}", step_text()),
        None => step_text(),
    };
    let slid = move |event: Event| {
        if let Some(position) = decimal::parse(&event_target_value(&event)) {
            clock.seek(position);
        }
    };
    let filled = move || {
        let length = clock.length();
        if length > 0.0 { clock.position() / length * 100.0 } else { 0.0 }
    };
    // The path has one unit for a step, and is stretched over the slider.
    let ticks = move || {
        /// More ticks than this are a grey bar.
        const MOST: usize = 400;
        stops.with(|stops| {
            if stops.len() > MOST {
                return String::new();
            }
            stops.iter().map(|&stop| format!("M{} 0v1", svg_number(stop))).collect()
        })
    };
    let ticks_box = move || format!("0 0 {} 1", svg_number(clock.length().max(1e-3)));
    let speeds = Signal::derive(|| {
        SPEEDS.iter().map(|&speed| Choice::new(speed, format!("{}×", short(speed)))).collect()
    });
    let sizes = Signal::derive(move || {
        granularities.with(|all| {
            all.iter().enumerate().map(|(i, one)| Choice::new(i, one.label.clone())).collect::<Vec<_>>()
        })
    });
    view! {
        <div class="scrubber" role="group" aria-label=label on:keydown=on_key>
            <div class="scrubber-buttons">
                <Button
                    label=word(|words| &words.to_start)
                    icon=Icon::ToStart
                    look=Look::Quiet
                    on_press=move |()| clock.seek(0.0)
                />
                <Button
                    label=word(|words| &words.step_back)
                    icon=Icon::StepBack
                    look=Look::Quiet
                    on_press=move |()| step(previous_stop)
                />
                <span class="scrubber-play">
                    <Button label=play_label icon=play_icon look=Look::Quiet on_press=move |()| clock.toggle()/>
                </span>
                <Button
                    label=word(|words| &words.step_forward)
                    icon=Icon::StepForward
                    look=Look::Quiet
                    on_press=move |()| step(next_stop)
                />
                <Button
                    label=word(|words| &words.to_end)
                    icon=Icon::ToEnd
                    look=Look::Quiet
                    on_press=move |()| clock.seek(f64::MAX)
                />
            </div>
            <div class="scrubber-track">
                <svg class="scrubber-ticks" viewBox=ticks_box preserveAspectRatio="none" aria-hidden="true">
                    <path d=ticks></path>
                </svg>
                <input
                    class="slider-track"
                    type="range"
                    min="0"
                    max=move || clock.length().to_string()
                    step="any"
                    aria-label=word(|words| &words.position)
                    aria-valuetext=value_text
                    prop:value=move || clock.position().to_string()
                    style:--filled=move || format!("{}%", filled())
                    on:input=slid
                />
                <span class="scrubber-text">
                    <span class="number">{step_text}</span>
                    <span class="scrubber-caption">{move || caption.get()}</span>
                </span>
            </div>
            <div class="scrubber-options">
                <Select
                    label=word(|words| &words.speed)
                    label_place=LabelPlace::Spoken
                    options=speeds
                    value=clock.speed()
                    on_input=move |speed| clock.speed().set(speed)
                />
                <Show when=move || { granularities.with(Vec::len) > 1 }>
                    <Segments
                        label=word(|words| &words.granularity)
                        label_place=LabelPlace::Spoken
                        options=sizes
                        value=granularity
                        on_input=move |chosen| granularity.set(chosen)
                    />
                </Show>
            </div>
        </div>
    }
    .into_any()
}

/// Steps in a second.
const SPEEDS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

fn whole_steps(length: f64) -> Vec<f64> {
    let mut stops: Vec<f64> = (0..=length.floor().max(0.0) as usize).map(|i| i as f64).collect();
    if length.fract() > 0.0 {
        stops.push(length);
    }
    stops
}

fn event_target_is(event: &KeyboardEvent, selector: &str) -> bool {
    let target =
        event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    target.is_some_and(|target| target.matches(selector).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_steps_reach_the_end() {
        assert_eq!(whole_steps(3.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(whole_steps(1.5), [0.0, 1.0, 1.5]);
        assert_eq!(whole_steps(0.0), [0.0]);
    }
}
