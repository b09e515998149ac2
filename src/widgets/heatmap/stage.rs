//! The part of a heatmap that is pointed at: the picture, what lies over it, the keyboard.

use leptos::ev::{FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use super::data::{Cell, Lit};
use super::editor::Editor;
use super::layout::Layout;
use super::state::State;
use crate::drawing::geometry::{Point, Rect, svg_number as n};
use crate::drawing::gestures::pan_and_zoom;
use crate::drawing::surface::{Draw, Surface};
use crate::widgets::number;

#[component]
pub(super) fn Stage(
    state: State,
    #[prop(into)] lit: Signal<Lit>,
    node: NodeRef<Div>,
    #[prop(into)] hint_id: String,
) -> impl IntoView {
    // Labels have a canvas of their own: when numbers move, text need not be drawn again.
    let labels = Draw::new(move |painter, frame| state.paint_labels(painter, &frame.palette));
    let cells = Draw::new(move |painter, frame| state.paint_matrix(painter, &frame.palette));
    let layout = state.layout;
    pan_and_zoom(
        node,
        Signal::derive(move || layout.with(|layout| layout.viewport)),
        state.zoom,
        Signal::derive(move || layout.with(|layout| Point::new(layout.plot.x, layout.plot.y))),
    );
    let name = move || {
        let (rows, cols) = state.matrix.with(|matrix| (matrix.rows().to_string(), matrix.cols().to_string()));
        state.words.with(|words| {
            number::fill(
                &words.heatmap_name,
                &[("name", &state.name.get()), ("rows", &rows), ("cols", &cols)],
            )
        })
    };
    let cell_under = move |event: &MouseEvent| {
        let point = Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()));
        layout.with_untracked(|layout| layout.cell_at(point))
    };
    let pressed_at = StoredValue::new(None::<Point>);
    let on_pointer_down = move |event: PointerEvent| {
        pressed_at.set_value(Some(Point::new(f64::from(event.client_x()), f64::from(event.client_y()))));
    };
    let on_pointer_move = move |event: PointerEvent| {
        // A finger that moves scrolls; it looks at what it taps.
        if event.pointer_type() != "touch" && event.buttons() == 0 {
            state.hover(cell_under(&event));
        }
    };
    let on_click = move |event: MouseEvent| {
        let released_at = Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
        let was_dragged = pressed_at.get_value().is_some_and(|point| point.distance(released_at) > DRAG);
        if was_dragged {
            return;
        }
        match cell_under(&event) {
            Some(cell) if state.pinned.get_untracked() == Some(cell) => state.pin(None),
            cell => {
                state.hover(cell);
                state.pin(cell);
            }
        }
    };
    let on_double_click = move |event: MouseEvent| {
        if let Some(cell) = cell_under(&event).filter(|_| state.on_edit.is_some()) {
            state.pin(None);
            state.editing.set(Some(cell));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        if handle_key(state, &event.key(), event.shift_key()) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let on_focus = move |_| {
        state.is_focused.set(true);
        // A click has its own cell; the keyboard goes on where it was.
        let by_keyboard =
            node.get_untracked().is_some_and(|node| node.matches(":focus-visible").unwrap_or(false));
        if by_keyboard && untrack(|| state.looked_at()).is_none() {
            state.hover(
                Some(state.cursor.get_value())
                    .filter(|&cell| state.matrix.with_untracked(|matrix| matrix.contains(cell))),
            );
        }
    };
    let on_blur = move |event: FocusEvent| {
        let target = event.related_target();
        let stays = target.is_some_and(|target| {
            let target = wasm_bindgen::JsCast::dyn_into::<web_sys::Node>(target).ok();
            node.get_untracked().is_some_and(|node| node.contains(target.as_ref()))
        });
        if !stays {
            state.is_focused.set(false);
            state.hover(None);
        }
    };
    let is_zoomed = move || state.zoom.get().factor > 1.0;
    view! {
        <div
            node_ref=node
            class="heatmap-stage"
            class:heatmap-zoomed=is_zoomed
            style:width=move || format!("{}px", layout.get().width())
            style:height=move || format!("{}px", layout.get().height())
            role="application"
            aria-roledescription=move || state.words.with(|words| words.heatmap.clone())
            aria-label=name
            aria-describedby=hint_id
            tabindex="0"
            on:pointerdown=on_pointer_down
            on:pointermove=on_pointer_move
            on:pointerleave=move |_| state.hover(None)
            on:click=on_click
            on:dblclick=on_double_click
            on:keydown=on_key
            on:focus=on_focus
            on:blur=on_blur
        >
            <Surface draw=labels/>
            <Surface draw=cells/>
            <Overlay state=state lit=lit/>
            <Editor state=state stage=node/>
        </div>
    }
}

/// A pointer that moved farther than this between press and release has dragged, not clicked.
const DRAG: f64 = 4.0;

/// Does what a key asks for, and says whether it asked for anything.
fn handle_key(state: State, key: &str, with_shift: bool) -> bool {
    let layout = state.layout.get_untracked();
    if layout.rows == 0 || layout.cols == 0 {
        return false;
    }
    let at = untrack(|| state.looked_at());
    let page = if with_shift { 10 } else { 1 };
    let moved = |rows: isize, cols: isize| match at {
        Some(cell) => layout.neighbour(cell, rows * page, cols * page),
        None => state.cursor.get_value(),
    };
    let target = match key {
        "ArrowLeft" => moved(0, -1),
        "ArrowRight" => moved(0, 1),
        "ArrowUp" => moved(-1, 0),
        "ArrowDown" => moved(1, 0),
        "Home" => Cell::new(at.map_or(0, |cell| cell.row), 0),
        "End" => Cell::new(at.map_or(0, |cell| cell.row), layout.cols - 1),
        "PageUp" => Cell::new(0, at.map_or(0, |cell| cell.col)),
        "PageDown" => Cell::new(layout.rows - 1, at.map_or(0, |cell| cell.col)),
        "Enter" | " " => {
            let pinned = state.pinned.get_untracked();
            state.pin(if pinned.is_some() { None } else { at });
            return true;
        }
        "Escape" => {
            let had_anything = at.is_some();
            state.pin(None);
            state.hover(None);
            return had_anything;
        }
        "F2" => {
            if let (Some(cell), Some(_)) = (at, state.on_edit) {
                state.editing.set(Some(cell));
            }
            return true;
        }
        "t" | "T" => {
            state.table_is_open.set(true);
            return true;
        }
        _ => return state.zoom_by_key(key),
    };
    state.zoom.update(|zoom| {
        *zoom = layout.viewport.revealing(*zoom, Point::new(target.col as f64, target.row as f64));
    });
    // The cursor carries the pin along, so that the tooltip stays open while one looks around.
    if state.pinned.get_untracked().is_some() {
        state.pin(Some(target));
    }
    state.cursor.set_value(target);
    state.hover(Some(target));
    true
}

/// What is lit: the cell that is looked at, with its labels, and what the page lights from elsewhere. The matrix below
/// is not touched.
#[component]
fn Overlay(state: State, lit: Signal<Lit>) -> impl IntoView {
    let layout = state.layout;
    let ring = move || state.looked_at().map(|cell| ring_around(&layout.get(), cell));
    let attribute = move |part: fn(Rect) -> f64| move || ring().map(|rect| n(part(rect)));
    let bands = move || {
        state.looked_at().map(|cell| {
            let layout = layout.get();
            let rect = layout.rect(cell);
            let plot = layout.plot;
            format!(
                "{}{}",
                outline(Rect::new(0.0, rect.y, plot.x - 2.0, rect.height)),
                outline(Rect::new(rect.x, 0.0, rect.width, plot.y - 2.0))
            )
        })
    };
    let lit_cells = move || {
        lit.with(|lit| {
            let layout = layout.get();
            lit.cells.iter().map(|&cell| outline(ring_around(&layout, cell))).collect::<String>()
        })
    };
    let lit_lines = move || {
        lit.with(|lit| {
            let layout = layout.get();
            let rows = lit.rows.iter().map(|&row| layout.block(row..row + 1, 0..layout.cols));
            let cols = lit.cols.iter().map(|&col| layout.block(0..layout.rows, col..col + 1));
            rows.chain(cols).map(|rect| outline(rect.inset(-0.5))).collect::<String>()
        })
    };
    // Rings reach over the edge of the plot by this much.
    const OVER: f64 = 3.0;
    let window = move |part: fn(Rect) -> f64| move || n(part(layout.get().plot.inset(-OVER)));
    let view_box = move || {
        let plot = layout.get().plot.inset(-OVER);
        format!("{} {} {} {}", n(plot.x), n(plot.y), n(plot.width), n(plot.height))
    };
    view! {
        <svg class="heatmap-overlay" aria-hidden="true">
            <path class="heatmap-band" d=bands></path>
            <svg
                x=window(|rect| rect.x)
                y=window(|rect| rect.y)
                width=window(|rect| rect.width)
                height=window(|rect| rect.height)
                viewBox=view_box
            >
                <path class="heatmap-lit-line" d=lit_lines></path>
                <path class="heatmap-halo" d=lit_cells></path>
                <path class="heatmap-lit" d=lit_cells></path>
                <g class="heatmap-ring" class:heatmap-pinned=move || state.pinned.get().is_some()>
                    <rect
                        class="heatmap-halo"
                        x=attribute(|rect| rect.x)
                        y=attribute(|rect| rect.y)
                        width=attribute(|rect| rect.width)
                        height=attribute(|rect| rect.height)
                        rx="2"
                    ></rect>
                    <rect
                        class="heatmap-look"
                        x=attribute(|rect| rect.x)
                        y=attribute(|rect| rect.y)
                        width=attribute(|rect| rect.width)
                        height=attribute(|rect| rect.height)
                        rx="2"
                    ></rect>
                </g>
            </svg>
        </svg>
    }
}

/// The line around a cell, never so small that it could not be seen.
fn ring_around(layout: &Layout, cell: Cell) -> Rect {
    const SMALLEST: f64 = 7.0;
    let rect = layout.rect(cell);
    let around = Rect::new(rect.x - 0.5, rect.y - 0.5, rect.width, rect.height);
    let more = |extent: f64| ((SMALLEST - extent) / 2.0).max(0.0);
    let (x, y) = (more(around.width), more(around.height));
    Rect::new(around.x - x, around.y - y, around.width + 2.0 * x, around.height + 2.0 * y)
}

fn outline(rect: Rect) -> String {
    format!("M{} {}h{}v{}h{}z", n(rect.x), n(rect.y), n(rect.width), n(rect.height), n(-rect.width))
}
