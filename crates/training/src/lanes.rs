//! Eight numbers side by side, and loops over rows of them.
//!
//! Natively they are plain arrays, which the compiler keeps in vectors as wide as the processor has. A page for
//! the browser is linked for size, and what is linked for size is not vectorised: there, singles stand in
//! vectors by name. Every operation is one operation of each number, so the bits are the same either way.

use crate::real::Real;

/// How many numbers stand side by side. Rows of scores are padded to a multiple of it.
pub(crate) const LANES: usize = 8;

/// [`LANES`] numbers.
pub(crate) trait Lanes<R>: Copy {
    fn splat(number: R) -> Self;
    fn load(numbers: &[R; LANES]) -> Self;
    fn store(self) -> [R; LANES];
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// e^x for x ≤ 0.
    fn exp_negative(self) -> Self;
}

/// An array.
#[derive(Clone, Copy)]
pub(crate) struct Plain<R>([R; LANES]);

impl<R: Real> Plain<R> {
    #[inline(always)]
    fn with(mut self, other: Self, operation: impl Fn(R, R) -> R) -> Self {
        for (number, other) in self.0.iter_mut().zip(other.0) {
            *number = operation(*number, other);
        }
        self
    }

    #[inline(always)]
    fn each(mut self, operation: impl Fn(R) -> R) -> Self {
        for number in &mut self.0 {
            *number = operation(*number);
        }
        self
    }
}

impl<R: Real> Lanes<R> for Plain<R> {
    #[inline(always)]
    fn splat(number: R) -> Self {
        Plain([number; LANES])
    }

    #[inline(always)]
    fn load(numbers: &[R; LANES]) -> Self {
        Plain(*numbers)
    }

    #[inline(always)]
    fn store(self) -> [R; LANES] {
        self.0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(R::sqrt)
    }

    #[inline(always)]
    fn exp_negative(self) -> Self {
        self.each(R::exp_negative)
    }
}

/// Vectors of the browser.
#[cfg(target_arch = "wasm32")]
impl Lanes<f32> for wide::f32x8 {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        wide::f32x8::splat(number)
    }

    #[inline(always)]
    fn load(numbers: &[f32; LANES]) -> Self {
        wide::f32x8::new(*numbers)
    }

    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        self.to_array()
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self / other
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        wide::f32x8::sqrt(self)
    }

    #[inline(always)]
    fn exp_negative(self) -> Self {
        use crate::real::exponential::{LOWEST, by_polynomial};
        let lowest = Self::splat(LOWEST);
        let x = self.simd_lt(lowest).bitselect(lowest, self);
        by_polynomial(x, Self::splat, |rounded| {
            let bits: wide::u32x8 = bytemuck::cast(rounded);
            bytemuck::cast((bits + wide::u32x8::splat(127)) << 23_u32)
        })
    }
}

/// Adds to every number of `to` that of `from` multiplied by `factor`.
#[inline(always)]
pub(crate) fn add_scaled<R: Real, const N: usize>(to: &mut [R; N], factor: R, from: &[R; N]) {
    // Natively one loop over all of them is kept in wider vectors than several over a few.
    let lanes = if cfg!(target_arch = "wasm32") { N / LANES } else { 0 };
    let factors = R::Lanes::splat(factor);
    let ((to, rest), (from, last)) = (to.split_at_mut(lanes * LANES), from.split_at(lanes * LANES));
    for (to, from) in to.as_chunks_mut().0.iter_mut().zip(from.as_chunks().0) {
        *to = R::Lanes::load(to).add(factors.mul(R::Lanes::load(from))).store();
    }
    for (to, from) in rest.iter_mut().zip(last) {
        *to += factor * *from;
    }
}

/// Changes every number of `to` by what stands in the same places of `from`.
#[inline(always)]
pub(crate) fn change<R: Real, const N: usize>(
    to: &mut [R],
    from: [&[R]; N],
    operation: impl Fn(R::Lanes, [R::Lanes; N]) -> R::Lanes,
) {
    let mut first = 0;
    let (whole, rest) = to.as_chunks_mut::<LANES>();
    for to in whole {
        let from = from.map(|it| R::Lanes::load(it[first..].first_chunk().expect("rows are of one length")));
        *to = operation(R::Lanes::load(to), from).store();
        first += LANES;
    }
    if !rest.is_empty() {
        let from = from.map(|it| padded(&it[first..]));
        let changed = operation(padded(rest), from).store();
        rest.copy_from_slice(&changed[..rest.len()]);
    }
}

/// Σ x by [`LANES`] partial sums.
#[inline(always)]
pub(crate) fn sum<R: Real>(numbers: &[R]) -> R {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let sums = whole.iter().fold(R::Lanes::splat(R::ZERO), |sums, it| sums.add(R::Lanes::load(it)));
    sums.add(padded(rest)).store().into_iter().sum()
}

/// Σ x y by [`LANES`] partial sums.
#[inline(always)]
pub(crate) fn dot<R: Real>(left: &[R], right: &[R]) -> R {
    let ((lefts, left), (rights, right)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let sums = lefts.iter().zip(rights).fold(R::Lanes::splat(R::ZERO), |sums, (left, right)| {
        sums.add(R::Lanes::load(left).mul(R::Lanes::load(right)))
    });
    sums.add(padded(left).mul(padded(right))).store().into_iter().sum()
}

/// Fewer numbers than [`LANES`], filled up with zeros.
#[inline(always)]
fn padded<R: Real>(numbers: &[R]) -> R::Lanes {
    let mut all = [R::ZERO; LANES];
    all[..numbers.len()].copy_from_slice(numbers);
    R::Lanes::load(&all)
}
