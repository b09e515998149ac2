//! What universality costs: the widths that belong to the class, memory, and how the equations of a random
//! construction were solved.

use leptos::prelude::*;

use super::matrices::read;
use super::room::Room;
use crate::ground::language::{Language, say, use_language};
use crate::notices::numbers::bytes;
use crate::widgets::number::{grouped, short};

/// The table of costs.
#[component]
pub fn CostsPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let facts = Memo::new(move |_| {
        read(room, |played| {
            Some((played.bounds, played.estimate, played.solve.clone(), *played.target.class()))
        })
    });
    let rows = move || {
        let t = t.get();
        let (bounds, estimate, solve, class) = facts.get()?;
        let count =
            |value: u128| usize::try_from(value).map_or_else(|_| format!("{:.2e}", value as f64), grouped);
        let mut rows = vec![
            (t.cost_paths(), format!("{}^{} = {}", class.steps().0, class.layers, count(bounds.paths))),
            (t.cost_sparse(), count(bounds.sparse)),
            (t.cost_looped(), bounds.looped.map_or_else(|| t.cost_none().to_owned(), count)),
            (t.cost_random(), count(bounds.random_minimum)),
            (
                t.cost_lower(),
                bounds.attention_matching_lower_bound.map_or_else(|| t.cost_lower_none().to_owned(), short),
            ),
            (t.cost_memory(), bytes(estimate.memory.total(), t)),
            (
                t.cost_dense(),
                bytes((class.layers * class.heads) as u128 * estimate.width * estimate.width * 8, t),
            ),
        ];
        if let Some(solve) = solve {
            rows.push((t.cost_rank(), format!("{} / {}", solve.rank, solve.equations)));
            rows.push((t.cost_condition(), format!("{:.1e}", solve.condition)));
            rows.push((t.cost_residual(), format!("{:.1e}", solve.residual)));
        }
        Some(
            rows.into_iter()
                .map(|(name, value)| view! { <tr><th scope="row">{name}</th><td class="number">{value}</td></tr> })
                .collect_view(),
        )
    };
    let why = move || {
        facts.with(|facts| {
            facts.as_ref().and_then(|(_, _, solve, _)| {
                let solve = solve.as_ref()?;
                (solve.rank < solve.equations).then(|| t.get().why_it_fails(solve.rank, solve.equations))
            })
        })
    };
    view! {
        <section class="panel">
            <h2>{say(t, Language::costs_title)}</h2>
            <p class="lead">{say(t, Language::costs_lead)}</p>
            {move || why().map(|why| view! { <p class="notice notice-bad"><span>{why}</span></p> })}
            <table class="facts"><tbody>{rows}</tbody></table>
        </section>
    }
}

crate::texts! {
    costs_title: "What universality costs" | "Quanto custa a universalidade";
    costs_lead: "Paths multiply: with H heads and L layers there are H^L of them, and each needs its own block in E. That is why the width m is exponential in the depth."
        | "Os caminhos se multiplicam: com H cabeças e L camadas há H^L deles, e cada um precisa de seu bloco em E. Por isso a largura m é exponencial na profundidade.";
    cost_paths: "Attention paths to the output" | "Caminhos de atenção até a saída";
    cost_sparse: "m, sparse" | "m, esparsa";
    cost_looped: "m, looped" | "m, em laço";
    cost_random: "N, the least m at which a random draw works" | "N, o menor m em que um sorteio funciona";
    cost_lower: "Lower bound H^L / 2 for exact attention (FUT, theorem 4.1)" | "Limite inferior H^L / 2 para atenção exata (FUT, teorema 4.1)";
    cost_lower_none: "says nothing for this class" | "não diz nada para esta classe";
    cost_none: "does not exist with residual connections" | "não existe com conexões residuais";
    cost_memory: "Memory of all that is computed here" | "Memória de tudo o que se computa aqui";
    cost_dense: "What Rv would take as plain matrices" | "O que Rv ocuparia como matrizes comuns";
    cost_rank: "Rank of the equations E C = B" | "Posto das equações E C = B";
    cost_condition: "Condition number of C" | "Número de condição de C";
    cost_residual: "Residual ‖E C − B‖ / ‖B‖" | "Resíduo ‖E C − B‖ / ‖B‖";
    why_it_fails(rank: usize, equations: usize):
        "These frozen weights give only {rank} independent equations where {equations} are needed, so no E can satisfy them all: the target is out of reach, and the picture shows by how much."
        | "Estes pesos congelados dão só {rank} equações independentes onde {equations} são necessárias; nenhum E satisfaz todas: o alvo está fora de alcance, e a imagem mostra por quanto.";
}
