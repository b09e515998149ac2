//! The controls of the workspace. Each acts at once and changes nothing that it need not.

use leptos::prelude::*;
use rasp::simulator::{Activation, Attend, Mask, presets};
use web_sys::File;

use super::room::SimulatorRoom;
use super::stories::preset_name;
use crate::drawing::export::save_text;
use crate::ground::language::{Language, use_language};
use crate::notices::Notices;
use crate::rooms::shared::named::Named;
use crate::rooms::simulator::choices::{
    MOST_EXTRA_ROWS, MOST_EXTRA_WIDTH, MOST_HEADS, MOST_HIDDEN, MOST_ROWS, MOST_WIDTH, Piece, Sizes,
    TargetSource,
};
use crate::rooms::simulator::job;
use crate::rooms::universal::choices::RANDOM_TARGET;
use crate::rooms::universal::files::ImportKind;
use crate::widgets::controls::{
    Button, Choice, FileButton, Look, Menu, MenuItem, Opened, Range, SeedField, Segments, Select, Slider,
    read_file,
};
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Packed, Request};

/// All controls in their bar. A lesson hides those that the link names.
#[component]
pub fn Controls() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let label = move |text: fn(Language) -> &'static str| Signal::derive(move || text(t.get()).to_owned());
    let size = move |of: fn(&Sizes) -> usize| {
        Signal::derive(move || room.piece.with(|piece| of(&piece.sizes)) as f64)
    };
    let whole = |most: usize| Range::whole(1, most as i32);
    let has_feed_forward = Memo::new(move |_| room.piece.with(|piece| piece.activation.is_some()));
    // A preset brings all its numbers, but perhaps no feed-forward sub-layer.
    let is_drawn = Memo::new(move |_| {
        room.piece
            .with(|piece| !matches!(piece.target, TargetSource::Preset(_)) || piece.activation.is_some())
    });
    let layers = Memo::new(move |_| {
        room.piece.with(|piece| match &piece.target {
            TargetSource::Own(target, _) => target.class().layers,
            _ => 1,
        })
    });
    // On a small screen the picture comes first and the controls open on demand.
    let opens =
        window().inner_width().ok().and_then(|width| width.as_f64()).is_none_or(|width| width >= 640.0);
    view! {
        <details class="control-details sim-controls" open=opens>
        <summary>{move || t.get().controls()}</summary>
        <div class="control-bar" role="group" aria-label=move || t.get().controls()>
            <Named name="preset"><PresetControl/></Named>
            <Show when=move || { layers.get() > 1 }>
                <Named name="layer">
                    <Slider label=label(Language::simulator_layer)
                        value=Signal::derive(move || room.piece.with(|piece| match &piece.target {
                            TargetSource::Own(_, layer) => layer + 1,
                            _ => 1,
                        }) as f64)
                        range=Signal::derive(move || whole(layers.get()))
                        on_input=move |value: f64| room.change(|mut piece| {
                            if let TargetSource::Own(_, layer) = &mut piece.target {
                                *layer = value as usize - 1;
                                piece.edits.clear();
                            }
                            piece
                        })/>
                </Named>
            </Show>
            <Named name="attention">
                <Segments label=label(Language::simulator_attention)
                    options=Signal::derive(move || {
                        let t = t.get();
                        vec![
                            Choice::new(Attend::Softmax, t.simulator_soft()).noted(t.simulator_soft_note()),
                            Choice::new(Attend::ShiftedSoftmax, t.simulator_shifted()).noted(t.simulator_shifted_note()),
                            Choice::new(Attend::AverageHard, t.simulator_hard()).noted(t.simulator_hard_note()),
                        ]
                    })
                    value=Signal::derive(move || room.piece.with(|piece| piece.attend))
                    on_input=move |attend| room.change(|piece| Piece { attend, ..piece })/>
            </Named>
            <Named name="mask">
                <Select label=label(Language::mask)
                    options=Signal::derive(move || vec![
                        Choice::new(Mask::None, t.get().mask_none()),
                        Choice::new(Mask::Causal, t.get().mask_causal()).noted(t.get().mask_causal_note()),
                    ])
                    value=Signal::derive(move || room.piece.with(|piece| piece.mask))
                    on_input=move |mask| room.change(|piece| Piece { mask, ..piece })/>
            </Named>
            <Named name="n">
                <Slider label=label(Language::tokens_control) value=size(|it| it.rows) range=whole(MOST_ROWS)
                    on_input=move |value: f64| room.change_sizes(|it| it.rows = value as usize)/>
            </Named>
            <Named name="width">
                <Slider label=label(Language::width) value=size(|it| it.width) range=whole(MOST_WIDTH)
                    on_input=move |value: f64| room.change_sizes(|it| it.width = value as usize)/>
            </Named>
            <Named name="value-width">
                <Slider label=label(Language::simulator_value_width) value=size(|it| it.value_width) range=whole(MOST_WIDTH)
                    on_input=move |value: f64| room.change_sizes(|it| it.value_width = value as usize)/>
            </Named>
            <Named name="heads">
                <Slider label=label(Language::heads) value=size(|it| it.heads) range=whole(MOST_HEADS)
                    on_input=move |value: f64| room.change_sizes(|it| it.heads = value as usize)/>
            </Named>
            <Named name="feed-forward">
                <Segments label=label(Language::simulator_feed_forward)
                    options=Signal::derive(move || vec![
                        Choice::new(None, t.get().simulator_no_feed_forward()),
                        Choice::new(Some(Activation::Relu), "ReLU"),
                        Choice::new(Some(Activation::MaxMin), "MaxMin").noted(t.get().simulator_maxmin_note()),
                    ])
                    value=Signal::derive(move || room.piece.with(|piece| piece.activation))
                    on_input=move |activation| room.change(|piece| piece.with_activation(activation))/>
            </Named>
            <Show when=move || has_feed_forward.get()>
                <Named name="hidden">
                    <Slider label=label(Language::simulator_hidden) value=size(|it| it.hidden)
                        range=Range::stepped(2.0, MOST_HIDDEN as f64, 2.0)
                        on_input=move |value: f64| room.change_sizes(|it| it.hidden = value as usize)/>
                </Named>
            </Show>
            <Show when=move || is_drawn.get()>
            <Named name="seed">
                <SeedField label=label(Language::seed)
                    value=Signal::derive(move || room.piece.with(|piece| piece.seed))
                    on_input=move |seed| room.change(|mut piece| {
                        if piece.target == TargetSource::Random {
                            piece.edits.clear();
                        }
                        Piece { seed, ..piece }
                    })/>
            </Named>
            </Show>
            <Named name="extra-n">
                <Slider label=label(Language::simulator_extra_rows)
                    value=Signal::derive(move || room.piece.with(|piece| piece.extra_rows) as f64)
                    range=Range::whole(0, MOST_EXTRA_ROWS as i32)
                    on_input=move |value: f64| room.change(|piece| Piece { extra_rows: value as usize, ..piece })/>
            </Named>
            <Named name="extra-width">
                <Slider label=label(Language::simulator_extra_width)
                    value=Signal::derive(move || room.piece.with(|piece| piece.extra_width) as f64)
                    range=Range::whole(0, MOST_EXTRA_WIDTH as i32)
                    on_input=move |value: f64| room.change(|piece| Piece { extra_width: value as usize, ..piece })/>
            </Named>
            <Named name="files"><FileControls/></Named>
        </div>
        </details>
    }
    .into_any()
}

/// A button that takes back what was changed by hand.
#[component]
pub fn RestoreButton() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let edits = Memo::new(move |_| room.piece.with(|piece| piece.edits.len()));
    view! {
        <Show when=move || { edits.get() > 0 }>
            <Button
                label=Signal::derive(move || t.get().restore_weights(edits.get()))
                look=Look::Strong
                on_press=move |()| room.change(|piece| Piece { edits: Vec::new(), ..piece })
            />
        </Show>
    }
    .into_any()
}

#[component]
fn PresetControl() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let options = Signal::derive(move || {
        let own = room.piece.with(|piece| matches!(piece.target, TargetSource::Own(..)));
        let ids = presets::IDS.into_iter().chain([RANDOM_TARGET]);
        let mut options: Vec<Choice<String>> =
            ids.map(|id| Choice::new(id.to_owned(), preset_name(t.get(), id))).collect();
        if own {
            options.push(Choice::new(String::new(), t.get().own_target()));
        }
        options
    });
    let value = Signal::derive(move || {
        room.piece.with(|piece| match &piece.target {
            TargetSource::Preset(id) => id.clone(),
            TargetSource::Random => RANDOM_TARGET.to_owned(),
            TargetSource::Own(..) => String::new(),
        })
    });
    let choose = move |id: String| {
        if !id.is_empty() {
            let target = if id == RANDOM_TARGET { TargetSource::Random } else { TargetSource::Preset(id) };
            room.change(|piece| piece.with_target(target));
        }
    };
    view! { <Select label=Signal::derive(move || t.get().preset().to_owned()) options value on_input=choose/> }
}

#[component]
fn FileControls() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let client = expect_context::<Client>();
    let notices = expect_context::<Notices>();
    let t = use_language();
    let import = move |kind: ImportKind| {
        move |file: File| {
            read_file(file, move |Opened { name, bytes }| {
                let piece = Box::new(room.piece.get_untracked());
                let request = job::Request::Import { kind, name, bytes, piece };
                let request = Request::Simulator(Packed::of(&request));
                client.ask(Line::Files, request, move |answer| match answer.map(Answer::simulator) {
                    Ok(Some(job::Answer::Import(piece))) => {
                        notices.clear_failures();
                        room.change(|_| *piece);
                    }
                    Ok(_) => {}
                    Err(failure) => notices.failure(failure),
                });
            });
        }
    };
    let save = move |what: fn(&job::Simulated) -> (&'static str, String)| {
        let file =
            room.simulated.with_untracked(|simulated| simulated.as_ref().map(|simulated| what(simulated)));
        if let Some((name, text)) = file {
            save_text(name, "text/plain;charset=utf-8", &text);
        }
    };
    let items = move |()| {
        let t = t.get_untracked();
        vec![
            MenuItem::new(t.simulator_export_program(), move || {
                save(|simulated| ("pianola-simulator.rasp", simulated.source.clone()));
            }),
            MenuItem::new(t.simulator_export_sequence(), move || {
                save(|simulated| {
                    let numbers: Vec<String> = simulated.sequence.iter().map(f64::to_string).collect();
                    ("pianola-sequence.json", format!("[{}]\n", numbers.join(", ")))
                });
            }),
        ]
    };
    view! {
        <div class="file-controls">
            <FileButton label=Signal::derive(move || t.get().import_target().to_owned())
                accept=".json,.safetensors" on_file=import(ImportKind::Target)/>
            <FileButton label=Signal::derive(move || t.get().import_input().to_owned())
                accept=".json,.csv,.npy,.txt" on_file=import(ImportKind::Input)/>
            <Menu label=Signal::derive(move || t.get().more_exports().to_owned()) items=Callback::new(items)/>
        </div>
    }
}

crate::texts! {
    simulator_layer: "Layer" | "Camada";
    simulator_attention: "Construction of the attention" | "Construção da atenção";
    simulator_soft: "Soft" | "Suave";
    simulator_soft_note: "Softmax as the paper computes it: scores up to about 709" | "Softmax como o artigo a calcula: pontuações até cerca de 709";
    simulator_shifted: "Soft, shifted" | "Suave, deslocada";
    simulator_shifted_note: "Softmax of the scores less the largest of their row: two layers more, all scores" | "Softmax das pontuações menos a maior da linha: duas camadas a mais, toda pontuação";
    simulator_hard: "Hard" | "Dura";
    simulator_hard_note: "The keys with the largest score share equally" | "As chaves de maior pontuação dividem por igual";
    simulator_value_width: "Value width" | "Largura dos valores";
    simulator_feed_forward: "Feed-forward" | "Feed-forward";
    simulator_no_feed_forward: "none" | "nenhuma";
    simulator_maxmin_note: "Sorts pairs of columns, the larger first" | "Ordena pares de colunas, a maior primeiro";
    simulator_hidden: "Hidden width" | "Largura oculta";
    simulator_extra_rows: "Spare tokens" | "Tokens de sobra";
    simulator_extra_width: "Spare width" | "Largura de sobra";
    simulator_export_program: "Program as .rasp" | "Programa em .rasp";
    simulator_export_sequence: "Sequence as JSON" | "Sequência em JSON";
}
