//! From numbers to places: the same mapping for plotters, which draws, and for the overlay, which points.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::series::{Along, Axis, Band, Figure};
use crate::drawing::geometry::{Point, Rect};
use crate::widgets::number::short;

/// How an axis spreads numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences at equal distances.
    #[default]
    Linear,
    /// Equal ratios at equal distances.
    Logarithmic,
}

/// The numbers of one axis, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    scale: Scale,
    least_step: f64,
    least: f64,
    most: f64,
}

impl Span {
    /// The span that shows all `values`, with a little air at both ends.
    pub fn of(axis: &Axis, values: impl Iterator<Item = f64>) -> Span {
        let shown = |value: &f64| value.is_finite() && (axis.scale == Scale::Linear || *value > 0.0);
        let all = values.chain(axis.includes.iter().copied()).map(|value| axis.clamped(value)).filter(shown);
        let (least, most) =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let Axis { scale, least_step, .. } = *axis;
        match scale {
            _ if least > most => Span { scale, least_step, least: 1.0, most: 10.0 },
            Scale::Linear => {
                let air = if most > least { (most - least) * AIR } else { 1.0 };
                Span { scale, least_step, least: least - air, most: most + air }
            }
            Scale::Logarithmic => {
                let air = if most > least { (most / least).powf(AIR) } else { 10.0_f64.sqrt() };
                Span { scale, least_step, least: least / air, most: most * air }
            }
        }
    }

    /// Where a number lies, 0 at the start and 1 at the end. NaN where it has no place.
    pub fn share(self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.least) / (self.most - self.least),
            Scale::Logarithmic => (value / self.least).ln() / (self.most / self.least).ln(),
        }
    }

    /// The number at a share.
    pub fn at(self, share: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.least + share * (self.most - self.least),
            Scale::Logarithmic => self.least * (self.most / self.least).powf(share),
        }
    }

    /// A number on the axis as its label says it. Where an axis spans many powers of ten all are written as powers.
    pub fn label(self, value: f64) -> String {
        let power = value.log10().round() as i32;
        let is_wide = self.scale == Scale::Logarithmic && (self.most >= 1e5 || self.least <= 1e-4);
        match power {
            0 | 1 => short(value),
            _ if is_wide && power_of_ten(power) == value => format!("10{}", superscript(power)),
            _ => short(value),
        }
    }

    /// Round numbers on the axis, at most `most_ticks` of them.
    pub fn ticks(self, most_ticks: usize) -> Vec<f64> {
        let most_ticks = most_ticks.max(2);
        let within = |value: &f64| (0.0..=1.0).contains(&self.share(*value));
        match self.scale {
            Scale::Logarithmic if self.most / self.least >= 10.0 => {
                let (low, high) = (self.least.log10().ceil() as i32, self.most.log10().floor() as i32);
                let count = (high - low + 1).max(1) as usize;
                let every =
                    STRIDES.into_iter().find(|every| count.div_ceil(*every) <= most_ticks).unwrap_or(count)
                        as i32;
                // Few powers leave room for 2 and 5 between them.
                let finer: Vec<f64> = (low - 1..=high)
                    .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * power_of_ten(power)))
                    .filter(within)
                    .collect();
                if count <= 3 && finer.len() <= most_ticks {
                    return finer;
                }
                // Multiples of the stride, so that the same powers are named whatever the ends.
                (low..=high).filter(|power| power.rem_euclid(every) == 0).map(power_of_ten).collect()
            }
            _ => {
                let rough = ((self.most - self.least) / most_ticks as f64).max(self.least_step);
                let unit = power_of_ten(rough.log10().floor() as i32);
                let step =
                    [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * unit >= rough).unwrap_or(10.0)
                        * unit;
                let first = (self.least / step).ceil() as i64;
                let last = (self.most / step).floor() as i64;
                // Division brings back what multiplication by 0.1 would blur.
                let tick =
                    |k: i64| if step < 1.0 { k as f64 / (1.0 / step).round() } else { k as f64 * step };
                (first..=last).map(tick).filter(within).collect()
            }
        }
    }
}

/// The share of an axis that stays free at each end.
const AIR: f64 = 0.03;

/// Powers of ten between one tick and the next.
const STRIDES: [usize; 7] = [1, 2, 3, 5, 10, 20, 50];

fn power_of_ten(power: i32) -> f64 {
    // The parser is exact; powers by multiplication are not.
    format!("1e{power}").parse().unwrap_or(f64::NAN)
}

fn superscript(number: i32) -> String {
    let raised = |letter: char| match letter {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|digit| char::from_u32('⁰' as u32 + digit)).unwrap_or(digit),
    };
    number.to_string().chars().map(raised).collect()
}

impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = self.share(*value);
        let share = if share.is_finite() { share.clamp(-1.0, 2.0) } else { 0.0 };
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.max_num_points())
    }

    fn range(&self) -> Range<f64> {
        self.least..self.most
    }
}

impl ValueFormatter<f64> for Span {
    fn format(value: &f64) -> String {
        short(*value)
    }
}

/// Where everything stands in a chart of a certain size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The numbers along the foot.
    pub x: Span,
    /// The numbers at the left.
    pub y: Span,
    /// The room inside of the axes.
    pub plot: Rect,
    /// The size of the whole picture.
    pub size: Point,
}

/// The room around the plot, in multiples of the size of its letters.
const LEFT: f64 = 4.6;
const FOOT: f64 = 3.4;
const HEAD: f64 = 2.2;
/// The room for the names of upright lines.
const RULE_NAMES: f64 = 1.2;
const RIGHT: f64 = 1.2;
/// The room for names at the ends of lines.
const END_LABELS: f64 = 4.6;

/// The room above the plot: the title of the upright axis, and the names of upright lines.
pub fn head(figure: &Figure, text: f64) -> f64 {
    let has_names = figure.rules.iter().any(|rule| rule.along == Along::X);
    (text * if has_names { HEAD + RULE_NAMES } else { HEAD }).round()
}

impl Projection {
    /// The projection of a figure into `size`, with letters of `text` pixels.
    pub fn new(figure: &Figure, size: Point, text: f64) -> Projection {
        let points = || figure.series.iter().flat_map(|series| series.points.iter());
        let bands = figure.series.iter().filter_map(|series| series.band.as_ref());
        let spread = bands.flat_map(|Band { low, high }| low.iter().chain(high).copied());
        let has_labels = figure.series.iter().any(|series| series.end_label.is_some());
        let right = text * if has_labels { END_LABELS } else { RIGHT };
        let head = head(figure, text);
        let plot = Rect::new(
            (text * LEFT).round(),
            head,
            (size.x - (text * LEFT).round() - right).max(1.0).round(),
            (size.y - head - text * FOOT).max(1.0).round(),
        );
        Projection {
            x: Span::of(&figure.x, points().map(|point| point.0)),
            y: Span::of(&figure.y, points().map(|point| point.1).chain(spread)),
            plot,
            size,
        }
    }

    /// Where a point stands; NaN where it has no place.
    pub fn place(&self, (x, y): (f64, f64)) -> Point {
        Point::new(
            self.plot.x + self.x.share(x) * self.plot.width,
            self.plot.bottom() - self.y.share(y) * self.plot.height,
        )
    }

    /// The number along the foot under a place.
    pub fn x_at(&self, place: f64) -> f64 {
        self.x.at(((place - self.plot.x) / self.plot.width).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_few_and_on_the_axis() {
        let log = Span { scale: Scale::Logarithmic, least_step: 0.0, least: 3e-16, most: 20.0 };
        assert_eq!(log.ticks(6), [1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0]);
        let short_log = Span { scale: Scale::Logarithmic, least_step: 0.0, least: 2.0, most: 9.0 };
        assert_eq!(short_log.ticks(5), [2.0, 4.0, 6.0, 8.0]);
        let linear = Span { scale: Scale::Linear, least_step: 0.0, least: -0.05, most: 1.05 };
        assert_eq!(linear.ticks(6), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        let two_powers = Span { scale: Scale::Logarithmic, least_step: 0.0, least: 7.0, most: 484.0 };
        assert_eq!(two_powers.ticks(8), [10.0, 20.0, 50.0, 100.0, 200.0]);
        let counting = Span { scale: Scale::Linear, least_step: 1.0, least: 0.9, most: 3.1 };
        assert_eq!(counting.ticks(14), [1.0, 2.0, 3.0]);
        for span in [log, short_log, linear] {
            for most in 2..20 {
                assert!(span.ticks(most).len() <= most + 1, "{span:?} {most}");
            }
        }
    }

    #[test]
    fn labels_of_one_axis_are_of_one_kind() {
        let said = |span: Span| span.ticks(6).into_iter().map(|tick| span.label(tick)).collect::<Vec<_>>();
        let wide = Span { scale: Scale::Logarithmic, least_step: 0.0, least: 3e-16, most: 20.0 };
        assert_eq!(said(wide), ["10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"]);
        let narrow = Span { scale: Scale::Logarithmic, least_step: 0.0, least: 0.9, most: 2e4 };
        assert_eq!(said(narrow), ["1", "10", "100", "1000", "10000"]);
        let linear = Span { scale: Scale::Linear, least_step: 0.0, least: -0.05, most: 1.05 };
        assert_eq!(said(linear), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    }

    #[test]
    fn places_and_numbers_are_inverse() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let span = Span { scale, least_step: 0.0, least: 0.5, most: 200.0 };
            for share in [0.0, 0.3, 1.0] {
                assert!((span.share(span.at(share)) - share).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_cannot_be_shown_does_not_stretch_an_axis() {
        let axis = Axis::new("").logarithmic().within(1e-16, 1e3);
        let span = Span::of(&axis, [0.0, 1.0, f64::NAN, f64::INFINITY].into_iter());
        assert!(span.share(axis.clamped(0.0)) >= 0.0 && span.share(1e3) <= 1.0);
    }
}
