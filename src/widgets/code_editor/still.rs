//! A program that is only read: the editor's colours and line numbers, and the marked line in view.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::text::{Mark, lines};
use super::{Reading, line_view};

/// A text in the editor's colours. The first marked line scrolls into view inside of the frame; the page stays where
/// it is.
#[component]
pub fn CodeText(
    /// What it is.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    value: Signal<String>,
    /// Reads a text for its colours.
    #[prop(into)]
    read: Callback<String, Reading>,
    /// What stands out in the text now.
    #[prop(into)]
    marks: Signal<Vec<Mark>>,
) -> impl IntoView {
    let window = NodeRef::<Div>::new();
    let reading = Memo::new(move |_| read.run(value.get()));
    let shown = Memo::new(move |_| {
        value.with(|text| reading.with(|reading| marks.with(|marks| lines(text, &reading.tints, marks))))
    });
    Effect::new(move |_| {
        let marked = shown.with(|lines| lines.iter().position(|line| line.mark.is_some()));
        let (Some(line), Some(window)) = (marked, window.get()) else { return };
        // The lines are about to change as well; in the next frame they are there.
        request_animation_frame(move || {
            let Ok(found) = window.query_selector_all(".code-line") else { return };
            let Some(line) =
                found.item(line as u32).and_then(|it| it.dyn_into::<web_sys::HtmlElement>().ok())
            else {
                return;
            };
            let (top, tall) = (line.offset_top(), window.client_height());
            if top < window.scroll_top() || top + line.offset_height() > window.scroll_top() + tall {
                window.set_scroll_top(top - tall / 2);
            }
        });
    });
    view! {
        <div class="code">
            <div node_ref=window class="code-scroll code-still" tabindex="0" role="region" aria-label=label>
                <div class="code-page">
                    <div class="code-paint">{move || shown.get().into_iter().map(line_view).collect_view()}</div>
                </div>
            </div>
        </div>
    }
    .into_any()
}
