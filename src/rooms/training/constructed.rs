//! What is learned beside what is constructed: for some tasks a program of RASP has every answer.

use leptos::prelude::*;

use super::bridges::open_in_rasp;
use super::room::Room;
use crate::ground::language::{Language, text_of, use_language};
use crate::notices::numbers::whole;
use crate::rooms::rasp::job::{self, Exam, Graded};
use crate::rooms::training::choices::{Model, Plan, Settings};
use crate::rooms::training::job::{Answer, Member, Request};
use crate::widgets::controls::Button;
use crate::work::client::Line;
use crate::work::protocol::{self, Packed};

/// What the program says, once it has been run; cheap to copy.
#[derive(Clone, Copy)]
pub struct Constructed {
    /// On the sequence that is looked at.
    on_sequence: RwSignal<Option<OnSequence>>,
    /// On the held-out sequences of a task and seed.
    held_out: RwSignal<Option<(Member, Graded)>>,
    subject: Memo<Option<(Member, Vec<u16>)>>,
}

#[derive(Clone, PartialEq)]
struct OnSequence {
    subject: (Member, Vec<u16>),
    program: String,
    input: String,
    answers: Vec<Option<u16>>,
}

impl Constructed {
    /// Runs the program whenever another sequence is looked at, and once on the held-out sequences of a task.
    pub fn provide(room: Room) -> Constructed {
        let tokens = room.with_pictures(|look, _| look.tokens.clone());
        let subject = Memo::new(move |_| {
            let member = room.selected.get()?.0.member();
            tokens.get().map(|tokens| (alike(member), tokens))
        });
        let member = Memo::new(move |_| subject.with(|it| it.as_ref().map(|(member, _)| member.clone())));
        let constructed =
            Constructed { on_sequence: RwSignal::new(None), held_out: RwSignal::new(None), subject };
        Effect::new(move |_| {
            let Some(subject) = subject.get() else { return };
            let (member, tokens) = subject.clone();
            examine(room, Line::TrainConstructed, member, Some(tokens), move |exam, graded| {
                let input = exam.sheets.into_iter().next().map(|sheet| sheet.input).unwrap_or_default();
                let Graded { answers, .. } = graded;
                let found = OnSequence { subject, program: exam.program, input, answers };
                // The page may have been left in the meantime.
                constructed.on_sequence.try_set(Some(found));
            });
        });
        Effect::new(move |_| {
            let Some(member) = member.get() else { return };
            if constructed
                .held_out
                .with_untracked(|it| it.as_ref().is_some_and(|(known, _)| *known == member))
            {
                return;
            }
            examine(room, Line::TrainConstructedHeldOut, member.clone(), None, move |_, graded| {
                constructed.held_out.try_set(Some((member, graded)));
            });
        });
        constructed
    }

    /// What it answers to each question about the sequence that is looked at, in their order.
    pub fn answers(self) -> Option<Vec<Option<u16>>> {
        self.found(|found| found.answers.clone())
    }

    fn found<T>(self, read: impl FnOnce(&OnSequence) -> T) -> Option<T> {
        let subject = self.subject.get()?;
        self.on_sequence.with(|found| found.as_ref().filter(|found| found.subject == subject).map(read))
    }

    /// The share of the held-out answers that are right, and of how many.
    fn score(self) -> Option<(f64, usize)> {
        let (member, _) = self.subject.get()?;
        let graded = self.held_out.get().filter(|(known, _)| *known == member)?.1;
        (graded.asked > 0).then(|| (graded.right as f64 / graded.asked as f64, graded.asked))
    }
}

/// The accuracy of both, and the way to the program.
#[component]
pub fn ConstructedNote(constructed: Constructed) -> impl IntoView {
    let room = expect_context::<Room>();
    let t = use_language();
    let has_program = Memo::new(move |_| constructed.found(|_| ()).is_some());
    let built = move || {
        let t = t.get();
        match constructed.score() {
            Some((share, count)) => t.training_built_score(&t.training_share(share), &whole(count, t)),
            None => t.training_built_wait().to_owned(),
        }
    };
    let learned = move || {
        let t = t.get();
        let run = room.selected.get()?.0;
        let accuracy = run.evaluations.with(|all| all.last().map(|it| it.accuracy))?;
        Some(t.training_learned_score(&t.training_run(run), &t.training_share(accuracy)))
    };
    let open = move |()| {
        if let Some((program, input)) =
            untrack(|| constructed.found(|found| (found.program.clone(), found.input.clone())))
        {
            open_in_rasp(room, program, input);
        }
    };
    move || {
        has_program.get().then(|| {
            view! {
                <div class="training-constructed">
                    <p>{built}" "{learned}</p>
                    <Button label=text_of(t, Language::training_open_in_rasp) on_press=open/>
                </div>
            }
        })
    }
}

/// The member whose data are the same, whoever learns from them and however.
fn alike(member: Member) -> Member {
    let Member { plan, seed, .. } = member;
    let plan = Plan { task: plan.task, seed, ..Plan::default() };
    Member { plan: Plan { settings: Settings::default(), ..plan }, model: Model::Sparse, seed }
}

/// Puts the questions to the program. A task without one has no answer.
fn examine(
    room: Room,
    line: Line,
    member: Member,
    tokens: Option<Vec<u16>>,
    then: impl FnOnce(Exam, Graded) + 'static,
) {
    let client = room.lab.client;
    let request = Request::Constructed(Box::new(member), tokens);
    client.ask(line, protocol::Request::Training(Packed::of(&request)), move |answer| {
        let exam = match answer.map(protocol::Answer::training) {
            Ok(Some(Answer::Constructed(Some(exam)))) => exam,
            Ok(_) => return,
            Err(failure) => return room.notices.failure(failure),
        };
        let request = job::Request::Grade(exam.clone());
        client.ask(line, protocol::Request::Rasp(Packed::of(&request)), move |answer| {
            match answer.map(protocol::Answer::rasp) {
                Ok(Some(job::Answer::Graded(graded))) => then(exam, graded),
                Ok(_) => {}
                Err(failure) => room.notices.failure(failure),
            }
        });
    });
}

crate::texts! {
    training_constructed: "constructed (RASP)" | "construído (RASP)";
    training_built_score(share: &str, count: &str):
        "Constructed, with nothing learned: a RASP program that solves the task exactly has {share} of the {count} answers about the held-out sequences."
        | "Construído, sem aprender nada: um programa RASP que resolve a tarefa exatamente tem {share} das {count} respostas sobre as sequências reservadas.";
    training_built_wait: "A RASP program that solves the task exactly is being tried on the held-out sequences …"
        | "Um programa RASP que resolve a tarefa exatamente está sendo testado nas sequências reservadas …";
    training_learned_score(run: &str, share: &str): "Learned ({run}): {share}." | "Aprendido ({run}): {share}.";
    training_open_in_rasp: "Open this program in RASP" | "Abrir este programa no RASP";
}
