//! The one long sequence, always in view: which stretch holds which matrix, and what is read from it now.

use leptos::ev::PointerEvent;
use leptos::html::Div;
use leptos::prelude::*;
use rasp::simulator::{Layout, Reads, Source, Stretch};

use super::bench::{color_of, role_of, scale_of};
use super::names::{meaning, symbol};
use super::room::SimulatorRoom;
use crate::drawing::color::Scale;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle, Texture, Weight};
use crate::drawing::palette::Palette;
use crate::drawing::surface::{Draw, Surface};
use crate::jobs::simulator::Simulated;
use crate::language::use_language;
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
            paint(painter, &frame.palette, simulated, &read, Point::new(frame.width, frame.height));
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
        let length = room.simulated.with_untracked(|it| it.as_ref().map_or(0, |it| it.layout.length));
        if length > 0 {
            let cell = width / length as f64;
            let at = ((f64::from(event.offset_x()) / cell).max(0.0) as usize).min(length - 1);
            pointed.set(Some((at, at as f64 * cell, cell)));
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
            on:pointerleave=move |_| pointed.set(None)
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

fn paint(painter: &mut dyn Painter, palette: &Palette, simulated: &Simulated, read: &[usize], size: Point) {
    let layout = &simulated.layout;
    let cell = size.x / layout.length.max(1) as f64;
    let label = palette.text_tiny * 1.5;
    let (top, bottom) = (label + 5.0, size.y - 3.0);
    let x = |at: usize| at as f64 * cell;
    for stretch in layout.stretches.iter().filter(|stretch| !stretch.is_empty()) {
        let (left, right) = (x(stretch.start), x(stretch.start + stretch.len()));
        let color = palette.role(role_of(&stretch.name));
        painter.fill_rect(Rect::new(left, label, (right - left - 1.5).max(0.5), 2.5), color);
        let name = match stretch.name.as_str() {
            "valid" | "scratch" => stretch.name.clone(),
            name => symbol(name, simulated.class.heads),
        };
        // A name that does not fit is left to the tooltip and the table.
        if name.chars().count() as f64 * palette.text_tiny * 0.62 < right - left {
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
            let rect = Rect::new(x(at), top, (cell - gap).max(0.5), bottom - top);
            painter.fill_rect(rect, color_of(palette, value, scale));
        }
        painter.stroke_rect(whole.inset(0.5), 0.0, &Stroke::solid(palette.cell_line, 1.0));
    }
    for at in read {
        // A hairline would not be found.
        let width = cell.max(4.0);
        let rect = Rect::new(x(*at) + (cell - width) / 2.0, top - 1.0, width, bottom - top + 2.0);
        painter.stroke_rect(rect, 2.0, &Stroke::solid(palette.accent, 2.0));
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
