//! Ways to the other workspaces: a trained transformer as a target in “Universal”, a program in “RASP”.

use leptos::prelude::*;
use training::{Config, Weights};
use wasm_bindgen::JsCast;

use super::room::Room;
use super::trainee::Trainee;
use crate::link::{AppState, Page};
use crate::rooms::rasp::choices::{self, RaspState};
use crate::rooms::training::job::{Answer, Request};
use crate::rooms::universal::choices::{InputSource, Look, Origin, TargetSource, UniversalState};
use crate::shell::app;
use crate::work::client::Line;

/// Whether a run is a transformer that a universal one can play: fully trained, of attention alone.
pub fn is_target(config: &Config) -> bool {
    config.model.weights == Weights::Trained && !config.variant.has_residual()
}

/// Opens the transformer as a target in the workspace “Universal”, with the sequence that is looked at.
pub fn send_to_universal(room: Room, run: Trainee) {
    run.ask(room.lab, Line::TrainExport, Request::Target, move |answer| {
        let Answer::Target(Some(target)) = answer else { return };
        let tokens = run.look.with_untracked(|look| look.as_ref().map(|look| look.tokens.clone()));
        let setup = run.setup.get_untracked();
        let text = tokens.zip(setup.as_ref()).map(|(tokens, setup)| spelled(&tokens, &setup.tokens));
        let origin = setup.map(|setup| Origin {
            task: setup.config.task.name(),
            seed: setup.config.seed,
            steps: run.step.get_untracked(),
        });
        go(room, |app| {
            app.page = Page::Universal;
            app.change(|UniversalState { piece, look }| {
                *piece = std::mem::take(piece).with_target(TargetSource::Own(target));
                if let Some(text) = text {
                    piece.input = InputSource::Text(text);
                }
                *look = Look { origin, ..Look::default() };
            });
        });
    });
}

/// Opens a program with an input in the workspace “RASP”.
pub fn open_in_rasp(room: Room, program: String, input: String) {
    let desk = choices::Desk { piece: choices::Piece { program, input }, files: choices::Files::new() };
    go(room, |app| {
        app.page = Page::Rasp;
        app.change(|rasp| *rasp = RaspState { desk, ..RaspState::default() });
    });
}

/// Tokens as a person would write them.
pub fn spelled(tokens: &[u16], names: &[String]) -> String {
    let is_plain = names.iter().all(|name| name.chars().count() == 1);
    let named: Vec<&str> =
        tokens.iter().filter_map(|token| names.get(usize::from(*token)).map(String::as_str)).collect();
    named.join(if is_plain { "" } else { " " })
}

/// Changes what is open. Another workspace is read from its top, and the keyboard goes along; the page is laid out
/// anew first.
fn go(room: Room, change: impl FnOnce(&mut AppState)) {
    let app::Store(state) = room.store;
    state.update(change);
    request_animation_frame(|| {
        let main = document().get_element_by_id("main");
        if let Some(main) = main.and_then(|main| main.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = main.focus();
        }
        window().scroll_to_with_x_and_y(0.0, 0.0);
    });
}
