//! The exponential: how every width grows with the depth, what it costs, what is proved and what is open.

use leptos::prelude::*;
use transformer::Class;
use universal::bounds::{Memory, multiply_adds};
use universal::{Bounds, Construction, Law, RandomSpec, Tying};

use super::room::WidthRoom;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, use_language};
use crate::notices::numbers::bytes;
use crate::rooms::width::choices::{MOST_HEADS, MOST_LAYERS, Quantity};
use crate::widgets::chart::{Axis, Chart, Dot, Figure, Line, Marker, Series};
use crate::widgets::controls::{Choice, Select};
use crate::widgets::number::{grouped, short};

/// The panel.
#[component]
pub fn ExponentialPanel() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let widths = Memo::new(move |_| widths_figure(&room.class.get(), t.get()));
    let quantity = Memo::new(move |_| room.state.with(|state| state.quantity));
    let tokens = Memo::new(move |_| room.state.with(|state| state.tokens));
    let every = Memo::new(move |_| heads_figure(&room.class.get(), quantity.get(), tokens.get(), t.get()));
    let marker = Marker {
        value: Signal::derive(move || room.class.get().layers as f64),
        on_move: Callback::new(move |layers: f64| {
            let layers = (layers.round() as usize).clamp(1, MOST_LAYERS);
            if layers != room.class.get_untracked().layers {
                room.change(|state| state.class.layers = layers);
            }
        }),
    };
    let quantities = Signal::derive(move || {
        let t = t.get();
        let looped = (!room.class.get().residual).then_some(Quantity::Looped);
        [
            Some(Quantity::Sparse),
            looped,
            Some(Quantity::LowerBound),
            Some(Quantity::Memory),
            Some(Quantity::MultiplyAdds),
        ]
        .into_iter()
        .flatten()
        .map(|quantity| Choice::new(quantity, t.quantity_name(quantity)))
        .collect::<Vec<_>>()
    });
    view! {
        <section class="panel">
            <h2>{move || t.get().exponential_title()}</h2>
            <p class="lead">{move || t.get().exponential_lead()}</p>
            <div class="choice-row">
                <Select
                    label=Signal::derive(move || t.get().quantity_label().to_owned())
                    options=quantities
                    value=quantity
                    on_input=move |quantity| room.change(|state| state.quantity = quantity)
                />
            </div>
            <div class="chart-pair">
                <Chart
                    name=Signal::derive(move || t.get().widths_name(room.class.get().heads))
                    figure=widths
                    finding=Signal::derive(move || widths_finding(&room.class.get(), t.get()))
                    marker
                />
                    <Chart
                        name=Signal::derive(move || t.get().every_name(t.get().quantity_name(quantity.get())))
                        figure=every
                        finding=Signal::derive(move || t.get().every_finding(room.class.get().heads))
                        marker
                    />
            </div>
            <Facts/>
            <div class="claims">
                <div>
                    <h3>{move || t.get().proved_title()}</h3>
                    <p>{move || t.get().proved()}</p>
                </div>
                <div>
                    <h3>{move || t.get().open_title()}</h3>
                    <p>{move || t.get().open()}</p>
                </div>
                <div>
                    <h3>{move || t.get().superscripts_title()}</h3>
                    <p>{move || t.get().superscripts()}</p>
                </div>
            </div>
        </section>
    }
}

/// Width, memory and multiply-adds of the current class, construction by construction.
#[component]
fn Facts() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let rows = move || {
        let (t, class, tokens) = (t.get(), room.class.get(), room.state.with(|state| state.tokens));
        let bounds = Bounds::of(&class);
        let count = |value: u128| usize::try_from(value).map_or_else(|_| short(value as f64), grouped);
        let least = usize::try_from(bounds.random_minimum).unwrap_or(usize::MAX);
        [
            (t.sparse(), Construction::Sparse),
            (t.looped(), Construction::Looped),
            (t.random_at_n(), random(least)),
        ]
        .into_iter()
        .map(|(name, construction)| {
            let width = bounds.width(construction);
            let memory = Memory::of(construction, &class, tokens).filter(|_| width.is_some());
            let cells = match (width, memory) {
                (Some(width), Some(memory)) => vec![
                    count(width),
                    bytes(memory.total(), t),
                    count(multiply_adds(construction, &class, tokens)),
                ],
                _ => vec![t.cost_none().to_owned(), "–".to_owned(), "–".to_owned()],
            };
            let cells = cells.into_iter().map(|cell| view! { <td class="number">{cell}</td> }).collect_view();
            view! { <tr><th scope="row">{name}</th>{cells}</tr> }
        })
        .collect_view()
    };
    view! {
        <div class="facts-frame" tabindex="0" role="region" aria-label=move || t.get().facts_caption()>
            <table class="facts">
                <caption>{move || {
                    let class = room.class.get();
                    t.get().facts_for(class.heads, class.layers, class.width, class.head_width, room.state.with(|state| state.tokens))
                }}</caption>
                <thead>
                    <tr>
                        <th scope="col">{move || t.get().construction()}</th>
                        <th scope="col" class="number">"m"</th>
                        <th scope="col" class="number">{move || t.get().facts_memory()}</th>
                        <th scope="col" class="number">{move || t.get().facts_multiply_adds()}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn random(width: usize) -> Construction {
    Construction::Random { spec: RandomSpec { law: Law::Gaussian, tying: Tying::Free, width }, seed: 0 }
}

/// All widths of the class against the depth.
fn widths_figure(class: &Class, t: Language) -> Figure {
    let at = |value: fn(&Bounds) -> Option<f64>| -> Vec<(f64, f64)> {
        (1..=MOST_LAYERS)
            .filter_map(|layers| Some((layers as f64, value(&Bounds::of(&Class { layers, ..*class }))?)))
            .collect()
    };
    let mut series = vec![
        Series::new(t.sparse_series(), Role::Universal, at(|bounds| Some(bounds.sparse as f64)))
            .joined(Line::Strong),
        Series::new(t.sufficient_series(), Role::Accent, at(|bounds| Some(bounds.random_minimum as f64)))
            .joined(Line::None)
            .marked(Dot::Disc),
    ];
    let looped = at(|bounds| bounds.looped.map(|m| m as f64));
    if !looped.is_empty() {
        series.push(
            Series::new(t.looped_series(), Role::Residual, looped).joined(Line::Dashed).marked(Dot::Square),
        );
    }
    let lower = at(|bounds| bounds.attention_matching_lower_bound);
    if !lower.is_empty() {
        series.push(Series::new(t.lower_series(), Role::Query, lower).marked(Dot::Triangle));
    }
    Figure {
        x: Axis::new(t.layers_axis()).counting(),
        y: Axis::new(t.wide_axis()).logarithmic(),
        series,
        rules: Vec::new(),
    }
}

/// One quantity against the depth, a line for every H.
fn heads_figure(class: &Class, quantity: Quantity, tokens: usize, t: Language) -> Figure {
    let value = |class: &Class| -> Option<f64> {
        let bounds = Bounds::of(class);
        match quantity {
            Quantity::Sparse => Some(bounds.sparse as f64),
            Quantity::Looped => bounds.looped.map(|m| m as f64),
            Quantity::LowerBound => bounds.attention_matching_lower_bound,
            Quantity::Memory => {
                Memory::of(Construction::Sparse, class, tokens).map(|memory| memory.total() as f64)
            }
            Quantity::MultiplyAdds => Some(multiply_adds(Construction::Sparse, class, tokens) as f64),
        }
    };
    let series = (1..=MOST_HEADS)
        .map(|heads| {
            let points = (1..=MOST_LAYERS)
                .filter_map(|layers| Some((layers as f64, value(&Class { heads, layers, ..*class })?)))
                .collect();
            let (role, line) = match heads {
                _ if heads == class.heads => (Role::Accent, Line::Strong),
                1 => (Role::Value, Line::Strong),
                _ => (Role::Frozen, Line::Solid),
            };
            Series::new(format!("H = {heads}"), role, points).joined(line).labelled(format!("H = {heads}"))
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let axis = match quantity {
        Quantity::Sparse | Quantity::Looped | Quantity::LowerBound => t.wide_axis(),
        Quantity::Memory => t.bytes_axis(),
        Quantity::MultiplyAdds => t.multiply_adds_axis(),
    };
    Figure {
        x: Axis::new(t.layers_axis()).counting(),
        y: Axis::new(axis).logarithmic(),
        series,
        rules: Vec::new(),
    }
}

fn widths_finding(class: &Class, t: Language) -> String {
    let bounds = Bounds::of(class);
    let next = Bounds::of(&Class { layers: class.layers + 1, ..*class });
    let m = usize::try_from(bounds.sparse).map_or_else(|_| short(bounds.sparse as f64), grouped);
    let ratio = short((next.sparse as f64 / bounds.sparse as f64 * 100.0).round() / 100.0);
    let is_linear = class.heads == 1 && !class.residual;
    match bounds.attention_matching_lower_bound {
        _ if is_linear => t.finding_linear(class.layers, &m, 2 * class.head_width),
        Some(lower) => t.finding_exponential(class.heads, class.layers, &m, &ratio, &short(lower)),
        None => t.finding_without_bound(class.heads, class.layers, &m, &ratio),
    }
}

impl Language {
    fn quantity_name(self, quantity: Quantity) -> &'static str {
        match quantity {
            Quantity::Sparse => self.quantity_sparse(),
            Quantity::Looped => self.quantity_looped(),
            Quantity::LowerBound => self.quantity_lower(),
            Quantity::Memory => self.quantity_memory(),
            Quantity::MultiplyAdds => self.quantity_multiply_adds(),
        }
    }
}

crate::texts! {
    exponential_title: "The exponential" | "O exponencial";
    exponential_lead: "Every path through the heads needs a block of its own, and with H heads there are Hᴸ paths through L layers. Drag the marker, or choose other numbers above."
        | "Cada caminho pelas cabeças precisa de um bloco próprio, e com H cabeças há Hᴸ caminhos por L camadas. Arraste o marcador, ou escolha outros números acima.";
    widths_name(heads: usize): "Width against depth, H = {heads}" | "Largura contra profundidade, H = {heads}";
    every_name(quantity: &str): "For every H: {quantity}" | "Para cada H: {quantity}";
    quantity_label: "For every H show" | "Para cada H mostrar";
    quantity_sparse: "m of the sparse construction" | "m da construção esparsa";
    quantity_looped: "m of the looped construction" | "m da construção em laço";
    quantity_lower: "lower bound Hᴸ / 2" | "limite inferior Hᴸ / 2";
    quantity_memory: "memory, sparse" | "memória, esparsa";
    quantity_multiply_adds: "multiply-adds, sparse" | "multiplicações com soma, esparsa";
    layers_axis: "L (layers)" | "L (camadas)";
    wide_axis: "m (columns, log scale)" | "m (colunas, escala log)";
    bytes_axis: "memory (bytes, log scale)" | "memória (bytes, escala log)";
    multiply_adds_axis: "multiply-adds (log scale)" | "multiplicações com soma (escala log)";
    sparse_series: "sparse construction" | "construção esparsa";
    sufficient_series: "N, enough for random weights" | "N, suficiente para pesos aleatórios";
    looped_series: "looped construction" | "construção em laço";
    lower_series: "lower bound Hᴸ / 2 (FUT, theorem 4.1)" | "limite inferior Hᴸ / 2 (FUT, teorema 4.1)";
    finding_exponential(heads: usize, layers: usize, m: &str, ratio: &str, lower: &str):
        "With H = {heads} and L = {layers} the sparse construction and random weights need m = {m}; one layer more multiplies that by {ratio}. No universal transformer that reproduces the attention exactly has fewer than {lower} columns. Straight lines on a log axis are exponentials."
        | "Com H = {heads} e L = {layers} a construção esparsa e os pesos aleatórios precisam de m = {m}; uma camada a mais multiplica isso por {ratio}. Nenhum transformer universal que reproduza exatamente a atenção tem menos de {lower} colunas. Retas em um eixo log são exponenciais.";
    finding_linear(layers: usize, m: &str, step: usize):
        "With one head there is one path only: m = {m} at L = {layers}, and {step} columns more for every further layer. That is linear, and theorem 4.1 does not speak of it."
        | "Com uma cabeça há um só caminho: m = {m} em L = {layers}, e mais {step} colunas a cada camada. Isso é linear, e o teorema 4.1 não fala disso.";
    finding_without_bound(heads: usize, layers: usize, m: &str, ratio: &str):
        "With H = {heads}, L = {layers} and residual connections m = {m}; one layer more multiplies that by {ratio}, because a skip counts like one more head. Theorem 4.1 is stated without residual connections."
        | "Com H = {heads}, L = {layers} e conexões residuais m = {m}; uma camada a mais multiplica isso por {ratio}, porque um atalho conta como mais uma cabeça. O teorema 4.1 é enunciado sem conexões residuais.";
    every_finding(heads: usize):
        "Every line with H ≥ 2 is an exponential whose steepness is log H; H = 1 bends, for it is linear. H = {heads} is the class above."
        | "Toda linha com H ≥ 2 é um exponencial cuja inclinação é log H; H = 1 se curva, pois é linear. H = {heads} é a classe acima.";
    random_at_n: "Random, at m = N" | "Aleatória, em m = N";
    facts_caption: "Costs of the current class" | "Custos da classe atual";
    facts_for(heads: usize, layers: usize, d: usize, d_h: usize, n: usize): "The current class: H = {heads}, L = {layers}, d = {d}, d_h = {d_h}, with n = {n} tokens" | "A classe atual: H = {heads}, L = {layers}, d = {d}, d_h = {d_h}, com n = {n} tokens";
    facts_memory: "Memory" | "Memória";
    facts_multiply_adds: "Multiply-adds" | "Multiplicações com soma";
    proved_title: "Proved" | "Provado";
    proved: "A universal transformer whose attention equals the target’s, matrix by matrix, has m ≥ Hᴸ / 2 columns when H ≥ 2, already for d = 1 (FUT, theorem 4.1). So the exponential cannot be removed by a cleverer layout."
        | "Um transformer universal cuja atenção é igual à do alvo, matriz por matriz, tem m ≥ Hᴸ / 2 colunas quando H ≥ 2, já para d = 1 (FUT, teorema 4.1). O exponencial não some com um arranjo mais esperto.";
    open_title: "Open" | "Em aberto";
    open: "Nobody knows whether fewer columns are enough when only the outputs have to agree and the attention may differ, nor when layers have MLPs and normalisation."
        | "Ninguém sabe se menos colunas bastam quando só as saídas precisam coincidir e a atenção pode diferir, nem quando as camadas têm MLPs e normalização.";
    superscripts_title: "Mind the superscripts" | "Atenção aos expoentes";
    superscripts: "Some summaries of the paper print O(HLd) and HL/2. They lost their superscripts: the width is O(Hᴸ · d) and the bound Hᴸ / 2, exponential in L and not linear."
        | "Alguns resumos do artigo imprimem O(HLd) e HL/2. Perderam os expoentes: a largura é O(Hᴸ · d) e o limite Hᴸ / 2, exponenciais em L e não lineares.";
}
