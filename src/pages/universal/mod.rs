//! The workspace “Universal”: one frozen transformer plays any other.

mod controls;
mod focus;
mod formula;
mod machine;
mod matrices;
mod proof;
mod room;
mod stories;

use leptos::prelude::*;

use self::controls::Controls;
use self::machine::{Band, Machine, MachineBand, ZoomButtons};
use self::matrices::{AttentionMap, RightShows, Side, StateMap, read};
use self::proof::{ProofTable, ProofView, holds};
use self::room::Room;
use self::stories::Story;
use crate::language::use_language;

/// The whole workspace.
#[component]
pub fn UniversalPage() -> impl IntoView {
    let room = Room::provide();
    let t = use_language();
    view! {
        <div class="room-head">
            <div>
                <h1>{move || t.get().universal_title()}</h1>
                <p class="lead">{move || t.get().universal_lead()}</p>
            </div>
            <ProofView/>
        </div>
        <Controls/>
        <Story/>
        <Picture room/>
        <section class="panel">
            <h2>{move || t.get().proof_title()}</h2>
            <ProofTable/>
        </section>
    }
}

/// The picture: target, roll and universal transformer, read from top to bottom.
#[component]
fn Picture(room: Room) -> impl IntoView {
    let t = use_language();
    let progress = Signal::derive(move || {
        let layers = room.piece.with(|piece| piece.class.layers);
        room.look.with(|look| look.step.unwrap_or(layers)) as f64
    });
    let machine = Machine::new(room, progress);
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
                        <div class="picture-side">{maps(Side::Target)}</div>
                        <div class="picture-middle"><MachineBand machine band=Band::Layer(layer)/></div>
                        <div class="picture-side is-universal">{maps(Side::Universal)}</div>
                    }
                })
                .collect_view()
        })
    };
    let output_level = move || shape.get().map_or(0, |(layers, _)| layers);
    view! {
        <section class="picture" aria-label=move || t.get().picture()>
            <div class="picture-head">
                <span class="kicker">{move || t.get().target()}</span>
                <strong>{move || t.get().target_says()}</strong>
            </div>
            <div class="picture-head is-middle">
                <span class="kicker">{move || t.get().the_roll()}</span>
                <strong>
                    {move || size.get().map(|((d, m), _)| t.get().roll_says(d, m))}
                </strong>
                <ZoomButtons machine/>
            </div>
            <div class="picture-head is-universal">
                <span class="kicker">{move || t.get().universal()}</span>
                <strong>{move || match size.get() {
                    Some((_, false)) => t.get().universal_says_random(),
                    _ => t.get().universal_says_routed(),
                }}</strong>
            </div>
            <div class="picture-side"><StateMap side=Side::Target level=0 name=Signal::stored("X".to_owned())/></div>
            <div class="picture-middle"><MachineBand machine band=Band::Roll/></div>
            <div class="picture-side is-universal">
                <p class="quiet">{move || t.get().frozen_in_words()}</p>
            </div>
            {layers}
            <div class="picture-rule"><span>{move || t.get().output()}</span></div>
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
    proof_title: "The proof, layer by layer" | "A prova, camada por camada";
}
