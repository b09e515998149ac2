//! The other end of `jobs`: engine work off the main thread.

use std::panic;

use futures_channel::mpsc::unbounded;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::protocol::{Job, Message, VERSION, from_bytes, to_bytes};
use super::serve::Engine;

/// Answers the page's jobs, one after the other, for as long as the worker lives.
pub fn work(scope: DedicatedWorkerGlobalScope) {
    // A panic ends the worker; the page hears of it, says so and starts another.
    let last_words = scope.clone();
    panic::set_hook(Box::new(move |panic| {
        post(&last_words, &Message::Crashed { message: panic.to_string() })
    }));
    let (jobs, mut waiting) = unbounded();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let bytes = js_sys::Uint8Array::new(&event.data()).to_vec();
        // The receiver lives as long as the worker.
        let _ = jobs.unbounded_send(from_bytes::<Job>(&bytes));
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&scope, &Message::Ready { version: VERSION });
    spawn_local(async move {
        let mut engine = Engine::default();
        while let Ok(job) = waiting.recv().await {
            post(
                &scope,
                &match job {
                    Ok(Job { id, request }) => Message::Done { id, result: engine.answer(request).await },
                    Err(message) => Message::Crashed { message },
                },
            );
        }
    });
}

fn post(scope: &DedicatedWorkerGlobalScope, message: &Message) {
    let Ok(bytes) = to_bytes(message) else { return };
    let buffer = js_sys::Uint8Array::from(bytes.as_slice()).buffer();
    // There is nobody to tell when the page itself is gone.
    let _ = scope.post_message_with_transfer(&buffer, &js_sys::Array::of1(&buffer));
}
