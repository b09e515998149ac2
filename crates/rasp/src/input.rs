//! The input of a program: one token for each position.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Message, Phrase, Term};
use crate::elementwise::Failure;
use crate::graph::Base;
use crate::syntax::{Span, Token, TokenClass, tokens};
use crate::value::{Atom, Sequence};

/// A sequence of at least one token. The letters of a text are its tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    tokens: Arc<[Atom]>,
}

impl Input {
    /// The letters of a text. Fails when there are none.
    pub fn from_text(text: &str) -> Result<Self, Message> {
        Self::from_atoms(text.chars().map(|c| Atom::text(c.encode_utf8(&mut [0; 4]))).collect())
    }

    /// Numbers, for example the elements of matrices row after row. Fails when there are none, or
    /// when one is infinite or not a number.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self, Message> {
        if let Some(bad) = numbers.iter().find(|number| !number.is_finite()) {
            return Err(Message::NumberTooLarge { found: Phrase::Source(bad.to_string()) });
        }
        Self::from_atoms(numbers.iter().map(|number| Atom::Float(*number)).collect())
    }

    /// These tokens. Fails when there are none.
    pub fn from_atoms(atoms: Vec<Atom>) -> Result<Self, Message> {
        if atoms.is_empty() {
            return Err(Message::EmptyInput {});
        }
        Ok(Self { tokens: atoms.into() })
    }

    /// Tokens that are known to be at least one, and finite.
    pub(crate) fn of_checked(tokens: Vec<Atom>) -> Self {
        Self { tokens: tokens.into() }
    }

    /// Reads what a person writes into an input line: a text in quotes, a list of numbers, texts and
    /// truth values in brackets, or bare letters.
    ///
    /// ```
    /// use rasp::Input;
    /// assert_eq!(Input::parse("hello"), Input::parse("\"hello\""));
    /// assert_eq!(Input::parse("[1, -2.5, True]").map(|input| input.len()), Ok(3));
    /// assert!(Input::parse("").is_err());
    /// ```
    pub fn parse(source: &str) -> Result<Self, Box<Diagnostic>> {
        let everything = Span::new(0, source.len());
        let empty = |message| Box::new(Diagnostic::error(everything, message));
        let trimmed = source.trim();
        if trimmed.starts_with('[') {
            return Self::from_atoms(list(source)?).map_err(empty);
        }
        let quoted = trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Self::from_text(quoted.unwrap_or(trimmed)).map_err(empty)
    }

    /// The number of positions, at least one.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Always false: an input has at least one token.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The tokens in their order.
    pub fn tokens(&self) -> &[Atom] {
        &self.tokens
    }

    /// The first `length` values of one of the sequences that a program starts from.
    pub(crate) fn base(&self, base: Base, length: usize) -> Result<Sequence, Failure> {
        crate::elementwise::map(length, |position| base.at(&self.tokens[position], position))
    }
}

impl Base {
    /// Its value at a position where this token stands.
    ///
    /// # Errors
    /// When the token is no number and one is asked for.
    pub fn at(self, token: &Atom, position: usize) -> Result<Atom, Message> {
        let converted = match self {
            Base::TokensText => Some(Atom::text(&token.to_string())),
            Base::TokensInt => to_int(token),
            Base::TokensFloat => to_float(token),
            Base::TokensBool => Some(Atom::Bool(token.is_true())),
            Base::TokensAsIs => Some(token.clone()),
            Base::Indices => Some(Atom::Int(position as i64)),
        };
        converted.ok_or_else(|| Message::BadToken {
            token: token.phrase(),
            kind: match self {
                Base::TokensInt => Term::WholeNumber.into(),
                _ => Term::Number.into(),
            },
        })
    }
}

/// As it would be written in a program.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_letter = |atom: &Atom| match atom {
            Atom::Text(text) => text.chars().count() == 1 && !text.contains(['"', '\n', '\r']),
            _ => false,
        };
        if self.tokens.iter().all(is_letter) {
            let letters: String = self.tokens.iter().map(Atom::to_string).collect();
            return write!(f, "\"{letters}\"");
        }
        let tokens: Vec<String> = self.tokens.iter().map(Atom::to_source).collect();
        write!(f, "[{}]", tokens.join(", "))
    }
}

fn to_int(token: &Atom) -> Option<Atom> {
    match token {
        Atom::Text(text) => text.trim().parse().ok().map(Atom::Int),
        Atom::Float(value) => {
            let whole = value.trunc();
            (whole.abs() < 2f64.powi(63)).then_some(Atom::Int(whole as i64))
        }
        _ => token.whole().map(Atom::Int),
    }
}

fn to_float(token: &Atom) -> Option<Atom> {
    let value = match token {
        Atom::Text(text) => text.trim().parse().ok()?,
        _ => token.as_f64()?,
    };
    f64::is_finite(value).then_some(Atom::Float(value))
}

/// The values of a list literal.
fn list(source: &str) -> Result<Vec<Atom>, Box<Diagnostic>> {
    let mut reader = ListReader { source, tokens: tokens(source), at: 0 };
    reader.take("[")?;
    let mut atoms = Vec::new();
    while !reader.takes("]") {
        if !atoms.is_empty() {
            reader.take(",")?;
        }
        atoms.push(reader.atom()?);
    }
    if reader.next().class != TokenClass::End {
        return Err(reader.unexpected(Term::EndOfLine));
    }
    Ok(atoms)
}

struct ListReader<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
}

impl ListReader<'_> {
    fn next(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn text(&self) -> &str {
        self.next().span.text(self.source)
    }

    fn unexpected(&self, expected: impl Into<Phrase>) -> Box<Diagnostic> {
        let found = match self.next().class {
            TokenClass::End => Term::EndOfLine.into(),
            _ => Phrase::Source(self.text().to_owned()),
        };
        let expected = expected.into();
        Box::new(Diagnostic::error(self.next().span, Message::Unexpected { found, expected }))
    }

    fn takes(&mut self, text: &str) -> bool {
        let found = self.text() == text;
        self.at += usize::from(found);
        found
    }

    fn take(&mut self, text: &str) -> Result<(), Box<Diagnostic>> {
        if self.takes(text) { Ok(()) } else { Err(self.unexpected(Phrase::Source(text.to_owned()))) }
    }

    fn atom(&mut self) -> Result<Atom, Box<Diagnostic>> {
        let negative = self.takes("-");
        let text = self.text();
        let number = match self.next().class {
            TokenClass::Integer => {
                text.parse().ok().map(|value: i64| Atom::Int(if negative { -value } else { value }))
            }
            TokenClass::Float => text
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .map(|value| Atom::Float(if negative { -value } else { value })),
            TokenClass::Text if !negative => Some(Atom::text(&text[1..text.len() - 1])),
            TokenClass::Name if !negative => match text {
                "True" | "true" => Some(Atom::Bool(true)),
                "False" | "false" => Some(Atom::Bool(false)),
                _ => None,
            },
            _ => None,
        };
        match number {
            Some(atom) => {
                self.at += 1;
                Ok(atom)
            }
            None => Err(self.unexpected(Term::Atom)),
        }
    }
}
