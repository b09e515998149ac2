//! What is downloaded only when it is wanted. A release cuts such functions, with all that only they need, out
//! of the page's code into files of their own: see `xtask/src/release/code.rs`.

use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};

use crate::notices::Notices;

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
        $visible fn $name($($argument: $kind),*) -> Result<$answer, $crate::parts::Missing> {
            let body = || $body;
            Ok(body())
        }

        $(#[$doc])*
        ///
        /// # Errors
        /// None: this build is of one piece.
        #[cfg(not(pianola_parts))]
        $visible async fn $name($($argument: $kind),*) -> Result<$answer, $crate::parts::Missing> {
            let body = || $body;
            Ok(body())
        }
    };
}

/// The place of a view that comes with a part; it is empty until the part is there.
pub fn later(view: impl Future<Output = Result<AnyView, Missing>> + 'static) -> impl IntoView {
    let notices = expect_context::<Notices>();
    let arrived = RwSignal::new_local(None);
    // In the scope of whoever shows it, so that it finds its contexts and ends when that ends.
    spawn_local(ScopedFuture::new_untracked(async move {
        match view.await {
            // The place may be gone by now.
            Ok(view) => drop(arrived.try_set(Some(view))),
            Err(missing) => notices.missing(missing),
        }
    }));
    move || {
        arrived.track();
        arrived.try_update_untracked(Option::take).flatten()
    }
}
