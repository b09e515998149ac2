//! What a person chose: one plain struct for each workspace, to and from the URL. No view code here.

mod choices;
pub mod history;
pub mod query;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use choices::Choices;
use choices::Chosen;
use query::{BadValue, Query};

/// Everything that a person chose and that a shared link repeats. Theme and language belong to the
/// reader, not to the link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AppState {
    /// The workspace that is open.
    pub page: Page,
    /// Whether the page is part of a lesson: no navigation around it.
    pub embed: bool,
    /// Names of controls that a lesson hides, as in the URL.
    pub hide: Vec<String>,
    /// The choices of every workspace that has been entered or linked to.
    chosen: BTreeMap<Page, Chosen>,
}

/// A workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Page {
    /// One frozen transformer plays any other.
    #[default]
    Universal,
    /// Why it must be wide.
    Width,
    /// The language of transformers, alive.
    Rasp,
    /// Attention, simulated by attention.
    Simulator,
    /// Only the roll is trained.
    Training,
}

impl Page {
    /// Those that stand, in the order of the navigation.
    pub const ALL: [Page; 5] = [Page::Universal, Page::Width, Page::Rasp, Page::Simulator, Page::Training];

    /// The word for it in the URL.
    pub fn word(self) -> &'static str {
        match self {
            Page::Universal => "universal",
            Page::Width => "width",
            Page::Rasp => "rasp",
            Page::Simulator => "simulator",
            Page::Training => "training",
        }
    }
}

/// The keys of the shell; all others belong to the workspace.
const PAGE: &str = "page";
const EMBED: &str = "embed";
const HIDE: &str = "hide";

impl AppState {
    /// One workspace, open.
    pub fn of<T: Choices>(choices: T) -> AppState {
        let mut state = AppState { page: T::PAGE, ..AppState::default() };
        state.change(|chosen| *chosen = choices);
        state
    }

    /// Reads a link, the choices of one workspace with it; see [`AppState::follow`] for the others.
    pub fn decode<T: Choices>(text: &str) -> (AppState, Vec<BadValue>) {
        let mut state = AppState::default();
        state.enter::<T>();
        let bad_values = state.follow(text);
        (state, bad_values)
    }

    /// Follows a link: its page, and what it says of that workspace. What was chosen in others stays. A workspace
    /// that has not been entered reads the link when it is. Unknown keys are ignored; a bad value is reported and
    /// its default stands.
    pub fn follow(&mut self, text: &str) -> Vec<BadValue> {
        let mut query = Query::parse(text);
        self.page = query.word(PAGE, Page::default(), &Page::ALL.map(|page| (page.word(), page)));
        self.embed = query.word(EMBED, false, &[("1", true), ("0", false)]);
        self.hide = query
            .text(HIDE)
            .map(|names| {
                names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
            })
            .unwrap_or_default();
        let chosen = match self.chosen.get(&self.page) {
            Some(Chosen::Known(choices)) => Chosen::Known(choices.read(&mut query)),
            _ => Chosen::Unread(query.without(&[PAGE, EMBED, HIDE])),
        };
        self.chosen.insert(self.page, chosen);
        query.into_bad_values()
    }

    /// A workspace is here: what a link says of it can be read.
    pub fn enter<T: Choices>(&mut self) -> Vec<BadValue> {
        let mut query = match self.chosen.get(&T::PAGE) {
            Some(Chosen::Known(_)) => return Vec::new(),
            Some(Chosen::Unread(query)) => query.clone(),
            None => Query::default(),
        };
        self.chosen.insert(T::PAGE, Chosen::Known(Box::new(T::decode(&mut query))));
        query.into_bad_values()
    }

    /// What was chosen in a workspace.
    pub fn choices<T: Choices>(&self) -> Cow<'_, T> {
        match self.chosen.get(&T::PAGE) {
            Some(Chosen::Known(choices)) => choices.as_any().downcast_ref().map(Cow::Borrowed),
            Some(Chosen::Unread(query)) => Some(Cow::Owned(T::decode(&mut query.clone()))),
            None => None,
        }
        .unwrap_or_default()
    }

    /// Changes what was chosen in a workspace.
    pub fn change<T: Choices>(&mut self, change: impl FnOnce(&mut T)) {
        self.enter::<T>();
        if let Some(Chosen::Known(choices)) = self.chosen.get_mut(&T::PAGE)
            && let Some(choices) = choices.as_any_mut().downcast_mut()
        {
            change(choices);
        }
    }

    /// The query of the URL, without the leading `?`. Only what differs from the default is written.
    pub fn encode(&self) -> String {
        let mut query = Query::default();
        query.set(PAGE, self.page.word());
        if self.embed {
            query.set(EMBED, "1");
        }
        if !self.hide.is_empty() {
            query.set(HIDE, self.hide.join(","));
        }
        match self.chosen.get(&self.page) {
            Some(Chosen::Known(choices)) => choices.write(&mut query),
            Some(Chosen::Unread(unread)) => query.append(unread),
            None => {}
        }
        query.to_string()
    }

    /// Whether a link can carry all that is on show.
    pub fn fits_a_link(&self) -> bool {
        match self.chosen.get(&self.page) {
            Some(Chosen::Known(choices)) => choices.fits(),
            _ => true,
        }
    }
}
