//! Tasks that RASP solves exactly: the program for each, and how its answers are compared with the truth.

use rasp::Atom;
use rasp::gallery;
use training::{NO_TARGET, Task};

use crate::rooms::rasp::job::{Exam, Sheet};

/// The sequences with what is asked of each, put to the program that solves the task by construction; `None` when
/// there is no such program. Every question of a sequence is asked, in the order of its tokens.
pub(super) fn exam<'a>(task: &Task, sequences: impl Iterator<Item = (&'a [u16], &'a [u16])>) -> Option<Exam> {
    let truth = |value: bool| vec![Atom::Bool(value)];
    let (program, classes) = match task {
        Task::Dyck { .. } => {
            let (never, not_yet, yes) = (Atom::text("F"), Atom::text("P"), Atom::text("T"));
            (gallery::entry("dyck_1")?.source.to_owned(), vec![vec![never, not_yet], vec![yes]])
        }
        Task::Hops { hops, alphabet, .. } => {
            let symbols = task.classes().into_iter().take(*alphabet).map(|symbol| vec![Atom::text(&symbol)]);
            (hop_program(*hops)?, symbols.chain([vec![Atom::text(NOTHING)]]).collect())
        }
        Task::MatchTwo { modulus, .. } => (match_two_program(*modulus), vec![truth(false), truth(true)]),
        Task::Parity { .. } => {
            let numbers = [0, 1].map(|parity| vec![Atom::Int(parity)]).to_vec();
            (parity_program(&task.secret_positions()), numbers)
        }
        Task::Recall { .. } | Task::ModularAddition { .. } | Task::Own(_) => return None,
    };
    let sheets = sequences.map(|(tokens, targets)| sheet(task, tokens, targets)).collect();
    Some(Exam { program, classes, sheets })
}

/// What the induction program says where there is no answer.
const NOTHING: &str = "?";

/// The input that the program reads: the sequence without what the task adds to it (`^`, `$`).
fn sheet(task: &Task, tokens: &[u16], targets: &[u16]) -> Sheet {
    let names = task.tokens();
    let (first, last) = match task {
        Task::Dyck { .. } => (1, tokens.len().saturating_sub(1)),
        Task::Hops { .. } => (1, tokens.len()),
        Task::Parity { .. } => (0, tokens.len().saturating_sub(1)),
        _ => (0, tokens.len()),
    };
    let read: Vec<&str> = tokens
        .get(first..last)
        .unwrap_or_default()
        .iter()
        .filter_map(|token| names.get(usize::from(*token)).map(String::as_str))
        .collect();
    let input = match task {
        Task::MatchTwo { .. } | Task::Parity { .. } => format!("[{}]", read.join(", ")),
        _ => format!("\"{}\"", read.concat()),
    };
    let asked = targets.iter().enumerate().filter(|(_, target)| **target != NO_TARGET);
    // What is asked at the end mark is answered at the last position that is read.
    let position = |token: usize| token.min(last.saturating_sub(1)).saturating_sub(first);
    Sheet { input, questions: asked.map(|(token, target)| (position(token), *target)).collect() }
}

fn match_two_program(modulus: usize) -> String {
    format!(
        "# Match2: is there a number that adds up with this one to a multiple of {modulus}?\n\
         load \"match2\";\n\
         match_2(tokens_int, {modulus});\n"
    )
}

fn parity_program(places: &[usize]) -> String {
    let places: Vec<String> = places.iter().map(usize::to_string).collect();
    let places = places.join(", ");
    format!(
        "# k-PARITY: is the number of ones at places {places} odd?\n\
         load \"parity\";\n\
         k_parity(tokens_int, [{places}]);\n"
    )
}

/// One hop is the induction head of the gallery; each further one looks up what the one before found.
fn hop_program(hops: usize) -> Option<String> {
    let induction = gallery::entry("induction")?.source;
    if hops == 1 {
        return Some(induction.to_owned());
    }
    let (_, body) = induction.split_once('\n')?;
    let (before, _) = body.split_once("aggregate(after_last_time")?;
    let mut program = format!(
        "# {hops}-hop: go to what followed this token when it stood here the last time before, {hops} times over.\n\
         {before}hop_1 = aggregate(after_last_time, tokens, \"{NOTHING}\");\n"
    );
    for hop in 2..=hops {
        program += &format!("hop_{hop} = aggregate(after_last_time, hop_{}, \"{NOTHING}\");\n", hop - 1);
    }
    Some(program + &format!("hop_{hops};\n"))
}
