//! What is wrong, where, and what would fit: data that a page can show in any language.
//!
//! A [`Message`] has a code, an English template with `{places}` and named arguments. A page in
//! another language keeps its own template for each code of [`MESSAGES`] and its own word for each
//! term of [`TERMS`], and fills them with [`fill`].

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::syntax::Span;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// The program has no result.
    Error,
    /// The program runs, but perhaps not as its author thinks.
    Warning,
}

/// A finding about a program: what, where, at which position of the sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The place in the program's own text. An error inside of a library function points to the call.
    pub span: Span,
    /// The place inside of a loaded file, when it happened there.
    pub origin: Option<Origin>,
    /// The position of the sequence at which an evaluation failed.
    pub position: Option<usize>,
    /// What is wrong.
    pub message: Message,
}

/// A place in a text that is not the program's own: the standard library or a loaded file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The name of the file, as it was loaded.
    pub file: String,
    /// The place in it.
    pub span: Span,
}

impl Diagnostic {
    /// An error at a place in the program.
    pub fn error(span: Span, message: Message) -> Self {
        Self { severity: Severity::Error, span, origin: None, position: None, message }
    }

    /// A warning at a place in the program.
    pub fn warning(span: Span, message: Message) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(position) = self.position {
            write!(f, " (at position {position})")?;
        }
        if let Some(origin) = &self.origin {
            write!(f, " (in {})", origin.file)?;
        }
        Ok(())
    }
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Phrase {
    /// A piece of RASP, shown as it is written.
    Source(String),
    /// Words of the program's author, shown as they are.
    Verbatim(String),
    /// A count.
    Number(usize),
    /// A word of the subject, which each language has its own word for.
    Term(Term),
    /// Several, of which one fits.
    OneOf(Vec<Phrase>),
}

impl Phrase {
    /// In words, with `translate` giving the word for each term and `or` standing between alternatives.
    pub fn render(&self, translate: &dyn Fn(Term) -> String, or: &str) -> String {
        match self {
            Phrase::Source(text) => format!("`{text}`"),
            Phrase::Verbatim(text) => text.clone(),
            Phrase::Number(number) => number.to_string(),
            Phrase::Term(term) => translate(*term),
            Phrase::OneOf(phrases) => {
                let rendered: Vec<String> = phrases.iter().map(|p| p.render(translate, or)).collect();
                match rendered.split_last() {
                    Some((last, [])) => last.clone(),
                    Some((last, rest)) => format!("{} {or} {last}", rest.join(", ")),
                    None => String::new(),
                }
            }
        }
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&|term| term.english().to_owned(), "or"))
    }
}

impl From<Term> for Phrase {
    fn from(term: Term) -> Self {
        Phrase::Term(term)
    }
}

impl From<usize> for Phrase {
    fn from(number: usize) -> Self {
        Phrase::Number(number)
    }
}

/// Puts the arguments of `message` into the `{places}` of `template`.
pub fn fill(template: &str, message: &Message, translate: &dyn Fn(Term) -> String, or: &str) -> String {
    message.arguments().iter().fold(template.to_owned(), |text, (name, phrase)| {
        text.replace(&format!("{{{name}}}"), &phrase.render(translate, or))
    })
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fill(self.template(), self, &|term| term.english().to_owned(), "or"))
    }
}

macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident $code:literal $english:literal;)*) => {
        /// A word of the subject, for messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Term {
            $($(#[$doc])* #[doc = $english] $term,)*
        }

        /// Code and English words of every term, for tables of translations.
        pub const TERMS: &[(&str, &str)] = &[$(($code, $english),)*];

        impl Term {
            /// A stable name for tables of translations.
            pub fn code(self) -> &'static str {
                match self { $(Term::$term => $code,)* }
            }

            /// In English, with its article.
            pub fn english(self) -> &'static str {
                match self { $(Term::$term => $english,)* }
            }
        }
    };
}

terms! {
    Expression "expression" "an expression";
    Statement "statement" "a statement";
    Name "name" "a name";
    Comparison "comparison" "a comparison";
    File "file" "a file name in double quotes";
    EndOfProgram "end-of-program" "the end of the program";
    EndOfLine "end-of-line" "the end of the line";
    SOp "s-op" "an s-op";
    Selector "selector" "a selector";
    Atom "atom" "a single value";
    WholeNumber "whole-number" "a whole number";
    Fraction "fraction" "a number with a fraction";
    Number "number" "a number";
    Text "text" "a text";
    TruthValue "truth-value" "a truth value";
    List "list" "a list";
    Dictionary "dictionary" "a dictionary";
    Function "function" "a function";
    Sequence "sequence" "a computed sequence";
    WholeNumbers "whole-numbers" "whole numbers";
    Fractions "fractions" "numbers with a fraction";
    Texts "texts" "texts";
    TruthValues "truth-values" "truth values";
    ListOfAtoms "list-of-atoms" "a list of single values";
}

macro_rules! messages {
    ($($message:ident { $($argument:ident),* } $code:literal $english:literal;)*) => {
        /// What is wrong. Each message's template is its documentation.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum Message {
            $(#[doc = $english] $message { $($argument: Phrase),* },)*
        }

        /// Code and English template of every message, for tables of translations.
        pub const MESSAGES: &[(&str, &str)] = &[$(($code, $english),)*];

        impl Message {
            /// A stable name for tables of translations.
            pub fn code(&self) -> &'static str {
                match self { $(Message::$message { .. } => $code,)* }
            }

            /// The English sentence with `{places}` for the arguments.
            pub fn template(&self) -> &'static str {
                match self { $(Message::$message { .. } => $english,)* }
            }

            /// The arguments by their names.
            pub fn arguments(&self) -> Vec<(&'static str, Phrase)> {
                match self {
                    $(Message::$message { $($argument),* } => {
                        vec![$((stringify!($argument), $argument.clone())),*]
                    })*
                }
            }
        }
    };
}

messages! {
    // Reading.
    UnknownCharacter { found } "unknown-character"
        "{found} does not belong to RASP.";
    SingleQuote {} "single-quote"
        "Text stands in double quotes, for example \"a\".";
    UnfinishedText {} "unfinished-text"
        "This text has no closing double quote on its line.";
    NumberStartsWithDot {} "number-starts-with-dot"
        "A number starts with a digit: write 0.5, not .5.";
    Unexpected { found, expected } "unexpected"
        "Here stands {found}, where {expected} would fit.";
    MissingSemicolon {} "missing-semicolon"
        "This statement needs a `;` at its end.";
    ExtraSemicolon {} "extra-semicolon"
        "This `;` ends nothing: the statement before it has its own. Take it away.";
    NotEqualOutsideSelect {} "not-equal-outside-select"
        "`!=` works only as the last part of `select`. Between s-ops, write `not (a == b)`.";
    AssignInExpression {} "assign-in-expression"
        "A single `=` names a value. To compare, write `==`.";
    LooseComparison { comparison } "loose-comparison"
        "{comparison} stands alone only as the last part of `select(key, query, {comparison})`.";
    SpaceBeforeParenthesis { word } "space-before-parenthesis"
        "Write {word} and its `(` together, without a space.";
    WordOfTheLanguage { word } "word-of-the-language"
        "{word} is a word of the language; choose another name.";
    Unclosed { open, close } "unclosed"
        "This {open} is never closed by {close}.";
    MissingReturn { function } "missing-return"
        "The function {function} does not say what it gives back: end it with `return value;`.";
    MisplacedReturn {} "misplaced-return"
        "`return` belongs at the very end of a function, and only there.";
    ReplStatementInside {} "repl-statement-inside"
        "This statement belongs outside of functions and loops.";
    NestedTooDeep { limit } "nested-too-deep"
        "This expression is nested more than {limit} levels deep. Give names to its parts.";
    NumberTooLarge { found } "number-too-large"
        "{found} is too large for a number here.";

    // Describing.
    UndefinedName { name } "undefined-name"
        "Nothing has the name {name} here.";
    UndefinedNameSimilar { name, similar } "undefined-name-similar"
        "Nothing has the name {name} here. Did you mean {similar}?";
    ReservedName { name } "reserved-name"
        "{name} already means something in RASP; choose another name.";
    ArgumentCount { function, expected, found } "argument-count"
        "{function} takes {expected} value(s), not {found}.";
    NotCallable { found } "not-callable"
        "Only functions, s-ops and selectors can be called, not {found}.";
    BadOperand { operator, operand } "bad-operand"
        "{operator} does not work on {operand}.";
    BadOperands { operator, left, right } "bad-operands"
        "{operator} does not work between {left} and {right}.";
    SelectorArithmetic { operator } "selector-arithmetic"
        "{operator} does not work on selectors: they combine only with `and`, `or` and `not`.";
    SelectorWithOther { operator, other } "selector-with-other"
        "{operator} joins a selector only with another selector, not with {other}.";
    Expects { function, expected, found } "expects"
        "{function} expects {expected}, not {found}.";
    IndexOutOfRange { index, length } "index-out-of-range"
        "There is no place {index}: the length is {length}.";
    MissingKey { key } "missing-key"
        "The dictionary has no key {key}.";
    BadKey { found } "bad-key"
        "A key of a dictionary is a single value, not {found}.";
    ZeroStep {} "zero-step"
        "`range` cannot count in steps of 0.";
    ZipLengths { first, place, length } "zip-lengths"
        "`zip` needs lists of one length: the first has {first}, list {place} has {length}.";
    NameCount { names, values } "name-count"
        "There are {names} names for {values} value(s).";
    NotSeveral { names, found } "not-several"
        "There are {names} names, but {found} is only one value.";
    SelectorCondition {} "selector-condition"
        "A selector cannot be a condition: it is true or false for pairs of positions, not for positions.";

    // Evaluating.
    EmptyInput {} "empty-input"
        "The input is empty. A sequence has at least one position.";
    NotAnInput { found } "not-an-input"
        "An input is a text or a list of single values, not {found}.";
    MixedKinds { first, other } "mixed-kinds"
        "A sequence holds values of one kind, but here {first} meet {other}.";
    AverageOfNonNumbers { count, kind } "average-of-non-numbers"
        "{count} positions are selected, but {kind} cannot be averaged. Select one position, or use numbers (`indicator` makes some).";
    BadToken { token, kind } "bad-token"
        "The token {token} does not read as {kind}.";
    DivisionByZero {} "division-by-zero"
        "Division by zero.";
    NotFinite { operation } "not-finite"
        "The result of {operation} is too large for a number.";
    NotReal { operation, value } "not-real"
        "{operation} of {value} is not a real number.";
    Unsatisfied { text } "unsatisfied"
        "{text}";

    // Limits.
    OutOfFuel {} "out-of-fuel"
        "This takes too many steps and was stopped.";
    TooManyCalls { function, limit } "too-many-calls"
        "{function} calls itself more than {limit} levels deep. Where does it stop?";
    InputTooLong { length, limit } "input-too-long"
        "The input has {length} positions; at most {limit} are possible.";
    TooMuchData { limit } "too-much-data"
        "The values of all steps together would be more than {limit}.";
    TextTooLong { limit } "text-too-long"
        "A text would be longer than {limit} characters.";
    ListTooLong { limit } "list-too-long"
        "A list would be longer than {limit} values.";
    ListTooDeep { limit } "list-too-deep"
        "Lists would stand inside of lists more than {limit} levels deep.";

    // Files and inputs.
    FileNotFound { file } "file-not-found"
        "There is no file {file} to load.";
    LoadCycle { file } "load-cycle"
        "The file {file} loads itself, directly or through others.";
    NothingToShow {} "nothing-to-show"
        "The program ends without a value. Write the name of an s-op and a `;` as its last statement.";
}
