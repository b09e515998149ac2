//! The tree of a program. Every node knows the stretch of text that it was read from.

use serde::{Deserialize, Serialize};

use super::Span;

/// A whole program, or the content of a file that is loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The statements in their order, comments among them.
    pub statements: Vec<Statement>,
}

impl Program {
    /// The names that the program gives at its top level, in their order, each once.
    pub fn defined_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for statement in &self.statements {
            let given: Vec<&Name> = match &statement.kind {
                StatementKind::Assign { names, .. } | StatementKind::For { names, .. } => {
                    names.iter().collect()
                }
                StatementKind::Define { name, .. } => vec![name],
                _ => Vec::new(),
            };
            for name in given {
                if !names.contains(&name.text) {
                    names.push(name.text.clone());
                }
            }
        }
        names
    }
}

/// A statement and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// From its first character to its `;` or `}`.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StatementKind {
    /// `value;`
    Expression(Expression),
    /// `a, b = value, value;`
    Assign {
        /// The names on the left.
        names: Vec<Name>,
        /// The values on the right.
        values: Vec<Expression>,
    },
    /// `def name(parameters) { body }`; the last statement of the body that is not a comment is its `return`.
    Define {
        /// The name of the function.
        name: Name,
        /// The names of its arguments.
        parameters: Vec<Name>,
        /// The statements inside.
        body: Vec<Statement>,
    },
    /// `return value, value;`, only as the last statement of a function.
    Return(Vec<Expression>),
    /// `for a, b in iterable { body }`
    For {
        /// The names that take the values in turn.
        names: Vec<Name>,
        /// What is walked through.
        iterable: Expression,
        /// The statements inside.
        body: Vec<Statement>,
    },
    /// `load "file";`
    Load(String),
    /// `draw(value, input);`
    Draw {
        /// The s-op.
        value: Expression,
        /// The input that it is drawn on; without it, the running example.
        input: Option<Expression>,
    },
    /// `set s-op example value`
    SetExample {
        /// Which of the running examples.
        which: Example,
        /// Its new value.
        value: Expression,
    },
    /// `show example`
    ShowExample(Example),
    /// `examples on`
    Examples {
        /// Which of the running examples.
        which: Example,
        /// On or off.
        switch: Switch,
    },
    /// `full seq display on`
    FullDisplay(Switch),
    /// `exit` or `quit`: nothing after it runs.
    Exit,
    /// `# text`, without the `#`.
    Comment(String),
    /// Something that could not be read; a diagnostic says why.
    Invalid,
}

/// Which running example a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Example {
    /// Of s-ops and of selectors.
    Both,
    /// Of s-ops.
    SOp,
    /// Of selectors.
    Selector,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Switch {
    /// `on`
    On,
    /// `off`
    Off,
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// An expression, its place and the height of its tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it stands, with the parentheses around it.
    pub span: Span,
    /// The number of nodes on the longest way down, itself included. Bounded by
    /// [`MAXIMUM_DEPTH`](super::MAXIMUM_DEPTH), so that walking a tree never exhausts the stack.
    pub depth: usize,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExpressionKind {
    /// Nothing where something should stand; a diagnostic says so.
    Missing,
    /// A name.
    Name(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text, without its quotes.
    Text(String),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{key: value}`
    Dictionary(Vec<(Expression, Expression)>),
    /// `-a`, `not a`, `round(a)` …
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Box<Expression>,
    },
    /// `a + b` …
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
    /// `then if condition else otherwise`
    Choose {
        /// The condition.
        condition: Box<Expression>,
        /// The value where it holds.
        then: Box<Expression>,
        /// The value where it does not.
        otherwise: Box<Expression>,
    },
    /// `item in container`
    In {
        /// What is looked for.
        item: Box<Expression>,
        /// Where it is looked for.
        container: Box<Expression>,
    },
    /// `target[index]`
    Index {
        /// A list, a dictionary, a text or an s-op.
        target: Box<Expression>,
        /// The place or the key.
        index: Box<Expression>,
    },
    /// `function(arguments)`; also an s-op or a selector applied to an input.
    Call {
        /// What is called.
        function: Box<Expression>,
        /// What it is given.
        arguments: Vec<Expression>,
    },
    /// `select(key, query, comparison)`
    Select {
        /// The sequence that is looked at.
        key: Box<Expression>,
        /// The sequence that looks.
        query: Box<Expression>,
        /// How they are compared: `key comparison query`.
        comparison: Comparison,
    },
    /// `aggregate(selector, sequence, default)`
    Aggregate {
        /// The selector.
        selector: Box<Expression>,
        /// The sequence that is fetched from.
        sequence: Box<Expression>,
        /// The value where nothing is selected.
        default: Option<Box<Expression>>,
    },
    /// `range(start, end, step)`
    Range(Vec<Expression>),
    /// `zip(a, b)`
    Zip(Vec<Expression>),
    /// `len(list)`
    Len(Box<Expression>),
    /// `[value for names in iterable]`
    ListFor {
        /// One item for each round.
        value: Box<Expression>,
        /// The names that take the values in turn.
        names: Vec<Name>,
        /// What is walked through.
        iterable: Box<Expression>,
    },
    /// `{key: value for names in iterable}`
    DictionaryFor {
        /// The key of each round.
        key: Box<Expression>,
        /// The value of each round.
        value: Box<Expression>,
        /// The names that take the values in turn.
        names: Vec<Name>,
        /// What is walked through.
        iterable: Box<Expression>,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOperator {
    /// `not a`
    Not,
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `round(a)`: to the nearest whole number, halves to the even one.
    Round,
    /// `indicator(a)`: 1 where `a` holds, else 0.
    Indicator,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOperator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, always with a fraction.
    Divide,
    /// `a % b`, with the sign of `b`.
    Remainder,
    /// `a ^ b`
    Power,
    /// `a == b`, `a < b` …
    Compare(Comparison),
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

/// Comparisons, of elements or in a `select`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`, only in a `select`.
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
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

impl UnaryOperator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Not => "not",
            UnaryOperator::Minus => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::Round => "round",
            UnaryOperator::Indicator => "indicator",
        }
    }
}

impl BinaryOperator {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
            BinaryOperator::Power => "^",
            BinaryOperator::Compare(comparison) => comparison.symbol(),
            BinaryOperator::And => "and",
            BinaryOperator::Or => "or",
        }
    }

    /// How tightly it binds; a larger number binds tighter.
    pub(crate) fn strength(self) -> u8 {
        match self {
            BinaryOperator::And | BinaryOperator::Or => 3,
            BinaryOperator::Compare(_) => 4,
            BinaryOperator::Add | BinaryOperator::Subtract => 5,
            BinaryOperator::Remainder => 6,
            BinaryOperator::Multiply | BinaryOperator::Divide => 7,
            BinaryOperator::Power => 8,
        }
    }

    /// The operator that is written so, `!=` excepted: it exists only in a `select`.
    pub(crate) fn from_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "+" => BinaryOperator::Add,
            "-" => BinaryOperator::Subtract,
            "*" => BinaryOperator::Multiply,
            "/" => BinaryOperator::Divide,
            "%" => BinaryOperator::Remainder,
            "^" => BinaryOperator::Power,
            "and" => BinaryOperator::And,
            "or" => BinaryOperator::Or,
            _ => match Comparison::from_symbol(symbol)? {
                Comparison::NotEqual => return None,
                comparison => BinaryOperator::Compare(comparison),
            },
        })
    }
}

impl Comparison {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    /// The comparison that is written so.
    pub(crate) fn from_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }
}

/// How tightly `a if c else b` binds.
pub(crate) const CHOOSE_STRENGTH: u8 = 2;
/// How tightly `a in b` binds: loosest of all.
pub(crate) const IN_STRENGTH: u8 = 1;
/// How tightly `not`, `-` and `+` in front bind: tighter than every operator between.
pub(crate) const UNARY_STRENGTH: u8 = 9;
/// How tightly `a[i]` and `a(x)` bind, and what needs no parentheses anywhere.
pub(crate) const POSTFIX_STRENGTH: u8 = 10;
