//! The workspace “RASP”: a workbench where every primitive can be seen.

use leptos::prelude::*;

use crate::language::use_language;

/// The whole workspace.
#[component]
pub fn RaspPage() -> impl IntoView {
    let t = use_language();
    view! { <h1>{move || t.get().rasp_title()}</h1> }.into_any()
}

crate::texts! {
    rasp_title: "RASP, alive" | "RASP, vivo";
}
