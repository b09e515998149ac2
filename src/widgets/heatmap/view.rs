//! The heatmap as a component.

use leptos::html::{Div, Figure};
use leptos::prelude::*;

use super::actions::{Actions, TableView};
use super::data::{Axis, Cell, Kind, Lit, Matrix, ScaleLimit};
use super::labels::AxisLabels;
use super::layout::CellSize;
use super::legend::Legend;
use super::stage::Stage;
use super::state::{Edit, Given, State};
use super::tip::CellTip;
use crate::drawing::resize::size_of;
use crate::widgets::unique_id;

/// A matrix as a picture of coloured cells, with labels, legend, tooltip, keyboard, table and export.
#[component]
pub fn Heatmap(
    /// The symbol of the matrix, such as `A[1,2]`: its caption, and the start of every tooltip.
    #[prop(into)]
    name: Signal<String>,
    /// The numbers.
    #[prop(into)]
    matrix: Signal<Matrix>,
    /// How the numbers are read.
    #[prop(into, optional)]
    kind: Signal<Kind>,
    /// What the rows are.
    #[prop(into, optional)]
    rows: Signal<Axis>,
    /// What the columns are.
    #[prop(into, optional)]
    cols: Signal<Axis>,
    /// How far a scale of signed numbers reaches; by default, to the largest magnitude of this matrix.
    #[prop(into, optional)]
    limit: Signal<Option<ScaleLimit>>,
    /// How large the cells are.
    #[prop(into, optional)]
    cell_size: Signal<CellSize>,
    /// Which labels stand beside the cells.
    #[prop(optional)]
    axis_labels: AxisLabels,
    /// Whether the colours are explained below the cells.
    #[prop(optional)]
    legend: LegendPlace,
    /// What is lit because the person looks at something elsewhere.
    #[prop(into, optional)]
    lit: Signal<Lit>,
    /// The pinned cell, if the page keeps it.
    #[prop(optional)]
    pinned: Option<RwSignal<Option<Cell>>>,
    /// Is told which cell the person looks at, or that it is none.
    #[prop(into, optional)]
    on_look: Option<Callback<Option<Cell>>>,
    /// The formula of a cell, for its tooltip.
    #[prop(into, optional)]
    formula: Option<Callback<Cell, AnyView>>,
    /// Gets the numbers that the person writes into cells, and says why one cannot be. Without it nothing is edited.
    #[prop(into, optional_no_strip)]
    on_edit: Option<Callback<Edit, Result<(), String>>>,
) -> impl IntoView {
    let figure = NodeRef::<Figure>::new();
    let stage = NodeRef::<Div>::new();
    let state = State::new(Given {
        name,
        matrix,
        kind,
        rows,
        cols,
        limit,
        cell_size,
        axis_labels,
        pinned: pinned.unwrap_or_else(|| RwSignal::new(None)),
        on_look,
        on_edit,
        room: size_of(figure),
    });
    // What is lit elsewhere changes with every move of the pointer; most of it leaves this matrix as it is.
    let lit = Memo::new(move |_| lit.get());
    let hint_id = unique_id("heatmap-hint");
    let hint = move || {
        state.words.with(|words| match on_edit {
            Some(_) => format!("{} {}", words.heatmap_keys, words.heatmap_edit_keys),
            None => words.heatmap_keys.clone(),
        })
    };
    // Only for who is at the keyboard here: a pointer that passes by says nothing.
    let said = move || {
        let cell = state.looked_at().filter(|_| state.is_focused.get())?;
        let pinned = state.pinned.get().map(|_| state.words.with(|words| format!(", {}", words.pinned)));
        Some(format!("{} {}{}", state.place(cell), state.value_text(cell), pinned.unwrap_or_default()))
    };
    view! {
        <figure
            node_ref=figure
            class="heatmap"
            style:width=move || format!("min(100%, {}px)", state.natural_width.get())
        >
            <figcaption class="heatmap-head">
                <span class="heatmap-name">{name}</span>
                <Actions state=state/>
            </figcaption>
            <Stage state=state lit=lit node=stage hint_id=hint_id.clone()/>
            {(legend == LegendPlace::Below).then(|| view! { <Legend state=state/> })}
            <p id=hint_id class="visually-hidden">{hint}</p>
            <p class="visually-hidden" aria-live="polite">{said}</p>
            <TableView state=state/>
            <CellTip state=state stage=stage formula=formula/>
        </figure>
    }
    .into_any()
}

/// Whether a heatmap explains its colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// Below the cells.
    #[default]
    Below,
    /// Nowhere: the page shows one legend for several heatmaps.
    Elsewhere,
}
