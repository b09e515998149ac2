//! The presets in words: what each is called, what it shows, and what to try with it.

use leptos::prelude::*;

use super::names::symbol;
use super::room::SimulatorRoom;
use crate::ground::language::{Language, use_language};
use crate::rooms::simulator::choices::TargetSource;

/// What the target on show does; what stopped the run, if anything did; what is padded.
#[component]
pub fn Story() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let t = use_language();
    let id = Memo::new(move |_| {
        room.piece.with(|piece| match &piece.target {
            TargetSource::Preset(id) => id.clone(),
            TargetSource::Random => "random".to_owned(),
            TargetSource::Own(..) => String::new(),
        })
    });
    let stopped = Memo::new(move |_| {
        room.read(|simulated| {
            let stage = simulated.stages.iter().find(|stage| stage.simulated.is_none())?;
            Some((stage.name.clone(), simulated.target.heads))
        })
    });
    let room_left = Memo::new(move |_| {
        room.read(|simulated| {
            let (built, target) = (simulated.class, simulated.target);
            (built != target).then_some((
                (target.rows, target.width),
                (built.rows, built.width),
                simulated.unchanged,
            ))
        })
    });
    view! {
        <p class="piece-story">{move || id.with(|id| story(t.get(), id))}</p>
        {move || stopped.get().map(|(name, heads)| {
            let symbol = symbol(&name, heads);
            let text = match name.starts_with("attention") {
                true => t.get().simulator_stopped_at_attention(&symbol),
                false => t.get().simulator_stopped_at(&symbol),
            };
            view! { <p class="notice notice-bad sim-notice" role="status"><span>{text}</span></p> }
        })}
        {move || room_left.get().map(|(target, built, unchanged)| view! {
            <p class="notice notice-good sim-notice" role="status" aria-label=move || t.get().simulator_hierarchy()><span>
                {t.get().simulator_padded(built.0, built.1, target.0, target.1)}
                {unchanged.map(|difference| {
                    format!(" {}", t.get().simulator_unchanged(&super::proof::scientific(difference)))
                })}
            </span></p>
        })}
    }
    .into_any()
}

/// The name of a preset.
pub fn preset_name(t: Language, id: &str) -> &'static str {
    match id {
        "first" => t.simulator_first(),
        "lookup" => t.simulator_lookup(),
        "average" => t.simulator_average(),
        "ties" => t.simulator_ties(),
        "previous" => t.simulator_previous(),
        "two-heads" => t.simulator_two_heads(),
        "encoder" => t.simulator_encoder(),
        "overflow" => t.simulator_overflow(),
        _ => t.simulator_random(),
    }
}

fn story(t: Language, id: &str) -> &'static str {
    match id {
        "first" => t.simulator_first_story(),
        "lookup" => t.simulator_lookup_story(),
        "average" => t.simulator_average_story(),
        "ties" => t.simulator_ties_story(),
        "previous" => t.simulator_previous_story(),
        "two-heads" => t.simulator_two_heads_story(),
        "encoder" => t.simulator_encoder_story(),
        "overflow" => t.simulator_overflow_story(),
        "" => t.simulator_own_story(),
        _ => t.simulator_random_story(),
    }
}

crate::texts! {
    simulator_first: "Every number by hand" | "Cada número à mão";
    simulator_first_story: "Four tokens of two coordinates: small enough to follow every number. Change a cell of X, A or V and watch both sides follow, while the program stays as it is."
        | "Quatro tokens de duas coordenadas: pequeno o bastante para seguir cada número. Mude uma célula de X, A ou V e veja os dois lados acompanharem, enquanto o programa fica como está.";
    simulator_lookup: "Looking up" | "Consulta a uma tabela";
    simulator_lookup_story: "Each kind of row asks for the next kind, and hard attention fetches its last coordinate: 10 becomes 20, 20 becomes 30, 30 becomes 10. Two rows of a kind share, and give the same."
        | "Cada tipo de linha pede o tipo seguinte, e a atenção dura busca sua última coordenada: 10 vira 20, 20 vira 30, 30 vira 10. Duas linhas do mesmo tipo dividem, e dão o mesmo.";
    simulator_average: "An average" | "Uma média";
    simulator_average_story: "With A = 0 all scores are equal, so every row gets the average of all rows. Give A one entry that is not 0, and see the average tilt."
        | "Com A = 0 todas as pontuações são iguais, e cada linha recebe a média de todas. Dê a A uma entrada diferente de 0 e veja a média pender.";
    simulator_ties: "Ties share" | "Empates dividem";
    simulator_ties_story: "Every row is there twice, so the largest score is there twice: average-hard attention gives one half to each. Change one coordinate a little, and one of the two takes all."
        | "Cada linha aparece duas vezes, e a maior pontuação também: a atenção dura dá metade a cada uma. Mude um pouco uma coordenada, e uma das duas leva tudo.";
    simulator_previous: "The row before" | "A linha anterior";
    simulator_previous_story: "Positions stand on a circle, and A turns them back by one place: every row says the number of the row before it, and the first says that of the last."
        | "As posições estão num círculo, e A as gira um lugar para trás: cada linha diz o número da anterior, e a primeira diz o da última.";
    simulator_two_heads: "Two heads" | "Duas cabeças";
    simulator_two_heads_story: "One head averages, the other looks for what resembles. In the program they run side by side, in the same layers, and their outputs are added (USA, Theorem 9)."
        | "Uma cabeça tira a média, a outra procura o que se parece. No programa elas correm lado a lado, nas mesmas camadas, e suas saídas são somadas (USA, Teorema 9).";
    simulator_encoder: "A whole layer" | "Uma camada inteira";
    simulator_encoder_story: "Two heads and a feed-forward sub-layer with ReLU (USA, Corollary 9.1). All weights are data: they stand one after the other in the sequence below."
        | "Duas cabeças e uma subcamada feed-forward com ReLU (USA, Corolário 9.1). Todos os pesos são dados: estão um após o outro na sequência abaixo.";
    simulator_overflow: "Scores too large" | "Pontuações grandes demais";
    simulator_overflow_story: "Scores of 1,600: their exponential is beyond all floating-point numbers, and the program stops rather than say ∞. Choose “Soft, shifted”: two layers more, and every score is possible."
        | "Pontuações de 1.600: sua exponencial está além de todo número de ponto flutuante, e o programa para em vez de dizer ∞. Escolha “Suave, deslocada”: duas camadas a mais, e toda pontuação é possível.";
    simulator_random: "Random target" | "Alvo aleatório";
    simulator_random_story: "A target that means nothing: all its weights are drawn, with two decimals. Draw another seed: every number changes, the program does not."
        | "Um alvo que não quer dizer nada: todos os pesos são sorteados, com duas casas decimais. Sorteie outra semente: todo número muda, o programa não.";
    simulator_own_story: "Your own transformer, one layer of it. A = Wq Wkᵀ times the scale and V = Wv Wo go into the sequence as data."
        | "Seu próprio transformer, uma camada dele. A = Wq Wkᵀ vezes a escala e V = Wv Wo entram na sequência como dados.";
    simulator_stopped_at(symbol: &str):
        "The run stopped at {symbol}: a number there is too large. Everything before it stands. Make the weights or the input smaller."
        | "A execução parou em {symbol}: um número ali é grande demais. Tudo o que vem antes vale. Diminua os pesos ou a entrada.";
    simulator_stopped_at_attention(symbol: &str):
        "The run stopped at {symbol}: the exponential of a score above about 709 is beyond all floating-point numbers. Everything before it stands. Choose “Soft, shifted”, or make A or X smaller."
        | "A execução parou em {symbol}: a exponencial de uma pontuação acima de cerca de 709 está além de todo número de ponto flutuante. Tudo o que vem antes vale. Escolha “Suave, deslocada”, ou diminua A ou X.";
    simulator_hierarchy: "Hierarchy" | "Hierarquia";
    simulator_padded(n: usize, d: usize, rows: usize, width: usize):
        "This simulator is built for n = {n}, d = {d}; the target has n = {rows}, d = {width}. The rest is padding: zeros, and keys that no query sees."
        | "Este simulador foi construído para n = {n}, d = {d}; o alvo tem n = {rows}, d = {width}. O resto é preenchimento: zeros, e chaves que nenhuma consulta vê.";
    simulator_unchanged(difference: &str):
        "The result is unchanged: it differs by {difference} from that of the simulator of exactly the target’s size."
        | "O resultado não muda: difere em {difference} do resultado do simulador do tamanho exato do alvo.";
}
