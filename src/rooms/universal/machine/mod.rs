//! The middle of the picture: the roll, and layer by layer the blocks that meet and add up.

mod cells;
pub mod layout;
pub mod paint;
pub mod scene;

use std::sync::Arc;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use self::layout::{Place, Score};
use self::paint::{
    Heights, Look, Part, Scope, Stage, paint_focus, paint_layer, paint_layer_veil, paint_roll,
    paint_roll_veil,
};
use self::scene::{ROLL_UNITS, Scene};
use super::focus::{Focus, Nodes};
use super::room::Room;
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::Point;
use crate::drawing::gestures::pan_and_zoom;
use crate::drawing::painter::Painter;
use crate::drawing::resize::size_of;
use crate::drawing::shifted::Shifted;
use crate::drawing::surface::{Draw, Frame, Surface};
use crate::drawing::viewport::{Span, Track, Viewport, Zoom};
use crate::ground::language::{Language, say, text_of, use_language};
use crate::widgets::controls::{Choice, Menu, MenuItem, Select};
use crate::widgets::dialog::Dialog;
use crate::widgets::heatmap::{Axis, Matrix};
use crate::widgets::table::MatrixTable;

/// What all bands share.
#[derive(Clone, Copy)]
pub struct Machine {
    scene: Memo<Option<Arc<SceneOf>>>,
    zoom: RwSignal<Zoom>,
    scope: RwSignal<Scope>,
    /// How far the animation is, in layers.
    pub progress: Signal<f64>,
}

/// A scene that is compared by identity: it is made once for every answer of the worker.
#[derive(Debug)]
struct SceneOf(Scene);

impl PartialEq for SceneOf {
    fn eq(&self, other: &SceneOf) -> bool {
        Arc::ptr_eq(&self.0.played, &other.0.played)
    }
}

impl Machine {
    /// The machine of the room's numbers.
    pub fn new(room: Room, progress: Signal<f64>) -> Machine {
        let scene = Memo::new(move |_| room.played.get().map(|played| Arc::new(SceneOf(Scene::new(played)))));
        Machine { scene, zoom: RwSignal::new(Zoom::WHOLE), scope: RwSignal::new(Scope::default()), progress }
    }

    /// The horizontal window, `width` pixels wide. A column may become 28 pixels wide.
    fn viewport(self, width: f64) -> Viewport {
        let columns = self.scene.with(|scene| scene.as_ref().map_or(1, |scene| scene.0.played.frozen.width));
        let unit = ROLL_UNITS / columns as f64;
        let fit = width / ROLL_UNITS;
        let x = Track { length: ROLL_UNITS, window: width, fit, largest: (28.0 / unit).max(fit) };
        Viewport { x, y: Track { length: 1.0, window: 1.0, fit: 1.0, largest: 1.0 } }
    }

    /// All bands below each other, as one picture for a file.
    fn export(self, save: impl FnOnce(Point, &str, &dyn Fn(&mut dyn Painter, &Frame))) {
        let Some(scene) = self.scene.get_untracked() else { return };
        let scene = &scene.0;
        let (d, n) = (scene.played.embedding.nrows(), scene.tokens());
        let heights = Heights::new(d, n);
        let layers = scene.played.universal_trace.attention.len();
        let height = heights.roll_band(d, n) + heights.layer_band(n) * layers as f64;
        let paint = |painter: &mut dyn Painter, frame: &Frame| {
            let progress = untrack(|| self.progress.get());
            let look = |layer: usize| Look {
                span: untrack(|| self.span(frame.width)),
                stage: Stage::of(layer, progress),
                scope: self.scope.get_untracked(),
            };
            paint_roll(painter, &frame.palette, scene, &look(0), Part::All);
            for layer in 0..layers {
                let top = heights.roll_band(d, n) + heights.layer_band(n) * layer as f64;
                let mut below = Shifted::new(painter, Point::new(0.0, top));
                paint_layer(&mut below, &frame.palette, scene, &look(layer), layer, Part::All);
            }
        };
        save(Point::new(ROLL_UNITS, height), "E, Z", &paint);
    }

    fn span(self, width: f64) -> Span {
        self.viewport(width).view(self.zoom.get()).x
    }
}

/// Which band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    /// E and X E.
    Roll,
    /// What a layer does, from 0, and the state after it.
    Layer(usize),
}

impl Band {
    /// How many layers have worked on the state that stands in it.
    fn level(self) -> usize {
        match self {
            Band::Roll => 0,
            Band::Layer(layer) => layer + 1,
        }
    }
}

/// One band of the machine.
#[component]
pub fn MachineBand(machine: Machine, band: Band) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let node = NodeRef::<Div>::new();
    let level = band.level();
    // A frame of the animation repaints the layer that moves, and no other.
    let stage = Memo::new(move |_| Stage::of(level.saturating_sub(1), machine.progress.get()));
    let with_scene = move |frame: &Frame, paint: &mut dyn FnMut(&Scene, &Look)| {
        let Some(scene) = machine.scene.get() else { return };
        if level < scene.0.played.universal_trace.states.len() {
            let look =
                Look { span: machine.span(frame.width), stage: stage.get(), scope: machine.scope.get() };
            paint(&scene.0, &look);
        }
    };
    let draw = Draw::new(move |painter, frame| {
        with_scene(frame, &mut |scene, look| match band {
            Band::Roll => paint_roll(painter, &frame.palette, scene, look, Part::All),
            Band::Layer(layer) => paint_layer(painter, &frame.palette, scene, look, layer, Part::All),
        });
    });
    let draw_lights = Draw::new(move |painter: &mut dyn Painter, frame: &Frame| {
        room.lights.with(|lights| {
            room.focus.with(|focus| {
                let Some(focus) = focus else { return };
                let palette = &frame.palette;
                let nodes = &lights.nodes;
                with_scene(frame, &mut |scene, look| {
                    match band {
                        // Random weights give nothing a place, so nothing there stands back.
                        _ if *nodes == Nodes::None || scene.score.is_none() => {}
                        Band::Roll => {
                            paint_roll_veil(painter, palette, scene, look);
                            paint_roll(painter, palette, scene, look, Part::Lit(nodes));
                        }
                        Band::Layer(layer) => {
                            paint_layer_veil(painter, palette, scene, look);
                            paint_layer(painter, palette, scene, look, layer, Part::Lit(nodes));
                        }
                    }
                    paint_focus(painter, palette, scene, look, level, focus);
                });
            });
        });
    });
    let is_lit = Memo::new(move |_| room.focus.with(Option::is_some));
    let height = Memo::new(move |_| {
        machine.scene.with(|scene| {
            let Some(scene) = scene else { return 120.0 };
            let (d, n) = (scene.0.played.embedding.nrows(), scene.0.tokens());
            let heights = Heights::new(d, n);
            match band {
                Band::Roll => heights.roll_band(d, n),
                Band::Layer(_) => heights.layer_band(n),
            }
        })
    });

    let size = size_of(node);
    let viewport = Signal::derive(move || machine.viewport(size.get().map_or(ROLL_UNITS, |size| size.x)));
    pan_and_zoom(node, viewport, machine.zoom, Signal::stored(Point::default()));

    let pressed = StoredValue::new(None::<Point>);
    let place = move |event: &PointerEvent| {
        // Events are delegated, so their current target is not the band.
        let bounds = node.get_untracked()?.get_bounding_client_rect();
        let x = f64::from(event.client_x()) - bounds.left();
        let y = f64::from(event.client_y()) - bounds.top();
        Some((Point::new(x, y), bounds.width()))
    };
    let at = move |event: &PointerEvent| {
        let (point, width) = place(event)?;
        machine
            .scene
            .with_untracked(|scene| hit(&scene.as_ref()?.0, band, untrack(|| machine.span(width)), point))
    };
    let on_move = move |event: PointerEvent| {
        let focus = at(&event);
        if room.hovered.with_untracked(|hovered| *hovered != focus) {
            room.hovered.set(focus);
        }
    };
    let on_leave = move |_| room.hovered.set(None);
    let on_press = move |event: PointerEvent| pressed.set_value(place(&event).map(|(point, _)| point));
    let on_click = move |event: PointerEvent| {
        // A drag pans and pins nothing.
        let from = pressed.get_value();
        let to = place(&event).map(|(point, _)| point);
        if !from.zip(to).is_some_and(|(from, to)| from.distance(to) <= 4.0) {
            return;
        }
        let focus = at(&event);
        if let Some(Focus::Node { consumer, .. } | Focus::Embedding { leaf: Some((consumer, _)), .. }) =
            &focus
        {
            let consumer = *consumer;
            room.change_look(|look| look.consumer = consumer);
        }
        room.pinned.update(|pinned| *pinned = if *pinned == focus { None } else { focus });
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(scene) = machine.scene.get_untracked() else { return };
        let key = event.key();
        if key == "Escape" {
            room.pinned.set(None);
            room.hovered.set(None);
            return;
        }
        let Some(next) = step(&scene.0, band, room.focus.get_untracked().as_ref(), &key) else { return };
        event.prevent_default();
        room.pinned.set(Some(next));
    };
    let label = move || match band {
        Band::Roll => t.get().roll_label().to_owned(),
        Band::Layer(layer) => t.get().layer_label(layer + 1),
    };
    view! {
        <div
            node_ref=node
            class="machine-band"
            class:is-roll=band == Band::Roll
            role="application"
            tabindex="0"
            aria-label=label
            style:height=move || format!("{}px", height.get())
            on:pointermove=on_move
            on:pointerleave=on_leave
            on:pointerdown=on_press
            on:pointerup=on_click
            on:keydown=on_key
        >
            <Surface draw/>
            <Surface draw=draw_lights when=is_lit/>
        </div>
    }
}

/// What stands at a point of a band.
fn hit(scene: &Scene, band: Band, span: Span, point: Point) -> Option<Focus> {
    let (d, n) = (scene.played.embedding.nrows(), scene.tokens());
    let heights = Heights::new(d, n);
    let x = span.unit(point.x);
    let level = band.level();
    let cells = match band {
        Band::Roll => heights.input_cells(d),
        Band::Layer(_) => heights.links,
    };
    let in_roll = band == Band::Roll
        && (heights.roll_cells()..heights.roll_cells() + heights.roll_row * d as f64).contains(&point.y);
    let Some(score) = &scene.score else {
        let column = (x / ROLL_UNITS * scene.played.frozen.width as f64).floor();
        let is_inside = in_roll && column >= 0.0 && (column as usize) < scene.played.frozen.width;
        return is_inside.then(|| Focus::Embedding {
            row: ((point.y - heights.roll_cells()) / heights.roll_row) as usize,
            column: column as usize,
            leaf: None,
        });
    };
    let place = score.node_at(level, x)?;
    let node = score.row(place);
    if in_roll {
        let row = ((point.y - heights.roll_cells()) / heights.roll_row) as usize;
        let slot = node.slot_of(place.index);
        let inside = (x - node.left_of(place.index)) / node.width * slot.width as f64;
        let column = slot.offset + (inside as usize).min(slot.width - 1);
        let leaf = node.is_read.then(|| (node.consumer, score.rest(place)));
        return Some(Focus::Embedding { row: row.min(d - 1), column, leaf });
    }
    let is_on_state = (cells - 4.0..cells + heights.state_row * n as f64 + heights.names).contains(&point.y);
    let is_above_roll = band == Band::Roll && point.y < heights.input_cells(d);
    (node.is_read && (is_on_state || is_above_roll)).then(|| focus_of(score, place))
}

fn focus_of(score: &Score, place: Place) -> Focus {
    Focus::Node { level: place.level, consumer: score.row(place).consumer, rest: score.rest(place) }
}

/// Where an arrow key leads: along the blocks of a band.
fn step(scene: &Scene, band: Band, focus: Option<&Focus>, key: &str) -> Option<Focus> {
    let score = scene.score.as_ref()?;
    let level = band.level();
    let rows = score.levels.get(level)?;
    let read = |row: &usize| rows[*row].is_read;
    let (first, last) = ((0..rows.len()).find(read)?, (0..rows.len()).rfind(read)?);
    let start = Place { level, row: first, index: 0 };
    let end = Place { level, row: last, index: rows[last].count - 1 };
    let here = focus.and_then(|focus| scene.node_of(focus)).filter(|here| here.level == level);
    let next = match (key, here) {
        ("ArrowRight", Some(here)) if here.index + 1 < score.row(here).count => {
            Place { index: here.index + 1, ..here }
        }
        ("ArrowRight", Some(here)) => {
            (here.row + 1..rows.len()).find(read).map_or(here, |row| Place { level, row, index: 0 })
        }
        ("ArrowLeft", Some(here)) if here.index > 0 => Place { index: here.index - 1, ..here },
        ("ArrowLeft", Some(here)) => {
            (0..here.row).rfind(read).map_or(here, |row| Place { level, row, index: rows[row].count - 1 })
        }
        ("ArrowRight" | "ArrowLeft" | "Home", _) => start,
        ("End", _) => end,
        _ => return None,
    };
    Some(focus_of(score, next))
}

/// Buttons that magnify the roll; with the control key the wheel does the same.
#[component]
pub fn ZoomButtons(machine: Machine) -> impl IntoView {
    let t = use_language();
    let zoom = move |factor: f64| {
        let viewport = untrack(|| machine.viewport(ROLL_UNITS));
        let middle = Point::new(ROLL_UNITS / 2.0, 0.5);
        machine.zoom.update(|zoom| *zoom = viewport.zoomed(*zoom, middle, factor));
    };
    let pan = move |share: f64| {
        let viewport = untrack(|| machine.viewport(ROLL_UNITS));
        machine.zoom.update(|zoom| *zoom = viewport.panned(*zoom, Point::new(ROLL_UNITS * share, 0.0)));
    };
    let table_is_open = RwSignal::new(false);
    let items = move |()| {
        let t = t.get_untracked();
        vec![
            MenuItem::new(t.table_of_embedding(), move || table_is_open.set(true)),
            MenuItem::new(t.picture_as_svg(), move || {
                machine.export(|size, title, paint| {
                    save_svg("pianola-machine.svg", size, title, paint);
                })
            }),
            MenuItem::new(t.picture_as_png(), move || {
                machine.export(|size, _, paint| {
                    save_png("pianola-machine.png", size, 3.0, paint);
                })
            }),
        ]
    };
    let is_whole = move || machine.zoom.with(|zoom| zoom.factor <= 1.0);
    let has_blocks =
        Memo::new(move |_| machine.scene.with(|scene| scene.as_ref().is_some_and(|it| it.0.score.is_some())));
    view! {
        <div class="zoom-buttons" role="group" aria-label=say(t, Language::magnify_the_roll)>
            <Show when=move || has_blocks.get()>
                <Select
                    label=text_of(t, Language::full_colour)
                    options=Signal::derive(move || vec![
                        Choice::new(Scope::Block, t.get().scope_block()),
                        Choice::new(Scope::All, t.get().scope_all()),
                    ])
                    value=machine.scope
                    on_input=move |scope| machine.scope.set(scope)
                />
            </Show>
            <button type="button" aria-label=say(t, Language::earlier_columns) disabled=is_whole on:click=move |_| pan(0.5)>"‹"</button>
            <button type="button" aria-label=say(t, Language::smaller) disabled=is_whole on:click=move |_| zoom(1.0 / Zoom::STEP)>"−"</button>
            <button type="button" aria-label=say(t, Language::larger) on:click=move |_| zoom(Zoom::STEP)>"+"</button>
            <button type="button" aria-label=say(t, Language::later_columns) disabled=is_whole on:click=move |_| pan(-0.5)>"›"</button>
            <Menu label=text_of(t, Language::roll_actions) items=Callback::new(items)/>
        </div>
        <Dialog title=text_of(t, Language::embedding_table) is_open=table_is_open>
            <MatrixTable
                caption=text_of(t, Language::embedding_table)
                matrix=Signal::derive(move || machine.scene.with(|scene| {
                    scene.as_ref().map(|scene| Matrix::from(&scene.0.played.embedding)).unwrap_or_default()
                }))
                rows=Signal::stored(Axis::new("i", "").counted_from(1))
                cols=Signal::stored(Axis::new("j", "").counted_from(1))
            />
        </Dialog>
    }
}

crate::texts! {
    roll_label: "The roll: E and X E, block by block. Arrow keys move from block to block."
        | "O rolo: E e X E, bloco por bloco. As setas movem de bloco em bloco.";
    layer_label(layer: usize): "Layer {layer}: blocks meet and add up. Arrow keys move from block to block."
        | "Camada {layer}: os blocos se encontram e se somam. As setas movem de bloco em bloco.";
    magnify_the_roll: "Magnify the roll" | "Ampliar o rolo";
    earlier_columns: "Earlier columns" | "Colunas anteriores";
    later_columns: "Later columns" | "Colunas seguintes";
    roll_actions: "Actions for the roll" | "Ações para o rolo";
    embedding_table: "E, the program" | "E, o programa";
    table_of_embedding: "Table view" | "Ver como tabela";
    picture_as_svg: "Save the picture as SVG" | "Salvar a imagem em SVG";
    picture_as_png: "Save the picture as PNG" | "Salvar a imagem em PNG";
    full_colour: "Full colour" | "Cor plena";
    scope_block: "largest of each block" | "o maior de cada bloco";
    scope_all: "largest of all" | "o maior de todos";
    smaller: "Smaller" | "Menor";
    larger: "Larger" | "Maior";
}
