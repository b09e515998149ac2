//! The one owner of `requestAnimationFrame`: who wants to draw asks here, and is called once in the next frame.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use leptos::prelude::window;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// Work that is done in an animation frame whenever it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameJob {
    id: u64,
}

type Work = Rc<dyn Fn(f64)>;
type FrameCallback = Closure<dyn Fn(f64)>;

#[derive(Default)]
struct Scheduler {
    jobs: RefCell<BTreeMap<u64, Work>>,
    due: RefCell<Vec<u64>>,
    next_id: Cell<u64>,
    frame_is_requested: Cell<bool>,
    on_frame: RefCell<Option<FrameCallback>>,
}

thread_local! {
    static SCHEDULER: Scheduler = Scheduler::default();
}

impl FrameJob {
    /// Work to do in frames; it gets the frame's time in milliseconds since the page was opened.
    pub fn new(work: impl Fn(f64) + 'static) -> FrameJob {
        SCHEDULER.with(|scheduler| {
            let id = scheduler.next_id.get();
            scheduler.next_id.set(id + 1);
            scheduler.jobs.borrow_mut().insert(id, Rc::new(work));
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
        for id in due {
            run(scheduler, id, time);
        }
    });
}

fn run(scheduler: &Scheduler, id: u64, time: f64) {
    // The work may add and cancel jobs, so the list must not be borrowed meanwhile.
    let work = scheduler.jobs.borrow().get(&id).cloned();
    if let Some(work) = work {
        work(time);
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
