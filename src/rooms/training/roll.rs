//! What is trained, as pictures that change, with the frozen weights locked beside them.

use leptos::prelude::*;
use training::TensorShape;

use super::room::Room;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, say, use_language};
use crate::rooms::training::job::FrozenHead;
use crate::rooms::universal::job::Thumbnail;
use crate::widgets::heatmap::{Axis, AxisLabels, CellSize, Heatmap, Kind, LegendPlace, Matrix};

/// The roll E with the unembedding U, and the frozen weights.
#[component]
pub fn RollPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let tensors = room.with_setup(|setup| setup.tensors.clone());
    let trained = move || {
        tensors.get().map(|tensors| {
            tensors
                .into_iter()
                .enumerate()
                .map(|(number, tensor)| view! { <TensorMap number tensor/> })
                .collect_view()
        })
    };
    let heads = room.with_setup(|setup| (setup.heads.clone(), setup.config.model.layers));
    let frozen = move || {
        let (heads, layers) = heads.get()?;
        if heads.is_empty() {
            return None;
        }
        let is_shared = layers != heads.len();
        let cards = heads.into_iter().enumerate().flat_map(|(layer, heads)| {
            heads.into_iter().enumerate().map(move |(head, weights)| {
                let title = move || match is_shared {
                    true => t.get().frozen_head_of_all(head + 1),
                    false => t.get().frozen_head(layer + 1, head + 1),
                };
                view! {
                    <div class="training-frozen-head">
                        <h3><span class="lock-swatch" aria-hidden="true"></span>{title}</h3>
                        <div class="matrix-row"><FrozenMaps weights/></div>
                    </div>
                }
            })
        });
        Some(view! {
            <div>
                <h3>{say(t, Language::training_locked)}</h3>
                <p class="quiet training-locked-note">{say(t, Language::training_locked_note)}</p>
                <div class="training-frozen">{cards.collect_view()}</div>
            </div>
        })
    };
    view! {
        <section class="panel">
            <h2>{say(t, Language::training_roll_title)}</h2>
            <p class="lead">{say(t, Language::training_roll_lead)}</p>
            <div class="training-roll">
                <div class="training-tensors">{trained}</div>
                {frozen}
            </div>
        </section>
    }
    .into_any()
}

/// One trained matrix.
#[component]
fn TensorMap(number: usize, tensor: TensorShape) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let (rows, columns, range) = (tensor.rows, tensor.columns, tensor.range());
    let name = tensor.name.clone();
    let matrix = Memo::new(move |_| {
        let run = room.selected.get()?.0;
        run.look.with(|look| {
            // A run of another shape may have been chosen in the meantime.
            let numbers = look.as_ref()?.parameters.get(range.clone())?;
            Some(Matrix::new(rows, columns, numbers.iter().map(|it| f64::from(*it)).collect::<Vec<f64>>()))
        })
    });
    let title = {
        let name = name.clone();
        Signal::derive(move || match name.as_str() {
            "embedding.tokens" => t.get().training_token_embedding().to_owned(),
            "embedding.positions" => t.get().training_position_embedding().to_owned(),
            "unembedding" => t.get().training_unembedding().to_owned(),
            name => name.to_owned(),
        })
    };
    let names = room.with_setup(move |setup| {
        (setup.tokens.clone(), t.get().training_classes(&setup.config.task, &setup.classes))
    });
    let row_axis = {
        let name = name.clone();
        Signal::derive(move || {
            let t = t.get();
            match (name.as_str(), names.get()) {
                ("embedding.tokens", Some((tokens, _))) => {
                    Axis::new("", t.training_tokens_axis()).named(tokens).in_role(Role::Accent)
                }
                ("embedding.positions", _) => {
                    Axis::new("n", t.training_positions_axis()).in_role(Role::Accent)
                }
                _ => Axis::new("i", t.training_rows_axis()).counted_from(1),
            }
        })
    };
    let column_axis = Signal::derive(move || {
        let t = t.get();
        match (name.as_str(), names.get()) {
            ("unembedding", Some((_, classes))) => {
                Axis::new("", t.training_classes_axis()).named(classes).in_role(Role::Output)
            }
            _ => Axis::new("j", t.training_columns_axis()).counted_from(1),
        }
    });
    // Of a model that is fully trained there are more; the first three are those that all models have.
    let is_embedding = number < 3;
    // The few rows of the tokens are easier to see when they are tall.
    let aspect = if columns > 8 * rows { 2.5 } else { 1.0 };
    // A few columns are wide enough for the names of their classes.
    let side = if columns <= 8 { 16.0 } else { 9.0 };
    view! {
        <div class="training-tensor" class:is-inner=!is_embedding>
            <Heatmap
                name=title
                matrix=Signal::derive(move || matrix.get().unwrap_or_default())
                kind=Signal::stored(Kind::Signed)
                rows=row_axis
                cols=column_axis
                cell_size=Signal::stored(CellSize { smallest: 2.0, tallest: 260.0, aspect, ..CellSize::square(side) })
                axis_labels=if is_embedding { AxisLabels::default() } else { AxisLabels::Hidden }
                legend=if is_embedding { LegendPlace::Below } else { LegendPlace::Elsewhere }
            />
            <p class="quiet">{format!("{rows} × {columns}")}</p>
        </div>
    }
    .into_any()
}

/// The frozen weights of one head.
#[component]
fn FrozenMaps(weights: FrozenHead) -> impl IntoView {
    let FrozenHead { query, key, value, is_routed } = weights;
    let map = move |symbol: &'static str, role: Role, weights: Thumbnail| {
        let (rows, columns) = weights.shape;
        let kind = if is_routed { Kind::ZeroOne } else { Kind::Signed };
        view! {
            <div class="training-frozen-map frozen">
                <Heatmap
                    name=Signal::stored(symbol.to_owned())
                    matrix=Signal::stored(Matrix::from(&weights.cells))
                    kind=Signal::stored(kind)
                    rows=Signal::stored(Axis::new("i", "").counted_from(1))
                    cols=Signal::stored(Axis::new("j", "").counted_from(1).in_role(role))
                    cell_size=Signal::stored(CellSize { smallest: 1.5, tallest: 130.0, ..CellSize::square(3.0) })
                    axis_labels=AxisLabels::Hidden
                    legend=LegendPlace::Elsewhere
                />
                <p class="quiet">{format!("{rows} × {columns}")}</p>
            </div>
        }
    };
    view! {
        {map("Rq", Role::Query, query)}
        {map("Rk", Role::Key, key)}
        {map("Rv", Role::Value, value)}
    }
    .into_any()
}

crate::texts! {
    training_roll_title: "The roll, while it learns" | "O rolo, enquanto aprende";
    training_roll_lead: "The only numbers that change: a row of E for every token, one for every position, and the unembedding U that reads the answer. A model that is fully trained changes its layers as well."
        | "Os únicos números que mudam: uma linha de E para cada token, uma para cada posição, e a leitura U que lê a resposta. Um modelo todo treinado muda também suas camadas.";
    training_locked: "Frozen" | "Congelado";
    training_locked_note: "No step of the optimiser reaches these: they are of another type. Large matrices are drawn small, each cell the largest of its patch."
        | "Nenhum passo do otimizador as alcança: são de outro tipo. Matrizes grandes são desenhadas pequenas, cada célula o maior valor de seu trecho.";
    training_token_embedding: "E, tokens" | "E, tokens";
    training_position_embedding: "E, positions" | "E, posições";
    training_unembedding: "U" | "U";
    training_tokens_axis: "tokens" | "tokens";
    training_positions_axis: "positions" | "posições";
    training_classes_axis: "classes" | "classes";
    training_rows_axis: "rows" | "linhas";
    training_columns_axis: "columns" | "colunas";
}
