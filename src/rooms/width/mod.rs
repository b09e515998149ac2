//! The workspace “Width”: random weights are universal as soon as they are wide enough, and the width must be
//! exponential in the depth.

pub mod choices;
mod cliff;
mod conditioning;
mod controls;
mod exponential;
pub mod job;
mod laws;
mod marked;
mod room;
mod runner;
mod witness;
mod work;

use leptos::prelude::*;

use self::cliff::CliffPanel;
use self::conditioning::ConditioningPanel;
use self::controls::Controls;
use self::exponential::ExponentialPanel;
use self::marked::MarkedPanel;
use self::room::WidthRoom;
use self::runner::Runner;
use self::witness::{WalkUnderWay, WitnessPanel};
use crate::ground::language::use_language;
use crate::rooms::width::job::Request;
use crate::work::client::Line;

crate::part! { width:
    /// The whole workspace.
    pub fn page() -> AnyView {
        view! { <WidthPage/> }.into_any()
    }
}

#[component]
fn WidthPage() -> impl IntoView {
    let room = WidthRoom::provide();
    let t = use_language();
    let sweep = Runner::start(
        Line::Sweep,
        Request::Sample,
        Memo::new(move |_| room.state.with(cliff::plan)),
        Signal::stored(true),
    );
    // One worker does it all, so what comes first on the page comes first.
    let walk = WalkUnderWay::start(room, Signal::derive(move || sweep.work.is_at_rest()));
    let grades = Runner::start(
        Line::Conditioning,
        Request::Grade,
        Memo::new(move |_| room.state.with(conditioning::plan)),
        Signal::derive(move || sweep.work.is_at_rest() && walk.work.is_at_rest()),
    );
    view! {
        <div class="room-head">
            <div>
                <h1>{move || t.get().width_title()}</h1>
                <p class="lead">{move || t.get().width_lead()}</p>
            </div>
        </div>
        <Controls/>
        <CliffPanel runner=sweep/>
        <MarkedPanel/>
        <WitnessPanel walk/>
        <ExponentialPanel/>
        <ConditioningPanel runner=grades/>
    }
}

crate::texts! {
    width_title: "Why it must be wide" | "Por que precisa ser largo";
    width_lead: "Frozen random weights play any target of their class as soon as their width m reaches a number N: with probability 1, and not one column earlier. N is exponential in the depth, and no cleverer construction avoids that."
        | "Pesos aleatórios congelados tocam qualquer alvo de sua classe assim que sua largura m alcança um número N: com probabilidade 1, e nem uma coluna antes. N é exponencial na profundidade, e nenhuma construção mais esperta evita isso.";
}
