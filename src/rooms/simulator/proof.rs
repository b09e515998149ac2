//! The proof, always in view: the largest difference of both sides, how deep the program is, and its fingerprint.

use leptos::prelude::*;

use super::room::SimulatorRoom;
use crate::ground::language::{Language, use_language};
use crate::rooms::simulator::job::Simulated;
use crate::widgets::number::long;

/// Largest difference, depth and width, fingerprint.
#[component]
pub fn ProofView() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let verdict = Memo::new(move |_| room.read(|simulated| Some(Verdict::of(simulated))));
    let facts = Memo::new(move |_| {
        room.read(|simulated| Some((simulated.count.depth(), simulated.count.width(), simulated.fingerprint)))
    });
    view! {
        <div class="proof sim-proof">
            <div class="proof-fact" class:proof-ok=move || verdict.get().is_some_and(|it| it.holds)
                class:proof-bad=move || verdict.get().is_some_and(|it| !it.holds)>
                <output class="proof-value" role="status" aria-label=move || t.get().maximum_error()>
                    {move || verdict.get().map_or_else(|| "…".to_owned(), |it| it.short())}
                </output>
                <span class="proof-name">
                    {move || t.get().maximum_error()}
                    {move || verdict.get().map(|it| format!(" · {}", it.words(t.get())))}
                </span>
            </div>
            <div class="proof-fact">
                <span class="proof-value">
                    {move || facts.get().map(|(depth, ..)| t.get().simulator_layers(depth))}
                </span>
                <span class="proof-name">
                    {move || facts.get().map(|(_, width, _)| t.get().simulator_for_every_n(width))}
                </span>
            </div>
            <div class="proof-fact proof-frozen">
                <span class="proof-value">
                    <span class="lock-swatch" aria-hidden="true"></span>
                    {move || facts.get().map(|(_, _, fingerprint)| grouped(fingerprint))}
                </span>
                <span class="proof-name">{move || t.get().simulator_fingerprint()}</span>
            </div>
        </div>
    }
    .into_any()
}

/// The largest difference once more, small, where it stays in view while one scrolls. The status region above is
/// the one that screen readers follow.
#[component]
pub fn ProofBadge() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let verdict = Memo::new(move |_| room.read(|simulated| Some(Verdict::of(simulated))));
    view! {
        <p class="proof-badge" aria-hidden="true" class:proof-bad=move || verdict.get().is_some_and(|it| !it.holds)>
            {move || verdict.get().map(|it| it.short())}
        </p>
    }
    .into_any()
}

/// How both sides compare.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Verdict {
    holds: bool,
    difference: Option<f64>,
    tolerance: f64,
}

impl Verdict {
    fn of(simulated: &Simulated) -> Verdict {
        let Simulated { largest, tolerance, .. } = *simulated;
        Verdict { holds: largest.is_some_and(|it| it <= tolerance), difference: largest, tolerance }
    }

    fn short(self) -> String {
        match self.difference {
            Some(difference) => format!("{} {}", scientific(difference), if self.holds { "✓" } else { "✗" }),
            None => "– ✗".to_owned(),
        }
    }

    fn words(self, t: Language) -> String {
        match (self.difference, self.holds) {
            (None, _) => t.simulator_verdict_stopped().to_owned(),
            (_, true) => t.simulator_verdict_holds(&scientific(self.tolerance)),
            (_, false) => t.simulator_verdict_fails(&scientific(self.tolerance)),
        }
    }
}

/// Scientific notation with two significant digits.
pub fn scientific(value: f64) -> String {
    if value.is_finite() { format!("{value:.1e}") } else { long(value) }
}

fn grouped(fingerprint: u64) -> String {
    let digits = format!("{fingerprint:016x}");
    (0..4).map(|group| &digits[4 * group..4 * group + 4]).collect::<Vec<_>>().join(" ")
}

crate::texts! {
    simulator_layers(depth: usize): "{depth} layers" | "{depth} camadas";
    simulator_for_every_n(width: usize): "for every n, d and H · up to {width} heads in a layer" | "para todo n, d e H · até {width} cabeças numa camada";
    simulator_fingerprint: "fingerprint of the program: no weight moves it" | "impressão digital do programa: nenhum peso a muda";
    simulator_verdict_holds(tolerance: &str): "equal up to rounding (held to {tolerance})" | "iguais a menos de arredondamento (limite {tolerance})";
    simulator_verdict_fails(tolerance: &str): "not equal (held to {tolerance})" | "não são iguais (limite {tolerance})";
    simulator_verdict_stopped: "the run stopped: nothing is proved" | "a execução parou: nada está provado";
}
