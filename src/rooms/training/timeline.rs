//! The time line of the run on show: back to any of its snapshots, and from there on as another run.

use leptos::prelude::*;

use super::room::Room;
use crate::drawing::clock::Clock;
use crate::ground::language::{Language, say, text_of, use_language};
use crate::notices::numbers::whole;
use crate::widgets::controls::Button;
use crate::widgets::icon::Icon;
use crate::widgets::scrubber::Scrubber;

/// The scrubber over the snapshots; its end is the run as it is.
#[component]
pub fn Timeline() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let snapshots =
        Memo::new(move |_| room.selected.get().map(|chosen| chosen.0.snapshots.get()).unwrap_or_default());
    // Beyond the last snapshot is the present.
    let length = Signal::derive(move || snapshots.with(Vec::len) as f64);
    let place_of = move |step: Option<usize>| match step {
        None => f64::MAX,
        Some(step) => snapshots
            .with_untracked(|all| all.iter().position(|known| *known >= step).unwrap_or(all.len()) as f64),
    };
    let wanted = Memo::new(move |_| room.look.with(|look| look.step));
    let position = RwSignal::new(place_of(wanted.get_untracked()));
    let clock = Clock::new(position, length);
    let stands_at = Memo::new(move |_| {
        let at = clock.position().round() as usize;
        snapshots.with(|all| all.get(at).copied())
    });
    // While it is scrubbed or played, the pictures follow; the present follows the run.
    Effect::new(move |before: Option<Option<usize>>| {
        let stands_at = stands_at.get();
        // Who stands at the end stays there when snapshots are added.
        if stands_at.is_none() && position.get_untracked() < f64::MAX {
            position.set(f64::MAX);
        }
        let is_moved = before.is_some_and(|before| before != stands_at);
        if is_moved && stands_at != wanted.get_untracked() {
            room.change_look(|look| look.step = stands_at);
        }
        stands_at
    });
    // Back, Forward and links bring a step, which may not be there yet; so does the choice of another run.
    Effect::new(move |_| {
        snapshots.track();
        let wanted = wanted.get();
        if untrack(|| stands_at.get()) != wanted {
            clock.pause();
            position.set(place_of(wanted));
        }
    });
    let caption = Signal::derive(move || {
        let t = t.get();
        let run = room.selected.get()?.0;
        let name = t.training_run(run);
        Some(match stands_at.get() {
            Some(step) => {
                let accuracy = run.evaluations.with(|all| {
                    all.iter().find(|it| it.step == step).map(|it| t.training_share(it.accuracy))
                });
                let held_out = accuracy.map(|share| format!(", {share}")).unwrap_or_default();
                t.training_at_step(&name, &whole(step, t)) + &held_out
            }
            None => t.training_now(&name),
        })
    });
    let place = Signal::derive(move || {
        let t = t.get();
        let steps = snapshots.get();
        Some(match stands_at.get().and_then(|step| steps.iter().position(|known| *known == step)) {
            Some(at) => t.training_snapshot_of(at + 1, steps.len()),
            None => t.training_present().to_owned(),
        })
    });
    let fork = move |()| {
        if let Some(chosen) = room.selected.get_untracked() {
            room.lab.fork(chosen.0, wanted.get_untracked(), move |fork| room.select(fork));
        }
    };
    view! {
        <div class="training-timeline">
            <Scrubber clock label=text_of(t, Language::training_timeline) place caption/>
            <Button
                label=text_of(t, Language::training_fork)
                icon=Icon::Link
                refusal=Signal::derive(move || {
                    room.selected.get().is_none().then(|| t.get().training_nothing_to_export().to_owned())
                })
                on_press=fork
            />
            <p class="visually-hidden">{say(t, Language::training_timeline_help)}</p>
        </div>
    }
    .into_any()
}

crate::texts! {
    training_timeline: "Time line of the run" | "Linha do tempo do treino";
    training_snapshot_of(at: usize, count: usize): "snapshot {at} of {count}" | "instantâneo {at} de {count}";
    training_present: "now" | "agora";
    training_at_step(run: &str, step: &str): "{run}, as it was at step {step}" | "{run}, como era no passo {step}";
    training_now(run: &str): "{run}, as it is now" | "{run}, como está agora";
    training_fork: "Fork from here" | "Ramificar daqui";
    training_timeline_help: "Every picture above shows the run at the place of the time line." | "Toda imagem acima mostra o treino no lugar da linha do tempo.";
}
