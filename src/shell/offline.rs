//! Keeps the page on this device, so that it opens without a network.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Registers the service worker that the page names in `<meta name="service-worker">`. Only a release has
/// one; in development nothing is kept. Without a service worker the page works all the same, with a network.
pub fn keep() {
    let Some(window) = web_sys::window() else { return };
    let named =
        window.document().and_then(|page| page.query_selector("meta[name=service-worker]").ok().flatten());
    let Some(script) = named.and_then(|meta| meta.get_attribute("content")) else { return };
    // Browsers offer this on safe origins only.
    let navigator = window.navigator();
    if !js_sys::Reflect::has(&navigator, &JsValue::from_str("serviceWorker")).unwrap_or(false) {
        return;
    }
    let registered = JsFuture::from(navigator.service_worker().register(&script));
    spawn_local(async move {
        if let Err(reason) = registered.await {
            web_sys::console::warn_2(&"This page cannot be kept for use without a network:".into(), &reason);
        }
    });
}
