//! The tree of attention paths as a component.

use std::ops::Range;
use std::sync::Arc;

use leptos::ev::{FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::{Track as _, *};

use super::layout::{Comb, Layout, NodeAt, Norms, Order};
use super::paint::{
    GUTTER, MARGIN, NARROWEST, Part, Picture, Rows, paint_names, paint_ring, paint_tree, paint_veil,
};
use crate::drawing::clock::motion_is_reduced;
use crate::drawing::export::{save_png, save_svg};
use crate::drawing::geometry::Point;
use crate::drawing::gestures::pan_and_zoom;
use crate::drawing::painter::Painter;
use crate::drawing::palette::Role;
use crate::drawing::resize::size_of;
use crate::drawing::surface::{Draw, Frame, Surface};
use crate::drawing::viewport::{Track, Viewport, Zoom};
use crate::widgets::controls::{Button, Look, Menu, MenuItem};
use crate::widgets::icon::Icon;
use crate::widgets::number;
use crate::widgets::unique_id;
use crate::widgets::words::use_words;

/// What of a tree is lit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lit {
    /// Nothing is lit, and nothing stands back.
    #[default]
    None,
    /// Every leaf.
    Leaves,
    /// Everything on the way through a node: what is added up in it, and where it goes.
    Through(NodeAt),
}

/// A tree of attention paths: leaves at the top, the root at the bottom.
#[component]
pub fn PathTree(
    /// The norms of all nodes.
    #[prop(into)]
    norms: Signal<Arc<Norms>>,
    /// The order of the leaves.
    #[prop(into)]
    order: Signal<Order>,
    /// The role that gives the tree its hue.
    #[prop(into)]
    role: Signal<Role>,
    /// How far the tree is contracted, in levels: at 1.5 the nodes of level 1 are half way to their parents.
    #[prop(into)]
    progress: Signal<f64>,
    /// What each row is called, from the leaves on.
    #[prop(into)]
    row_names: Signal<Vec<String>>,
    /// What the root is called.
    #[prop(into)]
    root_name: Signal<String>,
    /// The node that is looked at.
    #[prop(into)]
    looked_at: Signal<Option<NodeAt>>,
    /// What is lit.
    #[prop(into)]
    lit: Signal<Lit>,
    /// Is told which node the person looks at, or that it is none.
    #[prop(into)]
    on_look: Callback<Option<NodeAt>>,
    /// Is told which node is pinned, or that none is any more.
    #[prop(into)]
    on_pin: Callback<Option<NodeAt>>,
    /// What the tree is, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// How the keyboard is used.
    #[prop(into)]
    hint: Signal<String>,
) -> impl IntoView {
    let node = NodeRef::<Div>::new();
    let size = size_of(node);
    let layout = Memo::new(move |_| {
        let order = order.get();
        norms.with(|norms| Same(Arc::new(Layout::new(norms, order))))
    });
    let zoom = RwSignal::new(Zoom::WHOLE);
    // Another tree, or another order, is another picture.
    let shape =
        Memo::new(move |_| layout.with(|Same(layout)| (layout.base(), layout.depth(), layout.order())));
    Effect::new(move |_| {
        shape.track();
        zoom.set(Zoom::WHOLE);
    });
    let window = Memo::new(move |_| size.get().map_or(1.0, |size| (size.x - GUTTER - 2.0 * MARGIN).max(1.0)));
    let viewport = Signal::derive(move || layout.with(|Same(layout)| viewport(layout, window.get())));
    let rows = Memo::new(move |_| layout.with(|Same(layout)| Rows::new(layout.depth())));

    let with_picture = move |frame: &Frame, paint: &mut dyn FnMut(&Picture)| {
        layout.with(|Same(layout)| {
            row_names.with(|row_names| {
                let progress = progress.get();
                let is_jumping = progress.fract() > 0.0 && motion_is_reduced();
                paint(&Picture {
                    layout,
                    span: viewport.get().view(zoom.get()).x,
                    rows: rows.get(),
                    width: frame.width,
                    progress: if is_jumping { progress.floor() } else { progress },
                    role: role.get(),
                    row_names,
                });
            });
        });
    };
    let draw = Draw::new(move |painter, frame| {
        with_picture(frame, &mut |picture| {
            paint_tree(painter, &frame.palette, picture, Part::All);
            root_name.with(|name| paint_names(painter, &frame.palette, picture, name));
        });
    });
    let is_lit = Memo::new(move |_| lit.get() != Lit::None || looked_at.with(Option::is_some));
    let draw_lights = Draw::new(move |painter: &mut dyn Painter, frame: &Frame| {
        let (lit, looked_at) = (lit.get(), looked_at.get());
        with_picture(frame, &mut |picture| {
            paint_lights(painter, frame, picture, lit);
            if let Some(node) = looked_at.filter(|node| picture.layout.has(*node)) {
                root_name.with(|name| paint_names(painter, &frame.palette, picture, name));
                paint_ring(painter, &frame.palette, picture, node);
            }
        });
    });

    let origin = Signal::stored(Point::new(GUTTER + MARGIN, 0.0));
    pan_and_zoom(node, viewport, zoom, origin);

    let node_under = move |event: &MouseEvent| {
        let at = Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()));
        layout.with_untracked(|Same(layout)| {
            let level = rows.get_untracked().level_at(at.y, layout.depth());
            let span = viewport.get_untracked().view(zoom.get_untracked()).x;
            let x = span.unit(at.x - GUTTER - MARGIN);
            let found = layout.strongest_at(level, x, span.scale, NARROWEST);
            // The root is drawn larger than its cell, and so is a level that has shrunk to a few pixels.
            found.or_else(|| {
                let (left, right) = layout.extent(level, &(0..layout.count(level)));
                let reach = 14.0 / span.scale;
                let nearest = x.clamp(left, right - layout.spacing(level) / 2.0);
                ((x - nearest).abs() <= reach)
                    .then(|| layout.strongest_at(level, nearest, span.scale, NARROWEST))
                    .flatten()
            })
        })
    };
    let pressed_at = StoredValue::new(None::<Point>);
    let point_of = |event: &MouseEvent| Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
    let on_pointer_down = move |event: PointerEvent| pressed_at.set_value(Some(point_of(&event)));
    let on_pointer_move = move |event: PointerEvent| {
        if event.pointer_type() != "touch" && event.buttons() == 0 {
            let under = node_under(&event);
            if under != looked_at.get_untracked() {
                on_look.run(under);
            }
        }
    };
    let on_click = move |event: MouseEvent| {
        // A press that moved on has dragged the tree.
        if pressed_at.get_value().is_none_or(|at| at.distance(point_of(&event)) <= 4.0) {
            on_pin.run(node_under(&event));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        let (at, next) = layout.with_untracked(|Same(layout)| {
            let at = looked_at.get_untracked().filter(|node| layout.has(*node));
            (at, step(layout, at, &key))
        });
        match key.as_str() {
            "Enter" | " " => on_pin.run(at),
            "Escape" => {
                on_pin.run(None);
                on_look.run(None);
            }
            _ => {
                if let Some(next) = next {
                    layout.with_untracked(|Same(layout)| {
                        let unit = layout.middle(next.level, layout.place(next)) - 0.5;
                        let viewport = viewport.get_untracked();
                        zoom.update(|zoom| *zoom = viewport.revealing(*zoom, Point::new(unit, 0.0)));
                    });
                    on_look.run(Some(next));
                } else if let Some(new) = viewport.get_untracked().after_key(
                    zoom.get_untracked(),
                    &key,
                    Point::new(window.get_untracked() / 2.0, 0.0),
                ) {
                    zoom.set(new);
                } else {
                    return;
                }
            }
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let words = use_words();
    let actions = Signal::derive(move || {
        label.with(|label| words.with(|words| number::fill(&words.actions, &[("name", label)])))
    });
    // As it is seen, without what is pointed at.
    let picture_size = move || Point::new(size.get().map_or(1.0, |size| size.x), rows.get().height);
    let save_as_svg = move || {
        let (size, title) = untrack(|| (picture_size(), label.get()));
        save_svg("pianola-tree.svg", size, &title, |painter, frame| untrack(|| draw.paint(painter, frame)));
    };
    let save_as_png = move || {
        let size = untrack(picture_size);
        save_png("pianola-tree.png", size, 3.0, |painter, frame| untrack(|| draw.paint(painter, frame)));
    };
    let items = move |()| {
        let words = words.get();
        vec![MenuItem::new(words.export_svg, save_as_svg), MenuItem::new(words.export_png, save_as_png)]
    };
    let hint_id = unique_id("path-tree-hint");
    let is_zoomed = move || zoom.with(|zoom| zoom.factor > 1.0);
    view! {
        <div class="path-tree">
            <div
                node_ref=node
                class="path-tree-stage"
                class:path-tree-zoomed=is_zoomed
                style:height=move || format!("{}px", rows.get().height)
                role="application"
                tabindex="0"
                aria-label=label
                aria-describedby=hint_id.clone()
                on:pointerdown=on_pointer_down
                on:pointermove=on_pointer_move
                on:pointerleave=move |_| on_look.run(None)
                on:click=on_click
                on:keydown=on_key
                on:blur=move |_: FocusEvent| on_look.run(None)
            >
                <Surface draw/>
                <Surface draw=draw_lights when=is_lit/>
            </div>
            <div class="path-tree-zoom">
                <ZoomButtons viewport zoom window/>
                <Menu label=actions items=items/>
            </div>
            <p id=hint_id class="visually-hidden">{hint}</p>
        </div>
    }
}

#[component]
fn ZoomButtons(viewport: Signal<Viewport>, zoom: RwSignal<Zoom>, window: Memo<f64>) -> impl IntoView {
    let words = use_words();
    let press = move |key: &'static str| {
        move |()| {
            let middle = Point::new(window.get_untracked() / 2.0, 0.0);
            if let Some(new) = viewport.get_untracked().after_key(zoom.get_untracked(), key, middle) {
                zoom.set(new);
            }
        }
    };
    let is_zoomable = Memo::new(move |_| viewport.get().is_zoomable());
    let button = move |icon: Icon, key: &'static str, word: fn(&crate::widgets::words::Words) -> &String| {
        let label = Signal::derive(move || words.with(|words| word(words).clone()));
        view! { <Button label icon=icon look=Look::Quiet on_press=press(key)/> }
    };
    view! {
        <Show when=move || is_zoomable.get()>
            <>
                {button(Icon::Minus, "-", |words| &words.zoom_out)}
                {button(Icon::Plus, "+", |words| &words.zoom_in)}
                {button(Icon::Whole, "0", |words| &words.zoom_reset)}
            </>
        </Show>
    }
}

/// A layout that is compared by identity: it is made once for every tree.
#[derive(Clone)]
struct Same(Arc<Layout>);

impl PartialEq for Same {
    fn eq(&self, other: &Same) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

fn viewport(layout: &Layout, window: f64) -> Viewport {
    /// The widest cell of a leaf.
    const WIDEST: f64 = 64.0;
    let length = layout.leaves() as f64;
    let fit = window / length;
    let x = Track { length, window, fit, largest: WIDEST.max(fit) };
    // Only sideways: the rows always stand where they are.
    Viewport { x, y: Track { length: 1.0, window: 1.0, fit: 1.0, largest: 1.0 } }
}

fn paint_lights(painter: &mut dyn Painter, frame: &Frame, picture: &Picture, lit: Lit) {
    match lit {
        Lit::None => {}
        Lit::Leaves => {
            paint_veil(painter, &frame.palette, picture);
            paint_tree(painter, &frame.palette, picture, Part::Lit(&|level, _| level == 0));
        }
        Lit::Through(node) if picture.layout.has(node) => {
            paint_veil(painter, &frame.palette, picture);
            let combs: Vec<Comb> =
                (0..=picture.layout.depth()).map(|level| picture.layout.through(node, level)).collect();
            let is_lit = |level: usize, places: &Range<usize>| combs[level].meets(places);
            paint_tree(painter, &frame.palette, picture, Part::Lit(&is_lit));
        }
        Lit::Through(_) => {}
    }
}

/// Where an arrow key leads; from nowhere, to the root.
fn step(layout: &Layout, at: Option<NodeAt>, key: &str) -> Option<NodeAt> {
    if !matches!(key, "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home" | "End") {
        return None;
    }
    let Some(at) = at else { return Some(layout.root()) };
    let next = match key {
        "ArrowUp" => layout.strongest_child(at),
        "ArrowDown" => layout.parent(at),
        "ArrowLeft" => layout.beside(at, -1),
        "ArrowRight" => layout.beside(at, 1),
        "Home" => Some(layout.node(at.level, 0)),
        _ => Some(layout.node(at.level, layout.count(at.level) - 1)),
    };
    // At an edge the node stays, and is said again.
    Some(next.unwrap_or(at))
}
