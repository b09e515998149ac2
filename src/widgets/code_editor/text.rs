//! A text as an editor shows it: lines of coloured pieces, and the words that could stand at the caret. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

/// How a piece of text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// As the text around it.
    Plain,
    /// A word of the language.
    Word,
    /// A name that the language brings.
    Known,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A note to the reader.
    Comment,
    /// What does not belong to the language.
    Wrong,
}

/// A stretch of the text that stands out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its bytes.
    pub range: Range<usize>,
    /// Why.
    pub kind: MarkKind,
    /// What is to be said beside its line; may be empty.
    pub note: String,
}

/// Why a stretch of the text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// It is what a picture beside the editor shows now.
    Lit,
    /// It deserves care.
    Warning,
    /// It is wrong.
    Error,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// The strongest mark on it.
    pub mark: Option<MarkKind>,
    /// What is to be said beside it.
    pub note: String,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// Its colour.
    pub tint: Tint,
    /// Whether something else shows it now.
    pub is_lit: bool,
    /// What is wrong with it.
    pub trouble: Option<MarkKind>,
}

/// The lines of a text. `tints` are in order and do not overlap.
pub fn lines(text: &str, tints: &[(Range<usize>, Tint)], marks: &[Mark]) -> Vec<Line> {
    let marks: Vec<Mark> =
        marks.iter().map(|mark| Mark { range: visible(text, &mark.range), ..mark.clone() }).collect();
    let mut cuts: BTreeSet<usize> = [0, text.len()].into();
    for range in tints.iter().map(|(range, _)| range).chain(marks.iter().map(|mark| &mark.range)) {
        cuts.extend([range.start.min(text.len()), range.end.min(text.len())]);
    }
    cuts.extend(text.match_indices('\n').flat_map(|(at, _)| [at, at + 1]));
    let cuts: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();

    let mut lines = vec![Line::default()];
    let mut next_tint = 0;
    for cut in cuts.windows(2) {
        let (from, to) = (cut[0], cut[1]);
        let stretch = &text[from..to];
        while tints.get(next_tint).is_some_and(|(range, _)| range.end <= from) {
            next_tint += 1;
        }
        let covers = |range: &Range<usize>| range.start <= from && to <= range.end;
        let on: Vec<&Mark> = marks.iter().filter(|mark| covers(&mark.range)).collect();
        let trouble = on.iter().map(|mark| mark.kind).filter(|kind| *kind != MarkKind::Lit).max();
        if stretch == "\n" {
            lines.push(Line::default());
            continue;
        }
        let tint =
            tints.get(next_tint).filter(|(range, _)| covers(range)).map_or(Tint::Plain, |(_, tint)| *tint);
        let is_lit = on.iter().any(|mark| mark.kind == MarkKind::Lit);
        if let Some(line) = lines.last_mut() {
            line.pieces.push(Piece { text: stretch.to_owned(), tint, is_lit, trouble });
        }
    }
    let line_at = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count());
    for mark in &marks {
        let (first, last) =
            (line_at(mark.range.start), line_at(mark.range.end.max(mark.range.start + 1) - 1));
        for line in lines.iter_mut().take(last + 1).skip(first) {
            line.mark = line.mark.max(Some(mark.kind));
        }
        if let Some(line) = lines.get_mut(first).filter(|line| line.note.is_empty()) {
            line.note.clone_from(&mark.note);
        }
    }
    lines
}

/// A place without letters, such as the end of the text, is shown at the letter before it.
fn visible(text: &str, range: &Range<usize>) -> Range<usize> {
    let end = range.end.min(text.len());
    if range.start < end {
        return range.start..end;
    }
    let before = text.get(..end).unwrap_or_default().trim_end();
    let last = before.chars().next_back().map_or(0, char::len_utf8);
    before.len() - last..before.len()
}

/// The most words that are offered at once.
const MOST_OFFERS: usize = 8;

/// The unfinished word before the caret, in bytes.
pub fn word_before(text: &str, caret: usize) -> Range<usize> {
    let before = text.get(..caret).unwrap_or_default();
    let letters =
        before.bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let start = caret.min(before.len()) - letters;
    if text[start..].starts_with(|letter: char| letter.is_ascii_digit()) {
        caret..caret
    } else {
        start..caret
    }
}

/// The names that the word before the caret could become, those of the text itself first.
pub fn offers(text: &str, caret: usize, own: &[String], known: &[String]) -> Vec<String> {
    let word = &text[word_before(text, caret)];
    if word.is_empty() {
        return Vec::new();
    }
    let mut offers: Vec<String> = Vec::new();
    for name in own.iter().chain(known) {
        if name.starts_with(word) && name != word && !offers.contains(name) {
            offers.push(name.clone());
        }
    }
    offers.truncate(MOST_OFFERS);
    offers
}

/// Line and column, counted from 0, of a byte.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count(), before[line_start..].chars().count())
}

/// The white space at the start of the line that the caret is on.
pub fn indentation(text: &str, caret: usize) -> &str {
    let before = text.get(..caret).unwrap_or_default();
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A browser counts in units of UTF-16.
pub fn byte_from_utf16(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, letter) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += letter.len_utf16();
    }
    text.len()
}

/// See [`byte_from_utf16`].
pub fn utf16_from_byte(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(range: Range<usize>, kind: MarkKind, note: &str) -> Mark {
        Mark { range, kind, note: note.to_owned() }
    }

    #[test]
    fn pieces_put_together_are_the_text() {
        let text = "a = \"é\";\n\nb == 1;";
        let tints = [(4..8, Tint::Text), (16..17, Tint::Number)];
        let marks = [mark(0..13, MarkKind::Lit, ""), mark(11..13, MarkKind::Error, "no")];
        let lines = lines(text, &tints, &marks);
        let joined: Vec<String> =
            lines.iter().map(|line| line.pieces.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert_eq!(joined.join("\n"), text);
        assert_eq!(lines.iter().map(|line| line.note.as_str()).collect::<Vec<_>>(), ["", "", "no"]);
        assert_eq!(lines[2].mark, Some(MarkKind::Error));
        let lit: String =
            lines.iter().flat_map(|line| &line.pieces).filter(|it| it.is_lit).map(|it| &*it.text).collect();
        assert_eq!(lit, "a = \"é\";b ");
        let tinted = lines[0].pieces.iter().find(|piece| piece.tint == Tint::Text).map(|piece| &*piece.text);
        assert_eq!(tinted, Some("\"é\""));
    }

    #[test]
    fn a_place_at_the_end_is_shown_at_the_last_letter() {
        let lines = lines("a\n", &[], &[mark(2..2, MarkKind::Error, "; is missing")]);
        assert_eq!(lines[0].pieces[0].trouble, Some(MarkKind::Error));
        assert_eq!(lines[0].note, "; is missing");
        assert_eq!(super::lines("", &[], &[mark(0..0, MarkKind::Error, "empty")])[0].note, "empty");
    }

    #[test]
    fn offers_complete_the_word_at_the_caret() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let known = names(&["select", "select_next_identical", "selector_width", "sort"]);
        let own = names(&["selected", "select"]);
        assert_eq!(
            offers("x = sele", 8, &own, &known),
            ["selected", "select", "select_next_identical", "selector_width"]
        );
        assert_eq!(offers("x = ", 4, &own, &known), names(&[]));
        assert_eq!(word_before("1a", 2), 2..2);
        assert_eq!(indentation("a\n  b = 1;", 9), "  ");
        assert_eq!(place("a\nbé", 5), (1, 2));
    }

    #[test]
    fn units_of_utf_16_are_bytes_again() {
        let text = "aé𝄞b";
        for (at, _) in text.char_indices() {
            assert_eq!(byte_from_utf16(text, utf16_from_byte(text, at)), at);
        }
    }
}
