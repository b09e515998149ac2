//! The target's weights: every one of them can be changed, and E follows.

use leptos::prelude::*;
use transformer::HeadMatrix;

use super::focus::Focus;
use super::inspector::matrix_symbol;
use super::matrices::{lit_by, read};
use super::room::Room;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, say, use_language};
use crate::rooms::universal::choices::{CellEdit, WeightEdit};
use crate::widgets::controls::{Button, Look};
use crate::widgets::heatmap::{Axis, AxisLabels, Cell, CellSize, Edit, Heatmap, Kind, LegendPlace, Matrix};

/// All weights of the target.
#[component]
pub fn WeightsPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shape = room.derive(|played| (played.target.class().layers, played.target.class().heads));
    let edits = Memo::new(move |_| room.piece.with(|piece| piece.weight_edits.len()));
    let heads = move || {
        shape.get().map(|(layers, heads)| {
            (0..layers)
                .flat_map(|layer| (0..heads).map(move |head| (layer, head)))
                .map(|(layer, head)| {
                    let maps =
                        HeadMatrix::ALL.map(|matrix| view! { <WeightMap layer head matrix/> }).collect_view();
                    view! {
                        <div class="weights-head">
                            <h3>{move || t.get().layer_and_head(layer + 1, head + 1)}</h3>
                            <div class="matrix-row">{maps}</div>
                        </div>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <section class="panel">
            <h2>{say(t, Language::weights_title)}</h2>
            <p class="lead">{say(t, Language::weights_lead)}</p>
            <Show when=move || { edits.get() > 0 }>
                <Button
                    label=Signal::derive(move || t.get().restore_weights(edits.get()))
                    look=Look::Strong
                    on_press=move |()| room.change(|mut piece| {
                        piece.weight_edits.clear();
                        piece
                    })
                />
            </Show>
            <div class="weights">{heads}</div>
        </section>
    }
}

#[component]
fn WeightMap(layer: usize, head: usize, matrix: HeadMatrix) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let values = Memo::new(move |_| {
        read(room, |played| {
            let head = played.target.layers().get(layer)?.heads.get(head)?;
            Some(Matrix::from(head.matrix(matrix)))
        })
        .unwrap_or_default()
    });
    let lit = Signal::derive(move || {
        room.lights.with(|lights| {
            let here = (layer, head, matrix as usize);
            lit_by(lights.weights.iter().filter(|it| (it.0, it.1, it.2) == here).map(|it| it.3))
        })
    });
    let is_lit = move || {
        room.lights.with(|lights| {
            let here = (layer, head, matrix as usize);
            super::matrices::is_lit_whole(
                lights.weights.iter().filter(|it| (it.0, it.1, it.2) == here).map(|it| it.3),
            )
        })
    };
    let on_look = Callback::new(move |cell: Option<Cell>| {
        let focus = cell.map(|cell| Focus::Weight { layer, head, matrix, row: cell.row, column: cell.col });
        room.hovered.set(focus);
    });
    let on_edit = Callback::new(move |edit: Edit| {
        let cell = CellEdit { row: edit.cell.row, column: edit.cell.col, value: edit.value };
        room.change(|mut piece| {
            piece.weight_edits.retain(|other| {
                (other.layer, other.head, other.matrix, other.cell.row, other.cell.column)
                    != (layer, head, matrix, cell.row, cell.column)
            });
            piece.weight_edits.push(WeightEdit { layer, head, matrix, cell });
            piece
        });
        Ok(())
    });
    let (rows_role, cols_role) = match matrix {
        HeadMatrix::Wq => (Role::Plain, Role::Query),
        HeadMatrix::Wk => (Role::Plain, Role::Key),
        HeadMatrix::Wv => (Role::Plain, Role::Value),
        HeadMatrix::Wo => (Role::Value, Role::Output),
    };
    view! {
        <div class="map" class:is-lit=is_lit>
            <Heatmap
                name=Signal::stored(format!("{}[{},{}]", matrix_symbol(matrix), layer + 1, head + 1))
                matrix=values
                kind=Signal::stored(Kind::Signed)
                rows=Signal::derive(move || Axis::new("i", t.get().rows_axis()).counted_from(1).in_role(rows_role))
                cols=Signal::derive(move || Axis::new("j", t.get().columns_axis()).counted_from(1).in_role(cols_role))
                cell_size=Signal::stored(CellSize { smallest: 6.0, ..CellSize::square(20.0) })
                axis_labels=AxisLabels::Indices
                legend=LegendPlace::Below
                lit
                on_look
                on_edit=on_edit
            />
        </div>
    }
}

crate::texts! {
    weights_title: "The target’s weights" | "Os pesos do alvo";
    weights_lead: "All that makes this target what it is. Change any of them (F2 or a double click): E follows, the frozen weights stay, and the outputs stay equal."
        | "Tudo o que faz deste alvo o que ele é. Mude qualquer um (F2 ou clique duplo): E acompanha, os pesos congelados ficam, e as saídas seguem iguais.";
    layer_and_head(layer: usize, head: usize): "Layer {layer}, head {head}" | "Camada {layer}, cabeça {head}";
    restore_weights(edits: usize): "Restore the target ({edits} changed)" | "Restaurar o alvo ({edits} mudados)";
    rows_axis: "rows" | "linhas";
    columns_axis: "columns" | "colunas";
}
