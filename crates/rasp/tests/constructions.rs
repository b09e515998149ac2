//! Every construction against ndarray on random inputs, its heads against the formulas that its
//! header states, and the same depth for every size.

#![allow(clippy::unwrap_used)]

use ndarray::{Array1, Array2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rasp::{Atom, Input, Message, Outcome, Run, Session, library};

const TOLERANCE: f64 = 1e-12;

fn generator() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(2026)
}

fn matrix(generator: &mut ChaCha8Rng, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |_| generator.random_range(-1.0..1.0))
}

/// Matrices one after the other, row after row, then scratch up to a length.
fn sequence(matrices: &[&Array2<f64>], length: usize) -> Input {
    let mut numbers: Vec<f64> = matrices.iter().flat_map(|m| m.iter().copied()).collect();
    numbers.resize(numbers.len().max(length), 0.0);
    Input::from_numbers(&numbers).unwrap()
}

fn run(source: &str, input: &Input) -> Run {
    let run = Session::default().run(source, input);
    let errors: Vec<String> = run.diagnostics.iter().map(|d| d.to_string()).collect();
    assert!(errors.is_empty(), "{source}\n{errors:?}");
    run
}

/// The first elements of the result as a matrix; whatever stands behind them must be zero.
fn result(run: &Run, rows: usize, columns: usize) -> Array2<f64> {
    let Outcome::Sequence(sequence) = &run.result else {
        panic!("no sequence: {:?}", run.result);
    };
    let mut numbers = sequence.to_f64().unwrap();
    let rest = numbers.split_off(rows * columns);
    assert!(rest.iter().all(|value| *value == 0.0), "scratch is not zero");
    Array2::from_shape_vec((rows, columns), numbers).unwrap()
}

fn assert_close(found: &Array2<f64>, expected: &Array2<f64>, what: &str) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    let difference = (found - expected).mapv(f64::abs);
    let largest = difference.fold(0.0, |a: f64, b| a.max(*b));
    assert!(largest <= TOLERANCE, "{what}: {largest:e}");
}

/// The heads in each layer that the header of a construction states, for these arguments.
fn stated(function: &str, arguments: &[(&str, usize)]) -> Vec<usize> {
    let heads = library::stated_heads();
    let (_, formula) = heads
        .iter()
        .find(|(name, _)| *name == function)
        .unwrap_or_else(|| panic!("no header states the heads of {function}"));
    let given: String = arguments.iter().map(|(name, value)| format!("{name} = {value};\n")).collect();
    let input = Input::from_text("a").unwrap();
    let run = run(&format!("{given}{formula};"), &input);
    let Outcome::List(items) = run.result else {
        panic!("not a list: {formula}");
    };
    items
        .iter()
        .map(|item| match item {
            Outcome::Atom(Atom::Int(heads)) => usize::try_from(*heads).unwrap(),
            other => panic!("not a number of heads: {other:?}"),
        })
        .collect()
}

fn assert_heads(run: &Run, function: &str, arguments: &[(&str, usize)]) {
    assert_eq!(
        run.analysis.heads_per_layer,
        stated(function, arguments),
        "heads of {function} for {arguments:?}"
    );
}

fn shapes() -> impl Iterator<Item = (usize, usize, usize)> {
    let sizes = [1, 2, 3, 5];
    sizes
        .into_iter()
        .flat_map(move |r| sizes.into_iter().flat_map(move |k| sizes.into_iter().map(move |c| (r, k, c))))
}

fn softmax(scores: &Array2<f64>) -> Array2<f64> {
    let exponential = scores.mapv(f64::exp);
    let total = exponential.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
    exponential / total
}

fn hard_max(scores: &Array2<f64>) -> Array2<f64> {
    let mut weights = Array2::zeros(scores.dim());
    for (row, mut weight) in scores.outer_iter().zip(weights.outer_iter_mut()) {
        let maximum = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let number = row.iter().filter(|value| **value == maximum).count();
        weight.zip_mut_with(&row, |weight, value| {
            *weight = f64::from(u8::from(*value == maximum)) / number as f64;
        });
    }
    weights
}

#[test]
fn layout_names_rows_and_columns() {
    let input = sequence(&[&Array2::zeros((3, 4))], 0);
    for (function, expected) in [("row", 7 / 4), ("column", 7 % 4)] {
        let run = run(&format!("load \"layout\"; {function}(4);"), &input);
        let Outcome::Sequence(values) = &run.result else { panic!() };
        assert_eq!(values.get(7), Atom::Int(expected));
        assert_heads(&run, function, &[]);
    }
    let fetched = run("load \"layout\"; fetch(tokens_float, 0);", &input);
    assert_heads(&fetched, "fetch", &[]);
    let kept = run("load \"layout\"; within(tokens_float, 2);", &input);
    assert_heads(&kept, "within", &[]);
}

#[test]
fn transpose() {
    let mut generator = generator();
    for (r, offset, c) in shapes() {
        let before = matrix(&mut generator, 1, offset);
        let m = matrix(&mut generator, r, c);
        let source = format!("load \"transpose\"; transpose(tokens_float, {offset}, {r}, {c});");
        let run = run(&source, &sequence(&[&before, &m], 0));
        assert_eq!(result(&run, c, r), m.t(), "{r} x {c}");
        assert_heads(&run, "transpose", &[]);
    }
}

#[test]
fn matrix_product() {
    let mut generator = generator();
    for (r, k, c) in shapes() {
        let (a, b) = (matrix(&mut generator, r, k), matrix(&mut generator, k, c));
        let source =
            format!("load \"matmul\"; matmul(tokens_float, 0, tokens_float, {}, {r}, {k}, {c});", r * k);
        let run = run(&source, &sequence(&[&a, &b], r * c));
        assert_close(&result(&run, r, c), &a.dot(&b), "matmul");
        assert_heads(&run, "matmul", &[("k", k)]);
    }
}

#[test]
fn softmax_of_rows() {
    let mut generator = generator();
    for (r, size, c) in shapes() {
        let m = matrix(&mut generator, r, c) * size as f64 * 10.0;
        let input = sequence(&[&m], r * c + size);
        let run_of = |call: String| run(&format!("load \"softmax\"; {call};"), &input);
        let plain = run_of(format!("softmax(tokens_float, {r}, {c})"));
        assert_close(&result(&plain, r, c), &softmax(&m), "softmax");
        assert_heads(&plain, "softmax", &[]);
        let all = format!("indices < {}", r * c);
        for function in ["masked_softmax", "shifted_softmax"] {
            let run = run_of(format!("{function}(tokens_float, {all}, {r}, {c})"));
            assert_close(&result(&run, r, c), &softmax(&m), function);
            assert_heads(&run, function, &[]);
        }
    }
}

#[test]
fn shifted_softmax_bears_large_scores_and_softmax_refuses_them() {
    let scores = Array2::from_shape_vec((1, 3), vec![2000.0, 2000.0, -3000.0]).unwrap();
    let input = sequence(&[&scores], 0);
    let shifted = run("load \"softmax\"; shifted_softmax(tokens_float, indices < 3, 1, 3);", &input);
    let expected = Array2::from_shape_vec((1, 3), vec![0.5, 0.5, 0.0]).unwrap();
    assert_close(&result(&shifted, 1, 3), &expected, "shifted");
    let plain = Session::default().run("load \"softmax\"; softmax(tokens_float, 1, 3);", &input);
    assert_eq!(plain.result, Outcome::Error);
    assert!(matches!(plain.diagnostics[0].message, Message::NotFinite { .. }));
    assert_eq!(plain.diagnostics[0].position, Some(0));
}

#[test]
fn average_hard_maximum_of_rows() {
    let mut generator = generator();
    for (r, size, c) in shapes() {
        // Few different values, so that ties occur.
        let m = matrix(&mut generator, r, c).mapv(|value| (value * size as f64).round());
        let input = sequence(&[&m], r * c + size);
        let all = format!("indices < {}", r * c);
        for (function, arguments) in [("hard_max", String::new()), ("masked_hard_max", format!("{all}, "))] {
            let call = format!("load \"hard_max\"; {function}(tokens_float, {arguments}{r}, {c});");
            let run = run(&call, &input);
            assert_close(&result(&run, r, c), &hard_max(&m), function);
            assert_heads(&run, function, &[]);
        }
    }
}

fn determinant(m: &Array2<f64>) -> f64 {
    match m.nrows() {
        1 => m[[0, 0]],
        n => (0..n)
            .map(|column| {
                let minor = Array2::from_shape_fn((n - 1, n - 1), |(i, j)| {
                    m[[i + 1, if j < column { j } else { j + 1 }]]
                });
                let sign = if column % 2 == 0 { 1.0 } else { -1.0 };
                sign * m[[0, column]] * determinant(&minor)
            })
            .sum(),
    }
}

#[test]
fn determinant_and_inverse() {
    let mut generator = generator();
    for n in [2, 3] {
        for offset in 0..10 {
            let before = matrix(&mut generator, 1, offset);
            // The diagonal keeps the matrix far from singular ones, where 1e-12 would mean nothing.
            let m = matrix(&mut generator, n, n) + Array2::<f64>::eye(n) * 3.0;
            let input = sequence(&[&before, &m], 0);
            let det = run(&format!("load \"determinant\"; determinant_{n}(tokens_float, {offset});"), &input);
            let Outcome::Sequence(values) = &det.result else { panic!() };
            for value in values.to_f64().unwrap() {
                assert!((value - determinant(&m)).abs() <= TOLERANCE);
            }
            assert_heads(&det, &format!("determinant_{n}"), &[]);
            let inverse = run(&format!("load \"inverse\"; inverse_{n}(tokens_float, {offset});"), &input);
            let found = result(&inverse, n, n);
            assert_close(&found.dot(&m), &Array2::eye(n), "inverse times matrix");
            assert_close(&m.dot(&found), &Array2::eye(n), "matrix times inverse");
            assert_heads(&inverse, &format!("inverse_{n}"), &[]);
        }
    }
}

#[test]
fn singular_matrices_are_refused() {
    let mut generator = generator();
    for n in [2, 3] {
        for _ in 0..20 {
            let mut m = matrix(&mut generator, n, n);
            let multiple = m.row(0).to_owned() * generator.random_range(-2.0..2.0);
            m.row_mut(n - 1).assign(&multiple);
            let source = format!("load \"inverse\"; inverse_{n}(tokens_float, 0);");
            let run = Session::default().run(&source, &sequence(&[&m], 0));
            assert_eq!(run.result, Outcome::Error, "{m}");
            let Message::Unsatisfied { text } = &run.diagnostics[0].message else {
                panic!("{:?}", run.diagnostics)
            };
            assert!(text.to_string().contains("singular"));
        }
    }
}

#[test]
fn activations() {
    let mut generator = generator();
    for half in 1..6 {
        let x = matrix(&mut generator, 1, 2 * half);
        let input = sequence(&[&x], 0);
        let relu = run("load \"activation\"; relu(tokens_float);", &input);
        let expected = x.mapv(|value| value.max(0.0));
        assert_close(&result(&relu, 1, 2 * half), &expected, "relu");
        assert_heads(&relu, "relu", &[]);
        let maxmin = run("load \"activation\"; maxmin(tokens_float);", &input);
        let mut expected = x.clone();
        for mut pair in expected.exact_chunks_mut((1, 2)) {
            if pair[[0, 0]] < pair[[0, 1]] {
                pair.invert_axis(ndarray::Axis(1));
                let sorted = pair.to_owned();
                pair.invert_axis(ndarray::Axis(1));
                pair.assign(&sorted);
            }
        }
        assert_close(&result(&maxmin, 1, 2 * half), &expected, "maxmin");
        assert_heads(&maxmin, "maxmin", &[]);
    }
}

#[test]
fn affine_map() {
    let mut generator = generator();
    for (r, k, c) in shapes() {
        let (x, w) = (matrix(&mut generator, r, k), matrix(&mut generator, k, c));
        let b = matrix(&mut generator, 1, c);
        let (wo, bo) = (r * k, r * k + k * c);
        let source =
            format!("load \"affine\"; t = tokens_float; affine(t, 0, t, {wo}, t, {bo}, {r}, {k}, {c});");
        let run = run(&source, &sequence(&[&x, &w, &b], r * c));
        assert_close(&result(&run, r, c), &(x.dot(&w) + &b), "affine");
        assert_heads(&run, "affine", &[("k", k)]);
    }
}

struct HeadWeights {
    a: Array2<f64>,
    v: Array2<f64>,
}

fn head(generator: &mut ChaCha8Rng, d: usize, w: usize) -> HeadWeights {
    HeadWeights { a: matrix(generator, d, d), v: matrix(generator, d, w) }
}

/// Scores into attention.
type Attend = fn(&Array2<f64>) -> Array2<f64>;

fn attend(x: &Array2<f64>, head: &HeadWeights, f: Attend) -> Array2<f64> {
    f(&x.dot(&head.a).dot(&x.t())).dot(x).dot(&head.v)
}

#[test]
fn one_attention_head() {
    let mut generator = generator();
    for (n, d, w) in shapes() {
        let x = matrix(&mut generator, n, d);
        let head = head(&mut generator, d, w);
        let (ao, vo) = (n * d, n * d + d * d);
        let input = sequence(&[&x, &head.a, &head.v], n * n.max(d).max(w));
        let cases: [(&str, Attend); 2] = [("soft_attention", softmax), ("hard_attention", hard_max)];
        for (function, f) in cases {
            let source = format!(
                "load \"attention\"; t = tokens_float; {function}(t, 0, t, {ao}, t, {vo}, {n}, {d}, {w});"
            );
            let run = run(&source, &input);
            assert_close(&result(&run, n, w), &attend(&x, &head, f), function);
            assert_heads(&run, function, &[("n", n), ("d", d)]);
        }
    }
}

struct Layer {
    w1: Array2<f64>,
    b1: Array2<f64>,
    w2: Array2<f64>,
    b2: Array2<f64>,
}

impl Layer {
    fn random(generator: &mut ChaCha8Rng, d: usize, f: usize, w: usize) -> Self {
        Self {
            w1: matrix(generator, d, f),
            b1: matrix(generator, 1, f),
            w2: matrix(generator, f, w),
            b2: matrix(generator, 1, w),
        }
    }

    fn apply(&self, x: &Array2<f64>, activate: impl Fn(Array2<f64>) -> Array2<f64>) -> Array2<f64> {
        activate(x.dot(&self.w1) + &self.b1).dot(&self.w2) + &self.b2
    }

    fn matrices(&self) -> [&Array2<f64>; 4] {
        [&self.w1, &self.b1, &self.w2, &self.b2]
    }
}

fn relu(x: Array2<f64>) -> Array2<f64> {
    x.mapv(|value| value.max(0.0))
}

fn maxmin(x: Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn(x.dim(), |(i, j)| {
        let (own, partner) = (x[[i, j]], x[[i, j ^ 1]]);
        if j % 2 == 0 { own.max(partner) } else { own.min(partner) }
    })
}

#[test]
fn feed_forward_sub_layer() {
    let mut generator = generator();
    for (n, d, half) in shapes() {
        let (f, w) = (2 * half, d + 1);
        let x = matrix(&mut generator, n, d);
        let layer = Layer::random(&mut generator, d, f, w);
        let mut matrices = vec![&x];
        matrices.extend(layer.matrices());
        let input = sequence(&matrices, n * f.max(w));
        let arguments = [("d", d), ("f", f)];
        let call = |function: &str| {
            run(
                &format!(
                    "load \"feed_forward\"; t = tokens_float; {function}(t, 0, t, {}, {n}, {d}, {f}, {w});",
                    n * d
                ),
                &input,
            )
        };
        let with_relu = call("feed_forward_relu");
        assert_close(&result(&with_relu, n, w), &layer.apply(&x, relu), "relu");
        assert_heads(&with_relu, "feed_forward_relu", &arguments);
        let with_maxmin = call("feed_forward_maxmin");
        assert_close(&result(&with_maxmin, n, w), &layer.apply(&x, maxmin), "maxmin");
        assert_heads(&with_maxmin, "feed_forward_maxmin", &arguments);
    }
}

#[test]
fn several_heads_and_a_whole_layer() {
    let mut generator = generator();
    for (n, d, h) in shapes().filter(|(n, d, h)| n * d * h <= 30) {
        let (w, f, e) = (d + 1, 3, 2);
        let x = matrix(&mut generator, n, d);
        let heads: Vec<HeadWeights> = (0..h).map(|_| head(&mut generator, d, w)).collect();
        let layer = Layer::random(&mut generator, w, f, e);
        let mut matrices = vec![&x];
        for head in &heads {
            matrices.extend([&head.a, &head.v]);
        }
        matrices.extend(layer.matrices());
        let input = sequence(&matrices, n * n.max(w).max(f));
        let sum = |f: Attend| heads.iter().map(|head| attend(&x, head, f)).reduce(|a, b| a + b).unwrap();
        let arguments = [("n", n), ("d", d), ("h", h), ("w", w), ("f", f)];
        let cases: [(&str, Attend); 2] = [("soft_multi_head", softmax), ("hard_multi_head", hard_max)];
        for (function, attend) in cases {
            let source = format!("load \"multi_head\"; {function}(tokens_float, {h}, {n}, {d}, {w});");
            let run = run(&source, &input);
            assert_close(&result(&run, n, w), &sum(attend), function);
            assert_heads(&run, function, &arguments);
        }
        let encoder = run(
            &format!("load \"encoder\"; encoder_layer(tokens_float, {h}, {n}, {d}, {w}, {f}, {e});"),
            &input,
        );
        assert_close(&result(&encoder, n, e), &layer.apply(&sum(softmax), relu), "encoder");
        assert_heads(&encoder, "encoder_layer", &arguments);
    }
}

#[test]
fn match_2_and_k_parity() {
    let mut generator = generator();
    for length in 1..30 {
        let modulus = generator.random_range(2..9);
        let numbers: Vec<i64> = (0..length).map(|_| generator.random_range(-20..20)).collect();
        let input = Input::from_atoms(numbers.iter().copied().map(Atom::Int).collect()).unwrap();
        let run_match = run(&format!("load \"match2\"; match_2(tokens_int, {modulus});"), &input);
        let Outcome::Sequence(found) = &run_match.result else { panic!() };
        for (position, x) in numbers.iter().enumerate() {
            let partner = numbers.iter().any(|y| (x + y).rem_euclid(modulus) == 0);
            assert_eq!(found.get(position), Atom::Bool(partner));
        }
        assert_heads(&run_match, "match_2", &[]);

        let bits = Array1::from_shape_fn(length, |_| i64::from(generator.random_bool(0.5)));
        let places: Vec<usize> = (0..length).filter(|_| generator.random_bool(0.4)).collect();
        let input = Input::from_atoms(bits.iter().copied().map(Atom::Int).collect()).unwrap();
        let run_parity = run(&format!("load \"parity\"; k_parity(tokens_int, {places:?});"), &input);
        let expected = places.iter().map(|place| bits[*place]).sum::<i64>() % 2;
        let Outcome::Sequence(found) = &run_parity.result else { panic!() };
        assert!(found.iter().all(|value| value == Atom::Int(expected)));
        assert_heads(&run_parity, "k_parity", &[]);
    }
}

#[test]
fn the_depth_of_every_construction_is_one_number() {
    // A formula whose list had a length that depends on a size could not be written in the headers:
    // each is a list literal. Here the programs themselves are measured for growing sizes.
    let depth = |source: String| Session::default().analyse(&source).unwrap().depth();
    for (load, call) in [
        ("matmul", "matmul(tokens_float, 0, tokens_float, 0, N, N, N)"),
        ("attention", "soft_attention(tokens_float, 0, tokens_float, 0, tokens_float, 0, N, N, N)"),
        ("attention", "hard_attention(tokens_float, 0, tokens_float, 0, tokens_float, 0, N, N, N)"),
        ("multi_head", "soft_multi_head(tokens_float, N, N, N, N)"),
        ("encoder", "encoder_layer(tokens_float, N, N, N, N, N, N)"),
    ] {
        let depths: Vec<usize> =
            [1, 2, 4, 8].iter().map(|n| depth(format!("load \"{load}\"; N = {n}; {call};"))).collect();
        assert!(depths.windows(2).all(|pair| pair[0] == pair[1]), "{call}: {depths:?}");
    }
}

#[test]
fn every_construction_states_its_heads_and_says_what_it_is() {
    for (name, text) in library::CONSTRUCTIONS {
        for line in ["# Computes: ", "# Source: ", "# Layout: ", "# Heads of "] {
            assert!(text.contains(line), "{name} has no line {line}");
        }
        // Every function that a file offers has its heads stated, and is there.
        let run = Session::default().run(&format!("load \"{name}\"; 0;"), &Input::parse("a").unwrap());
        assert!(!run.has_errors(), "{name}: {:?}", run.diagnostics);
        for line in text.lines().filter_map(|line| line.strip_prefix("# Heads of ")) {
            let (function, _) = line.split_once(": ").unwrap();
            assert!(text.contains(&format!("def {function}(")), "{name}: {function}");
        }
    }
}
