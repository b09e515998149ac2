//! Verdicts: what holds, what does not, and by how much.

use leptos::prelude::*;

use super::icon::Icon;

/// How a claim stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It holds, with a reservation that the text names.
    Careful,
    /// It is being worked out.
    #[default]
    Pending,
    /// It is true because nothing of it can change.
    Frozen,
}

impl Verdict {
    fn look(self) -> (&'static str, Icon) {
        match self {
            Verdict::Holds => ("verdict verdict-holds", Icon::Check),
            Verdict::Fails => ("verdict verdict-fails", Icon::Cross),
            Verdict::Careful => ("verdict verdict-careful", Icon::Warning),
            Verdict::Pending => ("verdict verdict-pending", Icon::Clock),
            Verdict::Frozen => ("verdict verdict-frozen", Icon::Lock),
        }
    }
}

/// A number or a few words that say how a claim stands; screen readers are told when it changes.
#[component]
pub fn VerdictBadge(
    /// The claim: "Largest difference between target and universal outputs". It names the region.
    #[prop(into)]
    name: Signal<String>,
    /// How it stands.
    #[prop(into)]
    verdict: Signal<Verdict>,
    /// The number, or the words.
    #[prop(into)]
    text: Signal<String>,
    /// Smaller, below it: "largest difference, held to 1e−9".
    #[prop(into, optional)]
    detail: MaybeProp<String>,
) -> impl IntoView {
    view! {
        <div class=move || verdict.get().look().0 role="status" aria-label=name>
            <span class="verdict-text">
                {move || verdict.get().look().1.view()} <b>{text}</b>
            </span>
            <span class="verdict-detail">{move || detail.get()}</span>
        </div>
    }
    .into_any()
}
