//! Learned against computed: two rolls for one frozen machine. One was found by gradient descent, the other is
//! computed from a transformer of the machine's class that was fully trained on the same task.

use leptos::prelude::*;
use training::{Variant, Weights};

use super::bridges::{is_target, send_to_universal};
use super::room::{Chosen, Room};
use super::trainee::{Trainee, now};
use crate::drawing::palette::Role;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::rooms::training::choices::{Model, Settings};
use crate::rooms::training::job::{Answer, Computed, Machine, Request};
use crate::widgets::controls::Button;
use crate::widgets::heatmap::{Axis, AxisLabels, Cell, CellSize, Heatmap, Kind, Lit, Matrix};
use crate::work::client::Line;
use crate::work::protocol::{self, Packed};

/// What there is to compare for the run that is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    /// It has layer norms, for which nothing can be computed.
    Normalised,
    /// Its machine is random, and too narrow for a computed roll.
    Random,
    /// It is the transformer itself.
    Transformer(Chosen),
    /// A learned roll without a transformer of its class.
    Alone(Shape, Machine),
    /// A learned roll, by the number of its run, and the transformer whose roll is computed.
    Pair(u64, Chosen, Machine),
}

/// H, L, d, d_h.
#[derive(Clone, Copy, PartialEq)]
struct Shape {
    heads: usize,
    layers: usize,
    width: usize,
    head_width: usize,
}

/// How long at least between two computations while the transformer is being trained, in milliseconds.
const BETWEEN: f64 = 1500.0;

/// The panel.
#[component]
pub fn RollsPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let case = Memo::new(move |_| case(room));
    let body = move || {
        Some(match case.get()? {
            Case::Normalised => {
                view! { <p class="quiet">{say(t, Language::training_rolls_normalised)}</p> }.into_any()
            }
            Case::Random => {
                view! { <p class="quiet">{say(t, Language::training_rolls_random)}</p> }.into_any()
            }
            Case::Transformer(Chosen(run)) => view! {
                <p class="quiet">{say(t, Language::training_rolls_transformer)}</p>
                <Button
                    label=text_of(t, Language::training_to_universal)
                    on_press=move |()| send_to_universal(room, run)
                />
            }
            .into_any(),
            Case::Alone(shape, machine) => {
                let Shape { heads, layers, width, head_width } = shape;
                view! {
                    <p class="quiet">
                        {move || t.get().training_rolls_alone(heads, layers, width, head_width)}
                    </p>
                    <Button
                        label=text_of(t, Language::training_rolls_train)
                        on_press=move |()| train_both(room, shape, machine)
                    />
                }
                .into_any()
            }
            Case::Pair(_, Chosen(transformer), machine) => {
                let Chosen(learner) = room.selected.get_untracked()?;
                view! { <Rolls learner transformer machine/> }.into_any()
            }
        })
    };
    view! {
        <section class="panel" aria-label=say(t, Language::training_rolls_title)>
            <h2>{say(t, Language::training_rolls_title)}</h2>
            <p class="lead">{say(t, Language::training_rolls_lead)}</p>
            <div class="training-rolls">{body}</div>
        </section>
    }
    .into_any()
}

fn case(room: Room) -> Option<Case> {
    let chosen = room.selected.get()?;
    let config = chosen.0.setup.with(|setup| setup.as_ref().map(|setup| setup.config.clone()))?;
    if config.variant != Variant::AttentionOnly {
        return Some(Case::Normalised);
    }
    if is_target(&config) {
        return Some(Case::Transformer(chosen));
    }
    let machine = match config.model.weights {
        Weights::Sparse { .. } => Machine::Sparse,
        Weights::Looped => Machine::Looped,
        Weights::Random { .. } | Weights::Trained => return Some(Case::Random),
    };
    let shape = |model: &training::Model| {
        let training::Model { heads, layers, width, head_width, .. } = *model;
        Shape { heads, layers, width, head_width }
    };
    let is_of_class = |run: &Trainee| {
        run.setup.with(|setup| {
            setup.as_ref().is_some_and(|setup| {
                let other = &setup.config;
                is_target(other) && other.task == config.task && shape(&other.model) == shape(&config.model)
            })
        })
    };
    let found = room.lab.runs.with(|runs| {
        let mut of_class = runs.iter().filter(|run| is_of_class(run));
        let first = of_class.clone().next().copied();
        of_class.find(|run| run.member().seed == config.seed).copied().or(first)
    });
    Some(match found {
        Some(transformer) => Case::Pair(chosen.0.id, Chosen(transformer), machine),
        None => Case::Alone(shape(&config.model), machine),
    })
}

/// Trains a learned roll and a transformer of the class of its machine, side by side.
fn train_both(room: Room, shape: Shape, machine: Machine) {
    let Shape { heads, layers, width, head_width } = shape;
    room.change_plan(|plan| {
        let model = match machine {
            Machine::Sparse => Model::Sparse,
            Machine::Looped => Model::Looped,
        };
        plan.models = vec![model, Model::Trained];
        plan.settings = Settings {
            heads: Some(heads),
            layers: Some(layers),
            width: Some(width),
            head_width: Some(head_width),
            ..plan.settings
        };
    });
    room.lab.want(&room.plan.get_untracked());
}

/// Both rolls, cell under cell.
#[component]
fn Rolls(learner: Trainee, transformer: Trainee, machine: Machine) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let computed = RwSignal::new(None::<Computed>);
    let sequence = Memo::new(move |_| {
        let setup = learner.setup.get()?;
        learner.look.with(|look| {
            let named = |token: &u16| setup.tokens.get(usize::from(*token)).cloned();
            look.as_ref()?.tokens.iter().map(named).collect::<Option<Vec<String>>>()
        })
    });
    let asked_at = StoredValue::new(f64::NEG_INFINITY);
    Effect::new(move |_| {
        transformer.step.track();
        let is_training = transformer.is_training();
        let Some(sequence) = sequence.get() else { return };
        if is_training && now() - asked_at.get_value() < BETWEEN {
            return;
        }
        asked_at.set_value(now());
        transformer.ask(room.lab, Line::TrainComputed, Request::Target, move |answer| {
            let Answer::Target(Some(target)) = answer else { return };
            let request = Request::Computed(target, machine, sequence);
            let request = protocol::Request::Training(Packed::of(&request));
            room.lab.client.ask(Line::TrainComputed, request, move |answer| {
                match answer.map(protocol::Answer::training) {
                    // The page may have been left in the meantime.
                    Ok(Some(Answer::Computed(found))) => drop(computed.try_set(Some(*found))),
                    Ok(_) => {}
                    Err(failure) => room.notices.failure(failure),
                }
            });
        });
    });
    let agreement = move || {
        let t = t.get();
        let error = computed.with(|computed| computed.as_ref().map(|it| it.error))?;
        Some(t.training_rolls_agree(&t.training_run(transformer), &scientific(error, t)))
    };
    let distance = move || {
        let largest = computed.with(|computed| {
            let computed = computed.as_ref()?;
            learner.look.with(|look| {
                let learned = look.as_ref()?.attention.shares.iter().flatten().flatten();
                let shares = computed.attention.iter().flatten().flatten();
                // Of another sequence, while the new one is under way.
                (learned.clone().count() == shares.clone().count()).then(|| {
                    learned.zip(shares).fold(0.0_f64, |most, (a, b)| most.max((f64::from(*a) - b).abs()))
                })
            })
        })?;
        let t = t.get();
        Some(t.training_rolls_differ(&fixed(largest, t)))
    };
    view! {
        <p>{agreement}" "{distance}</p>
        <Pair learner computed part=Part::Tokens/>
        <Pair learner computed part=Part::Positions/>
    }
    .into_any()
}

/// Which rows of a roll.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Tokens,
    Positions,
}

/// The same rows of both rolls; what is pointed at in one is lit in the other.
#[component]
fn Pair(learner: Trainee, computed: RwSignal<Option<Computed>>, part: Part) -> impl IntoView {
    let t = use_language();
    let (name, place) = match part {
        Part::Tokens => ("embedding.tokens", 0),
        Part::Positions => ("embedding.positions", 1),
    };
    let learned = Memo::new(move |_| {
        let setup = learner.setup.get()?;
        let tensor = setup.tensors.iter().find(|tensor| tensor.name == name)?;
        learner.look.with(|look| {
            let numbers = look.as_ref()?.parameters.get(tensor.range())?;
            let numbers: Vec<f64> = numbers.iter().map(|number| f64::from(*number)).collect();
            Some(Matrix::new(tensor.rows, tensor.columns, numbers))
        })
    });
    let other = Memo::new(move |_| {
        computed.with(|computed| {
            let computed = computed.as_ref()?;
            Some(Matrix::from(if place == 0 { &computed.tokens } else { &computed.positions }))
        })
    });
    let columns = Memo::new(move |_| {
        computed.with(|computed| computed.as_ref().map(|it| it.columns.clone()).unwrap_or_default())
    });
    let rows = Signal::derive(move || {
        let t = t.get();
        match part {
            Part::Tokens => {
                let names = learner.setup.with(|setup| setup.as_ref().map(|setup| setup.tokens.clone()));
                Axis::new("", t.training_tokens_axis()).named(names.unwrap_or_default()).in_role(Role::Accent)
            }
            Part::Positions => Axis::new("n", t.training_positions_axis()).in_role(Role::Accent),
        }
    });
    let cols = Signal::derive(move || {
        Axis::new("j", t.get().training_columns_axis())
            .named(columns.get().into_iter().map(|it| format!("{} {}", it.consumer, it.path)))
            .in_role(Role::Value)
    });
    let leaf = move |cell: Cell| {
        let text = columns.with(|columns| {
            let column = columns.get(cell.col)?;
            Some(t.get().training_rolls_leaf(column.place, &column.consumer, &column.path))
        });
        view! { <p class="quiet">{text}</p> }.into_any()
    };
    // Which of the two is pointed at, and where.
    let looked_at = RwSignal::new(None::<(Side, Cell)>);
    let map = move |side: Side, matrix: Memo<Option<Matrix>>, title: fn(Language, &str) -> String| {
        let lit = Signal::derive(move || match looked_at.get() {
            Some((other, cell)) if other != side => Lit::cell(cell),
            _ => Lit::default(),
        });
        view! {
            <Heatmap
                name=Signal::derive(move || {
                    let t = t.get();
                    let part = match part {
                        Part::Tokens => t.training_token_embedding(),
                        Part::Positions => t.training_position_embedding(),
                    };
                    title(t, part)
                })
                matrix=Signal::derive(move || matrix.get().unwrap_or_default())
                kind=Signal::stored(Kind::Signed)
                rows=rows
                cols=cols
                cell_size=Signal::stored(CellSize { smallest: 2.0, tallest: 200.0, aspect: 2.0, ..CellSize::square(9.0) })
                axis_labels=AxisLabels::Hidden
                lit=lit
                formula=Callback::new(leaf)
                on_look=Callback::new(move |cell: Option<Cell>| looked_at.set(cell.map(|cell| (side, cell))))
            />
        }
    };
    view! {
        <div class="training-pair">
            {map(Side::Learned, learned, |t, part| t.training_rolls_learned(part))}
            {map(Side::Computed, other, |t, part| t.training_rolls_computed(part))}
        </div>
    }
    .into_any()
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Learned,
    Computed,
}

/// A share with two digits after the mark.
fn fixed(value: f64, t: Language) -> String {
    let text = format!("{value:.2}");
    if t == Language::Pt { text.replace('.', ",") } else { text }
}

/// A very small number in scientific notation.
fn scientific(value: f64, t: Language) -> String {
    let text = format!("{value:.1e}");
    if t == Language::Pt { text.replace('.', ",") } else { text }
}

crate::texts! {
    training_rolls_title: "E learned, beside E computed" | "E aprendido, ao lado de E calculado";
    training_rolls_lead: "The frozen machine plays whatever its roll says. Gradient descent can find a roll; and for every transformer of attention alone of the machine’s class the roll can be computed, block by block, from its weights."
        | "A máquina congelada toca o que seu rolo diz. A descida do gradiente pode achar um rolo; e, para todo transformer só de atenção da classe da máquina, o rolo pode ser calculado de seus pesos, bloco a bloco.";
    training_rolls_normalised: "This needs the variant “Attention only”: with layer norm no roll can be computed."
        | "Isto pede a variante “Só atenção”: com norm. de camada não há como calcular um rolo.";
    training_rolls_random: "Choose a sparse or a looped run: in a random machine no column of the roll has a meaning of its own, and one as narrow as this has no room for a computed roll."
        | "Escolha um treino esparso ou em laço: em uma máquina aleatória nenhuma coluna do rolo tem sentido próprio, e uma estreita como esta não comporta um rolo calculado.";
    training_rolls_transformer: "This run is a whole transformer. Its roll is computed in the workspace “Universal”."
        | "Este treino é um transformer inteiro. Seu rolo se calcula na sala “Universal”.";
    training_rolls_alone(heads: usize, layers: usize, width: usize, head_width: usize):
        "There is no fully trained transformer of this class yet (H = {heads}, L = {layers}, d = {width}, d_h = {head_width}). The button trains both in this class, side by side; the runs that there are stay."
        | "Ainda não há transformer todo treinado desta classe (H = {heads}, L = {layers}, d = {width}, d_h = {head_width}). O botão treina os dois nesta classe, lado a lado; os treinos que já existem ficam.";
    training_rolls_train: "Train both in one class" | "Treinar os dois em uma classe";
    training_rolls_agree(run: &str, error: &str):
        "With the computed roll the frozen machine attends as the transformer does ({run}): on the sequence below the largest difference is {error}."
        | "Com o rolo calculado a atenção da máquina congelada é a do transformer ({run}): na sequência abaixo a maior diferença é {error}.";
    training_rolls_differ(largest: &str):
        "With the learned roll it attends in a way of its own: there the largest difference is {largest}. Each column belongs to a leaf of the trees of attention paths, the same one in both; point at a cell to see which."
        | "Com o rolo aprendido sua atenção é outra: ali a maior diferença é {largest}. Cada coluna pertence a uma folha das árvores de caminhos de atenção, a mesma nos dois; aponte uma célula para ver qual.";
    training_rolls_leaf(place: usize, consumer: &str, path: &str):
        "number {place} of the leaf of {consumer} with path {path}" | "número {place} da folha de {consumer} com caminho {path}";
    training_rolls_learned(part: &str): "learned: {part}" | "aprendido: {part}";
    training_rolls_computed(part: &str): "computed: {part}" | "calculado: {part}";
}
