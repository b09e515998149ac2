//! Hands on a picture: pan and zoom with mouse, pen and fingers. The page's own scrolling is never captured: the
//! plain wheel and a single finger that moves up or down stay the page's.

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, PointerEvent, WheelEvent};

use super::geometry::Point;
use super::viewport::{Viewport, Zoom};

/// Lets the person pan and zoom what is seen in `node`. `origin` is the window's corner, measured from the element's.
///
/// Ctrl or ⌘ with the wheel, and two fingers, zoom; dragging pans. Give the element the style `touch-action: pan-y`.
pub fn pan_and_zoom<E>(
    node: NodeRef<E>,
    viewport: Signal<Viewport>,
    zoom: RwSignal<Zoom>,
    origin: Signal<Point>,
) where
    E: ElementType,
    E::Output: JsCast + Clone + 'static,
{
    let hands = Hands { viewport, zoom, origin, pointers: StoredValue::new(Vec::new()) };
    let listeners = StoredValue::new_local(None);
    node.on_load(move |element| listeners.set_value(Some(Listeners::new(element.unchecked_into(), hands))));
    on_cleanup(move || {
        listeners.try_update_value(|listeners: &mut Option<Listeners>| listeners.take());
    });
}

/// The buttons that are pressed on an element, and what to do about them.
#[derive(Clone, Copy)]
struct Hands {
    viewport: Signal<Viewport>,
    zoom: RwSignal<Zoom>,
    origin: Signal<Point>,
    pointers: StoredValue<Vec<Pressed>>,
}

#[derive(Clone, Copy)]
struct Pressed {
    id: i32,
    at: Point,
    /// Whether it has moved far enough to be a drag and not a click.
    is_dragging: bool,
}

/// A pointer that moved no farther than this has not dragged.
const CLICK: f64 = 4.0;

impl Hands {
    fn wheel(self, element: &Element, event: &WheelEvent) {
        if !(event.ctrl_key() || event.meta_key()) {
            return;
        }
        let Some(viewport) = self.viewport.try_get_untracked().filter(|viewport| viewport.is_zoomable())
        else {
            return;
        };
        event.prevent_default();
        // Lines and pages of text, where a browser counts in those.
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 16.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        let factor = (-(event.delta_y() * unit).clamp(-120.0, 120.0) * 0.005).exp();
        let at = self.place(element, event);
        self.zoom.update(|zoom| *zoom = viewport.zoomed(*zoom, at, factor));
    }

    fn press(self, element: &Element, event: &PointerEvent) {
        if event.button() == 0 {
            let pressed =
                Pressed { id: event.pointer_id(), at: self.place(element, event), is_dragging: false };
            self.pointers.try_update_value(|pointers| {
                pointers.retain(|pointer| pointer.id != pressed.id);
                pointers.push(pressed);
            });
        }
    }

    fn release(self, event: &PointerEvent) {
        self.pointers
            .try_update_value(|pointers| pointers.retain(|pointer| pointer.id != event.pointer_id()));
    }

    fn drag(self, element: &Element, event: &PointerEvent) {
        let Some(mut pointers) = self.pointers.try_get_value().filter(|pointers| !pointers.is_empty()) else {
            return;
        };
        let Some(viewport) = self.viewport.try_get_untracked() else { return };
        let Some(moved) = pointers.iter().position(|pointer| pointer.id == event.pointer_id()) else {
            return;
        };
        let (before, now) = (pointers[moved].at, self.place(element, event));
        if !pointers[moved].is_dragging && before.distance(now) <= CLICK {
            return;
        }
        if !pointers[moved].is_dragging {
            pointers[moved].is_dragging = true;
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        pointers[moved].at = now;
        let other =
            pointers.iter().find(|pointer| pointer.id != event.pointer_id()).map(|pointer| pointer.at);
        self.pointers.set_value(pointers);
        self.zoom.update(|zoom| {
            *zoom = match other {
                Some(other) => {
                    let factor = other.distance(now) / other.distance(before).max(1.0);
                    let middle = other.towards(now, 0.5);
                    let shift = Point::new((now.x - before.x) / 2.0, (now.y - before.y) / 2.0);
                    viewport.panned(viewport.zoomed(*zoom, middle, factor), shift)
                }
                None => viewport.panned(*zoom, Point::new(now.x - before.x, now.y - before.y)),
            };
        });
    }

    fn place(self, element: &Element, event: &web_sys::MouseEvent) -> Point {
        let corner = element.get_bounding_client_rect();
        let origin = self.origin.try_get_untracked().unwrap_or_default();
        Point::new(
            f64::from(event.client_x()) - corner.x() - origin.x,
            f64::from(event.client_y()) - corner.y() - origin.y,
        )
    }
}

/// Listeners that may refuse what the browser would do; Leptos has none of that kind for wheels and fingers.
struct Listeners {
    element: Element,
    attached: Vec<(&'static str, Handler)>,
}

type Handler = Closure<dyn Fn(Event)>;

impl Listeners {
    fn new(element: Element, hands: Hands) -> Listeners {
        let mut listeners = Listeners { element, attached: Vec::new() };
        listeners.on("wheel", move |element, event: WheelEvent| hands.wheel(element, &event));
        listeners.on("pointerdown", move |element, event: PointerEvent| hands.press(element, &event));
        listeners.on("pointermove", move |element, event: PointerEvent| hands.drag(element, &event));
        for end in ["pointerup", "pointercancel"] {
            listeners.on(end, move |_, event: PointerEvent| hands.release(&event));
        }
        // Two fingers are ours, whichever way they move.
        listeners.on("touchmove", move |_, event: Event| {
            if hands.pointers.try_with_value(Vec::len).is_some_and(|pressed| pressed > 1) {
                event.prevent_default();
            }
        });
        listeners
    }

    fn on<E: JsCast>(&mut self, name: &'static str, handle: impl Fn(&Element, E) + 'static) {
        let element = self.element.clone();
        let closure =
            Closure::<dyn Fn(Event)>::new(move |event: Event| handle(&element, event.unchecked_into()));
        let options = web_sys::AddEventListenerOptions::new();
        options.set_passive(false);
        let _ = self.element.add_event_listener_with_callback_and_add_event_listener_options(
            name,
            closure.as_ref().unchecked_ref(),
            &options,
        );
        self.attached.push((name, closure));
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        for (name, closure) in &self.attached {
            let _ = self.element.remove_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
        }
    }
}
