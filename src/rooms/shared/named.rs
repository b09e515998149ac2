//! Controls that a lesson can hide: a link names them (`hide=seed,files`).

use leptos::prelude::*;

use crate::shell::app::Store;

/// A control with its name in links. A text is as wide as there is room.
#[component]
pub fn Named(
    /// The name.
    name: &'static str,
    children: Children,
) -> impl IntoView {
    let Store(state) = expect_context::<Store>();
    let hidden = Memo::new(move |_| state.with(|state| state.hide.iter().any(|hidden| hidden == name)));
    view! { <div class="control" class:control-wide=name == "text" hidden=hidden>{children()}</div> }
        .into_any()
}
