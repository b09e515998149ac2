//! The one owner of `requestAnimationFrame`: who wants to draw asks here, and is called once in the next frame.
//!
//! An answer need not wait for that frame: [`paint_soon`] does what is due as soon as the views have changed. Jobs are
//! measured before any of them draws, so that the page is laid out once for all of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use leptos::prelude::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::MessageChannel;

/// Work that is done in an animation frame whenever it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameJob {
    id: u64,
}

type Work = Rc<dyn Fn(f64)>;
type Measure = Rc<dyn Fn()>;
type FrameCallback = Closure<dyn Fn(f64)>;

/// A channel to oneself: a message that comes when everything before it is done.
struct Doorbell {
    channel: MessageChannel,
    _on_ring: Closure<dyn Fn()>,
}

#[derive(Default)]
struct Scheduler {
    jobs: RefCell<BTreeMap<u64, (Measure, Work)>>,
    due: RefCell<Vec<u64>>,
    next_id: Cell<u64>,
    frame_is_requested: Cell<bool>,
    on_frame: RefCell<Option<FrameCallback>>,
    doorbell: RefCell<Option<Doorbell>>,
}

thread_local! {
    static SCHEDULER: Scheduler = Scheduler::default();
}

impl FrameJob {
    /// Work to do in frames; it gets the frame's time in milliseconds since the page was opened.
    pub fn new(work: impl Fn(f64) + 'static) -> FrameJob {
        FrameJob::measured(|| {}, work)
    }

    /// The same, of which `measure` asks the page how large something is before anybody's work changes the page.
    pub fn measured(measure: impl Fn() + 'static, work: impl Fn(f64) + 'static) -> FrameJob {
        SCHEDULER.with(|scheduler| {
            let id = scheduler.next_id.get();
            scheduler.next_id.set(id + 1);
            scheduler.jobs.borrow_mut().insert(id, (Rc::new(measure), Rc::new(work)));
            FrameJob { id }
        })
    }

    /// Asks for the work to be done in the next frame, once however often it is asked for.
    pub fn request(self) {
        SCHEDULER.with(|scheduler| {
            let mut due = scheduler.due.borrow_mut();
            if due.contains(&self.id) || !scheduler.jobs.borrow().contains_key(&self.id) {
                return;
            }
            due.push(self.id);
            if !scheduler.frame_is_requested.replace(true) {
                request_frame(scheduler);
            }
        });
    }

    /// Does the work now instead of in the next frame.
    pub fn run_now(self) {
        SCHEDULER.with(|scheduler| {
            scheduler.due.borrow_mut().retain(|&id| id != self.id);
            run(scheduler, self.id, now());
        });
    }

    /// Takes the work off the list for good.
    pub fn cancel(self) {
        SCHEDULER.with(|scheduler| {
            scheduler.jobs.borrow_mut().remove(&self.id);
            scheduler.due.borrow_mut().retain(|&id| id != self.id);
        });
    }
}

/// Does now whatever is due in the next frame.
pub fn flush() {
    run_due(now());
}

/// Does whatever is due in the next frame as soon as the effects of what has just happened have run.
pub fn paint_soon() {
    SCHEDULER.with(|scheduler| {
        let mut doorbell = scheduler.doorbell.borrow_mut();
        if doorbell.is_none()
            && let Ok(channel) = MessageChannel::new()
        {
            // Effects are microtasks; a message is a task of its own, and comes after all of them.
            let on_ring = Closure::<dyn Fn()>::new(flush);
            channel.port1().set_onmessage(Some(on_ring.as_ref().unchecked_ref()));
            *doorbell = Some(Doorbell { channel, _on_ring: on_ring });
        }
        if let Some(Doorbell { channel, .. }) = doorbell.as_ref() {
            // Should it fail, the frame comes all the same.
            let _ = channel.port2().post_message(&JsValue::NULL);
        }
    });
}

fn request_frame(scheduler: &Scheduler) {
    let mut on_frame = scheduler.on_frame.borrow_mut();
    let callback = on_frame.get_or_insert_with(|| {
        Closure::new(|time| {
            SCHEDULER.with(|scheduler| scheduler.frame_is_requested.set(false));
            run_due(time);
        })
    });
    let _ = window().request_animation_frame(callback.as_ref().unchecked_ref());
}

fn run_due(time: f64) {
    SCHEDULER.with(|scheduler| {
        let due = scheduler.due.take();
        for id in &due {
            // What is done may add and cancel jobs, so the list must not be borrowed meanwhile.
            let measure = scheduler.jobs.borrow().get(id).map(|(measure, _)| measure.clone());
            if let Some(measure) = measure {
                measure();
            }
        }
        for id in due {
            run(scheduler, id, time);
        }
    });
}

fn run(scheduler: &Scheduler, id: u64, time: f64) {
    let work = scheduler.jobs.borrow().get(&id).map(|(_, work)| work.clone());
    if let Some(work) = work {
        work(time);
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
