//! Files that the person brings.

use js_sys::Uint8Array;
use leptos::ev::{DragEvent, Event};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList};

use crate::widgets::icon::Icon;
use crate::widgets::unique_id;
use crate::widgets::words::use_words;

/// A button that asks for files, on which files can be dropped as well.
#[component]
pub fn FilesButton(
    /// What is read: "Open programs".
    #[prop(into)]
    label: Signal<String>,
    /// The kinds of files, as in an HTML `accept` attribute: ".rasp,.txt".
    #[prop(into, optional)]
    accept: String,
    /// Gets the files that came together, at least one.
    #[prop(into)]
    on_files: Callback<Vec<File>>,
) -> impl IntoView {
    file_button(label, accept, Count::Several, on_files)
}

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
    let each = move |files: Vec<File>| files.into_iter().for_each(|file| on_file.run(file));
    file_button(label, accept, Count::One, Callback::new(each))
}

/// A file that has been read.
pub struct Opened {
    /// Its name, with its ending.
    pub name: String,
    /// What it contains.
    pub bytes: Vec<u8>,
}

/// Reads a file. One that has gone in the meantime is not read.
pub fn read_file(file: File, then: impl FnOnce(Opened) + 'static) {
    spawn_local(async move {
        if let Ok(buffer) = JsFuture::from(file.array_buffer()).await {
            then(Opened { name: file.name(), bytes: Uint8Array::new(&buffer).to_vec() });
        }
    });
}

/// How many files are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    One,
    Several,
}

/// The files of a list, in its order.
pub fn files_of(list: Option<FileList>) -> Vec<File> {
    list.into_iter().flat_map(|list| (0..list.length()).filter_map(move |at| list.get(at))).collect()
}

fn file_button(
    label: Signal<String>,
    accept: String,
    count: Count,
    on_files: Callback<Vec<File>>,
) -> AnyView {
    let words = use_words();
    let id = unique_id("file");
    let input = NodeRef::<Input>::new();
    let is_over = RwSignal::new(false);
    let take = move |files: Option<FileList>| {
        let files = files_of(files);
        if !files.is_empty() {
            on_files.run(files);
        }
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
                multiple=count == Count::Several
                on:change=on_change
            />
            <label class="button" for=id>{Icon::Open.view()} <span>{label}</span></label>
            <span class="file-hint">{move || words.with(|words| words.drop_file.clone())}</span>
        </div>
    }
    .into_any()
}
