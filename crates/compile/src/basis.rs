//! Which coordinates a category needs, so that all that is read of it can be read.

/// The coordinates of a category: functions of its value, each a number for every value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Basis {
    pub(crate) features: Vec<Vec<f64>>,
    /// Which of the features are independent of each other and of the constant.
    independent: Vec<usize>,
}

impl Basis {
    /// One coordinate for each value.
    pub(crate) fn one_hot(values: usize) -> Self {
        let features =
            (0..values).map(|i| (0..values).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        Basis { features, independent: (0..values).collect() }
    }

    /// These features as they are, and of the others as many as are needed to read all.
    pub(crate) fn compact(pinned: &[Vec<f64>], others: &[Vec<f64>]) -> Self {
        let mut basis = Basis::default();
        let width = pinned.first().or(others.first()).map_or(0, Vec::len);
        let mut space = Space::new(vec![1.0; width]);
        for feature in pinned {
            if basis.features.contains(feature) {
                continue;
            }
            if space.add(feature) {
                basis.independent.push(basis.features.len());
            }
            basis.features.push(feature.clone());
        }
        for feature in others {
            if space.add(feature) {
                basis.independent.push(basis.features.len());
                basis.features.push(feature.clone());
            }
        }
        basis
    }

    /// The weights of the coordinates, and a constant, that add up to a feature.
    pub(crate) fn weights(&self, feature: &[f64]) -> (Vec<f64>, f64) {
        let mut weights = vec![0.0; self.features.len()];
        if feature.iter().all(|number| *number == 0.0) {
            return (weights, 0.0);
        }
        for (at, known) in self.features.iter().enumerate() {
            if let Some(factor) = multiple(feature, known) {
                weights[at] = factor;
                return (weights, 0.0);
            }
        }
        let is_one_hot = self.features.len() == feature.len()
            && self.features.iter().enumerate().all(|(i, it)| {
                it.iter().enumerate().all(|(j, number)| *number == f64::from(u8::from(i == j)))
            });
        if is_one_hot {
            return (feature.to_vec(), 0.0);
        }
        // Least squares would do; the equations have a solution, so elimination finds it.
        let columns: Vec<Vec<f64>> = self
            .independent
            .iter()
            .map(|at| self.features[*at].clone())
            .chain([vec![1.0; feature.len()]])
            .collect();
        let solution = solve(&columns, feature);
        for (at, weight) in self.independent.iter().zip(&solution) {
            weights[*at] = *weight;
        }
        (weights, solution.last().copied().unwrap_or(0.0))
    }
}

fn multiple(feature: &[f64], known: &[f64]) -> Option<f64> {
    let at = known.iter().position(|number| *number != 0.0)?;
    let factor = feature[at] / known[at];
    let agrees = feature.iter().zip(known).all(|(a, b)| *a == factor * b);
    (agrees && factor != 0.0).then_some(factor)
}

/// A span of vectors, kept as rows that eliminate.
struct Space {
    rows: Vec<(usize, Vec<f64>)>,
}

impl Space {
    fn new(first: Vec<f64>) -> Self {
        let mut space = Space { rows: Vec::new() };
        space.add(&first);
        space
    }

    /// Whether the vector was independent of those before.
    fn add(&mut self, vector: &[f64]) -> bool {
        let size = vector.iter().fold(0.0_f64, |size, number| size.max(number.abs()));
        let mut rest = vector.to_vec();
        for (pivot, row) in &self.rows {
            let factor = rest[*pivot] / row[*pivot];
            for (number, other) in rest.iter_mut().zip(row) {
                *number -= factor * other;
            }
            rest[*pivot] = 0.0;
        }
        let largest = rest.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        match largest {
            Some((pivot, number)) if number.abs() > 1e-9 * (1e-3 + size) => {
                self.rows.push((pivot, rest));
                true
            }
            _ => false,
        }
    }
}

/// The x with Σ x_i column_i = right, where there is one and the columns are independent.
fn solve(columns: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let (rows, unknowns) = (right.len(), columns.len());
    let mut table: Vec<Vec<f64>> =
        (0..rows).map(|row| columns.iter().map(|column| column[row]).chain([right[row]]).collect()).collect();
    let mut pivots = Vec::new();
    let mut next = 0;
    for unknown in 0..unknowns {
        let best = (next..rows).max_by(|a, b| table[*a][unknown].abs().total_cmp(&table[*b][unknown].abs()));
        let Some(best) = best.filter(|row| table[*row][unknown].abs() > 1e-10) else {
            pivots.push(None);
            continue;
        };
        table.swap(next, best);
        let pivot_row = table[next].clone();
        for row in 0..rows {
            if row != next {
                let factor = table[row][unknown] / pivot_row[unknown];
                if factor != 0.0 {
                    for (number, other) in table[row].iter_mut().zip(&pivot_row) {
                        *number -= factor * other;
                    }
                }
            }
        }
        pivots.push(Some(next));
        next += 1;
    }
    let value = |unknown: usize, row: usize| {
        let number = table[row][unknowns] / table[row][unknown];
        let near = number.round();
        if (number - near).abs() < 1e-10 { near } else { number }
    };
    pivots.iter().enumerate().map(|(unknown, row)| row.map_or(0.0, |row| value(unknown, row))).collect()
}
