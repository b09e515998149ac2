//! The stage: one primitive at a time, with the numbers that move.

pub mod layout;
pub mod paint;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use self::layout::{AttentionPlaces, CombinationPlaces, ElementwisePlaces, Scene, height, viewport};
use self::paint::{Labels, View, focus, paint_moving, paint_still};
use super::room::{Played, Room};
use super::words::{Sentence, at_end, at_position};
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::Point;
use crate::drawing::gestures::pan_and_zoom;
use crate::drawing::painter::Painter;
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Frame, Surface};
use crate::drawing::viewport::{Viewport, Zoom};
use crate::ground::language::{Language, use_language};
use crate::widgets::controls::{Button, Look, Menu, MenuItem};
use crate::widgets::icon::Icon;

/// The picture of the step that is on show, its name above it and its numbers below it.
#[component]
pub fn Stage() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let node = NodeRef::<Div>::new();
    let size = size_of(node);
    let step = room.step;
    let scene = Memo::new(move |_| {
        let step = step.get()?;
        room.played.with(|played| Some(Scene::of(&played.as_ref()?.run.trace, step)))
    });
    let zoom = RwSignal::new(Zoom::WHOLE);
    let sheet = move |time: fn(Room) -> Option<Time>, paint: Paint| {
        Draw::new(move |painter, frame| {
            let (Some(played), Some(scene)) = (room.played.get(), scene.get()) else { return };
            let Some((done, hovered)) = time(room) else { return };
            let (zoom, labels) = (zoom.get(), labels(t.get()));
            paint(painter, frame, &View { played: &played, scene: &scene, done, hovered, zoom, labels });
        })
    };
    // The lower sheet knows no time, so that it is not painted in every frame.
    let still = sheet(|_| Some((0.0, None)), paint_still);
    let moving = sheet(|room| Some((room.now.get()?.done, room.hovered.get())), paint_moving);
    let stage_height = Memo::new(move |_| {
        let width = size.get().map_or(640.0, |size| size.x);
        room.played.with(|played| {
            let Some(played) = played else { return 420.0 };
            let has_attention = played.run.trace.steps.iter().any(|step| step.primitive.is_selector());
            height(width, played.len(), has_attention).min(tallest(width))
        })
    });

    let hit = move |event: &PointerEvent| {
        // Events are delegated, so their current target is not the stage.
        let bounds = node.get_untracked()?.get_bounding_client_rect();
        let point = Point::new(
            f64::from(event.client_x()) - bounds.left(),
            f64::from(event.client_y()) - bounds.top(),
        );
        let (size, zoom) = (Point::new(bounds.width(), bounds.height()), zoom.get_untracked());
        let positions = room.played.with_untracked(|played| played.as_ref().map(|played| played.len()))?;
        let found = match scene.get_untracked()? {
            Scene::Attention { .. } => AttentionPlaces::new(size, positions, zoom).hit(point),
            Scene::Combination { operands, .. } => {
                CombinationPlaces::new(size, positions, operands.len(), zoom).hit(point)
            }
            Scene::Elementwise { operands, .. } => {
                ElementwisePlaces::new(size, positions, operands.len(), zoom).hit(point)
            }
        };
        found.filter(|(query, key)| *query < positions && key.is_none_or(|key| key < positions))
    };
    let place_of =
        |event: &PointerEvent| Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
    let pressed_at = StoredValue::new(None::<Point>);
    let on_press = move |event: PointerEvent| pressed_at.set_value(Some(place_of(&event)));
    let on_move = move |event: PointerEvent| {
        // Who drags does not point at anything.
        if event.buttons() != 0 {
            return;
        }
        let found = hit(&event);
        if room.hovered.get_untracked() != found {
            room.hovered.set(found);
            // Who points at a number has time to read it.
            if found.is_some() { room.clock.hold() } else { room.clock.release() }
        }
    };
    let on_leave = move |_| {
        room.hovered.set(None);
        room.clock.release();
    };
    let go_to = move |query: usize| {
        let now = room.now.get_untracked();
        let time = room.played.with_untracked(|played| {
            let (played, now) = (played.as_ref()?, now?);
            let act = played.timeline.acts[now.act];
            Some(act.time_at(query + 1))
        });
        if let Some(time) = time {
            room.clock.seek(time);
            room.keep_moment();
        }
    };
    let on_click = move |event: PointerEvent| {
        let was_dragged =
            pressed_at.get_value().is_some_and(|pressed| pressed.distance(place_of(&event)) > DRAG);
        if let (false, Some((query, _))) = (was_dragged, hit(&event)) {
            go_to(query);
        }
    };
    // What can be zoomed into, and its window within the picture.
    let zoomable = Memo::new(move |_| {
        let size = Point::new(size.get()?.x, stage_height.get());
        let positions = room.played.with(|played| played.as_ref().map(|played| played.len()))?;
        scene.with(|scene| Some(viewport(scene.as_ref()?, size, positions)))
    });
    let track = Signal::derive(move || zoomable.get().map_or_else(Viewport::default, |(track, _)| track));
    let origin = Signal::derive(move || {
        zoomable.get().map_or_else(Point::default, |(_, window)| Point::new(window.x, window.y))
    });
    pan_and_zoom(node, track, zoom, origin);
    let zoom_by = move |key: &str| {
        let Some((track, window)) = zoomable.get_untracked() else { return false };
        let middle = Point::new(window.width / 2.0, window.height / 2.0);
        let new = track.after_key(zoom.get_untracked(), key, middle).filter(|_| track.is_zoomable());
        if let Some(new) = new {
            zoom.set(new);
        }
        new.is_some()
    };
    let whole = Memo::new(move |_| Some(room.now.get()?.done.floor()));
    // Who has zoomed in sees the position that is at work, or that the keyboard is on.
    Effect::new(move |_| {
        let (done, hovered) = (whole.get(), room.hovered.get());
        let (now, Some((track, _))) = (zoom.get_untracked(), zoomable.get_untracked()) else { return };
        if now.factor <= 1.0 {
            return;
        }
        let Some(place) = hovered.map(|(query, key)| (query as f64, key)).or(done.map(|done| (done, None)))
        else {
            return;
        };
        let seen = track.view(now);
        let is_line = track.y == Default::default();
        let (query, key) = place;
        let column = if is_line { query } else { key.map_or(seen.x.start.ceil(), |key| key as f64) };
        let new = track.revealing(now, Point::new(column, query));
        if new != now {
            zoom.set(new);
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let key = event.key();
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        if zoom_by(&key) {
            event.prevent_default();
            return;
        }
        if key == "Escape" {
            room.hovered.set(None);
            return;
        }
        let Some(n) = room.played.with_untracked(|played| played.as_ref().map(|played| played.len())) else {
            return;
        };
        let has_keys = !matches!(scene.get_untracked(), Some(Scene::Elementwise { .. }) | None);
        let (query, column) = room.hovered.get_untracked().unwrap_or((0, None));
        let at = column.unwrap_or(0);
        let next = match (key.as_str(), has_keys) {
            ("ArrowDown", true) => ((query + 1).min(n - 1), Some(at)),
            ("ArrowUp", true) => (query.saturating_sub(1), Some(at)),
            ("ArrowRight", true) => (query, Some(column.map_or(0, |at| (at + 1).min(n - 1)))),
            ("ArrowLeft", true) => (query, Some(at.saturating_sub(1))),
            ("ArrowRight", false) => {
                (if room.hovered.get_untracked().is_some() { (query + 1).min(n - 1) } else { 0 }, None)
            }
            ("ArrowLeft", false) => (query.saturating_sub(1), None),
            (" ", _) => {
                event.prevent_default();
                room.clock.toggle();
                return;
            }
            ("Enter", _) => {
                event.prevent_default();
                go_to(query);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        room.hovered.set(Some(next));
    };

    let title = move || {
        let step = step.get()?;
        room.played.with(|played| {
            let played = played.as_ref()?;
            let this = &played.run.trace.steps[step];
            Some((
                this.name.clone(),
                played.formula(step),
                this.origin.as_ref().map(|origin| origin.file.clone()),
            ))
        })
    };
    let pointed = Memo::new(move |_| {
        let (now, scene, hovered) = (room.now.get()?, scene.get()?, room.hovered.get());
        room.played.with(|played| {
            let (played, zoom, labels) = (played.as_ref()?, Zoom::WHOLE, labels(t.get()));
            let view = View { played, scene: &scene, done: now.done, hovered, zoom, labels };
            let is_through = now.done >= played.timeline.acts.get(now.act)?.positions as f64;
            Some((focus(&view), is_through))
        })
    });
    let sentence = Memo::new(move |_| {
        let (step, (place, is_through)) = (step.get()?, pointed.get()?);
        room.played.with(|played| Some(said(t.get(), played.as_ref()?, step, place, is_through)))
    });
    let picture_size = move || {
        let width = size.get_untracked().map_or(640.0, |size| size.x);
        Point::new(width, stage_height.get_untracked())
    };
    let picture = move |painter: &mut dyn Painter, frame: &Frame| {
        still.paint(painter, frame);
        moving.paint(painter, frame);
    };
    let items = move |()| {
        let t = t.get_untracked();
        vec![
            MenuItem::new(t.picture_as_svg(), move || {
                let title = title_text(room.played.get_untracked().as_deref(), step.get_untracked());
                save_svg("pianola-rasp.svg", picture_size(), &title, |painter, frame| {
                    untrack(|| picture(painter, frame));
                });
            }),
            MenuItem::new(t.picture_as_png(), move || {
                save_png("pianola-rasp.png", picture_size(), 3.0, |painter, frame| {
                    untrack(|| picture(painter, frame));
                });
            }),
        ]
    };
    view! {
        <section class="rasp-stage" aria-label=move || t.get().rasp_stage()>
            <header class="rasp-stage-head">
                <p class="rasp-act">
                    {move || title().map(|(name, formula, file)| view! {
                        {name.map(|name| view! { <b>{name}</b> " = " })}
                        <code>{formula}</code>
                        {file.map(|file| view! { <span class="rasp-origin">{t.get().rasp_from(&file)}</span> })}
                    })}
                </p>
                <span class="rasp-stage-actions">
                    <Show when=move || track.get().is_zoomable()>
                        <Button
                            label=Signal::derive(move || t.get().rasp_zoom_out().to_owned())
                            icon=Icon::Minus
                            look=Look::Quiet
                            on_press=move |()| { zoom_by("-"); }
                        />
                        <Button
                            label=Signal::derive(move || t.get().rasp_zoom_in().to_owned())
                            icon=Icon::Plus
                            look=Look::Quiet
                            on_press=move |()| { zoom_by("+"); }
                        />
                        <Button
                            label=Signal::derive(move || t.get().rasp_zoom_whole().to_owned())
                            icon=Icon::Whole
                            look=Look::Quiet
                            on_press=move |()| { zoom_by("0"); }
                        />
                    </Show>
                    <Menu label=Signal::derive(move || t.get().rasp_stage_actions().to_owned()) items=Callback::new(items)/>
                </span>
            </header>
            <div
                node_ref=node
                class="rasp-picture"
                role="application"
                tabindex="0"
                aria-label=move || t.get().rasp_picture_keys()
                style:height=move || format!("{}px", stage_height.get())
                class:is-zoomed=move || { zoom.get().factor > 1.0 }
                on:pointerdown=on_press
                on:pointermove=on_move
                on:pointerleave=on_leave
                on:pointerup=on_click
                on:keydown=on_key
            >
                <Surface draw=still/>
                <Surface draw=moving/>
                <Show when=move || step.get().is_none()>
                    <p class="rasp-empty quiet">{move || match room.played.with(Option::is_some) {
                        true => t.get().rasp_nothing_moves(),
                        false => t.get().rasp_nothing_ran(),
                    }}</p>
                </Show>
            </div>
            <p class="rasp-sentence" aria-live=move || if room.clock.is_playing() { "off" } else { "polite" }>
                {move || sentence.get().map(|Sentence { words, numbers }| view! { {words} " " <b>{numbers}</b> })}
            </p>
        </section>
    }
    .into_any()
}

/// As high as a picture may be on this screen, so that it is seen as a whole, with what is said about it and the
/// scrubber below.
fn tallest(width: f64) -> f64 {
    let screen = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(900.0);
    // On a phone nothing else is on the screen then.
    let beside = if width < 480.0 { 300.0 } else { 500.0 };
    (screen - beside).max(320.0)
}

/// A pointer that moved farther than this between press and release has dragged, not clicked.
const DRAG: f64 = 4.0;

/// At how many positions a step is done, and what is pointed at.
type Time = (f64, Option<(usize, Option<usize>)>);

type Paint = fn(&mut dyn Painter, &Frame, &View);

/// What is said about a picture.
fn said(
    t: Language,
    played: &Played,
    step: usize,
    place: Option<(usize, Option<usize>)>,
    is_through: bool,
) -> Sentence {
    match place {
        Some(place) => at_position(t, played, step, place),
        None if is_through => at_end(t, played, step),
        None => Sentence { words: t.rasp_next().to_owned(), numbers: String::new() },
    }
}

fn title_text(played: Option<&Played>, step: Option<usize>) -> String {
    played.zip(step).map(|(played, step)| played.title(step)).unwrap_or_default()
}

fn labels(t: Language) -> Labels {
    Labels {
        keys: t.rasp_keys(),
        queries: t.rasp_queries(),
        values: t.rasp_values(),
        results: t.rasp_results(),
        too_large: t.rasp_too_large(),
    }
}

/// A run is compared by identity: it is made once for every answer of the worker.
impl PartialEq for Played {
    fn eq(&self, other: &Played) -> bool {
        std::ptr::eq(self, other)
    }
}

crate::texts! {
    rasp_stage: "The primitive on show" | "A primitiva em cena";
    rasp_stage_actions: "Actions for the picture" | "Ações para a imagem";
    rasp_picture_keys: "Picture of the primitive. Arrow keys move from cell to cell, Enter goes to that position, Space plays and pauses, + and - zoom, 0 shows everything, Escape lets go."
        | "Imagem da primitiva. As setas movem de célula em célula, Enter vai a essa posição, Espaço reproduz e pausa, + e - aumentam e diminuem, 0 mostra tudo, Esc solta.";
    rasp_from(file: &str): "in {file}" | "em {file}";
    rasp_nothing_moves: "This result is a plain value: there is nothing to animate." | "Este resultado é um valor simples: não há o que animar.";
    rasp_nothing_ran: "Nothing has run yet." | "Nada rodou ainda.";
    rasp_zoom_out: "Smaller" | "Menor";
    rasp_zoom_in: "Larger (also Ctrl and the wheel, or two fingers)" | "Maior (também Ctrl e a roda, ou dois dedos)";
    rasp_zoom_whole: "Show everything" | "Mostrar tudo";
    rasp_next: "Next." | "A seguir.";
    rasp_keys: "keys" | "chaves";
    rasp_queries: "queries" | "consultas";
    rasp_values: "values" | "valores";
    rasp_results: "result" | "resultado";
    rasp_too_large: "too long to be drawn" | "longo demais para ser desenhado";
}
