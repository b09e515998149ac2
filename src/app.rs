//! The shell: header, navigation, routes.

use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    view! { <main><h1>"One frozen transformer plays any other"</h1></main> }
}
