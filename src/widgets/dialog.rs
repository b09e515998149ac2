//! A sheet over the page, which has to be closed before one goes on.

use leptos::children::ChildrenFn;
use leptos::html;
use leptos::prelude::*;

use super::controls::{Button, Look};
use super::icon::Icon;
use super::unique_id;
use super::words::use_words;

/// A modal dialog. Its content is made when it opens. Escape and a click beside it close it.
#[component]
pub fn Dialog(
    /// What it is about.
    #[prop(into)]
    title: Signal<String>,
    /// Whether it is open; closing it sets this to false.
    is_open: RwSignal<bool>,
    /// What it shows.
    children: ChildrenFn,
) -> impl IntoView {
    let words = use_words();
    let node = NodeRef::<html::Dialog>::new();
    let heading_id = unique_id("dialog");
    let labelled_by = heading_id.clone();
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if is_open.get() && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !is_open.get() && dialog.open() {
            dialog.close();
        }
    });
    let children = StoredValue::new(children);
    // A click whose target is the dialog itself has missed everything that is in it.
    let on_click = move |event: leptos::ev::MouseEvent| {
        let dialog = node.get_untracked();
        let hit =
            event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
        if let (Some(dialog), Some(hit)) = (dialog, hit)
            && dialog.is_same_node(Some(&hit))
        {
            is_open.set(false);
        }
    };
    view! {
        <dialog
            node_ref=node
            class="dialog"
            aria-labelledby=labelled_by
            on:close=move |_| is_open.set(false)
            on:click=on_click
        >
            <div class="dialog-sheet">
                <header class="dialog-head">
                    <h2 id=heading_id>{title}</h2>
                    <Button
                        label=Signal::derive(move || words.with(|words| words.close.clone()))
                        icon=Icon::Close
                        look=Look::Quiet
                        on_press=move |()| is_open.set(false)
                    />
                </header>
                <div class="dialog-body">
                    <Show when=move || is_open.get()>{move || children.with_value(|children| children())}</Show>
                </div>
            </div>
        </dialog>
    }
    .into_any()
}
