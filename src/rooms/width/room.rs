//! What all panels of the workspace share: the choices, and how they change.

use leptos::prelude::*;
use ndarray::Array2;
use transformer::Class;

use crate::link::Page;
use crate::rooms::universal::choices::UniversalState;
use crate::rooms::width::choices::WidthState;
use crate::rooms::width::job::{Cast, Draw};
use crate::shell::app::Store;
use universal::{Law, RandomSpec};

/// The shared part of the workspace; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct WidthRoom {
    store: Store,
    /// What was chosen.
    pub state: Memo<WidthState>,
    /// The class alone.
    pub class: Memo<Class>,
    /// The target alone: what all draws have to play.
    pub cast: Memo<Cast>,
}

impl WidthRoom {
    /// Sets up the shared part and offers it as a context.
    pub fn provide() -> WidthRoom {
        let store = Store::entered::<WidthState>();
        let state = store.memo(|state: &WidthState| state);
        let class = Memo::new(move |_| state.with(|state| state.class));
        let cast = Memo::new(move |_| state.with(cast_of));
        let room = WidthRoom { store, state, class, cast };
        provide_context(room);
        room
    }

    /// Goes to the workspace “Universal” with the draw under the marker, on this input: there its run can be kept.
    pub fn play_marked(self, input: Array2<f64>) {
        let Store(app) = self.store;
        app.update(|app| {
            if let Some(piece) = app.choices::<WidthState>().marked_piece(input) {
                app.change(|universal| *universal = UniversalState { piece, ..UniversalState::default() });
                app.page = Page::Universal;
            }
        });
    }

    /// Changes what was chosen.
    pub fn change(self, change: impl FnOnce(&mut WidthState)) {
        self.store.change(|state: &mut WidthState| {
            change(state);
            let reach = state.reach as i64;
            state.spare = state.spare.clamp(-reach, reach);
        });
    }
}

/// The target that all draws have to play.
pub fn cast_of(state: &WidthState) -> Cast {
    Cast { class: state.class, seed: state.seed, tokens: state.tokens }
}

/// The draw of a law at a width; `number` counts the draws from 0.
pub fn draw_of(state: &WidthState, law: Law, width: usize, number: usize) -> Draw {
    Draw {
        spec: RandomSpec { law, tying: state.tying, width },
        seed: state.frozen_seed.wrapping_add(number as u64),
    }
}
