//! Where the nodes of a tree of attention paths stand, and which of them can be seen: pure mathematics, no canvas.
//!
//! Level 0 has the leaves, the last level the root. A node of level t is the number of its remaining path among all
//! paths of length depth − t, the first step being the high digit, as in the blocks of E. Nothing here that is asked
//! for in every frame takes longer when there are more leaves than can be seen: nodes too narrow to be told apart are
//! taken together in runs, whose largest norms are known beforehand.

use std::ops::Range;

/// Which way leads from one leaf to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// As the blocks of E: the first step is the slowest. Each head then moves one slice of neighbours.
    #[default]
    Roll,
    /// The last step is the slowest: every subtree is one piece, and no edges cross.
    Subtrees,
}

/// A node: its level, and the number of its remaining path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeAt {
    /// How many steps have been contracted.
    pub level: usize,
    /// The number of the remaining path among all of its length.
    pub index: usize,
}

/// A tree with the norms of its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Norms {
    /// B, the number of children of each node.
    pub base: usize,
    /// What the first of the B steps is called: 0 where it is the skip of a residual class, else 1.
    pub first_step: u8,
    /// `levels[t][i]`: the norm of node `i` of level t. There are B^(depth − t) of them, the root last.
    pub levels: Vec<Vec<f64>>,
}

/// A tree with a place for each node, in units of one leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    base: usize,
    first_step: u8,
    depth: usize,
    order: Order,
    levels: Vec<Maxima>,
}

/// Neighbours on one level that are drawn as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Their places in the row.
    pub places: Range<usize>,
    /// The largest of their norms.
    pub largest: f64,
}

/// The edges of a run of nodes to their parents, drawn as one. Each edge is as wide as the cell of its child.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The children.
    pub run: Run,
    /// Where the edges begin, at the children: left and right.
    pub top: (f64, f64),
    /// Where they end, at the parents.
    pub foot: (f64, f64),
    /// The step that they all take; `None` where they take different ones.
    pub step: Option<u8>,
}

/// Places at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comb {
    first: usize,
    stride: usize,
    count: usize,
}

impl Layout {
    /// The layout of a tree. `norms` must have at least one level, and B^(depth − t) nodes on level t.
    pub fn new(norms: &Norms, order: Order) -> Layout {
        let (base, depth) = (norms.base, norms.levels.len() - 1);
        let levels = norms
            .levels
            .iter()
            .enumerate()
            .map(|(level, norms)| {
                let length = depth - level;
                let in_order = match order {
                    Order::Roll => norms.clone(),
                    Order::Subtrees => {
                        (0..norms.len()).map(|place| norms[reversed(place, base, length)]).collect()
                    }
                };
                Maxima::new(in_order, base)
            })
            .collect();
        Layout { base, first_step: norms.first_step, depth, order, levels }
    }

    /// The number of levels above the root.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// B, the number of children of each node.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The order of the leaves.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The number of nodes of a level.
    pub fn count(&self, level: usize) -> usize {
        self.base.pow((self.depth - level) as u32)
    }

    /// The number of leaves, which is the width of the picture.
    pub fn leaves(&self) -> usize {
        self.count(0)
    }

    /// From one node of a level to the next.
    pub fn spacing(&self, level: usize) -> f64 {
        match self.order {
            Order::Roll => 1.0,
            Order::Subtrees => self.base.pow(level as u32) as f64,
        }
    }

    /// The middle of the node at a place.
    pub fn middle(&self, level: usize, place: usize) -> f64 {
        self.left(level) + (place as f64 + 0.5) * self.spacing(level)
    }

    /// The left and the right edge of the cells of some places.
    pub fn extent(&self, level: usize, places: &Range<usize>) -> (f64, f64) {
        let edge = |place: usize| self.left(level) + place as f64 * self.spacing(level);
        (edge(places.start), edge(places.end))
    }

    /// The place of a node in its row.
    pub fn place(&self, node: NodeAt) -> usize {
        self.turned(node.level, node.index)
    }

    /// The node at a place of a row.
    pub fn node(&self, level: usize, place: usize) -> NodeAt {
        NodeAt { level, index: self.turned(level, place) }
    }

    /// The root.
    pub fn root(&self) -> NodeAt {
        NodeAt { level: self.depth, index: 0 }
    }

    /// Whether there is such a node.
    pub fn has(&self, node: NodeAt) -> bool {
        node.level <= self.depth && node.index < self.count(node.level)
    }

    /// The node that a node is added up in.
    pub fn parent(&self, node: NodeAt) -> Option<NodeAt> {
        let level = node.level + 1;
        (level <= self.depth).then(|| NodeAt { level, index: node.index % self.count(level) })
    }

    /// The nodes that are added up in a node, in the order of their steps.
    pub fn children(&self, node: NodeAt) -> impl Iterator<Item = NodeAt> + use<> {
        let of_level = self.count(node.level);
        let base = if node.level == 0 { 0 } else { self.base };
        (0..base).map(move |digit| NodeAt { level: node.level - 1, index: digit * of_level + node.index })
    }

    /// The child with the largest norm.
    pub fn strongest_child(&self, node: NodeAt) -> Option<NodeAt> {
        self.children(node).max_by(|a, b| self.norm(*a).total_cmp(&self.norm(*b)))
    }

    /// The sibling before or after a node, and beyond the last sibling the first of the next parent.
    pub fn beside(&self, node: NodeAt, by: isize) -> Option<NodeAt> {
        let length = self.depth - node.level;
        let place = reversed(node.index, self.base, length).checked_add_signed(by)?;
        (place < self.count(node.level))
            .then(|| NodeAt { level: node.level, index: reversed(place, self.base, length) })
    }

    /// The steps of the remaining path of a node.
    pub fn path(&self, node: NodeAt) -> Vec<u8> {
        (node.level..self.depth)
            .map(|level| (node.index / self.count(level + 1) % self.base) as u8 + self.first_step)
            .collect()
    }

    /// The norm of a node.
    pub fn norm(&self, node: NodeAt) -> f64 {
        self.levels[node.level].of_runs[0][self.place(node)]
    }

    /// The largest norm of a level.
    pub fn largest(&self, level: usize) -> f64 {
        self.levels[level].largest(0..self.count(level), self.base)
    }

    /// The runs of a level that are seen in a window, when a unit takes `scale` pixels. Each is `narrowest` pixels wide
    /// or more, if the level is.
    pub fn runs(&self, level: usize, window: &Range<f64>, scale: f64, narrowest: f64) -> Vec<Run> {
        let size = self.run_size(level, scale, narrowest);
        let seen = self.seen(level, window, size, 0.0);
        seen.map(|run| self.run(level, run * size..(run + 1) * size)).collect()
    }

    /// The edges from a level, which is not the root's, to the next that are seen in a window. Edges of neighbours that
    /// only pass through the window are one bundle.
    pub fn bundles(&self, level: usize, window: &Range<f64>, scale: f64, narrowest: f64) -> Vec<Bundle> {
        let size = self.run_size(level, scale, narrowest);
        match self.order {
            Order::Roll => self.slices(level, window, size),
            Order::Subtrees => self.fans(level, window, size),
        }
    }

    /// The run at a point of a level, and in it the node with the largest norm.
    pub fn strongest_at(&self, level: usize, x: f64, scale: f64, narrowest: f64) -> Option<NodeAt> {
        let size = self.run_size(level, scale, narrowest);
        let place = (x - self.left(level)) / self.spacing(level);
        if place < 0.0 || place >= self.count(level) as f64 {
            return None;
        }
        let first = place as usize / size * size;
        let norms = &self.levels[level].of_runs[0];
        let strongest = (first..first + size).max_by(|a, b| norms[*a].total_cmp(&norms[*b]))?;
        Some(self.node(level, strongest))
    }

    /// The nodes of a level on the way through a node: those that are added up in it, itself, or the one that it is
    /// added up in.
    pub fn through(&self, node: NodeAt, level: usize) -> Comb {
        let place = self.place(node);
        match level.checked_sub(node.level) {
            Some(up) => {
                let first = match self.order {
                    Order::Roll => place % self.count(level),
                    Order::Subtrees => place / self.base.pow(up as u32),
                };
                Comb { first, stride: 1, count: 1 }
            }
            None => {
                let count = self.base.pow((node.level - level) as u32);
                match self.order {
                    Order::Roll => Comb { first: place, stride: self.count(node.level), count },
                    Order::Subtrees => Comb { first: place * count, stride: 1, count },
                }
            }
        }
    }

    fn left(&self, level: usize) -> f64 {
        match self.order {
            // Every parent stands under the middle of its children, so each level does.
            Order::Roll => (self.leaves() - self.count(level)) as f64 / 2.0,
            Order::Subtrees => 0.0,
        }
    }

    fn turned(&self, level: usize, number: usize) -> usize {
        match self.order {
            Order::Roll => number,
            Order::Subtrees => reversed(number, self.base, self.depth - level),
        }
    }

    /// How many nodes are taken together: a power of B, and never more than one step's share of the level.
    fn run_size(&self, level: usize, scale: f64, narrowest: f64) -> usize {
        let most = self.count((level + 1).min(self.depth));
        let width = self.spacing(level) * scale;
        let mut size = 1;
        while size < most && size as f64 * width < narrowest {
            size *= self.base;
        }
        size
    }

    fn run(&self, level: usize, places: Range<usize>) -> Run {
        let largest = self.levels[level].largest(places.clone(), self.base);
        Run { places, largest }
    }

    /// The numbers of the runs whose cells, moved by `shift`, meet the window.
    fn seen(&self, level: usize, window: &Range<f64>, size: usize, shift: f64) -> Range<usize> {
        let width = self.spacing(level) * size as f64;
        let place = |x: f64| (x - self.left(level) - shift) / width;
        let runs = self.count(level) / size;
        let first = (place(window.start).floor().max(0.0) as usize).min(runs);
        let end = (place(window.end).ceil().max(0.0) as usize).min(runs);
        first..end.max(first)
    }

    /// Edges in the order of the roll: all nodes with the same next step move by the same distance.
    fn slices(&self, level: usize, window: &Range<f64>, size: usize) -> Vec<Bundle> {
        let of_step = self.count(level + 1);
        let mut bundles = Vec::new();
        for digit in 0..self.base {
            let slice = digit * of_step / size..(digit + 1) * of_step / size;
            let shift = self.left(level + 1) - self.left(level) - (digit * of_step) as f64;
            let tops = within(self.seen(level, window, size, 0.0), &slice);
            let feet = within(self.seen(level, window, size, shift), &slice);
            let mut add = |runs: Range<usize>| {
                let run = self.run(level, runs.start * size..runs.end * size);
                let top = self.extent(level, &run.places);
                let foot = (top.0 + shift, top.1 + shift);
                bundles.push(Bundle { run, top, foot, step: Some(digit as u8 + self.first_step) });
            };
            let mut each = |runs: Range<usize>| runs.for_each(|run| add(run..run + 1));
            let (before, after) = if tops.start <= feet.start { (tops, feet) } else { (feet, tops) };
            each(before.clone());
            each(after.start.max(before.end)..after.end.max(before.end));
            // What lies between begins on one side of the window and ends on the other.
            if before.end < after.start {
                add(before.end..after.start);
            }
        }
        bundles
    }

    /// Edges by subtrees: every edge stays within the cell of its parent.
    fn fans(&self, level: usize, window: &Range<f64>, size: usize) -> Vec<Bundle> {
        if size > 1 {
            return self
                .seen(level, window, size, 0.0)
                .map(|number| {
                    let run = self.run(level, number * size..(number + 1) * size);
                    let top = self.extent(level, &run.places);
                    // The children of one parent meet in it; larger runs stand above a run of parents.
                    let foot = if size == self.base { (middle(top), middle(top)) } else { top };
                    Bundle { run, top, foot, step: None }
                })
                .collect();
        }
        let parents = self.seen(level + 1, window, 1, 0.0);
        (parents.start * self.base..parents.end * self.base)
            .filter_map(|place| {
                let top = self.extent(level, &(place..place + 1));
                let shift = self.middle(level + 1, place / self.base) - middle(top);
                let foot = (top.0 + shift, top.1 + shift);
                let is_seen = top.0.min(foot.0) < window.end && top.1.max(foot.1) > window.start;
                is_seen.then(|| Bundle {
                    run: self.run(level, place..place + 1),
                    top,
                    foot,
                    step: Some((place % self.base) as u8 + self.first_step),
                })
            })
            .collect()
    }
}

impl Comb {
    /// Whether one of the places lies in a run of places.
    pub fn meets(self, places: &Range<usize>) -> bool {
        let ahead = places.start.saturating_sub(self.first);
        let nearest = ahead.div_ceil(self.stride);
        nearest < self.count && places.contains(&(self.first + nearest * self.stride))
    }
}

/// The norms of one row, and for each power of B the largest norm in each run of so many.
#[derive(Clone, Debug, PartialEq)]
struct Maxima {
    of_runs: Vec<Vec<f64>>,
}

impl Maxima {
    fn new(norms: Vec<f64>, base: usize) -> Maxima {
        let mut of_runs = vec![norms];
        while base > 1
            && let Some(last) = of_runs.last()
            && last.len() > 1
        {
            let next = last.chunks(base).map(|run| run.iter().copied().fold(0.0, f64::max)).collect();
            of_runs.push(next);
        }
        Maxima { of_runs }
    }

    fn largest(&self, places: Range<usize>, base: usize) -> f64 {
        let (mut start, end) = (places.start, places.end);
        let mut largest = 0.0_f64;
        while start < end {
            // The largest run that begins here and does not reach beyond the end.
            let (mut power, mut size) = (0, 1);
            while power + 1 < self.of_runs.len() && start % (size * base) == 0 && start + size * base <= end {
                power += 1;
                size *= base;
            }
            largest = largest.max(self.of_runs[power][start / size]);
            start += size;
        }
        largest
    }
}

/// A number with its digits in the opposite order.
fn reversed(mut number: usize, base: usize, length: usize) -> usize {
    let mut turned = 0;
    for _ in 0..length {
        turned = turned * base + number % base;
        number /= base;
    }
    turned
}

fn within(runs: Range<usize>, slice: &Range<usize>) -> Range<usize> {
    runs.start.clamp(slice.start, slice.end)..runs.end.clamp(slice.start, slice.end)
}

fn middle((left, right): (f64, f64)) -> f64 {
    (left + right) / 2.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(base: usize, depth: usize, seed: u64) -> Norms {
        // Any numbers do, as long as they differ.
        let norm = |level: usize, index: usize| {
            let mixed = (seed ^ (level as u64 * 7919 + index as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (mixed >> 40) as f64
        };
        let levels = (0..=depth)
            .map(|level| (0..base.pow((depth - level) as u32)).map(|index| norm(level, index)).collect())
            .collect();
        Norms { base, first_step: 1, levels }
    }

    fn some_layout() -> impl Strategy<Value = (Norms, Layout)> {
        let sizes = prop_oneof![(1..=2_usize, 0..=7_usize), (3..=4_usize, 0..=4_usize)];
        let orders = prop_oneof![Just(Order::Roll), Just(Order::Subtrees)];
        (sizes, orders, any::<u64>()).prop_map(|((base, depth), order, seed)| {
            let norms = tree(base, depth, seed);
            let layout = Layout::new(&norms, order);
            (norms, layout)
        })
    }

    fn meets(a: (f64, f64), window: &Range<f64>) -> bool {
        a.0 < window.end && a.1 > window.start
    }

    fn hull(bundle: &Bundle) -> (f64, f64) {
        (bundle.top.0.min(bundle.foot.0), bundle.top.1.max(bundle.foot.1))
    }

    proptest! {
        #[test]
        fn every_node_stands_under_the_mean_of_its_children((_, layout) in some_layout()) {
            for level in 1..=layout.depth() {
                for place in 0..layout.count(level) {
                    let node = layout.node(level, place);
                    let middles: Vec<f64> = layout
                        .children(node)
                        .map(|child| layout.middle(child.level, layout.place(child)))
                        .collect();
                    prop_assert_eq!(middles.len(), layout.base());
                    let mean = middles.iter().sum::<f64>() / middles.len() as f64;
                    prop_assert!((mean - layout.middle(level, place)).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn children_take_one_step_more((norms, layout) in some_layout()) {
            for level in 0..=layout.depth() {
                for index in 0..layout.count(level) {
                    let node = NodeAt { level, index };
                    prop_assert_eq!(layout.norm(node), norms.levels[level][index]);
                    for (digit, child) in layout.children(node).enumerate() {
                        prop_assert_eq!(layout.parent(child), Some(node));
                        let mut path = layout.path(child);
                        prop_assert_eq!(path.remove(0), digit as u8 + 1);
                        prop_assert_eq!(path, layout.path(node));
                    }
                }
            }
        }

        #[test]
        fn what_is_seen_is_exactly_what_is_in_the_window(
            (norms, layout) in some_layout(),
            start in 0.0..1.0_f64,
            share in 0.001..1.0_f64,
            scale in 0.05..40.0_f64,
        ) {
            let length = layout.leaves() as f64;
            let window = start * length..(start + share) * length;
            for level in 0..=layout.depth() {
                let size = layout.run_size(level, scale, 2.5);
                let all: Vec<Range<usize>> =
                    (0..layout.count(level) / size).map(|run| run * size..(run + 1) * size).collect();
                let brute_force = |places: &Range<usize>| {
                    let norm = |place| norms.levels[level][layout.node(level, place).index];
                    places.clone().map(norm).fold(0.0, f64::max)
                };
                let expected: Vec<Run> = all
                    .iter()
                    .filter(|places| meets(layout.extent(level, places), &window))
                    .map(|places| Run { places: places.clone(), largest: brute_force(places) })
                    .collect();
                prop_assert_eq!(layout.runs(level, &window, scale, 2.5), expected);
                if level == layout.depth() {
                    continue;
                }
                let bundles = layout.bundles(level, &window, scale, 2.5);
                let mut covered: Vec<Range<usize>> = Vec::new();
                for bundle in &bundles {
                    prop_assert!(meets(hull(bundle), &window), "{bundle:?} is not seen");
                    prop_assert_eq!(bundle.run.largest, brute_force(&bundle.run.places));
                    let is_apart = |other: &Range<usize>| {
                        other.end <= bundle.run.places.start || bundle.run.places.end <= other.start
                    };
                    prop_assert!(covered.iter().all(is_apart));
                    covered.push(bundle.run.places.clone());
                }
                // Whatever is not covered cannot be seen: no child and no parent of it, nor a line between them.
                for places in &all {
                    if covered.iter().any(|run| run.start <= places.start && places.end <= run.end) {
                        continue;
                    }
                    for place in places.clone() {
                        let child = layout.node(level, place);
                        let parent = layout.parent(child).unwrap();
                        let (top, foot) = (layout.middle(level, place), layout.middle(level + 1, layout.place(parent)));
                        prop_assert!(!meets((top.min(foot), top.max(foot)), &window), "{child:?} is missing");
                    }
                }
            }
        }

        #[test]
        fn bundles_end_where_the_parents_stand((_, layout) in some_layout(), scale in 0.05..40.0_f64) {
            let window = 0.0..layout.leaves() as f64;
            for level in 0..layout.depth() {
                for bundle in layout.bundles(level, &window, scale, 2.5) {
                    for place in bundle.run.places.clone() {
                        let child = layout.node(level, place);
                        let parent = layout.parent(child).unwrap();
                        let at = layout.middle(level + 1, layout.place(parent));
                        prop_assert!(bundle.foot.0 - 1e-9 <= at && at <= bundle.foot.1 + 1e-9);
                        if let Some(step) = bundle.step {
                            prop_assert_eq!(layout.path(child)[0], step);
                        }
                    }
                }
            }
        }

        #[test]
        fn the_way_through_a_node_is_its_descendants_and_its_ancestors((_, layout) in some_layout(), pick in any::<prop::sample::Index>()) {
            let total: usize = (0..=layout.depth()).map(|level| layout.count(level)).sum();
            let mut number = pick.index(total);
            let mut level = 0;
            while number >= layout.count(level) {
                number -= layout.count(level);
                level += 1;
            }
            let node = NodeAt { level, index: number };
            let through = layout.path(node);
            for level in 0..=layout.depth() {
                let comb = layout.through(node, level);
                for place in 0..layout.count(level) {
                    let path = layout.path(layout.node(level, place));
                    let is_on_the_way = path.ends_with(&through) || through.ends_with(&path);
                    prop_assert_eq!(comb.meets(&(place..place + 1)), is_on_the_way);
                }
            }
        }

        #[test]
        fn the_strongest_of_a_run_has_its_largest_norm((_, layout) in some_layout(), scale in 0.05..40.0_f64) {
            for level in 0..=layout.depth() {
                for run in layout.runs(level, &(0.0..layout.leaves() as f64), scale, 2.5) {
                    let (left, right) = layout.extent(level, &run.places);
                    let node = layout.strongest_at(level, (left + right) / 2.0, scale, 2.5);
                    let node = node.expect("a run has a node");
                    prop_assert!(run.places.contains(&layout.place(node)));
                    prop_assert_eq!(layout.norm(node), run.largest);
                }
            }
        }
    }

    #[test]
    fn siblings_come_one_after_the_other() {
        for order in [Order::Roll, Order::Subtrees] {
            let layout = Layout::new(&tree(2, 3, 1), order);
            let mut node = layout
                .strongest_child(
                    layout.children(layout.children(layout.root()).next().unwrap()).next().unwrap(),
                )
                .unwrap();
            while let Some(before) = layout.beside(node, -1) {
                node = before;
            }
            let mut seen = vec![layout.path(node)];
            while let Some(next) = layout.beside(node, 1) {
                node = next;
                seen.push(layout.path(node));
            }
            assert_eq!(seen.len(), 8, "a whole row");
            for pair in seen.chunks(2) {
                assert_eq!(pair[0][1..], pair[1][1..], "two siblings differ in their first step only");
            }
        }
    }

    #[test]
    fn from_afar_the_work_does_not_grow_with_the_leaves() {
        for order in [Order::Roll, Order::Subtrees] {
            for (base, depth) in [(4, 6), (2, 12), (4, 8)] {
                let layout = Layout::new(&tree(base, depth, 5), order);
                for zoom in [1.0, 3.0, 20.0, 300.0] {
                    let scale = 1000.0 / layout.leaves() as f64 * zoom;
                    for share in [0.0, 0.3, 0.49] {
                        let start = layout.leaves() as f64 * share;
                        let window = start..start + 1000.0 / scale;
                        let drawn: usize = (0..depth)
                            .map(|level| {
                                layout.runs(level, &window, scale, 2.5).len()
                                    + layout.bundles(level, &window, scale, 2.5).len()
                            })
                            .sum();
                        assert!(
                            drawn < 2 * (base + 1) * 400 * 2,
                            "{drawn} of {order:?} {base}^{depth} at zoom {zoom}"
                        );
                    }
                }
            }
        }
    }
}
