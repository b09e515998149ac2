//! What a chart remembers: the room it has, and what is looked at.

use leptos::prelude::*;

use super::paint;
use super::projection::Projection;
use super::series::Figure;
use crate::drawing::canvas::text_width;
use crate::drawing::export::{file_stem, save_png, save_svg, save_text};
use crate::drawing::geometry::Point;
use crate::drawing::painter::Painter;
use crate::drawing::palette::Palette;
use crate::drawing::surface::Frame;
use crate::widgets::number::{fill, long, short};
use crate::widgets::words::{Words, use_words};

/// A number along the foot that the person can drag.
#[derive(Clone, Copy)]
pub struct Marker {
    /// Where it stands.
    pub value: Signal<f64>,
    /// Gets the number under the pointer while it is dragged.
    pub on_move: Callback<f64>,
}

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub series: usize,
    pub point: usize,
}

#[derive(Clone, Copy)]
pub(super) struct State {
    pub name: Signal<String>,
    pub figure: Signal<Figure>,
    pub marker: Option<Marker>,
    pub room: Signal<Option<Point>>,
    pub projection: Memo<Option<Projection>>,
    pub looked_at: RwSignal<Option<Spot>>,
    pub is_focused: RwSignal<bool>,
    pub table_is_open: RwSignal<bool>,
    pub words: Signal<Words>,
}

impl State {
    pub fn new(
        name: Signal<String>,
        figure: Signal<Figure>,
        marker: Option<Marker>,
        room: Signal<Option<Point>>,
    ) -> State {
        let projection = Memo::new(move |_| {
            let size = room.get()?;
            Some(figure.with(|figure| Projection::new(figure, size, Palette::current().text_small)))
        });
        State {
            name,
            figure,
            marker,
            room,
            projection,
            looked_at: RwSignal::new(None),
            is_focused: RwSignal::new(false),
            table_is_open: RwSignal::new(false),
            words: use_words(),
        }
    }

    /// The point that is looked at, if the figure still has it.
    pub fn spot(self) -> Option<(Spot, (f64, f64))> {
        let spot = self.looked_at.get()?;
        self.figure.with(|figure| Some((spot, *figure.series.get(spot.series)?.points.get(spot.point)?)))
    }

    /// Where a point is drawn.
    pub fn place(self, point: (f64, f64)) -> Option<Point> {
        let projection = self.projection.get()?;
        let place = self.figure.with(|figure| projection.place((point.0, figure.y.clamped(point.1))));
        (place.x.is_finite() && place.y.is_finite()).then_some(place)
    }

    /// The point nearest to a place, if one is near.
    pub fn nearest(self, to: Point) -> Option<Spot> {
        /// Farther away than this nothing is meant, in CSS pixels.
        const REACH: f64 = 60.0;
        let projection = self.projection.get_untracked()?;
        self.figure.with_untracked(|figure| {
            let mut nearest = None;
            for (series, it) in figure.series.iter().enumerate() {
                for (point, (x, y)) in it.points.iter().enumerate() {
                    let distance = projection.place((*x, figure.y.clamped(*y))).distance(to);
                    if distance < nearest.map_or(REACH, |(least, _)| least) {
                        nearest = Some((distance, Spot { series, point }));
                    }
                }
            }
            nearest.map(|(_, spot)| spot)
        })
    }

    /// Moves the cursor along its series, or to another series at the nearest x. Says whether there was a way.
    pub fn step(self, points: isize, series: isize) {
        let next = self.figure.with_untracked(|figure| {
            let first = || figure.series.iter().position(|series| !series.points.is_empty());
            let now = self
                .looked_at
                .get_untracked()
                .filter(|spot| figure.series.get(spot.series).is_some_and(|it| spot.point < it.points.len()));
            let Some(now) = now else {
                return first().map(|series| Spot { series, point: 0 });
            };
            let x = figure.series[now.series].points[now.point].0;
            let mut at = now.series as isize;
            if series != 0 {
                loop {
                    at += series;
                    let it = usize::try_from(at).ok().and_then(|at| figure.series.get(at));
                    let Some(it) = it else { return Some(now) };
                    if !it.points.is_empty() {
                        break;
                    }
                }
                let points = &figure.series[at as usize].points;
                let apart = |at: &usize| (points[*at].0 - x).abs();
                let point = (0..points.len()).min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
                return Some(Spot { series: at as usize, point });
            }
            let last = figure.series[now.series].points.len() - 1;
            Some(Spot { point: now.point.saturating_add_signed(points).min(last), ..now })
        });
        self.looked_at.set(next);
    }

    /// The cursor to the first or last point of its series.
    pub fn jump(self, to_end: End) {
        self.step(if to_end == End::Last { isize::MAX / 2 } else { isize::MIN / 2 }, 0);
    }

    /// A point in words: series, x and y.
    pub fn said(self) -> Option<String> {
        let (spot, (x, y)) = self.spot()?;
        self.figure.with(|figure| {
            let name = &figure.series[spot.series].name;
            Some(format!("{name}: {} {}, {} {}", figure.x.title, long(x), figure.y.title, short(y)))
        })
    }

    pub fn paint(self, painter: &mut dyn Painter, palette: &Palette) {
        if let Some(projection) = self.projection.get() {
            self.figure.with(|figure| paint::paint(painter, figure, &projection, palette, &text_width));
        }
    }

    pub fn save_csv(self) {
        save_text(&format!("{}.csv", self.stem()), "text/csv;charset=utf-8", &self.figure.with(Figure::csv));
    }

    pub fn save_svg(self) {
        let Some(size) = self.picture_size() else { return };
        save_svg(&format!("{}.svg", self.stem()), size, &self.name.get(), |painter, frame| {
            self.paint_file(painter, frame);
        });
    }

    pub fn save_png(self) {
        /// The pixels of a saved picture in a CSS pixel.
        const DENSITY: f64 = 3.0;
        let Some(size) = self.picture_size() else { return };
        save_png(&format!("{}.png", self.stem()), size, DENSITY, |painter, frame| {
            self.paint_file(painter, frame);
        });
    }

    /// The label of the menu.
    pub fn actions_label(self) -> String {
        self.words.with(|words| fill(&words.actions, &[("name", &self.name.get())]))
    }

    fn stem(self) -> String {
        file_stem(&self.name.get())
    }

    /// A saved picture has its title above and its legend below.
    fn picture_size(self) -> Option<Point> {
        let size = self.room.get()?;
        let palette = Palette::current();
        let legend = self.figure.with(|figure| paint::legend_height(figure, size.x, &palette, &text_width));
        Some(Point::new(size.x, size.y + title_height(&palette) + legend))
    }

    fn paint_file(self, painter: &mut dyn Painter, frame: &Frame) {
        let Some(room) = self.room.get() else { return };
        let (palette, head) = (&frame.palette, title_height(&frame.palette));
        // The picture itself knows nothing of a title, so it is made for a taller room and its plot moved down.
        self.figure.with(|figure| {
            let mut projection = Projection::new(figure, room, palette.text_small);
            projection.plot.y += head;
            projection.size.y += head;
            paint::paint(painter, figure, &projection, palette, &text_width);
            paint::paint_title(painter, &self.name.get(), Point::new(12.0, head / 2.0), palette);
            paint::paint_legend(painter, figure, (room.y + head, room.x), palette, &text_width);
        });
    }
}

/// An end of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

fn title_height(palette: &Palette) -> f64 {
    palette.text_body * 2.2
}
