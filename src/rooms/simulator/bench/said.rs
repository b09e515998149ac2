//! What happens on the bench, in words: the sentence below it, the note beside a cell, the table.

use rasp::simulator::{Of, Operand, Reads, Source};

use super::layout::Spot;
use super::scene::Scene;
use crate::rooms::simulator::focus::operand_name;
use crate::rooms::simulator::job::Shown;
use crate::rooms::simulator::names::symbol;
use crate::rooms::simulator::play::{is_made, lane_value, made_in};
use crate::widgets::number::{exact, long, short};

/// What happens, in a sentence.
pub fn said(scene: &Scene) -> String {
    let Scene { simulated, stage, moment: now, t, .. } = scene;
    let heads = simulated.target.heads;
    let Some(beat) = stage.beats.get(now.beat) else { return t.simulator_stopped_here().to_owned() };
    let Some(position) = now.position else {
        let count = scene.elements();
        let fetches = beat.lanes.iter().filter(|lane| !matches!(lane.reads, Reads::Own)).count();
        return match fetches {
            0 => t.simulator_all_compute(count),
            fetches => t.simulator_all_fetch(count, fetches),
        };
    };
    let place = place(stage, position);
    let parts: Vec<String> = beat
        .lanes
        .iter()
        .enumerate()
        .filter(|(at, _)| is_made(now, &stage.beats, now.beat, *at, position) || *at == 0)
        .filter_map(|(_, lane)| {
            let value = short(*lane.values.get(position)?);
            Some(match &lane.reads {
                Reads::Fetch { operand, from } => {
                    let operand = stage.operands.get(*operand)?;
                    let asked = *from.get(position)? as usize;
                    let cell = asked.checked_sub(operand.start)?;
                    t.simulator_asks(position, asked, &entry(scene, operand, cell), &value)
                }
                Reads::Average { from, .. } => match from.get(position)?.len() {
                    0 => t.simulator_nobody(position, &lane.name, &value),
                    1 => t.simulator_one_answers(position, &lane.name, &value),
                    count => t.simulator_averages(position, count, &lane.name, &value),
                },
                Reads::Own if lane.name == "sum" => {
                    let name = symbol(&stage.name, heads);
                    let name = if name.contains(' ') { format!("({name})") } else { name };
                    match beat.term {
                        Some(_) => t.simulator_adds(&format!("{name}{place}"), &value),
                        None => t.simulator_adds_bias(&format!("{name}{place}"), &value),
                    }
                }
                Reads::Own => t.simulator_computes(position, &lane.name, &value),
            })
        })
        .collect();
    parts.join(" ")
}

/// What is to be said of a spot that a person points at.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// What it is, with the sign before its number.
    pub name: String,
    /// Its number, or whether it is selected.
    pub value: String,
    /// Where that comes from.
    pub more: String,
}

/// What a spot is, and where its number comes from.
pub fn told(scene: &Scene, spot: Spot) -> Option<Told> {
    let Scene { stage, moment, t, .. } = scene;
    match spot {
        Spot::Cell(strip, cell) => {
            let value = scene.value_at(strip, cell).map_or_else(|| t.simulator_not_yet().to_owned(), long);
            match scene.strip(strip)? {
                Ok(operand) => {
                    let at = operand.start + cell;
                    let sequence = match &operand.source {
                        Source::Input(_) => t.simulator_of_input(at),
                        Source::Stage(name) => t.simulator_of_sequence(at, name),
                    };
                    let name = format!("{} =", entry(scene, operand, cell));
                    Some(Told { name, value, more: sequence })
                }
                Err(name) => {
                    let more = match made_in(moment, &stage.beats, name, cell) {
                        None => String::new(),
                        Some((beat, lane)) => match &stage.beats[beat].lanes[lane].reads {
                            Reads::Fetch { operand, from } => {
                                let operand = stage.operands.get(*operand)?;
                                let asked = *from.get(cell)? as usize;
                                match asked.checked_sub(operand.start) {
                                    Some(key) => t.simulator_fetched(&entry(scene, operand, key), asked),
                                    None => String::new(),
                                }
                            }
                            Reads::Average { from, of } => {
                                let of = match of {
                                    Of::Operand(operand) => scene.strip_name(*operand),
                                    Of::Lane(lane) => lane.clone(),
                                };
                                t.simulator_average_of(from.get(cell)?.len(), &of)
                            }
                            Reads::Own => t.simulator_by_itself().to_owned(),
                        },
                    };
                    Some(Told { name: t.simulator_lane_at(name, cell, &place(stage, cell)), value, more })
                }
            }
        }
        Spot::Pair(grid, position, key) => {
            let selectors = scene.selectors();
            let selector = selectors.get(grid)?;
            let selected = scene.read(selector.beat, selector.lane, position);
            let value = match selected.contains(&(selector.strip, key)) {
                true => t.simulator_selected().to_owned(),
                false => t.simulator_not_selected().to_owned(),
            };
            let (start, what) = match scene.strip(selector.strip)? {
                Ok(operand) => (operand.start, entry(scene, operand, key)),
                Err(name) => (0, name.to_owned()),
            };
            let more = match &selector.lane.reads {
                Reads::Fetch { from, .. } => t.simulator_pair_asks(
                    position,
                    &place(stage, position),
                    *from.get(position)?,
                    start + key,
                    &what,
                ),
                Reads::Average { from, .. } => {
                    t.simulator_pair_averages(position, &place(stage, position), from.get(position)?.len())
                }
                Reads::Own => String::new(),
            };
            Some(Told { name: t.simulator_pair(position, start + key), value, more })
        }
    }
}

/// The entry of an operand at one of its cells.
fn entry(scene: &Scene, operand: &Operand, cell: usize) -> String {
    let columns = operand.columns.max(1);
    let name = symbol(operand_name(operand), scene.simulated.target.heads);
    let name = if name.contains(' ') { format!("({name})") } else { name };
    format!("{name}[{}, {}]", cell / columns + 1, cell % columns + 1)
}

/// Row and column of a position of a stage.
fn place(stage: &Shown, position: usize) -> String {
    let width = stage.simulated.as_ref().map_or(1, |matrix| matrix.ncols().max(1));
    format!("[{}, {}]", position / width + 1, position % width + 1)
}

/// The lanes as they are now, one row for each position.
pub fn lanes_as_table(scene: &Scene) -> (Vec<String>, Vec<Vec<String>>) {
    let Scene { stage, moment, t, .. } = scene;
    let names = scene.lanes();
    let headings = std::iter::once(t.simulator_position().to_owned())
        .chain(names.iter().map(|name| (*name).to_owned()))
        .collect();
    let rows = (0..scene.elements())
        .map(|position| {
            let values = names.iter().map(|name| {
                lane_value(moment, &stage.beats, name, position).map_or_else(|| "–".to_owned(), exact)
            });
            std::iter::once(position.to_string()).chain(values).collect()
        })
        .collect();
    (headings, rows)
}

crate::texts! {
    simulator_asks(position: usize, asked: usize, entry: &str, value: &str):
        "Position {position} asks for index {asked}; one key answers, so its value passes through: {entry} = {value}."
        | "A posição {position} pede o índice {asked}; uma chave responde e seu valor passa: {entry} = {value}.";
    simulator_averages(position: usize, count: usize, name: &str, value: &str):
        "One head averages {count} positions for position {position}; from that, {name} = {value}."
        | "Uma cabeça tira a média de {count} posições para a posição {position}; dela vem {name} = {value}.";
    simulator_nobody(position: usize, name: &str, value: &str):
        "No key answers to position {position}; from that, {name} = {value}."
        | "Nenhuma chave responde à posição {position}; disso vem {name} = {value}.";
    simulator_one_answers(position: usize, name: &str, value: &str):
        "One key answers to position {position}; from its value, {name} = {value}."
        | "Uma chave responde à posição {position}; de seu valor vem {name} = {value}.";
    simulator_adds(entry: &str, value: &str): "Their product is added: {entry} is {value} so far." | "O produto é somado: {entry} é {value} até aqui.";
    simulator_adds_bias(entry: &str, value: &str): "The bias is added: {entry} is {value}." | "O viés é somado: {entry} é {value}.";
    simulator_computes(position: usize, name: &str, value: &str): "Position {position} computes by itself: {name} = {value}." | "A posição {position} calcula sozinha: {name} = {value}.";
    simulator_all_fetch(count: usize, fetches: usize):
        "All {count} positions fetch at the same time, each from where it needs: heads used here, {fetches}."
        | "Todas as {count} posições buscam ao mesmo tempo, cada uma de onde precisa: cabeças usadas aqui, {fetches}.";
    simulator_all_compute(count: usize): "All {count} positions compute at the same time, each by itself." | "Todas as {count} posições calculam ao mesmo tempo, cada uma sozinha.";
    simulator_stopped_here: "The run stopped before this matrix." | "A execução parou antes desta matriz.";
    simulator_position: "position" | "posição";
    simulator_not_yet: "not yet" | "ainda não";
    simulator_of_input(at: usize): "Position {at} of the input sequence." | "Posição {at} da sequência de entrada.";
    simulator_of_sequence(at: usize, name: &str): "Position {at} of the sequence {name}." | "Posição {at} da sequência {name}.";
    simulator_fetched(entry: &str, at: usize): "Fetched: {entry}, from position {at}." | "Buscado: {entry}, da posição {at}.";
    simulator_average_of(count: usize, of: &str): "From an average over {count} positions of {of}." | "De uma média de {count} posições de {of}.";
    simulator_by_itself: "Computed at this position alone." | "Calculado só nesta posição.";
    simulator_lane_at(name: &str, position: usize, place: &str): "{name} at position {position}, for {place} =" | "{name} na posição {position}, para {place} =";
    simulator_pair(query: usize, key: usize): "Query {query}, key {key}:" | "Consulta {query}, chave {key}:";
    simulator_selected: "selected" | "selecionada";
    simulator_not_selected: "not selected" | "não selecionada";
    simulator_pair_asks(position: usize, place: &str, asked: u32, key: usize, entry: &str):
        "Position {position}, for {place}, asks for index {asked}; key {key} is {entry}."
        | "A posição {position}, para {place}, pede o índice {asked}; a chave {key} é {entry}.";
    simulator_pair_averages(position: usize, place: &str, count: usize):
        "Position {position}, for {place}, selects {count} keys and gets their average."
        | "A posição {position}, para {place}, seleciona {count} chaves e recebe a média delas.";
}
