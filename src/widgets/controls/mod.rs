//! What a person turns, types and presses. Every control has a label, works with the keyboard, and tells its page of
//! every change at once.
//!
//! ```ignore
//! view! {
//!     <Slider label="Heads" value=heads range=Range::whole(1, 8) on_input=move |heads| set_heads(heads as usize)/>
//!     <Segments label="Construction" options=constructions value=chosen on_input=move |c| choose(c)/>
//!     <Select label="Attention" options=kinds value=kind on_input=move |k| set_kind(k)/>
//!     <SeedField label="Seed" value=seed on_input=move |seed| set_seed(seed)/>
//! }
//! ```
//!
//! `value` is a signal that the page owns; the control shows it and asks for changes through `on_input`.

mod button;
mod choice;
mod file;
mod menu;
mod number;
mod text;

pub use button::{Button, Look, Toggle};
pub use choice::{Choice, LabelPlace, Segments, Select};
pub use file::{FileButton, FilesButton, Opened, files_of, read_file};
pub use menu::{Menu, MenuItem};
pub use number::{Curve, NumberField, Range, SeedField, Slider};
pub use text::{TextArea, TextField};
