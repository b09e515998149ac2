//! What can be done with a heatmap as a whole: zoom, table, files.

use leptos::prelude::*;

use super::state::State;
use crate::drawing::export::{file_stem, save_png, save_svg, save_text};
use crate::drawing::geometry::Point;
use crate::drawing::painter::Painter;
use crate::drawing::surface::Frame;
use crate::drawing::viewport::Zoom;
use crate::widgets::controls::{Button, Look, Menu, MenuItem};
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::Icon;
use crate::widgets::number::fill;
use crate::widgets::table::{MatrixTable, csv};

#[component]
pub(super) fn Actions(state: State) -> impl IntoView {
    let words = state.words;
    let label =
        Signal::derive(move || words.with(|words| fill(&words.actions, &[("name", &state.name.get())])));
    let items = move |()| {
        let words = words.get();
        let mut items = vec![
            MenuItem::new(words.table_view, move || state.table_is_open.set(true)).with_key("T"),
            MenuItem::new(words.export_csv, move || state.save_csv()),
            MenuItem::new(words.export_svg, move || state.save_svg()),
            MenuItem::new(words.export_png, move || state.save_png()),
        ];
        if state.layout.with(|layout| layout.viewport.is_zoomable()) {
            let zoom = |word: String, key: &'static str| {
                MenuItem::new(word, move || {
                    state.zoom_by_key(key);
                })
                .with_key(key)
            };
            items.extend([zoom(words.zoom_in, "+"), zoom(words.zoom_out, "-"), zoom(words.zoom_reset, "0")]);
        }
        if let (Some(cell), Some(_)) = (state.pinned.get(), state.on_edit) {
            let edit = move || {
                state.pin(None);
                state.editing.set(Some(cell));
            };
            items.insert(1, MenuItem::new(words.edit_cell, edit).with_key("F2"));
        }
        items
    };
    view! {
        <span class="heatmap-actions">
            <ZoomButtons state=state/>
            <Menu label=label items=items/>
        </span>
    }
}

/// Only where there is something to zoom into.
#[component]
fn ZoomButtons(state: State) -> impl IntoView {
    let words = state.words;
    /// A narrower heatmap has no room for them beside its name; its keys and gestures remain.
    const NARROWEST: f64 = 200.0;
    let is_zoomable = Memo::new(move |_| {
        state.layout.with(|layout| layout.viewport.is_zoomable() && layout.width() >= NARROWEST)
    });
    let press = move |key: &'static str| {
        move |()| {
            let layout = state.layout.get_untracked();
            let middle = Point::new(layout.plot.width / 2.0, layout.plot.height / 2.0);
            state.zoom.update(|zoom| {
                if let Some(new) = layout.viewport.after_key(*zoom, key, middle) {
                    *zoom = new;
                }
            });
        }
    };
    view! {
        <Show when=move || is_zoomable.get()>
            <Button
                label=Signal::derive(move || words.with(|words| words.zoom_out.clone()))
                icon=Icon::Minus
                look=Look::Quiet
                on_press=press("-")
            />
            <Button
                label=Signal::derive(move || words.with(|words| words.zoom_in.clone()))
                icon=Icon::Plus
                look=Look::Quiet
                on_press=press("+")
            />
            <Button
                label=Signal::derive(move || words.with(|words| words.zoom_reset.clone()))
                icon=Icon::Whole
                look=Look::Quiet
                on_press=press("0")
            />
        </Show>
    }
}

#[component]
pub(super) fn TableView(state: State) -> impl IntoView {
    view! {
        <Dialog title=state.name is_open=state.table_is_open>
            <MatrixTable caption=state.name matrix=state.matrix rows=state.rows cols=state.cols/>
        </Dialog>
    }
}

/// The pixels of a saved picture in a CSS pixel.
const DENSITY: f64 = 3.0;

impl State {
    fn save_csv(self) {
        let text =
            self.matrix.with(|matrix| self.rows.with(|rows| self.cols.with(|cols| csv(matrix, rows, cols))));
        save_text(&format!("{}.csv", self.stem()), "text/csv;charset=utf-8", &text);
    }

    fn save_svg(self) {
        save_svg(&format!("{}.svg", self.stem()), self.picture_size(), &self.name.get(), |painter, frame| {
            self.paint_picture(painter, frame);
        });
    }

    fn save_png(self) {
        save_png(&format!("{}.png", self.stem()), self.picture_size(), DENSITY, |painter, frame| {
            self.paint_picture(painter, frame);
        });
    }

    fn stem(self) -> String {
        file_stem(&self.name.get())
    }

    /// A saved picture has its caption and legend below the cells.
    fn picture_size(self) -> Point {
        let layout = self.layout.get();
        Point::new(
            layout.width().max(super::paint::LEGEND_WIDTH),
            layout.height() + super::paint::LEGEND_HEIGHT,
        )
    }

    fn paint_picture(self, painter: &mut dyn Painter, frame: &Frame) {
        let name = self.name.get();
        self.with_scene(&frame.palette, |scene| {
            scene.paint_labels(painter);
            scene.paint_matrix(painter);
            scene.paint_legend(painter, &name);
        });
    }

    /// Zooms by a key about the cell that is looked at; says whether the key does that.
    pub(super) fn zoom_by_key(self, key: &str) -> bool {
        let layout = self.layout.get_untracked();
        let place =
            untrack(|| self.looked_at()).map_or(layout.plot.center(), |cell| layout.rect(cell).center());
        let at = Point::new(place.x - layout.plot.x, place.y - layout.plot.y);
        let zoom: Zoom = self.zoom.get_untracked();
        match layout.viewport.after_key(zoom, key, at) {
            Some(new) if layout.viewport.is_zoomable() => {
                self.zoom.set(new);
                true
            }
            Some(_) | None => false,
        }
    }
}
