//! The one place for errors and short messages: a strip below the header. What a person was looking
//! at stays as it was.

pub mod failures;

pub use failures::numbers;

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ground::language::{Language, say, use_language};
use crate::ground::parts::Missing;
use crate::link::query::BadValue;
use crate::work::protocol::Failure;

/// The messages on show; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct Notices(RwSignal<Vec<(u64, Notice)>>);

#[derive(Debug, Clone, PartialEq)]
enum Notice {
    Failure(Failure),
    BadValue(BadValue),
    LinkCopied,
    LinkByHand(String),
    TooLargeForALink,
}

/// What kind of message it is; failures of one kind replace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Bad,
    Good,
}

impl Notices {
    /// An empty strip, offered as a context.
    pub fn provide() -> Notices {
        let notices = Notices(RwSignal::new(Vec::new()));
        provide_context(notices);
        notices
    }

    /// Something could not be done. It takes the place of the failure before it.
    pub fn failure(self, failure: Failure) {
        self.clear_failures();
        self.push(Notice::Failure(failure));
    }

    /// A part of the page could not be downloaded.
    pub fn missing(self, missing: Missing) {
        self.failure(Failure::Missing(missing));
    }

    /// Things work again.
    pub fn clear_failures(self) {
        if self.0.with_untracked(|all| all.iter().any(|(_, notice)| matches!(notice, Notice::Failure(_)))) {
            self.0.update(|all| all.retain(|(_, notice)| !matches!(notice, Notice::Failure(_))));
        }
    }

    /// Values of the URL that could not be read.
    pub fn bad_values(self, values: Vec<BadValue>) {
        self.0.update(|all| all.retain(|(_, notice)| !matches!(notice, Notice::BadValue(_))));
        for value in values {
            self.push(Notice::BadValue(value));
        }
    }

    /// The link is in the clipboard.
    pub fn link_copied(self) {
        self.clear_about_links();
        self.push(Notice::LinkCopied);
    }

    /// The clipboard is closed to us: the link to copy by hand.
    pub fn link_by_hand(self, address: String) {
        self.clear_about_links();
        self.push(Notice::LinkByHand(address));
    }

    /// No link can carry this much.
    pub fn too_large_for_a_link(self) {
        self.clear_about_links();
        self.push(Notice::TooLargeForALink);
    }

    fn clear_about_links(self) {
        self.0.update(|all| {
            all.retain(|(_, notice)| matches!(notice, Notice::Failure(_) | Notice::BadValue(_)));
        });
    }

    fn push(self, notice: Notice) {
        // An id is never used again: the list would take a new message for the one that had it.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        self.0.update(|all| all.push((id, notice)));
    }

    fn dismiss(self, id: u64) {
        self.0.update(|all| all.retain(|(other, _)| *other != id));
    }
}

impl Notice {
    fn tone(&self) -> Tone {
        match self {
            Notice::LinkCopied => Tone::Good,
            _ => Tone::Bad,
        }
    }

    /// Its words; those for failures are many, and come when one is to be told.
    async fn text(&self, t: Language) -> String {
        match self {
            Notice::Failure(Failure::Missing(_)) => t.failure_missing().to_owned(),
            Notice::Failure(failure) => {
                describe(failure.clone(), t).await.unwrap_or_else(|_| t.failure_missing().to_owned())
            }
            Notice::BadValue(BadValue { key, value, expected }) => {
                let expected = expected.as_deref().unwrap_or(t.what_share_wrote());
                t.bad_value(key, &beginning(value), expected)
            }
            Notice::LinkCopied => t.link_copied().to_owned(),
            Notice::LinkByHand(address) => t.link_by_hand(address),
            Notice::TooLargeForALink => t.too_large_for_a_link().to_owned(),
        }
    }
}

/// As much of a text as tells which it is.
fn beginning(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

crate::part! { details:
    fn describe(failure: Failure, t: Language) -> String {
        failures::describe(&failure, t)
    }
}

/// The strip.
#[component]
pub fn NoticesView() -> impl IntoView {
    let t = use_language();
    let notices = expect_context::<Notices>();
    view! {
        <div class="notices" role="status" aria-label=say(t, Language::messages)>
            <For each=move || notices.0.get() key=|(id, _)| *id let((id, notice))>
                {
                    let tone = notice.tone();
                    let text = RwSignal::new(String::new());
                    Effect::new(move |_| {
                        let (notice, t) = (notice.clone(), t.get());
                        spawn_local(async move {
                            // The person may have dismissed it by now.
                            text.try_set(notice.text(t).await);
                        });
                    });
                    view! {
                        <p class="notice" class:notice-bad=tone == Tone::Bad class:notice-good=tone == Tone::Good>
                            <span>{text}</span>
                            <button
                                type="button"
                                aria-label=say(t, Language::dismiss)
                                title=say(t, Language::dismiss)
                                on:click=move |_| notices.dismiss(id)
                            >
                                "×"
                            </button>
                        </p>
                    }
                }
            </For>
        </div>
    }
}

crate::texts! {
    messages: "Messages" | "Mensagens";
    dismiss: "Dismiss" | "Dispensar";
    bad_value(key: &str, value: &str, expected: &str):
        "The link says {key} = “{value}”, which cannot be used. It may say: {expected}. The default stands in its place."
        | "O link diz {key} = “{value}”, que não pode ser usado. Pode dizer: {expected}. O valor padrão está em seu lugar.";
    what_share_wrote: "all that “Share” wrote, to the last letter" | "tudo o que “Compartilhar” escreveu, até a última letra";
    link_copied: "The link is copied. It opens exactly this picture."
        | "O link foi copiado. Ele abre exatamente esta imagem.";
    link_by_hand(address: &str): "Copy this link: {address}" | "Copie este link: {address}";
    too_large_for_a_link:
        "This target or input is too large for a link. “Export run” writes a file that restores everything."
        | "Este alvo ou esta entrada é grande demais para um link. “Exportar execução” grava um arquivo que restaura tudo.";
}
