//! The same code runs as the page and as its worker: what both need is downloaded once.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        // A panic here ends the worker before it said that it is ready; the page then reports it.
        Ok(scope) => spawn_local(async {
            pianola::jobs::worker::work(scope).await.expect("the engine can be downloaded");
        }),
        Err(_) => spawn_local(async {
            pianola::app::open().await.expect("the page can be downloaded");
        }),
    }
}
