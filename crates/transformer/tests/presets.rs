//! Every preset does what its name says, held against a plain program.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;
use transformer::presets::{self, Preset, RANDOM_CLASS, random_target};
use transformer::{Attention, Class, Error, HeadMatrix, Mask, Scale, forward};

fn preset(id: &str) -> Preset {
    presets::by_id(id).unwrap()
}

/// What a preset says for a text, without the start token's own word.
fn says(preset: &Preset, text: &str) -> Vec<String> {
    let trace = forward(&preset.target, preset.embed(text).unwrap().view()).unwrap();
    let words = preset.readout(&trace.output);
    words[usize::from(preset.start.is_some())..].to_vec()
}

/// All texts of 1 to `longest` letters of `alphabet`.
fn texts(alphabet: &str, longest: u32) -> impl Iterator<Item = String> {
    let letters: Vec<char> = alphabet.chars().collect();
    (1..=longest).flat_map(move |length| {
        let letters = letters.clone();
        (0..letters.len().pow(length)).map(move |mut number| {
            (0..length)
                .map(|_| {
                    let letter = letters[number % letters.len()];
                    number /= letters.len();
                    letter
                })
                .collect()
        })
    })
}

fn words(chars: impl IntoIterator<Item = char>) -> Vec<String> {
    chars.into_iter().map(String::from).collect()
}

fn plain_previous(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    words((0..letters.len()).map(|i| letters[i.saturating_sub(1)]))
}

fn plain_first(text: &str) -> Vec<String> {
    words(text.chars().map(|_| text.chars().next().unwrap()))
}

fn plain_majority(text: &str) -> Vec<String> {
    let mut lead = 0;
    words(text.chars().map(|letter| {
        lead += match letter {
            'a' => 1,
            'b' => -1,
            _ => 0,
        };
        match lead {
            0 => '=',
            1.. => 'a',
            _ => 'b',
        }
    }))
}

fn plain_extreme(text: &str, better: fn(char, char) -> char) -> Vec<String> {
    let mut best = text.chars().next().unwrap();
    words(text.chars().map(|digit| {
        best = better(best, digit);
        best
    }))
}

fn plain_pascal(text: &str) -> Vec<String> {
    let mut row: Vec<u32> = text.chars().map(|digit| digit.to_digit(2).unwrap()).collect();
    for _ in 0..3 {
        row = (0..row.len()).map(|i| row[i] + if i > 0 { row[i - 1] } else { 0 }).collect();
    }
    row.iter().map(u32::to_string).collect()
}

fn plain_parentheses(text: &str) -> Vec<String> {
    let (mut depth, mut broken) = (0, false);
    words(text.chars().map(|bracket| {
        depth += match bracket {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        broken |= depth < 0;
        match (broken, depth) {
            (true, _) => '✗',
            (false, 0) => '✓',
            (false, _) => '…',
        }
    }))
}

fn plain_sorting(text: &str) -> Vec<String> {
    let mut digits: Vec<char> = text.chars().collect();
    digits.sort_unstable();
    words(digits)
}

fn plain_induction(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    words((0..letters.len()).map(|i| {
        let earlier = letters[..i].iter().rposition(|letter| *letter == letters[i]);
        earlier.map_or('·', |at| letters[at + 1])
    }))
}

#[test]
fn previous_token_says_the_token_before() {
    let preset = preset("previous-token");
    assert_eq!(says(&preset, "pianola").concat(), "ppianol");
    for text in texts("abz", 6) {
        assert_eq!(says(&preset, &text), plain_previous(&text), "{text}");
    }
}

#[test]
fn first_token_says_the_first_token() {
    let preset = preset("first-token");
    assert_eq!(says(&preset, "pianola").concat(), "ppppppp");
    for text in texts("abz", 6) {
        assert_eq!(says(&preset, &text), plain_first(&text), "{text}");
    }
}

#[test]
fn previous_and_first_token_share_their_class() {
    assert_eq!(preset("previous-token").target.class(), preset("first-token").target.class());
}

#[test]
fn majority_counts_at_every_position() {
    let preset = preset("majority");
    for text in texts("abc", 7) {
        assert_eq!(says(&preset, &text), plain_majority(&text), "{text}");
    }
}

#[test]
fn largest_and_smallest_say_the_extreme_so_far() {
    let (largest, smallest) = (preset("largest"), preset("smallest"));
    assert_eq!(says(&largest, "31415926").concat(), "33445999");
    assert_eq!(says(&smallest, "31415926").concat(), "31111111");
    for text in texts("0589", 5) {
        assert_eq!(says(&largest, &text), plain_extreme(&text, char::max), "{text}");
        assert_eq!(says(&smallest, &text), plain_extreme(&text, char::min), "{text}");
    }
}

#[test]
fn twins_differ_in_exactly_one_weight_and_behave_differently() {
    let twins: Vec<Preset> = presets::all().into_iter().filter(|preset| preset.twin.is_some()).collect();
    assert_eq!(twins.len(), 2);
    for one in twins {
        let other = preset(one.twin.unwrap());
        assert_eq!(other.twin, Some(one.id));
        assert_eq!(one.target.class(), other.target.class());
        assert_eq!(one.target.vocabulary(), other.target.vocabulary());
        let mut different = 0;
        for l in 0..one.target.class().layers {
            for h in 0..one.target.class().heads {
                for which in HeadMatrix::ALL {
                    let (a, b) = (one.target.head(l, h).matrix(which), other.target.head(l, h).matrix(which));
                    assert_eq!(a.dim(), b.dim());
                    different += a.iter().zip(b).filter(|(a, b)| a != b).count();
                }
            }
        }
        assert_eq!(different, 1);
        assert_ne!(says(&one, one.input), says(&other, one.input));
    }
}

#[test]
fn pascal_counts_the_paths() {
    let preset = preset("pascal");
    assert_eq!(says(&preset, "010000").concat(), "013310");
    for text in texts("01", 11) {
        assert_eq!(says(&preset, &text), plain_pascal(&text), "{text}");
    }
}

#[test]
fn parentheses_judges_every_text_up_to_ten() {
    let preset = preset("parentheses");
    for text in texts("()", 10).chain(texts("()x", 7)) {
        assert_eq!(says(&preset, &text), plain_parentheses(&text), "{text}");
    }
}

#[test]
fn parentheses_sees_the_hardest_cases_of_its_length() {
    let preset = preset("parentheses");
    let early = format!("){}", "(".repeat(23));
    let late = format!("{}{}", "()".repeat(11), "))");
    let deep = format!("{}{}", "(".repeat(12), ")".repeat(12));
    let hidden = format!("{}())({}", "x".repeat(18), "xx");
    for text in [early, late, deep, hidden] {
        assert_eq!(says(&preset, &text), plain_parentheses(&text), "{text}");
    }
}

#[test]
fn sorting_sorts_every_text_up_to_six() {
    let preset = preset("sorting");
    assert_eq!(says(&preset, "3142231").concat(), "1122334");
    for text in texts("1234", 6) {
        assert_eq!(says(&preset, &text), plain_sorting(&text), "{text}");
    }
}

#[test]
fn induction_continues_what_it_has_seen() {
    let preset = preset("induction");
    assert_eq!(says(&preset, "abcab").concat(), "···bc");
    assert_eq!(says(&preset, "abracadabra").concat(), "···b·c·drab");
    for text in texts("abcz", 6) {
        assert_eq!(says(&preset, &text), plain_induction(&text), "{text}");
    }
}

#[test]
fn the_start_token_says_nothing_misleading() {
    for (id, word) in [("pascal", "0"), ("sorting", "^"), ("induction", "·")] {
        let preset = preset(id);
        let trace = forward(&preset.target, preset.embed(preset.input).unwrap().view()).unwrap();
        assert_eq!(preset.readout(&trace.output)[0], word, "{id}");
    }
}

fn check(id: &str, text: &str, plain: fn(&str) -> Vec<String>) {
    assert_eq!(says(&preset(id), text), plain(text), "{id}: {text}");
}

proptest! {
    #[test]
    fn long_texts(
        letters in "[a-z]{1,12}", few in "[aeiou]{1,11}", votes in "[abc]{1,24}", digits in "[0-9]{1,12}",
        brackets in "[()x]{1,24}", mostly_open in "[(]{1,4}[()]{1,20}", small in "[1-4]{1,11}",
    ) {
        check("previous-token", &letters, plain_previous);
        check("first-token", &letters, plain_first);
        check("majority", &votes, plain_majority);
        check("largest", &digits, |text| plain_extreme(text, char::max));
        check("smallest", &digits, |text| plain_extreme(text, char::min));
        check("parentheses", &brackets, plain_parentheses);
        check("parentheses", &mostly_open, plain_parentheses);
        check("sorting", &small, plain_sorting);
        check("induction", &few, plain_induction);
        check("induction", &letters[..letters.len().min(11)], plain_induction);
    }

    /// A universal transformer repeats the output with a small error only; no word may hang on it.
    #[test]
    fn words_stand_small_errors(seed in any::<u64>()) {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        for preset in presets::all() {
            let output = forward(&preset.target, preset.embed(preset.input).unwrap().view()).unwrap().output;
            let shaken = output.mapv(|x| x + rng.random_range(-1e-4..1e-4));
            assert_eq!(preset.readout(&shaken), preset.readout(&output), "{}", preset.id);
        }
    }
}

#[test]
fn every_preset_is_complete() {
    let all = presets::all();
    let ids: HashSet<&str> = all.iter().map(|preset| preset.id).collect();
    assert_eq!(ids.len(), all.len());
    for preset in &all {
        let class = preset.target.class();
        assert_eq!(presets::by_id(preset.id).as_ref(), Some(preset));
        let tokens = preset.tokens(preset.input);
        assert!(tokens.len() <= preset.longest, "{}", preset.id);
        let trace = forward(&preset.target, preset.embed(preset.input).unwrap().view()).unwrap();
        assert_eq!(preset.readout(&trace.output).len(), tokens.len());
        // The blocks cover the columns without gaps.
        let mut end = 0;
        for block in &preset.blocks {
            assert_eq!(block.columns.start, end, "{}", preset.id);
            end = block.columns.end;
        }
        assert_eq!(end, class.width, "{}", preset.id);
        // The picture stays readable.
        assert!(class.width <= 8 && class.heads <= 2 && class.layers <= 3, "{}", preset.id);
    }
    assert_eq!(presets::by_id("nothing"), None);
}

#[test]
fn texts_are_split_as_a_person_means_them() {
    assert_eq!(preset("induction").tokens(" aB ra"), ["^", "a", "b", "r", "a"]);
    assert_eq!(preset("random").tokens("The  cat\nsat"), ["the", "cat", "sat"]);
    assert_eq!(
        preset("majority").embed("abQ"),
        Err(Error::UnknownToken { position: 3, token: "q".to_owned() })
    );
    assert_eq!(preset("majority").embed(&"a".repeat(25)), Err(Error::TooLong { found: 25, longest: 24 }));
    assert_eq!(preset("majority").embed("  "), Err(Error::EmptyInput));
}

#[test]
fn the_random_target_follows_class_and_seed() {
    let class = Class {
        heads: 1,
        layers: 3,
        width: 5,
        head_width: 3,
        attention: Attention::AverageHard,
        mask: Mask::Causal,
        scale: Scale::Factor(0.5),
        residual: true,
    };
    let one = random_target(class, 1, "").unwrap();
    assert_eq!(one.target.class(), &class);
    assert_eq!(one, random_target(class, 1, "").unwrap());
    assert_ne!(one, random_target(class, 2, "").unwrap());
    assert_eq!(preset("random"), random_target(RANDOM_CLASS, 1, "").unwrap());
    assert!(random_target(Class { heads: 0, ..class }, 1, "").is_err());
}

#[test]
fn rows_that_are_not_finite_read_as_nothing() {
    for preset in presets::all() {
        let output = ndarray::Array2::from_elem((2, preset.target.class().width), f64::NAN);
        assert_eq!(preset.readout(&output), ["·", "·"], "{}", preset.id);
    }
}
