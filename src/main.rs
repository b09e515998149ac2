//! Mounts the app.

fn main() {
    // What a panic says would otherwise be lost: the console is where a report is copied from.
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    leptos::mount::mount_to_body(pianola::app::App);
    pianola::offline::keep();
}
