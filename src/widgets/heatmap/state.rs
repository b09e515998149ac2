//! What the parts of a heatmap share: its numbers, its places, and what the person looks at.

use leptos::prelude::*;

use super::data::{Axis, Cell, Kind, Matrix, ScaleLimit, Summary};
use super::labels::{AxisLabels, LabelPlan};
use super::layout::{CellSize, Layout};
use super::paint::Scene;
use crate::drawing::canvas::text_width;
use crate::drawing::color::Scale;
use crate::drawing::geometry::Point;
use crate::drawing::painter::Painter;
use crate::drawing::palette::Palette;
use crate::drawing::viewport::Zoom;
use crate::widgets::number;
use crate::widgets::words::{Words, use_words};

/// The state of one heatmap.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub name: Signal<String>,
    pub matrix: Signal<Matrix>,
    pub kind: Signal<Kind>,
    pub rows: Signal<Axis>,
    pub cols: Signal<Axis>,
    pub limit: Signal<Option<ScaleLimit>>,
    pub summary: Memo<Summary>,
    pub scale: Memo<Scale>,
    pub plan: Memo<LabelPlan>,
    pub layout: Memo<Layout>,
    pub natural_width: Memo<f64>,
    pub zoom: RwSignal<Zoom>,
    pub hovered: RwSignal<Option<Cell>>,
    pub pinned: RwSignal<Option<Cell>>,
    pub editing: RwSignal<Option<Cell>>,
    pub table_is_open: RwSignal<bool>,
    pub is_focused: RwSignal<bool>,
    /// Where the keyboard was last.
    pub cursor: StoredValue<Cell>,
    pub on_look: Option<Callback<Option<Cell>>>,
    pub on_edit: Option<Callback<Edit, Result<(), String>>>,
    pub words: Signal<Words>,
}

/// The size of tiny text, in pixels, for which cell sizes are meant.
const USUAL_TEXT: f64 = 11.0;

/// A number that a person put into a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edit {
    /// Where.
    pub cell: Cell,
    /// The new number.
    pub value: f64,
}

/// What a heatmap is made from; see [`super::Heatmap`].
pub(super) struct Given {
    pub name: Signal<String>,
    pub matrix: Signal<Matrix>,
    pub kind: Signal<Kind>,
    pub rows: Signal<Axis>,
    pub cols: Signal<Axis>,
    pub limit: Signal<Option<ScaleLimit>>,
    pub cell_size: Signal<CellSize>,
    pub axis_labels: AxisLabels,
    pub pinned: RwSignal<Option<Cell>>,
    pub on_look: Option<Callback<Option<Cell>>>,
    pub on_edit: Option<Callback<Edit, Result<(), String>>>,
    pub room: Signal<Option<Point>>,
}

impl State {
    pub fn new(given: Given) -> State {
        let Given {
            name,
            matrix,
            kind,
            rows,
            cols,
            limit,
            cell_size,
            axis_labels,
            pinned,
            on_look,
            on_edit,
            room,
        } = given;
        // A page may derive its matrix; then each change derives it once, not once for each part that reads it.
        let matrix = Memo::new(move |_| matrix.get());
        let zoom = RwSignal::new(Zoom::WHOLE);
        // Cells grow with the type, which is larger on large screens.
        let cell_size = Memo::new(move |_| cell_size.get().scaled(Palette::current().text_tiny / USUAL_TEXT));
        let summary = Memo::new(move |_| matrix.with(Matrix::summary));
        let scale = Memo::new(move |_| {
            let max = limit.with(|limit| limit.as_ref().map(|limit| limit.max));
            kind.get().scale(max.unwrap_or_else(|| summary.get().largest))
        });
        let shape = Memo::new(move |_| matrix.with(|matrix| (matrix.rows(), matrix.cols())));
        let plan = Memo::new(move |_| {
            let (row_count, col_count) = shape.get();
            let available = room.get().map_or(f64::MAX, |room| room.x);
            rows.with(|rows| {
                cols.with(|cols| {
                    LabelPlan::new(
                        (rows, row_count),
                        (cols, col_count),
                        axis_labels,
                        (cell_size.get(), available),
                        &Palette::current(),
                        &text_width,
                    )
                })
            })
        });
        let natural_width =
            Memo::new(move |_| Layout::natural_width(shape.get().1, cell_size.get(), plan.get().margins));
        let layout = Memo::new(move |_| {
            let (row_count, col_count) = shape.get();
            let margins = plan.get().margins;
            let available = room.get().map_or_else(|| natural_width.get(), |room| room.x);
            Layout::new(row_count, col_count, cell_size.get(), margins, available, zoom.get())
        });
        State {
            name,
            matrix: matrix.into(),
            kind,
            rows,
            cols,
            limit,
            summary,
            scale,
            plan,
            layout,
            natural_width,
            zoom,
            hovered: RwSignal::new(None),
            pinned,
            editing: RwSignal::new(None),
            table_is_open: RwSignal::new(false),
            is_focused: RwSignal::new(false),
            cursor: StoredValue::new(Cell::new(0, 0)),
            on_look,
            on_edit,
            words: use_words(),
        }
    }

    /// The cell that the person looks at: the pinned one, or else the one under the pointer or the cursor.
    pub fn looked_at(self) -> Option<Cell> {
        let cell = self.pinned.get().or_else(|| self.hovered.get())?;
        self.matrix.with(|matrix| matrix.contains(cell)).then_some(cell)
    }

    /// Moves the pointer's or the cursor's cell.
    pub fn hover(self, cell: Option<Cell>) {
        if self.hovered.get_untracked() != cell {
            self.telling(|| self.hovered.set(cell));
        }
    }

    /// Pins a cell, or lets go of the pinned one.
    pub fn pin(self, cell: Option<Cell>) {
        if self.pinned.get_untracked() != cell {
            self.telling(|| self.pinned.set(cell));
        }
    }

    /// The place of a cell in words: `A[q = 3 "b", k = 1 "a"]`.
    pub fn place(self, cell: Cell) -> String {
        let row = self.rows.with(|axis| axis.place(cell.row));
        let col = self.cols.with(|axis| axis.place(cell.col));
        format!("{}[{row}, {col}]", self.name.get())
    }

    /// The number in a cell in words.
    pub fn value_text(self, cell: Cell) -> String {
        match self.matrix.with(|matrix| matrix.shown(cell)) {
            Some(value) => number::long(value),
            None if self.matrix.with(|matrix| matrix.is_absent(cell)) => {
                self.words.with(|words| words.not_yet.clone())
            }
            None => self.words.with(|words| words.masked.clone()),
        }
    }

    /// Draws the cells as they are now.
    pub fn paint_matrix(self, painter: &mut dyn Painter, palette: &Palette) {
        self.with_scene(palette, |scene| scene.paint_matrix(painter));
    }

    /// Draws the labels, which do not depend on the numbers.
    pub fn paint_labels(self, painter: &mut dyn Painter, palette: &Palette) {
        let (layout, plan) = (self.layout.get(), self.plan.get());
        if layout.rows == 0 || layout.cols == 0 {
            return;
        }
        self.rows.with(|rows| {
            self.cols.with(|cols| plan.paint(painter, &layout, (rows, cols), palette, &text_width));
        });
    }

    /// Gives away everything that the picture depends on.
    pub fn with_scene(self, palette: &Palette, see: impl FnOnce(&Scene<'_>)) {
        let (matrix, layout, plan) = (self.matrix.get(), self.layout.get(), self.plan.get());
        self.rows.with(|rows| {
            self.cols.with(|cols| {
                see(&Scene {
                    matrix: &matrix,
                    scale: self.scale.get(),
                    rows,
                    cols,
                    labels: &plan,
                    layout: &layout,
                    palette,
                    measure: &text_width,
                });
            });
        });
    }

    /// Makes a change and tells the page if another cell is looked at after it.
    fn telling(self, change: impl FnOnce()) {
        let before = untrack(|| self.looked_at());
        change();
        let after = untrack(|| self.looked_at());
        if let Some(on_look) = self.on_look.filter(|_| before != after) {
            on_look.run(after);
        }
    }
}
