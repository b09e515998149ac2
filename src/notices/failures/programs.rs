//! What is wrong with a program, in the person's language. The English sentences are the crate's own.

use rasp::{Diagnostic, Message, Term, fill};

use crate::ground::language::Language;

/// What is wrong, without its place.
pub fn describe(diagnostic: &Diagnostic, t: Language) -> String {
    let message = &diagnostic.message;
    match t {
        Language::En => message.to_string(),
        Language::Pt => fill(template(message), message, &term, "ou"),
    }
}

fn template(message: &Message) -> &'static str {
    look_up(&PORTUGUESE, message.code()).unwrap_or(message.template())
}

fn term(term: Term) -> String {
    look_up(&PORTUGUESE_TERMS, term.code()).unwrap_or(term.english()).to_owned()
}

fn look_up(table: &[(&str, &'static str)], code: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

const PORTUGUESE_TERMS: [(&str, &str); 24] = [
    ("expression", "uma expressão"),
    ("statement", "uma instrução"),
    ("name", "um nome"),
    ("comparison", "uma comparação"),
    ("file", "um nome de arquivo entre aspas duplas"),
    ("end-of-program", "o fim do programa"),
    ("end-of-line", "o fim da linha"),
    ("s-op", "uma s-op"),
    ("selector", "um seletor"),
    ("atom", "um valor único"),
    ("whole-number", "um número inteiro"),
    ("fraction", "um número com fração"),
    ("number", "um número"),
    ("text", "um texto"),
    ("truth-value", "um valor lógico"),
    ("list", "uma lista"),
    ("dictionary", "um dicionário"),
    ("function", "uma função"),
    ("sequence", "uma sequência calculada"),
    ("whole-numbers", "números inteiros"),
    ("fractions", "números com fração"),
    ("texts", "textos"),
    ("truth-values", "valores lógicos"),
    ("list-of-atoms", "uma lista de valores únicos"),
];

const PORTUGUESE: [(&str, &str); 55] = [
    ("unknown-character", "{found} não pertence a RASP."),
    ("single-quote", "Um texto fica entre aspas duplas, por exemplo \"a\"."),
    ("unfinished-text", "Este texto não tem as aspas duplas de fechamento em sua linha."),
    ("number-starts-with-dot", "Um número começa com um dígito: escreva 0.5, não .5."),
    ("unexpected", "Aqui está {found}, onde caberia {expected}."),
    ("missing-semicolon", "Esta instrução precisa de um `;` no fim."),
    ("extra-semicolon", "Este `;` não termina nada: a instrução anterior já tem o seu. Retire-o."),
    (
        "not-equal-outside-select",
        "`!=` só funciona como última parte de `select`. Entre s-ops, escreva `not (a == b)`.",
    ),
    ("assign-in-expression", "Um único `=` dá nome a um valor. Para comparar, escreva `==`."),
    (
        "loose-comparison",
        "{comparison} só fica sozinho como última parte de `select(chave, consulta, {comparison})`.",
    ),
    ("space-before-parenthesis", "Escreva {word} e seu `(` juntos, sem espaço."),
    ("word-of-the-language", "{word} é uma palavra da linguagem; escolha outro nome."),
    ("unclosed", "Este {open} nunca é fechado por {close}."),
    ("missing-return", "A função {function} não diz o que devolve: termine-a com `return valor;`."),
    ("misplaced-return", "`return` fica bem no fim de uma função, e só ali."),
    ("repl-statement-inside", "Esta instrução fica fora de funções e laços."),
    ("nested-too-deep", "Esta expressão tem mais de {limit} níveis de aninhamento. Dê nomes às suas partes."),
    ("number-too-large", "{found} é grande demais para um número aqui."),
    ("undefined-name", "Nada se chama {name} aqui."),
    ("undefined-name-similar", "Nada se chama {name} aqui. Você quis dizer {similar}?"),
    ("reserved-name", "{name} já significa algo em RASP; escolha outro nome."),
    ("argument-count", "{function} recebe {expected} valor(es), não {found}."),
    ("not-callable", "Só funções, s-ops e seletores podem ser chamados, não {found}."),
    ("bad-operand", "{operator} não funciona com {operand}."),
    ("bad-operands", "{operator} não funciona entre {left} e {right}."),
    (
        "selector-arithmetic",
        "{operator} não funciona com seletores: eles só se combinam com `and`, `or` e `not`.",
    ),
    ("selector-with-other", "{operator} une um seletor só com outro seletor, não com {other}."),
    ("expects", "{function} espera {expected}, não {found}."),
    ("index-out-of-range", "Não há lugar {index}: o comprimento é {length}."),
    ("missing-key", "O dicionário não tem a chave {key}."),
    ("bad-key", "Uma chave de dicionário é um valor único, não {found}."),
    ("zero-step", "`range` não pode contar em passos de 0."),
    (
        "zip-lengths",
        "`zip` precisa de listas do mesmo comprimento: a primeira tem {first}, a lista {place} tem {length}.",
    ),
    ("name-count", "Há {names} nomes para {values} valor(es)."),
    ("not-several", "Há {names} nomes, mas {found} é um valor só."),
    (
        "selector-condition",
        "Um seletor não pode ser condição: ele é verdadeiro ou falso para pares de posições, não para posições.",
    ),
    ("empty-input", "A entrada está vazia. Uma sequência tem ao menos uma posição."),
    ("not-an-input", "Uma entrada é um texto ou uma lista de valores únicos, não {found}."),
    ("mixed-kinds", "Uma sequência tem valores de um só tipo, mas aqui se encontram {first} e {other}."),
    (
        "average-of-non-numbers",
        "{count} posições estão selecionadas, mas não há média de {kind}. Selecione uma posição ou use números (`indicator` os faz).",
    ),
    ("bad-token", "O token {token} não pode ser lido como {kind}."),
    ("division-by-zero", "Divisão por zero."),
    ("not-finite", "O resultado de {operation} é grande demais para um número."),
    ("not-real", "{operation} de {value} não é um número real."),
    ("unsatisfied", "{text}"),
    ("out-of-fuel", "Isto leva passos demais e foi interrompido."),
    ("too-many-calls", "{function} chama a si mesma em mais de {limit} níveis. Onde ela para?"),
    ("input-too-long", "A entrada tem {length} posições; no máximo {limit} são possíveis."),
    ("too-much-data", "Os valores de todos os passos juntos seriam mais de {limit}."),
    ("text-too-long", "Um texto teria mais de {limit} caracteres."),
    ("list-too-long", "Uma lista teria mais de {limit} valores."),
    ("list-too-deep", "Haveria listas dentro de listas em mais de {limit} níveis."),
    ("file-not-found", "Não há arquivo {file} para carregar."),
    ("load-cycle", "O arquivo {file} carrega a si mesmo, direta ou indiretamente."),
    (
        "nothing-to-show",
        "O programa termina sem um valor. Escreva o nome de uma s-op e um `;` como última instrução.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_and_term_has_its_portuguese() {
        for (code, english) in rasp::MESSAGES {
            let portuguese = look_up(&PORTUGUESE, code).unwrap_or_else(|| panic!("{code}"));
            assert_eq!(places(portuguese), places(english), "{code}");
        }
        for (code, _) in rasp::TERMS {
            assert!(look_up(&PORTUGUESE_TERMS, code).is_some(), "{code}");
        }
        assert_eq!(rasp::MESSAGES.len(), PORTUGUESE.len(), "none is left over");
        assert_eq!(rasp::TERMS.len(), PORTUGUESE_TERMS.len(), "none is left over");
    }

    fn places(text: &str) -> std::collections::BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }
}
