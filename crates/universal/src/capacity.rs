//! What may be built: decided from the sizes of a class, before anything is allocated.

use serde::{Deserialize, Serialize};
use transformer::Class;

use crate::bounds::{Bounds, Memory};
use crate::{Construction, Error};

/// The limits within which universal transformers are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// The most bytes for everything together.
    pub max_bytes: u64,
    /// The largest m.
    pub max_width: u64,
}

/// What a construction would need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// m.
    pub width: u128,
    /// Bytes, by what they are for.
    pub memory: Memory,
}

/// Why a construction is refused, and what would fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{construction:?}: the width would be {width} and the memory {bytes} bytes; {reason}{}",
    suggestion(nearest.as_ref()))]
pub struct TooLarge {
    /// What was to be built.
    pub construction: Construction,
    /// m.
    pub width: u128,
    /// Bytes of everything together.
    pub bytes: u128,
    /// The limit that it exceeds.
    pub reason: Limit,
    /// The nearest class that fits: fewer layers first, then fewer heads, then less width. `None` when the
    /// number of tokens alone is too much.
    pub nearest: Option<Class>,
}

/// A limit of a [`Capacity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Limit {
    /// The width.
    #[error("the width may be {max} at most")]
    Width {
        /// The largest m.
        max: u64,
    },
    /// The memory.
    #[error("the memory may be {max} bytes at most")]
    Bytes {
        /// The most bytes.
        max: u64,
    },
}

impl Default for Capacity {
    /// One gibibyte, which a browser grants, and a width of a million columns.
    fn default() -> Self {
        Capacity { max_bytes: 1 << 30, max_width: 1 << 20 }
    }
}

impl Capacity {
    /// What the construction needs for a class and n tokens, if it is within the limits.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when it is not, and [`Error::LoopedResidual`].
    pub fn check(&self, construction: Construction, class: &Class, n: usize) -> Result<Estimate, Error> {
        let estimate = estimate(construction, class, n)?;
        let Some(reason) = self.exceeded(&estimate) else {
            return Ok(estimate);
        };
        Err(Error::TooLarge(Box::new(TooLarge {
            construction,
            width: estimate.width,
            bytes: estimate.memory.total(),
            reason,
            nearest: self.nearest(construction, class, n),
        })))
    }

    fn exceeded(&self, estimate: &Estimate) -> Option<Limit> {
        if estimate.width > u128::from(self.max_width) {
            Some(Limit::Width { max: self.max_width })
        } else if estimate.memory.total() > u128::from(self.max_bytes) {
            Some(Limit::Bytes { max: self.max_bytes })
        } else {
            None
        }
    }

    /// All needs grow with every size of a class, so each search may bisect.
    fn nearest(&self, construction: Construction, class: &Class, n: usize) -> Option<Class> {
        let fits = |candidate: &Class| {
            estimate(shrunk(construction, candidate), candidate, n)
                .is_ok_and(|estimate| self.exceeded(&estimate).is_none())
        };
        let layers = |class: Class| {
            let with = move |layers| Class { layers, ..class };
            largest(class.layers, |layers| fits(&with(layers))).map(with)
        };
        let heads = |class: Class| {
            let with = move |heads| Class { heads, layers: 1, ..class };
            largest(class.heads, |heads| fits(&with(heads))).map(with)
        };
        let width = |class: Class| {
            let with = move |width| Class { width, heads: 1, layers: 1, ..class };
            largest(class.width, |width| fits(&with(width))).map(with)
        };
        let head_width = |class: Class| {
            let with = move |head_width| Class { head_width, width: 1, heads: 1, layers: 1, ..class };
            largest(class.head_width, |head_width| fits(&with(head_width))).map(with)
        };
        let again = |found: Class| layers(Class { layers: class.layers, ..found });
        layers(*class)
            .or_else(|| heads(*class).and_then(again))
            .or_else(|| width(*class).and_then(again))
            .or_else(|| head_width(*class).and_then(again))
    }
}

/// What a construction needs for a class and an input of n tokens.
///
/// # Errors
/// [`Error::LoopedResidual`], as that construction does not exist.
pub fn estimate(construction: Construction, class: &Class, n: usize) -> Result<Estimate, Error> {
    let width = Bounds::of(class).width(construction);
    match (width, Memory::of(construction, class, n)) {
        (Some(width), Some(memory)) => Ok(Estimate { width, memory }),
        _ => Err(Error::LoopedResidual),
    }
}

/// A random construction for a smaller class needs no more columns than that class has equations.
fn shrunk(construction: Construction, class: &Class) -> Construction {
    match construction {
        Construction::Random { mut spec, seed } => {
            let minimum = Bounds::of(class).random_minimum;
            spec.width = usize::try_from(minimum).unwrap_or(usize::MAX).min(spec.width);
            Construction::Random { spec, seed }
        }
        other => other,
    }
}

/// The largest size from 1 to `most` that fits, when smaller ones fit wherever larger ones do.
fn largest(most: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if most == 0 || !fits(1) {
        return None;
    }
    let (mut fitting, mut beyond) = (1, most.saturating_add(1));
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        if fits(middle) { fitting = middle } else { beyond = middle }
    }
    Some(fitting)
}

fn suggestion(nearest: Option<&Class>) -> String {
    match nearest {
        Some(class) => format!(
            ". The nearest class that fits has H={} L={} d={} d_h={}",
            class.heads, class.layers, class.width, class.head_width
        ),
        None => ". Use fewer tokens".to_owned(),
    }
}
