//! Points, rectangles and paths, in CSS pixels.

use std::cmp::Ordering;
use std::ops::Range;

/// A point, or a displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Rightwards.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Point {
    /// A point.
    pub const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// The point a share `t` of the way to `other`.
    pub fn towards(self, other: Point, t: f64) -> Point {
        Point::new(self.x + (other.x - self.x) * t, self.y + (other.y - self.y) * t)
    }

    /// The distance to `other`.
    pub fn distance(self, other: Point) -> f64 {
        (other.x - self.x).hypot(other.y - self.y)
    }
}

/// A rectangle with its sides along the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Extent rightwards.
    pub width: f64,
    /// Extent downwards.
    pub height: f64,
}

impl Rect {
    /// A rectangle from its corner and its extent.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    /// The right edge.
    pub fn right(self) -> f64 {
        self.x + self.width
    }

    /// The bottom edge.
    pub fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// The centre.
    pub fn center(self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// The rectangle with `margin` taken off every side; a negative margin makes it larger.
    pub fn inset(self, margin: f64) -> Rect {
        Rect::new(
            self.x + margin,
            self.y + margin,
            (self.width - 2.0 * margin).max(0.0),
            (self.height - 2.0 * margin).max(0.0),
        )
    }

    /// Whether the point lies within; the right and bottom edges do not belong to the rectangle.
    pub fn contains(self, point: Point) -> bool {
        point.x >= self.x && point.x < self.right() && point.y >= self.y && point.y < self.bottom()
    }
}

/// One step of a [`Path`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Lift the pen and put it down here.
    Move(Point),
    /// A straight line.
    Line(Point),
    /// A cubic Bézier curve: two control points and the end.
    Curve(Point, Point, Point),
    /// Back to where the pen was put down.
    Close,
}

/// A line that is drawn or filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    steps: Vec<Step>,
}

impl Path {
    /// A path without steps.
    pub fn new() -> Path {
        Path::default()
    }

    /// One straight line.
    pub fn line(from: Point, to: Point) -> Path {
        Path::new().move_to(from).line_to(to)
    }

    /// A smooth vertical connection: it leaves `from` and reaches `to` straight down.
    pub fn link(from: Point, to: Point) -> Path {
        let bend = (to.y - from.y) * 0.5;
        Path::new().move_to(from).curve_to(
            Point::new(from.x, from.y + bend),
            Point::new(to.x, to.y - bend),
            to,
        )
    }

    /// Adds that part of a smooth vertical connection (see [`Path::link`]) that lies between two vertical lines. A
    /// line that only passes through would otherwise be dashed over its whole length, where nobody sees it.
    pub fn join(self, from: Point, to: Point, between: &Range<f64>) -> Path {
        // The curve's x is a smooth step from one end to the other: 3 t² − 2 t³, which can be inverted.
        let moment = |x: f64| {
            let share = ((x - from.x) / (to.x - from.x)).clamp(0.0, 1.0);
            0.5 - ((1.0 - 2.0 * share).asin() / 3.0).sin()
        };
        let (start, end) = match from.x.total_cmp(&to.x) {
            Ordering::Less => (moment(between.start), moment(between.end)),
            Ordering::Greater => (moment(between.end), moment(between.start)),
            Ordering::Equal => (0.0, 1.0),
        };
        if start >= end {
            return self;
        }
        let bend = (to.y - from.y) * 0.5;
        let curve = [from, Point::new(from.x, from.y + bend), Point::new(to.x, to.y - bend), to];
        // The control points of a part are the values of the curve's polar form at its ends.
        let polar = |one: f64, two: f64, three: f64| {
            let [a, b, c, d] = curve;
            let (ab, bc, cd) = (a.towards(b, one), b.towards(c, one), c.towards(d, one));
            ab.towards(bc, two).towards(bc.towards(cd, two), three)
        };
        self.move_to(polar(start, start, start)).curve_to(
            polar(start, start, end),
            polar(start, end, end),
            polar(end, end, end),
        )
    }

    /// A closed polygon.
    pub fn polygon(corners: impl IntoIterator<Item = Point>) -> Path {
        let mut steps: Vec<Step> = corners.into_iter().map(Step::Line).collect();
        if let Some(Step::Line(first)) = steps.first().copied() {
            steps[0] = Step::Move(first);
            steps.push(Step::Close);
        }
        Path { steps }
    }

    /// Lifts the pen and puts it down at `point`.
    pub fn move_to(mut self, point: Point) -> Path {
        self.steps.push(Step::Move(point));
        self
    }

    /// Draws a straight line to `point`.
    pub fn line_to(mut self, point: Point) -> Path {
        self.steps.push(Step::Line(point));
        self
    }

    /// Draws a cubic Bézier curve to `end`.
    pub fn curve_to(mut self, control1: Point, control2: Point, end: Point) -> Path {
        self.steps.push(Step::Curve(control1, control2, end));
        self
    }

    /// Closes the line.
    pub fn close(mut self) -> Path {
        self.steps.push(Step::Close);
        self
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The path as the `d` attribute of an SVG path.
    pub fn svg_data(&self) -> String {
        let mut data = String::new();
        for step in &self.steps {
            let (letter, points): (char, &[Point]) = match step {
                Step::Move(to) => ('M', &[*to]),
                Step::Line(to) => ('L', &[*to]),
                Step::Curve(control1, control2, end) => ('C', &[*control1, *control2, *end]),
                Step::Close => ('Z', &[]),
            };
            data.push(letter);
            for (i, point) in points.iter().enumerate() {
                if i > 0 {
                    data.push(' ');
                }
                data.push_str(&format!("{} {}", svg_number(point.x), svg_number(point.y)));
            }
        }
        data
    }
}

/// A coordinate with at most two decimals and no trailing zeros: a hundredth of a pixel is enough for any screen.
pub fn svg_number(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    // Adding zero turns −0 into 0.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_svg_data() {
        let path = Path::link(Point::new(0.0, 0.0), Point::new(10.0, 20.0))
            .line_to(Point::new(1.005, -0.001))
            .close();
        assert_eq!(path.svg_data(), "M0 0C0 10 10 10 10 20L1 0Z");
    }

    #[test]
    fn a_part_of_a_connection_lies_on_it_and_between_the_lines() {
        let at = |[a, b, c, d]: [Point; 4], t: f64| {
            let (ab, bc, cd) = (a.towards(b, t), b.towards(c, t), c.towards(d, t));
            ab.towards(bc, t).towards(bc.towards(cd, t), t)
        };
        let curve_of = |path: &Path| match path.steps() {
            [Step::Move(a), Step::Curve(b, c, d)] => [*a, *b, *c, *d],
            other => panic!("{other:?} is not one curve"),
        };
        for (left, right) in [(-5000.0, 900.0), (8000.0, -20.0), (100.0, 200.0), (150.0, 150.0)] {
            let (from, to) = (Point::new(left, 0.0), Point::new(right, 80.0));
            let whole = curve_of(&Path::link(from, to));
            let part = curve_of(&Path::new().join(from, to, &(0.0..700.0)));
            for i in 0..=20 {
                let point = at(part, f64::from(i) / 20.0);
                assert!((-1e-6..=700.0 + 1e-6).contains(&point.x), "{point:?} lies outside");
                // Both move one way only, so the moment of the whole curve is found by halving.
                let (mut low, mut high) = (0.0, 1.0);
                for _ in 0..60 {
                    let middle: f64 = (low + high) / 2.0;
                    if at(whole, middle).y < point.y { low = middle } else { high = middle }
                }
                assert!(at(whole, low).distance(point) < 1e-6, "{point:?} is not on the curve");
            }
        }
        assert_eq!(Path::new().join(Point::new(-9.0, 0.0), Point::new(-1.0, 5.0), &(0.0..7.0)), Path::new());
    }

    #[test]
    fn a_rectangle_owns_its_upper_left_edges_only() {
        let rect = Rect::new(1.0, 1.0, 2.0, 2.0);
        assert!(rect.contains(Point::new(1.0, 1.0)));
        assert!(!rect.contains(Point::new(3.0, 2.0)));
        assert_eq!(rect.inset(0.5), Rect::new(1.5, 1.5, 1.0, 1.0));
    }
}
