//! Properties: reading what was printed gives the same tree, nothing makes the reader fail, and
//! evaluation agrees with a slow model that is written down from the paper alone.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rasp::syntax::{
    BinaryOperator, Comparison, Example, Expression, ExpressionKind, Name, Program, Statement, StatementKind,
    Switch, UnaryOperator, print, print_expression, tokens,
};
use rasp::{Atom, Input, Outcome, Span, parse};

// Trees.

fn node(kind: ExpressionKind) -> Expression {
    Expression { kind, span: Span::default(), depth: 0 }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("tokens".to_owned()),
        Just("s".to_owned()),
        Just("op".to_owned()),
        Just("full".to_owned()),
        "[a-z_][a-z0-9_]{0,4}".prop_filter("a word of the language", |word| {
            tokens(word)[0].class == rasp::syntax::TokenClass::Name
                && !["select", "aggregate", "range", "zip", "len"].contains(&word.as_str())
        }),
    ]
}

fn names() -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(name(), 1..3).prop_map(|names| {
        let place = |text| Name { text, span: Span::default() };
        names.into_iter().map(place).collect()
    })
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ])
}

fn binary_operator() -> impl Strategy<Value = BinaryOperator> {
    prop_oneof![
        prop::sample::select(vec![
            BinaryOperator::Add,
            BinaryOperator::Subtract,
            BinaryOperator::Multiply,
            BinaryOperator::Divide,
            BinaryOperator::Remainder,
            BinaryOperator::Power,
            BinaryOperator::And,
            BinaryOperator::Or,
        ]),
        comparison()
            .prop_filter("only in select", |c| *c != Comparison::NotEqual)
            .prop_map(BinaryOperator::Compare),
    ]
}

fn unary_operator() -> impl Strategy<Value = UnaryOperator> {
    prop::sample::select(vec![
        UnaryOperator::Not,
        UnaryOperator::Minus,
        UnaryOperator::Plus,
        UnaryOperator::Round,
        UnaryOperator::Indicator,
    ])
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        name().prop_map(ExpressionKind::Name),
        (0..i64::MAX).prop_map(ExpressionKind::Integer),
        (0.0..1e300).prop_map(ExpressionKind::Float),
        "[^\"\r\n]{0,3}".prop_map(ExpressionKind::Text),
    ]
    .prop_map(node);
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new).boxed();
        let several = prop::collection::vec(inner.clone(), 0..3);
        let some = prop::collection::vec(inner.clone(), 1..3);
        let pairs = prop::collection::vec((inner.clone(), inner.clone()), 0..3);
        prop_oneof![
            several.clone().prop_map(ExpressionKind::List),
            pairs.prop_map(ExpressionKind::Dictionary),
            (unary_operator(), boxed.clone())
                .prop_map(|(operator, operand)| ExpressionKind::Unary { operator, operand }),
            (binary_operator(), boxed.clone(), boxed.clone())
                .prop_map(|(operator, left, right)| ExpressionKind::Binary { operator, left, right }),
            (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(condition, then, otherwise)| {
                ExpressionKind::Choose { condition, then, otherwise }
            }),
            (boxed.clone(), boxed.clone())
                .prop_map(|(item, container)| ExpressionKind::In { item, container }),
            (boxed.clone(), boxed.clone())
                .prop_map(|(target, index)| ExpressionKind::Index { target, index }),
            (boxed.clone(), several)
                .prop_map(|(function, arguments)| ExpressionKind::Call { function, arguments }),
            (boxed.clone(), boxed.clone(), comparison())
                .prop_map(|(key, query, comparison)| { ExpressionKind::Select { key, query, comparison } }),
            (boxed.clone(), boxed.clone(), prop::option::of(boxed.clone())).prop_map(
                |(selector, sequence, default)| ExpressionKind::Aggregate { selector, sequence, default }
            ),
            some.clone().prop_map(ExpressionKind::Range),
            some.prop_map(ExpressionKind::Zip),
            boxed.clone().prop_map(ExpressionKind::Len),
            (boxed.clone(), names(), boxed.clone())
                .prop_map(|(value, names, iterable)| { ExpressionKind::ListFor { value, names, iterable } }),
            (boxed.clone(), boxed.clone(), names(), boxed).prop_map(|(key, value, names, iterable)| {
                ExpressionKind::DictionaryFor { key, value, names, iterable }
            }),
        ]
        .prop_map(node)
    })
}

fn example() -> impl Strategy<Value = Example> {
    prop::sample::select(vec![Example::Both, Example::SOp, Example::Selector])
}

fn switch() -> impl Strategy<Value = Switch> {
    prop::sample::select(vec![Switch::On, Switch::Off])
}

fn statement() -> impl Strategy<Value = Statement> {
    let values = || prop::collection::vec(expression(), 1..3);
    let simple = || {
        prop_oneof![
            expression().prop_map(StatementKind::Expression),
            (names(), values()).prop_map(|(names, values)| StatementKind::Assign { names, values }),
            "[^\"\r\n]{0,5}".prop_map(StatementKind::Load),
            (expression(), prop::option::of(expression()))
                .prop_map(|(value, input)| StatementKind::Draw { value, input }),
            "[^\r\n]{0,9}".prop_map(StatementKind::Comment),
        ]
        .prop_map(placed)
    };
    let body = || prop::collection::vec(simple(), 0..3);
    prop_oneof![
        simple(),
        (names(), expression(), body())
            .prop_map(|(names, iterable, body)| { placed(StatementKind::For { names, iterable, body }) }),
        (names(), prop::option::of(names()), body(), values()).prop_map(
            |(mut name, parameters, mut body, results)| {
                body.push(placed(StatementKind::Return(results)));
                placed(StatementKind::Define {
                    name: name.remove(0),
                    parameters: parameters.unwrap_or_default(),
                    body,
                })
            }
        ),
        prop_oneof![
            (example(), expression()).prop_map(|(which, value)| StatementKind::SetExample { which, value }),
            example().prop_map(StatementKind::ShowExample),
            (example(), switch()).prop_map(|(which, switch)| StatementKind::Examples { which, switch }),
            switch().prop_map(StatementKind::FullDisplay),
            Just(StatementKind::Exit),
        ]
        .prop_map(placed),
    ]
}

fn placed(kind: StatementKind) -> Statement {
    Statement { kind, span: Span::default() }
}

/// A tree without what printing does not keep: places, and heights, which follow from the rest.
fn bare(tree: &impl serde::Serialize) -> serde_json::Value {
    fn strip(json: &mut serde_json::Value) {
        match json {
            serde_json::Value::Object(fields) => {
                fields.remove("span");
                fields.remove("depth");
                fields.values_mut().for_each(strip);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(tree).unwrap();
    strip(&mut json);
    json
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn an_expression_reads_back(tree in expression()) {
        let text = format!("{};", print_expression(&tree));
        let read = parse(&text);
        prop_assert!(read.diagnostics.is_empty(), "{text}\n{:?}", read.diagnostics);
        let StatementKind::Expression(found) = &read.tree.statements[0].kind else {
            return Err(TestCaseError::fail(text));
        };
        prop_assert_eq!(bare(found), bare(&tree), "{}", text);
    }

    #[test]
    fn a_program_reads_back(statements in prop::collection::vec(statement(), 0..4)) {
        let tree = Program { statements };
        let text = print(&tree);
        let read = parse(&text);
        prop_assert!(read.diagnostics.is_empty(), "{text}\n{:?}", read.diagnostics);
        prop_assert_eq!(bare(&read.tree), bare(&tree), "{}", text);
        prop_assert_eq!(print(&read.tree), text);
    }

    #[test]
    fn spans_hold_what_they_say(tree in expression()) {
        let text = format!("{};", print_expression(&tree));
        let read = parse(&text);
        let StatementKind::Expression(found) = &read.tree.statements[0].kind else {
            return Err(TestCaseError::fail(text));
        };
        let mut open = vec![found];
        while let Some(part) = open.pop() {
            // The text of a part, read alone, is that part.
            let alone = parse(&format!("{};", part.span.text(&text)));
            prop_assert!(alone.diagnostics.is_empty());
            let StatementKind::Expression(again) = &alone.tree.statements[0].kind else {
                return Err(TestCaseError::fail(text));
            };
            prop_assert_eq!(bare(again), bare(part));
            for inner in part.kind.parts() {
                prop_assert!(part.span.contains(inner.span));
                open.push(inner);
            }
        }
    }

    #[test]
    fn no_text_makes_the_reader_fail(text in "([a-z ]{0,4}|[-+*/%^=<>!;:,.#\"'\n(){}\\[\\]]|for|in|def|return|if|else|select\\(|aggregate\\(|set|example|é|[0-9]{1,3}){0,30}") {
        let read = parse(&text);
        for diagnostic in &read.diagnostics {
            prop_assert!(diagnostic.span.end <= text.len());
            prop_assert!(text.is_char_boundary(diagnostic.span.start));
            prop_assert!(!diagnostic.to_string().is_empty());
        }
        if read.diagnostics.is_empty() {
            let printed = print(&read.tree);
            prop_assert_eq!(bare(&parse(&printed).tree), bare(&read.tree), "{}", printed);
        }
    }
}

// The slow model: every selector is a matrix, every value is computed anew wherever it is used.

#[derive(Clone, Debug)]
enum SOp {
    Tokens,
    Indices,
    Whole(i64),
    Fraction(f64),
    Truth(bool),
    Arithmetic(Box<SOp>, char, Box<SOp>),
    Compare(Box<SOp>, &'static str, Box<SOp>),
    And(Box<SOp>, Box<SOp>),
    Or(Box<SOp>, Box<SOp>),
    Not(Box<SOp>),
    Choose(Box<SOp>, Box<SOp>, Box<SOp>),
    Indicator(Box<SOp>),
    Aggregate(Box<Selector>, Box<SOp>, i64),
    Width(Box<Selector>),
}

#[derive(Clone, Debug)]
enum Selector {
    Select(SOp, &'static str, SOp),
    And(Box<Selector>, Box<Selector>),
    Or(Box<Selector>, Box<Selector>),
    Not(Box<Selector>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Whole(i64),
    Fraction(f64),
    Truth(bool),
}

impl Model {
    fn number(self) -> f64 {
        match self {
            Model::Whole(value) => value as f64,
            Model::Fraction(value) => value,
            Model::Truth(value) => f64::from(u8::from(value)),
        }
    }

    fn whole(self) -> Option<i64> {
        match self {
            Model::Whole(value) => Some(value),
            Model::Truth(value) => Some(i64::from(value)),
            Model::Fraction(_) => None,
        }
    }

    fn holds(self) -> bool {
        self.number() != 0.0
    }
}

/// Why the model has no value: the interpreter must refuse this too.
struct Refused;

impl SOp {
    fn text(&self) -> String {
        match self {
            SOp::Tokens => "tokens_int".to_owned(),
            SOp::Indices => "indices".to_owned(),
            SOp::Whole(value) => format!("({value})"),
            SOp::Fraction(value) => format!("({value:?})"),
            SOp::Truth(true) => "True".to_owned(),
            SOp::Truth(false) => "False".to_owned(),
            SOp::Arithmetic(a, operator, b) => format!("({} {operator} {})", a.text(), b.text()),
            SOp::Compare(a, operator, b) => format!("({} {operator} {})", a.text(), b.text()),
            SOp::And(a, b) => format!("({} and {})", a.text(), b.text()),
            SOp::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            SOp::Not(a) => format!("(not {})", a.text()),
            SOp::Choose(c, a, b) => format!("({} if {} else {})", a.text(), c.text(), b.text()),
            SOp::Indicator(a) => format!("indicator({})", a.text()),
            SOp::Aggregate(s, a, default) => {
                format!("aggregate({}, {}, {default})", s.text(), a.text())
            }
            SOp::Width(s) => format!("selector_width({})", s.text()),
        }
    }

    /// Whether it is the same everywhere by its form, so that the language treats it as an atom.
    fn is_atom(&self) -> bool {
        match self {
            SOp::Whole(_) | SOp::Fraction(_) | SOp::Truth(_) => true,
            SOp::Arithmetic(a, _, b) | SOp::Compare(a, _, b) | SOp::And(a, b) | SOp::Or(a, b) => {
                a.is_atom() && b.is_atom()
            }
            SOp::Not(a) => a.is_atom(),
            SOp::Choose(c, a, b) => {
                c.is_atom() && if c.at(&[0], 0).is_ok_and(Model::holds) { a } else { b }.is_atom()
            }
            _ => false,
        }
    }

    fn at(&self, input: &[i64], i: usize) -> Result<Model, Refused> {
        Ok(match self {
            SOp::Tokens => Model::Whole(input[i]),
            SOp::Indices => Model::Whole(i as i64),
            SOp::Whole(value) => Model::Whole(*value),
            SOp::Fraction(value) => Model::Fraction(*value),
            SOp::Truth(value) => Model::Truth(*value),
            SOp::Arithmetic(a, operator, b) => {
                let (a, b) = (a.at(input, i)?, b.at(input, i)?);
                let whole = a.whole().zip(b.whole());
                match (operator, whole) {
                    ('+', Some((a, b))) => Model::Whole(a + b),
                    ('-', Some((a, b))) => Model::Whole(a - b),
                    ('*', Some((a, b))) => Model::Whole(a * b),
                    ('%' | '/', _) if b.number() == 0.0 => return Err(Refused),
                    ('%', Some((a, b))) => Model::Whole(a - b * (a as f64 / b as f64).floor() as i64),
                    ('%', None) => {
                        let (a, b) = (a.number(), b.number());
                        let rest = a % b;
                        let off = rest != 0.0 && (rest < 0.0) != (b < 0.0);
                        Model::Fraction(if off { rest + b } else { rest })
                    }
                    ('+', None) => Model::Fraction(a.number() + b.number()),
                    ('-', None) => Model::Fraction(a.number() - b.number()),
                    ('*', None) => Model::Fraction(a.number() * b.number()),
                    ('/', _) => Model::Fraction(a.number() / b.number()),
                    _ => return Err(Refused),
                }
            }
            SOp::Compare(a, operator, b) => {
                let (a, b) = (a.at(input, i)?.number(), b.at(input, i)?.number());
                Model::Truth(compare(a, operator, b))
            }
            SOp::And(a, b) if self.is_atom() => {
                let a = a.at(input, i)?;
                if a.holds() { b.at(input, i)? } else { a }
            }
            SOp::Or(a, b) if self.is_atom() => {
                let a = a.at(input, i)?;
                if a.holds() { a } else { b.at(input, i)? }
            }
            SOp::And(a, b) => {
                let (a, b) = (a.at(input, i)?.holds(), b.at(input, i)?.holds());
                Model::Truth(a && b)
            }
            SOp::Or(a, b) => {
                let (a, b) = (a.at(input, i)?.holds(), b.at(input, i)?.holds());
                Model::Truth(a || b)
            }
            SOp::Not(a) => Model::Truth(!a.at(input, i)?.holds()),
            SOp::Choose(c, a, b) => {
                if c.at(input, i)?.holds() {
                    a.at(input, i)?
                } else {
                    b.at(input, i)?
                }
            }
            SOp::Indicator(a) => Model::Whole(i64::from(a.at(input, i)?.holds())),
            SOp::Aggregate(selector, a, default) => {
                let mut selected = Vec::new();
                for j in 0..input.len() {
                    if selector.at(input, i, j)? {
                        selected.push(a.at(input, j)?);
                    }
                }
                match selected.as_slice() {
                    [] => Model::Whole(*default),
                    [only] => *only,
                    _ if (0..input.len()).all(|j| matches!(a.at(input, j), Ok(Model::Truth(_)))) => {
                        return Err(Refused);
                    }
                    several => {
                        let sum: f64 = several.iter().map(|value| value.number()).sum();
                        Model::Fraction(sum / several.len() as f64)
                    }
                }
            }
            SOp::Width(selector) => {
                let mut width = 0;
                for j in 0..input.len() {
                    width += i64::from(selector.at(input, i, j)?);
                }
                Model::Whole(width)
            }
        })
    }
}

impl Selector {
    fn text(&self) -> String {
        match self {
            Selector::Select(key, operator, query) => {
                format!("select({}, {}, {operator})", key.text(), query.text())
            }
            Selector::And(a, b) => format!("({} and {})", a.text(), b.text()),
            Selector::Or(a, b) => format!("({} or {})", a.text(), b.text()),
            Selector::Not(a) => format!("(not {})", a.text()),
        }
    }

    fn at(&self, input: &[i64], query_position: usize, key_position: usize) -> Result<bool, Refused> {
        Ok(match self {
            Selector::Select(key, operator, query) => compare(
                key.at(input, key_position)?.number(),
                operator,
                query.at(input, query_position)?.number(),
            ),
            Selector::And(a, b) => {
                a.at(input, query_position, key_position)? & b.at(input, query_position, key_position)?
            }
            Selector::Or(a, b) => {
                a.at(input, query_position, key_position)? | b.at(input, query_position, key_position)?
            }
            Selector::Not(a) => !a.at(input, query_position, key_position)?,
        })
    }
}

fn compare(a: f64, operator: &str, b: f64) -> bool {
    match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }
}

fn selector(s_op: BoxedStrategy<SOp>) -> impl Strategy<Value = Selector> {
    let operators = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let select = (s_op.clone(), operators, s_op)
        .prop_map(|(key, operator, query)| Selector::Select(key, operator, query));
    select.prop_recursive(3, 6, 2, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Selector::And(a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Selector::Or(a, b)),
            boxed.prop_map(Selector::Not),
        ]
    })
}

fn s_op() -> impl Strategy<Value = SOp> {
    let leaf = prop_oneof![
        3 => Just(SOp::Tokens),
        3 => Just(SOp::Indices),
        1 => (0i64..5).prop_map(SOp::Whole),
        1 => prop::sample::select(vec![0.5, 0.25, 3.0]).prop_map(SOp::Fraction),
        1 => any::<bool>().prop_map(SOp::Truth),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new).boxed();
        let arithmetic = prop::sample::select(vec!['+', '-', '*', '/', '%']);
        let comparisons = prop::sample::select(vec!["==", "<", "<=", ">", ">="]);
        prop_oneof![
            (boxed.clone(), arithmetic, boxed.clone())
                .prop_map(|(a, operator, b)| SOp::Arithmetic(a, operator, b)),
            (boxed.clone(), comparisons, boxed.clone())
                .prop_map(|(a, operator, b)| SOp::Compare(a, operator, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| SOp::And(a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| SOp::Or(a, b)),
            boxed.clone().prop_map(SOp::Not),
            (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(c, a, b)| SOp::Choose(c, a, b)),
            boxed.clone().prop_map(SOp::Indicator),
            (selector(inner.clone().boxed()), boxed, 0i64..3).prop_map(|(s, a, default)| SOp::Aggregate(
                Box::new(s),
                a,
                default
            )),
            selector(inner.boxed()).prop_map(|s| SOp::Width(Box::new(s))),
        ]
    })
}

/// Whether the whole program has a value in the model. The language computes every part at every
/// position, so that a part which fails anywhere fails the program.
fn fails_anywhere(s_op: &SOp, input: &[i64]) -> bool {
    let parts: Vec<&SOp> = match s_op {
        SOp::Arithmetic(a, _, b) | SOp::Compare(a, _, b) => vec![a, b],
        SOp::And(a, b) | SOp::Or(a, b) => vec![a, b],
        SOp::Not(a) => vec![a],
        SOp::Indicator(a) => {
            // `indicator` takes s-ops only.
            if a.is_atom() {
                return true;
            }
            vec![a]
        }
        SOp::Choose(c, a, b) if c.is_atom() => {
            // Of an atom only one branch is looked at.
            let chosen = c.at(input, 0).is_ok_and(Model::holds);
            vec![c, if chosen { a } else { b }]
        }
        SOp::Choose(c, a, b) => vec![c, a, b],
        SOp::Aggregate(s, a, _) => {
            return fails_in_selector(s, input) || fails_anywhere(a, input) || fails_here(s_op, input);
        }
        SOp::Width(s) => return fails_in_selector(s, input),
        _ => vec![],
    };
    parts.into_iter().any(|part| fails_anywhere(part, input)) || fails_here(s_op, input)
}

fn fails_here(s_op: &SOp, input: &[i64]) -> bool {
    (0..input.len()).any(|i| s_op.at(input, i).is_err())
}

fn fails_in_selector(selector: &Selector, input: &[i64]) -> bool {
    match selector {
        Selector::Select(key, _, query) => fails_anywhere(key, input) || fails_anywhere(query, input),
        Selector::And(a, b) | Selector::Or(a, b) => {
            fails_in_selector(a, input) || fails_in_selector(b, input)
        }
        Selector::Not(a) => fails_in_selector(a, input),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn evaluation_agrees_with_the_slow_model(
        program in s_op(),
        input in prop::collection::vec(-3i64..4, 1..7),
    ) {
        let source = format!("{};", program.text());
        let atoms = input.iter().copied().map(Atom::Int).collect();
        let run = rasp::Session::default().run(&source, &Input::from_atoms(atoms).unwrap());
        if fails_anywhere(&program, &input) {
            prop_assert_eq!(&run.result, &Outcome::Error, "{}", source);
            return Ok(());
        }
        let found: Vec<Atom> = match &run.result {
            Outcome::Sequence(sequence) => sequence.iter().collect(),
            Outcome::Atom(atom) => vec![atom.clone(); input.len()],
            other => return Err(TestCaseError::fail(format!("{source}: {other:?} {:?}", run.diagnostics))),
        };
        for (i, atom) in found.iter().enumerate() {
            let Ok(expected) = program.at(&input, i) else {
                return Err(TestCaseError::fail("the model refuses"));
            };
            let same = match (atom, expected) {
                (Atom::Int(a), Model::Whole(b)) => *a == b,
                (Atom::Bool(a), Model::Truth(b)) => *a == b,
                (Atom::Float(a), Model::Fraction(b)) => a == &b,
                _ => false,
            };
            prop_assert!(same, "{} at {}: {:?}, not {:?}", source, i, atom, expected);
        }
    }
}
