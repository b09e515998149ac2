//! The one long sequence, always in view: which stretch holds which matrix, and what is read from it now.

use leptos::ev::PointerEvent;
use leptos::html::Div;
use leptos::prelude::*;
use rasp::simulator::{Layout, Reads, Source, Stretch};

use super::bench::{color_of, role_of, scale_of};
use super::focus::{Focus, Lights, lit_places};
use super::names::{meaning, symbol};
use super::room::SimulatorRoom;
use super::shares::{Shares, mark};
use crate::drawing::color::Scale;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle, Texture, Weight};
use crate::drawing::palette::Palette;
use crate::drawing::surface::{Draw, Surface};
use crate::ground::language::use_language;
use crate::rooms::simulator::job::Simulated;
use crate::widgets::heatmap::Cell;
use crate::widgets::number;
use crate::widgets::tooltip::Tooltip;

/// The strip: every position of the sequence in its place.
#[component]
pub fn SequenceStrip() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let stage = NodeRef::<Div>::new();
    let draw = Draw::new(move |painter, frame| {
        let read = read_now(room);
        room.read(|simulated| {
            let pointed = room.lights.with(|lights| positions(simulated, lights));
            let size = Point::new(frame.width, frame.height);
            paint(painter, &frame.palette, simulated, (&read, &pointed), size);
            Some(())
        });
    });
    let words = move || {
        room.read(|simulated| {
            let layout = &simulated.layout;
            Some(t.get().simulator_layout_in_words(layout.length, layout.scratch()))
        })
    };
    let pointed = RwSignal::new(None::<(usize, f64, f64)>);
    let on_move = move |event: PointerEvent| {
        let Some(node) = stage.get_untracked() else { return };
        let width = f64::from(node.client_width()).max(1.0);
        let found = room.simulated.with_untracked(|simulated| {
            let simulated = simulated.as_ref()?;
            let shares = shares(simulated, width, Palette::current().text_tiny);
            let at = shares.at(f64::from(event.offset_x()))?;
            let (x, cell) = shares.cell(at)?;
            Some((at, x, cell))
        });
        if pointed.get_untracked() != found {
            pointed.set(found);
            let focus = found.and_then(|(at, ..)| untrack(|| room.read(|it| focus_at(it, at))));
            room.look_at(focus);
        }
    };
    let anchor = Callback::new(move |()| {
        let (_, x, width) = pointed.get()?;
        let origin = stage.get()?.get_bounding_client_rect();
        Some(Rect::new(origin.x() + x, origin.y(), width, origin.height()))
    });
    let body = move || {
        let (at, ..) = pointed.get()?;
        room.read(|simulated| {
            let stretch = stretch_at(&simulated.layout, at)?;
            let place = at - stretch.start;
            let columns = stretch.columns.max(1);
            let name = symbol(&stretch.name, simulated.class.heads);
            let value = simulated.sequence.get(at).copied().unwrap_or(0.0);
            let entry = match stretch.name.as_str() {
                "scratch" => t.get().simulator_scratch().to_owned(),
                _ => format!("{name}[{}, {}]", place / columns + 1, place % columns + 1),
            };
            Some(view! {
                <p class="tooltip-main">{t.get().simulator_at_position(at)} " = " <b>{number::long(value)}</b></p>
                <p class="tooltip-more">{entry}</p>
            })
        })
    };
    view! {
        <div
            node_ref=stage
            class="sim-sequence"
            role="img"
            aria-label=words
            on:pointermove=on_move
            on:pointerleave=move |_| {
                pointed.set(None);
                room.look_at(None);
            }
        >
            <Surface draw/>
        </div>
        {move || pointed.with(Option::is_some).then(|| view! { <Tooltip anchor=anchor>{body}</Tooltip> })}
    }
    .into_any()
}

/// The stretches as a table.
#[component]
pub fn LayoutTable() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let rows = move || {
        room.read(|simulated| {
            let t = t.get();
            let heads = simulated.class.heads;
            let rows = simulated
                .layout
                .stretches
                .iter()
                .filter(|stretch| !stretch.is_empty())
                .map(|stretch| {
                    let last = stretch.start + stretch.len() - 1;
                    view! {
                        <tr class=role_of(&stretch.name).class()>
                            <th scope="row" class="in-role">{match stretch.name.as_str() {
                                "scratch" => t.simulator_scratch().to_owned(),
                                "valid" => t.simulator_valid().to_owned(),
                                name => symbol(name, heads),
                            }}</th>
                            <td class="number">{stretch.start} "–" {last}</td>
                            <td class="number">{stretch.rows} " × " {stretch.columns}</td>
                            <td>{meaning(&stretch.name, t)}</td>
                        </tr>
                    }
                })
                .collect_view();
            Some(rows)
        })
    };
    view! {
        <div class="facts-frame">
            <table class="facts">
                <thead>
                    <tr>
                        <th scope="col">{move || t.get().simulator_matrix()}</th>
                        <th scope="col" class="number">{move || t.get().simulator_positions()}</th>
                        <th scope="col" class="number">{move || t.get().simulator_shape()}</th>
                        <th scope="col">{move || t.get().simulator_is()}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="quiet">{move || room.read(|simulated| {
            let layout = &simulated.layout;
            Some(t.get().simulator_layout_in_words(layout.length, layout.scratch()))
        })}</p>
    }
    .into_any()
}

/// The positions of the sequence that are read now.
fn read_now(room: SimulatorRoom) -> Vec<usize> {
    room.read_now(|_, stage, now| {
        let beat = stage.beats.get(now.beat)?;
        let mut read = Vec::new();
        for lane in &beat.lanes {
            let Reads::Fetch { operand, from } = &lane.reads else { continue };
            if !matches!(stage.operands.get(*operand)?.source, Source::Input(_)) {
                continue;
            }
            match now.position {
                Some(position) => read.extend(from.get(position).map(|at| *at as usize)),
                None => read.extend(from.iter().map(|at| *at as usize)),
            }
        }
        read.sort_unstable();
        read.dedup();
        Some(read)
    })
    .unwrap_or_default()
}

fn stretch_at(layout: &Layout, at: usize) -> Option<&Stretch> {
    layout.stretches.iter().find(|stretch| (stretch.start..stretch.start + stretch.len()).contains(&at))
}

/// The positions that hold what a person's look at a matrix lights.
fn positions(simulated: &Simulated, lights: &Lights) -> Vec<usize> {
    let mut positions = Vec::new();
    for stretch in &simulated.layout.stretches {
        let Some(lit) = lights.get(&stretch.name) else { continue };
        positions.extend(lit_places(lit, stretch.rows, stretch.columns).map(|place| stretch.start + place));
    }
    positions
}

/// The entry of the target that stands at a position.
fn focus_at(simulated: &Simulated, at: usize) -> Option<Focus> {
    let stretch = stretch_at(&simulated.layout, at)?;
    let columns = stretch.columns.max(1);
    let cell = Cell::new((at - stretch.start) / columns, (at - stretch.start) % columns);
    let (_, matrix) = simulated.inputs.iter().find(|(name, _)| *name == stretch.name)?;
    (cell.row < matrix.nrows() && cell.col < matrix.ncols()).then(|| Focus::at(&stretch.name, cell))
}

/// What a stretch is called on the strip.
fn name_of(simulated: &Simulated, stretch: &Stretch) -> String {
    match stretch.name.as_str() {
        "valid" | "scratch" => stretch.name.clone(),
        name => symbol(name, simulated.class.heads),
    }
}

fn name_width(name: &str, text: f64) -> f64 {
    name.chars().count() as f64 * text * 0.62
}

fn shares(simulated: &Simulated, width: f64, text: f64) -> Shares {
    Shares::new(&simulated.layout, width, |stretch| name_width(&name_of(simulated, stretch), text) + 4.0)
}

fn paint(
    painter: &mut dyn Painter,
    palette: &Palette,
    simulated: &Simulated,
    (read, pointed): (&[usize], &[usize]),
    size: Point,
) {
    let layout = &simulated.layout;
    let shares = shares(simulated, size.x, palette.text_tiny);
    let label = palette.text_tiny * 1.5;
    let (top, bottom) = (label + 5.0, size.y - 3.0);
    for stretch in layout.stretches.iter().filter(|stretch| !stretch.is_empty()) {
        let Some((left, width)) = shares.stretch(stretch) else { continue };
        let (right, cell) = (left + width, width / stretch.len() as f64);
        let color = palette.role(role_of(&stretch.name));
        painter.fill_rect(Rect::new(left, label, (right - left - 1.5).max(0.5), 2.5), color);
        let name = name_of(simulated, stretch);
        // A name that does not fit is left to the tooltip and the table.
        if name_width(&name, palette.text_tiny) < right - left {
            let style = TextStyle::new(color, palette.text_tiny, Family::Sans)
                .aligned(Align::Center)
                .weighing(Weight::Strong);
            painter.text(&name, Point::new((left + right) / 2.0, label * 0.5), &style);
        }
        let whole = Rect::new(left, top, right - left, bottom - top);
        if stretch.name == "scratch" {
            painter.fill_rect(whole, palette.masked);
            painter.fill_texture(&[whole], Texture::Hatch, palette.masked_line);
            continue;
        }
        let scale = match stretch.name.as_str() {
            "valid" => Scale::Signed { max: 1.0 },
            name => scale_of(simulated, name),
        };
        let gap = if cell >= 6.0 { 1.0 } else { 0.0 };
        for at in stretch.start..stretch.start + stretch.len() {
            let value = simulated.sequence.get(at).copied().unwrap_or(0.0);
            let x = left + (at - stretch.start) as f64 * cell;
            let rect = Rect::new(x, top, (cell - gap).max(0.5), bottom - top);
            painter.fill_rect(rect, color_of(palette, value, scale));
        }
        painter.stroke_rect(whole.inset(0.5), 0.0, &Stroke::solid(palette.cell_line, 1.0));
    }
    for (cells, is_strong) in [(read, true), (pointed, false)] {
        for rect in cells.iter().filter_map(|at| shares.cell(*at)) {
            let rect = mark(rect, top - 1.0, bottom - top + 2.0);
            let stroke = match is_strong {
                true => Stroke::solid(palette.accent, 2.0),
                false => Stroke::dashed(palette.accent, 1.5, &[3.0, 2.0]),
            };
            painter.stroke_rect(rect, 2.0, &stroke);
        }
    }
}

crate::texts! {
    simulator_layout_in_words(length: usize, scratch: usize):
        "The input sequence has {length} positions; {scratch} of them hold no data and are there because a matrix on the way needs the room."
        | "A sequência de entrada tem {length} posições; {scratch} delas não guardam dados e existem porque uma matriz do caminho precisa do espaço.";
    simulator_at_position(at: usize): "position {at}" | "posição {at}";
    simulator_scratch: "scratch" | "rascunho";
    simulator_valid: "valid" | "válidas";
    simulator_matrix: "Matrix" | "Matriz";
    simulator_positions: "Positions" | "Posições";
    simulator_shape: "Shape" | "Forma";
    simulator_is: "What it is" | "O que é";
}
