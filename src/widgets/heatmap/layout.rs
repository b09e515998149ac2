//! Where the cells of a heatmap are: pure mathematics, in CSS pixels.

use std::ops::Range;

use super::data::Cell;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::viewport::{Track, View, Viewport, Zoom};

/// How large cells are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSize {
    /// The width that cells have where there is room.
    pub preferred: f64,
    /// The width below which the matrix is seen through a window instead of being shrunk further.
    pub smallest: f64,
    /// The height of a cell over its width.
    pub aspect: f64,
    /// The height that the cells take together at most.
    pub tallest: f64,
}

impl CellSize {
    /// Square cells of this width where there is room.
    pub const fn square(preferred: f64) -> CellSize {
        CellSize { preferred, ..CellSize::DEFAULT }
    }

    /// The same cells on a screen whose type is `factor` times as large as usual.
    pub fn scaled(self, factor: f64) -> CellSize {
        CellSize {
            preferred: (self.preferred * factor).round(),
            smallest: self.smallest * factor,
            tallest: self.tallest * factor,
            ..self
        }
    }

    const DEFAULT: CellSize = CellSize { preferred: 28.0, smallest: 7.0, aspect: 1.0, tallest: 560.0 };
}

impl Default for CellSize {
    fn default() -> CellSize {
        CellSize::DEFAULT
    }
}

/// The room that labels take before the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margins {
    /// Left of the cells, for the labels of rows.
    pub left: f64,
    /// Above the cells, for the labels of columns.
    pub top: f64,
}

/// The places of everything in a heatmap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// Where the cells are.
    pub plot: Rect,
    /// How the cells are seen.
    pub view: View,
    /// How they could be seen.
    pub viewport: Viewport,
}

/// The width of a cell from near: wide enough for a number.
const LARGEST: f64 = 48.0;

/// The height that a few long rows take together.
const OVERVIEW: f64 = 160.0;

/// The line around the cells.
pub const EDGE: f64 = 1.0;

/// Cells that had to be made narrower than this can be zoomed into.
const COMFORTABLE: f64 = 20.0;

impl Layout {
    /// Fits `rows` × `cols` cells into `available` pixels of width.
    pub fn new(
        rows: usize,
        cols: usize,
        size: CellSize,
        margins: Margins,
        available: f64,
        zoom: Zoom,
    ) -> Layout {
        let room = (available - margins.left - EDGE).max(1.0);
        let even = (room / cols.max(1) as f64).min(size.preferred);
        // A matrix that is a little too tall gets smaller squares; one that is far too tall gets flat cells.
        let flat = size.tallest / rows.max(1) as f64 / size.aspect;
        let even = if flat * 2.0 >= size.smallest { even.min(flat.max(size.smallest)) } else { even };
        // Whole pixels keep the cells alike; narrow ones would waste too much room.
        let width = if even >= size.smallest { even.floor().max(size.smallest.min(even)) } else { even };
        let tall = if even >= size.smallest {
            width
        } else {
            // Seen from afar, a few long rows are easier to tell apart when they are tall.
            (OVERVIEW / rows.max(1) as f64).clamp(size.preferred, LARGEST.max(size.preferred))
        } * size.aspect;
        let height = tall.min(size.tallest / rows.max(1) as f64);
        let height = if height >= 4.0 { height.floor() } else { height };
        // Cells as small as the page wants them are small on purpose.
        let largest = |cell: f64, wanted: f64| if cell < COMFORTABLE.min(wanted) { LARGEST } else { cell };
        let track = |count: usize, cell: f64, largest: f64| Track {
            length: count as f64,
            window: cell * count as f64,
            fit: cell,
            largest,
        };
        let viewport = Viewport {
            x: track(cols, width, largest(width, size.preferred)),
            y: track(rows, height, largest(height, size.preferred * size.aspect)),
        };
        let plot = Rect::new(margins.left, margins.top, viewport.x.window, viewport.y.window);
        Layout { rows, cols, plot, view: viewport.view(zoom), viewport }
    }

    /// The width of the heatmap when it gets all the room that it wants.
    pub fn natural_width(cols: usize, size: CellSize, margins: Margins) -> f64 {
        (margins.left + cols as f64 * size.preferred + EDGE).ceil()
    }

    /// The width of labels, cells and their edge together.
    pub fn width(&self) -> f64 {
        self.plot.right() + EDGE
    }

    /// The height of labels, cells and their edge together.
    pub fn height(&self) -> f64 {
        self.plot.bottom() + EDGE
    }

    /// The place of a cell; it may lie outside the plot where the view is zoomed.
    pub fn rect(&self, cell: Cell) -> Rect {
        self.block(cell.row..cell.row + 1, cell.col..cell.col + 1)
    }

    /// The place of a block of cells.
    pub fn block(&self, rows: Range<usize>, cols: Range<usize>) -> Rect {
        let View { x, y } = self.view;
        let (left, right) = (x.pixel(cols.start as f64), x.pixel(cols.end as f64));
        let (top, bottom) = (y.pixel(rows.start as f64), y.pixel(rows.end as f64));
        Rect::new(self.plot.x + left, self.plot.y + top, right - left, bottom - top)
    }

    /// The cell at a point, which is measured from the corner of the heatmap.
    pub fn cell_at(&self, point: Point) -> Option<Cell> {
        if !self.plot.contains(point) {
            return None;
        }
        let unit = self.view.unit(Point::new(point.x - self.plot.x, point.y - self.plot.y));
        let cell = Cell::new(unit.y.floor().max(0.0) as usize, unit.x.floor().max(0.0) as usize);
        (cell.row < self.rows && cell.col < self.cols).then_some(cell)
    }

    /// How often a row or column gets a label, so that labels of `extent` pixels do not touch: every one, or every
    /// second, fifth, tenth, twentieth …
    pub fn label_step(scale: f64, extent: f64) -> usize {
        let wanted = (extent / scale).ceil().max(1.0);
        let mut magnitude = 1;
        loop {
            for step in [1, 2, 5] {
                if (step * magnitude) as f64 >= wanted {
                    return step * magnitude;
                }
            }
            magnitude *= 10;
        }
    }

    /// Where a cell's neighbour is, `rows` down and `cols` to the right, stopping at the edges.
    pub fn neighbour(&self, cell: Cell, rows: isize, cols: isize) -> Cell {
        let moved =
            |at: usize, by: isize, count: usize| at.saturating_add_signed(by).min(count.saturating_sub(1));
        Cell::new(moved(cell.row, rows, self.rows), moved(cell.col, cols, self.cols))
    }
}

/// The size at which numbers of `characters` digits fit into a cell of `width` × `height`; `None` where they would be
/// too small to read.
pub fn numeral_size(width: f64, height: f64, characters: usize) -> Option<f64> {
    /// Digits are about this wide, as a share of their size.
    const DIGIT: f64 = 0.6;
    let size = ((width - 6.0) / (characters.max(1) as f64 * DIGIT)).min(height * 0.5).min(13.0);
    (size >= 8.0).then_some(size)
}

/// For each of `pixels` pixels, the range of indices in `first..end` that it stands for; none is empty, and together
/// they cover everything.
pub fn bins(first: f64, end: f64, pixels: usize, count: usize) -> Vec<Range<usize>> {
    let step = (end - first) / pixels.max(1) as f64;
    (0..pixels)
        .map(|pixel| {
            let from = (first + step * pixel as f64).floor().max(0.0) as usize;
            let to = (first + step * (pixel + 1) as f64).ceil().max(0.0) as usize;
            let from = from.min(count.saturating_sub(1));
            from..to.clamp(from + 1, count.max(from + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGINS: Margins = Margins { left: 40.0, top: 30.0 };

    fn layout(rows: usize, cols: usize, available: f64) -> Layout {
        Layout::new(rows, cols, CellSize::square(30.0), MARGINS, available, Zoom::WHOLE)
    }

    #[test]
    fn with_room_cells_are_square_and_as_wide_as_preferred() {
        let layout = layout(6, 6, 1000.0);
        assert_eq!(layout.rect(Cell::new(0, 0)), Rect::new(40.0, 30.0, 30.0, 30.0));
        assert_eq!((layout.width(), layout.height()), (220.0 + EDGE, 210.0 + EDGE));
        assert_eq!(layout.width(), Layout::natural_width(6, CellSize::square(30.0), MARGINS));
    }

    #[test]
    fn without_room_cells_shrink_and_stay_square() {
        let layout = layout(12, 12, 221.0);
        let rect = layout.rect(Cell::new(3, 4));
        assert_eq!((rect.width, rect.height), (15.0, 15.0));
        assert!(layout.width() <= 221.0);
    }

    #[test]
    fn a_long_matrix_never_leaves_its_room() {
        for cols in [500, 20_000] {
            let layout = layout(4, cols, 640.0);
            assert!(layout.width() <= 640.0 + 1e-9);
            assert_eq!(layout.view.x.visible(), 0..cols);
            assert!(layout.viewport.is_zoomable());
        }
    }

    #[test]
    fn every_cell_is_found_at_its_centre() {
        let zoom = layout(40, 90, 500.0).viewport.zoomed(Zoom::WHOLE, Point::new(100.0, 80.0), 3.0);
        let layout = Layout::new(40, 90, CellSize::square(30.0), MARGINS, 500.0, zoom);
        for row in layout.view.y.visible() {
            for col in layout.view.x.visible() {
                let center = layout.rect(Cell::new(row, col)).center();
                let expected = layout.plot.contains(center).then_some(Cell::new(row, col));
                assert_eq!(layout.cell_at(center), expected);
            }
        }
        assert_eq!(layout.cell_at(Point::new(5.0, 100.0)), None);
    }

    #[test]
    fn the_cursor_stops_at_the_edges() {
        let layout = layout(3, 3, 500.0);
        assert_eq!(layout.neighbour(Cell::new(0, 2), -1, 1), Cell::new(0, 2));
        assert_eq!(layout.neighbour(Cell::new(0, 2), 1, -1), Cell::new(1, 1));
    }

    #[test]
    fn labels_are_thinned_to_round_steps() {
        assert_eq!(Layout::label_step(30.0, 12.0), 1);
        assert_eq!(Layout::label_step(8.0, 12.0), 2);
        assert_eq!(Layout::label_step(1.0, 33.0), 50);
    }

    #[test]
    fn bins_cover_every_index() {
        for (first, end, pixels, count) in
            [(0.0, 20_000.0, 777, 20_000), (3.3, 9.1, 50, 12), (0.0, 5.0, 5, 5)]
        {
            let bins = bins(first, end, pixels, count);
            assert_eq!(bins.len(), pixels);
            assert!(bins.iter().all(|bin| !bin.is_empty() && bin.end <= count));
            assert!(bins.windows(2).all(|pair| pair[1].start <= pair[0].end));
            assert_eq!(bins[0].start, first.floor() as usize);
            assert_eq!(bins[pixels - 1].end, end.ceil() as usize);
        }
    }

    #[test]
    fn numbers_are_left_out_where_they_would_be_too_small() {
        assert_eq!(numeral_size(14.0, 14.0, 4), None);
        assert!(numeral_size(48.0, 48.0, 5).is_some());
        assert!(numeral_size(48.0, 10.0, 5).is_none());
    }
}
