//! What is downloaded only when it is wanted. A release cuts such functions, with all that only they need, out
//! of the page's code into files of their own: see `cargo xtask build`.

/// Declares a function that comes with the part of the name before the colon. It is `async`, since the part may
/// have to be fetched first; functions of one part come together. Other builds are of one piece.
#[macro_export]
macro_rules! part {
    ($part:ident: $(#[$doc:meta])* $visible:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $answer:ty)? $body:block) => {
        $(#[$doc])*
        #[cfg(pianola_parts)]
        #[wasm_split_helpers::wasm_split($part)]
        $visible fn $name($($argument: $kind),*) $(-> $answer)? $body

        $(#[$doc])*
        #[cfg(not(pianola_parts))]
        $visible async fn $name($($argument: $kind),*) $(-> $answer)? $body
    };
}
