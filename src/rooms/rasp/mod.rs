//! The workspace “RASP”: a workbench where every primitive can be seen.

pub mod choices;
mod controls;
mod editor;
mod files;
mod gallery;
mod graph;
pub mod job;
mod packing;
mod results;
mod room;
mod stage;
mod stories;
mod timeline;
mod words;

use leptos::ev::DragEvent;
use leptos::prelude::*;

use self::controls::Controls;
use self::editor::Editor;
pub use self::editor::reading;
use self::files::{Files, Opener};
use self::graph::GraphPanel;
use self::results::Results;
use self::room::Room;
use self::stage::Stage;
use crate::ground::language::{Language, use_language};
use crate::rooms::rasp::choices::Pace;
use crate::widgets::controls::files_of;
use crate::widgets::scrubber::{Granularity, Scrubber};
use crate::widgets::table::TextTable;

crate::part! { rasp:
    /// The whole workspace.
    pub fn page() -> AnyView {
        view! { <RaspPage/> }.into_any()
    }
}

#[component]
fn RaspPage() -> impl IntoView {
    Room::provide();
    let opener = Opener::here();
    let t = use_language();
    let on_drop = move |event: DragEvent| {
        // A button that takes files has taken these.
        if event.default_prevented() {
            return;
        }
        event.prevent_default();
        let files = files_of(event.data_transfer().and_then(|data| data.files()));
        if !files.is_empty() {
            opener.take(files);
        }
    };
    view! {
        <div class="rasp" on:dragover=move |event: DragEvent| event.prevent_default() on:drop=on_drop>
            <div class="room-head">
                <div>
                    <h1>{move || t.get().rasp_title()}</h1>
                    <p class="lead">{move || t.get().rasp_lead()}</p>
                </div>
                <Facts/>
            </div>
            <Controls/>
            <div class="rasp-desk">
                <div class="rasp-left">
                    <Editor/>
                    <Results/>
                    <Files/>
                </div>
                <Stage/>
            </div>
            <section class="panel">
                <h2>{move || t.get().rasp_graph_title()}</h2>
                <p class="lead">{move || t.get().rasp_graph_lead()}</p>
                <GraphPanel/>
                <Layers/>
            </section>
            <Transport/>
        </div>
    }
    .into_any()
}

/// How deep and how wide the program is.
#[component]
fn Facts() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let facts = move || {
        let t = t.get();
        room.played.with(|played| {
            let analysis = &played.as_ref()?.run.analysis;
            let (written, merged) = (analysis.width(), analysis.merged_width());
            let width = match written == merged {
                true => t.rasp_widest_layer().to_owned(),
                false => t.rasp_widest_layer_merged(merged),
            };
            Some(view! {
                <div class="proof-fact">
                    <span class="proof-value">{t.rasp_depth(analysis.depth())}</span>
                    <span class="proof-name">{t.rasp_for_every_input()}</span>
                </div>
                <div class="proof-fact">
                    <span class="proof-value">{t.rasp_heads(written)}</span>
                    <span class="proof-name">{width}</span>
                </div>
            })
        })
    };
    view! { <div class="proof" role="status" aria-label=move || t.get().rasp_facts()>{facts}</div> }
        .into_any()
}

/// The layers as a table.
#[component]
fn Layers() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let headings = Signal::derive(move || {
        let t = t.get();
        [t.rasp_layer_heading(), t.rasp_written_heading(), t.rasp_merged_heading(), t.rasp_steps_heading()]
            .map(str::to_owned)
            .to_vec()
    });
    let rows = Signal::derive(move || {
        room.played.with(|played| {
            let Some(analysis) = played.as_ref().map(|played| &played.run.analysis) else {
                return Vec::new();
            };
            let written = analysis.heads_per_layer.iter();
            let layers = analysis.layers.iter().zip(written).enumerate();
            layers
                .map(|(at, (layer, written))| {
                    [at + 1, *written, layer.heads.len(), layer.elementwise.len()]
                        .map(|n| n.to_string())
                        .to_vec()
                })
                .collect()
        })
    });
    view! {
        <div class="rasp-layers">
            <Show when=move || !rows.with(Vec::is_empty)>
                <TextTable caption=Signal::derive(move || t.get().rasp_layers_table().to_owned()) headings rows/>
            </Show>
            <p class="quiet">{move || t.get().rasp_merging()}</p>
        </div>
    }
    .into_any()
}

/// The scrubber of the whole program.
#[component]
fn Transport() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let granularities = Signal::derive(move || {
        Pace::ALL
            .map(|pace| Granularity { label: pace_name(t.get(), pace).to_owned(), stops: room.stops(pace) })
            .to_vec()
    });
    let pace = Memo::new(move |_| room.look.with(|look| look.pace));
    let chosen = RwSignal::new(0);
    Effect::new(move |_| {
        chosen.set(Pace::ALL.iter().position(|known| *known == pace.get()).unwrap_or_default());
    });
    Effect::new(move |_| {
        let new = Pace::ALL[chosen.get().min(Pace::ALL.len() - 1)];
        if new != pace.get_untracked() {
            room.change_look(|look| look.pace = new);
        }
    });
    let caption = Signal::derive(move || {
        let step = room.step.get()?;
        room.played.with(|played| Some(played.as_ref()?.title(step)))
    });
    view! {
        <div
            class="rasp-transport"
            on:click=move |_| room.keep_moment()
            on:keyup=move |_| room.keep_moment()
            on:change=move |_| room.keep_moment()
        >
            <Scrubber
                clock=room.clock
                label=Signal::derive(move || t.get().rasp_animation().to_owned())
                granularities
                granularity=chosen
                caption
            />
        </div>
    }
    .into_any()
}

fn pace_name(t: Language, pace: Pace) -> &'static str {
    match pace {
        Pace::Statement => t.rasp_by_statement(),
        Pace::Primitive => t.rasp_by_primitive(),
        Pace::Position => t.rasp_by_position(),
    }
}

impl Language {
    /// A number of layers, in words.
    fn rasp_depth(self, layers: usize) -> String {
        match layers {
            1 => self.rasp_one_layer().to_owned(),
            layers => self.rasp_many_layers(layers),
        }
    }
}

crate::texts! {
    rasp_title: "RASP, alive" | "RASP, vivo";
    rasp_lead: "A language for what a transformer computes. Every selector is an attention head; see what it selects, and what is fetched through it."
        | "Uma linguagem para o que um transformer computa. Cada seletor é uma cabeça de atenção; veja o que ele seleciona e o que se busca por ele.";
    rasp_facts: "Depth and width" | "Profundidade e largura";
    rasp_one_layer: "1 layer" | "1 camada";
    rasp_many_layers(layers: usize): "{layers} layers" | "{layers} camadas";
    rasp_for_every_input: "for inputs of every length" | "para entradas de todo comprimento";
    rasp_widest_layer: "in the widest layer" | "na camada mais larga";
    rasp_widest_layer_merged(merged: usize): "in the widest layer as written; at most {merged} are different" | "na camada mais larga como escrito; no máximo {merged} são diferentes";
    rasp_graph_title: "Dataflow, layer by layer" | "Fluxo de dados, camada por camada";
    rasp_graph_lead: "Square boxes are selectors, round ones sequences. Choose one to see it at work."
        | "Caixas quadradas são seletores, redondas são sequências. Escolha uma para vê-la em ação.";
    rasp_layers_table: "Layers and heads" | "Camadas e cabeças";
    rasp_layer_heading: "Layer" | "Camada";
    rasp_written_heading: "Heads as written" | "Cabeças como escrito";
    rasp_merged_heading: "Different heads" | "Cabeças diferentes";
    rasp_steps_heading: "Elementwise steps" | "Passos elemento a elemento";
    rasp_merging: "Two selectors with the same construction select the same for every input, whatever their names are: they count as one different head."
        | "Dois seletores com a mesma construção selecionam o mesmo para toda entrada, quaisquer que sejam seus nomes: contam como uma só cabeça diferente.";
    rasp_animation: "Animation of the program" | "Animação do programa";
    rasp_by_statement: "statement" | "instrução";
    rasp_by_primitive: "primitive" | "primitiva";
    rasp_by_position: "position" | "posição";
}
