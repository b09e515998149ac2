//! What lies over the picture of a chart: the point that is looked at, and the marker. The picture is not drawn again.

use leptos::prelude::*;

use super::state::State;
use crate::drawing::geometry::{Rect, svg_number as n};

#[component]
pub(super) fn Overlay(state: State) -> impl IntoView {
    let spot = Memo::new(move |_| state.spot().and_then(|(_, point)| state.place(point)));
    let spot_line = move || {
        let (spot, plot) = (spot.get()?, state.projection.get()?.plot);
        Some(format!("M{} {}V{}", n(spot.x), n(plot.y), n(plot.bottom())))
    };
    let marker = Memo::new(move |_| {
        let (marker, projection) = (state.marker?, state.projection.get()?);
        let share = projection.x.share(marker.value.get());
        (0.0..=1.0)
            .contains(&share)
            .then_some((projection.plot.x + share * projection.plot.width, projection.plot))
    });
    let marker_line =
        move || marker.get().map(|(x, plot)| format!("M{} {}V{}", n(x), n(plot.y), n(plot.bottom())));
    // A grip at the foot of the line says that it can be dragged; the axis' labels begin below it.
    let grip = move |of: fn((f64, Rect)) -> f64| marker.get().map(|place| n(of(place)));
    view! {
        <svg class="chart-overlay" aria-hidden="true">
            <path class="chart-marker" d=marker_line></path>
            <circle
                class="chart-grip"
                r=move || marker.get().map(|_| "5")
                cx=move || grip(|(x, _)| x)
                cy=move || grip(|(_, plot)| plot.bottom())
            ></circle>
            <path class="chart-look-line" d=spot_line></path>
            <circle
                class="chart-look"
                r=move || spot.get().map(|_| "6")
                cx=move || spot.get().map(|spot| n(spot.x))
                cy=move || spot.get().map(|spot| n(spot.y))
            ></circle>
        </svg>
    }
}
