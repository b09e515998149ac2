//! One of several.

use leptos::ev::Event;
use leptos::prelude::*;

use crate::widgets::unique_id;

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<T> {
    /// What choosing it means.
    pub value: T,
    /// What it is called.
    pub label: String,
    /// More about it, shown on hover; may be empty.
    pub note: String,
}

impl<T> Choice<T> {
    /// A choice without a note.
    pub fn new(value: T, label: impl Into<String>) -> Choice<T> {
        Choice { value, label: label.into(), note: String::new() }
    }

    /// The same choice with a note.
    pub fn noted(self, note: impl Into<String>) -> Choice<T> {
        Choice { note: note.into(), ..self }
    }
}

/// All choices side by side, one of them chosen: a group of radio buttons.
#[component]
pub fn Segments<T>(
    /// What is chosen.
    #[prop(into)]
    label: Signal<String>,
    /// The choices.
    #[prop(into)]
    options: Signal<Vec<Choice<T>>>,
    /// The chosen one.
    #[prop(into)]
    value: Signal<T>,
    /// Gets the new choice.
    #[prop(into)]
    on_input: Callback<T>,
    /// Whether the label is shown, or only spoken.
    #[prop(optional)]
    label_place: LabelPlace,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let group = unique_id("choice");
    let segments = move || {
        let group = group.clone();
        options
            .get()
            .into_iter()
            .map(move |Choice { value: option, label, note }| {
                let (chosen, given) = (option.clone(), option);
                view! {
                    <label class="segment" title=(!note.is_empty()).then_some(note)>
                        <input
                            type="radio"
                            name=group.clone()
                            prop:checked=move || value.with(|value| *value == chosen)
                            on:input=move |_| on_input.run(given.clone())
                        />
                        <span>{label}</span>
                    </label>
                }
            })
            .collect_view()
    };
    view! {
        <fieldset class="field segments">
            <legend class=label_place.class()>{label}</legend>
            <div class="segments-row">{segments}</div>
        </fieldset>
    }
    .into_any()
}

/// Whether the label of a control is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelPlace {
    /// Beside the control.
    #[default]
    Beside,
    /// Only screen readers say it.
    Spoken,
}

impl LabelPlace {
    fn class(self) -> &'static str {
        match self {
            LabelPlace::Beside => "field-label",
            LabelPlace::Spoken => "visually-hidden",
        }
    }
}

/// A list that opens, one of its entries chosen.
#[component]
pub fn Select<T>(
    /// What is chosen.
    #[prop(into)]
    label: Signal<String>,
    /// The choices.
    #[prop(into)]
    options: Signal<Vec<Choice<T>>>,
    /// The chosen one.
    #[prop(into)]
    value: Signal<T>,
    /// Gets the new choice.
    #[prop(into)]
    on_input: Callback<T>,
    /// Whether the label is shown, or only spoken.
    #[prop(optional)]
    label_place: LabelPlace,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let id = unique_id("select");
    let entries = move || {
        options
            .get()
            .into_iter()
            .enumerate()
            .map(|(i, Choice { value: option, label, note })| {
                view! {
                    <option
                        value=i.to_string()
                        title=(!note.is_empty()).then_some(note)
                        prop:selected=move || value.with(|value| *value == option)
                    >
                        {label}
                    </option>
                }
            })
            .collect_view()
    };
    let on_change = move |event: Event| {
        let chosen = event_target_value(&event).parse().ok();
        let chosen = chosen.and_then(|i: usize| options.with_untracked(|options| options.get(i).cloned()));
        if let Some(Choice { value, .. }) = chosen {
            on_input.run(value);
        }
    };
    view! {
        <div class="field">
            <label class=label_place.class() for=id.clone()>{label}</label>
            // `change` comes after every choice, also where `input` comes before it, as from WebDriver.
            <select id=id class="input select" on:change=on_change>{entries}</select>
        </div>
    }
    .into_any()
}
