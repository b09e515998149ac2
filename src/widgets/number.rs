//! Numbers as people read them.

use crate::ground::decimal;

/// A number in few characters, for a cell or a tick: three significant digits, a true minus sign, `1.2e5` and `1.2e−7`
/// where plain digits would be long.
pub fn short(value: f64) -> String {
    significant(value, 3)
}

/// A number in at most `room` characters (at least 4) and a sign, for a cell: as many decimals as fit, so that the cells of a
/// matrix agree. What rounds to zero is `0.00`, exact zero is `0`.
pub fn in_room(value: f64, room: usize) -> String {
    if !value.is_finite() {
        return named(value).to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1e3 {
        return significant(value, 3);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    (0..room.saturating_sub(1))
        .rev()
        .map(|decimals| format!("{sign}{:.decimals$}", value.abs()))
        .find(|text| text.chars().count() <= room + sign.chars().count())
        .unwrap_or_else(|| significant(value, 1))
}

/// A number for close reading: six significant digits.
pub fn long(value: f64) -> String {
    significant(value, 6)
}

/// A number to the last digit: reading it back gives the same number.
pub fn exact(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { named(value).to_owned() }
}

/// A number in a template: `fill("{shown} of {total}", &[("shown", "3"), ("total", "9")])` is "3 of 9".
pub fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut text = template.to_owned();
    for (name, value) in parts {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

/// A whole number with thin spaces between groups of three digits.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        // Four digits read well without a gap.
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Reads a number as a person writes it: with a true minus sign or a decimal comma, or as `inf` or `nan`.
pub fn parse(text: &str) -> Option<f64> {
    let plain = text.trim().replace('−', "-").replace('∞', "inf");
    decimal::parse(&plain).or_else(|| decimal::parse(&plain.replace(',', ".")))
}

fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return named(value).to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Formatting rounds first, so the exponent is that of what is shown: 9.996 is 10.0, not 9.100.
    let scientific = format!("{:.*e}", digits - 1, value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if value < 0.0 { "−" } else { "" };
    if (-3..digits as i32 + 2).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        format!("{sign}{}", trimmed(&format!("{:.*}", decimals, value.abs())))
    } else {
        let exponent_sign = if exponent < 0 { "−" } else { "" };
        format!("{sign}{}e{exponent_sign}{}", trimmed(mantissa), exponent.abs())
    }
}

/// The text without zeros at the end of its fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn named(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "∞"
    } else {
        "−∞"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_three_digits_and_no_idle_zeros() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.4123, "0.412"),
            (-0.75, "−0.75"),
            (9.996, "10"),
            (1234.0, "1234"),
            (123_456.0, "1.23e5"),
            (0.001_23, "0.00123"),
            (-1.1e-15, "−1.1e−15"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "∞"),
            (f64::NEG_INFINITY, "−∞"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        for value in [0.1 + 0.2, -1e-300, 5e22, f64::NEG_INFINITY] {
            assert_eq!(parse(&exact(value)), Some(value));
        }
        assert_eq!(parse(" 2,5 "), Some(2.5));
        assert_eq!(parse(&short(-0.75)), Some(-0.75));
        assert_eq!(parse("two"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn numbers_in_cells_keep_to_their_room() {
        for (value, room, text) in [
            (0.4123, 4, "0.41"),
            (0.0007, 4, "0.00"),
            (0.0, 4, "0"),
            (2.0, 4, "2"),
            (-0.75, 4, "−0.75"),
            (-12.345, 4, "−12.3"),
            (0.123_456, 4, "0.12"),
            (123_456.7, 4, "1e5"),
        ] {
            assert_eq!(in_room(value, room), text);
        }
    }

    #[test]
    fn long_whole_numbers_are_grouped() {
        assert_eq!(grouped(1398), "1398");
        assert_eq!(grouped(1_398_100), "1\u{202f}398\u{202f}100");
    }

    #[test]
    fn templates_are_filled() {
        assert_eq!(fill("{shown} of {total}", &[("shown", "3"), ("total", "9")]), "3 of 9");
    }
}
