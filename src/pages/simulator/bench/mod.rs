//! The bench: what the simulator does now, number by number. The stretches that it reads stand above, the sequences
//! that it makes below.

mod layout;
mod paint;

use leptos::html::Div;
use leptos::prelude::*;
use rasp::simulator::{Of, Reads, Source};

use self::layout::Bench;
pub use self::paint::color_of;

use self::paint::{Row, Travel, paint};
use super::focus::operand_name;
use super::names::symbol;
use super::play::{is_made, lane_value, progress};
use super::room::SimulatorRoom;
use super::timeline::Moment;
use crate::drawing::color::Scale;
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::Point;
use crate::drawing::painter::Painter;
use crate::drawing::palette::{Palette, Role};
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Frame, Surface};
use crate::jobs::simulator::{Shown, Simulated};
use crate::language::{Language, use_language};
use crate::widgets::controls::{Menu, MenuItem};
use crate::widgets::dialog::Dialog;
use crate::widgets::number::exact;
use crate::widgets::table::TextTable;
use crate::widgets::words::use_words;

/// The bench with its heading, its sentence and its files.
#[component]
pub fn BenchView() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let words = use_words();
    let frame = NodeRef::<Div>::new();
    let size = size_of(frame);
    let width = Memo::new(move |_| size.get().map_or(600.0, |size| size.x.max(1.0)));
    let picture = move |painter: &mut dyn Painter, palette: &Palette, width: f64| {
        let moment = room.timeline.with(|timeline| timeline.moment(room.clock.position()));
        let Some(moment) = moment else { return };
        room.read(|simulated| {
            let stage = simulated.stages.get(moment.stage)?;
            let scene = Scene { simulated, stage, moment, t: t.get() };
            let bench = scene.bench(width, palette.text_small);
            paint(painter, palette, &bench, &scene.rows(), &scene.travels());
            Some(())
        });
    };
    let draw = Draw::new(move |painter, frame| picture(painter, &frame.palette, frame.width));
    // The height depends on the stage alone, so that the page does not move with every step.
    let stage = Memo::new(move |_| room.now.get().map(|now| now.stage));
    let height = Memo::new(move |_| {
        let moment = Moment { stage: stage.get()?, beat: 0, position: Some(0), phase: 0.0 };
        room.read(|simulated| {
            let stage = simulated.stages.get(moment.stage)?;
            let scene = Scene { simulated, stage, moment, t: t.get() };
            Some(scene.bench(width.get(), Palette::current().text_small).height)
        })
    });
    let table_is_open = RwSignal::new(false);
    let save = move |as_svg: bool| {
        let size = Point::new(width.get_untracked(), height.get_untracked().unwrap_or(200.0));
        let draw = |painter: &mut dyn Painter, frame: &Frame| {
            untrack(|| picture(painter, &frame.palette, frame.width));
        };
        match as_svg {
            true => save_svg("pianola-simulator.svg", size, t.get_untracked().simulator_bench(), draw),
            false => save_png("pianola-simulator.png", size, 3.0, draw),
        }
    };
    let items = move |()| {
        let words = words.get_untracked();
        vec![
            MenuItem::new(words.table_view, move || table_is_open.set(true)),
            MenuItem::new(words.export_svg, move || save(true)),
            MenuItem::new(words.export_png, move || save(false)),
        ]
    };
    let table = Memo::new(move |_| {
        room.read_now(|_, stage, now| Some(lanes_as_table(stage, now, t.get()))).unwrap_or_default()
    });
    let sentence = Memo::new(move |_| {
        room.read_now(|simulated, stage, now| Some(said(simulated, stage, now, t.get()))).unwrap_or_default()
    });
    view! {
        <div class="sim-bench">
            <div class="sim-bench-head">
                <strong>{move || room.read_now(|simulated, stage, _| {
                    Some(t.get().simulator_bench_of(&symbol(&stage.name, simulated.target.heads)))
                })}</strong>
                <Menu label=Signal::derive(move || t.get().simulator_bench_actions().to_owned()) items=items/>
            </div>
            <div
                node_ref=frame
                class="sim-bench-picture"
                role="img"
                aria-label=move || format!("{}. {}", t.get().simulator_bench(), sentence.get())
                style:height=move || format!("{}px", height.get().unwrap_or(200.0))
            >
                <Surface draw/>
            </div>
            <p class="voice sim-sentence">{sentence}</p>
            <Dialog title=Signal::derive(move || t.get().simulator_bench().to_owned()) is_open=table_is_open>
                <TextTable
                    caption=Signal::derive(move || t.get().simulator_bench().to_owned())
                    headings=Signal::derive(move || table.with(|table| table.0.clone()))
                    rows=Signal::derive(move || table.with(|table| table.1.clone()))
                />
            </Dialog>
        </div>
    }
    .into_any()
}

/// Everything that the picture depends on.
struct Scene<'a> {
    simulated: &'a Simulated,
    stage: &'a Shown,
    moment: Moment,
    t: Language,
}

impl Scene<'_> {
    fn elements(&self) -> usize {
        self.stage.simulated.as_ref().map_or(0, |matrix| matrix.len())
    }

    /// The names of the lanes, in the order in which they are first made.
    fn lanes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for lane in self.stage.beats.iter().flat_map(|beat| &beat.lanes) {
            if !names.contains(&lane.name.as_str()) {
                names.push(&lane.name);
            }
        }
        // What is fetched stands above what is computed from it.
        names.sort_by_key(|name| !is_fetched(name));
        names
    }

    /// The lanes of the current beat with their strips.
    fn current(&self) -> impl Iterator<Item = (usize, usize, &rasp::simulator::Lane)> {
        let names = self.lanes();
        let sources = self.stage.operands.len();
        let lanes = self.stage.beats.get(self.moment.beat).map_or(&[][..], |beat| &beat.lanes);
        lanes.iter().enumerate().filter_map(move |(at, lane)| {
            let strip = names.iter().position(|name| *name == lane.name)?;
            Some((at, sources + strip, lane))
        })
    }

    /// The positions that a lane reads: strip and cell.
    fn read(&self, lane: &rasp::simulator::Lane, position: usize) -> Vec<(usize, usize)> {
        let operands = &self.stage.operands;
        let in_operand = |operand: usize, at: usize| {
            let found = operands.get(operand)?;
            let cell = at.checked_sub(found.start)?;
            (cell < found.rows * found.columns).then_some((operand, cell))
        };
        let strip_of =
            |name: &str| Some(operands.len() + self.lanes().iter().position(|lane| *lane == name)?);
        match &lane.reads {
            Reads::Fetch { operand, from } => {
                from.get(position).and_then(|at| in_operand(*operand, *at as usize)).into_iter().collect()
            }
            Reads::Average { of, from } => {
                let cells = from.get(position).map_or(&[][..], Vec::as_slice);
                cells
                    .iter()
                    .filter_map(|at| match of {
                        Of::Operand(operand) => in_operand(*operand, *at as usize),
                        Of::Lane(name) => Some((strip_of(name)?, *at as usize)),
                    })
                    .collect()
            }
            Reads::Own => {
                let beat = self.stage.beats.get(self.moment.beat);
                let before: Vec<&str> = beat
                    .into_iter()
                    .flat_map(|beat| &beat.lanes)
                    .map(|lane| lane.name.as_str())
                    .take_while(|name| *name != lane.name)
                    .collect();
                if before.is_empty() {
                    // The newest lane before this one, or else all that is read.
                    let earlier = self.stage.beats[..self.moment.beat].last();
                    return match earlier.and_then(|beat| beat.lanes.last()) {
                        Some(lane) => {
                            strip_of(&lane.name).map(|strip| (strip, position)).into_iter().collect()
                        }
                        None => (0..operands.len()).map(|operand| (operand, position)).collect(),
                    };
                }
                before.into_iter().filter_map(|name| Some((strip_of(name)?, position))).collect()
            }
        }
    }

    fn bench(&self, width: f64, text: f64) -> Bench {
        let position = self.moment.position.unwrap_or(0);
        let mut focus = vec![0; self.stage.operands.len()];
        for (_, _, lane) in self.current() {
            for (strip, cell) in self.read(lane, position) {
                if let Some(focus) = focus.get_mut(strip) {
                    *focus = cell;
                }
            }
        }
        let sources = self.stage.operands.iter().zip(focus).map(|(it, focus)| (it.rows * it.columns, focus));
        let mut groups: Vec<Vec<(usize, usize)>> = vec![sources.collect()];
        for (at, name) in self.lanes().into_iter().enumerate() {
            let lane = (self.elements(), position);
            match groups.last_mut() {
                Some(group) if at > 0 && is_fetched(name) => group.push(lane),
                _ => groups.push(vec![lane]),
            }
        }
        Bench::new(&groups, width, text)
    }

    fn rows(&self) -> Vec<Row> {
        let heads = self.simulated.target.heads;
        let mut lit: Vec<Vec<usize>> = vec![Vec::new(); self.stage.operands.len() + self.lanes().len()];
        if let Some(position) = self.moment.position {
            for (at, strip, lane) in self.current() {
                let lanes = self.stage.beats[self.moment.beat].lanes.len();
                if progress(&self.moment, lanes, at, position) > 0.0 {
                    lit[strip].push(position);
                }
                for (strip, cell) in self.read(lane, position) {
                    lit[strip].push(cell);
                }
            }
        }
        let mut lit = lit.into_iter();
        let sources = self.stage.operands.iter().map(|operand| {
            let name = operand_name(operand);
            let count = operand.rows * operand.columns;
            let values = values_of(self.simulated, &operand.source, operand.start, count);
            let (first, last) = (operand.start, (operand.start + count).saturating_sub(1));
            let label = match &operand.source {
                Source::Input(_) => self.t.simulator_in_input(&symbol(name, heads), first, last),
                Source::Stage(_) => self.t.simulator_in_stage(&symbol(name, heads), first, last),
            };
            (label, role_of(name), scale_of(self.simulated, name), operand.start, values)
        });
        let mut rows: Vec<Row> = sources
            .map(|(label, role, scale, start, values)| Row {
                label,
                role,
                scale,
                start,
                values,
                lit: lit.next().unwrap_or_default(),
            })
            .collect();
        let beats = &self.stage.beats;
        for name in self.lanes() {
            let values = (0..self.elements())
                .map(|position| lane_value(&self.moment, beats, name, position))
                .collect();
            rows.push(Row {
                label: self.lane_label(name),
                role: Role::Plain,
                scale: self.lane_scale(name),
                start: 0,
                values,
                lit: lit.next().unwrap_or_default(),
            });
        }
        rows
    }

    fn lane_label(&self, name: &str) -> String {
        let heads = self.simulated.target.heads;
        let operand = |at: usize| {
            self.stage.operands.get(at).map(|it| symbol(operand_name(it), heads)).unwrap_or_default()
        };
        match name {
            "left" => self.t.simulator_lane_left(&operand(0)),
            "right" => self.t.simulator_lane_right(&operand(1)),
            "bias" => self.t.simulator_lane_bias(&operand(2)),
            "sum" => self.t.simulator_lane_sum(&symbol(&self.stage.name, heads)),
            name if name == self.stage.name => format!("{name} = {}", symbol(name, heads)),
            name => name.to_owned(),
        }
    }

    fn lane_scale(&self, name: &str) -> Scale {
        let of_operand = |at: usize| {
            self.stage
                .operands
                .get(at)
                .map_or(Scale::Signed { max: 1.0 }, |operand| scale_of(self.simulated, operand_name(operand)))
        };
        match name {
            "left" | "partner" => of_operand(0),
            "right" => of_operand(1),
            "bias" => of_operand(2),
            "sum" | "output" => scale_of(self.simulated, &self.stage.name),
            name if name == self.stage.name => scale_of(self.simulated, name),
            name => {
                let lanes = self.stage.beats.iter().flat_map(|beat| &beat.lanes);
                let lane = lanes.filter(|lane| lane.name == name).flat_map(|lane| &lane.values);
                Scale::Signed { max: lane.fold(0.0, |most: f64, value| most.max(value.abs())) }
            }
        }
    }

    fn travels(&self) -> Vec<Travel> {
        /// More are not drawn: they would be a grey cloud.
        const MOST: usize = 400;
        let beats = &self.stage.beats;
        let positions = match self.moment.position {
            Some(position) => position..position + 1,
            None => 0..self.elements(),
        };
        let mut travels = Vec::new();
        for (at, strip, lane) in self.current() {
            let lanes = beats[self.moment.beat].lanes.len();
            for position in positions.clone() {
                let way = progress(&self.moment, lanes, at, position);
                // The way that a number took stays until the next step; before, there is none.
                let stays = self.moment.position.is_some();
                if way <= 0.0 || (way >= 1.0 && !stays) {
                    continue;
                }
                for (from_strip, from_cell) in self.read(lane, position) {
                    let value = self.value_at(from_strip, from_cell).unwrap_or(0.0);
                    travels.push(Travel { from: (from_strip, from_cell), to: (strip, position), way, value });
                }
            }
        }
        travels.truncate(MOST);
        travels
    }

    fn value_at(&self, strip: usize, cell: usize) -> Option<f64> {
        match self.stage.operands.get(strip) {
            Some(operand) => *values_of(self.simulated, &operand.source, operand.start + cell, 1).first()?,
            None => {
                let name = *self.lanes().get(strip - self.stage.operands.len())?;
                lane_value(&self.moment, &self.stage.beats, name, cell)
            }
        }
    }
}

/// Whether a lane holds the factors or the bias of a product.
fn is_fetched(lane: &str) -> bool {
    matches!(lane, "left" | "right" | "bias")
}

/// Numbers of a sequence: the input's, or a stage's.
fn values_of(simulated: &Simulated, source: &Source, start: usize, count: usize) -> Vec<Option<f64>> {
    match source {
        Source::Input(_) => (start..start + count).map(|at| simulated.sequence.get(at).copied()).collect(),
        Source::Stage(name) => {
            let stage = simulated.stages.iter().find(|stage| stage.name == *name);
            let values = stage.and_then(|stage| stage.simulated.as_ref()).and_then(|it| it.as_slice());
            (start..start + count).map(|at| values.and_then(|values| values.get(at)).copied()).collect()
        }
    }
}

/// The scale of a matrix, the same on both sides.
pub fn scale_of(simulated: &Simulated, name: &str) -> Scale {
    if name.starts_with("attention") {
        return Scale::Probability;
    }
    let input = simulated.inputs.iter().find(|(found, _)| found == name).map(|(_, matrix)| matrix);
    let stage = simulated.stages.iter().find(|stage| stage.name == name).map(|stage| &stage.direct);
    let matrix = input.or(stage);
    Scale::Signed {
        max: matrix.map_or(1.0, |matrix| matrix.iter().fold(0.0, |most: f64, value| most.max(value.abs()))),
    }
}

/// The hue of a stretch.
pub fn role_of(name: &str) -> Role {
    match name.split('_').next() {
        Some("x") => Role::Query,
        Some("a") => Role::Key,
        Some("v") => Role::Value,
        Some("w1" | "b1" | "w2" | "b2") => Role::Output,
        Some("valid") => Role::Universal,
        Some("scratch") => Role::Frozen,
        _ => Role::Plain,
    }
}

/// What happens, in a sentence.
fn said(simulated: &Simulated, stage: &Shown, now: &Moment, t: Language) -> String {
    let heads = simulated.target.heads;
    let scene = Scene { simulated, stage, moment: *now, t };
    let Some(beat) = stage.beats.get(now.beat) else { return t.simulator_stopped_here().to_owned() };
    let Some(position) = now.position else {
        let count = scene.elements();
        let fetches = beat.lanes.iter().filter(|lane| !matches!(lane.reads, Reads::Own)).count();
        return match fetches {
            0 => t.simulator_all_compute(count),
            fetches => t.simulator_all_fetch(count, fetches),
        };
    };
    let width = stage.simulated.as_ref().map_or(1, |matrix| matrix.ncols().max(1));
    let place = format!("[{}, {}]", position / width + 1, position % width + 1);
    let parts: Vec<String> = beat
        .lanes
        .iter()
        .enumerate()
        .filter(|(at, _)| is_made(now, &stage.beats, now.beat, *at, position) || *at == 0)
        .filter_map(|(_, lane)| {
            let value = number_of(*lane.values.get(position)?);
            Some(match &lane.reads {
                Reads::Fetch { operand, from } => {
                    let operand = stage.operands.get(*operand)?;
                    let asked = *from.get(position)? as usize;
                    let cell = asked.checked_sub(operand.start)?;
                    let columns = operand.columns.max(1);
                    let name = symbol(operand_name(operand), heads);
                    let entry = format!("{name}[{}, {}]", cell / columns + 1, cell % columns + 1);
                    t.simulator_asks(position, asked, &entry, &value)
                }
                Reads::Average { from, .. } => {
                    t.simulator_averages(position, from.get(position)?.len(), &lane.name, &value)
                }
                Reads::Own if lane.name == "sum" => {
                    let name = symbol(&stage.name, heads);
                    t.simulator_adds(&format!("{name}{place}"), &value)
                }
                Reads::Own => t.simulator_computes(position, &lane.name, &value),
            })
        })
        .collect();
    parts.join(" ")
}

fn number_of(value: f64) -> String {
    crate::widgets::number::short(value)
}

/// The lanes as they are now, one row for each position.
fn lanes_as_table(stage: &Shown, now: &Moment, t: Language) -> (Vec<String>, Vec<Vec<String>>) {
    let mut names: Vec<&str> = Vec::new();
    for lane in stage.beats.iter().flat_map(|beat| &beat.lanes) {
        if !names.contains(&lane.name.as_str()) {
            names.push(&lane.name);
        }
    }
    let headings = std::iter::once(t.simulator_position().to_owned())
        .chain(names.iter().map(|name| (*name).to_owned()))
        .collect();
    let count = stage.simulated.as_ref().map_or(0, |matrix| matrix.len());
    let rows = (0..count)
        .map(|position| {
            let values = names.iter().map(|name| {
                lane_value(now, &stage.beats, name, position).map_or_else(|| "–".to_owned(), exact)
            });
            std::iter::once(position.to_string()).chain(values).collect()
        })
        .collect();
    (headings, rows)
}

crate::texts! {
    simulator_bench: "What the simulator does now" | "O que o simulador faz agora";
    simulator_bench_of(symbol: &str): "the same {symbol}, fetched from sequences" | "o mesmo {symbol}, buscado em sequências";
    simulator_bench_actions: "Actions for the bench" | "Ações da bancada";
    simulator_in_input(symbol: &str, first: usize, last: usize): "{symbol}: positions {first}–{last} of the input" | "{symbol}: posições {first}–{last} da entrada";
    simulator_in_stage(symbol: &str, first: usize, last: usize): "{symbol}: positions {first}–{last}" | "{symbol}: posições {first}–{last}";
    simulator_lane_left(symbol: &str): "left: an entry of {symbol}" | "left: uma entrada de {symbol}";
    simulator_lane_right(symbol: &str): "right: an entry of {symbol}" | "right: uma entrada de {symbol}";
    simulator_lane_bias(symbol: &str): "bias: an entry of {symbol}" | "bias: uma entrada de {symbol}";
    simulator_lane_sum(symbol: &str): "sum: {symbol}, so far" | "sum: {symbol}, até aqui";
    simulator_asks(position: usize, asked: usize, entry: &str, value: &str):
        "Position {position} asks for index {asked}; one key answers, so its value passes through: {entry} = {value}."
        | "A posição {position} pede o índice {asked}; uma chave responde e seu valor passa: {entry} = {value}.";
    simulator_averages(position: usize, count: usize, name: &str, value: &str):
        "One head averages {count} positions for position {position}; from that, {name} = {value}."
        | "Uma cabeça tira a média de {count} posições para a posição {position}; dela vem {name} = {value}.";
    simulator_adds(entry: &str, value: &str): "Their product is added: {entry} is {value} so far." | "O produto é somado: {entry} é {value} até aqui.";
    simulator_computes(position: usize, name: &str, value: &str): "Position {position} computes by itself: {name} = {value}." | "A posição {position} calcula sozinha: {name} = {value}.";
    simulator_all_fetch(count: usize, fetches: usize):
        "All {count} positions fetch at the same time, each from where it needs: heads used here, {fetches}."
        | "Todas as {count} posições buscam ao mesmo tempo, cada uma de onde precisa: cabeças usadas aqui, {fetches}.";
    simulator_all_compute(count: usize): "All {count} positions compute at the same time, each by itself." | "Todas as {count} posições calculam ao mesmo tempo, cada uma sozinha.";
    simulator_stopped_here: "The run stopped before this matrix." | "A execução parou antes desta matriz.";
    simulator_position: "position" | "posição";
}
