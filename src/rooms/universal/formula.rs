//! The formula of a cell with its numbers put in, as MathML.

use leptos::prelude::*;
use ndarray::ArrayView1;
use transformer::Attention;

use super::matrices::{Side, read};
use super::room::Room;
use crate::ground::language::{Language, say, use_language};
use crate::rooms::universal::job::Played;
use crate::widgets::heatmap::Cell;
use crate::widgets::number;

/// A[l,h][q,k] as softmax of its score, with the score and the row's sum of exponentials.
pub fn attention(room: Room, side: Side, layer: usize, head: usize, cell: Cell) -> AnyView {
    let t = use_language();
    let found = read(room, |played| {
        let trace = trace(played, side);
        let scores = trace.scores.get(layer)?.get(head)?;
        let score = *scores.get((cell.row, cell.col))?;
        let visible = match played.target.class().mask {
            transformer::Mask::None => scores.ncols(),
            transformer::Mask::Causal => cell.row + 1,
        };
        let row = scores.row(cell.row).iter().take(visible).copied().collect::<Vec<f64>>();
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum = row.iter().map(|other| (other - largest).exp()).sum::<f64>();
        Some((played.target.class().attention, score, largest, sum))
    });
    let Some((attention, score, largest, sum)) = found else { return ().into_any() };
    match attention {
        Attention::Softmax => view! {
            <math>
                <mfrac>
                    <msup><mi>"e"</mi><mrow><mn>{number::short(score)}</mn><mo>"−"</mo><mn>{number::short(largest)}</mn></mrow></msup>
                    <mrow>
                        <munder><mo>"∑"</mo><mi>"k"</mi></munder>
                        <msup><mi>"e"</mi><mrow><msub><mi>"s"</mi><mi>"k"</mi></msub><mo>"−"</mo><mn>{number::short(largest)}</mn></mrow></msup>
                    </mrow>
                </mfrac>
                <mo>"="</mo>
                <mfrac><mn>{number::short((score - largest).exp())}</mn><mn>{number::short(sum)}</mn></mfrac>
            </math>
        }
        .into_any(),
        Attention::AverageHard | Attention::LeftmostHard => view! {
            <p>{move || t.get().score_against(&number::short(score), &number::short(largest))}</p>
        }
        .into_any(),
    }
}

/// An entry of a state as the sum over heads of attention times values.
pub fn state(room: Room, side: Side, level: usize, cell: Cell) -> AnyView {
    let t = use_language();
    let Some(layer) = level.checked_sub(1) else {
        return view! { <p>{say(t, Language::input_entry)}</p> }.into_any();
    };
    if side == Side::Universal {
        return view! { <p>{say(t, Language::output_entry)}</p> }.into_any();
    }
    let terms = read(room, |played| {
        let before = played.target_trace.states.get(layer)?;
        let mut terms = Vec::new();
        if played.target.class().residual {
            terms.push(("X".to_owned(), *before.get((cell.row, cell.col))?));
        }
        for (head, weights) in played.target.layers().get(layer)?.heads.iter().enumerate() {
            let attention = played.target_trace.attention.get(layer)?.get(head)?;
            if cell.row >= attention.nrows() || cell.col >= weights.wo.ncols() {
                return None;
            }
            let mixed = attention.row(cell.row).dot(before);
            let value = dot(mixed.dot(&weights.wv).view(), weights.wo.column(cell.col));
            terms.push((format!("A[{layer},{head}]X W", layer = layer + 1, head = head + 1), value));
        }
        Some(terms)
    });
    let Some(terms) = terms else { return ().into_any() };
    let parts = terms
        .into_iter()
        .enumerate()
        .map(|(index, (name, value))| {
            view! {
                {(index > 0).then(|| view! { <mo>"+"</mo> })}
                <munder><mn>{number::short(value)}</mn><mtext>{name}</mtext></munder>
            }
        })
        .collect_view();
    view! { <math>{parts}</math> }.into_any()
}

fn trace(played: &Played, side: Side) -> &transformer::Trace {
    match side {
        Side::Target => &played.target_trace,
        Side::Universal => &played.universal_trace,
    }
}

fn dot(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.dot(&b)
}

crate::texts! {
    score_against(score: &str, largest: &str):
        "its score is {score}, the largest of the row is {largest}"
        | "sua pontuação é {score}, a maior da linha é {largest}";
    input_entry: "an entry of the input; F2 or a double click changes it" | "uma entrada de X; F2 ou clique duplo a altera";
    output_entry: "read from the last state by the frozen unembedding U" | "lido do último estado pela matriz congelada U";
}
