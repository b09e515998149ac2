//! What all panels of the workspace share: the program, its last run, and the moment that is looked at.

use std::sync::Arc;

use leptos::prelude::*;
use rasp::{Atom, Failed, Sequence, Severity, Span, Step};

use super::timeline::{Now, Timeline};
use crate::drawing::clock::Clock;
use crate::notices::Notices;
use crate::rooms::rasp::choices::{Desk, Look, Moment, Pace, Piece, RaspState};
use crate::rooms::rasp::job::{self as job, Answer, Complaint, Ran, Run};
use crate::shell::app::Store;
use crate::work::client::{Client, Line};
use crate::work::protocol::{self, Packed, Request};

/// The shared part of the workspace; a context, cheap to copy.
#[derive(Clone, Copy)]
pub struct Room {
    store: Store,
    client: Client,
    notices: Notices,
    /// Everything that decides a result.
    pub desk: Memo<Desk>,
    /// The program and its input.
    pub piece: Memo<Piece>,
    /// How the run is looked at.
    pub look: Memo<Look>,
    /// The newest run. It may lag behind `desk`, and it stays when a program cannot run.
    pub played: RwSignal<Option<Arc<Played>>>,
    /// What is wrong with the newest program.
    pub complaints: RwSignal<Arc<Vec<Complaint>>>,
    /// The names that every program can use.
    pub names: RwSignal<Vec<String>>,
    /// The time of the animation.
    pub clock: Clock,
    /// What is going on at that time; it changes in every frame of the animation.
    pub now: Memo<Option<Now>>,
    /// The step that is on show; it changes from act to act.
    pub step: Memo<Option<usize>>,
    /// What the pointer or the keyboard is on: a query position, and a key position of it.
    pub hovered: RwSignal<Option<(usize, Option<usize>)>>,
}

/// A run with the times of its animation.
#[derive(Debug)]
pub struct Played {
    /// The choices that it belongs to.
    pub desk: Desk,
    /// The run.
    pub run: Run,
    /// Its animation.
    pub timeline: Timeline,
}

impl Played {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.timeline.positions
    }

    /// The step at which the run ended before its time.
    pub fn failed(&self) -> Option<&Failed> {
        self.run.trace.failed.as_ref()
    }

    /// Where a step failed, if it did.
    pub fn failed_at(&self, step: usize) -> Option<usize> {
        self.failed().filter(|failed| failed.step == step)?.position
    }

    /// The values of a step. Those of the step that failed end before the position where it did.
    pub fn values(&self, step: usize) -> Option<&Sequence> {
        match self.failed() {
            Some(failed) if failed.step == step => failed.before.as_ref(),
            _ => self.run.trace.steps[step].value.as_ref(),
        }
    }

    /// The value of a step at a position, if it was computed.
    pub fn value(&self, step: usize, position: usize) -> Option<Atom> {
        self.values(step).filter(|values| position < values.len()).map(|values| values.get(position))
    }

    /// What a step is called: its name, or else its own text.
    pub fn title(&self, step: usize) -> String {
        let Step { name, .. } = &self.run.trace.steps[step];
        name.clone().unwrap_or_else(|| self.formula(step))
    }

    /// What a step does, in the names of its operands: `tokens == "a"`.
    pub fn formula(&self, step: usize) -> String {
        super::words::formula(&self.run.trace, step)
    }

    /// The step that the program describes most narrowly at a byte.
    pub fn step_at(&self, at: usize) -> Option<usize> {
        let holds = |span: &Span| span.start <= at && at <= span.end;
        let size = |span: &Span| span.end - span.start;
        let acts = self.timeline.acts.iter();
        acts.filter_map(|act| {
            let step = &self.run.trace.steps[act.step];
            let spans = step.also.iter().chain([&step.span]).filter(|span| holds(span));
            spans.map(size).min().map(|size| (size, act.step))
        })
        // Of those that are as narrow, the last one is the whole expression.
        .min_by_key(|(size, step)| (*size, std::cmp::Reverse(*step)))
        .map(|(_, step)| step)
    }
}

impl Room {
    /// Sets up the shared part, asks the worker for the first run and for a new one whenever the program or the
    /// input changes, and offers itself as a context.
    pub fn provide() -> Room {
        let store = Store::entered::<RaspState>();
        let desk = store.memo(|state: &RaspState| &state.desk);
        let piece = Memo::new(move |_| desk.with(|desk| desk.piece.clone()));
        let look = store.memo(|state: &RaspState| &state.look);
        let played = RwSignal::new(None::<Arc<Played>>);
        let length = Signal::derive(move || {
            played.with(|played| played.as_ref().map_or(0.0, |played| played.timeline.length()))
        });
        let clock = Clock::new(RwSignal::new(0.0), length);
        let now = Memo::new(move |_| {
            let time = clock.position();
            played.with(|played| played.as_ref().and_then(|played| played.timeline.at(time)))
        });
        let step = Memo::new(move |_| {
            let act = now.get()?.act;
            played.with(|played| Some(played.as_ref()?.timeline.acts.get(act)?.step))
        });
        let room = Room {
            store,
            client: expect_context::<Client>(),
            notices: expect_context::<Notices>(),
            desk,
            piece,
            look,
            played,
            complaints: RwSignal::new(Arc::default()),
            names: RwSignal::new(Vec::new()),
            clock,
            now,
            step,
            hovered: RwSignal::new(None),
        };
        Effect::new(move |_| {
            desk.track();
            room.run();
        });
        // Back, Forward and links bring a moment; the clock is theirs to set.
        Effect::new(move |before: Option<Option<Moment>>| {
            let moment = look.get().moment;
            if before.is_some_and(|before| before != moment) && moment != room.moment() {
                room.show(moment);
            }
            moment
        });
        provide_context(room);
        room
    }

    /// Runs the program again.
    pub fn run(self) {
        let desk = self.desk.get_untracked();
        self.client.ask(Line::Rasp, Request::Rasp(Packed::of(&job::Request::Run(desk))), move |answer| {
            match answer.map(protocol::Answer::rasp) {
                Ok(Some(Answer::Ran(ran))) => {
                    self.notices.clear_failures();
                    self.take(*ran);
                }
                Ok(_) => {}
                Err(failure) => self.notices.failure(failure),
            }
        });
    }

    /// Changes the program, the input or the files. What was looked at is kept as far as it can be.
    pub fn change(self, change: impl FnOnce(&mut Desk)) {
        self.store.change(|RaspState { desk, .. }| change(desk));
    }

    /// Puts something else on the desk.
    pub fn open(self, desk: Desk) {
        self.clock.pause();
        self.store.change(|state: &mut RaspState| {
            state.desk = desk;
            state.look.moment = None;
        });
    }

    /// Changes how the run is looked at.
    pub fn change_look(self, change: impl FnOnce(&mut Look)) {
        self.store.change(|RaspState { look, .. }| change(look));
    }

    /// What the person did with the scrubber is kept, once it has come to rest.
    pub fn keep_moment(self) {
        if untrack(|| self.clock.is_playing()) {
            return;
        }
        let destination = untrack(|| self.clock.destination());
        let moment =
            self.played.with_untracked(|played| played.as_ref().map(|it| it.timeline.moment(destination)));
        if moment.is_some() && moment != self.moment() {
            self.change_look(|look| look.moment = moment);
        }
    }

    /// Jumps to the end of a step.
    pub fn jump(self, step: usize) {
        let end = self.played.with_untracked(|played| played.as_ref().map(|it| it.timeline.end_of(step)));
        if let Some(end) = end {
            self.clock.seek(end);
            self.keep_moment();
        }
    }

    /// Where the animation may rest.
    pub fn stops(self, pace: Pace) -> Vec<f64> {
        self.played.with(|played| played.as_ref().map(|it| it.timeline.stops(pace)).unwrap_or_default())
    }

    /// The moment that the link says, or the telling one in its place.
    fn moment(self) -> Option<Moment> {
        self.look.get_untracked().moment.or_else(|| {
            self.played.with_untracked(|played| played.as_ref().map(|it| it.timeline.telling(&it.run.trace)))
        })
    }

    /// Whether the newest program or its input is broken.
    pub fn has_errors(self) -> bool {
        self.complaints
            .with(|complaints| complaints.iter().any(|complaint| complaint.severity == Severity::Error))
    }

    fn show(self, moment: Option<Moment>) {
        let time = self.played.with_untracked(|played| {
            let played = played.as_ref()?;
            let moment = moment.unwrap_or_else(|| played.timeline.telling(&played.run.trace));
            Some(played.timeline.time(moment))
        });
        if let Some(time) = time {
            self.clock.seek(time);
        }
    }

    fn take(self, ran: Ran) {
        let Ran { desk, complaints, names, run } = ran;
        // The page may have been left in the meantime.
        if self.complaints.try_set(Arc::new(complaints)).is_some() {
            return;
        }
        self.names.set(names);
        let Some(run) = run else { return };
        let timeline = Timeline::new(&run.trace, run.input.len());
        let is_same_program = self.played.with_untracked(|played| {
            played.as_ref().is_some_and(|played| {
                played.desk.piece.program == desk.piece.program
                    && played.timeline.acts.len() == timeline.acts.len()
            })
        });
        // Another input of the same program is looked at in the same act.
        let act = self.now.get_untracked().filter(|_| is_same_program);
        let was_playing = untrack(|| self.clock.is_playing());
        self.hovered.set(None);
        self.played.set(Some(Arc::new(Played { desk, run, timeline })));
        match (act, self.look.get_untracked().moment) {
            (Some(_), _) if was_playing => {}
            (Some(now), Some(_)) => self.show(Some(Moment { primitives: now.act + 1, positions: 0 })),
            (_, moment) => self.show(moment),
        }
    }
}
