//! The tree of attention paths of one consumer: which paths meet in it, how much each brings, and where in the
//! universal transformer's state each of them travels.

use std::sync::Arc;

use leptos::prelude::*;
use transformer::{AttentionPath, path_index};
use universal::{Consumer, Slot, node_value};

use super::focus::{Focus, Nodes};
use super::matrices::read;
use super::room::Room;
use crate::drawing::color::Rgba;
use crate::drawing::palette::Role;
use crate::drawing::step::step_stroke;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::rooms::universal::choices::Leaves;
use crate::rooms::universal::job::{FrozenHead, Played};
use crate::widgets::controls::{Choice, Segments, Select};
use crate::widgets::math::{Formula, Math, entry, name, op, row, sub, text};
use crate::widgets::number;
use crate::widgets::path_tree::{Lit, NodeAt, Norms, Order, PathTree, path_name};

/// The panel with the tree.
#[component]
pub fn TreePanel(
    /// How far the machine is, in layers; by default at the step that the link says.
    #[prop(into, optional)]
    progress: Option<Signal<f64>>,
) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shown = room.derive(|played| Shown::of(played));
    let progress = progress.unwrap_or_else(|| {
        Signal::derive(move || {
            let layers = room.piece.with(|piece| piece.class.layers);
            room.look.with(|look| look.step.unwrap_or(layers)) as f64
        })
    });
    let lead = move || {
        let Shown { consumer, base, leaves, depth, .. } = shown.get()?;
        let consumer = t.get().tree_consumer(consumer);
        let leaves = number::grouped(leaves);
        Some(match depth {
            0 => t.get().tree_lead_of_none(&consumer),
            1 => t.get().tree_lead_of_one(base, &consumer),
            _ => t.get().tree_lead(base, depth, &leaves, &consumer),
        })
    };
    view! {
        <section class="panel tree-panel" aria-label=say(t, Language::tree_title)>
            <h2>{say(t, Language::tree_title)}</h2>
            <p class="lead">{lead}</p>
            <Show when=move || shown.with(Option::is_some)>
                <TreeView shown progress/>
            </Show>
        </section>
    }
}

/// The shape of the tree on show.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    consumer: Consumer,
    base: usize,
    first_step: usize,
    depth: usize,
    leaves: usize,
}

impl Shown {
    fn of(played: &Played) -> Shown {
        let class = played.target.class();
        let consumer = played.tree.consumer;
        let (base, first_step) = class.steps();
        let depth = consumer.depth(class);
        Shown { consumer, base, first_step, depth, leaves: played.tree.terms.len() }
    }
}

/// Up to so many leaves the tree keeps the order of the roll by itself; beyond, only its subtrees can be told apart.
const MOST_IN_ROLL_ORDER: usize = 64;

#[component]
fn TreeView(shown: Memo<Option<Shown>>, progress: Signal<f64>) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let norms = Memo::new(move |_| {
        Arc::new(
            read(room, |played| {
                let (base, first_step) = played.target.class().steps();
                let levels = played.tree.nodes.clone();
                (!levels.is_empty()).then_some(Norms { base, first_step: first_step as u8, levels })
            })
            // A tree always has a root.
            .unwrap_or(Norms { base: 1, first_step: 1, levels: vec![vec![0.0]] }),
        )
    });
    let consumer = Memo::new(move |_| shown.get().map_or(Consumer::Output, |shown| shown.consumer));
    let order = Memo::new(move |_| match room.look.with(|look| look.leaves) {
        Some(Leaves::AsOnRoll) => Order::Roll,
        Some(Leaves::BySubtree) => Order::Subtrees,
        None if shown.get().map_or(1, |shown| shown.leaves) > MOST_IN_ROLL_ORDER => Order::Subtrees,
        None => Order::Roll,
    });
    let choose_order = move |order: Order| {
        room.change_look(|look| {
            look.leaves = Some(match order {
                Order::Roll => Leaves::AsOnRoll,
                Order::Subtrees => Leaves::BySubtree,
            });
        });
    };
    let role = Signal::derive(move || role_of(consumer.get()));
    let row_names = Signal::derive(move || {
        let depth = shown.get().map_or(0, |shown| shown.depth);
        (0..=depth)
            .map(|level| match level {
                0 => t.get().tree_leaves_row().to_owned(),
                layer => t.get().tree_layer_row(layer),
            })
            .collect::<Vec<String>>()
    });
    let root_name = Signal::derive(move || symbol(t.get(), consumer.get()));
    let looked_at =
        Memo::new(move |_| room.focus.with(|focus| read(room, |played| node_of(played, focus.as_ref()?))));
    let lit = Memo::new(move |_| {
        room.lights.with(|lights| match &lights.nodes {
            Nodes::None | Nodes::Trees(_) => Lit::None,
            Nodes::Leaves => Lit::Leaves,
            Nodes::Through(of, rest) => read(room, |played| {
                let level = of.depth(played.target.class()).checked_sub(rest.0.len())?;
                let focus = Focus::Node { level, consumer: *of, rest: rest.clone() };
                node_of(played, &focus).map(Lit::Through)
            })
            .unwrap_or_default(),
        })
    });
    let focus_on = move |node: NodeAt| untrack(|| read(room, |played| Some(focus_of(played, node))));
    let on_look = move |node: Option<NodeAt>| room.hovered.set(node.and_then(focus_on));
    let on_pin = move |node: Option<NodeAt>| {
        let focus = node.and_then(focus_on);
        room.pinned.update(|pinned| *pinned = if *pinned == focus { None } else { focus });
    };
    let facts =
        Memo::new(move |_| looked_at.get().and_then(|node| read(room, |played| Facts::of(played, node))));
    let label = Signal::derive(move || {
        let consumer = t.get().tree_consumer(consumer.get());
        let leaves = number::grouped(shown.get().map_or(1, |shown| shown.leaves));
        t.get().tree_label(&consumer, &leaves)
    });
    let said = move || facts.get().map(|facts| facts.said(t.get()));
    view! {
        <div class="tree-controls">
            <ConsumerSelect/>
            <Show when=move || shown.get().is_some_and(|shown| shown.depth > 1 && shown.base > 1)>
                <Segments
                    label=text_of(t, Language::tree_order)
                    options=Signal::derive(move || vec![
                        Choice::new(Order::Roll, t.get().tree_order_roll()).noted(t.get().tree_order_roll_note()),
                        Choice::new(Order::Subtrees, t.get().tree_order_subtrees()).noted(t.get().tree_order_subtrees_note()),
                    ])
                    value=order
                    on_input=choose_order
                />
            </Show>
        </div>
        <div class="tree-frame">
            <div class="tree-picture">
                <PathTree
                    norms
                    order
                    role
                    progress
                    row_names
                    root_name
                    looked_at
                    lit
                    on_look
                    on_pin
                    label
                    hint=text_of(t, Language::tree_hint)
                />
                <Legend shown role/>
            </div>
            <Inspector facts/>
        </div>
        <p class="visually-hidden" aria-live="polite">{said}</p>
    }
}

/// Whose tree.
#[component]
fn ConsumerSelect() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let class = room.derive(|played| *played.target.class());
    let options = Signal::derive(move || {
        let class = class.get();
        let all = class.map(|class| Consumer::all(&class)).unwrap_or_default();
        all.into_iter()
            .map(|consumer| Choice::new(consumer, t.get().tree_consumer(consumer)))
            .collect::<Vec<Choice<Consumer>>>()
    });
    let value = Signal::derive(move || room.look.with(|look| look.consumer));
    view! {
        <Select
            label=text_of(t, Language::tree_consumer_label)
            options
            value
            on_input=move |consumer| room.change_look(|look| look.consumer = consumer)
        />
    }
}

/// How heads are told apart, and what size and shade mean.
#[component]
fn Legend(shown: Memo<Option<Shown>>, role: Signal<Role>) -> impl IntoView {
    let t = use_language();
    /// More lines than this cannot be told apart anyway.
    const MOST: usize = 6;
    let steps = move || {
        let Shown { base, first_step, depth, .. } = shown.get()?;
        let steps = if depth == 0 { 0 } else { base.min(MOST) };
        let lines = (first_step..first_step + steps).map(|step| {
            let stroke = step_stroke(Rgba::CLEAR, step as u8, 1.8);
            let dashes: Vec<String> = stroke.dashes.iter().map(f64::to_string).collect();
            let hue = if step == 0 { Role::Residual } else { role.get() };
            view! {
                <span class=format!("tree-key {}", hue.class())>
                    <svg class="tree-line" viewBox="0 0 34 6" aria-hidden="true">
                        <path d="M0 3h34" stroke-width=stroke.width.to_string() stroke-dasharray=dashes.join(" ")></path>
                    </svg>
                    {match step {
                        0 => t.get().tree_skip().to_owned(),
                        head => t.get().tree_head(head),
                    }}
                </span>
            }
        });
        Some(lines.collect_view())
    };
    view! {
        <p class="tree-legend">
            {steps}
            <span class=move || format!("tree-key {}", role.get().class())>
                <svg class="tree-discs" viewBox="0 0 44 16" aria-hidden="true">
                    <circle cx="5" cy="8" r="2" fill-opacity="0.3"></circle>
                    <circle cx="16" cy="8" r="4.5" fill-opacity="0.6"></circle>
                    <circle cx="33" cy="8" r="7"></circle>
                </svg>
                {say(t, Language::tree_scale)}
            </span>
        </p>
    }
}

/// Everything that a node knows.
#[component]
fn Inspector(facts: Memo<Option<Facts>>) -> impl IntoView {
    let t = use_language();
    view! {
        <div class="tree-inspector">
            {move || match facts.get() {
                None => view! { <p class="quiet">{t.get().tree_nothing_looked_at()}</p> }.into_any(),
                Some(facts) => {
                    let fact = |name: &'static str, value: String| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
                    view! {
                        <p class=format!("tree-node in-role {}", role_of(facts.consumer).class())>{facts.title(t.get())}</p>
                        <div class="tree-formula"><Formula math=facts.term_formula()/></div>
                        <dl class="tree-facts">
                            {fact(t.get().tree_term_norm(), number::long(facts.term))}
                            {fact(t.get().tree_value_norm(), number::long(facts.value))}
                            {fact(t.get().tree_slot(), facts.slot_in_words(t.get()))}
                            {fact(t.get().tree_route(), facts.route_in_words(t.get()))}
                        </dl>
                    }
                    .into_any()
                }
            }}
        </div>
    }
}

/// What is known of a node.
#[derive(Debug, Clone, PartialEq)]
struct Facts {
    consumer: Consumer,
    level: usize,
    rest: AttentionPath,
    /// The norm of what it brings to the root.
    term: f64,
    /// The norm of what stands in it.
    value: f64,
    /// Its columns; random weights have no place for it.
    slot: Option<Slot>,
    route: Route,
}

/// What the next layer does with the columns of a node.
#[derive(Debug, Clone, PartialEq)]
enum Route {
    /// Rv moves them onto these.
    Moved { layer: usize, head: usize, to: Slot },
    /// The skip leaves them where they are.
    Skipped { layer: usize },
    /// Nothing: the consumer reads them.
    Read,
    /// Random weights mix all columns.
    Mixed { layer: usize, head: usize },
}

impl Facts {
    fn of(played: &Played, node: NodeAt) -> Option<Facts> {
        let consumer = played.tree.consumer;
        let Focus::Node { level, rest, .. } = focus_of(played, node) else { return None };
        let value = *played.tree.nodes.get(level)?.get(node.index)?;
        let term = match level {
            0 => *played.tree.terms.get(node.index)?,
            _ => term_norm(played, consumer, level, &rest)?,
        };
        let frozen = &played.frozen;
        let slot = frozen.has_places.then(|| frozen.columns.node(consumer, level, &rest)).flatten();
        let route = match rest.0.first() {
            None => Route::Read,
            Some(0) => Route::Skipped { layer: level },
            Some(step) => {
                let head = *step as usize - 1;
                match slot.and_then(|slot| moved(played, level, head, slot)) {
                    Some(to) => Route::Moved { layer: level, head, to },
                    None => Route::Mixed { layer: level, head },
                }
            }
        };
        Some(Facts { consumer, level, rest, term, value, slot, route })
    }

    /// A[l,h_l] ⋯ A[t+1,h_(t+1)] X[t] W_rest W, W being what the consumer reads with.
    fn term_formula(&self) -> Math {
        /// More factors than this do not fit into a line.
        const MOST: usize = 6;
        let steps: Vec<(usize, u8)> =
            self.rest.0.iter().enumerate().map(|(place, step)| (self.level + place + 1, *step)).collect();
        let factors: Vec<Math> = steps
            .iter()
            .rev()
            .filter(|(_, step)| *step > 0)
            .map(|(layer, step)| entry("A", [layer.to_string(), step.to_string()]))
            .collect();
        let mut pieces = factors.clone();
        if factors.len() > MOST {
            pieces.splice(2..factors.len() - 2, [op("⋯")]);
        }
        pieces.push(if self.level == 0 { name("X") } else { entry("X", [self.level.to_string()]) });
        if !self.rest.0.is_empty() {
            pieces.push(sub(name("W"), text(path_name(&self.rest.0))));
        }
        if let Consumer::Query { layer, head } | Consumer::Key { layer, head } = self.consumer {
            let letter = if matches!(self.consumer, Consumer::Query { .. }) { "Wq" } else { "Wk" };
            pieces.push(entry(letter, [(layer + 1).to_string(), (head + 1).to_string()]));
        }
        row(pieces)
    }

    fn title(&self, t: Language) -> String {
        match self.rest.0.is_empty() {
            true => t.tree_root_of(&symbol(t, self.consumer)),
            false if self.level == 0 => t.tree_leaf(&path_name(&self.rest.0)),
            false => t.tree_node(&path_name(&self.rest.0), self.level),
        }
    }

    fn slot_in_words(&self, t: Language) -> String {
        match self.slot {
            Some(slot) => columns(t, slot),
            None => t.tree_no_slot().to_owned(),
        }
    }

    fn route_in_words(&self, t: Language) -> String {
        match (&self.route, self.slot) {
            (Route::Moved { layer, head, to }, Some(from)) => {
                let (from, to) = (columns(t, from), range(*to));
                t.tree_moved(layer + 1, head + 1, &from, &to)
            }
            (Route::Moved { layer, head, .. } | Route::Mixed { layer, head }, _) => {
                t.tree_mixed(layer + 1, head + 1)
            }
            (Route::Skipped { layer }, _) => t.tree_skipped(layer + 1),
            (Route::Read, _) => match self.consumer {
                Consumer::Query { layer, head } => t.tree_read_by(&format!("Rq[{},{}]", layer + 1, head + 1)),
                Consumer::Key { layer, head } => t.tree_read_by(&format!("Rk[{},{}]", layer + 1, head + 1)),
                Consumer::Output => t.tree_read_by("U"),
            },
        }
    }

    fn said(&self, t: Language) -> String {
        let (term, slot) = (number::short(self.term), self.slot_in_words(t));
        t.tree_said(&self.title(t), &self.term_formula().to_string(), &term, &slot, &self.route_in_words(t))
    }
}

/// The norm of A[l,h_l] ⋯ A[t+1,h_(t+1)] X[t] W_rest W: what a node brings to the root.
fn term_norm(played: &Played, consumer: Consumer, level: usize, rest: &AttentionPath) -> Option<f64> {
    let trace = &played.target_trace;
    let mut term = node_value(&played.target, trace, consumer, level, rest)?;
    for (place, step) in rest.0.iter().enumerate() {
        if let Some(head) = step.checked_sub(1) {
            term = trace.attention.get(level + place)?.get(head as usize)?.dot(&term);
        }
    }
    Some(term.iter().map(|value| value * value).sum::<f64>().sqrt())
}

/// Where the frozen weights themselves move some columns.
fn moved(played: &Played, layer: usize, head: usize, slot: Slot) -> Option<Slot> {
    // When all layers share their weights, only one layer is kept.
    let heads = played.frozen.heads.get(layer).or(played.frozen.heads.first())?;
    let FrozenHead::Routed { moves, .. } = heads.get(head)? else { return None };
    let run = moves
        .iter()
        .find(|run| run.from <= slot.offset && slot.offset + slot.width <= run.from + run.width)?;
    Some(Slot { offset: run.to + (slot.offset - run.from), width: slot.width })
}

fn node_of(played: &Played, focus: &Focus) -> Option<NodeAt> {
    let (level, consumer, rest) = match focus {
        Focus::Node { level, consumer, rest } => (*level, consumer, rest),
        Focus::Embedding { leaf: Some((consumer, path)), .. } => (0, consumer, path),
        _ => return None,
    };
    let class = played.target.class();
    let is_here = *consumer == played.tree.consumer && level + rest.0.len() == consumer.depth(class);
    is_here.then(|| path_index(class, rest).map(|index| NodeAt { level, index })).flatten()
}

fn focus_of(played: &Played, node: NodeAt) -> Focus {
    let class = played.target.class();
    let consumer = played.tree.consumer;
    let length = consumer.depth(class).saturating_sub(node.level);
    Focus::Node { level: node.level, consumer, rest: transformer::path_at(class, length, node.index) }
}

fn role_of(consumer: Consumer) -> Role {
    match consumer {
        Consumer::Query { .. } => Role::Query,
        Consumer::Key { .. } => Role::Key,
        Consumer::Output => Role::Output,
    }
}

/// The short name of a consumer.
fn symbol(t: Language, consumer: Consumer) -> String {
    match consumer {
        Consumer::Output => t.tree_output().to_owned(),
        other => other.to_string(),
    }
}

fn columns(t: Language, slot: Slot) -> String {
    if slot.width == 1 { t.tree_column(slot.offset + 1) } else { t.tree_columns(&range(slot)) }
}

/// Columns count from 1 on the page.
fn range(slot: Slot) -> String {
    match slot.width {
        1 => (slot.offset + 1).to_string(),
        _ => format!("{}…{}", slot.offset + 1, slot.offset + slot.width),
    }
}

impl Language {
    /// A consumer in words.
    fn tree_consumer(self, consumer: Consumer) -> String {
        match consumer {
            Consumer::Query { layer, head } => self.tree_query_of(layer + 1, head + 1),
            Consumer::Key { layer, head } => self.tree_key_of(layer + 1, head + 1),
            Consumer::Output => self.tree_the_output().to_owned(),
        }
    }
}

crate::texts! {
    tree_title: "The tree of attention paths" | "A árvore dos caminhos de atenção";
    tree_lead(base: usize, depth: usize, leaves: &str, consumer: &str):
        "Paths multiply: {base} ways through each of {depth} layers make {leaves} leaves, all added up in {consumer}. E holds a block for each, so E must be wide."
        | "Os caminhos se multiplicam: {base} passagens por camada, em {depth} camadas, dão {leaves} folhas, todas somadas em: {consumer}. E guarda um bloco para cada uma, por isso E precisa ser larga.";
    tree_lead_of_one(base: usize, consumer: &str):
        "One layer: each of its {base} ways is a leaf with a block of E, and all are added up in {consumer}. Deeper consumers multiply their paths."
        | "Uma camada: cada uma das suas {base} passagens é uma folha com um bloco de E, e todas se somam em: {consumer}. Consumidores mais profundos multiplicam os caminhos.";
    tree_lead_of_none(consumer: &str):
        "Before the first layer there is one path only: a single block of E is {consumer}. Choose a deeper consumer to see paths multiply."
        | "Antes da primeira camada só há um caminho: um único bloco de E já é: {consumer}. Escolha um consumidor mais profundo para ver os caminhos se multiplicarem.";
    tree_consumer_label: "Consumer" | "Consumidor";
    tree_query_of(layer: usize, head: usize): "the query of layer {layer}, head {head}" | "a consulta da camada {layer}, cabeça {head}";
    tree_key_of(layer: usize, head: usize): "the key of layer {layer}, head {head}" | "a chave da camada {layer}, cabeça {head}";
    tree_the_output: "the output" | "a saída";
    tree_output: "output" | "saída";
    tree_order: "Leaves" | "Folhas";
    tree_order_roll: "as on the roll" | "como no rolo";
    tree_order_roll_note: "In the order of the blocks of E: each head moves one slice." | "Na ordem dos blocos de E: cada cabeça move uma fatia.";
    tree_order_subtrees: "by subtree" | "por subárvore";
    tree_order_subtrees_note: "What meets stands together: no lines cross." | "O que se encontra fica junto: nenhuma linha se cruza.";
    tree_leaves_row: "blocks of X E" | "blocos de X E";
    tree_layer_row(layer: usize): "layer {layer}" | "camada {layer}";
    tree_skip: "skip" | "atalho";
    tree_head(head: usize): "head {head}" | "cabeça {head}";
    tree_scale: "norm, beside the largest of its row" | "norma, ao lado da maior da sua linha";
    tree_label(consumer: &str, leaves: &str): "Tree of attention paths: {consumer}, {leaves} leaves" | "Árvore dos caminhos de atenção: {consumer}, {leaves} folhas";
    tree_hint:
        "Arrow up goes to the strongest child, arrow down to the parent, left and right to the siblings. Enter pins a node, Escape lets go. Plus and minus zoom, 0 shows everything."
        | "Seta para cima vai ao filho mais forte, para baixo ao pai, esquerda e direita aos irmãos. Enter fixa um nó, Esc solta. Mais e menos ampliam e reduzem, 0 mostra tudo.";
    tree_nothing_looked_at:
        "Point at a node, or move with the arrow keys, to see its path, its term and where it travels."
        | "Aponte para um nó, ou use as setas, para ver seu caminho, seu termo e por onde ele passa.";
    tree_root_of(name: &str): "root: {name}" | "raiz: {name}";
    tree_leaf(path: &str): "path {path}" | "caminho {path}";
    tree_node(path: &str, layer: usize): "still to go: {path}, after layer {layer}" | "falta: {path}, após a camada {layer}";
    tree_term_norm: "norm of its term in the root" | "norma do seu termo na raiz";
    tree_value_norm: "norm of its value" | "norma do seu valor";
    tree_slot: "its slot in the state" | "seu lugar no estado";
    tree_route: "what moves it" | "o que o move";
    tree_column(column: usize): "column {column}" | "coluna {column}";
    tree_columns(range: &str): "columns {range}" | "colunas {range}";
    tree_no_slot: "spread over all columns" | "espalhado por todas as colunas";
    tree_moved(layer: usize, head: usize, from: &str, to: &str): "Rv[{layer},{head}]: {from} → {to}" | "Rv[{layer},{head}]: {from} → {to}";
    tree_skipped(layer: usize): "nothing: the skip of layer {layer} keeps it in place" | "nada: o atalho da camada {layer} o mantém no lugar";
    tree_mixed(layer: usize, head: usize): "Rv[{layer},{head}] mixes all columns" | "Rv[{layer},{head}] mistura todas as colunas";
    tree_read_by(matrix: &str): "nothing more: {matrix} reads it here" | "mais nada: {matrix} o lê aqui";
    tree_said(title: &str, formula: &str, term: &str, slot: &str, route: &str):
        "{title}: {formula}, norm {term}; {slot}; {route}"
        | "{title}: {formula}, norma {term}; {slot}; {route}";
}
