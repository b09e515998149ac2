//! What can be done with a chart as a whole: table and files.

use leptos::prelude::*;

use super::series::Figure;
use super::state::State;
use crate::widgets::controls::{Menu, MenuItem};
use crate::widgets::dialog::Dialog;
use crate::widgets::table::TextTable;

#[component]
pub(super) fn Actions(state: State) -> impl IntoView {
    let items = move |()| {
        let words = state.words.get();
        vec![
            MenuItem::new(words.table_view, move || state.table_is_open.set(true)).with_key("T"),
            MenuItem::new(words.export_csv, move || state.save_csv()),
            MenuItem::new(words.export_svg, move || state.save_svg()),
            MenuItem::new(words.export_png, move || state.save_png()),
        ]
    };
    view! { <Menu label=Signal::derive(move || state.actions_label()) items=items/> }
}

#[component]
pub(super) fn TableView(state: State) -> impl IntoView {
    let table = Memo::new(move |_| state.figure.with(Figure::table));
    view! {
        <Dialog title=state.name is_open=state.table_is_open>
            <TextTable
                caption=state.name
                headings=Signal::derive(move || table.with(|table| table.0.clone()))
                rows=Signal::derive(move || table.with(|table| table.1.clone()))
            />
        </Dialog>
    }
}
