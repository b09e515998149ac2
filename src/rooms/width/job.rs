//! Sampling for the workspace “Width”: a few random universal transformers for each job, so that the page may pause,
//! cancel and show points when they are there.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use transformer::Class;
use universal::sweep::{Sample, Stage, TieErrors};
use universal::witness::{Path, Walk, Witness};
use universal::{Law, RandomSpec, Tying};

use crate::work::protocol::Failure;

/// Which target, and which draw of frozen weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Draw {
    /// Law, tying and width of the frozen weights.
    pub spec: RandomSpec,
    /// Their seed.
    pub seed: u64,
}

/// The target that all draws have to play.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cast {
    /// Its class.
    pub class: Class,
    /// Its seed, and that of its input.
    pub seed: u64,
    /// Rows of the input.
    pub tokens: usize,
}

/// One point: a target, and a draw that has to play it.
pub type Point = (Cast, Draw);

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Points of a sweep.
    Sample(Vec<Point>),
    /// The same with their errors in single precision.
    Grade(Vec<Point>),
    /// What becomes of the ties of several targets.
    Ties {
        /// Seed of the first target; the others count up from it.
        seed: u64,
        /// Seed of the first random weights; the others count up from it.
        frozen_seed: u64,
    },
    /// One point with its matrices.
    Look(Cast, Draw),
    /// The path from the sparse weights to random ones, some steps farther; the width of the draw is not used.
    Witness {
        /// Target and draw.
        point: Point,
        /// Steps that the page knows already; 0 begins anew.
        from: usize,
        /// How many steps to go on.
        steps: usize,
    },
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Points of a sweep, in the order in which they were asked for.
    Samples(Vec<Sample>),
    /// One point with its matrices.
    Look(Box<Look>),
    /// The path from the sparse weights to random ones, as far as it is known.
    Witness {
        /// What has been found.
        path: Path,
        /// Steps that have been taken.
        done: usize,
        /// Steps that are known to come.
        left: usize,
    },
    /// What becomes of ties, target by target.
    Ties(Vec<TieErrors>),
}

/// A target and a random universal transformer side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The numbers of the draw.
    pub sample: Sample,
    /// The input of both, n × d.
    pub input: Array2<f64>,
    /// Output of the target, n × d.
    pub target_output: Array2<f64>,
    /// Output of the universal transformer, n × d.
    pub universal_output: Array2<f64>,
    /// Attention of the target, layer by layer and head by head, n × n.
    pub target_attention: Vec<Vec<Array2<f64>>>,
    /// The same of the universal transformer.
    pub universal_attention: Vec<Vec<Array2<f64>>>,
}

/// How many targets are played whose attention ties.
const TIED_TARGETS: u64 = 20;

/// Tokens of each.
const TIED_TOKENS: usize = 8;

/// The steps of the grid of a witness, from t = 0 to t = 1.
pub const WITNESS_STEPS: usize = 200;

/// What is kept between requests: all draws of a sweep play one target.
#[derive(Debug, Default)]
pub struct Workshop {
    stage: Option<(Cast, Stage)>,
    /// The walk that was begun last.
    walk: Option<(Point, Walk)>,
}

impl Workshop {
    /// Answers a request.
    ///
    /// # Errors
    /// When the class is not possible or the draw is too large.
    pub fn answer(&mut self, request: Request) -> Result<Answer, Failure> {
        match request {
            Request::Sample(points) => {
                let sample = |(cast, draw): Point| Ok(self.stage(cast)?.sample(draw.spec, draw.seed)?.0);
                points.into_iter().map(sample).collect::<Result<_, Failure>>().map(Answer::Samples)
            }
            Request::Grade(points) => {
                let grade = |(cast, draw): Point| Ok(self.stage(cast)?.graded(draw.spec, draw.seed)?);
                points.into_iter().map(grade).collect::<Result<_, Failure>>().map(Answer::Samples)
            }
            Request::Ties { seed, frozen_seed } => {
                let play = |number: u64| -> Result<TieErrors, Failure> {
                    let stage = Stage::tied(seed.wrapping_add(number), TIED_TOKENS)?;
                    let least = universal::Bounds::of(stage.target().class()).random_minimum as usize;
                    // A little over N, so that the equations are well conditioned and ties are all that is left.
                    let spec =
                        RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: least + least / 2 };
                    Ok(stage.tie_errors(spec, frozen_seed.wrapping_add(number))?)
                };
                (0..TIED_TARGETS).map(play).collect::<Result<_, _>>().map(Answer::Ties)
            }
            Request::Look(cast, draw) => {
                let stage = self.stage(cast)?;
                let (sample, played) = stage.sample(draw.spec, draw.seed)?;
                let trace = stage.trace();
                Ok(Answer::Look(Box::new(Look {
                    sample,
                    input: stage.input().to_owned(),
                    target_output: trace.output.clone(),
                    universal_output: played.output,
                    target_attention: trace.attention.clone(),
                    universal_attention: played.attention,
                })))
            }
            Request::Witness { point, from, steps } => {
                let (cast, draw) = point;
                let kept = self.walk.take().filter(|(kept, _)| *kept == point && from > 0);
                let mut walk = match kept {
                    Some((_, walk)) => walk,
                    None => Walk::new(Witness::new(cast.class, draw.spec, draw.seed)?, WITNESS_STEPS),
                };
                let stage = self.stage(cast)?;
                for _ in 0..steps {
                    walk.step(stage)?;
                }
                let (path, (done, left)) = (walk.found().clone(), walk.steps());
                self.walk = Some((point, walk));
                Ok(Answer::Witness { path, done, left })
            }
        }
    }

    fn stage(&mut self, cast: Cast) -> Result<&Stage, Failure> {
        let kept = self.stage.take().filter(|(kept, _)| *kept == cast);
        let entry = match kept {
            Some(entry) => entry,
            None => (cast, Stage::drawn(cast.class, cast.seed, cast.tokens)?),
        };
        Ok(&self.stage.insert(entry).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::width::choices::WidthState;

    #[test]
    fn a_point_is_the_same_alone_and_with_its_matrices() {
        let state = WidthState::default();
        let cast = Cast { class: state.class, seed: 1, tokens: 5 };
        let width = usize::try_from(state.equations()).unwrap() - 1;
        let draw = Draw { spec: RandomSpec { law: Law::Gaussian, tying: Tying::Free, width }, seed: 7 };
        let mut workshop = Workshop::default();
        let Answer::Samples(samples) = workshop.answer(Request::Sample(vec![(cast, draw)])).unwrap() else {
            panic!("a sample was asked for")
        };
        let [sample] = samples.as_slice() else { panic!("one sample was asked for") };
        let Answer::Look(look) = workshop.answer(Request::Look(cast, draw)).unwrap() else {
            panic!("a look was asked for")
        };
        assert_eq!(look.sample, *sample);
        let differences = &look.target_output - &look.universal_output;
        assert_eq!(sample.error, differences.iter().fold(0.0, |a: f64, b| a.max(b.abs())));
        let matrices = look.universal_attention.iter().map(Vec::len).sum::<usize>();
        assert_eq!(matrices, state.class.layers * state.class.heads);
    }

    #[test]
    fn a_path_that_is_asked_for_in_pieces_is_the_whole_path() {
        let state = WidthState::default();
        let cast = Cast { class: Class { layers: 1, ..state.class }, seed: 1, tokens: 5 };
        let draw = Draw { spec: RandomSpec { law: Law::Gaussian, tying: Tying::Free, width: 1 }, seed: 7 };
        let mut workshop = Workshop::default();
        let mut walk = |from: usize, steps: usize| {
            let request = Request::Witness { point: (cast, draw), from, steps };
            let Answer::Witness { path, done, left } = workshop.answer(request).unwrap() else {
                panic!("a path was asked for")
            };
            (path, done, left)
        };
        let whole = walk(0, usize::from(u16::MAX));
        assert_eq!(whole.2, 0);
        let (_, mut done, mut left) = walk(0, 30);
        assert_eq!(done, 30);
        let mut path = Path::default();
        while left > 0 {
            (path, done, left) = walk(done, 100);
        }
        assert_eq!((path, done), (whole.0, whole.1));
    }
}
