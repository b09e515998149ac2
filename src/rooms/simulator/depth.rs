//! How deep and how wide simulators are: counted from the program, for every size, with the formula.

use leptos::prelude::*;
use rasp::simulator::{Activation, Attend, Class, Padding};

use super::room::SimulatorRoom;
use crate::drawing::palette::Role;
use crate::ground::decimal;
use crate::ground::language::use_language;
use crate::notices::Notices;
use crate::rooms::simulator::choices::Along;
use crate::rooms::simulator::job::{self, Counts};
use crate::widgets::chart::{Axis, Chart, Dot, Figure, Line, Rule, Series};
use crate::widgets::controls::{Choice, LabelPlace, Segments};
use crate::widgets::math::{Formula, Math, name, number, op, row, sub};
use crate::work::client::{Client, Line as JobLine};
use crate::work::protocol::{Answer, Packed, Request};

/// Two charts and the formula, layer by layer.
#[component]
pub fn DepthPanel() -> impl IntoView {
    let room = expect_context::<SimulatorRoom>();
    let client = expect_context::<Client>();
    let notices = expect_context::<Notices>();
    let t = use_language();
    let counts = RwSignal::new(None::<Counts>);
    let class = Memo::new(move |_| room.read(|simulated| Some(simulated.class)));
    let along = Memo::new(move |_| room.look.with(|look| look.along));
    Effect::new(move |_| {
        let Some(class) = class.get() else { return };
        let request = job::Request::Count(class, along.get());
        client.ask(JobLine::Counts, Request::Simulator(Packed::of(&request)), move |answer| {
            match answer.map(Answer::simulator) {
                Ok(Some(job::Answer::Count(found))) => {
                    counts.try_set(Some(found));
                }
                Ok(_) => {}
                Err(failure) => notices.failure(failure),
            }
        });
    });
    let axis = move |counts: &Counts| match counts.along {
        Along::Rows => t.get().simulator_along_rows(),
        Along::Width => t.get().simulator_along_width(),
        Along::Heads => t.get().simulator_along_heads(),
    };
    let here = move |counts: &Counts| {
        let at = size_along(&counts.class, counts.along);
        Rule::upright(at as f64, t.get().simulator_here(), Role::Accent)
    };
    let points = |counts: &Counts, of: fn(&job::Count) -> usize| {
        counts.points.iter().map(|(size, count)| (*size as f64, of(count) as f64)).collect::<Vec<_>>()
    };
    let depth = Memo::new(move |_| {
        counts.with(|counts| {
            let Some(counts) = counts else { return Figure::default() };
            let most = counts.points.iter().map(|(_, count)| count.depth()).max().unwrap_or(0) as f64;
            let series =
                Series::new(t.get().simulator_depth(), Role::Universal, points(counts, job::Count::depth));
            Figure {
                x: Axis::new(axis(counts)),
                y: Axis::new(t.get().simulator_depth()).including([0.0, most * 1.25]),
                series: vec![series.joined(Line::Strong).marked(Dot::Disc)],
                rules: vec![here(counts)],
            }
        })
    });
    let width = Memo::new(move |_| {
        counts.with(|counts| {
            let Some(counts) = counts else { return Figure::default() };
            let t = t.get();
            let series = |name: &str, role, of| Series::new(name, role, points(counts, of));
            Figure {
                x: Axis::new(axis(counts)),
                y: Axis::new(t.simulator_width()).including([0.0]),
                series: vec![
                    series(t.simulator_by_formula(), Role::Output, job::Count::width_by_formula)
                        .joined(Line::Strong),
                    series(t.simulator_as_written(), Role::Universal, job::Count::width)
                        .joined(Line::None)
                        .marked(Dot::Disc),
                    series(t.simulator_merged(), Role::Key, job::Count::merged_width)
                        .joined(Line::Dashed)
                        .marked(Dot::Square),
                ],
                rules: vec![here(counts)],
            }
        })
    });
    let depth_says = Signal::derive(move || {
        let depths = counts.with(|counts| {
            counts.as_ref().map(|it| it.points.iter().map(|(_, count)| count.depth()).collect::<Vec<_>>())
        });
        match depths.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|depth| depth == first) => {
                t.get().simulator_depth_flat(*first)
            }
            Some([..]) => t.get().simulator_depth_differs().to_owned(),
            None => String::new(),
        }
    });
    let width_says = Signal::derive(move || t.get().simulator_width_grows().to_owned());
    let rows = move || {
        room.read(|simulated| {
            let layers = formulas(&simulated.class);
            let count = &simulated.count;
            let rows = layers
                .into_iter()
                .enumerate()
                .map(|(layer, formula)| {
                    let at = |heads: &[usize]| heads.get(layer).copied().unwrap_or(0);
                    view! {
                        <tr>
                            <th scope="row">{layer + 1}</th>
                            <td><Formula math=Signal::stored(math_of(formula))/></td>
                            <td class="number">{at(&count.formula)}</td>
                            <td class="number">{at(&count.heads)}</td>
                            <td class="number">{at(&count.merged)}</td>
                        </tr>
                    }
                })
                .collect_view();
            Some(rows)
        })
    };
    view! {
        <section class="panel">
            <h2>{move || t.get().simulator_depth_title()}</h2>
            <p class="lead">{move || t.get().simulator_depth_lead()}</p>
            <Segments
                label=Signal::derive(move || t.get().simulator_against().to_owned())
                label_place=LabelPlace::Beside
                options=Signal::derive(move || vec![
                    Choice::new(Along::Rows, "n"),
                    Choice::new(Along::Width, "d"),
                    Choice::new(Along::Heads, "H"),
                ])
                value=along
                on_input=move |along| room.change_look(|look| look.along = along)
            />
            <div class="chart-pair sim-charts">
                <Chart name=Signal::derive(move || t.get().simulator_depth_chart().to_owned()) figure=depth finding=depth_says/>
                <Chart name=Signal::derive(move || t.get().simulator_width_chart().to_owned()) figure=width finding=width_says/>
            </div>
            <div class="facts-frame">
                <table class="facts">
                    <caption>{move || t.get().simulator_layers_table()}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{move || t.get().simulator_layer_number()}</th>
                            <th scope="col">{move || t.get().simulator_formula()}</th>
                            <th scope="col" class="number">{move || t.get().simulator_by_formula()}</th>
                            <th scope="col" class="number">{move || t.get().simulator_as_written()}</th>
                            <th scope="col" class="number">{move || t.get().simulator_merged()}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn size_along(class: &Class, along: Along) -> usize {
    match along {
        Along::Rows => class.rows,
        Along::Width => class.width,
        Along::Heads => class.heads,
    }
}

/// The formula of each layer's heads, in words of n, d, H, d_v and the hidden width f. See
/// `Class::heads_by_formula`.
fn formulas(class: &Class) -> Vec<&'static str> {
    let first = match (class.feed_forward.is_some(), class.padding) {
        (false, Padding::Exact) => "H (3d + n) + 1",
        (false, Padding::Masked) => "H (3d + n) + 2",
        (true, Padding::Exact) => "H (3d + n) + d_v + f + 3",
        (true, Padding::Masked) => "H (3d + n) + d_v + f + 4",
    };
    let attend = match class.attend {
        Attend::Softmax => 1,
        Attend::AverageHard => 2,
        Attend::ShiftedSoftmax => 3,
    };
    let mut layers = vec![first, "2 d H"];
    layers.extend(std::iter::repeat_n("H", attend));
    layers.extend(["n H", "d H"]);
    match class.feed_forward.map(|shape| shape.activation) {
        None => {}
        Some(Activation::Relu) => layers.extend(["d_v", "f"]),
        Some(Activation::MaxMin) => layers.extend(["d_v", "1", "f"]),
    }
    layers
}

/// Such a formula, set as mathematics.
fn math_of(formula: &str) -> Math {
    let words = formula.replace('(', " ( ").replace(')', " ) ");
    row(words.split_whitespace().map(|word| match word {
        "+" | "(" | ")" => op(word),
        "d_v" => sub(name("d"), name("v")),
        "3d" => row([number(3.0), name("d")]),
        word => decimal::parse(word).map_or_else(|| name(word), number),
    }))
}

crate::texts! {
    simulator_depth_title: "How deep, how wide" | "Quão fundo, quão largo";
    simulator_depth_lead: "Counted from the program, which is written anew for every size; no target has a part in it. The depth is the same for every n, d and H. The width grows: USA, Lemma 5 counts O(r c) heads for an r × c product, here 2k suffice for the inner size k."
        | "Contadas a partir do programa, que é escrito de novo para cada tamanho; nenhum alvo participa. A profundidade é a mesma para todo n, d e H. A largura cresce: o Lema 5 de USA conta O(r c) cabeças para um produto r × c; aqui bastam 2k para o tamanho interno k.";
    simulator_against: "Against" | "Em função de";
    simulator_along_rows: "n, tokens" | "n, tokens";
    simulator_along_width: "d, coordinates" | "d, coordenadas";
    simulator_along_heads: "H, heads" | "H, cabeças";
    simulator_here: "here" | "aqui";
    simulator_depth: "layers" | "camadas";
    simulator_width: "heads in the widest layer" | "cabeças na camada mais larga";
    simulator_depth_chart: "Depth" | "Profundidade";
    simulator_width_chart: "Width" | "Largura";
    simulator_depth_flat(depth: usize): "A flat line: {depth} layers, whatever the size." | "Uma linha reta: {depth} camadas, qualquer que seja o tamanho.";
    simulator_depth_differs: "The depth is not the same everywhere." | "A profundidade não é a mesma em toda parte.";
    simulator_width_grows: "The first layer is the widest: it fetches everything that comes from the input." | "A primeira camada é a mais larga: ela busca tudo o que vem da entrada.";
    simulator_by_formula: "by the formula" | "pela fórmula";
    simulator_as_written: "counted, as written" | "contadas, como escritas";
    simulator_merged: "counted, equal selectors once" | "contadas, seletores iguais uma vez";
    simulator_layers_table: "Heads in each layer of this program" | "Cabeças em cada camada deste programa";
    simulator_layer_number: "Layer" | "Camada";
    simulator_formula: "Formula" | "Fórmula";
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasp::simulator::{FeedForwardShape, Mask};

    /// The value of a formula such as `H (3d + n) + d_v + f + 3`: every product is written without a sign.
    fn value(formula: &str, class: &Class) -> usize {
        let (n, d, h, v) = (class.rows, class.width, class.heads, class.value_width);
        let f = class.feed_forward.map_or(0, |shape| shape.hidden);
        let formula = formula.replace("H (3d + n)", &(h * (3 * d + n)).to_string());
        let factor = |word: &str| match word {
            "n" => n,
            "d" => d,
            "H" => h,
            "d_v" => v,
            "f" => f,
            number => number.parse().expect("a number"),
        };
        formula.split(" + ").map(|term| term.split(' ').map(factor).product::<usize>()).sum()
    }

    #[test]
    fn the_formulas_shown_are_those_that_the_program_is_checked_against() {
        for attend in [Attend::Softmax, Attend::ShiftedSoftmax, Attend::AverageHard] {
            for padding in [Padding::Exact, Padding::Masked] {
                for activation in [None, Some(Activation::Relu), Some(Activation::MaxMin)] {
                    let class = Class {
                        rows: 7,
                        width: 3,
                        value_width: 5,
                        heads: 2,
                        attend,
                        mask: Mask::None,
                        feed_forward: activation.map(|activation| FeedForwardShape {
                            hidden: 4,
                            output: 3,
                            activation,
                        }),
                        padding,
                    };
                    let shown: Vec<usize> = formulas(&class).iter().map(|it| value(it, &class)).collect();
                    assert_eq!(shown, class.heads_by_formula(), "{class:?}");
                    for formula in formulas(&class) {
                        let spaceless = |text: &str| text.replace([' ', '_'], "");
                        assert_eq!(spaceless(&math_of(formula).to_string()), spaceless(formula));
                    }
                }
            }
        }
    }
}
