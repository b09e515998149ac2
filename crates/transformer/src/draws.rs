//! Normal draws whose bits are the same on every platform.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Independent standard normal numbers, by Marsaglia's polar method.
///
/// The logarithm is that of the crate `libm`, not that of the system: the same seed must give the same
/// bits in a browser and in a native test, because weights are compared by a fingerprint of their bits.
#[derive(Debug, Clone)]
pub struct NormalDraws {
    rng: ChaCha8Rng,
    spare: Option<f64>,
}

impl NormalDraws {
    /// Draws that continue from where `rng` stands.
    pub fn new(rng: ChaCha8Rng) -> Self {
        NormalDraws { rng, spare: None }
    }

    /// The generator, for draws of another law between the normal ones.
    pub fn source(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }

    /// The next number.
    // Inlined, because crates that draw millions are optimised for speed and this one is not.
    #[inline]
    pub fn draw(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (2.0 * self.rng.random::<f64>() - 1.0, 2.0 * self.rng.random::<f64>() - 1.0);
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }
}
