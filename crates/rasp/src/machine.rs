//! Runs the instructions of a program: names, loops, calls. S-ops and selectors are only described
//! here, as nodes of the graph; they are evaluated where an input is given to them.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::code::{Code, Function, Instruction, LoopKind, Symbol, Symbols, compile};
use crate::diagnostic::{Diagnostic, Message, Origin, Phrase, Severity, Term};
use crate::elementwise::{self, Failure, Mathematics};
use crate::evaluate::{evaluate, item_at};
use crate::graph::{Base, GivenBy, Graph, NodeId, Place, Primitive};
use crate::input::Input;
use crate::library::Resolver;
use crate::limits::Budget;
use crate::syntax::{BinaryOperator, Comparison, Example, Span, UnaryOperator, parse};
use crate::value::Atom;

/// The longest list that a program may make.
const MAXIMUM_LIST: usize = 100_000;
/// How deep lists may stand inside of lists.
const MAXIMUM_LIST_DEPTH: usize = 50;

/// What each piece of work costs, in the units of [`crate::Limits::work`].
mod cost {
    pub(super) const INSTRUCTION: usize = 8;
    pub(super) const CALL: usize = 40;
    pub(super) const NODE: usize = 100;
}

/// Anything that a name can stand for.
#[derive(Clone)]
pub(crate) enum Value {
    Atom(Atom),
    List(Rc<List>),
    Dictionary(Rc<Dictionary>),
    SOp(NodeId),
    Selector(NodeId),
    Function(Rc<Closure>),
    Native(Native),
    /// An s-op or a selector that was given an input.
    Applied(Rc<crate::trace::Applied>),
}

/// A list. Its size and depth are known, so that no walk through it can be too long or too deep.
pub(crate) struct List {
    pub(crate) items: Vec<Value>,
    size: usize,
    depth: usize,
}

/// A dictionary in the order in which its keys were first given.
pub(crate) struct Dictionary {
    pub(crate) entries: Vec<(Atom, Value)>,
    size: usize,
    depth: usize,
}

pub(crate) struct Closure {
    pub(crate) function: Rc<Function>,
    scope: usize,
}

/// Functions that are not written in RASP.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    Mathematics(Mathematics),
    /// `require(value, condition, text)`: the value where the condition holds, else an error.
    Require,
}

impl Native {
    fn name(self) -> &'static str {
        match self {
            Native::Mathematics(function) => function.name(),
            Native::Require => "require",
        }
    }
}

impl Value {
    pub(crate) fn term(&self) -> Term {
        match self {
            Value::Atom(atom) => atom.term(),
            Value::List(_) => Term::List,
            Value::Dictionary(_) => Term::Dictionary,
            Value::SOp(_) => Term::SOp,
            Value::Selector(_) => Term::Selector,
            Value::Function(_) | Value::Native(_) => Term::Function,
            Value::Applied(_) => Term::Sequence,
        }
    }

    /// Atoms are shown, of everything else the kind is said.
    fn phrase(&self) -> Phrase {
        match self {
            Value::Atom(atom) => atom.phrase(),
            _ => self.term().into(),
        }
    }

    fn is_true(&self) -> bool {
        match self {
            Value::Atom(atom) => atom.is_true(),
            Value::List(list) => !list.items.is_empty(),
            Value::Dictionary(dictionary) => !dictionary.entries.is_empty(),
            _ => true,
        }
    }

    fn size(&self) -> usize {
        match self {
            Value::List(list) => list.size,
            Value::Dictionary(dictionary) => dictionary.size,
            _ => 1,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Value::List(list) => list.depth,
            Value::Dictionary(dictionary) => dictionary.depth,
            _ => 0,
        }
    }

    fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Atom(a), Value::Atom(b)) => a.equals(b),
            (Value::List(a), Value::List(b)) => {
                a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| a.equals(b))
            }
            (Value::Dictionary(a), Value::Dictionary(b)) => {
                a.entries.len() == b.entries.len()
                    && a.entries
                        .iter()
                        .all(|(key, value)| b.get(key).is_some_and(|other| value.equals(other)))
            }
            (Value::SOp(a), Value::SOp(b)) | (Value::Selector(a), Value::Selector(b)) => a == b,
            _ => false,
        }
    }
}

impl List {
    fn new(items: Vec<Value>) -> Result<Value, Message> {
        let (size, depth) = extent(items.iter())?;
        Ok(Value::List(Rc::new(List { items, size, depth })))
    }

    /// The items, when all are atoms.
    fn atoms(&self) -> Option<Vec<Atom>> {
        self.items
            .iter()
            .map(|item| match item {
                Value::Atom(atom) => Some(atom.clone()),
                _ => None,
            })
            .collect()
    }
}

impl Dictionary {
    /// Later entries replace earlier ones of the same key.
    fn new(given: Vec<(Atom, Value)>) -> Result<Value, Message> {
        let mut entries: Vec<(Atom, Value)> = Vec::with_capacity(given.len());
        for (key, value) in given {
            match entries.iter_mut().find(|(known, _)| known.equals(&key)) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        let (size, depth) = extent(entries.iter().map(|(_, value)| value))?;
        Ok(Value::Dictionary(Rc::new(Dictionary { entries, size, depth })))
    }

    fn get(&self, key: &Atom) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known.equals(key)).map(|(_, value)| value)
    }
}

/// Size and depth of a list or dictionary of these values.
fn extent<'v>(values: impl Iterator<Item = &'v Value>) -> Result<(usize, usize), Message> {
    let (size, depth) = values.fold((1usize, 0), |(size, depth), value| {
        (size.saturating_add(value.size()), depth.max(value.depth()))
    });
    if size > MAXIMUM_LIST + 1 {
        return Err(list_too_long());
    }
    if depth >= MAXIMUM_LIST_DEPTH {
        return Err(Message::ListTooDeep { limit: MAXIMUM_LIST_DEPTH.into() });
    }
    Ok((size, depth + 1))
}

fn list_too_long() -> Message {
    Message::ListTooLong { limit: MAXIMUM_LIST.into() }
}

/// Why a run ended before its time.
#[derive(Debug)]
struct Stop {
    message: Message,
    position: Option<usize>,
    /// The place to blame, when it is not that of the instruction.
    place: Option<Place>,
}

impl From<Message> for Stop {
    fn from(message: Message) -> Self {
        Self { message, position: None, place: None }
    }
}

/// The names of a file, a function call, or a round of a comprehension.
struct Scope {
    names: HashMap<Symbol, Value>,
    parent: Option<usize>,
    kind: ScopeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    /// The names of the library cannot be given again.
    File,
    /// They can: arguments and what a function names for itself.
    Local,
}

struct Frame {
    code: Rc<Code>,
    next: usize,
    scope: usize,
    kind: FrameKind,
}

enum FrameKind {
    Program,
    /// A loaded file; its names go to this scope.
    File {
        name: Rc<str>,
        importing: usize,
    },
    Function,
}

struct Loop {
    items: Rc<List>,
    next: usize,
    kind: LoopKind,
    collected: Vec<(Option<Atom>, Value)>,
    /// The scope around a comprehension.
    scope: usize,
}

/// Which branches of `a if c else b` run.
enum Choice {
    First,
    Second,
    /// The condition is an s-op: which branch counts differs from position to position.
    Both(NodeId),
}

/// A value that the program showed, and the input to show it on.
pub(crate) struct Shown {
    pub(crate) span: Span,
    pub(crate) value: Value,
    pub(crate) sop_example: Input,
    pub(crate) selector_example: Input,
}

/// Runs a program and keeps what it described.
pub(crate) struct Machine<'r> {
    pub(crate) graph: Graph,
    pub(crate) budget: Budget,
    pub(crate) shown: Vec<Shown>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Names and texts of the files that were loaded, the library first.
    pub(crate) files: Vec<(String, String)>,
    resolver: &'r dyn Resolver,
    symbols: Symbols,
    scopes: Vec<Scope>,
    /// Scopes below this index may be used by functions and are kept.
    kept_scopes: usize,
    frames: Vec<Frame>,
    loops: Vec<Loop>,
    choices: Vec<Choice>,
    stack: Vec<Value>,
    sop_example: Input,
    selector_example: Input,
    /// `length` of the library, for indices from the end.
    length: Option<NodeId>,
    /// What `in` looks through: one selector of everything, made at its first use.
    everything: Option<NodeId>,
    out: Symbol,
}

const BASE_SCOPE: usize = 0;
const LIBRARY_SCOPE: usize = 1;
const PROGRAM_SCOPE: usize = 2;

/// Names with a fixed meaning besides those of the base sequences and the library.
const FIXED_NAMES: [&str; 8] = ["True", "False", "out", "range", "zip", "len", "select", "aggregate"];

impl<'r> Machine<'r> {
    /// A machine that knows the library.
    pub(crate) fn new(input: Input, budget: Budget, resolver: &'r dyn Resolver) -> Self {
        let mut symbols = Symbols::default();
        let mut machine = Self {
            graph: Graph::default(),
            budget,
            shown: Vec::new(),
            diagnostics: Vec::new(),
            files: Vec::new(),
            resolver,
            out: symbols.intern("out"),
            symbols,
            scopes: Vec::new(),
            kept_scopes: PROGRAM_SCOPE + 1,
            frames: Vec::new(),
            loops: Vec::new(),
            choices: Vec::new(),
            stack: Vec::new(),
            sop_example: input.clone(),
            selector_example: input,
            length: None,
            everything: None,
        };
        for (parent, kind) in [
            (None, ScopeKind::Local),
            (Some(BASE_SCOPE), ScopeKind::Local),
            (Some(LIBRARY_SCOPE), ScopeKind::File),
        ] {
            machine.open_scope(parent, kind);
        }
        machine.fill_base_scope();
        machine.run_library();
        machine
    }

    fn fill_base_scope(&mut self) {
        for base in Base::ALL {
            let node = self.graph.add(Primitive::Base(base), &[], Place::default());
            self.define(BASE_SCOPE, base.name(), Value::SOp(node));
        }
        for (name, value) in [("True", true), ("False", false)] {
            self.define(BASE_SCOPE, name, Value::Atom(Atom::Bool(value)));
        }
        for function in Mathematics::ALL {
            let value = Value::Native(Native::Mathematics(function));
            self.define(BASE_SCOPE, function.name(), value);
        }
        self.define(BASE_SCOPE, "require", Value::Native(Native::Require));
    }

    fn define(&mut self, scope: usize, name: &str, value: Value) {
        let symbol = self.symbols.intern(name);
        self.scopes[scope].names.insert(symbol, value);
    }

    fn run_library(&mut self) {
        let text = crate::library::STANDARD;
        let file = self.add_file("library", text);
        let code = compile(&parse(text).tree.statements, Some(file), &mut self.symbols);
        self.run(code, LIBRARY_SCOPE);
        let length = self.symbols.intern("length");
        if let Some(Value::SOp(node)) = self.scopes[LIBRARY_SCOPE].names.get(&length) {
            self.length = Some(*node);
        }
        // The usual tokens are texts; a program may give the name `tokens` to others.
        let tokens = self.symbols.intern(Base::TokensText.name());
        if let Some(value) = self.scopes[BASE_SCOPE].names.get(&tokens).cloned() {
            self.define(BASE_SCOPE, "tokens", value);
        }
        self.shown.clear();
    }

    /// Runs a program. What is wrong with it is among the diagnostics afterwards.
    pub(crate) fn run_program(&mut self, statements: &[crate::syntax::Statement]) {
        let code = compile(statements, None, &mut self.symbols);
        self.run(code, PROGRAM_SCOPE);
    }

    /// The names that the program gave at its top level and that stand for s-ops and selectors.
    pub(crate) fn named_nodes(&self) -> Vec<(String, NodeId)> {
        let mut named: Vec<(String, NodeId)> = self.scopes[PROGRAM_SCOPE]
            .names
            .iter()
            .filter(|(symbol, _)| **symbol != self.out)
            .filter_map(|(symbol, value)| match value {
                Value::SOp(node) | Value::Selector(node) => {
                    Some((self.symbols.text(*symbol).to_string(), *node))
                }
                _ => None,
            })
            .collect();
        named.sort();
        named
    }

    pub(crate) fn function_name(&self, value: &Value) -> String {
        match value {
            Value::Function(closure) => self.symbols.text(closure.function.name).to_string(),
            Value::Native(native) => native.name().to_owned(),
            _ => String::new(),
        }
    }

    fn run(&mut self, code: Rc<Code>, scope: usize) {
        self.frames.push(Frame { code, next: 0, scope, kind: FrameKind::Program });
        while !self.frames.is_empty() {
            if let Err(stop) = self.step() {
                let place = stop.place.unwrap_or_else(|| self.place());
                let diagnostic = Diagnostic {
                    severity: Severity::Error,
                    span: place.span.unwrap_or_default(),
                    origin: place
                        .origin
                        .map(|(file, span)| Origin { file: self.files[file].0.clone(), span }),
                    position: stop.position,
                    message: stop.message,
                };
                self.diagnostics.push(diagnostic);
                self.frames.clear();
                self.loops.clear();
                self.choices.clear();
                self.stack.clear();
            }
        }
    }

    fn step(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        let Some(instruction) = frame.code.instructions.get(frame.next) else {
            self.end_of_file();
            return Ok(());
        };
        let instruction = instruction.clone();
        frame.next += 1;
        self.budget.work(cost::INSTRUCTION)?;
        self.execute(instruction)
    }

    fn execute(&mut self, instruction: Instruction) -> Result<(), Stop> {
        let value = match instruction {
            Instruction::Push(atom) => Value::Atom(atom),
            Instruction::Load(symbol) => self.load(symbol)?,
            Instruction::Assign { names, values } => return self.assign(&names, values),
            Instruction::List(count) => List::new(self.pop_many(count))?,
            Instruction::Dictionary(count) => self.dictionary(count)?,
            Instruction::Unary(operator) => self.unary(operator)?,
            Instruction::Binary(operator) => self.binary(operator)?,
            Instruction::In => self.contains()?,
            Instruction::Index => self.index()?,
            Instruction::Call(count) => return self.call(count),
            Instruction::Select(comparison) => self.select(comparison)?,
            Instruction::Aggregate(count) => self.aggregate(count)?,
            Instruction::Range(count) => self.range(count)?,
            Instruction::Zip(count) => self.zip(count)?,
            Instruction::Len => self.len()?,
            Instruction::Branch { otherwise } => return self.branch(otherwise),
            Instruction::EndThen { end } => {
                self.end_then(end);
                return Ok(());
            }
            Instruction::EndChoose => self.end_choose()?,
            Instruction::OpenLoop(kind) => return self.open_loop(kind),
            Instruction::NextRound { names, exit } => return self.next_round(&names, exit),
            Instruction::Collect => return self.collect(),
            Instruction::CloseLoop => return self.close_loop(),
            Instruction::Jump(target) => {
                self.jump(target);
                return Ok(());
            }
            Instruction::Define(function) => return self.define_function(function),
            Instruction::Return(count) => return self.give_back(count),
            Instruction::Show => {
                let value = self.pop();
                self.show(value);
                return Ok(());
            }
            Instruction::SetExample(which) => return self.set_example(which),
            Instruction::ShowExample(which) => return self.show_example(which),
            Instruction::Draw(count) => return self.draw(count),
            Instruction::LoadFile(name) => return self.load_file(&name),
            Instruction::Exit => {
                self.frames.clear();
                return Ok(());
            }
        };
        self.stack.push(value);
        Ok(())
    }

    // The stack, places, nodes.

    /// Instructions are made so that their operands are there.
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Atom(Atom::Int(0)))
    }

    fn pop_many(&mut self, count: usize) -> Vec<Value> {
        let start = self.stack.len().saturating_sub(count);
        self.stack.split_off(start)
    }

    fn jump(&mut self, target: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = target;
        }
    }

    fn scope(&self) -> usize {
        self.frames.last().map_or(PROGRAM_SCOPE, |frame| frame.scope)
    }

    fn set_scope(&mut self, scope: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = scope;
        }
    }

    fn open_scope(&mut self, parent: Option<usize>, kind: ScopeKind) -> usize {
        self.scopes.push(Scope { names: HashMap::new(), parent, kind });
        self.scopes.len() - 1
    }

    /// Forgets a scope and those opened after it, unless a function may still use them.
    fn close_scope(&mut self, scope: usize) {
        if scope >= self.kept_scopes {
            self.scopes.truncate(scope);
        }
    }

    /// Where the current instruction stands, and which place of the program led to it.
    fn place(&self) -> Place {
        let span_of = |frame: &Frame| {
            let at = frame.next.saturating_sub(1);
            frame.code.spans.get(at).copied()
        };
        let in_program = self.frames.iter().rev().find(|frame| frame.code.file.is_none()).and_then(span_of);
        let origin = self.frames.last().and_then(|frame| {
            let file = frame.code.file?;
            Some((file, span_of(frame)?))
        });
        Place { span: in_program, origin }
    }

    fn node(&mut self, primitive: Primitive, operands: &[NodeId]) -> Result<NodeId, Stop> {
        self.budget.work(cost::NODE)?;
        let place = self.place();
        Ok(self.graph.add(primitive, operands, place))
    }

    fn sop(&mut self, primitive: Primitive, operands: &[NodeId]) -> Result<Value, Stop> {
        self.node(primitive, operands).map(Value::SOp)
    }

    /// The node of an s-op, or of a constant for an atom. `None` for everything else.
    fn sequence(&mut self, value: &Value) -> Result<Option<NodeId>, Stop> {
        match value {
            Value::SOp(node) => Ok(Some(*node)),
            Value::Atom(atom) => self.node(Primitive::Constant(atom.clone()), &[]).map(Some),
            _ => Ok(None),
        }
    }

    fn expect_sequence(&mut self, function: &str, value: &Value) -> Result<NodeId, Stop> {
        match self.sequence(value)? {
            Some(node) => Ok(node),
            None => Err(expects(function, Term::SOp, value).into()),
        }
    }

    // Names.

    fn load(&mut self, symbol: Symbol) -> Result<Value, Stop> {
        let mut scope = Some(self.scope());
        while let Some(at) = scope {
            if let Some(value) = self.scopes[at].names.get(&symbol) {
                return Ok(value.clone());
            }
            scope = self.scopes[at].parent;
        }
        Err(self.undefined(symbol).into())
    }

    fn undefined(&self, symbol: Symbol) -> Message {
        let text = self.symbols.text(symbol);
        let name = Phrase::Source(text.to_string());
        let mut visible = Vec::new();
        let mut scope = Some(self.scope());
        while let Some(at) = scope {
            visible.extend(self.scopes[at].names.keys().map(|s| self.symbols.text(*s)));
            scope = self.scopes[at].parent;
        }
        let similar = visible
            .into_iter()
            .map(|candidate| (strsim::damerau_levenshtein(candidate, text), candidate))
            .filter(|(distance, _)| *distance <= 1 + text.len() / 5)
            .min();
        match similar {
            Some((_, similar)) => {
                Message::UndefinedNameSimilar { name, similar: Phrase::Source(similar.to_string()) }
            }
            None => Message::UndefinedName { name },
        }
    }

    /// Gives a name in the current scope.
    fn store(&mut self, symbol: Symbol, value: Value) -> Result<(), Stop> {
        let scope = self.scope();
        self.check_free(symbol, scope)?;
        if let Value::SOp(node) | Value::Selector(node) = &value {
            let in_program = self.frames.last().is_some_and(|frame| frame.code.file.is_none());
            let given_by = if in_program { GivenBy::Program } else { GivenBy::File };
            let text = self.symbols.text(symbol).clone();
            self.graph.give_name(*node, &text, given_by);
        }
        self.scopes[scope].names.insert(symbol, value);
        Ok(())
    }

    fn check_free(&self, symbol: Symbol, scope: usize) -> Result<(), Message> {
        let text = self.symbols.text(symbol);
        let is_fixed = FIXED_NAMES.contains(&&**text) || Base::ALL.iter().any(|base| base.name() == &**text);
        let is_library = self.scopes[scope].kind == ScopeKind::File
            && self.scopes[LIBRARY_SCOPE].names.contains_key(&symbol);
        if is_fixed || is_library {
            return Err(Message::ReservedName { name: Phrase::Source(text.to_string()) });
        }
        Ok(())
    }

    fn set_out(&mut self, value: Value) {
        let scope = self.scope();
        self.scopes[scope].names.insert(self.out, value);
    }

    fn assign(&mut self, names: &[Symbol], count: usize) -> Result<(), Stop> {
        let mut values = self.pop_many(count);
        if let ([name], [value]) = (names, values.as_slice()) {
            let value = value.clone();
            self.set_out(value.clone());
            return self.store(*name, value);
        }
        if let [name] = names {
            let list = List::new(values)?;
            return self.store(*name, list);
        }
        if let [only] = values.as_slice() {
            values = several(only, names.len())?;
        }
        if values.len() != names.len() {
            return Err(Message::NameCount { names: names.len().into(), values: values.len().into() }.into());
        }
        for (name, value) in names.iter().zip(values) {
            self.store(*name, value)?;
        }
        Ok(())
    }

    // Operators.

    fn unary(&mut self, operator: UnaryOperator) -> Result<Value, Stop> {
        let operand = self.pop();
        match (operator, &operand) {
            (UnaryOperator::Indicator, Value::SOp(node)) | (_, Value::SOp(node)) => {
                self.sop(Primitive::Unary(operator), &[*node])
            }
            (UnaryOperator::Indicator, _) => Err(expects(operator.symbol(), Term::SOp, &operand).into()),
            (UnaryOperator::Not, Value::Selector(node)) => {
                self.node(Primitive::SelectorNot, &[*node]).map(Value::Selector)
            }
            (_, Value::Selector(_)) => Err(selector_arithmetic(operator.symbol()).into()),
            (_, Value::Atom(atom)) => Ok(Value::Atom(elementwise::unary(operator, atom)?)),
            (UnaryOperator::Not, _) => Ok(Value::Atom(Atom::Bool(!operand.is_true()))),
            _ => Err(Message::BadOperand {
                operator: Phrase::Source(operator.symbol().to_owned()),
                operand: operand.phrase(),
            }
            .into()),
        }
    }

    fn binary(&mut self, operator: BinaryOperator) -> Result<Value, Stop> {
        let right = self.pop();
        let left = self.pop();
        let is_logic = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
        match (&left, &right) {
            (Value::Selector(a), Value::Selector(b)) if is_logic => {
                let primitive = if operator == BinaryOperator::And {
                    Primitive::SelectorAnd
                } else {
                    Primitive::SelectorOr
                };
                self.node(primitive, &[*a, *b]).map(Value::Selector)
            }
            (Value::Selector(_), other) | (other, Value::Selector(_)) if is_logic => {
                Err(Message::SelectorWithOther {
                    operator: Phrase::Source(operator.symbol().to_owned()),
                    other: other.phrase(),
                }
                .into())
            }
            (Value::Selector(_), _) | (_, Value::Selector(_)) => {
                Err(selector_arithmetic(operator.symbol()).into())
            }
            (Value::SOp(_), Value::SOp(_) | Value::Atom(_)) | (Value::Atom(_), Value::SOp(_)) => {
                let a = self.expect_sequence(operator.symbol(), &left)?;
                let b = self.expect_sequence(operator.symbol(), &right)?;
                self.sop(Primitive::Binary(operator), &[a, b])
            }
            (Value::Atom(a), Value::Atom(b)) => Ok(Value::Atom(elementwise::binary(operator, a, b)?)),
            (Value::SOp(_), _) | (_, Value::SOp(_)) => Err(bad_operands(operator, &left, &right)),
            _ => self.binary_on_values(operator, &left, &right),
        }
    }

    /// Operators where at least one operand is a list, a dictionary, a function …
    fn binary_on_values(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
    ) -> Result<Value, Stop> {
        self.budget.work(left.size() + right.size())?;
        match (operator, left, right) {
            (BinaryOperator::And, ..) => Ok(if left.is_true() { right } else { left }.clone()),
            (BinaryOperator::Or, ..) => Ok(if left.is_true() { left } else { right }.clone()),
            (BinaryOperator::Compare(Comparison::Equal), ..) => {
                Ok(Value::Atom(Atom::Bool(left.equals(right))))
            }
            (BinaryOperator::Add, Value::List(a), Value::List(b)) => {
                Ok(List::new(a.items.iter().chain(&b.items).cloned().collect())?)
            }
            (BinaryOperator::Multiply, Value::List(list), Value::Atom(times))
            | (BinaryOperator::Multiply, Value::Atom(times), Value::List(list)) => {
                let Some(times) = times.whole() else {
                    return Err(bad_operands(operator, left, right));
                };
                let times = usize::try_from(times).unwrap_or(0);
                let length = list.items.len().saturating_mul(times);
                if length > MAXIMUM_LIST {
                    return Err(list_too_long().into());
                }
                self.budget.work(length)?;
                let items = std::iter::repeat_n(&list.items, times).flatten().cloned();
                Ok(List::new(items.collect())?)
            }
            _ => Err(bad_operands(operator, left, right)),
        }
    }

    fn contains(&mut self) -> Result<Value, Stop> {
        let container = self.pop();
        let item = self.pop();
        match (&item, &container) {
            (Value::SOp(node), Value::List(list)) => match list.atoms() {
                Some(atoms) => self.sop(Primitive::Member(atoms.into()), &[*node]),
                None => Err(expects("in", Term::ListOfAtoms, &container).into()),
            },
            (Value::SOp(_), _) => Err(expects("in", Term::ListOfAtoms, &container).into()),
            (Value::Atom(_), Value::List(list)) => {
                self.budget.work(list.size)?;
                let found = list.items.iter().any(|candidate| item.equals(candidate));
                Ok(Value::Atom(Atom::Bool(found)))
            }
            (Value::Atom(_), Value::SOp(node)) => self.appears(&item, *node),
            (Value::Atom(_), _) => Err(Message::Expects {
                function: Phrase::Source("in".to_owned()),
                expected: Phrase::OneOf(vec![Term::List.into(), Term::SOp.into()]),
                found: container.phrase(),
            }
            .into()),
            _ => Err(Message::Expects {
                function: Phrase::Source("in".to_owned()),
                expected: Phrase::OneOf(vec![Term::Atom.into(), Term::SOp.into()]),
                found: item.phrase(),
            }
            .into()),
        }
    }

    /// Whether an atom stands anywhere in a sequence: one head that looks at everything.
    fn appears(&mut self, item: &Value, sequence: NodeId) -> Result<Value, Stop> {
        let everything = match self.everything {
            Some(selector) => selector,
            None => {
                let one = self.node(Primitive::Constant(Atom::Int(1)), &[])?;
                self.node(Primitive::Select(Comparison::Equal), &[one, one])?
            }
        };
        self.everything = Some(everything);
        let item = self.expect_sequence("in", item)?;
        let equal = BinaryOperator::Compare(Comparison::Equal);
        let is_item = self.node(Primitive::Binary(equal), &[sequence, item])?;
        let ones = self.node(Primitive::Unary(UnaryOperator::Indicator), &[is_item])?;
        let default = Atom::Int(0);
        let share = self.node(Primitive::Aggregate { default }, &[everything, ones])?;
        let zero = self.node(Primitive::Constant(Atom::Int(0)), &[])?;
        let more = BinaryOperator::Compare(Comparison::Greater);
        self.sop(Primitive::Binary(more), &[share, zero])
    }

    fn index(&mut self) -> Result<Value, Stop> {
        let index = self.pop();
        let target = self.pop();
        match (&target, &index) {
            (Value::List(list), Value::SOp(node)) => match list.atoms() {
                Some(atoms) => self.sop(Primitive::LookUp(atoms.into()), &[*node]),
                None => Err(expects("[ ]", Term::ListOfAtoms, &target).into()),
            },
            (Value::List(list), _) => Ok(item_at(&list.items, whole_index(&index)?)?.clone()),
            (Value::Atom(Atom::Text(text)), _) => {
                let letters: Vec<Atom> = letters(text).collect();
                self.budget.work(letters.len())?;
                match &index {
                    Value::SOp(node) => self.sop(Primitive::LookUp(letters.into()), &[*node]),
                    _ => Ok(Value::Atom(item_at(&letters, whole_index(&index)?)?.clone())),
                }
            }
            (Value::Dictionary(dictionary), Value::SOp(node)) => {
                let entries: Option<Vec<(Atom, Atom)>> = dictionary
                    .entries
                    .iter()
                    .map(|(key, value)| match value {
                        Value::Atom(value) => Some((key.clone(), value.clone())),
                        _ => None,
                    })
                    .collect();
                match entries {
                    Some(entries) => self.sop(Primitive::LookUpKey(entries.into()), &[*node]),
                    None => Err(expects("[ ]", Term::ListOfAtoms, &target).into()),
                }
            }
            (Value::Dictionary(dictionary), Value::Atom(key)) => match dictionary.get(key) {
                Some(value) => Ok(value.clone()),
                None => Err(Message::MissingKey { key: key.phrase() }.into()),
            },
            (Value::Dictionary(_), _) => Err(Message::BadKey { found: index.phrase() }.into()),
            (Value::SOp(node), _) => {
                let place = whole_index(&index)?;
                self.load_from(*node, place)
            }
            _ => Err(Message::Expects {
                function: Phrase::Source("[ ]".to_owned()),
                expected: Phrase::OneOf(vec![
                    Term::List.into(),
                    Term::Dictionary.into(),
                    Term::Text.into(),
                    Term::SOp.into(),
                ]),
                found: target.phrase(),
            }
            .into()),
        }
    }

    /// The value at one position, everywhere: one head.
    fn load_from(&mut self, sequence: NodeId, place: i64) -> Result<Value, Stop> {
        let constant = self.node(Primitive::Constant(Atom::Int(place)), &[])?;
        let position = match self.length {
            Some(length) if place < 0 => {
                let add = Primitive::Binary(BinaryOperator::Add);
                self.node(add, &[length, constant])?
            }
            _ => constant,
        };
        let indices = self.graph.add(Primitive::Base(Base::Indices), &[], Place::default());
        let equal = Primitive::Select(Comparison::Equal);
        let selector = self.node(equal, &[indices, position])?;
        let default = Atom::Int(0);
        self.sop(Primitive::Aggregate { default }, &[selector, sequence])
    }

    fn select(&mut self, comparison: Comparison) -> Result<Value, Stop> {
        let query = self.pop();
        let key = self.pop();
        let key = self.expect_sequence("select", &key)?;
        let query = self.expect_sequence("select", &query)?;
        self.node(Primitive::Select(comparison), &[key, query]).map(Value::Selector)
    }

    fn aggregate(&mut self, count: usize) -> Result<Value, Stop> {
        let default = match (count == 3).then(|| self.pop()) {
            None => Atom::Int(0),
            Some(Value::Atom(atom)) => atom,
            Some(other) => return Err(expects("aggregate", Term::Atom, &other).into()),
        };
        let sequence = self.pop();
        let selector = self.pop();
        let Value::Selector(selector) = selector else {
            return Err(expects("aggregate", Term::Selector, &selector).into());
        };
        let sequence = self.expect_sequence("aggregate", &sequence)?;
        self.sop(Primitive::Aggregate { default }, &[selector, sequence])
    }

    // Lists.

    fn dictionary(&mut self, count: usize) -> Result<Value, Stop> {
        let mut values = self.pop_many(2 * count).into_iter();
        let mut entries = Vec::with_capacity(count);
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            entries.push((atom_key(&key)?, value));
        }
        self.budget.work(count * count / 2)?;
        Ok(Dictionary::new(entries)?)
    }

    fn range(&mut self, count: usize) -> Result<Value, Stop> {
        let values = self.pop_many(count);
        let mut numbers = Vec::with_capacity(count);
        for value in &values {
            match value {
                Value::Atom(atom) if atom.whole().is_some() => {
                    numbers.extend(atom.whole());
                }
                _ => return Err(expects("range", Term::WholeNumber, value).into()),
            }
        }
        let (start, end, step) = match numbers[..] {
            [end] => (0, end, 1),
            [start, end] => (start, end, 1),
            [start, end, step] => (start, end, step),
            _ => {
                return Err(Message::ArgumentCount {
                    function: Phrase::Source("range".to_owned()),
                    expected: Phrase::OneOf(vec![1.into(), 2.into(), 3.into()]),
                    found: count.into(),
                }
                .into());
            }
        };
        if step == 0 {
            return Err(Message::ZeroStep {}.into());
        }
        let mut items = Vec::new();
        let mut at = start;
        while (step > 0 && at < end) || (step < 0 && at > end) {
            if items.len() == MAXIMUM_LIST {
                return Err(list_too_long().into());
            }
            items.push(Value::Atom(Atom::Int(at)));
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        self.budget.work(items.len())?;
        Ok(List::new(items)?)
    }

    fn zip(&mut self, count: usize) -> Result<Value, Stop> {
        let values = self.pop_many(count);
        let mut lists = Vec::with_capacity(count);
        for value in &values {
            match value {
                Value::List(list) => lists.push(list),
                _ => return Err(expects("zip", Term::List, value).into()),
            }
        }
        let first = lists.first().map_or(0, |list| list.items.len());
        for (place, list) in lists.iter().enumerate() {
            if list.items.len() != first {
                return Err(Message::ZipLengths {
                    first: first.into(),
                    place: (place + 1).into(),
                    length: list.items.len().into(),
                }
                .into());
            }
        }
        self.budget.work(first * count)?;
        let rows: Result<Vec<Value>, Message> = (0..first)
            .map(|at| List::new(lists.iter().map(|list| list.items[at].clone()).collect()))
            .collect();
        Ok(List::new(rows?)?)
    }

    fn len(&mut self) -> Result<Value, Stop> {
        let value = self.pop();
        let length = match &value {
            Value::List(list) => list.items.len(),
            Value::Dictionary(dictionary) => dictionary.entries.len(),
            _ => return Err(expects("len", Term::List, &value).into()),
        };
        Ok(Value::Atom(Atom::Int(length as i64)))
    }

    // Conditions.

    fn branch(&mut self, otherwise: usize) -> Result<(), Stop> {
        let choice = match self.pop() {
            Value::SOp(condition) => Choice::Both(condition),
            Value::Selector(_) => return Err(Message::SelectorCondition {}.into()),
            condition if condition.is_true() => Choice::First,
            _ => {
                self.jump(otherwise);
                Choice::Second
            }
        };
        self.choices.push(choice);
        Ok(())
    }

    fn end_then(&mut self, end: usize) {
        if let Some(Choice::First) = self.choices.last() {
            self.choices.pop();
            self.jump(end);
        }
    }

    fn end_choose(&mut self) -> Result<Value, Stop> {
        let otherwise = self.pop();
        let Some(Choice::Both(condition)) = self.choices.pop() else {
            return Ok(otherwise);
        };
        let then = self.pop();
        let then = self.expect_sequence("if", &then)?;
        let otherwise = self.expect_sequence("if", &otherwise)?;
        self.sop(Primitive::Choose, &[condition, then, otherwise])
    }

    // Loops.

    fn open_loop(&mut self, kind: LoopKind) -> Result<(), Stop> {
        let iterable = self.pop();
        let items = match &iterable {
            Value::List(list) => list.clone(),
            Value::Dictionary(dictionary) => {
                let keys = dictionary.entries.iter();
                let items = keys.map(|(key, _)| Value::Atom(key.clone())).collect();
                Rc::new(List { size: dictionary.size, depth: 1, items })
            }
            _ => {
                return Err(Message::Expects {
                    function: Phrase::Source("for".to_owned()),
                    expected: Phrase::OneOf(vec![Term::List.into(), Term::Dictionary.into()]),
                    found: iterable.phrase(),
                }
                .into());
            }
        };
        self.loops.push(Loop { items, next: 0, kind, collected: Vec::new(), scope: self.scope() });
        Ok(())
    }

    fn next_round(&mut self, names: &[Symbol], exit: usize) -> Result<(), Stop> {
        let Some(current) = self.loops.last_mut() else {
            return Ok(());
        };
        let Some(item) = current.items.items.get(current.next).cloned() else {
            self.jump(exit);
            return Ok(());
        };
        current.next += 1;
        if current.kind != LoopKind::Statement {
            let around = current.scope;
            let scope = self.open_scope(Some(around), ScopeKind::Local);
            self.set_scope(scope);
        }
        if let [name] = names {
            return self.store(*name, item);
        }
        let values = several(&item, names.len())?;
        if values.len() != names.len() {
            return Err(Message::NameCount { names: names.len().into(), values: values.len().into() }.into());
        }
        for (name, value) in names.iter().zip(values) {
            self.store(*name, value)?;
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<(), Stop> {
        let value = self.pop();
        let is_dictionary = self.loops.last().is_some_and(|current| current.kind == LoopKind::Dictionary);
        let key = if is_dictionary {
            let key = self.pop();
            Some(atom_key(&key)?)
        } else {
            None
        };
        let inner = self.scope();
        if let Some(current) = self.loops.last_mut() {
            current.collected.push((key, value));
            let around = current.scope;
            self.set_scope(around);
            self.close_scope(inner);
        }
        Ok(())
    }

    fn close_loop(&mut self) -> Result<(), Stop> {
        let Some(ended) = self.loops.pop() else {
            return Ok(());
        };
        let value = match ended.kind {
            LoopKind::Statement => return Ok(()),
            LoopKind::List => List::new(ended.collected.into_iter().map(|(_, v)| v).collect())?,
            LoopKind::Dictionary => {
                let count = ended.collected.len();
                self.budget.work(count * count / 2)?;
                let entries = ended.collected.into_iter();
                Dictionary::new(entries.filter_map(|(k, v)| Some((k?, v))).collect())?
            }
        };
        self.stack.push(value);
        Ok(())
    }

    // Functions.

    fn define_function(&mut self, function: Rc<Function>) -> Result<(), Stop> {
        let scope = self.scope();
        for parameter in &function.parameters {
            // Arguments may have the names of library functions, but not those of base sequences.
            self.check_free(*parameter, BASE_SCOPE)?;
        }
        self.kept_scopes = self.kept_scopes.max(scope + 1);
        let name = function.name;
        self.store(name, Value::Function(Rc::new(Closure { function, scope })))
    }

    fn call(&mut self, count: usize) -> Result<(), Stop> {
        let arguments = self.pop_many(count);
        let callee = self.pop();
        match callee {
            Value::Function(closure) => self.enter(&closure, arguments),
            Value::Native(native) => {
                let value = self.call_native(native, &arguments)?;
                self.stack.push(value);
                Ok(())
            }
            Value::SOp(root) | Value::Selector(root) => {
                let [input] = arguments.as_slice() else {
                    return Err(argument_count("s-op", 1, count).into());
                };
                let input = self.input(input)?;
                let applied = self.apply(root, input)?;
                self.stack.push(applied);
                Ok(())
            }
            other => Err(Message::NotCallable { found: other.phrase() }.into()),
        }
    }

    fn enter(&mut self, closure: &Closure, arguments: Vec<Value>) -> Result<(), Stop> {
        let function = &closure.function;
        let name = self.symbols.text(function.name).clone();
        if function.parameters.len() != arguments.len() {
            return Err(argument_count(&name, function.parameters.len(), arguments.len()).into());
        }
        let limit = self.budget.limits.calls;
        if self.frames.len() > limit {
            return Err(Message::TooManyCalls {
                function: Phrase::Source(name.to_string()),
                limit: limit.into(),
            }
            .into());
        }
        self.budget.work(cost::CALL)?;
        let scope = self.open_scope(Some(closure.scope), ScopeKind::Local);
        let names = function.parameters.iter().copied();
        self.scopes[scope].names = names.zip(arguments).collect();
        self.frames.push(Frame { code: function.code.clone(), next: 0, scope, kind: FrameKind::Function });
        Ok(())
    }

    fn give_back(&mut self, count: usize) -> Result<(), Stop> {
        let mut values = self.pop_many(count);
        let value = match (count, values.pop()) {
            (1, Some(value)) => value,
            (_, last) => {
                values.extend(last);
                List::new(values)?
            }
        };
        if let Some(frame) = self.frames.pop() {
            self.close_scope(frame.scope);
        }
        self.stack.push(value);
        Ok(())
    }

    fn call_native(&mut self, native: Native, arguments: &[Value]) -> Result<Value, Stop> {
        match (native, arguments) {
            (Native::Mathematics(function), [Value::Atom(atom)]) => Ok(Value::Atom(function.apply(atom)?)),
            (Native::Mathematics(function), [operand]) => {
                let operand = self.expect_sequence(function.name(), operand)?;
                self.sop(Primitive::Mathematics(function), &[operand])
            }
            (Native::Require, [value, condition, Value::Atom(Atom::Text(text))]) => {
                let value = self.expect_sequence("require", value)?;
                let condition = self.expect_sequence("require", condition)?;
                self.sop(Primitive::Require(Arc::clone(text)), &[value, condition])
            }
            (Native::Require, [_, _, text]) => Err(expects("require", Term::Text, text).into()),
            (Native::Mathematics(_), _) => Err(argument_count(native.name(), 1, arguments.len()).into()),
            (Native::Require, _) => Err(argument_count(native.name(), 3, arguments.len()).into()),
        }
    }

    // Inputs.

    fn input(&mut self, value: &Value) -> Result<Input, Stop> {
        let not_an_input = || Message::NotAnInput { found: value.phrase() };
        let input = match value {
            Value::Atom(Atom::Text(text)) => Input::from_text(text)?,
            Value::List(list) => Input::from_atoms(list.atoms().ok_or_else(not_an_input)?)?,
            _ => return Err(not_an_input().into()),
        };
        Ok(input)
    }

    /// Evaluates on an input now, so that an error stops the program here.
    fn apply(&mut self, root: NodeId, input: Input) -> Result<Value, Stop> {
        // Finding out what the root needs takes a look at every node.
        self.budget.work(self.graph.len())?;
        let evaluation = evaluate(&self.graph, &[root], &input, &mut self.budget);
        if let Some((node, Failure { position, message })) = evaluation.failure {
            let place = self.graph.node(node).place;
            return Err(Stop { message, position, place: place.span.is_some().then_some(place) });
        }
        Ok(Value::Applied(Rc::new(crate::trace::Applied { input, root })))
    }

    fn set_example(&mut self, which: Example) -> Result<(), Stop> {
        let value = self.pop();
        let input = self.input(&value)?;
        if which != Example::Selector {
            self.sop_example = input.clone();
        }
        if which != Example::SOp {
            self.selector_example = input;
        }
        Ok(())
    }

    fn show_example(&mut self, which: Example) -> Result<(), Stop> {
        let example = match which {
            Example::Selector => &self.selector_example,
            _ => &self.sop_example,
        };
        let atoms = example.tokens().iter().cloned().map(Value::Atom);
        let list = List::new(atoms.collect())?;
        self.show(list);
        Ok(())
    }

    fn draw(&mut self, count: usize) -> Result<(), Stop> {
        let input = match (count == 2).then(|| self.pop()) {
            Some(value) => self.input(&value)?,
            None => self.sop_example.clone(),
        };
        let value = self.pop();
        let Value::SOp(root) = value else {
            return Err(expects("draw", Term::SOp, &value).into());
        };
        let applied = self.apply(root, input)?;
        self.show(applied);
        Ok(())
    }

    /// Keeps a value that a statement of the program itself shows, outside of functions and loops.
    fn show(&mut self, value: Value) {
        self.set_out(value.clone());
        if self.frames.len() == 1 && self.loops.is_empty() {
            self.shown.push(Shown {
                span: self.place().span.unwrap_or_default(),
                value,
                sop_example: self.sop_example.clone(),
                selector_example: self.selector_example.clone(),
            });
        }
    }

    // Files.

    fn add_file(&mut self, name: &str, text: &str) -> usize {
        match self.files.iter().position(|(known, _)| known == name) {
            Some(known) => known,
            None => {
                self.files.push((name.to_owned(), text.to_owned()));
                self.files.len() - 1
            }
        }
    }

    fn load_file(&mut self, name: &Rc<str>) -> Result<(), Stop> {
        let file = || Phrase::Source(name.to_string());
        let is_open =
            |frame: &Frame| matches!(&frame.kind, FrameKind::File { name: open, .. } if open == name);
        if self.frames.iter().any(is_open) {
            return Err(Message::LoadCycle { file: file() }.into());
        }
        let text = match self.resolver.resolve(name) {
            Some(text) => text,
            None => crate::library::construction(name)
                .map(str::to_owned)
                .ok_or_else(|| Message::FileNotFound { file: file() })?,
        };
        self.budget.work(10 * text.len())?;
        let index = self.add_file(name, &text);
        let parse = parse(&text);
        if let Some(diagnostic) = parse.diagnostics.into_iter().next() {
            let span = self.place().span;
            return Err(Stop {
                message: diagnostic.message,
                position: None,
                place: Some(Place { span, origin: Some((index, diagnostic.span)) }),
            });
        }
        let code = compile(&parse.tree.statements, Some(index), &mut self.symbols);
        let importing = self.scope();
        let scope = self.open_scope(Some(LIBRARY_SCOPE), ScopeKind::File);
        self.kept_scopes = self.kept_scopes.max(scope + 1);
        self.frames.push(Frame {
            code,
            next: 0,
            scope,
            kind: FrameKind::File { name: name.clone(), importing },
        });
        Ok(())
    }

    /// Hands the names of a loaded file, but for those that start with `_`, to who loaded it.
    fn end_of_file(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if let FrameKind::File { importing, .. } = frame.kind {
            let out = self.out;
            let names: Vec<(Symbol, Value)> = self.scopes[frame.scope]
                .names
                .iter()
                .filter(|(symbol, _)| **symbol != out && !self.symbols.text(**symbol).starts_with('_'))
                .map(|(symbol, value)| (*symbol, value.clone()))
                .collect();
            self.scopes[importing].names.extend(names);
        }
    }
}

/// The values that several names share: the items of a list, the keys of a dictionary, letters.
fn several(value: &Value, names: usize) -> Result<Vec<Value>, Message> {
    match value {
        Value::List(list) => Ok(list.items.clone()),
        Value::Dictionary(dictionary) => {
            Ok(dictionary.entries.iter().map(|(key, _)| Value::Atom(key.clone())).collect())
        }
        Value::Atom(Atom::Text(text)) => Ok(letters(text).map(Value::Atom).collect()),
        _ => Err(Message::NotSeveral { names: names.into(), found: value.phrase() }),
    }
}

fn letters(text: &str) -> impl Iterator<Item = Atom> + '_ {
    text.chars().map(|letter| Atom::text(letter.encode_utf8(&mut [0; 4])))
}

fn atom_key(key: &Value) -> Result<Atom, Message> {
    match key {
        Value::Atom(atom) => Ok(atom.clone()),
        _ => Err(Message::BadKey { found: key.phrase() }),
    }
}

fn whole_index(index: &Value) -> Result<i64, Message> {
    match index {
        Value::Atom(atom) => atom.whole(),
        _ => None,
    }
    .ok_or_else(|| expects("[ ]", Term::WholeNumber, index))
}

fn expects(function: &str, expected: Term, found: &Value) -> Message {
    Message::Expects {
        function: Phrase::Source(function.to_owned()),
        expected: expected.into(),
        found: found.phrase(),
    }
}

fn argument_count(function: &str, expected: usize, found: usize) -> Message {
    Message::ArgumentCount {
        function: Phrase::Source(function.to_owned()),
        expected: expected.into(),
        found: found.into(),
    }
}

fn selector_arithmetic(operator: &str) -> Message {
    Message::SelectorArithmetic { operator: Phrase::Source(operator.to_owned()) }
}

fn bad_operands(operator: BinaryOperator, left: &Value, right: &Value) -> Stop {
    Message::BadOperands {
        operator: Phrase::Source(operator.symbol().to_owned()),
        left: left.phrase(),
        right: right.phrase(),
    }
    .into()
}
