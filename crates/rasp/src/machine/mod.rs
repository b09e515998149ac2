//! Runs the instructions of a program: names, loops, calls. S-ops and selectors are only described
//! here, as nodes of the graph; they are evaluated where an input is given to them.

mod calls;
mod lists;
mod operators;
mod value;

use std::collections::HashMap;
use std::rc::Rc;

use lists::several;
pub(crate) use value::Value;
use value::{List, Native};

use crate::code::{Code, Instruction, LoopKind, Symbol, Symbols, compile};
use crate::diagnostic::{Diagnostic, Message, Origin, Phrase, Severity, Term};
use crate::elementwise::Mathematics;
use crate::graph::{Base, GivenBy, Graph, NodeId, Place, Primitive};
use crate::input::Input;
use crate::library::{self, Resolver};
use crate::limits::Budget;
use crate::syntax::{Span, Statement};
use crate::value::Atom;

/// What each piece of work costs, in the units of [`crate::Limits::work`].
mod cost {
    pub(super) const INSTRUCTION: usize = 8;
    pub(super) const CALL: usize = 40;
    pub(super) const NODE: usize = 100;
    /// An item of a list that is made.
    pub(super) const ITEM: usize = 10;
}

/// Why a run ended before its time.
#[derive(Debug)]
struct Stop {
    message: Message,
    position: Option<usize>,
    /// The place to blame, when it is not that of the instruction.
    place: Option<Place>,
}

impl From<Message> for Box<Stop> {
    fn from(message: Message) -> Self {
        Box::new(Stop { message, position: None, place: None })
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
        let file = self.add_file("library", library::STANDARD);
        let code = compile(&library::STANDARD_TREE.statements, Some(file), &mut self.symbols);
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
    pub(crate) fn run_program(&mut self, statements: &[Statement]) {
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

    fn step(&mut self) -> Result<(), Box<Stop>> {
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

    fn execute(&mut self, instruction: Instruction) -> Result<(), Box<Stop>> {
        let value = match instruction {
            Instruction::Push(atom) => Value::Atom(atom),
            Instruction::Load(symbol) => self.load(symbol)?,
            Instruction::Assign { names, values } => return self.assign(&names, values),
            Instruction::List(count) => self.list(count)?,
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

    fn node(&mut self, primitive: Primitive, operands: &[NodeId]) -> Result<NodeId, Box<Stop>> {
        self.budget.work(cost::NODE)?;
        let place = self.place();
        Ok(self.graph.add(primitive, operands, place))
    }

    fn sop(&mut self, primitive: Primitive, operands: &[NodeId]) -> Result<Value, Box<Stop>> {
        self.node(primitive, operands).map(Value::SOp)
    }

    /// The node of an s-op, or of a constant for an atom. `None` for everything else.
    fn sequence(&mut self, value: &Value) -> Result<Option<NodeId>, Box<Stop>> {
        match value {
            Value::SOp(node) => Ok(Some(*node)),
            Value::Atom(atom) => self.node(Primitive::Constant(atom.clone()), &[]).map(Some),
            _ => Ok(None),
        }
    }

    fn expect_sequence(&mut self, function: &str, value: &Value) -> Result<NodeId, Box<Stop>> {
        match self.sequence(value)? {
            Some(node) => Ok(node),
            None => Err(expects(function, Term::SOp, value).into()),
        }
    }

    // Names.

    fn load(&mut self, symbol: Symbol) -> Result<Value, Box<Stop>> {
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
    fn store(&mut self, symbol: Symbol, value: Value) -> Result<(), Box<Stop>> {
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

    fn assign(&mut self, names: &[Symbol], count: usize) -> Result<(), Box<Stop>> {
        let mut values = self.pop_many(count);
        if let ([name], [value]) = (names, values.as_slice()) {
            let value = value.clone();
            self.set_out(value.clone());
            return self.store(*name, value);
        }
        if let [name] = names {
            let list = List::of(values)?;
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
}

fn expects(function: &str, expected: Term, found: &Value) -> Message {
    Message::Expects {
        function: Phrase::Source(function.to_owned()),
        expected: expected.into(),
        found: found.phrase(),
    }
}
