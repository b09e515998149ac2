//! Tokens into a tree. It never fails: what cannot be read becomes a `Missing` expression or an
//! `Invalid` statement, and a diagnostic says what stands there and what would fit.

use serde::{Deserialize, Serialize};

use super::lexer::{Token, TokenClass, tokens};
use super::tree::{
    BinaryOperator, CHOOSE_STRENGTH, Comparison, Example, Expression, ExpressionKind, IN_STRENGTH, Name,
    Program, Statement, StatementKind, Switch, UNARY_STRENGTH, UnaryOperator,
};
use super::{RESERVED_WORDS, Span};
use crate::diagnostic::{Diagnostic, Message, Phrase, Term};

/// Trees of expressions are at most this high, statements nest at most this deep.
pub const MAXIMUM_DEPTH: usize = 200;

/// The words that are read together with the `(` behind them.
const FORMS: [&str; 5] = ["aggregate", "select", "range", "zip", "len"];

/// A tree, and what is wrong with the text that it was read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parse {
    /// The tree; complete exactly when there are no diagnostics.
    pub tree: Program,
    /// What could not be read, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a program. Never fails and never runs anything.
///
/// ```
/// let parse = rasp::parse("reverse = aggregate(select(indices, length-1-indices, ==), tokens);");
/// assert!(parse.diagnostics.is_empty());
/// assert_eq!(parse.tree.statements.len(), 1);
/// ```
pub fn parse(source: &str) -> Parse {
    let mut parser = Parser::new(source);
    let statements = parser.statements(Block::File);
    Parse { tree: Program { statements }, diagnostics: parser.diagnostics }
}

/// What a run of statements stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    File,
    Function,
    Loop,
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    /// How many rules are open: bounds the recursion of the parser itself.
    depth: usize,
    /// While a `set example` is read, its expression ends with the line unless a bracket is open.
    open_brackets_in_line: Option<usize>,
    /// The token that the last diagnostic was about: one diagnostic for each is enough.
    blamed: Option<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            tokens: tokens(source),
            at: 0,
            depth: 0,
            open_brackets_in_line: None,
            blamed: None,
            diagnostics: Vec::new(),
        }
    }

    // Looking at tokens.

    /// The next token, comments passed over.
    fn peek(&self) -> Token {
        self.tokens[self.index()]
    }

    /// The index of the next token that is not a comment.
    fn index(&self) -> usize {
        let comments =
            self.tokens[self.at..].iter().take_while(|token| token.class == TokenClass::Comment).count();
        self.at + comments
    }

    /// The token after the next, comments passed over.
    fn peek_second(&self) -> Token {
        let mut rest = self.tokens[self.index()..].iter().filter(|token| token.class != TokenClass::Comment);
        let first = rest.next();
        *rest.next().or(first).unwrap_or(&self.tokens[self.at])
    }

    fn text(&self, token: Token) -> &'s str {
        token.span.text(self.source)
    }

    /// Whether the next token is this word or mark.
    fn at(&self, text: &str) -> bool {
        let token = self.peek();
        matches!(token.class, TokenClass::Mark | TokenClass::Word) && self.text(token) == text
    }

    fn at_end(&self) -> bool {
        self.peek().class == TokenClass::End
    }

    /// Takes the next token. The end is never passed.
    fn take(&mut self) -> Token {
        let index = self.index();
        let token = self.tokens[index];
        self.at = if token.class == TokenClass::End { index } else { index + 1 };
        token
    }

    fn take_if(&mut self, text: &str) -> Option<Token> {
        self.at(text).then(|| self.take())
    }

    /// The place just behind the last token that was taken.
    fn last_end(&self) -> usize {
        match self.at {
            0 => 0,
            at => self.tokens[at - 1].span.end,
        }
    }

    // Reporting.

    fn report(&mut self, span: Span, message: Message) {
        let index = self.index();
        if self.blamed != Some(index) {
            self.blamed = Some(index);
            self.diagnostics.push(Diagnostic::error(span, message));
        }
    }

    fn phrase(&self, token: Token) -> Phrase {
        match token.class {
            TokenClass::End => Term::EndOfProgram.into(),
            _ => Phrase::Source(self.text(token).to_owned()),
        }
    }

    fn report_unexpected(&mut self, expected: Phrase) {
        let token = self.peek();
        let text = self.text(token);
        let message = match text {
            _ if token.class == TokenClass::Unknown => self.unknown(token),
            "!=" => Message::NotEqualOutsideSelect {},
            "=" if matches!(expected, Phrase::Source(_) | Phrase::OneOf(_)) => Message::AssignInExpression {},
            _ => match Comparison::from_symbol(text) {
                Some(_) if expected == Phrase::Term(Term::Expression) => {
                    Message::LooseComparison { comparison: Phrase::Source(text.to_owned()) }
                }
                _ => Message::Unexpected { found: self.phrase(token), expected },
            },
        };
        self.report(token.span, message);
    }

    /// Why a token does not belong to RASP.
    fn unknown(&self, token: Token) -> Message {
        let text = self.text(token);
        if text.starts_with('\'') {
            Message::SingleQuote {}
        } else if self.starts_number(token) {
            Message::NumberStartsWithDot {}
        } else {
            Message::UnknownCharacter { found: Phrase::Source(text.to_owned()) }
        }
    }

    /// Whether the next token is the dot of a number without digits before it.
    fn starts_number(&self, token: Token) -> bool {
        let next = self.peek_second();
        self.text(token) == "." && next.class == TokenClass::Integer && next.span.start == token.span.end
    }

    /// Takes this mark or word, or reports that it would fit here.
    fn expect(&mut self, text: &str) -> bool {
        let found = self.take_if(text).is_some();
        if !found {
            self.report_unexpected(Phrase::Source(text.to_owned()));
        }
        found
    }

    /// Takes the bracket that closes `open`, or reports that `open` is never closed.
    fn close(&mut self, open: Token, close: &str) {
        if let Some(depth) = &mut self.open_brackets_in_line {
            *depth = depth.saturating_sub(1);
        }
        if self.take_if(close).is_some() {
            return;
        }
        if self.at_end() {
            self.report(
                open.span,
                Message::Unclosed { open: self.phrase(open), close: Phrase::Source(close.to_owned()) },
            );
        } else {
            self.report_unexpected(Phrase::OneOf(vec![
                Phrase::Source(",".to_owned()),
                Phrase::Source(close.to_owned()),
            ]));
        }
    }

    /// Takes an opening bracket.
    fn open(&mut self) -> Token {
        if let Some(depth) = &mut self.open_brackets_in_line {
            *depth += 1;
        }
        self.take()
    }

    // Statements.

    fn statements(&mut self, block: Block) -> Vec<Statement> {
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

    fn statement(&mut self, block: Block) -> StatementKind {
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
    fn end_statement(&mut self, errors_before: usize) {
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
    fn recover(&mut self) {
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

    fn expression_or_assignment(&mut self) -> StatementKind {
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

    fn name(&mut self) -> Name {
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

    fn names(&mut self) -> Vec<Name> {
        let mut names = vec![self.name()];
        while self.take_if(",").is_some() {
            names.push(self.name());
        }
        names
    }

    fn define(&mut self) -> StatementKind {
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

    fn for_loop(&mut self) -> StatementKind {
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

    fn misplaced_return(&mut self, span: Span) {
        self.diagnostics.push(Diagnostic::error(span, Message::MisplacedReturn {}));
    }

    /// `{ statements }`
    fn block(&mut self, block: Block) -> Vec<Statement> {
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

    fn return_statement(&mut self) -> StatementKind {
        let word = self.take();
        if self.depth == 0 {
            self.misplaced_return(word.span);
        }
        StatementKind::Return(self.expressions())
    }

    fn load(&mut self) -> StatementKind {
        self.take();
        let token = self.peek();
        if token.class == TokenClass::Text {
            self.take();
            return StatementKind::Load(unquoted(self.text(token)).to_owned());
        }
        self.report_unexpected(Term::File.into());
        StatementKind::Invalid
    }

    fn draw(&mut self) -> StatementKind {
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
    fn repl(&mut self, block: Block, rule: fn(&mut Self) -> StatementKind) -> StatementKind {
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

    fn set_example(&mut self) -> StatementKind {
        self.take();
        let which = self.which_example();
        self.expect("example");
        self.open_brackets_in_line = Some(0);
        let value = self.expression();
        self.open_brackets_in_line = None;
        StatementKind::SetExample { which, value }
    }

    fn show_example(&mut self) -> StatementKind {
        self.take();
        let which = self.which_example();
        self.expect("example");
        StatementKind::ShowExample(which)
    }

    fn examples_switch(&mut self) -> StatementKind {
        let which = self.which_example();
        self.expect("examples");
        StatementKind::Examples { which, switch: self.switch() }
    }

    fn full_display(&mut self) -> StatementKind {
        self.take();
        self.take();
        if self.text(self.peek()) == "display" {
            self.take();
        } else {
            self.report_unexpected(Phrase::Source("display".to_owned()));
        }
        StatementKind::FullDisplay(self.switch())
    }

    fn exit(&mut self) -> StatementKind {
        self.take();
        if self.take_if("(").is_some() {
            self.expect(")");
        }
        StatementKind::Exit
    }

    /// Whether `s - op examples` stands here. Elsewhere, `s-op` is the difference of `s` and `op`.
    fn at_s_op_examples(&self) -> bool {
        let rest: Vec<&str> =
            self.tokens[self.index()..].iter().take(4).map(|token| self.text(*token)).collect();
        rest.starts_with(&["s", "-", "op"]) && rest.get(3) == Some(&"examples")
    }

    fn which_example(&mut self) -> Example {
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

    fn switch(&mut self) -> Switch {
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

    // Expressions.

    fn expressions(&mut self) -> Vec<Expression> {
        let mut expressions = vec![self.expression()];
        while self.take_if(",").is_some() {
            expressions.push(self.expression());
        }
        expressions
    }

    fn expression(&mut self) -> Expression {
        self.expression_of(0)
    }

    /// Whether the next token may go on with the expression that stands before it.
    fn goes_on(&self) -> bool {
        self.open_brackets_in_line != Some(0) || !self.peek().starts_line
    }

    /// An expression whose operators bind at least as tightly as `strength`. All associate to the left.
    fn expression_of(&mut self, strength: u8) -> Expression {
        if self.depth >= MAXIMUM_DEPTH {
            let span = self.peek().span;
            self.too_deep(span);
            self.skip_nested();
            return self.missing();
        }
        self.depth += 1;
        let mut left = self.prefix();
        while self.goes_on() {
            let symbol = self.text(self.peek());
            if let Some(operator) = BinaryOperator::from_symbol(symbol) {
                if operator.strength() < strength {
                    break;
                }
                self.take();
                let right = self.expression_of(operator.strength() + 1);
                left = self.node(
                    left.span.to(right.span),
                    ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) },
                );
            } else if symbol == "if" && CHOOSE_STRENGTH >= strength {
                self.take();
                let condition = self.expression();
                self.expect("else");
                let otherwise = self.expression_of(CHOOSE_STRENGTH + 1);
                left = self.node(
                    left.span.to(otherwise.span),
                    ExpressionKind::Choose {
                        condition: Box::new(condition),
                        then: Box::new(left),
                        otherwise: Box::new(otherwise),
                    },
                );
            } else if symbol == "in" && IN_STRENGTH >= strength {
                self.take();
                let container = self.expression_of(IN_STRENGTH + 1);
                left = self.node(
                    left.span.to(container.span),
                    ExpressionKind::In { item: Box::new(left), container: Box::new(container) },
                );
            } else {
                break;
            }
        }
        self.depth -= 1;
        left
    }

    /// An expression without operators between: what may stand in front, then calls and indices.
    fn prefix(&mut self) -> Expression {
        let token = self.peek();
        let operator = match self.text(token) {
            "not" => UnaryOperator::Not,
            "-" => UnaryOperator::Minus,
            "+" => UnaryOperator::Plus,
            _ => {
                let primary = self.primary();
                return self.postfix(primary);
            }
        };
        self.take();
        let operand = self.expression_of(UNARY_STRENGTH);
        self.node(token.span.to(operand.span), ExpressionKind::Unary { operator, operand: Box::new(operand) })
    }

    fn postfix(&mut self, mut target: Expression) -> Expression {
        while self.goes_on() && !matches!(target.kind, ExpressionKind::Missing) {
            let open = self.peek();
            let kind = if self.at("[") {
                self.open();
                let index = self.expression();
                self.close(open, "]");
                ExpressionKind::Index { target: Box::new(target), index: Box::new(index) }
            } else if self.at("(") {
                self.open();
                let arguments = self.arguments(open);
                ExpressionKind::Call { function: Box::new(target), arguments }
            } else {
                break;
            };
            let start = kind_start(&kind, open.span);
            target = self.node(Span::new(start, self.last_end()), kind);
        }
        target
    }

    /// Values up to the closing parenthesis. A comparison among them is passed over with a diagnostic.
    fn arguments(&mut self, open: Token) -> Vec<Expression> {
        let mut arguments = Vec::new();
        if !self.at(")") {
            loop {
                if Comparison::from_symbol(self.text(self.peek())).is_some() {
                    self.report_unexpected(Term::Expression.into());
                    self.take();
                } else {
                    arguments.push(self.expression());
                }
                if self.take_if(",").is_none() {
                    break;
                }
            }
        }
        self.close(open, ")");
        arguments
    }

    fn primary(&mut self) -> Expression {
        let token = self.peek();
        let text = self.text(token);
        match token.class {
            TokenClass::Name => {
                self.take();
                if FORMS.contains(&text) && self.at("(") {
                    return self.form(token, text);
                }
                self.node(token.span, ExpressionKind::Name(text.to_owned()))
            }
            TokenClass::Integer => {
                self.take();
                let value = text.parse().unwrap_or_else(|_| {
                    self.number_too_large(token);
                    0
                });
                self.node(token.span, ExpressionKind::Integer(value))
            }
            TokenClass::Float => {
                self.take();
                let mut value: f64 = text.parse().unwrap_or(f64::INFINITY);
                if !value.is_finite() {
                    self.number_too_large(token);
                    value = 0.0;
                }
                self.node(token.span, ExpressionKind::Float(value))
            }
            TokenClass::Text => {
                self.take();
                self.node(token.span, ExpressionKind::Text(unquoted(text).to_owned()))
            }
            TokenClass::Unknown => {
                self.report_unexpected(Term::Expression.into());
                let value = self.missing();
                if self.starts_number(token) {
                    self.take();
                }
                self.take();
                value
            }
            TokenClass::UnfinishedText => {
                self.report(token.span, Message::UnfinishedText {});
                self.take();
                self.node(token.span, ExpressionKind::Text(text[1..].to_owned()))
            }
            _ => match text {
                "(" => self.parenthesised(),
                "[" => self.list(),
                "{" => self.dictionary(),
                "round" => self.function_like(UnaryOperator::Round),
                "indicator" => self.function_like(UnaryOperator::Indicator),
                _ => {
                    let takes_word = token.class == TokenClass::Word
                        && RESERVED_WORDS.contains(&text)
                        && (self.text(self.peek_second()) == "=");
                    if takes_word {
                        let word = self.phrase(token);
                        self.report(token.span, Message::WordOfTheLanguage { word });
                        self.take();
                    } else {
                        self.report_unexpected(Term::Expression.into());
                    }
                    self.missing()
                }
            },
        }
    }

    fn parenthesised(&mut self) -> Expression {
        let open = self.open();
        let inner = self.expression();
        self.close(open, ")");
        Expression { span: Span::new(open.span.start, self.last_end()), ..inner }
    }

    fn function_like(&mut self, operator: UnaryOperator) -> Expression {
        let word = self.take();
        if !self.at("(") {
            self.report_unexpected(Phrase::Source("(".to_owned()));
            return self.missing();
        }
        let open = self.open();
        let operand = self.expression();
        self.close(open, ")");
        self.node(
            Span::new(word.span.start, self.last_end()),
            ExpressionKind::Unary { operator, operand: Box::new(operand) },
        )
    }

    /// `aggregate(`, `select(`, `range(`, `zip(`, `len(`; the word has been taken.
    fn form(&mut self, word: Token, text: &str) -> Expression {
        let open = self.open();
        if open.span.start != word.span.end {
            let word_phrase = Phrase::Source(text.to_owned());
            self.diagnostics.push(Diagnostic::error(
                word.span.to(open.span),
                Message::SpaceBeforeParenthesis { word: word_phrase },
            ));
        }
        let kind = match text {
            "select" => {
                let key = Box::new(self.expression());
                self.expect(",");
                let query = Box::new(self.expression());
                self.expect(",");
                let comparison = self.comparison();
                self.close(open, ")");
                ExpressionKind::Select { key, query, comparison }
            }
            "aggregate" => {
                let selector = Box::new(self.expression());
                self.expect(",");
                let sequence = Box::new(self.expression());
                let default = self.take_if(",").map(|_| Box::new(self.expression()));
                self.close(open, ")");
                ExpressionKind::Aggregate { selector, sequence, default }
            }
            "len" => {
                let list = Box::new(self.expression());
                self.close(open, ")");
                ExpressionKind::Len(list)
            }
            _ => {
                let values = self.expressions();
                self.close(open, ")");
                if text == "range" { ExpressionKind::Range(values) } else { ExpressionKind::Zip(values) }
            }
        };
        self.node(Span::new(word.span.start, self.last_end()), kind)
    }

    fn comparison(&mut self) -> Comparison {
        let token = self.peek();
        match Comparison::from_symbol(self.text(token)) {
            Some(comparison) => {
                self.take();
                comparison
            }
            None => {
                self.report_unexpected(Term::Comparison.into());
                Comparison::Equal
            }
        }
    }

    fn list(&mut self) -> Expression {
        let open = self.open();
        let kind = if self.at("]") {
            ExpressionKind::List(Vec::new())
        } else {
            let first = self.expression();
            if self.take_if("for").is_some() {
                let (names, iterable) = self.names_in_iterable();
                ExpressionKind::ListFor { value: Box::new(first), names, iterable }
            } else {
                let mut items = vec![first];
                while self.take_if(",").is_some() {
                    items.push(self.expression());
                }
                ExpressionKind::List(items)
            }
        };
        self.close(open, "]");
        self.node(Span::new(open.span.start, self.last_end()), kind)
    }

    fn dictionary(&mut self) -> Expression {
        let open = self.open();
        let kind = if self.at("}") {
            ExpressionKind::Dictionary(Vec::new())
        } else {
            let (key, value) = self.entry();
            if self.take_if("for").is_some() {
                let (names, iterable) = self.names_in_iterable();
                ExpressionKind::DictionaryFor { key: Box::new(key), value: Box::new(value), names, iterable }
            } else {
                let mut entries = vec![(key, value)];
                while self.take_if(",").is_some() {
                    entries.push(self.entry());
                }
                ExpressionKind::Dictionary(entries)
            }
        };
        self.close(open, "}");
        self.node(Span::new(open.span.start, self.last_end()), kind)
    }

    fn entry(&mut self) -> (Expression, Expression) {
        let key = self.expression();
        self.expect(":");
        (key, self.expression())
    }

    fn names_in_iterable(&mut self) -> (Vec<Name>, Box<Expression>) {
        let names = self.names();
        self.expect("in");
        (names, Box::new(self.expression()))
    }

    // Nodes.

    fn missing(&mut self) -> Expression {
        let at = self.peek().span.start;
        Expression { kind: ExpressionKind::Missing, span: Span::new(at, at), depth: 1 }
    }

    /// A node over its parts, unless the tree would grow too high: then the parts are given up.
    fn node(&mut self, span: Span, kind: ExpressionKind) -> Expression {
        let depth = 1 + kind.parts().map(|part| part.depth).max().unwrap_or(0);
        if depth > MAXIMUM_DEPTH {
            self.too_deep(span);
            return Expression { kind: ExpressionKind::Missing, span, depth: 1 };
        }
        Expression { kind, span, depth }
    }

    fn too_deep(&mut self, span: Span) {
        self.report(span, Message::NestedTooDeep { limit: MAXIMUM_DEPTH.into() });
    }

    /// Passes over what is nested too deeply, without recursion.
    fn skip_nested(&mut self) {
        while !self.at_end() && !self.at(";") {
            self.take();
        }
    }

    fn number_too_large(&mut self, token: Token) {
        let found = self.phrase(token);
        self.diagnostics.push(Diagnostic::error(token.span, Message::NumberTooLarge { found }));
    }
}

impl ExpressionKind {
    /// The expressions that this one is directly made of, in the order of the text.
    pub fn parts(&self) -> impl Iterator<Item = &Expression> {
        let parts: Vec<&Expression> = match self {
            ExpressionKind::Missing
            | ExpressionKind::Name(_)
            | ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Text(_) => Vec::new(),
            ExpressionKind::List(items) | ExpressionKind::Range(items) | ExpressionKind::Zip(items) => {
                items.iter().collect()
            }
            ExpressionKind::Dictionary(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            ExpressionKind::Unary { operand, .. } | ExpressionKind::Len(operand) => vec![operand],
            ExpressionKind::Binary { left, right, .. } => vec![left, right],
            ExpressionKind::Choose { condition, then, otherwise } => vec![then, condition, otherwise],
            ExpressionKind::In { item, container } => vec![item, container],
            ExpressionKind::Index { target, index } => vec![target, index],
            ExpressionKind::Call { function, arguments } => {
                std::iter::once(&**function).chain(arguments).collect()
            }
            ExpressionKind::Select { key, query, .. } => vec![key, query],
            ExpressionKind::Aggregate { selector, sequence, default } => {
                [Some(selector), Some(sequence), default.as_ref()]
                    .into_iter()
                    .flatten()
                    .map(|part| &**part)
                    .collect()
            }
            ExpressionKind::ListFor { value, iterable, .. } => vec![value, iterable],
            ExpressionKind::DictionaryFor { key, value, iterable, .. } => vec![key, value, iterable],
        };
        parts.into_iter()
    }
}

/// Where an index or a call starts: where its target does.
fn kind_start(kind: &ExpressionKind, open: Span) -> usize {
    kind.parts().next().map_or(open.start, |part| part.span.start)
}

fn unquoted(text: &str) -> &str {
    &text[1..text.len() - 1]
}
