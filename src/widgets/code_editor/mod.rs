//! A text area for programs: colours, line numbers, marks with their notes, and completion of names.
//!
//! The letters that are seen lie in a picture of the text; a transparent text area over it takes the keys, so that
//! undo, selection, spelling of accents and everything else of typing are the browser's own. Tab indents; after
//! Escape it leaves the editor.

mod still;
mod text;

use std::ops::Range;

use leptos::ev::KeyboardEvent;
use leptos::html::{Div, Textarea};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

pub use self::still::CodeText;
use self::text::{
    Line, Piece, byte_from_utf16, indentation, lines, offers, place, utf16_from_byte, word_before,
};
pub use self::text::{Mark, MarkKind, Tint};
use crate::widgets::unique_id;
use crate::widgets::words::use_words;

/// How a text is coloured, and which names it gives itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Colours of stretches in bytes, in order, without overlap.
    pub tints: Vec<(Range<usize>, Tint)>,
    /// Names to complete.
    pub names: Vec<String>,
}

/// An editor for programs.
#[component]
pub fn CodeEditor(
    /// What is written.
    #[prop(into)]
    label: Signal<String>,
    /// The text now.
    #[prop(into)]
    value: Signal<String>,
    /// Gets the text after every key.
    #[prop(into)]
    on_input: Callback<String>,
    /// Reads a text for its colours and names.
    #[prop(into)]
    read: Callback<String, Reading>,
    /// What stands out in the text now.
    #[prop(into)]
    marks: Signal<Vec<Mark>>,
    /// The names that every text can use.
    #[prop(into)]
    names: Signal<Vec<String>>,
    /// Gets the byte at which the caret was put by a click.
    #[prop(into)]
    on_place: Callback<usize>,
) -> impl IntoView {
    let words = use_words();
    let node = NodeRef::<Textarea>::new();
    let window = NodeRef::<Div>::new();
    let (list_id, help_id) = (unique_id("offers"), unique_id("help"));
    let completion = RwSignal::new(None::<Completion>);
    let leaves = StoredValue::new(false);
    let reading = Memo::new(move |_| read.run(value.get()));
    let shown = Memo::new(move |_| {
        value.with(|text| reading.with(|reading| marks.with(|marks| lines(text, &reading.tints, marks))))
    });
    // A text that comes from elsewhere is put in; one that was typed is there already, and putting it in again
    // would cost the browser's undo.
    Effect::new(move |_| {
        let text = value.get();
        if let Some(area) = node.get()
            && area.value() != text
        {
            area.set_value(&text);
            completion.set(None);
        }
    });

    let caret = move |area: &HtmlTextAreaElement| {
        let at = area.selection_end().ok().flatten().unwrap_or(0) as usize;
        byte_from_utf16(&area.value(), at)
    };
    let offer = move |area: &HtmlTextAreaElement, least: usize| {
        let (text, at) = (area.value(), caret(area));
        let word = word_before(&text, at);
        let is_prose = reading.with_untracked(|reading| {
            let covers = |range: &Range<usize>| range.start < at && at <= range.end;
            reading.tints.iter().any(|(range, tint)| {
                matches!(tint, Tint::Comment | Tint::Text | Tint::Wrong) && covers(range)
            })
        });
        let own = reading.with_untracked(|reading| reading.names.clone());
        let found = names.with_untracked(|names| offers(&text, at, &own, names));
        let has_more = text[at..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
        completion.set((word.len() >= least && !found.is_empty() && !has_more && !is_prose).then(|| {
            let (line, column) = place(&text, word.start);
            // The list lies over the window of the text, which may be scrolled.
            let scroll =
                window.get_untracked().map_or((0, 0), |window| (window.scroll_left(), window.scroll_top()));
            Completion { scroll, line, column, typed: word.len(), offers: found, chosen: None }
        }));
    };
    let accept = move |choice: usize| {
        let Some(Completion { offers, typed, .. }) = completion.get_untracked() else { return };
        completion.set(None);
        if let (Some(area), Some(name)) = (node.get_untracked(), offers.get(choice)) {
            insert(&area, &name[typed..]);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(area) = node.get_untracked() else { return };
        let key = event.key();
        if event.is_composing() || event.meta_key() || event.alt_key() {
            return;
        }
        if event.ctrl_key() {
            if key == " " {
                event.prevent_default();
                offer(&area, 1);
            }
            return;
        }
        if let Some(Completion { offers, chosen, .. }) = completion.get_untracked() {
            let last = offers.len() - 1;
            let choose = |chosen: usize| {
                completion.update(|it| {
                    if let Some(it) = it {
                        it.chosen = Some(chosen);
                    }
                });
            };
            let mut is_ours = true;
            match (key.as_str(), chosen) {
                ("ArrowDown", None) => choose(0),
                ("ArrowDown", Some(at)) => choose(if at == last { 0 } else { at + 1 }),
                ("ArrowUp", None | Some(0)) => choose(last),
                ("ArrowUp", Some(at)) => choose(at - 1),
                // Enter ends the line, as long as nobody has chosen a name.
                ("Enter", Some(at)) => accept(at),
                ("Tab", at) if !event.shift_key() => accept(at.unwrap_or(0)),
                ("Escape", _) => completion.set(None),
                _ => is_ours = false,
            }
            if is_ours {
                event.prevent_default();
                event.stop_propagation();
                return;
            }
            if matches!(key.as_str(), "ArrowLeft" | "ArrowRight" | "Home" | "End" | "Enter") {
                completion.set(None);
            }
        }
        match key.as_str() {
            "Escape" => {
                leaves.set_value(true);
                return;
            }
            "Tab" if !event.shift_key() && !leaves.get_value() => insert(&area, "  "),
            "Enter" if !event.shift_key() => {
                let text = area.value();
                insert(&area, &format!("\n{}", indentation(&text, caret(&area))));
            }
            "Tab" | "Shift" => return,
            _ => {
                leaves.set_value(false);
                return;
            }
        }
        event.prevent_default();
    };
    let on_type = move |_| {
        let Some(area) = node.get_untracked() else { return };
        on_input.run(area.value());
        offer(&area, 2);
    };
    let on_click = move |_| {
        completion.set(None);
        let Some(area) = node.get_untracked() else { return };
        // Who selects does not point.
        if area.selection_start() == area.selection_end() {
            on_place.run(caret(&area));
        }
    };
    let list = {
        let list_id = list_id.clone();
        move || {
            completion.get().map(|Completion { scroll, line, column, typed, offers, chosen }| {
                let items = offers
                    .into_iter()
                    .enumerate()
                    .map(|(at, name)| {
                        let (same, rest) = (name[..typed].to_owned(), name[typed..].to_owned());
                        view! {
                            <li
                                id=format!("{list_id}-{at}")
                                role="option"
                                aria-selected=(chosen == Some(at)).to_string()
                                on:pointerdown=move |event| {
                                    event.prevent_default();
                                    accept(at);
                                }
                            >
                                <b>{same}</b>
                                {rest}
                            </li>
                        }
                    })
                    .collect_view();
                view! {
                    <ul
                        id=list_id.clone()
                        class="code-offers"
                        role="listbox"
                        aria-label=words.with(|words| words.completions.clone())
                        style:--left=format!("{}px", scroll.0)
                        style:--top=format!("{}px", scroll.1)
                        style:--row=line.to_string()
                        style:--column=column.to_string()
                    >
                        {items}
                    </ul>
                }
            })
        }
    };
    let active = {
        let list_id = list_id.clone();
        move || completion.with(|it| Some(format!("{list_id}-{}", it.as_ref()?.chosen?)))
    };
    let controls = move || completion.with(Option::is_some).then(|| list_id.clone());
    view! {
        <div class="code">
            <div node_ref=window class="code-scroll" on:scroll=move |_| completion.set(None)>
                <div class="code-page">
                    <div class="code-paint" aria-hidden="true">
                        {move || shown.get().into_iter().map(line_view).collect_view()}
                    </div>
                    <textarea
                        node_ref=node
                        class="code-area"
                        aria-label=label
                        aria-describedby=help_id.clone()
                        aria-autocomplete="list"
                        aria-controls=controls
                        aria-activedescendant=active
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        wrap="off"
                        on:input=on_type
                        on:keydown=on_key
                        on:click=on_click
                        on:blur=move |_| {
                            completion.set(None);
                            leaves.set_value(false);
                        }
                    ></textarea>
                </div>
            </div>
            {list}
            <p id=help_id class="code-help">{move || words.with(|words| words.code_keys.clone())}</p>
        </div>
    }
    .into_any()
}

/// Names that are offered, and where.
#[derive(Clone, Debug, PartialEq)]
struct Completion {
    /// How far the text is scrolled: to the right, and down.
    scroll: (i32, i32),
    line: usize,
    column: usize,
    /// How many letters are there already.
    typed: usize,
    offers: Vec<String>,
    /// The one that the arrow keys are on.
    chosen: Option<usize>,
}

fn line_view(line: Line) -> impl IntoView {
    let class = match line.mark {
        Some(MarkKind::Error) => "code-line code-line-error",
        Some(MarkKind::Warning) => "code-line code-line-warning",
        Some(MarkKind::Lit) => "code-line code-line-lit",
        None => "code-line",
    };
    let pieces = line.pieces.into_iter().map(piece_view).collect_view();
    let note = (!line.note.is_empty()).then(|| view! { <i class="code-note">{line.note}</i> });
    view! { <div class=class>{pieces}{note}</div> }
}

fn piece_view(piece: Piece) -> impl IntoView {
    let tint = match piece.tint {
        Tint::Plain => "",
        Tint::Word => "code-word",
        Tint::Known => "code-known",
        Tint::Number => "code-number",
        Tint::Text => "code-text",
        Tint::Comment => "code-comment",
        Tint::Wrong => "code-wrong",
    };
    let trouble = match piece.trouble {
        Some(MarkKind::Error) => " code-error",
        Some(MarkKind::Warning) => " code-warning",
        _ => "",
    };
    let lit = if piece.is_lit { " code-lit" } else { "" };
    view! { <span class=format!("{tint}{lit}{trouble}")>{piece.text}</span> }
}

/// Puts text in the place of what is selected, so that the browser can undo it.
fn insert(area: &HtmlTextAreaElement, text: &str) {
    let document: Option<web_sys::HtmlDocument> = document().dyn_into().ok();
    let typed = document.is_some_and(|document| {
        document.exec_command_with_show_ui_and_value("insertText", false, text).unwrap_or(false)
    });
    // A browser without the command can still take the text, only not undo it.
    if !typed && area.set_range_text(text).is_ok() {
        let end = utf16_from_byte(&area.value(), area.value().len());
        let at = area.selection_start().ok().flatten().unwrap_or(0) + text.encode_utf16().count() as u32;
        let _ = area.set_selection_range(at.min(end as u32), at.min(end as u32));
        let _ = web_sys::Event::new_with_event_init_dict("input", &{
            let init = web_sys::EventInit::new();
            init.set_bubbles(true);
            init
        })
        .and_then(|event| area.dispatch_event(&event));
    }
}

/// Puts the caret at a byte of the editor that is inside `root`, and the keyboard there.
pub fn go_to(root: &web_sys::Element, at: usize) {
    let area = root.query_selector(".code-area").ok().flatten();
    if let Some(area) = area.and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok()) {
        let at = utf16_from_byte(&area.value(), at) as u32;
        let _ = area.focus();
        let _ = area.set_selection_range(at, at);
    }
}
