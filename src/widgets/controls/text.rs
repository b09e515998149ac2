//! Text.

use leptos::prelude::*;

use crate::widgets::unique_id;

/// A line of text.
#[component]
pub fn TextField(
    /// What is written.
    #[prop(into)]
    label: Signal<String>,
    /// The text now.
    #[prop(into)]
    value: Signal<String>,
    /// Gets the text after every key.
    #[prop(into)]
    on_input: Callback<String>,
    /// What could be written, shown while nothing is.
    #[prop(into, optional)]
    example: MaybeProp<String>,
    /// What is wrong with the text.
    #[prop(into, optional)]
    error: MaybeProp<String>,
) -> impl IntoView {
    let (id, error_id) = (unique_id("text"), unique_id("error"));
    let described_by = error_id.clone();
    view! {
        <div class="field text-field">
            <label class="field-label" for=id.clone()>{label}</label>
            <span class="number-field">
                <input
                    id=id
                    class="input"
                    type="text"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder=move || example.get()
                    aria-invalid=move || error.with(Option::is_some).then_some("true")
                    aria-describedby=move || error.with(Option::is_some).then(|| described_by.clone())
                    prop:value=value
                    on:input=move |event| on_input.run(event_target_value(&event))
                />
                <span id=error_id class="field-error" role="alert">{move || error.get()}</span>
            </span>
        </div>
    }
    .into_any()
}

/// Several lines of text.
#[component]
pub fn TextArea(
    /// What is written.
    #[prop(into)]
    label: Signal<String>,
    /// The text now.
    #[prop(into)]
    value: Signal<String>,
    /// Gets the text after every key.
    #[prop(into)]
    on_input: Callback<String>,
    /// How many lines are seen at once.
    #[prop(default = 4)]
    lines: usize,
    /// What is wrong with the text.
    #[prop(into, optional)]
    error: MaybeProp<String>,
) -> impl IntoView {
    let (id, error_id) = (unique_id("text"), unique_id("error"));
    let described_by = error_id.clone();
    view! {
        <div class="field text-area">
            <label class="field-label" for=id.clone()>{label}</label>
            <textarea
                id=id
                class="input"
                rows=lines.to_string()
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=move || error.with(Option::is_some).then(|| described_by.clone())
                prop:value=value
                on:input=move |event| on_input.run(event_target_value(&event))
            ></textarea>
            <span id=error_id class="field-note-error" role="alert">{move || error.get()}</span>
        </div>
    }
    .into_any()
}
