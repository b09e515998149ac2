//! Numbers: sliders with a field, fields, seeds.

use leptos::ev::Event;
use leptos::prelude::*;

use super::button::{Button, Look};
use crate::ground::decimal;
use crate::widgets::icon::Icon;
use crate::widgets::number::{exact, fill, parse};
use crate::widgets::unique_id;
use crate::widgets::words::{Words, use_words};

/// The numbers that a control accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// Between one and the next; 0 for any number.
    pub step: f64,
    /// How a slider spreads them.
    pub curve: Curve,
}

/// How a slider spreads numbers over its track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// Equal differences take equal ways.
    #[default]
    Linear,
    /// Equal ratios take equal ways; for positive numbers.
    Logarithmic,
}

/// Why a text is not accepted as a number.
#[derive(Clone, Debug, PartialEq)]
enum Refusal {
    NotANumber(String),
    OutOfRange(Range),
    NotWhole,
}

impl Range {
    /// Whole numbers.
    pub fn whole(least: i32, most: i32) -> Range {
        Range { least: least.into(), most: most.into(), step: 1.0, curve: Curve::Linear }
    }

    /// Multiples of `step` away from `least`.
    pub const fn stepped(least: f64, most: f64, step: f64) -> Range {
        Range { least, most, step, curve: Curve::Linear }
    }

    /// Any positive numbers from `least` to `most`, spread by their ratios.
    pub const fn logarithmic(least: f64, most: f64) -> Range {
        Range { least, most, step: 0.0, curve: Curve::Logarithmic }
    }

    /// Every finite number.
    pub const fn any() -> Range {
        Range { least: f64::MIN, most: f64::MAX, step: 0.0, curve: Curve::Linear }
    }

    /// Where a number lies on a slider, in 0…1.
    fn share(self, value: f64) -> f64 {
        let share = match self.curve {
            Curve::Linear => (value - self.least) / (self.most - self.least),
            Curve::Logarithmic => (value / self.least).ln() / (self.most / self.least).ln(),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The number at a share of a slider: on a step, or with three digits where there are no steps.
    fn at(self, share: f64) -> f64 {
        let value = match self.curve {
            Curve::Linear => self.least + share * (self.most - self.least),
            Curve::Logarithmic => self.least * (self.most / self.least).powf(share),
        };
        let value = if self.step > 0.0 {
            let steps = ((value - self.least) / self.step).round();
            clean(self.least + steps * self.step)
        } else {
            decimal::parse(&format!("{value:.2e}")).unwrap_or(value)
        };
        value.clamp(self.least, self.most)
    }

    /// The number after `steps` steps of a key, down where negative.
    fn after(self, value: f64, steps: f64) -> f64 {
        if self.step > 0.0 {
            clean(value + steps * self.step).clamp(self.least, self.most)
        } else {
            self.at((self.share(value) + steps / 100.0).clamp(0.0, 1.0))
        }
    }

    fn accept(self, text: &str) -> Result<f64, Refusal> {
        let value = parse(text)
            .filter(|value| value.is_finite())
            .ok_or_else(|| Refusal::NotANumber(text.to_owned()))?;
        if value < self.least || value > self.most {
            return Err(Refusal::OutOfRange(self));
        }
        if self.step == 1.0 && value.fract() != 0.0 {
            return Err(Refusal::NotWhole);
        }
        Ok(value)
    }
}

impl Refusal {
    fn text(&self, words: &Words) -> String {
        match self {
            Refusal::NotANumber(text) => fill(&words.not_a_number, &[("text", text)]),
            Refusal::OutOfRange(range) => {
                fill(&words.out_of_range, &[("least", &exact(range.least)), ("most", &exact(range.most))])
            }
            Refusal::NotWhole => words.not_whole.clone(),
        }
    }
}

/// A slider with its number, which can be typed as well.
#[component]
pub fn Slider(
    /// What is set.
    #[prop(into)]
    label: Signal<String>,
    /// The number now.
    #[prop(into)]
    value: Signal<f64>,
    /// The numbers to choose from.
    #[prop(into)]
    range: Signal<Range>,
    /// Gets every number on the way.
    #[prop(into)]
    on_input: Callback<f64>,
) -> impl IntoView {
    let id = unique_id("slider");
    let words = use_words();
    let share = move || range.get().share(value.get());
    let track = move |of: fn(Track) -> f64| move || of(range.get().track()).to_string();
    let position = move || match range.get().track() {
        Track { is_plain: true, .. } => value.get().to_string(),
        Track { most, .. } => (share() * most).to_string(),
    };
    let slid = move |event: Event| {
        if let Some(position) = decimal::parse(&event_target_value(&event)) {
            let range = range.get_untracked();
            let number = match range.track() {
                Track { is_plain: true, .. } => position.clamp(range.least, range.most),
                Track { most, .. } => range.at(position / most),
            };
            if number != value.get_untracked() {
                on_input.run(number);
            }
        }
    };
    // The browser would move by a thousandth of the track; a key is worth one step.
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let steps = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => 1.0,
            "ArrowLeft" | "ArrowDown" => -1.0,
            "PageUp" => 10.0,
            "PageDown" => -10.0,
            _ => return,
        };
        event.prevent_default();
        let (range, now) = (range.get_untracked(), value.get_untracked());
        let number = range.after(now, steps);
        if number != now {
            on_input.run(number);
        }
    };
    view! {
        <div class="field slider">
            <label class="field-label" for=id.clone()>{label}</label>
            <input
                id=id
                class="slider-track"
                type="range"
                min=track(|track| track.least)
                max=track(|track| track.most)
                step=move || match range.get().track() {
                    Track { is_plain: true, .. } => range.get().step.to_string(),
                    Track { .. } => "any".to_owned(),
                }
                prop:value=position
                aria-valuetext=move || exact(value.get())
                style:--filled=move || format!("{}%", share() * 100.0)
                on:input=slid
                on:keydown=on_key
            />
            <Field
                label=Signal::derive(move || words.with(|words| words.typed_number.clone()))
                value=value
                range=range
                on_input=on_input
                class="slider-number"
            />
        </div>
    }
    .into_any()
}

/// The numbers that the browser's own slider runs through.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Track {
    least: f64,
    most: f64,
    /// Whether they are the control's own numbers, so that whoever sets or reads the slider without looking at
    /// it, such as a screen reader, meets them.
    is_plain: bool,
}

/// The positions of the thumb where a slider does not run through the numbers themselves.
const FINENESS: f64 = 1000.0;

impl Range {
    fn track(self) -> Track {
        if self.step > 0.0 && self.curve == Curve::Linear {
            Track { least: self.least, most: self.most, is_plain: true }
        } else {
            Track { least: 0.0, most: FINENESS, is_plain: false }
        }
    }
}

/// A field for a number.
#[component]
pub fn NumberField(
    /// What is set.
    #[prop(into)]
    label: Signal<String>,
    /// The number now.
    #[prop(into)]
    value: Signal<f64>,
    /// The numbers that are accepted.
    #[prop(into)]
    range: Signal<Range>,
    /// Gets every accepted number while it is typed.
    #[prop(into)]
    on_input: Callback<f64>,
) -> impl IntoView {
    view! {
        <div class="field">
            <span class="field-label" aria-hidden="true">{label}</span>
            <Field label=label value=value range=range on_input=on_input class=""/>
        </div>
    }
    .into_any()
}

/// The seed of a draw, with a button that draws another.
#[component]
pub fn SeedField(
    /// What is drawn.
    #[prop(into)]
    label: Signal<String>,
    /// The seed now.
    #[prop(into)]
    value: Signal<u64>,
    /// Gets the new seed.
    #[prop(into)]
    on_input: Callback<u64>,
) -> impl IntoView {
    /// Seeds up to here are exact as floating-point numbers.
    const MOST: f64 = 9_007_199_254_740_991.0;
    /// Seeds that are drawn stay short enough to be told to somebody.
    const DRAWN: f64 = 10_000.0;
    let words = use_words();
    let number = Signal::derive(move || value.get() as f64);
    let new_seed = Signal::derive(move || words.with(|words| words.new_seed.clone()));
    view! {
        <div class="field seed">
            <span class="field-label" aria-hidden="true">{label}</span>
            <Field
                label=label
                value=number
                range=Range { least: 0.0, most: MOST, step: 1.0, curve: Curve::Linear }
                on_input=move |seed: f64| on_input.run(seed as u64)
                class="slider-number"
            />
            <Button
                label=new_seed
                icon=Icon::Dice
                look=Look::Quiet
                on_press=move |()| {
                    let drawn = (js_sys::Math::random() * DRAWN) as u64;
                    // The same seed again would look like a broken button.
                    on_input.run(if drawn == value.get_untracked() { drawn + 1 } else { drawn });
                }
            />
        </div>
    }
    .into_any()
}

/// The field itself: what is typed is kept while it is wrong, and says why; leaving the field brings back the number.
#[component]
fn Field(
    label: Signal<String>,
    value: Signal<f64>,
    #[prop(into)] range: Signal<Range>,
    #[prop(into)] on_input: Callback<f64>,
    class: &'static str,
) -> impl IntoView {
    let words = use_words();
    let typed = RwSignal::new(None::<String>);
    let refusal = Memo::new(move |_| {
        typed.with(|text| text.as_deref().and_then(|text| range.get().accept(text).err()))
    });
    let error_id = unique_id("error");
    let described_by = error_id.clone();
    let shown = move || typed.get().unwrap_or_else(|| exact(value.get()));
    let on_type = move |event: Event| {
        let text = event_target_value(&event);
        let accepted = range.get_untracked().accept(&text);
        typed.set(Some(text));
        if let Ok(number) = accepted
            && number != value.get_untracked()
        {
            on_input.run(number);
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let steps = match event.key().as_str() {
            "ArrowUp" => 1.0,
            "ArrowDown" => -1.0,
            "Escape" | "Enter" => {
                typed.set(None);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        typed.set(None);
        let range = range.get_untracked();
        let now = value.get_untracked();
        let number =
            if range.step > 0.0 { range.after(now, steps) } else { clean(now + steps * unit_of(now)) };
        let number = number.clamp(range.least, range.most);
        if number != now {
            on_input.run(number);
        }
    };
    let limit = move |of: fn(Range) -> f64| {
        move || Some(of(range.get())).filter(|limit| limit.abs() < f64::MAX).map(exact)
    };
    view! {
        <span class="number-field">
            <input
                class=format!("input number {class}")
                type="text"
                inputmode="decimal"
                autocomplete="off"
                role="spinbutton"
                aria-label=label
                aria-valuenow=move || exact(value.get())
                aria-valuemin=limit(|range| range.least)
                aria-valuemax=limit(|range| range.most)
                aria-invalid=move || refusal.with(Option::is_some).then_some("true")
                aria-describedby=move || refusal.with(Option::is_some).then(|| described_by.clone())
                prop:value=shown
                on:input=on_type
                on:keydown=on_key
                on:blur=move |_| typed.set(None)
            />
            <span id=error_id class="field-error" role="alert">
                {move || refusal.with(|refusal| words.with(|words| refusal.as_ref().map(|refusal| refusal.text(words))))}
            </span>
        </span>
    }
}

/// The number without the dust of binary arithmetic: 0.1 + 0.2 is 0.3.
fn clean(value: f64) -> f64 {
    decimal::parse(&format!("{value:.12e}")).unwrap_or(value)
}

/// What an arrow key adds to a number that may be any: one in its second digit.
fn unit_of(value: f64) -> f64 {
    if value == 0.0 { 0.1 } else { 10f64.powf(value.abs().log10().floor() - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_returns_the_number_that_it_shows() {
        let tenths = Range::stepped(-1.0, 1.0, 0.1);
        for range in [Range::whole(1, 8), tenths] {
            let mut value = range.least;
            while value < range.most {
                assert_eq!(range.at(range.share(value)), value);
                value = range.after(value, 1.0);
            }
            assert_eq!(value, range.most);
        }
    }

    #[test]
    fn equal_ratios_take_equal_ways() {
        let range = Range::logarithmic(1e-4, 1.0);
        assert_eq!(range.at(0.5), 0.01);
        assert!((range.share(0.1) - 0.75).abs() < 1e-12);
        assert!(range.after(0.01, 1.0) > 0.01);
    }

    #[test]
    fn what_is_refused_says_why() {
        let range = Range::whole(1, 8);
        assert_eq!(range.accept("3"), Ok(3.0));
        assert_eq!(range.accept("9"), Err(Refusal::OutOfRange(range)));
        assert_eq!(range.accept("2,5"), Err(Refusal::NotWhole));
        assert_eq!(range.accept("nan"), Err(Refusal::NotANumber("nan".to_owned())));
        let text = Refusal::OutOfRange(range).text(&Words::default());
        assert_eq!(text, "It must lie between 1 and 8.");
    }

    #[test]
    fn keys_leave_no_dust() {
        assert_eq!(Range::stepped(0.0, 1.0, 0.1).after(0.2, 1.0), 0.3);
        assert_eq!(unit_of(0.37), 0.01);
    }
}
