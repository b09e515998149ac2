//! Sets of values: how atoms are told apart, and which averages can come out.

use std::collections::BTreeSet;

use rasp::{Atom, Message, Primitive};

/// Fractions that are whole become whole numbers: a program does not find them different.
pub(crate) fn normal(atom: Atom) -> Atom {
    const LARGEST: f64 = (1_u64 << 31) as f64;
    match atom {
        Atom::Float(value) if value.fract() == 0.0 && value.abs() <= LARGEST => Atom::Int(value as i64),
        other => other,
    }
}

/// What an elementwise primitive makes of normal values.
pub(crate) fn apply(primitive: &Primitive, operands: &[Atom]) -> Result<Atom, Message> {
    let made = primitive.apply(operands);
    if made.is_err() && operands.iter().any(|atom| matches!(atom, Atom::Int(_))) {
        // Whole numbers of 64 bits overflow where the fractions that they may have been do not.
        let as_floats: Vec<Atom> = operands.iter().map(fraction).collect();
        if let Ok(atom) = primitive.apply(&as_floats) {
            return Ok(normal(atom));
        }
    }
    made.map(normal)
}

fn fraction(atom: &Atom) -> Atom {
    match atom {
        Atom::Int(value) => Atom::Float(*value as f64),
        other => other.clone(),
    }
}

/// Whether it counts as a number in an average: truth values do only among numbers.
pub(crate) fn is_number(atom: &Atom) -> bool {
    matches!(atom, Atom::Int(_) | Atom::Float(_))
}

/// The averages of `count` of these numbers, for each of these counts; 0 of them have none. `Err` with the number
/// of averages so far when there are more than `limit`.
pub(crate) fn averages(numbers: &[f64], counts: &BTreeSet<usize>, limit: usize) -> Result<Vec<f64>, usize> {
    let most = counts.last().copied().unwrap_or(0);
    let mut averages: Vec<f64> = Vec::new();
    let mut sums = vec![0.0];
    for count in 1..=most {
        let mut next: Vec<f64> =
            sums.iter().flat_map(|sum| numbers.iter().map(move |number| sum + number)).collect();
        distinct(&mut next);
        if next.len() > limit {
            return Err(next.len());
        }
        sums = next;
        if counts.contains(&count) {
            averages.extend(sums.iter().map(|sum| sum / count as f64));
            distinct(&mut averages);
            if averages.len() > limit {
                return Err(averages.len());
            }
        }
    }
    Ok(averages)
}

/// In order, each number once; numbers that differ by rounding only are one.
pub(crate) fn distinct(numbers: &mut Vec<f64>) {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by(|b, a| same(*a, *b));
    for number in numbers.iter_mut().filter(|number| **number == 0.0) {
        *number = 0.0;
    }
}

/// Whether they differ by rounding at most.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

/// Where a number stands in a list of distinct numbers in order.
pub(crate) fn find(numbers: &[f64], number: f64) -> Option<usize> {
    let at = numbers.partition_point(|candidate| *candidate < number);
    [at.checked_sub(1), Some(at)]
        .into_iter()
        .flatten()
        .find(|at| numbers.get(*at).is_some_and(|candidate| same(*candidate, number)))
}
