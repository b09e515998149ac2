//! The shell: header, navigation, language, theme, the one place for errors, and the URL.

use std::panic;

use leptos::mount::mount_to_body;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::ground::language::{Language, say, use_language};
use crate::ground::parts::later;
use crate::link::history::{Pace, Step};
use crate::link::{AppState, Choices, Page};
use crate::notices::{Notices, NoticesView};
use crate::rooms::{rasp, simulator, training, universal, width};
use crate::shell::preferences::{self, Theme};
use crate::shell::widget_words::widget_words;
use crate::widgets::words::provide_words;
use crate::work::client::Client;

/// The state of the whole app, as a context.
#[derive(Clone, Copy)]
pub struct Store(pub RwSignal<AppState>);

impl Store {
    /// The store, for a workspace that is being entered: what a link says of it is read now.
    pub fn entered<T: Choices>() -> Store {
        let store = expect_context::<Store>();
        let bad_values = store.0.try_update_untracked(AppState::enter::<T>).unwrap_or_default();
        expect_context::<Notices>().bad_values(bad_values);
        store
    }

    /// A part of what was chosen in a workspace.
    pub fn memo<T: Choices, V: Clone + PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&T) -> &V,
    ) -> Memo<V> {
        Memo::new(move |_| self.0.with(|state| part(&state.choices::<T>()).clone()))
    }

    /// Changes what was chosen in a workspace.
    pub fn change<T: Choices>(self, change: impl FnOnce(&mut T)) {
        self.0.update(|state| state.change(change));
    }
}

/// Shows the app, and keeps it for use without a network.
pub fn open() {
    // What a panic says would otherwise be lost: the console is where a report is copied from.
    panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
    mount_to_body(App);
    crate::shell::offline::keep();
}

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let language = RwSignal::new(preferences::language());
    provide_context::<Signal<Language>>(language.into());
    let theme = RwSignal::new(preferences::theme());
    provide_context::<Signal<Theme>>(theme.into());
    let notices = Notices::provide();
    Client::provide();

    let mut state = AppState::default();
    notices.bad_values(state.follow(&current_query()));
    let state = RwSignal::new(state);
    provide_context(Store(state));

    follow_url(state, notices);
    Effect::new(move |_| preferences::apply_theme(theme.get()));
    Effect::new(move |_| preferences::apply_language(language.get()));

    let t = use_language();
    provide_words(Signal::derive(move || widget_words(t.get())));
    // A memo, so that a workspace is made anew when it is entered and not whenever its state changes.
    let page = Memo::new(move |_| state.with(|state| state.page));
    let embed = Memo::new(move |_| state.with(|state| state.embed));
    view! {
        <a class="skip-link" href="#main">{say(t, Language::skip_to_content)}</a>
        <Show when=move || !embed.get()>
            <Header language theme/>
        </Show>
        <NoticesView/>
        <main id="main" tabindex="-1">
            {move || match page.get() {
                Page::Universal => universal::page(),
                Page::Width => later(width::page()).into_any(),
                Page::Rasp => later(rasp::page()).into_any(),
                Page::Simulator => later(simulator::page()).into_any(),
                Page::Training => later(training::page()).into_any(),
            }}
        </main>
        <Show when=move || !embed.get()>
            <footer class="site-footer">
                <p>{say(t, Language::about_papers)}</p>
            </footer>
        </Show>
    }
}

#[component]
fn Header(language: RwSignal<Language>, theme: RwSignal<Theme>) -> impl IntoView {
    let t = use_language();
    let Store(state) = expect_context::<Store>();
    let pages = Page::ALL
        .into_iter()
        .map(|page| {
            view! {
                <a
                    href=format!("?page={}", page.word())
                    aria-current=move || state.with(|state| state.page == page).then_some("page")
                    on:click=move |event| {
                        event.prevent_default();
                        state.update(|state| state.page = page);
                    }
                >
                    {move || t.get().page_name(page)}
                </a>
            }
        })
        .collect_view();
    let languages = Language::ALL
        .into_iter()
        .map(|choice| {
            view! {
                <button
                    type="button"
                    lang=choice.tag()
                    aria-pressed=move || (language.get() == choice).to_string()
                    title=choice.own_name()
                    on:click=move |_| {
                        preferences::remember_language(choice);
                        language.set(choice);
                    }
                >
                    {choice.short_name()}
                </button>
            }
        })
        .collect_view();
    view! {
        <header class="site-header">
            <a class="mark" href="?" aria-label="Pianola">
                <svg class="mark-roll" viewBox="0 0 20 20" aria-hidden="true">
                    <rect x="1" y="2" width="18" height="16" rx="3"/>
                    <circle cx="6" cy="7" r="1.6"/>
                    <circle cx="10" cy="12.6" r="1.6"/>
                    <circle cx="14" cy="7" r="1.6"/>
                </svg>
                "Pianola"
            </a>
            <nav aria-label=say(t, Language::workspaces)>{pages}</nav>
            <div class="site-tools">
                <ShareButton/>
                <div class="language-switch" role="group" aria-label=say(t, Language::language)>
                    {languages}
                </div>
                <button
                    type="button"
                    class="theme-switch"
                    title=move || t.get().theme_now(t.get().theme_name(theme.get()))
                    aria-label=say(t, Language::theme)
                    on:click=move |_| {
                        let next = theme.get_untracked().next();
                        preferences::remember_theme(next);
                        theme.set(next);
                    }
                >
                    <span aria-hidden="true">{move || theme.get().symbol()}</span>
                </button>
            </div>
        </header>
    }
}

#[component]
fn ShareButton() -> impl IntoView {
    let t = use_language();
    let Store(state) = expect_context::<Store>();
    let notices = expect_context::<Notices>();
    let share = move |_| {
        if !state.with_untracked(AppState::fits_a_link) {
            notices.too_large_for_a_link();
            return;
        }
        let window = window();
        let Ok(address) = window.location().href() else { return };
        let copied = window.navigator().clipboard().write_text(&address);
        leptos::task::spawn_local(async move {
            match wasm_bindgen_futures::JsFuture::from(copied).await {
                Ok(_) => notices.link_copied(),
                Err(_) => notices.link_by_hand(address),
            }
        });
    };
    view! {
        <button type="button" title=say(t, Language::share_title) on:click=share>
            {say(t, Language::share)}
        </button>
    }
}

/// Keeps state and URL the same: a change of state is a step in the history, Back and Forward bring
/// a state back.
fn follow_url(state: RwSignal<AppState>, notices: Notices) {
    let pace = StoredValue::new(Pace::default());
    let write = move || {
        let query = state.with_untracked(AppState::encode);
        // The same choices in other words are no step.
        let mut here = state.get_untracked();
        here.follow(&current_query());
        if query == here.encode() {
            return;
        }
        let window = window();
        let (Ok(history), Some(performance)) = (window.history(), window.performance()) else { return };
        let step = pace.try_update_value(|pace| pace.change(performance.now())).unwrap_or(Step::Push);
        let address = format!("?{query}");
        // A browser that refuses (too many changes in a second) only delays the URL, not the state.
        let _ = match step {
            Step::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
            Step::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        };
    };
    Effect::new(move |_| {
        state.track();
        // A browser takes its time for this; the worker is asked first.
        set_timeout(write, std::time::Duration::ZERO);
    });
    let on_popstate = Closure::<dyn Fn()>::new(move || {
        pace.update_value(Pace::rest);
        state.update(|state| notices.bad_values(state.follow(&current_query())));
    });
    // The app lives as long as the page, and so does this.
    let _ = window().add_event_listener_with_callback("popstate", on_popstate.as_ref().unchecked_ref());
    on_popstate.forget();
}

fn current_query() -> String {
    window().location().search().unwrap_or_default().trim_start_matches('?').to_owned()
}

crate::texts! {
    skip_to_content: "Skip to the content" | "Ir para o conteúdo";
    workspaces: "Workspaces" | "Salas";
    language: "Language" | "Idioma";
    theme: "Theme" | "Tema";
    theme_now(name: &str): "Theme: {name}" | "Tema: {name}";
    share: "Share" | "Compartilhar";
    share_title: "Copy a link to exactly what you see" | "Copiar um link para exatamente o que você vê";
    about_papers: "Two papers stand behind this page: “Fixed Universal Transformers” (Liu, Andoni, Hsu, 2026) and “On the Existence of Universal Simulators of Attention” (Dutta, Chakrabarty, Ansari, Das, 2025)." | "Dois artigos estão por trás desta página: “Fixed Universal Transformers” (Liu, Andoni, Hsu, 2026) e “On the Existence of Universal Simulators of Attention” (Dutta, Chakrabarty, Ansari, Das, 2025).";
    page_universal: "Universal" | "Universal";
    page_width: "Width" | "Largura";
    page_rasp: "RASP" | "RASP";
    page_simulator: "Simulator" | "Simulador";
    page_training: "Training" | "Treino";
}

impl Language {
    /// The name of a workspace in the navigation.
    pub fn page_name(self, page: Page) -> &'static str {
        match page {
            Page::Universal => self.page_universal(),
            Page::Width => self.page_width(),
            Page::Rasp => self.page_rasp(),
            Page::Simulator => self.page_simulator(),
            Page::Training => self.page_training(),
        }
    }

    fn short_name(self) -> &'static str {
        match self {
            Language::En => "EN",
            Language::Pt => "PT",
        }
    }

    fn own_name(self) -> &'static str {
        match self {
            Language::En => "English",
            Language::Pt => "Português (Brasil)",
        }
    }
}
