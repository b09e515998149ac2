//! From the steps of a program to variables and heads.
//!
//! Every sequence is a function of a few *variables*: the token, the index, and what heads have written. A head is
//! made only where a function cannot be read directly: by an aggregate, or where a key or a query must be a function
//! of several variables. Everything elementwise in between is worked out here, on the values.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use rasp::syntax::{BinaryOperator, Comparison, UnaryOperator};
use rasp::{Atom, Base, Prepared, Primitive, Span, Step};

use crate::enumeration::Enumeration;
use crate::lines::lines;
use crate::plan::{self, Plan};
use crate::selection::{Selection, Side, Term};
use crate::symbolic::{
    Combinations, Domain, Form, Functional, HeadSpec, INDICES, Output, Part, Rest, RestValue, Score, Source,
    TOKENS, Var, VarId,
};
use crate::values::{apply, averages, distinct, find, is_number, normal, same};
use crate::{Condition, Error, HeadKind, Help, Pass, Request, Warning};

#[path = "heads.rs"]
mod heads;

/// A sequence of the program.
#[derive(Clone, Debug)]
pub(crate) struct Sop {
    pub(crate) form: Form,
    /// The same as a sum, where it is one.
    pub(crate) sum: Option<Functional>,
    /// Whether it is the same at all positions.
    pub(crate) uniform: bool,
}

/// How the output is to be read.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// The number that this functional is; its values in order.
    Number { number: Functional, values: Vec<Atom>, margin: f64 },
    /// The value of a category: `values[i]` belongs to the category's values `of[i]`.
    Category { var: VarId, values: Vec<Atom>, of: Vec<Vec<usize>> },
    /// The line that is highest at this functional: value, slope, intercept.
    Lines { number: Functional, lines: Vec<(Atom, f64, f64)>, margin: f64 },
}

pub(crate) struct Lowered {
    pub(crate) vars: Vec<Var>,
    pub(crate) heads: Vec<HeadSpec>,
    pub(crate) sops: Vec<Option<Sop>>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) ending: Ending,
    pub(crate) combinations: HashMap<Vec<VarId>, Rc<Combinations>>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) work: u64,
    pub(crate) span: Span,
}

/// The strategies among which the smallest result wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strategy {
    /// The last table is left to the readout.
    pub(crate) read_lines: bool,
    /// Truth values that are thresholds are read from their numbers.
    pub(crate) thresholds: bool,
}

pub(crate) struct Lowering<'a> {
    request: &'a Request,
    steps: &'a [Step],
    source: &'a str,
    strategy: Strategy,
    cancelled: &'a dyn Fn() -> bool,
    vars: Vec<Var>,
    heads: Vec<HeadSpec>,
    sops: Vec<Option<Sop>>,
    plans: Vec<Plan>,
    combinations: HashMap<Vec<VarId>, Rc<Combinations>>,
    /// What all inputs do, where they are few.
    enumeration: Option<Enumeration>,
    /// Sums that the program makes, by their variables: a table may be chosen by one of them.
    sums: Vec<(Vec<VarId>, Functional)>,
    tables: HashMap<(Vec<VarId>, Vec<Option<Atom>>), VarId>,
    warnings: Vec<Warning>,
    work: u64,
    /// The step that is being lowered.
    at: usize,
}

/// A side of a term that can be read: a class for each value of one variable, or one class always.
struct Readable {
    var: Option<VarId>,
    classes: Vec<Option<u16>>,
}

/// The score of a conjunction of terms.
#[derive(Default)]
struct Scores {
    columns: Vec<(Functional, Functional)>,
    content: Functional,
    /// The score of what is selected, but for what `query` takes away.
    full: f64,
    /// What the first token gets beyond its score, to be as high as what is selected.
    query: Functional,
    entries: Option<(usize, Vec<(f64, f64)>)>,
}

/// What a selection is for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Fetch,
    Count,
    Exists,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(
        request: &'a Request,
        prepared: &'a Prepared,
        source: &'a str,
        strategy: Strategy,
        cancelled: &'a dyn Fn() -> bool,
    ) -> Result<Self, Error> {
        let steps = prepared.steps();
        let longest = request.longest;
        let var = |name: &str, values: Vec<Atom>, given_index| Var {
            name: name.to_owned(),
            step: None,
            domain: Domain::Category(values),
            producer: None,
            given_index,
            uniform: false,
            rounded: false,
        };
        let each: Vec<Vec<bool>> = (0..longest).map(|i| (0..longest).map(|j| i == j).collect()).collect();
        let vars = vec![
            var("tokens", request.vocabulary.clone(), None),
            var("indices", (0..longest as i64).map(Atom::Int).collect(), Some(each)),
        ];
        let enumeration = (request.passes.has(Pass::Enumerate)
            && request.inputs() <= request.limits.enumerated)
            .then(|| Enumeration::new(request.vocabulary.len(), longest));
        Ok(Lowering {
            request,
            steps,
            source,
            strategy,
            cancelled,
            vars,
            heads: Vec::new(),
            sops: vec![None; steps.len()],
            plans: (0..steps.len()).map(|step| plan::plan(steps, step, &request.passes)).collect(),
            combinations: HashMap::new(),
            enumeration,
            sums: Vec::new(),
            tables: HashMap::new(),
            warnings: Vec::new(),
            work: 0,
            at: 0,
        })
    }

    pub(crate) fn run(mut self, result: usize) -> Result<Lowered, Error> {
        let mut needed = vec![false; self.steps.len()];
        needed[result] = true;
        for step in (0..self.steps.len()).rev().filter(|step| *step <= result) {
            if needed[step] {
                for operand in self.plans[step].needs(self.steps, step) {
                    needed[operand] = true;
                }
            }
        }
        for step in (0..=result).filter(|step| needed[*step]) {
            self.at = step;
            self.check_cancelled()?;
            let sop = self.step(step)?;
            if let Some(sum) = sop.sum.as_ref().filter(|sum| sum.parts.len() > 1) {
                let vars: Vec<VarId> = sum.parts.keys().copied().collect();
                self.sums.push((vars, sum.clone()));
            }
            self.sops[step] = Some(sop);
        }
        self.at = result;
        let ending = self.ending(result)?;
        Ok(Lowered {
            vars: self.vars,
            heads: self.heads,
            sops: self.sops,
            plans: self.plans,
            ending,
            combinations: self.combinations,
            warnings: self.warnings,
            work: self.work,
            span: self.steps[result].span,
        })
    }

    fn step(&mut self, step: usize) -> Result<Sop, Error> {
        match self.plans[step].clone() {
            Plan::Base(base) => self.base(base),
            Plan::Elementwise => self.elementwise(step),
            Plan::Length => self.length(),
            Plan::Width { selector, counted } => self.width(selector, counted),
            Plan::Exists { selector, counted } => self.exists(selector, counted),
            Plan::Aggregate { selector, sequence } => {
                let Primitive::Aggregate { default } = &self.steps[step].primitive else {
                    return Ok(self.constant(Atom::Int(0)));
                };
                self.aggregate(selector, sequence, &normal(default.clone()))
            }
            // Nobody asks for the value of a selector.
            Plan::Selector => Ok(self.constant(Atom::Int(0))),
        }
    }

    // Values.

    fn constant(&self, atom: Atom) -> Sop {
        let atom = normal(atom);
        let sum = is_number(&atom).then(|| Functional::constant(atom.as_f64().unwrap_or(0.0)));
        Sop { form: Form { vars: Vec::new(), values: Rc::new(vec![Some(atom)]) }, sum, uniform: true }
    }

    fn base(&mut self, base: Base) -> Result<Sop, Error> {
        let var = if base == Base::Indices { INDICES } else { TOKENS };
        let list = self.combinations(&[var])?;
        let mut failure = None;
        let values: Vec<Option<Atom>> = list
            .list
            .iter()
            .map(|combination| {
                let value = combination[0] as usize;
                let made = match base {
                    Base::Indices => Ok(Atom::Int(value as i64)),
                    _ => base.at(&self.request.vocabulary[value], 0),
                };
                made.map(normal).map_err(|message| failure = Some(message.to_string())).ok()
            })
            .collect();
        if let Some(reason) = failure {
            self.partial(&values, reason)?;
        }
        Ok(self.of_form(Form { vars: vec![var], values: Rc::new(values) }))
    }

    /// The sequence that a form is, with its sum where it depends on one variable.
    fn of_form(&self, form: Form) -> Sop {
        let sum = self.sum_of(&form);
        let uniform = form.vars.iter().all(|var| self.vars[*var].uniform);
        Sop { form, sum, uniform }
    }

    fn sum_of(&self, form: &Form) -> Option<Functional> {
        let numbers: Vec<Option<f64>> = form
            .values
            .iter()
            .map(|value| value.as_ref().map(|atom| is_number(atom).then(|| atom.as_f64()).flatten()))
            .map(|value| match value {
                None => Some(f64::NAN),
                Some(number) => number,
            })
            .collect();
        let numbers: Vec<f64> = numbers.into_iter().collect::<Option<_>>()?;
        match form.vars.as_slice() {
            [] => Some(Functional::constant(numbers[0])),
            [var] => {
                let list = self.combinations.get(&form.vars)?;
                match &self.vars[*var].domain {
                    Domain::Category(values) => {
                        let mut read = vec![0.0; values.len()];
                        for (combination, number) in list.list.iter().zip(&numbers) {
                            read[combination[0] as usize] = if number.is_nan() { 0.0 } else { *number };
                        }
                        Some(Functional::of(*var, Part::Values(read)))
                    }
                    Domain::Number(values) => {
                        // A line through two of the points, if all others are on it.
                        let points: Vec<(f64, f64)> = list
                            .list
                            .iter()
                            .zip(&numbers)
                            .filter(|(_, number)| !number.is_nan())
                            .map(|(combination, number)| (values[combination[0] as usize], *number))
                            .collect();
                        let (first, last) = (points.first()?, points.last()?);
                        let slope =
                            if first.0 == last.0 { 0.0 } else { (last.1 - first.1) / (last.0 - first.0) };
                        let slope = rounded(slope);
                        let constant = rounded(first.1 - slope * first.0);
                        let on_line = |(x, y): &(f64, f64)| same(slope * x + constant, *y);
                        points.iter().all(on_line).then(|| {
                            let mut sum = Functional::of(*var, Part::Times(slope));
                            sum.constant = constant;
                            sum.parts.retain(|_, _| slope != 0.0);
                            sum
                        })
                    }
                }
            }
            _ => None,
        }
    }

    fn sop(&self, step: usize) -> Result<Sop, Error> {
        self.sops[step].clone().ok_or_else(|| self.no_value("no value".to_owned()))
    }

    fn elementwise(&mut self, step: usize) -> Result<Sop, Error> {
        let primitive = self.steps[step].primitive.clone();
        let operand_steps = self.steps[step].operands.clone();
        let mut operands: Vec<Sop> =
            operand_steps.iter().map(|operand| self.sop(*operand)).collect::<Result<_, _>>()?;
        let sum =
            if self.request.passes.has(Pass::Sums) { sum_of_operands(&primitive, &operands) } else { None };
        let limit = self.request.limits.combinations;
        loop {
            let vars = union(operands.iter().map(|operand| operand.form.vars.as_slice()));
            match self.count_combinations(&vars, limit) {
                Ok(()) => break,
                Err(found) => {
                    // A table for the operand of most combinations leaves one variable of it.
                    let widest = (0..operands.len())
                        .filter(|at| operands[*at].form.vars.len() > 1)
                        .max_by_key(|at| operands[*at].form.values.len());
                    let Some(widest) = widest else {
                        return Err(self.too_many(found, limit));
                    };
                    let var = self.table(&operands[widest].form.clone(), Some(operand_steps[widest]))?;
                    operands[widest] = self.of_category(var)?;
                }
            }
        }
        let vars = union(operands.iter().map(|operand| operand.form.vars.as_slice()));
        let list = self.combinations(&vars)?;
        let mut values = Vec::with_capacity(list.list.len());
        let mut failure = None;
        let readers: Vec<Reader> =
            operands.iter().map(|operand| self.reader(&vars, &operand.form)).collect::<Result<_, _>>()?;
        let mut atoms = Vec::with_capacity(operands.len());
        for (at, combination) in list.list.iter().enumerate() {
            if at % 1024 == 0 {
                self.check_cancelled()?;
            }
            atoms.clear();
            for reader in &readers {
                atoms.extend(reader.value(combination).cloned());
            }
            if atoms.len() < operands.len() {
                values.push(None);
                continue;
            }
            match apply(&primitive, &atoms) {
                Ok(atom) => values.push(Some(atom)),
                Err(message) => {
                    failure = Some(message.to_string());
                    values.push(None);
                }
            }
        }
        self.work += list.list.len() as u64;
        if vars.iter().any(|var| self.vars[*var].rounded) {
            self.check_rounding(&primitive, &operands, &readers, &list, &values)?;
        }
        if let Some(reason) = failure {
            self.partial(&values, reason)?;
        }
        let form = self.reduced(Form { vars, values: Rc::new(values) })?;
        self.check_values(&form)?;
        let mut made = self.of_form(form);
        if let Some(sum) = sum
            && made.form.vars.len() > 1
        {
            made.sum = Some(sum);
        }
        made.uniform = operands.iter().all(|operand| operand.uniform);
        Ok(made)
    }

    /// Averages of fractions are known up to rounding, in another order of adding than the interpreter's. What is
    /// no number must not hang on it.
    fn check_rounding(
        &self,
        primitive: &Primitive,
        operands: &[Sop],
        readers: &[Reader],
        list: &Combinations,
        values: &[Option<Atom>],
    ) -> Result<(), Error> {
        let is_rounded = |operand: &Sop| operand.form.vars.iter().any(|var| self.vars[*var].rounded);
        for (combination, value) in list.list.iter().zip(values) {
            let Some(value) = value else { continue };
            for change in [-1e-11, 1e-11] {
                let atoms: Option<Vec<Atom>> = readers
                    .iter()
                    .zip(operands)
                    .map(|(reader, operand)| {
                        let atom = reader.value(combination)?;
                        Some(match atom {
                            Atom::Float(number) if is_rounded(operand) => {
                                Atom::Float(number + change * (1.0 + number.abs()))
                            }
                            Atom::Int(number) if is_rounded(operand) && !operand.form.vars.is_empty() => {
                                Atom::Float(*number as f64 + change * (1.0 + (*number as f64).abs()))
                            }
                            other => other.clone(),
                        })
                    })
                    .collect();
                let Some(atoms) = atoms else { continue };
                let agrees = match primitive.apply(&atoms).map(normal) {
                    Err(_) => false,
                    Ok(near) => match (near.as_f64(), value.as_f64()) {
                        (Some(near), Some(value)) => (near - value).abs() <= 1e-6 * (1.0 + value.abs()),
                        _ => near == *value,
                    },
                };
                if !agrees {
                    let (span, expression) = self.blamed();
                    return Err(Error::RoundingDecides { span, expression, help: Help::WholeNumbers });
                }
            }
        }
        Ok(())
    }

    /// The same without variables that make no difference.
    fn reduced(&mut self, form: Form) -> Result<Form, Error> {
        let mut form = form;
        let mut at = 0;
        while at < form.vars.len() {
            let mut fewer = form.vars.clone();
            fewer.remove(at);
            let list = self.combinations(&form.vars)?;
            let mut by_rest: HashMap<Vec<u16>, Option<Atom>> = HashMap::new();
            let same = list.list.iter().zip(form.values.iter()).all(|(combination, value)| {
                let mut rest = combination.clone();
                rest.remove(at);
                match (by_rest.get(&rest).cloned(), value) {
                    (None | Some(None), value) => {
                        by_rest.insert(rest, value.clone());
                        true
                    }
                    (Some(Some(_)), None) => true,
                    (Some(Some(known)), Some(value)) => known == *value,
                }
            });
            if same {
                let list = self.combinations(&fewer)?;
                let values = list.list.iter().map(|rest| by_rest.get(rest).cloned().flatten()).collect();
                form = Form { vars: fewer, values: Rc::new(values) };
            } else {
                at += 1;
            }
        }
        Ok(form)
    }

    fn check_values(&self, form: &Form) -> Result<(), Error> {
        let limit = self.request.limits.values;
        let values: BTreeSet<String> = form.values.iter().flatten().map(Atom::to_source).collect();
        if values.len() > limit { Err(self.too_many(values.len(), limit)) } else { Ok(()) }
    }

    // Combinations.

    /// Whether there are at most `limit` combinations of these variables, without making them all.
    fn count_combinations(&mut self, vars: &[VarId], limit: usize) -> Result<(), usize> {
        if self.combinations.contains_key(vars) {
            return Ok(());
        }
        let product =
            vars.iter().fold(1_usize, |product, var| product.saturating_mul(self.vars[*var].size()));
        if product <= limit || self.enumeration.is_some() {
            return Ok(());
        }
        // The index says much about what else can be.
        if vars.contains(&INDICES) {
            let at_index = |index: usize| {
                vars.iter().filter(|var| **var != INDICES).fold(1_usize, |product, var| {
                    let var = &self.vars[*var];
                    let allowed =
                        var.given_index.as_ref().map(|given| given[index].iter().filter(|it| **it).count());
                    product.saturating_mul(allowed.unwrap_or(var.size()))
                })
            };
            let count =
                (0..self.request.longest).fold(0_usize, |sum, index| sum.saturating_add(at_index(index)));
            if count <= limit {
                return Ok(());
            }
            return Err(count);
        }
        Err(product)
    }

    fn combinations(&mut self, vars: &[VarId]) -> Result<Rc<Combinations>, Error> {
        if let Some(known) = self.combinations.get(vars) {
            return Ok(known.clone());
        }
        let limit = self.request.limits.combinations;
        if let Err(found) = self.count_combinations(vars, limit) {
            return Err(self.too_many(found, limit));
        }
        let list = match &self.enumeration {
            Some(enumeration) => enumeration.combinations(vars),
            None => self.product(vars),
        };
        let place = list.iter().enumerate().map(|(at, combination)| (combination.clone(), at)).collect();
        self.work += list.len() as u64;
        let made = Rc::new(Combinations { list, place });
        self.combinations.insert(vars.to_vec(), made.clone());
        Ok(made)
    }

    /// All combinations that the index does not forbid.
    fn product(&self, vars: &[VarId]) -> Vec<Vec<u16>> {
        let allowed = |combination: &[u16], value: u16| {
            let place = combination.len();
            let var = vars[place];
            // The index, where it is among the variables, and what it allows.
            let index = vars.iter().position(|var| *var == INDICES);
            match index {
                Some(at) if at < place => {
                    let given = self.vars[var].given_index.as_ref();
                    given.is_none_or(|given| given[combination[at] as usize][value as usize])
                }
                Some(at) if at == place => (0..place).all(|other| {
                    let given = self.vars[vars[other]].given_index.as_ref();
                    given.is_none_or(|given| given[value as usize][combination[other] as usize])
                }),
                _ => true,
            }
        };
        let mut list: Vec<Vec<u16>> = vec![Vec::new()];
        for var in vars {
            let mut next = Vec::new();
            for combination in &list {
                for value in 0..self.vars[*var].size() as u16 {
                    if allowed(combination, value) {
                        let mut longer = combination.clone();
                        longer.push(value);
                        next.push(longer);
                    }
                }
            }
            list = next;
        }
        list
    }

    // The end.

    fn ending(&mut self, result: usize) -> Result<Ending, Error> {
        let sop = self.sop(result)?;
        let form = sop.form.clone();
        let mut values: Vec<Atom> = Vec::new();
        for atom in form.values.iter().flatten() {
            if !values.contains(atom) {
                values.push(atom.clone());
            }
        }
        if values.is_empty() {
            return Err(self.no_value("no value".to_owned()));
        }
        let reads = self.request.passes.has(Pass::Readout);
        let is_own_number = matches!(form.vars.as_slice(), [var] if self.vars[*var].is_number());
        if let Some(number) = sop.sum.filter(|_| values.iter().all(is_number) && (reads || is_own_number)) {
            values.sort_by(|a, b| a.compare(b).unwrap_or(std::cmp::Ordering::Equal));
            let numbers: Vec<f64> = values.iter().filter_map(Atom::as_f64).collect();
            let gap = numbers.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
            let margin = if gap.is_finite() { gap / 2.0 } else { 1.0 };
            return Ok(Ending::Number { number, values, margin });
        }
        let place = |atom: &Atom| values.iter().position(|known| known == atom);
        let outcome: Vec<Option<usize>> =
            form.values.iter().map(|value| value.as_ref().and_then(place)).collect();
        let is_category = matches!(form.vars.as_slice(), [var] if !self.vars[*var].is_number());
        if is_category {
            let list = self.combinations(&form.vars)?;
            let mut of = vec![Vec::new(); values.len()];
            for (combination, outcome) in list.list.iter().zip(&outcome) {
                if let Some(outcome) = outcome {
                    of[*outcome].push(combination[0] as usize);
                }
            }
            return Ok(Ending::Category { var: form.vars[0], values, of });
        }
        if form.vars.is_empty() {
            return Ok(Ending::Lines {
                number: Functional::default(),
                lines: vec![(values[0].clone(), 0.0, 1.0)],
                margin: 1.0,
            });
        }
        if self.strategy.read_lines && reads {
            let number = self.chooser(&form, &outcome)?;
            let list = self.combinations(&form.vars)?;
            let points: Vec<(f64, usize)> = list
                .list
                .iter()
                .zip(&outcome)
                .filter_map(|(it, outcome)| Some((number.at(&self.vars, &form.vars, it), (*outcome)?)))
                .collect();
            let lines = lines(points).map_err(|(gap, size)| self.too_close(gap, size))?;
            let lines = lines.iter().map(|line| (values[line.outcome].clone(), line.slope, line.intercept));
            return Ok(Ending::Lines { number, lines: lines.collect(), margin: 1.0 });
        }
        let var = self.table(&form, Some(result))?;
        self.sops[result] = Some(self.of_category(var)?);
        self.ending(result)
    }

    // What can go wrong.

    fn check_cancelled(&self) -> Result<(), Error> {
        if (self.cancelled)() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn blamed(&self) -> (Span, String) {
        (self.steps[self.at].span, self.name(self.at))
    }

    fn too_many(&self, values: usize, limit: usize) -> Error {
        let (span, expression) = self.blamed();
        Error::TooManyValues { span, expression, values, limit, help: Help::Smaller }
    }

    fn too_close(&self, gap: f64, size: f64) -> Error {
        let (span, expression) = self.blamed();
        Error::TooClose { span, expression, gap, size, help: Help::Smaller }
    }

    fn no_value(&self, reason: String) -> Error {
        let (span, expression) = self.blamed();
        Error::NoValue { span, expression, reason, help: Help::OtherVocabulary }
    }

    /// Some values have none here: an error when all have.
    fn partial(&mut self, values: &[Option<Atom>], reason: String) -> Result<(), Error> {
        if values.iter().all(Option::is_none) {
            return Err(self.no_value(reason));
        }
        let warning = Warning::Partial { span: self.steps[self.at].span, reason };
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        Ok(())
    }

    /// Reads a form where more variables are given.
    fn reader(&mut self, vars: &[VarId], form: &Form) -> Result<Reader, Error> {
        let places = form.vars.iter().filter_map(|var| vars.iter().position(|it| it == var)).collect();
        Ok(Reader { places, list: self.combinations(&form.vars)?, values: form.values.clone() })
    }
}

/// Reads a form where more variables are given.
struct Reader {
    places: Vec<usize>,
    list: Rc<Combinations>,
    values: Rc<Vec<Option<Atom>>>,
}

impl Reader {
    fn place(&self, combination: &[u16]) -> Option<usize> {
        let own: Vec<u16> = self.places.iter().map(|place| combination[*place]).collect();
        self.list.place.get(&own).copied()
    }

    fn value(&self, combination: &[u16]) -> Option<&Atom> {
        self.values[self.place(combination)?].as_ref()
    }
}

/// The variables of all, each once, in order.
fn union<'v>(lists: impl Iterator<Item = &'v [VarId]>) -> Vec<VarId> {
    let all: BTreeSet<VarId> = lists.flatten().copied().collect();
    all.into_iter().collect()
}

/// What is a whole number up to rounding is one.
fn rounded(number: f64) -> f64 {
    let whole = number.round();
    if same(number, whole) { whole } else { number }
}

/// The sum that an operation makes of sums.
fn sum_of_operands(primitive: &Primitive, operands: &[Sop]) -> Option<Functional> {
    let sum = |at: usize| operands.get(at)?.sum.as_ref();
    match primitive {
        Primitive::Binary(BinaryOperator::Add) => Some(sum(0)?.plus(sum(1)?)),
        Primitive::Binary(BinaryOperator::Subtract) => Some(sum(0)?.minus(sum(1)?)),
        Primitive::Binary(BinaryOperator::Multiply) => {
            let (a, b) = (sum(0)?, sum(1)?);
            match (a.parts.is_empty(), b.parts.is_empty()) {
                (true, _) => Some(b.scaled(a.constant)),
                (_, true) => Some(a.scaled(b.constant)),
                _ => None,
            }
        }
        Primitive::Binary(BinaryOperator::Divide) => {
            let (a, b) = (sum(0)?, sum(1)?);
            (b.parts.is_empty() && b.constant != 0.0).then(|| a.scaled(1.0 / b.constant))
        }
        Primitive::Unary(UnaryOperator::Minus) => Some(sum(0)?.scaled(-1.0)),
        Primitive::Unary(UnaryOperator::Plus) => sum(0).cloned(),
        _ => None,
    }
}
