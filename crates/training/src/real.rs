//! The two kinds of number that the engine runs in: f32 to train, f64 to check its gradients.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use crate::lanes::{Lanes, Plain};

/// A floating-point number.
pub(crate) trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    /// A score that no share is given to.
    const MASKED: Self;

    /// Several of them side by side.
    type Lanes: Lanes<Self>;

    fn from_f64(number: f64) -> Self;
    fn to_f64(self) -> f64;
    fn sqrt(self) -> Self;
    fn is_finite(self) -> bool;
    /// e^x for x ≤ 0, the same bits on every platform. NaN stays NaN.
    fn exp_negative(self) -> Self;
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const MASKED: Self = -1e30;

    #[cfg(target_arch = "wasm32")]
    type Lanes = wide::f32x8;
    #[cfg(not(target_arch = "wasm32"))]
    type Lanes = Plain<f32>;

    #[inline(always)]
    fn from_f64(number: f64) -> Self {
        number as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }

    #[inline(always)]
    fn exp_negative(self) -> Self {
        use exponential::LOWEST;
        let x = if self < LOWEST { LOWEST } else { self };
        exponential::by_polynomial(
            x,
            |number| number,
            |rounded| f32::from_bits(rounded.to_bits().wrapping_add(127) << 23),
        )
    }
}

/// e^x of singles, written once for one number and for several.
pub(crate) mod exponential {
    use std::ops::{Add, Mul, Sub};

    /// What is lower counts as this: its exponential is nearly the smallest normal number.
    pub(crate) const LOWEST: f32 = -87.0;

    /// By 2^k · e^r with |r| ≤ ln 2 / 2 and the Taylor polynomial of degree 7 of e^r, whose error is below one unit
    /// in the last place. Without a branch or a call, so that a loop of it is vectorised. `power` makes 2^k of a
    /// number that has k in its low bits.
    #[inline(always)]
    pub(crate) fn by_polynomial<F>(x: F, number: impl Fn(f32) -> F, power: impl Fn(F) -> F) -> F
    where
        F: Copy + Add<Output = F> + Sub<Output = F> + Mul<Output = F>,
    {
        // Adding it leaves the nearest integer in the low bits of the sum.
        let rounder = number(12_582_912.0);
        let rounded = x * number(std::f32::consts::LOG2_E) + rounder;
        let k = rounded - rounder;
        // ln 2 in two parts, the first with so few bits that k times it is exact.
        let r = x - k * number(0.693_359_4) - k * number(-2.121_944_4e-4);
        let mut polynomial = number(1.0 / 5040.0);
        for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            polynomial = polynomial * r + number(coefficient);
        }
        polynomial * power(rounded)
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const MASKED: Self = -1e30;

    type Lanes = Plain<f64>;

    fn from_f64(number: f64) -> Self {
        number
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }

    fn exp_negative(self) -> Self {
        libm::exp(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_is_accurate_to_two_units_in_the_last_place() {
        for step in 0..=870_000 {
            let x = -(step as f32) * 1e-4;
            let (found, exact) = (f64::from(x.exp_negative()), libm::exp(f64::from(x)));
            let error = (found - exact).abs() / exact;
            assert!(error <= 2.0 * f64::from(f32::EPSILON), "e^{x} is off by {error}");
        }
        assert_eq!(0.0_f32.exp_negative(), 1.0);
        assert!(f32::NAN.exp_negative().is_nan());
        assert!(f32::MASKED.exp_negative() < 1e-37);
    }
}
