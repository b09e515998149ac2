//! From text to tree and back: lexer, parser, printer.

mod lexer;
mod parser;
mod printer;
mod span;
mod tree;

pub use lexer::{Token, TokenClass, tokens};
pub use parser::{MAXIMUM_DEPTH, Parse, parse};
pub use printer::{print, print_expression};
pub use span::Span;
pub use tree::{
    BinaryOperator, Comparison, Example, Expression, ExpressionKind, Name, Program, Statement, StatementKind,
    Switch, UnaryOperator,
};

pub(crate) use lexer::RESERVED_WORDS;
