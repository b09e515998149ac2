//! The dataflow of a run, layer by layer, linked to source and animation.

pub mod layout;

use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;
use rasp::Primitive;

use self::layout::{HEAD, Layout};
use super::room::{Played, Room};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle};
use crate::drawing::palette::Palette;
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Surface};
use crate::ground::language::{Language, use_language};

/// The graph, in a window that scrolls.
#[component]
pub fn GraphPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let node = NodeRef::<Div>::new();
    let size = size_of(node);
    let scroll = RwSignal::new(Point::default());
    let hovered = RwSignal::new(None::<usize>);
    let layout = Memo::new(move |_| {
        let width = size.get().map_or(640.0, |size| size.x);
        let played = room.played.get()?;
        Some(Arc::new(Layout::new(&played.run.trace, width, |step| box_label(&played, step))))
    });
    let draw = Draw::new(move |painter, frame| {
        let (Some(layout), Some(played)) = (layout.get(), room.played.get()) else { return };
        let window = Rect::new(scroll.get().x, scroll.get().y, frame.width, frame.height);
        let scene = Graph { layout: &layout, played: &played, hovered: hovered.get(), t: t.get() };
        scene.paint(painter, &frame.palette, window, room.step.get());
    });
    let hit = move |event: &PointerEvent| {
        let bounds = node.get_untracked()?.get_bounding_client_rect();
        let at = scroll.get_untracked();
        let point = Point::new(
            f64::from(event.client_x()) - bounds.left() + at.x,
            f64::from(event.client_y()) - bounds.top() + at.y,
        );
        layout.with_untracked(|layout| layout.as_ref()?.hit(point))
    };
    let on_move = move |event: PointerEvent| {
        let found = hit(&event);
        if hovered.get_untracked() != found {
            hovered.set(found);
        }
    };
    let go_to = move |node: usize| {
        let step = layout.with_untracked(|layout| layout.as_ref()?.nodes.get(node).map(|node| node.step));
        if let Some(step) = step {
            room.jump(step);
        }
    };
    let on_click = move |event: PointerEvent| {
        if let Some(node) = hit(&event) {
            go_to(node);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let count = layout.with_untracked(|layout| layout.as_ref().map_or(0, |layout| layout.nodes.len()));
        if count == 0 {
            return;
        }
        let step = room.step.get_untracked();
        let here = step.and_then(|step| layout.with_untracked(|layout| layout.as_ref()?.node_of(step)));
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => here.map_or(0, |at| (at + 1).min(count - 1)),
            "ArrowLeft" | "ArrowUp" => here.map_or(0, |at| at.saturating_sub(1)),
            "Home" => 0,
            "End" => count - 1,
            _ => return,
        };
        event.prevent_default();
        go_to(next);
    };
    // The window follows the step on show, unless a person looks around in it.
    Effect::new(move |_| {
        let (step, layout) = (room.step.get(), layout.get());
        let (Some(window), Some(layout)) = (node.get(), layout) else { return };
        let Some(place) = step.and_then(|step| Some(layout.nodes[layout.node_of(step)?].place)) else {
            return;
        };
        if hovered.get_untracked().is_some() {
            return;
        }
        // A new graph has its size in the next frame.
        request_animation_frame(move || reveal(&window, place));
    });
    let on_scroll = move |_| {
        if let Some(window) = node.get_untracked() {
            scroll.set(Point::new(f64::from(window.scroll_left()), f64::from(window.scroll_top())));
        }
    };
    let extent = move |of: fn(&Layout) -> f64| {
        move || layout.with(|layout| format!("{}px", layout.as_ref().map_or(0.0, |layout| of(layout).ceil())))
    };
    view! {
        <div
            node_ref=node
            class="rasp-graph"
            role="application"
            tabindex="0"
            aria-label=move || t.get().rasp_graph_keys()
            on:scroll=on_scroll
            on:pointermove=on_move
            on:pointerleave=move |_| hovered.set(None)
            on:pointerup=on_click
            on:keydown=on_key
        >
            <div
                class="rasp-graph-room"
                style:width=extent(|layout| layout.size.x)
                style:height=extent(|layout| layout.size.y)
            >
                <div
                    class="rasp-graph-window"
                    style:width=move || format!("{}px", size.get().map_or(0.0, |size| size.x))
                    style:height=move || format!("{}px", size.get().map_or(0.0, |size| size.y))
                >
                    <Surface draw/>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// Scrolls just as far as is needed to see a box, and then has it in the middle.
fn reveal(window: &web_sys::Element, place: Rect) {
    let (width, height) = (f64::from(window.client_width()), f64::from(window.client_height()));
    let (left, top) = (f64::from(window.scroll_left()), f64::from(window.scroll_top()));
    if place.x < left || place.right() > left + width {
        window.set_scroll_left((place.center().x - width / 2.0) as i32);
    }
    if place.y < top || place.bottom() > top + height {
        window.set_scroll_top((place.center().y - height / 2.0) as i32);
    }
}

/// What is written in a box: its name, or else what it does in a word.
fn box_label(played: &Played, step: usize) -> String {
    let trace = &played.run.trace;
    let this = &trace.steps[step];
    match (&this.name, &this.primitive) {
        (Some(name), _) => name.clone(),
        (None, Primitive::Aggregate { .. }) => "aggregate".to_owned(),
        (None, Primitive::Select(comparison)) => {
            let operand = |at: usize| super::words::operand(trace, this.operands[at]);
            format!("{} {} {}", operand(0), comparison.symbol(), operand(1))
        }
        (None, _) => super::words::formula(trace, step),
    }
}

struct Graph<'a> {
    layout: &'a Layout,
    played: &'a Played,
    hovered: Option<usize>,
    t: Language,
}

impl Graph<'_> {
    /// Paints what lies in `window`. `current` is the step on show; later ones are still to come.
    fn paint(&self, painter: &mut dyn Painter, palette: &Palette, window: Rect, current: Option<usize>) {
        let seen = |rect: Rect| Rect::new(rect.x - window.x, rect.y - window.y, rect.width, rect.height);
        let is_near = |top: f64, bottom: f64| bottom >= window.y - 40.0 && top <= window.bottom() + 40.0;
        for band in &self.layout.bands {
            if band.height == 0.0 || !is_near(band.top, band.top + band.height) {
                continue;
            }
            let place = seen(Rect::new(window.x, band.top, window.width, band.height));
            if band.layer % 2 == 1 {
                painter.fill_rect(place, palette.line.faded(0.28));
            }
            let style = TextStyle::new(palette.soft, palette.text_small, Family::Sans);
            painter.text(&self.band_title(band.layer), Point::new(12.0, place.y + HEAD / 2.0), &style);
        }
        let step = |node: usize| self.layout.nodes[node].step;
        // What the animation has not come to yet is faint; what is given is there from the start.
        let acts = &self.played.timeline.acts;
        let mut act_of = vec![0; self.played.run.trace.steps.len()];
        acts.iter().enumerate().for_each(|(at, act)| act_of[act.step] = at);
        let last = current.map_or(0, |step| act_of[step]);
        let is_there = |step: usize| act_of[step] <= last && self.played.timeline.comes_to(step);
        let lit = self.hovered.map(step).or(current);
        for node in &self.layout.nodes {
            for operand in &node.operands {
                let from = &self.layout.nodes[*operand];
                if !is_near(from.place.y, node.place.bottom()) {
                    continue;
                }
                let is_lit =
                    lit.is_some_and(|lit| node.step == lit || (self.hovered.is_some() && from.step == lit));
                let color = match (is_lit, is_there(node.step)) {
                    (true, _) => palette.accent,
                    (false, true) => palette.edge.faded(0.55),
                    (false, false) => palette.edge.faded(0.25),
                };
                let start = seen(from.place);
                let end = seen(node.place);
                let path = Path::link(
                    Point::new(start.center().x, start.bottom()),
                    Point::new(end.center().x, end.y),
                );
                painter.stroke_path(&path, &Stroke::solid(color, if is_lit { 2.0 } else { 1.2 }));
            }
        }
        for (at, node) in self.layout.nodes.iter().enumerate() {
            if !is_near(node.place.y, node.place.bottom()) {
                continue;
            }
            let place = seen(node.place);
            if place.right() < 0.0 || place.x > window.width {
                continue;
            }
            let primitive = &self.played.run.trace.steps[node.step].primitive;
            let hue = match primitive {
                Primitive::Base(_) | Primitive::Constant(_) => palette.soft,
                Primitive::Aggregate { .. } => palette.output,
                _ if primitive.is_selector() => palette.query,
                _ => palette.value,
            };
            let is_current = current == Some(node.step);
            painter.fill_round_rect(place, radius(primitive), palette.card);
            if is_current {
                painter.fill_round_rect(place, radius(primitive), palette.accent);
            }
            let faint = if is_there(node.step) { 1.0 } else { 0.55 };
            let edge = if self.hovered == Some(at) || is_current { palette.accent } else { hue.faded(faint) };
            painter.stroke_rect(
                place.inset(0.5),
                radius(primitive),
                &Stroke::solid(edge, if self.hovered == Some(at) { 2.0 } else { 1.2 }),
            );
            if self.played.failed().is_some_and(|failed| failed.step == node.step) {
                painter.stroke_rect(place.inset(-2.5), radius(primitive), &Stroke::solid(palette.bad, 2.0));
            }
            let ink = if is_current { palette.on_accent } else { palette.ink };
            let style = TextStyle::new(ink, palette.text_tiny, Family::Mono).aligned(Align::Center);
            painter.text(&node.label, place.center(), &style);
        }
    }

    fn band_title(&self, layer: usize) -> String {
        if layer == 0 {
            return self.t.rasp_input_layer().to_owned();
        }
        let analysis = &self.played.run.analysis;
        let merged = analysis.layers.get(layer - 1).map_or(0, |layer| layer.heads.len());
        let written = analysis.heads_per_layer.get(layer - 1).copied().unwrap_or(0);
        if merged == written {
            self.t.rasp_layer(layer, &self.t.rasp_heads(written))
        } else {
            self.t.rasp_layer_merged(layer, &self.t.rasp_heads(written), merged)
        }
    }
}

/// Selectors have sharp corners, sequences round ones.
fn radius(primitive: &Primitive) -> f64 {
    if primitive.is_selector() { 2.0 } else { 9.0 }
}

impl Language {
    /// A number of heads, in words.
    pub fn rasp_heads(self, count: usize) -> String {
        match count {
            1 => self.rasp_one_head().to_owned(),
            count => self.rasp_many_heads(count),
        }
    }
}

crate::texts! {
    rasp_graph_keys: "The dataflow, layer by layer. Arrow keys move from step to step." | "O fluxo de dados, camada por camada. As setas movem de passo em passo.";
    rasp_input_layer: "input" | "entrada";
    rasp_layer(layer: usize, heads: &str): "layer {layer} · {heads}" | "camada {layer} · {heads}";
    rasp_layer_merged(layer: usize, heads: &str, merged: usize): "layer {layer} · {heads} as written, {merged} different" | "camada {layer} · {heads} como escrito, {merged} diferentes";
    rasp_one_head: "1 head" | "1 cabeça";
    rasp_many_heads(count: usize): "{count} heads" | "{count} cabeças";
}
