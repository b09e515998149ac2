//! The rules of statements.

use super::{Block, MAXIMUM_DEPTH, Parser, unquoted};
use crate::diagnostic::{Diagnostic, Message, Phrase, Term};
use crate::syntax::Span;
use crate::syntax::lexer::TokenClass;
use crate::syntax::tree::{Example, ExpressionKind, Name, Statement, StatementKind, Switch};

impl Parser<'_> {
    pub(super) fn statements(&mut self, block: Block) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            let token = self.tokens[self.at];
            if token.class == TokenClass::Comment {
                self.at += 1;
                statements.push(Statement {
                    kind: StatementKind::Comment(self.text(token)[1..].to_owned()),
                    span: token.span,
                });
                continue;
            }
            if self.at_end() || (block != Block::File && self.at("}")) {
                return statements;
            }
            let before = self.at;
            let kind = self.statement(block);
            statements.push(Statement {
                kind,
                span: Span::new(token.span.start, self.last_end().max(token.span.start)),
            });
            if self.at == before {
                // Nothing was taken: without this the loop would never end.
                self.take();
            }
        }
    }

    pub(super) fn statement(&mut self, block: Block) -> StatementKind {
        let errors = self.diagnostics.len();
        let first = self.peek();
        let second = self.peek_second();
        let kind = match (self.text(first), self.text(second)) {
            ("def", _) => return self.define(),
            ("for", _) => return self.for_loop(),
            (";", _) => {
                self.report(first.span, Message::ExtraSemicolon {});
                self.take();
                return StatementKind::Invalid;
            }
            ("return", _) => self.return_statement(),
            ("load", _) => self.load(),
            ("draw", _) => self.draw(),
            ("set", _) => return self.repl(block, Self::set_example),
            ("show", _) => return self.repl(block, Self::show_example),
            ("examples", _) | ("selector", "examples") => {
                return self.repl(block, Self::examples_switch);
            }
            ("s", "-") if self.at_s_op_examples() => {
                return self.repl(block, Self::examples_switch);
            }
            ("full", "seq") => return self.repl(block, Self::full_display),
            ("exit" | "quit", _) => return self.repl(block, Self::exit),
            _ => self.expression_or_assignment(),
        };
        self.end_statement(errors);
        kind
    }

    /// Takes the `;`. After an error inside of the statement, takes everything up to its end.
    pub(super) fn end_statement(&mut self, errors_before: usize) {
        if self.diagnostics.len() > errors_before && !self.at(";") {
            self.recover();
            return;
        }
        if self.take_if(";").is_some() {
            return;
        }
        let next = self.peek();
        if next.starts_line || next.class == TokenClass::End || self.at("}") {
            let end = self.last_end();
            self.report(Span::new(end, end), Message::MissingSemicolon {});
            // The next statement is not to blame for this.
            self.blamed = None;
        } else {
            self.report_unexpected(Phrase::Source(";".to_owned()));
            self.recover();
        }
    }

    /// Passes over the rest of a statement that could not be read.
    pub(super) fn recover(&mut self) {
        let mut open = 0usize;
        while !self.at_end() {
            let token = self.peek();
            let text = self.text(token);
            let starts_statement =
                token.starts_line && matches!(text, "def" | "for" | "return" | "set" | "show" | "load");
            match text {
                _ if starts_statement => return,
                ";" => {
                    self.take();
                    return;
                }
                "{" => open += 1,
                "}" if open == 0 => return,
                "}" => open -= 1,
                _ => {}
            }
            self.take();
        }
    }

    pub(super) fn expression_or_assignment(&mut self) -> StatementKind {
        let first = self.expression();
        let mut names = match &first.kind {
            ExpressionKind::Name(text) if self.at("=") || self.at(",") => {
                vec![Name { text: text.clone(), span: first.span }]
            }
            _ => return StatementKind::Expression(first),
        };
        while self.take_if(",").is_some() {
            names.push(self.name());
        }
        if !self.expect("=") {
            return StatementKind::Invalid;
        }
        let values = self.expressions();
        StatementKind::Assign { names, values }
    }

    pub(super) fn name(&mut self) -> Name {
        let token = self.peek();
        match token.class {
            TokenClass::Name => {
                self.take();
            }
            TokenClass::Word => {
                let word = self.phrase(token);
                self.report(token.span, Message::WordOfTheLanguage { word });
                self.take();
            }
            _ => {
                self.report_unexpected(Term::Name.into());
                return Name { text: String::new(), span: Span::new(token.span.start, token.span.start) };
            }
        }
        Name { text: self.text(token).to_owned(), span: token.span }
    }

    pub(super) fn names(&mut self) -> Vec<Name> {
        let mut names = vec![self.name()];
        while self.take_if(",").is_some() {
            names.push(self.name());
        }
        names
    }

    pub(super) fn define(&mut self) -> StatementKind {
        self.take();
        let name = self.name();
        let open = self.peek();
        let mut parameters = Vec::new();
        if self.expect("(") {
            if !self.at(")") {
                parameters = self.names();
            }
            self.close(open, ")");
        }
        let body = self.block(Block::Function);
        let last = body.iter().rposition(|s| !matches!(s.kind, StatementKind::Comment(_)));
        let is_return = |s: &Statement| matches!(s.kind, StatementKind::Return(_));
        for (index, statement) in body.iter().enumerate() {
            if is_return(statement) && Some(index) != last {
                self.misplaced_return(statement.span);
            }
        }
        let returns = last.is_some_and(|index| {
            is_return(&body[index]) || matches!(body[index].kind, StatementKind::Invalid)
        });
        if !returns {
            self.diagnostics.push(Diagnostic::error(
                name.span,
                Message::MissingReturn { function: Phrase::Source(name.text.clone()) },
            ));
        }
        StatementKind::Define { name, parameters, body }
    }

    pub(super) fn for_loop(&mut self) -> StatementKind {
        self.take();
        let names = self.names();
        self.expect("in");
        let iterable = self.expression();
        let body = self.block(Block::Loop);
        for statement in &body {
            if matches!(statement.kind, StatementKind::Return(_)) {
                self.misplaced_return(statement.span);
            }
        }
        StatementKind::For { names, iterable, body }
    }

    pub(super) fn misplaced_return(&mut self, span: Span) {
        self.diagnostics.push(Diagnostic::error(span, Message::MisplacedReturn {}));
    }

    /// `{ statements }`
    pub(super) fn block(&mut self, block: Block) -> Vec<Statement> {
        let open = self.peek();
        if self.depth >= MAXIMUM_DEPTH {
            self.too_deep(open.span);
            return Vec::new();
        }
        if !self.expect("{") {
            self.recover();
            return Vec::new();
        }
        self.depth += 1;
        let statements = self.statements(block);
        self.depth -= 1;
        if self.take_if("}").is_none() {
            self.report(
                open.span,
                Message::Unclosed {
                    open: Phrase::Source("{".to_owned()),
                    close: Phrase::Source("}".to_owned()),
                },
            );
        }
        statements
    }

    pub(super) fn return_statement(&mut self) -> StatementKind {
        let word = self.take();
        if self.depth == 0 {
            self.misplaced_return(word.span);
        }
        StatementKind::Return(self.expressions())
    }

    pub(super) fn load(&mut self) -> StatementKind {
        self.take();
        let token = self.peek();
        if token.class == TokenClass::Text {
            self.take();
            return StatementKind::Load(unquoted(self.text(token)).to_owned());
        }
        self.report_unexpected(Term::File.into());
        StatementKind::Invalid
    }

    pub(super) fn draw(&mut self) -> StatementKind {
        self.take();
        let open = self.peek();
        if !self.expect("(") {
            return StatementKind::Invalid;
        }
        let value = self.expression();
        let input = self.take_if(",").map(|_| self.expression());
        self.close(open, ")");
        StatementKind::Draw { value, input }
    }

    /// A statement about the session rather than about the program. Its `;` is optional.
    pub(super) fn repl(&mut self, block: Block, rule: fn(&mut Self) -> StatementKind) -> StatementKind {
        let first = self.peek();
        if block != Block::File {
            self.report(first.span, Message::ReplStatementInside {});
        }
        let errors = self.diagnostics.len();
        let kind = rule(self);
        if self.diagnostics.len() > errors {
            self.recover();
        } else {
            self.take_if(";");
        }
        kind
    }

    pub(super) fn set_example(&mut self) -> StatementKind {
        self.take();
        let which = self.which_example();
        self.expect("example");
        self.open_brackets_in_line = Some(0);
        let value = self.expression();
        self.open_brackets_in_line = None;
        StatementKind::SetExample { which, value }
    }

    pub(super) fn show_example(&mut self) -> StatementKind {
        self.take();
        let which = self.which_example();
        self.expect("example");
        StatementKind::ShowExample(which)
    }

    pub(super) fn examples_switch(&mut self) -> StatementKind {
        let which = self.which_example();
        self.expect("examples");
        StatementKind::Examples { which, switch: self.switch() }
    }

    pub(super) fn full_display(&mut self) -> StatementKind {
        self.take();
        self.take();
        if self.text(self.peek()) == "display" {
            self.take();
        } else {
            self.report_unexpected(Phrase::Source("display".to_owned()));
        }
        StatementKind::FullDisplay(self.switch())
    }

    pub(super) fn exit(&mut self) -> StatementKind {
        self.take();
        // On the next line, a parenthesis begins another statement.
        if self.at("(") && !self.peek().starts_line {
            self.take();
            self.expect(")");
        }
        StatementKind::Exit
    }

    /// Whether `s - op examples` stands here. Elsewhere, `s-op` is the difference of `s` and `op`.
    pub(super) fn at_s_op_examples(&self) -> bool {
        let rest: Vec<&str> =
            self.tokens[self.index()..].iter().take(4).map(|token| self.text(*token)).collect();
        rest.starts_with(&["s", "-", "op"]) && rest.get(3) == Some(&"examples")
    }

    pub(super) fn which_example(&mut self) -> Example {
        match self.text(self.peek()) {
            "selector" => {
                self.take();
                Example::Selector
            }
            "s" => {
                self.take();
                self.expect("-");
                if self.text(self.peek()) == "op" {
                    self.take();
                } else {
                    self.report_unexpected(Phrase::Source("op".to_owned()));
                }
                Example::SOp
            }
            _ => Example::Both,
        }
    }

    pub(super) fn switch(&mut self) -> Switch {
        if self.take_if("off").is_some() {
            return Switch::Off;
        }
        if self.take_if("on").is_none() {
            self.report_unexpected(Phrase::OneOf(vec![
                Phrase::Source("on".to_owned()),
                Phrase::Source("off".to_owned()),
            ]));
        }
        Switch::On
    }
}
