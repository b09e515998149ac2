//! A tree as a list of instructions, so that running a program needs no recursion: neither deep
//! calls nor long expressions can exhaust the stack, and every instruction can be paid for.

use std::collections::HashMap;
use std::rc::Rc;

use crate::syntax::{
    BinaryOperator, Comparison, Example, Expression, ExpressionKind, Name, Span, Statement, StatementKind,
    UnaryOperator,
};
use crate::value::Atom;

/// A name, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(u32);

/// All names of a run.
#[derive(Default)]
pub(crate) struct Symbols {
    texts: Vec<Rc<str>>,
    by_text: HashMap<Rc<str>, Symbol>,
}

impl Symbols {
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.by_text.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Rc<str> = Rc::from(text);
        self.texts.push(text.clone());
        self.by_text.insert(text, symbol);
        symbol
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &Rc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// What a loop makes of its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Statement,
    List,
    Dictionary,
}

/// An instruction. Operands are taken from the stack, results put onto it.
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    Push(Atom),
    Load(Symbol),
    /// Takes this many values and gives the names to them.
    Assign {
        names: Rc<[Symbol]>,
        values: usize,
    },
    List(usize),
    Dictionary(usize),
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    In,
    Index,
    Call(usize),
    Select(Comparison),
    /// With 2 operands or, with a default, 3.
    Aggregate(usize),
    Range(usize),
    Zip(usize),
    Len,
    /// Takes the condition. Goes on to the first branch, or jumps to the second when the condition
    /// is a false atom. For an s-op both branches run.
    Branch {
        otherwise: usize,
    },
    /// Between the branches: jumps over the second one unless the condition is an s-op.
    EndThen {
        end: usize,
    },
    EndChoose,
    /// Takes what is walked through and opens a loop.
    OpenLoop(LoopKind),
    /// Gives the next round's values to the names, or jumps when there is no round left.
    NextRound {
        names: Rc<[Symbol]>,
        exit: usize,
    },
    /// Takes the round's item, or key and value, of a comprehension.
    Collect,
    CloseLoop,
    Jump(usize),
    Define(Rc<Function>),
    Return(usize),
    /// The value of an expression that is a statement.
    Show,
    SetExample(Example),
    ShowExample(Example),
    /// With 1 operand or, with an input, 2.
    Draw(usize),
    LoadFile(Rc<str>),
    Exit,
}

/// The instructions of a file or of a function's body.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// The place that each instruction was made from.
    pub(crate) spans: Vec<Span>,
    /// The file that the places are in; `None` for the program itself.
    pub(crate) file: Option<usize>,
}

/// A function without the scope that it closes over.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Symbol,
    pub(crate) parameters: Vec<Symbol>,
    pub(crate) code: Rc<Code>,
}

/// Makes the instructions of a tree that was read without errors.
pub(crate) fn compile(statements: &[Statement], file: Option<usize>, symbols: &mut Symbols) -> Rc<Code> {
    let mut compiler = Compiler { code: Code { file, ..Code::default() }, symbols };
    compiler.statements(statements);
    Rc::new(compiler.code)
}

struct Compiler<'s> {
    code: Code,
    symbols: &'s mut Symbols,
}

impl Compiler<'_> {
    fn emit(&mut self, span: Span, instruction: Instruction) -> usize {
        self.code.instructions.push(instruction);
        self.code.spans.push(span);
        self.code.instructions.len() - 1
    }

    fn here(&self) -> usize {
        self.code.instructions.len()
    }

    fn names(&mut self, names: &[Name]) -> Rc<[Symbol]> {
        names.iter().map(|name| self.symbols.intern(&name.text)).collect()
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expression(value) => {
                self.expression(value);
                self.emit(value.span, Instruction::Show);
            }
            StatementKind::Assign { names, values } => {
                self.expressions(values);
                let whole = names.iter().map(|name| name.span).reduce(Span::to).unwrap_or(span);
                let names = self.names(names);
                let values = values.len();
                self.emit(whole, Instruction::Assign { names, values });
            }
            StatementKind::Define { name, parameters, body } => {
                let function = Function {
                    name: self.symbols.intern(&name.text),
                    parameters: self.names(parameters).to_vec(),
                    code: compile(body, self.code.file, self.symbols),
                };
                self.emit(name.span, Instruction::Define(Rc::new(function)));
            }
            StatementKind::Return(values) => {
                self.expressions(values);
                self.emit(span, Instruction::Return(values.len()));
            }
            StatementKind::For { names, iterable, body } => {
                self.expression(iterable);
                self.emit(iterable.span, Instruction::OpenLoop(LoopKind::Statement));
                let next = self.next_round(names);
                self.statements(body);
                self.emit(span, Instruction::Jump(next));
                self.close_loop(next, span);
            }
            StatementKind::Load(file) => {
                self.emit(span, Instruction::LoadFile(Rc::from(file.as_str())));
            }
            StatementKind::Draw { value, input } => {
                self.expression(value);
                if let Some(input) = input {
                    self.expression(input);
                }
                self.emit(span, Instruction::Draw(1 + usize::from(input.is_some())));
            }
            StatementKind::SetExample { which, value } => {
                self.expression(value);
                self.emit(value.span, Instruction::SetExample(*which));
            }
            StatementKind::ShowExample(which) => {
                self.emit(span, Instruction::ShowExample(*which));
            }
            StatementKind::Exit => {
                self.emit(span, Instruction::Exit);
            }
            StatementKind::Examples { .. }
            | StatementKind::FullDisplay(_)
            | StatementKind::Comment(_)
            | StatementKind::Invalid => {}
        }
    }

    fn next_round(&mut self, names: &[Name]) -> usize {
        let span = names.iter().map(|name| name.span).reduce(Span::to).unwrap_or_default();
        let names = self.names(names);
        self.emit(span, Instruction::NextRound { names, exit: 0 })
    }

    fn close_loop(&mut self, next: usize, span: Span) {
        let here = self.here();
        if let Instruction::NextRound { exit, .. } = &mut self.code.instructions[next] {
            *exit = here;
        }
        self.emit(span, Instruction::CloseLoop);
    }

    fn expressions(&mut self, expressions: &[Expression]) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn expression(&mut self, tree: &Expression) {
        let span = tree.span;
        let instruction = match &tree.kind {
            // Trees with errors are never run.
            ExpressionKind::Missing => return,
            ExpressionKind::Name(name) => Instruction::Load(self.symbols.intern(name)),
            ExpressionKind::Integer(value) => Instruction::Push(Atom::Int(*value)),
            ExpressionKind::Float(value) => Instruction::Push(Atom::Float(*value)),
            ExpressionKind::Text(value) => Instruction::Push(Atom::text(value)),
            ExpressionKind::List(items) => {
                self.expressions(items);
                Instruction::List(items.len())
            }
            ExpressionKind::Dictionary(entries) => {
                for (key, value) in entries {
                    self.expression(key);
                    self.expression(value);
                }
                Instruction::Dictionary(entries.len())
            }
            ExpressionKind::Unary { operator, operand } => {
                self.expression(operand);
                Instruction::Unary(*operator)
            }
            ExpressionKind::Binary { operator, left, right } => {
                self.expression(left);
                self.expression(right);
                Instruction::Binary(*operator)
            }
            ExpressionKind::Choose { condition, then, otherwise } => {
                self.choose(span, condition, then, otherwise);
                return;
            }
            ExpressionKind::In { item, container } => {
                self.expression(item);
                self.expression(container);
                Instruction::In
            }
            ExpressionKind::Index { target, index } => {
                self.expression(target);
                self.expression(index);
                Instruction::Index
            }
            ExpressionKind::Call { function, arguments } => {
                self.expression(function);
                self.expressions(arguments);
                Instruction::Call(arguments.len())
            }
            ExpressionKind::Select { key, query, comparison } => {
                self.expression(key);
                self.expression(query);
                Instruction::Select(*comparison)
            }
            ExpressionKind::Aggregate { selector, sequence, default } => {
                self.expression(selector);
                self.expression(sequence);
                if let Some(default) = default {
                    self.expression(default);
                }
                Instruction::Aggregate(2 + usize::from(default.is_some()))
            }
            ExpressionKind::Range(values) => {
                self.expressions(values);
                Instruction::Range(values.len())
            }
            ExpressionKind::Zip(values) => {
                self.expressions(values);
                Instruction::Zip(values.len())
            }
            ExpressionKind::Len(list) => {
                self.expression(list);
                Instruction::Len
            }
            ExpressionKind::ListFor { value, names, iterable } => {
                self.comprehension(span, LoopKind::List, &[value], names, iterable);
                return;
            }
            ExpressionKind::DictionaryFor { key, value, names, iterable } => {
                self.comprehension(span, LoopKind::Dictionary, &[key, value], names, iterable);
                return;
            }
        };
        self.emit(span, instruction);
    }

    fn choose(&mut self, span: Span, condition: &Expression, then: &Expression, otherwise: &Expression) {
        self.expression(condition);
        let branch = self.emit(condition.span, Instruction::Branch { otherwise: 0 });
        self.expression(then);
        let end_then = self.emit(span, Instruction::EndThen { end: 0 });
        let second = self.here();
        self.expression(otherwise);
        self.emit(span, Instruction::EndChoose);
        let end = self.here();
        self.code.instructions[branch] = Instruction::Branch { otherwise: second };
        self.code.instructions[end_then] = Instruction::EndThen { end };
    }

    fn comprehension(
        &mut self,
        span: Span,
        kind: LoopKind,
        items: &[&Expression],
        names: &[Name],
        iterable: &Expression,
    ) {
        self.expression(iterable);
        self.emit(iterable.span, Instruction::OpenLoop(kind));
        let next = self.next_round(names);
        for item in items {
            self.expression(item);
        }
        let key_span = items.first().map_or(span, |item| item.span);
        self.emit(key_span, Instruction::Collect);
        self.emit(span, Instruction::Jump(next));
        self.close_loop(next, span);
    }
}
