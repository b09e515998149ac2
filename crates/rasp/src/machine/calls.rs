//! Calls of functions, inputs given to s-ops, and loaded files.

use std::rc::Rc;
use std::sync::Arc;

use super::value::{Closure, List, Native, Value};
use super::{BASE_SCOPE, Frame, FrameKind, LIBRARY_SCOPE, Machine, ScopeKind, Shown, Stop, cost, expects};
use crate::code::{Function, Symbol, compile};
use crate::diagnostic::{Message, Phrase, Term};
use crate::elementwise::Failure;
use crate::evaluate::evaluate;
use crate::graph::{NodeId, Place, Primitive};
use crate::input::Input;
use crate::syntax::{Example, parse};
use crate::trace::Applied;
use crate::value::Atom;

impl Machine<'_> {
    pub(super) fn define_function(&mut self, function: Rc<Function>) -> Result<(), Box<Stop>> {
        let scope = self.scope();
        for parameter in &function.parameters {
            // Arguments may have the names of library functions, but not those of base sequences.
            self.check_free(*parameter, BASE_SCOPE)?;
        }
        self.kept_scopes = self.kept_scopes.max(scope + 1);
        let name = function.name;
        self.store(name, Value::Function(Rc::new(Closure { function, scope })))
    }

    pub(super) fn call(&mut self, count: usize) -> Result<(), Box<Stop>> {
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

    pub(super) fn enter(&mut self, closure: &Closure, arguments: Vec<Value>) -> Result<(), Box<Stop>> {
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

    pub(super) fn give_back(&mut self, count: usize) -> Result<(), Box<Stop>> {
        let mut values = self.pop_many(count);
        let value = match (count, values.pop()) {
            (1, Some(value)) => value,
            (_, last) => {
                values.extend(last);
                List::of(values)?
            }
        };
        if let Some(frame) = self.frames.pop() {
            self.close_scope(frame.scope);
        }
        self.stack.push(value);
        Ok(())
    }

    pub(super) fn call_native(&mut self, native: Native, arguments: &[Value]) -> Result<Value, Box<Stop>> {
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

    pub(super) fn input(&mut self, value: &Value) -> Result<Input, Box<Stop>> {
        let not_an_input = || Message::NotAnInput { found: value.phrase() };
        let input = match value {
            Value::Atom(Atom::Text(text)) => Input::from_text(text)?,
            Value::List(list) => Input::from_atoms(list.atoms().ok_or_else(not_an_input)?)?,
            _ => return Err(not_an_input().into()),
        };
        Ok(input)
    }

    /// Evaluates on an input now, so that an error stops the program here.
    pub(super) fn apply(&mut self, root: NodeId, input: Input) -> Result<Value, Box<Stop>> {
        let evaluation = evaluate(&self.graph, &[root], &input, &mut self.budget);
        if let Some((node, Failure { position, message })) = evaluation.failure {
            let place = self.graph.node(node).place;
            return Err(Box::new(Stop { message, position, place: place.span.is_some().then_some(place) }));
        }
        Ok(Value::Applied(Rc::new(Applied { input, root })))
    }

    pub(super) fn set_example(&mut self, which: Example) -> Result<(), Box<Stop>> {
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

    pub(super) fn show_example(&mut self, which: Example) -> Result<(), Box<Stop>> {
        let example = match which {
            Example::Selector => &self.selector_example,
            _ => &self.sop_example,
        };
        let atoms = example.tokens().iter().cloned().map(Value::Atom);
        let list = List::of(atoms.collect())?;
        self.show(list);
        Ok(())
    }

    pub(super) fn draw(&mut self, count: usize) -> Result<(), Box<Stop>> {
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
    pub(super) fn show(&mut self, value: Value) {
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

    pub(super) fn add_file(&mut self, name: &str, text: &str) -> usize {
        match self.files.iter().position(|(known, _)| known == name) {
            Some(known) => known,
            None => {
                self.files.push((name.to_owned(), text.to_owned()));
                self.files.len() - 1
            }
        }
    }

    pub(super) fn load_file(&mut self, name: &Rc<str>) -> Result<(), Box<Stop>> {
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
            return Err(Box::new(Stop {
                message: diagnostic.message,
                position: None,
                place: Some(Place { span, origin: Some((index, diagnostic.span)) }),
            }));
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
    pub(super) fn end_of_file(&mut self) {
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

pub(super) fn argument_count(function: &str, expected: usize, found: usize) -> Message {
    Message::ArgumentCount {
        function: Phrase::Source(function.to_owned()),
        expected: expected.into(),
        found: found.into(),
    }
}
