//! Numbers inside sentences: whole ones grouped as the language does it, decimals with its mark, bytes in
//! units that people know.

use crate::ground::language::Language;
use crate::widgets::number::short;

/// A whole number: 1,398,100 in English, 1.398.100 in Portuguese; 1.2 × 10²⁰ where nobody counts digits.
pub fn whole(n: impl TryInto<u128>, t: Language) -> String {
    let n = n.try_into().unwrap_or(u128::MAX);
    if n >= FIRST_ROUNDED {
        return power_of_ten(n, t);
    }
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(marks(t).between_groups);
        }
        text.push(digit);
    }
    text
}

/// The same after the symbol that it is the value of: `= 1,398,100`, `≈ 1.2 × 10²⁰`. The engine's sizes end at
/// the largest number that it can hold, which means: at least that much.
pub fn equated(n: u128, t: Language) -> String {
    let relation = match n {
        u128::MAX => "≥",
        FIRST_ROUNDED.. => "≈",
        ..FIRST_ROUNDED => "=",
    };
    format!("{relation} {}", whole(n, t))
}

/// A number with three significant digits.
pub fn decimal(value: f64, t: Language) -> String {
    with_mark(&short(value), t)
}

/// Bytes in the largest unit that fits, each 1024 of the one before, with at most one decimal: `14.2 TB`.
pub fn bytes(n: impl TryInto<u128>, t: Language) -> String {
    const UNITS: [&str; 9] = ["bytes", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    let n = n.try_into().unwrap_or(u128::MAX);
    let mut value = n as f64;
    let mut unit = 0;
    // 1023.96 would be rounded to 1024.0, which is one of the next unit.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let tenths = (value * 10.0).round() as u128;
    match tenths % 10 {
        0 => format!("{} {}", whole(tenths / 10, t), UNITS[unit]),
        tenth => format!("{}{}{tenth} {}", whole(tenths / 10, t), marks(t).decimal, UNITS[unit]),
    }
}

/// Two amounts of bytes that a sentence compares: to the last byte where they would look the same.
pub fn compared_bytes(found: u128, most: u64, t: Language) -> (String, String) {
    let rounded = (bytes(found, t), bytes(most, t));
    if found == u128::from(most) || rounded.0 != rounded.1 {
        return rounded;
    }
    (format!("{} bytes", whole(found, t)), format!("{} bytes", whole(most, t)))
}

const FIRST_ROUNDED: u128 = 1_000_000_000_000_000;

struct Marks {
    between_groups: char,
    decimal: char,
}

fn marks(t: Language) -> Marks {
    match t {
        Language::En => Marks { between_groups: ',', decimal: '.' },
        Language::Pt => Marks { between_groups: '.', decimal: ',' },
    }
}

fn with_mark(number: &str, t: Language) -> String {
    number.replace('.', &marks(t).decimal.to_string())
}

fn power_of_ten(n: u128, t: Language) -> String {
    let scientific = format!("{:.1e}", n as f64);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: String = exponent.chars().map(superscript).collect();
    format!("{} × 10{exponent}", with_mark(mantissa, t))
}

fn superscript(digit: char) -> char {
    match digit {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{En, Pt};

    #[test]
    fn whole_numbers_are_grouped_as_the_language_does_it() {
        for (n, en, pt) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (5_460, "5,460", "5.460"),
            (1_398_100, "1,398,100", "1.398.100"),
            (123_456_789_012_345_678_901, "1.2 × 10²⁰", "1,2 × 10²⁰"),
            (u128::MAX, "3.4 × 10³⁸", "3,4 × 10³⁸"),
        ] {
            assert_eq!((whole(n, En).as_str(), whole(n, Pt).as_str()), (en, pt));
        }
    }

    #[test]
    fn what_is_rounded_is_not_said_to_be_equal() {
        assert_eq!(equated(5_460, Pt), "= 5.460");
        assert_eq!(equated(FIRST_ROUNDED - 1, En), "= 999,999,999,999,999");
        assert_eq!(equated(FIRST_ROUNDED, En), "≈ 1.0 × 10¹⁵");
        assert_eq!(equated(u128::MAX, En), "≥ 3.4 × 10³⁸");
    }

    #[test]
    fn bytes_have_a_unit_and_at_most_one_decimal() {
        for (n, en, pt) in [
            (0_u64, "0 bytes", "0 bytes"),
            (1_023, "1,023 bytes", "1.023 bytes"),
            (1 << 30, "1 GB", "1 GB"),
            ((1 << 30) - 1, "1 GB", "1 GB"),
            (1_536, "1.5 KB", "1,5 KB"),
            (8 * 1_398_100 * 1_398_100, "14.2 TB", "14,2 TB"),
        ] {
            assert_eq!((bytes(n, En).as_str(), bytes(n, Pt).as_str()), (en, pt));
        }
        assert!(bytes(u128::MAX, En).ends_with(" YB"));
    }

    #[test]
    fn amounts_that_differ_look_different() {
        assert_eq!(compared_bytes(15 << 40, 1 << 30, En), ("15 TB".to_owned(), "1 GB".to_owned()));
        let (found, most) = compared_bytes((1 << 30) + 1, 1 << 30, Pt);
        assert_eq!((found.as_str(), most.as_str()), ("1.073.741.825 bytes", "1.073.741.824 bytes"));
    }

    #[test]
    fn decimals_have_the_mark_of_the_language() {
        assert_eq!(decimal(-1.25e-7, En), "−1.25e−7");
        assert_eq!(decimal(-1.25e-7, Pt), "−1,25e−7");
        assert_eq!(decimal(f64::NAN, Pt), "NaN");
    }
}
