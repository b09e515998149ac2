//! The workspace “Training”: embeddings are learned for frozen transformers, live.

mod bridges;
pub mod choices;
mod constructed;
mod controls;
mod curves;
mod example;
pub mod job;
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
use crate::ground::language::{Language, say, use_language};

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
            <Glossary/>
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

/// The words that a newcomer needs, in a sentence each.
#[component]
fn Glossary() -> impl IntoView {
    let t = use_language();
    type Text = fn(Language) -> &'static str;
    let entries: [(Text, Text); 6] = [
        (Language::training_word_roll, Language::training_word_roll_means),
        (Language::training_word_unembedding, Language::training_word_unembedding_means),
        (Language::training_word_frozen, Language::training_word_frozen_means),
        (Language::training_word_held_out, Language::training_word_held_out_means),
        (Language::training_word_residual, Language::training_word_residual_means),
        (Language::training_word_norm, Language::training_word_norm_means),
    ];
    let entries = entries.map(|(word, means)| view! { <dt>{say(t, word)}</dt><dd>{say(t, means)}</dd> });
    view! {
        <details class="training-glossary">
            <summary>{say(t, Language::training_words)}</summary>
            <dl>{entries.into_iter().collect_view()}</dl>
        </details>
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
    training_lead: "The transformer inside is frozen. Only its roll E (a row of numbers for every token and for every position) and the unembedding U, which reads the answer off the last state, are learned, here in your browser. That is enough: watch it."
        | "O transformer por dentro está congelado. Só seu rolo E (uma linha de números para cada token e cada posição) e a leitura U, que lê a resposta no último estado, são aprendidos, aqui em seu navegador. Isso basta: assista.";
    training_words: "What the words mean" | "O que as palavras querem dizer";
    training_word_roll: "roll" | "rolo";
    training_word_roll_means: "E, the embedding: what a token and its place become before the first layer. The frozen transformer plays what stands on it, as a player piano plays its paper roll."
        | "E, os vetores de entrada: o que um token e seu lugar viram antes da primeira camada. O transformer congelado toca o que está nele, como uma pianola toca seu rolo de papel.";
    training_word_unembedding: "unembedding" | "leitura";
    training_word_unembedding_means: "U, the matrix that turns what stands at a token after the last layer into a score for every possible answer."
        | "U, a matriz que transforma o que está em um token depois da última camada em uma pontuação para cada resposta possível (em inglês, unembedding).";
    training_word_frozen: "frozen" | "congelado";
    training_word_frozen_means: "Built or drawn once, before the first step, and never changed. The fingerprint, a hash of all these numbers, would show it."
        | "Construído ou sorteado uma vez, antes do primeiro passo, e nunca mudado. A impressão digital, um hash de todos esses números, o mostraria.";
    training_word_held_out: "held out" | "reservado";
    training_word_held_out_means: "Sequences that training never sees. To be right on them is to have learned the rule, not the examples."
        | "Sequências que o treino nunca vê. Acertar nelas é ter aprendido a regra, não os exemplos.";
    training_word_residual: "residual" | "residual";
    training_word_residual_means: "What a layer finds is added to its input, rather than taking its place."
        | "O que uma camada encontra soma-se à sua entrada, em vez de tomar seu lugar.";
    training_word_norm: "layer norm" | "norm. de camada";
    training_word_norm_means: "The numbers of each token are shifted to mean 0 and scaled to variance 1 before a layer reads them (layer normalisation)."
        | "Os números de cada token são deslocados para média 0 e escalados para variância 1 antes de uma camada os ler (normalização de camada).";
    training_proof: "What is trained and what is frozen" | "O que se treina e o que está congelado";
    training_trained_numbers: "numbers are trained" | "números são treinados";
    training_frozen_numbers(count: &str): "fingerprint of {count} frozen numbers: the same before the first step and now"
        | "impressão digital de {count} números congelados: a mesma antes do primeiro passo e agora";
    training_frozen_changed(before: &str): "is not the fingerprint from before the first step, {before}"
        | "não é a impressão digital de antes do primeiro passo, {before}";
}
