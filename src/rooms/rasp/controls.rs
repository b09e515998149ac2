//! The bar of the workspace: the gallery, the input, and files.

use leptos::prelude::*;
use rasp::gallery::{self, GALLERY, Shelf};

use super::files::{ACCEPTED, Opener};
use super::gallery::Gallery;
use super::room::Room;
use super::stories;
use crate::drawing::export::{save_bytes, save_text};
use crate::ground::language::use_language;
use crate::link::Choices;
use crate::notices::Notices;
use crate::rooms::rasp::choices::{Desk, RaspState};
use crate::rooms::rasp::job::{self as job, About};
use crate::shell::app::Store;
use crate::widgets::controls::{Button, Choice, FilesButton, Look, Menu, MenuItem, Select, TextField};
use crate::widgets::icon::Icon;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Packed, Request};

/// All controls in their bar.
#[component]
pub fn Controls() -> impl IntoView {
    let room = expect_context::<Room>();
    let (client, notices) = (expect_context::<Client>(), expect_context::<Notices>());
    let opener = Opener::here();
    let t = use_language();
    let options = Signal::derive(move || {
        let t = t.get();
        let mut options: Vec<Choice<String>> = GALLERY
            .iter()
            .map(|entry| {
                let title = stories::title(t, entry.id);
                match entry.shelf {
                    Shelf::Matrices | Shelf::Attention | Shelf::Encoder => {
                        Choice::new(entry.id.to_owned(), t.rasp_construction(title))
                    }
                    _ => Choice::new(entry.id.to_owned(), title),
                }
            })
            .collect();
        if room.piece.with(|piece| piece.entry().is_none()) {
            options.push(Choice::new(String::new(), t.rasp_own_program()));
        }
        options
    });
    let chosen = Signal::derive(move || {
        room.piece.with(|piece| piece.entry().map_or_else(String::new, |entry| entry.id.to_owned()))
    });
    let choose = move |id: String| {
        if let Some(entry) = gallery::entry(&id) {
            room.open(Desk::of_entry(entry));
        }
    };
    let input_error = Signal::derive(move || {
        room.complaints.with(|complaints| {
            let about = complaints.iter().find(|complaint| complaint.about == About::Input)?;
            Some(super::editor::said(t.get(), about))
        })
    });
    let Store(state) = expect_context::<Store>();
    let fits = Memo::new(move |_| state.with(|state| state.choices::<RaspState>().fits_a_link()));
    let play = move |()| {
        room.run();
        room.clock.seek(0.0);
        room.clock.play();
    };
    let save = move || {
        let program = room.piece.with_untracked(|piece| piece.program.clone());
        let name = room.piece.with_untracked(|piece| piece.entry().map_or("program", |entry| entry.id));
        save_text(&format!("{name}.rasp"), "text/plain;charset=utf-8", &program);
    };
    let export = move |()| {
        let request = job::Request::ExportTrace(room.desk.get_untracked());
        client.ask(Line::Files, Request::Rasp(Packed::of(&request)), move |answer| {
            match answer.map(Answer::rasp) {
                Ok(Some(job::Answer::Exported(file))) => {
                    save_bytes(&file.name, "application/json", &file.bytes);
                }
                Ok(_) => {}
                Err(failure) => notices.failure(failure),
            }
        });
    };
    let refusal = Signal::derive(move || {
        let has_run = room
            .played
            .with(|played| played.as_ref().is_some_and(|played| room.desk.with(|desk| *desk == played.desk)));
        (!has_run).then(|| t.get().rasp_no_trace().to_owned())
    });
    let items = move |()| vec![MenuItem::new(t.get_untracked().rasp_save_program(), save)];
    view! {
        <div class="control-bar rasp-bar" role="group" aria-label=move || t.get().controls()>
            <Select label=Signal::derive(move || t.get().rasp_example().to_owned()) options value=chosen on_input=choose/>
            <Gallery/>
            <div class="control control-wide">
                <TextField
                    label=Signal::derive(move || t.get().rasp_input().to_owned())
                    value=Signal::derive(move || room.piece.with(|piece| piece.input.clone()))
                    on_input=move |input| room.change(|desk| desk.piece.input = input)
                    example=Signal::derive(move || Some(t.get().rasp_input_example().to_owned()))
                    error=input_error
                />
            </div>
            <Button label=Signal::derive(move || t.get().rasp_run().to_owned()) icon=Icon::Play look=Look::Strong on_press=play/>
            <div class="file-controls">
                <FilesButton
                    label=Signal::derive(move || t.get().rasp_open().to_owned())
                    accept=ACCEPTED
                    on_files=move |files| opener.take(files)
                />
                <Button
                    label=Signal::derive(move || t.get().rasp_export_trace().to_owned())
                    icon=Icon::Save
                    refusal
                    on_press=export
                />
                <Menu label=Signal::derive(move || t.get().rasp_more().to_owned()) items=Callback::new(items)/>
            </div>
        </div>
        <p class="piece-story">{move || {
            let id = chosen.get();
            match (id.is_empty(), fits.get()) {
                (false, _) => stories::story(t.get(), &id),
                (true, true) => t.get().rasp_own_story(),
                (true, false) => t.get().rasp_long_story(),
            }
        }}</p>
    }
    .into_any()
}

crate::texts! {
    rasp_example: "Example" | "Exemplo";
    rasp_own_program: "Your own program" | "Seu próprio programa";
    rasp_construction(name: &str): "Simulator part: {name}" | "Peça do simulador: {name}";
    rasp_input_example: "hello, or [1, 2.5, 3]" | "hello ou [1, 2.5, 3]";
    rasp_run: "Run" | "Executar";
    rasp_open: "Open program" | "Abrir programa";
    rasp_export_trace: "Export trace" | "Exportar rastro";
    rasp_save_program: "Save program" | "Salvar programa";
    rasp_more: "More to do with the program" | "Mais o que fazer com o programa";
    rasp_no_trace: "There is a trace to export once the program runs." | "Há um rastro para exportar assim que o programa rodar.";
    rasp_long_story: "Your own program. It is too long for a link; “Export trace” keeps it with its files and its input, and “Open program” brings that file back." | "Seu próprio programa. Ele é longo demais para um link; “Exportar rastro” o guarda com seus arquivos e sua entrada, e “Abrir programa” traz esse arquivo de volta.";
    rasp_own_story: "Your own program. It runs at every key, and the link holds all of it." | "Seu próprio programa. Ele roda a cada tecla, e o link o guarda por inteiro.";
}
