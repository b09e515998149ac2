//! The field that opens over a cell to change its number.

use leptos::ev::KeyboardEvent;
use leptos::html::{Div, Input};
use leptos::prelude::*;

use super::data::Cell;
use super::state::{Edit, State};
use crate::ground::parts::later;
use crate::widgets::number::{exact, fill, parse};
use crate::widgets::unique_id;

#[component]
pub(super) fn Editor(state: State, stage: NodeRef<Div>) -> impl IntoView {
    move || state.editing.get().map(|cell| later(field(state, stage, cell)))
}

crate::part! { details:
    fn field(state: State, stage: NodeRef<Div>, cell: Cell) -> AnyView {
        view! { <Field state=state stage=stage cell=cell/> }.into_any()
    }
}

#[component]
fn Field(state: State, stage: NodeRef<Div>, cell: Cell) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    input.on_load(|input| {
        let _ = input.focus();
        // After the double click that opened it, which would place a caret and select nothing.
        request_animation_frame(move || input.select());
    });
    let error = RwSignal::new(None::<String>);
    let error_id = unique_id("cell-error");
    let described_by = error_id.clone();
    let initial = exact(state.matrix.with_untracked(|matrix| matrix.value(cell)));
    let label = move || state.words.with(|words| fill(&words.new_value, &[("cell", &state.place(cell))]));
    let accept = move || -> Result<(), String> {
        let text = input.get_untracked().map(|input| input.value()).unwrap_or_default();
        let value = parse(&text).ok_or_else(|| {
            state.words.with_untracked(|words| fill(&words.not_a_number, &[("text", text.trim())]))
        })?;
        state.on_edit.map_or(Ok(()), |on_edit| on_edit.run(Edit { cell, value }))
    };
    let close = move || {
        state.editing.set(None);
        if let Some(stage) = stage.get_untracked() {
            let _ = stage.focus();
        }
        state.hover(Some(cell));
    };
    let on_key = move |event: KeyboardEvent| {
        // The keys of the field are not the keys of the heatmap.
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => match accept() {
                Ok(()) => close(),
                Err(reason) => error.set(Some(reason)),
            },
            "Escape" => close(),
            _ => return,
        }
        event.prevent_default();
    };
    // Leaving the field keeps a good number and drops a bad one, as in a spreadsheet.
    let on_blur = move |_| {
        if state.editing.get_untracked() == Some(cell) {
            let _ = accept();
            state.editing.set(None);
        }
    };
    let place = move || state.layout.with(|layout| (layout.rect(cell), layout.width()));
    /// The narrowest field in which a number can be edited.
    const NARROWEST: f64 = 72.0;
    let width = move || place().0.width.max(NARROWEST);
    let left = move || {
        let (rect, room) = place();
        (rect.center().x - width() / 2.0).min(room - width()).max(0.0)
    };
    view! {
        <div
            class="heatmap-editor"
            style:left=move || format!("{}px", left())
            style:top=move || format!("{}px", place().0.y)
            style:width=move || format!("{}px", width())
            style:min-height=move || format!("{}px", place().0.height)
        >
            <input
                node_ref=input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                aria-label=label
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=move || error.with(Option::is_some).then(|| described_by.clone())
                prop:value=initial
                on:input=move |_| error.set(None)
                on:keydown=on_key
                on:blur=on_blur
                on:click=|event| event.stop_propagation()
                on:dblclick=|event| event.stop_propagation()
            />
            <span id=error_id class="field-error" role="alert">{move || error.get()}</span>
        </div>
    }
}
