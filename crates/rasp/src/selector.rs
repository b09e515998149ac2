//! Which key positions each query position selects, without a matrix where none is needed.
//!
//! A comparison sorts the keys once; every row is then a run of that order. Only `and`, `or`, `not`
//! and `!=` list the selected positions. A whole matrix is made only for those who want to look at it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Message, Phrase, Term};
use crate::elementwise::Failure;
use crate::syntax::Comparison;
use crate::value::{Kind, Sequence};

/// The selector as a matrix: one row for each query position, one column for each key position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectorMatrix {
    length: usize,
    /// Row after row, each padded to whole words.
    words: Vec<u64>,
}

impl SelectorMatrix {
    fn empty(length: usize) -> Self {
        Self { length, words: vec![0; length * length.div_ceil(64)] }
    }

    /// The number of positions: of rows, and of columns.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no positions.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether query position `query` selects key position `key`.
    pub fn get(&self, query: usize, key: usize) -> bool {
        let words_in_row = self.length.div_ceil(64);
        self.words[query * words_in_row + key / 64] >> (key % 64) & 1 == 1
    }

    /// How many of these key positions a query position selects.
    ///
    /// # Panics
    /// Where a position is not less than the length.
    pub fn count(&self, query: usize, keys: std::ops::Range<usize>) -> usize {
        assert!(query < self.length && keys.end <= self.length, "positions within the sequence");
        if keys.is_empty() {
            return 0;
        }
        let row = query * self.length.div_ceil(64);
        let (first, last) = (keys.start / 64, (keys.end - 1) / 64);
        (first..=last)
            .map(|word| {
                let mut bits = self.words[row + word];
                if word == first {
                    bits &= u64::MAX << (keys.start % 64);
                }
                if word == last {
                    bits &= u64::MAX >> (63 - (keys.end - 1) % 64);
                }
                bits.count_ones() as usize
            })
            .sum()
    }

    /// The key positions that a query position selects, in their order.
    pub fn selected(&self, query: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.length).filter(move |key| self.get(query, *key))
    }

    fn set(&mut self, query: usize, key: usize) {
        let words_in_row = self.length.div_ceil(64);
        self.words[query * words_in_row + key / 64] |= 1 << (key % 64);
    }
}

/// What each query position selects.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// Row `q` is `order[runs[q].0 .. runs[q].1]`.
    Runs {
        /// Key positions, sorted by their keys; equal keys keep their order.
        order: Vec<u32>,
        /// Where each key position stands in `order`.
        rank: Vec<u32>,
        runs: Vec<(u32, u32)>,
        /// Whether `order` is 0, 1, 2 …, so that every run is in order of positions.
        in_order: Ordered,
    },
    /// Row `q` is `columns[starts[q] .. starts[q + 1]]`, in order of positions.
    Listed { starts: Vec<u32>, columns: Vec<u32> },
}

/// How a run of sorted keys relates to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    ByPosition,
    ByKey,
}

impl Rows {
    /// `select(key, query, comparison)`
    pub(crate) fn compare(key: &Sequence, query: &Sequence, comparison: Comparison) -> Result<Self, Failure> {
        if (key.kind() == Kind::Texts) != (query.kind() == Kind::Texts) {
            return match comparison {
                Comparison::Equal => Ok(Self::same_run(key.len(), 0)),
                Comparison::NotEqual => Ok(Self::same_run(key.len(), key.len() as u32)),
                _ => Err(Failure {
                    position: Some(0),
                    message: Message::BadOperands {
                        operator: Phrase::Source(comparison.symbol().to_owned()),
                        left: Term::from(key.kind()).into(),
                        right: Term::from(query.kind()).into(),
                    },
                }),
            };
        }
        Ok(match (key, query) {
            (Sequence::Ints(k), Sequence::Ints(q)) => Self::sorted(k, q, comparison, i64::cmp),
            (Sequence::Texts(k), Sequence::Texts(q)) => Self::sorted(k, q, comparison, |a, b| a.cmp(b)),
            _ if exact_as_floats(key) && exact_as_floats(query) => {
                let (k, q) = (floats(key), floats(query));
                Self::sorted(&k, &q, comparison, |a, b| a.total_cmp(b))
            }
            // Whole numbers beyond 2^53 beside fractions: pair by pair.
            _ => {
                let atoms: Vec<_> = key.iter().collect();
                Self::listed(query.len(), |row, columns| {
                    let value = query.get(row);
                    columns.extend((0..atoms.len() as u32).filter(|column| {
                        atoms[*column as usize]
                            .compare(&value)
                            .is_some_and(|order| crate::elementwise::holds(comparison, order))
                    }));
                })
            }
        })
    }

    /// Every row selects the first `end` positions.
    fn same_run(length: usize, end: u32) -> Self {
        let order: Vec<u32> = (0..length as u32).collect();
        Rows::Runs { rank: order.clone(), order, runs: vec![(0, end); length], in_order: Ordered::ByPosition }
    }

    fn sorted<T>(
        keys: &[T],
        queries: &[T],
        comparison: Comparison,
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Self {
        let length = keys.len() as u32;
        let mut order: Vec<u32> = (0..length).collect();
        let sorted_already = keys.windows(2).all(|w| compare(&w[0], &w[1]).is_le());
        if !sorted_already {
            order.sort_by(|a, b| compare(&keys[*a as usize], &keys[*b as usize]));
        }
        let mut rank = vec![0; keys.len()];
        for (place, key) in order.iter().enumerate() {
            rank[*key as usize] = place as u32;
        }
        let below =
            |query: &T| order.partition_point(|key| compare(&keys[*key as usize], query).is_lt()) as u32;
        let up_to =
            |query: &T| order.partition_point(|key| compare(&keys[*key as usize], query).is_le()) as u32;
        let run = |query: &T| match comparison {
            Comparison::Equal | Comparison::NotEqual => (below(query), up_to(query)),
            Comparison::Less => (0, below(query)),
            Comparison::LessOrEqual => (0, up_to(query)),
            Comparison::Greater => (up_to(query), length),
            Comparison::GreaterOrEqual => (below(query), length),
        };
        let mut runs: Vec<(u32, u32)> = Vec::with_capacity(queries.len());
        for (row, query) in queries.iter().enumerate() {
            // Neighbouring queries are often equal: constants, rows of a matrix.
            let same = row > 0 && compare(query, &queries[row - 1]).is_eq();
            runs.push(if same { runs[row - 1] } else { run(query) });
        }
        let rows = Rows::Runs {
            order,
            rank,
            runs,
            in_order: if sorted_already { Ordered::ByPosition } else { Ordered::ByKey },
        };
        if comparison == Comparison::NotEqual { rows.not() } else { rows }
    }

    fn listed(length: usize, mut push_row: impl FnMut(usize, &mut Vec<u32>)) -> Self {
        let mut starts = Vec::with_capacity(length + 1);
        let mut columns = Vec::new();
        starts.push(0);
        for row in 0..length {
            push_row(row, &mut columns);
            starts.push(columns.len() as u32);
        }
        Rows::Listed { starts, columns }
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        match self {
            Rows::Runs { runs, .. } => runs.len(),
            Rows::Listed { starts, .. } => starts.len() - 1,
        }
    }

    /// How many key positions a row selects.
    pub(crate) fn count(&self, row: usize) -> usize {
        match self {
            Rows::Runs { runs, .. } => (runs[row].1 - runs[row].0) as usize,
            Rows::Listed { starts, .. } => (starts[row + 1] - starts[row]) as usize,
        }
    }

    /// How many pairs are selected in all.
    pub(crate) fn total(&self) -> usize {
        (0..self.len()).map(|row| self.count(row)).sum()
    }

    /// The selected key positions of a row; in order of positions unless it is a run ordered by key.
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        match self {
            Rows::Runs { order, runs, .. } => &order[runs[row].0 as usize..runs[row].1 as usize],
            Rows::Listed { starts, columns } => &columns[starts[row] as usize..starts[row + 1] as usize],
        }
    }

    /// Whether rows may come in another order than that of positions.
    pub(crate) fn ordered(&self) -> Ordered {
        match self {
            Rows::Runs { in_order, .. } => *in_order,
            Rows::Listed { .. } => Ordered::ByPosition,
        }
    }

    fn contains(&self, row: usize, column: u32) -> bool {
        match self {
            Rows::Runs { rank, runs, .. } => (runs[row].0..runs[row].1).contains(&rank[column as usize]),
            Rows::Listed { .. } => self.row(row).binary_search(&column).is_ok(),
        }
    }

    /// The selected positions of a row in order of positions, pushed to `columns`.
    fn push_sorted(&self, row: usize, columns: &mut Vec<u32>) {
        let start = columns.len();
        columns.extend_from_slice(self.row(row));
        if self.ordered() == Ordered::ByKey {
            columns[start..].sort_unstable();
        }
    }

    /// What both select.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let (few, many) = if self.total() <= other.total() { (self, other) } else { (other, self) };
        Self::listed(few.len(), |row, columns| {
            let start = columns.len();
            columns.extend(few.row(row).iter().filter(|c| many.contains(row, **c)));
            if few.ordered() == Ordered::ByKey {
                columns[start..].sort_unstable();
            }
        })
    }

    /// What at least one selects.
    pub(crate) fn or(&self, other: &Self) -> Self {
        Self::listed(self.len(), |row, columns| {
            let start = columns.len();
            columns.extend_from_slice(self.row(row));
            columns.extend(other.row(row).iter().filter(|c| !self.contains(row, **c)));
            columns[start..].sort_unstable();
        })
    }

    /// What it does not select.
    pub(crate) fn not(&self) -> Self {
        let mut selected = Vec::new();
        Self::listed(self.len(), |row, columns| {
            selected.clear();
            self.push_sorted(row, &mut selected);
            let mut next = selected.iter().peekable();
            columns.extend((0..self.len() as u32).filter(|column| {
                let is_selected = next.peek() == Some(&column);
                if is_selected {
                    next.next();
                }
                !is_selected
            }));
        })
    }

    /// As a matrix.
    pub(crate) fn to_matrix(&self) -> SelectorMatrix {
        let mut matrix = SelectorMatrix::empty(self.len());
        for query in 0..self.len() {
            for key in self.row(query) {
                matrix.set(query, *key as usize);
            }
        }
        matrix
    }
}

impl From<Kind> for Term {
    fn from(kind: Kind) -> Self {
        kind.term()
    }
}

/// Whether comparing the values as `f64` is exact.
fn exact_as_floats(sequence: &Sequence) -> bool {
    const EXACT: u64 = 1 << 53;
    match sequence {
        Sequence::Ints(values) => values.iter().all(|value| value.unsigned_abs() <= EXACT),
        Sequence::Mixed(atoms) => {
            atoms.iter().all(|atom| atom.whole().is_none_or(|value| value.unsigned_abs() <= EXACT))
        }
        _ => true,
    }
}

/// The values as `f64`, with one zero only, so that a total order agrees with equality.
fn floats(sequence: &Sequence) -> Vec<f64> {
    sequence.iter().map(|atom| atom.as_f64().unwrap_or(0.0) + 0.0).collect()
}
