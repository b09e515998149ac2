//! Buttons and switches.

use leptos::prelude::*;

use crate::widgets::icon::Icon;

/// How much a button stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// A framed button.
    #[default]
    Plain,
    /// The one thing to do.
    Strong,
    /// No frame until it is pointed at; only its icon is shown, its label is spoken and shown on hover.
    Quiet,
}

/// A button.
#[component]
pub fn Button(
    /// What it does.
    #[prop(into)]
    label: Signal<String>,
    /// Its picture.
    #[prop(into, optional)]
    icon: MaybeProp<Icon>,
    /// How much it stands out.
    #[prop(optional)]
    look: Look,
    /// Why it cannot be pressed now; it then stays focusable and says why.
    #[prop(into, optional)]
    refusal: MaybeProp<String>,
    /// Called when it is pressed.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    let class = match look {
        Look::Plain => "button",
        Look::Strong => "button button-strong",
        Look::Quiet => "button button-quiet",
    };
    let is_refused = move || refusal.with(Option::is_some);
    let title = move || refusal.get().or_else(|| (look == Look::Quiet).then(|| label.get()));
    view! {
        <button
            type="button"
            class=class
            title=title
            aria-label=move || (look == Look::Quiet).then(|| label.get())
            aria-disabled=move || is_refused().then_some("true")
            on:click=move |_| {
                if !untrack(is_refused) {
                    on_press.run(());
                }
            }
        >
            {move || icon.get().map(Icon::view)}
            {(look != Look::Quiet).then(|| view! { <span>{label}</span> })}
        </button>
    }
    .into_any()
}

/// A switch between on and off.
#[component]
pub fn Toggle(
    /// What is switched.
    #[prop(into)]
    label: Signal<String>,
    /// Whether it is on.
    #[prop(into)]
    value: Signal<bool>,
    /// Gets the new state.
    #[prop(into)]
    on_input: Callback<bool>,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="toggle"
            role="switch"
            aria-label=label
            aria-checked=move || if value.get() { "true" } else { "false" }
            on:click=move |_| on_input.run(!value.get_untracked())
        >
            <i class="toggle-track"></i>
            <span>{label}</span>
        </button>
    }
    .into_any()
}
