//! Mounts the app.

fn main() {
    leptos::mount::mount_to_body(pianola::app::App);
    pianola::offline::keep();
}
