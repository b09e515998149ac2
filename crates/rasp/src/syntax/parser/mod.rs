//! Tokens into a tree. It never fails: what cannot be read becomes a `Missing` expression or an
//! `Invalid` statement, and a diagnostic says what stands there and what would fit.

mod expressions;
mod statements;

use serde::{Deserialize, Serialize};

use super::Span;
use super::lexer::{Token, TokenClass, tokens};
use super::tree::{Comparison, Program};
use crate::diagnostic::{Diagnostic, Message, Phrase, Term};

/// Trees of expressions are at most this high, statements nest at most this deep.
pub const MAXIMUM_DEPTH: usize = 200;

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
}

fn unquoted(text: &str) -> &str {
    &text[1..text.len() - 1]
}
