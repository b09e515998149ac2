//! What all panels of the workspace share: the choices, the numbers that belong to them, and what the
//! person points at.

use std::sync::Arc;

use leptos::prelude::*;
use transformer::Class;

use super::focus::{Focus, Lights};
use crate::notices::Notices;
use crate::rooms::universal::choices::{Look, Piece, UniversalState};
use crate::rooms::universal::files::ImportKind;
use crate::rooms::universal::job::{self, Played};
use crate::shell::app::Store;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Request};

/// The shared part of the workspace; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct Room {
    store: Store,
    /// What is to be computed.
    pub piece: Memo<Piece>,
    /// How it is looked at.
    pub look: Memo<Look>,
    /// The newest numbers. They may lag behind `piece` while the worker is at it, and they stay when a
    /// choice turns out to be impossible.
    pub played: RwSignal<Option<Arc<Played>>>,
    /// What the pointer or the keyboard cursor is on.
    pub hovered: RwSignal<Option<Focus>>,
    /// What was clicked and stays lit.
    pub pinned: RwSignal<Option<Focus>>,
    /// What is lit: what is pointed at, else what is pinned.
    pub focus: Memo<Option<Focus>>,
    /// Everything that belongs to it.
    pub lights: Memo<Lights>,
}

impl Room {
    /// Sets up the shared part, asks the worker for the first numbers and for new ones whenever a choice
    /// changes, and offers itself as a context.
    pub fn provide() -> Room {
        let store = Store::entered::<UniversalState>();
        let piece = store.memo(|state: &UniversalState| &state.piece);
        let look = store.memo(|state: &UniversalState| &state.look);
        let played = RwSignal::new(None::<Arc<Played>>);
        let hovered = RwSignal::new(None::<Focus>);
        let pinned = RwSignal::new(None::<Focus>);
        let focus = Memo::new(move |_| {
            let focus = hovered.get().or_else(|| pinned.get())?;
            let still_there = played.with(|played| {
                played.as_ref().is_some_and(|it| focus.fits(it.target.class(), it.input.nrows()))
            });
            still_there.then_some(focus)
        });
        let lights = Memo::new(move |_| {
            focus.with(|focus| match focus {
                Some(focus) => played.with_untracked(|played| {
                    played.as_ref().map(|it| focus.lights(it.target.class())).unwrap_or_default()
                }),
                None => Lights::default(),
            })
        });
        let room = Room { store, piece, look, played, hovered, pinned, focus, lights };
        room.ask_when_needed();
        provide_context(room);
        room
    }

    /// Changes what is computed.
    pub fn change(self, change: impl FnOnce(Piece) -> Piece) {
        self.update(|state| state.piece = change(std::mem::take(&mut state.piece)));
    }

    /// Plays what a file says; a target from a file was not learned here.
    pub fn open(self, piece: Piece, kind: ImportKind) {
        self.update(|state| {
            state.piece = piece;
            if kind == ImportKind::Target {
                state.look.origin = None;
            }
        });
    }

    /// Changes the class of the target.
    pub fn change_class(self, change: impl FnOnce(&mut Class)) {
        self.change(|piece| {
            let mut class = piece.class;
            change(&mut class);
            piece.with_class(class)
        });
    }

    /// Changes how it is looked at.
    pub fn change_look(self, change: impl FnOnce(&mut Look)) {
        self.update(|state| change(&mut state.look));
    }

    /// A value derived from the newest numbers, or `None` before the first have come.
    pub fn derive<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        derive: impl Fn(&Arc<Played>) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>> {
        Memo::new(move |_| self.played.with(|played| played.as_ref().map(&derive)))
    }

    fn update(self, change: impl FnOnce(&mut UniversalState)) {
        self.store.change(|state: &mut UniversalState| {
            change(state);
            // A smaller class may have lost the consumer whose tree was shown, or the step.
            let UniversalState { piece, look } = state;
            if !crate::rooms::universal::choices::fits(look.consumer, &piece.class) {
                look.consumer = Look::default().consumer;
            }
            look.step = look.step.map(|step| step.min(piece.class.layers));
        });
    }

    fn ask_when_needed(self) {
        let client = expect_context::<Client>();
        let notices = expect_context::<Notices>();
        let consumer = Memo::new(move |_| self.look.with(|look| look.consumer));
        Effect::new(move |_| {
            let request = job::Request { piece: self.piece.get(), consumer: consumer.get() };
            client.ask(Line::Universal, Request::Universal(Box::new(request)), move |answer| match answer {
                Ok(Answer::Universal(played)) => {
                    notices.clear_failures();
                    // The page may have been left in the meantime.
                    self.played.try_set(Some(Arc::from(played)));
                }
                Ok(_) => {}
                Err(failure) => notices.failure(failure),
            });
        });
    }
}
