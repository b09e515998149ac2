//! What a chart shows: axes, series of points, and lines that mark a number.

use super::projection::Scale;
use crate::drawing::palette::Role;
use crate::widgets::number::{exact, long};

/// Everything that a chart shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The axis along the foot.
    pub x: Axis,
    /// The axis at the left.
    pub y: Axis,
    /// The series, in the order of the legend; later ones cover earlier ones.
    pub series: Vec<Series>,
    /// Numbers that the picture marks.
    pub rules: Vec<Rule>,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub title: String,
    /// How numbers are spread.
    pub scale: Scale,
    /// Numbers that must be seen, besides those of the series.
    pub includes: Vec<f64>,
    /// The most that is shown: what lies beyond stands on the edge.
    pub most: Option<f64>,
    /// The least distance of two ticks; 1 where only whole numbers mean anything.
    pub least_step: f64,
    /// The least that is shown: what lies below, such as an exact 0 on a logarithmic axis, stands on the edge.
    pub least: Option<f64>,
}

impl Axis {
    /// A linear axis.
    pub fn new(title: impl Into<String>) -> Axis {
        Axis { title: title.into(), ..Axis::default() }
    }

    /// The same with equal ratios at equal distances.
    pub fn logarithmic(self) -> Axis {
        Axis { scale: Scale::Logarithmic, ..self }
    }

    /// The same, where only whole numbers mean anything.
    pub fn counting(self) -> Axis {
        Axis { least_step: 1.0, ..self }
    }

    /// The same, showing these numbers in any case.
    pub fn including(self, includes: impl Into<Vec<f64>>) -> Axis {
        Axis { includes: includes.into(), ..self }
    }

    /// The same, never showing anything outside of these limits.
    pub fn within(self, least: f64, most: f64) -> Axis {
        Axis { least: Some(least), most: Some(most), ..self }
    }

    /// Where a number is drawn: inside of the limits.
    pub fn clamped(&self, value: f64) -> f64 {
        value.max(self.least.unwrap_or(f64::NEG_INFINITY)).min(self.most.unwrap_or(f64::INFINITY))
    }
}

/// Points that belong together. A point without a finite x is not drawn; a y that is not a number is a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is, for legend, tooltip and table.
    pub name: String,
    /// Whose hue it has.
    pub role: Role,
    /// How its points are joined.
    pub line: Line,
    /// How its points are marked.
    pub dot: Dot,
    /// Written beside the last point instead of in the legend.
    pub end_label: Option<String>,
    /// x and y, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// The spread around the line, if there is one.
    pub band: Option<Band>,
}

/// From the least to the most for each point of its series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// The least.
    pub low: Vec<f64>,
    /// The most.
    pub high: Vec<f64>,
}

/// How points are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Line {
    /// By a line.
    #[default]
    Solid,
    /// By a strong line.
    Strong,
    /// By a pale hairline: it stands behind another series of its hue, and not in the legend.
    Pale,
    /// By dashes.
    Dashed,
    /// By nothing.
    None,
}

/// How points are marked; shapes tell series apart without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dot {
    /// Not at all.
    #[default]
    None,
    /// By a disc.
    Disc,
    /// By a square.
    Square,
    /// By a triangle.
    Triangle,
    /// By a cross.
    Cross,
}

/// A number with a line through the whole picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Which axis the number belongs to.
    pub along: Along,
    /// The number.
    pub at: f64,
    /// What it is.
    pub label: String,
    /// Its hue.
    pub role: Role,
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The one along the foot.
    X,
    /// The one at the left.
    Y,
}

impl Rule {
    /// An upright line at a number of the axis along the foot.
    pub fn upright(at: f64, label: impl Into<String>, role: Role) -> Rule {
        Rule { along: Along::X, at, label: label.into(), role }
    }

    /// A level line at a number of the axis at the left.
    pub fn level(at: f64, label: impl Into<String>, role: Role) -> Rule {
        Rule { along: Along::Y, at, label: label.into(), role }
    }
}

impl Series {
    /// Whether the legend names it.
    pub fn is_in_legend(&self) -> bool {
        self.end_label.is_none() && self.line != Line::Pale
    }

    /// A line through points.
    pub fn new(name: impl Into<String>, role: Role, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: name.into(),
            role,
            line: Line::Solid,
            dot: Dot::None,
            end_label: None,
            points,
            band: None,
        }
    }

    /// The same, joined otherwise.
    pub fn joined(self, line: Line) -> Series {
        Series { line, ..self }
    }

    /// The same, with its points marked.
    pub fn marked(self, dot: Dot) -> Series {
        Series { dot, ..self }
    }

    /// The same, named where it ends.
    pub fn labelled(self, label: impl Into<String>) -> Series {
        Series { end_label: Some(label.into()), ..self }
    }

    /// The same, with its spread.
    pub fn spread(self, band: Band) -> Series {
        Series { band: Some(band), ..self }
    }
}

impl Figure {
    /// All x that any series has, ascending and once each.
    pub fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().map(|(x, _)| *x))
            .filter(|x| x.is_finite())
            .collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }

    /// The numbers as rows: x, then what each series has there, and its spread where it has one.
    pub fn rows(&self, write: fn(f64) -> String) -> (Vec<String>, Vec<Vec<String>>) {
        let mut headings = vec![self.x.title.clone()];
        for series in &self.series {
            headings.push(series.name.clone());
            if series.band.is_some() {
                headings.push(format!("{} min", series.name));
                headings.push(format!("{} max", series.name));
            }
        }
        let row = |x: &f64| {
            let mut row = vec![write(*x)];
            for series in &self.series {
                let at = series.points.iter().position(|(found, _)| found == x);
                row.push(at.map_or_else(String::new, |at| write(series.points[at].1)));
                if let Some(band) = &series.band {
                    for side in [&band.low, &band.high] {
                        row.push(
                            at.and_then(|at| side.get(at)).map_or_else(String::new, |value| write(*value)),
                        );
                    }
                }
            }
            row
        };
        let rows = self.places().iter().map(row).collect();
        (headings, rows)
    }

    /// The numbers as comma-separated values, to the last digit.
    pub fn csv(&self) -> String {
        let (headings, rows) = self.rows(exact);
        let line = |fields: &[String]| {
            let quoted: Vec<String> = fields
                .iter()
                .map(|field| {
                    if field.contains([',', '"', '\n']) {
                        format!("\"{}\"", field.replace('"', "\"\""))
                    } else {
                        field.clone()
                    }
                })
                .collect();
            quoted.join(",") + "\n"
        };
        std::iter::once(&headings).chain(&rows).map(|row| line(row)).collect()
    }

    /// The numbers as rows for reading.
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        self.rows(long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_every_number_of_every_series_to_the_last_digit() {
        let figure = Figure {
            x: Axis::new("m, columns"),
            series: vec![
                Series::new("a, b", Role::Plain, vec![(1.0, 0.1 + 0.2), (3.0, 2.0)]),
                Series::new("c", Role::Plain, vec![(2.0, 5.0)])
                    .spread(Band { low: vec![4.0], high: vec![6.0] }),
            ],
            ..Figure::default()
        };
        assert_eq!(
            figure.csv(),
            "\"m, columns\",\"a, b\",c,c min,c max\n1,0.30000000000000004,,,\n2,,5,4,6\n3,2,,,\n"
        );
    }
}
