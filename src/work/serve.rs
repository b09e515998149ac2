//! What the worker does with a request. It runs natively too, so that it can be tested without a browser.

use super::protocol::{Answer, Failure, Packed, Request};
use crate::rooms::rasp::job as rasp;
use crate::rooms::simulator::job as simulator;
use crate::rooms::training::job as training;
use crate::rooms::universal::choices::{Construction, Piece};
use crate::rooms::universal::files as import;
use crate::rooms::universal::job::{self as universal, Workshop};
use crate::rooms::width::job as width;

/// The worker's memory between requests: what is expensive and may be wanted again.
#[derive(Debug, Default)]
pub struct Engine {
    universal: Workshop,
    width: width::Workshop,
    simulator: simulator::Workshop,
    training: training::Workshop,
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
            Request::Width(request) => draw(&mut self.width, Box::new(request)).await?,
            Request::Rasp(request) => run(Box::new(request)).await?,
            Request::Simulator(request) => simulate(&mut self.simulator, Box::new(request)).await?,
            Request::Training(request) => train(&mut self.training, Box::new(request)).await?,
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

crate::part! { dense:
    fn draw(workshop: &mut width::Workshop, request: Box<Packed<width::Request>>) -> Result<Answer, Failure> {
        workshop.answer(request.open()?).map(|answer| Answer::Width(Packed::of(&answer)))
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

crate::part! { rasp_engine:
    fn run(request: Box<Packed<rasp::Request>>) -> Result<Answer, Failure> {
        rasp::answer(request.open()?).map(|answer| Answer::Rasp(Packed::of(&answer)))
    }
}

crate::part! { rasp_engine:
    fn simulate(workshop: &mut simulator::Workshop, request: Box<Packed<simulator::Request>>) -> Result<Answer, Failure> {
        workshop.answer(request.open()?).map(|answer| Answer::Simulator(Packed::of(&answer)))
    }
}

crate::part! { training_engine:
    fn train(workshop: &mut training::Workshop, request: Box<Packed<training::Request>>) -> Result<Answer, Failure> {
        workshop.answer(request.open()?).map(|answer| Answer::Training(Packed::of(&answer)))
    }
}
