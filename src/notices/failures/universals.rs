//! Words for what is wrong with a universal transformer, and for what would fit.

use transformer::{Attention, Class, Mask, Scale};
use universal::capacity::{Limit, TooLarge};
use universal::{Bounds, Construction, Error};

use crate::ground::language::Language;

use super::numbers::{bytes, compared_bytes, decimal, equated, whole};
use super::transformers;

/// An error of the universal transformer in words.
pub fn describe(error: &Error, t: Language) -> String {
    match error {
        Error::Transformer(error) => transformers::describe(error, t),
        Error::ClassMismatch { found, expected } => {
            t.failure_class_mismatch(&differences(found, expected, t).join("; "))
        }
        Error::TooLarge(refusal) => describe_refusal(refusal, t),
        Error::LoopedResidual => t.failure_looped_residual().to_owned(),
        Error::ZeroWidth => t.failure_zero_width().to_owned(),
        Error::NoSingularValues => t.failure_no_singular_values().to_owned(),
        Error::EmbeddingShape { found, expected } => t.failure_embedding_shape(
            &format!("{}×{}", found.0, found.1),
            &format!("{}×{}", expected.0, expected.1),
        ),
    }
}

fn describe_refusal(refusal: &TooLarge, t: Language) -> String {
    let TooLarge { construction, width, bytes: memory, reason, nearest } = refusal;
    let m = equated(*width, t);
    let refused = match reason {
        Limit::Bytes { max } => {
            let (found, most) = compared_bytes(*memory, *max, t);
            t.failure_too_much_memory(&m, &found, &most)
        }
        Limit::Width { max } => t.failure_too_wide(&m, &whole(*max, t), &bytes(*memory, t)),
    };
    let Some(class) = nearest else {
        return format!("{refused}{}", t.failure_fewer_tokens());
    };
    let layers = match class.layers {
        1 => t.failure_one_layer().to_owned(),
        layers => t.failure_layers(&whole(layers, t)),
    };
    let sizes = format!("H = {}, d = {}, d_h = {}", class.heads, class.width, class.head_width);
    let bounds = Bounds::of(class);
    let fits = match construction {
        Construction::Sparse => t.failure_fits(&layers, &sizes, &whole(bounds.sparse, t)),
        // A class without a looped construction is refused before its size is asked.
        Construction::Looped => {
            t.failure_fits(&layers, &sizes, &whole(bounds.looped.unwrap_or(bounds.sparse), t))
        }
        // The class with the columns that it needs, without those beyond.
        Construction::Random { spec, .. } => {
            let m = bounds.random_minimum.min(spec.width as u128);
            t.failure_fits_random(&layers, &sizes, &whole(m, t))
        }
    };
    format!("{refused}{fits}")
}

/// What tells two classes apart, as `name found / expected`.
fn differences(found: &Class, expected: &Class, t: Language) -> Vec<String> {
    let values = |class: &Class| {
        let Class { heads, layers, width, head_width, attention, mask, scale, residual } = *class;
        [
            ("H", heads.to_string()),
            ("L", layers.to_string()),
            ("d", width.to_string()),
            ("d_h", head_width.to_string()),
            (t.failure_attention(), attention_name(attention, t).to_owned()),
            (t.failure_mask(), mask_name(mask, t).to_owned()),
            (t.failure_scale(), scale_name(scale, t)),
            (t.failure_residual(), if residual { t.failure_yes() } else { t.failure_no() }.to_owned()),
        ]
    };
    values(found)
        .into_iter()
        .zip(values(expected))
        .filter(|((_, found), (_, expected))| found != expected)
        .map(|((name, found), (_, expected))| format!("{name} {found} / {expected}"))
        .collect()
}

fn attention_name(attention: Attention, t: Language) -> &'static str {
    match attention {
        Attention::Softmax => t.softmax(),
        Attention::AverageHard => t.average_hard(),
        Attention::LeftmostHard => t.leftmost_hard(),
    }
}

fn mask_name(mask: Mask, t: Language) -> &'static str {
    match mask {
        Mask::None => t.mask_none(),
        Mask::Causal => t.mask_causal(),
    }
}

fn scale_name(scale: Scale, t: Language) -> String {
    match scale {
        Scale::InverseSqrt => "1/√d_h".to_owned(),
        Scale::Factor(factor) => decimal(factor, t),
    }
}

crate::texts! {
    failure_class_mismatch(differences: &str):
        "This universal transformer was built for another class than that of the target. They differ (target / universal): {differences}. Build one for the target’s class, or choose a target of the other class."
        | "Este transformer universal foi construído para uma classe que não é a do alvo. As diferenças (alvo / universal): {differences}. Construa um para a classe do alvo ou escolha um alvo da outra classe.";
    failure_attention: "attention" | "atenção";
    failure_mask: "mask" | "máscara";
    failure_scale: "scale" | "escala";
    failure_residual: "residual connections" | "conexões residuais";
    failure_yes: "yes" | "sim";
    failure_no: "no" | "não";
    failure_too_much_memory(m: &str, found: &str, most: &str):
        "m {m} needs {found}, more than the {most} that a page may use"
        | "m {m} precisa de {found}, mais que o limite de {most} de uma página";
    failure_too_wide(m: &str, most: &str, memory: &str):
        "m {m} is more than the {most} columns that a page may use, and needs {memory}"
        | "m {m} passa do limite de {most} colunas de uma página e precisa de {memory}";
    failure_one_layer: "1 layer" | "1 camada";
    failure_layers(layers: &str): "{layers} layers" | "{layers} camadas";
    failure_fits(layers: &str, sizes: &str, m: &str):
        "; with {layers} ({sizes}) it is {m}."
        | "; com {layers} ({sizes}) é {m}.";
    failure_fits_random(layers: &str, sizes: &str, m: &str):
        "; with {layers} ({sizes}) and no columns beyond N it is {m}."
        | "; com {layers} ({sizes}) e nenhuma coluna além de N é {m}.";
    failure_fewer_tokens:
        ". Not even the smallest class fits with so many tokens: use fewer."
        | ". Nem a menor das classes cabe com tantos tokens: use menos.";
    failure_looped_residual:
        "There is no looped construction for a class with residual connections: when every layer has the same weights, nothing tells in which layer a path skips the heads. Choose the sparse or the random construction, or switch the residual connections off."
        | "Não há construção em laço para uma classe com conexões residuais: quando todas as camadas têm os mesmos pesos, nada diz em qual camada um caminho pula as cabeças. Escolha a construção esparsa ou a aleatória, ou desligue as conexões residuais.";
    failure_zero_width:
        "A random universal transformer needs at least one column, but m = 0. Raise “Columns beyond N”."
        | "Um transformer universal aleatório precisa de ao menos uma coluna, mas m = 0. Aumente “Colunas além de N”.";
    failure_no_singular_values:
        "The equations for E cannot be solved with these frozen weights: their singular values cannot be computed. Choose another “Frozen draw”."
        | "As equações de E não podem ser resolvidas com estes pesos congelados: não é possível calcular seus valores singulares. Escolha outro “Sorteio congelado”.";
    failure_embedding_shape(found: &str, expected: &str):
        "E has the shape {found}, but this universal transformer needs {expected} (d × m). Use the E that was written for it."
        | "E tem a forma {found}, mas este transformer universal precisa de {expected} (d × m). Use a matriz E escrita para ele.";
}
