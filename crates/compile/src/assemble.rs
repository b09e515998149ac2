//! From heads and variables to coordinates and weights.
//!
//! Every token of the text has 1 in the coordinate `text`, everything else −1. Text looks at text because such keys
//! score higher; everything else looks at the sink, whose values are 0, so that memory stays as it is through all
//! layers.

use std::collections::BTreeMap;

use ndarray::Array2;
use rasp::{Atom, Prepared};
use transformer::{Attention, Class, Head, Layer, Mask, Scale, Target, Vocabulary};
use universal::Bounds;

use crate::basis::Basis;
use crate::lines::{LEAST_RELATIVE_MARGIN, Line, lines};
use crate::lower::{Ending, Lowered};
use crate::plan::Plan;
use crate::symbolic::{
    Domain, Functional, HeadSpec, INDICES, Part, Rest, RestValue, Score, Source, TOKENS, VarId,
};
use crate::{
    Becomes, Column, Compiled, Error, Group, GroupKind, HeadInfo, HeadKind, Help, MemoryRole, MemoryToken,
    Pass, Reading, Readout, ReadoutKind, Reads, Request, Statistics, StepInfo,
};

/// What is read of a variable.
#[derive(Clone, Debug, Default)]
struct Need {
    /// Coordinates that the output is read from.
    pinned: Vec<Vec<f64>>,
    /// What heads read.
    features: Vec<Vec<f64>>,
    /// Whether the number is read.
    number: bool,
    /// What is added to the coordinates of the readout.
    into: Vec<(usize, Part)>,
}

impl Need {
    fn is_empty(&self) -> bool {
        self.pinned.is_empty() && self.features.is_empty() && !self.number && self.into.is_empty()
    }
}

/// The coordinates of one head's memory tokens.
#[derive(Clone, Copy, Debug)]
struct Keys {
    slope: usize,
    intercept: usize,
    /// 1 at the entries that take queries which select nothing, where it is needed.
    flag: Option<usize>,
}

/// A row of a memory token.
struct Row {
    role: MemoryRole,
    label: String,
    head: Option<usize>,
    numbers: Vec<f64>,
}

/// The values of a variable, with the numbers that its coordinates hold for each.
type ValueNumbers = Vec<(Atom, Vec<f64>)>;

/// A column of weights.
type Weights = BTreeMap<usize, f64>;

pub(crate) struct Assembly<'a> {
    request: &'a Request,
    prepared: &'a Prepared,
    lowered: Lowered,
    needs: Vec<Need>,
    bases: Vec<Basis>,
    /// Heads in use, in the order of their depth.
    live: Vec<usize>,
    depth: Vec<usize>,
    layer_of: Vec<usize>,
    place_of: Vec<usize>,
    names: Vec<String>,
    groups: Vec<Group>,
    group_of_var: Vec<Option<usize>>,
    first_of_var: Vec<Option<usize>>,
    keys: Vec<Option<Keys>>,
    readout: usize,
    readout_count: usize,
    first: Option<usize>,
    sink: Option<usize>,
    tables: Vec<Vec<(Line, Vec<usize>)>>,
}

const TEXT: usize = 0;

pub(crate) fn assemble(request: &Request, prepared: &Prepared, lowered: Lowered) -> Result<Compiled, Error> {
    let (vars, heads) = (lowered.vars.len(), lowered.heads.len());
    let assembly = Assembly {
        request,
        prepared,
        lowered,
        needs: vec![Need::default(); vars],
        bases: vec![Basis::default(); vars],
        live: Vec::new(),
        depth: vec![0; heads],
        layer_of: vec![0; heads],
        place_of: vec![0; heads],
        names: Vec::new(),
        groups: Vec::new(),
        group_of_var: vec![None; vars],
        first_of_var: vec![None; vars],
        keys: vec![None; heads],
        readout: 0,
        readout_count: 0,
        first: None,
        sink: None,
        tables: vec![Vec::new(); heads],
    };
    assembly.run()
}

impl Assembly<'_> {
    fn run(mut self) -> Result<Compiled, Error> {
        self.find_depths();
        self.find_needs();
        self.find_tables()?;
        let (layers, heads, head_width) = self.schedule();
        self.place(layers);
        let width = self.names.len();
        let limits = self.request.limits;
        let too_large = |what: &str, found: usize, limit: usize| {
            Err(Error::TooLarge { what: what.to_owned(), found, limit, help: Help::Smaller })
        };
        if width > limits.width {
            return too_large("width", width, limits.width);
        }
        if layers > limits.layers {
            return too_large("layers", layers, limits.layers);
        }
        if heads > Class::MOST_HEADS {
            return too_large("heads", heads, Class::MOST_HEADS);
        }
        let mut rows = self.memory_rows();
        if rows.len() > limits.memory {
            return too_large("memory tokens", rows.len(), limits.memory);
        }
        let (weights, margin, largest) = self.weights(&mut rows, layers, heads, head_width)?;
        self.finish(rows, weights, layers, heads, head_width, margin, largest)
    }

    // What is needed.

    fn var_depth(&self, var: VarId) -> usize {
        self.lowered.vars[var].producer.map_or(0, |head| self.depth[head])
    }

    fn head_reads(&self, head: usize) -> Vec<VarId> {
        let spec = &self.lowered.heads[head];
        let mut reads = Vec::new();
        let mut see = |functional: &Functional| reads.extend(functional.parts.keys().copied());
        match &spec.score {
            Score::Text { columns, content, rest } => {
                for (query, key) in columns {
                    see(query);
                    see(key);
                }
                see(content);
                if let Rest::First { query, .. } = rest {
                    see(query);
                }
            }
            Score::Table { number, .. } => see(number),
        }
        for output in spec.outputs.iter().filter(|output| !self.needs[output.var].is_empty()) {
            match &output.source {
                Source::Copy { from, .. } => reads.push(*from),
                Source::Number(functional) => reads.extend(functional.parts.keys().copied()),
                Source::Constant(_) | Source::Table(_) => {}
            }
        }
        reads
    }

    /// Depths by all outputs, needed or not: an order in which sources come before readers.
    fn find_depths(&mut self) {
        let heads = self.lowered.heads.len();
        for need in &mut self.needs {
            need.number = true;
        }
        for _ in 0..heads {
            let mut changed = false;
            for head in 0..heads {
                let depth =
                    1 + self.head_reads(head).iter().map(|var| self.var_depth(*var)).max().unwrap_or(0);
                changed |= self.depth[head] != depth && depth <= heads;
                self.depth[head] = depth.min(heads);
            }
            if !changed {
                break;
            }
        }
        for need in &mut self.needs {
            need.number = false;
        }
    }

    fn need(&mut self, functional: &Functional) {
        for (var, part) in &functional.parts {
            match part {
                Part::Times(_) => self.needs[*var].number = true,
                Part::Values(values) => {
                    let features = &mut self.needs[*var].features;
                    if !features.contains(values) {
                        features.push(values.clone());
                    }
                }
            }
        }
    }

    fn find_needs(&mut self) {
        match self.lowered.ending.clone() {
            Ending::Category { var, of, .. } => {
                let size = self.lowered.vars[var].size();
                for values in of {
                    let feature = (0..size).map(|at| f64::from(u8::from(values.contains(&at)))).collect();
                    self.needs[var].pinned.push(feature);
                }
            }
            Ending::Number { number, .. } => match own_coordinate(&number) {
                Some((var, Part::Values(values))) => self.needs[var].pinned.push(values),
                Some((var, Part::Times(_))) => self.needs[var].number = true,
                None => {
                    self.readout_count = 1;
                    for (var, part) in number.parts {
                        self.needs[var].into.push((0, part));
                    }
                }
            },
            Ending::Lines { number, lines, .. } => {
                self.readout_count = lines.len();
                for (at, (_, slope, _)) in lines.iter().enumerate() {
                    for (var, part) in number.scaled(*slope).parts {
                        self.needs[var].into.push((at, part));
                    }
                }
            }
        }
        let mut order: Vec<usize> = (0..self.lowered.heads.len()).collect();
        order.sort_by_key(|head| std::cmp::Reverse(self.depth[*head]));
        for head in order {
            let spec = self.lowered.heads[head].clone();
            let mut is_live = false;
            for output in &spec.outputs {
                if self.needs[output.var].is_empty() {
                    continue;
                }
                is_live = true;
                self.choose_basis(output.var, &spec);
                for read in self.value_reads(output.var, &output.source) {
                    self.need(&read);
                }
            }
            if !is_live {
                continue;
            }
            self.live.push(head);
            match &spec.score {
                Score::Text { columns, content, rest } => {
                    for (query, key) in columns {
                        self.need(query);
                        self.need(key);
                    }
                    self.need(content);
                    if let Rest::First { query, .. } = rest {
                        self.need(query);
                    }
                }
                Score::Table { number, .. } => self.need(number),
            }
        }
        self.live.reverse();
        for var in [TOKENS, INDICES] {
            self.bases[var] = self.basis(var);
        }
    }

    fn basis(&self, var: VarId) -> Basis {
        let (need, var) = (&self.needs[var], &self.lowered.vars[var]);
        if need.pinned.is_empty() && need.features.is_empty() || var.is_number() {
            return Basis::default();
        }
        if !self.request.passes.has(Pass::Compact) && need.pinned.iter().all(|feature| is_indicator(feature))
        {
            return Basis::one_hot(var.size());
        }
        Basis::compact(&need.pinned, &need.features)
    }

    fn choose_basis(&mut self, var: VarId, spec: &HeadSpec) {
        // What memory tokens say of a variable stands in its own coordinates.
        if matches!(spec.score, Score::Table { .. }) {
            for (_, part) in self.needs[var].into.clone() {
                match part {
                    Part::Values(values) => self.needs[var].features.push(values),
                    Part::Times(_) => self.needs[var].number = true,
                }
            }
        }
        self.bases[var] = self.basis(var);
    }

    /// What a head reads at the key for each coordinate of a variable, and for what goes into the readout.
    fn value_reads(&self, var: VarId, source: &Source) -> Vec<Functional> {
        let need = &self.needs[var];
        let own: Vec<Part> = match self.lowered.vars[var].domain {
            Domain::Number(_) => need.number.then_some(Part::Times(1.0)).into_iter().collect(),
            Domain::Category(_) => {
                self.bases[var].features.iter().map(|feature| Part::Values(feature.clone())).collect()
            }
        };
        own.iter().chain(need.into.iter().map(|(_, part)| part)).map(|part| through(source, part)).collect()
    }

    // Tables.

    fn find_tables(&mut self) -> Result<(), Error> {
        for head in self.live.clone() {
            let spec = &self.lowered.heads[head];
            let Score::Table { vars, number } = &spec.score else { continue };
            let list = &self.lowered.combinations[vars];
            let live: Vec<&Vec<Option<usize>>> = spec
                .outputs
                .iter()
                .filter(|output| !self.needs[output.var].is_empty())
                .filter_map(|output| match &output.source {
                    Source::Table(outcome) => Some(outcome),
                    _ => None,
                })
                .collect();
            let mut outcomes: Vec<Vec<usize>> = Vec::new();
            let mut points = Vec::new();
            for (at, combination) in list.list.iter().enumerate() {
                let outcome: Option<Vec<usize>> = live.iter().map(|outcome| outcome[at]).collect();
                let Some(outcome) = outcome else { continue };
                let place = outcomes.iter().position(|known| *known == outcome).unwrap_or_else(|| {
                    outcomes.push(outcome);
                    outcomes.len() - 1
                });
                points.push((number.at(&self.lowered.vars, vars, combination), place));
            }
            let found = lines(points).map_err(|(gap, size)| Error::TooClose {
                span: spec.span,
                expression: spec.name.clone(),
                gap,
                size,
                help: Help::Smaller,
            })?;
            self.tables[head] =
                found.into_iter().map(|line| (line.clone(), outcomes[line.outcome].clone())).collect();
        }
        Ok(())
    }

    // Layers.

    fn columns_of(&self, head: usize) -> usize {
        match &self.lowered.heads[head].score {
            Score::Table { .. } => 2,
            Score::Text { columns, rest, .. } => {
                let query = matches!(rest, Rest::First { query, .. } if !query.is_zero());
                columns.len() + 1 + usize::from(query)
            }
        }
    }

    fn width_with(&self, layers: usize) -> usize {
        let mut width = 1 + self.readout_count;
        width += usize::from(self.live.iter().any(|head| self.uses_first(*head)));
        width += usize::from(layers > 1);
        for var in 0..self.lowered.vars.len() {
            width += self.own_coordinates(var);
        }
        width + self.live.iter().map(|head| self.key_coordinates(*head)).sum::<usize>()
    }

    fn uses_first(&self, head: usize) -> bool {
        matches!(&self.lowered.heads[head].score, Score::Text { rest: Rest::First { .. }, .. })
    }

    fn own_coordinates(&self, var: VarId) -> usize {
        self.bases[var].features.len()
            + usize::from(self.lowered.vars[var].is_number() && self.needs[var].number)
    }

    fn key_coordinates(&self, head: usize) -> usize {
        let spec = &self.lowered.heads[head];
        match &spec.score {
            Score::Table { .. } => 2,
            Score::Text { rest: Rest::Entries { .. }, .. } => 2 + usize::from(self.needs_flag(spec)),
            Score::Text { .. } => 0,
        }
    }

    /// Entries of a selector need a mark of their own when something of theirs cannot stand in the coordinates of
    /// what is written.
    fn needs_flag(&self, spec: &HeadSpec) -> bool {
        let Score::Text { columns, .. } = &spec.score else { return false };
        columns.len() > 1 || spec.outputs.iter().any(|output| !self.needs[output.var].into.is_empty())
    }

    /// L, H and d_h; gives every head its layer and its place.
    fn schedule(&mut self) -> (usize, usize, usize) {
        let head_width = self.live.iter().map(|head| self.columns_of(*head)).max().unwrap_or(1);
        let live = self.live.clone();
        let before: BTreeMap<usize, Vec<usize>> = live
            .iter()
            .map(|head| {
                let reads = self.head_reads(*head);
                let producers = reads.iter().filter_map(|var| self.lowered.vars[*var].producer);
                (*head, producers.filter(|producer| producer != head).collect())
            })
            .collect();
        // How many heads must still follow.
        let mut follows: BTreeMap<usize, usize> = live.iter().map(|head| (*head, 0)).collect();
        for head in live.iter().rev() {
            for producer in &before[head] {
                let longer = follows[head] + 1;
                if let Some(known) = follows.get_mut(producer) {
                    *known = (*known).max(longer);
                }
            }
        }
        let plan = |most: usize| -> Vec<Vec<usize>> {
            let mut layers: Vec<Vec<usize>> = Vec::new();
            let mut done: Vec<usize> = Vec::new();
            while done.len() < live.len() {
                let mut ready: Vec<usize> = live
                    .iter()
                    .copied()
                    .filter(|head| !done.contains(head) && before[head].iter().all(|it| done.contains(it)))
                    .collect();
                ready.sort_by_key(|head| std::cmp::Reverse(follows[head]));
                ready.truncate(most);
                if ready.is_empty() {
                    break;
                }
                done.extend(&ready);
                layers.push(ready);
            }
            layers
        };
        let size = |layers: &[Vec<usize>]| {
            let heads = layers.iter().map(Vec::len).max().unwrap_or(1).max(1);
            let count = layers.len().max(1);
            let class = class_of(count, heads, self.width_with(count), head_width);
            (Bounds::of(&class).sparse, count)
        };
        let widest = plan(usize::MAX);
        let chosen = if self.request.passes.has(Pass::Schedule) {
            let most = widest.iter().map(Vec::len).max().unwrap_or(1);
            (1..=most.max(1)).map(plan).min_by_key(|layers| size(layers)).unwrap_or(widest)
        } else {
            widest
        };
        for (layer, heads) in chosen.iter().enumerate() {
            for (place, head) in heads.iter().enumerate() {
                self.layer_of[*head] = layer;
                self.place_of[*head] = place;
            }
        }
        self.live.sort_by_key(|head| (self.layer_of[*head], self.place_of[*head]));
        let heads = chosen.iter().map(Vec::len).max().unwrap_or(1).max(1);
        (chosen.len().max(1), heads, head_width)
    }

    // Coordinates.

    fn group(&mut self, group: Group, names: Vec<String>) -> usize {
        let start = self.names.len();
        let end = start + names.len();
        self.names.extend(names);
        self.groups.push(Group { start, end, ..group });
        self.groups.len() - 1
    }

    fn place(&mut self, layers: usize) {
        let empty = |name: &str, kind: GroupKind| Group {
            name: name.to_owned(),
            kind,
            start: 0,
            end: 0,
            layer: 0,
            step: None,
            span: None,
            values: Vec::new(),
        };
        let mut roles = vec!["text".to_owned()];
        if self.live.iter().any(|head| self.uses_first(*head)) {
            self.first = Some(roles.len());
            roles.push("first".to_owned());
        }
        if layers > 1 {
            self.sink = Some(roles.len());
            roles.push("sink".to_owned());
        }
        self.group(empty("roles", GroupKind::Roles), roles);
        let mut order: Vec<VarId> = (0..self.lowered.vars.len()).collect();
        order.sort_by_key(|var| self.lowered.vars[*var].producer.map_or(0, |head| 1 + self.layer_of[head]));
        for var in order {
            let count = self.own_coordinates(var);
            if count == 0 {
                continue;
            }
            let (kind, names, values) = self.describe(var);
            let known = &self.lowered.vars[var];
            let group = Group {
                name: known.name.clone(),
                kind,
                start: 0,
                end: 0,
                layer: known.producer.map_or(0, |head| 1 + self.layer_of[head]),
                step: known.step,
                span: known.step.map(|step| self.prepared.steps()[step].span),
                values,
            };
            self.first_of_var[var] = Some(self.names.len());
            let made = self.group(group, names);
            self.group_of_var[var] = Some(made);
        }
        for head in self.live.clone() {
            let count = self.key_coordinates(head);
            if count == 0 {
                continue;
            }
            let spec = &self.lowered.heads[head];
            let name = format!("{}: memory", spec.name);
            let mut group = empty(&name, GroupKind::Memory);
            group.layer = 0;
            group.step = spec.steps.first().copied();
            group.span = Some(spec.span);
            let start = self.names.len();
            self.keys[head] =
                Some(Keys { slope: start, intercept: start + 1, flag: (count > 2).then_some(start + 2) });
            let names = ["slope", "intercept", "default"].map(|it| format!("{name}, {it}"));
            self.group(group, names.into_iter().take(count).collect());
        }
        if self.readout_count > 0 {
            self.readout = self.names.len();
            let names = match &self.lowered.ending {
                Ending::Lines { lines, .. } => {
                    lines.iter().map(|(value, _, _)| format!("result = {}", value.to_source())).collect()
                }
                _ => vec!["result".to_owned()],
            };
            let result = self.prepared.result();
            let mut group = empty("result", GroupKind::Readout);
            group.layer = layers;
            group.step = Some(result);
            group.span = Some(self.lowered.span);
            self.group(group, names);
        }
    }

    fn describe(&self, var: VarId) -> (GroupKind, Vec<String>, ValueNumbers) {
        let known = &self.lowered.vars[var];
        let kind = match (var, known.is_number()) {
            (TOKENS, _) => GroupKind::Tokens,
            (INDICES, _) => GroupKind::Positions,
            (_, true) => GroupKind::Number,
            (_, false) => GroupKind::Category,
        };
        match &known.domain {
            Domain::Number(_) => (kind, vec![known.name.clone()], Vec::new()),
            Domain::Category(atoms) => {
                let features = &self.bases[var].features;
                let names = features
                    .iter()
                    .enumerate()
                    .map(|(at, feature)| format!("{}{}", known.name, feature_name(atoms, feature, at)));
                let values = atoms.iter().enumerate().map(|(value, atom)| {
                    (atom.clone(), features.iter().map(|feature| feature[value]).collect())
                });
                (kind, names.collect(), values.collect())
            }
        }
    }

    // Weights.

    /// The coordinates and weights that a functional is at a token of the text.
    fn realise(&self, functional: &Functional) -> Weights {
        let mut weights = Weights::new();
        let mut constant = functional.constant;
        for (var, part) in &functional.parts {
            let Some(first) = self.first_of_var[*var] else { continue };
            match part {
                Part::Times(factor) => *weights.entry(first).or_insert(0.0) += factor,
                Part::Values(values) => {
                    let (own, rest) = self.bases[*var].weights(values);
                    constant += rest;
                    for (at, weight) in own.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                        *weights.entry(first + at).or_insert(0.0) += weight;
                    }
                }
            }
        }
        if constant != 0.0 {
            *weights.entry(TEXT).or_insert(0.0) += constant;
        }
        weights
    }

    fn memory_rows(&self) -> Vec<Row> {
        let width = self.names.len();
        let blank = || {
            let mut numbers = vec![0.0; width];
            numbers[TEXT] = -1.0;
            numbers
        };
        let mut rows = Vec::new();
        if let Some(first) = self.first {
            let mut numbers = blank();
            numbers[first] = 1.0;
            rows.push(Row { role: MemoryRole::First, label: "^".to_owned(), head: None, numbers });
        }
        if let Some(sink) = self.sink {
            let mut numbers = blank();
            numbers[sink] = 1.0;
            rows.push(Row { role: MemoryRole::Sink, label: "_".to_owned(), head: None, numbers });
        }
        for head in &self.live {
            let spec = &self.lowered.heads[*head];
            let Some(keys) = self.keys[*head] else { continue };
            match &spec.score {
                Score::Table { vars, number } => {
                    let live: Vec<VarId> = spec
                        .outputs
                        .iter()
                        .map(|output| output.var)
                        .filter(|var| !self.needs[*var].is_empty())
                        .collect();
                    for (line, outcome) in &self.tables[*head] {
                        let mut numbers = blank();
                        numbers[keys.slope] = line.slope;
                        numbers[keys.intercept] = line.intercept;
                        let mut says = Vec::new();
                        for (var, value) in live.iter().zip(outcome) {
                            let known = &self.lowered.vars[*var];
                            if let (Some(first), Domain::Category(atoms)) =
                                (self.first_of_var[*var], &known.domain)
                            {
                                for (at, feature) in self.bases[*var].features.iter().enumerate() {
                                    numbers[first + at] = feature[*value];
                                }
                                says.push((known.name.clone(), atoms[*value].to_source()));
                            }
                        }
                        let (when, combinations) = self.when(vars, number, line);
                        let label =
                            says.first().map_or(String::new(), |(name, value)| format!("{name}={value}"));
                        let role = MemoryRole::Entry { when, combinations, says };
                        rows.push(Row { role, label: format!("[{label}]"), head: Some(*head), numbers });
                    }
                }
                Score::Text { rest: Rest::Entries { entries, .. }, .. } => {
                    for _ in entries {
                        let mut numbers = blank();
                        if let Some(flag) = keys.flag {
                            numbers[flag] = 1.0;
                        }
                        let label = format!("[{}:none]", spec.name);
                        rows.push(Row { role: MemoryRole::Default, label, head: Some(*head), numbers });
                    }
                }
                Score::Text { .. } => {}
            }
        }
        rows
    }

    /// Some of the combinations that an entry stands for, and their number.
    fn when(&self, vars: &[VarId], number: &Functional, line: &Line) -> (Vec<Vec<(String, String)>>, usize) {
        const SHOWN: usize = 4;
        let known = &self.lowered.vars;
        let list = &self.lowered.combinations[vars];
        let (mut when, mut count) = (Vec::new(), 0);
        for combination in &list.list {
            let at = number.at(known, vars, combination);
            if at < line.low - 1e-9 || at > line.high + 1e-9 {
                continue;
            }
            count += 1;
            if when.len() < SHOWN {
                let value = |(var, value): (&VarId, &u16)| {
                    let value = *value as usize;
                    let text = match &known[*var].domain {
                        Domain::Category(atoms) => atoms[value].to_source(),
                        Domain::Number(numbers) => Atom::Float(numbers[value]).to_source(),
                    };
                    (known[*var].name.clone(), text)
                };
                when.push(vars.iter().zip(combination).map(value).collect());
            }
        }
        (when, count)
    }

    /// The layers of the target, the smallest margin and the largest score. Completes the rows of entries.
    fn weights(
        &self,
        rows: &mut [Row],
        layers: usize,
        heads: usize,
        head_width: usize,
    ) -> Result<(Vec<Layer>, f64, f64), Error> {
        let width = self.names.len();
        let nothing = || Head {
            wq: Array2::zeros((width, head_width)),
            wk: Array2::zeros((width, head_width)),
            wv: Array2::zeros((width, 1)),
            wo: Array2::zeros((1, width)),
        };
        let mut made: Vec<Layer> =
            (0..layers).map(|_| Layer { heads: (0..heads).map(|_| nothing()).collect() }).collect();
        let (mut margin, mut largest) = (f64::INFINITY, 0.0_f64);
        for head in &self.live {
            let (weights, least, most) = self.head_weights(*head, rows, head_width)?;
            if least / (1.0 + most) < LEAST_RELATIVE_MARGIN {
                let spec = &self.lowered.heads[*head];
                let (span, expression) = (spec.span, spec.name.clone());
                return Err(Error::TooClose {
                    span,
                    expression,
                    gap: least,
                    size: most,
                    help: Help::Smaller,
                });
            }
            margin = margin.min(least);
            largest = largest.max(most);
            made[self.layer_of[*head]].heads[self.place_of[*head]] = weights;
        }
        Ok((made, margin, largest))
    }

    fn head_weights(
        &self,
        head: usize,
        rows: &mut [Row],
        head_width: usize,
    ) -> Result<(Head, f64, f64), Error> {
        let width = self.names.len();
        let spec = &self.lowered.heads[head];
        let mut queries: Vec<Weights> = Vec::new();
        let mut keys: Vec<Weights> = Vec::new();
        let vars = &self.lowered.vars;
        let bound = |functional: &Functional| {
            let (low, high) = functional.range(vars);
            low.abs().max(high.abs())
        };
        // The largest product of the text's own queries and keys, and of queries and the keys of memory.
        let mut products = 0.0_f64;
        let mut margin = 1.0;
        let asked = Weights::from([(TEXT, 1.0)]);
        match &spec.score {
            Score::Table { number, .. } => {
                let own = self.keys[head].unwrap_or(Keys { slope: 0, intercept: 0, flag: None });
                queries.push(self.realise(number));
                keys.push(Weights::from([(own.slope, 1.0)]));
                queries.push(asked);
                keys.push(Weights::from([(own.intercept, 1.0)]));
                for (line, _) in &self.tables[head] {
                    products = products.max(line.slope.abs() * bound(number) + line.intercept.abs());
                }
            }
            Score::Text { columns, content, rest } => {
                if !matches!(rest, Rest::Nothing) && spec.kind != HeadKind::Width {
                    margin = 0.5;
                }
                for (query, key) in columns {
                    let mut weights = self.realise(key);
                    let constant = weights.get(&TEXT).copied().unwrap_or(0.0);
                    self.cancel(&mut weights, constant, head);
                    products += bound(query) * bound(key);
                    queries.push(self.realise(query));
                    keys.push(weights);
                }
                if let Rest::First { query, .. } = rest
                    && !query.is_zero()
                {
                    products += bound(query);
                    queries.push(self.realise(query));
                    keys.push(self.first.map(|first| (first, 1.0)).into_iter().collect());
                }
                let mut own = self.realise(content);
                products += bound(content);
                let constant = own.get(&TEXT).copied().unwrap_or(0.0);
                // What memory tokens of other heads would score.
                let beside = rows.iter().map(|row| {
                    let at = |weights: &Weights| dot(weights, &row.numbers);
                    let columns =
                        queries.iter().zip(&keys).zip(columns.iter().map(|(query, _)| bound(query)));
                    let sum: f64 = columns.map(|((_, key), most)| most * at(key).abs()).sum();
                    sum + at(&own).abs()
                });
                let beside = beside.fold(0.0, f64::max);
                if let Rest::Entries { column, entries } = rest {
                    for (key, score) in entries {
                        products = products.max(key.abs() * bound(&columns[*column].0) + score.abs());
                    }
                }
                let lift = power_of_two(products + beside + 4.0);
                *own.entry(TEXT).or_insert(0.0) += lift;
                match rest {
                    Rest::Nothing => {}
                    Rest::First { score, .. } => {
                        if let Some(first) = self.first {
                            *own.entry(first).or_insert(0.0) += score + 2.0 * lift + constant;
                        }
                    }
                    Rest::Entries { column, entries } => {
                        let Some(place) = self.keys[head] else {
                            return Ok((self.no_weights(head_width), margin, 0.0));
                        };
                        let read = keys[*column].get(&TEXT).copied().unwrap_or(0.0)
                            - place.flag.and_then(|flag| keys[*column].get(&flag)).copied().unwrap_or(0.0);
                        *keys[*column].entry(place.slope).or_insert(0.0) += 1.0;
                        *own.entry(place.intercept).or_insert(0.0) += 1.0;
                        let mine = rows
                            .iter_mut()
                            .filter(|row| row.head == Some(head) && matches!(row.role, MemoryRole::Default));
                        for (row, (key, score)) in mine.zip(entries) {
                            row.numbers[place.slope] = key + read;
                            row.numbers[place.intercept] = score + 2.0 * lift + constant;
                        }
                    }
                }
                products += lift;
                queries.push(asked);
                keys.push(own);
            }
        }
        if let Some(sink) = self.sink {
            // What is no text asks with −1, so that a large negative key wins there and loses for text.
            let beside = |row: &Row| -> f64 {
                let mut sum = 0.0;
                for (query, key) in queries.iter().zip(&keys) {
                    let asks = dot(query, &row.numbers).abs();
                    let keys = rows.iter().map(|row| dot(key, &row.numbers).abs()).fold(0.0, f64::max);
                    sum += asks * keys.max(self.largest(key));
                }
                sum
            };
            let beside = rows.iter().map(beside).fold(products, f64::max);
            let push = power_of_two(2.0 * beside + 4.0);
            if let Some(last) = keys.last_mut() {
                let at_sink = last.get(&TEXT).copied().unwrap_or(0.0);
                // The text coordinate of the sink is −1 as well.
                *last.entry(sink).or_insert(0.0) += at_sink - push;
            }
            products = products.max(push);
        }
        let (wv, wo) = self.values(head, rows);
        let mut made =
            Head { wq: Array2::zeros((width, head_width)), wk: Array2::zeros((width, head_width)), wv, wo };
        for (column, (query, key)) in queries.iter().zip(&keys).enumerate() {
            query.iter().for_each(|(at, weight)| made.wq[[*at, column]] = *weight);
            key.iter().for_each(|(at, weight)| made.wk[[*at, column]] = *weight);
        }
        Ok((made, margin, products))
    }

    fn no_weights(&self, head_width: usize) -> Head {
        let width = self.names.len();
        Head {
            wq: Array2::zeros((width, head_width)),
            wk: Array2::zeros((width, head_width)),
            wv: Array2::zeros((width, 1)),
            wo: Array2::zeros((1, width)),
        }
    }

    /// Makes a functional 0 at the first token, the sink and the entries of a head, where its constant is negative.
    fn cancel(&self, weights: &mut Weights, constant: f64, head: usize) {
        if constant == 0.0 {
            return;
        }
        let flag = self.keys[head].and_then(|keys| keys.flag);
        for at in [self.first, self.sink, flag].into_iter().flatten() {
            *weights.entry(at).or_insert(0.0) += constant;
        }
    }

    /// The largest magnitude of a key at a token of the text.
    fn largest(&self, weights: &Weights) -> f64 {
        let mut sum = weights.get(&TEXT).copied().unwrap_or(0.0).abs();
        for var in 0..self.lowered.vars.len() {
            let Some(first) = self.first_of_var[var] else { continue };
            let known = &self.lowered.vars[var];
            let most = (0..known.size()).map(|value| match &known.domain {
                Domain::Number(numbers) => {
                    weights.get(&first).map_or(0.0, |weight| (weight * numbers[value]).abs())
                }
                Domain::Category(_) => self.bases[var]
                    .features
                    .iter()
                    .enumerate()
                    .map(|(at, feature)| weights.get(&(first + at)).map_or(0.0, |it| it * feature[value]))
                    .sum::<f64>()
                    .abs(),
            });
            sum += most.fold(0.0, f64::max);
        }
        sum
    }

    /// Wv and Wo; entries of a selector get what they say.
    fn values(&self, head: usize, rows: &mut [Row]) -> (Array2<f64>, Array2<f64>) {
        let width = self.names.len();
        let spec = &self.lowered.heads[head];
        let mut columns: Vec<(Weights, usize)> = Vec::new();
        for output in &spec.outputs {
            let need = &self.needs[output.var];
            if need.is_empty() {
                continue;
            }
            let known = &self.lowered.vars[output.var];
            let first = self.first_of_var[output.var];
            let own: Vec<Part> = match known.domain {
                Domain::Number(_) => need.number.then_some(Part::Times(1.0)).into_iter().collect(),
                Domain::Category(_) => self.bases[output.var]
                    .features
                    .iter()
                    .map(|feature| Part::Values(feature.clone()))
                    .collect(),
            };
            // Coordinates that stand only for what memory says need not be written.
            let is_read = !need.features.is_empty() || !need.pinned.is_empty() || need.number;
            let mut parts: Vec<(Part, usize, bool)> = Vec::new();
            if let Some(first) = first.filter(|_| is_read) {
                parts.extend(own.into_iter().enumerate().map(|(at, part)| (part, first + at, true)));
            }
            parts.extend(need.into.iter().map(|(at, part)| (part.clone(), self.readout + at, false)));
            for (part, target, is_own) in parts {
                let mut weights = match &output.source {
                    Source::Table(_) if is_own => Weights::from([(target, 1.0)]),
                    Source::Table(_) => {
                        // Read from what the entry says, where the constant is −1 times.
                        let mut weights = self.realise(&Functional::of(output.var, part.clone()));
                        let constant = weights.get(&TEXT).copied().unwrap_or(0.0);
                        if constant != 0.0 {
                            weights.insert(TEXT, -constant);
                        }
                        weights
                    }
                    source => self.realise(&through(source, &part)),
                };
                let constant = weights.get(&TEXT).copied().unwrap_or(0.0);
                if let Some(sink) = self.sink
                    && constant != 0.0
                {
                    *weights.entry(sink).or_insert(0.0) += constant;
                }
                if let (Some(rest), Score::Text { rest: how, .. }) = (output.rest, &spec.score) {
                    let wanted = rest_number(rest, &part);
                    match how {
                        Rest::First { .. } => {
                            if let Some(first) = self.first {
                                *weights.entry(first).or_insert(0.0) += wanted + constant;
                            }
                        }
                        Rest::Entries { .. } => match self.keys[head].and_then(|keys| keys.flag) {
                            Some(flag) => *weights.entry(flag).or_insert(0.0) += wanted + constant,
                            None => {
                                *weights.entry(target).or_insert(0.0) += 1.0;
                                let mine = rows.iter_mut().filter(|row| {
                                    row.head == Some(head) && matches!(row.role, MemoryRole::Default)
                                });
                                mine.for_each(|row| row.numbers[target] = wanted + constant);
                            }
                        },
                        Rest::Nothing => {}
                    }
                }
                columns.push((weights, target));
            }
        }
        let count = columns.len().max(1);
        let (mut wv, mut wo) = (Array2::zeros((width, count)), Array2::zeros((count, width)));
        for (column, (weights, target)) in columns.iter().enumerate() {
            weights.iter().for_each(|(at, weight)| wv[[*at, column]] = *weight);
            wo[[column, *target]] = 1.0;
        }
        (wv, wo)
    }

    // The result.

    #[allow(clippy::too_many_arguments)]
    fn finish(
        self,
        rows: Vec<Row>,
        layers: Vec<Layer>,
        layer_count: usize,
        heads: usize,
        head_width: usize,
        margin: f64,
        largest: f64,
    ) -> Result<Compiled, Error> {
        let width = self.names.len();
        let vocabulary = self.vocabulary(&rows);
        let class = class_of(layer_count, heads, width, head_width);
        let target = Target::new(class, layers, Some(vocabulary)).map_err(|_| Error::TooLarge {
            what: "numbers".to_owned(),
            found: width,
            limit: width,
            help: Help::Smaller,
        })?;
        let mut statistics = Statistics::of(&target);
        statistics.used_heads = self.live.len();
        statistics.memory = rows.len();
        statistics.margin = margin;
        statistics.largest_score = largest;
        statistics.work = self.lowered.work;
        let head_place = |head: usize| self.live.iter().position(|it| *it == head);
        let tokens = target.vocabulary().map(|it| it.tokens.clone()).unwrap_or_default();
        let memory = rows
            .iter()
            .zip(&tokens)
            .map(|(row, token)| MemoryToken {
                token: token.clone(),
                role: row.role.clone(),
                heads: match row.head {
                    Some(head) => head_place(head).into_iter().collect(),
                    None if row.role == MemoryRole::First => {
                        (0..self.live.len()).filter(|at| self.uses_first(self.live[*at])).collect()
                    }
                    None => (0..self.live.len()).collect(),
                },
            })
            .collect();
        Ok(Compiled {
            readout: self.readout(),
            heads: self.live.iter().map(|head| self.head_info(*head)).collect(),
            steps: self.step_infos(),
            target,
            vocabulary: self.request.vocabulary.clone(),
            longest: self.request.longest,
            memory,
            statistics,
            coordinates: self.names,
            groups: self.groups,
            warnings: self.lowered.warnings,
        })
    }

    fn vocabulary(&self, rows: &[Row]) -> Vocabulary {
        let width = self.names.len();
        let (memory, longest) = (rows.len(), self.request.longest);
        let mut tokens: Vec<String> = Vec::new();
        let own: Vec<String> = self.request.vocabulary.iter().map(Atom::to_string).collect();
        for row in rows {
            let label: String = row.label.split_whitespace().collect::<Vec<_>>().join("·");
            let mut name = label.clone();
            let mut number = 1;
            while tokens.contains(&name) || own.contains(&name) {
                number += 1;
                name = format!("{label}{number}");
            }
            tokens.push(name);
        }
        tokens.extend(own);
        let mut embedding = Array2::zeros((tokens.len(), width));
        for (at, row) in rows.iter().enumerate() {
            row.numbers.iter().enumerate().for_each(|(column, number)| embedding[[at, column]] = *number);
        }
        let into = |var: VarId, value: usize, row: &mut dyn FnMut(usize, f64)| {
            if let Some(first) = self.first_of_var[var] {
                for (at, feature) in self.bases[var].features.iter().enumerate() {
                    row(first + at, feature[value]);
                }
            }
            for (at, part) in &self.needs[var].into {
                row(self.readout + at, part.at(&self.lowered.vars[var], value));
            }
        };
        for token in 0..self.request.vocabulary.len() {
            let at = memory + token;
            embedding[[at, TEXT]] = 1.0;
            match &self.lowered.ending {
                Ending::Lines { number, lines, .. } => {
                    for (line, (_, slope, intercept)) in lines.iter().enumerate() {
                        embedding[[at, self.readout + line]] += intercept + slope * number.constant;
                    }
                }
                Ending::Number { number, .. } if self.readout_count > 0 => {
                    embedding[[at, self.readout]] += number.constant;
                }
                _ => {}
            }
            into(TOKENS, token, &mut |column, number| embedding[[at, column]] += number);
        }
        let mut positions = Array2::zeros((memory + longest, width));
        for index in 0..longest {
            into(INDICES, index, &mut |column, number| positions[[memory + index, column]] += number);
        }
        Vocabulary { tokens, embedding, positions: Some(positions) }
    }

    fn readout(&self) -> Readout {
        match &self.lowered.ending {
            Ending::Category { var, values, of } => {
                let size = self.lowered.vars[*var].size();
                let first = self.first_of_var[*var].unwrap_or(0);
                let coordinates = of.iter().map(|values| {
                    let feature: Vec<f64> =
                        (0..size).map(|at| f64::from(u8::from(values.contains(&at)))).collect();
                    let place = self.bases[*var].features.iter().position(|known| *known == feature);
                    first + place.unwrap_or(0)
                });
                Readout {
                    kind: ReadoutKind::Category,
                    coordinates: coordinates.collect(),
                    values: values.clone(),
                    margin: 1.0,
                }
            }
            Ending::Number { number, values, margin } => {
                let coordinate = match own_coordinate(number) {
                    Some((var, part)) => {
                        let place = match &part {
                            Part::Times(_) => Some(0),
                            Part::Values(values) => {
                                self.bases[var].features.iter().position(|known| known == values)
                            }
                        };
                        self.first_of_var[var].unwrap_or(0) + place.unwrap_or(0)
                    }
                    None => self.readout,
                };
                Readout {
                    kind: ReadoutKind::Number,
                    coordinates: vec![coordinate],
                    values: values.clone(),
                    margin: *margin,
                }
            }
            Ending::Lines { lines, margin, .. } => Readout {
                kind: ReadoutKind::Category,
                coordinates: (self.readout..self.readout + lines.len()).collect(),
                values: lines.iter().map(|(value, _, _)| value.clone()).collect(),
                margin: *margin,
            },
        }
    }

    fn head_info(&self, head: usize) -> HeadInfo {
        let spec = &self.lowered.heads[head];
        let readings = |functional: &Functional| {
            let mut readings: Vec<Reading> =
                functional.parts.iter().map(|(var, part)| self.reading(*var, part)).collect();
            if functional.constant != 0.0 || readings.is_empty() {
                readings.push(Reading::Constant(functional.constant));
            }
            readings
        };
        let columns = match &spec.score {
            Score::Table { number, .. } => vec![Column { query: readings(number), key: Vec::new() }],
            Score::Text { columns, content, .. } => {
                let mut columns: Vec<Column> = columns
                    .iter()
                    .map(|(query, key)| Column { query: readings(query), key: readings(key) })
                    .collect();
                if !content.is_zero() {
                    columns.push(Column { query: vec![Reading::Constant(1.0)], key: readings(content) });
                }
                columns
            }
        };
        let groups = |vars: &mut dyn Iterator<Item = VarId>| {
            let mut groups: Vec<usize> = vars.filter_map(|var| self.group_of_var[var]).collect();
            groups.sort_unstable();
            groups.dedup();
            groups
        };
        let memory = self.keys[head].and_then(|keys| {
            self.groups.iter().position(|group| (group.start..group.end).contains(&keys.slope))
        });
        let mut reads = match &spec.score {
            Score::Table { number, .. } => {
                Reads { queries: groups(&mut number.parts.keys().copied()), ..Reads::default() }
            }
            Score::Text { columns, content, .. } => Reads {
                queries: groups(&mut columns.iter().flat_map(|(query, _)| query.parts.keys().copied())),
                keys: groups(
                    &mut columns
                        .iter()
                        .flat_map(|(_, key)| key.parts.keys().copied())
                        .chain(content.parts.keys().copied()),
                ),
                ..Reads::default()
            },
        };
        reads.keys.extend(memory);
        let live = || spec.outputs.iter().filter(|output| !self.needs[output.var].is_empty());
        reads.values = groups(&mut live().flat_map(|output| match &output.source {
            Source::Copy { from, .. } => vec![*from],
            Source::Number(functional) => functional.parts.keys().copied().collect(),
            Source::Constant(_) => Vec::new(),
            Source::Table(_) => vec![output.var],
        }));
        reads.writes = groups(&mut live().map(|output| output.var));
        if live().any(|output| !self.needs[output.var].into.is_empty()) {
            reads.writes.extend(self.groups.iter().position(|group| group.kind == GroupKind::Readout));
        }
        let steps = self.prepared.steps();
        HeadInfo {
            name: spec.name.clone(),
            layer: self.layer_of[head],
            head: self.place_of[head],
            kind: spec.kind,
            span: spec.span,
            also: spec
                .steps
                .iter()
                .skip(1)
                .map(|step| steps[*step].span)
                .filter(|it| *it != spec.span)
                .collect(),
            steps: spec.steps.clone(),
            selects: spec.selects.clone(),
            columns,
            reads,
        }
    }

    fn reading(&self, var: VarId, part: &Part) -> Reading {
        let known = &self.lowered.vars[var];
        match (part, &known.domain) {
            (Part::Values(numbers), Domain::Category(atoms)) => Reading::Table {
                name: known.name.clone(),
                numbers: atoms.iter().cloned().zip(numbers.iter().copied()).collect(),
            },
            (Part::Times(factor), _) => Reading::Times { name: known.name.clone(), factor: *factor },
            (Part::Values(_), Domain::Number(_)) => Reading::Constant(0.0),
        }
    }

    fn step_infos(&self) -> Vec<StepInfo> {
        let head_place = |head: usize| self.live.iter().position(|it| *it == head);
        let steps = self.prepared.steps();
        let mut infos: Vec<StepInfo> = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let sop = self.lowered.sops[at].as_ref();
            let vars: Vec<VarId> = sop.map(|sop| sop.form.vars.clone()).unwrap_or_default();
            let mut coordinates: Vec<usize> = Vec::new();
            let mut heads: Vec<usize> = Vec::new();
            let mut layer = 0;
            for var in &vars {
                if let Some(group) = self.group_of_var[*var] {
                    coordinates.extend(self.groups[group].start..self.groups[group].end);
                }
                if let Some(head) = self.lowered.vars[*var].producer {
                    layer = layer.max(1 + self.layer_of[head]);
                    heads.extend(head_place(head));
                }
            }
            let selects = self.live.iter().enumerate().filter(|(_, head)| {
                self.lowered.heads[**head].selects.iter().any(|condition| match condition {
                    crate::Condition::Selector(step) | crate::Condition::NotSelector(step) => *step == at,
                    crate::Condition::Key(_) => false,
                })
            });
            let is_selector = step.primitive.is_selector();
            if is_selector {
                heads.extend(selects.map(|(place, _)| place));
                for operand in &step.operands {
                    let known: &StepInfo = &infos[*operand];
                    layer = layer.max(known.layer);
                    coordinates.extend(&known.coordinates);
                    if steps[*operand].primitive.is_selector() {
                        heads.extend(&known.heads);
                    }
                }
            }
            coordinates.sort_unstable();
            coordinates.dedup();
            heads.sort_unstable();
            heads.dedup();
            let own = vars.len() == 1
                && self.group_of_var[vars[0]].is_some()
                && (self.lowered.vars[vars[0]].step == Some(at)
                    || matches!(self.lowered.plans[at], Plan::Base(_)));
            let becomes = if is_selector {
                Becomes::Scores
            } else if sop.is_none() {
                Becomes::Idiom
            } else if own {
                Becomes::Coordinates
            } else {
                Becomes::Folded
            };
            let mut values: Vec<Atom> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            for atom in sop.iter().flat_map(|sop| sop.form.values.iter()).flatten() {
                if seen.insert(atom.clone()) && values.len() < SHOWN_VALUES {
                    values.push(atom.clone());
                }
            }
            infos.push(StepInfo {
                span: step.span,
                name: step.name.clone(),
                becomes,
                layer,
                coordinates,
                heads,
                value_count: seen.len(),
                values,
            });
        }
        infos
    }
}

const SHOWN_VALUES: usize = 100;

/// The class of compiled programs.
fn class_of(layers: usize, heads: usize, width: usize, head_width: usize) -> Class {
    Class {
        heads,
        layers,
        width,
        head_width,
        attention: Attention::AverageHard,
        mask: Mask::None,
        scale: Scale::Factor(1.0),
        residual: true,
    }
}

/// The one coordinate that a number is, where it is one.
fn own_coordinate(number: &Functional) -> Option<(VarId, Part)> {
    let mut parts = number.parts.iter();
    match (parts.next(), parts.next(), number.constant == 0.0) {
        (Some((var, Part::Times(1.0))), None, true) => Some((*var, Part::Times(1.0))),
        (Some((var, Part::Values(values))), None, true) => Some((*var, Part::Values(values.clone()))),
        _ => None,
    }
}

/// What a head reads at the key so that a part of what it writes is right.
fn through(source: &Source, part: &Part) -> Functional {
    match (source, part) {
        (Source::Copy { from, map }, Part::Values(values)) => {
            Functional::of(*from, Part::Values(map.iter().map(|value| values[*value]).collect()))
        }
        (Source::Number(functional), Part::Times(factor)) => functional.scaled(*factor),
        (Source::Constant(value), Part::Values(values)) => Functional::constant(values[*value]),
        _ => Functional::default(),
    }
}

fn rest_number(rest: RestValue, part: &Part) -> f64 {
    match (rest, part) {
        (RestValue::Value(value), Part::Values(values)) => values[value],
        (RestValue::Number(number), Part::Times(factor)) => number * factor,
        _ => 0.0,
    }
}

fn dot(weights: &Weights, numbers: &[f64]) -> f64 {
    weights.iter().map(|(at, weight)| weight * numbers[*at]).sum()
}

fn power_of_two(number: f64) -> f64 {
    2f64.powi(number.max(1.0).log2().ceil() as i32)
}

fn is_indicator(feature: &[f64]) -> bool {
    feature.iter().filter(|number| **number != 0.0).count() == 1 && feature.contains(&1.0)
}

/// What a feature says of a category: ` = a`, a number of its own, a square, or just which one it is.
fn feature_name(atoms: &[Atom], feature: &[f64], at: usize) -> String {
    if is_indicator(feature) {
        let place = feature.iter().position(|number| *number == 1.0).unwrap_or(0);
        return format!(" = {}", atoms[place].to_source());
    }
    let numbers: Option<Vec<f64>> = atoms.iter().map(Atom::as_f64).collect();
    let like = |of: &dyn Fn(f64) -> f64| {
        numbers.as_ref().is_some_and(|numbers| numbers.iter().zip(feature).all(|(a, b)| of(*a) == *b))
    };
    if like(&|number| number) {
        return String::new();
    }
    if feature.iter().all(|number| *number == 0.0 || *number == 1.0) {
        let among: Vec<String> = atoms
            .iter()
            .zip(feature)
            .filter(|(_, number)| **number == 1.0)
            .map(|(atom, _)| atom.to_source())
            .collect();
        if among.len() <= 4 {
            return format!(" in {}", among.join(", "));
        }
    }
    for (name, factor) in [("", 2.0), ("", -1.0), ("²", 1.0), ("²", -1.0)] {
        let power = |number: f64| if name.is_empty() { factor * number } else { factor * number * number };
        if like(&power) {
            let sign = if factor == 2.0 {
                " · 2"
            } else if factor < 0.0 {
                " · −1"
            } else {
                ""
            };
            return format!("{name}{sign}");
        }
    }
    format!(" #{}", at + 1)
}
