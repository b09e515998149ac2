//! The bench: what the simulator does now, number by number. The stretches that it reads stand above, the sequences
//! that it makes below, and at the foot the selectors: which position asks for which.

mod layout;
mod paint;
mod said;
mod scene;
mod selectors;

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use self::layout::Spot;
pub use self::paint::color_of;
use self::paint::paint;
use self::said::{lanes_as_table, said, told};
use self::scene::Scene;
pub use self::scene::{role_of, scale_of};
use super::names::symbol;
use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::{Point, Rect, svg_number};
use crate::drawing::painter::Painter;
use crate::drawing::palette::Palette;
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Frame, Surface};
use crate::ground::language::use_language;
use crate::widgets::controls::{Menu, MenuItem};
use crate::widgets::dialog::Dialog;
use crate::widgets::table::TextTable;
use crate::widgets::tooltip::Tooltip;
use crate::widgets::words::use_words;

/// The bench with its heading, its sentence and its files.
#[component]
pub fn BenchView() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let words = use_words();
    let frame = NodeRef::<Div>::new();
    let size = size_of(frame);
    let width = Memo::new(move |_| size.get().map_or(600.0, |size| size.x.max(1.0)));
    let picture = move |painter: &mut dyn Painter, palette: &Palette, width: f64| {
        let moment = room.timeline.with(|timeline| timeline.moment(room.clock.position()));
        let Some(moment) = moment else { return };
        room.read(|simulated| {
            let scene = Scene::new(simulated, moment, t.get())?;
            let bench = scene.bench(width, palette.text_small);
            let (rows, selectors) = (scene.rows(&bench), scene.selector_rows(&bench));
            let parts = (&*rows, &*selectors, &*scene.travels());
            paint(painter, palette, &bench, parts, t.get().simulator_selectors());
            Some(())
        });
    };
    let draw = Draw::new(move |painter, frame| picture(painter, &frame.palette, frame.width));
    // The height depends on the stage alone, so that the page does not move with every step.
    let stage = Memo::new(move |_| room.now.get().map(|now| now.stage));
    let shape = Memo::new(move |_| {
        let moment = Moment { stage: stage.get()?, beat: 0, position: Some(0), phase: 0.0 };
        room.read(|simulated| {
            let scene = Scene::new(simulated, moment, t.get())?;
            let bench = scene.bench(width.get(), Palette::current().text_small);
            Some((bench.height, bench.beside))
        })
    });
    let height = Memo::new(move |_| shape.get().map_or(200.0, |(height, _)| height));
    // The sentence stands beside the selectors where there is room, else below them.
    let beside = Memo::new(move |_| shape.get().and_then(|(_, beside)| beside));
    let sentence_room = move |of: fn(Rect) -> f64| move || Some(format!("{}px", of(beside.get()?)));
    // Where things stand now, for what lies over the picture.
    let places = Memo::new(move |_| {
        let now = room.now.get()?;
        room.read(|simulated| {
            let scene = Scene::new(simulated, now, t.get())?;
            Some(scene.bench(width.get(), Palette::current().text_small))
        })
    });
    let pointed = RwSignal::new(None::<Spot>);
    // Another stage has other strips.
    Effect::new(move |before: Option<Option<usize>>| {
        let stage = stage.get();
        if before.is_some_and(|before| before != stage) {
            pointed.set(None);
        }
        stage
    });
    let point_at = move |spot: Option<Spot>| {
        if pointed.get_untracked() == spot {
            return;
        }
        pointed.set(spot);
        let now = room.now.get_untracked();
        let focus = spot.zip(now).and_then(|(spot, now)| {
            untrack(|| room.read(|simulated| Scene::new(simulated, now, t.get())?.focus(spot)))
        });
        room.look_at(focus);
        if spot.is_some() {
            room.hold();
        }
    };
    let spot_under = move |event: &PointerEvent| {
        // Events are delegated, so their current target is not the bench.
        let bounds = frame.get_untracked()?.get_bounding_client_rect();
        let point = Point::new(
            f64::from(event.client_x()) - bounds.left(),
            f64::from(event.client_y()) - bounds.top(),
        );
        places.with_untracked(|places| places.as_ref().and_then(|bench| bench.spot(point)))
    };
    let is_touch = |event: &PointerEvent| event.pointer_type() == "touch";
    let on_move = move |event: PointerEvent| {
        // A finger that moves scrolls; it looks at what it taps.
        if !is_touch(&event) {
            point_at(spot_under(&event));
        }
    };
    let on_up = move |event: PointerEvent| {
        if is_touch(&event) {
            point_at(spot_under(&event).filter(|spot| pointed.get_untracked() != Some(*spot)));
        }
    };
    let on_leave = move |event: PointerEvent| {
        if !is_touch(&event) {
            point_at(None);
        }
    };
    let table_is_open = RwSignal::new(false);
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let moved = |across: isize, down: isize| {
            let spot = match pointed.get_untracked() {
                None => Some(Spot::Cell(0, 0)),
                Some(spot) => {
                    places.with_untracked(|places| Some(places.as_ref()?.neighbour(spot, across, down)))
                }
            };
            point_at(spot);
        };
        match event.key().as_str() {
            "ArrowLeft" => moved(-1, 0),
            "ArrowRight" => moved(1, 0),
            "ArrowUp" => moved(0, -1),
            "ArrowDown" => moved(0, 1),
            "Escape" => point_at(None),
            "t" | "T" => table_is_open.set(true),
            " " => room.clock.toggle(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let note = Memo::new(move |_| {
        let (spot, now) = (pointed.get()?, room.now.get()?);
        room.read(|simulated| told(&Scene::new(simulated, now, t.get())?, spot))
    });
    // The spot itself, and what belongs to it; or what is lit by a look at a matrix elsewhere.
    let lit = Memo::new(move |_| {
        let now = room.now.get()?;
        let spots = room.read(|simulated| {
            let scene = Scene::new(simulated, now, t.get())?;
            Some(match pointed.get() {
                Some(spot) => std::iter::once(spot).chain(scene.linked(spot)).collect(),
                None => room.lights.with(|lights| scene.lit_elsewhere(lights)),
            })
        })?;
        places.with(|places| {
            let places = places.as_ref()?;
            Some(spots.into_iter().filter_map(|spot| places.rect_of(spot)).map(outline).collect::<String>())
        })
    });
    let anchor = Callback::new(move |()| {
        let rect = places.with(|places| places.as_ref()?.rect_of(pointed.get()?))?;
        let origin = frame.get()?.get_bounding_client_rect();
        Some(Rect::new(origin.x() + rect.x, origin.y() + rect.y, rect.width, rect.height))
    });
    let save = move |as_svg: bool| {
        let size = Point::new(width.get_untracked(), height.get_untracked());
        let draw = |painter: &mut dyn Painter, frame: &Frame| {
            untrack(|| picture(painter, &frame.palette, frame.width));
        };
        match as_svg {
            true => save_svg("pianola-simulator.svg", size, t.get_untracked().simulator_bench(), draw),
            false => save_png("pianola-simulator.png", size, 3.0, draw),
        }
    };
    let items = move |()| {
        let words = words.get_untracked();
        vec![
            MenuItem::new(words.table_view, move || table_is_open.set(true)),
            MenuItem::new(words.export_svg, move || save(true)),
            MenuItem::new(words.export_png, move || save(false)),
        ]
    };
    let table = Memo::new(move |_| {
        if !table_is_open.get() {
            return Default::default();
        }
        let Some(now) = room.now.get() else { return Default::default() };
        room.read(|simulated| Some(lanes_as_table(&Scene::new(simulated, now, t.get())?))).unwrap_or_default()
    });
    let sentence = Memo::new(move |_| {
        let now = room.now.get()?;
        room.read(|simulated| Some(said(&Scene::new(simulated, now, t.get())?)))
    });
    view! {
        <div class="sim-bench">
            <div class="sim-bench-head">
                <p class="sim-kicker">
                    <span class="caps">{move || t.get().simulator_side()}</span>
                    " "
                    <strong>{move || room.read_now(|simulated, stage, _| {
                        Some(t.get().simulator_bench_of(&symbol(&stage.name, simulated.target.heads)))
                    })}</strong>
                </p>
                <Menu label=Signal::derive(move || t.get().simulator_bench_actions().to_owned()) items=items/>
            </div>
            <div class="sim-bench-body">
            <div
                node_ref=frame
                class="sim-bench-picture"
                role="application"
                tabindex="0"
                aria-label=move || t.get().simulator_bench_keys()
                style:height=move || format!("{}px", height.get())
                on:pointermove=on_move
                on:pointerup=on_up
                on:pointerleave=on_leave
                on:keydown=on_key
                on:blur=move |_| point_at(None)
            >
                <Surface draw/>
                <svg class="sim-bench-over" aria-hidden="true">
                    <path class="heatmap-halo" d=move || lit.get()></path>
                    <path class="heatmap-lit" d=move || lit.get()></path>
                </svg>
            </div>
                <p
                    class="voice sim-sentence"
                    class:is-beside=move || beside.get().is_some()
                    style:left=sentence_room(|room| room.x)
                    style:width=sentence_room(|room| room.width)
                    style:top=sentence_room(|room| room.y)
                    style:height=sentence_room(|room| room.height)
                >
                    {sentence}
                </p>
            </div>
            <p class="visually-hidden" aria-live="polite">
                {move || note.get().map(|note| format!("{} {}. {}", note.name, note.value, note.more))}
            </p>
            {move || note.with(Option::is_some).then(|| view! {
                <Tooltip anchor=anchor>
                    {move || note.get().map(|note| view! {
                        <p class="tooltip-main">{note.name} " " <b>{note.value}</b></p>
                        <p class="tooltip-more">{note.more}</p>
                    })}
                </Tooltip>
            })}
            <Dialog title=Signal::derive(move || t.get().simulator_bench().to_owned()) is_open=table_is_open>
                <TextTable
                    caption=Signal::derive(move || t.get().simulator_bench().to_owned())
                    headings=Signal::derive(move || table.with(|table| table.0.clone()))
                    rows=Signal::derive(move || table.with(|table| table.1.clone()))
                />
            </Dialog>
        </div>
    }
    .into_any()
}

fn outline(rect: Rect) -> String {
    let Rect { x, y, width, height } = rect.inset(-0.5);
    let n = svg_number;
    format!("M{} {}h{}v{}h{}z", n(x), n(y), n(width), n(height), n(-width))
}

crate::texts! {
    simulator_bench: "What the simulator does now" | "O que o simulador faz agora";
    simulator_bench_of(symbol: &str): "the same {symbol}, fetched from sequences" | "o mesmo {symbol}, buscado em sequências";
    simulator_bench_actions: "Actions for the bench" | "Ações da bancada";
    simulator_in_input(symbol: &str, first: usize, last: usize): "{symbol}: positions {first}–{last} of the input" | "{symbol}: posições {first}–{last} da entrada";
    simulator_in_stage(symbol: &str, first: usize, last: usize): "{symbol}: positions {first}–{last}" | "{symbol}: posições {first}–{last}";
    simulator_lane_left(symbol: &str): "left: an entry of {symbol}" | "left: uma entrada de {symbol}";
    simulator_lane_right(symbol: &str): "right: an entry of {symbol}" | "right: uma entrada de {symbol}";
    simulator_lane_bias(symbol: &str): "bias: an entry of {symbol}" | "bias: uma entrada de {symbol}";
    simulator_lane_sum(symbol: &str): "sum: {symbol}, so far" | "sum: {symbol}, até aqui";
    simulator_selects(lane: &str, symbol: &str): "{lane} ← {symbol}" | "{lane} ← {symbol}";
    simulator_selectors: "Selectors: rows ask, columns answer" | "Seletores: linhas pedem, colunas respondem";
    simulator_bench_keys: "The bench. Arrow keys move from cell to cell and to the selectors below, Space plays and pauses, T opens the table, Escape lets go."
        | "A bancada. As setas movem de célula em célula e aos seletores abaixo, Espaço reproduz e pausa, T abre a tabela, Esc solta.";
}
