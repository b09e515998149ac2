//! What all panels of the workspace share: the choices, the numbers that belong to them, the animation, and what the
//! person points at.

use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::focus::{Focus, Lights};
use super::timeline::{Moment, Timeline};
use crate::drawing::clock::Clock;
use crate::link::Page;
use crate::notices::Notices;
use crate::rooms::rasp::choices::{self, RaspState};
use crate::rooms::simulator::choices::{Grain, Look, Piece, SimulatorState, Sizes};
use crate::rooms::simulator::job::{self, Kind, Shown, Simulated};
use crate::shell::app::Store;
use crate::widgets::heatmap::Lit;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Packed, Request};

/// The shared part of the workspace; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct SimulatorRoom {
    store: Store,
    /// What is to be computed.
    pub piece: Memo<Piece>,
    /// How it is looked at.
    pub look: Memo<Look>,
    /// The newest numbers. They may lag behind `piece` while the worker is at it, and they stay when a choice turns
    /// out to be impossible.
    pub simulated: RwSignal<Option<Arc<Simulated>>>,
    /// The animation's clock.
    pub clock: Clock,
    /// The steps of the animation.
    pub timeline: Memo<Timeline>,
    /// What happens now, at half steps and whole ones: what changes less often than the picture depends on it.
    pub now: Memo<Option<Moment>>,
    /// What the pointer or the keyboard cursor is on.
    pub hovered: RwSignal<Option<Focus>>,
    /// Everything that belongs to it, by matrix.
    pub lights: Memo<Lights>,
}

impl SimulatorRoom {
    /// Sets up the shared part, asks the worker for the first numbers and for new ones whenever a choice changes,
    /// and offers itself as a context.
    pub fn provide() -> SimulatorRoom {
        let store = Store::entered::<SimulatorState>();
        let piece = store.memo(|state: &SimulatorState| &state.piece);
        let look = store.memo(|state: &SimulatorState| &state.look);
        let simulated = RwSignal::new(None::<Arc<Simulated>>);
        let grain = Memo::new(move |_| look.with(|look| look.grain));
        let timeline = Memo::new(move |_| {
            simulated.with(|simulated| {
                simulated.as_ref().map_or_else(Timeline::default, |it| timeline_of(it, grain.get()))
            })
        });
        let length = Signal::derive(move || timeline.with(Timeline::length) as f64);
        let clock = Clock::new(RwSignal::new(0.0), length);
        let now = Memo::new(move |_| {
            let moment = timeline.with(|timeline| timeline.moment(clock.position()))?;
            // Lanes are made at a few points of a step; what lies between looks the same.
            let phase = [0.0, 0.5, 0.62, 1.0].into_iter().rev().find(|phase| *phase <= moment.phase);
            Some(Moment { phase: phase.unwrap_or(0.0), ..moment })
        });
        let hovered = RwSignal::new(None::<Focus>);
        let lights = Memo::new(move |_| {
            let focus = hovered.get();
            simulated.with(|simulated| match (simulated, focus) {
                (Some(simulated), Some(focus)) => focus.lights(simulated),
                _ => Lights::default(),
            })
        });
        let room = SimulatorRoom { store, piece, look, simulated, clock, timeline, now, hovered, lights };
        room.ask_when_needed();
        room.follow_step();
        // A step that is asked for while the pointer rests somewhere is made all the same.
        Effect::new(move |_| {
            if !clock.is_playing() {
                clock.release();
            }
        });
        provide_context(room);
        room
    }

    /// Changes what is computed.
    pub fn change(self, change: impl FnOnce(Piece) -> Piece) {
        self.store.change(|SimulatorState { piece, .. }| *piece = change(std::mem::take(piece)));
    }

    /// Changes the target's sizes.
    pub fn change_sizes(self, change: impl FnOnce(&mut Sizes)) {
        self.change(|piece| {
            let mut sizes = piece.sizes;
            change(&mut sizes);
            piece.with_sizes(sizes)
        });
    }

    /// Changes how it is looked at.
    pub fn change_look(self, change: impl FnOnce(&mut Look)) {
        self.store.change(|SimulatorState { look, .. }| change(look));
    }

    /// Changes what one step is; the animation stays where it is.
    pub fn change_grain(self, grain: Grain) {
        let moment =
            self.timeline.with_untracked(|timeline| timeline.moment(untrack(|| self.clock.position())));
        let simulated = self.simulated.get_untracked();
        let step = moment.zip(simulated).map(|(moment, simulated)| {
            timeline_of(&simulated, grain).time_of(moment.stage, moment.beat, moment.position)
        });
        self.change_look(|look| {
            look.grain = grain;
            look.step = step;
        });
    }

    /// Opens the program with this target as its input in the workspace “RASP”.
    pub fn open_in_rasp(self) {
        let Some(simulated) = self.simulated.get_untracked() else { return };
        let numbers: Vec<String> = simulated.sequence.iter().map(f64::to_string).collect();
        let piece =
            choices::Piece { program: simulated.source.clone(), input: format!("[{}]", numbers.join(", ")) };
        let Store(state) = self.store;
        state.update(|state| {
            state.page = Page::Rasp;
            state.change(|rasp| {
                *rasp = RaspState {
                    desk: choices::Desk { piece, files: choices::Files::new() },
                    ..RaspState::default()
                }
            });
        });
        // Another workspace is read from its top, and the keyboard goes along. The page is laid out anew first.
        request_animation_frame(|| {
            let main = document().get_element_by_id("main");
            if let Some(main) = main.and_then(|main| main.dyn_into::<web_sys::HtmlElement>().ok()) {
                let _ = main.focus();
            }
            window().scroll_to_with_x_and_y(0.0, 0.0);
        });
    }

    /// Goes to the end of a stage.
    pub fn go_to_stage(self, stage: usize) {
        let time = self.timeline.with_untracked(|timeline| timeline.time_of(stage, usize::MAX, None));
        self.go_to(time);
    }

    /// Goes to a step.
    pub fn go_to(self, step: usize) {
        self.clock.seek(step as f64);
        self.change_look(|look| look.step = Some(step));
    }

    /// Something of the newest numbers, if they have it. A view may ask for a stage that has just gone.
    pub fn read<T>(self, read: impl FnOnce(&Simulated) -> Option<T>) -> Option<T> {
        self.simulated.with(|simulated| simulated.as_ref().and_then(|simulated| read(simulated)))
    }

    /// Something of the stage that is on show, at this moment.
    pub fn read_now<T>(self, read: impl FnOnce(&Simulated, &Shown, &Moment) -> Option<T>) -> Option<T> {
        let now = self.now.get()?;
        self.read(|simulated| read(simulated, simulated.stages.get(now.stage)?, &now))
    }

    /// The lights of a matrix.
    pub fn lit(self, name: &str) -> Lit {
        self.lights.with(|lights| lights.get(name).cloned().unwrap_or_default())
    }

    /// Tells what is looked at.
    pub fn look_at(self, focus: Option<Focus>) {
        match focus {
            Some(_) => self.hold(),
            None => self.clock.release(),
        }
        self.hovered.set(focus);
    }

    /// Who points at a number has time to read it: what plays stands still until they let go.
    pub fn hold(self) {
        if untrack(|| self.clock.is_playing()) {
            self.clock.hold();
        }
    }

    /// What the person does with the scrubber is kept, once it has come to rest on a step.
    pub fn keep_step(self) {
        let step = untrack(|| self.clock.destination()).round() as usize;
        let is_playing = untrack(|| self.clock.is_playing());
        let shown = untrack(|| self.shown_step());
        if !is_playing && step != shown {
            self.change_look(|look| look.step = Some(step));
        }
    }

    /// The step that the link asks for, or the one that the workspace opens on.
    fn shown_step(self) -> usize {
        let step = self.look.with(|look| look.step);
        step.unwrap_or_else(|| {
            self.simulated.with(|simulated| {
                simulated
                    .as_ref()
                    .map_or(0, |simulated| self.timeline.with(|timeline| opening(simulated, timeline)))
            })
        })
    }

    /// Back, Forward, links and new numbers bring a step; the clock is theirs to set.
    fn follow_step(self) {
        let step = Memo::new(move |_| (self.shown_step(), self.timeline.with(Timeline::length)));
        Effect::new(move |before: Option<(usize, usize)>| {
            let step = step.get();
            if before != Some(step) && untrack(|| self.clock.destination()) != step.0 as f64 {
                self.clock.seek(step.0 as f64);
            }
            step
        });
    }

    fn ask_when_needed(self) {
        let client = expect_context::<Client>();
        let notices = expect_context::<Notices>();
        Effect::new(move |_| {
            let request = job::Request::Run(Box::new(self.piece.get()));
            client.ask(Line::Simulator, Request::Simulator(Packed::of(&request)), move |answer| match answer
                .map(Answer::simulator)
            {
                Ok(Some(job::Answer::Run(simulated))) => {
                    notices.clear_failures();
                    // The page may have been left in the meantime.
                    self.simulated.try_set(Some(Arc::from(simulated)));
                }
                Ok(_) => {}
                Err(failure) => notices.failure(failure),
            });
        });
    }
}

fn timeline_of(simulated: &Simulated, grain: Grain) -> Timeline {
    let elements = |stage: &Shown| stage.simulated.as_ref().map_or(0, |matrix| matrix.len());
    Timeline::new(simulated.stages.iter().map(|stage| (stage.beats.len(), elements(stage))), grain)
}

/// The workspace opens in the middle of the first product, when its last term is being added.
fn opening(simulated: &Simulated, timeline: &Timeline) -> usize {
    let product = simulated.stages.iter().position(|stage| stage.kind == Kind::Product);
    product.map_or(0, |at| {
        let stage = &simulated.stages[at];
        let elements = stage.simulated.as_ref().map_or(1, |matrix| matrix.len());
        timeline.time_of(at, stage.beats.len().saturating_sub(1), Some(elements * 5 / 8))
    })
}
