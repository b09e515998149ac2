//! Where the blocks of a state stand in the picture: pure mathematics, no canvas.
//!
//! The roll shows the leaves of all trees in the order of their columns. Below it, level by level, a
//! node stands under the middle of the nodes that it is the sum of, whatever slot it has in the state,
//! so that what one sees is the tree.
//!
//! The nodes of one tree on one level are alike and stand at equal distances, so they are kept as one [`Row`]:
//! where a node stands, and which node stands somewhere, is a multiplication and not a search.

use std::iter::StepBy;
use std::ops::Range;

use transformer::{AttentionPath, Class, path_at, path_index};
use universal::{Block, Consumer, Layout, Slot};

/// The picture of a whole layout, in units in which the roll is `width` wide.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    class: Class,
    /// Level 0 is the roll, level l what stands after layer l; on each, rows from left to right.
    pub levels: Vec<Vec<Row>>,
    /// The width of one column.
    pub unit: f64,
}

/// The nodes of one tree on one level, in the order of their paths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Whose tree.
    pub consumer: Consumer,
    /// How many steps of the nodes' paths are still to be contracted.
    pub length: usize,
    /// The number of nodes.
    pub count: usize,
    /// Where the first node stands in the state; the others follow without a gap.
    pub slot: Slot,
    /// The left edge of the first node in the picture.
    pub left: f64,
    /// The width of a node in the picture.
    pub width: f64,
    /// From one node to the next in the picture.
    pub pitch: f64,
    /// Whether something of the finished computation reads the nodes. In a looped layout the roll also has
    /// blocks that only keep a place.
    pub is_read: bool,
}

/// A node: its level, its row there, and its number in the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// How many layers have contracted it.
    pub level: usize,
    /// Which of the level's rows.
    pub row: usize,
    /// Which of the row's nodes.
    pub index: usize,
}

/// Nodes of a row at equal distances: the first, the distance, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comb {
    /// The first of them.
    pub first: usize,
    /// From one to the next; at least 1.
    pub stride: usize,
    /// How many there are.
    pub count: usize,
}

impl Row {
    /// The left edge of a node.
    pub fn left_of(&self, index: usize) -> f64 {
        self.left + self.pitch * index as f64
    }

    /// The middle of a node.
    pub fn middle(&self, index: usize) -> f64 {
        self.left_of(index) + self.width / 2.0
    }

    /// The right edge of the last node.
    pub fn right(&self) -> f64 {
        self.left_of(self.count - 1) + self.width
    }

    /// Where a node stands in the state.
    pub fn slot_of(&self, index: usize) -> Slot {
        Slot { offset: self.slot.offset + index * self.slot.width, width: self.slot.width }
    }

    /// Whether the nodes' paths are contracted, so that their consumer reads them here.
    pub fn is_root(&self) -> bool {
        self.length == 0
    }

    /// All nodes.
    pub fn all(&self) -> Comb {
        Comb { first: 0, stride: 1, count: self.count }
    }

    /// The nodes that are on the way through the node with the path `rest` of the same tree, in a class with `class`'s
    /// steps: those whose path ends with it, or the one whose path ends it.
    pub fn through(&self, class: &Class, rest: &AttentionPath) -> Comb {
        let base = class.steps().0;
        let Some(number) = path_index(class, rest) else { return Comb::NONE };
        match self.length.checked_sub(rest.0.len()) {
            Some(more) => Comb {
                first: number,
                stride: self.count / base.pow(more as u32),
                count: base.pow(more as u32),
            },
            None => Comb { first: number % self.count, stride: 1, count: 1 },
        }
    }
}

impl Comb {
    /// No node.
    pub const NONE: Comb = Comb { first: 0, stride: 1, count: 0 };

    /// Whether a node is one of them.
    pub fn has(self, index: usize) -> bool {
        index >= self.first
            && (index - self.first).is_multiple_of(self.stride)
            && (index - self.first) / self.stride < self.count
    }

    /// Those of them that lie in a range, in their order.
    pub fn within(self, range: &Range<usize>) -> StepBy<Range<usize>> {
        let before = range.start.saturating_sub(self.first).div_ceil(self.stride);
        let start = self.first + before * self.stride;
        let end = (self.first + self.count * self.stride).min(range.end);
        (start..end.max(start)).step_by(self.stride)
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

        let mut roll: Vec<Row> = Vec::new();
        let mut before = 0;
        let alike = |one: &Block, other: &Block| {
            one.consumer == other.consumer && one.path.0.len() == other.path.0.len()
        };
        for group in blocks.chunk_by(alike) {
            let first = &group[0];
            let length = first.path.0.len();
            roll.push(Row {
                consumer: first.consumer,
                length,
                count: group.len(),
                slot: Slot { offset: first.offset, width: first.width },
                left: first.offset as f64 * unit + gap * before as f64,
                width: first.width as f64 * unit,
                pitch: first.width as f64 * unit + gap,
                is_read: length == first.consumer.depth(&class),
            });
            before += group.len();
        }

        let base = class.steps().0;
        let mut levels = vec![roll];
        for level in 1..=class.layers {
            // The step that a layer contracts is the slowest digit, so a node is the sum of nodes that stand at equal
            // distances, and the whole row stands under the middle of the row above.
            let contracted = |above: &Row| {
                let length = above.length.checked_sub(1).filter(|_| above.is_read)?;
                let first = layout.node(above.consumer, level, &path_at(&class, length, 0))?;
                let count = above.count / base;
                let shift = (above.count - count) as f64 / 2.0 * above.pitch;
                Some(Row { length, count, slot: first, left: above.left + shift, ..*above })
            };
            let next = levels[level - 1].iter().filter_map(contracted).collect();
            levels.push(next);
        }
        Score { class, levels, unit }
    }

    /// The class whose paths these are.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// A row of a level.
    pub fn row(&self, place: Place) -> &Row {
        &self.levels[place.level][place.row]
    }

    /// What of its path a node still has to go.
    pub fn rest(&self, place: Place) -> AttentionPath {
        path_at(&self.class, self.row(place).length, place.index)
    }

    /// The row of the level above whose nodes are added up in a row, which is not one of the roll.
    pub fn above(&self, level: usize, row: &Row) -> Option<&Row> {
        self.levels
            .get(level.checked_sub(1)?)?
            .iter()
            .find(|above| above.consumer == row.consumer && above.is_read)
    }

    /// The steps that lead to a node of a row of `count` nodes, and the number of the node that takes each.
    pub fn sources(&self, count: usize, index: usize) -> impl Iterator<Item = (u8, usize)> + use<> {
        let (base, first) = self.class.steps();
        (0..base).map(move |digit| ((digit + first) as u8, digit * count + index))
    }

    /// The node of a level at `x`.
    pub fn node_at(&self, level: usize, x: f64) -> Option<Place> {
        let rows = self.levels.get(level)?;
        let row = rows.partition_point(|row| row.left <= x).checked_sub(1)?;
        let from = x - rows[row].left;
        // The last node's right edge is where rounding leaves it.
        let index = ((from / rows[row].pitch) as usize).min(rows[row].count - 1);
        (from - rows[row].pitch * index as f64 <= rows[row].width).then_some(Place { level, row, index })
    }

    /// The node of a consumer with a given rest.
    pub fn find(&self, level: usize, consumer: Consumer, rest: &AttentionPath) -> Option<Place> {
        let of = |row: &Row| row.consumer == consumer && row.is_read && row.length == rest.0.len();
        let row = self.levels.get(level)?.iter().position(of)?;
        Some(Place { level, row, index: path_index(&self.class, rest)? })
    }

    /// The block of the roll that holds a column: its row's number and its own.
    pub fn block_of(&self, column: usize) -> Option<Place> {
        let roll = &self.levels[0];
        let row = roll.partition_point(|row| row.slot.offset <= column).checked_sub(1)?;
        let index = (column - roll[row].slot.offset) / roll[row].slot.width;
        (index < roll[row].count).then_some(Place { level: 0, row, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transformer::{Attention, Mask, Scale, paths_of_length};

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

    fn layouts() -> impl Iterator<Item = Layout> {
        let sparse = [class(1, 3, false), class(2, 3, false), class(3, 2, false), class(2, 2, true)];
        let looped = sparse.map(|class| Layout::looped(&class)).into_iter().take(3);
        sparse.map(|class| Layout::sparse(&class)).into_iter().chain(looped)
    }

    /// Every node of every level.
    fn places(score: &Score) -> Vec<Place> {
        let mut places = Vec::new();
        for (level, rows) in score.levels.iter().enumerate() {
            for (row, nodes) in rows.iter().enumerate() {
                places.extend((0..nodes.count).map(|index| Place { level, row, index }));
            }
        }
        places
    }

    #[test]
    fn every_node_stands_in_the_slot_that_the_layout_gives_it() {
        for layout in layouts() {
            let class = *layout.class();
            let score = Score::new(&layout, 700.0);
            let mut blocks = layout.blocks().iter();
            for place in places(&score) {
                let row = score.row(place);
                if place.level == 0 {
                    let block = blocks.next().unwrap();
                    assert_eq!(row.slot_of(place.index), Slot { offset: block.offset, width: block.width });
                    assert_eq!((row.consumer, score.rest(place)), (block.consumer, block.path.clone()));
                    assert_eq!(score.block_of(block.offset + block.width - 1), Some(place));
                }
                if row.is_read {
                    let slot = layout.node(row.consumer, place.level, &score.rest(place));
                    assert_eq!(slot, Some(row.slot_of(place.index)));
                    assert_eq!(score.find(place.level, row.consumer, &score.rest(place)), Some(place));
                }
            }
            assert_eq!(blocks.next(), None, "the roll has all blocks");
            for consumer in Consumer::all(&class) {
                let depth = consumer.depth(&class);
                for level in 0..=depth {
                    for rest in paths_of_length(&class, depth - level) {
                        assert!(score.find(level, consumer, &rest).is_some(), "{consumer} {rest} at {level}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_node_is_the_sum_of_one_node_for_each_step_and_stands_under_their_middle() {
        for layout in layouts() {
            let class = *layout.class();
            let score = Score::new(&layout, 700.0);
            assert_eq!(score.levels.len(), class.layers + 1);
            for place in places(&score).into_iter().filter(|place| place.level > 0) {
                let row = score.row(place);
                let above = score.above(place.level, row).unwrap();
                let mut middles = 0.0;
                let sources: Vec<(u8, usize)> = score.sources(row.count, place.index).collect();
                assert_eq!(sources.len(), class.steps().0);
                for (step, source) in &sources {
                    let path = path_at(&class, above.length, *source);
                    assert_eq!(path.0[0], *step);
                    assert_eq!(path.0[1..], score.rest(place).0);
                    middles += above.middle(*source);
                }
                assert!((middles / sources.len() as f64 - row.middle(place.index)).abs() < 1e-9);
            }
            let nodes: usize = score.levels[class.layers].iter().map(|row| row.count).sum();
            assert_eq!(nodes, 1, "only the output is left at the end");
        }
    }

    #[test]
    fn the_roll_fills_its_width_and_every_node_is_found_where_it_stands() {
        for layout in layouts().chain((1..=5).map(|layers| Layout::sparse(&class(2, layers, false)))) {
            let score = Score::new(&layout, 640.0);
            let edges = |place: Place| {
                let left = score.row(place).left_of(place.index);
                (left, left + score.row(place).width)
            };
            let all = places(&score);
            for pair in all.windows(2).filter(|pair| pair[0].level == pair[1].level) {
                assert!(edges(pair[0]).1 <= edges(pair[1]).0 + 1e-9, "{pair:?} overlap");
            }
            let last = all.iter().rposition(|place| place.level == 0).unwrap();
            assert!(edges(all[0]).0.abs() < 1e-9);
            assert!((edges(all[last]).1 - 640.0).abs() < 1e-6);
            for place in all {
                assert_eq!(score.node_at(place.level, score.row(place).middle(place.index)), Some(place));
            }
            assert_eq!(score.node_at(0, -1.0), None);
            assert_eq!(score.node_at(0, 641.0), None);
        }
    }

    #[test]
    fn the_nodes_through_a_node_are_those_whose_paths_end_alike() {
        let layout = Layout::sparse(&class(3, 4, true));
        let score = Score::new(&layout, 640.0);
        for through in (0..=4).flat_map(|length| paths_of_length(score.class(), length).step_by(7)) {
            for place in places(&score) {
                let row = score.row(place);
                let rest = score.rest(place);
                let belongs = rest.0.ends_with(&through.0) || through.0.ends_with(&rest.0);
                assert_eq!(
                    row.through(score.class(), &through).has(place.index),
                    belongs,
                    "{rest} and {through}"
                );
            }
        }
    }

    #[test]
    fn a_comb_gives_what_it_has() {
        let comb = Comb { first: 3, stride: 4, count: 5 };
        for range in [0..30, 4..12, 7..8, 20..40, 0..3] {
            let given: Vec<usize> = comb.within(&range).collect();
            let had: Vec<usize> = range.filter(|index| comb.has(*index)).collect();
            assert_eq!(given, had);
        }
        assert_eq!(Comb::NONE.within(&(0..9)).count(), 0);
    }
}
