//! How explicit constructions are put together: layouts, routings, and a dense twin.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use common::{class, difference, input};
use ndarray::Array2;
use transformer::{AttentionPath, Class, Target, attend, path_at};
use universal::{Bounds, Consumer, Layout, Mixing, Projection, Role, UniversalTransformer};

/// Classes that differ in everything that shapes a layout.
fn shapes() -> Vec<Class> {
    let mut shapes = vec![class(1, 1, 4, 4), class(1, 3, 3, 2), class(2, 3, 4, 2), class(3, 2, 2, 3)];
    shapes.extend(shapes.clone().into_iter().map(|class| Class { residual: true, ..class }));
    shapes
}

fn explicit(class: Class) -> Vec<UniversalTransformer> {
    let sparse = UniversalTransformer::sparse(class).unwrap();
    let looped = (!class.residual).then(|| UniversalTransformer::looped(class).unwrap());
    [sparse].into_iter().chain(looped).collect()
}

#[test]
fn consumers_come_in_the_order_of_the_program() {
    let names: Vec<String> = Consumer::all(&class(2, 2, 4, 2)).iter().map(Consumer::to_string).collect();
    assert_eq!(names, ["q1,1", "q1,2", "k1,1", "k1,2", "q2,1", "q2,2", "k2,1", "k2,2", "out"]);
    let roles: Vec<String> = Role::all(&class(2, 2, 4, 2)).iter().map(Role::to_string).collect();
    assert_eq!(roles, ["q1", "q2", "k1", "k2", "out"]);
}

#[test]
fn blocks_tile_the_columns() {
    for class in shapes() {
        for universal in explicit(class) {
            let layout = universal.layout().unwrap();
            let mut end = 0;
            for block in layout.blocks() {
                assert_eq!(block.offset, end);
                assert_eq!(block.width, block.consumer.width(&class));
                end += block.width;
                for column in block.offset..end {
                    assert_eq!(layout.block_of_column(column), Some(block));
                }
                // Before the first layer every node is a leaf and stands where its block is.
                let slot = layout.node(block.consumer, 0, &block.path).unwrap();
                assert_eq!((slot.offset, slot.width), (block.offset, block.width));
                assert!(layout.columns(block.consumer).unwrap().contains(&block.offset));
            }
            assert_eq!(end, layout.width());
            assert_eq!(layout.block_of_column(end), None);
        }
    }
}

#[test]
fn what_is_no_node_has_no_slot() {
    let class = class(2, 3, 4, 2);
    let layout = Layout::sparse(&class);
    let key = Consumer::Key { layer: 1, head: 0 };
    assert!(layout.node(key, 1, &AttentionPath(vec![])).is_some());
    assert_eq!(layout.node(key, 2, &AttentionPath(vec![])), None, "it was read and is gone");
    assert_eq!(layout.node(key, 0, &AttentionPath(vec![])), None, "too short a path");
    assert_eq!(layout.node(key, 0, &AttentionPath(vec![3])), None, "no such head");
    assert_eq!(layout.node(key, 0, &AttentionPath(vec![0])), None, "there is no skip");
    assert_eq!(layout.node(Consumer::Key { layer: 3, head: 0 }, 3, &AttentionPath(vec![])), None);
    assert_eq!(layout.node(Consumer::Key { layer: 1, head: 2 }, 1, &AttentionPath(vec![])), None);
}

/// With residual connections the universal transformer's own residual carries the skip.
#[test]
fn the_skip_stays_where_it_stands() {
    let class = Class { residual: true, ..class(2, 3, 4, 2) };
    let layout = Layout::sparse(&class);
    for consumer in Consumer::all(&class) {
        let depth = consumer.depth(&class);
        for level in 0..depth {
            for index in 0..3_usize.pow((depth - level - 1) as u32) {
                let rest = path_at(&class, depth - level - 1, index);
                let skip = AttentionPath([vec![0], rest.0.clone()].concat());
                assert_eq!(layout.node(consumer, level, &skip), layout.node(consumer, level + 1, &rest));
            }
        }
    }
}

#[test]
fn routings_have_at_most_one_1_in_each_row_and_column() {
    for class in shapes() {
        for universal in explicit(class) {
            for head in universal.layers().iter().flat_map(|layer| &layer.heads) {
                let dense = dense_mixing(&head.value);
                assert!(dense.iter().all(|entry| *entry == 0.0 || *entry == 1.0));
                assert!(dense.rows().into_iter().all(|row| row.sum() <= 1.0));
                assert!(dense.columns().into_iter().all(|column| column.sum() <= 1.0));
            }
        }
    }
}

/// The sparse construction once more, straight from the mathematics: a block is named by its consumer and
/// its path with the contracted places marked, weights are explicit matrices of zeros and ones, and every
/// product is dense. It must do what the gathers do.
#[test]
fn a_dense_twin_agrees() {
    for class in shapes() {
        let universal = UniversalTransformer::sparse(class).unwrap();
        let twin = DenseTwin::new(class);
        let target = Target::random(class, 3).unwrap();
        let embedding = universal.program(&target).unwrap().embedding;
        let x = input(5, class.width, 4);
        let trace = universal.forward(x.view(), embedding.view()).unwrap();
        let mut state = x.dot(&embedding);
        for layer in 0..class.layers {
            let mut next = if class.residual { state.clone() } else { Array2::zeros(state.dim()) };
            for head in 0..class.heads {
                let read = |projection: &Array2<f64>| state.dot(projection);
                let queries = read(&twin.select(Consumer::Query { layer, head }));
                let keys = read(&twin.select(Consumer::Key { layer, head }));
                let scores = queries.dot(&keys.t()) * class.score_factor();
                let shares = attend(scores, class.attention, class.mask);
                assert!(difference(shares.view(), trace.attention[layer][head].view()) < 1e-13);
                next += &shares.dot(&state.dot(&twin.mixing(layer, head)));
            }
            state = next;
            // Columns that no node stands in may differ: the twin is told nothing about them.
            for (consumer, rest, slot) in twin.nodes_after(layer + 1) {
                let found = universal.node_value(&trace, consumer, layer + 1, &rest).unwrap();
                let expected = state.slice(ndarray::s![.., slot..slot + consumer.width(&class)]);
                assert!(difference(expected, found.view()) < 1e-13);
            }
        }
        let output = state.dot(&twin.select(Consumer::Output));
        assert!(difference(output.view(), trace.output.view()) < 1e-13);
    }
}

struct DenseTwin {
    class: Class,
    /// The first column of (consumer, remaining path): where the leaf stands whose contracted places hold
    /// the first step of the class.
    places: HashMap<(Consumer, Vec<u8>), usize>,
    width: usize,
}

impl DenseTwin {
    fn new(class: Class) -> Self {
        let (base, first) = class.steps();
        let (mut places, mut width) = (HashMap::new(), 0);
        for consumer in Consumer::all(&class) {
            let depth = consumer.depth(&class);
            for index in 0..base.pow(depth as u32) {
                let path = path_at(&class, depth, index);
                // The contracted mark is the lowest step: leading marks stand for contracted places.
                let marks = path.0.iter().take_while(|step| **step as usize == first).count();
                for contracted in 0..=marks {
                    places.insert((consumer, path.0[contracted..].to_vec()), width);
                }
                width += consumer.width(&class);
            }
        }
        DenseTwin { class, places, width }
    }

    fn mixing(&self, layer: usize, head: usize) -> Array2<f64> {
        let mut dense = Array2::zeros((self.width, self.width));
        for (consumer, rest, to) in self.nodes_after(layer + 1) {
            let step = [vec![head as u8 + 1], rest.0].concat();
            let from = self.places[&(consumer, step)];
            for column in 0..consumer.width(&self.class) {
                dense[[from + column, to + column]] = 1.0;
            }
        }
        dense
    }

    fn nodes_after(&self, level: usize) -> Vec<(Consumer, AttentionPath, usize)> {
        let is_there = |consumer: &Consumer, rest: &[u8]| consumer.depth(&self.class) == level + rest.len();
        let nodes = self.places.iter().filter(|((consumer, rest), _)| is_there(consumer, rest));
        nodes.map(|((consumer, rest), place)| (*consumer, AttentionPath(rest.clone()), *place)).collect()
    }

    fn select(&self, consumer: Consumer) -> Array2<f64> {
        let root = self.places[&(consumer, vec![])];
        let mut dense = Array2::zeros((self.width, consumer.width(&self.class)));
        for column in 0..consumer.width(&self.class) {
            dense[[root + column, column]] = 1.0;
        }
        dense
    }
}

/// All states, not only nodes, of sparse and looped gathers against dense products of the same weights.
#[test]
fn gathers_equal_dense_products() {
    for class in shapes() {
        for universal in explicit(class) {
            let m = universal.width();
            let state = input(4, m, 6);
            let head = universal.head(class.layers - 1, class.heads - 1);
            assert_eq!(head.value.apply(state.view()), state.dot(&dense_mixing(&head.value)));
            for projection in [&head.query, &head.key, universal.unembedding()] {
                assert!(matches!(projection, Projection::Selection { .. }));
                assert_eq!(projection.apply(state.view()), state.dot(&projection.to_dense(m)));
            }
        }
    }
}

#[test]
fn looped_states_hold_the_output_of_every_layer() {
    let class = class(2, 3, 4, 2);
    let target = Target::random(class, 1).unwrap();
    let played = common::perform(&target, universal::Construction::Looped, input(5, 4, 2).view());
    for level in 0..=class.layers {
        let root = played.universal.node_value(
            &played.universal_trace,
            Consumer::Output,
            level,
            &AttentionPath(vec![]),
        );
        assert!(difference(root.unwrap().view(), played.target_trace.states[level].view()) < 1e-12);
    }
}

#[test]
fn multiplications_are_counted_as_they_are_done() {
    for class in shapes() {
        for universal in explicit(class) {
            let n = 7;
            let mut count = n * class.width * universal.width();
            for layer in 0..class.layers {
                for head in 0..class.heads {
                    let Mixing::Routing(routing) = &universal.head(layer, head).value else {
                        panic!("explicit weights are routings")
                    };
                    let moved: usize = routing.moves().iter().map(|it| it.width).sum();
                    count += n * n * (class.head_width + moved);
                }
            }
            let construction = universal.construction();
            assert_eq!(universal::bounds::multiply_adds(construction, &class, n), count as u128);
            assert_eq!(Bounds::of(&class).width(construction), Some(universal.width() as u128));
        }
    }
}

fn dense_mixing(mixing: &Mixing) -> Array2<f64> {
    let Mixing::Routing(routing) = mixing else { panic!("explicit weights are routings") };
    let mut dense = Array2::zeros((routing.width(), routing.width()));
    for it in routing.moves() {
        for column in 0..it.width {
            dense[[it.from + column, it.to + column]] += 1.0;
        }
    }
    dense
}
