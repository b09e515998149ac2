//! Tells the outside when the page has come to rest: `<html data-idle="true">` stands there whenever no
//! job and no part of the program is under way and the last picture has been painted. Screenshots and tests wait for it.

use std::cell::Cell;

use leptos::prelude::*;

thread_local! {
    static JOBS: Cell<usize> = const { Cell::new(0) };
    static PARTS: Cell<usize> = const { Cell::new(0) };
    static CHECK: Cell<u64> = const { Cell::new(0) };
}

/// One of the workers had so many jobs under way, and now has so many.
pub fn jobs_changed(before: usize, now: usize) {
    JOBS.set(JOBS.get() + now - before);
    look();
}

/// A part of the program is on its way, for as long as this lives.
pub struct PartUnderWay(());

impl PartUnderWay {
    /// From now on.
    #[allow(clippy::new_without_default, reason = "to make one says something")]
    pub fn new() -> PartUnderWay {
        PARTS.set(PARTS.get() + 1);
        look();
        PartUnderWay(())
    }
}

impl Drop for PartUnderWay {
    fn drop(&mut self) {
        PARTS.set(PARTS.get() - 1);
        look();
    }
}

fn look() {
    let check = CHECK.get() + 1;
    CHECK.set(check);
    if JOBS.get() + PARTS.get() > 0 {
        mark("false");
        return;
    }
    // Views change in the frame after an answer, canvases in the one after that.
    request_animation_frame(move || {
        request_animation_frame(move || {
            if CHECK.get() == check {
                mark("true");
            }
        });
    });
}

fn mark(idle: &str) {
    if let Some(root) = document().document_element() {
        // An attribute with a plain name cannot be refused.
        let _ = root.set_attribute("data-idle", idle);
    }
}
