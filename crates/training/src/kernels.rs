//! The loops in which nearly all time is spent: products of matrices, and sums and softmax of rows.
//!
//! They are plain loops that the compiler vectorises, for the widest vectors that the processor has
//! ([`Processor`]), and whose results do not depend on how wide those are: every entry of a product is summed
//! up in the order of k, sums of rows have a fixed number of partial sums, and no multiplication is fused
//! with an addition. So a seed gives the same bits natively and in a browser.

use pulp::NullaryFnOnce;

use crate::lanes::{LANES, Lanes, add_scaled, change, dot, sum};
use crate::real::Real;

/// How many columns of packed weights stand together.
pub(crate) const PANEL: usize = if cfg!(target_arch = "wasm32") { 8 } else { 16 };

/// Rows that a tile of a product has.
const TILE_ROWS: usize = 4;

/// The instructions that there are, found out once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Processor(pulp::Arch);

/// The left matrix of a product: how entry (i, k) is found in a slice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left<'a, R> {
    /// Row by row: (i, k) stands at `i · stride + k`.
    Rows(&'a [R], usize),
    /// Transposed: (i, k) stands at `k · stride + i`.
    Columns(&'a [R], usize),
}

/// Which k contribute to row i of a product, apart from which the left matrix is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All.
    Full,
    /// k ≤ i: attention under a causal mask.
    UpToRow,
    /// k ≥ i: its transpose.
    FromRow,
}

/// A matrix (k × n) of which many products are made: in panels of [`PANEL`] columns, padded with zeros.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Packed<R> {
    panels: Vec<R>,
    rows: usize,
    columns: usize,
}

impl Processor {
    pub(crate) fn new() -> Self {
        Processor(pulp::Arch::new())
    }

    /// C += A B, with A m × k, B (k × n) row by row with stride `b_stride`, C likewise.
    pub(crate) fn add_product<R: Real>(
        self,
        size: (usize, usize, usize),
        a: Left<R>,
        b: (&[R], usize),
        c: (&mut [R], usize),
        extent: Extent,
    ) {
        self.0.dispatch(Product { size, a, b, c, extent });
    }

    /// C += A B for packed B, with A m × k.
    pub(crate) fn add_packed_product<R: Real>(
        self,
        m: usize,
        a: Left<R>,
        b: &Packed<R>,
        c: (&mut [R], usize),
    ) {
        self.0.dispatch(PackedProduct { size: (m, b.columns, b.rows), a, b, c });
    }

    /// Scores become shares, in place. `scores` are rows of `stride` entries; row i is multiplied by `scale`,
    /// and its softmax over the first `visible(i)` entries taken; the others become 0.
    pub(crate) fn softmax_rows<R: Real>(
        self,
        scores: &mut [R],
        stride: usize,
        scale: R,
        visible: impl Fn(usize) -> usize,
    ) {
        for (i, row) in scores.chunks_exact_mut(stride).enumerate() {
            self.0.dispatch(Softmax { row, scale, visible: visible(i) });
        }
    }

    /// The derivative of a loss by shares becomes that by what was multiplied by `scale` to be the scores:
    /// d_ij = scale · a_ij (g_ij − Σ_k a_ik g_ik), in place of `gradient`.
    pub(crate) fn softmax_rows_backward<R: Real>(
        self,
        shares: &[R],
        gradient: &mut [R],
        stride: usize,
        scale: R,
    ) {
        self.0.dispatch(SoftmaxBackward { shares, gradient, stride, scale });
    }

    /// Layer normalisation of rows of `width` entries, without an affine part: (x − mean) / √(variance + ε).
    /// `inverse` gets what each row was multiplied by.
    pub(crate) fn normalise_rows<R: Real>(
        self,
        rows: &[R],
        width: usize,
        normal: &mut [R],
        inverse: &mut [R],
    ) {
        self.0.dispatch(Normalise { rows, width, normal, inverse });
    }

    /// Adds to `gradient` the derivative by the rows that were normalised, given that by their normal form.
    pub(crate) fn normalise_rows_backward<R: Real>(
        self,
        normal: &[R],
        inverse: &[R],
        width: usize,
        by_normal: &[R],
        gradient: &mut [R],
    ) {
        self.0.dispatch(NormaliseBackward { normal, inverse, width, by_normal, gradient });
    }

    /// Σ x².
    pub(crate) fn sum_of_squares<R: Real>(self, numbers: &[R]) -> R {
        self.0.dispatch(SumOfSquares { numbers })
    }

    /// Does work that is compiled for every set of instructions.
    pub(crate) fn run<W: NullaryFnOnce>(self, work: W) -> W::Output {
        self.0.dispatch(work)
    }
}

// Work is a struct and not a closure: only a method that is always inlined is compiled for the instructions of
// the processor.

struct Product<'a, R> {
    size: (usize, usize, usize),
    a: Left<'a, R>,
    b: (&'a [R], usize),
    c: (&'a mut [R], usize),
    extent: Extent,
}

struct PackedProduct<'a, R> {
    size: (usize, usize, usize),
    a: Left<'a, R>,
    b: &'a Packed<R>,
    c: (&'a mut [R], usize),
}

struct Softmax<'a, R> {
    row: &'a mut [R],
    scale: R,
    visible: usize,
}

struct SoftmaxBackward<'a, R> {
    shares: &'a [R],
    gradient: &'a mut [R],
    stride: usize,
    scale: R,
}

struct Normalise<'a, R> {
    rows: &'a [R],
    width: usize,
    normal: &'a mut [R],
    inverse: &'a mut [R],
}

struct NormaliseBackward<'a, R> {
    normal: &'a [R],
    inverse: &'a [R],
    width: usize,
    by_normal: &'a [R],
    gradient: &'a mut [R],
}

struct SumOfSquares<'a, R> {
    numbers: &'a [R],
}

impl<R: Real> NullaryFnOnce for Product<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.a {
            Left::Rows(a, stride) => {
                add_product::<R, false>(self.size, (a, stride), self.b, self.c, self.extent)
            }
            Left::Columns(a, stride) => {
                add_product::<R, true>(self.size, (a, stride), self.b, self.c, self.extent)
            }
        }
    }
}

impl<R: Real> NullaryFnOnce for PackedProduct<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.a {
            Left::Rows(a, stride) => add_panels::<R, false>(self.size, (a, stride), self.b, self.c),
            Left::Columns(a, stride) => add_panels::<R, true>(self.size, (a, stride), self.b, self.c),
        }
    }
}

impl<R: Real> NullaryFnOnce for Softmax<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        softmax(self.row, self.scale, self.visible);
    }
}

impl<R: Real> NullaryFnOnce for SoftmaxBackward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.shares.chunks_exact(self.stride).zip(self.gradient.chunks_exact_mut(self.stride));
        for (a, g) in rows {
            let (mean, scale) = (R::Lanes::splat(dot(a, g)), R::Lanes::splat(self.scale));
            change(g, [a], |g, [a]| scale.mul(a.mul(g.sub(mean))));
        }
    }
}

impl<R: Real> NullaryFnOnce for Normalise<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let share = R::from_f64(1.0 / self.width as f64);
        let rows = self.rows.chunks_exact(self.width).zip(self.normal.chunks_exact_mut(self.width));
        for ((row, normal), inverse) in rows.zip(self.inverse) {
            let mean = R::Lanes::splat(sum(row) * share);
            change(normal, [row], |_, [x]| x.sub(mean));
            let variance = dot(normal, normal) * share;
            *inverse = R::ONE / (variance + R::from_f64(NORM_EPSILON)).sqrt();
            let factor = R::Lanes::splat(*inverse);
            change(normal, [], |x, []| x.mul(factor));
        }
    }
}

impl<R: Real> NullaryFnOnce for NormaliseBackward<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.width;
        let share = R::from_f64(1.0 / width as f64);
        let rows = self.normal.chunks_exact(width).zip(self.by_normal.chunks_exact(width));
        for (((x, d), g), inverse) in rows.zip(self.gradient.chunks_exact_mut(width)).zip(self.inverse) {
            let mean = R::Lanes::splat(sum(d) * share);
            let along = R::Lanes::splat(dot(d, x) * share);
            let inverse = R::Lanes::splat(*inverse);
            change(g, [d, x], |g, [d, x]| g.add(inverse.mul(d.sub(mean).sub(x.mul(along)))));
        }
    }
}

impl<R: Real> NullaryFnOnce for SumOfSquares<'_, R> {
    type Output = R;

    #[inline(always)]
    fn call(self) -> R {
        dot(self.numbers, self.numbers)
    }
}

/// ε of layer normalisation.
pub(crate) const NORM_EPSILON: f64 = 1e-5;

impl<R: Real> Packed<R> {
    /// Room for a matrix, of zeros.
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Packed { panels: vec![R::ZERO; rows * columns.next_multiple_of(PANEL)], rows, columns }
    }

    /// Takes over a matrix that is written row by row.
    pub(crate) fn pack(&mut self, matrix: &[R]) {
        let columns = self.columns;
        for (p, panel) in self.panels.chunks_exact_mut(self.rows * PANEL).enumerate() {
            let first = p * PANEL;
            let width = PANEL.min(columns - first);
            for (to, row) in panel.chunks_exact_mut(PANEL).zip(matrix.chunks_exact(columns)) {
                to[..width].copy_from_slice(&row[first..first + width]);
            }
        }
    }

    /// Its rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Its numbers, row by row.
    pub(crate) fn entries(&self) -> impl Iterator<Item = R> {
        let at = |row: usize, column: usize| {
            self.panels[(column / PANEL * self.rows + row) * PANEL + column % PANEL]
        };
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| at(row, column)))
    }

    /// Takes over the transpose of a matrix (columns × rows) that is written row by row.
    pub(crate) fn pack_transposed(&mut self, matrix: &[R]) {
        for (p, panel) in self.panels.chunks_exact_mut(self.rows * PANEL).enumerate() {
            let first = p * PANEL;
            for column in 0..PANEL.min(self.columns - first) {
                let row = &matrix[(first + column) * self.rows..][..self.rows];
                for (k, entry) in row.iter().enumerate() {
                    panel[k * PANEL + column] = *entry;
                }
            }
        }
    }
}

#[inline(always)]
fn add_panels<R: Real, const TRANSPOSED: bool>(
    (m, n, k): (usize, usize, usize),
    (a, a_stride): (&[R], usize),
    b: &Packed<R>,
    (c, c_stride): (&mut [R], usize),
) {
    // Rows outermost by blocks, so that a block of A stays in the cache while the panels pass.
    const BLOCK: usize = 64;
    for block in (0..m).step_by(BLOCK) {
        let end = (block + BLOCK).min(m);
        for (p, panel) in b.panels.chunks_exact(k * PANEL).enumerate() {
            let first = p * PANEL;
            let width = PANEL.min(n - first);
            let mut i = block;
            while i < end {
                let rows = TILE_ROWS.min(end - i);
                let tile = if rows == TILE_ROWS {
                    tile::<R, TRANSPOSED, TILE_ROWS, PANEL>(i, 0..k, (a, a_stride), (panel, PANEL))
                } else {
                    tile_of_few_rows::<R, TRANSPOSED, PANEL>(i, rows, 0..k, (a, a_stride), (panel, PANEL))
                };
                for (r, sums) in tile.iter().enumerate().take(rows) {
                    let to = &mut c[(i + r) * c_stride + first..][..width];
                    for (to, sum) in to.iter_mut().zip(sums) {
                        *to += *sum;
                    }
                }
                i += rows;
            }
        }
    }
}

#[inline(always)]
fn add_product<R: Real, const TRANSPOSED: bool>(
    (m, n, k): (usize, usize, usize),
    a: (&[R], usize),
    (b, b_stride): (&[R], usize),
    (c, c_stride): (&mut [R], usize),
    extent: Extent,
) {
    let mut i = 0;
    while i < m {
        let rows = TILE_ROWS.min(m - i);
        let range = match extent {
            Extent::Full => 0..k,
            Extent::UpToRow => 0..k.min(i + rows),
            Extent::FromRow => i.min(k)..k,
        };
        let mut j = 0;
        while j < n {
            let b = (&b[j..], b_stride);
            let at = i * c_stride + j;
            j += match n - j {
                16.. if PANEL >= 16 => {
                    add_tile::<R, TRANSPOSED, 16>(i, rows, range.clone(), a, b, c, at, c_stride)
                }
                8.. => add_tile::<R, TRANSPOSED, 8>(i, rows, range.clone(), a, b, c, at, c_stride),
                4.. => add_tile::<R, TRANSPOSED, 4>(i, rows, range.clone(), a, b, c, at, c_stride),
                _ => add_tile::<R, TRANSPOSED, 1>(i, rows, range.clone(), a, b, c, at, c_stride),
            };
        }
        i += rows;
    }
}

/// Adds one tile to C and says how many columns it has.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "these are the parts of one product")]
fn add_tile<R: Real, const TRANSPOSED: bool, const COLUMNS: usize>(
    i: usize,
    rows: usize,
    range: std::ops::Range<usize>,
    a: (&[R], usize),
    b: (&[R], usize),
    c: &mut [R],
    at: usize,
    c_stride: usize,
) -> usize {
    let tile = if rows == TILE_ROWS {
        tile::<R, TRANSPOSED, TILE_ROWS, COLUMNS>(i, range, a, b)
    } else {
        tile_of_few_rows::<R, TRANSPOSED, COLUMNS>(i, rows, range, a, b)
    };
    for (r, sums) in tile.iter().enumerate().take(rows) {
        for (to, sum) in c[at + r * c_stride..][..COLUMNS].iter_mut().zip(sums) {
            *to += *sum;
        }
    }
    COLUMNS
}

/// The last rows of a product, one by one.
#[inline(always)]
fn tile_of_few_rows<R: Real, const TRANSPOSED: bool, const COLUMNS: usize>(
    i: usize,
    rows: usize,
    range: std::ops::Range<usize>,
    a: (&[R], usize),
    b: (&[R], usize),
) -> [[R; COLUMNS]; TILE_ROWS] {
    let mut sums = [[R::ZERO; COLUMNS]; TILE_ROWS];
    for r in 0..rows {
        [sums[r]] = tile::<R, TRANSPOSED, 1, COLUMNS>(i + r, range.clone(), a, b);
    }
    sums
}

/// Rows `i … i + ROWS` of A times the first `COLUMNS` columns of B, with k in `range`.
#[inline(always)]
fn tile<R: Real, const TRANSPOSED: bool, const ROWS: usize, const COLUMNS: usize>(
    i: usize,
    range: std::ops::Range<usize>,
    (a, a_stride): (&[R], usize),
    (b, b_stride): (&[R], usize),
) -> [[R; COLUMNS]; ROWS] {
    let mut sums = [[R::ZERO; COLUMNS]; ROWS];
    // Slices of equal length, so that the bounds are checked here and not in the loop.
    let rows: [&[R]; ROWS] = if TRANSPOSED {
        [a; ROWS]
    } else {
        let mut rows = [a; ROWS];
        for r in 0..ROWS {
            rows[r] = &a[(i + r) * a_stride..][..range.end];
        }
        rows
    };
    for k in range {
        let b: &[R; COLUMNS] = b[k * b_stride..].first_chunk().expect("rows of B have all columns");
        let column: &[R] = if TRANSPOSED { &a[k * a_stride + i..][..ROWS] } else { &[] };
        for r in 0..ROWS {
            let factor = if TRANSPOSED { column[r] } else { rows[r][k] };
            add_scaled(&mut sums[r], factor, b);
        }
    }
    sums
}

#[inline(always)]
fn softmax<R: Real>(row: &mut [R], scale: R, visible: usize) {
    let (seen, hidden) = row.split_at_mut(visible);
    let mut largest = [R::MASKED; LANES];
    let mut chunks = seen.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (largest, x) in largest.iter_mut().zip(chunk) {
            *largest = greater(*largest, *x);
        }
    }
    for (largest, x) in largest.iter_mut().zip(chunks.remainder()) {
        *largest = greater(*largest, *x);
    }
    let largest = largest.into_iter().fold(R::MASKED, greater);
    let (scale, top) = (R::Lanes::splat(scale), R::Lanes::splat(largest));
    change(seen, [], |x, []| scale.mul(x.sub(top)).exp_negative());
    let inverse = R::Lanes::splat(R::ONE / sum(seen));
    change(seen, [], |x, []| x.mul(inverse));
    hidden.fill(R::ZERO);
}

#[inline(always)]
fn greater<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| rng.random::<f64>() - 0.5).collect()
    }

    proptest! {
        #[test]
        fn products_are_those_of_the_definition(m in 1_usize..11, n in 1_usize..37, k in 1_usize..19,
                                                 transposed: bool, seed: u64) {
            let (a, b) = (numbers(m * k, seed), numbers(k * n, seed ^ 1));
            let start = numbers(m * n, seed ^ 2);
            let at = |i: usize, t: usize| if transposed { a[t * m + i] } else { a[i * k + t] };
            let left = if transposed { Left::Columns(&a, m) } else { Left::Rows(&a, k) };
            let processor = Processor::new();
            for extent in [Extent::Full, Extent::UpToRow, Extent::FromRow] {
                // Where the extent says that nothing contributes, the matrix must be zero.
                let allowed = |i: usize, t: usize| match extent {
                    Extent::Full => true,
                    Extent::UpToRow => t <= i,
                    Extent::FromRow => t >= i,
                };
                let masked: Vec<f64> = (0..a.len()).map(|index| {
                    let (i, t) = if transposed { (index % m, index / m) } else { (index / k, index % k) };
                    if allowed(i, t) { a[index] } else { 0.0 }
                }).collect();
                let left = match left {
                    Left::Rows(_, stride) => Left::Rows(&masked[..], stride),
                    Left::Columns(_, stride) => Left::Columns(&masked[..], stride),
                };
                let mut c = start.clone();
                processor.add_product((m, n, k), left, (&b, n), (&mut c, n), extent);
                let mut packed = start.clone();
                let mut panels = Packed::zeros(k, n);
                panels.pack(&b);
                processor.add_packed_product(m, left, &panels, (&mut packed, n));
                for i in 0..m {
                    for j in 0..n {
                        let product: f64 =
                            (0..k).filter(|t| allowed(i, *t)).map(|t| at(i, t) * b[t * n + j]).sum();
                        prop_assert!((c[i * n + j] - start[i * n + j] - product).abs() < 1e-12);
                        prop_assert!((packed[i * n + j] - start[i * n + j] - product).abs() < 1e-12);
                    }
                }
            }
        }

        /// The widest vectors and none at all give the same bits, which is why a browser gives them, too.
        #[test]
        fn results_do_not_depend_on_the_width_of_vectors(m in 1_usize..11, n in 1_usize..37, seed: u64) {
            let single = |count, seed| -> Vec<f32> { numbers(count, seed).iter().map(|x| *x as f32).collect() };
            let (a, b) = (single(m * 9, seed), single(9 * n, seed ^ 1));
            let stride = n.next_multiple_of(LANES);
            let results = |processor: Processor| {
                let mut c = vec![0.0; m * stride];
                processor.add_product((m, n, 9), Left::Rows(&a, 9), (&b, n), (&mut c, stride), Extent::Full);
                let (mut normal, mut inverse) = (vec![0.0; m * stride], vec![0.0; m]);
                processor.normalise_rows(&c, stride, &mut normal, &mut inverse);
                processor.softmax_rows(&mut c, stride, 3.0, |_| n);
                let square = processor.sum_of_squares(&c);
                let all = c.into_iter().chain(normal).chain(inverse).chain([square]);
                all.map(f32::to_bits).collect::<Vec<_>>()
            };
            prop_assert_eq!(results(Processor::new()), results(Processor(pulp::Arch::Scalar)));
        }

        #[test]
        fn shares_of_the_visible_add_up_to_one(n in 1_usize..20, seed: u64) {
            let stride = n.next_multiple_of(LANES);
            let mut rows: Vec<f32> = numbers(n * stride, seed).iter().map(|x| *x as f32 * 50.0).collect();
            let scores = rows.clone();
            Processor::new().softmax_rows(&mut rows, stride, 0.5, |i| i + 1);
            for i in 0..n {
                let row = &rows[i * stride..][..stride];
                prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                prop_assert!(row[i + 1..].iter().all(|share| *share == 0.0));
                let ratio = f64::from(row[0] / row[i]).ln();
                let expected = 0.5 * f64::from(scores[i * stride] - scores[i * stride + i]);
                prop_assert!(row[0] < 1e-30 || row[i] < 1e-30 || (ratio - expected).abs() < 1e-4);
            }
        }
    }
}
