//! The equations of a whole sweep as numbers, for other programs to solve: for every m from N − reach to N + reach
//! the m × N matrix C of one Gaussian draw and the d × N matrix B of its target, row by row, little-endian f64, each
//! after its two sizes as u64. `python/compare_sweep.py` gives them to numpy.
//!
//! `cargo run --release -p universal --example equations -- HEADS LAYERS WIDTH HEAD_WIDTH REACH TARGET_SEED FROZEN_SEED`
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{BufWriter, Write, stdout};

use ndarray::Array2;
use transformer::{Attention, Class, Mask, Scale, Target};
use universal::{Bounds, Law, RandomSpec, Tying, UniversalTransformer};

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|it| it.parse().unwrap()).collect();
    let [heads, layers, width, head_width, reach, target_seed, frozen_seed] = arguments[..] else {
        panic!("seven numbers are needed, and there are {}", arguments.len())
    };
    let class = Class {
        heads: heads as usize,
        layers: layers as usize,
        width: width as usize,
        head_width: head_width as usize,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::InverseSqrt,
        residual: false,
    };
    let target = Target::random(class, target_seed).unwrap();
    // The program of sparse weights is B itself.
    let leaves = UniversalTransformer::sparse(class).unwrap().program(&target).unwrap().embedding;
    let equations = Bounds::of(&class).random_minimum as usize;
    let mut out = BufWriter::new(stdout().lock());
    for width in equations - reach as usize..=equations + reach as usize {
        let spec = RandomSpec { law: Law::Gaussian, tying: Tying::Free, width };
        let universal = UniversalTransformer::random(class, spec, frozen_seed).unwrap();
        write(&mut out, &universal.leaf_columns());
        write(&mut out, &leaves);
    }
    out.flush().unwrap();
}

fn write(out: &mut impl Write, matrix: &Array2<f64>) {
    for size in [matrix.nrows(), matrix.ncols()] {
        out.write_all(&(size as u64).to_le_bytes()).unwrap();
    }
    for entry in matrix {
        out.write_all(&entry.to_le_bytes()).unwrap();
    }
}
