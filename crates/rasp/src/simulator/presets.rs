//! Targets that each show one thing.

use ndarray::{Array1, Array2, array};

use super::class::{Activation, Attend, Mask};
use super::target::{FeedForward, Head, Target};

/// Their names in links, in the order in which they are offered.
pub const IDS: [&str; 8] =
    ["first", "lookup", "average", "ties", "previous", "two-heads", "encoder", "overflow"];

/// The target of this name.
pub fn by_id(id: &str) -> Option<Target> {
    Some(match id {
        "first" => first(),
        "lookup" => lookup(),
        "average" => average(),
        "ties" => ties(),
        "previous" => previous(),
        "two-heads" => two_heads(),
        "encoder" => encoder(),
        "overflow" => overflow(),
        _ => return None,
    })
}

fn layer(x: Array2<f64>, heads: Vec<Head>, attend: Attend) -> Target {
    Target { x, heads, attend, mask: Mask::None, feed_forward: None }
}

/// Four tokens with two coordinates: small enough to follow every number by hand.
fn first() -> Target {
    let x = array![[0.5, -1.0], [1.25, 0.5], [-0.75, 2.0], [0.0, 1.5]];
    let head = Head { a: array![[1.0, -0.5], [0.5, 2.0]], v: array![[0.25, 1.0], [-1.0, 0.5]] };
    layer(x, vec![head], Attend::Softmax)
}

/// Rows are asked for by their first three coordinates and give their last: hard attention looks up.
fn lookup() -> Target {
    let x = array![
        [1.0, 0.0, 0.0, 10.0],
        [0.0, 1.0, 0.0, 20.0],
        [0.0, 0.0, 1.0, 30.0],
        [0.0, 1.0, 0.0, 20.0],
        [1.0, 0.0, 0.0, 10.0]
    ];
    // Each kind of row asks for the next kind.
    let a = array![[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]];
    let v = array![[0.0], [0.0], [0.0], [1.0]];
    layer(x, vec![Head { a, v }], Attend::AverageHard)
}

/// With A = 0 all scores are equal, and attention is the average of the rows.
fn average() -> Target {
    let x = array![[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [6.0, 1.0]];
    layer(x, vec![Head { a: Array2::zeros((2, 2)), v: Array2::eye(2) }], Attend::Softmax)
}

/// Every row is there twice: hard attention shares between equals.
fn ties() -> Target {
    let x = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    layer(x, vec![Head { a: Array2::eye(2), v: array![[4.0, 0.0], [0.0, 8.0]] }], Attend::AverageHard)
}

/// Positions on a circle, turned back by one place: each row asks for the row before it.
fn previous() -> Target {
    let n = 6;
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / n as f64;
    let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
    let x = Array2::from_shape_fn((n, 3), |(i, j)| match j {
        0 => angle(i).cos(),
        1 => angle(i).sin(),
        _ => values[i],
    });
    let (cosine, sine) = (angle(1).cos(), angle(1).sin());
    // Row vector times A is the query: the position's own direction, turned back, and made long.
    let a = array![[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 0.0]] * 40.0;
    layer(x, vec![Head { a, v: array![[0.0], [0.0], [1.0]] }], Attend::Softmax)
}

/// Theorem 9: one head averages, the other looks for what resembles; their outputs are added.
fn two_heads() -> Target {
    let x = array![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [0.5, -1.0]];
    let averages = Head { a: Array2::zeros((2, 2)), v: array![[1.0, 0.0], [0.0, 1.0]] };
    let resembles = Head { a: array![[2.0, 0.0], [0.0, 2.0]], v: array![[0.0, 1.0], [1.0, 0.0]] };
    layer(x, vec![averages, resembles], Attend::Softmax)
}

/// Corollary 9.1: two heads and a feed-forward sub-layer.
fn encoder() -> Target {
    let feed_forward = FeedForward {
        w1: array![[1.0, -1.0, 0.5, 0.0], [0.0, 1.0, -0.5, 2.0]],
        b1: Array1::from(vec![0.0, 0.25, 0.0, -0.5]),
        w2: array![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [0.5, 1.0]],
        b2: Array1::from(vec![0.1, -0.1]),
        activation: Activation::Relu,
    };
    Target { feed_forward: Some(feed_forward), ..two_heads() }
}

/// Scores of 1,600: `exp` of them is beyond all floating-point numbers, unless the largest of the row is
/// subtracted first.
fn overflow() -> Target {
    let x = array![[40.0, 0.0], [0.0, 40.0], [40.0, 40.0]];
    layer(x, vec![Head { a: Array2::eye(2), v: Array2::eye(2) }], Attend::Softmax)
}
