//! The worker's answers to the workspace “Width”, without a browser: they are the engine's, and a draw is the same in
//! the workspace “Universal”.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use futures_executor::block_on;
use pianola::rooms::universal::job as play;
use pianola::rooms::width::choices::WidthState;
use pianola::rooms::width::job::{self, Cast, Draw, Look, Point};
use pianola::work::protocol::{Answer, Packed, Request};
use pianola::work::serve::Engine;
use universal::sweep::{Sample, Stage};
use universal::{Consumer, Law, RandomSpec, Table, Tying};

#[test]
fn a_job_of_many_points_gives_each_its_sample() {
    let state = WidthState::default();
    let cast = Cast { class: state.class, seed: 4, tokens: 5 };
    let other = Cast { seed: 5, ..cast };
    let points: Vec<Point> = state
        .widths()
        .into_iter()
        .flat_map(|width| [(cast, draw(width, Law::Gaussian)), (other, draw(width, Law::Sign))])
        .collect();
    let samples = samples(job::Request::Sample(points.clone()));
    assert_eq!(samples.len(), points.len());
    let equations = state.equations() as usize;
    for ((cast, draw), sample) in points.into_iter().zip(samples) {
        let stage = Stage::drawn(cast.class, cast.seed, cast.tokens).unwrap();
        assert_eq!(sample, stage.sample(draw.spec, draw.seed).unwrap().0);
        match draw.spec.width {
            width if width < equations => assert!(sample.error > 1e-3, "{sample:?}"),
            width if width > equations + 1 => assert!(sample.error < 1e-9, "{sample:?}"),
            _ => {}
        }
    }
}

#[test]
fn grades_are_the_same_samples_with_an_error_in_single_precision() {
    let state = WidthState::default();
    let cast = Cast { class: state.class, seed: 4, tokens: 5 };
    let points: Vec<Point> = (40..=50).map(|width| (cast, draw(width, Law::Uniform))).collect();
    let graded = samples(job::Request::Grade(points.clone()));
    for (graded, sample) in graded.into_iter().zip(samples(job::Request::Sample(points))) {
        assert!(graded.single_error.unwrap() > 1e3 * graded.error, "{graded:?}");
        assert_eq!(Sample { single_error: None, ..graded }, sample);
    }
}

#[test]
fn the_draw_under_the_marker_is_played_alike_in_the_main_room() {
    let own = Law::Table(Table::new(&[-1.0, 0.5, 2.0]).unwrap());
    for (law, tying, spare) in
        [(Law::Gaussian, Tying::Free, 0), (Law::Sign, Tying::Tied, -3), (own, Tying::Free, 4)]
    {
        let state = WidthState { laws: vec![law], tying, spare, seed: 11, ..WidthState::default() };
        let cast = Cast { class: state.class, seed: state.seed, tokens: state.tokens };
        let spec = RandomSpec { law, tying, width: state.marked_width().unwrap() };
        let look = look(cast, Draw { spec, seed: state.frozen_seed });
        let piece = state.marked_piece(look.input.clone()).unwrap();
        let request = play::Request { piece, consumer: Consumer::Output };
        let played = match block_on(Engine::default().answer(Request::Universal(Box::new(request)))).unwrap()
        {
            Answer::Universal(played) => played,
            other => panic!("{other:?}"),
        };
        assert_eq!(played.frozen.width, spec.width);
        assert_eq!(played.target_trace.output, look.target_output);
        assert_eq!(played.universal_trace.output, look.universal_output);
        assert_eq!(played.proof.output, look.sample.error);
    }
}

fn draw(width: usize, law: Law) -> Draw {
    Draw { spec: RandomSpec { law, tying: Tying::Free, width }, seed: 9 }
}

fn answer(request: &job::Request) -> job::Answer {
    let request = Request::Width(Packed::of(request));
    block_on(Engine::default().answer(request)).unwrap().width().unwrap()
}

fn samples(request: job::Request) -> Vec<Sample> {
    match answer(&request) {
        job::Answer::Samples(samples) => samples,
        other => panic!("{other:?}"),
    }
}

fn look(cast: Cast, draw: Draw) -> Look {
    match answer(&job::Request::Look(cast, draw)) {
        job::Answer::Look(look) => *look,
        other => panic!("{other:?}"),
    }
}
