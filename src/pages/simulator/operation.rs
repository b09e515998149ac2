//! The target's side of what happens now: the matrices that are read, the one that is made, and its formula.

use leptos::prelude::*;

use super::focus::operand_name;
use super::maps::{Map, Side};
use super::names::symbol;
use super::play::running;
use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::jobs::simulator::{Kind, Shown, Simulated};
use crate::language::{Language, use_language};
use crate::widgets::heatmap::{Cell, Lit, Matrix};
use crate::widgets::math::{
    Display, Formula, Math, call, dot_product, entry, fraction, lit, number, op, row, text,
};

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
    let formula =
        Memo::new(move |_| room.read_now(|simulated, stage, now| formula(simulated, stage, now, t.get())));
    let is_padding = Memo::new(move |_| {
        room.read_now(|_, stage, now| Some(now.position.is_some() && cell_now(stage, now).is_none()))
    });
    view! {
        {maps}
        <div class="sim-formula">
            {move || formula.with(Option::is_some).then(|| view! {
                <Formula math=Signal::derive(move || formula.get().unwrap_or(Math::Text(String::new()))) display=Display::Inline/>
            })}
            {move || (is_padding.get() == Some(true)).then(|| view! {
                <p class="quiet">{t.get().simulator_in_padding()}</p>
            })}
        </div>
    }
    .into_any()
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
fn cell_now(stage: &Shown, now: &Moment) -> Option<Cell> {
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

fn matrix_of<'a>(simulated: &'a Simulated, name: &str) -> Option<&'a ndarray::Array2<f64>> {
    let input = simulated.inputs.iter().find(|(found, _)| found == name).map(|(_, matrix)| matrix);
    input.or_else(|| simulated.stages.iter().find(|stage| stage.name == name).map(|stage| &stage.direct))
}

fn largest_operand(simulated: &Simulated, stage: &Shown) -> usize {
    let sizes = stage.operands.iter().filter_map(|it| Some(matrix_of(simulated, operand_name(it))?.len()));
    sizes.max().unwrap_or(0)
}

/// The formula of the current cell with its numbers put in.
fn formula(simulated: &Simulated, stage: &Shown, now: &Moment, t: Language) -> Option<Math> {
    let heads = simulated.target.heads;
    let name = symbol(&stage.name, heads);
    let position = now.position?;
    let cell = cell_now(stage, now)?;
    let name = if name.contains(' ') { format!("({name})") } else { name };
    let head = entry(name, [(cell.row + 1).to_string(), (cell.col + 1).to_string()]);
    let operand = |at: usize| matrix_of(simulated, operand_name(stage.operands.get(at)?));
    let value = stage.direct[[cell.row, cell.col]];
    let beat = stage.beats.get(now.beat)?;
    let body = match stage.kind {
        Kind::Product => {
            let (left, right) = (operand(0)?, operand(1)?);
            let last =
                beat.term.unwrap_or(left.ncols().saturating_sub(1)).min(left.ncols().saturating_sub(1));
            let terms: Vec<(f64, f64)> =
                (0..=last).map(|t| (left[[cell.row, t]], right[[t, cell.col]])).collect();
            let so_far = stage.direct_sums.get(last)?[[cell.row, cell.col]];
            match (beat.term, operand(2)) {
                (None, Some(bias)) => {
                    row([number(so_far), op("+"), lit(number(bias[[0, cell.col]])), op("="), number(value)])
                }
                (term, _) => dot_product(&terms, so_far, term.map(|_| last)),
            }
        }
        Kind::Transpose => row([
            lit(entry("X", [(cell.col + 1).to_string(), (cell.row + 1).to_string()])),
            op("="),
            number(value),
        ]),
        Kind::Attend => {
            let score = operand(0)?[[cell.row, cell.col]];
            let lane = |name: &str| {
                let lanes = stage.beats.iter().flat_map(|beat| &beat.lanes);
                lanes.filter(|lane| lane.name == name).find_map(|lane| lane.values.get(position).copied())
            };
            match (lane("exponential"), lane("total"), lane("number")) {
                (Some(exponential), Some(total), _) => {
                    let argument = match lane("maximum") {
                        Some(maximum) => row([number(score), op("−"), number(maximum)]),
                        None => number(score),
                    };
                    row([
                        fraction(call("exp", argument), row([text("∑ exp")])),
                        op("="),
                        fraction(number(exponential), number(total)),
                        op("="),
                        lit(number(value)),
                    ])
                }
                (_, _, Some(count)) if value > 0.0 => row([
                    fraction(number(1.0), number(count)),
                    op("="),
                    lit(number(value)),
                    text(format!("  ({})", t.simulator_is_largest(&short(score)))),
                ]),
                _ => {
                    row([lit(number(value)), text(format!("  ({})", t.simulator_is_smaller(&short(score))))])
                }
            }
        }
        Kind::Sum => {
            let mut pieces = Vec::new();
            for at in 0..stage.operands.len() {
                if at > 0 {
                    pieces.push(op("+"));
                }
                pieces.push(number(operand(at)?[[cell.row, cell.col]]));
            }
            if stage.operands.len() > 1 {
                pieces.push(op("="));
                pieces.push(lit(number(value)));
            }
            row(pieces)
        }
        Kind::Activate => {
            let hidden = operand(0)?;
            let own = hidden[[cell.row, cell.col]];
            let function = match simulated.target.feed_forward?.activation {
                rasp::simulator::Activation::Relu => call("max", row([number(own), op(","), number(0.0)])),
                rasp::simulator::Activation::MaxMin => {
                    let partner = hidden[[cell.row, cell.col ^ 1]];
                    let which = if cell.col.is_multiple_of(2) { "max" } else { "min" };
                    call(which, row([number(own), op(","), number(partner)]))
                }
            };
            row([function, op("="), lit(number(value))])
        }
    };
    Some(row([head, op("="), body]))
}

fn short(value: f64) -> String {
    crate::widgets::number::short(value)
}

crate::texts! {
    simulator_in_padding: "This position is padding: the target has no such entry." | "Esta posição é preenchimento: o alvo não tem esta entrada.";
    simulator_is_largest(score: &str): "{score} is the largest of its row" | "{score} é a maior de sua linha";
    simulator_is_smaller(score: &str): "{score} is not the largest of its row" | "{score} não é a maior de sua linha";
}
