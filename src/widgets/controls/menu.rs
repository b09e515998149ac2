//! A list of things to do.

use leptos::ev::KeyboardEvent;
use leptos::html::{self, Div};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::widgets::icon::Icon;
use crate::widgets::unique_id;

/// Something to do.
#[derive(Clone)]
pub struct MenuItem {
    /// What it does.
    pub label: String,
    /// The key that does the same, if there is one.
    pub key: String,
    /// Does it.
    pub action: Callback<()>,
}

impl MenuItem {
    /// An item without a key of its own.
    pub fn new(label: impl Into<String>, action: impl Fn() + Send + Sync + 'static) -> MenuItem {
        MenuItem { label: label.into(), key: String::new(), action: Callback::new(move |()| action()) }
    }

    /// The same item with the key that does the same.
    pub fn with_key(self, key: impl Into<String>) -> MenuItem {
        MenuItem { key: key.into(), ..self }
    }
}

/// A button that opens a list of things to do.
#[component]
pub fn Menu(
    /// What the button is called.
    #[prop(into)]
    label: Signal<String>,
    /// The button's picture.
    #[prop(default = Icon::More)]
    icon: Icon,
    /// What can be done; asked for when the menu opens.
    #[prop(into)]
    items: Callback<(), Vec<MenuItem>>,
) -> impl IntoView {
    let id = unique_id("menu");
    let button = NodeRef::<html::Button>::new();
    let list = NodeRef::<Div>::new();
    let is_open = RwSignal::new(false);
    let close = move || {
        if let Some(list) = list.get_untracked() {
            let _ = list.hide_popover();
        }
        if let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let open = move || {
        let (Some(button), Some(list)) = (button.get_untracked(), list.get_untracked()) else { return };
        is_open.set(true);
        let _ = list.show_popover();
        place_below(&button, &list);
    };
    // The items are made when the list opens, and the first is focused as soon as it is there.
    let on_toggle = move |_| {
        let Some(list) = list.get_untracked() else { return };
        let now_open = list.matches(":popover-open").unwrap_or(false);
        if now_open {
            focus_item(&list, Move::First);
        } else {
            is_open.set(false);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(list) = list.get_untracked() else { return };
        match event.key().as_str() {
            "ArrowDown" => focus_item(&list, Move::By(1)),
            "ArrowUp" => focus_item(&list, Move::By(-1)),
            "Home" => focus_item(&list, Move::First),
            "End" => focus_item(&list, Move::Last),
            "Escape" => close(),
            "Tab" => {
                close();
                return;
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let entries = move || {
        is_open.get().then(|| {
            untrack(|| items.run(()))
                .into_iter()
                .map(|MenuItem { label, key, action }| {
                    let do_it = move |_| {
                        close();
                        action.run(());
                    };
                    view! {
                        <button type="button" class="menu-item" role="menuitem" tabindex="-1" on:click=do_it>
                            <span>{label}</span>
                            {(!key.is_empty()).then(|| view! { <kbd>{key}</kbd> })}
                        </button>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <button
            node_ref=button
            type="button"
            class="button button-quiet"
            aria-label=label
            title=label
            aria-haspopup="menu"
            aria-expanded=move || if is_open.get() { "true" } else { "false" }
            aria-controls=id.clone()
            on:click=move |_| if is_open.get_untracked() { close() } else { open() }
            on:keydown=move |event: KeyboardEvent| {
                if event.key() == "ArrowDown" {
                    event.prevent_default();
                    open();
                }
            }
        >
            {icon.view()}
        </button>
        <div
            node_ref=list
            id=id
            class="menu"
            role="menu"
            aria-label=label
            popover="auto"
            on:toggle=on_toggle
            on:keydown=on_key
        >
            {entries}
        </div>
    }
    .into_any()
}

enum Move {
    First,
    Last,
    By(i32),
}

fn focus_item(list: &HtmlElement, to: Move) {
    let Ok(items) = list.query_selector_all("[role=menuitem]") else { return };
    let count = items.length() as i32;
    if count == 0 {
        return;
    }
    let focused = document().active_element();
    let now = (0..count).find(|&i| {
        items
            .get(i as u32)
            .is_some_and(|item| focused.as_ref().is_some_and(|focused| item.is_same_node(Some(focused))))
    });
    let next = match to {
        Move::First => 0,
        Move::Last => count - 1,
        Move::By(by) => now.map_or(0, |now| (now + by).rem_euclid(count)),
    };
    if let Some(item) = items.get(next as u32).and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
        let _ = item.focus();
    }
}

/// Puts the list under the button, to the left where it would leave the window, above where there is no room below.
fn place_below(button: &HtmlElement, list: &HtmlElement) {
    /// Between the button and the list.
    const GAP: f64 = 4.0;
    let anchor = button.get_bounding_client_rect();
    let (width, height) = (f64::from(list.offset_width()), f64::from(list.offset_height()));
    let root = document().document_element();
    let (room_x, room_y) =
        root.map_or((0.0, 0.0), |root| (f64::from(root.client_width()), f64::from(root.client_height())));
    let left = if anchor.left() + width > room_x { anchor.right() - width } else { anchor.left() };
    let below = anchor.bottom() + GAP;
    let top =
        if below + height > room_y && anchor.top() > height { anchor.top() - GAP - height } else { below };
    let style = list.style();
    let _ = style.set_property("left", &format!("{}px", left.max(0.0)));
    let _ = style.set_property("top", &format!("{top}px"));
}
