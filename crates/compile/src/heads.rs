//! The part of the lowering that makes heads: tables, selectors, counts and averages.

use super::*;

impl Lowering<'_> {
    // Tables.

    /// A category that holds what a form says: one head whose memory tokens are the form, as a table.
    pub(super) fn table(&mut self, form: &Form, step: Option<usize>) -> Result<VarId, Error> {
        let share = self.request.passes.has(Pass::Share);
        let key = (form.vars.clone(), form.values.to_vec());
        if let Some(var) = self.tables.get(&key).filter(|_| share) {
            return Ok(*var);
        }
        self.check_cancelled()?;
        let mut values: Vec<Atom> = Vec::new();
        for atom in form.values.iter().flatten() {
            if !values.contains(atom) {
                values.push(atom.clone());
            }
        }
        values.sort_by(|a, b| a.compare(b).unwrap_or_else(|| a.is_true().cmp(&b.is_true())));
        let limit = self.request.limits.values;
        if values.len() > limit {
            return Err(self.too_many(values.len(), limit));
        }
        let outcome: Vec<Option<usize>> = form
            .values
            .iter()
            .map(|value| value.as_ref().and_then(|atom| values.iter().position(|known| known == atom)))
            .collect();
        let number = self.chooser(form, &outcome)?;
        let step = step.unwrap_or(self.at);
        let name = self.name(step);
        let uniform = form.vars.iter().all(|var| self.vars[*var].uniform);
        let score = Score::Table { vars: form.vars.clone(), number };
        let head = self.head(HeadKind::Table, &name, step, &[], score, &[]);
        let var = self.var(name, step, Domain::Category(values), head, uniform);
        if let Some(enumeration) = &mut self.enumeration {
            let list = self.combinations[&form.vars].clone();
            let rows = enumeration.rows(&form.vars);
            let column = rows.iter().map(|row| outcome[list.place[row]].unwrap_or(0) as u16).collect();
            enumeration.push(column);
        } else {
            self.vars[var].given_index = self.outcomes_given_index(form, &outcome, var)?;
        }
        self.heads[head].outputs.push(Output { var, source: Source::Table(outcome), rest: None });
        self.tables.insert(key, var);
        Ok(var)
    }

    fn outcomes_given_index(
        &mut self,
        form: &Form,
        outcome: &[Option<usize>],
        var: VarId,
    ) -> Result<Option<Vec<Vec<bool>>>, Error> {
        let mut vars = form.vars.clone();
        if vars.iter().all(|var| self.vars[*var].given_index.is_none()) {
            return Ok(None);
        }
        if !vars.contains(&INDICES) {
            vars.push(INDICES);
            vars.sort_unstable();
        }
        if self.count_combinations(&vars, self.request.limits.combinations).is_err() {
            return Ok(None);
        }
        let list = self.combinations(&vars)?;
        let reader = self.reader(&vars, form)?;
        let at = vars.iter().position(|var| *var == INDICES).unwrap_or(0);
        let mut given = vec![vec![false; self.vars[var].size()]; self.request.longest];
        for combination in &list.list {
            if let Some(value) = reader.place(combination).and_then(|place| outcome[place]) {
                given[combination[at] as usize][value] = true;
            }
        }
        Ok(Some(given))
    }

    /// A number that tells apart what the form tells apart, with as few changes along it as are found.
    pub(super) fn chooser(&mut self, form: &Form, outcome: &[Option<usize>]) -> Result<Functional, Error> {
        let list = self.combinations(&form.vars)?;
        let mut candidates: Vec<Functional> = form
            .vars
            .iter()
            .filter(|var| self.vars[**var].is_number())
            .map(|var| Functional::of(*var, Part::Times(1.0)))
            .collect();
        let sums = self.sums.iter().filter(|(vars, _)| vars.iter().all(|var| form.vars.contains(var)));
        candidates.extend(sums.map(|(_, sum)| sum.clone()));
        candidates.push(self.code(&form.vars));
        let mut best: Option<(usize, Functional)> = None;
        for candidate in candidates {
            let mut points: Vec<(f64, usize)> = list
                .list
                .iter()
                .zip(outcome)
                .filter_map(|(combination, outcome)| {
                    Some((candidate.at(&self.vars, &form.vars, combination), (*outcome)?))
                })
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let clash = points.windows(2).any(|pair| same(pair[0].0, pair[1].0) && pair[0].1 != pair[1].1);
            if clash {
                continue;
            }
            let runs = 1 + points.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
            if best.as_ref().is_none_or(|(fewest, _)| runs < *fewest) {
                best = Some((runs, candidate));
            }
        }
        best.map(|(_, candidate)| candidate).ok_or_else(|| {
            let (span, expression) = self.blamed();
            Error::TooClose { span, expression, gap: 0.0, size: 1.0, help: Help::Smaller }
        })
    }

    /// A number that is different for all combinations: the numbers among the variables make the low digits.
    fn code(&self, vars: &[VarId]) -> Functional {
        let mut code = Functional::default();
        let (mut span, mut gap) = (0.0_f64, 1.0_f64);
        let mut is_first = true;
        for var in vars.iter().filter(|var| self.vars[**var].is_number()) {
            let Domain::Number(numbers) = &self.vars[*var].domain else { continue };
            let least = numbers.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
            let least = if least.is_finite() { least } else { 1.0 };
            let range = numbers.last().copied().unwrap_or(0.0) - numbers.first().copied().unwrap_or(0.0);
            let factor = if is_first { 1.0 } else { (span + gap) / least };
            if is_first {
                gap = least;
            }
            is_first = false;
            code = code.plus(&Functional::of(*var, Part::Times(factor)));
            span += factor * range;
        }
        for var in vars.iter().filter(|var| !self.vars[**var].is_number()) {
            let stride = if span == 0.0 { 1.0 } else { (span + gap).ceil() };
            let size = self.vars[*var].size();
            let values = (0..size).map(|value| value as f64 * stride).collect();
            code = code.plus(&Functional::of(*var, Part::Values(values)));
            span += stride * (size.saturating_sub(1)) as f64;
            gap = gap.max(if span == 0.0 { 1.0 } else { gap });
        }
        code
    }

    /// The sequence that a category is.
    pub(super) fn of_category(&mut self, var: VarId) -> Result<Sop, Error> {
        let list = self.combinations(&[var])?;
        let Domain::Category(values) = &self.vars[var].domain else {
            return Err(self.no_value("no category".to_owned()));
        };
        let values = list.list.iter().map(|it| Some(values[it[0] as usize].clone())).collect();
        Ok(self.of_form(Form { vars: vec![var], values: Rc::new(values) }))
    }

    // Making things.

    /// A head with this score: one that is there, where heads are shared.
    fn head(
        &mut self,
        kind: HeadKind,
        name: &str,
        step: usize,
        selects: &[Condition],
        score: Score,
        sources: &[VarId],
    ) -> usize {
        let after = sources.iter().map(|var| self.depth_of(*var)).max().unwrap_or(0);
        if self.request.passes.has(Pass::Share) {
            // A head that fetched what comes later than it does would wait for it, perhaps in a circle.
            let known = (0..self.heads.len()).find(|at| {
                let head = &self.heads[*at];
                head.score == score && head.kind == kind && head.depth > after
            });
            if let Some(known) = known {
                if !self.heads[known].steps.contains(&step) {
                    self.heads[known].steps.push(step);
                }
                return known;
            }
        }
        let mut reads: Vec<VarId> = sources.to_vec();
        match &score {
            Score::Text { columns, content, rest } => {
                let both = columns.iter().flat_map(|(query, key)| query.parts.keys().chain(key.parts.keys()));
                reads.extend(both.chain(content.parts.keys()));
                if let Rest::First { query, .. } = rest {
                    reads.extend(query.parts.keys());
                }
            }
            Score::Table { number, .. } => reads.extend(number.parts.keys()),
        }
        let depth = 1 + reads.iter().map(|var| self.depth_of(*var)).max().unwrap_or(0);
        self.heads.push(HeadSpec {
            depth,
            kind,
            name: name.to_owned(),
            span: self.steps[step].span,
            steps: vec![step],
            selects: selects.to_vec(),
            score,
            outputs: Vec::new(),
        });
        self.heads.len() - 1
    }

    /// The number of heads, one after the other, that a variable needs.
    fn depth_of(&self, var: VarId) -> usize {
        self.vars[var].producer.map_or(0, |head| self.heads[head].depth)
    }

    fn var(&mut self, name: String, step: usize, domain: Domain, head: usize, uniform: bool) -> VarId {
        self.vars.push(Var {
            name,
            step: Some(step),
            domain,
            producer: Some(head),
            given_index: None,
            uniform,
            rounded: false,
        });
        self.vars.len() - 1
    }

    /// The name of a step: the program's own, or that of whoever uses it, or what it does.
    pub(super) fn name(&self, step: usize) -> String {
        if let Some(name) = &self.steps[step].name {
            return name.clone();
        }
        let span = self.steps[step].span;
        let text: String = span.text(self.source).split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() && text.chars().count() <= 40 { text } else { self.steps[step].primitive.name() }
    }

    // Selections.

    fn side(&mut self, step: usize) -> Result<Side, Error> {
        let sop = self.sop(step)?;
        let mut atoms: Vec<Atom> = Vec::new();
        let mut class_of: HashMap<Atom, u16> = HashMap::new();
        let classes = sop
            .form
            .values
            .iter()
            .map(|value| {
                let atom = value.as_ref()?;
                Some(*class_of.entry(atom.clone()).or_insert_with(|| {
                    atoms.push(atom.clone());
                    (atoms.len() - 1) as u16
                }))
            })
            .collect();
        Ok(Side { vars: sop.form.vars.clone(), classes, atoms, step: Some(step) })
    }

    pub(super) fn selection(&mut self, step: usize, negated: bool, depth: usize) -> Result<Selection, Error> {
        if depth > MOST_NESTED {
            return Err(Error::TooLarge {
                what: "nested selectors".to_owned(),
                found: depth,
                limit: MOST_NESTED,
                help: Help::Smaller,
            });
        }
        let primitive = self.steps[step].primitive.clone();
        let operands = self.steps[step].operands.clone();
        Ok(match (&primitive, operands.as_slice()) {
            (Primitive::Select(comparison), [key, query]) => {
                let (key, query) = (self.side(*key)?, self.side(*query)?);
                self.check_pairs(query.atoms.len(), key.atoms.len())?;
                let holds = query
                    .atoms
                    .iter()
                    .map(|query| key.atoms.iter().map(|key| holds(*comparison, key, query)).collect())
                    .collect();
                let condition = Condition::Selector(step);
                let is_equality = *comparison == Comparison::Equal;
                let term = Term { query, key, holds, conditions: Some(vec![condition]), is_equality };
                Selection::Term(Box::new(if negated { term.not() } else { term }))
            }
            (Primitive::SelectorNot, [inner]) => self.selection(*inner, !negated, depth + 1)?,
            (Primitive::SelectorAnd | Primitive::SelectorOr, [a, b]) => {
                let both = (primitive == Primitive::SelectorAnd) != negated;
                let children =
                    vec![self.selection(*a, negated, depth + 1)?, self.selection(*b, negated, depth + 1)?];
                if both { Selection::All(children) } else { Selection::Any(children) }
            }
            _ => Selection::All(Vec::new()),
        })
    }

    fn check_pairs(&self, queries: usize, keys: usize) -> Result<(), Error> {
        let (pairs, limit) = (queries.saturating_mul(keys), 16 * self.request.limits.combinations);
        if pairs > limit { Err(self.too_many(pairs, limit)) } else { Ok(()) }
    }

    /// A selector, of which the key must be true where `counted` is.
    fn selected(&mut self, selector: Option<usize>, counted: Option<usize>) -> Result<Selection, Error> {
        let mut parts = Vec::new();
        if let Some(selector) = selector {
            parts.push(self.selection(selector, false, 0)?);
        }
        if let Some(counted) = counted {
            parts.push(self.true_keys(counted)?);
        }
        Ok(Selection::All(parts).simplified())
    }

    /// That a sequence is true at the key; an `and` is two conditions.
    fn true_keys(&mut self, step: usize) -> Result<Selection, Error> {
        let is_and = self.steps[step].primitive == Primitive::Binary(BinaryOperator::And);
        let is_wide = self.sop(step)?.form.vars.len() > 1;
        if let (true, true, [a, b]) = (is_and, is_wide, self.steps[step].operands.clone().as_slice()) {
            // Operands of what is needed are needed, so they have been lowered.
            return Ok(Selection::All(vec![self.true_keys(*a)?, self.true_keys(*b)?]));
        }
        let side = self.side(step)?;
        let mut key = side.clone();
        // What matters is only whether it is true.
        key.atoms = vec![Atom::Bool(false), Atom::Bool(true)];
        key.classes = side
            .classes
            .iter()
            .map(|class| class.map(|class| u16::from(side.atoms[class as usize].is_true())))
            .collect();
        let query =
            Side { vars: Vec::new(), classes: vec![Some(0)], atoms: vec![Atom::Bool(true)], step: None };
        let conditions = Some(vec![Condition::Key(step)]);
        Ok(Selection::Term(Box::new(Term {
            query,
            key,
            holds: vec![vec![false, true]],
            conditions,
            is_equality: false,
        })))
    }

    /// The selection as a single term between all its variables.
    fn as_one_term(&mut self, selection: &Selection) -> Result<Term, Error> {
        let (query_vars, key_vars) = selection.vars();
        let (queries, keys) = (self.combinations(&query_vars)?, self.combinations(&key_vars)?);
        self.check_pairs(queries.list.len(), keys.list.len())?;
        let mut places: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut lists: Vec<(Rc<Combinations>, Rc<Combinations>)> = Vec::new();
        let mut terms: Vec<Term> = Vec::new();
        selection.terms(&mut |term| terms.push(term.clone()));
        for term in &terms {
            let within = |vars: &[VarId], all: &[VarId]| {
                vars.iter().filter_map(|var| all.iter().position(|it| it == var)).collect()
            };
            places.push((within(&term.query.vars, &query_vars), within(&term.key.vars, &key_vars)));
            lists.push((self.combinations(&term.query.vars)?, self.combinations(&term.key.vars)?));
        }
        let class = |side: &Side, places: &[usize], list: &Combinations, combination: &[u16]| {
            let own: Vec<u16> = places.iter().map(|place| combination[*place]).collect();
            list.place.get(&own).and_then(|at| side.classes[*at])
        };
        let query_classes: Vec<Vec<Option<u16>>> = terms
            .iter()
            .enumerate()
            .map(|(at, term)| {
                let read = |it: &Vec<u16>| class(&term.query, &places[at].0, &lists[at].0, it);
                queries.list.iter().map(read).collect()
            })
            .collect();
        let key_classes: Vec<Vec<Option<u16>>> = terms
            .iter()
            .enumerate()
            .map(|(at, term)| {
                let read = |it: &Vec<u16>| class(&term.key, &places[at].1, &lists[at].1, it);
                keys.list.iter().map(read).collect()
            })
            .collect();
        let mut rows: Vec<Vec<bool>> = Vec::with_capacity(queries.list.len());
        for query in 0..queries.list.len() {
            self.check_cancelled()?;
            let row = (0..keys.list.len()).map(|key| {
                selection.holds(&mut 0, &|at| match (query_classes[at][query], key_classes[at][key]) {
                    (Some(q), Some(k)) => terms[at].holds[q as usize][k as usize],
                    _ => false,
                })
            });
            rows.push(row.collect());
        }
        let (row_class, row_count) = classes_of(&rows);
        let columns: Vec<Vec<bool>> =
            (0..keys.list.len()).map(|key| rows.iter().map(|row| row[key]).collect()).collect();
        let (column_class, column_count) = classes_of(&columns);
        let mut table = vec![vec![false; column_count]; row_count];
        for (query, row) in rows.iter().enumerate() {
            for (key, cell) in row.iter().enumerate() {
                table[row_class[query] as usize][column_class[key] as usize] = *cell;
            }
        }
        let side = |vars: Vec<VarId>, classes: Vec<u16>, count: usize| Side {
            vars,
            classes: classes.into_iter().map(Some).collect(),
            atoms: (0..count as i64).map(Atom::Int).collect(),
            step: None,
        };
        Ok(Term {
            query: side(query_vars, row_class, row_count),
            key: side(key_vars, column_class, column_count),
            holds: table,
            conditions: None,
            is_equality: false,
        })
    }

    /// Makes a side a function of one category, by a table where it must be.
    fn readable(&mut self, side: &Side) -> Result<Readable, Error> {
        match side.vars.as_slice() {
            [] => Ok(Readable { var: None, classes: side.classes.clone() }),
            [var] if !self.vars[*var].is_number() => {
                let list = self.combinations(&side.vars)?;
                let mut classes = vec![None; self.vars[*var].size()];
                for (combination, class) in list.list.iter().zip(&side.classes) {
                    classes[combination[0] as usize] = *class;
                }
                Ok(Readable { var: Some(*var), classes })
            }
            _ => {
                let values: Vec<Option<Atom>> = side
                    .classes
                    .iter()
                    .map(|class| class.map(|it| side.atoms[it as usize].clone()))
                    .collect();
                let form = Form { vars: side.vars.clone(), values: Rc::new(values) };
                let var = self.table(&form, side.step)?;
                let Domain::Category(values) = &self.vars[var].domain else {
                    return Err(self.no_value("no category".to_owned()));
                };
                let class = |atom: &Atom| side.atoms.iter().position(|it| it == atom).map(|it| it as u16);
                Ok(Readable { var: Some(var), classes: values.iter().map(class).collect() })
            }
        }
    }

    fn read(&self, readable: &Readable, numbers: &[f64]) -> Functional {
        let number = |class: &Option<u16>| class.map_or(0.0, |class| numbers[class as usize]);
        match readable.var {
            None => Functional::constant(readable.classes.first().map_or(0.0, number)),
            Some(var) => Functional::of(var, Part::Values(readable.classes.iter().map(number).collect())),
        }
    }

    /// The score of a conjunction: `full` where all terms hold, less by at least 1 where one does not.
    fn scores(&mut self, terms: &[Term], usage: Use, always_selects: bool) -> Result<Scores, Error> {
        let mut scores = Scores::default();
        let mut soft: Option<(f64, Functional)> = None;
        for term in terms {
            if usage == Use::Fetch && self.equal_sums(term, &mut scores, always_selects)? {
                continue;
            }
            if usage == Use::Exists
                && soft.is_none()
                && self.strategy.thresholds
                && let Some(threshold) = self.threshold(term)?
            {
                soft = Some(threshold);
                continue;
            }
            self.term(term, &mut scores)?;
        }
        if let Some((range, functional)) = soft {
            // All other terms weigh more than the number can: it decides only where they hold.
            let weight = 2.0 * (range + 1.0);
            for (query, _) in &mut scores.columns {
                *query = query.scaled(weight);
            }
            scores.content = scores.content.scaled(weight).plus(&functional);
            scores.query = scores.query.scaled(weight);
            // The number is at least 1 where it counts and at most −1 elsewhere.
            scores.full = weight * scores.full + 0.5;
        }
        Ok(scores)
    }

    /// A term of which the key says everything, and which is a threshold of a number there: the number, at least 1
    /// where the term holds and at most −1 elsewhere, and its bound.
    fn threshold(&mut self, term: &Term) -> Result<Option<(f64, Functional)>, Error> {
        let is_category = matches!(term.key.vars.as_slice(), [var] if !self.vars[*var].is_number());
        if !term.query.vars.is_empty() || is_category || term.holds.len() != 1 {
            return Ok(None);
        }
        let list = self.combinations(&term.key.vars)?;
        let mut candidates: Vec<Functional> = term
            .key
            .vars
            .iter()
            .filter(|var| self.vars[**var].is_number())
            .map(|var| Functional::of(*var, Part::Times(1.0)))
            .collect();
        let sums = self.sums.iter().filter(|(vars, _)| vars.iter().all(|var| term.key.vars.contains(var)));
        candidates.extend(sums.map(|(_, sum)| sum.clone()));
        for candidate in candidates {
            let mut sides = [(f64::INFINITY, f64::NEG_INFINITY); 2];
            for (combination, class) in list.list.iter().zip(&term.key.classes) {
                let Some(class) = class else { continue };
                let number = candidate.at(&self.vars, &term.key.vars, combination);
                let side = &mut sides[usize::from(term.holds[0][*class as usize])];
                *side = (side.0.min(number), side.1.max(number));
            }
            let [no, yes] = sides;
            let (gap, middle) = if yes.0 > no.1 {
                (yes.0 - no.1, (yes.0 + no.1) / 2.0)
            } else if no.0 > yes.1 {
                (yes.1 - no.0, (yes.1 + no.0) / 2.0)
            } else {
                continue;
            };
            if !gap.is_finite() || gap.abs() < 1e-6 {
                continue;
            }
            let factor = 2.0 / gap;
            let mut functional = candidate.scaled(factor);
            functional.constant -= middle * factor;
            let (low, high) = functional.range(&self.vars);
            return Ok(Some((low.abs().max(high.abs()), functional)));
        }
        Ok(None)
    }

    /// `select(key, query, ==)` where the query is a sum of several variables and the key a number: the nearest key
    /// wins, and a query that finds none looks at an entry of its own.
    fn equal_sums(&mut self, term: &Term, scores: &mut Scores, always_selects: bool) -> Result<bool, Error> {
        if !term.is_equality || scores.entries.is_some() || !self.request.passes.has(Pass::Sums) {
            return Ok(false);
        }
        let (Some(key), Some(query)) = (term.key.step, term.query.step) else { return Ok(false) };
        let (key, query) = (self.sop(key)?, self.sop(query)?);
        let (Some(mut key_sum), Some(mut query_sum)) = (key.sum.clone(), query.sum.clone()) else {
            return Ok(false);
        };
        let plain = |form: &Form, vars: &[Var]| match form.vars.as_slice() {
            [] => true,
            [var] => !vars[*var].is_number(),
            _ => false,
        };
        if plain(&key.form, &self.vars) && plain(&query.form, &self.vars) {
            return Ok(false);
        }
        // What is the same everywhere may change sides.
        let everywhere: Vec<VarId> =
            key_sum.parts.keys().copied().filter(|var| self.vars[*var].uniform).collect();
        if key_sum.parts.len() > 1 {
            for var in everywhere {
                if let Some(part) = key_sum.parts.remove(&var) {
                    query_sum =
                        query_sum.minus(&Functional { constant: 0.0, parts: BTreeMap::from([(var, part)]) });
                }
            }
        }
        let own: Vec<VarId> = key_sum.parts.keys().copied().collect();
        let [own] = own.as_slice() else { return Ok(false) };
        let Some(Part::Values(numbers)) = key_sum.parts.get(own).cloned() else { return Ok(false) };
        let numbers: Vec<f64> = numbers.iter().map(|number| number + key_sum.constant).collect();
        let vars: Vec<VarId> = query_sum.parts.keys().copied().collect();
        if self.count_combinations(&vars, self.request.limits.combinations).is_err() {
            return Ok(false);
        }
        let list = self.combinations(&vars)?;
        let mut asked: Vec<f64> =
            list.list.iter().map(|combination| query_sum.at(&self.vars, &vars, combination)).collect();
        distinct(&mut asked);
        let mut all: Vec<f64> = asked.iter().chain(&numbers).copied().collect();
        distinct(&mut all);
        let gap = all.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let factor = if gap < 1.0 { 1.0 / (gap * gap) } else { 1.0 };
        if factor > 1e5 || asked.len() > self.request.limits.memory / 2 {
            return Ok(false);
        }
        let entries = asked.iter().map(|value| (2.0 * factor * value, -factor * value * value)).collect();
        scores.columns.push((
            query_sum,
            Functional::of(*own, Part::Values(numbers.iter().map(|it| 2.0 * factor * it).collect())),
        ));
        let squares = numbers.iter().map(|number| -factor * number * number).collect();
        scores.content = scores.content.plus(&Functional::of(*own, Part::Values(squares)));
        if !always_selects {
            scores.entries = Some((scores.columns.len() - 1, entries));
        }
        Ok(true)
    }

    /// A term that is true or false: as many columns as its table needs.
    fn term(&mut self, term: &Term, scores: &mut Scores) -> Result<(), Error> {
        if term.is_always() {
            return Ok(());
        }
        let columns: Vec<Vec<bool>> =
            (0..term.key.atoms.len()).map(|key| term.holds.iter().map(|row| row[key]).collect()).collect();
        let (row_class, row_count) = classes_of(&term.holds);
        let (column_class, column_count) = classes_of(&columns);
        let row_of = |class: usize| row_class.iter().position(|it| *it as usize == class).unwrap_or(0);
        let column_of = |class: usize| column_class.iter().position(|it| *it as usize == class).unwrap_or(0);
        let number = |holds: bool| f64::from(u8::from(holds));
        if row_count == 1 {
            let key = self.readable(&term.key)?;
            let numbers: Vec<f64> = term.holds[0].iter().map(|holds| number(*holds)).collect();
            scores.content = scores.content.plus(&self.read(&key, &numbers));
            scores.full += 1.0;
            return Ok(());
        }
        let query = self.readable(&term.query)?;
        if column_count == 1 {
            let numbers: Vec<f64> = term.holds.iter().map(|row| number(row[0])).collect();
            scores.columns.push((self.read(&query, &numbers), Functional::constant(1.0)));
            scores.full += 1.0;
            return Ok(());
        }
        let key = self.readable(&term.key)?;
        let (rows, distinct_columns): (Vec<usize>, Vec<usize>) =
            ((0..row_count).map(row_of).collect(), (0..column_count).map(column_of).collect());
        let cell = |row: usize, column: usize| term.holds[rows[row]][distinct_columns[column]];
        let is_matching = (0..row_count).all(|row| (0..column_count).filter(|c| cell(row, *c)).count() <= 1)
            && (0..column_count).all(|column| (0..row_count).filter(|r| cell(*r, column)).count() <= 1);
        if is_matching && row_count.min(column_count) > 3 {
            // Both sides are points on a parabola: the nearest key is the one that matches.
            let (row_codes, column_codes) = codes(term, &rows, &distinct_columns);
            let per_query = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
                row_class.iter().map(|class| of(row_codes[*class as usize])).collect()
            };
            let per_key = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
                column_class.iter().map(|class| of(column_codes[*class as usize])).collect()
            };
            scores.columns.push((
                self.read(&query, &per_query(&|code| code)),
                self.read(&key, &per_key(&|code| 2.0 * code)),
            ));
            scores.content = scores.content.plus(&self.read(&key, &per_key(&|code| -code * code)));
            scores.query = scores.query.plus(&self.read(&query, &per_query(&|code| code * code)));
            return Ok(());
        }
        scores.full += 1.0;
        if row_count <= column_count {
            // One row is what every query gets, the others are differences from it.
            let base = (0..row_count)
                .min_by_key(|row| (0..column_count).filter(|column| cell(*row, *column)).count())
                .unwrap_or(0);
            let key_numbers = |row: usize| -> Vec<f64> {
                let difference = |class: &u16| {
                    let column = *class as usize;
                    number(cell(row, column)) - if row == base { 0.0 } else { number(cell(base, column)) }
                };
                column_class.iter().map(difference).collect()
            };
            scores.content = scores.content.plus(&self.read(&key, &key_numbers(base)));
            for row in (0..row_count).filter(|row| *row != base) {
                let asks: Vec<f64> = row_class.iter().map(|class| number(*class as usize == row)).collect();
                scores.columns.push((self.read(&query, &asks), self.read(&key, &key_numbers(row))));
            }
        } else {
            let base = (0..column_count)
                .min_by_key(|column| (0..row_count).filter(|row| cell(*row, *column)).count())
                .unwrap_or(0);
            let query_numbers = |column: usize| -> Vec<f64> {
                let difference = |class: &u16| {
                    let row = *class as usize;
                    number(cell(row, column)) - if column == base { 0.0 } else { number(cell(row, base)) }
                };
                row_class.iter().map(difference).collect()
            };
            let base_numbers = query_numbers(base);
            if base_numbers.iter().any(|number| *number != 0.0) {
                scores.columns.push((self.read(&query, &base_numbers), Functional::constant(1.0)));
            }
            for column in (0..column_count).filter(|column| *column != base) {
                let offers: Vec<f64> =
                    column_class.iter().map(|class| number(*class as usize == column)).collect();
                scores.columns.push((self.read(&query, &query_numbers(column)), self.read(&key, &offers)));
            }
        }
        Ok(())
    }

    /// How many positions a conjunction selects: the counts that can occur at each index, or at any.
    fn counts(&mut self, terms: &[Term]) -> Result<Counts, Error> {
        let longest = self.request.longest;
        if let Some(enumeration) = &self.enumeration {
            let mut classes = Vec::new();
            for term in terms {
                let side = |side: &Side| -> Vec<Option<u16>> {
                    let list = &self.combinations[&side.vars];
                    enumeration.rows(&side.vars).iter().map(|row| side.classes[list.place[row]]).collect()
                };
                classes.push((side(&term.query), side(&term.key)));
            }
            let mut each = vec![0_u16; classes.first().map_or(enumeration.rows(&[]).len(), |it| it.0.len())];
            let mut selected = Vec::with_capacity(each.len());
            for (start, length) in enumeration.inputs() {
                for query in *start..start + length {
                    let selects = |key: &usize| {
                        terms.iter().zip(&classes).all(|(term, (queries, keys))| {
                            match (queries[query], keys[*key]) {
                                (Some(q), Some(k)) => term.holds[q as usize][k as usize],
                                _ => false,
                            }
                        })
                    };
                    let found: Vec<u32> =
                        (*start..start + length).filter(selects).map(|key| key as u32).collect();
                    each[query] = found.len() as u16;
                    selected.push(found);
                }
            }
            self.work += each.len() as u64;
            let all = each.iter().map(|count| *count as usize).collect();
            return Ok(Counts { all, given_index: None, each: Some((each, selected)) });
        }
        let mut given: Vec<BTreeSet<usize>> = Vec::new();
        for index in 0..longest {
            let mut most_keys = vec![true; longest];
            let mut exact = true;
            for term in terms {
                let at_index =
                    |side: &Side, index: usize, lists: &HashMap<Vec<VarId>, Rc<Combinations>>| match side
                        .vars
                        .as_slice()
                    {
                        [] => side.classes[0],
                        _ => {
                            lists[&side.vars].place.get(&vec![index as u16]).and_then(|at| side.classes[*at])
                        }
                    };
                let of_index = |side: &Side| side.vars.is_empty() || side.vars == [INDICES];
                if !of_index(&term.query) || !of_index(&term.key) {
                    exact = false;
                    continue;
                }
                self.combinations(&term.query.vars)?;
                self.combinations(&term.key.vars)?;
                let query = at_index(&term.query, index, &self.combinations);
                for (key, allowed) in most_keys.iter_mut().enumerate() {
                    let key = at_index(&term.key, key, &self.combinations);
                    *allowed &= query.zip(key).is_some_and(|(q, k)| term.holds[q as usize][k as usize]);
                }
            }
            let mut counts = BTreeSet::new();
            for length in index + 1..=longest {
                let most = most_keys[..length].iter().filter(|it| **it).count();
                if exact {
                    counts.insert(most);
                } else {
                    counts.extend(0..=most);
                }
            }
            given.push(counts);
        }
        let all = given.iter().flatten().copied().collect();
        Ok(Counts { all, given_index: Some(given), each: None })
    }

    // The plans.

    /// The last position, whose index says how long the text is.
    pub(super) fn length(&mut self) -> Result<Sop, Error> {
        let longest = self.request.longest;
        let indices = (0..longest).map(|index| index as f64).collect();
        let score = Score::Text {
            columns: Vec::new(),
            content: Functional::of(INDICES, Part::Values(indices)),
            rest: Rest::Nothing,
        };
        let step = self.at;
        let head = self.head(HeadKind::Length, "length", step, &[], score, &[]);
        let known = self.heads[head].outputs.first().map(|output| output.var);
        if let Some(var) = known {
            return self.of_category(var);
        }
        let values = (1..=longest as i64).map(Atom::Int).collect();
        let var = self.var("length".to_owned(), step, Domain::Category(values), head, true);
        self.vars[var].given_index =
            Some((0..longest).map(|index| (1..=longest).map(|length| index < length).collect()).collect());
        let source = Source::Copy { from: INDICES, map: (0..longest).collect() };
        self.heads[head].outputs.push(Output { var, source, rest: None });
        if let Some(enumeration) = &mut self.enumeration {
            let lengths = enumeration.inputs().iter();
            let column =
                lengths.flat_map(|(_, length)| std::iter::repeat_n(*length as u16 - 1, *length)).collect();
            enumeration.push(column);
        }
        self.of_category(var)
    }

    /// One head for each alternative of the selection: what arrives is the share of the first token.
    pub(super) fn width(&mut self, selector: Option<usize>, counted: Option<usize>) -> Result<Sop, Error> {
        let selection = self.selected(selector, counted)?;
        let step = self.at;
        let conjunctions = self.conjunctions(&selection, selector, 3)?;
        let mut vars = Vec::new();
        for terms in &conjunctions {
            let counts = self.counts(terms)?;
            let scores = self.scores(terms, Use::Count, false)?;
            let score = Score::Text {
                columns: scores.columns,
                content: scores.content,
                rest: Rest::First { score: scores.full, query: scores.query },
            };
            let name = self.name(selector.unwrap_or(step));
            let head = self.head(HeadKind::Width, &name, step, &conditions(terms, selector), score, &[]);
            let known = self.heads[head]
                .outputs
                .iter()
                .find(|output| output.source == Source::Number(Functional::default()));
            if let Some(known) = known {
                vars.push(known.var);
                continue;
            }
            let mut shares: Vec<f64> = counts.all.iter().map(|count| share(*count)).collect();
            distinct(&mut shares);
            let place = |count: usize| find(&shares, share(count)).unwrap_or(0);
            let given = counts.given_index.as_ref().map(|given| {
                let allowed = |counts: &BTreeSet<usize>| {
                    let mut row = vec![false; shares.len()];
                    counts.iter().for_each(|count| row[place(*count)] = true);
                    row
                };
                given.iter().map(allowed).collect()
            });
            if let (Some(enumeration), Some((each, _))) = (&mut self.enumeration, &counts.each) {
                enumeration.push(each.iter().map(|count| place(*count as usize) as u16).collect());
            }
            let uniform = terms.iter().all(|term| self.side_is_uniform(&term.query));
            let name = self.name(step);
            let var = self.var(name, step, Domain::Number(shares), head, uniform);
            self.vars[var].given_index = given;
            let source = Source::Number(Functional::default());
            self.heads[head].outputs.push(Output { var, source, rest: Some(RestValue::Number(1.0)) });
            vars.push(var);
        }
        let parts: Vec<Sop> = vars.iter().map(|var| self.count_of(*var)).collect::<Result<_, _>>()?;
        self.added(parts)
    }

    /// The count that a share of the first token says.
    fn count_of(&mut self, var: VarId) -> Result<Sop, Error> {
        let list = self.combinations(&[var])?;
        let Domain::Number(shares) = &self.vars[var].domain else {
            return Err(self.no_value("no number".to_owned()));
        };
        let count = |share: f64| Atom::Int((1.0 / share - 1.0).round() as i64);
        let values = list.list.iter().map(|it| Some(count(shares[it[0] as usize]))).collect();
        Ok(self.of_form(Form { vars: vec![var], values: Rc::new(values) }))
    }

    /// The sum of counts.
    fn added(&mut self, parts: Vec<Sop>) -> Result<Sop, Error> {
        if parts.len() == 1 {
            return Ok(parts.into_iter().next().unwrap_or_else(|| self.constant(Atom::Int(0))));
        }
        if parts.is_empty() {
            return Ok(self.constant(Atom::Int(0)));
        }
        let vars = union(parts.iter().map(|part| part.form.vars.as_slice()));
        let list = self.combinations(&vars)?;
        let readers: Vec<Reader> =
            parts.iter().map(|part| self.reader(&vars, &part.form)).collect::<Result<_, _>>()?;
        let sum = |combination: &Vec<u16>| {
            let counts = readers.iter().map(|reader| reader.value(combination)?.as_f64());
            counts.sum::<Option<f64>>().map(|sum| normal(Atom::Float(sum)))
        };
        let values = list.list.iter().map(sum).collect();
        Ok(self.of_form(Form { vars, values: Rc::new(values) }))
    }

    /// The selection as a few conjunctions of which at most one holds, else as one table.
    fn conjunctions(
        &mut self,
        selection: &Selection,
        selector: Option<usize>,
        most: usize,
    ) -> Result<Vec<Vec<Term>>, Error> {
        if let Some(found) = selection.alternatives(64).filter(|found| found.len() <= most) {
            return Ok(found);
        }
        let mut term = self.as_one_term(selection)?;
        term.conditions = selector.map(|selector| vec![Condition::Selector(selector)]);
        Ok(vec![vec![term]])
    }

    /// Whether anything is selected: what arrives says whether the first token was looked at.
    pub(super) fn exists(&mut self, selector: usize, counted: Option<usize>) -> Result<Sop, Error> {
        let selection = self.selected(Some(selector), counted)?;
        let step = self.at;
        let conjunctions = self.conjunctions(&selection, Some(selector), 2)?;
        let mut found = Vec::new();
        for terms in &conjunctions {
            let counts = self.counts(terms)?;
            let scores = self.scores(terms, Use::Exists, false)?;
            let rest = Rest::First { score: scores.full - 0.5, query: scores.query };
            let score = Score::Text { columns: scores.columns, content: scores.content, rest };
            let name = self.name(step);
            let mut conditions = conditions(terms, Some(selector));
            if let ([], Some(counted)) = (conditions.as_slice(), counted) {
                conditions = vec![Condition::Selector(selector), Condition::Key(counted)];
            }
            let head = self.head(HeadKind::Exists, &name, step, &conditions, score, &[]);
            let known = self.heads[head].outputs.iter().find(|output| output.source == Source::Constant(1));
            if let Some(known) = known {
                found.push(known.var);
                continue;
            }
            let uniform = terms.iter().all(|term| self.side_is_uniform(&term.query));
            let values = vec![Atom::Bool(false), Atom::Bool(true)];
            let var = self.var(name, step, Domain::Category(values), head, uniform);
            if let (Some(enumeration), Some((each, _))) = (&mut self.enumeration, &counts.each) {
                enumeration.push(each.iter().map(|count| u16::from(*count > 0)).collect());
            }
            self.vars[var].given_index = counts.given_index.as_ref().map(|given| {
                let row = |counts: &BTreeSet<usize>| {
                    vec![counts.contains(&0), counts.iter().any(|count| *count > 0)]
                };
                given.iter().map(row).collect()
            });
            let output = Output { var, source: Source::Constant(1), rest: Some(RestValue::Value(0)) };
            self.heads[head].outputs.push(output);
            found.push(var);
        }
        let vars = union([found.as_slice()].into_iter());
        let list = self.combinations(&vars)?;
        let any = |combination: &Vec<u16>| Some(Atom::Bool(combination.contains(&1)));
        let values = list.list.iter().map(any).collect();
        Ok(self.of_form(Form { vars, values: Rc::new(values) }))
    }

    /// What a selector fetches: the value of the one position, or the average of several.
    pub(super) fn aggregate(
        &mut self,
        selector: usize,
        sequence: usize,
        default: &Atom,
    ) -> Result<Sop, Error> {
        let selection = self.selected(Some(selector), None)?;
        let step = self.at;
        let mut conjunctions = self.conjunctions(&selection, Some(selector), 1)?;
        let Some(terms) = conjunctions.pop() else {
            // Nothing is ever selected.
            return Ok(self.constant(default.clone()));
        };
        let counts = self.counts(&terms)?;
        if counts.all.iter().all(|count| *count == 0) {
            return Ok(self.constant(default.clone()));
        }
        let mut value = self.sop(sequence)?;
        let is_numeric = value.form.values.iter().flatten().any(is_number);
        let at_most_one = counts.all.iter().all(|count| *count <= 1)
            || (self.enumeration.is_none() && self.is_one_at_most(&terms)?);
        let always_selects = !counts.all.contains(&0);
        let averages = is_numeric && !at_most_one;
        // What cannot be read at the key becomes a category first.
        let reads_number = |value: &Sop| value.sum.is_some() && (averages || value.form.vars.len() != 1);
        let reads_copy = |value: &Sop| value.form.vars.len() <= 1;
        if !(reads_number(&value) || (!averages && reads_copy(&value))) {
            let var = self.table(&value.form.clone(), Some(sequence))?;
            value = self.of_category(var)?;
        }
        let scores = self.scores(&terms, Use::Fetch, always_selects)?;
        let rest = match scores.entries {
            _ if always_selects => Rest::Nothing,
            Some((column, entries)) => {
                let full = scores.full - 0.5;
                let entries = entries.into_iter().map(|(key, own)| (key, own + full)).collect();
                Rest::Entries { column, entries }
            }
            None => Rest::First { score: scores.full - 0.5, query: scores.query.clone() },
        };
        // A sum that is asked for beside a parabola of another query has no first token to rest at.
        if matches!(rest, Rest::Entries { .. }) && !scores.query.is_zero() {
            return self.aggregate_of_table(selector, sequence, default);
        }
        let score = Score::Text { columns: scores.columns, content: scores.content, rest };
        let name = self.name(selector);
        let sources: Vec<VarId> = match (&value.sum, reads_number(&value)) {
            (Some(sum), true) => sum.parts.keys().copied().collect(),
            _ => value.form.vars.clone(),
        };
        let conditions = conditions(&terms, Some(selector));
        let head = self.head(HeadKind::Select, &name, step, &conditions, score, &sources);
        let uniform = terms.iter().all(|term| self.side_is_uniform(&term.query));
        if reads_number(&value) {
            self.fetch_number(head, &value, default, &counts, at_most_one, always_selects, uniform)
        } else {
            self.fetch_copy(head, &value, default, &counts, always_selects, uniform)
        }
    }

    /// The same with the whole selector as one table.
    fn aggregate_of_table(&mut self, selector: usize, sequence: usize, default: &Atom) -> Result<Sop, Error> {
        let step = self.at;
        let selection = self.selected(Some(selector), None)?;
        let mut term = self.as_one_term(&selection)?;
        term.conditions = Some(vec![Condition::Selector(selector)]);
        let terms = vec![term];
        let counts = self.counts(&terms)?;
        let var = self.table_of(sequence)?;
        let value = self.of_category(var)?;
        let always_selects = !counts.all.contains(&0);
        let at_most_one = counts.all.iter().all(|count| *count <= 1);
        let scores = self.scores(&terms, Use::Count, always_selects)?;
        let rest = if always_selects {
            Rest::Nothing
        } else {
            Rest::First { score: scores.full - 0.5, query: scores.query }
        };
        let score = Score::Text { columns: scores.columns, content: scores.content, rest };
        let name = self.name(selector);
        let head =
            self.head(HeadKind::Select, &name, step, &conditions(&terms, Some(selector)), score, &[var]);
        let uniform = terms.iter().all(|term| self.side_is_uniform(&term.query));
        let is_numeric = value.form.values.iter().flatten().any(is_number);
        if is_numeric && !at_most_one && value.sum.is_some() {
            self.fetch_number(head, &value, default, &counts, at_most_one, always_selects, uniform)
        } else {
            self.fetch_copy(head, &value, default, &counts, always_selects, uniform)
        }
    }

    fn table_of(&mut self, step: usize) -> Result<VarId, Error> {
        let value = self.sop(step)?;
        match value.form.vars.as_slice() {
            [var] if !self.vars[*var].is_number() => Ok(*var),
            _ => self.table(&value.form.clone(), Some(step)),
        }
    }

    /// Copies what the sequence is a function of: a category, a number, or nothing.
    fn fetch_copy(
        &mut self,
        head: usize,
        value: &Sop,
        default: &Atom,
        counts: &Counts,
        always_selects: bool,
        uniform: bool,
    ) -> Result<Sop, Error> {
        let step = self.at;
        let name = self.name(step);
        let list = self.combinations(&value.form.vars)?;
        if let [from] = value.form.vars.as_slice()
            && let Domain::Number(numbers) = self.vars[*from].domain.clone()
        {
            // The number itself travels; where nothing is selected, one that stands for the default.
            let known = list.list.iter().zip(value.form.values.iter());
            let standing = known
                .filter(|(_, atom)| atom.as_ref() == Some(default))
                .map(|(it, _)| numbers[it[0] as usize])
                .next();
            let apart = numbers.first().copied().unwrap_or(0.0).floor() - 1.0;
            let marker = standing.unwrap_or(apart);
            let mut all = numbers.clone();
            if !always_selects {
                all.push(marker);
            }
            distinct(&mut all);
            let source = Source::Number(Functional::of(*from, Part::Times(1.0)));
            let rest = Some(RestValue::Number(marker)).filter(|_| !always_selects);
            let mut atoms: Vec<Option<Atom>> = vec![None; all.len()];
            for (combination, atom) in list.list.iter().zip(value.form.values.iter()) {
                if let Some(at) = find(&all, numbers[combination[0] as usize]) {
                    atoms[at] = atom.clone();
                }
            }
            if let Some(at) = find(&all, marker).filter(|_| !always_selects) {
                atoms[at] = Some(default.clone());
            }
            let rounded = self.vars[*from].rounded;
            let column = self.fetched(
                counts,
                &[*from],
                &|combination| find(&all, numbers[combination[0] as usize]).unwrap_or(0) as u16,
                find(&all, marker).unwrap_or(0) as u16,
            );
            let var = self.output(head, name, Domain::Number(all), source, rest, uniform, column);
            self.vars[var].rounded = rounded;
            let list = self.combinations(&[var])?;
            let values = list.list.iter().map(|it| atoms[it[0] as usize].clone()).collect();
            return Ok(self.of_form(Form { vars: vec![var], values: Rc::new(values) }));
        }
        let mut values: Vec<Atom> = Vec::new();
        for atom in value.form.values.iter().flatten().chain((!always_selects).then_some(default)) {
            if !values.contains(atom) {
                values.push(atom.clone());
            }
        }
        let place = |atom: &Atom| values.iter().position(|known| known == atom).unwrap_or(0);
        let rest = (!always_selects).then(|| RestValue::Value(place(default)));
        let of_combination: Vec<usize> =
            value.form.values.iter().map(|atom| atom.as_ref().map_or(0, &place)).collect();
        let source = match value.form.vars.as_slice() {
            [from] => {
                let mut map = vec![0; self.vars[*from].size()];
                for (combination, value) in list.list.iter().zip(&of_combination) {
                    map[combination[0] as usize] = *value;
                }
                Source::Copy { from: *from, map }
            }
            _ => Source::Constant(of_combination.first().copied().unwrap_or(0)),
        };
        let column = self.fetched(
            counts,
            &value.form.vars,
            &|combination| list.place.get(combination).map_or(0, |at| of_combination[*at]) as u16,
            place(default) as u16,
        );
        let var = self.output(head, name, Domain::Category(values.clone()), source, rest, uniform, column);
        self.of_category(var)
    }

    /// The number that the sequence is, or its average.
    #[allow(clippy::too_many_arguments)]
    fn fetch_number(
        &mut self,
        head: usize,
        value: &Sop,
        default: &Atom,
        counts: &Counts,
        at_most_one: bool,
        always_selects: bool,
        uniform: bool,
    ) -> Result<Sop, Error> {
        let step = self.at;
        let name = self.name(step);
        let Some(sum) = value.sum.clone() else { return Err(self.no_value("no number".to_owned())) };
        let mut numbers: Vec<f64> = value.form.values.iter().flatten().filter_map(Atom::as_f64).collect();
        distinct(&mut numbers);
        let whole = numbers.iter().all(|number| number.fract() == 0.0);
        let limit = self.request.limits.values;
        let averages_of = |counts: &BTreeSet<usize>| {
            if at_most_one { Ok(numbers.clone()) } else { averages(&numbers, counts, limit) }
        };
        let list = self.combinations(&value.form.vars)?;
        let at_key = |combination: &Vec<u16>| {
            list.place.get(combination).and_then(|at| value.form.values[*at].as_ref()).and_then(Atom::as_f64)
        };
        // With all inputs at hand, the averages that occur; otherwise all that could.
        let seen: Option<Vec<Option<f64>>> = match (&self.enumeration, &counts.each) {
            (Some(enumeration), Some((_, selected))) => {
                let rows = enumeration.rows(&value.form.vars);
                let average = |keys: &Vec<u32>| {
                    let values: Option<Vec<f64>> =
                        keys.iter().map(|key| at_key(&rows[*key as usize])).collect();
                    let values = values.filter(|values| !values.is_empty())?;
                    Some(values.iter().sum::<f64>() / values.len() as f64)
                };
                Some(selected.iter().map(average).collect())
            }
            _ => None,
        };
        let mut all = match &seen {
            Some(seen) => seen.iter().flatten().copied().collect(),
            None => averages_of(&counts.all).map_err(|found| self.too_many(found, limit))?,
        };
        distinct(&mut all);
        if all.len() > limit {
            return Err(self.too_many(all.len(), limit));
        }
        let apart = all.first().copied().unwrap_or(0.0).floor() - 1.0;
        let marker = default.as_f64().filter(|_| is_number(default)).unwrap_or(apart);
        let mut values = all.clone();
        if !always_selects {
            values.push(marker);
            distinct(&mut values);
        }
        let given: Option<Vec<Vec<bool>>> = match (&seen, &counts.given_index) {
            (None, Some(given)) => {
                let row = |counts: &BTreeSet<usize>| {
                    let mut row = vec![false; values.len()];
                    let possible = averages_of(counts).unwrap_or_else(|_| values.clone());
                    let none = (counts.contains(&0) && !always_selects).then_some(marker);
                    for number in possible.into_iter().chain(none) {
                        if let Some(at) = find(&values, number) {
                            row[at] = true;
                        }
                    }
                    row
                };
                Some(given.iter().map(row).collect())
            }
            _ => None,
        };
        let column = seen.map(|seen| {
            seen.iter().map(|number| find(&values, number.unwrap_or(marker)).unwrap_or(0) as u16).collect()
        });
        let rest = (!always_selects).then_some(RestValue::Number(marker));
        let atom = |number: f64| {
            if !always_selects && number == marker && find(&all, marker).is_none() {
                default.clone()
            } else {
                normal(Atom::Float(number))
            }
        };
        let atoms: Vec<Atom> = values.iter().map(|number| atom(*number)).collect();
        let var = self.output(head, name, Domain::Number(values), Source::Number(sum), rest, uniform, column);
        self.vars[var].given_index = given;
        self.vars[var].rounded = !whole;
        let list = self.combinations(&[var])?;
        let values = list.list.iter().map(|it| Some(atoms[it[0] as usize].clone())).collect();
        Ok(self.of_form(Form { vars: vec![var], values: Rc::new(values) }))
    }

    /// The value of a fetched variable at every position of every input, where all inputs are at hand.
    fn fetched(
        &self,
        counts: &Counts,
        vars: &[VarId],
        value: &dyn Fn(&Vec<u16>) -> u16,
        none: u16,
    ) -> Option<Vec<u16>> {
        let (enumeration, (_, selected)) = (self.enumeration.as_ref()?, counts.each.as_ref()?);
        let rows = enumeration.rows(vars);
        Some(
            selected
                .iter()
                .map(|keys| keys.first().map_or(none, |key| value(&rows[*key as usize])))
                .collect(),
        )
    }

    #[allow(clippy::too_many_arguments)]
    fn output(
        &mut self,
        head: usize,
        name: String,
        domain: Domain,
        source: Source,
        rest: Option<RestValue>,
        uniform: bool,
        column: Option<Vec<u16>>,
    ) -> VarId {
        let known = self.heads[head].outputs.iter().find(|output| {
            output.source == source && output.rest == rest && self.vars[output.var].domain == domain
        });
        if let Some(known) = known {
            return known.var;
        }
        let var = self.var(name, self.at, domain, head, uniform);
        if let (Some(enumeration), Some(column)) = (&mut self.enumeration, column) {
            enumeration.push(column);
        }
        self.heads[head].outputs.push(Output { var, source, rest });
        var
    }

    fn side_is_uniform(&self, side: &Side) -> bool {
        side.vars.iter().all(|var| self.vars[*var].uniform)
    }

    /// Whether some term gives each query at most one index.
    fn is_one_at_most(&mut self, terms: &[Term]) -> Result<bool, Error> {
        for term in terms {
            if term.key.vars.is_empty() || !term.key.vars.contains(&INDICES) {
                continue;
            }
            // Other variables of the key must be the same everywhere.
            if term.key.vars.iter().any(|var| *var != INDICES && !self.vars[*var].uniform) {
                continue;
            }
            let list = self.combinations(&term.key.vars)?;
            let at = term.key.vars.iter().position(|var| *var == INDICES).unwrap_or(0);
            let one = term.holds.iter().all(|row| {
                let mut found: HashMap<Vec<u16>, u16> = HashMap::new();
                list.list.iter().zip(&term.key.classes).all(|(combination, class)| {
                    if !class.is_some_and(|class| row[class as usize]) {
                        return true;
                    }
                    let mut others = combination.clone();
                    let index = others.remove(at);
                    *found.entry(others).or_insert(index) == index
                })
            });
            if one {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How many positions a selection has.
struct Counts {
    all: BTreeSet<usize>,
    given_index: Option<Vec<BTreeSet<usize>>>,
    /// With all inputs at hand: the count at every position, and what is selected there.
    each: Option<(Vec<u16>, Vec<Vec<u32>>)>,
}

const MOST_NESTED: usize = 100;

/// The share of the first token beside so many others.
fn share(count: usize) -> f64 {
    1.0 / (1.0 + count as f64)
}

fn holds(comparison: Comparison, key: &Atom, query: &Atom) -> bool {
    match key.compare(query) {
        None => comparison == Comparison::NotEqual,
        Some(order) => match comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        },
    }
}

/// Equal rows get one class; the number of classes.
fn classes_of(rows: &[Vec<bool>]) -> (Vec<u16>, usize) {
    let mut known: HashMap<&[bool], u16> = HashMap::new();
    let classes = rows
        .iter()
        .map(|row| {
            let next = known.len() as u16;
            *known.entry(row.as_slice()).or_insert(next)
        })
        .collect();
    (classes, known.len())
}

/// What the heads of these terms are conditions of.
fn conditions(terms: &[Term], selector: Option<usize>) -> Vec<Condition> {
    let of_terms: Option<Vec<Condition>> =
        terms.iter().map(|term| term.conditions.clone()).collect::<Option<Vec<_>>>().map(|it| it.concat());
    match of_terms {
        Some(conditions) => conditions,
        None => selector.map(|selector| vec![Condition::Selector(selector)]).unwrap_or_default(),
    }
}

/// Codes of the rows and columns of a matching: the same where both match, else at least 1 apart.
fn codes(term: &Term, rows: &[usize], columns: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let whole = |atom: &Atom| match atom {
        Atom::Int(value) if value.unsigned_abs() < 10_000 => Some(*value as f64),
        _ => None,
    };
    let own = |atoms: &[Atom], places: &[usize]| -> Option<Vec<f64>> {
        places.iter().map(|place| whole(&atoms[*place])).collect()
    };
    if term.is_equality
        && let (Some(row_codes), Some(column_codes)) =
            (own(&term.query.atoms, rows), own(&term.key.atoms, columns))
    {
        return (row_codes, column_codes);
    }
    let column_codes: Vec<f64> = (0..columns.len()).map(|column| column as f64).collect();
    let code = |row: &usize| {
        let column = columns.iter().position(|column| term.holds[*row][*column]);
        column.map_or(-1.0, |column| column as f64)
    };
    (rows.iter().map(code).collect(), column_codes)
}
