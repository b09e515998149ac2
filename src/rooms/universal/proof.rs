//! The proof, always in view: the largest difference, what it is held to, and the fingerprint of the
//! frozen weights.

use leptos::prelude::*;
use universal::{Proof, Verdict};

use super::matrices::read;
use super::room::Room;
use crate::ground::language::{Language, say, use_language};
use crate::widgets::number;

/// Largest difference, verdict, fingerprint.
#[component]
pub fn ProofView() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let proof = Memo::new(move |_| read(room, |played| Some(played.proof.clone())));
    let fingerprint = Memo::new(move |_| read(room, |played| Some(played.frozen.fingerprint.to_string())));
    let holds = move || proof.with(|proof| proof.as_ref().is_some_and(holds));
    let fails = move || proof.with(|proof| proof.as_ref().is_some_and(|proof| !self::holds(proof)));
    view! {
        <div class="proof">
            <div class="proof-fact" class:proof-ok=holds class:proof-bad=fails>
                <output class="proof-value" role="status" aria-label=say(t, Language::maximum_error)>
                    {move || proof.with(|proof| match proof {
                        Some(proof) => format!("{} {}", scientific(proof.largest), if self::holds(proof) { "✓" } else { "✗" }),
                        None => "…".to_owned(),
                    })}
                </output>
                <span class="proof-name">
                    {say(t, Language::maximum_error)}
                    {move || proof.with(|proof| proof.as_ref().map(|proof| {
                        format!(" · {}", t.get().verdict(proof.verdict, &scientific(proof.tolerance)))
                    }))}
                </span>
            </div>
            <div class="proof-fact proof-frozen">
                <span class="proof-value">
                    <span class="lock-swatch" aria-hidden="true"></span>
                    {move || fingerprint.get().unwrap_or_else(|| "…".to_owned())}
                </span>
                <span class="proof-name">{say(t, Language::fingerprint)}</span>
            </div>
        </div>
    }
}

/// The largest difference once more, small, where it stays in view while one scrolls. The status region
/// above is the one that screen readers follow.
#[component]
pub fn ProofBadge() -> impl IntoView {
    let room = expect_context::<Room>();
    let proof = Memo::new(move |_| read(room, |played| Some((played.proof.largest, holds(&played.proof)))));
    view! {
        <p class="proof-badge" aria-hidden="true" class:proof-bad=move || proof.get().is_some_and(|(_, holds)| !holds)>
            {move || proof.get().map(|(largest, holds)| {
                format!("{} {}", scientific(largest), if holds { "✓" } else { "✗" })
            })}
        </p>
    }
}

/// The differences layer by layer.
#[component]
pub fn ProofTable() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let proof = Memo::new(move |_| read(room, |played| Some(played.proof.clone())));
    let rows = move || {
        let proof = proof.get()?;
        let t = t.get();
        let mut rows = Vec::new();
        for (layer, heads) in proof.attention.iter().enumerate() {
            rows.push((t.reads_of_state(layer), proof.states[layer]));
            for (head, difference) in heads.iter().enumerate() {
                rows.push((format!("A[{},{}]", layer + 1, head + 1), *difference));
            }
        }
        rows.push((t.output().to_owned(), proof.output));
        let holds = |difference: f64| difference <= proof.tolerance;
        Some(
            rows.into_iter()
                .map(|(name, difference)| {
                    view! {
                        <tr>
                            <th scope="row">{name}</th>
                            <td class="number">{scientific(difference)}</td>
                            <td class:proof-ok=holds(difference) class:proof-bad=!holds(difference)>
                                {if holds(difference) { "✓" } else { "✗" }}
                            </td>
                        </tr>
                    }
                })
                .collect_view(),
        )
    };
    view! {
        <table class="proof-table">
            <thead>
                <tr>
                    <th scope="col">{say(t, Language::compared)}</th>
                    <th scope="col">{say(t, Language::largest_difference)}</th>
                    <th scope="col"><span class="visually-hidden">{say(t, Language::verdict_heading)}</span></th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// Whether a proof says that both are equal.
pub fn holds(proof: &Proof) -> bool {
    matches!(proof.verdict, Verdict::Exact | Verdict::WithinTolerance)
}

/// Scientific notation with two significant digits; exact zero is plainly 0.
pub fn scientific(value: f64) -> String {
    if value == 0.0 {
        "0.0e0".to_owned()
    } else if value.is_finite() {
        format!("{value:.1e}")
    } else {
        number::long(value)
    }
}

crate::texts! {
    maximum_error: "Maximum error" | "Erro máximo";
    fingerprint: "fingerprint of the frozen weights" | "impressão digital dos pesos congelados";
    verdict_exact(tolerance: &str): "equal up to rounding (held to {tolerance})" | "iguais a menos de arredondamento (limite {tolerance})";
    verdict_within(tolerance: &str): "within what rounding can become ({tolerance})" | "dentro do que o arredondamento pode causar ({tolerance})";
    verdict_broken(tolerance: &str): "not equal (held to {tolerance})" | "não são iguais (limite {tolerance})";
    verdict_not_finite: "a number is not finite: nothing is proved" | "um número não é finito: nada está provado";
    reads_of_state(layer: usize): "queries and keys of X[{layer}]" | "consultas e chaves de X[{layer}]";
    output: "output" | "saída";
    compared: "Compared" | "Comparado";
    largest_difference: "Largest difference" | "Maior diferença";
    verdict_heading: "Verdict" | "Veredito";
}

impl Language {
    fn verdict(self, verdict: Verdict, tolerance: &str) -> String {
        match verdict {
            Verdict::Exact => self.verdict_exact(tolerance),
            Verdict::WithinTolerance => self.verdict_within(tolerance),
            Verdict::Broken => self.verdict_broken(tolerance),
            Verdict::NotFinite => self.verdict_not_finite().to_owned(),
        }
    }
}
