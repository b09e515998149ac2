//! AdamW (Loshchilov, Hutter 2019), with the gradient clipped to a largest norm.

use pulp::NullaryFnOnce;

use crate::Optimiser;
use crate::kernels::Processor;
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
        let moments = self.moments.first.iter_mut().zip(&mut self.moments.second);
        for ((w, g), (m, v)) in self.weights.iter_mut().zip(self.gradient).zip(moments) {
            let g = *g * self.shortened;
            *m = self.keep.0 * *m + self.take.0 * g;
            *v = self.keep.1 * *v + self.take.1 * (g * g);
            *w = self.shrink * *w - self.step_size * *m / ((*v * self.square_scale).sqrt() + self.epsilon);
        }
    }
}
