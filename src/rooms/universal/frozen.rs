//! The frozen weights: routing drawn as routing, random weights as heatmaps. They carry a lock.

use leptos::prelude::*;
use universal::{Consumer, Layout};

use super::machine::paint::role_color;
use super::matrices::read;
use super::room::Room;
use crate::drawing::geometry::{Path, Point, Rect};
use crate::drawing::painter::{Align, Family, Painter, Stroke, TextStyle, Texture};
use crate::drawing::palette::{Palette, Role};
use crate::drawing::surface::{Draw, Surface};
use crate::ground::language::{Language, say, use_language};
use crate::rooms::universal::job::{FrozenHead, Thumbnail};
use crate::widgets::heatmap::{Axis, AxisLabels, CellSize, Heatmap, Kind, LegendPlace, Matrix};

/// All frozen weights.
#[component]
pub fn FrozenPanel() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let shape = room.derive(|played| {
        let layers = &played.frozen.heads;
        (
            layers.len(),
            layers.first().map_or(0, Vec::len),
            played.frozen.has_places,
            played.target.class().layers,
        )
    });
    let cards = move || {
        shape.get().map(|(layers, heads, has_places, all_layers)| {
            (0..layers)
                .flat_map(|layer| (0..heads).map(move |head| (layer, head)))
                .map(|(layer, head)| {
                    let title = move || match layers == 1 && all_layers > 1 {
                        true => t.get().frozen_head_of_all(head + 1),
                        false => t.get().frozen_head(layer + 1, head + 1),
                    };
                    view! {
                        <div class="frozen-card">
                            <h3><span class="lock-swatch" aria-hidden="true"></span>{title}</h3>
                            {match has_places {
                                true => view! { <RoutingMap layer head/> }.into_any(),
                                false => view! { <DenseMaps layer head/> }.into_any(),
                            }}
                        </div>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <section class="panel">
            <h2>{say(t, Language::frozen_title)}</h2>
            <p class="lead">{move || match shape.get() {
                Some((_, _, false, _)) => t.get().frozen_lead_random(),
                _ => t.get().frozen_lead_routed(),
            }}</p>
            <div class="frozen-cards">{cards}</div>
        </section>
    }
}

/// One head's routing: the blocks of the state before and after, an arrow for every run of columns that Rv
/// moves, and marks where Rq and Rk read.
#[component]
fn RoutingMap(layer: usize, head: usize) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let data = Memo::new(move |_| {
        read(room, |played| {
            let head = played.frozen.heads.get(layer)?.get(head)?.clone();
            Some((played.frozen.columns.clone(), head))
        })
    });
    let draw = Draw::new(move |painter, frame| {
        data.with(|data| {
            if let Some((columns, FrozenHead::Routed { query, key, moves })) = data {
                paint_routing(
                    painter,
                    &frame.palette,
                    columns,
                    *query,
                    *key,
                    moves,
                    Point::new(frame.width, frame.height),
                );
            }
        });
    });
    let words = move || {
        data.with(|data| match data {
            Some((columns, FrozenHead::Routed { query, key, moves })) => {
                let ones: usize = moves.iter().map(|it| it.width).sum();
                t.get().routing_in_words(
                    (query.0 + 1, query.0 + query.1),
                    (key.0 + 1, key.0 + key.1),
                    (moves.len(), ones, columns.width()),
                )
            }
            _ => String::new(),
        })
    };
    view! {
        <div class="routing" role="img" aria-label=words><Surface draw/></div>
        <p class="quiet">{words}</p>
    }
}

fn paint_routing(
    painter: &mut dyn Painter,
    palette: &Palette,
    columns: &Layout,
    query: (usize, usize),
    key: (usize, usize),
    moves: &[universal::Move],
    size: Point,
) {
    let unit = size.x / columns.width() as f64;
    let (top, bottom, height) = (18.0, size.y - 12.0, 10.0);
    for y in [top, bottom - height] {
        let bar = Rect::new(0.0, y, size.x, height);
        painter.fill_round_rect(bar, 2.0, palette.card);
        painter.fill_texture(&[bar], Texture::Lock, palette.frozen_line);
    }
    // Blocks, as long as they can be told apart.
    if unit * columns.width() as f64 / columns.blocks().len() as f64 > 3.0 {
        for block in columns.blocks() {
            let rect =
                Rect::new(block.offset as f64 * unit + 0.5, top, block.width as f64 * unit - 1.0, height);
            let color = role_color(block.consumer, palette);
            painter.stroke_rect(rect, 2.0, &Stroke::solid(color.faded(0.6), 1.0));
            let below = Rect::new(rect.x, bottom - height, rect.width, height);
            painter.stroke_rect(below, 2.0, &Stroke::solid(color.faded(0.25), 1.0));
        }
    }
    for it in moves {
        let consumer = columns.block_of_column(it.to).map_or(Consumer::Output, |block| block.consumer);
        let color = role_color(consumer, palette);
        let at = |column: usize, y: f64| Point::new(column as f64 * unit, y);
        let (from_top, to_top) = (top + height, bottom - height);
        let bend = (to_top - from_top) * 0.5;
        let band = Path::new()
            .move_to(at(it.from, from_top))
            .curve_to(
                Point::new(it.from as f64 * unit, from_top + bend),
                Point::new(it.to as f64 * unit, to_top - bend),
                at(it.to, to_top),
            )
            .line_to(at(it.to + it.width, to_top))
            .curve_to(
                Point::new((it.to + it.width) as f64 * unit, to_top - bend),
                Point::new((it.from + it.width) as f64 * unit, from_top + bend),
                at(it.from + it.width, from_top),
            )
            .close();
        painter.fill_path(&band, color.faded(0.28));
        let middle = |first: usize| (first as f64 + it.width as f64 / 2.0) * unit;
        let line = Path::link(Point::new(middle(it.from), from_top), Point::new(middle(it.to), to_top - 2.0));
        painter.stroke_path(&line, &Stroke::solid(color, 1.4));
        arrow_head(painter, Point::new(middle(it.to), to_top), color);
    }
    for ((offset, width), label, color) in [(query, "Rq", palette.query), (key, "Rk", palette.key)] {
        let x = (offset as f64 + width as f64 / 2.0) * unit;
        let mark = Rect::new(offset as f64 * unit, top, width as f64 * unit, height);
        painter.fill_round_rect(mark, 2.0, color);
        let style = TextStyle::new(color, palette.text_tiny, Family::Mono).aligned(Align::Center);
        painter.text(label, Point::new(x.min(size.x - 9.0).max(9.0), top - 9.0), &style);
    }
}

fn arrow_head(painter: &mut dyn Painter, tip: Point, color: crate::drawing::color::Rgba) {
    let head =
        Path::polygon([tip, Point::new(tip.x - 4.0, tip.y - 6.0), Point::new(tip.x + 4.0, tip.y - 6.0)]);
    painter.fill_path(&head, color);
}

/// One head's random weights.
#[component]
fn DenseMaps(layer: usize, head: usize) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let map = move |symbol: &'static str,
                    role: Role,
                    of: fn(&FrozenHead) -> Option<&Thumbnail>,
                    preferred: f64| {
        let thumbnail =
            Memo::new(move |_| read(room, |played| of(played.frozen.heads.get(layer)?.get(head)?).cloned()));
        let matrix = Memo::new(move |_| {
            thumbnail
                .with(|thumbnail| thumbnail.as_ref().map(|it| Matrix::from(&it.cells)).unwrap_or_default())
        });
        let size = move || {
            thumbnail.with(|thumbnail| {
                thumbnail.as_ref().map(|it| {
                    let small = it.cells.dim() != it.shape;
                    let note = if small { format!(" · {}", t.get().patches()) } else { String::new() };
                    format!("{} × {}{note}", it.shape.0, it.shape.1)
                })
            })
        };
        view! {
            <div class="map">
                <Heatmap
                    name=Signal::stored(symbol.to_owned())
                    matrix
                    kind=Signal::stored(Kind::Signed)
                    rows=Signal::stored(Axis::new("i", "").counted_from(1))
                    cols=Signal::stored(Axis::new("j", "").counted_from(1).in_role(role))
                    cell_size=Signal::stored(CellSize { smallest: 2.0, tallest: 220.0, ..CellSize::square(preferred) })
                    axis_labels=AxisLabels::Hidden
                    legend=LegendPlace::Elsewhere
                />
                <p class="quiet">{size}</p>
            </div>
        }
    };
    view! {
        <div class="matrix-row">
            {map("Rq", Role::Query, |head| match head { FrozenHead::Dense { query, .. } => Some(query), FrozenHead::Routed { .. } => None }, 5.0)}
            {map("Rk", Role::Key, |head| match head { FrozenHead::Dense { key, .. } => Some(key), FrozenHead::Routed { .. } => None }, 5.0)}
            {map("Rv", Role::Value, |head| match head { FrozenHead::Dense { value, .. } => Some(value), FrozenHead::Routed { .. } => None }, 5.0)}
        </div>
    }
}

crate::texts! {
    frozen_title: "The frozen weights" | "Os pesos congelados";
    frozen_lead_routed: "Above, the columns of the state before the layer; below, after it. Each arrow is a run of ones in Rv: it copies a block to another place, mixed by the head’s attention. Rq and Rk only say which block is read. No number here depends on the target."
        | "Em cima, as colunas do estado antes da camada; embaixo, depois. Cada seta é uma sequência de uns em Rv: copia um bloco para outro lugar, misturado pela atenção da cabeça. Rq e Rk só dizem qual bloco é lido. Nenhum número aqui depende do alvo.";
    frozen_lead_random: "Drawn once from the frozen seed. They mean nothing by themselves; the solution E of the linear equations E C = B gives them their meaning. No number here depends on the target."
        | "Sorteados uma vez pela semente congelada. Sozinhos não significam nada; a solução E das equações lineares E C = B lhes dá sentido. Nenhum número aqui depende do alvo.";
    frozen_head(layer: usize, head: usize): "Layer {layer}, head {head}" | "Camada {layer}, cabeça {head}";
    frozen_head_of_all(head: usize): "Every layer, head {head}" | "Todas as camadas, cabeça {head}";
    routing_words(q1: usize, q2: usize, k1: usize, k2: usize, moves: usize, ones: usize, m: usize):
        "Rq reads columns {q1}–{q2}, Rk {k1}–{k2}. Rv: {moves} runs, {ones} ones among {m} × {m}."
        | "Rq lê as colunas {q1}–{q2}, Rk {k1}–{k2}. Rv: {moves} sequências, {ones} uns entre {m} × {m}.";
    patches: "each cell the largest of its patch" | "cada célula é o maior valor de seu trecho";
}

impl Language {
    fn routing_in_words(
        self,
        query: (usize, usize),
        key: (usize, usize),
        rv: (usize, usize, usize),
    ) -> String {
        self.routing_words(query.0, query.1, key.0, key.1, rv.0, rv.1, rv.2)
    }
}
