//! The stage: one primitive at a time, with the numbers that move.

pub mod layout;
pub mod paint;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use self::layout::{AttentionPlaces, CombinationPlaces, ElementwisePlaces, Scene, height};
use self::paint::{Labels, View, focus, paint};
use super::room::{Played, Room};
use super::words::{Sentence, at_end, at_position};
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::Point;
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Surface};
use crate::language::{Language, use_language};
use crate::widgets::controls::{Menu, MenuItem};

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
    let draw = Draw::new(move |painter, frame| {
        let (Some(played), Some(scene)) = (room.played.get(), scene.get()) else { return };
        let Some(now) = room.now.get() else { return };
        let view = View {
            played: &played,
            scene: &scene,
            done: now.done,
            hovered: room.hovered.get(),
            labels: labels(t.get()),
        };
        paint(painter, frame, &view);
    });
    let stage_height = Memo::new(move |_| {
        let width = size.get().map_or(640.0, |size| size.x);
        room.played.with(|played| {
            let Some(played) = played else { return 420.0 };
            let has_attention = played.run.trace.steps.iter().any(|step| step.primitive.is_selector());
            height(width, played.len(), has_attention).min(tallest())
        })
    });

    let hit = move |event: &PointerEvent| {
        // Events are delegated, so their current target is not the stage.
        let bounds = node.get_untracked()?.get_bounding_client_rect();
        let point = Point::new(
            f64::from(event.client_x()) - bounds.left(),
            f64::from(event.client_y()) - bounds.top(),
        );
        let size = Point::new(bounds.width(), bounds.height());
        let positions = room.played.with_untracked(|played| played.as_ref().map(|played| played.len()))?;
        let found = match scene.get_untracked()? {
            Scene::Attention { .. } => AttentionPlaces::new(size, positions).hit(point),
            Scene::Combination { operands, .. } => {
                CombinationPlaces::new(size, positions, operands.len()).hit(point)
            }
            Scene::Elementwise { operands, .. } => {
                ElementwisePlaces::new(size, positions, operands.len()).hit(point)
            }
        };
        found.filter(|(query, key)| *query < positions && key.is_none_or(|key| key < positions))
    };
    let on_move = move |event: PointerEvent| {
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
            Some(act.start + act.length * (query + 1) as f64 / played.len() as f64)
        });
        if let Some(time) = time {
            room.clock.seek(time);
            room.keep_moment();
        }
    };
    let on_click = move |event: PointerEvent| {
        if let Some((query, _)) = hit(&event) {
            go_to(query);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let key = event.key();
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
    let sentence = Memo::new(move |_| {
        let (step, now, scene) = (step.get()?, room.now.get()?, scene.get()?);
        let hovered = room.hovered.get();
        room.played.with(|played| {
            let played = played.as_ref()?;
            let view = View { played, scene: &scene, done: now.done, hovered, labels: labels(t.get()) };
            Some(said(t.get(), &view, step))
        })
    });
    let picture_size = move || {
        let width = size.get_untracked().map_or(640.0, |size| size.x);
        Point::new(width, stage_height.get_untracked())
    };
    let items = move |()| {
        let t = t.get_untracked();
        vec![
            MenuItem::new(t.picture_as_svg(), move || {
                let title = title_text(room.played.get_untracked().as_deref(), step.get_untracked());
                save_svg("pianola-rasp.svg", picture_size(), &title, |painter, frame| {
                    untrack(|| draw.paint(painter, frame));
                });
            }),
            MenuItem::new(t.picture_as_png(), move || {
                save_png("pianola-rasp.png", picture_size(), 3.0, |painter, frame| {
                    untrack(|| draw.paint(painter, frame));
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
                <Menu label=Signal::derive(move || t.get().rasp_stage_actions().to_owned()) items=Callback::new(items)/>
            </header>
            <div
                node_ref=node
                class="rasp-picture"
                role="application"
                tabindex="0"
                aria-label=move || t.get().rasp_picture_keys()
                style:height=move || format!("{}px", stage_height.get())
                on:pointermove=on_move
                on:pointerleave=on_leave
                on:pointerup=on_click
                on:keydown=on_key
            >
                <Surface draw/>
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

/// What stands above and below a picture, about.
const BESIDE: f64 = 415.0;

/// As high as a picture may be on this screen, so that it is seen as a whole.
fn tallest() -> f64 {
    let screen = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(900.0);
    (screen - BESIDE).max(320.0)
}

/// What is said about a picture.
fn said(t: Language, view: &View, step: usize) -> Sentence {
    let n = view.played.len();
    match focus(view) {
        Some(place) => at_position(t, view.played, step, place),
        None if view.done >= n as f64 => at_end(t, view.played, step),
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
    rasp_picture_keys: "Picture of the primitive. Arrow keys move from cell to cell, Enter goes to that position, Space plays and pauses, Escape lets go."
        | "Imagem da primitiva. As setas movem de célula em célula, Enter vai a essa posição, Espaço reproduz e pausa, Esc solta.";
    rasp_from(file: &str): "in {file}" | "em {file}";
    rasp_nothing_moves: "This result is a plain value: there is nothing to animate." | "Este resultado é um valor simples: não há o que animar.";
    rasp_nothing_ran: "Nothing has run yet." | "Nada rodou ainda.";
    rasp_next: "Next." | "A seguir.";
    rasp_keys: "keys" | "chaves";
    rasp_queries: "queries" | "consultas";
    rasp_values: "values" | "valores";
    rasp_results: "result" | "resultado";
    rasp_too_large: "too long to be drawn" | "longo demais para ser desenhado";
}
