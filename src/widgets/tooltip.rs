//! A note that floats beside what it explains.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::drawing::geometry::Rect;

/// A note beside `anchor`, a rectangle of the window (as `getBoundingClientRect` gives it). It lies over everything
/// else, and on the side of the anchor where there is more room. Make it with `<Show>` only while it is needed.
#[component]
pub fn Tooltip(
    /// Where it points; asked again when the page scrolls.
    anchor: Callback<(), Option<Rect>>,
    /// Whether the pointer passes through.
    #[prop(optional)]
    hold: Hold,
    /// What it says.
    children: Children,
) -> impl IntoView {
    let node = NodeRef::<Div>::new();
    // The top layer: no ancestor can clip it or lie over it. Where that is missing, `position: fixed` remains.
    node.on_load(|node| {
        let _ = node.show_popover();
    });
    let scrolled = Trigger::new();
    let on_scroll = StoredValue::new_local(Closure::<dyn Fn()>::new(move || scrolled.notify()));
    let options = web_sys::AddEventListenerOptions::new();
    options.set_capture(true);
    options.set_passive(true);
    on_scroll.with_value(|listener| {
        let _ = window().add_event_listener_with_callback_and_add_event_listener_options(
            "scroll",
            listener.as_ref().unchecked_ref(),
            &options,
        );
    });
    on_cleanup(move || {
        on_scroll.try_with_value(|listener| {
            let _ = window().remove_event_listener_with_callback_and_bool(
                "scroll",
                listener.as_ref().unchecked_ref(),
                true,
            );
        });
    });
    let place = Memo::new(move |_| {
        scrolled.track();
        anchor.run(()).map(|rect| Place::beside(rect, window_size()))
    });
    let edge = move |of: fn(&Place) -> Option<f64>| {
        move || match place.with(|place| place.as_ref().and_then(of)) {
            Some(pixels) => format!("{pixels}px"),
            None => "auto".to_owned(),
        }
    };
    view! {
        <div
            node_ref=node
            class="tooltip"
            class:tooltip-held=hold == Hold::Pinned
            popover="manual"
            role="tooltip"
            style:left=edge(|place| place.left)
            style:right=edge(|place| place.right)
            style:top=edge(|place| place.top)
            style:bottom=edge(|place| place.bottom)
        >
            {children()}
        </div>
    }
}

/// Whether a tooltip can be touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// It goes when the pointer goes, and the pointer passes through it.
    #[default]
    Passing,
    /// It stays, and its text can be selected.
    Pinned,
}

/// Distances from the edges of the window; those that are `None` are left to the content.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    left: Option<f64>,
    right: Option<f64>,
    top: Option<f64>,
    bottom: Option<f64>,
}

impl Place {
    fn beside(anchor: Rect, (width, height): (f64, f64)) -> Place {
        /// Between the anchor and the note.
        const GAP: f64 = 10.0;
        let center = anchor.center();
        let (left, right) = if center.x < width / 2.0 {
            (Some(anchor.right() + GAP), None)
        } else {
            (None, Some(width - anchor.x + GAP))
        };
        let (top, bottom) = if center.y < height * 0.6 {
            (Some(anchor.bottom() + GAP), None)
        } else {
            (None, Some(height - anchor.y + GAP))
        };
        Place { left, right, top, bottom }
    }
}

fn window_size() -> (f64, f64) {
    let size = |value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        value.ok().and_then(|value| value.as_f64()).unwrap_or_default()
    };
    (size(window().inner_width()), size(window().inner_height()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_opens_towards_the_middle_of_the_window() {
        let window = (1000.0, 800.0);
        let upper_left = Place::beside(Rect::new(10.0, 10.0, 20.0, 20.0), window);
        assert_eq!((upper_left.left, upper_left.top), (Some(40.0), Some(40.0)));
        let lower_right = Place::beside(Rect::new(900.0, 700.0, 20.0, 20.0), window);
        assert_eq!((lower_right.right, lower_right.bottom), (Some(110.0), Some(110.0)));
        assert_eq!((lower_right.left, lower_right.top), (None, None));
    }
}
