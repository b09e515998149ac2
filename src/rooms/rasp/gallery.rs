//! The gallery: all programs on their shelves, each with what it computes and where that comes from.

use leptos::prelude::*;
use rasp::gallery::{Entry, Shelf};

use super::room::Room;
use super::stories;
use crate::ground::language::{Language, use_language};
use crate::rooms::rasp::choices::Desk;
use crate::widgets::controls::Button;
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::Icon;

/// A button, and the sheet with the shelves that it opens.
#[component]
pub fn Gallery() -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let is_open = RwSignal::new(false);
    let take = move |entry: &'static Entry| {
        is_open.set(false);
        room.open(Desk::of_entry(entry));
    };
    let shelves = move || {
        let t = t.get();
        let card = move |entry: &'static Entry| {
            let is_here = room.piece.with(|piece| piece.entry() == Some(entry));
            view! {
                <li>
                    <button type="button" class="rasp-card" aria-current=is_here.then_some("true") on:click=move |_| take(entry)>
                        <b>{stories::title(t, entry.id)}</b>
                        <span>{stories::story(t, entry.id)}</span>
                        <small>{entry.origin}</small>
                    </button>
                </li>
            }
        };
        let shelf = |shelf: Shelf| {
            view! {
                <section class="rasp-shelf">
                    <h3>{shelf_name(t, shelf)}</h3>
                    <ul>{shelf.entries().map(card).collect_view()}</ul>
                </section>
            }
        };
        Shelf::ALL.map(shelf).collect_view()
    };
    view! {
        <Button
            label=Signal::derive(move || t.get().rasp_gallery().to_owned())
            icon=Icon::Whole
            on_press=move |()| is_open.set(true)
        />
        <Dialog title=Signal::derive(move || t.get().rasp_gallery().to_owned()) is_open>
            <div class="rasp-gallery">
                <p class="lead">{move || t.get().rasp_gallery_lead()}</p>
                {shelves}
                <section class="rasp-shelf">
                    <h3>{move || t.get().rasp_sources()}</h3>
                    <ul class="rasp-sources">
                        {SOURCES.map(|(short, full)| view! { <li><b>{short}</b>" "{full}</li> }).collect_view()}
                    </ul>
                </section>
            </div>
        </Dialog>
    }
    .into_any()
}

/// The origins of the gallery in full.
const SOURCES: [(&str, &str); 6] = [
    ("Weiss, Goldberg, Yahav 2021", "Thinking Like Transformers. arXiv 2106.06981"),
    (
        "Lindner et al. 2023",
        "Tracr: Compiled Transformers as a Laboratory for Interpretability. arXiv 2301.05062",
    ),
    (
        "Zhou et al. 2023",
        "What Algorithms can Transformers Learn? A Study in Length Generalization. arXiv 2310.16028",
    ),
    ("Olsson et al. 2022", "In-context Learning and Induction Heads. arXiv 2209.11895"),
    (
        "Sanford, Hsu, Telgarsky 2023",
        "Representational Strengths and Limitations of Transformers. arXiv 2306.02896",
    ),
    (
        "USA",
        "Dutta, Chakrabarty, Ansari, Das: On the Existence of Universal Simulators of Attention. arXiv 2506.18739",
    ),
];

fn shelf_name(t: Language, shelf: Shelf) -> &'static str {
    match shelf {
        Shelf::Counting => t.rasp_shelf_counting(),
        Shelf::Order => t.rasp_shelf_order(),
        Shelf::Languages => t.rasp_shelf_languages(),
        Shelf::Relations => t.rasp_shelf_relations(),
        Shelf::Matrices => t.rasp_shelf_matrices(),
        Shelf::Attention => t.rasp_shelf_attention(),
        Shelf::Encoder => t.rasp_shelf_encoder(),
    }
}

crate::texts! {
    rasp_gallery: "Gallery" | "Galeria";
    rasp_gallery_lead: "Short programs to start from, each with an input that shows what it does. The programs are written for this page; beside each stands where what it computes comes from."
        | "Programas curtos para começar, cada um com uma entrada que mostra o que ele faz. Os programas foram escritos para esta página; ao lado de cada um está a origem do que ele computa.";
    rasp_sources: "Sources" | "Fontes";
    rasp_shelf_counting: "How often? Counting" | "Quantas vezes? Contar";
    rasp_shelf_order: "What stands where? Moving and sorting" | "O que fica onde? Mover e ordenar";
    rasp_shelf_languages: "Letter by letter: brackets and numbers" | "Letra por letra: parênteses e números";
    rasp_shelf_relations: "Does it hold for some of them? Pairs and subsets" | "Vale para alguns deles? Pares e subconjuntos";
    rasp_shelf_matrices: "Matrices in a sequence: linear algebra" | "Matrizes em uma sequência: álgebra linear";
    rasp_shelf_attention: "Attention, simulated by attention" | "Atenção simulada por atenção";
    rasp_shelf_encoder: "The rest of an encoder layer, and all of it" | "O resto de uma camada de encoder, e ela inteira";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_is_given_in_full() {
        for entry in Shelf::ALL.iter().flat_map(|shelf| shelf.entries()) {
            let is_given = SOURCES.iter().any(|(short, _)| entry.origin.starts_with(short));
            assert!(is_given, "{}: {}", entry.id, entry.origin);
        }
    }
}
