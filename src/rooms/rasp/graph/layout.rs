//! Where the steps of a run stand in the graph of its dataflow: layer by layer from top to bottom. Pure.

use std::collections::HashMap;

use rasp::{Primitive, Trace};

use crate::drawing::geometry::{Point, Rect};

/// The graph, in CSS pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The boxes, in the order of their steps.
    pub nodes: Vec<Node>,
    /// The layers, the input first.
    pub bands: Vec<Band>,
    /// Width and height.
    pub size: Point,
}

/// The box of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The step.
    pub step: usize,
    /// What is written in it.
    pub label: String,
    /// Its place.
    pub place: Rect,
    /// The boxes of its operands.
    pub operands: Vec<usize>,
}

/// A layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Its number; 0 is the input.
    pub layer: usize,
    /// Its upper edge.
    pub top: f64,
    /// Its height.
    pub height: f64,
}

/// The height of a box.
pub const BOX: f64 = 26.0;

/// From row to row of boxes.
const ROW: f64 = 52.0;

/// From box to box.
const GAP: f64 = 14.0;

/// Above the boxes of a layer: its name.
pub const HEAD: f64 = 30.0;

/// Beside the boxes.
const SIDE: f64 = 16.0;

/// How wide a letter of a label is.
const LETTER: f64 = 6.9;

/// The most letters of a label.
const MOST_LETTERS: usize = 22;

impl Layout {
    /// The graph of a trace, at least `width` wide. What a program gives as it is has no box; constants are read in
    /// the labels.
    pub fn new(trace: &Trace, width: f64, label: impl Fn(usize) -> String) -> Layout {
        let is_constant = |step: usize| matches!(trace.steps[step].primitive, Primitive::Constant(_));
        let only_constants = (0..trace.steps.len()).all(is_constant);
        let shown: Vec<usize> =
            (0..trace.steps.len()).filter(|step| only_constants || !is_constant(*step)).collect();
        let node_of: HashMap<usize, usize> = shown.iter().enumerate().map(|(at, step)| (*step, at)).collect();
        let layer = |step: usize| trace.steps[step].layer;

        // A row within the layer: one below the lowest operand that stands in the same layer.
        let mut row = vec![0; trace.steps.len()];
        for step in &shown {
            let operands = trace.steps[*step].operands.iter();
            let above =
                operands.filter(|operand| node_of.contains_key(operand) && layer(**operand) == layer(*step));
            row[*step] = above.map(|operand| row[*operand] + 1).max().unwrap_or(0);
        }
        let layers = shown.iter().map(|step| layer(*step) + 1).max().unwrap_or(0);
        let mut rows = vec![0; layers];
        for step in &shown {
            rows[layer(*step)] = rows[layer(*step)].max(row[*step] + 1);
        }
        let mut bands = Vec::new();
        let mut top = 0.0;
        for (layer, rows) in rows.iter().enumerate() {
            let height = if *rows == 0 { 0.0 } else { HEAD + ROW * *rows as f64 - (ROW - BOX) + 12.0 };
            bands.push(Band { layer, top, height });
            top += height;
        }

        let mut nodes: Vec<Node> = shown
            .iter()
            .map(|step| {
                let label = shortened(&label(*step));
                let size = (label.chars().count() as f64 * LETTER + 18.0).max(40.0);
                let y = bands[layer(*step)].top + HEAD + ROW * row[*step] as f64;
                let operands = trace.steps[*step]
                    .operands
                    .iter()
                    .filter_map(|operand| node_of.get(operand).copied())
                    .collect();
                Node { step: *step, label, place: Rect::new(0.0, y, size, BOX), operands }
            })
            .collect();
        let width = place(&mut nodes, width);
        Layout { nodes, bands, size: Point::new(width, top) }
    }

    /// The box at a point.
    pub fn hit(&self, point: Point) -> Option<usize> {
        self.nodes.iter().position(|node| node.place.inset(-3.0).contains(point))
    }

    /// The box of a step.
    pub fn node_of(&self, step: usize) -> Option<usize> {
        self.nodes.binary_search_by_key(&step, |node| node.step).ok()
    }
}

/// Puts the boxes of each row side by side, each as near to the middle of its operands as the others allow, and says
/// how wide the whole is.
fn place(nodes: &mut [Node], least: f64) -> f64 {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|a, b| nodes[*a].place.y.total_cmp(&nodes[*b].place.y));
    for node in order {
        match rows.last_mut() {
            Some(row) if nodes[row[0]].place.y == nodes[node].place.y => row.push(node),
            _ => rows.push(vec![node]),
        }
    }
    let needed = |row: &Vec<usize>| row.iter().map(|node| nodes[*node].place.width + GAP).sum::<f64>() - GAP;
    let width = rows.iter().map(needed).fold(least - 2.0 * SIDE, f64::max);
    for row in rows {
        let middle = SIDE + width / 2.0;
        let mut wanted: Vec<(usize, f64)> = row
            .into_iter()
            .map(|node| {
                let operands = &nodes[node].operands;
                let sum: f64 = operands.iter().map(|operand| nodes[*operand].place.center().x).sum();
                (node, if operands.is_empty() { middle } else { sum / operands.len() as f64 })
            })
            .collect();
        wanted.sort_by(|a, b| a.1.total_cmp(&b.1));
        // From left to right, none further left than it fits; then from right to left, none out of the picture.
        let mut edge = SIDE;
        for (node, center) in &wanted {
            let place = &mut nodes[*node].place;
            place.x = (center - place.width / 2.0).max(edge);
            edge = place.right() + GAP;
        }
        // A row that was pushed to the right as a whole is moved back to where it wants to be.
        let drift: f64 =
            wanted.iter().map(|(node, center)| nodes[*node].place.center().x - center).sum::<f64>()
                / wanted.len() as f64;
        let mut limit = SIDE + width;
        for (node, _) in wanted.iter().rev() {
            let place = &mut nodes[*node].place;
            place.x = (place.x - drift).min(limit - place.width);
            limit = place.x - GAP;
        }
        let mut edge = SIDE;
        for (node, _) in &wanted {
            let place = &mut nodes[*node].place;
            place.x = place.x.max(edge);
            edge = place.right() + GAP;
        }
    }
    width + 2.0 * SIDE
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= MOST_LETTERS {
        return label.to_owned();
    }
    label.chars().take(MOST_LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasp::gallery::GALLERY;
    use rasp::{Input, Session};

    #[test]
    fn boxes_do_not_overlap_and_operands_stand_above() {
        for entry in GALLERY {
            let run = Session::default().run(entry.source, &Input::parse(entry.input).expect("an input"));
            for width in [340.0, 1200.0] {
                let layout = Layout::new(&run.trace, width, |step| run.trace.steps[step].primitive.name());
                assert!(layout.size.x >= width);
                for (at, node) in layout.nodes.iter().enumerate() {
                    let place = node.place;
                    assert!(
                        place.x >= 0.0 && place.right() <= layout.size.x + 0.01,
                        "{}: {place:?}",
                        entry.id
                    );
                    let band = layout.bands[run.trace.steps[node.step].layer];
                    assert!(band.top <= place.y && place.bottom() <= band.top + band.height, "{}", entry.id);
                    for operand in &node.operands {
                        assert!(layout.nodes[*operand].place.bottom() < place.y, "{}", entry.id);
                    }
                    for other in &layout.nodes[at + 1..] {
                        let apart = other.place.y != place.y
                            || other.place.x >= place.right()
                            || place.x >= other.place.right();
                        assert!(apart, "{}: {place:?} {:?}", entry.id, other.place);
                    }
                    assert_eq!(layout.hit(place.center()), Some(at));
                    assert_eq!(layout.node_of(node.step), Some(at));
                }
            }
        }
    }
}
