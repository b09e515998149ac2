//! The formulas of the target's side: what a stage computes, and the same with the numbers of the current step.

use rasp::simulator::{Activation, Attend, Mask};

use super::focus::operand_name;
use super::names::{entry_at, formula_of};
use super::operation::{cell_now, matrix_of};
use super::timeline::Moment;
use crate::ground::language::Language;
use crate::rooms::simulator::job::{Kind, Shown, Simulated};
use crate::widgets::heatmap::Cell;
use crate::widgets::math::{
    Math, call, dot_product, fraction, lit, name, number, op, row, sub, sum_over, text,
};
use crate::widgets::number::short;

/// What a stage computes, in general.
pub fn general(simulated: &Simulated, stage: &Shown, t: Language) -> Math {
    let heads = simulated.target.heads;
    let operand = |at: usize, i: &str, j: &str| match stage.operands.get(at) {
        Some(operand) => entry_at(operand_name(operand), heads, name(i), name(j)),
        None => row([]),
    };
    let this = entry_at(&stage.name, heads, name("i"), name("j"));
    let keys = keys_of(simulated);
    let largest = || {
        let limit = Math::Limits(Box::new(name("max")), Box::new(name(keys)), None);
        row([limit, text("\u{2009}"), score("k")])
    };
    let body = match stage.kind {
        Kind::Product => {
            let mut pieces =
                vec![sum_over("t", row([operand(0, "i", "t"), text("\u{2009}"), operand(1, "t", "j")]))];
            if let Some(bias) = stage.operands.get(2) {
                pieces.extend([op("+"), indexed(formula_of(operand_name(bias), heads), [name("j")])]);
            }
            row(pieces)
        }
        Kind::Transpose => operand(0, "j", "i"),
        Kind::Attend => {
            let scores = stage.operands.first().map_or(row([]), |it| formula_of(operand_name(it), heads));
            let body = match simulated.target.attend {
                Attend::Softmax => fraction(call("exp", score("j")), sum_over(keys, call("exp", score("k")))),
                Attend::ShiftedSoftmax => fraction(
                    call("exp", row([score("j"), op("−"), sub(name("m"), name("i"))])),
                    sum_over(keys, call("exp", row([score("k"), op("−"), sub(name("m"), name("i"))]))),
                ),
                Attend::AverageHard => {
                    let is_largest =
                        |at| row([op("["), score(at), op("="), sub(name("m"), name("i")), op("]")]);
                    fraction(is_largest("j"), sum_over(keys, is_largest("k")))
                }
            };
            let mut pieces = vec![body, op(","), text("\u{2003}"), name("S"), op("="), scores];
            if simulated.target.attend != Attend::Softmax {
                pieces.extend([op(","), text("\u{2003}"), sub(name("m"), name("i")), op("="), largest()]);
            }
            row(pieces)
        }
        Kind::Sum => {
            let mut pieces = Vec::new();
            for at in 0..stage.operands.len() {
                if at > 0 {
                    pieces.push(op("+"));
                }
                pieces.push(operand(at, "i", "j"));
            }
            row(pieces)
        }
        Kind::Activate => match simulated.target.feed_forward.map(|shape| shape.activation) {
            // Pairs of columns, the larger first.
            Some(Activation::MaxMin) => row([
                call("max", row([operand(0, "i", "j"), op(","), operand(0, "i", "j + 1")])),
                text(format!(" ({}), ", t.simulator_odd())),
                call("min", row([operand(0, "i", "j − 1"), op(","), operand(0, "i", "j")])),
                text(format!(" ({})", t.simulator_even())),
            ]),
            _ => call("max", row([operand(0, "i", "j"), op(","), number(0.0)])),
        },
    };
    row([this, op("="), body])
}

/// The formula of the current cell with its numbers put in.
pub fn current(simulated: &Simulated, stage: &Shown, now: &Moment, t: Language) -> Option<Math> {
    let heads = simulated.target.heads;
    let position = now.position?;
    let cell = cell_now(stage, now)?;
    let at = |cell: Cell| (number((cell.row + 1) as f64), number((cell.col + 1) as f64));
    let (i, j) = at(cell);
    let head = entry_at(&stage.name, heads, i, j);
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
            lit({
                let (i, j) = at(Cell::new(cell.col, cell.row));
                entry_at("x", heads, i, j)
            }),
            op("="),
            number(value),
        ]),
        Kind::Attend => {
            let own = operand(0)?[[cell.row, cell.col]];
            let lane = |name: &str| {
                let lanes = stage.beats.iter().flat_map(|beat| &beat.lanes);
                lanes.filter(|lane| lane.name == name).find_map(|lane| lane.values.get(position).copied())
            };
            match (lane("exponential"), lane("total"), lane("number")) {
                (Some(exponential), Some(total), _) => {
                    let argument = match lane("maximum") {
                        Some(maximum) => row([number(own), op("−"), number(maximum)]),
                        None => number(own),
                    };
                    row([
                        fraction(
                            call("exp", argument),
                            sum_over(keys_of(simulated), call("exp", score("k"))),
                        ),
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
                    text(format!("\u{2002}({})", t.simulator_is_largest(&short(own)))),
                ]),
                _ => row([
                    lit(number(value)),
                    text(format!("\u{2002}({})", t.simulator_is_smaller(&short(own)))),
                ]),
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
                Activation::Relu => call("max", row([number(own), op(","), number(0.0)])),
                Activation::MaxMin => {
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

/// A formula in pieces between which a line may end: before every sum and every equals sign outside of brackets, and
/// after a comma, where only definitions follow.
pub fn pieces(math: &Math) -> Vec<Math> {
    fn flatten<'a>(math: &'a Math, all: &mut Vec<&'a Math>) {
        match math {
            Math::Row(pieces) => pieces.iter().for_each(|piece| flatten(piece, all)),
            piece => all.push(piece),
        }
    }
    let mut all = Vec::new();
    flatten(math, &mut all);
    let mut pieces = vec![Vec::new()];
    let mut depth = 0;
    let mut defines = false;
    for piece in all {
        if let Math::Operator(operator) = piece {
            match operator.as_str() {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "," if depth == 0 => {
                    if let Some(last) = pieces.last_mut() {
                        last.push(piece.clone());
                    }
                    defines = true;
                    pieces.push(Vec::new());
                    continue;
                }
                // An operator that comes first would be taken for a sign.
                "=" | "+" if depth == 0 && !defines => pieces.push(vec![text("")]),
                _ => {}
            }
        }
        if let Some(last) = pieces.last_mut() {
            last.push(piece.clone());
        }
    }
    pieces.into_iter().filter(|piece| !piece.is_empty()).map(row).collect()
}

/// The keys that a row sums over.
fn keys_of(simulated: &Simulated) -> &'static str {
    match simulated.target.mask {
        Mask::None => "k",
        Mask::Causal => "k ≤ i",
    }
}

/// A score of the row at hand.
fn score(column: &str) -> Math {
    row([name("S"), op("["), name("i"), op(","), name(column), op("]")])
}

fn indexed<const N: usize>(base: Math, indices: [Math; N]) -> Math {
    let mut pieces = vec![base, op("[")];
    for (at, index) in indices.into_iter().enumerate() {
        if at > 0 {
            pieces.push(op(","));
        }
        pieces.push(index);
    }
    pieces.push(op("]"));
    row(pieces)
}

crate::texts! {
    simulator_odd: "j odd" | "j ímpar";
    simulator_even: "j even" | "j par";
    simulator_is_largest(score: &str): "{score} is the largest of its row" | "{score} é a maior de sua linha";
    simulator_is_smaller(score: &str): "{score} is not the largest of its row" | "{score} não é a maior de sua linha";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::simulator::choices::{Piece, TargetSource};
    use crate::rooms::simulator::job::Workshop;

    #[test]
    fn lines_end_before_sums_and_equals_signs_only() {
        let sum = row([op("("), name("Y"), op("+"), name("b"), op(")")]);
        let math = row([sum, op("="), row([number(1.0), op("+"), number(2.0)]), op("="), number(3.0)]);
        let said: Vec<String> = pieces(&math).iter().map(|it| it.to_string().trim().to_owned()).collect();
        assert_eq!(said, ["(Y + b)", "= 1", "+ 2", "= 3"]);
        let whole: String = pieces(&math).iter().map(Math::to_string).collect();
        assert_eq!(whole, math.to_string());
        let math = row([name("α"), op("="), name("S"), op(","), name("S"), op("="), name("X")]);
        let said: Vec<String> = pieces(&math).iter().map(|it| it.to_string().trim().to_owned()).collect();
        assert_eq!(said, ["α", "= S,", "S = X"]);
    }

    #[test]
    fn every_stage_has_its_rule_and_the_numbers_of_its_last_step() {
        for (id, activation, attend) in [
            ("first", None, Attend::Softmax),
            ("encoder", Some(Activation::Relu), Attend::ShiftedSoftmax),
            ("encoder", Some(Activation::MaxMin), Attend::AverageHard),
        ] {
            let piece = Piece::of(TargetSource::Preset(id.to_owned())).with_activation(activation);
            let simulated = Workshop::default().run(Piece { attend, ..piece }).expect("presets run");
            for (at, stage) in simulated.stages.iter().enumerate() {
                let rule = general(&simulated, stage, Language::En).to_string();
                assert!(rule.contains(" = "), "{rule}");
                let beat = stage.beats.len() - 1;
                let now = Moment { stage: at, beat, position: Some(0), phase: 1.0 };
                let numbers = current(&simulated, stage, &now, Language::En).expect("numbers").to_string();
                let value = short(stage.direct[[0, 0]]);
                assert!(numbers.contains(&value), "{}: {numbers} ends in {value}", stage.name);
            }
        }
    }
}
