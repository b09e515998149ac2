//! The program, which never changes with the target: its text, with what runs now lit.

use leptos::prelude::*;
use rasp::simulator::{Activation, Attend};

use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::ground::language::use_language;
use crate::rooms::rasp::reading;
use crate::rooms::simulator::job::{Kind, Shown, Simulated};
use crate::widgets::code_editor::{CodeText, Mark, MarkKind};
use crate::widgets::controls::Button;

/// The program and the function that is at work.
#[component]
pub fn ProgramPanel() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let source =
        Memo::new(move |_| room.read(|simulated| Some(simulated.source.clone())).unwrap_or_default());
    let statement = Memo::new(move |_| {
        room.read_now(|simulated, stage, _| line_of(&simulated.source, &format!("{} =", stage.name)))
    });
    let function = Memo::new(move |_| room.read_now(function_now));
    let body = Memo::new(move |_| function.get().map(|it| (it.file, it.text)));
    // Adding up heads is a sum in the program itself, no function of a library.
    let has_body = Memo::new(move |_| body.with(Option::is_some));
    let names = Memo::new(move |_| room.read(|simulated| Some(simulated.names.clone())).unwrap_or_default());
    let read = Callback::new(move |text: String| names.with(|names| reading(&text, names)));
    view! {
        <div class="sim-program">
            <div>
                <p class="caps">{move || t.get().simulator_program()}</p>
                <CodeText
                    label=Signal::derive(move || t.get().simulator_program().to_owned())
                    value=source
                    read
                    marks=Signal::derive(move || source.with(|text| lit_line(text, statement.get())))
                />
            </div>
            <Show when=move || has_body.get()>
                <div>
                    <p class="caps">{move || body.get().map(|(file, _)| t.get().simulator_function_of(&file))}</p>
                    <CodeText
                        label=Signal::derive(move || {
                            body.get().map_or_else(String::new, |(file, _)| t.get().simulator_function_of(&file))
                        })
                        value=Signal::derive(move || body.get().map(|(_, text)| text).unwrap_or_default())
                        read
                        marks=Signal::derive(move || {
                            function.get().map(|it| lit_line(&it.text, Some(it.line))).unwrap_or_default()
                        })
                    />
                </div>
            </Show>
        </div>
        <Button label=Signal::derive(move || t.get().simulator_open_in_rasp().to_owned()) on_press=move |()| room.open_in_rasp()/>
        <p class="quiet sim-fetch">{move || t.get().simulator_fetch_is()} " " <code>"fetch(seq, p) = aggregate(select(indices, p, ==), seq)"</code></p>
    }
    .into_any()
}

/// The mark of a line that runs now, without the white space before it.
fn lit_line(text: &str, line: Option<usize>) -> Vec<Mark> {
    let Some(line) = line else { return Vec::new() };
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let whole = text[start..].lines().next().unwrap_or_default();
    let indent = whole.len() - whole.trim_start().len();
    vec![Mark { range: start + indent..start + whole.len(), kind: MarkKind::Lit, note: String::new() }]
}

/// A function of a library file, and the line in it that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Function {
    file: String,
    text: String,
    line: usize,
}

/// The function whose line makes what is made now.
fn function_now(simulated: &Simulated, stage: &Shown, now: &Moment) -> Option<Function> {
    let beat = stage.beats.get(now.beat)?;
    let made = beat.lanes.iter().enumerate().rev().find(|(lane, _)| {
        let (from, _) = super::play::window(beat.lanes.len(), *lane);
        now.phase > from
    });
    let lane = made.map_or(&beat.lanes[0], |(_, lane)| lane);
    let (file, function) = match (stage.kind, beat.term) {
        (Kind::Transpose, _) => ("transpose", "transpose"),
        (Kind::Product, Some(_)) => ("matmul", "matmul"),
        (Kind::Product, None) => ("affine", "affine"),
        (Kind::Attend, _) => match (simulated.class.attend, lane.name.as_str()) {
            (Attend::AverageHard, _) => ("hard_max", "masked_hard_max"),
            (Attend::ShiftedSoftmax, "rival" | "top" | "maximum") => ("softmax", "shifted_softmax"),
            _ => ("softmax", "masked_softmax"),
        },
        (Kind::Activate, _) => match simulated.class.feed_forward?.activation {
            Activation::Relu => ("activation", "relu"),
            Activation::MaxMin => ("activation", "maxmin"),
        },
        (Kind::Sum, _) => return None,
    };
    let text = simulated.files.iter().find(|(name, _)| name == file).map(|(_, text)| text)?;
    let body = body_of(text, function)?;
    // The last lane of a stage is what its function returns; a bias is added in the same line.
    let is_returned = lane.name == stage.name || (beat.term.is_none() && lane.name == "sum");
    let start = if is_returned { "return".to_owned() } else { format!("{} =", lane.name) };
    // A sum that grows starts as another line, which is over.
    let is_made = |line: &&str| line.trim_start().starts_with(&start);
    let line = body.lines().count() - 1 - body.lines().rev().position(|line| is_made(&line))?;
    Some(Function { file: file.to_owned(), text: body, line })
}

/// The text of a function, from its head to its closing brace.
fn body_of(text: &str, function: &str) -> Option<String> {
    let start = text.find(&format!("def {function}("))?;
    let end = text[start..].find("\n}").map_or(text.len(), |at| start + at + 2);
    Some(text[start..end].to_owned())
}

fn line_of(text: &str, start: &str) -> Option<usize> {
    text.lines().position(|line| line.starts_with(start))
}

crate::texts! {
    simulator_program: "The program" | "O programa";
    simulator_function_of(file: &str): "The function at work, from {file}.rasp" | "A função que trabalha, de {file}.rasp";
    simulator_open_in_rasp: "Open in RASP, with this target as its input" | "Abrir em RASP, com este alvo como entrada";
    simulator_fetch_is: "A fetch is one attention head:" | "Uma busca é uma cabeça de atenção:";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::simulator::choices::{Piece, TargetSource};
    use crate::rooms::simulator::job::Workshop;

    #[test]
    fn the_line_that_runs_is_marked_whole() {
        let text = "a = 1;\n    b = é;\nc";
        let range = |line| lit_line(text, Some(line)).remove(0).range;
        assert_eq!((&text[range(1)], &text[range(2)]), ("b = é;", "c"));
        assert_eq!(lit_line(text, None), vec![]);
        assert_eq!(
            body_of("x;\ndef f(a) {\n  return a;\n}\ny;", "f").as_deref(),
            Some("def f(a) {\n  return a;\n}")
        );
    }

    #[test]
    fn every_beat_has_its_line() {
        for (id, attend) in [
            ("first", Attend::Softmax),
            ("lookup", Attend::AverageHard),
            ("encoder", Attend::Softmax),
            ("overflow", Attend::ShiftedSoftmax),
        ] {
            for activation in [None, Some(Activation::Relu), Some(Activation::MaxMin)] {
                let piece = Piece::of(TargetSource::Preset(id.to_owned())).with_activation(activation);
                let simulated = Workshop::default().run(Piece { attend, ..piece }).expect("presets run");
                for stage in &simulated.stages {
                    assert!(line_of(&simulated.source, &format!("{} =", stage.name)).is_some());
                    for beat in 0..stage.beats.len() {
                        for phase in [0.0, 0.3, 0.7, 1.0] {
                            let now = Moment { stage: 0, beat, position: Some(0), phase };
                            let found = function_now(&simulated, stage, &now);
                            assert_eq!(found.is_some(), stage.kind != Kind::Sum, "{id} {}", stage.name);
                        }
                    }
                }
            }
        }
    }
}
