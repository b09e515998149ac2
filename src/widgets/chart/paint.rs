//! The picture of a chart: axes, bands, lines, points and marked numbers.

use std::convert::Infallible;

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::backend::{Measure, PainterBackend, UNITS, units};
use super::projection::{Projection, Span, head};
use super::series::{Along, Dot, Figure, Line, Series};
use crate::drawing::color::Rgba;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle as Letters};
use crate::drawing::palette::Palette;

/// The side of a point's mark, in CSS pixels.
pub const DOT: f64 = 6.0;

/// Draws a figure.
pub fn paint(
    painter: &mut dyn Painter,
    figure: &Figure,
    projection: &Projection,
    palette: &Palette,
    measure: Measure<'_>,
) {
    {
        let root = PainterBackend::new(painter, projection.size, measure).into_drawing_area();
        // The back end cannot fail.
        let _ = paint_with_plotters(&root, figure, projection, palette, measure);
    }
    for series in &figure.series {
        paint_dots(painter, figure, series, projection, palette);
    }
}

/// The height of a legend that is drawn into a file.
pub fn legend_height(figure: &Figure, width: f64, palette: &Palette, measure: Measure<'_>) -> f64 {
    let (rows, line) = (legend_places(figure, width, palette, measure), palette.text_small * 1.6);
    rows.last().map_or(0.0, |(_, at)| at.y + line)
}

/// Draws the legend from `top` on, as files need it.
pub fn paint_legend(
    painter: &mut dyn Painter,
    figure: &Figure,
    (top, width): (f64, f64),
    palette: &Palette,
    measure: Measure<'_>,
) {
    for (series, at) in legend_places(figure, width, palette, measure) {
        let middle = top + at.y + palette.text_small * 0.8;
        paint_key(painter, series, Point::new(at.x, middle), palette);
        let letters = Letters::new(palette.ink, palette.text_small, Family::Sans);
        painter.text(&series.name, Point::new(at.x + KEY + 6.0, middle), &letters);
    }
}

/// The width of the sample of a line in the legend, in CSS pixels.
const KEY: f64 = 26.0;

fn legend_places<'a>(
    figure: &'a Figure,
    width: f64,
    palette: &Palette,
    measure: Measure<'_>,
) -> Vec<(&'a Series, Point)> {
    let letters = Letters::new(palette.ink, palette.text_small, Family::Sans);
    let (mut x, mut y) = (MARGIN, 0.0);
    let mut places = Vec::new();
    for series in figure.series.iter().filter(|series| series.is_in_legend()) {
        let needs = KEY + 6.0 + measure(&series.name, &letters) + 20.0;
        if x > MARGIN && x + needs > width {
            x = MARGIN;
            y += palette.text_small * 1.6;
        }
        places.push((series, Point::new(x, y)));
        x += needs;
    }
    places
}

const MARGIN: f64 = 12.0;

/// The sample of a series: its line and its mark.
fn paint_key(painter: &mut dyn Painter, series: &Series, at: Point, palette: &Palette) {
    let color = palette.role(series.role);
    let path = Path::line(at, Point::new(at.x + KEY, at.y));
    match series.line {
        Line::None => {}
        Line::Dashed => painter.stroke_path(&path, &Stroke::dashed(color, THIN, &[DASH, GAP])),
        Line::Pale => painter.stroke_path(&path, &Stroke::solid(color.faded(PALE), HAIR)),
        Line::Solid => painter.stroke_path(&path, &Stroke::solid(color, THIN)),
        Line::Strong => painter.stroke_path(&path, &Stroke::solid(color, THICK)),
    }
    paint_dot(painter, series.dot, Point::new(at.x + KEY / 2.0, at.y), color);
}

/// Strokes, dashes and gaps in CSS pixels.
pub const THIN: f64 = 1.75;
const THICK: f64 = 3.0;
const DASH: f64 = 5.0;
const GAP: f64 = 4.0;
const HAIR: f64 = 1.0;
/// How opaque a pale line is.
const PALE: f64 = 0.4;

type Area<'a> = DrawingArea<PainterBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

fn paint_with_plotters(
    root: &Area<'_>,
    figure: &Figure,
    projection: &Projection,
    palette: &Palette,
    measure: Measure<'_>,
) -> Drawn {
    let Projection { x, y, plot, size } = *projection;
    let letters = |color: Rgba, pixels: f64| ("sans-serif", pixels * UNITS).into_font().color(&ink(color));
    let mut chart = ChartBuilder::on(root)
        .margin_top(units(plot.y))
        .margin_right(units(size.x - plot.right()))
        .set_label_area_size(LabelAreaPosition::Left, units(plot.x))
        .set_label_area_size(LabelAreaPosition::Bottom, units(size.y - plot.bottom()))
        .build_cartesian_2d::<Span, Span>(x, y)?;
    let tiny = palette.text_small;
    chart
        .configure_mesh()
        .x_labels(ticks(plot.width, tiny * 3.2))
        .y_labels(ticks(plot.height, tiny * 3.0))
        .x_label_formatter(&|value| x.label(*value))
        .y_label_formatter(&|value| y.label(*value))
        .max_light_lines(0)
        .light_line_style(TRANSPARENT)
        .bold_line_style(ink(palette.line).stroke_width(units(HAIR) as u32))
        .axis_style(ink(palette.edge).stroke_width(units(HAIR) as u32))
        .label_style(letters(palette.soft, tiny))
        .set_all_tick_mark_size(units(4.0))
        .draw()?;
    for series in &figure.series {
        let (points, lines) = (shown(figure, series), color_of(series, palette));
        if let Some(band) = &series.band {
            let side = |values: &[f64]| -> Vec<(f64, f64)> {
                let pairs = series.points.iter().zip(values);
                pairs.map(|(point, value)| (point.0, figure.y.clamped(*value))).filter(is_finite).collect()
            };
            let mut outline = side(&band.low);
            outline.extend(side(&band.high).into_iter().rev());
            if outline.len() > 3 {
                chart.draw_series(std::iter::once(Polygon::new(outline, ink(lines.faded(0.2)).filled())))?;
            }
        }
        for run in points.split(|point| !is_finite(point)).filter(|run| run.len() > 1) {
            let run = run.to_vec();
            let style = |width: f64| ink(lines).stroke_width(units(width) as u32);
            match series.line {
                Line::None => {}
                Line::Solid => {
                    chart.draw_series(LineSeries::new(run, style(THIN)))?;
                }
                Line::Pale => {
                    let style = ink(lines.faded(PALE)).stroke_width(units(HAIR) as u32);
                    chart.draw_series(LineSeries::new(run, style))?;
                }
                Line::Strong => {
                    chart.draw_series(LineSeries::new(run, style(THICK)))?;
                }
                Line::Dashed => {
                    chart.draw_series(DashedLineSeries::new(run, units(DASH), units(GAP), style(THIN)))?;
                }
            }
        }
    }
    let at = |pixels: Point| (units(pixels.x), units(pixels.y));
    // Names of numbers that stand close together would lie over each other; the first is kept.
    let mut free_from = f64::NEG_INFINITY;
    for rule in &figure.rules {
        let color = palette.role(rule.role);
        let style = ink(color).stroke_width(units(HAIR) as u32);
        let (from, to, label, anchor) = match rule.along {
            Along::X => {
                let place = plot.x + x.share(rule.at) * plot.width;
                let half = measure(&rule.label, &Letters::new(color, tiny, Family::Sans)) / 2.0;
                let middle = place.min(size.x - half - 2.0);
                let has_room = middle - half >= free_from;
                if has_room {
                    free_from = middle + half + 4.0;
                }
                (
                    Point::new(place, plot.y),
                    Point::new(place, plot.bottom()),
                    Some(Point::new(middle, plot.y - 2.0)).filter(|_| has_room),
                    Pos::new(HPos::Center, VPos::Bottom),
                )
            }
            Along::Y => {
                let place = plot.bottom() - y.share(rule.at) * plot.height;
                (
                    Point::new(plot.x, place),
                    Point::new(plot.right(), place),
                    Some(Point::new(plot.right() - 2.0, place - 2.0)),
                    Pos::new(HPos::Right, VPos::Bottom),
                )
            }
        };
        if !(from.x.is_finite() && from.y.is_finite()) {
            continue;
        }
        let path = PathElement::new(vec![at(from), at(to)], style);
        root.draw(&path)?;
        if let Some(label) = label {
            root.draw_text(&rule.label, &letters(color, tiny).pos(anchor), at(label))?;
        }
    }
    for series in &figure.series {
        if let (Some(label), Some(last)) =
            (&series.end_label, shown(figure, series).iter().rev().find(|point| is_finite(point)))
        {
            let place = projection.place(*last);
            let style = letters(color_of(series, palette), tiny).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw_text(label, &style, at(Point::new(place.x + DOT, place.y)))?;
        }
    }
    // Titles lie level: above the upright axis, and at the end of the other.
    let title = letters(palette.ink, tiny);
    root.draw_text(
        &figure.y.title,
        &title.pos(Pos::new(HPos::Left, VPos::Center)),
        at(Point::new(2.0, plot.y - head(figure, tiny) + tiny * 0.8)),
    )?;
    root.draw_text(
        &figure.x.title,
        &title.pos(Pos::new(HPos::Right, VPos::Bottom)),
        at(Point::new(plot.right(), size.y - 2.0)),
    )
}

fn ticks(length: f64, room: f64) -> usize {
    ((length / room) as usize).clamp(2, 14)
}

/// The points as they are drawn: inside of the limits of the axis.
fn shown(figure: &Figure, series: &Series) -> Vec<(f64, f64)> {
    series.points.iter().map(|(x, y)| (*x, if y.is_nan() { *y } else { figure.y.clamped(*y) })).collect()
}

fn is_finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

fn color_of(series: &Series, palette: &Palette) -> Rgba {
    palette.role(series.role)
}

fn ink(color: Rgba) -> RGBAColor {
    RGBAColor(color.red, color.green, color.blue, f64::from(color.alpha) / 255.0)
}

fn paint_dots(
    painter: &mut dyn Painter,
    figure: &Figure,
    series: &Series,
    projection: &Projection,
    palette: &Palette,
) {
    for point in shown(figure, series).into_iter().filter(is_finite) {
        paint_dot(painter, series.dot, projection.place(point), color_of(series, palette));
    }
}

fn paint_dot(painter: &mut dyn Painter, dot: Dot, at: Point, color: Rgba) {
    let half = DOT / 2.0;
    let corner = |x: f64, y: f64| Point::new(at.x + x * half, at.y + y * half);
    match dot {
        Dot::None => {}
        Dot::Disc => painter.fill_circle(at, half, color),
        Dot::Square => painter.fill_rect(Rect::new(at.x - half, at.y - half, DOT, DOT), color),
        Dot::Triangle => {
            let corners = [corner(0.0, -1.2), corner(1.2, 1.0), corner(-1.2, 1.0)];
            painter.fill_path(&Path::polygon(corners), color);
        }
        Dot::Cross => {
            let stroke = Stroke::solid(color, THIN);
            painter.stroke_path(&Path::line(corner(-1.0, -1.0), corner(1.0, 1.0)), &stroke);
            painter.stroke_path(&Path::line(corner(-1.0, 1.0), corner(1.0, -1.0)), &stroke);
        }
    }
}

/// The title of a picture in a file.
pub fn paint_title(painter: &mut dyn Painter, title: &str, at: Point, palette: &Palette) {
    let letters = Letters::new(palette.ink, palette.text_body, Family::Serif).aligned(Align::Start);
    painter.text(title, at, &letters);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::palette::Role;
    use crate::drawing::palette::tests::{Theme, palette};
    use crate::drawing::svg::SvgPainter;
    use crate::widgets::chart::series::Axis;

    fn drawn(figure: &Figure) -> (String, Projection) {
        let palette = palette(Theme::Light);
        let size = Point::new(400.0, 300.0);
        let projection = Projection::new(figure, size, palette.text_small);
        let mut painter = SvgPainter::new(&palette, |_| None);
        let measure = |text: &str, style: &Letters| text.chars().count() as f64 * style.size * 0.6;
        paint(&mut painter, figure, &projection, &palette, &measure);
        (painter.finish(size.x, size.y, "test"), projection)
    }

    #[test]
    fn plotters_draws_where_the_overlay_points() {
        let points = vec![(1.0, 1e-12), (3.0, 1e-3), (8.0, 1.0)];
        let figure = Figure {
            x: Axis::new("m"),
            y: Axis::new("error").logarithmic(),
            series: vec![Series::new("a", Role::Accent, points.clone())],
            rules: Vec::new(),
        };
        let (svg, projection) = drawn(&figure);
        // Axes are drawn with hairlines, so that the line is the only one of its width.
        let width = format!("stroke-width=\"{THIN}\"");
        let line = svg.split("<path d=\"").find(|path| path.contains(&width)).expect("the line");
        let data = &line[1..line.find('"').unwrap()];
        let places: Vec<Point> = data
            .split('L')
            .map(|pair| {
                let (x, y) = pair.split_once(' ').unwrap();
                Point::new(x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        for (point, place) in points.iter().zip(places) {
            let distance = projection.place(*point).distance(place);
            assert!(distance < 0.2, "{point:?} is drawn {distance} pixels away");
        }
    }

    #[test]
    fn an_exact_zero_stands_on_the_edge_and_a_gap_divides_a_line() {
        let points = vec![(1.0, 0.0), (2.0, 1.0), (3.0, f64::NAN), (4.0, 1.0), (5.0, 2.0)];
        let figure = Figure {
            y: Axis::new("error").logarithmic().within(1e-16, 1e3),
            series: vec![Series::new("a", Role::Accent, points).marked(Dot::Disc)],
            ..Figure::default()
        };
        let (svg, projection) = drawn(&figure);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(!svg.contains("NaN"));
        let foot = projection.plot.bottom();
        let edge = projection.place((1.0, 1e-16));
        assert!(edge.y <= foot && edge.y > foot - 20.0);
    }
}
