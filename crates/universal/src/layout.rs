//! Where everything stands in the state of a universal transformer, and so in its program.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use transformer::{AttentionPath, Class, path_at, path_index};

use crate::{Consumer, Role};

/// The columns of a program, in blocks: one for each leaf of each tree of attention paths.
///
/// A tree of a consumer with w columns has B steps a layer (B = H, or H + 1 with residual connections).
/// The leaf of a path stands at slot Σ digit·B^place of the consumer's region, the first step of the path
/// being the high digit. Contracting the first step then is a copy of one contiguous slice for each head,
/// and contracted nodes stand in the first slots of the region.
///
/// A looped layout gives one region to each [`Role`], with nodes of all depths: the root, then the
/// nodes of depth 1, and so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    class: Class,
    trees: Trees,
    regions: Vec<Region>,
    blocks: Vec<Block>,
    width: usize,
}

/// One block of columns of a program: the leaf of `path` in the tree of `consumer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Whose leaf it is. In a looped layout the length of the path says which layer reads it.
    pub consumer: Consumer,
    /// The attention path.
    pub path: AttentionPath,
    /// Its first column.
    pub offset: usize,
    /// The number of its columns: d_h, or d for the output.
    pub width: usize,
}

/// A run of columns of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The first column.
    pub offset: usize,
    /// The number of columns.
    pub width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Trees {
    OfConsumers,
    OfRoles,
}

/// The columns of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Region {
    role: Role,
    depth: usize,
    offset: usize,
    node_width: usize,
}

impl Layout {
    /// The layout of a sparse program, and of the unknowns of a random one: m = Σ_l 2H·B^l·d_h + B^L·d.
    ///
    /// The class must be small enough for its columns to be counted by a `usize`; see
    /// [`Capacity`](crate::Capacity).
    pub fn sparse(class: &Class) -> Self {
        let trees = Consumer::all(class).into_iter().map(|it| (it.role(), it.depth(class))).collect();
        Layout::new(class, Trees::OfConsumers, trees)
    }

    /// The layout of a looped program: m = Σ_{l<L} 2H·H^l·d_h + d·Σ_{l≤L} H^l. The same proviso as for
    /// [`Layout::sparse`].
    pub fn looped(class: &Class) -> Self {
        let depth = |role| if role == Role::Output { class.layers } else { class.layers - 1 };
        let trees = Role::all(class).into_iter().map(|role| (role, depth(role))).collect();
        Layout::new(class, Trees::OfRoles, trees)
    }

    /// m, the number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The class that it belongs to.
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// All blocks in the order of their columns.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that holds a column.
    pub fn block_of_column(&self, column: usize) -> Option<&Block> {
        if column >= self.width {
            return None;
        }
        self.blocks.get(self.blocks.partition_point(|block| block.offset <= column).checked_sub(1)?)
    }

    /// Where, in the state `Z[level]`, the node of `consumer` stands whose first `level` layers have been
    /// contracted and whose remaining path is `rest`. It holds `X[level] W_rest` times the consumer's weight.
    ///
    /// `None` when the tree has no such node: it has been read and is gone, or `rest` is no path from
    /// `level` to the state that the consumer reads. In a looped layout the output also has the nodes of
    /// shorter paths, which hold `X[level] W_rest`.
    pub fn node(&self, consumer: Consumer, level: usize, rest: &AttentionPath) -> Option<Slot> {
        let reads = level.checked_add(rest.0.len())?;
        let depth = consumer.depth(&self.class);
        let region = self.region(consumer)?;
        let complete = match (self.trees, consumer) {
            (Trees::OfRoles, Consumer::Output) => reads <= depth,
            _ => reads == depth,
        };
        if !complete {
            return None;
        }
        let index = path_index(&self.class, rest)?;
        let offset = self.first_of_depth(region, rest.0.len()) + index * region.node_width;
        Some(Slot { offset, width: region.node_width })
    }

    /// Where a consumer reads its state: the root of its tree.
    pub fn root(&self, consumer: Consumer) -> Option<Slot> {
        let region = self.region(consumer)?;
        Some(Slot { offset: region.offset, width: region.node_width })
    }

    /// All columns of a consumer's tree; in a looped layout those of its role.
    pub fn columns(&self, consumer: Consumer) -> Option<Range<usize>> {
        let region = self.region(consumer)?;
        Some(region.offset..region.offset + self.region_width(region))
    }

    /// The contiguous moves of Rv[layer, head]: every node whose next step is `head` onto the node
    /// without that step.
    pub(crate) fn moves(&self, layer: usize, head: usize) -> Vec<crate::Move> {
        let (base, first) = self.class.steps();
        let digit = head + 1 - first;
        let mut moves = Vec::new();
        for region in &self.regions {
            // How many steps the nodes have that this layer contracts.
            let lengths = match self.trees {
                Trees::OfConsumers if region.depth > layer => region.depth - layer..=region.depth - layer,
                Trees::OfConsumers => continue,
                Trees::OfRoles => 1..=region.depth,
            };
            for length in lengths {
                let width = base.pow(length as u32 - 1) * region.node_width;
                moves.push(crate::Move {
                    from: self.first_of_depth(region, length) + digit * width,
                    to: self.first_of_depth(region, length - 1),
                    width,
                });
            }
        }
        moves
    }

    fn new(class: &Class, trees: Trees, kinds: Vec<(Role, usize)>) -> Self {
        let mut layout = Layout { class: *class, trees, regions: Vec::new(), blocks: Vec::new(), width: 0 };
        for (role, depth) in kinds {
            let region = Region { role, depth, offset: layout.width, node_width: role.width(class) };
            let lengths = match trees {
                Trees::OfConsumers => depth..=depth,
                Trees::OfRoles => 0..=depth,
            };
            for length in lengths {
                for index in 0..class.steps().0.pow(length as u32) {
                    layout.blocks.push(Block {
                        consumer: role.at_layer(length),
                        path: path_at(class, length, index),
                        offset: layout.width,
                        width: region.node_width,
                    });
                    layout.width += region.node_width;
                }
            }
            layout.regions.push(region);
        }
        layout
    }

    fn region(&self, consumer: Consumer) -> Option<&Region> {
        let role = consumer.role();
        let depth = consumer.depth(&self.class);
        self.regions.iter().find(|region| {
            region.role == role
                && match self.trees {
                    Trees::OfConsumers => region.depth == depth,
                    Trees::OfRoles => region.depth >= depth,
                }
        })
    }

    /// The first column of the nodes with `length` steps left. Trees of consumers contract in place.
    fn first_of_depth(&self, region: &Region, length: usize) -> usize {
        match self.trees {
            Trees::OfConsumers => region.offset,
            Trees::OfRoles => {
                let before: usize = (0..length as u32).map(|l| self.class.steps().0.pow(l)).sum();
                region.offset + before * region.node_width
            }
        }
    }

    fn region_width(&self, region: &Region) -> usize {
        match self.trees {
            Trees::OfConsumers => self.class.steps().0.pow(region.depth as u32) * region.node_width,
            Trees::OfRoles => self.first_of_depth(region, region.depth + 1) - region.offset,
        }
    }
}
