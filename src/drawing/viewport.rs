//! Pan and zoom, as pure mathematics.
//!
//! Content of some length (cells, or pixels of a drawing) is seen through a window. At first the whole content is
//! seen; zooming magnifies it up to a largest scale, each axis for itself, so that a matrix of 4 × 20,000 is flat
//! from afar and has square cells from near.

use super::geometry::Point;

/// What the person chose: how far to zoom in, and where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// Magnification of the whole; at least 1.
    pub factor: f64,
    /// The shares of the content's width and height that lie before the window's left and top edges.
    pub start: Point,
}

impl Zoom {
    /// The whole content.
    pub const WHOLE: Zoom = Zoom { factor: 1.0, start: Point::new(0.0, 0.0) };

    /// The factor of one step of a button or a key.
    pub const STEP: f64 = 1.5;
}

impl Default for Zoom {
    fn default() -> Zoom {
        Zoom::WHOLE
    }
}

/// One axis before it is zoomed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Track {
    /// Units of content.
    pub length: f64,
    /// Pixels of window.
    pub window: f64,
    /// Pixels that a unit takes when the whole is seen.
    pub fit: f64,
    /// Pixels that a unit takes at most.
    pub largest: f64,
}

impl Track {
    /// An axis whose whole content fits into the window, at `largest` pixels a unit at most.
    pub fn fitting(length: f64, window: f64, largest: f64) -> Track {
        let fit = if length > 0.0 { (window / length).min(largest) } else { largest };
        Track { length, window, fit, largest }
    }

    fn span(self, factor: f64, start_share: f64) -> Span {
        let scale = (self.fit * factor).min(self.largest.max(self.fit));
        let hidden = (self.length - self.window / scale).max(0.0);
        let start = (start_share * self.length).clamp(0.0, hidden);
        let lead = ((self.window - self.length * scale) / 2.0).max(0.0);
        Span { length: self.length, window: self.window, scale, start, lead }
    }

    /// How far the axis can be magnified.
    fn largest_factor(self) -> f64 {
        if self.fit > 0.0 { (self.largest / self.fit).max(1.0) } else { 1.0 }
    }
}

/// One axis as it is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Units of content.
    pub length: f64,
    /// Pixels of window.
    pub window: f64,
    /// Pixels that a unit takes.
    pub scale: f64,
    /// The unit at the window's edge.
    pub start: f64,
    /// Empty pixels before the content, where it is shorter than the window.
    pub lead: f64,
}

impl Span {
    /// The pixel at which `unit` is seen.
    pub fn pixel(self, unit: f64) -> f64 {
        self.lead + (unit - self.start) * self.scale
    }

    /// The unit that is seen at `pixel`.
    pub fn unit(self, pixel: f64) -> f64 {
        self.start + (pixel - self.lead) / self.scale
    }

    /// The whole units that are seen at least in part.
    pub fn visible(self) -> std::ops::Range<usize> {
        let first = self.start.floor().max(0.0) as usize;
        let end = (self.start + self.window / self.scale).ceil().min(self.length).max(0.0) as usize;
        first..end.max(first)
    }
}

/// Both axes as they are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Rightwards.
    pub x: Span,
    /// Downwards.
    pub y: Span,
}

impl View {
    /// The pixel at which a place of the content is seen.
    pub fn pixel(self, unit: Point) -> Point {
        Point::new(self.x.pixel(unit.x), self.y.pixel(unit.y))
    }

    /// The place of the content that is seen at a pixel.
    pub fn unit(self, pixel: Point) -> Point {
        Point::new(self.x.unit(pixel.x), self.y.unit(pixel.y))
    }
}

/// Both axes before they are zoomed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewport {
    /// Rightwards.
    pub x: Track,
    /// Downwards.
    pub y: Track,
}

impl Viewport {
    /// A drawing that keeps its proportions: both axes get the scale at which the whole fits.
    pub fn proportional(content: Point, window: Point, largest: f64) -> Viewport {
        let x = Track::fitting(content.x, window.x, largest);
        let y = Track::fitting(content.y, window.y, largest);
        let fit = x.fit.min(y.fit);
        Viewport { x: Track { fit, ..x }, y: Track { fit, ..y } }
    }

    /// What is seen.
    pub fn view(self, zoom: Zoom) -> View {
        View { x: self.x.span(zoom.factor, zoom.start.x), y: self.y.span(zoom.factor, zoom.start.y) }
    }

    /// Whether there is anything to zoom into.
    pub fn is_zoomable(self) -> bool {
        self.largest_factor() > 1.0
    }

    /// Zooms by `factor` about the pixel `at`, which keeps showing the same place as far as the edges allow.
    pub fn zoomed(self, zoom: Zoom, at: Point, factor: f64) -> Zoom {
        let place = self.view(zoom).unit(at);
        let factor = (zoom.factor * factor).clamp(1.0, self.largest_factor());
        let scaled = self.view(Zoom { factor, ..zoom });
        let start = |track: Track, span: Span, unit: f64, pixel: f64| {
            if track.length > 0.0 { (unit - (pixel - span.lead) / span.scale) / track.length } else { 0.0 }
        };
        self.settled(Zoom {
            factor,
            start: Point::new(start(self.x, scaled.x, place.x, at.x), start(self.y, scaled.y, place.y, at.y)),
        })
    }

    /// Moves the content by `by` pixels.
    pub fn panned(self, zoom: Zoom, by: Point) -> Zoom {
        let view = self.view(zoom);
        let start = |span: Span, pixels: f64| {
            if span.length > 0.0 { (span.start - pixels / span.scale) / span.length } else { 0.0 }
        };
        self.settled(Zoom { start: Point::new(start(view.x, by.x), start(view.y, by.y)), ..zoom })
    }

    /// Pans just as far as is needed to see the unit square at `unit`.
    pub fn revealing(self, zoom: Zoom, unit: Point) -> Zoom {
        let view = self.view(zoom);
        let shift = |span: Span, unit: f64| {
            let (near, far) = (span.pixel(unit), span.pixel(unit + 1.0));
            if near < 0.0 {
                -near
            } else if far > span.window {
                span.window - far
            } else {
                0.0
            }
        };
        let by = Point::new(shift(view.x, unit.x), shift(view.y, unit.y));
        if by == Point::default() { zoom } else { self.panned(zoom, by) }
    }

    /// What a key does: `+` and `=` zoom in about the pixel `at`, `-` zooms out, `0` shows everything.
    pub fn after_key(self, zoom: Zoom, key: &str, at: Point) -> Option<Zoom> {
        match key {
            "+" | "=" => Some(self.zoomed(zoom, at, Zoom::STEP)),
            "-" => Some(self.zoomed(zoom, at, 1.0 / Zoom::STEP)),
            "0" => Some(Zoom::WHOLE),
            _ => None,
        }
    }

    fn largest_factor(self) -> f64 {
        self.x.largest_factor().max(self.y.largest_factor())
    }

    /// The same picture, said with a start that lies inside the content.
    fn settled(self, zoom: Zoom) -> Zoom {
        let view = self.view(zoom);
        let share = |span: Span| if span.length > 0.0 { span.start / span.length } else { 0.0 };
        Zoom { start: Point::new(share(view.x), share(view.y)), ..zoom }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide() -> Viewport {
        Viewport { x: Track::fitting(20_000.0, 800.0, 40.0), y: Track::fitting(4.0, 112.0, 40.0) }
    }

    #[test]
    fn at_first_the_whole_is_seen() {
        let view = wide().view(Zoom::WHOLE);
        assert_eq!(view.x.visible(), 0..20_000);
        assert_eq!(view.y.visible(), 0..4);
        assert_eq!(view.x.pixel(20_000.0), 800.0);
    }

    #[test]
    fn from_near_cells_are_square() {
        let zoom = wide().zoomed(Zoom::WHOLE, Point::new(400.0, 50.0), 1e9);
        let view = wide().view(zoom);
        assert_eq!((view.x.scale, view.y.scale), (40.0, 40.0));
    }

    #[test]
    fn what_lies_under_the_pointer_stays_there() {
        let at = Point::new(300.0, 60.0);
        let mut zoom = Zoom::WHOLE;
        let place = wide().view(zoom).x.unit(at.x);
        for _ in 0..12 {
            zoom = wide().zoomed(zoom, at, Zoom::STEP);
            assert!((wide().view(zoom).x.unit(at.x) - place).abs() < 1e-6);
        }
        for _ in 0..30 {
            zoom = wide().zoomed(zoom, at, 1.0 / Zoom::STEP);
        }
        assert_eq!(zoom, Zoom::WHOLE);
    }

    #[test]
    fn panning_stops_at_the_edges() {
        let zoom = wide().zoomed(Zoom::WHOLE, Point::new(0.0, 0.0), 10.0);
        let left = wide().panned(zoom, Point::new(1e6, 0.0));
        assert_eq!(wide().view(left).x.start, 0.0);
        let right = wide().view(wide().panned(zoom, Point::new(-1e6, 0.0)));
        assert!((right.x.pixel(20_000.0) - 800.0).abs() < 1e-6);
        assert_eq!(wide().panned(Zoom::WHOLE, Point::new(-50.0, -50.0)), Zoom::WHOLE);
    }

    #[test]
    fn revealing_moves_only_when_needed() {
        let zoom = wide().zoomed(Zoom::WHOLE, Point::new(0.0, 0.0), 1e9);
        assert_eq!(wide().revealing(zoom, Point::new(3.0, 1.0)), zoom);
        let view = wide().view(wide().revealing(zoom, Point::new(5_000.0, 1.0)));
        assert!(view.x.visible().contains(&5_000));
        assert!((view.x.pixel(5_001.0) - 800.0).abs() < 1e-6);
    }

    #[test]
    fn a_drawing_keeps_its_proportions_and_sits_in_the_middle() {
        let viewport = Viewport::proportional(Point::new(100.0, 400.0), Point::new(200.0, 200.0), 8.0);
        let view = viewport.view(Zoom::WHOLE);
        assert_eq!((view.x.scale, view.y.scale), (0.5, 0.5));
        assert_eq!(view.x.pixel(50.0), 100.0);
        assert_eq!(view.unit(view.pixel(Point::new(7.0, 9.0))), Point::new(7.0, 9.0));
    }
}
