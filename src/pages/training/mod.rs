//! The workspace “Training”: embeddings are learned for frozen transformers, live.

mod bridges;
mod constructed;
mod controls;
mod curves;
mod example;
mod lab;
mod paper;
mod roll;
mod rolls;
mod room;
mod runs;
mod store;
mod timeline;
mod trainee;
mod words;

use leptos::prelude::*;

use self::controls::Controls;
use self::curves::Curves;
use self::example::ExamplePanel;
use self::paper::PaperPanel;
use self::roll::RollPanel;
use self::rolls::RollsPanel;
use self::room::Room;
use self::runs::RunsPanel;
use self::timeline::Timeline;
use crate::language::{Language, say, use_language};

crate::part! { training:
    /// The whole workspace.
    pub fn page() -> AnyView {
        view! { <TrainingPage/> }.into_any()
    }
}

#[component]
fn TrainingPage() -> impl IntoView {
    let room = Room::provide();
    let t = use_language();
    let story = move || room.plan.with(|plan| t.get().training_story(plan.task.kind));
    view! {
        <div class="training">
            <div class="room-head">
                <div>
                    <h1>{say(t, Language::training_title)}</h1>
                    <p class="lead">{say(t, Language::training_lead)}</p>
                </div>
                <Proof/>
            </div>
            <Controls/>
            <p class="piece-story">{story}</p>
            <RunsPanel/>
            <Curves/>
            <RollPanel/>
            <RollsPanel/>
            <ExamplePanel/>
            <PaperPanel/>
            <Timeline/>
        </div>
    }
    .into_any()
}

/// That the frozen weights of the run on show are what they were.
#[component]
fn Proof() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    // The newest look at the weights as they stand in memory, or the one from before the first step.
    let frozen = Memo::new(move |_| {
        let run = room.selected.get()?.0;
        let seen = run.look.with(|look| look.as_ref().map(|look| look.frozen));
        let trained = run.setup.with(|setup| {
            setup.as_ref().map(|it| it.tensors.iter().map(|it| it.rows * it.columns).sum::<usize>())
        });
        Some((seen.or_else(|| run.setup.with(|setup| setup.as_ref().map(|it| it.frozen)))?, trained?))
    });
    let facts = move || {
        let t = t.get();
        let (frozen, trained) = frozen.get()?;
        let is_same = frozen.changed == 0 && frozen.before == frozen.now;
        Some(view! {
            <div class="proof-fact">
                <span class="proof-value">{crate::notices::numbers::whole(trained, t)}</span>
                <span class="proof-name">{t.training_trained_numbers()}</span>
            </div>
            {(frozen.parameters > 0).then(|| view! {
                <div class="proof-fact proof-frozen" class:proof-bad=!is_same>
                    <span class="proof-value">{frozen.now.to_string()}</span>
                    <span class="proof-name">
                        {match is_same {
                            true => t.training_frozen_numbers(&crate::notices::numbers::whole(frozen.parameters, t)),
                            false => t.training_frozen_changed(&frozen.before.to_string()),
                        }}
                    </span>
                </div>
            })}
        })
    };
    view! { <div class="proof" role="status" aria-label=say(t, Language::training_proof)>{facts}</div> }
        .into_any()
}

crate::texts! {
    training_title: "Only the roll is trained" | "Só o rolo é treinado";
    training_lead: "The transformer inside is frozen. Only its roll E (token and position embeddings) and the unembedding U learn, here in your browser, and that is enough: watch it."
        | "O transformer por dentro está congelado. Só seu rolo E (vetores de tokens e posições) e a leitura U aprendem, aqui em seu navegador, e isso basta: assista.";
    training_proof: "What is trained and what is frozen" | "O que se treina e o que está congelado";
    training_trained_numbers: "numbers are trained" | "números são treinados";
    training_frozen_numbers(count: &str): "fingerprint of {count} frozen numbers: the same before the first step and now"
        | "impressão digital de {count} números congelados: a mesma antes do primeiro passo e agora";
    training_frozen_changed(before: &str): "is not the fingerprint from before the first step, {before}"
        | "não é a impressão digital de antes do primeiro passo, {before}";
}
