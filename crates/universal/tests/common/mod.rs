//! What the tests share: the reference cases, random classes and inputs, and comparisons.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use ndarray::{Array2, ArrayView2};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use transformer::{Attention, Class, Head, Layer, Mask, NormalDraws, Scale, Target, Trace};
use universal::bounds::largest_rank;
use universal::{Bounds, Construction, Law, Program, Proof, RandomSpec, Tying, UniversalTransformer};

/// One case of an independent program: a target, an input, and what must come out.
pub struct Reference {
    pub name: String,
    pub target: Target,
    pub input: Array2<f64>,
    pub output: Array2<f64>,
    pub attention: Vec<Vec<Array2<f64>>>,
    pub states: Vec<Array2<f64>>,
    pub widths: Value,
}

/// The folder of the reference cases in this project.
pub fn reference_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../transformer/tests/reference")
}

/// All reference cases.
pub fn references() -> Vec<Reference> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(reference_folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty(), "there are no reference cases");
    files.iter().map(|file| reference(&std::fs::read_to_string(file).unwrap())).collect()
}

fn reference(text: &str) -> Reference {
    let case: Value = serde_json::from_str(text).unwrap();
    let class: Class = serde_json::from_value(case["target"]["class"].clone()).unwrap();
    let layers = list(&case["target"]["layers"], |layer| Layer {
        heads: list(&layer["heads"], |head| Head {
            wq: matrix(&head["wq"]),
            wk: matrix(&head["wk"]),
            wv: matrix(&head["wv"]),
            wo: matrix(&head["wo"]),
        }),
    });
    let expect = &case["expect"];
    Reference {
        name: case["name"].as_str().unwrap().to_owned(),
        target: Target::new(class, layers, None).unwrap(),
        input: matrix(&case["input"]),
        output: matrix(&expect["output"]),
        attention: list(&expect["attention"], |layer| list(layer, matrix)),
        states: list(&expect["states"], matrix),
        widths: expect["widths"].clone(),
    }
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(item).collect()
}

fn matrix(value: &Value) -> Array2<f64> {
    let rows = list(value, |row| list(row, |number| number.as_f64().unwrap()));
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

/// An input of n rows with independent normal numbers.
pub fn input(n: usize, width: usize, seed: u64) -> Array2<f64> {
    let mut draws = NormalDraws::new(ChaCha8Rng::seed_from_u64(seed));
    Array2::from_shape_simple_fn((n, width), || draws.draw())
}

/// The largest difference of two matrices of the same shape.
pub fn difference(a: ArrayView2<f64>, b: ArrayView2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    let pairs = a.iter().zip(b.iter());
    // A NaN must not hide: `max` would ignore it.
    pairs.fold(0.0, |largest, (a, b)| {
        let difference = (a - b).abs();
        if difference.is_nan() { f64::INFINITY } else { f64::max(largest, difference) }
    })
}

/// The same over all layers and heads.
pub fn attention_difference(a: &[Vec<Array2<f64>>], b: &[Vec<Array2<f64>>]) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    assert_eq!(a.iter().flatten().count(), b.iter().flatten().count());
    pairs.fold(0.0, |largest, (a, b)| f64::max(largest, difference(a.view(), b.view())))
}

/// A class with softmax attention, no mask and the usual scale.
pub fn class(heads: usize, layers: usize, width: usize, head_width: usize) -> Class {
    Class {
        heads,
        layers,
        width,
        head_width,
        attention: Attention::Softmax,
        mask: Mask::None,
        scale: Scale::InverseSqrt,
        residual: false,
    }
}

/// N, the number of columns of a sparse program.
pub fn unknowns(class: &Class) -> usize {
    usize::try_from(Bounds::of(class).sparse).unwrap()
}

/// A random construction.
pub fn random(law: Law, tying: Tying, width: usize, seed: u64) -> Construction {
    Construction::Random { spec: RandomSpec { law, tying, width }, seed }
}

/// Every construction that plays all targets of a class, random ones with some columns more than they need.
pub fn constructions(class: &Class, seed: u64) -> Vec<Construction> {
    let mut all = vec![Construction::Sparse];
    if !class.residual {
        all.push(Construction::Looped);
    }
    for tying in [Tying::Free, Tying::Tied] {
        if largest_rank(class, tying) < Bounds::of(class).random_minimum {
            continue;
        }
        for law in [Law::Gaussian, Law::Uniform, Law::Sign] {
            all.push(random(law, tying, unknowns(class) + unknowns(class) / 2 + 8, seed));
        }
    }
    all
}

/// A target, a universal transformer that plays it, and what both made of the same input.
pub struct Performance {
    pub target: Target,
    pub universal: UniversalTransformer,
    pub program: Program,
    pub target_trace: Trace,
    pub universal_trace: Trace,
    pub proof: Proof,
}

/// Lets a construction play a target.
pub fn perform(target: &Target, construction: Construction, x: ArrayView2<f64>) -> Performance {
    let universal = UniversalTransformer::new(*target.class(), construction).unwrap();
    let program = universal.program(target).unwrap();
    let target_trace = transformer::forward(target, x).unwrap();
    let universal_trace = universal.forward(x, program.embedding.view()).unwrap();
    let proof = Proof::new(target, &target_trace, &universal, &universal_trace, program.solve.as_ref());
    Performance { target: target.clone(), universal, program, target_trace, universal_trace, proof }
}

impl Performance {
    /// What an error may be: rounding for explicit constructions, 1e-9 for equations with a condition
    /// number up to 1,000 and more in proportion beyond.
    pub fn bound(&self) -> f64 {
        self.program.solve.as_ref().map_or(1e-12, |solve| 1e-12 * solve.condition.max(1e3))
    }

    /// The largest difference of outputs and of attention.
    pub fn error(&self) -> f64 {
        let output = difference(self.target_trace.output.view(), self.universal_trace.output.view());
        output.max(attention_difference(&self.target_trace.attention, &self.universal_trace.attention))
    }
}
