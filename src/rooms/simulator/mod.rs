//! The workspace “Simulator”: attention, simulated by attention. One fixed RASP program receives a target's weights
//! and its input as data, and computes what the target computes.

mod bench;
pub mod choices;
mod controls;
mod depth;
mod focus;
mod formulas;
pub mod job;
mod maps;
mod names;
mod operation;
mod pairs;
mod play;
mod program;
mod proof;
mod room;
mod sequence;
mod shares;
mod stories;
mod timeline;

use leptos::prelude::*;

use self::bench::BenchView;
use self::controls::Controls;
use self::depth::DepthPanel;
use self::names::symbol;
use self::operation::OperationView;
use self::pairs::{InputsPanel, PairsPanel, StageButtons};
use self::program::ProgramPanel;
use self::proof::{ProofBadge, ProofView};
use self::room::SimulatorRoom;
use self::sequence::{LayoutTable, SequenceStrip};
use self::stories::Story;
use crate::ground::language::use_language;
use crate::rooms::simulator::choices::Grain;
use crate::widgets::controls::{Choice, LabelPlace, Segments};
use crate::widgets::scrubber::Scrubber;

crate::part! { simulator:
    /// The whole workspace.
    pub fn page() -> AnyView {
        view! { <SimulatorPage/> }.into_any()
    }
}

#[component]
fn SimulatorPage() -> impl IntoView {
    let room = SimulatorRoom::provide();
    let t = use_language();
    let caption = Signal::derive(move || {
        room.read_now(|simulated, stage, now| {
            let t = t.get();
            let name = symbol(&stage.name, simulated.target.heads);
            let beat = stage.beats.get(now.beat)?;
            let what = match beat.term {
                Some(term) => {
                    t.simulator_term(term + 1, stage.beats.iter().filter(|it| it.term.is_some()).count())
                }
                None => beat.lanes.last().map(|lane| lane.name.clone()).unwrap_or_default(),
            };
            Some(match now.position {
                Some(position) => format!("{name} · {what} · {} {position}", t.simulator_position()),
                None => format!("{name} · {what}"),
            })
        })
    });
    view! {
        <div class="room-head">
            <div>
                <h1>{move || t.get().simulator_title()}</h1>
                <p class="lead">{move || t.get().simulator_lead()}</p>
            </div>
            <ProofView/>
        </div>
        <Controls/>
        <Story/>
        <div class="sim-line-of-stages">
            <StageButtons/>
            <Segments
                label=Signal::derive(move || t.get().simulator_grain().to_owned())
                label_place=LabelPlace::Beside
                options=Signal::derive(move || vec![
                    Choice::new(Grain::Statement, t.get().simulator_statement()),
                    Choice::new(Grain::Primitive, t.get().simulator_primitive()).noted(t.get().simulator_primitive_note()),
                    Choice::new(Grain::Position, t.get().simulator_one_position()).noted(t.get().simulator_position_note()),
                ])
                value=Signal::derive(move || room.look.with(|look| look.grain))
                on_input=move |grain| room.change_grain(grain)
            />
        </div>
        <section class="sim-room" aria-label=move || t.get().simulator_both()>
            <div class="sim-target">
                <p class="sim-kicker"><span class="caps">{move || t.get().target()}</span> " " <strong>{move || t.get().simulator_target_says()}</strong></p>
                <OperationView/>
            </div>
            <div class="sim-simulator">
                <BenchView/>
            </div>
        </section>
        <div class="sim-dock" on:click=move |_| room.keep_step() on:keyup=move |_| room.keep_step() on:change=move |_| room.keep_step()>
            <SequenceStrip/>
            <div class="sim-transport">
                <ProofBadge/>
                <Scrubber clock=room.clock label=Signal::derive(move || t.get().simulator_animation().to_owned()) caption/>
            </div>
        </div>
        <section class="panel">
            <h2>{move || t.get().simulator_program_title()}</h2>
            <p class="lead">{move || t.get().simulator_program_lead()}</p>
            <ProgramPanel/>
        </section>
        <InputsPanel/>
        <section class="panel">
            <h2>{move || t.get().simulator_layout_title()}</h2>
            <p class="lead">{move || t.get().simulator_layout_lead()}</p>
            <LayoutTable/>
        </section>
        <PairsPanel/>
        <DepthPanel/>
    }
}

crate::texts! {
    simulator_title: "Attention, simulated by attention" | "Atenção, simulada por atenção";
    simulator_lead: "One fixed RASP program gets the weights of an attention layer and its input as plain data, and computes what the layer computes. Both sides move in step."
        | "Um programa RASP fixo recebe os pesos de uma camada de atenção e sua entrada como simples dados, e calcula o que a camada calcula. Os dois lados andam juntos.";
    simulator_both: "The target and the simulator, in step" | "O alvo e o simulador, lado a lado";
    simulator_target_says: "the layer itself" | "a própria camada";
    simulator_animation: "Animation of both sides" | "Animação dos dois lados";
    simulator_term(term: usize, terms: usize): "term {term} of {terms}" | "termo {term} de {terms}";
    simulator_grain: "One step is" | "Um passo é";
    simulator_statement: "statement" | "comando";
    simulator_primitive: "primitive" | "primitiva";
    simulator_primitive_note: "All positions at the same time, as the program runs" | "Todas as posições ao mesmo tempo, como o programa roda";
    simulator_one_position: "position" | "posição";
    simulator_position_note: "One position after the other" | "Uma posição após a outra";
    simulator_program_title: "The program that never changes" | "O programa que nunca muda";
    simulator_program_lead: "It is written from the sizes alone. The line that runs now is lit, and so is the line of the function that does the work."
        | "Ele é escrito só a partir dos tamanhos. A linha que roda agora está acesa, e também a da função que faz o trabalho.";
    simulator_layout_title: "Where everything stands" | "Onde tudo está";
    simulator_layout_lead: "Element (i, j) of an r × c matrix that starts at position o stands at position o + (i − 1) c + (j − 1). The strip above the scrubber shows the whole sequence at all times."
        | "O elemento (i, j) de uma matriz r × c que começa na posição o está na posição o + (i − 1) c + (j − 1). A faixa acima do controle de animação mostra a sequência inteira o tempo todo.";
}
