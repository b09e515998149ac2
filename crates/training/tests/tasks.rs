//! What a person relies on when a task is learned: right labels, balance, and held-out sequences that are new.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};

use training::{Batch, Data, Error, NO_TARGET, OwnSequences, Task};
use transformer::Mask;

fn tasks() -> Vec<Task> {
    vec![
        Task::Dyck { length: 12 },
        Task::Hops { hops: 2, alphabet: 4, length: 15 },
        Task::MatchTwo { modulus: 11, length: 10 },
        Task::Parity { bits: 3, length: 14, secret: 4 },
        Task::Recall { keys: 9, values: 6, pairs: 5 },
        Task::ModularAddition { modulus: 41 },
    ]
}

/// Batches of the training stream of seed 3.
fn stream(task: &Task, batches: usize) -> impl Iterator<Item = Batch> {
    let data = Data::new(task.clone(), 3, 300).unwrap();
    let mut batch = Batch::zeros(32, task.length());
    (0..batches).map(move |step| {
        data.draw(step, &mut batch).unwrap();
        batch.clone()
    })
}

fn sequences(task: &Task, batches: usize) -> Vec<(Vec<u16>, Vec<u16>)> {
    let of_batch = |batch: Batch| {
        let sequence = |index| {
            let (tokens, targets) = batch.sequence(index);
            (tokens.to_vec(), targets.to_vec())
        };
        (0..batch.count).map(sequence).collect::<Vec<_>>()
    };
    stream(task, batches).flat_map(of_batch).collect()
}

#[test]
fn held_out_sequences_differ_and_never_occur_in_training() {
    for task in tasks() {
        let data = Data::new(task.clone(), 3, 300).unwrap();
        let held_out = data.held_out();
        let names: HashSet<Vec<u16>> = (0..held_out.count).map(|i| held_out.sequence(i).0.to_vec()).collect();
        assert_eq!(names.len(), held_out.count, "{task:?}: held-out sequences repeat");
        assert!(held_out.count >= 60, "{task:?}: only {} are held out", held_out.count);
        for (tokens, _) in sequences(&task, 200) {
            assert!(!names.contains(&tokens), "{task:?}: trains on a held-out sequence");
        }
    }
}

#[test]
fn data_depend_on_seed_and_step_alone() {
    for task in tasks() {
        let draw = |seed, step| {
            let data = Data::new(task.clone(), seed, 50).unwrap();
            let mut batch = Batch::zeros(8, task.length());
            data.draw(step, &mut batch).unwrap();
            (data.held_out().clone(), batch)
        };
        assert_eq!(draw(1, 7), draw(1, 7));
        assert_ne!(draw(1, 7).1, draw(1, 8).1);
        assert_ne!(draw(1, 7).1, draw(2, 7).1);
        assert_ne!(draw(1, 7).0, draw(2, 7).0);
    }
}

#[test]
fn targets_are_those_of_the_tokens() {
    for task in tasks() {
        for (tokens, targets) in sequences(&task, 5) {
            assert_eq!(task.targets(&tokens), targets, "{task:?}");
            let classes = task.classes().len();
            assert!(targets.iter().any(|target| *target != NO_TARGET));
            assert!(targets.iter().all(|it| *it == NO_TARGET || usize::from(*it) < classes), "{task:?}");
            assert!(tokens.iter().all(|token| usize::from(*token) < task.tokens().len()), "{task:?}");
        }
    }
}

#[test]
fn half_of_every_batch_is_balanced_and_counting_gets_three_quarters() {
    let task = Task::Dyck { length: 22 };
    let (mut right_by_counting, mut total) = (0, 0);
    for batch in stream(&task, 100) {
        let mut positives = 0;
        for index in 0..batch.count {
            let (tokens, targets) = batch.sequence(index);
            let text: String =
                tokens.iter().map(|token| task.tokens()[usize::from(*token)].clone()).collect();
            assert!(text.starts_with('^') && text.ends_with('$') && text.len() == 24);
            // By cancelling pairs, which is another way than the generator's.
            let mut rest = text[1..23].to_owned();
            while rest.contains("()") {
                rest = rest.replace("()", "");
            }
            assert_eq!(targets[23], u16::from(rest.is_empty()), "{text}");
            assert!(targets[..23].iter().all(|target| *target == NO_TARGET));
            positives += usize::from(rest.is_empty());
            let as_many = text.matches('(').count() == 11;
            right_by_counting += usize::from(as_many == rest.is_empty());
            total += 1;
        }
        assert_eq!(positives * 2, batch.count);
    }
    let share = right_by_counting as f64 / f64::from(total);
    assert!((share - 0.75).abs() < 0.01, "counting gets {share}");
}

#[test]
fn balanced_strings_are_uniform() {
    let mut seen: HashMap<Vec<u16>, usize> = HashMap::new();
    // Without held-out sequences, which would be missing.
    let task = Task::Dyck { length: 6 };
    let data = Data::new(task.clone(), 1, 0).unwrap();
    let mut batch = Batch::zeros(2000, 8);
    data.draw(0, &mut batch).unwrap();
    for index in 0..batch.count {
        let (tokens, targets) = batch.sequence(index);
        if targets[7] == 1 {
            *seen.entry(tokens.to_vec()).or_default() += 1;
        }
    }
    assert_eq!(seen.len(), 5, "there are five balanced strings of six");
    for (string, count) in seen {
        // 200 are expected, with a standard deviation of 12.6.
        assert!((140..260).contains(&count), "{string:?} occurs {count} times");
    }
}

#[test]
fn hops_follow_their_definition() {
    for (hops, nulls_expected) in [(1, 0.27), (2, 0.46), (3, 0.64)] {
        let task = Task::Hops { hops, alphabet: 4, length: 15 };
        let (mut nulls, mut total) = (0, 0);
        for (tokens, targets) in sequences(&task, 60) {
            let s = &tokens[1..];
            assert!(s.windows(2).all(|pair| pair[0] != pair[1]), "a symbol repeats at once");
            assert_eq!((tokens[0], targets[0]), (0, NO_TARGET));
            // f as a table, from left to right.
            let f: Vec<Option<usize>> = (0..s.len())
                .map(|t| s[..t].iter().rposition(|other| *other == s[t]).map(|j| j + 1))
                .collect();
            for t in 0..s.len() {
                let mut place = Some(t);
                for _ in 0..hops {
                    place = place.and_then(|place| f[place]);
                }
                let expected = place.map_or(4, |place| s[place] - 1);
                assert_eq!(targets[t + 1], expected, "{hops} hops at {t} of {s:?}");
                nulls += usize::from(expected == task.null_class().unwrap());
                total += 1;
            }
        }
        let share = nulls as f64 / f64::from(total);
        assert!((share - nulls_expected).abs() < 0.02, "{hops}: {share} are null");
    }
}

#[test]
fn half_of_the_positions_have_a_match() {
    let task = Task::MatchTwo { modulus: 11, length: 10 };
    assert_eq!(task.mask(), Mask::None);
    let mut matched_residues = HashSet::new();
    for (tokens, targets) in sequences(&task, 30) {
        for (i, x) in tokens.iter().enumerate() {
            let partner = (11 - x) % 11;
            assert_eq!(targets[i], u16::from(tokens.contains(&partner)));
            if targets[i] == 1 {
                matched_residues.insert(*x);
            }
        }
        assert_eq!(targets.iter().filter(|target| **target == 1).count(), 5);
    }
    assert!(matched_residues.len() >= 10, "a residue gives its answer away");
}

#[test]
fn half_of_the_parities_are_odd() {
    let task = Task::Parity { bits: 3, length: 14, secret: 4 };
    let secret = task.secret_positions();
    assert_eq!(secret.len(), 3);
    assert_ne!(secret, Task::Parity { bits: 3, length: 14, secret: 5 }.secret_positions());
    for batch in stream(&task, 10) {
        let mut odd = 0;
        for index in 0..batch.count {
            let (tokens, targets) = batch.sequence(index);
            let ones = secret.iter().filter(|position| tokens[**position] == 1).count();
            assert_eq!(usize::from(targets[14]), ones % 2);
            odd += ones % 2;
        }
        assert_eq!(odd * 2, batch.count);
    }
}

#[test]
fn recall_and_addition_ask_for_what_they_say() {
    let task = Task::Recall { keys: 9, values: 6, pairs: 5 };
    let names = task.tokens();
    for (tokens, targets) in sequences(&task, 10) {
        let words: Vec<&str> = tokens.iter().map(|token| names[usize::from(*token)].as_str()).collect();
        let keys: HashSet<&str> = (0..5).map(|pair| words[2 * pair]).collect();
        assert_eq!(keys.len(), 5, "keys of a sequence differ");
        let place = (0..5).find(|pair| words[2 * pair] == words[10]).unwrap();
        assert_eq!(task.classes()[usize::from(targets[10])], words[2 * place + 1]);
    }
    for (tokens, targets) in sequences(&Task::ModularAddition { modulus: 41 }, 10) {
        assert_eq!(targets, [NO_TARGET, (tokens[0] + tokens[1]) % 41]);
    }
}

#[test]
fn texts_are_read_as_people_write_them() {
    let dyck = Task::Dyck { length: 4 };
    assert_eq!(dyck.encode("(())").unwrap(), dyck.encode("^ (()) $").unwrap());
    assert_eq!(dyck.targets(&dyck.encode("(())").unwrap()).last(), Some(&1));
    assert_eq!(dyck.targets(&dyck.encode("())(").unwrap()).last(), Some(&0));
    assert!(matches!(dyck.encode("(x)"), Err(Error::UnknownToken { position: 3, .. })));
    assert!(matches!(dyck.encode("(((())))"), Err(Error::Length { found: 10, .. })));
    let recall = Task::Recall { keys: 2, values: 2, pairs: 2 };
    assert_eq!(recall.encode("k1 v0 k0 v1 k1").unwrap(), [1, 2, 0, 3, 1]);
}

#[test]
fn own_sequences_are_read_held_out_and_trained_on() {
    let lines: String =
        (0..40).map(|k| format!("{k:06b} => {}\n", if k % 3 == 0 { "three" } else { "other" })).collect();
    let own = OwnSequences::parse(&lines).unwrap();
    assert_eq!((own.tokens.len(), own.classes.len(), own.sequences.len()), (2, 2, 40));
    let task = Task::Own(own);
    let data = Data::new(task.clone(), 1, 2000).unwrap();
    assert_eq!(data.held_out().count, 8);
    let held_out: HashSet<Vec<u16>> = (0..8).map(|i| data.held_out().sequence(i).0.to_vec()).collect();
    let mut batch = Batch::zeros(500, 6);
    data.draw(0, &mut batch).unwrap();
    let trained: HashSet<Vec<u16>> = (0..500).map(|i| batch.sequence(i).0.to_vec()).collect();
    assert!(trained.is_disjoint(&held_out));
    assert_eq!(trained.len(), 32, "all others are trained on");

    // Without classes the next token is asked for; shorter sequences are filled up.
    let next = OwnSequences::parse("the cat sat\nthe dog\n").unwrap();
    assert_eq!(next.tokens, ["cat", "dog", "sat", "the"]);
    assert_eq!(next.sequences[1].targets, [1, NO_TARGET]);
    for (text, line) in [("", 1), ("a => x\nab\n", 2), ("ab => x\n\nab => y\n", 3), ("a\nbc", 1)] {
        let found = OwnSequences::parse(text);
        assert!(
            matches!(&found, Err(Error::OwnSequences { line: at, .. }) if *at == line),
            "{text:?}: {found:?}"
        );
    }
}

#[test]
fn impossible_tasks_are_refused() {
    for task in [
        Task::Dyck { length: 7 },
        Task::Hops { hops: 0, alphabet: 4, length: 15 },
        Task::Hops { hops: 1, alphabet: 1, length: 15 },
        Task::MatchTwo { modulus: 4, length: 10 },
        Task::Parity { bits: 5, length: 4, secret: 0 },
        Task::Recall { keys: 3, values: 2, pairs: 4 },
        Task::ModularAddition { modulus: 0 },
        Task::Dyck { length: 10_000 },
    ] {
        assert!(matches!(Data::new(task.clone(), 0, 10), Err(Error::Setting { .. })), "{task:?}");
    }
}
