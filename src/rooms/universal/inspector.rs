//! What the person points at, in words and numbers: always in view, on screens where nothing hovers too.

use leptos::prelude::*;
use transformer::AttentionPath;
use universal::Consumer;

use super::focus::Focus;
use super::matrices::{put_edit, read};
use super::room::Room;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, say, use_language};
use crate::ground::parts::later;
use crate::rooms::universal::choices::CellEdit;
use crate::rooms::universal::job::{FrozenHead, Played};
use crate::widgets::controls::{Button, Look, NumberField, Range};
use crate::widgets::math::{Formula, Math, colored, name, op, row, sub};
use crate::widgets::number::{exact, long, short};

/// The inspector. What it says comes when something is pointed at for the first time.
#[component]
pub fn Inspector() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let is_wanted = Memo::new(move |before: Option<&bool>| {
        let edited = room.piece.with(|piece| !piece.embedding_edits.is_empty());
        before == Some(&true) || edited || room.focus.with(Option::is_some)
    });
    view! {
        <div class="inspector" role="region" aria-label=say(t, Language::inspector) aria-live="polite">
            {move || match is_wanted.get() {
                true => later(pointed_at()).into_any(),
                false => view! { <p class="quiet">{say(t, Language::inspector_hint)}</p> }.into_any(),
            }}
        </div>
    }
}

crate::part! { details:
    fn pointed_at() -> AnyView {
        view! { <PointedAt/> }.into_any()
    }
}

/// What is pointed at, and the field for the pinned entry of E.
#[component]
fn PointedAt() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shown =
        move || {
            let t = t.get();
            let focus = room.focus.get();
            match focus.as_ref() {
                None => view! { <p class="quiet">{t.inspector_hint()}</p> }.into_any(),
                Some(Focus::Node { level, consumer, rest }) => node(room, t, *level, *consumer, rest),
                Some(Focus::Embedding { row, column, leaf }) => {
                    let leaf = leaf.as_ref().map(|(consumer, path)| node(room, t, 0, *consumer, path));
                    view! {
                    {read(room, |played| played.embedding.get((*row, *column)).copied()).map(|value| view! {
                        <p><b>{format!("E[{}, {}] = {}", row + 1, column + 1, exact(value))}</b></p>
                    })}
                    {leaf}
                }
                .into_any()
                }
                Some(Focus::Attention { layer, head, query, key }) => {
                    let pair = read(room, |played| {
                        let of = |trace: &transformer::Trace| {
                            trace.attention.get(*layer)?.get(*head)?.get((*query, *key)).copied()
                        };
                        Some((of(&played.target_trace)?, of(&played.universal_trace)?))
                    });
                    pair.map(|(target, universal)| {
                        let place = format!("[{},{}][{}, {}]", layer + 1, head + 1, query + 1, key + 1);
                        let difference = if target == universal {
                            t.no_difference().to_owned()
                        } else {
                            t.difference(&format!("{:.1e}", universal - target))
                        };
                        view! {
                            <p>
                                <b>{format!("A{place} = {}", long(target))}</b>
                                {format!(" · A′{place} = {} · {difference}", long(universal))}
                            </p>
                            <p class="quiet">{t.attention_lights(layer + 1, head + 1)}</p>
                        }
                    })
                    .into_any()
                }
                Some(Focus::State { level, row, column }) => {
                    let value = read(room, |played| {
                        played.target_trace.states.get(*level)?.get((*row, *column)).copied()
                    });
                    value
                    .map(|value| view! {
                        <p><b>{format!("X[{level}][{}, {}] = {}", row + 1, column + 1, exact(value))}</b></p>
                        <p class="quiet">{t.state_lights(*level)}</p>
                    })
                    .into_any()
                }
                Some(Focus::Weight { layer, head, matrix, row, column }) => {
                    let value = read(room, |played| {
                        let head = played.target.layers().get(*layer)?.heads.get(*head)?;
                        head.matrix(*matrix).get((*row, *column)).copied()
                    });
                    let name = format!("{}[{},{}]", matrix_symbol(*matrix), layer + 1, head + 1);
                    value
                    .map(|value| view! {
                        <p><b>{format!("{name}[{}, {}] = {}", row + 1, column + 1, exact(value))}</b></p>
                        <p class="quiet">{t.weight_lights()}</p>
                    })
                    .into_any()
                }
            }
        };
    view! {
        {shown}
        <EmbeddingEditor/>
    }
}

/// The field that changes the pinned entry of E, and the way back to the program.
#[component]
fn EmbeddingEditor() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let place = Memo::new(move |_| {
        room.pinned.with(|pinned| match pinned {
            Some(Focus::Embedding { row, column, .. }) => Some((*row, *column)),
            _ => None,
        })
    });
    let edits = Memo::new(move |_| room.piece.with(|piece| piece.embedding_edits.len()));
    let value = Signal::derive(move || {
        let place = place.get()?;
        read(room, |played| played.embedding.get(place).copied())
    });
    let set = move |value: f64| {
        if let Some((row, column)) = place.get_untracked() {
            room.change(|mut piece| {
                put_edit(&mut piece.embedding_edits, CellEdit { row, column, value });
                piece
            });
        }
    };
    view! {
        <div class="embedding-editor">
            <Show when=move || place.get().is_some()>
                <NumberField
                    label=Signal::derive(move || {
                        place.get().map(|(row, column)| t.get().change_entry(row + 1, column + 1)).unwrap_or_default()
                    })
                    value=Signal::derive(move || value.get().unwrap_or(0.0))
                    range=Range::any()
                    on_input=set
                />
            </Show>
            <Show when=move || { edits.get() > 0 }>
                <Button
                    label=Signal::derive(move || t.get().restore_program(edits.get()))
                    look=Look::Strong
                    on_press=move |()| room.change(|mut piece| {
                        piece.embedding_edits.clear();
                        piece
                    })
                />
            </Show>
        </div>
    }
}

/// A node of a tree: its path, its term, where it stands and what moves it.
fn node(room: Room, t: Language, level: usize, consumer: Consumer, rest: &AttentionPath) -> AnyView {
    let facts = read(room, |played| {
        let slot =
            played.frozen.has_places.then(|| played.frozen.columns.node(consumer, level, rest)).flatten();
        let norm = slot.map(|slot| {
            let state = &played.universal_trace.states[level];
            let block = state.slice(ndarray::s![.., slot.offset..slot.offset + slot.width]);
            block.iter().map(|value| value * value).sum::<f64>().sqrt()
        });
        let moved = slot.and_then(|slot| moved_by(played, level, rest, slot.offset, slot.width));
        Some((slot, norm, moved))
    });
    let (slot, norm, moved) = facts.unwrap_or_default();
    let title = match level {
        0 => t.leaf_of(&consumer.to_string(), &rest.to_string()),
        _ if rest.0.is_empty() => t.root_of(&consumer.to_string(), level),
        _ => t.node_of(&consumer.to_string(), level, &rest.to_string()),
    };
    view! {
        <p>
            <b>{title}</b>
            " "
            <Formula math=Signal::stored(term(level, consumer, rest))/>
            {norm.map(|norm| format!("  ‖·‖ = {}", short(norm)))}
        </p>
        <p class="quiet">
            {slot.map(|slot| t.stands_in(slot.offset + 1, slot.offset + slot.width))}
            {moved.map(|(head, from, to)| {
                let (layer, head) = (level + 1, head);
                match head {
                    0 => t.skip_keeps(layer),
                    _ => t.moved(layer, head, from + 1, to + 1),
                }
            })}
        </p>
    }
    .into_any()
}

/// The head whose Rv moves a block, with the first columns before and after; 0 for the skip, which leaves it.
fn moved_by(
    played: &Played,
    level: usize,
    rest: &AttentionPath,
    from: usize,
    width: usize,
) -> Option<(usize, usize, usize)> {
    let step = *rest.0.first()? as usize;
    let Some(head) = step.checked_sub(1) else { return Some((0, from, from)) };
    let layers = &played.frozen.heads;
    let layer = layers.get(if layers.len() == 1 { 0 } else { level })?;
    let FrozenHead::Routed { moves, .. } = layer.get(head)? else { return None };
    let it = moves.iter().find(|it| it.from <= from && from + width <= it.from + it.width)?;
    Some((step, from, it.to + (from - it.from)))
}

/// X[l] Wvo[l+1,h] ⋯ Wq: what a node holds.
fn term(level: usize, consumer: Consumer, rest: &AttentionPath) -> Math {
    let indexed = |symbol: &str, indices: String| sub(name(symbol), Math::Text(indices));
    let mut pieces = vec![op("=")];
    pieces.push(if level == 0 { name("X") } else { sub(name("X"), Math::Text(level.to_string())) });
    for (place, step) in rest.0.iter().enumerate() {
        if *step > 0 {
            pieces.push(indexed("W", format!("{},{step}", level + place + 1)));
        }
    }
    match consumer {
        Consumer::Query { layer, head } => {
            pieces.push(colored(Role::Query, indexed("Wq", format!("{},{}", layer + 1, head + 1))));
        }
        Consumer::Key { layer, head } => {
            pieces.push(colored(Role::Key, indexed("Wk", format!("{},{}", layer + 1, head + 1))));
        }
        Consumer::Output => {}
    }
    row(pieces)
}

/// The symbol of a weight matrix.
pub fn matrix_symbol(matrix: transformer::HeadMatrix) -> &'static str {
    match matrix {
        transformer::HeadMatrix::Wq => "Wq",
        transformer::HeadMatrix::Wk => "Wk",
        transformer::HeadMatrix::Wv => "Wv",
        transformer::HeadMatrix::Wo => "Wo",
    }
}

crate::texts! {
    inspector: "What you point at" | "O que você aponta";
    inspector_hint: "Point at anything: everything that belongs to it lights up. A click pins it; Escape lets go."
        | "Aponte para qualquer coisa: tudo o que lhe pertence se acende. Um clique fixa; Esc solta.";
    leaf_of(consumer: &str, path: &str): "Leaf of {consumer}, path {path}" | "Folha de {consumer}, caminho {path}";
    root_of(consumer: &str, layers: usize): "{consumer}, complete after {layers} layers" | "{consumer}, completo após {layers} camadas";
    node_of(consumer: &str, layers: usize, rest: &str): "{consumer} after {layers} layers, still to travel {rest}" | "{consumer} após {layers} camadas, ainda a percorrer {rest}";
    stands_in(from: usize, to: usize): "It stands in columns {from}–{to} of the state. " | "Está nas colunas {from}–{to} do estado. ";
    moved(layer: usize, head: usize, from: usize, to: usize): "Layer {layer}, head {head} moves it: column {from} → {to}." | "A camada {layer}, cabeça {head} o move: coluna {from} → {to}.";
    skip_keeps(layer: usize): "In layer {layer} the residual connection leaves it where it is." | "Na camada {layer} a conexão residual o deixa onde está.";
    no_difference: "no difference" | "sem diferença";
    difference(value: &str): "difference {value}" | "diferença {value}";
    attention_lights(layer: usize, head: usize): "Lit: the two rows that layer {layer}, head {head} compares, the blocks that carry its query and its key, and the row that it makes."
        | "Acesos: as duas linhas que a camada {layer}, cabeça {head} compara, os blocos que levam sua consulta e sua chave, e a linha que ela produz.";
    state_lights(level: usize): "State after {level} layers. Lit: what it is made of, and what reads it." | "Estado após {level} camadas. Acesos: do que é feito e o que o lê.";
    weight_lights: "Lit: every block of E that this weight is in." | "Acesos: todos os blocos de E em que este peso está.";
    change_entry(row: usize, column: usize): "E[{row}, {column}]" | "E[{row}, {column}]";
    restore_program(edits: usize): "Restore the program ({edits} changed)" | "Restaurar o programa ({edits} mudados)";
}
