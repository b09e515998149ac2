//! The query of a URL as keys and values, with the bad values collected on the way.

use std::fmt;
use std::str::FromStr;

/// A value in the URL that could not be read; the default stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// The key.
    pub key: String,
    /// What it said.
    pub value: String,
    /// What it may say; `None` where only “Share” knows how to write it.
    pub expected: Option<String>,
}

/// Keys and values, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
    bad: Vec<BadValue>,
}

impl Query {
    /// Splits and unescapes a query without its leading `?`.
    pub fn parse(text: &str) -> Self {
        let pairs = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        Query { pairs, bad: Vec::new() }
    }

    /// The same without some keys.
    pub fn without(&self, keys: &[&str]) -> Query {
        let pairs = self.pairs.iter().filter(|(key, _)| !keys.contains(&key.as_str())).cloned();
        Query { pairs: pairs.collect(), bad: Vec::new() }
    }

    /// Writes all that another query says.
    pub fn append(&mut self, other: &Query) {
        self.pairs.extend_from_slice(&other.pairs);
    }

    /// Writes a key.
    pub fn set(&mut self, key: &str, value: impl fmt::Display) {
        self.pairs.push((key.to_owned(), value.to_string()));
    }

    /// Writes a key unless its value is the default one.
    pub fn set_unless<T: fmt::Display + PartialEq>(&mut self, key: &str, value: T, default: T) {
        if value != default {
            self.set(key, value);
        }
    }

    /// Writes one of several words unless it is the default one.
    pub fn set_word_unless<T: PartialEq>(&mut self, key: &str, value: T, default: T, words: &[(&str, T)]) {
        if value != default
            && let Some((word, _)) = words.iter().find(|(_, meaning)| *meaning == value)
        {
            self.set(key, word);
        }
    }

    /// The last value of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// A value that is parsed and checked, or the default.
    pub fn value<T: FromStr>(
        &mut self,
        key: &str,
        default: T,
        expected: &str,
        fits: impl Fn(&T) -> bool,
    ) -> T {
        let Some(text) = self.text(key) else { return default };
        match text.parse() {
            Ok(value) if fits(&value) => value,
            _ => {
                self.report(key, expected);
                default
            }
        }
    }

    /// A whole number from `least` to `most`, or the default.
    pub fn number(&mut self, key: &str, default: usize, least: usize, most: usize) -> usize {
        self.value(key, default, &format!("{least} … {most}"), |value| (least..=most).contains(value))
    }

    /// One of several words, or the default.
    pub fn word<T: Copy>(&mut self, key: &str, default: T, words: &[(&str, T)]) -> T {
        let Some(text) = self.text(key) else { return default };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, meaning)) => *meaning,
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.report(key, &known.join(", "));
                default
            }
        }
    }

    /// Notes that the value of `key` could not be used.
    pub fn report(&mut self, key: &str, expected: &str) {
        self.note(key, Some(expected.to_owned()));
    }

    /// Notes that the value of `key` is not what “Share” wrote; perhaps the link was cut.
    pub fn report_cut(&mut self, key: &str) {
        self.note(key, None);
    }

    fn note(&mut self, key: &str, expected: Option<String>) {
        let value = self.text(key).unwrap_or_default().to_owned();
        self.bad.push(BadValue { key: key.to_owned(), value, expected });
    }

    /// What could not be read.
    pub fn into_bad_values(self) -> Vec<BadValue> {
        self.bad
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut serializer = form_urlencoded::Serializer::new(String::new());
        serializer.extend_pairs(&self.pairs);
        f.write_str(&serializer.finish())
    }
}
