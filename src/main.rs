//! The same code runs as the page and as its worker: what both need is downloaded once.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::DedicatedWorkerGlobalScope;

fn main() {
    match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
        Ok(scope) => spawn_local(pianola::jobs::worker::work(scope)),
        Err(_) => spawn_local(pianola::app::open()),
    }
}
