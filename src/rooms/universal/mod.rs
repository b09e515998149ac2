//! The workspace “Universal”: one frozen transformer plays any other.

pub mod choices;
mod controls;
mod costs;
pub mod files;
mod focus;
mod formula;
mod frozen;
mod inspector;
pub mod job;
mod kept;
mod machine;
mod matrices;
mod proof;
mod room;
mod stories;
mod tree;
mod weights;

use leptos::prelude::*;

use self::controls::Controls;
use self::costs::CostsPanel;
use self::frozen::FrozenPanel;
use self::inspector::Inspector;
use self::machine::{Band, Machine, MachineBand, ZoomButtons};
use self::matrices::{AttentionMap, RightShows, Side, StateMap, read};
use self::proof::{ProofBadge, ProofTable, ProofView, holds};
use self::room::Room;
use self::stories::Story;
use self::tree::TreePanel;
use self::weights::WeightsPanel;
use crate::drawing::clock::Clock;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::ground::parts::later_when_near;
use crate::widgets::controls::{Choice, LabelPlace, Segments};
use crate::widgets::scrubber::Scrubber;

/// The whole workspace. It is the one that opens first, so it comes with the shell.
pub fn page() -> AnyView {
    view! { <UniversalPage/> }.into_any()
}

#[component]
fn UniversalPage() -> impl IntoView {
    let room = Room::provide();
    let t = use_language();
    // Escape lets go of what is pinned, wherever the keyboard is.
    let listener = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && !event.default_prevented() {
            room.pinned.set(None);
            room.hovered.set(None);
        }
    });
    on_cleanup(move || listener.remove());
    let length =
        Signal::derive(move || read(room, |played| Some(played.target.class().layers)).unwrap_or(1) as f64);
    // Beyond the end is the finished picture, whatever the number of layers.
    let position =
        RwSignal::new(room.look.with_untracked(|look| look.step.map_or(f64::MAX, |step| step as f64)));
    let clock = Clock::new(position, length);
    let step = Memo::new(move |_| room.look.with(|look| look.step));
    // Back, Forward and links bring a step; the clock is theirs to set.
    Effect::new(move |before: Option<Option<usize>>| {
        let step = step.get();
        if before.is_some_and(|before| before != step) {
            clock.seek(step.map_or(f64::MAX, |step| step as f64));
        }
        step
    });
    // What the person does with the scrubber is kept, once it has come to rest on a layer.
    let keep_step = move || {
        let layers = length.get_untracked();
        let destination = untrack(|| clock.destination());
        let step = (destination < layers).then_some(destination.round() as usize);
        if step != room.look.with_untracked(|look| look.step) && !untrack(|| clock.is_playing()) {
            room.change_look(|look| look.step = step);
        }
    };
    let is_played = Memo::new(move |_| room.played.with(Option::is_some));
    let machine = Machine::new(room, Signal::derive(move || clock.position()));
    view! {
        <div class="room-head">
            <div>
                <h1>{say(t, Language::universal_title)}</h1>
                <p class="lead">{say(t, Language::universal_lead)}</p>
            </div>
            <ProofView/>
        </div>
        <Controls/>
        <Story/>
        <Picture room machine/>
        // Before the picture is there, everything is near.
        {move || is_played.get().then(|| {
            later_when_near(text_of(t, Language::more_below), move || panels(machine))
        })}
        <div class="transport" on:click=move |_| keep_step() on:keyup=move |_| keep_step() on:change=move |_| keep_step()>
            <ProofBadge/>
            <Scrubber clock label=text_of(t, Language::animation) caption=Signal::derive(move || Some(caption(t.get(), clock.position())))/>
            <Inspector/>
        </div>
    }
}

crate::part! { universal_panels:
    /// What stands below the picture.
    fn panels(machine: Machine) -> AnyView {
        let t = use_language();
        view! {
            <TreePanel progress=machine.progress/>
            <FrozenPanel/>
            <WeightsPanel/>
            <div class="panels">
                <section class="panel">
                    <h2>{say(t, Language::proof_title)}</h2>
                    <p class="lead">{say(t, Language::proof_lead)}</p>
                    <ProofTable/>
                </section>
                <CostsPanel/>
            </div>
        }
        .into_any()
    }
}

/// The picture: target, roll and universal transformer, read from top to bottom.
#[component]
fn Picture(room: Room, machine: Machine) -> impl IntoView {
    let t = use_language();
    let right_shows = RwSignal::new(RightShows::default());
    let shape = room.derive(|played| (played.target.class().layers, played.target.class().heads));
    let size = room.derive(|played| (played.embedding.dim(), played.frozen.has_places));
    let is_equal = room.derive(|played| holds(&played.proof));
    let layers = move || {
        shape.get().map(|(layers, heads)| {
            (0..layers)
                .map(|layer| {
                    let maps = move |side: Side| {
                        (0..heads)
                            .map(|head| view! { <AttentionMap side layer head right_shows/> })
                            .collect_view()
                    };
                    view! {
                        <div class="picture-rule"><span>{move || t.get().layer(layer + 1)}</span></div>
                        <div class="picture-side">
                            {maps(Side::Target)}
                            {(layer + 1 < layers).then(|| view! {
                                <StateMap side=Side::Target level=layer + 1 name=Signal::stored(format!("X[{}]", layer + 1))/>
                            })}
                        </div>
                        <div class="picture-middle"><MachineBand machine band=Band::Layer(layer)/></div>
                        <div class="picture-side is-universal">{maps(Side::Universal)}</div>
                    }
                })
                .collect_view()
        })
    };
    let output_level = move || shape.get().map_or(0, |(layers, _)| layers);
    view! {
        <section class="picture" aria-label=say(t, Language::picture)>
            <div class="picture-head">
                <span class="kicker">{say(t, Language::target)}</span>
                <strong>{say(t, Language::target_says)}</strong>
            </div>
            <div class="picture-head is-middle">
                <span class="kicker">{say(t, Language::the_roll)}</span>
                <strong>
                    {move || size.get().map(|((d, m), _)| t.get().roll_says(d, m))}
                </strong>
                <ZoomButtons machine/>
            </div>
            <div class="picture-head is-universal">
                <span class="kicker">{say(t, Language::universal)}</span>
                <strong>{move || match size.get() {
                    Some((_, false)) => t.get().universal_says_random(),
                    _ => t.get().universal_says_routed(),
                }}</strong>
            </div>
            <div class="picture-side"><StateMap side=Side::Target level=0 name=Signal::stored("X".to_owned())/></div>
            <div class="picture-middle"><MachineBand machine band=Band::Roll/></div>
            <div class="picture-side is-universal">
                <p class="quiet">{move || match size.get() {
                    Some((_, false)) => t.get().frozen_in_words_random(),
                    _ => t.get().frozen_in_words(),
                }}</p>
                <Segments
                    label=text_of(t, Language::right_shows)
                    label_place=LabelPlace::Spoken
                    options=Signal::derive(move || vec![
                        Choice::new(RightShows::Numbers, t.get().show_numbers()),
                        Choice::new(RightShows::Difference, t.get().show_difference()),
                    ])
                    value=right_shows
                    on_input=move |shows| right_shows.set(shows)
                />
            </div>
            {layers}
            <div class="picture-rule"><span>{say(t, Language::output)}</span></div>
            <div class="picture-side">
                {move || shape.get().map(|(layers, _)| view! {
                    <StateMap side=Side::Target level=layers name=Signal::stored("T(X)".to_owned())/>
                })}
            </div>
            <div class="picture-middle">
                <p class="identity" class:is-ok=move || is_equal.get() == Some(true) class:is-bad=move || is_equal.get() == Some(false)>
                    {move || match is_equal.get() {
                        Some(true) => "UT(X, E) = T(X)",
                        Some(false) => "UT(X, E) ≠ T(X)",
                        None => "",
                    }}
                </p>
                <Readout room/>
            </div>
            <div class="picture-side is-universal">
                {move || {
                    let level = output_level();
                    view! { <StateMap side=Side::Universal level name=Signal::stored("UT(X, E)".to_owned())/> }
                }}
            </div>
        </section>
    }
}

/// What happens at a position of the animation.
fn caption(t: Language, position: f64) -> String {
    let layer = position.floor() as usize;
    if position <= 0.0 {
        t.caption_start().to_owned()
    } else if position.fract() == 0.0 {
        t.caption_after(layer)
    } else {
        t.caption_during(layer + 1)
    }
}

/// What both outputs say, where the target has a vocabulary.
#[component]
fn Readout(room: Room) -> impl IntoView {
    let t = use_language();
    let said = Memo::new(move |_| {
        read(room, |played| {
            let (target, universal) = played.readout.clone()?;
            Some((played.tokens.clone().unwrap_or_default(), target, universal))
        })
    });
    move || {
        said.get().map(|(tokens, target, universal)| {
            let cells = |words: Vec<String>| words.into_iter().map(|word| view! { <td>{word}</td> }).collect_view();
            view! {
                <div class="readout-frame">
                    <table class="readout">
                        <caption class="visually-hidden">{t.get().readout()}</caption>
                        <tbody>
                            <tr class="readout-input"><th scope="row">{t.get().input_row()}</th>{cells(tokens)}</tr>
                            <tr class="readout-target"><th scope="row">{t.get().target()}</th>{cells(target)}</tr>
                            <tr class="readout-universal"><th scope="row">{t.get().universal()}</th>{cells(universal)}</tr>
                        </tbody>
                    </table>
                </div>
            }
        })
    }
}

crate::texts! {
    universal_title: "One frozen transformer plays any other" | "Um transformer congelado toca qualquer outro";
    more_below: "Show the tree of attention paths, the weights and the proof" | "Mostrar a árvore de caminhos de atenção, os pesos e a prova";
    universal_lead: "On the left, a target. On the right, a transformer whose weights never change. All that it knows of the target is on the roll between them: the embedding E."
        | "À esquerda, um alvo. À direita, um transformer cujos pesos nunca mudam. Tudo o que ele sabe do alvo está no rolo entre eles: a matriz de embedding E.";
    picture: "The target, the roll and the universal transformer" | "O alvo, o rolo e o transformer universal";
    target: "Target" | "Alvo";
    target_says: "every weight its own" | "cada peso é seu";
    the_roll: "The roll" | "O rolo";
    roll_says(d: usize, m: usize): "E, the only thing that depends on the target: {d} × {m}" | "E, a única coisa que depende do alvo: {d} × {m}";
    universal: "Universal" | "Universal";
    universal_says_routed: "weights 0 and 1, for ever" | "pesos 0 e 1, para sempre";
    universal_says_random: "drawn once, then frozen" | "sorteado uma vez, depois congelado";
    frozen_in_words: "Rq and Rk choose a block, Rv moves blocks. Nothing else." | "Rq e Rk escolhem um bloco, Rv move blocos. Nada mais.";
    layer(layer: usize): "layer {layer}" | "camada {layer}";
    readout: "What the outputs say" | "O que as saídas dizem";
    input_row: "Input" | "Entrada";
    frozen_in_words_random: "Rq, Rk, Rv and U are random numbers, the same for every target." | "Rq, Rk, Rv e U são números aleatórios, os mesmos para todo alvo.";
    right_shows: "The matrices at the right show" | "As matrizes à direita mostram";
    show_numbers: "numbers" | "números";
    show_difference: "difference" | "diferença";
    animation: "Animation, layer by layer" | "Animação, camada por camada";
    caption_start: "X E: every leaf in its block" | "X E: cada folha em seu bloco";
    caption_during(layer: usize): "layer {layer}: blocks travel, meet and add up" | "camada {layer}: blocos viajam, encontram-se e somam-se";
    caption_after(layer: usize): "after layer {layer}" | "após a camada {layer}";
    proof_lead: "Everything that the target computes is found in the universal transformer, number by number." | "Tudo o que o alvo computa se encontra no transformer universal, número por número.";
    proof_title: "The proof, layer by layer" | "A prova, camada por camada";
}
