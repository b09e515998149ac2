//! What floats beside the cell that the person looks at.

use leptos::html::Div;
use leptos::prelude::*;

use super::data::Cell;
use super::state::State;
use crate::drawing::geometry::Rect;
use crate::ground::parts::later;
use crate::widgets::number;
use crate::widgets::tooltip::{Hold, Tooltip};

/// Comes when a cell is looked at for the first time.
#[component]
pub(super) fn CellTip(
    state: State,
    stage: NodeRef<Div>,
    formula: Option<Callback<Cell, AnyView>>,
) -> impl IntoView {
    let is_wanted =
        Memo::new(move |before: Option<&bool>| before == Some(&true) || state.looked_at().is_some());
    move || is_wanted.get().then(|| later(tip(state, stage, formula)))
}

crate::part! { details:
    fn tip(state: State, stage: NodeRef<Div>, formula: Option<Callback<Cell, AnyView>>) -> AnyView {
        view! { <Tip state=state stage=stage formula=formula/> }.into_any()
    }
}

#[component]
fn Tip(state: State, stage: NodeRef<Div>, formula: Option<Callback<Cell, AnyView>>) -> impl IntoView {
    let hold = Memo::new(move |_| if state.pinned.get().is_some() { Hold::Pinned } else { Hold::Passing });
    let cell = Memo::new(move |_| state.looked_at().filter(|_| state.editing.get().is_none()));
    let anchor = Callback::new(move |()| {
        let rect = state.layout.get().rect(cell.get()?);
        let origin = stage.get()?.get_bounding_client_rect();
        Some(Rect::new(rect.x + origin.x(), rect.y + origin.y(), rect.width, rect.height))
    });
    let body = move || {
        let cell = cell.get()?;
        let place = state.place(cell);
        let value = state.value_text(cell);
        let sum = state.matrix.with(|matrix| number::long(matrix.row_sum(cell.row)));
        let word = state.words.with(|words| words.row_sum.clone());
        let formula = formula.map(|formula| view! { <div class="tooltip-formula">{formula.run(cell)}</div> });
        Some(view! {
            <p class="tooltip-main">{place} " = " <b>{value}</b></p>
            {formula}
            <p class="tooltip-more">{word} " " <b>{sum}</b></p>
        })
    };
    move || {
        let hold = hold.get();
        cell.with(Option::is_some).then(|| view! { <Tooltip anchor=anchor hold=hold>{body}</Tooltip> })
    }
}
