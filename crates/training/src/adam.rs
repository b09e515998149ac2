//! AdamW (Loshchilov, Hutter 2019), with the gradient clipped to a largest norm.

use pulp::NullaryFnOnce;

use crate::Optimiser;
use crate::kernels::Processor;
use crate::lanes::{Lanes, change};
use crate::parameters::Parameters;
use crate::real::Real;

/// The moments of the gradient, one of each for every trained number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments<R> {
    pub(crate) first: Vec<R>,
    pub(crate) second: Vec<R>,
}

impl<R: Real> Moments<R> {
    pub(crate) fn zeros(count: usize) -> Self {
        Moments { first: vec![R::ZERO; count], second: vec![R::ZERO; count] }
    }

    /// Changes the parameters by one step against the gradient, whose norm is given; `step` counts from 0.
    pub(crate) fn update(
        &mut self,
        optimiser: &Optimiser,
        rate: f64,
        step: usize,
        (gradient, norm): (&Parameters<R>, f64),
        parameters: &mut Parameters<R>,
    ) {
        let count = (step + 1) as f64;
        let (b1, b2) = (optimiser.momentum, optimiser.square_momentum);
        let number = R::from_f64;
        Processor::new().run(Update {
            shortened: number(if norm > optimiser.clip { optimiser.clip / norm } else { 1.0 }),
            step_size: number(rate / (1.0 - libm::pow(b1, count))),
            square_scale: number(1.0 / (1.0 - libm::pow(b2, count))),
            keep: (number(b1), number(b2)),
            take: (number(1.0 - b1), number(1.0 - b2)),
            epsilon: number(optimiser.epsilon),
            shrink: number(1.0 - rate * optimiser.weight_decay),
            moments: self,
            gradient: &gradient.numbers,
            weights: &mut parameters.numbers,
        });
    }
}

/// One step of all weights, with everything that is the same for all of them.
struct Update<'a, R> {
    shortened: R,
    step_size: R,
    square_scale: R,
    keep: (R, R),
    take: (R, R),
    epsilon: R,
    shrink: R,
    moments: &'a mut Moments<R>,
    gradient: &'a [R],
    weights: &'a mut [R],
}

impl<R: Real> NullaryFnOnce for Update<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let splat = R::Lanes::splat;
        let Moments { first, second } = self.moments;
        let (keep, take, shortened) = (splat(self.keep.0), splat(self.take.0), splat(self.shortened));
        change(first, [self.gradient], |m, [g]| keep.mul(m).add(take.mul(g.mul(shortened))));
        let (keep, take) = (splat(self.keep.1), splat(self.take.1));
        change(second, [self.gradient], |v, [g]| {
            let g = g.mul(shortened);
            keep.mul(v).add(take.mul(g.mul(g)))
        });
        let (shrink, step_size) = (splat(self.shrink), splat(self.step_size));
        let (square_scale, epsilon) = (splat(self.square_scale), splat(self.epsilon));
        change(self.weights, [first, second], |w, [m, v]| {
            let size = v.mul(square_scale).sqrt().add(epsilon);
            shrink.mul(w).sub(step_size.mul(m).div(size))
        });
    }
}
