//! What the worker does with a request. It runs natively too, so that it can be tested without a browser.

use super::protocol::{Answer, Failure, Request};
use super::{import, rasp, simulator, universal, width};

/// The worker's memory between requests: what is expensive and may be wanted again.
#[derive(Debug, Default)]
pub struct Engine {
    universal: universal::Workshop,
    width: width::Workshop,
    simulator: simulator::Workshop,
}

impl Engine {
    /// Answers one request.
    pub fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        match request {
            Request::Universal(request) => {
                self.universal.play(*request).map(|played| Answer::Universal(Box::new(played)))
            }
            Request::Import(request) => import::read(request, &mut self.universal).map(Answer::Import),
            Request::Export(piece, kind) => {
                import::write(*piece, kind, &mut self.universal).map(Answer::Export)
            }
            Request::Width(request) => self.width.answer(request).map(Answer::Width),
            Request::Rasp(request) => rasp::answer(request).map(Answer::Rasp),
            Request::Simulator(request) => self.simulator.answer(request).map(Answer::Simulator),
        }
    }
}
