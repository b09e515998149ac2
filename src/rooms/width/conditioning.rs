//! Conditioning: what exactness costs. How the condition number and the error that can be reached move with depth,
//! width and law, what single precision makes of them, and what sharp and hard attention do to a small error.

use leptos::prelude::*;
use transformer::{Attention, Class, Scale};
use universal::sweep::{Sample, TieErrors};
use universal::{Bounds, Law};

use super::laws::{law_name, law_title, look_of, median};
use super::room::{WidthRoom, cast_of, draw_of};
use super::runner::{Runner, Samples};
use super::work::{Kind, Running};
use crate::drawing::palette::Role;
use crate::ground::language::{Language, use_language};
use crate::notices::Notices;
use crate::rooms::width::choices::{Grade, MOST_LAYERS, WidthState};
use crate::rooms::width::job::{self, Cast, Point};
use crate::widgets::chart::{Axis, Chart, Dot, Figure, Line, Rule, Series};
use crate::widgets::controls::{Choice, Segments};
use crate::widgets::number::short;
use crate::work::client::{Client, Line as Requests};
use crate::work::protocol::{Answer, Packed, Request};

/// The widest N that is graded: each point factorises two matrices, of up to N × (N + 233), and keeps its weights twice.
const WIDEST: u128 = 900;

/// Columns beyond N that are looked at.
const SPARES: [usize; 13] = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233];

/// Scores are multiplied by 2 to these powers, over 1/√d_h.
const SHARPNESS: std::ops::RangeInclusive<i32> = -2..=12;

/// The panel.
#[component]
pub fn ConditioningPanel(
    /// Computes the points.
    runner: Runner,
) -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let chart = move |of: fn(&WidthState, &Samples, Language) -> Figure| {
        Memo::new(move |_| {
            runner.with_samples(|samples| room.state.with(|state| of(state, samples, t.get())))
        })
    };
    let finding = move |of: fn(&WidthState, &Samples, Language) -> String| {
        Memo::new(move |_| {
            runner.with_samples(|samples| room.state.with(|state| of(state, samples, t.get())))
        })
    };
    let grades = Signal::derive(move || {
        let t = t.get();
        vec![Choice::new(Grade::Condition, t.measure_condition()), Choice::new(Grade::Error, t.grade_error())]
    });
    let name = move |text: fn(Language) -> &'static str| Signal::derive(move || text(t.get()).to_owned());
    let is_too_wide = Memo::new(move |_| room.state.with(|state| state.equations() > WIDEST));
    view! {
        <section class="panel">
            <h2>{move || t.get().conditioning_title()}</h2>
            <p class="lead">{move || t.get().conditioning_lead()}</p>
            <div class="choice-row" role="group" aria-label=move || t.get().conditioning_controls()>
                <Segments label=name(Language::grade_label) options=grades
                    value=Signal::derive(move || room.state.with(|state| state.grade))
                    on_input=move |grade| room.change(|state| state.grade = grade)/>
            </div>
            <Running work=runner.work kind=Kind::Grades/>
            <div class="chart-pair">
                <Chart name=name(Language::depth_name) figure=chart(depth_figure) finding=finding(depth_finding)/>
                <Show
                    when=move || !is_too_wide.get()
                    fallback=move || view! { <p class="quiet">{move || t.get().conditioning_too_wide(WIDEST)}</p> }
                >
                    <Chart name=name(Language::spare_name) figure=chart(spare_figure) finding=finding(spare_finding)/>
                </Show>
            </div>
            <div class="chart-pair">
                <Show when=move || !is_too_wide.get()>
                    <Chart name=name(Language::sharpness_name) figure=chart(sharpness_figure) finding=finding(sharpness_finding)/>
                </Show>
                <TieTable may_run=runner.work.may_run/>
            </div>
        </section>
    }
}

/// All points of the charts, the first draw of everything first.
pub fn plan(state: &WidthState) -> Vec<Point> {
    let mut plan = Vec::new();
    for number in 0..state.draws {
        for law in &state.laws {
            plan.extend(depths(state).map(|(cast, width)| (cast, draw_of(state, *law, width, number))));
            plan.extend(spares(state).map(|width| (cast_of(state), draw_of(state, *law, width, number))));
        }
        if let Some((law, width)) = sharpness_draw(state) {
            let casts = SHARPNESS.map(|power| sharper(state, power)).chain([hard(state)]);
            plan.extend(casts.map(|cast| (cast, draw_of(state, law, width, number))));
        }
    }
    plan
}

/// The class at every depth whose N is not too wide, with m = N.
fn depths(state: &WidthState) -> impl Iterator<Item = (Cast, usize)> {
    let cast = cast_of(state);
    (1..=MOST_LAYERS)
        .map(move |layers| Cast { class: Class { layers, ..cast.class }, ..cast })
        .map(|cast| (cast, Bounds::of(&cast.class).random_minimum))
        .take_while(|(_, equations)| *equations <= WIDEST)
        .filter_map(|(cast, equations)| Some((cast, usize::try_from(equations).ok()?)))
}

/// The widths from N on, none beyond 2N.
fn spares(state: &WidthState) -> impl Iterator<Item = usize> {
    let equations = usize::try_from(state.equations()).unwrap_or(usize::MAX);
    let spares = SPARES.into_iter().filter(move |spare| equations as u128 <= WIDEST && *spare <= equations);
    spares.map(move |spare| equations + spare)
}

/// Law and width of the draws that play sharper targets: a quarter wider than N, so that the equations are well
/// conditioned and the attention is all that is left.
fn sharpness_draw(state: &WidthState) -> Option<(Law, usize)> {
    let equations = usize::try_from(state.equations()).ok().filter(|it| *it as u128 <= WIDEST)?;
    Some((*state.laws.first()?, equations + equations.div_ceil(4)))
}

/// The target with its scores multiplied by a power of two.
fn sharper(state: &WidthState, power: i32) -> Cast {
    let cast = cast_of(state);
    let factor = f64::from(power).exp2() / (cast.class.head_width as f64).sqrt();
    let class = Class { attention: Attention::Softmax, scale: Scale::Factor(factor), ..cast.class };
    Cast { class, ..cast }
}

/// The target with average-hard attention.
fn hard(state: &WidthState) -> Cast {
    let cast = cast_of(state);
    Cast { class: Class { attention: Attention::AverageHard, ..cast.class }, ..cast }
}

/// The median of all draws of a point.
fn median_of(
    state: &WidthState,
    samples: &Samples,
    (cast, law, width): (Cast, Law, usize),
    value: fn(&Sample) -> f64,
) -> Option<f64> {
    let mut values: Vec<f64> = (0..state.draws)
        .filter_map(|number| samples.get(&(cast, draw_of(state, law, width, number))).map(value))
        .collect();
    values.sort_by(f64::total_cmp);
    median(&values)
}

/// The least and the most of some numbers.
fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(least, most), value| (least.min(*value), most.max(*value)))
}

fn rank(sample: &Sample) -> f64 {
    sample.rank as f64
}

fn condition(sample: &Sample) -> f64 {
    sample.condition
}

fn error(sample: &Sample) -> f64 {
    sample.error
}

fn single_error(sample: &Sample) -> f64 {
    sample.single_error.unwrap_or(f64::NAN)
}

/// For every law the condition number, or both errors, at some x.
fn series(state: &WidthState, samples: &Samples, places: &[(f64, Cast, usize)], t: Language) -> Vec<Series> {
    let line = |law: Law, value: fn(&Sample) -> f64| -> Vec<(f64, f64)> {
        places
            .iter()
            .filter_map(|(x, cast, width)| {
                Some((*x, median_of(state, samples, (*cast, law, *width), value)?))
            })
            .collect()
    };
    let mut series = Vec::new();
    for law in &state.laws {
        let (role, dot) = look_of(*law);
        let name = law_name(*law, t);
        match state.grade {
            Grade::Condition => series.push(Series::new(name, role, line(*law, condition)).marked(dot)),
            Grade::Error => {
                series.push(Series::new(format!("{name}, f64"), role, line(*law, error)).marked(dot));
                series.push(
                    Series::new(format!("{name}, f32"), role, line(*law, single_error))
                        .marked(dot)
                        .joined(Line::Dashed),
                );
            }
        }
    }
    series
}

fn grade_axis(state: &WidthState, t: Language) -> Axis {
    match state.grade {
        Grade::Condition => Axis::new(t.condition_axis()).logarithmic().within(1.0, 1e18),
        Grade::Error => error_axis(t),
    }
}

fn error_axis(t: Language) -> Axis {
    Axis::new(t.error_axis()).logarithmic().within(1e-17, 1e6).including([1e-15, 1.0])
}

fn depth_figure(state: &WidthState, samples: &Samples, t: Language) -> Figure {
    let places: Vec<_> = depths(state).map(|(cast, width)| (cast.class.layers as f64, cast, width)).collect();
    Figure {
        x: Axis::new(t.depth_axis()).counting(),
        y: grade_axis(state, t),
        series: series(state, samples, &places, t),
        rules: Vec::new(),
    }
}

fn spare_figure(state: &WidthState, samples: &Samples, t: Language) -> Figure {
    let equations = state.equations() as f64;
    let places: Vec<_> =
        spares(state).map(|width| (width as f64 - equations, cast_of(state), width)).collect();
    Figure {
        x: Axis::new(t.spare_axis()).counting(),
        y: grade_axis(state, t),
        series: series(state, samples, &places, t),
        rules: Vec::new(),
    }
}

fn sharpness_figure(state: &WidthState, samples: &Samples, t: Language) -> Figure {
    let mut figure =
        Figure { x: Axis::new(t.sharpness_axis()).logarithmic(), y: error_axis(t), ..Figure::default() };
    let Some((law, width)) = sharpness_draw(state) else { return figure };
    for (name, line, role, value) in [
        ("f64", Line::Solid, Role::Universal, error as fn(&Sample) -> f64),
        ("f32", Line::Dashed, Role::Universal, single_error),
    ] {
        let points = SHARPNESS
            .filter_map(|power| {
                let median = median_of(state, samples, (sharper(state, power), law, width), value)?;
                Some((f64::from(power).exp2(), median))
            })
            .collect();
        figure
            .series
            .push(Series::new(format!("softmax, {name}"), role, points).joined(line).marked(Dot::Disc));
        if let Some(hard) = median_of(state, samples, (hard(state), law, width), value) {
            figure.rules.push(Rule::level(hard, format!("{}, {name}", t.average_hard()), Role::Key));
        }
    }
    figure
}

fn depth_finding(state: &WidthState, samples: &Samples, t: Language) -> String {
    let places: Vec<_> = depths(state).collect();
    let (Some((first, first_width)), Some((last, last_width))) = (places.first(), places.last()) else {
        return t.finding_pending().to_owned();
    };
    let deepest = |law: Law, value| median_of(state, samples, (*last, law, *last_width), value);
    let sentence = |law: &Law| {
        Some(t.finding_depth(
            &law_title(*law, t),
            last.class.layers,
            &short(median_of(state, samples, (*first, *law, *first_width), condition)?),
            &short(deepest(*law, condition)?),
            &short(deepest(*law, error)?),
            &short(deepest(*law, single_error)?),
        ))
    };
    let mut found: Vec<String> = state.laws.iter().filter_map(sentence).collect();
    // Only laws that work can be compared.
    let works = |law: &Law| deepest(*law, rank).is_some_and(|rank| rank == *last_width as f64);
    let conditions: Vec<f64> =
        state.laws.iter().filter(|law| works(law)).filter_map(|law| deepest(*law, condition)).collect();
    if conditions.len() > 1 {
        let (least, most) = ends(&conditions);
        found.push(t.finding_laws(last.class.layers, &short((most / least * 10.0).round() / 10.0)));
    }
    let lost = state
        .laws
        .iter()
        .filter(|law| works(law))
        .find_map(|law| Some((deepest(*law, single_error)? / deepest(*law, error)?).log10().round()));
    if let Some(digits) = lost.filter(|digits| digits.is_finite()) {
        found.push(t.finding_single(&short(digits)));
    }
    sentences(found, t)
}

fn spare_finding(state: &WidthState, samples: &Samples, t: Language) -> String {
    let (cast, widths) = (cast_of(state), spares(state).collect::<Vec<_>>());
    let (Some(first), Some(last)) = (widths.first(), widths.last()) else {
        return t.finding_pending().to_owned();
    };
    let sentence = |law: &Law| {
        let at = |width: usize, value| Some(short(median_of(state, samples, (cast, *law, width), value)?));
        Some(t.finding_spare(
            &law_title(*law, t),
            last - first,
            &at(*first, condition)?,
            &at(*last, condition)?,
            &format!("{} → {}", at(*first, error)?, at(*last, error)?),
            &format!("{} → {}", at(*first, single_error)?, at(*last, single_error)?),
        ))
    };
    sentences(state.laws.iter().filter_map(sentence).collect(), t)
}

fn sharpness_finding(state: &WidthState, samples: &Samples, t: Language) -> String {
    let figure = sharpness_figure(state, samples, t);
    let finite = |series: &Series| -> Vec<(f64, f64)> {
        series.points.iter().filter(|(_, y)| y.is_finite()).copied().collect()
    };
    let Some(points) = figure.series.first().map(finite).filter(|points| points.len() == SHARPNESS.count())
    else {
        return t.finding_pending().to_owned();
    };
    let worst = points.iter().copied().fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
    let mild = points.first().map_or(f64::NAN, |point| point.1);
    let rule = |at: usize| figure.rules.get(at).map(|rule| short(rule.at)).unwrap_or_default();
    t.finding_sharpness(&short(mild), &short(worst.1), &short(worst.0), &rule(0), &rule(1))
}

fn sentences(found: Vec<String>, t: Language) -> String {
    if found.is_empty() { t.finding_pending().to_owned() } else { found.join("\n") }
}

/// One of the errors of a target with ties.
type ErrorOf = fn(&TieErrors) -> f64;

/// Why ties need exact arithmetic, as a table of one target played in five ways.
#[component]
fn TieTable(
    /// Whether its turn has come: it is the last thing on the page.
    may_run: Signal<bool>,
) -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let client = expect_context::<Client>();
    let notices = expect_context::<Notices>();
    let t = use_language();
    let found = RwSignal::new(Vec::<TieErrors>::new());
    let seeds = Memo::new(move |_| room.state.with(|state| (state.seed, state.frozen_seed)));
    Effect::new(move |asked: Option<Option<(u64, u64)>>| {
        let (asked, wanted) = (asked.flatten(), seeds.get());
        if !may_run.get() || asked == Some(wanted) {
            return asked;
        }
        let (seed, frozen_seed) = wanted;
        let request = Request::Width(Packed::of(&job::Request::Ties { seed, frozen_seed }));
        client.ask(Requests::Ties, request, move |answer| match answer.map(Answer::width) {
            Ok(Some(job::Answer::Ties(errors))) => {
                // The page may have been left in the meantime.
                found.try_set(errors);
            }
            Ok(_) => {}
            Err(failure) => notices.failure(failure),
        });
        Some(wanted)
    });
    let rows = move || {
        let t = t.get();
        let rows: [(_, _, _, ErrorOf); 5] = [
            (t.sparse(), "f64", t.ties_to_the_bit(), |errors| errors.sparse_exact),
            (t.random(), "f64", t.ties_to_the_bit(), |errors| errors.random_exact),
            (t.random(), "f64", t.ties_within_double(), |errors| errors.random_tolerant),
            (t.random(), "f32", t.ties_within_double(), |errors| errors.single_tolerant),
            (t.random(), "f32", t.ties_within_single(), |errors| errors.single_generous),
        ];
        let row = |(construction, numbers, equal, error): (&'static str, _, _, ErrorOf)| {
            let errors: Vec<f64> = found.with(|found| found.iter().map(error).collect());
            if errors.is_empty() {
                return None;
            }
            let lost = lost(&errors);
            let largest = errors.iter().copied().fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
            Some(view! {
                <tr>
                    <th scope="row">{construction}</th>
                    <td>{numbers}</td>
                    <td>{equal}</td>
                    <td class="number" class:is-bad=lost != 0>{lost} {if lost == 0 { " ✓" } else { " ✗" }}</td>
                    <td class="number">{short(largest)}</td>
                </tr>
            })
        };
        rows.into_iter().filter_map(row).collect_view()
    };
    let finding = move || {
        found.with(|found| {
            let with_ties = found.iter().filter(|errors| errors.ties > 0).count();
            let lost = |error: ErrorOf| lost(&found.iter().map(error).collect::<Vec<_>>());
            (!found.is_empty()).then(|| {
                t.get().finding_ties(
                    with_ties,
                    lost(|errors| errors.random_exact),
                    lost(|errors| errors.random_tolerant),
                    lost(|errors| errors.single_tolerant),
                    lost(|errors| errors.single_generous),
                )
            })
        })
    };
    let caption = move || {
        found.with(|found| {
            let with_ties = found.iter().filter(|errors| errors.ties > 0).count();
            match found.is_empty() {
                true => t.get().finding_pending().to_owned(),
                false => t.get().ties_caption(found.len(), with_ties),
            }
        })
    };
    view! {
        <div class="ties">
            <h3>{move || t.get().ties_title()}</h3>
            <p class="quiet">{move || t.get().ties_lead()}</p>
            <div class="facts-frame" tabindex="0" role="region" aria-label=move || t.get().ties_title()>
                <table class="facts">
                    <caption>{caption}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{move || t.get().construction()}</th>
                            <th scope="col">{move || t.get().ties_numbers()}</th>
                            <th scope="col">{move || t.get().ties_equal()}</th>
                            <th scope="col" class="number">{move || t.get().ties_lost()}</th>
                            <th scope="col" class="number">{move || t.get().witness_error_series()}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="chart-finding">{finding}</p>
        </div>
    }
}

/// How many targets lost a tie: that moves whole shares of attention, so nothing lies between rounding and it.
fn lost(errors: &[f64]) -> usize {
    errors.iter().filter(|error| error.is_nan() || **error > 1e-3).count()
}

crate::texts! {
    conditioning_title: "Conditioning" | "Condicionamento";
    conditioning_lead: "Exact means exact up to rounding, and rounding is multiplied by the condition number of C. Medians over the draws; f32 means that the weights are rounded to f32, E C = B is solved in f32, and every matrix on the way is rounded to f32."
        | "Exato quer dizer exato a menos de arredondamento, e o arredondamento é multiplicado pelo número de condição de C. Medianas dos sorteios; f32 quer dizer que os pesos são arredondados para f32, E C = B é resolvido em f32 e cada matriz no caminho é arredondada para f32.";
    conditioning_controls: "What the charts show" | "O que os gráficos mostram";
    conditioning_too_wide(widest: u128): "Classes are graded up to N = {widest}, because each of some hundred points factorises two matrices of that size; choose fewer heads or layers." | "As classes são avaliadas até N = {widest}, porque cada um de uma centena de pontos fatora duas matrizes desse tamanho; escolha menos cabeças ou camadas.";
    grade_label: "Judge by" | "Julgar por";
    grade_error: "output error, f64 and f32" | "erro da saída, f64 e f32";
    depth_name: "With depth, at m = N" | "Com a profundidade, em m = N";
    spare_name: "With width beyond N" | "Com a largura além de N";
    sharpness_name: "With sharper attention" | "Com atenção mais aguda";
    depth_axis: "L (layers)" | "L (camadas)";
    spare_axis: "m − N (columns)" | "m − N (colunas)";
    sharpness_axis: "factor on the scores, over 1/√d_h (log scale)" | "fator nos escores, sobre 1/√d_h (escala log)";
    finding_depth(law: &str, layers: usize, shallow: &str, deep: &str, double: &str, single: &str):
        "{law}: from 1 to {layers} layers the condition number goes from {shallow} to {deep}; with {layers} the error is {double} in f64 and {single} in f32."
        | "{law}: de 1 a {layers} camadas o número de condição vai de {shallow} a {deep}; com {layers} o erro é {double} em f64 e {single} em f32.";
    finding_laws(layers: usize, factor: &str):
        "At {layers} layers the condition numbers of the laws that work differ by a factor of {factor}."
        | "Com {layers} camadas os números de condição das leis que funcionam diferem por um fator de {factor}.";
    finding_single(digits: &str):
        "In f32 about {digits} digits fewer are right than in f64: the rounding unit is 5·10⁸ times as large, and the condition number multiplies it all the same."
        | "Em f32 cerca de {digits} dígitos a menos estão certos do que em f64: a unidade de arredondamento é 5·10⁸ vezes maior, e o número de condição a multiplica do mesmo modo.";
    finding_spare(law: &str, spare: usize, at_n: &str, wide: &str, double: &str, single: &str):
        "{law}: with {spare} columns more than N the condition number goes from {at_n} to {wide}, and the error {double} in f64, {single} in f32."
        | "{law}: com {spare} colunas além de N o número de condição vai de {at_n} a {wide}, e o erro {double} em f64, {single} em f32.";
    finding_ties(with_ties: usize, exact: usize, tolerant: usize, single: usize, generous: usize):
        "Of the {with_ties} targets with ties, random weights lose {exact} in f64 when equal means to the last bit and {tolerant} within 10⁻¹⁰; in f32 they lose {single} within 10⁻¹⁰ and {generous} within 10⁻³. The sparse weights move numbers and do not round, so they keep every tie."
        | "Dos {with_ties} alvos com empates, os pesos aleatórios perdem {exact} em f64 quando igual quer dizer até o último bit e {tolerant} a menos de 10⁻¹⁰; em f32 perdem {single} a menos de 10⁻¹⁰ e {generous} a menos de 10⁻³. Os pesos esparsos movem números e não arredondam, então mantêm todo empate.";
    finding_sharpness(mild: &str, worst: &str, factor: &str, hard: &str, hard_single: &str):
        "The factor multiplies the scores and their errors alike: from {mild} the error rises to {worst} at the factor {factor} (f64). Beyond, shares of attention are almost 0 or 1 and hardly move; average-hard attention, as long as nothing ties, ends at {hard} in f64 and {hard_single} in f32."
        | "O fator multiplica os escores e seus erros por igual: de {mild} o erro sobe a {worst} no fator {factor} (f64). Além disso as partes da atenção são quase 0 ou 1 e mal se movem; a atenção dura média, enquanto nada empata, termina em {hard} em f64 e {hard_single} em f32.";
    ties_title: "Ties need exact arithmetic" | "Empates exigem aritmética exata";
    ties_lead: "Hard attention asks which scores are equal. A target with small whole numbers has exact ties between different tokens; random weights compute the same scores along another way and round them apart. The last bit then decides who gets the attention, and the error is as large as the values. So equal must mean equal within a tolerance that is wider than the rounding and narrower than any real difference, or the arithmetic must be exact, as that of the sparse weights is."
        | "A atenção dura pergunta quais escores são iguais. Um alvo com números inteiros pequenos tem empates exatos entre tokens diferentes; pesos aleatórios computam os mesmos escores por outro caminho e os arredondam para longe um do outro. O último bit decide então quem recebe a atenção, e o erro é tão grande quanto os valores. Igual tem de significar igual dentro de uma tolerância mais larga que o arredondamento e mais estreita que qualquer diferença real, ou a aritmética tem de ser exata, como a dos pesos esparsos.";
    ties_caption(targets: usize, with_ties: usize): "{targets} targets of one layer, average-hard; different tokens can tie, and in {with_ties} of them some do" | "{targets} alvos de uma camada, dura média; tokens diferentes podem empatar, e em {with_ties} deles alguns empatam";
    ties_lost: "Targets that fail" | "Alvos que falham";
    ties_numbers: "Numbers" | "Números";
    ties_equal: "Equal means" | "Igual quer dizer";
    ties_to_the_bit: "to the last bit" | "até o último bit";
    ties_within_double: "within 10⁻¹⁰" | "a menos de 10⁻¹⁰";
    ties_within_single: "within 10⁻³" | "a menos de 10⁻³";
}
