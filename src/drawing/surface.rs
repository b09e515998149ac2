//! A canvas that is always as sharp as its device, and redraws when anything that its picture reads has changed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use leptos::html::Canvas;
use leptos::prelude::*;
use leptos::reactive::graph::{AnySource, AnySubscriber, ReactiveNode, Source, Subscriber, WithObserver};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlCanvasElement, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::canvas::{CanvasPainter, context_of};
use super::geometry::Point;
use super::painter::Painter;
use super::palette::Palette;
use super::resize::SizeWatch;
use super::scheduler::FrameJob;

/// What a picture is drawn into.
pub struct Frame {
    /// Its width in CSS pixels.
    pub width: f64,
    /// Its height in CSS pixels.
    pub height: f64,
    /// The theme's colours and type.
    pub palette: Rc<Palette>,
}

/// A picture: a function that draws it. Signals that it reads are tracked; when one changes, it is drawn again in
/// the next animation frame.
#[derive(Clone, Copy)]
pub struct Draw(StoredValue<Picture, LocalStorage>);

type Picture = Rc<dyn Fn(&mut dyn Painter, &Frame)>;

impl Draw {
    /// A picture; it belongs to the current reactive owner.
    pub fn new(draw: impl Fn(&mut dyn Painter, &Frame) + 'static) -> Draw {
        Draw(StoredValue::new_local(Rc::new(draw)))
    }

    /// Draws the picture.
    pub fn paint(self, painter: &mut dyn Painter, frame: &Frame) {
        // Nothing is left to draw once the owner is gone.
        if let Some(draw) = self.0.try_get_value() {
            draw(painter, frame);
        }
    }
}

/// A canvas that fills its container. It is hidden from screen readers: whoever puts it on a page says in words
/// what it shows.
#[component]
pub fn Surface(
    /// The picture.
    draw: Draw,
    /// Whether there is anything to draw; by default, always. A canvas that stays empty costs nothing.
    #[prop(default = Signal::stored(true), into)]
    when: Signal<bool>,
    /// Classes of the canvas, next to `surface`.
    #[prop(optional, into)]
    class: String,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let watch = StoredValue::new_local(None);
    canvas.on_load(move |canvas| watch.set_value(Some(Redrawing::start(canvas, draw, when))));
    on_cleanup(move || {
        watch.try_update_value(|watch: &mut Option<Redrawing>| watch.take());
    });
    view! { <canvas node_ref=canvas class=format!("surface {class}") aria-hidden="true"></canvas> }
}

/// Keeps one canvas up to date for as long as it lives.
struct Redrawing {
    job: FrameJob,
    subscription: Arc<Subscription>,
    _watch: SizeWatch,
    _sight: Sight,
}

impl Redrawing {
    fn start(canvas: HtmlCanvasElement, draw: Draw, when: Signal<bool>) -> Redrawing {
        let subscription = Arc::new_cyclic(|this: &Weak<Subscription>| Subscription {
            this: this.clone(),
            job: OnceLock::new(),
            is_dirty: AtomicBool::new(true),
            sources: Mutex::new(Vec::new()),
        });
        let size = Rc::new(Cell::new(None::<Point>));
        // Not known before the page is laid out.
        let is_seen = Rc::new(Cell::new(None::<bool>));
        let resize = {
            let (size, subscription) = (size.clone(), subscription.clone());
            move |new: Point| {
                if size.replace(Some(new)) != Some(new) {
                    subscription.is_dirty.store(true, Ordering::Relaxed);
                }
            }
        };
        let measure = {
            let (canvas, is_seen, resize) = (canvas.clone(), is_seen.clone(), resize.clone());
            move || {
                if is_seen.get() != Some(false) {
                    let bounds = canvas.get_bounding_client_rect();
                    resize(Point::new(bounds.width(), bounds.height()));
                }
            }
        };
        let work = {
            let (canvas, size, subscription) = (canvas.clone(), size.clone(), subscription.clone());
            let is_seen = is_seen.clone();
            let context = RefCell::new(None);
            let is_empty = Cell::new(true);
            move |_| {
                let Some(size) = size.get() else { return };
                // Whoever scrolls there has it drawn then; the printer sees everything.
                if is_seen.get() == Some(false) && !is_printing() {
                    return;
                }
                if !subscription.update_if_necessary() {
                    return;
                }
                let mut context = context.borrow_mut();
                if context.is_none() {
                    *context = context_of(&canvas);
                }
                let Some(context) = context.as_ref() else { return };
                subscription.tracked(|| {
                    // The view may be gone, and its signals with it.
                    let is_wanted = when.try_get().unwrap_or(false);
                    let was_empty = is_empty.replace(!is_wanted);
                    if is_wanted {
                        repaint(&canvas, context, size, draw);
                    } else if !was_empty {
                        clear(&canvas, context);
                    }
                });
            }
        };
        let job = FrameJob::measured(measure, work);
        // The subscription is new, so its job is not set yet.
        let _ = subscription.job.set(job);
        let watch = SizeWatch::new(&canvas, {
            let (canvas, is_seen) = (canvas.clone(), is_seen.clone());
            move |new| {
                resize(new);
                // What is far below the window need not be drawn before somebody scrolls there.
                if is_seen.get().is_none() {
                    is_seen.set(Some(Sight::is_near(&canvas)));
                }
                // At once: a canvas that waited for the next frame would be shown stretched in this one.
                job.run_now();
            }
        });
        let sight = Sight::new(&canvas, move |seen| {
            if is_seen.replace(Some(seen)) != Some(true) && seen {
                job.run_now();
            }
        });
        Redrawing { job, subscription, _watch: watch, _sight: sight }
    }
}

impl Drop for Redrawing {
    fn drop(&mut self) {
        self.job.cancel();
        self.subscription.clear();
    }
}

/// Tells whether an element is on the screen, or nearly.
struct Sight {
    observer: Option<IntersectionObserver>,
    _on_change: Closure<dyn Fn(js_sys::Array)>,
}

impl Sight {
    /// Whether an element is on the screen, or at most a quarter of the window away from it.
    fn is_near(canvas: &HtmlCanvasElement) -> bool {
        let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(f64::MAX);
        let bounds = canvas.get_bounding_client_rect();
        bounds.top() < 1.25 * height && bounds.bottom() > -0.25 * height
    }

    fn new(canvas: &HtmlCanvasElement, on_sight: impl Fn(bool) + 'static) -> Sight {
        let on_change = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
            if let Ok(entry) = entries.at(-1).dyn_into::<IntersectionObserverEntry>() {
                on_sight(entry.is_intersecting());
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin("25%");
        let observer =
            IntersectionObserver::new_with_options(on_change.as_ref().unchecked_ref(), &options).ok();
        if let Some(observer) = &observer {
            observer.observe(canvas);
        }
        Sight { observer, _on_change: on_change }
    }
}

impl Drop for Sight {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

fn is_printing() -> bool {
    window().match_media("print").ok().flatten().is_some_and(|query| query.matches())
}

fn repaint(canvas: &HtmlCanvasElement, context: &web_sys::CanvasRenderingContext2d, size: Point, draw: Draw) {
    let density = Density::current();
    let device = |length: f64| (length * density).round().max(1.0) as u32;
    let (width, height) = (device(size.x), device(size.y));
    // Each of these clears the canvas, and takes its time even where nothing changes.
    let (is_wider, is_taller) = (canvas.width() != width, canvas.height() != height);
    if is_wider {
        canvas.set_width(width);
    }
    if is_taller {
        canvas.set_height(height);
    }
    if !is_wider && !is_taller {
        clear(canvas, context);
    }
    let palette = Palette::current();
    let mut painter = CanvasPainter::new(context.clone(), palette.clone(), density);
    draw.paint(&mut painter, &Frame { width: size.x, height: size.y, palette });
}

fn clear(canvas: &HtmlCanvasElement, context: &web_sys::CanvasRenderingContext2d) {
    let _ = context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height()));
}

/// The number of device pixels in a CSS pixel.
struct Density;

impl Density {
    /// The density now; whoever reads it in a reactive scope is told of changes.
    fn current() -> f64 {
        thread_local! {
            static CHANGED: (ArcTrigger, Cell<bool>) = (ArcTrigger::new(), Cell::new(false));
        }
        CHANGED.with(|(changed, is_watched)| {
            changed.track();
            if !is_watched.replace(true) {
                watch_density(changed.clone());
            }
        });
        window().device_pixel_ratio()
    }
}

/// A media query holds for one density only, so each change sets up the next query.
fn watch_density(changed: ArcTrigger) {
    let query = format!("(resolution: {}dppx)", window().device_pixel_ratio());
    let Ok(Some(list)) = window().match_media(&query) else { return };
    let on_change = Closure::once_into_js(move || {
        changed.notify();
        watch_density(changed);
    });
    let options = web_sys::AddEventListenerOptions::new();
    options.set_once(true);
    let _ = list.add_event_listener_with_callback_and_add_event_listener_options(
        "change",
        on_change.unchecked_ref(),
        &options,
    );
    // A list that nobody holds may be collected, and its listener with it.
    std::mem::forget(list);
}

/// A node of the reactive graph that asks for an animation frame when one of its sources changes.
struct Subscription {
    this: Weak<Subscription>,
    job: OnceLock<FrameJob>,
    is_dirty: AtomicBool,
    sources: Mutex<Vec<AnySource>>,
}

impl Subscription {
    fn as_subscriber(&self) -> AnySubscriber {
        let subscriber: Weak<dyn Subscriber + Send + Sync> = self.this.clone();
        AnySubscriber(self.this.as_ptr() as usize, subscriber)
    }

    /// Runs `read`, and from then on listens to the signals that it reads and to no others.
    fn tracked(&self, read: impl FnOnce()) {
        let subscriber = self.as_subscriber();
        subscriber.clear_sources(&subscriber);
        subscriber.with_observer(read);
    }

    fn clear(&self) {
        self.clear_sources(&self.as_subscriber());
    }

    fn request(&self) {
        if let Some(job) = self.job.get() {
            job.request();
        }
    }

    fn sources(&self) -> MutexGuard<'_, Vec<AnySource>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReactiveNode for Subscription {
    fn mark_dirty(&self) {
        self.is_dirty.store(true, Ordering::Relaxed);
        self.request();
    }

    fn mark_check(&self) {
        self.request();
    }

    fn mark_subscribers_check(&self) {}

    fn update_if_necessary(&self) -> bool {
        if self.is_dirty.swap(false, Ordering::Relaxed) {
            return true;
        }
        // A source that updates may mark this node dirty, so its set must not be locked meanwhile.
        let sources = self.sources().clone();
        sources.into_iter().any(|source| source.update_if_necessary())
    }
}

impl Subscriber for Subscription {
    fn add_source(&self, source: AnySource) {
        let mut sources = self.sources();
        if !sources.contains(&source) {
            sources.push(source);
        }
    }

    fn clear_sources(&self, subscriber: &AnySubscriber) {
        let sources = std::mem::take(&mut *self.sources());
        for source in sources {
            source.remove_subscriber(subscriber);
        }
    }
}
