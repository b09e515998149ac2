//! Formulas as MathML, with numbers put into them.
//!
//! ```ignore
//! // A[3,1] = exp(0.7) / 5.1 = 0.395, the numerator lit.
//! let formula = row([
//!     entry("A", ["3", "1"]),
//!     op("="),
//!     fraction(lit(call("exp", number(score))), number(sum)),
//!     op("="),
//!     number(weight),
//! ]);
//! view! { <Formula math=formula/> }
//! ```

use leptos::prelude::*;
use leptos::tachys::mathml;

use super::number::short;
use crate::drawing::palette::Role;
use crate::ground::decimal;

/// A piece of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Math {
    /// A name: a single letter is set in italics, longer names upright.
    Name(String),
    /// A number, as people read it.
    Number(f64),
    /// An operator, a relation, a bracket.
    Operator(String),
    /// Words.
    Text(String),
    /// Pieces in a row.
    Row(Vec<Math>),
    /// One over another.
    Fraction(Box<Math>, Box<Math>),
    /// A piece with something below right, and perhaps above right.
    Scripts(Box<Math>, Option<Box<Math>>, Option<Box<Math>>),
    /// An operator with limits below and above, such as a sum.
    Limits(Box<Math>, Box<Math>, Option<Box<Math>>),
    /// A square root.
    Root(Box<Math>),
    /// A piece in the hue of a role; [`Role::Accent`] for what the person looks at.
    Colored(Role, Box<Math>),
}

/// A name.
pub fn name(text: impl Into<String>) -> Math {
    Math::Name(text.into())
}

/// A number.
pub fn number(value: f64) -> Math {
    Math::Number(value)
}

/// An operator, a relation, a bracket.
pub fn op(text: impl Into<String>) -> Math {
    Math::Operator(text.into())
}

/// Words.
pub fn text(words: impl Into<String>) -> Math {
    Math::Text(words.into())
}

/// Pieces in a row.
pub fn row(pieces: impl IntoIterator<Item = Math>) -> Math {
    Math::Row(pieces.into_iter().collect())
}

/// `above / below`.
pub fn fraction(above: Math, below: Math) -> Math {
    Math::Fraction(Box::new(above), Box::new(below))
}

/// `base` with `below` at its lower right.
pub fn sub(base: Math, below: Math) -> Math {
    Math::Scripts(Box::new(base), Some(Box::new(below)), None)
}

/// `base` with `above` at its upper right.
pub fn sup(base: Math, above: Math) -> Math {
    Math::Scripts(Box::new(base), None, Some(Box::new(above)))
}

/// The square root.
pub fn root(of: Math) -> Math {
    Math::Root(Box::new(of))
}

/// The piece in a role's hue.
pub fn colored(role: Role, piece: Math) -> Math {
    Math::Colored(role, Box::new(piece))
}

/// The piece that the person looks at.
pub fn lit(piece: Math) -> Math {
    colored(Role::Accent, piece)
}

/// An entry of an array: `A[3, 1]`.
pub fn entry(array: impl Into<String>, indices: impl IntoIterator<Item = impl Into<String>>) -> Math {
    let mut pieces = vec![name(array), op("[")];
    for (i, index) in indices.into_iter().enumerate() {
        if i > 0 {
            pieces.push(op(","));
        }
        let index: String = index.into();
        pieces.push(match decimal::parse(&index) {
            Some(value) => number(value),
            None => name(index),
        });
    }
    pieces.push(op("]"));
    row(pieces)
}

/// A function of something: `exp(x)`.
pub fn call(function: impl Into<String>, argument: Math) -> Math {
    row([name(function), op("("), argument, op(")")])
}

/// A sum over an index: `Σ_k body`.
pub fn sum_over(index: impl Into<String>, body: Math) -> Math {
    row([Math::Limits(Box::new(op("∑")), Box::new(name(index)), None), body])
}

/// `a₁·b₁ + a₂·b₂ + … = total` with the numbers put in; of many terms the first and the last few are written. The
/// term `looked_at` is lit, and always written.
pub fn dot_product(terms: &[(f64, f64)], total: f64, looked_at: Option<usize>) -> Math {
    /// More terms than this are not read.
    const WRITTEN: usize = 6;
    let kept =
        |i: usize| terms.len() <= WRITTEN || i < WRITTEN - 2 || i + 1 == terms.len() || looked_at == Some(i);
    let mut pieces = Vec::new();
    let mut gap = false;
    for (i, &(a, b)) in terms.iter().enumerate() {
        if !kept(i) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            pieces.extend([op("+"), op("⋯")]);
        }
        if !pieces.is_empty() {
            pieces.push(op("+"));
        }
        let term = row([signed(a), op("·"), signed(b)]);
        pieces.push(if looked_at == Some(i) { lit(term) } else { term });
    }
    pieces.extend([op("="), number(total)]);
    row(pieces)
}

/// A formula on the page.
#[component]
pub fn Formula(
    /// The formula.
    #[prop(into)]
    math: Signal<Math>,
    /// Whether it stands in a line of text or on its own.
    #[prop(optional)]
    display: Display,
) -> impl IntoView {
    let attribute = match display {
        Display::Inline => "inline",
        Display::Block => "block",
    };
    view! { <math display=attribute>{move || math.with(Math::view)}</math> }
}

/// Where a formula stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// In a line of text.
    #[default]
    Inline,
    /// On its own.
    Block,
}

impl Math {
    /// The piece as MathML.
    pub fn view(&self) -> AnyView {
        match self {
            Math::Name(text) => mathml::mi().child(text.clone()).into_any(),
            Math::Number(value) if *value < 0.0 => {
                let size = mathml::mn().child(short(value.abs()));
                mathml::mrow().child((mathml::mo().attr("form", "prefix").child("−"), size)).into_any()
            }
            Math::Number(value) => mathml::mn().child(short(*value)).into_any(),
            Math::Operator(text) => mathml::mo().child(text.clone()).into_any(),
            Math::Text(text) => mathml::mtext().child(text.clone()).into_any(),
            Math::Row(pieces) => {
                mathml::mrow().child(pieces.iter().map(Math::view).collect_view()).into_any()
            }
            Math::Fraction(above, below) => mathml::mfrac().child((above.view(), below.view())).into_any(),
            Math::Scripts(base, below, above) => match (below, above) {
                (Some(below), Some(above)) => {
                    mathml::msubsup().child((base.view(), below.view(), above.view())).into_any()
                }
                (Some(below), None) => mathml::msub().child((base.view(), below.view())).into_any(),
                (None, Some(above)) => mathml::msup().child((base.view(), above.view())).into_any(),
                (None, None) => base.view(),
            },
            Math::Limits(base, below, above) => match above {
                Some(above) => {
                    mathml::munderover().child((base.view(), below.view(), above.view())).into_any()
                }
                None => mathml::munder().child((base.view(), below.view())).into_any(),
            },
            Math::Root(of) => mathml::msqrt().child(of.view()).into_any(),
            Math::Colored(role, piece) => {
                mathml::mrow().class(format!("in-role {}", role.class())).child(piece.view()).into_any()
            }
        }
    }
}

impl std::fmt::Display for Math {
    /// The formula in a line of plain text, for announcements and files.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Math::Name(text) | Math::Text(text) => f.write_str(text),
            Math::Number(value) => f.write_str(&short(*value)),
            Math::Operator(text) => match text.as_str() {
                "(" | ")" | "[" | "]" | "·" | "∑" | "⋯" => f.write_str(text),
                "," => f.write_str(", "),
                _ => write!(f, " {text} "),
            },
            Math::Row(pieces) => pieces.iter().try_for_each(|piece| piece.fmt(f)),
            Math::Fraction(above, below) => write!(f, "({above})/({below})"),
            Math::Scripts(base, below, above) => {
                base.fmt(f)?;
                if let Some(below) = below {
                    write!(f, "_{below}")?;
                }
                if let Some(above) = above {
                    write!(f, "^{above}")?;
                }
                Ok(())
            }
            Math::Limits(base, below, above) => {
                write!(f, "{base}_{below}")?;
                if let Some(above) = above {
                    write!(f, "^{above}")?;
                }
                f.write_str(" ")
            }
            Math::Root(of) => write!(f, "√({of})"),
            Math::Colored(_, piece) => piece.fmt(f),
        }
    }
}

/// A factor: in brackets where it is negative.
fn signed(value: f64) -> Math {
    if value < 0.0 { row([op("("), number(value), op(")")]) } else { number(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_can_be_said_in_a_line() {
        let formula =
            row([entry("A", ["q", "1"]), op("="), fraction(call("exp", number(-0.5)), number(2.0))]);
        assert_eq!(formula.to_string(), "A[q, 1] = (exp(−0.5))/(2)");
    }

    #[test]
    fn a_long_dot_product_shows_its_ends_and_what_is_looked_at() {
        let terms: Vec<(f64, f64)> = (0..40).map(|i| (f64::from(i), 1.0)).collect();
        let text = dot_product(&terms, 780.0, Some(20)).to_string();
        assert_eq!(text, "0·1 + 1·1 + 2·1 + 3·1 + ⋯ + 20·1 + ⋯ + 39·1 = 780");
    }

    #[test]
    fn negative_factors_are_bracketed() {
        assert_eq!(dot_product(&[(2.0, -1.5)], -3.0, None).to_string(), "2·(−1.5) = −3");
    }
}
