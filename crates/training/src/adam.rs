//! AdamW (Loshchilov, Hutter 2019), with the gradient clipped to a largest norm.

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
        let shortened = number(if norm > optimiser.clip { optimiser.clip / norm } else { 1.0 });
        let step_size = number(rate / (1.0 - libm::pow(b1, count)));
        let square_scale = number(1.0 / (1.0 - libm::pow(b2, count)));
        let (keep, take) = (number(b1), number(1.0 - b1));
        let (keep_square, take_square) = (number(b2), number(1.0 - b2));
        let (epsilon, shrink) = (number(optimiser.epsilon), number(1.0 - rate * optimiser.weight_decay));
        Processor::new().vectorised(
            #[inline(always)]
            || {
                let moments = self.first.iter_mut().zip(&mut self.second);
                for ((w, g), (m, v)) in parameters.numbers.iter_mut().zip(&gradient.numbers).zip(moments) {
                    let g = *g * shortened;
                    *m = keep * *m + take * g;
                    *v = keep_square * *v + take_square * (g * g);
                    *w = shrink * *w - step_size * *m / ((*v * square_scale).sqrt() + epsilon);
                }
            },
        );
    }
}
