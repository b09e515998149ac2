//! Runs a program from a file on an input: `cargo run -p rasp --example run -- program.rasp hello`.

use rasp::{Input, Session, Span};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(input)) = (arguments.next(), arguments.next()) else {
        return Err("usage: run program.rasp input".into());
    };
    let source = std::fs::read_to_string(file)?;
    let input = Input::parse(&input).map_err(|diagnostic| diagnostic.to_string())?;
    let start = std::time::Instant::now();
    let run = Session::default().run(&source, &input);
    let time = start.elapsed();
    for diagnostic in &run.diagnostics {
        let (line, column) = diagnostic.span.line_and_column(&source);
        println!("{line}:{column}: {diagnostic}");
    }
    for shown in &run.shown {
        println!("{} = {:?}", Span::text(shown.span, &source), shown.value);
    }
    println!(
        "heads per layer {:?}, merged {:?}, {} steps, {time:?}",
        run.analysis.heads_per_layer,
        run.analysis.merged_heads_per_layer(),
        run.trace.steps.len(),
    );
    Ok(())
}
