//! The rules of expressions: operators by how tightly they bind, all associating to the left.

use super::{MAXIMUM_DEPTH, Parser, unquoted};
use crate::diagnostic::{Diagnostic, Message, Phrase, Term};
use crate::syntax::lexer::{Token, TokenClass};
use crate::syntax::tree::{
    BinaryOperator, CHOOSE_STRENGTH, Comparison, Expression, ExpressionKind, IN_STRENGTH, Name,
    UNARY_STRENGTH, UnaryOperator,
};
use crate::syntax::{RESERVED_WORDS, Span};

/// The words that are read together with the `(` behind them.
const FORMS: [&str; 5] = ["aggregate", "select", "range", "zip", "len"];

impl Parser<'_> {
    pub(super) fn expressions(&mut self) -> Vec<Expression> {
        let mut expressions = vec![self.expression()];
        while self.take_if(",").is_some() {
            expressions.push(self.expression());
        }
        expressions
    }

    pub(super) fn expression(&mut self) -> Expression {
        self.expression_of(0)
    }

    /// Whether the next token may go on with the expression that stands before it.
    pub(super) fn goes_on(&self) -> bool {
        self.open_brackets_in_line != Some(0) || !self.peek().starts_line
    }

    /// An expression whose operators bind at least as tightly as `strength`. All associate to the left.
    pub(super) fn expression_of(&mut self, strength: u8) -> Expression {
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
    pub(super) fn prefix(&mut self) -> Expression {
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

    pub(super) fn postfix(&mut self, mut target: Expression) -> Expression {
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
    pub(super) fn arguments(&mut self, open: Token) -> Vec<Expression> {
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

    pub(super) fn primary(&mut self) -> Expression {
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

    pub(super) fn parenthesised(&mut self) -> Expression {
        let open = self.open();
        let inner = self.expression();
        self.close(open, ")");
        Expression { span: Span::new(open.span.start, self.last_end()), ..inner }
    }

    pub(super) fn function_like(&mut self, operator: UnaryOperator) -> Expression {
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
    pub(super) fn form(&mut self, word: Token, text: &str) -> Expression {
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

    pub(super) fn comparison(&mut self) -> Comparison {
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

    pub(super) fn list(&mut self) -> Expression {
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

    pub(super) fn dictionary(&mut self) -> Expression {
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

    pub(super) fn entry(&mut self) -> (Expression, Expression) {
        let key = self.expression();
        self.expect(":");
        (key, self.expression())
    }

    pub(super) fn names_in_iterable(&mut self) -> (Vec<Name>, Box<Expression>) {
        let names = self.names();
        self.expect("in");
        (names, Box::new(self.expression()))
    }

    // Nodes.

    pub(super) fn missing(&mut self) -> Expression {
        let at = self.peek().span.start;
        Expression { kind: ExpressionKind::Missing, span: Span::new(at, at), depth: 1 }
    }

    /// A node over its parts, unless the tree would grow too high: then the parts are given up.
    pub(super) fn node(&mut self, span: Span, kind: ExpressionKind) -> Expression {
        let depth = 1 + kind.parts().map(|part| part.depth).max().unwrap_or(0);
        if depth > MAXIMUM_DEPTH {
            self.too_deep(span);
            return Expression { kind: ExpressionKind::Missing, span, depth: 1 };
        }
        Expression { kind, span, depth }
    }

    pub(super) fn too_deep(&mut self, span: Span) {
        self.report(span, Message::NestedTooDeep { limit: MAXIMUM_DEPTH.into() });
    }

    /// Passes over what is nested too deeply, without recursion.
    pub(super) fn skip_nested(&mut self) {
        while !self.at_end() && !self.at(";") {
            self.take();
        }
    }

    pub(super) fn number_too_large(&mut self, token: Token) {
        let found = self.phrase(token);
        self.diagnostics.push(Diagnostic::error(token.span, Message::NumberTooLarge { found }));
    }
}

/// Where an index or a call starts: where its target does.
fn kind_start(kind: &ExpressionKind, open: Span) -> usize {
    kind.parts().next().map_or(open.start, |part| part.span.start)
}
