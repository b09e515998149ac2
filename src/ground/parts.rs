//! What is downloaded only when it is wanted. A release cuts such functions, with all that only they need, out
//! of the page's code into files of their own: see `xtask/src/release/code.rs`.

use js_sys::Array;
use leptos::html;
use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use crate::notices::Notices;
use crate::work::idle::PartUnderWay;

/// A part that could not be downloaded. Asking again tries again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("a part of the program could not be downloaded")]
pub struct Missing;

#[cfg(pianola_parts)]
impl From<wasm_split_helpers::SplitLoaderError> for Missing {
    fn from(_: wasm_split_helpers::SplitLoaderError) -> Missing {
        Missing
    }
}

/// Declares a function that comes with the part whose name stands before the colon; functions of one part come
/// together. Called, it is `async` and answers `Result<_, Missing>`. A build that is not a release is of one
/// piece, and misses nothing.
#[macro_export]
macro_rules! part {
    ($part:ident: $(#[$doc:meta])* $visible:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $answer:ty $body:block) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When the part cannot be downloaded.
        #[cfg(pianola_parts)]
        #[wasm_split_helpers::wasm_split($part, fallible)]
        $visible fn $name($($argument: $kind),*) -> Result<$answer, $crate::ground::parts::Missing> {
            // Only some bodies change what they are given.
            #[allow(unused_mut)]
            let mut body = || $body;
            Ok(body())
        }

        $(#[$doc])*
        ///
        /// # Errors
        /// None: this build is of one piece.
        #[cfg(not(pianola_parts))]
        $visible async fn $name($($argument: $kind),*) -> Result<$answer, $crate::ground::parts::Missing> {
            // Only some bodies change what they are given.
            #[allow(unused_mut)]
            let mut body = || $body;
            Ok(body())
        }
    };
}

/// The place of a view that comes with a part; it is empty until the part is there.
pub fn later(view: impl Future<Output = Result<AnyView, Missing>> + 'static) -> impl IntoView {
    let notices = expect_context::<Notices>();
    let arrived = RwSignal::new_local(None);
    // In the scope of whoever shows it, so that it finds its contexts and ends when that ends.
    let under_way = PartUnderWay::new();
    spawn_local(ScopedFuture::new_untracked(async move {
        match view.await {
            // The place may be gone by now.
            Ok(view) => drop(arrived.try_set(Some(view))),
            Err(missing) => notices.missing(missing),
        }
        drop(under_way);
    }));
    move || {
        arrived.track();
        arrived.try_update_untracked(Option::take).flatten()
    }
}

/// The same for what stands far below: it is asked for when the window comes near, or when somebody who does not
/// scroll presses the button that stands in its place.
pub fn later_when_near<View>(label: Signal<String>, view: impl Fn() -> View + Send + 'static) -> impl IntoView
where
    View: Future<Output = Result<AnyView, Missing>> + 'static,
{
    let place = NodeRef::<html::Button>::new();
    let is_near = RwSignal::new(false);
    // Half a window ahead, so that it is there when it is reached.
    place.on_load(move |button| {
        let options = IntersectionObserverInit::new();
        options.set_root_margin("50% 0px");
        let on_change = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
            let comes_near =
                |entry: JsValue| entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting();
            if entries.iter().any(comes_near) {
                // The place may be gone by now.
                is_near.try_set(true);
            }
        });
        let on_change = on_change.into_js_value().unchecked_into();
        match IntersectionObserver::new_with_options(&on_change, &options) {
            Ok(observer) => {
                // What stands above takes its place in the frame after this one.
                let watched = observer.clone();
                request_animation_frame(move || request_animation_frame(move || watched.observe(&button)));
                on_cleanup(move || observer.disconnect());
            }
            Err(_) => is_near.set(true),
        }
    });
    move || {
        match is_near.get() {
        true => later(view()).into_any(),
        false => view! {
            <button node_ref=place type="button" class="later" on:click=move |_| is_near.set(true)>{label}</button>
        }
        .into_any(),
    }
    }
}
