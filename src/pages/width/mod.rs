//! The workspace “Width”: random weights are universal as soon as they are wide enough, and the width must be
//! exponential in the depth.

mod cliff;
mod controls;
mod exponential;
mod marked;
mod room;
mod runner;
mod witness;

use leptos::prelude::*;

use self::cliff::CliffPanel;
use self::controls::Controls;
use self::exponential::ExponentialPanel;
use self::marked::MarkedPanel;
use self::room::WidthRoom;
use self::witness::WitnessPanel;
use crate::language::use_language;

/// The whole workspace.
#[component]
pub fn WidthPage() -> impl IntoView {
    WidthRoom::provide();
    let t = use_language();
    view! {
        <div class="room-head">
            <div>
                <h1>{move || t.get().width_title()}</h1>
                <p class="lead">{move || t.get().width_lead()}</p>
            </div>
        </div>
        <Controls/>
        <CliffPanel/>
        <MarkedPanel/>
        <WitnessPanel/>
        <ExponentialPanel/>
    }
}

crate::texts! {
    width_title: "Why it must be wide" | "Por que precisa ser largo";
    width_lead: "Frozen random weights play any target of their class as soon as m reaches a number N: with probability 1, and not one column earlier. N is exponential in the depth, and no cleverer construction avoids that."
        | "Pesos aleatórios congelados tocam qualquer alvo de sua classe assim que m alcança um número N: com probabilidade 1, e nem uma coluna antes. N é exponencial na profundidade, e nenhuma construção mais esperta evita isso.";
    chart_keys: "Left and right arrows go along a series, up and down to another series, Enter moves the marker there, T opens a table."
        | "As setas esquerda e direita andam numa série, para cima e para baixo mudam de série, Enter leva o marcador até lá, T abre uma tabela.";
}
