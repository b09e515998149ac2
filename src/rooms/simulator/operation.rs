//! The target's side of what happens now: the matrices that are read, the one that is made, and its formula.

use leptos::prelude::*;

use super::focus::operand_name;
use super::formulas::{current, general, pieces};
use super::maps::{Map, Side};
use super::play::running;
use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::ground::language::use_language;
use crate::rooms::simulator::job::{Kind, Shown, Simulated};
use crate::widgets::heatmap::{Cell, Lit, Matrix};
use crate::widgets::math::{Display, Formula, Math};

/// Matrices and formula.
#[component]
pub fn OperationView() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    // The stage by its name and what it reads: the maps are made anew when it changes, not with every step.
    let stage = Memo::new(move |_| {
        room.read_now(|simulated, stage, _| {
            let operands: Vec<String> = stage.operands.iter().map(|it| operand_name(it).to_owned()).collect();
            let large = stage.direct.len().max(largest_operand(simulated, stage));
            Some((stage.name.clone(), stage.kind, operands, large > 64))
        })
    });
    let maps = move || {
        stage.get().map(|(name, kind, operands, is_large)| {
            let cell = if is_large { 20.0 } else { 34.0 };
            let count = operands.len();
            let read = operands
                .into_iter()
                .enumerate()
                .map(|(at, operand)| {
                    let sign = match (kind, at + 1 == count) {
                        (_, true) => "=",
                        (Kind::Product, _) if at == 0 => "·",
                        _ => "+",
                    };
                    view! { <OperandMap at name=operand cell/> <span class="sim-sign" aria-hidden="true">{sign}</span> }
                })
                .collect_view();
            view! { <div class="sim-operation">{read}<ResultMap name cell/></div> }
        })
    };
    let rule =
        Memo::new(move |_| room.read_now(|simulated, stage, _| Some(general(simulated, stage, t.get()))));
    let numbers =
        Memo::new(move |_| room.read_now(|simulated, stage, now| current(simulated, stage, now, t.get())));
    let is_padding = Memo::new(move |_| {
        room.read_now(|_, stage, now| Some(now.position.is_some() && cell_now(stage, now).is_none()))
    });
    view! {
        {maps}
        <div class="sim-formula">
            <p class="sim-rule"><MaybeFormula math=rule/></p>
            <p><MaybeFormula math=numbers/></p>
            {move || (is_padding.get() == Some(true)).then(|| view! {
                <p class="quiet">{t.get().simulator_in_padding()}</p>
            })}
        </div>
    }
    .into_any()
}

/// A formula, where there is one; on a narrow screen it takes several lines.
#[component]
fn MaybeFormula(math: Memo<Option<Math>>) -> impl IntoView {
    move || {
        math.get().map(|math| {
            pieces(&math)
                .into_iter()
                .map(|piece| view! { <Formula math=Signal::stored(piece) display=Display::Inline/> " " })
                .collect_view()
        })
    }
}

/// A matrix that is read, with what is read now lit.
#[component]
fn OperandMap(at: usize, #[prop(into)] name: String, cell: f64) -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let matrix = {
        let name = name.clone();
        Memo::new(move |_| {
            room.read(|simulated| matrix_of(simulated, &name).map(Matrix::from)).unwrap_or_default()
        })
    };
    let lit = {
        let name = name.clone();
        Memo::new(move |_| {
            let pointed = room.lit(&name);
            if pointed != Lit::default() {
                return pointed;
            }
            room.read_now(|_, stage, now| Some(read_by(stage, now, at))).unwrap_or_default()
        })
    };
    view! { <Map side=Side::Target name=name matrix=matrix lit=lit cell=cell/> }
}

/// The matrix that is made, as far as it is there.
#[component]
fn ResultMap(#[prop(into)] name: String, cell: f64) -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let matrix =
        Memo::new(move |_| room.read_now(|_, stage, now| Some(running(stage, now))).unwrap_or_default());
    let lit = {
        let name = name.clone();
        Memo::new(move |_| {
            let pointed = room.lit(&name);
            if pointed != Lit::default() {
                return pointed;
            }
            room.read_now(|_, stage, now| Some(Lit::cell(cell_now(stage, now)?))).unwrap_or_default()
        })
    };
    view! { <Map side=Side::Target name=name matrix=matrix lit=lit cell=cell/> }
}

/// The cell of the target's matrix at which the animation is; none in the padding of a larger simulator.
pub fn cell_now(stage: &Shown, now: &Moment) -> Option<Cell> {
    let position = now.position?;
    let columns = stage.simulated.as_ref()?.ncols();
    let cell = Cell::new(position / columns, position % columns);
    (cell.row < stage.direct.nrows() && cell.col < stage.direct.ncols()).then_some(cell)
}

/// What is read of an operand now.
fn read_by(stage: &Shown, now: &Moment, at: usize) -> Lit {
    let Some(cell) = cell_now(stage, now) else { return Lit::default() };
    let term = stage.beats.get(now.beat).and_then(|beat| beat.term);
    match (stage.kind, at, term) {
        (Kind::Product, 0, Some(term)) => Lit::cell(Cell::new(cell.row, term)),
        (Kind::Product, 1, Some(term)) => Lit::cell(Cell::new(term, cell.col)),
        (Kind::Product, 2, None) => Lit::cell(Cell::new(0, cell.col)),
        (Kind::Product, ..) => Lit::default(),
        (Kind::Transpose, ..) => Lit::cell(Cell::new(cell.col, cell.row)),
        (Kind::Attend, ..) => Lit { rows: vec![cell.row], cells: vec![cell], ..Lit::default() },
        (Kind::Sum | Kind::Activate, ..) => Lit::cell(cell),
    }
}

/// A matrix of the target, by its name.
pub fn matrix_of<'a>(simulated: &'a Simulated, name: &str) -> Option<&'a ndarray::Array2<f64>> {
    let input = simulated.inputs.iter().find(|(found, _)| found == name).map(|(_, matrix)| matrix);
    input.or_else(|| simulated.stages.iter().find(|stage| stage.name == name).map(|stage| &stage.direct))
}

fn largest_operand(simulated: &Simulated, stage: &Shown) -> usize {
    let sizes = stage.operands.iter().filter_map(|it| Some(matrix_of(simulated, operand_name(it))?.len()));
    sizes.max().unwrap_or(0)
}

crate::texts! {
    simulator_in_padding: "This position is padding: the target has no such entry." | "Esta posição é preenchimento: o alvo não tem esta entrada.";
}
