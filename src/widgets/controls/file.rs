//! Files that the person brings.

use leptos::ev::{DragEvent, Event};
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{File, FileList};

use crate::widgets::icon::Icon;
use crate::widgets::unique_id;
use crate::widgets::words::use_words;

/// A button that asks for a file, on which a file can be dropped as well.
#[component]
pub fn FileButton(
    /// What is read: "Open a model".
    #[prop(into)]
    label: Signal<String>,
    /// The kinds of files, as in an HTML `accept` attribute: ".json,.safetensors".
    #[prop(into, optional)]
    accept: String,
    /// Gets each file.
    #[prop(into)]
    on_file: Callback<File>,
) -> impl IntoView {
    let words = use_words();
    let id = unique_id("file");
    let input = NodeRef::<Input>::new();
    let is_over = RwSignal::new(false);
    let take = move |files: Option<FileList>| {
        let files = files.into_iter().flat_map(|files| (0..files.length()).filter_map(move |i| files.get(i)));
        files.for_each(|file| on_file.run(file));
    };
    let on_change = move |_: Event| {
        if let Some(input) = input.get_untracked() {
            take(input.files());
            // Choosing the same file again is a change, too.
            input.set_value("");
        }
    };
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        is_over.set(false);
        take(event.data_transfer().and_then(|data| data.files()));
    };
    let on_drag_over = move |event: DragEvent| {
        event.prevent_default();
        is_over.set(true);
    };
    view! {
        <div
            class="file"
            class:file-over=is_over
            on:dragover=on_drag_over
            on:dragleave=move |_| is_over.set(false)
            on:drop=on_drop
        >
            <input
                node_ref=input
                id=id.clone()
                class="visually-hidden file-input"
                type="file"
                accept=accept
                on:change=on_change
            />
            <label class="button" for=id>{Icon::Open.view()} <span>{label}</span></label>
            <span class="file-hint">{move || words.with(|words| words.drop_file.clone())}</span>
        </div>
    }
    .into_any()
}
