//! The chart as a component.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use super::actions::{Actions, TableView};
use super::overlay::Overlay;
use super::series::{Dot, Figure, Line, Series};
use super::state::{End, Marker, State};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Surface};
use crate::widgets::number::{exact, short};
use crate::widgets::tooltip::Tooltip;
use crate::widgets::unique_id;

/// Lines and points over labelled axes, with legend, tooltip, keyboard, table and export.
#[component]
pub fn Chart(
    /// What the picture is called.
    #[prop(into)]
    name: Signal<String>,
    /// What it shows.
    #[prop(into)]
    figure: Signal<Figure>,
    /// What is to be seen in it, in a sentence: the text alternative.
    #[prop(into)]
    finding: Signal<String>,
    /// A number along the foot that can be dragged.
    #[prop(optional)]
    marker: Option<Marker>,
) -> impl IntoView {
    let stage = NodeRef::<Div>::new();
    let state = State::new(name, figure, marker, size_of(stage));
    let draw = Draw::new(move |painter, frame| state.paint(painter, &frame.palette));
    let (finding_id, keys_id) = (unique_id("finding"), unique_id("chart-keys"));
    let described_by = format!("{finding_id} {keys_id}");
    let point_of =
        |event: &PointerEvent| Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()));
    let move_marker = move |place: Point| {
        if let (Some(marker), Some(projection)) = (state.marker, state.projection.get_untracked()) {
            marker.on_move.run(projection.x_at(place.x));
        }
    };
    let on_pointer_down = move |event: PointerEvent| {
        if state.marker.is_none() || event.button() != 0 {
            return;
        }
        if let Some(stage) = stage.get_untracked() {
            // Without the capture a drag ends at the edge, which is no harm.
            let _ = stage.set_pointer_capture(event.pointer_id());
        }
        move_marker(point_of(&event));
    };
    let on_pointer_move = move |event: PointerEvent| {
        if event.buttons() & 1 == 1 && state.marker.is_some() {
            move_marker(point_of(&event));
        }
        let nearest = state.nearest(point_of(&event));
        if state.looked_at.get_untracked() != nearest {
            state.looked_at.set(nearest);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        match event.key().as_str() {
            "ArrowRight" => state.step(1, 0),
            "ArrowLeft" => state.step(-1, 0),
            "ArrowDown" => state.step(0, 1),
            "ArrowUp" => state.step(0, -1),
            "Home" => state.jump(End::First),
            "End" => state.jump(End::Last),
            "Enter" | " " => {
                if let (Some(marker), Some((_, (x, _)))) = (state.marker, untrack(|| state.spot())) {
                    marker.on_move.run(x);
                }
            }
            "Escape" => state.looked_at.set(None),
            "t" | "T" => state.table_is_open.set(true),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let keys = move || {
        state.words.with(|words| match marker {
            Some(_) => format!("{} {}", words.chart_keys, words.chart_marker_keys),
            None => words.chart_keys.clone(),
        })
    };
    let said = move || state.said().filter(|_| state.is_focused.get());
    view! {
        <figure class="chart">
            <figcaption class="chart-head">
                <span class="chart-name">{name}</span>
                <Actions state=state/>
            </figcaption>
            <div
                node_ref=stage
                class="chart-stage"
                class:chart-draggable=marker.is_some()
                role="application"
                aria-label=name
                aria-describedby=described_by
                tabindex="0"
                on:pointerdown=on_pointer_down
                on:pointermove=on_pointer_move
                on:pointerleave=move |_| state.looked_at.set(None)
                on:keydown=on_key
                on:focus=move |_| state.is_focused.set(true)
                on:blur=move |_| {
                    state.is_focused.set(false);
                    state.looked_at.set(None);
                }
            >
                <Surface draw=draw/>
                <Overlay state=state/>
            </div>
            <Legend state=state/>
            <p class="chart-finding" id=finding_id>{finding}</p>
            <p class="visually-hidden" id=keys_id>{keys}</p>
            <p class="visually-hidden" aria-live="polite">{said}</p>
            <TableView state=state/>
            <SpotTooltip state=state stage=stage/>
        </figure>
    }
}

/// The samples of all series that have no name at their end.
#[component]
fn Legend(state: State) -> impl IntoView {
    let keys = Memo::new(move |_| {
        state.figure.with(|figure| {
            let named = figure.series.iter().filter(|series| series.is_in_legend());
            named
                .map(|series| Series { points: Vec::new(), band: None, ..series.clone() })
                .collect::<Vec<_>>()
        })
    });
    let entries = move || {
        keys.get()
            .into_iter()
            .map(|series| {
                let (width, dashes) = match series.line {
                    Line::None => ("0", ""),
                    Line::Pale => ("1", ""),
                    Line::Solid => ("1.75", ""),
                    Line::Strong => ("3", ""),
                    Line::Dashed => ("1.75", "5 4"),
                };
                let mark = match series.dot {
                    Dot::None => "",
                    Dot::Disc => "M10 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
                    Dot::Square => "M10 3h6v6h-6z",
                    Dot::Triangle => "M13 2.4l3.6 6.6h-7.2z",
                    Dot::Cross => "M10 3l6 6M10 9l6 -6",
                };
                view! {
                    <li class=format!("chart-key {}", series.role.class())>
                        <svg viewBox="0 0 26 12" aria-hidden="true">
                            <path class="chart-key-line" d="M0 6h26" stroke-width=width stroke-dasharray=dashes></path>
                            <path class="chart-key-dot" class:chart-key-cross=series.dot == Dot::Cross d=mark></path>
                        </svg>
                        {series.name}
                    </li>
                }
            })
            .collect_view()
    };
    view! { <ul class="chart-legend">{entries}</ul> }
}

#[component]
fn SpotTooltip(state: State, stage: NodeRef<Div>) -> impl IntoView {
    let spot = Memo::new(move |_| state.spot());
    let anchor = Callback::new(move |()| {
        let place = state.place(spot.get()?.1)?;
        let origin = stage.get()?.get_bounding_client_rect();
        Some(Rect::new(place.x + origin.x() - 6.0, place.y + origin.y() - 6.0, 12.0, 12.0))
    });
    let body = move || {
        let (spot, (x, y)) = spot.get()?;
        state.figure.with(|figure| {
            let series = figure.series.get(spot.series)?;
            let spread = series.band.as_ref().and_then(|band| {
                Some(format!(
                    "{} … {}",
                    short(*band.low.get(spot.point)?),
                    short(*band.high.get(spot.point)?)
                ))
            });
            Some(view! {
                <p class="tooltip-main">{series.name.clone()}</p>
                <p class="tooltip-more">{figure.x.title.clone()} " = " <b>{exact(x)}</b></p>
                <p class="tooltip-more">{figure.y.title.clone()} " = " <b>{short(y)}</b></p>
                {spread.map(|spread| view! { <p class="tooltip-more">{spread}</p> })}
            })
        })
    };
    move || spot.with(Option::is_some).then(|| view! { <Tooltip anchor=anchor>{body}</Tooltip> })
}
