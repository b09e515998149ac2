//! Small pictures for buttons, drawn with the colour of the text beside them.

use leptos::prelude::*;

/// A picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Start running.
    Play,
    /// Stop where it is.
    Pause,
    /// One step on.
    StepForward,
    /// One step back.
    StepBack,
    /// To the first step.
    ToStart,
    /// To the last step.
    ToEnd,
    /// Draw at random.
    Dice,
    /// More to do.
    More,
    /// Close.
    Close,
    /// Open, choose.
    Down,
    /// Earlier.
    Left,
    /// Later.
    Right,
    /// Magnify, add.
    Plus,
    /// Shrink, take away.
    Minus,
    /// Show everything.
    Whole,
    /// A table of numbers.
    Table,
    /// Save as a file.
    Save,
    /// Read a file.
    Open,
    /// Locked for ever.
    Lock,
    /// It holds.
    Check,
    /// It does not hold.
    Cross,
    /// Take care.
    Warning,
    /// It is being worked on.
    Clock,
    /// Share a link.
    Link,
    /// Change a value.
    Pencil,
    /// The light theme.
    Sun,
    /// The dark theme.
    Moon,
    /// Back to what it was.
    Undo,
    /// Again what it was.
    Redo,
}

impl Icon {
    /// The strokes, and the filled shapes, in a square of 16 × 16.
    fn paths(self) -> (&'static str, &'static str) {
        match self {
            Icon::Play => {
                ("", "M4.5 2.6v10.8a.6.6 0 0 0 .92.5l8.3-5.4a.6.6 0 0 0 0-1L5.42 2.1a.6.6 0 0 0-.92.5z")
            }
            Icon::Pause => ("", "M4 2.5h2.6v11H4zM9.4 2.5H12v11H9.4z"),
            Icon::StepForward => ("", "M3.5 3.2v9.6l6.6-4.8zM11 3h2v10h-2z"),
            Icon::StepBack => ("", "M12.5 3.2v9.6L5.9 8zM3 3h2v10H3z"),
            Icon::ToStart => ("", "M8.6 3.4v9.2L2.6 8zM14.4 3.4v9.2L8.4 8zM1.4 3h1.6v10H1.4z"),
            Icon::ToEnd => ("", "M7.4 3.4v9.2L13.4 8zM1.6 3.4v9.2L7.6 8zM13 3h1.6v10H13z"),
            Icon::Dice => (
                "M3.8 2.2h8.4a1.6 1.6 0 0 1 1.6 1.6v8.4a1.6 1.6 0 0 1-1.6 1.6H3.8a1.6 1.6 0 0 1-1.6-1.6V3.8a1.6 1.6 0 0 1 1.6-1.6z",
                "M5.4 4.3a1.1 1.1 0 1 0 .01 0zM10.6 4.3a1.1 1.1 0 1 0 .01 0zM8 6.9a1.1 1.1 0 1 0 .01 0zM5.4 9.5a1.1 1.1 0 1 0 .01 0zM10.6 9.5a1.1 1.1 0 1 0 .01 0z",
            ),
            Icon::More => {
                ("", "M3.2 6.7a1.3 1.3 0 1 0 .01 0zM8 6.7a1.3 1.3 0 1 0 .01 0zM12.8 6.7a1.3 1.3 0 1 0 .01 0z")
            }
            Icon::Close => ("M3.5 3.5l9 9M12.5 3.5l-9 9", ""),
            Icon::Down => ("M3.5 6l4.5 4.5L12.5 6", ""),
            Icon::Left => ("M10 3.5L5.5 8l4.5 4.5", ""),
            Icon::Right => ("M6 3.5L10.5 8 6 12.5", ""),
            Icon::Plus => ("M8 3v10M3 8h10", ""),
            Icon::Minus => ("M3 8h10", ""),
            Icon::Whole => ("M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10", ""),
            Icon::Table => ("M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9", ""),
            Icon::Save => ("M8 2.5v7.3M4.8 6.8L8 10l3.2-3.2M2.8 13.3h10.4", ""),
            Icon::Open => ("M8 10V2.7M4.8 5.7L8 2.5l3.2 3.2M2.8 13.3h10.4", ""),
            Icon::Lock => (
                "M5.2 7V5.2a2.8 2.8 0 0 1 5.6 0V7",
                "M4.4 7h7.2a1 1 0 0 1 1 1v4.6a1 1 0 0 1-1 1H4.4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z",
            ),
            Icon::Check => ("M3 8.6l3.4 3.4L13 4.6", ""),
            Icon::Cross => ("M4 4l8 8M12 4l-8 8", ""),
            Icon::Warning => ("M8 2.4L14.2 13H1.8zM8 6.4v3", "M8 10.4a.8.8 0 1 0 .01 0z"),
            Icon::Clock => ("M8 2.2a5.8 5.8 0 1 0 .01 0zM8 4.8V8l2.3 1.6", ""),
            Icon::Link => (
                "M6.6 9.4l2.8-2.8M7 4.6l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 9M9 11.4l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7",
                "",
            ),
            Icon::Pencil => ("M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3zM9.3 4.4l2.3 2.3", ""),
            Icon::Sun => (
                "M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1",
                "M8 5a3 3 0 1 0 .01 0z",
            ),
            Icon::Moon => ("", "M13.2 9.9A5.8 5.8 0 0 1 6.1 2.8a5.8 5.8 0 1 0 7.1 7.1z"),
            Icon::Undo => ("M5.5 3L2.5 6l3 3M2.8 6h6.4a4 4 0 0 1 0 8H6", ""),
            Icon::Redo => ("M10.5 3l3 3-3 3M13.2 6H6.8a4 4 0 0 0 0 8H10", ""),
        }
    }

    /// The picture; screen readers pass it over.
    pub fn view(self) -> impl IntoView {
        let (lines, shapes) = self.paths();
        view! {
            <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
                <path class="icon-lines" d=lines></path>
                <path class="icon-shapes" d=shapes></path>
            </svg>
        }
    }
}
