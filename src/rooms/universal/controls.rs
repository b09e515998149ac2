//! The controls of the workspace. Each acts at once and changes nothing that it need not.

use leptos::prelude::*;
use transformer::presets;
use transformer::{Attention, Class, Mask};
use universal::{Law, Tying};
use web_sys::File;

use super::matrices::read;
use super::room::Room;
use super::stories::preset_name;
use crate::drawing::export::save_bytes;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::notices::Notices;
use crate::rooms::shared::named::Named;
use crate::rooms::universal::choices::{
    Construction, InputSource, MOST_TOKENS, Piece, RANDOM_TARGET, TargetSource,
};
use crate::rooms::universal::files::{self, ExportKind, ImportKind};
use crate::widgets::controls::{
    Choice, FileButton, Menu, MenuItem, Opened, Range, SeedField, Segments, Select, Slider, TextField,
    Toggle, read_file,
};
use crate::widgets::icon::Icon;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Request};

/// All controls in their bar. A lesson hides those that the link names.
#[component]
pub fn Controls() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let label = move |text: fn(Language) -> &'static str| Signal::derive(move || text(t.get()).to_owned());
    let class = move |of: fn(&Class) -> usize| {
        Signal::derive(move || room.piece.with(|piece| of(&piece.class)) as f64)
    };
    let is_random = Memo::new(move |_| room.piece.with(|piece| piece.construction == Construction::Random));
    // On a small screen the picture comes first and the controls open on demand.
    let opens =
        window().inner_width().ok().and_then(|width| width.as_f64()).is_none_or(|width| width >= 640.0);
    view! {
        <details class="control-details" open=opens>
        <summary>{say(t, Language::controls)}</summary>
        <div class="control-bar" role="group" aria-label=say(t, Language::controls)>
            <Named name="preset"><PresetControl/></Named>
            <Named name="construction"><ConstructionControl/></Named>
            <Named name="heads">
                <Slider label=label(Language::heads) value=class(|class| class.heads) range=Range::whole(1, 8)
                    on_input=move |value: f64| room.change_class(|class| class.heads = value as usize)/>
            </Named>
            <Named name="layers">
                <Slider label=label(Language::layers) value=class(|class| class.layers) range=Range::whole(1, 12)
                    on_input=move |value: f64| room.change_class(|class| class.layers = value as usize)/>
            </Named>
            <Named name="width">
                <Slider label=label(Language::width) value=class(|class| class.width) range=Range::whole(1, 32)
                    on_input=move |value: f64| room.change_class(|class| class.width = value as usize)/>
            </Named>
            <Named name="head-width">
                <Slider label=label(Language::head_width) value=class(|class| class.head_width) range=Range::whole(1, 16)
                    on_input=move |value: f64| room.change_class(|class| class.head_width = value as usize)/>
            </Named>
            <Named name="n"><TokensControl/></Named>
            <Named name="attention">
                <Select label=label(Language::attention)
                    options=Signal::derive(move || {
                        let t = t.get();
                        vec![
                            Choice::new(Attention::Softmax, t.softmax()).noted(t.softmax_note()),
                            Choice::new(Attention::AverageHard, t.average_hard()).noted(t.average_hard_note()),
                            Choice::new(Attention::LeftmostHard, t.leftmost_hard()).noted(t.leftmost_hard_note()),
                        ]
                    })
                    value=Signal::derive(move || room.piece.with(|piece| piece.class.attention))
                    on_input=move |attention| room.change_class(|class| class.attention = attention)/>
            </Named>
            <Named name="mask">
                <Select label=label(Language::mask)
                    options=Signal::derive(move || vec![
                        Choice::new(Mask::None, t.get().mask_none()),
                        Choice::new(Mask::Causal, t.get().mask_causal()).noted(t.get().mask_causal_note()),
                    ])
                    value=Signal::derive(move || room.piece.with(|piece| piece.class.mask))
                    on_input=move |mask| room.change_class(|class| class.mask = mask)/>
            </Named>
            <Named name="residual">
                <Toggle label=label(Language::residual)
                    value=Signal::derive(move || room.piece.with(|piece| piece.class.residual))
                    on_input=move |residual| room.change_class(|class| class.residual = residual)/>
            </Named>
            <Named name="seed">
                <SeedField label=label(Language::seed)
                    value=Signal::derive(move || room.piece.with(|piece| piece.seed))
                    on_input=move |seed| room.change(|piece| Piece { seed, ..piece.reseeded() })/>
            </Named>
            <Show when=move || is_random.get()><RandomControls/></Show>
            <Named name="text"><InputControl/></Named>
            <Named name="files"><FileControls/></Named>
        </div>
        </details>
    }
}

#[component]
fn PresetControl() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let ids: Vec<&'static str> = presets::IDS.into_iter().filter(|id| *id != RANDOM_TARGET).collect();
    let options = Signal::derive(move || {
        let own = room.piece.with(|piece| matches!(piece.target, TargetSource::Own(_)));
        let named = ids.iter().copied().chain([RANDOM_TARGET]);
        let mut options: Vec<Choice<String>> =
            named.map(|id| Choice::new(id.to_owned(), preset_name(t.get(), id))).collect();
        if own {
            options.push(Choice::new(String::new(), t.get().own_target()));
        }
        options
    });
    let value = Signal::derive(move || {
        room.piece.with(|piece| match &piece.target {
            TargetSource::Preset(id) => id.clone(),
            TargetSource::Random => RANDOM_TARGET.to_owned(),
            TargetSource::Own(_) => String::new(),
        })
    });
    let choose = move |id: String| {
        if !id.is_empty() {
            let target = if id == RANDOM_TARGET { TargetSource::Random } else { TargetSource::Preset(id) };
            room.change(|piece| piece.with_target(target));
        }
    };
    view! {
        <Select label=text_of(t, Language::preset) options value on_input=choose/>
    }
}

#[component]
fn ConstructionControl() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let options = Signal::derive(move || {
        let t = t.get();
        vec![
            Choice::new(Construction::Sparse, t.sparse()).noted(t.sparse_note()),
            Choice::new(Construction::Looped, t.looped()).noted(t.looped_note()),
            Choice::new(Construction::Random, t.random()).noted(t.random_note()),
        ]
    });
    view! {
        <Segments
            label=text_of(t, Language::construction)
            options
            value=Signal::derive(move || room.piece.with(|piece| piece.construction))
            on_input=move |construction| room.change(|piece| Piece {
                construction,
                embedding_edits: Vec::new(),
                ..piece
            })
        />
    }
}

/// Law, tying, width and seed of random frozen weights.
#[component]
fn RandomControls() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let laws = Signal::derive(move || {
        let t = t.get();
        let mut laws = vec![
            Choice::new(Law::Gaussian, t.gaussian()),
            Choice::new(Law::Uniform, t.uniform()),
            Choice::new(Law::Sign, t.sign()),
            Choice::new(Law::LowRank, t.low_rank()).noted(t.low_rank_note()),
        ];
        // Values of one's own come by a link or a run file.
        let law = room.piece.with(|piece| piece.law);
        if matches!(law, Law::Table(_)) {
            laws.push(Choice::new(law, t.own_values()));
        }
        laws
    });
    let change = move |change: fn(&mut Piece)| {
        room.change(|mut piece| {
            change(&mut piece);
            piece.embedding_edits.clear();
            piece
        })
    };
    view! {
        <Named name="law">
            <Select label=text_of(t, Language::law) options=laws
                value=Signal::derive(move || room.piece.with(|piece| piece.law))
                on_input=move |law| room.change(|piece| Piece { law, embedding_edits: Vec::new(), ..piece })/>
        </Named>
        <Named name="tying">
            <Toggle label=text_of(t, Language::tied)
                value=Signal::derive(move || room.piece.with(|piece| piece.tying == Tying::Tied))
                on_input=move |tied: bool| {
                    change(if tied { |piece| piece.tying = Tying::Tied } else { |piece| piece.tying = Tying::Free });
                }/>
        </Named>
        <Named name="spare">
            <Slider label=text_of(t, Language::spare)
                value=Signal::derive(move || room.piece.with(|piece| piece.spare) as f64)
                range=Range::whole(-8, 64)
                on_input=move |spare: f64| room.change(|piece| Piece {
                    spare: spare as i64,
                    embedding_edits: Vec::new(),
                    ..piece
                })/>
        </Named>
        <Named name="frozen-seed">
            <SeedField label=text_of(t, Language::frozen_seed)
                value=Signal::derive(move || room.piece.with(|piece| piece.frozen_seed))
                on_input=move |frozen_seed| room.change(|piece| Piece {
                    frozen_seed,
                    embedding_edits: Vec::new(),
                    ..piece
                })/>
        </Named>
    }
}

/// How many tokens. Text is repeated or cut; drawn vectors are drawn further.
#[component]
fn TokensControl() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let count = Memo::new(move |_| read(room, |played| Some(played.input.nrows())).unwrap_or(1));
    let most = Signal::derive(move || {
        Range::whole(1, read(room, |played| Some(longest(&played.piece))).unwrap_or(32) as i32)
    });
    let set = move |n: f64| {
        let n = (n as usize).clamp(1, MOST_TOKENS);
        let known = read(room, |played| Some((played.tokens.clone(), played.input.clone())));
        room.change(|mut piece| {
            piece.input_edits.retain(|edit| edit.row < n);
            piece.input = match (&piece.input, known) {
                (InputSource::Text(_), Some((Some(tokens), _))) => {
                    InputSource::Text(resized(&tokens, &piece, n))
                }
                (InputSource::Rows(_), Some((_, rows))) => {
                    let take: Vec<usize> = (0..n).map(|row| row % rows.nrows()).collect();
                    InputSource::Rows(rows.select(ndarray::Axis(0), &take))
                }
                _ => InputSource::Length(n),
            };
            piece
        });
    };
    view! {
        <Slider label=text_of(t, Language::tokens_control)
            value=Signal::derive(move || count.get() as f64) range=most on_input=set/>
    }
}

/// The text that so many tokens make, the tokens repeated from the first where there are too few.
fn resized(tokens: &[String], piece: &Piece, n: usize) -> String {
    let start = usize::from(start_of(piece).is_some()).min(tokens.len());
    let wanted = n.saturating_sub(start).max(1);
    joined(tokens[start..].iter().cycle().take(if tokens.len() > start { wanted } else { 0 }), piece)
}

/// Tokens as a person would type them: without the start that stands before every text by itself.
fn typed_text(tokens: &[String], piece: &Piece) -> String {
    joined(tokens.iter().skip(usize::from(start_of(piece).is_some())), piece)
}

fn joined<'a>(tokens: impl Iterator<Item = &'a String>, piece: &Piece) -> String {
    let by_characters = match &piece.target {
        TargetSource::Preset(id) => {
            presets::by_id(id).is_some_and(|preset| preset.splitting == presets::Splitting::Characters)
        }
        _ => false,
    };
    let tokens: Vec<&str> = tokens.map(String::as_str).collect();
    tokens.join(if by_characters { "" } else { " " })
}

fn start_of(piece: &Piece) -> Option<&'static str> {
    match &piece.target {
        TargetSource::Preset(id) => presets::by_id(id).and_then(|preset| preset.start),
        _ => None,
    }
}

fn longest(piece: &Piece) -> usize {
    match &piece.target {
        TargetSource::Preset(id) => presets::by_id(id).map_or(32, |preset| preset.longest),
        TargetSource::Own(target) => target
            .vocabulary()
            .and_then(|vocabulary| vocabulary.positions.as_ref())
            .map_or(48, |positions| positions.nrows().min(MOST_TOKENS)),
        TargetSource::Random => 48,
    }
}

/// The input as text, where the target has a vocabulary.
#[component]
fn InputControl() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    // What was typed stays as it was typed; what came with a target is shown as its tokens.
    let text = Signal::derive(move || {
        room.piece.with(|piece| match &piece.input {
            InputSource::Text(text) => text.clone(),
            _ => read(room, |played| Some(typed_text(played.tokens.as_ref()?, piece))).unwrap_or_default(),
        })
    });
    let has_text = Memo::new(move |_| {
        room.piece.with(|piece| match (&piece.input, &piece.target) {
            (InputSource::Rows(_), _) => false,
            (_, TargetSource::Own(target)) => target.vocabulary().is_some(),
            _ => true,
        })
    });
    let example = Signal::derive(move || Some(t.get().input_example().to_owned()));
    let set = move |text: String| {
        room.change(|mut piece| {
            piece.input_edits.clear();
            piece.input = if text.trim().is_empty() { InputSource::Example } else { InputSource::Text(text) };
            piece
        })
    };
    view! {
        <Show when=move || has_text.get()
            fallback=move || view! { <p class="quiet">{say(t, Language::input_is_numbers)}</p> }>
            <TextField label=text_of(t, Language::input_control) value=text on_input=set example/>
        </Show>
    }
}

#[component]
fn FileControls() -> impl IntoView {
    let room = expect_context::<Room>();
    let client = expect_context::<Client>();
    let notices = expect_context::<Notices>();
    let t = use_language();
    let import = move |kind: ImportKind| {
        move |file: File| {
            read_file(file, move |Opened { name, bytes }| {
                let piece = Box::new(room.piece.get_untracked());
                let request = files::Request { kind, name, bytes, piece };
                client.ask(Line::Files, Request::Import(request), move |answer| match answer {
                    Ok(Answer::Import(imported)) => {
                        notices.clear_failures();
                        room.open(*imported.piece, kind);
                    }
                    Ok(_) => {}
                    Err(failure) => notices.failure(failure),
                });
            });
        }
    };
    let export = move |kind: ExportKind| {
        let piece = Box::new(room.piece.get_untracked());
        client.ask(Line::Files, Request::Export(piece, kind), move |answer| match answer {
            Ok(Answer::Export(file)) => save_bytes(&file.name, "application/octet-stream", &file.bytes),
            Ok(_) => {}
            Err(failure) => notices.failure(failure),
        });
    };
    let items = move |()| {
        let t = t.get_untracked();
        vec![
            MenuItem::new(t.export_target_json(), move || export(ExportKind::TargetJson)),
            MenuItem::new(t.export_target_safetensors(), move || export(ExportKind::TargetSafetensors)),
            MenuItem::new(t.export_embedding(), move || export(ExportKind::EmbeddingCsv)),
        ]
    };
    view! {
        <div class="file-controls">
            <FileButton label=text_of(t, Language::import_target)
                accept=".json,.safetensors" on_file=import(ImportKind::Target)/>
            <FileButton label=text_of(t, Language::import_input)
                accept=".json,.csv,.npy,.txt" on_file=import(ImportKind::Input)/>
            <button type="button" class="button" title=say(t, Language::export_run_note)
                on:click=move |_| export(ExportKind::Run)>
                {Icon::Save.view()} <span>{say(t, Language::export_run)}</span>
            </button>
            <Menu label=text_of(t, Language::more_exports) items=Callback::new(items)/>
        </div>
    }
}

crate::texts! {
    controls: "Controls" | "Controles";
    preset: "Preset" | "Exemplo";
    own_target: "Your own target" | "Seu próprio alvo";
    construction: "Construction" | "Construção";
    sparse: "Sparse" | "Esparsa";
    sparse_note: "Weights 0 and 1; every consumer has a tree of its own" | "Pesos 0 e 1; cada consumidor tem sua própria árvore";
    looped: "Looped" | "Em laço";
    looped_note: "Weights 0 and 1, the same in every layer" | "Pesos 0 e 1, os mesmos em todas as camadas";
    random: "Random" | "Aleatória";
    random_note: "Weights drawn at random; E is the solution of linear equations" | "Pesos sorteados; E é a solução de equações lineares";
    heads: "Heads" | "Cabeças";
    layers: "Layers" | "Camadas";
    width: "Width" | "Largura";
    head_width: "Head width" | "Largura da cabeça";
    tokens_control: "Tokens" | "Tokens";
    attention: "Attention" | "Atenção";
    softmax: "softmax" | "softmax";
    softmax_note: "Every visible key gets a share" | "Cada chave visível recebe uma parte";
    average_hard: "average-hard" | "dura, média";
    average_hard_note: "The keys with the largest score share equally" | "As chaves de maior pontuação dividem por igual";
    leftmost_hard: "leftmost-hard" | "dura, primeira";
    leftmost_hard_note: "The first key with the largest score takes all" | "A primeira chave de maior pontuação leva tudo";
    mask: "Mask" | "Máscara";
    mask_none: "none" | "nenhuma";
    mask_causal: "causal" | "causal";
    mask_causal_note: "A query sees only what stands at or before it" | "Uma consulta só vê o que está nela ou antes";
    residual: "Residual" | "Residual";
    seed: "Seed" | "Semente";
    law: "Law" | "Lei";
    gaussian: "Gaussian" | "gaussiana";
    uniform: "uniform" | "uniforme";
    sign: "sign ±1" | "sinal ±1";
    low_rank: "low rank" | "posto baixo";
    low_rank_note: "A law that must fail: its draws have too little rank" | "Uma lei que deve falhar: seus sorteios têm posto baixo demais";
    tied: "Same in every layer" | "Iguais em toda camada";
    spare: "Columns beyond N" | "Colunas além de N";
    frozen_seed: "Frozen draw" | "Sorteio congelado";
    input_control: "Input" | "Entrada";
    input_example: "type some tokens" | "digite alguns tokens";
    input_is_numbers: "The input is a matrix of numbers. Change a cell of X, or import another." | "A entrada é uma matriz de números. Mude uma célula de X ou importe outra.";
    import_target: "Import target" | "Importar alvo";
    import_input: "Import input" | "Importar entrada";
    export_run: "Export run" | "Exportar execução";
    export_run_note: "One file with everything; importing it as a target restores this view" | "Um arquivo com tudo; importá-lo como alvo restaura esta vista";
    more_exports: "More exports" | "Mais exportações";
    export_target_json: "Target as JSON" | "Alvo em JSON";
    export_target_safetensors: "Target as safetensors" | "Alvo em safetensors";
    export_embedding: "E as CSV" | "E em CSV";
}
