//! The other end of `jobs`: engine work off the main thread.

use std::cell::RefCell;

use pianola::jobs::protocol::{Job, Message, VERSION, from_bytes, to_bytes};
use pianola::jobs::serve::Engine;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

fn main() {
    // A panic ends the worker; the page hears of it, says so and starts another.
    std::panic::set_hook(Box::new(|panic| post(&Message::Crashed { message: panic.to_string() })));
    let engine = RefCell::new(Engine::default());
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let bytes = js_sys::Uint8Array::new(&event.data()).to_vec();
        match from_bytes::<Job>(&bytes) {
            Ok(Job { id, request }) => {
                let result = engine.borrow_mut().answer(request);
                post(&Message::Done { id, result });
            }
            Err(message) => post(&Message::Crashed { message }),
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    post(&Message::Ready { version: VERSION });
}

fn post(message: &Message) {
    let Ok(bytes) = to_bytes(message) else { return };
    let buffer = js_sys::Uint8Array::from(bytes.as_slice()).buffer();
    // There is nobody to tell when the page itself is gone.
    let _ = scope().post_message_with_transfer(&buffer, &js_sys::Array::of1(&buffer));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
