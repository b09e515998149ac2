//! The controls of the workspace: task, variant, models, seeds, and settings in the place of the recommended ones.

use leptos::prelude::*;
use training::OwnSequences;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::room::Room;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::rooms::shared::named::Named;
use crate::rooms::training::choices::{
    MOST_SEEDS, MOST_STEPS, Model, Plan, Settings, Task, TaskKind, Variant,
};
use crate::widgets::controls::{
    Choice, FileButton, Range, SeedField, Segments, Select, Slider, TextArea, TextField,
};
use crate::widgets::number::{exact, parse};

/// The bar of controls. A lesson hides those that the link names.
#[component]
pub fn Controls() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let tasks = Signal::derive(move || {
        TaskKind::ALL.map(|kind| Choice::new(kind, t.get().training_task(kind))).to_vec()
    });
    let variants = Signal::derive(move || {
        Variant::ALL.map(|variant| Choice::new(variant, t.get().training_variant(variant))).to_vec()
    });
    view! {
        <div class="control-bar training-bar" role="group" aria-label=say(t, Language::controls)>
            <Named name="task">
                <Select label=text_of(t, Language::training_task_label) options=tasks
                    value=Signal::derive(move || room.plan.with(|plan| plan.task.kind))
                    on_input=move |kind| room.change_plan(|plan| {
                        let own = std::mem::take(&mut plan.task.own);
                        plan.task = Task { own, ..Task::usual(kind) };
                    })/>
            </Named>
            <Sizes/>
            <Named name="variant">
                <Segments label=text_of(t, Language::training_variant_label) options=variants
                    value=Signal::derive(move || room.plan.with(|plan| plan.variant))
                    on_input=move |variant| room.change_plan(|plan| plan.variant = variant)/>
            </Named>
            <Named name="models"><Models/></Named>
            <Named name="seeds">
                <Slider label=text_of(t, Language::training_seeds_label)
                    value=Signal::derive(move || room.plan.with(|plan| plan.seeds) as f64)
                    range=Range::whole(1, MOST_SEEDS as i32)
                    on_input=move |seeds: f64| room.change_plan(|plan| plan.seeds = seeds as usize)/>
            </Named>
            <Named name="seed">
                <SeedField label=text_of(t, Language::training_seed_label)
                    value=Signal::derive(move || room.plan.with(|plan| plan.seed))
                    on_input=move |seed| room.change_plan(|plan| plan.seed = seed)/>
            </Named>
            <Named name="settings"><SettingsView/></Named>
        </div>
        <Own/>
    }
    .into_any()
}

/// Length and alphabet, where the task has them.
#[component]
fn Sizes() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let kind = Memo::new(move |_| room.plan.with(|plan| plan.task.kind));
    let length = move || {
        let kind = kind.get();
        let sizes = kind.lengths()?;
        let label = match kind {
            TaskKind::Recall => Language::training_pairs,
            _ => Language::training_length,
        };
        // Only strings of an even length can be balanced.
        let step = if kind == TaskKind::Dyck { 2.0 } else { 1.0 };
        Some(view! {
            <Named name="length">
                <Slider label=text_of(t, label)
                    value=Signal::derive(move || room.plan.with(|plan| plan.task.length) as f64)
                    range=Range::stepped(sizes.least as f64, sizes.most as f64, step)
                    on_input=move |length: f64| room.change_plan(|plan| plan.task.length = length as usize)/>
            </Named>
        })
    };
    let symbols = move || {
        let kind = kind.get();
        let sizes = kind.symbol_counts()?;
        let label = match kind {
            TaskKind::Parity => Language::training_bits,
            TaskKind::Recall => Language::training_keys,
            TaskKind::MatchTwo | TaskKind::ModularAddition => Language::training_modulus,
            _ => Language::training_alphabet,
        };
        Some(view! {
            <Named name="symbols">
                <Slider label=text_of(t, label)
                    value=Signal::derive(move || room.plan.with(|plan| plan.task.symbols) as f64)
                    range=Range::whole(sizes.least as i32, sizes.most as i32)
                    on_input=move |symbols: f64| room.change_plan(|plan| plan.task.symbols = symbols as usize)/>
            </Named>
        })
    };
    view! { {length} {symbols} }.into_any()
}

/// Who learns: any of the models, at least one.
#[component]
fn Models() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let buttons = Model::ALL.map(|model| {
        let is_on = move || room.plan.with(|plan| plan.models.contains(&model));
        view! {
            <button
                type="button"
                class=format!("training-model {}", super::words::role_of(model).class())
                aria-pressed=move || is_on().to_string()
                title=move || t.get().training_model_note(model)
                on:click=move |_| room.change_plan(|plan| *plan = std::mem::take(plan).toggled(model))
            >
                <i class="training-swatch"></i>
                {move || t.get().training_model(model)}
            </button>
        }
    });
    view! {
        <fieldset class="field training-models">
            <legend class="field-label">{say(t, Language::training_model_label)}</legend>
            {buttons.collect_view()}
        </fieldset>
    }
    .into_any()
}

/// One's own sequences.
#[component]
fn Own() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let is_own = Memo::new(move |_| room.plan.with(|plan| plan.task.kind == TaskKind::Own));
    // What is wrong with the file that was given last; the sequences from before are still there.
    let refused = RwSignal::new(None::<Refused>);
    // An empty field is no mistake yet.
    let wrong = Memo::new(move |_| {
        let own = room.plan.with(|plan| plan.task.own.clone());
        OwnSequences::parse(&own).err().filter(|_| is_own.get() && !own.trim().is_empty())
    });
    let error = Signal::derive(move || {
        let t = t.get();
        refused.get().map(|refused| refused.says(t)).or_else(|| Some(t.training_error(&wrong.get()?)))
    });
    move || {
        is_own.get().then(|| {
            view! {
                <div class="training-own">
                    <TextArea
                        label=text_of(t, Language::training_own_label)
                        value=Signal::derive(move || room.plan.with(|plan| plan.task.own.clone()))
                        lines=8
                        error=error
                        on_input=move |own: String| {
                            refused.set(None);
                            room.change_plan(|plan| plan.task.own = own);
                        }
                    />
                    <FileButton
                        label=text_of(t, Language::training_own_file)
                        accept=".txt,.csv,.text"
                        on_file=move |file| open_own(room, file, refused)
                    />
                </div>
            }
        })
    }
}

/// A file that was not taken, and why.
#[derive(Debug, Clone, PartialEq)]
struct Refused {
    file: String,
    why: Why,
}

#[derive(Debug, Clone, PartialEq)]
enum Why {
    TooLarge,
    NoText,
    Sequences(training::Error),
}

impl Refused {
    fn says(&self, t: Language) -> String {
        let why = match &self.why {
            Why::TooLarge => t.training_file_too_large().to_owned(),
            Why::NoText => t.training_file_no_text().to_owned(),
            Why::Sequences(error) => t.training_error(error),
        };
        t.training_file_refused(&self.file, &why)
    }
}

/// The most bytes of a file of sequences.
const LARGEST_FILE: f64 = 200_000.0;

/// Takes the sequences of a file, if they are some.
fn open_own(room: Room, file: File, refused: RwSignal<Option<Refused>>) {
    leptos::task::spawn_local(async move {
        match own_of(&file).await {
            Ok(own) => {
                refused.set(None);
                room.change_plan(|plan| plan.task.own = own);
            }
            Err(why) => refused.set(Some(Refused { file: file.name(), why })),
        }
    });
}

async fn own_of(file: &File) -> Result<String, Why> {
    if file.size() > LARGEST_FILE {
        return Err(Why::TooLarge);
    }
    let buffer = JsFuture::from(file.array_buffer()).await.map_err(|_| Why::NoText)?;
    let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
    let text = String::from_utf8(bytes).map_err(|_| Why::NoText)?;
    if text.contains('\0') {
        return Err(Why::NoText);
    }
    let own = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    OwnSequences::parse(&own).map_err(Why::Sequences)?;
    Ok(own)
}

/// Settings in the place of the recommended ones; an empty field means what is recommended.
#[component]
fn SettingsView() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let count = Memo::new(move |_| room.plan.with(|plan| written_settings(&plan.settings)));
    view! {
        <details class="training-settings">
            <summary>
                {move || match count.get() {
                    0 => t.get().training_settings().to_owned(),
                    count => t.get().training_settings_changed(count),
                }}
            </summary>
            <div class="training-fields">
                <Setting label=Language::training_rate least=1e-6 most=1.0
                    get=|it: &Settings| it.learning_rate set=|it: &mut Settings, value| it.learning_rate = value/>
                <Setting label=Language::training_scale least=1e-4 most=100.0
                    get=|it: &Settings| it.embedding_scale set=|it: &mut Settings, value| it.embedding_scale = value/>
                <Count label=Language::training_steps most=MOST_STEPS
                    get=|it: &Settings| it.steps set=|it: &mut Settings, value| it.steps = value/>
                <Count label=Language::training_batch most=512
                    get=|it: &Settings| it.batch set=|it: &mut Settings, value| it.batch = value/>
                <Count label=Language::heads most=8
                    get=|it: &Settings| it.heads set=|it: &mut Settings, value| it.heads = value/>
                <Count label=Language::layers most=6
                    get=|it: &Settings| it.layers set=|it: &mut Settings, value| it.layers = value/>
                <Count label=Language::training_width most=1024
                    get=|it: &Settings| it.width set=|it: &mut Settings, value| it.width = value/>
                <Count label=Language::head_width most=256
                    get=|it: &Settings| it.head_width set=|it: &mut Settings, value| it.head_width = value/>
                <Setting label=Language::training_until least=0.5 most=1.0
                    get=|it: &Settings| it.until set=|it: &mut Settings, value| it.until = value/>
            </div>
            <p class="quiet">{say(t, Language::training_settings_note)}</p>
        </details>
    }
    .into_any()
}

fn written_settings(settings: &Settings) -> usize {
    let Settings { learning_rate, embedding_scale, steps, batch, heads, layers, width, head_width, until } =
        settings;
    let numbers = [learning_rate, embedding_scale, until].into_iter().filter(|it| it.is_some()).count();
    numbers + [steps, batch, heads, layers, width, head_width].into_iter().filter(|it| it.is_some()).count()
}

/// A whole number.
#[component]
fn Count(
    label: fn(Language) -> &'static str,
    most: usize,
    get: fn(&Settings) -> Option<usize>,
    set: fn(&mut Settings, Option<usize>),
) -> impl IntoView {
    let accept = move |value: f64| value.fract() == 0.0 && value >= 1.0 && value <= most as f64;
    field(
        label,
        format!("1 … {most}"),
        Callback::new(accept),
        Signal::derive(move || {
            expect_context::<Room>().plan.with(|plan| get(&plan.settings)).map(|it| it as f64)
        }),
        Callback::new(move |(plan, value): (StoredValue<Plan>, Option<f64>)| {
            plan.update_value(|plan| set(&mut plan.settings, value.map(|it| it as usize)));
        }),
    )
}

/// Any number.
#[component]
fn Setting(
    label: fn(Language) -> &'static str,
    least: f64,
    most: f64,
    get: fn(&Settings) -> Option<f64>,
    set: fn(&mut Settings, Option<f64>),
) -> impl IntoView {
    let accept = move |value: f64| (least..=most).contains(&value);
    field(
        label,
        format!("{least} … {most}"),
        Callback::new(accept),
        Signal::derive(move || expect_context::<Room>().plan.with(|plan| get(&plan.settings))),
        Callback::new(move |(plan, value): (StoredValue<Plan>, Option<f64>)| {
            plan.update_value(|plan| set(&mut plan.settings, value));
        }),
    )
}

fn field(
    label: fn(Language) -> &'static str,
    expected: String,
    accept: Callback<f64, bool>,
    value: Signal<Option<f64>>,
    set: Callback<(StoredValue<Plan>, Option<f64>)>,
) -> AnyView {
    let room = expect_context::<Room>();
    let t = use_language();
    let value = Memo::new(move |_| value.get());
    let typed = RwSignal::new(value.get_untracked().map(exact).unwrap_or_default());
    // `None` is wrong, `Some(None)` is empty.
    let read = move |text: &str| match text.trim() {
        "" => Some(None),
        text => parse(text).filter(|value| accept.run(*value)).map(Some),
    };
    // Back, Forward and links bring other values; what means the same stays as it was typed.
    Effect::new(move |_| {
        let value = value.get();
        if read(&typed.get_untracked()) != Some(value) {
            typed.set(value.map(exact).unwrap_or_default());
        }
    });
    let error = Signal::derive(move || {
        read(&typed.get()).is_none().then(|| t.get().training_setting_wrong(&expected))
    });
    view! {
        <TextField
            label=text_of(t, label)
            value=typed
            example=Signal::derive(move || Some(t.get().training_recommended().to_owned()))
            error=error
            on_input=move |text: String| {
                let found = read(&text);
                typed.set(text);
                if let Some(found) = found {
                    room.change_plan(|plan| {
                        let changed = StoredValue::new(std::mem::take(plan));
                        set.run((changed, found));
                        *plan = changed.get_value();
                        changed.dispose();
                    });
                }
            }
        />
    }
    .into_any()
}

crate::texts! {
    training_task_label: "Task" | "Tarefa";
    training_variant_label: "Variant" | "Variante";
    training_model_label: "Model" | "Modelo";
    training_seeds_label: "Seeds" | "Sementes";
    training_seed_label: "Seed" | "Semente";
    training_length: "Length" | "Comprimento";
    training_pairs: "Pairs" | "Pares";
    training_bits: "k" | "k";
    training_keys: "Keys" | "Chaves";
    training_modulus: "Modulus" | "Módulo";
    training_alphabet: "Alphabet" | "Alfabeto";
    training_own_label: "Sequences" | "Sequências";
    training_file_refused(file: &str, why: &str): "{file} is not taken, and the sequences stay as they were. {why}" | "{file} não foi aceito, e as sequências ficam como estavam. {why}";
    training_file_too_large: "It has more than 200 kB." | "Tem mais de 200 kB.";
    training_file_no_text: "It is not a text in UTF-8." | "Não é um texto em UTF-8.";
    training_own_file: "Open sequences" | "Abrir sequências";
    training_settings: "Settings: as recommended" | "Ajustes: como recomendado";
    training_settings_changed(count: usize): "Settings: {count} of your own" | "Ajustes: {count} seus";
    training_settings_note: "An empty field means what is recommended for each model. New runs take these settings; runs that have begun keep theirs."
        | "Um campo vazio significa o que se recomenda para cada modelo. Novos treinos usam estes ajustes; os que já começaram mantêm os seus.";
    training_setting_wrong(expected: &str): "It must be {expected}." | "Precisa ser {expected}.";
    training_recommended: "recommended" | "recomendado";
    training_rate: "Learning rate" | "Taxa de aprendizado";
    training_scale: "Initial scale e" | "Escala inicial e";
    training_steps: "Steps" | "Passos";
    training_batch: "Batch" | "Lote";
    training_width: "Width (d, or m)" | "Largura (d ou m)";
    training_until: "Stop at accuracy" | "Parar na acurácia";
}
