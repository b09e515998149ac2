//! Draws a heatmap with any painter.

use std::ops::Range;

use super::data::{Axis, Cell, Matrix};
use super::labels::{LabelPlan, Measure};
use super::layout::{EDGE, Layout, bins, numeral_size};
use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Baseline, Family, Painter, Pixels, Stroke, TextStyle, Texture};
use crate::drawing::palette::Palette;
use crate::widgets::number;

/// Everything that a heatmap's picture depends on.
pub struct Scene<'a> {
    /// The numbers.
    pub matrix: &'a Matrix,
    /// How numbers become colours.
    pub scale: Scale,
    /// The rows.
    pub rows: &'a Axis,
    /// The columns.
    pub cols: &'a Axis,
    /// The labels' measures.
    pub labels: &'a LabelPlan,
    /// Where the cells are.
    pub layout: &'a Layout,
    /// The theme.
    pub palette: &'a Palette,
    /// Measures text.
    pub measure: Measure<'a>,
}

/// The room below the cells of a saved picture.
pub const LEGEND_HEIGHT: f64 = 40.0;
/// The narrowest saved picture.
pub const LEGEND_WIDTH: f64 = 220.0;

/// The characters of a number in a cell: two decimals, apart from the sign.
const NUMERAL: usize = 4;
/// Cells that are smaller are drawn as one image.
const SMALLEST_DRAWN: f64 = 5.0;
/// More cells are drawn as one image as well.
const MOST_DRAWN: usize = 6000;
/// Cells that are smaller have sharp corners.
const SMALLEST_ROUND: f64 = 18.0;

impl Scene<'_> {
    /// Draws the labels.
    pub fn paint_labels(&self, painter: &mut dyn Painter) {
        if self.has_cells() {
            self.labels.paint(painter, self.layout, (self.rows, self.cols), self.palette, self.measure);
        }
    }

    /// Draws the cells.
    pub fn paint_matrix(&self, painter: &mut dyn Painter) {
        if !self.has_cells() {
            return;
        }
        let plot = self.layout.plot;
        painter.fill_round_rect(plot.inset(-EDGE), EDGE, self.palette.cell_line);
        painter.push_clip(plot);
        let view = self.layout.view;
        let is_small = view.x.scale.min(view.y.scale) < SMALLEST_DRAWN;
        if is_small || view.x.visible().len() * view.y.visible().len() > MOST_DRAWN {
            self.paint_image(painter);
            if !is_small {
                self.paint_lines(painter);
            }
        } else {
            match self.scale {
                Scale::ZeroOne => self.paint_dots(painter),
                Scale::Probability | Scale::Signed { .. } | Scale::Selector => self.paint_cells(painter),
            }
        }
        painter.pop();
    }

    fn has_cells(&self) -> bool {
        self.matrix.rows() > 0 && self.matrix.cols() > 0
    }

    /// Draws caption and legend below the cells, for a picture that leaves the page.
    pub fn paint_legend(&self, painter: &mut dyn Painter, name: &str) {
        let palette = self.palette;
        let top = self.layout.height() + 8.0;
        let caption = TextStyle::new(palette.ink, palette.text_body, Family::Serif).on(Baseline::Top);
        painter.text(name, Point::new(0.0, top), &caption);
        let ramp = match self.scale {
            Scale::Probability => &palette.sequential,
            Scale::Signed { .. } => &palette.diverging,
            Scale::Selector | Scale::ZeroOne => return,
        };
        const SLICES: usize = 64;
        let strip = Rect::new(LEGEND_WIDTH * 0.45, top + 2.0, LEGEND_WIDTH * 0.5, 8.0);
        let width = strip.width / SLICES as f64;
        for i in 0..SLICES {
            let color = ramp.at(i as f64 / (SLICES - 1) as f64);
            painter
                .fill_rect(Rect::new(strip.x + i as f64 * width, strip.y, width + 0.5, strip.height), color);
        }
        let ticks = self.scale.ticks();
        let style = TextStyle::new(palette.soft, palette.text_tiny, Family::Sans).on(Baseline::Top);
        for tick in [ticks.first(), ticks.get(ticks.len() / 2), ticks.last()].into_iter().flatten() {
            let x = strip.x + strip.width * self.scale.position(*tick);
            let at = Point::new(x, strip.bottom() + 3.0);
            painter.text(&number::short(*tick), at, &style.aligned(Align::Center));
        }
    }

    fn visible(&self) -> (Range<usize>, Range<usize>) {
        (self.layout.view.y.visible(), self.layout.view.x.visible())
    }

    fn paint_cells(&self, painter: &mut dyn Painter) {
        let (rows, cols) = self.visible();
        let view = self.layout.view;
        let (width, height) = (view.x.scale, view.y.scale);
        let radius =
            if width.min(height) >= SMALLEST_ROUND { (width.min(height) * 0.1).min(4.0) } else { 0.0 };
        let numerals = self.numerals(width, height);
        let (mut tiles, mut masked, mut marked) = (Vec::new(), Vec::new(), Vec::new());
        // Numbers come after all cells: canvases draw many of one kind faster than one of each in turn.
        let mut numbers = Vec::new();
        let edges: Vec<(f64, f64)> = cols.clone().map(|col| self.column_edges(painter, col)).collect();
        for row in rows {
            let (top, bottom) = self.row_edges(painter, row);
            for (col, &(left, right)) in cols.clone().zip(&edges) {
                let rect = Rect::new(left, top, right - left, bottom - top);
                let cell = Cell::new(row, col);
                let Some(value) = self.matrix.shown(cell) else {
                    masked.push(rect);
                    continue;
                };
                let mark = Mark::of(value, self.scale);
                let color = self.color(mark);
                tiles.push((rect, color));
                match mark {
                    Mark::At(_) => {}
                    Mark::Nan | Mark::PlusInfinity | Mark::MinusInfinity => marked.push((rect, mark)),
                }
                if let (Some(_), Mark::At(_)) = (&numerals, mark) {
                    let ink = color.readable(self.palette.numeral_dark, self.palette.numeral_light);
                    numbers.push((rect.center(), ink, number::in_room(value, NUMERAL)));
                }
            }
        }
        painter.fill_tiles(&tiles, radius);
        if let Some(style) = numerals {
            for (at, ink, text) in &numbers {
                painter.text(text, *at, &style.colored(*ink));
            }
        }
        for &rect in &masked {
            painter.fill_rect(rect, self.palette.masked);
        }
        painter.fill_texture(&masked, Texture::Hatch, self.palette.masked_line);
        for (rect, mark) in marked {
            self.paint_mark(painter, rect, mark);
        }
    }

    /// Ones as dots where a row's guide meets a column's; the lock texture lies over all.
    fn paint_dots(&self, painter: &mut dyn Painter) {
        let plot = self.layout.plot;
        let (rows, cols) = self.visible();
        let size = self.layout.view.x.scale.min(self.layout.view.y.scale);
        painter.fill_rect(plot, self.palette.selector_off);
        painter.fill_texture(&[plot], Texture::Lock, self.palette.frozen_line);
        let guide = Stroke::solid(self.palette.cell_line, 1.0);
        for row in rows.clone() {
            let y = painter.snap(self.layout.rect(Cell::new(row, 0)).center().y) + 0.5;
            painter.stroke_path(&Path::line(Point::new(plot.x, y), Point::new(plot.right(), y)), &guide);
        }
        for col in cols.clone() {
            let x = painter.snap(self.layout.rect(Cell::new(0, col)).center().x) + 0.5;
            painter.stroke_path(&Path::line(Point::new(x, plot.y), Point::new(x, plot.bottom())), &guide);
        }
        for row in rows {
            for col in cols.clone() {
                let cell = Cell::new(row, col);
                let rect = self.layout.rect(cell);
                match self.matrix.shown(cell).map(|value| Mark::of(value, self.scale)) {
                    Some(Mark::At(at)) if at > 0.0 => {
                        let center = Point::new(rect.center().x + 0.5, rect.center().y + 0.5);
                        painter.fill_circle(center, (size * 0.32).clamp(1.5, 7.0), self.palette.universal);
                    }
                    Some(mark @ (Mark::Nan | Mark::PlusInfinity | Mark::MinusInfinity)) => {
                        painter.fill_rect(rect, self.color(mark));
                        self.paint_mark(painter, rect, mark);
                    }
                    Some(Mark::At(_)) | None => {}
                }
            }
        }
    }

    /// One pixel or more for each cell, or the most salient of the cells that share a pixel.
    fn paint_image(&self, painter: &mut dyn Painter) {
        let (rows, cols) = self.visible();
        let rect = self.layout.block(rows.clone(), cols.clone());
        let pixels = |range: &Range<usize>, extent: f64| {
            let most = (extent * painter.density()).ceil().max(1.0) as usize;
            let count = range.len().min(most);
            bins(range.start as f64, range.end as f64, count, range.end)
        };
        let (row_bins, col_bins) = (pixels(&rows, rect.height), pixels(&cols, rect.width));
        let image = Pixels::from_fn(col_bins.len(), row_bins.len(), |x, y| {
            match self.most_salient(&row_bins[y], &col_bins[x]) {
                Some(value) => self.color(Mark::of(value, self.scale)),
                None => self.palette.masked,
            }
        });
        painter.image(rect, &image);
    }

    /// The lines between cells, over an image of them.
    fn paint_lines(&self, painter: &mut dyn Painter) {
        let plot = self.layout.plot;
        let (rows, cols) = self.visible();
        for col in cols {
            let (_, right) = self.column_edges(painter, col);
            painter.fill_rect(Rect::new(right, plot.y, EDGE, plot.height), self.palette.cell_line);
        }
        for row in rows {
            let (_, bottom) = self.row_edges(painter, row);
            painter.fill_rect(Rect::new(plot.x, bottom, plot.width, EDGE), self.palette.cell_line);
        }
    }

    /// The value that stands out most in a block; `None` where all of it is masked.
    fn most_salient(&self, rows: &Range<usize>, cols: &Range<usize>) -> Option<f64> {
        let mut kept = None;
        let mut most = f64::NEG_INFINITY;
        for row in rows.clone() {
            let (values, mask) = self.matrix.row(row);
            for (col, &value) in cols.clone().zip(&values[cols.clone()]) {
                let salience = self.scale.salience(value);
                if salience > most && mask.is_none_or(|mask| !mask[col]) {
                    most = salience;
                    kept = Some(value);
                }
            }
        }
        kept
    }

    fn color(&self, mark: Mark) -> Rgba {
        match (mark, self.scale) {
            (Mark::Nan, _) => self.palette.nan,
            (Mark::PlusInfinity | Mark::MinusInfinity, _) => self.palette.infinite,
            (Mark::At(t), Scale::Probability) => self.palette.sequential.at(t),
            (Mark::At(t), Scale::Signed { .. }) => self.palette.diverging.at(t),
            (Mark::At(t), Scale::Selector | Scale::ZeroOne) if t > 0.0 => self.palette.selector_on,
            (Mark::At(_), Scale::Selector | Scale::ZeroOne) => self.palette.selector_off,
        }
    }

    /// A cross for NaN, a triangle that points up for +∞ and down for −∞: told apart without colour.
    fn paint_mark(&self, painter: &mut dyn Painter, rect: Rect, mark: Mark) {
        let size = rect.width.min(rect.height);
        let center = rect.center();
        let arm = size * 0.22;
        let at = |x: f64, y: f64| Point::new(center.x + x * arm, center.y + y * arm);
        let ink = self.color(mark).readable(self.palette.numeral_dark, self.palette.numeral_light);
        match mark {
            Mark::At(_) => {}
            Mark::Nan => {
                let cross =
                    Path::line(at(-1.0, -1.0), at(1.0, 1.0)).move_to(at(-1.0, 1.0)).line_to(at(1.0, -1.0));
                painter.stroke_path(&cross, &Stroke::solid(ink, (size * 0.08).max(1.0)));
            }
            Mark::PlusInfinity => {
                painter.fill_path(&Path::polygon([at(0.0, -1.1), at(1.1, 0.9), at(-1.1, 0.9)]), ink);
            }
            Mark::MinusInfinity => {
                painter.fill_path(&Path::polygon([at(0.0, 1.1), at(1.1, -0.9), at(-1.1, -0.9)]), ink);
            }
        }
    }

    fn numerals(&self, width: f64, height: f64) -> Option<TextStyle> {
        if matches!(self.scale, Scale::Selector | Scale::ZeroOne) {
            return None;
        }
        // Only some numbers have a sign.
        let characters = if self.scale == Scale::Probability { NUMERAL } else { NUMERAL + 1 };
        let size = numeral_size(width, height, characters)?;
        Some(TextStyle::new(self.palette.ink, size, Family::Sans).aligned(Align::Center))
    }

    /// Left and right edge of a column's cells, a line's width apart from the next column's.
    fn column_edges(&self, painter: &dyn Painter, col: usize) -> (f64, f64) {
        let Layout { plot, view, .. } = self.layout;
        let left = painter.snap(plot.x + view.x.pixel(col as f64));
        let right = painter.snap(plot.x + view.x.pixel(col as f64 + 1.0));
        (left, right - EDGE)
    }

    fn row_edges(&self, painter: &dyn Painter, row: usize) -> (f64, f64) {
        let Layout { plot, view, .. } = self.layout;
        let top = painter.snap(plot.y + view.y.pixel(row as f64));
        let bottom = painter.snap(plot.y + view.y.pixel(row as f64 + 1.0));
        (top, bottom - EDGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::painter::Pixels;
    use crate::drawing::palette::tests::{Theme, palette};
    use crate::drawing::svg::SvgPainter;
    use crate::drawing::viewport::Zoom;
    use crate::widgets::heatmap::labels::AxisLabels;
    use crate::widgets::heatmap::layout::CellSize;

    fn svg(matrix: &Matrix, scale: Scale, cell: f64, available: f64) -> String {
        let palette = palette(Theme::Light);
        let axis = Axis::new("q", "queries");
        let measure = |text: &str, _: &TextStyle| 6.0 * text.chars().count() as f64;
        let size = CellSize::square(cell);
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let labels = LabelPlan::new(
            (&axis, rows),
            (&axis, cols),
            AxisLabels::Full,
            (size, available),
            &palette,
            &measure,
        );
        let layout = Layout::new(rows, cols, size, labels.margins, available, Zoom::WHOLE);
        let scene = Scene {
            matrix,
            scale,
            rows: &axis,
            cols: &axis,
            labels: &labels,
            layout: &layout,
            palette: &palette,
            measure: &measure,
        };
        // The picture's colours, so that a test can look for one.
        let encode =
            |pixels: &Pixels| Some(pixels.bytes().iter().map(|byte| format!("{byte:02x}")).collect());
        let mut painter = SvgPainter::new(&palette, encode);
        scene.paint_labels(&mut painter);
        scene.paint_matrix(&mut painter);
        painter.finish(layout.width(), layout.height(), "A")
    }

    #[test]
    fn every_cell_gets_the_colour_of_its_number() {
        let matrix = Matrix::new(1, 3, vec![-2.0, 0.0, 2.0]);
        let svg = svg(&matrix, Scale::Signed { max: 2.0 }, 20.0, 500.0);
        let palette = palette(Theme::Light);
        for t in [0.0, 0.5, 1.0] {
            assert!(svg.contains(&palette.diverging.at(t).css()), "{t}");
        }
    }

    #[test]
    fn masked_cells_are_hatched_and_get_no_colour_of_the_scale() {
        let matrix = Matrix::new(2, 2, vec![1.0; 4]).masked(|row, col| col > row);
        let svg = svg(&matrix, Scale::Probability, 20.0, 500.0);
        let full = palette(Theme::Light).sequential.at(1.0).css();
        assert_eq!(svg.matches(&full).count(), 3);
        assert_eq!(svg.matches("url(#t0)").count(), 1);
    }

    #[test]
    fn numbers_appear_in_large_cells_only() {
        let matrix = Matrix::new(1, 1, vec![0.25]);
        assert!(svg(&matrix, Scale::Probability, 40.0, 500.0).contains(">0.25<"));
        assert!(!svg(&matrix, Scale::Probability, 14.0, 500.0).contains(">0.25<"));
    }

    #[test]
    fn a_single_extreme_among_thousands_is_still_seen() {
        let mut values = vec![0.0; 3 * 9_000];
        values[13_777] = -5.0;
        let svg = svg(&Matrix::new(3, 9_000, values), Scale::Signed { max: 5.0 }, 20.0, 300.0);
        let extreme = &palette(Theme::Light).diverging.at(0.0).css()[1..];
        assert!(svg.contains(extreme));
    }

    #[test]
    fn there_is_a_dot_for_each_one() {
        let matrix = Matrix::new(3, 3, vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(svg(&matrix, Scale::ZeroOne, 20.0, 500.0).matches("<circle").count(), 2);
    }
}
