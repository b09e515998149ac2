//! How matrices are called: the program's names as the mathematics writes them.

use crate::ground::language::Language;
use crate::widgets::math::{Math, name, number, op, row, sub, sup};

/// The symbol of a matrix: `xa_1` is X A₁. Where there is one head its number is left out.
pub fn symbol(name: &str, heads: usize) -> String {
    let (stem, head) = match name.rsplit_once('_') {
        Some((stem, number)) if number.parse::<usize>().is_ok() => (stem, number),
        _ => (name, ""),
    };
    let head: String = if heads > 1 { head.chars().map(subscript).collect() } else { String::new() };
    match stem {
        "x" => "X".to_owned(),
        "a" => format!("A{head}"),
        "v" => format!("V{head}"),
        "xt" => "Xᵀ".to_owned(),
        "xa" => format!("X A{head}"),
        "scores" => format!("X A{head} Xᵀ"),
        "attention" => format!("α{head}"),
        "ax" => format!("α{head} X"),
        "head" => format!("α{head} X V{head}"),
        "output" => "Y".to_owned(),
        "w1" => "W₁".to_owned(),
        "b1" => "b₁".to_owned(),
        "w2" => "W₂".to_owned(),
        "b2" => "b₂".to_owned(),
        "hidden" => "Y W₁ + b₁".to_owned(),
        "activated" => "Z".to_owned(),
        "feed_forward" => "Z W₂ + b₂".to_owned(),
        other => other.to_owned(),
    }
}

/// The same as a formula.
pub fn formula_of(matrix: &str, heads: usize) -> Math {
    let (stem, head) = match matrix.rsplit_once('_') {
        Some((stem, number)) => (stem, number.parse::<f64>().ok()),
        None => (matrix, None),
    };
    let of_head = |letter: &str| match head.filter(|_| heads > 1) {
        Some(head) => sub(name(letter), number(head)),
        None => name(letter),
    };
    let (x, y, z) = (|| name("X"), || name("Y"), || name("Z"));
    let numbered = |letter: &str, at: f64| sub(name(letter), number(at));
    match if head.is_some() { stem } else { matrix } {
        "x" => x(),
        "a" => of_head("A"),
        "v" => of_head("V"),
        "xt" => sup(x(), name("T")),
        "xa" => row([x(), of_head("A")]),
        "scores" => row([x(), of_head("A"), sup(x(), name("T"))]),
        "attention" => of_head("α"),
        "ax" => row([of_head("α"), x()]),
        "head" => row([of_head("α"), x(), of_head("V")]),
        "output" => y(),
        "w1" => numbered("W", 1.0),
        "b1" => numbered("b", 1.0),
        "w2" => numbered("W", 2.0),
        "b2" => numbered("b", 2.0),
        "hidden" => row([y(), numbered("W", 1.0), op("+"), numbered("b", 1.0)]),
        "activated" => z(),
        "feed_forward" => row([z(), numbered("W", 2.0), op("+"), numbered("b", 2.0)]),
        other => name(other),
    }
}

/// An entry of a matrix as a formula; what has several letters stands in brackets.
pub fn entry_at(matrix: &str, heads: usize, i: Math, j: Math) -> Math {
    let base = formula_of(matrix, heads);
    let base = if matches!(base, Math::Row(_)) { row([op("("), base, op(")")]) } else { base };
    row([base, op("["), i, op(","), j, op("]")])
}

/// What a matrix is, in words.
pub fn meaning(name: &str, t: Language) -> &'static str {
    match name.split('_').next() {
        Some("x") => t.simulator_is_input(),
        Some("a") => t.simulator_is_a(),
        Some("v") => t.simulator_is_v(),
        Some("xt") => t.simulator_is_transpose(),
        Some("xa") => t.simulator_is_queries(),
        Some("scores") => t.simulator_is_scores(),
        Some("attention") => t.simulator_is_attention(),
        Some("ax") => t.simulator_is_mixed(),
        Some("head") => t.simulator_is_head(),
        Some("output") => t.simulator_is_output(),
        Some("hidden") => t.simulator_is_hidden(),
        Some("activated") => t.simulator_is_activated(),
        Some("feed") => t.simulator_is_feed_forward(),
        Some("w1" | "w2" | "b1" | "b2") => t.simulator_is_weights(),
        Some("valid") => t.simulator_is_valid(),
        Some("scratch") => t.simulator_is_scratch(),
        _ => "",
    }
}

fn subscript(digit: char) -> char {
    digit.to_digit(10).and_then(|digit| char::from_u32('₀' as u32 + digit)).unwrap_or(digit)
}

crate::texts! {
    simulator_is_input: "the input" | "a entrada";
    simulator_is_a: "queries times keys" | "consultas vezes chaves";
    simulator_is_v: "values" | "valores";
    simulator_is_transpose: "the input, transposed" | "a entrada, transposta";
    simulator_is_queries: "what each token asks for" | "o que cada token pede";
    simulator_is_scores: "scores" | "pontuações";
    simulator_is_attention: "attention" | "atenção";
    simulator_is_mixed: "rows mixed by attention" | "linhas misturadas pela atenção";
    simulator_is_head: "the head’s output" | "a saída da cabeça";
    simulator_is_output: "the output of attention" | "a saída da atenção";
    simulator_is_hidden: "before the activation" | "antes da ativação";
    simulator_is_activated: "after the activation" | "depois da ativação";
    simulator_is_feed_forward: "the feed-forward output" | "a saída da feed-forward";
    simulator_is_weights: "feed-forward weights" | "pesos da feed-forward";
    simulator_is_valid: "which rows are there" | "quais linhas existem";
    simulator_is_scratch: "scratch: room for matrices on the way" | "rascunho: espaço para matrizes do caminho";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_numbered_where_there_are_several() {
        assert_eq!(symbol("xa_1", 1), "X A");
        assert_eq!(symbol("scores_12", 12), "X A₁₂ Xᵀ");
        assert_eq!(symbol("feed_forward", 2), "Z W₂ + b₂");
        assert_eq!(symbol("w1", 2), "W₁");
        assert_eq!(formula_of("xa_1", 1).to_string(), "XA");
        assert_eq!(formula_of("scores_12", 12).to_string(), "XA_12X^T");
        assert_eq!(formula_of("feed_forward", 2).to_string(), "ZW_2 + b_2");
        assert_eq!(entry_at("ax_2", 2, number(1.0), number(3.0)).to_string(), "(α_2X)[1, 3]");
    }
}
