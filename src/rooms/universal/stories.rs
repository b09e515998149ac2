//! The presets in words: what each is called, what it does, and what to try with it.

use leptos::prelude::*;

use super::room::Room;
use crate::ground::language::{Language, use_language};
use crate::rooms::universal::choices::{Origin, RANDOM_TARGET, TargetSource};

/// What the target on show does, and what to try.
#[component]
pub fn Story() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let id = Memo::new(move |_| {
        room.piece.with(|piece| match &piece.target {
            TargetSource::Preset(id) => id.clone(),
            TargetSource::Random => RANDOM_TARGET.to_owned(),
            TargetSource::Own(_) => String::new(),
        })
    });
    let origin = Memo::new(move |_| {
        let is_own = room.piece.with(|piece| matches!(piece.target, TargetSource::Own(_)));
        room.look.with(|look| look.origin.clone()).filter(|_| is_own)
    });
    let story = move || match origin.get() {
        Some(Origin { task, seed, steps }) => t.get().learned_story(&task, seed, steps),
        None => id.with(|id| preset_story(t.get(), id).to_owned()),
    };
    view! { <p class="piece-story">{story}</p> }
}

/// The name of a preset.
pub fn preset_name(t: Language, id: &str) -> &'static str {
    match id {
        "previous-token" => t.previous_token(),
        "first-token" => t.first_token(),
        "majority" => t.majority(),
        "largest" => t.largest(),
        "smallest" => t.smallest(),
        "pascal" => t.pascal(),
        "parentheses" => t.parentheses(),
        "sorting" => t.sorting(),
        "induction" => t.induction(),
        _ => t.random_target(),
    }
}

fn preset_story(t: Language, id: &str) -> &'static str {
    match id {
        "previous-token" => t.previous_token_story(),
        "first-token" => t.first_token_story(),
        "majority" => t.majority_story(),
        "largest" => t.largest_story(),
        "smallest" => t.smallest_story(),
        "pascal" => t.pascal_story(),
        "parentheses" => t.parentheses_story(),
        "sorting" => t.sorting_story(),
        "induction" => t.induction_story(),
        "" => t.own_story(),
        _ => t.random_story(),
    }
}

crate::texts! {
    previous_token: "Previous-token head" | "Cabeça do token anterior";
    previous_token_story: "Every position says the token before it. Swap it for “First token”: the two are of one class, so only E changes, and the fingerprint of the frozen weights stays."
        | "Cada posição diz o token anterior. Troque por “Primeiro token”: os dois são da mesma classe, então só E muda, e a impressão digital dos pesos congelados fica.";
    first_token: "First token" | "Primeiro token";
    first_token_story: "Every position says the first token. Swap it for “Previous-token head”: only E changes."
        | "Cada posição diz o primeiro token. Troque por “Cabeça do token anterior”: só E muda.";
    majority: "Majority by counting" | "Maioria por contagem";
    majority_story: "With all scores equal, attention is an average: every position counts whether a or b is ahead so far; = is a draw, and c abstains."
        | "Com todas as pontuações iguais, a atenção é uma média: cada posição conta se a ou b está à frente até ali; = é empate, e c se abstém.";
    largest: "Largest so far (twin)" | "O maior até aqui (gêmeo)";
    largest_story: "Every position says the largest digit so far, by hard attention. Its twin, “Smallest so far”, differs in a single weight; see how little of E changes, and how much of the attention."
        | "Cada posição diz o maior dígito até ali, por atenção dura. Seu gêmeo, “O menor até aqui”, difere em um único peso; veja quão pouco de E muda, e quanto da atenção.";
    smallest: "Smallest so far (twin)" | "O menor até aqui (gêmeo)";
    smallest_story: "Every position says the smallest digit so far. It is “Largest so far” with the sign of one weight turned."
        | "Cada posição diz o menor dígito até ali. É “O maior até aqui” com o sinal de um peso trocado.";
    pascal: "Pascal’s triangle of paths" | "Triângulo de Pascal de caminhos";
    pascal_story: "In every layer one head stays and one looks back one place. Of the 2³ attention paths, 1, 3, 3 and 1 look back 0, 1, 2 and 3 places: a single 1 becomes 1 3 3 1."
        | "Em cada camada uma cabeça fica e outra olha um lugar para trás. Dos 2³ caminhos de atenção, 1, 3, 3 e 1 olham 0, 1, 2 e 3 lugares para trás: um único 1 vira 1 3 3 1.";
    parentheses: "Balanced parentheses" | "Parênteses balanceados";
    parentheses_story: "Layer 1 averages the brackets, so it knows the depth; layer 2 looks for the lowest depth so far. ✓ is balanced, … can still become so, ✗ never will. Right up to 24 brackets."
        | "A camada 1 tira a média dos parênteses e assim conhece a profundidade; a camada 2 procura a menor profundidade até ali. ✓ está balanceado, … ainda pode ficar, ✗ nunca ficará. Correto até 24 parênteses.";
    sorting: "Sorting by counting" | "Ordenação por contagem";
    sorting_story: "Position r says the r-th smallest digit, with attention alone: layer 1 counts, layer 2 picks the digit whose count fits. Digits from 1 to 4."
        | "A posição r diz o r-ésimo menor dígito, só com atenção: a camada 1 conta, a camada 2 escolhe o dígito cuja contagem serve. Dígitos de 1 a 4.";
    induction: "Induction head" | "Cabeça de indução";
    induction_story: "Layer 1 notes the letter before; layer 2 finds the last time that the present letter stood there, and says what followed. Type a word with repeated letters."
        | "A camada 1 anota a letra anterior; a camada 2 acha a última vez em que a letra atual esteve ali e diz o que veio depois. Digite uma palavra com letras repetidas.";
    random_target: "Random target" | "Alvo aleatório";
    random_story: "A target that means nothing: all its weights are drawn. That the same frozen transformer plays it too is the point. Any word may be typed; draw another seed and watch only E change."
        | "Um alvo que não quer dizer nada: todos os pesos são sorteados. Que o mesmo transformer congelado também o toque é o ponto. Qualquer palavra serve; sorteie outra semente e veja só E mudar.";
    learned_story(task: &str, seed: u64, steps: usize):
        "A transformer that you trained: {task}, seed {seed}, {steps} steps. All of its weights were learned. E was not: it is computed from them, and makes the frozen transformer play the same. Back returns to the run."
        | "Um transformer que você treinou: {task}, semente {seed}, {steps} passos. Todos os seus pesos foram aprendidos. E não foi: é calculado a partir deles e faz o transformer congelado tocar o mesmo. Voltar leva de novo ao treino.";
    own_story: "Your own target. Its weights are below; every one of them can be changed."
        | "Seu próprio alvo. Seus pesos estão abaixo; cada um deles pode ser mudado.";
}
