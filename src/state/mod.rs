//! What a person chose: one plain struct for each workspace, to and from the URL. No view code here.

pub mod history;
pub mod law;
pub mod query;
pub mod rasp;
pub mod simulator;
pub mod universal;
pub mod width;

use serde::{Deserialize, Serialize};

use query::{BadValue, Query};
use rasp::RaspState;
use simulator::SimulatorState;
use universal::UniversalState;
use width::WidthState;

/// Everything that a person chose and that a shared link repeats. Theme and language belong to the
/// reader, not to the link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AppState {
    /// The workspace that is open.
    pub page: Page,
    /// Whether the page is part of a lesson: no navigation around it.
    pub embed: bool,
    /// Names of controls that a lesson hides, as in the URL.
    pub hide: Vec<String>,
    /// The workspace “Universal”.
    pub universal: UniversalState,
    /// The workspace “Width”.
    pub width: WidthState,
    /// The workspace “RASP”.
    pub rasp: RaspState,
    /// The workspace “Simulator”.
    pub simulator: SimulatorState,
}

/// A workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
}

impl Page {
    /// Those that stand, in the order of the navigation.
    pub const ALL: [Page; 4] = [Page::Universal, Page::Width, Page::Rasp, Page::Simulator];

    /// The word for it in the URL.
    pub fn word(self) -> &'static str {
        match self {
            Page::Universal => "universal",
            Page::Width => "width",
            Page::Rasp => "rasp",
            Page::Simulator => "simulator",
        }
    }
}

impl AppState {
    /// The query of the URL, without the leading `?`. Only what differs from the default is written.
    pub fn encode(&self) -> String {
        let mut query = Query::default();
        query.set("page", self.page.word());
        if self.embed {
            query.set("embed", "1");
        }
        if !self.hide.is_empty() {
            query.set("hide", self.hide.join(","));
        }
        match self.page {
            Page::Universal => self.universal.encode(&mut query),
            Page::Width => self.width.encode(&mut query),
            Page::Rasp => self.rasp.encode(&mut query),
            Page::Simulator => self.simulator.encode(&mut query),
        }
        query.to_string()
    }

    /// Whether a link can carry all that is on show.
    pub fn fits_a_link(&self) -> bool {
        match self.page {
            Page::Universal => self.universal.piece.fits_a_link(),
            Page::Width => true,
            Page::Rasp => self.rasp.piece.fits_a_link(),
            Page::Simulator => self.simulator.piece.fits_a_link(),
        }
    }

    /// Reads a query. Unknown keys are ignored; a bad value is reported and its default stands.
    pub fn decode(text: &str) -> (Self, Vec<BadValue>) {
        let mut query = Query::parse(text);
        let page = query.word("page", Page::default(), &Page::ALL.map(|page| (page.word(), page)));
        let embed = query.word("embed", false, &[("1", true), ("0", false)]);
        let hide = query
            .text("hide")
            .map(|names| {
                names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
            })
            .unwrap_or_default();
        let mut state = AppState { page, embed, hide, ..AppState::default() };
        match page {
            Page::Universal => state.universal = UniversalState::decode(&mut query),
            Page::Width => state.width = WidthState::decode(&mut query),
            Page::Rasp => state.rasp = RaspState::decode(&mut query),
            Page::Simulator => state.simulator = SimulatorState::decode(&mut query),
        }
        (state, query.into_bad_values())
    }
}
