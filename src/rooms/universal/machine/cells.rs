//! Numbers as coloured cells, some columns of a matrix at a time: each cell a rectangle where there is room for it,
//! else one image of all that is seen.
//!
//! Where cells are narrower than a pixel, the pixel shows the one that stands out most: nothing large can hide.

use std::ops::Range;

use ndarray::ArrayView2;

use crate::drawing::color::{Mark, Rgba, Scale};
use crate::drawing::geometry::Rect;
use crate::drawing::painter::{Painter, Pixels, Texture};
use crate::drawing::palette::Palette;
use crate::drawing::viewport::Span;

/// Cells narrower than this, in CSS pixels, are an image.
const NARROWEST: f64 = 2.0;
/// More cells than this are an image as well.
const MOST: usize = 6000;

/// Where the cells of a matrix are painted.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// The horizontal window.
    pub span: Span,
    /// The width of a column, in units of the span.
    pub unit: f64,
    /// Where the first row begins, in CSS pixels.
    pub top: f64,
    /// The height of a row, in CSS pixels.
    pub row_height: f64,
}

/// Neighbouring columns that stand side by side and share a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Which columns of the matrix.
    pub columns: Range<usize>,
    /// Where the first one's left edge is, in units of the span.
    pub left: f64,
    /// The modulus that has full colour.
    pub full: f64,
}

/// Paints the cells of some runs of columns.
pub fn paint_cells(
    painter: &mut dyn Painter,
    palette: &Palette,
    values: ArrayView2<f64>,
    grid: &Grid,
    runs: impl Iterator<Item = Run>,
) {
    let runs: Vec<Run> = runs.filter_map(|run| grid.seen(run)).collect();
    let columns: usize = runs.iter().map(|run| run.columns.len()).sum();
    let rows = values.nrows();
    if rows == 0 || columns == 0 {
        return;
    }
    if grid.unit * grid.span.scale < NARROWEST || columns * rows > MOST {
        let (left, image) = picture(palette, values, grid, &runs, painter.density());
        let width = image.width() as f64 / painter.density();
        painter.image(Rect::new(left, grid.top, width, grid.row_height * rows as f64), &image);
    } else {
        rectangles(painter, palette, values, grid, &runs);
    }
}

impl Grid {
    /// The part of a run that is seen, if any.
    fn seen(&self, run: Run) -> Option<Run> {
        let place = |unit: f64| ((unit - run.left) / self.unit).clamp(0.0, run.columns.len() as f64);
        let first = place(self.span.unit(0.0)).floor() as usize;
        let end = place(self.span.unit(self.span.window)).ceil() as usize;
        (first < end).then(|| Run {
            columns: run.columns.start + first..run.columns.start + end,
            left: run.left + self.unit * first as f64,
            full: run.full,
        })
    }

    /// The left edge of a column of a run, in CSS pixels.
    fn left(&self, run: &Run, column: usize) -> f64 {
        self.span.pixel(run.left + self.unit * (column - run.columns.start) as f64)
    }
}

fn rectangles(
    painter: &mut dyn Painter,
    palette: &Palette,
    values: ArrayView2<f64>,
    grid: &Grid,
    runs: &[Run],
) {
    let (width, height) = (grid.unit * grid.span.scale, grid.row_height);
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    let radius = if width > 7.0 && height > 7.0 { 2.0 } else { 0.0 };
    let (mut tiles, mut marked) = (Vec::new(), Vec::new());
    for run in runs {
        let scale = Scale::Signed { max: run.full };
        for column in run.columns.clone() {
            let x = grid.left(run, column) + gap / 2.0;
            for (row, value) in values.column(column).iter().enumerate() {
                let y = grid.top + height * row as f64 + gap / 2.0;
                let rect = Rect::new(x, y, width - gap, height - gap);
                tiles.push((rect, color(palette, *value, scale)));
                if !value.is_finite() {
                    marked.push(rect);
                }
            }
        }
    }
    painter.fill_tiles(&tiles, radius);
    if !marked.is_empty() {
        painter.fill_texture(&marked, Texture::Hatch, palette.card);
    }
}

/// The image of some runs, one pixel high a row, and where its left edge is in CSS pixels. Pixels that no run covers
/// are clear.
fn picture(
    palette: &Palette,
    values: ArrayView2<f64>,
    grid: &Grid,
    runs: &[Run],
    density: f64,
) -> (f64, Pixels) {
    let device = |x: f64| (x * density).round();
    let edges = runs
        .iter()
        .map(|run| (device(grid.left(run, run.columns.start)), device(grid.left(run, run.columns.end))));
    let (first, end) =
        edges.fold((f64::MAX, f64::MIN), |(first, end), (left, right)| (first.min(left), end.max(right)));
    let (first, end) = (first.max(0.0), end.min((grid.span.window * density).ceil()));
    let width = ((end - first) as usize).max(1);
    // Which pixels each column covers: one at least.
    let mut columns = Vec::new();
    for run in runs {
        for column in run.columns.clone() {
            let edge = |column: usize| (device(grid.left(run, column)) - first).max(0.0) as usize;
            let from = edge(column).min(width - 1);
            columns.push((column, from..edge(column + 1).clamp(from + 1, width), run.full));
        }
    }
    let mut kept = vec![(-1.0_f32, Rgba::CLEAR); width * values.nrows()];
    for (line, row) in kept.chunks_exact_mut(width).zip(values.rows()) {
        for (column, pixels, full) in &columns {
            let (value, scale) = (row[*column], Scale::Signed { max: *full });
            // Beside each other, blocks are compared by the share of their own scales: by what is seen.
            let salience = (scale.salience(value) / full.max(f64::MIN_POSITIVE)) as f32;
            let mut shade = None;
            for pixel in &mut line[pixels.clone()] {
                if salience > pixel.0 {
                    *pixel = (salience, *shade.get_or_insert_with(|| color(palette, value, scale)));
                }
            }
        }
    }
    (first / density, Pixels::from_fn(width, values.nrows(), |x, y| kept[y * width + x].1))
}

fn color(palette: &Palette, value: f64, scale: Scale) -> Rgba {
    match Mark::of(value, scale) {
        Mark::At(place) => palette.diverging.at(place),
        Mark::Nan => palette.nan,
        Mark::PlusInfinity | Mark::MinusInfinity => palette.infinite,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::palette::tests::{Theme, palette};
    use ndarray::Array2;

    fn grid(columns: usize, window: f64, zoom: f64, start: f64) -> Grid {
        let scale = window / columns as f64 * zoom;
        let span = Span { length: columns as f64, window, scale, start, lead: 0.0 };
        Grid { span, unit: 1.0, top: 0.0, row_height: 4.0 }
    }

    fn pixels(values: &Array2<f64>, grid: &Grid, block: usize, full: impl Fn(usize) -> f64) -> Vec<[u8; 4]> {
        let runs: Vec<Run> = (0..values.ncols())
            .step_by(block)
            .filter_map(|at| grid.seen(Run { columns: at..at + block, left: at as f64, full: full(at) }))
            .collect();
        let (_, image) = picture(&palette(Theme::Light), values.view(), grid, &runs, 1.0);
        image.bytes().chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2], pixel[3]]).collect()
    }

    fn bytes(color: Rgba) -> [u8; 4] {
        [color.red, color.green, color.blue, color.alpha]
    }

    #[test]
    fn one_large_number_among_thousands_is_seen_wherever_it_stands() {
        let palette = palette(Theme::Light);
        for place in [0, 1, 777, 12_345, 19_999] {
            let mut values = Array2::from_elem((2, 20_000), 0.01);
            values[[1, place]] = -5.0;
            let seen = pixels(&values, &grid(20_000, 300.0, 1.0, 0.0), 4, |_| 5.0);
            assert_eq!(seen.len(), 2 * 300);
            let full = bytes(palette.diverging.at(0.0));
            let found: Vec<usize> = (0..600).filter(|pixel| seen[*pixel] == full).collect();
            // Edges lie on whole pixels, so a column may stand half a pixel from its place.
            let [pixel] = found[..] else { panic!("{found:?} for {place}") };
            let at = place as f64 * 300.0 / 20_000.0;
            assert!(pixel >= 300 && ((pixel - 300) as f64 - at).abs() <= 1.0, "{pixel} for {place}");
        }
    }

    #[test]
    fn what_is_not_a_number_is_seen_among_all_others() {
        let mut values = Array2::from_elem((1, 5_000), 3.0);
        values[[0, 4_321]] = f64::NAN;
        let seen = pixels(&values, &grid(5_000, 100.0, 1.0, 0.0), 1, |_| 3.0);
        assert!(seen.contains(&bytes(palette(Theme::Light).nan)));
    }

    #[test]
    fn blocks_of_different_size_show_the_largest_of_each() {
        // Ten blocks a pixel; every block has its own scale, and one entry of full colour.
        let values = Array2::from_shape_fn((1, 4_000), |(_, column)| match column % 4 {
            2 => 10.0_f64.powi((column / 4 % 9) as i32 - 4),
            _ => 0.0,
        });
        let full = |at: usize| 10.0_f64.powi((at / 4 % 9) as i32 - 4);
        let seen = pixels(&values, &grid(4_000, 100.0, 1.0, 0.0), 4, full);
        let most = bytes(palette(Theme::Light).diverging.at(1.0));
        assert!(seen.iter().all(|pixel| *pixel == most));
    }

    #[test]
    fn only_the_window_is_painted() {
        let values = Array2::from_shape_fn((1, 1_000), |(_, column)| if column < 500 { 1.0 } else { -1.0 });
        let near = grid(1_000, 200.0, 4.0, 600.0);
        let seen = pixels(&values, &near, 10, |_| 1.0);
        assert_eq!(seen.len(), 200);
        let negative = bytes(palette(Theme::Light).diverging.at(0.0));
        assert!(seen.iter().all(|pixel| *pixel == negative));
    }
}
