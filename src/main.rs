//! The same code runs as the page and as its worker: what both need is downloaded once.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        // A panic here ends the worker before it said that it is ready; the page then reports it.
        Ok(scope) => pianola::work::worker::work(scope),
        Err(_) => pianola::shell::app::open(),
    }
}
