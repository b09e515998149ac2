//! The witness: why almost every draw works. On the way from the sparse weights to random ones the determinant of C
//! is a polynomial that is not zero at its start, so it vanishes at isolated points only.

use std::sync::Arc;

use leptos::prelude::*;
use universal::witness::{Moment, Path};

use super::room::{WidthRoom, draw_of};
use super::work::{Job, Kind, Plan, Running, Work};
use crate::drawing::clock::Clock;
use crate::drawing::palette::Role;
use crate::ground::language::{Language, use_language};
use crate::rooms::width::job::{Answer, Point, Request, WITNESS_STEPS};
use crate::widgets::chart::{Axis, Chart, Dot, Figure, Line, Marker, Rule, Series};
use crate::widgets::number::short;
use crate::widgets::scrubber::Scrubber;
use crate::work::client::Line as Requests;

/// The widest N whose path is followed: each of some hundred points takes all singular values of an N × N matrix.
const WIDEST: u128 = 400;

/// The animation takes so many steps from t = 0 to t = 1.
const STEPS: f64 = 20.0;

/// A condition number beyond this is that of a singular matrix, up to rounding.
const SINGULAR: f64 = 1e13;

/// The walk from sparse to random weights, as far as it has come. Cheap to copy.
#[derive(Clone, Copy)]
pub struct WalkUnderWay {
    /// What is walked: the first draw of the first law; `None` when N is too wide.
    wanted: Memo<Option<Point>>,
    /// What has been found of it.
    found: Memo<Option<Found>>,
    /// The work of finding it.
    pub work: Work,
}

/// What has been found of a path.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    point: Point,
    path: Arc<Path>,
    done: usize,
    left: usize,
}

impl WalkUnderWay {
    /// Starts the walk, which goes on as long as `may_run` allows it.
    pub fn start(room: WidthRoom, may_run: Signal<bool>) -> WalkUnderWay {
        let wanted = Memo::new(move |_| {
            room.state.with(|state| {
                let width = usize::try_from(state.equations()).ok()?;
                if state.equations() > WIDEST {
                    return None;
                }
                Some((room.cast.get(), draw_of(state, *state.laws.first()?, width, 0)))
            })
        });
        let kept = RwSignal::new(None::<Found>);
        // What was computed for other choices is not shown.
        let found = Memo::new(move |_| {
            let wanted = wanted.get()?;
            kept.with(|kept| kept.clone().filter(|kept| kept.point == wanted))
        });
        let steps = Memo::new(move |_| match (wanted.get(), found.get()) {
            (None, _) => (0, 0),
            (Some(_), None) => (0, WITNESS_STEPS + 1),
            (Some(_), Some(found)) => (found.done, found.done + found.left),
        });
        let next = Callback::new(move |steps: usize| {
            let point = wanted.get_untracked()?;
            let known = found.get_untracked();
            if known.as_ref().is_some_and(|known| known.left == 0) {
                return None;
            }
            let from = known.map_or(0, |known| known.done);
            let keep = move |answer| {
                if let Answer::Witness { path, done, left } = answer {
                    kept.try_set(Some(Found { point, path: Arc::new(path), done, left }));
                }
            };
            Some(Job { request: Request::Witness { point, from, steps }, steps, keep: Box::new(keep) })
        });
        let forget = Callback::new(move |()| kept.set(None));
        let work = Work::start(Requests::Witness, Plan { next, steps, forget }, may_run);
        WalkUnderWay { wanted, found, work }
    }
}

/// The panel.
#[component]
pub fn WitnessPanel(
    /// The walk.
    walk: WalkUnderWay,
) -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let found = walk.found;
    let path = Memo::new(move |_| found.with(|found| found.as_ref().map(|found| Arc::clone(&found.path))));
    let is_complete =
        Memo::new(move |_| found.with(|found| found.as_ref().is_some_and(|found| found.left == 0)));
    let way = Memo::new(move |_| room.state.with(|state| state.way));
    let position = RwSignal::new(way.get_untracked() as f64 / 100.0 * STEPS);
    let clock = Clock::new(position, Signal::stored(STEPS));
    // Back, Forward and links bring a t; the clock is theirs to set.
    Effect::new(move |before: Option<usize>| {
        let way = way.get();
        if before.is_some_and(|before| before != way) && hundredths(position.get_untracked()) != way {
            clock.seek(way as f64 / 100.0 * STEPS);
        }
        way
    });
    let keep = move || {
        let way = hundredths(untrack(|| clock.destination()));
        if way != room.state.with_untracked(|state| state.way) && !untrack(|| clock.is_playing()) {
            room.change(|state| state.way = way);
        }
    };
    let at = move || clock.position() / STEPS;
    let marker = Marker {
        value: Signal::derive(at),
        on_move: Callback::new(move |t: f64| {
            clock.seek(t * STEPS);
            keep();
        }),
    };
    let here = move || path.with(|path| nearest(path.as_ref()?, at()));
    let says = Signal::derive(move || {
        here().map(|(moment, error)| {
            t.get().witness_says(&short(moment.t), &short(moment.log_determinant), &short(error))
        })
    });
    let beside = Memo::new(move |_| path.with(|path| beside_figure(path.as_ref()?, at(), t.get())));
    let figure = move |draw: fn(&Path, Language) -> Figure| {
        Signal::derive(move || {
            path.with(|path| path.as_ref().map(|path| draw(path, t.get())).unwrap_or_default())
        })
    };
    let finding = Signal::derive(move || {
        path.with(|path| match path {
            Some(path) => finding(path, is_complete.get(), t.get()),
            None => t.get().finding_pending().to_owned(),
        })
    });
    let leap = Signal::derive(move || {
        path.with(|path| match path {
            Some(path) if is_complete.get() => leap(path, t.get()),
            _ => t.get().finding_pending().to_owned(),
        })
    });
    view! {
        <section class="panel">
            <h2>{move || t.get().witness_title()}</h2>
            <p class="lead">{move || t.get().witness_lead()}</p>
            <Show
                when=move || walk.wanted.with(Option::is_some)
                fallback=move || view! { <p class="quiet">{move || t.get().witness_too_wide(WIDEST)}</p> }
            >
                <Running work=walk.work kind=Kind::Walk/>
                <div class="chart-pair">
                    <Chart
                        name=Signal::derive(move || t.get().determinant_name().to_owned())
                        figure=figure(determinant_figure)
                        finding
                        marker
                    />
                    <Chart
                        name=Signal::derive(move || t.get().witness_error_name().to_owned())
                        figure=figure(error_figure)
                        finding=leap
                        marker
                    />
                </div>
                <div class="way" on:click=move |_| keep() on:keyup=move |_| keep() on:change=move |_| keep()>
                    <Scrubber
                        clock
                        label=Signal::derive(move || t.get().witness_animation().to_owned())
                        caption=says
                    />
                </div>
                <Show when=move || beside.with(Option::is_some)>
                    <div class="chart-pair">
                        <Chart
                            name=Signal::derive(move || t.get().beside_name().to_owned())
                            figure=Signal::derive(move || beside.get().unwrap_or_default())
                            finding=Signal::derive(move || t.get().witness_error_finding().to_owned())
                        />
                        <p class="why">{move || t.get().beside_why()}</p>
                    </div>
                </Show>
            </Show>
        </section>
    }
}

/// A position of the animation in hundredths of the way.
fn hundredths(position: f64) -> usize {
    (position / STEPS * 100.0).round().clamp(0.0, 100.0) as usize
}

/// The point of a path that is nearest to t; none where the walk has not come yet.
fn nearest(path: &Path, t: f64) -> Option<(Moment, f64)> {
    let apart = |moment: &Moment| (moment.t - t).abs();
    let nearest = path.points.iter().min_by(|a, b| apart(&a.0).total_cmp(&apart(&b.0))).copied()?;
    (apart(&nearest.0) <= 1.0 / WITNESS_STEPS as f64).then_some(nearest)
}

fn rules(path: &Path) -> Vec<Rule> {
    path.zeros.iter().map(|zero| Rule::upright(zero.t, short(zero.t), Role::Target)).collect()
}

fn determinant_figure(path: &Path, t: Language) -> Figure {
    let points = path.points.iter().map(|(moment, _)| (moment.t, moment.log_determinant)).collect();
    let zeros = path.zeros.iter().map(|zero| (zero.t, zero.log_determinant)).collect();
    Figure {
        x: Axis::new(t.way_axis()).including([0.0, 1.0]),
        y: Axis::new(t.determinant_axis()),
        series: vec![
            Series::new(t.determinant_series(), Role::Universal, points),
            Series::new(t.zeros_series(), Role::Target, zeros).joined(Line::None).marked(Dot::Disc),
        ],
        rules: rules(path),
    }
}

fn error_figure(path: &Path, t: Language) -> Figure {
    let points = path.points.iter().map(|(moment, error)| (moment.t, *error)).collect();
    Figure {
        x: Axis::new(t.way_axis()).including([0.0, 1.0]),
        y: Axis::new(t.error_axis()).logarithmic().within(1e-17, 1e6).including([1e-15, 1.0]),
        series: vec![Series::new(t.witness_error_series(), Role::Universal, points)],
        rules: rules(path),
    }
}

/// The error right beside the zero that is nearest to `here`, against the distance from it.
fn beside_figure(path: &Path, here: f64, t: Language) -> Option<Figure> {
    let zero = path.zeros.iter().min_by(|a, b| (a.t - here).abs().total_cmp(&(b.t - here).abs()))?;
    let side = |sign: f64| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = path
            .points
            .iter()
            .map(|(moment, error)| (sign * (moment.t - zero.t), *error))
            .filter(|(distance, _)| *distance > 0.0 && *distance <= NEAR)
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    Some(Figure {
        x: Axis::new(t.beside_axis(&short(zero.t))).logarithmic(),
        y: Axis::new(t.error_axis()).logarithmic().within(1e-17, 1e6).including([1e-15, 1.0]),
        series: vec![
            Series::new(t.beside_before(), Role::Query, side(-1.0)).marked(Dot::Disc),
            Series::new(t.beside_after(), Role::Value, side(1.0)).marked(Dot::Triangle),
        ],
        rules: Vec::new(),
    })
}

/// As far from a zero the error is shown against the distance.
const NEAR: f64 = 0.1;

/// How the errors at the zeros stand beside all others.
fn leap(path: &Path, t: Language) -> String {
    let is_near = |point: f64| path.zeros.iter().any(|zero| (zero.t - point).abs() <= NEAR / 10.0);
    let largest = |is_wanted: &dyn Fn(f64) -> bool| {
        let errors = path.points.iter().filter(|(moment, _)| is_wanted(moment.t)).map(|(_, error)| *error);
        // An error that is no number is beyond all numbers.
        errors.fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    };
    let elsewhere = short(largest(&|point| !is_near(point)));
    match path.zeros.is_empty() {
        true => t.witness_no_leap(&elsewhere),
        false => t.witness_leap(&short(largest(&is_near)), &elsewhere),
    }
}

fn finding(path: &Path, is_complete: bool, t: Language) -> String {
    if !is_complete {
        let far = path.points.iter().map(|(moment, _)| moment.t).fold(0.0, f64::max);
        return t.finding_under_way(&short(far), path.zeros.len());
    }
    let end = path.points.last().map(|(moment, _)| short(moment.log_determinant)).unwrap_or_default();
    let zeros: Vec<String> = path.zeros.iter().map(|zero| short(zero.t)).collect();
    let ends_singular = path.points.last().is_some_and(|(moment, _)| moment.condition > SINGULAR);
    match zeros.len() {
        _ if ends_singular => t.finding_singular_end().to_owned(),
        0 => t.finding_no_zero(&end),
        _ => t.finding_zeros(&zeros.join(", "), &end),
    }
}

crate::texts! {
    witness_title: "The witness" | "A testemunha";
    witness_lead: "R(t) = (1 − t) R₀ + t R₁ leads from the sparse weights R₀, which surely work, to the random ones R₁, all with N columns. det C(t) is a polynomial in t, and it is 1 at t = 0, so it can vanish at a few isolated t only. A random draw would have to hit one of them exactly."
        | "R(t) = (1 − t) R₀ + t R₁ leva dos pesos esparsos R₀, que certamente funcionam, aos aleatórios R₁, todos com N colunas. det C(t) é um polinômio em t e vale 1 em t = 0, então só pode se anular em alguns t isolados. Um sorteio teria de acertar um deles em cheio.";
    witness_too_wide(widest: u128): "The path is followed up to N = {widest}, because each of its hundreds of points takes all singular values of an N × N matrix; choose fewer heads or layers." | "O caminho é seguido até N = {widest}, porque cada um de suas centenas de pontos pede todos os valores singulares de uma matriz N × N; escolha menos cabeças ou camadas.";
    finding_under_way(t: &str, zeros: usize): "Followed up to t = {t}; zeros so far: {zeros}." | "Seguido até t = {t}; zeros até agora: {zeros}.";
    determinant_name: "The determinant on the way" | "O determinante no caminho";
    witness_error_name: "The error on the way" | "O erro no caminho";
    witness_animation: "The way from sparse to random weights" | "O caminho dos pesos esparsos aos aleatórios";
    way_axis: "t (0 sparse, 1 random)" | "t (0 esparsa, 1 aleatória)";
    determinant_axis: "ln |det C(t)|" | "ln |det C(t)|";
    determinant_series: "sum of the logarithms of the singular values" | "soma dos logaritmos dos valores singulares";
    zeros_series: "zeros of the determinant" | "zeros do determinante";
    witness_error_series: "largest output error" | "maior erro da saída";
    witness_says(t: &str, log: &str, error: &str): "t = {t}: ln |det C| = {log}, error {error}" | "t = {t}: ln |det C| = {log}, erro {error}";
    witness_leap(at: &str, elsewhere: &str): "At the zeros the error rises to {at}; more than 0.01 away from all of them it is at most {elsewhere}."
        | "Nos zeros o erro sobe a {at}; a mais de 0,01 de todos eles é no máximo {elsewhere}.";
    witness_no_leap(elsewhere: &str): "The determinant does not vanish on this way, and the error is at most {elsewhere} all along."
        | "O determinante não se anula neste caminho, e o erro é no máximo {elsewhere} em todo ele.";
    beside_name: "Right beside a zero" | "Logo ao lado de um zero";
    beside_axis(zero: &str): "distance of t from the zero at {zero} (log scale)" | "distância de t ao zero em {zero} (escala log)";
    beside_before: "before the zero" | "antes do zero";
    beside_after: "after the zero" | "depois do zero";
    witness_error_finding: "Ten times farther from the zero the error is ten times smaller: the singular value that vanishes grows in proportion to the distance, and rounding is divided by it."
        | "Dez vezes mais longe do zero o erro é dez vezes menor: o valor singular que se anula cresce em proporção à distância, e o arredondamento é dividido por ele.";
    beside_why: "A zero is a single point. However near to it a draw falls, it works in exact arithmetic; in f64 it loses as many digits as it is near. A draw that has a density hits such a point with probability 0, and comes near it with a probability that is as small as the distance."
        | "Um zero é um único ponto. Por mais perto que um sorteio caia, ele funciona em aritmética exata; em f64 perde tantos dígitos quanto está perto. Um sorteio que tem densidade acerta tal ponto com probabilidade 0, e chega perto com uma probabilidade tão pequena quanto a distância.";
    finding_zeros(zeros: &str, end: &str): "The determinant vanishes at t = {zeros} and nowhere else on the grid; at the random weights ln |det C| is {end}, far from −∞." | "O determinante se anula em t = {zeros} e em nenhum outro lugar da grade; nos pesos aleatórios ln |det C| é {end}, longe de −∞.";
    finding_singular_end: "This way ends at a zero: at t = 1 the matrix C is singular, because the draw is of a kind that never works (low rank, or the same weights in every layer with residual connections). Such draws lie inside the set of measure zero." | "Este caminho termina em um zero: em t = 1 a matriz C é singular, porque o sorteio é de um tipo que nunca funciona (posto baixo, ou os mesmos pesos em toda camada com conexões residuais). Tais sorteios estão dentro do conjunto de medida zero.";
    finding_no_zero(end: &str): "On this way the determinant does not vanish at all; at the random weights ln |det C| is {end}. Draw another seed to meet a zero." | "Neste caminho o determinante não se anula; nos pesos aleatórios ln |det C| é {end}. Sorteie outra semente para encontrar um zero.";
}
