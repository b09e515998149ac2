//! Time to read, evaluate and trace the library and the gallery's programs at 64 positions, a deep
//! program at 200 positions, and a simulator.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ndarray::Array2;
use rasp::gallery::{GALLERY, Shelf};
use rasp::simulator::{Attend, Head, Mask, Simulator, Target};
use rasp::{Input, Session};

/// Every function of the standard library, on one input.
const LIBRARY: &str = "
[selector_width(select(tokens, tokens, ==)), has_focus(select(tokens, \"a\", ==)),
 count(tokens, \"a\"), contains(tokens, \"a\"), max(indices, 3), min(indices, 3), average(indices),
 load_from_location(tokens, length - 1), shift(tokens, 1, \"-\"), mark_last_instance(tokens, \"a\"),
 mark_first_instance(tokens, \"a\"), aggregate(select_from_last(tokens, \"a\"), indices, -1),
 aggregate(select_from_first(tokens, \"a\"), indices, -1), sort(tokens, tokens),
 aggregate(select_next_identical(tokens), indices, -1)];
";

/// Fifty layers, each with a head that averages over what it has.
const DEEP: &str = "
x = indices;
for layer in range(50) {
    x = x + aggregate(select(indices, indices, <=) and select(x, x, <=), x);
}
x;
";

fn letters(length: usize) -> Input {
    let text: String = (0..length).map(|i| char::from(b'a' + (i * i % 17) as u8)).collect();
    Input::from_text(&text).unwrap()
}

/// Whether programs of this shelf run on any input.
fn is_classic(shelf: Shelf) -> bool {
    !matches!(shelf, Shelf::Matrices | Shelf::Attention | Shelf::Encoder)
}

fn evaluate(criterion: &mut Criterion) {
    let session = Session::default();
    let mut run = |name: &str, source: &str, input: &Input| {
        let first = session.run(source, input);
        assert!(!first.has_errors(), "{name}: {:?}", first.diagnostics);
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| session.run(black_box(source), black_box(input)));
        });
    };
    run("library at n = 64", LIBRARY, &letters(64));
    for entry in GALLERY.iter().filter(|entry| is_classic(entry.shelf)) {
        let input = match entry.id {
            "dyck_1" | "dyck_2" => Input::from_text(&"(())()()".repeat(8)).unwrap(),
            "long_addition" => Input::from_text(&format!("{}+{}", "9".repeat(32), "1".repeat(31))).unwrap(),
            "match_2" | "k_parity" => Input::from_numbers(&[1.0; 64]).unwrap(),
            _ => letters(64),
        };
        run(&format!("{} at n = 64", entry.id), entry.source, &input);
    }
    run("50 layers at n = 200", DEEP, &letters(200));
}

fn simulate(criterion: &mut Criterion) {
    let matrix = |rows: usize, columns: usize| {
        Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 7 + j * 3) % 5) as f64 / 5.0 - 0.4)
    };
    let (n, d) = (16, 8);
    let target = Target {
        x: matrix(n, d),
        heads: (0..2).map(|_| Head { a: matrix(d, d), v: matrix(d, d) }).collect(),
        attend: Attend::Softmax,
        mask: Mask::Causal,
        feed_forward: None,
    };
    let simulator = Simulator::new(target.class().unwrap()).unwrap();
    criterion.bench_function("simulator of 2 heads, n = 16, d = 8", |bencher| {
        bencher.iter(|| simulator.run(black_box(&target)).unwrap());
    });
}

criterion_group!(benches, evaluate, simulate);
criterion_main!(benches);
