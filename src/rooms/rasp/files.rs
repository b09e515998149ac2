//! Files: those that are put on the desk, and those that the program loads.

use std::collections::BTreeSet;

use leptos::prelude::*;
use rasp::library;
use rasp::syntax::{TokenClass, tokens};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::room::Room;
use crate::drawing::export::save_text;
use crate::ground::language::use_language;
use crate::notices::Notices;
use crate::rooms::rasp::choices::{Desk, with_plain_line_ends};
use crate::rooms::rasp::job;
use crate::widgets::controls::{Button, FilesButton, Look};
use crate::widgets::icon::Icon;
use crate::work::client::{Client, Line};
use crate::work::protocol::{Answer, Failure, Packed, Request};

/// The kinds of files that are read.
pub const ACCEPTED: &str = ".rasp,.txt,.json,text/plain,application/json";

/// The most bytes of a program that an editor holds.
const LONGEST_PROGRAM: usize = 100_000;

/// The most bytes of an exported trace that is read back.
const LONGEST_TRACE: usize = 200_000_000;

/// What brings files to the desk; cheap to copy.
#[derive(Clone, Copy)]
pub struct Opener {
    room: Room,
    client: Client,
    notices: Notices,
}

impl Opener {
    /// From the contexts of the workspace.
    pub fn here() -> Opener {
        Opener { room: expect_context(), client: expect_context(), notices: expect_context() }
    }

    /// Puts files that came together on the desk: a trace as a whole; programs as [`placed`] says.
    pub fn take(self, files: Vec<File>) {
        leptos::task::spawn_local(async move {
            let mut programs = Vec::new();
            for file in files {
                let name = file.name();
                let is_trace = name.ends_with(".json");
                let (size, limit) =
                    (file.size() as usize, if is_trace { LONGEST_TRACE } else { LONGEST_PROGRAM });
                if size > limit {
                    self.notices.failure(Failure::ProgramTooLong { name, size, limit });
                    return;
                }
                let Ok(text) = JsFuture::from(file.text()).await else { return };
                let text = text.as_string().unwrap_or_default();
                if is_trace {
                    self.open_trace(text);
                    return;
                }
                programs.push((stem(&name).to_owned(), with_plain_line_ends(&text)));
            }
            self.room.open(placed(self.room.desk.get_untracked(), programs));
        });
    }

    fn open_trace(self, text: String) {
        let request = job::Request::Open(text.into_bytes());
        self.client.ask(Line::Files, Request::Rasp(Packed::of(&request)), move |answer| {
            match answer.map(Answer::rasp) {
                Ok(Some(job::Answer::Opened(desk))) => self.room.open(desk),
                Ok(_) => {}
                Err(failure) => self.notices.failure(failure),
            }
        });
    }
}

/// The files that the program loads, and those of the person.
#[component]
pub fn Files() -> impl IntoView {
    let room = expect_context::<Room>();
    let opener = Opener::here();
    let t = use_language();
    let all = Memo::new(move |_| {
        let loaded = room.played.with(|played| {
            let loaded = played.as_ref().map(|played| played.run.loaded.clone());
            loaded.unwrap_or_default()
        });
        room.desk.with(|desk| listed(desk, &loaded))
    });
    let rows = move || {
        all.get()
            .into_iter()
            .map(|Listed { name, source }| match source {
                Source::Missing => view! {
                    <li class="rasp-file is-missing">
                        <code>{format!("{name}.rasp")}</code>
                        <span>{move || t.get().rasp_missing_file()}</span>
                    </li>
                }
                .into_any(),
                Source::Language(text) => view! {
                    <li class="rasp-file">
                        <details>
                            <summary>
                                <code>{format!("{name}.rasp")}</code>
                                <span class="quiet">{move || t.get().rasp_file_of_the_language()}</span>
                            </summary>
                            <pre tabindex="0">{text}</pre>
                        </details>
                    </li>
                }
                .into_any(),
                Source::Own { text, is_loaded } => own_file(room, name, text, is_loaded),
            })
            .collect_view()
    };
    view! {
        <Show when=move || !all.with(Vec::is_empty)>
            <section class="rasp-files" aria-label=move || t.get().rasp_files()>
                <header class="rasp-files-head">
                    <h2>{move || t.get().rasp_files()}</h2>
                    <FilesButton
                        label=Signal::derive(move || t.get().rasp_add_files().to_owned())
                        accept=ACCEPTED
                        on_files=move |files| opener.take(files)
                    />
                </header>
                <ul>{rows}</ul>
            </section>
        </Show>
    }
    .into_any()
}

fn own_file(room: Room, name: String, text: String, is_loaded: bool) -> AnyView {
    let t = use_language();
    let file = format!("{name}.rasp");
    let (saved_name, saved_text, removed) = (file.clone(), text.clone(), name.clone());
    let named = StoredValue::new(file.clone());
    let say = move |words: fn(crate::ground::language::Language, &str) -> String| {
        Signal::derive(move || named.with_value(|file| words(t.get(), file)))
    };
    view! {
        <li class="rasp-file">
            <details>
                <summary>
                    <code>{file}</code>
                    <span class="quiet">{move || match is_loaded {
                        true => t.get().rasp_own_file(),
                        false => t.get().rasp_unused_file(),
                    }}</span>
                </summary>
                <pre tabindex="0">{text}</pre>
            </details>
            <span class="rasp-file-actions">
                <Button
                    label=say(crate::ground::language::Language::rasp_edit_file)
                    icon=Icon::Pencil
                    look=Look::Quiet
                    on_press=move |()| room.open(swapped(room.desk.get_untracked(), &name))
                />
                <Button
                    label=say(crate::ground::language::Language::rasp_save_file)
                    icon=Icon::Save
                    look=Look::Quiet
                    on_press=move |()| save_text(&saved_name, "text/plain;charset=utf-8", &saved_text)
                />
                <Button
                    label=say(crate::ground::language::Language::rasp_remove_file)
                    icon=Icon::Close
                    look=Look::Quiet
                    on_press=move |()| room.change(|desk| { desk.files.remove(&removed); })
                />
            </span>
        </li>
    }
    .into_any()
}

/// A row of the list of files.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    name: String,
    source: Source,
}

#[derive(Clone, Debug, PartialEq)]
enum Source {
    /// The program asks for it, and it is nowhere.
    Missing,
    /// It comes with the language.
    Language(String),
    /// It is one of the person's.
    Own { text: String, is_loaded: bool },
}

/// What the list shows: what is missing, what the person has, what the program took from the language.
fn listed(desk: &Desk, loaded: &[(String, String)]) -> Vec<Listed> {
    let wanted = wanted(desk);
    let is_missing =
        |name: &&String| !desk.files.contains_key(*name) && library::construction(name).is_none();
    let missing =
        wanted.iter().filter(is_missing).map(|name| Listed { name: name.clone(), source: Source::Missing });
    let own = desk.files.iter().map(|(name, text)| Listed {
        name: name.clone(),
        source: Source::Own { text: text.clone(), is_loaded: wanted.contains(name) },
    });
    let is_of_the_language =
        |name: &str| !desk.files.contains_key(name) && library::construction(name).is_some();
    let of_the_language = loaded
        .iter()
        .filter(|(name, _)| is_of_the_language(name))
        .map(|(name, text)| Listed { name: name.clone(), source: Source::Language(text.clone()) });
    missing.chain(own).chain(of_the_language).collect()
}

/// The names that the program loads, directly or through the person's files.
fn wanted(desk: &Desk) -> BTreeSet<String> {
    let mut wanted = BTreeSet::new();
    let mut next = loads(&desk.piece.program);
    while let Some(name) = next.pop() {
        if let Some(text) = desk.files.get(&name).filter(|_| !wanted.contains(&name)) {
            next.extend(loads(text));
        }
        wanted.insert(name);
    }
    wanted
}

/// Where programs go that were brought together: one that the program on the desk or another of them loads is put
/// among the files; of the others, the first that loads one of them, or else the first, is put on the desk.
fn placed(mut desk: Desk, programs: Vec<(String, String)>) -> Desk {
    let texts = programs.iter().map(|(_, text)| text).chain([&desk.piece.program]).chain(desk.files.values());
    let wanted: BTreeSet<String> = texts.flat_map(|text| loads(text)).collect();
    let (mut files, mut others): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|(name, _)| wanted.contains(name));
    let loads_a_file =
        |program: &str| loads(program).iter().any(|name| files.iter().any(|(file, _)| file == name));
    if !others.is_empty() {
        let main = others.iter().position(|(_, text)| loads_a_file(text)).unwrap_or(0);
        desk.piece.program = others.remove(main).1;
    }
    files.append(&mut others);
    desk.files.extend(files);
    desk
}

/// A file takes the place of the program, which becomes a file.
fn swapped(mut desk: Desk, name: &str) -> Desk {
    if let Some(text) = desk.files.remove(name) {
        let before = std::mem::replace(&mut desk.piece.program, text);
        let names = std::iter::once("program".to_owned()).chain((2..).map(|at| format!("program_{at}")));
        if let Some(free) = names.into_iter().find(|free| !desk.files.contains_key(free)) {
            desk.files.insert(free, before);
        }
    }
    desk
}

/// The names that a program loads.
fn loads(program: &str) -> Vec<String> {
    let tokens = tokens(program);
    let pairs = tokens
        .windows(2)
        .filter(|pair| pair[0].span.text(program) == "load" && pair[1].class == TokenClass::Text);
    pairs.map(|pair| pair[1].span.text(program).trim_matches('"').to_owned()).collect()
}

/// The name by which a file is loaded.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

crate::texts! {
    rasp_files: "Files that the program loads" | "Arquivos que o programa carrega";
    rasp_add_files: "Add files" | "Adicionar arquivos";
    rasp_missing_file: "is not here: add it, or drop it anywhere on this page." | "não está aqui: adicione-o ou solte-o em qualquer lugar desta página.";
    rasp_file_of_the_language: "comes with the language" | "vem com a linguagem";
    rasp_own_file: "yours" | "seu";
    rasp_unused_file: "yours, not loaded by the program" | "seu, não carregado pelo programa";
    rasp_edit_file(file: &str): "Edit {file}; the program becomes a file" | "Editar {file}; o programa se torna um arquivo";
    rasp_save_file(file: &str): "Save {file}" | "Salvar {file}";
    rasp_remove_file(file: &str): "Remove {file}" | "Remover {file}";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::rasp::choices::{Files, Piece};

    fn desk(program: &str, files: &[(&str, &str)]) -> Desk {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let piece = Piece { program: program.to_owned(), input: "a".to_owned() };
        Desk { piece, files: files.collect::<Files>() }
    }

    fn brought(programs: &[(&str, &str)]) -> Vec<(String, String)> {
        programs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn files_that_come_together_find_their_places() {
        let main = ("main", "load \"mine\";\nx;");
        let mine = ("mine", "x = 1;");
        for order in [[main, mine], [mine, main]] {
            assert_eq!(placed(desk("tokens;", &[]), brought(&order)), desk(main.1, &[mine]));
        }
        let asks = desk(main.1, &[]);
        assert_eq!(placed(asks, brought(&[mine])), desk(main.1, &[mine]), "what the program asks for");
        assert_eq!(placed(desk("tokens;", &[]), brought(&[mine])), desk(mine.1, &[]), "a program of its own");
        let three = placed(desk("tokens;", &[]), brought(&[("a", "1;"), main, mine]));
        assert_eq!(three, desk(main.1, &[("a", "1;"), mine]), "the one that needs another comes first");
        let two = placed(desk("tokens;", &[]), brought(&[("a", "1;"), ("b", "2;")]));
        assert_eq!(two, desk("1;", &[("b", "2;")]));
    }

    #[test]
    fn the_list_says_what_is_missing_and_where_the_rest_comes_from() {
        let desk = desk(
            "load \"mine\"; load \"nowhere\"; # load \"no\";\nload \"matmul\";",
            &[("mine", "load \"also\";"), ("also", "x = 1;"), ("unused", "y = 1;")],
        );
        let loaded = [("matmul".to_owned(), "def matmul".to_owned()), ("mine".to_owned(), String::new())];
        let own = |text: &str, is_loaded| Source::Own { text: text.to_owned(), is_loaded };
        let rows: Vec<(String, Source)> =
            listed(&desk, &loaded).into_iter().map(|row| (row.name, row.source)).collect();
        assert_eq!(
            rows,
            [
                ("nowhere".to_owned(), Source::Missing),
                ("also".to_owned(), own("x = 1;", true)),
                ("mine".to_owned(), own("load \"also\";", true)),
                ("unused".to_owned(), own("y = 1;", false)),
                ("matmul".to_owned(), Source::Language("def matmul".to_owned())),
            ]
        );
    }

    #[test]
    fn a_file_and_the_program_change_places() {
        let before = desk("load \"mine\";", &[("mine", "x = 1;"), ("program", "2;")]);
        let after = swapped(before, "mine");
        assert_eq!(after, desk("x = 1;", &[("program", "2;"), ("program_2", "load \"mine\";")]));
    }
}
