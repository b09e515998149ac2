//! The program, which never changes with the target: its text, with what runs now lit.

use leptos::prelude::*;
use rasp::simulator::{Activation, Attend};

use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::jobs::simulator::{Kind, Shown, Simulated};
use crate::language::use_language;
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
    let function =
        Memo::new(move |_| room.read_now(function_now));
    let body = Memo::new(move |_| function.get().map(|it| (it.file, it.lines)));
    let line = Memo::new(move |_| function.get().map(|it| it.line));
    // Adding up heads is a sum in the program itself, no function of a library.
    let has_body = Memo::new(move |_| body.with(Option::is_some));
    view! {
        <div class="sim-program">
            <Code
                name=Signal::derive(move || t.get().simulator_program().to_owned())
                lines=Signal::derive(move || source.get().lines().map(str::to_owned).collect())
                lit=statement
            />
            <Show when=move || has_body.get()>
            <Code
                name=Signal::derive(move || body.get().map_or_else(String::new, |(file, _)| format!("{file}.rasp")))
                lines=Signal::derive(move || body.get().map(|(_, lines)| lines).unwrap_or_default())
                lit=line
            />
            </Show>
        </div>
        <Button label=Signal::derive(move || t.get().simulator_open_in_rasp().to_owned()) on_press=move |()| room.open_in_rasp()/>
        <p class="quiet sim-fetch">{move || t.get().simulator_fetch_is()} " " <code>"fetch(seq, p) = aggregate(select(indices, p, ==), seq)"</code></p>
    }
    .into_any()
}

/// Lines of a program, one of them lit and in view.
#[component]
fn Code(name: Signal<String>, lines: Signal<Vec<String>>, lit: Memo<Option<usize>>) -> impl IntoView {
    let frame = NodeRef::<leptos::html::Pre>::new();
    // The lit line scrolls into view inside of the frame; the page stays where it is.
    Effect::new(move |_| {
        let Some(line) = lit.get() else { return };
        lines.track();
        let Some(frame) = frame.get() else { return };
        // The lines may be about to change as well; in the next frame they are there.
        request_animation_frame(move || {
            let Some(element) = frame.children().item(line as u32) else { return };
            let element: web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_into(element);
            let (top, tall) = (element.offset_top(), frame.client_height());
            if top < frame.scroll_top() || top + element.offset_height() > frame.scroll_top() + tall {
                frame.set_scroll_top(top - tall / 2);
            }
        });
    });
    let rows = move || {
        lines
            .get()
            .into_iter()
            .enumerate()
            .map(|(at, line)| {
                let (code, comment) = match line.find('#') {
                    Some(hash) => (line[..hash].to_owned(), line[hash..].to_owned()),
                    None => (line, String::new()),
                };
                view! {
                    <span class="sim-line" class:is-lit=move || lit.get() == Some(at)>
                        <span class="sim-line-number" aria-hidden="true">{at + 1}</span>
                        {code}
                        <span class="sim-comment">{comment}</span>
                    </span>
                }
            })
            .collect_view()
    };
    view! {
        <figure class="sim-code">
            <figcaption class="caps">{name}</figcaption>
            <pre node_ref=frame tabindex="0" role="region" aria-label=name>{rows}</pre>
        </figure>
    }
    .into_any()
}

/// A function of a library file, and the line in it that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Function {
    file: String,
    lines: Vec<String>,
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
    let lines = body_of(text, function)?;
    // The last lane of a stage is what its function returns; a bias is added in the same line.
    let is_returned = lane.name == stage.name || (beat.term.is_none() && lane.name == "sum");
    let start = if is_returned { "return".to_owned() } else { format!("{} =", lane.name) };
    let line = lines.iter().position(|line| line.trim_start().starts_with(&start))?;
    Some(Function { file: file.to_owned(), lines, line })
}

/// The lines of a function, from its head to its closing brace.
fn body_of(text: &str, function: &str) -> Option<Vec<String>> {
    let head = format!("def {function}(");
    let mut lines = Vec::new();
    for line in text.lines().skip_while(|line| !line.starts_with(&head)) {
        lines.push(line.to_owned());
        if line.starts_with('}') {
            break;
        }
    }
    (!lines.is_empty()).then_some(lines)
}

fn line_of(text: &str, start: &str) -> Option<usize> {
    text.lines().position(|line| line.starts_with(start))
}

crate::texts! {
    simulator_program: "The program" | "O programa";
    simulator_open_in_rasp: "Open in RASP, with this target as its input" | "Abrir em RASP, com este alvo como entrada";
    simulator_fetch_is: "A fetch is one attention head:" | "Uma busca é uma cabeça de atenção:";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::simulator::Workshop;
    use crate::state::simulator::{Piece, TargetSource};

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
