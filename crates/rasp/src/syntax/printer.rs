//! A tree back into text, in one layout. Reading the text again gives the same tree.

use std::fmt::Write;
use std::iter;

use super::tree::{
    CHOOSE_STRENGTH, Example, Expression, ExpressionKind, IN_STRENGTH, Name, POSTFIX_STRENGTH, Program,
    Statement, StatementKind, Switch, UNARY_STRENGTH, UnaryOperator,
};

const INDENT: &str = "    ";

/// A program as text. Comments inside of expressions are lost; those between statements stay.
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    statements(&mut text, &program.statements, 0);
    text
}

/// An expression as text, with the parentheses that it needs and no others.
pub fn print_expression(tree: &Expression) -> String {
    let mut text = String::new();
    expression(&mut text, tree, 0);
    text
}

fn statements(text: &mut String, statements: &[Statement], level: usize) {
    for statement in statements {
        text.push_str(&INDENT.repeat(level));
        self::statement(text, &statement.kind, level);
        text.push('\n');
    }
}

fn statement(text: &mut String, kind: &StatementKind, level: usize) {
    match kind {
        StatementKind::Expression(value) => {
            expression(text, value, 0);
            text.push(';');
        }
        StatementKind::Assign { names, values } => {
            self::names(text, names);
            text.push_str(" = ");
            expressions(text, values);
            text.push(';');
        }
        StatementKind::Define { name, parameters, body } => {
            text.push_str("def ");
            text.push_str(&name.text);
            text.push('(');
            names(text, parameters);
            text.push_str(") ");
            block(text, body, level);
        }
        StatementKind::Return(values) => {
            text.push_str("return ");
            expressions(text, values);
            text.push(';');
        }
        StatementKind::For { names, iterable, body } => {
            text.push_str("for ");
            self::names(text, names);
            text.push_str(" in ");
            expression(text, iterable, 0);
            text.push(' ');
            block(text, body, level);
        }
        StatementKind::Load(file) => {
            let _ = write!(text, "load \"{file}\";");
        }
        StatementKind::Draw { value, input } => {
            enclosed(text, "draw(", iter::once(value).chain(input), ");");
        }
        StatementKind::SetExample { which, value } => {
            let _ = write!(text, "set {}example ", example(*which));
            expression(text, value, 0);
        }
        StatementKind::ShowExample(which) => {
            let _ = write!(text, "show {}example", example(*which));
        }
        StatementKind::Examples { which, switch } => {
            let _ = write!(text, "{}examples {}", example(*which), on_or_off(*switch));
        }
        StatementKind::FullDisplay(switch) => {
            let _ = write!(text, "full seq display {}", on_or_off(*switch));
        }
        StatementKind::Exit => text.push_str("exit"),
        StatementKind::Comment(comment) => {
            text.push('#');
            text.push_str(comment);
        }
        StatementKind::Invalid => {}
    }
}

fn block(text: &mut String, body: &[Statement], level: usize) {
    text.push_str("{\n");
    statements(text, body, level + 1);
    text.push_str(&INDENT.repeat(level));
    text.push('}');
}

fn example(which: Example) -> &'static str {
    match which {
        Example::Both => "",
        Example::SOp => "s-op ",
        Example::Selector => "selector ",
    }
}

fn on_or_off(switch: Switch) -> &'static str {
    match switch {
        Switch::On => "on",
        Switch::Off => "off",
    }
}

fn names(text: &mut String, names: &[Name]) {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    text.push_str(&names.join(", "));
}

fn expressions<'a>(text: &mut String, items: impl IntoIterator<Item = &'a Expression>) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        expression(text, item, 0);
    }
}

/// How tightly the outermost operator of an expression binds.
fn strength(kind: &ExpressionKind) -> u8 {
    match kind {
        ExpressionKind::Binary { operator, .. } => operator.strength(),
        ExpressionKind::Choose { .. } => CHOOSE_STRENGTH,
        ExpressionKind::In { .. } => IN_STRENGTH,
        ExpressionKind::Unary {
            operator: UnaryOperator::Not | UnaryOperator::Minus | UnaryOperator::Plus,
            ..
        } => UNARY_STRENGTH,
        _ => POSTFIX_STRENGTH,
    }
}

/// The expression, in parentheses when it binds less tightly than `least`.
fn expression(text: &mut String, tree: &Expression, least: u8) {
    let parentheses = strength(&tree.kind) < least;
    if parentheses {
        text.push('(');
    }
    bare(text, &tree.kind);
    if parentheses {
        text.push(')');
    }
}

fn bare(text: &mut String, kind: &ExpressionKind) {
    match kind {
        ExpressionKind::Missing => {}
        ExpressionKind::Name(name) => text.push_str(name),
        ExpressionKind::Integer(value) => {
            let _ = write!(text, "{value}");
        }
        ExpressionKind::Float(value) => {
            let _ = write!(text, "{value:?}");
        }
        ExpressionKind::Text(value) => {
            let _ = write!(text, "\"{value}\"");
        }
        ExpressionKind::List(items) => enclosed(text, "[", items, "]"),
        ExpressionKind::Dictionary(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                expression(text, key, 0);
                text.push_str(": ");
                expression(text, value, 0);
            }
            text.push('}');
        }
        ExpressionKind::Unary { operator, operand } => match operator {
            UnaryOperator::Round | UnaryOperator::Indicator => {
                text.push_str(operator.symbol());
                text.push('(');
                expression(text, operand, 0);
                text.push(')');
            }
            _ => {
                text.push_str(operator.symbol());
                if *operator == UnaryOperator::Not {
                    text.push(' ');
                }
                expression(text, operand, UNARY_STRENGTH);
            }
        },
        ExpressionKind::Binary { operator, left, right } => {
            expression(text, left, operator.strength());
            let _ = write!(text, " {} ", operator.symbol());
            expression(text, right, operator.strength() + 1);
        }
        ExpressionKind::Choose { condition, then, otherwise } => {
            expression(text, then, CHOOSE_STRENGTH);
            text.push_str(" if ");
            expression(text, condition, 0);
            text.push_str(" else ");
            expression(text, otherwise, CHOOSE_STRENGTH + 1);
        }
        ExpressionKind::In { item, container } => {
            expression(text, item, IN_STRENGTH);
            text.push_str(" in ");
            expression(text, container, IN_STRENGTH + 1);
        }
        ExpressionKind::Index { target, index } => {
            expression(text, target, POSTFIX_STRENGTH);
            text.push('[');
            expression(text, index, 0);
            text.push(']');
        }
        ExpressionKind::Call { function, arguments } => {
            expression(text, function, POSTFIX_STRENGTH);
            enclosed(text, "(", arguments, ")");
        }
        ExpressionKind::Select { key, query, comparison } => {
            text.push_str("select(");
            expression(text, key, 0);
            text.push_str(", ");
            expression(text, query, 0);
            let _ = write!(text, ", {})", comparison.symbol());
        }
        ExpressionKind::Aggregate { selector, sequence, default } => {
            let operands = [selector, sequence].into_iter().chain(default);
            enclosed(text, "aggregate(", operands.map(|operand| &**operand), ")");
        }
        ExpressionKind::Range(values) => enclosed(text, "range(", values, ")"),
        ExpressionKind::Zip(values) => enclosed(text, "zip(", values, ")"),
        ExpressionKind::Len(list) => {
            text.push_str("len(");
            expression(text, list, 0);
            text.push(')');
        }
        ExpressionKind::ListFor { value, names, iterable } => {
            text.push('[');
            expression(text, value, 0);
            text.push_str(" for ");
            self::names(text, names);
            text.push_str(" in ");
            expression(text, iterable, 0);
            text.push(']');
        }
        ExpressionKind::DictionaryFor { key, value, names, iterable } => {
            text.push('{');
            expression(text, key, 0);
            text.push_str(": ");
            expression(text, value, 0);
            text.push_str(" for ");
            self::names(text, names);
            text.push_str(" in ");
            expression(text, iterable, 0);
            text.push('}');
        }
    }
}

fn enclosed<'a>(text: &mut String, open: &str, items: impl IntoIterator<Item = &'a Expression>, close: &str) {
    text.push_str(open);
    expressions(text, items);
    text.push_str(close);
}
