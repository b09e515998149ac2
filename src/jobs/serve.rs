//! What the worker does with a request. It runs natively too, so that it can be tested without a browser.

use super::import;
use super::protocol::{Answer, Failure, Request};
use super::universal::{self, Workshop};
use crate::state::universal::{Construction, Piece};

/// The worker's memory between requests: what is expensive and may be wanted again.
#[derive(Debug, Default)]
pub struct Engine {
    universal: Workshop,
}

impl Engine {
    /// Answers one request.
    ///
    /// # Errors
    /// When what is asked for is not possible.
    pub async fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        let workshop = &mut self.universal;
        match request {
            Request::Universal(request) => match request.piece.construction {
                Construction::Random => play_random(workshop, request).await?,
                Construction::Sparse | Construction::Looped => play_routed(workshop, *request),
            },
            Request::Import(request) => read(workshop, Box::new(request)).await?,
            Request::Export(piece, kind) => write(workshop, piece, kind).await?,
        }
    }
}

fn play_routed(workshop: &mut Workshop, request: universal::Request) -> Result<Answer, Failure> {
    workshop.play(request, universal::routed).map(|played| Answer::Universal(Box::new(played)))
}

// Random weights need dense algebra, which is the larger part of the engine.
crate::part! { dense:
    fn play_random(workshop: &mut Workshop, request: Box<universal::Request>) -> Result<Answer, Failure> {
        workshop.play(*request, ::universal::UniversalTransformer::new).map(|played| Answer::Universal(Box::new(played)))
    }
}

crate::part! { files:
    fn read(workshop: &mut Workshop, request: Box<import::Request>) -> Result<Answer, Failure> {
        import::read(*request, workshop).map(Answer::Import)
    }
}

crate::part! { files:
    fn write(workshop: &mut Workshop, piece: Box<Piece>, kind: import::ExportKind) -> Result<Answer, Failure> {
        import::write(*piece, kind, workshop).map(Answer::Export)
    }
}
