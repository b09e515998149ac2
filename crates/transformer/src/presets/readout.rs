//! How an output becomes words.

use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// How a row of an output becomes a word. A row that is not finite, or that nothing fits, reads `·`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Readout {
    /// The point nearest to some columns of the row, if it is near enough.
    Nearest {
        /// The columns that are looked at.
        columns: Vec<usize>,
        /// Words, each with its point: as many coordinates as there are columns.
        points: Vec<(String, Vec<f64>)>,
        /// The largest distance at which a point counts.
        within: f64,
    },
    /// An unembedding: the word with the largest of `row · weights + bias`.
    Scores {
        /// The words.
        words: Vec<String>,
        /// d × words.
        weights: Array2<f64>,
        /// One for each word.
        bias: Array1<f64>,
    },
}

/// What a row reads to which no word belongs.
const NOTHING: &str = "·";

impl Readout {
    /// One word for each row of `output` (n × d).
    pub fn read(&self, output: &Array2<f64>) -> Vec<String> {
        output.rows().into_iter().map(|row| self.word(row).unwrap_or(NOTHING).to_owned()).collect()
    }

    fn word(&self, row: ArrayView1<f64>) -> Option<&str> {
        if row.iter().any(|value| !value.is_finite()) {
            return None;
        }
        match self {
            Readout::Nearest { columns, points, within } => points
                .iter()
                .map(|(word, point)| (word, distance(row, columns, point)))
                .filter(|(_, distance)| distance <= within)
                .min_by(|(_, a), (_, b)| a.total_cmp(b))
                .map(|(word, _)| word.as_str()),
            Readout::Scores { words, weights, bias } => {
                let scores = row.dot(weights) + bias;
                let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                words.iter().zip(&scores).find(|(_, score)| **score == best).map(|(word, _)| word.as_str())
            }
        }
    }
}

fn distance(row: ArrayView1<f64>, columns: &[usize], point: &[f64]) -> f64 {
    // A readout may meet an output of another width, which is as far away as can be.
    let square = |(column, at): (&usize, &f64)| row.get(*column).map_or(f64::INFINITY, |x| (x - at).powi(2));
    columns.iter().zip(point).map(square).sum::<f64>().sqrt()
}
