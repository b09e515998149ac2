//! Compiles the gallery: `cargo run --release -p compile --example table`.

use compile::{Inputs, Pass, Passes, Request, Verifier, compile};
use rasp::{Session, gallery};

fn main() {
    let only = std::env::args().nth(1);
    for (id, vocabulary, longest) in [
        ("histogram", "abc", 6),
        ("double_histogram", "abc", 6),
        ("most_frequent", "abc", 6),
        ("frequency_so_far", "abc", 6),
        ("reverse", "abc", 6),
        ("sort", "abc", 6),
        ("induction", "abc", 6),
        ("dyck_1", "()", 8),
        ("dyck_2", "(){}", 6),
        ("long_addition", "0123456789+", 5),
        ("match_2", "[0,1,2,3,4,5,6]", 8),
        ("k_parity", "[0,1]", 8),
    ] {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|it| it == id)) {
            continue;
        }
        let entry = gallery::entry(id).expect("it is in the gallery");
        let counts = if std::env::args().any(|it| it == "passes") {
            0..=Pass::ALL.len()
        } else {
            Pass::ALL.len()..=Pass::ALL.len()
        };
        for count in counts {
            let mut request = Request::new(Request::vocabulary(vocabulary).expect("it is a list"), longest);
            request.passes = Passes::of(&Pass::ALL[..count]);
            let start = std::time::Instant::now();
            let made = compile(&Session::default(), entry.source, &request, &|| false);
            let time = start.elapsed();
            match made {
                Err(error) => println!("{id:18} {count} {error} {time:?}"),
                Ok(program) => {
                    let s = &program.compiled.statistics;
                    print!(
                        "{id:18} {count} L {} H {} d {} d_h {} memory {} m {} margin {} size {} {time:?}",
                        s.layers,
                        s.heads,
                        s.width,
                        s.head_width,
                        s.memory,
                        s.sparse,
                        s.margin,
                        s.largest_score
                    );
                    let inputs = Inputs::new(&program.compiled, 6_000, 500, 1);
                    let verifier = Verifier::of_target(&program.prepared, &program.compiled);
                    let found = verifier.run(&inputs, 0..inputs.count(), &mut |found| found.is_right());
                    println!(
                        "  {} of {} equal, {} without value",
                        found.equal,
                        inputs.count(),
                        found.without_value
                    );
                    if let Some(first) = &found.first {
                        println!("{first:?}");
                    }
                    if only.is_some() {
                        for head in &program.compiled.heads {
                            println!(
                                "  {}.{} {:?} {} {:?}",
                                head.layer, head.head, head.kind, head.name, head.selects
                            );
                        }
                        println!("  {:?}", program.compiled.coordinates);
                    }
                }
            }
        }
    }
}
