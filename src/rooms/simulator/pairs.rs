//! Every matrix on the way, twice: as the target computes it and as the simulator does, cell by cell.

use leptos::prelude::*;

use super::controls::RestoreButton;
use super::maps::{Side, WholeMap};
use super::names::{meaning, symbol};
use super::proof::scientific;
use super::room::SimulatorRoom;
use crate::ground::language::use_language;

/// The stages as buttons, in the order of the program: each goes to its place in the animation.
#[component]
pub fn StageButtons() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let names = Memo::new(move |_| {
        room.read(|simulated| {
            let names = simulated.stages.iter().map(|stage| stage.name.clone()).collect::<Vec<_>>();
            Some((names, simulated.target.heads))
        })
    });
    let at = Memo::new(move |_| room.now.get().map(|now| now.stage));
    let buttons = move || {
        names.get().map(|(names, heads)| {
            names
                .into_iter()
                .enumerate()
                .map(|(stage, name)| {
                    let about = meaning(&name, t.get());
                    view! {
                        <button
                            type="button"
                            class="sim-stage"
                            title=about
                            aria-current=move || (at.get() == Some(stage)).then_some("step")
                            on:click=move |_| room.go_to_stage(stage)
                        >
                            {symbol(&name, heads)}
                        </button>
                    }
                })
                .collect_view()
        })
    };
    view! { <nav class="sim-stages" aria-label=move || t.get().simulator_stages()>{buttons}</nav> }.into_any()
}

/// What the simulator receives. Every cell can be changed.
#[component]
pub fn InputsPanel() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let names = Memo::new(move |_| {
        room.read(|simulated| Some(simulated.inputs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()))
    });
    let maps = move || {
        names.get().map(|names| {
            names.into_iter().map(|name| view! { <WholeMap side=Side::Target name/> }).collect_view()
        })
    };
    view! {
        <section class="panel">
            <h2>{move || t.get().simulator_inputs_title()}</h2>
            <p class="lead">{move || t.get().simulator_inputs_lead()}</p>
            <RestoreButton/>
            <div class="matrix-row">{maps}</div>
        </section>
    }
    .into_any()
}

/// All stages, both sides.
#[component]
pub fn PairsPanel() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let names = Memo::new(move |_| {
        room.read(|simulated| {
            let names = simulated.stages.iter().map(|stage| stage.name.clone()).collect::<Vec<_>>();
            Some((names, simulated.target.heads))
        })
    });
    let cards = move || {
        names
            .get()
            .map(|(names, heads)| names.into_iter().map(|name| view! { <Pair name heads/> }).collect_view())
    };
    view! {
        <section class="panel">
            <h2>{move || t.get().simulator_pairs_title()}</h2>
            <p class="lead">{move || t.get().simulator_pairs_lead()}</p>
            <div class="sim-pairs">{cards}</div>
        </section>
    }
    .into_any()
}

#[component]
fn Pair(#[prop(into)] name: String, heads: usize) -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let difference = {
        let name = name.clone();
        Memo::new(move |_| {
            room.read(|simulated| {
                let stage = simulated.stages.iter().find(|stage| stage.name == name)?;
                let difference = stage.difference;
                Some((difference, difference.is_some_and(|it| it <= simulated.tolerance)))
            })
        })
    };
    let is_now = {
        let name = name.clone();
        Memo::new(move |_| room.read_now(|_, stage, _| Some(stage.name == name)).unwrap_or(false))
    };
    let title = symbol(&name, heads);
    let about = {
        let name = name.clone();
        move || meaning(&name, t.get())
    };
    view! {
        <article class="sim-pair" class:is-now=move || is_now.get()>
            <h3><span class="sim-symbol">{title}</span> <span class="quiet">{about}</span></h3>
            <div class="sim-pair-maps">
                <div>
                    <p class="caps">{move || t.get().target()}</p>
                    <WholeMap side=Side::Target name=name.clone()/>
                </div>
                <div>
                    <p class="caps">{move || t.get().simulator_side()}</p>
                    <WholeMap side=Side::Simulator name=name.clone()/>
                </div>
            </div>
            <p class="map-verdict" class:is-bad=move || difference.get().is_some_and(|(_, holds)| !holds)>
                {move || difference.get().map(|(difference, holds)| match (difference, holds) {
                    (None, _) => t.get().simulator_not_reached().to_owned(),
                    (Some(0.0), _) => t.get().simulator_equal_bits().to_owned(),
                    (Some(difference), true) => t.get().simulator_equal_up_to(&scientific(difference)),
                    (Some(difference), false) => t.get().simulator_apart(&scientific(difference)),
                })}
            </p>
        </article>
    }
    .into_any()
}

crate::texts! {
    simulator_stages: "Matrices on the way" | "Matrizes do caminho";
    simulator_side: "Simulator" | "Simulador";
    simulator_inputs_title: "What the program receives" | "O que o programa recebe";
    simulator_inputs_lead: "The input and all weights of the target, as data. Change any number (F2 or a double click): both sides follow, and the program stays as it is."
        | "A entrada e todos os pesos do alvo, como dados. Mude qualquer número (F2 ou clique duplo): os dois lados acompanham, e o programa fica como está.";
    simulator_pairs_title: "Every matrix, twice" | "Cada matriz, duas vezes";
    simulator_pairs_lead: "As the target computes it, and as the first positions of a sequence of the program. Point at a cell: its twin, its sources and whatever it goes into light up."
        | "Como o alvo a calcula, e como as primeiras posições de uma sequência do programa. Aponte para uma célula: sua gêmea, suas fontes e tudo em que ela entra se acendem.";
    simulator_not_reached: "✗ the run stopped before" | "✗ a execução parou antes";
    simulator_equal_bits: "✓ equal to the last bit" | "✓ iguais até o último bit";
    simulator_equal_up_to(difference: &str): "✓ equal up to {difference}" | "✓ iguais a menos de {difference}";
    simulator_apart(difference: &str): "✗ apart by up to {difference}" | "✗ separadas por até {difference}";
}
