//! The size of an element, as a signal.

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry};

use super::geometry::Point;

/// Calls a function with the size of an element's content in CSS pixels, now and whenever it changes, until dropped.
pub struct SizeWatch {
    observer: Option<ResizeObserver>,
    _on_resize: Closure<dyn Fn(js_sys::Array)>,
}

impl SizeWatch {
    /// Watches `element`. The function runs after layout and before the browser paints.
    pub fn new(element: &Element, on_size: impl Fn(Point) + 'static) -> SizeWatch {
        let on_resize = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
            if let Ok(entry) = entries.at(-1).dyn_into::<ResizeObserverEntry>() {
                let content = entry.content_rect();
                on_size(Point::new(content.width(), content.height()));
            }
        });
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
        }
        SizeWatch { observer, _on_resize: on_resize }
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// The size of the content of an element in CSS pixels; `None` until the page is laid out.
pub fn size_of<E>(node: NodeRef<E>) -> Signal<Option<Point>>
where
    E: ElementType,
    E::Output: JsCast + Clone + 'static,
{
    let size = RwSignal::new(None);
    let watch = StoredValue::new_local(None);
    node.on_load(move |element| {
        let element: Element = element.unchecked_into();
        watch.set_value(Some(SizeWatch::new(&element, move |new| {
            // The observer may speak once more after the element's owner is gone.
            if size.try_get_untracked().is_some_and(|old| old != Some(new)) {
                size.try_set(Some(new));
            }
        })));
    });
    on_cleanup(move || {
        watch.try_update_value(|watch: &mut Option<SizeWatch>| watch.take());
    });
    size.into()
}
