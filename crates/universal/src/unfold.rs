//! The columns of whole trees of attention paths, grown from the root to the leaves.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use transformer::{Class, Target};

/// A tree that is to be unfolded: what its root reads the state with, and how deep it is.
pub(crate) struct Root {
    pub depth: usize,
    /// One row for each row of the value weights, w columns.
    pub weight: Array2<f64>,
}

/// For every root the matrix [ V_p · weight | … ] over all paths p of its depth in the order of the layout,
/// where V_p = V[1,h_1] ⋯ V[depth,h_depth] and the skip of a residual class is the identity.
///
/// `multiply(layer, head, M)` returns V[layer, head] · M, both counted from 0. It is called once for each
/// layer and head, on all trees at once: large products are faster than many small ones.
pub(crate) fn unfold(
    class: &Class,
    roots: Vec<Root>,
    multiply: impl Fn(usize, usize, ArrayView2<f64>) -> Array2<f64>,
) -> Vec<Array2<f64>> {
    let mut trees: Vec<(usize, Array2<f64>)> =
        roots.into_iter().map(|root| (root.depth, root.weight)).collect();
    for layer in (0..class.layers).rev() {
        // Trees that are less deep have not begun: their root is nearer to the input.
        let growing = trees.iter_mut().filter(|(depth, _)| *depth > layer).map(|(_, tree)| tree).collect();
        grow(class, layer, growing, &multiply);
    }
    trees.into_iter().map(|(_, tree)| tree).collect()
}

/// All levels of one tree: at index r the matrix [ V_s · weight | … ] over the paths s of the last r layers
/// before the state that the root reads, r = 0 … depth.
pub(crate) fn unfold_levels(
    class: &Class,
    root: Root,
    multiply: impl Fn(usize, usize, ArrayView2<f64>) -> Array2<f64>,
) -> Vec<Array2<f64>> {
    let mut levels = vec![root.weight];
    for layer in (0..root.depth).rev() {
        let mut next = levels[levels.len() - 1].clone();
        grow(class, layer, vec![&mut next], &multiply);
        levels.push(next);
    }
    levels
}

/// The product Wvo[layer, head] · M of a target, for [`unfold`].
pub(crate) fn by_values(target: &Target) -> impl Fn(usize, usize, ArrayView2<f64>) -> Array2<f64> {
    let values: Vec<Vec<Array2<f64>>> =
        target.layers().iter().map(|layer| layer.heads.iter().map(|head| head.wvo()).collect()).collect();
    move |layer, head, matrix| values[layer][head].dot(&matrix)
}

/// Puts one more step, at `layer`, before the paths of the trees. The new step is the high digit.
fn grow(
    class: &Class,
    layer: usize,
    mut trees: Vec<&mut Array2<f64>>,
    multiply: &impl Fn(usize, usize, ArrayView2<f64>) -> Array2<f64>,
) {
    if trees.is_empty() {
        return;
    }
    let views: Vec<_> = trees.iter().map(|tree| tree.view()).collect();
    let together = concatenate(Axis(1), &views).expect("all trees have as many rows as the value weights");
    let (base, first) = class.steps();
    let mut grown: Vec<Array2<f64>> =
        trees.iter().map(|tree| Array2::zeros((tree.nrows(), tree.ncols() * base))).collect();
    for digit in 0..base {
        let product = match (digit + first).checked_sub(1) {
            Some(head) => multiply(layer, head, together.view()),
            None => together.clone(),
        };
        let mut offset = 0;
        for grown in &mut grown {
            let columns = grown.ncols() / base;
            grown
                .slice_mut(s![.., digit * columns..(digit + 1) * columns])
                .assign(&product.slice(s![.., offset..offset + columns]));
            offset += columns;
        }
    }
    for (tree, grown) in trees.iter_mut().zip(grown) {
        **tree = grown;
    }
}
