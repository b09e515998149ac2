//! A matrix of either side as a heatmap, linked by what the person looks at.

use leptos::prelude::*;

use super::bench::scale_of;
use super::focus::Focus;
use super::names::{meaning, symbol};
use super::room::SimulatorRoom;
use crate::drawing::color::Scale;
use crate::drawing::palette::Role;
use crate::ground::language::use_language;
use crate::rooms::simulator::choices::Edit;
use crate::rooms::simulator::job::Simulated;
use crate::rooms::universal::choices::CellEdit;
use crate::widgets::heatmap::{
    self, Axis, AxisLabels, Cell, CellSize, Heatmap, Kind, LegendPlace, Lit, Matrix, ScaleLimit,
};

/// Whose matrix it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The target's.
    Target,
    /// The simulator's.
    Simulator,
}

/// A matrix of the target or the simulator, whole.
#[component]
pub fn WholeMap(
    side: Side,
    /// Its name in the program.
    #[prop(into)]
    name: String,
    /// The width of its cells where there is room.
    #[prop(default = 30.0)]
    cell: f64,
) -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let matrix = {
        let name = name.clone();
        Memo::new(move |_| room.read(|simulated| numbers(simulated, side, &name)).unwrap_or_default())
    };
    let lit = {
        let name = name.clone();
        Signal::derive(move || room.lit(&name))
    };
    view! { <Map side name=name matrix=matrix lit=lit cell=cell/> }.into_any()
}

/// A matrix whose numbers and lights are given.
#[component]
pub fn Map(
    side: Side,
    #[prop(into)] name: String,
    #[prop(into)] matrix: Signal<Matrix>,
    #[prop(into)] lit: Signal<Lit>,
    cell: f64,
) -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let shown_name = {
        let name = name.clone();
        Signal::derive(move || {
            let heads = room.read(|simulated| Some(simulated.target.heads)).unwrap_or(1);
            match side {
                Side::Target => symbol(&name, heads),
                Side::Simulator => name.clone(),
            }
        })
    };
    let kind = match name.starts_with("attention") {
        true => Kind::Probability,
        false => Kind::Signed,
    };
    let limit = {
        let name = name.clone();
        Signal::derive(move || {
            let scope = t.get().simulator_both_sides().to_owned();
            room.read(|simulated| match scale_of(simulated, &name) {
                Scale::Signed { max } => Some(ScaleLimit { max, scope: scope.clone() }),
                _ => None,
            })
        })
    };
    let on_look = {
        let name = name.clone();
        Callback::new(move |cell: Option<Cell>| room.look_at(cell.map(|cell| Focus::at(&name, cell))))
    };
    let is_input = room.simulated.with_untracked(|simulated| {
        simulated.as_ref().is_some_and(|it| it.inputs.iter().any(|(found, _)| *found == name))
    });
    let on_edit = (side == Side::Target && is_input).then(|| {
        let name = name.clone();
        Callback::new(move |edit: heatmap::Edit| {
            let cell = CellEdit { row: edit.cell.row, column: edit.cell.col, value: edit.value };
            let edit = Edit { matrix: name.clone(), cell };
            room.change(|piece| piece.with_edit(edit));
            Ok(())
        })
    });
    let cell_size = Signal::derive(move || {
        let (rows, cols) = matrix.with(|matrix| (matrix.rows(), matrix.cols()));
        // Small matrices have room for their numbers; large ones stay small enough to be seen whole.
        let most = rows.max(cols).max(1) as f64;
        CellSize { smallest: 4.0, tallest: 320.0, ..CellSize::square((320.0 / most).clamp(6.0, cell)) }
    });
    let about = {
        let name = name.clone();
        move || meaning(&name, t.get())
    };
    let (row_role, col_role) = match name.starts_with("attention") || name.starts_with("scores") {
        true => (Role::Query, Role::Key),
        false => (Role::Plain, Role::Plain),
    };
    view! {
        <div class="sim-map" title=about>
            <Heatmap
                name=shown_name
                matrix
                kind=Signal::stored(kind)
                rows=Signal::derive(move || Axis::new("i", t.get().rows_axis()).counted_from(1).in_role(row_role))
                cols=Signal::derive(move || Axis::new("j", t.get().columns_axis()).counted_from(1).in_role(col_role))
                limit
                cell_size
                axis_labels=AxisLabels::Indices
                legend=LegendPlace::Elsewhere
                lit
                on_look
                on_edit=on_edit
            />
        </div>
    }
    .into_any()
}

/// The numbers of a matrix. What the simulator has beyond the target's size is padding, and masked.
fn numbers(simulated: &Simulated, side: Side, name: &str) -> Option<Matrix> {
    if let Some((_, matrix)) = simulated.inputs.iter().find(|(found, _)| found == name) {
        return Some(Matrix::from(matrix));
    }
    let stage = simulated.stages.iter().find(|stage| stage.name == name)?;
    let (rows, columns) = stage.direct.dim();
    let is_causal = simulated.target.mask == rasp::simulator::Mask::Causal && name.starts_with("attention");
    let matrix = match side {
        Side::Target => Matrix::from(&stage.direct),
        Side::Simulator => Matrix::from(stage.simulated.as_ref()?),
    };
    let is_padded = matrix.rows() > rows || matrix.cols() > columns;
    Some(match is_causal || is_padded {
        true => matrix.masked(|row, col| row >= rows || col >= columns || (is_causal && col > row)),
        false => matrix,
    })
}

crate::texts! {
    simulator_both_sides: "both sides" | "os dois lados";
}
