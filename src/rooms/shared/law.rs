//! Laws of random weights in links: a word, and beside it the values of a law of one's own.

use universal::{Law, Table};

use crate::ground::decimal;
use crate::link::query::Query;

/// Words for laws in URLs and files.
const WORDS: [(&str, Law); 4] =
    [("gaussian", Law::Gaussian), ("uniform", Law::Uniform), ("sign", Law::Sign), ("low-rank", Law::LowRank)];

/// The word for the law of one's own values.
const OWN_WORD: &str = "own";

/// The key of those values.
const VALUES: &str = "values";

/// The word for a law.
pub fn word(law: Law) -> &'static str {
    WORDS.iter().find(|(_, named)| *named == law).map_or(OWN_WORD, |(word, _)| word)
}

/// All laws with their words, where one's own values are these.
pub fn words(table: Table) -> Vec<(&'static str, Law)> {
    WORDS.into_iter().chain([(OWN_WORD, Law::Table(table))]).collect()
}

/// Writes one's own values unless they are the default ones.
pub fn set_values(query: &mut Query, table: Table) {
    if table != default_table() {
        let values: Vec<String> = table.values().map(|value| value.to_string()).collect();
        query.set(VALUES, values.join(","));
    }
}

/// Reads one's own values.
pub fn values(query: &mut Query) -> Table {
    let Some(text) = query.text(VALUES) else { return default_table() };
    let values: Option<Vec<f64>> = text.split(',').map(decimal::parse).collect();
    values.and_then(|values| Table::new(&values)).unwrap_or_else(|| {
        query.report(VALUES, "-1,0,1");
        default_table()
    })
}

/// −1, 0 and 1.
pub fn default_table() -> Table {
    Table::new(&[-1.0, 0.0, 1.0]).expect("three finite values")
}
