//! The matrices that stand level with each other: the target's at the left, the universal transformer's at
//! the right, linked by what the person looks at.

use leptos::prelude::*;
use ndarray::Array2;
use transformer::Mask;

use super::focus::{Focus, Part};
use super::formula;
use super::proof::scientific;
use super::room::Room;
use crate::drawing::palette::Role;
use crate::ground::language::use_language;
use crate::rooms::universal::choices::CellEdit;
use crate::rooms::universal::job::Played;
use crate::widgets::heatmap::{
    Axis, AxisLabels, Cell, CellSize, Edit, Heatmap, Kind, LegendPlace, Lit, Matrix, ScaleLimit,
};
use crate::widgets::number;

/// Who computed a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The target.
    Target,
    /// The universal transformer.
    Universal,
}

/// What the matrices at the right show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RightShows {
    /// The universal transformer's own numbers.
    #[default]
    Numbers,
    /// How far they are from the target's.
    Difference,
}

/// An attention matrix.
#[component]
pub fn AttentionMap(
    side: Side,
    layer: usize,
    head: usize,
    right_shows: RwSignal<RightShows>,
) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let differs = move || side == Side::Universal && right_shows.get() == RightShows::Difference;
    let numbers = move |played: &Played| {
        let of = |trace: &transformer::Trace| trace.attention.get(layer)?.get(head).cloned();
        let target = of(&played.target_trace)?;
        let values = match side {
            Side::Target => target,
            Side::Universal if differs() => of(&played.universal_trace)? - target,
            Side::Universal => of(&played.universal_trace)?,
        };
        let matrix = Matrix::from(&values);
        Some(match played.target.class().mask {
            Mask::Causal => matrix.masked(|query, key| key > query),
            Mask::None => matrix,
        })
    };
    let matrix = Memo::new(move |_| read(room, numbers).unwrap_or_default());
    let name = Signal::derive(move || {
        let place = format!("[{},{}]", layer + 1, head + 1);
        match (side, differs()) {
            (Side::Target, _) => format!("A{place}"),
            (Side::Universal, false) => format!("A′{place}"),
            (Side::Universal, true) => format!("A′{place} − A{place}"),
        }
    });
    let kind = Signal::derive(move || if differs() { Kind::Signed } else { Kind::Probability });
    let lit = Signal::derive(move || {
        room.lights.with(|lights| {
            lit_by(lights.attention.iter().filter(|(l, h, _)| (*l, *h) == (layer, head)).map(|it| it.2))
        })
    });
    let on_look = Callback::new(move |cell: Option<Cell>| {
        let focus = cell.map(|cell| Focus::Attention { layer, head, query: cell.row, key: cell.col });
        room.hovered.set(focus);
    });
    let formula = Callback::new(move |cell: Cell| formula::attention(room, side, layer, head, cell));
    let difference = Memo::new(move |_| {
        read(room, |played| {
            let difference = *played.proof.attention.get(layer)?.get(head)?;
            Some((difference, difference <= played.proof.tolerance))
        })
    });
    let heads = Memo::new(move |_| read(room, |played| Some(played.target.class().heads)).unwrap_or(1));
    // Where several heads stand side by side, all are of one size and the tooltip names the tokens.
    let labels = match side == Side::Target && heads.get_untracked() == 1 {
        true => AxisLabels::Full,
        false => AxisLabels::Indices,
    };
    let is_lit = move || {
        room.lights.with(|lights| {
            let here = lights.attention.iter().filter(|(l, h, _)| (*l, *h) == (layer, head));
            is_lit_whole(here.map(|it| it.2))
        })
    };
    view! {
        <div class="map" class:is-lit=is_lit>
            <Heatmap
                name
                matrix
                kind
                rows=Signal::derive(move || token_axis(room, "q", t.get().queries()).in_role(Role::Query))
                cols=Signal::derive(move || token_axis(room, "k", t.get().keys()).in_role(Role::Key))
                cell_size=Signal::derive(move || map_cells(room))
                axis_labels=labels
                legend=LegendPlace::Elsewhere
                lit
                on_look
                formula
            />
            {(side == Side::Universal).then(|| view! {
                <p class="map-verdict" class:is-bad=move || difference.get().is_some_and(|(_, holds)| !holds)>
                    {move || difference.get().map(|(difference, holds)| match (difference == 0.0, holds) {
                        (true, _) => t.get().equal_to_the_last_bit().to_owned(),
                        (false, true) => t.get().at_most_apart(&scientific(difference)),
                        (false, false) => t.get().apart(&number::short(difference)),
                    })}
                </p>
            })}
        </div>
    }
}

/// A state of the target: the input, what stands between layers, the output. For the universal
/// transformer only its output is n × d.
#[component]
pub fn StateMap(side: Side, level: usize, #[prop(into)] name: Signal<String>) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let numbers = move |played: &Played| -> Option<Array2<f64>> {
        match side {
            Side::Target => played.target_trace.states.get(level).cloned(),
            Side::Universal => Some(played.universal_trace.output.clone()),
        }
    };
    let matrix =
        Memo::new(move |_| read(room, numbers).map(|values| Matrix::from(&values)).unwrap_or_default());
    let limit = Signal::derive(move || {
        // Both outputs on one scale: what looks equal is equal.
        let max = read(room, |played| {
            let state = played.target_trace.states.get(level)?;
            Some(state.iter().fold(0.0_f64, |most, value| most.max(value.abs())))
        })?;
        Some(ScaleLimit { max, scope: t.get().scope_both_sides().to_owned() })
    });
    let lit = Signal::derive(move || {
        room.lights.with(|lights| lit_by(lights.states.iter().filter(|(l, _)| *l == level).map(|it| it.1)))
    });
    let on_look = Callback::new(move |cell: Option<Cell>| {
        room.hovered.set(cell.map(|cell| Focus::State { level, row: cell.row, column: cell.col }));
    });
    let formula = Callback::new(move |cell: Cell| formula::state(room, side, level, cell));
    let on_edit = (side == Side::Target && level == 0).then(|| {
        Callback::new(move |edit: Edit| {
            let cell = CellEdit { row: edit.cell.row, column: edit.cell.col, value: edit.value };
            room.change(|mut piece| {
                put_edit(&mut piece.input_edits, cell);
                piece
            });
            Ok(())
        })
    });
    view! {
        <div class="map map-state">
            <Heatmap
                name
                matrix
                kind=Signal::stored(Kind::Signed)
                rows=Signal::derive(move || token_axis(room, "i", t.get().tokens_axis()))
                cols=Signal::derive(move || Axis::new("j", t.get().coordinates()).counted_from(1))
                limit
                cell_size=Signal::derive(move || map_cells(room))
                legend=LegendPlace::Elsewhere
                lit
                on_look
                formula
                on_edit=on_edit
            />
        </div>
    }
}

/// Something of the newest numbers, if they have it. A view may ask for a layer that has just gone.
pub fn read<T>(room: Room, read: impl FnOnce(&Played) -> Option<T>) -> Option<T> {
    room.played.with(|played| played.as_ref().and_then(|played| read(played)))
}

/// The rows or columns that stand for tokens.
pub fn token_axis(room: Room, symbol: &str, title: &str) -> Axis {
    let axis = Axis::new(symbol, title).counted_from(1);
    match read(room, |played| played.tokens.clone()) {
        Some(tokens) => axis.named(tokens),
        None => axis,
    }
}

/// What the lights of one matrix are.
pub fn lit_by(parts: impl Iterator<Item = Part>) -> Lit {
    let mut lit = Lit::default();
    for part in parts {
        match part {
            Part::Cell(row, col) => lit.cells.push(Cell::new(row, col)),
            Part::Row(row) => lit.rows.push(row),
            Part::Column(col) => lit.cols.push(col),
            // A whole matrix is lit by the frame round it; see `is_lit_whole`.
            Part::Whole => {}
        }
    }
    lit
}

/// Whether a matrix is lit as a whole.
pub fn is_lit_whole(mut parts: impl Iterator<Item = Part>) -> bool {
    parts.any(|part| part == Part::Whole)
}

/// Puts an edit among others; a cell that was edited before has its newest value only.
pub fn put_edit(edits: &mut Vec<CellEdit>, edit: CellEdit) {
    edits.retain(|other| (other.row, other.column) != (edit.row, edit.column));
    edits.push(edit);
}

fn map_cells(room: Room) -> CellSize {
    let tokens = read(room, |played| Some(played.input.nrows())).unwrap_or(6);
    CellSize { smallest: 5.0, tallest: 300.0, ..CellSize::square((192.0 / tokens as f64).clamp(6.0, 24.0)) }
}

crate::texts! {
    queries: "queries" | "consultas";
    keys: "keys" | "chaves";
    tokens_axis: "tokens" | "tokens";
    coordinates: "coordinates" | "coordenadas";
    equal_to_the_last_bit: "= A, to the last bit" | "= A, até o último bit";
    at_most_apart(difference: &str): "= A, up to {difference}" | "= A, a menos de {difference}";
    apart(difference: &str): "≠ A, by up to {difference}" | "≠ A, por até {difference}";
    scope_both_sides: "both sides" | "os dois lados";
}
