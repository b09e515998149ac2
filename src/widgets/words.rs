//! The widgets' own words, so that they speak the page's language.
//!
//! ```ignore
//! provide_words(Signal::derive(move || match language.get() {
//!     Language::English => Words::default(),
//!     Language::Portuguese => Words { table_view: "Ver como tabela".into(), ..portuguese() },
//! }));
//! ```

use leptos::prelude::*;

macro_rules! words {
    ($($(#[$doc:meta])* $field:ident: $english:literal;)*) => {
        /// Every word that widgets say by themselves; English by default. Words in braces are filled in.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Words {
            $($(#[$doc])* pub $field: String,)*
        }

        impl Default for Words {
            fn default() -> Words {
                Words { $($field: $english.to_owned(),)* }
            }
        }
    };
}

words! {
    /// What a heatmap is called by a screen reader.
    heatmap: "heatmap";
    /// The name of a heatmap: its symbol and its size.
    heatmap_name: "{name}, {rows} × {cols}";
    /// How the keyboard is used on a heatmap.
    heatmap_keys: "Arrow keys move from cell to cell, Enter or Space pins a cell, Escape lets go, T opens a table.";
    /// How the keyboard edits a cell, after the other keys.
    heatmap_edit_keys: "F2 or a double click edits a cell.";
    /// Before the sum of a row.
    row_sum: "row sum";
    /// A masked cell.
    masked: "masked";
    /// A cell whose number is not there yet.
    not_yet: "not yet";
    /// Not a number.
    nan: "not a number";
    /// How the keyboard is used on a chart.
    chart_keys: "Left and right arrows go along a series, up and down to another series, T opens a table.";
    /// How the keyboard moves the marker of a chart, after the other keys.
    chart_marker_keys: "Enter moves the marker there.";
    /// Plus or minus infinity.
    infinite: "infinite";
    /// How many cells are not zero.
    non_zeros: "{count} of {total} are 1";
    /// A selector's no.
    no: "no";
    /// A selector's yes.
    yes: "yes";
    /// That the cell is pinned.
    pinned: "pinned; Escape lets go";
    /// Over what a scale was taken if nobody says otherwise.
    this_matrix: "this matrix";
    /// The button with everything that can be done with a picture.
    actions: "Actions for {name}";
    /// Opens a table of the same numbers.
    table_view: "Table view";
    /// Magnifies.
    zoom_in: "Zoom in";
    /// Shrinks.
    zoom_out: "Zoom out";
    /// Shows everything again.
    zoom_reset: "Show all";
    /// Saves numbers.
    export_csv: "Save as CSV";
    /// Saves a picture.
    export_svg: "Save as SVG";
    /// Saves pixels.
    export_png: "Save as PNG";
    /// Edits the cell that is looked at.
    edit_cell: "Edit cell";
    /// The field in which a cell is edited.
    new_value: "New value of {cell}";
    /// That a text is not a number.
    not_a_number: "“{text}” is not a number. Write, for example, −0.5 or 1e−3.";
    /// That a number lies outside its range.
    out_of_range: "It must lie between {least} and {most}.";
    /// That a number is not whole.
    not_whole: "It must be a whole number.";
    /// Closes a dialog.
    close: "Close";
    /// Earlier rows or columns of a table.
    previous: "Previous";
    /// Later rows or columns of a table.
    next: "Next";
    /// Which rows of a table are shown.
    rows_shown: "rows {first}–{last} of {total}";
    /// Which columns of a table are shown.
    cols_shown: "columns {first}–{last} of {total}";
    /// Starts an animation.
    play: "Play";
    /// Stops an animation where it is.
    pause: "Pause";
    /// One step on.
    step_forward: "Step forward";
    /// One step back.
    step_back: "Step back";
    /// To the first step.
    to_start: "To the start";
    /// To the last step.
    to_end: "To the end";
    /// How fast an animation runs.
    speed: "Speed";
    /// How large an animation's steps are.
    granularity: "Step by";
    /// The position of an animation.
    position: "Position";
    /// Where an animation is.
    step_of: "step {step} of {total}";
    /// The field beside a slider, whose name the slider has.
    typed_number: "type the number";
    /// Draws another seed.
    new_seed: "Draw a new seed";
    /// How the keyboard is used in an editor for programs.
    code_keys: "Tab indents; Esc, then Tab leaves. Ctrl + Space completes a name.";
    /// The names that an editor offers.
    completions: "Names that fit";
    /// Chooses a file.
    choose_file: "Choose a file";
    /// Where a file may be dropped.
    drop_file: "or drop it here";
}

/// Gives the widgets below this point of the page their words.
pub fn provide_words(words: impl Into<Signal<Words>>) {
    let words: Signal<Words> = words.into();
    provide_context(words);
}

/// The words of this point of the page.
pub fn use_words() -> Signal<Words> {
    use_context::<Signal<Words>>().unwrap_or_else(|| Signal::stored(Words::default()))
}
