//! The programs of the gallery in words.

use crate::ground::language::Language;

macro_rules! stories {
    ($($id:literal $title:ident $story:ident;)*) => {
        /// The title of a program of the gallery.
        pub fn title(t: Language, id: &str) -> &'static str {
            match id { $($id => t.$title(),)* _ => "" }
        }

        /// What a program of the gallery does, and what to try with it.
        pub fn story(t: Language, id: &str) -> &'static str {
            match id { $($id => t.$story(),)* _ => "" }
        }
    };
}

stories! {
    "histogram" rasp_histogram rasp_histogram_story;
    "double_histogram" rasp_double_histogram rasp_double_histogram_story;
    "reverse" rasp_reverse rasp_reverse_story;
    "sort" rasp_sort rasp_sort_story;
    "most_frequent" rasp_most_frequent rasp_most_frequent_story;
    "frequency_so_far" rasp_frequency rasp_frequency_story;
    "dyck_1" rasp_dyck_1 rasp_dyck_1_story;
    "dyck_2" rasp_dyck_2 rasp_dyck_2_story;
    "long_addition" rasp_addition rasp_addition_story;
    "induction" rasp_induction rasp_induction_story;
    "match_2" rasp_match_2 rasp_match_2_story;
    "k_parity" rasp_parity rasp_parity_story;
    "transpose" rasp_transpose rasp_transpose_story;
    "matmul" rasp_matmul rasp_matmul_story;
    "softmax" rasp_softmax rasp_softmax_story;
    "hard_max" rasp_hard_max rasp_hard_max_story;
    "determinant" rasp_determinant rasp_determinant_story;
    "inverse_2" rasp_inverse_2 rasp_inverse_2_story;
    "inverse" rasp_inverse rasp_inverse_story;
    "activation" rasp_activation rasp_activation_story;
    "affine" rasp_affine rasp_affine_story;
    "attention" rasp_attention rasp_attention_story;
    "hard_attention" rasp_hard_attention rasp_hard_attention_story;
    "feed_forward" rasp_feed_forward rasp_feed_forward_story;
    "multi_head" rasp_multi_head rasp_multi_head_story;
    "encoder" rasp_encoder rasp_encoder_story;
}

crate::texts! {
    rasp_histogram: "Histogram" | "Histograma";
    rasp_histogram_story: "How often does each token occur? Each position selects its equals and counts them: one layer, two heads, for texts of any length. Type another word."
        | "Quantas vezes cada token ocorre? Cada posição seleciona seus iguais e os conta: uma camada, duas cabeças, para textos de qualquer tamanho. Digite outra palavra.";
    rasp_double_histogram: "Double histogram" | "Histograma duplo";
    rasp_double_histogram_story: "How many different tokens occur exactly as often as this one? The first histogram feeds the second, so that two layers are needed."
        | "Quantos tokens diferentes ocorrem exatamente tantas vezes quanto este? O primeiro histograma alimenta o segundo, e por isso são precisas duas camadas.";
    rasp_reverse: "Reverse" | "Inverter";
    rasp_reverse_story: "Each position fetches the token from the opposite place. The first layer only finds out how long the text is."
        | "Cada posição busca o token do lugar oposto. A primeira camada só descobre o comprimento do texto.";
    rasp_sort: "Sort" | "Ordenar";
    rasp_sort_story: "Layer 1 counts how many tokens come before each one; layer 2 fetches the token whose count is the position."
        | "A camada 1 conta quantos tokens vêm antes de cada um; a camada 2 busca o token cuja contagem é a posição.";
    rasp_most_frequent: "Most frequent first" | "Os mais frequentes primeiro";
    rasp_most_frequent_story: "A histogram, then a sort by it: all different tokens, the most frequent first."
        | "Um histograma e depois uma ordenação por ele: todos os tokens diferentes, os mais frequentes primeiro.";
    rasp_frequency: "Frequency so far" | "Frequência até aqui";
    rasp_frequency_story: "Which share of the tokens up to here is this token? A causal selector looks only back."
        | "Que fração dos tokens até aqui é este token? Um seletor causal só olha para trás.";
    rasp_dyck_1: "Balanced brackets (Dyck-1)" | "Parênteses balanceados (Dyck-1)";
    rasp_dyck_1_story: "T: balanced up to here. P: it can still become so. F: it never will. The average of the brackets gives the depth; a second layer looks for a place where it was below zero."
        | "T: balanceado até aqui. P: ainda pode ficar. F: nunca ficará. A média dos parênteses dá a profundidade; uma segunda camada procura um lugar em que foi menor que zero.";
    rasp_dyck_2: "Two kinds of brackets (Dyck-2)" | "Dois tipos de parênteses (Dyck-2)";
    rasp_dyck_2_story: "Each bracket must be closed by its like. Each closing bracket finds the last opening one of its depth, and compares."
        | "Cada parêntese deve ser fechado por seu par. Cada fechamento acha a última abertura de sua profundidade e compara.";
    rasp_addition: "Long addition" | "Soma com vai-um";
    rasp_addition_story: "Two numbers with a + between them. The digits are lined up by one layer; where a carry comes from is found by another, for all digits at once."
        | "Dois números com um + entre eles. Uma camada alinha os dígitos; outra acha de onde vem o vai-um, para todos os dígitos de uma vez.";
    rasp_induction: "Induction" | "Indução";
    rasp_induction_story: "What followed this token when it stood here the last time? Two layers, as in the induction heads of language models."
        | "O que veio depois deste token quando esteve aqui da última vez? Duas camadas, como nas cabeças de indução dos modelos de linguagem.";
    rasp_match_2: "Match2" | "Match2";
    rasp_match_2_story: "Is there a number that adds up with this one to a multiple of 7? One attention layer answers for all pairs."
        | "Há um número que, somado a este, dá um múltiplo de 7? Uma camada de atenção responde para todos os pares.";
    rasp_parity: "k-PARITY" | "k-PARIDADE";
    rasp_parity_story: "Is the number of ones at some chosen places odd? Exact, for any length, without training."
        | "O número de uns em certos lugares escolhidos é ímpar? Exato, para qualquer comprimento, sem treino.";
    rasp_transpose: "transpose" | "transposta";
    rasp_transpose_story: "A matrix, written row after row, is transposed by one head that selects by the arithmetic of indices."
        | "Uma matriz, escrita linha a linha, é transposta por uma cabeça que seleciona pela aritmética dos índices.";
    rasp_matmul: "matrix product" | "produto de matrizes";
    rasp_matmul_story: "Two matrices stand one after the other. For every term of the inner sum, two heads fetch the two factors; all in one layer."
        | "Duas matrizes ficam uma após a outra. Para cada termo da soma interna, duas cabeças buscam os dois fatores; tudo em uma camada.";
    rasp_softmax: "row softmax" | "softmax por linha";
    rasp_softmax_story: "exp at every position, the mean of each row by one head, a division: the softmax of each row."
        | "exp em cada posição, a média de cada linha por uma cabeça, uma divisão: o softmax de cada linha.";
    rasp_hard_max: "average-hard maximum" | "máximo duro médio";
    rasp_hard_max_story: "The largest elements of each row share 1 among them: average-hard attention."
        | "Os maiores elementos de cada linha dividem 1 entre si: atenção dura média.";
    rasp_determinant: "determinant" | "determinante";
    rasp_determinant_story: "The determinant of a 3 × 3 matrix, at every position: entries are fetched by their index and combined."
        | "O determinante de uma matriz 3 × 3, em cada posição: as entradas são buscadas pelo índice e combinadas.";
    rasp_inverse_2: "2 × 2 inverse" | "inversa 2 × 2";
    rasp_inverse_2_story: "The inverse of a 2 × 2 matrix. A singular one is refused in words."
        | "A inversa de uma matriz 2 × 2. Uma singular é recusada em palavras.";
    rasp_inverse: "3 × 3 inverse" | "inversa 3 × 3";
    rasp_inverse_story: "The inverse of a 3 × 3 matrix by cofactors. Make a row a multiple of another to see a singular one refused."
        | "A inversa de uma matriz 3 × 3 por cofatores. Faça uma linha múltipla de outra para ver uma singular ser recusada.";
    rasp_activation: "ReLU and MaxMin" | "ReLU e MaxMin";
    rasp_activation_story: "MaxMin sorts each pair of neighbours: each position fetches its partner. ReLU keeps what is positive."
        | "MaxMin ordena cada par de vizinhos: cada posição busca seu par. ReLU guarda o que é positivo.";
    rasp_affine: "affine map" | "mapa afim";
    rasp_affine_story: "x w + b, where x, w and b stand one after the other in one sequence."
        | "x w + b, em que x, w e b ficam um após o outro em uma sequência.";
    rasp_attention: "soft attention head" | "cabeça de atenção suave";
    rasp_attention_story: "softmax(X A Xᵀ) X V: the input and the weights are both data, and the program never changes."
        | "softmax(X A Xᵀ) X V: a entrada e os pesos são ambos dados, e o programa nunca muda.";
    rasp_hard_attention: "hard attention head" | "cabeça de atenção dura";
    rasp_hard_attention_story: "The same with average-hard attention: the largest scores of a row share 1."
        | "O mesmo com atenção dura média: as maiores pontuações de uma linha dividem 1.";
    rasp_feed_forward: "feed-forward sub-layer" | "subcamada feed-forward";
    rasp_feed_forward_story: "Two affine maps with MaxMin between them."
        | "Dois mapas afins com MaxMin entre eles.";
    rasp_multi_head: "two heads" | "duas cabeças";
    rasp_multi_head_story: "Two soft attention heads side by side, their outputs added up. They share the layers, not the heads."
        | "Duas cabeças de atenção suave lado a lado, com as saídas somadas. Elas dividem as camadas, não as cabeças.";
    rasp_encoder: "whole encoder layer" | "camada inteira de encoder";
    rasp_encoder_story: "Multi-head attention and a feed-forward sub-layer as one RASP program, all weights given as data."
        | "Atenção com várias cabeças e uma subcamada feed-forward como um só programa RASP, com todos os pesos dados como dados.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_its_words() {
        for entry in rasp::gallery::GALLERY {
            for t in Language::ALL {
                assert!(!title(t, entry.id).is_empty() && !story(t, entry.id).is_empty(), "{}", entry.id);
            }
        }
    }
}
