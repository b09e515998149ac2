//! What stands on the bench at a moment: strips with their numbers, selectors, and numbers on their way. Pure, so
//! that it can be tested without a browser.

use rasp::simulator::{Lane, Of, Operand, Reads, Source};

use super::layout::{Bench, GridSize, Spot};
use super::paint::{Row, Travel};
use super::selectors::SelectorRow;
use crate::drawing::color::Scale;
use crate::drawing::palette::Role;
use crate::ground::language::Language;
use crate::rooms::simulator::focus::{Focus, Lights, lit_places, operand_name};
use crate::rooms::simulator::job::{Shown, Simulated};
use crate::rooms::simulator::names::symbol;
use crate::rooms::simulator::play::{lane_value, made_in, progress};
use crate::rooms::simulator::timeline::Moment;
use crate::widgets::heatmap::Cell;

/// Everything that the picture depends on.
pub struct Scene<'a> {
    /// The run.
    pub simulated: &'a Simulated,
    /// The stage on show.
    pub stage: &'a Shown,
    /// The moment.
    pub moment: Moment,
    /// The language of labels.
    pub t: Language,
    /// The names of the lanes: what is fetched stands above what is computed from it.
    lanes: Vec<&'a str>,
}

/// A selector of the stage: the head that makes a lane.
pub struct Selector<'a> {
    /// The lane.
    pub lane: &'a Lane,
    /// The beat in which it does.
    pub beat: usize,
    /// The strip of its keys.
    pub strip: usize,
}

impl<'a> Scene<'a> {
    /// The bench at a moment.
    pub fn new(simulated: &'a Simulated, moment: Moment, t: Language) -> Option<Scene<'a>> {
        let stage = simulated.stages.get(moment.stage)?;
        let mut lanes: Vec<&str> = Vec::new();
        for lane in stage.beats.iter().flat_map(|beat| &beat.lanes) {
            if !lanes.contains(&lane.name.as_str()) {
                lanes.push(&lane.name);
            }
        }
        lanes.sort_by_key(|name| !is_fetched(name));
        Some(Scene { simulated, stage, moment, t, lanes })
    }

    /// How many positions the stage has.
    pub fn elements(&self) -> usize {
        self.stage.simulated.as_ref().map_or(0, |matrix| matrix.len())
    }

    /// The names of the lanes, from top to bottom.
    pub fn lanes(&self) -> &[&'a str] {
        &self.lanes
    }

    /// The operand of a strip, or the name of its lane.
    pub fn strip(&self, strip: usize) -> Option<Result<&'a Operand, &'a str>> {
        match self.stage.operands.get(strip) {
            Some(operand) => Some(Ok(operand)),
            None => self.lanes.get(strip - self.stage.operands.len()).copied().map(Err),
        }
    }

    /// The selectors of the stage, each with its keys and positions as they are now, or as they were last.
    pub fn selectors(&self) -> Vec<Selector<'a>> {
        let beats = &self.stage.beats;
        let selects = |lane: &&Lane| !matches!(lane.reads, Reads::Own);
        self.lanes
            .iter()
            .filter_map(|name| {
                let find = |at: usize| {
                    let lane = beats.get(at)?.lanes.iter().find(|lane| lane.name == **name);
                    Some((at, lane.filter(selects)?))
                };
                let now = self.moment.beat;
                let found = (0..=now).rev().find_map(find).or_else(|| (now..beats.len()).find_map(find));
                let (beat, lane) = found?;
                let strip = match &lane.reads {
                    Reads::Fetch { operand, .. } | Reads::Average { of: Of::Operand(operand), .. } => {
                        *operand
                    }
                    Reads::Average { of: Of::Lane(name), .. } => self.strip_of(name)?,
                    Reads::Own => return None,
                };
                Some(Selector { lane, beat, strip })
            })
            .collect()
    }

    /// The strip of a lane.
    pub fn strip_of(&self, lane: &str) -> Option<usize> {
        Some(self.stage.operands.len() + self.lanes.iter().position(|name| *name == lane)?)
    }

    /// How many cells a strip has.
    pub fn cells(&self, strip: usize) -> usize {
        self.stage.operands.get(strip).map_or_else(|| self.elements(), |it| it.rows * it.columns)
    }

    /// The cells that a lane of a beat reads at a position: strip and cell.
    pub fn read(&self, beat: usize, lane: &Lane, position: usize) -> Vec<(usize, usize)> {
        let operands = &self.stage.operands;
        let in_operand = |operand: usize, at: usize| {
            let found = operands.get(operand)?;
            let cell = at.checked_sub(found.start)?;
            (cell < found.rows * found.columns).then_some((operand, cell))
        };
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
                        Of::Lane(name) => Some((self.strip_of(name)?, *at as usize)),
                    })
                    .collect()
            }
            Reads::Own => {
                let Some(this) = self.stage.beats.get(beat) else { return Vec::new() };
                let before: Vec<&str> = this
                    .lanes
                    .iter()
                    .map(|lane| lane.name.as_str())
                    .take_while(|name| *name != lane.name)
                    .collect();
                if before.is_empty() {
                    // The newest lane before this one, or else all that is read.
                    let earlier = self.stage.beats[..beat].last();
                    return match earlier.and_then(|beat| beat.lanes.last()) {
                        Some(lane) => {
                            self.strip_of(&lane.name).map(|strip| (strip, position)).into_iter().collect()
                        }
                        None => (0..operands.len()).map(|operand| (operand, position)).collect(),
                    };
                }
                before.into_iter().filter_map(|name| Some((self.strip_of(name)?, position))).collect()
            }
        }
    }

    /// The place of everything.
    pub fn bench(&self, width: f64, text: f64) -> Bench {
        let position = self.moment.position.unwrap_or(0);
        let mut focus = vec![0; self.stage.operands.len()];
        for (_, _, lane) in self.current() {
            let read = self.read(self.moment.beat, lane, position);
            // Of several cells of a strip the middle one must be seen.
            for (strip, cell) in read.get(read.len() / 2).into_iter().chain(&read) {
                if let Some(focus) = focus.get_mut(*strip).filter(|focus| **focus == 0) {
                    *focus = *cell;
                }
            }
        }
        let sources = focus.into_iter().enumerate().map(|(strip, focus)| (self.cells(strip), focus));
        let mut groups: Vec<Vec<(usize, usize)>> = vec![sources.collect()];
        for (at, name) in self.lanes.iter().enumerate() {
            let lane = (self.elements(), position);
            match groups.last_mut() {
                Some(group) if at > 0 && is_fetched(name) => group.push(lane),
                _ => groups.push(vec![lane]),
            }
        }
        let grids: Vec<GridSize> = self
            .selectors()
            .iter()
            .map(|selector| {
                let read = self.read(selector.beat, selector.lane, position);
                let key = read.get(read.len() / 2).map_or(0, |(_, key)| *key);
                GridSize { rows: (self.elements(), position), keys: (self.cells(selector.strip), key) }
            })
            .collect();
        Bench::new(&groups, &grids, width, text)
    }

    /// The strips with their numbers, as far as they are seen.
    pub fn rows(&self, bench: &Bench) -> Vec<Row> {
        let mut lit: Vec<Vec<usize>> = vec![Vec::new(); bench.strips.len()];
        if let Some(position) = self.moment.position {
            for (at, strip, lane) in self.current() {
                let lanes = self.stage.beats[self.moment.beat].lanes.len();
                if progress(&self.moment, lanes, at, position) > 0.0 {
                    lit[strip].push(position);
                }
                for (strip, cell) in self.read(self.moment.beat, lane, position) {
                    lit[strip].push(cell);
                }
            }
        }
        bench
            .strips
            .iter()
            .zip(lit)
            .enumerate()
            .filter_map(|(at, (strip, lit))| {
                let seen = strip.first..strip.first + strip.seen;
                let values = seen.map(|cell| self.value_at(at, cell)).collect();
                let (label, role, scale, start) = match self.strip(at)? {
                    Ok(operand) => {
                        let name = operand_name(operand);
                        let scale = scale_of(self.simulated, name);
                        (self.operand_label(operand), role_of(name), scale, operand.start)
                    }
                    Err(name) => (self.lane_label(name), Role::Plain, self.lane_scale(name), 0),
                };
                Some(Row { label, role, scale, start, values, lit })
            })
            .collect()
    }

    /// The selectors, as far as they are seen.
    pub fn selector_rows(&self, bench: &Bench) -> Vec<SelectorRow> {
        let selectors = self.selectors();
        let rows = selectors.iter().zip(&bench.grids).map(|(selector, grid)| {
            let (first, seen) = grid.rows;
            let selected = (first..first + seen).map(|position| {
                let read = self.read(selector.beat, selector.lane, position);
                read.into_iter().map(|(_, key)| key).collect()
            });
            let (role, start) = match self.strip(selector.strip) {
                Some(Ok(operand)) => (role_of(operand_name(operand)), operand.start),
                _ => (Role::Plain, 0),
            };
            let is_now = selector.beat == self.moment.beat;
            SelectorRow {
                label: self.t.simulator_selects(&selector.lane.name, &self.strip_name(selector.strip)),
                role,
                start,
                selected: selected.collect(),
                position: self.moment.position.filter(|_| is_now),
                is_now,
            }
        });
        rows.collect()
    }

    /// Numbers on their way.
    pub fn travels(&self) -> Vec<Travel> {
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
                for (from_strip, from_cell) in self.read(self.moment.beat, lane, position) {
                    let value = self.value_at(from_strip, from_cell).unwrap_or(0.0);
                    travels.push(Travel { from: (from_strip, from_cell), to: (strip, position), way, value });
                }
                if travels.len() >= MOST {
                    return travels;
                }
            }
        }
        travels
    }

    /// The number in a cell of a strip, if it is there.
    pub fn value_at(&self, strip: usize, cell: usize) -> Option<f64> {
        match self.strip(strip)? {
            Ok(operand) => value_of(self.simulated, &operand.source, operand.start + cell),
            Err(name) => lane_value(&self.moment, &self.stage.beats, name, cell),
        }
    }

    /// The matrix's name of a strip, as the mathematics or the program writes it.
    pub fn strip_name(&self, strip: usize) -> String {
        match self.strip(strip) {
            Some(Ok(operand)) => symbol(operand_name(operand), self.simulated.target.heads),
            Some(Err(name)) => name.to_owned(),
            None => String::new(),
        }
    }

    /// What a spot is to the target, if it is anything to it.
    pub fn focus(&self, spot: Spot) -> Option<Focus> {
        let of_stage = |position: usize, term: Option<usize>| {
            let columns = self.stage.simulated.as_ref()?.ncols().max(1);
            let cell = Cell::new(position / columns, position % columns);
            let (rows, columns) = self.stage.direct.dim();
            // What a larger simulator has more is nothing to the target.
            (cell.row < rows && cell.col < columns).then(|| Focus {
                matrix: self.stage.name.clone(),
                cell,
                term,
            })
        };
        match spot {
            Spot::Cell(strip, cell) => match self.strip(strip)? {
                Ok(operand) => {
                    let columns = operand.columns.max(1);
                    let (name, cell) = (operand_name(operand), Cell::new(cell / columns, cell % columns));
                    let (rows, columns) = shape_of(self.simulated, name)?;
                    (cell.row < rows && cell.col < columns).then(|| Focus::at(name, cell))
                }
                Err(name) => {
                    let beat = made_in(&self.moment, &self.stage.beats, name, cell)
                        .map_or(self.moment.beat, |(beat, _)| beat);
                    let term = self.stage.beats.get(beat).and_then(|beat| beat.term);
                    of_stage(cell, term.filter(|_| is_fetched(name)))
                }
            },
            Spot::Pair(grid, position, _) => {
                let beat = self.selectors().get(grid)?.beat;
                of_stage(position, self.stage.beats.get(beat)?.term)
            }
        }
    }

    /// What belongs to a spot: where its number comes from, and where it goes to.
    pub fn linked(&self, spot: Spot) -> Vec<Spot> {
        let selectors = self.selectors();
        let last = self.lanes.len().checked_sub(1).map(|last| self.stage.operands.len() + last);
        let mut linked = Vec::new();
        let pairs = |linked: &mut Vec<Spot>, at: usize, selector: &Selector, position: usize| {
            for (strip, key) in self.read(selector.beat, selector.lane, position) {
                linked.extend([Spot::Cell(strip, key), Spot::Pair(at, position, key)]);
            }
        };
        match spot {
            Spot::Cell(strip, cell) if strip < self.stage.operands.len() => {
                for (at, selector) in selectors.iter().enumerate().filter(|(_, it)| it.strip == strip) {
                    for position in 0..self.elements() {
                        let read = self.read(selector.beat, selector.lane, position);
                        if read.contains(&(strip, cell)) {
                            linked.push(Spot::Pair(at, position, cell));
                            linked.extend(
                                self.strip_of(&selector.lane.name).map(|strip| Spot::Cell(strip, position)),
                            );
                        }
                    }
                }
            }
            Spot::Cell(strip, position) => {
                let name = self.strip(strip).and_then(Result::err);
                let beat = name.and_then(|name| made_in(&self.moment, &self.stage.beats, name, position));
                let beat = beat.map_or(self.moment.beat, |(beat, _)| beat);
                let lanes = self.stage.beats.get(beat).map_or(&[][..], |beat| &beat.lanes);
                if let Some(lane) = lanes.iter().find(|lane| Some(lane.name.as_str()) == name) {
                    let read = self.read(beat, lane, position);
                    linked.extend(read.into_iter().map(|(strip, cell)| Spot::Cell(strip, cell)));
                }
                for (at, selector) in selectors.iter().enumerate() {
                    if Some(selector.lane.name.as_str()) == name && selector.beat == beat {
                        pairs(&mut linked, at, selector, position);
                    }
                }
                linked.extend(last.map(|last| Spot::Cell(last, position)));
            }
            Spot::Pair(grid, position, key) => {
                if let Some(selector) = selectors.get(grid) {
                    pairs(&mut linked, grid, selector, position);
                    linked.push(Spot::Cell(selector.strip, key));
                    let lane = self.strip_of(&selector.lane.name);
                    linked.extend(lane.into_iter().chain(last).map(|strip| Spot::Cell(strip, position)));
                }
            }
        }
        linked
    }

    /// The cells of the strips that a person's look at a matrix elsewhere lights.
    pub fn lit_elsewhere(&self, lights: &Lights) -> Vec<Spot> {
        let mut spots = Vec::new();
        let mut add = |strip: usize, name: &str, rows: usize, columns: usize| {
            let Some(lit) = lights.get(name) else { return };
            spots.extend(lit_places(lit, rows, columns).map(|place| Spot::Cell(strip, place)));
        };
        for (strip, operand) in self.stage.operands.iter().enumerate() {
            add(strip, operand_name(operand), operand.rows, operand.columns);
        }
        if let (Some(matrix), Some(last)) = (&self.stage.simulated, self.lanes.len().checked_sub(1)) {
            add(self.stage.operands.len() + last, &self.stage.name, matrix.nrows(), matrix.ncols());
        }
        spots
    }

    /// The lanes of the current beat with their strips.
    fn current(&self) -> impl Iterator<Item = (usize, usize, &'a Lane)> {
        let lanes = self.stage.beats.get(self.moment.beat).map_or(&[][..], |beat| &beat.lanes);
        lanes.iter().enumerate().filter_map(|(at, lane)| Some((at, self.strip_of(&lane.name)?, lane)))
    }

    fn operand_label(&self, operand: &Operand) -> String {
        let (first, count) = (operand.start, operand.rows * operand.columns);
        let last = (first + count).saturating_sub(1);
        let symbol = symbol(operand_name(operand), self.simulated.target.heads);
        match &operand.source {
            Source::Input(_) => self.t.simulator_in_input(&symbol, first, last),
            Source::Stage(_) => self.t.simulator_in_stage(&symbol, first, last),
        }
    }

    fn lane_label(&self, name: &str) -> String {
        let heads = self.simulated.target.heads;
        match name {
            "left" => self.t.simulator_lane_left(&self.strip_name(0)),
            "right" => self.t.simulator_lane_right(&self.strip_name(1)),
            "bias" => self.t.simulator_lane_bias(&self.strip_name(2)),
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
}

/// Whether a lane holds the factors or the bias of a product.
fn is_fetched(lane: &str) -> bool {
    matches!(lane, "left" | "right" | "bias")
}

/// A number of a sequence: the input's, or a stage's.
fn value_of(simulated: &Simulated, source: &Source, at: usize) -> Option<f64> {
    match source {
        Source::Input(_) => simulated.sequence.get(at).copied(),
        Source::Stage(name) => {
            let stage = simulated.stages.iter().find(|stage| stage.name == *name)?;
            stage.simulated.as_ref()?.as_slice()?.get(at).copied()
        }
    }
}

/// The shape of a matrix of the target.
fn shape_of(simulated: &Simulated, name: &str) -> Option<(usize, usize)> {
    let input = simulated.inputs.iter().find(|(found, _)| found == name).map(|(_, matrix)| matrix.dim());
    input.or_else(|| simulated.stages.iter().find(|it| it.name == name).map(|it| it.direct.dim()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::simulator::bench::said::{lanes_as_table, said, told};
    use crate::rooms::simulator::choices::{Grain, Piece, TargetSource};
    use crate::rooms::simulator::job::Workshop;
    use crate::rooms::simulator::timeline::Timeline;
    use rasp::simulator::{Activation, Attend};

    fn run(id: &str, change: impl FnOnce(Piece) -> Piece) -> Simulated {
        let piece = Piece::of(TargetSource::Preset(id.to_owned()));
        Workshop::default().run(change(piece)).expect("presets run")
    }

    fn moments(simulated: &Simulated, grain: Grain) -> Vec<Moment> {
        let stages = simulated
            .stages
            .iter()
            .map(|stage| (stage.beats.len(), stage.simulated.as_ref().map_or(0, |matrix| matrix.len())));
        let timeline = Timeline::new(stages, grain);
        (0..=2 * timeline.length()).filter_map(|half| timeline.moment(half as f64 / 2.0)).collect()
    }

    #[test]
    fn whatever_is_asked_of_a_bench_has_its_place_on_it() {
        let encoder = |attend, activation| {
            move |piece: Piece| Piece { attend, extra_rows: 1, ..piece.with_activation(Some(activation)) }
        };
        for simulated in [
            run("first", |piece| piece),
            run("encoder", encoder(Attend::ShiftedSoftmax, Activation::Relu)),
            run("encoder", encoder(Attend::AverageHard, Activation::MaxMin)),
        ] {
            let mut heights: Vec<Option<f64>> = vec![None; simulated.stages.len()];
            for moment in moments(&simulated, Grain::Position).into_iter().step_by(7) {
                let scene = Scene::new(&simulated, moment, Language::En).expect("a stage");
                let bench = scene.bench(735.0, 13.0);
                // The page does not move with the steps of a stage.
                assert_eq!(*heights[moment.stage].get_or_insert(bench.height), bench.height);
                assert_eq!(scene.rows(&bench).len(), bench.strips.len());
                assert_eq!(scene.selector_rows(&bench).len(), bench.grids.len());
                for travel in scene.travels() {
                    assert!(bench.rect(travel.from.0, travel.from.1).is_some(), "{moment:?}");
                    assert!(bench.rect(travel.to.0, travel.to.1).is_some(), "{moment:?}");
                }
                let position = moment.position.expect("a position");
                for (at, selector) in scene.selectors().iter().enumerate() {
                    for (strip, key) in scene.read(selector.beat, selector.lane, position) {
                        let pair = Spot::Pair(at, position, key);
                        assert!(bench.rect_of(pair).is_some(), "{moment:?} {pair:?}");
                        let linked = scene.linked(pair);
                        assert!(linked.contains(&Spot::Cell(strip, key)));
                        assert_eq!(told(&scene, pair).expect("words").value, "selected");
                        if strip < scene.stage.operands.len() {
                            assert!(scene.linked(Spot::Cell(strip, key)).contains(&pair));
                        }
                    }
                }
                assert!(!said(&scene).is_empty());
                assert_eq!(lanes_as_table(&scene).1.len(), scene.elements());
            }
        }
    }

    #[test]
    fn a_fetched_number_is_that_of_its_source_and_points_at_one_term() {
        let simulated = run("first", |piece| piece);
        let mut seen = 0;
        for moment in moments(&simulated, Grain::Position) {
            let scene = Scene::new(&simulated, moment, Language::En).expect("a stage");
            let (Some(position), Some(term)) = (moment.position, scene.stage.beats[moment.beat].term) else {
                continue;
            };
            for name in ["left", "right"] {
                let strip = scene.strip_of(name).expect("a lane");
                let spot = Spot::Cell(strip, position);
                let Some(value) = scene.value_at(strip, position) else { continue };
                let focus = scene.focus(spot).expect("no padding");
                let sources: Vec<Spot> = scene.linked(spot);
                let values: Vec<Option<f64>> = sources
                    .iter()
                    .filter_map(|spot| match spot {
                        Spot::Cell(strip, cell) if *strip < 2 => Some(scene.value_at(*strip, *cell)),
                        _ => None,
                    })
                    .collect();
                assert!(
                    !values.is_empty() && values.iter().all(|it| *it == Some(value)),
                    "{moment:?} {name}"
                );
                // Before it is fetched anew, the number is that of the term before.
                assert!(focus.term == Some(term) || focus.term.map(|it| it + 1) == Some(term));
                let lights = focus.lights(&simulated);
                assert_eq!(scene.lit_elsewhere(&lights).len(), 3, "{moment:?}: two factors and their sum");
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn padding_is_nothing_to_the_target() {
        let simulated = run("first", |piece| Piece { extra_rows: 2, extra_width: 1, ..piece });
        for moment in moments(&simulated, Grain::Position) {
            let scene = Scene::new(&simulated, moment, Language::En).expect("a stage");
            for strip in 0..scene.stage.operands.len() + scene.lanes().len() {
                for cell in 0..scene.cells(strip) {
                    if let Some(Focus { matrix, cell, .. }) = scene.focus(Spot::Cell(strip, cell)) {
                        let (rows, columns) = shape_of(&simulated, &matrix).expect("a matrix");
                        assert!(cell.row < rows && cell.col < columns);
                    }
                }
            }
        }
    }
}
