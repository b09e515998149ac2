//! Text into tokens. It never fails: what does not belong to RASP becomes an `Unknown` token.

use serde::{Deserialize, Serialize};

use super::Span;

/// Words of the language that cannot be names.
pub(crate) const RESERVED_WORDS: [&str; 22] = [
    "and",
    "def",
    "draw",
    "else",
    "example",
    "examples",
    "exit",
    "for",
    "if",
    "in",
    "indicator",
    "load",
    "not",
    "off",
    "on",
    "or",
    "quit",
    "return",
    "round",
    "selector",
    "set",
    "show",
];

/// Marks of two characters, which must be tried before those of one.
const DOUBLE_MARKS: [&str; 4] = ["==", "<=", ">=", "!="];
const SINGLE_MARKS: &str = "()[]{},;:=<>+-*/%^";

/// What a token is, which is also what an editor colours it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TokenClass {
    /// A name that a program may give.
    Name,
    /// A word of the language.
    Word,
    /// A whole number.
    Integer,
    /// A number with a fraction or an exponent.
    Float,
    /// Text in double quotes, quotes included.
    Text,
    /// Text whose closing quote is missing.
    UnfinishedText,
    /// From `#` to the end of the line.
    Comment,
    /// An operator, a bracket, a comma, a semicolon …
    Mark,
    /// A character that does not belong to RASP, or a text in single quotes.
    Unknown,
    /// The end of the program.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// What it is.
    pub class: TokenClass,
    /// Where it stands.
    pub span: Span,
    /// Whether a line break stands between it and the token before it.
    pub starts_line: bool,
}

/// All tokens of a text, comments included, white space left out, with one `End` token at the end.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut starts_line = true;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        if first.is_whitespace() {
            starts_line |= first == '\n' || first == '\r';
            at += first.len_utf8();
            continue;
        }
        let (class, length) = next_token(rest, first);
        tokens.push(Token { class, span: Span::new(at, at + length), starts_line });
        starts_line = false;
        at += length;
    }
    tokens.push(Token { class: TokenClass::End, span: Span::new(at, at), starts_line });
    tokens
}

/// The class and the length in bytes of the token at the start of `rest`.
fn next_token(rest: &str, first: char) -> (TokenClass, usize) {
    match first {
        '#' => {
            let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
            (TokenClass::Comment, length)
        }
        '"' => match rest[1..].find(['"', '\n', '\r']).map(|at| at + 1) {
            Some(at) if rest.as_bytes()[at] == b'"' => (TokenClass::Text, at + 1),
            end => (TokenClass::UnfinishedText, end.unwrap_or(rest.len())),
        },
        '\'' => match rest[1..].find(['\'', '\n', '\r']).map(|at| at + 1) {
            Some(at) if rest.as_bytes()[at] == b'\'' => (TokenClass::Unknown, at + 1),
            _ => (TokenClass::Unknown, 1),
        },
        'a'..='z' | 'A'..='Z' | '_' => {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let class =
                if RESERVED_WORDS.contains(&&rest[..length]) { TokenClass::Word } else { TokenClass::Name };
            (class, length)
        }
        '0'..='9' => number(rest),
        _ if DOUBLE_MARKS.iter().any(|mark| rest.starts_with(mark)) => (TokenClass::Mark, 2),
        _ if SINGLE_MARKS.contains(first) => (TokenClass::Mark, 1),
        _ => (TokenClass::Unknown, first.len_utf8()),
    }
}

/// A number at the start of `rest`: digits, then perhaps a fraction, then perhaps an exponent.
fn number(rest: &str) -> (TokenClass, usize) {
    let bytes = rest.as_bytes();
    let digits =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    let mut class = TokenClass::Integer;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
        class = TokenClass::Float;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
            class = TokenClass::Float;
        }
    }
    (class, length)
}
