//! The cliff: random weights of every width around N, law by law, point by point.

use leptos::prelude::*;
use universal::sweep::Sample;
use universal::{Bounds, Law, Table, Tying};

use super::laws::{law_name, law_title, look_of, median};
use super::room::{WidthRoom, cast_of, draw_of};
use super::runner::{Runner, Samples, WIDEST};
use super::work::{Kind, Running};
use crate::drawing::palette::Role;
use crate::ground::language::{Language, use_language};
use crate::rooms::shared::named::Named;
use crate::rooms::width::choices::{MOST_DRAWS, MOST_REACH, Measure, WidthState};
use crate::rooms::width::job::Point;
use crate::widgets::chart::{Axis, Band, Chart, Figure, Line, Marker, Rule, Series};
use crate::widgets::controls::{Choice, Range, SeedField, Segments, Slider, TextField, Toggle};
use crate::widgets::number::{exact, grouped, parse, short};

/// The panel.
#[component]
pub fn CliffPanel(
    /// Computes the points.
    runner: Runner,
) -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let figure = Memo::new(move |_| {
        runner.with_samples(|samples| room.state.with(|state| figure(state, samples, t.get())))
    });
    let finding = Memo::new(move |_| {
        runner.with_samples(|samples| room.state.with(|state| finding(state, samples, t.get())))
    });
    let why = Memo::new(move |_| room.state.with(|state| why(state, t.get())));
    let measures = Signal::derive(move || {
        let t = t.get();
        vec![
            Choice::new(Measure::Error, t.measure_error()),
            Choice::new(Measure::Residual, t.measure_residual()),
            Choice::new(Measure::Rank, t.measure_rank()),
            Choice::new(Measure::Condition, t.measure_condition()),
        ]
    });
    let marker = Marker {
        value: Signal::derive(move || room.state.with(|state| state.marked_width().unwrap_or(1) as f64)),
        on_move: Callback::new(move |width: f64| {
            room.change(|state| state.spare = width.round() as i64 - state.equations() as i64);
        }),
    };
    let number = move |of: fn(&WidthState) -> usize| Signal::derive(move || room.state.with(of) as f64);
    let label = move |text: fn(Language) -> &'static str| Signal::derive(move || text(t.get()).to_owned());
    let is_too_wide = Memo::new(move |_| room.state.with(|state| state.equations() > WIDEST));
    view! {
        <section class="panel">
            <h2>{move || t.get().cliff_title()}</h2>
            <p class="lead">{move || t.get().cliff_lead()}</p>
            <div class="control-bar" role="group" aria-label=move || t.get().cliff_controls()>
                <Named name="measure">
                    <Segments label=label(Language::measure_label) options=measures
                        value=Signal::derive(move || room.state.with(|state| state.measure))
                        on_input=move |measure| room.change(|state| state.measure = measure)/>
                </Named>
                <Named name="laws"><Laws/></Named>
                <Named name="values"><Values/></Named>
                <Named name="tying">
                    <Toggle label=label(Language::tied)
                        value=Signal::derive(move || room.state.with(|state| state.tying == Tying::Tied))
                        on_input=move |tied: bool| room.change(|state| {
                            state.tying = if tied { Tying::Tied } else { Tying::Free };
                        })/>
                </Named>
                <Named name="draws">
                    <Slider label=label(Language::draws) value=number(|state| state.draws)
                        range=Range::whole(1, MOST_DRAWS as i32)
                        on_input=move |draws: f64| room.change(|state| state.draws = draws as usize)/>
                </Named>
                <Named name="reach">
                    <Slider label=label(Language::reach) value=number(|state| state.reach)
                        range=Range::whole(2, MOST_REACH as i32)
                        on_input=move |reach: f64| room.change(|state| state.reach = reach as usize)/>
                </Named>
                <Named name="spare">
                    <Slider label=label(Language::marker_at)
                        value=Signal::derive(move || room.state.with(|state| state.spare) as f64)
                        range=Signal::derive(move || room.state.with(|state| {
                            Range::whole(-(state.reach as i32), state.reach as i32)
                        }))
                        on_input=move |spare: f64| room.change(|state| state.spare = spare as i64)/>
                </Named>
                <Named name="frozen-seed">
                    <SeedField label=label(Language::frozen_seed)
                        value=Signal::derive(move || room.state.with(|state| state.frozen_seed))
                        on_input=move |seed| room.change(|state| state.frozen_seed = seed)/>
                </Named>
            </div>
            <Show
                when=move || !is_too_wide.get()
                fallback=move || view! { <p class="notice notice-bad"><span>{move || too_wide(room, t.get())}</span></p> }
            >
                <Running work=runner.work kind=Kind::Sweep/>
                <Chart
                    name=Signal::derive(move || {
                        let state = room.state.get();
                        t.get().cliff_name(state.class.heads, state.class.layers, state.class.width)
                    })
                    figure
                    finding
                    marker
                />
            </Show>
            {move || why.get().into_iter().map(|why| view! { <p class="why">{why}</p> }).collect_view()}
        </section>
    }
}

/// Which laws are compared.
#[component]
fn Laws() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let toggle = move |name: fn(Language) -> &'static str, law: Signal<Law>| {
        view! {
            <Toggle label=Signal::derive(move || name(t.get()).to_owned())
                value=Signal::derive(move || room.state.with(|state| state.laws.contains(&law.get())))
                on_input=move |_| {
                    let law = law.get_untracked();
                    room.change(|state| *state = std::mem::take(state).toggled(law));
                }/>
        }
    };
    let own = Signal::derive(move || room.state.with(|state| Law::Table(state.table)));
    view! {
        <fieldset class="laws">
            <legend class="field-label">{move || t.get().laws()}</legend>
            {toggle(Language::gaussian, Signal::stored(Law::Gaussian))}
            {toggle(Language::uniform, Signal::stored(Law::Uniform))}
            {toggle(Language::sign, Signal::stored(Law::Sign))}
            {toggle(Language::low_rank, Signal::stored(Law::LowRank))}
            {toggle(Language::own_values, own)}
        </fieldset>
    }
}

/// The table of one's own law.
#[component]
fn Values() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let table = Memo::new(move |_| room.state.with(|state| state.table));
    let text = RwSignal::new(written(&table.get_untracked()));
    // Back, Forward and links bring other values; what means the same stays as it was typed.
    Effect::new(move |_| {
        let table = table.get();
        if read(&text.get_untracked()) != Some(table) {
            text.set(written(&table));
        }
    });
    let error =
        Memo::new(move |_| read(&text.get()).is_none().then(|| t.get().own_values_wrong(Table::MOST)));
    let is_compared = move || room.state.with(|state| state.laws.contains(&Law::Table(state.table)));
    view! {
        <div hidden=move || !is_compared()>
            <TextField
                label=Signal::derive(move || t.get().own_values_label().to_owned())
                value=text
                example="−1, 0, 1"
                error=Signal::derive(move || error.get())
                on_input=move |typed: String| {
                    let table = read(&typed);
                    text.set(typed);
                    if let Some(table) = table {
                        room.change(|state| *state = std::mem::take(state).with_table(table));
                    }
                }
            />
        </div>
    }
}

/// Values as a person writes them, with spaces, semicolons or commas between them.
fn read(text: &str) -> Option<Table> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ';');
    let words = words.map(|word| word.trim_matches(',')).filter(|word| !word.is_empty());
    let values = words.clone().map(parse).collect::<Option<Vec<f64>>>();
    // Without spaces a comma stands between two values; with them it may be that of a decimal fraction.
    let values = values
        .filter(|values| values.len() > 1 || !text.contains(','))
        .or_else(|| text.split(',').map(|value| parse(value.trim())).collect());
    Table::new(&values?)
}

fn written(table: &Table) -> String {
    let values: Vec<String> = table.values().map(|value| exact(value).replace('-', "−")).collect();
    values.join("; ")
}

fn value_of(sample: &Sample, measure: Measure) -> f64 {
    match measure {
        Measure::Error => sample.error,
        Measure::Residual => sample.residual,
        Measure::Rank => sample.rank as f64,
        Measure::Condition => sample.condition,
    }
}

/// The points of a sweep: the first draw of every width before the second of any, so that the shape is seen at once.
pub fn plan(state: &WidthState) -> Vec<Point> {
    let mut plan = Vec::new();
    if state.equations() <= WIDEST {
        let cast = cast_of(state);
        for number in 0..state.draws {
            for width in state.widths() {
                plan.extend(state.laws.iter().map(|law| (cast, draw_of(state, *law, width, number))));
            }
        }
    }
    plan
}

/// What is known of a law at a width, ascending.
fn values(state: &WidthState, samples: &Samples, law: Law, width: usize, measure: Measure) -> Vec<f64> {
    let cast = cast_of(state);
    let mut values: Vec<f64> = (0..state.draws)
        .filter_map(|number| samples.get(&(cast, draw_of(state, law, width, number))))
        .map(|sample| value_of(sample, measure))
        .collect();
    values.sort_by(f64::total_cmp);
    values
}

fn figure(state: &WidthState, samples: &Samples, t: Language) -> Figure {
    let equations = state.equations() as f64;
    let series = state
        .laws
        .iter()
        .map(|law| {
            let (role, dot) = look_of(*law);
            let (mut points, mut band) = (Vec::new(), Band::default());
            for width in state.widths() {
                let values = values(state, samples, *law, width, state.measure);
                if let (Some(median), Some(low), Some(high)) =
                    (median(&values), values.first(), values.last())
                {
                    points.push((width as f64, median));
                    band.low.push(*low);
                    band.high.push(*high);
                }
            }
            let series = Series::new(law_name(*law, t), role, points).joined(Line::Solid).marked(dot);
            if state.draws > 1 { series.spread(band) } else { series }
        })
        .collect();
    let ends = state.widths().into_iter().map(|width| width as f64);
    let x = Axis::new(t.width_axis()).counting().including(ends.collect::<Vec<_>>());
    let mut rules = vec![Rule::upright(equations, format!("N = {equations}"), Role::Accent)];
    let y = match state.measure {
        Measure::Error => Axis::new(t.error_axis()).logarithmic().within(1e-17, 1e6).including([1e-15, 1.0]),
        Measure::Residual => {
            Axis::new(t.residual_axis()).logarithmic().within(1e-18, 1e3).including([1e-15, 1.0])
        }
        Measure::Rank => {
            let largest = state.largest_rank() as f64;
            if largest < equations {
                rules.push(Rule::level(largest, t.largest_rank_rule(&largest.to_string()), Role::Residual));
            }
            rules.push(Rule::level(equations, t.needed_rank_rule(), Role::Accent));
            Axis::new(t.rank_axis()).including([equations])
        }
        Measure::Condition => Axis::new(t.condition_axis()).logarithmic().within(1.0, 1e18),
    };
    Figure { x, y, series, rules }
}

/// What the sweep shows, in a sentence for each law.
fn finding(state: &WidthState, samples: &Samples, t: Language) -> String {
    let Ok(equations) = usize::try_from(state.equations()) else { return String::new() };
    let sentences: Vec<String> = state
        .laws
        .iter()
        .filter_map(|law| {
            let at = |width: usize, measure| median(&values(state, samples, *law, width, measure));
            let below = at(equations.saturating_sub(1).max(1), Measure::Error)?;
            let (above, rank) = (at(equations, Measure::Error)?, at(equations, Measure::Rank)?);
            let name = &law_title(*law, t);
            Some(if rank < equations as f64 {
                t.finding_fails(name, &short(above), &rank.to_string(), equations)
            } else {
                t.finding_cliff(name, &short(below), &short(above), equations)
            })
        })
        .collect();
    if sentences.is_empty() { t.finding_pending().to_owned() } else { sentences.join("\n") }
}

/// Why some of the draws on show fail however wide they are.
fn why(state: &WidthState, t: Language) -> Vec<String> {
    let mut why = Vec::new();
    let (largest, equations) = (state.largest_rank(), state.equations());
    if largest < equations {
        why.push(t.why_tied_residual(&largest.to_string(), &equations.to_string()));
    }
    if state.laws.contains(&Law::LowRank) {
        why.push(t.why_low_rank().to_owned());
    }
    if state.laws.iter().any(|law| matches!(law, Law::Sign | Law::Table(_))) {
        why.push(t.why_sign().to_owned());
    }
    why
}

fn too_wide(room: WidthRoom, t: Language) -> String {
    let (class, equations) = room.state.with(|state| (state.class, state.equations()));
    let nearest = (1..class.layers)
        .rev()
        .find(|layers| Bounds::of(&transformer::Class { layers: *layers, ..class }).random_minimum <= WIDEST);
    let equations = usize::try_from(equations).map_or_else(|_| short(equations as f64), grouped);
    match nearest {
        Some(layers) => t.too_wide_layers(&equations, WIDEST, layers),
        None => t.too_wide_heads(&equations, WIDEST),
    }
}

crate::texts! {
    cliff_title: "The cliff" | "O penhasco";
    cliff_lead: "Each point is one random universal transformer: weights drawn, E C = B solved for the same target, the outputs compared. Below N columns there are more equations than unknowns."
        | "Cada ponto é um transformer universal aleatório: pesos sorteados, E C = B resolvido para o mesmo alvo, saídas comparadas. Abaixo de N colunas há mais equações do que incógnitas.";
    cliff_controls: "What the sweep compares" | "O que a varredura compara";
    cliff_name(heads: usize, layers: usize, d: usize): "The sweep around N, H = {heads}, L = {layers}, d = {d}" | "A varredura em torno de N, H = {heads}, L = {layers}, d = {d}";
    measure_label: "Show" | "Mostrar";
    measure_error: "output error" | "erro da saída";
    measure_residual: "residual" | "resíduo";
    measure_rank: "rank" | "posto";
    measure_condition: "condition" | "condição";
    laws: "Laws" | "Leis";
    own_values: "own values" | "valores próprios";
    own_values_label: "Values to draw from" | "Valores para sortear";
    own_values_wrong(most: usize): "Write 1 to {most} numbers that are not all 0, for example −1; 0; 1." | "Escreva de 1 a {most} números que não sejam todos 0, por exemplo −1; 0; 1.";
    draws: "Draws of each" | "Sorteios de cada";
    reach: "Columns on each side" | "Colunas de cada lado";
    marker_at: "Marker, beyond N" | "Marcador, além de N";
    width_axis: "m (columns)" | "m (colunas)";
    error_axis: "largest output error (log scale)" | "maior erro da saída (escala log)";
    residual_axis: "‖E C − B‖ / ‖B‖ (log scale)" | "‖E C − B‖ / ‖B‖ (escala log)";
    rank_axis: "rank of C" | "posto de C";
    condition_axis: "condition number of C (log scale)" | "número de condição de C (escala log)";
    needed_rank_rule: "needed: N" | "necessário: N";
    largest_rank_rule(rank: &str): "tied with residual: at most {rank}" | "atados com residual: no máximo {rank}";
    finding_pending: "The first points are being computed." | "Os primeiros pontos estão sendo computados.";
    finding_cliff(law: &str, below: &str, above: &str, equations: usize):
        "{law}: one column short of N the error is {below}; at m = N = {equations} it is {above}."
        | "{law}: uma coluna antes de N o erro é {below}; em m = N = {equations} é {above}.";
    finding_fails(law: &str, error: &str, rank: &str, equations: usize):
        "{law}: at m = N the error is still {error}, because C has rank {rank} and not {equations}."
        | "{law}: em m = N o erro ainda é {error}, porque C tem posto {rank} e não {equations}.";
    why_low_rank: "Low rank fails at every width, and it must: each Rv is a product of two thin matrices, so all columns of C that begin with it lie in a space that is too small. Such weights are a set of measure zero, which the theorem leaves out: “with probability 1” is about laws with a density."
        | "O posto baixo falha em toda largura, e tem de falhar: cada Rv é um produto de duas matrizes finas, então todas as colunas de C que começam por ele ficam num espaço pequeno demais. Tais pesos são um conjunto de medida zero, que o teorema exclui: “com probabilidade 1” fala de leis com densidade.";
    why_sign: "Laws on finitely many values, such as ±1 and your own, have no density, so the theorem does not speak of them. Most work all the same; a single value, or too few for the size of C, can fail."
        | "Leis com finitos valores, como ±1 e as suas, não têm densidade, então o teorema não fala delas. A maioria funciona mesmo assim; um só valor, ou poucos demais para o tamanho de C, pode falhar.";
    why_tied_residual(rank: &str, equations: &str):
        "The same random weights in every layer and residual connections do not go together when there are two layers or more: a skip leaves the state as it is, so paths that differ only in where they skip share a column of C. Its rank stays at {rank} of {equations} at any width, and only targets whose layers are all the same are played."
        | "Os mesmos pesos aleatórios em toda camada e conexões residuais não combinam quando há duas camadas ou mais: um atalho deixa o estado como está, então caminhos que só diferem em onde saltam dividem uma coluna de C. Seu posto fica em {rank} de {equations} em qualquer largura, e só alvos com todas as camadas iguais são tocados.";
    too_wide_layers(equations: &str, widest: u128, layers: usize):
        "N = {equations} is too wide to be swept here, where {widest} is the most; with {layers} layers it fits."
        | "N = {equations} é largo demais para varrer aqui, onde o máximo é {widest}; com {layers} camadas cabe.";
    too_wide_heads(equations: &str, widest: u128):
        "N = {equations} is too wide to be swept here, where {widest} is the most; choose fewer heads or a smaller d."
        | "N = {equations} é largo demais para varrer aqui, onde o máximo é {widest}; escolha menos cabeças ou um d menor.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_people_write_them() {
        let values = |text: &str| read(text).map(|table| table.values().collect::<Vec<_>>());
        assert_eq!(values("−1, 0, 1"), Some(vec![-1.0, 0.0, 1.0]));
        assert_eq!(values("-1,0,1"), Some(vec![-1.0, 0.0, 1.0]));
        assert_eq!(values("0,5; 2"), Some(vec![0.5, 2.0]));
        assert_eq!(values("3"), Some(vec![3.0]));
        assert_eq!(values("1e-3 7"), Some(vec![1e-3, 7.0]));
        for bad in ["", "0", "a", "1; x", "1 2 3 4 5 6 7 8 9"] {
            assert_eq!(values(bad), None, "{bad}");
        }
        let table = Table::new(&[-1.5, 0.0, 1e-7]).unwrap();
        assert_eq!(read(&written(&table)), Some(table));
    }
}
