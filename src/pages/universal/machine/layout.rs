//! Where the blocks of a state stand in the picture: pure mathematics, no canvas.
//!
//! The roll shows the leaves of all trees in the order of their columns. Below it, level by level, a
//! node stands under the middle of the nodes that it is the sum of, whatever slot it has in the state,
//! so that what one sees is the tree.

use transformer::{AttentionPath, paths_of_length};
use universal::{Consumer, Layout, Slot};

/// The picture of a whole layout, in units in which the roll is `width` wide.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Level 0 is the roll, level l what stands after layer l.
    pub levels: Vec<Vec<Node>>,
    /// The stretches of the roll that belong to one consumer.
    pub stretches: Vec<Stretch>,
    /// The width of one column.
    pub unit: f64,
}

/// A node of a tree of attention paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Whose tree.
    pub consumer: Consumer,
    /// What of its path is still to be contracted.
    pub rest: AttentionPath,
    /// Where it stands in the state.
    pub slot: Slot,
    /// Its left edge in the picture.
    pub left: f64,
    /// Its width in the picture.
    pub width: f64,
    /// The nodes of the level above that are added up in it: the step that each takes, and its index.
    pub sources: Vec<(u8, usize)>,
    /// Whether something of the finished computation reads it. In a looped layout the roll also has
    /// blocks that only keep a place.
    pub is_read: bool,
}

/// The blocks of one consumer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Whose blocks.
    pub consumer: Consumer,
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
}

impl Node {
    /// The middle.
    pub fn middle(&self) -> f64 {
        self.left + self.width / 2.0
    }

    /// Whether its whole path is contracted, so that its consumer reads it here.
    pub fn is_root(&self) -> bool {
        self.rest.0.is_empty()
    }
}

impl Score {
    /// Lays out a state so that the roll is `width` wide.
    pub fn new(layout: &Layout, width: f64) -> Score {
        let class = *layout.class();
        let blocks = layout.blocks();
        // Gaps tell blocks apart; where there are too many blocks for that, the columns get the room.
        let gap = (width * 0.2 / blocks.len() as f64).min(4.0);
        let gap = if gap < 0.5 { 0.0 } else { gap };
        let unit = (width - gap * (blocks.len() - 1) as f64) / layout.width() as f64;

        let mut roll = Vec::with_capacity(blocks.len());
        let mut stretches: Vec<Stretch> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let left = block.offset as f64 * unit + gap * index as f64;
            let slot = Slot { offset: block.offset, width: block.width };
            let node = Node {
                consumer: block.consumer,
                rest: block.path.clone(),
                slot,
                left,
                width: block.width as f64 * unit,
                sources: Vec::new(),
                is_read: layout.node(block.consumer, 0, &block.path) == Some(slot)
                    && block.path.0.len() == block.consumer.depth(&class),
            };
            match stretches.last_mut() {
                Some(last) if last.consumer == block.consumer => last.right = node.left + node.width,
                _ => stretches.push(Stretch {
                    consumer: block.consumer,
                    left: node.left,
                    right: node.left + node.width,
                }),
            }
            roll.push(node);
        }

        let mut levels = vec![roll];
        for level in 1..=class.layers {
            let above = &levels[level - 1];
            let mut next = Vec::new();
            for consumer in Consumer::all(&class) {
                let depth = consumer.depth(&class);
                if depth < level {
                    continue;
                }
                let of_consumer: Vec<usize> = (0..above.len())
                    .filter(|index| above[*index].consumer == consumer && above[*index].is_read)
                    .collect();
                let (base, first_step) = class.steps();
                let rest_count = of_consumer.len() / base;
                for (index, rest) in paths_of_length(&class, depth - level).enumerate() {
                    let Some(slot) = layout.node(consumer, level, &rest) else { continue };
                    // The step that this layer contracts is the slowest digit of the index above.
                    let sources: Vec<(u8, usize)> = (0..base)
                        .filter_map(|digit| {
                            let source = of_consumer.get(digit * rest_count + index)?;
                            Some(((digit + first_step) as u8, *source))
                        })
                        .collect();
                    let middle = sources.iter().map(|(_, source)| above[*source].middle()).sum::<f64>()
                        / sources.len() as f64;
                    let width = slot.width as f64 * unit;
                    let left = middle - width / 2.0;
                    next.push(Node { consumer, rest, slot, left, width, sources, is_read: true });
                }
            }
            levels.push(next);
        }
        Score { levels, stretches, unit }
    }

    /// The node of a level at `x`; levels are not sorted by place, so the nearest of those that cover it.
    pub fn node_at(&self, level: usize, x: f64) -> Option<usize> {
        let nodes = self.levels.get(level)?;
        (0..nodes.len())
            .filter(|index| nodes[*index].left <= x && x < nodes[*index].left + nodes[*index].width)
            .min_by(|a, b| {
                let distance = |index: &usize| (nodes[*index].middle() - x).abs();
                distance(a).total_cmp(&distance(b))
            })
    }

    /// The node of a consumer with a given rest.
    pub fn find(&self, level: usize, consumer: Consumer, rest: &AttentionPath) -> Option<usize> {
        self.levels
            .get(level)?
            .iter()
            .position(|node| node.consumer == consumer && node.is_read && node.rest == *rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transformer::{Attention, Class, Mask, Scale};

    fn class(heads: usize, layers: usize, residual: bool) -> Class {
        Class {
            heads,
            layers,
            width: 4,
            head_width: 2,
            attention: Attention::Softmax,
            mask: Mask::None,
            scale: Scale::InverseSqrt,
            residual,
        }
    }

    #[test]
    fn every_node_is_the_sum_of_one_node_for_each_step_and_stands_under_their_middle() {
        let sparse = [class(1, 3, false), class(2, 3, false), class(3, 2, false), class(2, 2, true)];
        let layouts = sparse.iter().map(Layout::sparse).chain(sparse[..3].iter().map(Layout::looped));
        for layout in layouts {
            let class = *layout.class();
            let score = Score::new(&layout, 700.0);
            assert_eq!(score.levels.len(), class.layers + 1);
            for level in 1..=class.layers {
                for node in &score.levels[level] {
                    assert_eq!(node.sources.len(), class.steps().0);
                    let mut middles = 0.0;
                    for (step, source) in &node.sources {
                        let source = &score.levels[level - 1][*source];
                        assert_eq!(source.consumer, node.consumer);
                        assert_eq!(source.rest.0[0], *step);
                        assert_eq!(source.rest.0[1..], node.rest.0);
                        middles += source.middle();
                    }
                    assert!((middles / node.sources.len() as f64 - node.middle()).abs() < 1e-9);
                }
            }
            assert_eq!(score.levels[class.layers].len(), 1, "only the output is left at the end");
        }
    }

    #[test]
    fn the_roll_fills_its_width_in_the_order_of_the_columns() {
        for layers in 1..=5 {
            let layout = Layout::sparse(&class(2, layers, false));
            let score = Score::new(&layout, 640.0);
            let roll = &score.levels[0];
            assert!(roll.windows(2).all(|pair| pair[0].left + pair[0].width <= pair[1].left + 1e-9));
            assert!(roll[0].left.abs() < 1e-9);
            let last = &roll[roll.len() - 1];
            assert!((last.left + last.width - 640.0).abs() < 1e-6);
            for (index, node) in roll.iter().enumerate() {
                assert_eq!(score.node_at(0, node.middle()), Some(index));
            }
        }
    }
}
