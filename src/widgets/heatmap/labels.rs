//! The labels of rows and columns: how much room they need, and how they are drawn.

use super::data::Axis;
use super::layout::{CellSize, EDGE, Layout, Margins};
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, TextStyle};
use crate::drawing::palette::{Palette, Role};
use crate::drawing::viewport::Zoom;

/// Which labels a heatmap carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisLabels {
    /// Index and name.
    #[default]
    Full,
    /// The index alone.
    Indices,
    /// None; the tooltip still tells both.
    Hidden,
}

/// What measuring the labels has shown; widths are pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LabelPlan {
    /// The room that they take.
    pub margins: Margins,
    row_index: f64,
    row_name: f64,
    col_index: f64,
    col_name: f64,
    names_of_cols_are_turned: bool,
}

/// Measures a line of text.
pub type Measure<'a> = &'a dyn Fn(&str, &TextStyle) -> f64;

/// No name gets more room than this.
const LONGEST_NAME: f64 = 84.0;
/// Between a label and its neighbour.
const GAP: f64 = 6.0;
/// Names that are measured; longer lists are judged by their first names.
const MEASURED: usize = 256;

impl LabelPlan {
    /// Measures the labels of `rows` and `cols`, of which there are so many.
    pub fn new(
        (rows, row_count): (&Axis, usize),
        (cols, col_count): (&Axis, usize),
        labels: AxisLabels,
        (size, available): (CellSize, f64),
        palette: &Palette,
        measure: Measure<'_>,
    ) -> LabelPlan {
        if labels == AxisLabels::Hidden {
            // The line around the cells is all that is left.
            return LabelPlan { margins: Margins { left: EDGE, top: EDGE }, ..LabelPlan::default() };
        }
        let index_style = index_style(palette);
        let name_style = name_style(palette);
        let index = |axis: &Axis, count: usize| {
            measure(&(axis.first + count.saturating_sub(1)).to_string(), &index_style).ceil()
        };
        let name = |axis: &Axis, count: usize| match labels {
            AxisLabels::Full => (0..count.min(MEASURED))
                .filter_map(|i| axis.name(i))
                .map(|name| measure(name, &name_style))
                .fold(0.0, f64::max)
                .min(LONGEST_NAME)
                .ceil(),
            AxisLabels::Indices | AxisLabels::Hidden => 0.0,
        };
        let (row_index, row_name) = (index(rows, row_count), name(rows, row_count));
        let (col_index, col_name) = (index(cols, col_count), name(cols, col_count));
        let with_gap = |width: f64| if width > 0.0 { width + GAP } else { 0.0 };
        let left = row_index + GAP + with_gap(row_name);
        let line = palette.text_tiny * 1.35;
        let provisional = Margins { left, top: 0.0 };
        let width = Layout::new(row_count, col_count, size, provisional, available, Zoom::WHOLE).view.x.scale;
        let names_of_cols_are_turned = col_name > width - 2.0;
        let names = if col_name == 0.0 {
            0.0
        } else if names_of_cols_are_turned {
            col_name + GAP
        } else {
            line
        };
        let margins = Margins { left, top: line + names + GAP / 2.0 };
        LabelPlan { margins, row_index, row_name, col_index, col_name, names_of_cols_are_turned }
    }

    /// Draws the labels of what is seen.
    pub fn paint(
        &self,
        painter: &mut dyn Painter,
        layout: &Layout,
        (rows, cols): (&Axis, &Axis),
        palette: &Palette,
        measure: Measure<'_>,
    ) {
        if self.row_index == 0.0 {
            return;
        }
        let plot = layout.plot;
        let index = index_style(palette);
        let name = name_style(palette);
        let line = palette.text_tiny * 1.35;
        // A label in the middle of a narrow cell reaches over the edge of the plot.
        let over = line / 2.0;

        painter.push_clip(Rect::new(0.0, plot.y - over, plot.x, plot.height + 2.0 * over));
        let step = Layout::label_step(layout.view.y.scale, line);
        let end = plot.x - GAP;
        for row in layout.view.y.visible().filter(|row| row % step == 0) {
            let y = plot.y + layout.view.y.pixel(row as f64 + 0.5);
            let number = (row + rows.first).to_string();
            painter.text(&number, Point::new(self.row_index, y), &index.aligned(Align::End));
            if let Some(text) = rows.name(row).filter(|_| step == 1 && self.row_name > 0.0) {
                let text = shortened(text, self.row_name, &name, measure);
                painter.text(&text, Point::new(end, y), &name.aligned(Align::End));
            }
        }
        painter.pop();

        painter.push_clip(Rect::new(plot.x - over, 0.0, plot.width + 2.0 * over, plot.y));
        let scale = layout.view.x.scale;
        let step = Layout::label_step(scale, self.col_index + GAP);
        let name_step = Layout::label_step(scale, if self.names_of_cols_are_turned { line } else { scale });
        for col in layout.view.x.visible() {
            let x = plot.x + layout.view.x.pixel(col as f64 + 0.5);
            if col % step == 0 {
                let number = (col + cols.first).to_string();
                painter.text(&number, Point::new(x, line / 2.0), &index.aligned(Align::Center));
            }
            if let Some(text) = cols.name(col).filter(|_| name_step == 1 && self.col_name > 0.0) {
                let text = shortened(text, self.col_name, &name, measure);
                if self.names_of_cols_are_turned {
                    let turned = name.turned(-std::f64::consts::FRAC_PI_2);
                    painter.text(&text, Point::new(x, plot.y - GAP), &turned);
                } else {
                    let y = plot.y - GAP / 2.0 - line / 2.0;
                    painter.text(&text, Point::new(x, y), &name.aligned(Align::Center));
                }
            }
        }
        painter.pop();

        self.paint_symbols(painter, layout, (rows, cols), palette);
    }

    /// Names the axes in the corner: the rows' letter points down, the columns' letter points right.
    fn paint_symbols(
        &self,
        painter: &mut dyn Painter,
        layout: &Layout,
        (rows, cols): (&Axis, &Axis),
        palette: &Palette,
    ) {
        // Two lines hold one letter each; in a single line they need more room, or would run into each other.
        let has_two_lines = self.col_name > 0.0;
        let narrowest = palette.text_tiny * if has_two_lines { 2.4 } else { 5.0 };
        if self.margins.left < narrowest {
            return;
        }
        let plot = layout.plot;
        let style = TextStyle::new(palette.soft, palette.text_tiny, Family::Serif).on(Baseline::Bottom);
        let hue = |role: Role| if role == Role::Plain { palette.soft } else { palette.role(role) };
        if !rows.symbol.is_empty() {
            let text = format!("{} ↓", rows.symbol);
            painter.text(&text, Point::new(0.0, plot.y - 1.0), &style.colored(hue(rows.role)));
        }
        if !cols.symbol.is_empty() {
            let text = format!("{} →", cols.symbol);
            let at = Point::new(plot.x - GAP, palette.text_tiny * 1.2);
            painter.text(&text, at, &style.colored(hue(cols.role)).aligned(Align::End));
        }
    }
}

fn index_style(palette: &Palette) -> TextStyle {
    TextStyle::new(palette.soft, palette.text_tiny, Family::Sans)
}

fn name_style(palette: &Palette) -> TextStyle {
    TextStyle::new(palette.ink, palette.text_tiny * 1.09, Family::Sans)
}

/// As much of the text as fits into `room` pixels, with an ellipsis where something is missing.
fn shortened(text: &str, room: f64, style: &TextStyle, measure: Measure<'_>) -> String {
    if measure(text, style) <= room + 0.5 {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let cut: String = kept.iter().chain(['…'].iter()).collect();
        if measure(&cut, style) <= room {
            return cut;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::palette::tests::{Theme, palette};

    /// Every letter is 6 pixels wide.
    fn measure(text: &str, _: &TextStyle) -> f64 {
        6.0 * text.chars().count() as f64
    }

    fn plan(names: &[&str], labels: AxisLabels) -> LabelPlan {
        let axis = Axis::new("q", "queries").named(names.iter().copied());
        let size = (CellSize::square(30.0), 900.0);
        let count = names.len();
        LabelPlan::new((&axis, count), (&axis, count), labels, size, &palette(Theme::Light), &measure)
    }

    #[test]
    fn hidden_labels_leave_room_for_the_edge_only() {
        assert_eq!(plan(&["a", "b"], AxisLabels::Hidden).margins, Margins { left: EDGE, top: EDGE });
    }

    #[test]
    fn long_names_are_turned_and_never_take_all_the_room() {
        let short = plan(&["a", "bc"], AxisLabels::Full);
        let long = plan(&["a", "a very very long name"], AxisLabels::Full);
        assert!(!short.names_of_cols_are_turned);
        assert!(long.names_of_cols_are_turned);
        assert!(long.margins.left > short.margins.left);
        assert!(long.margins.left <= LONGEST_NAME + 30.0);
        assert!(plan(&["a", "bc"], AxisLabels::Indices).margins.left < short.margins.left);
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        let style = name_style(&palette(Theme::Light));
        assert_eq!(shortened("attention", 30.0, &style, &measure), "atte…");
        assert_eq!(shortened("cat", 30.0, &style, &measure), "cat");
    }
}
