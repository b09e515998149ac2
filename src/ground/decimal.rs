//! Numbers from their decimal digits.

/// The number nearest to what a text says, such as `-1.5e-3` or `inf`.
///
/// In the page the browser reads it, and as exactly: the tables for doing it ourselves would be more than all
/// style sheets together.
pub fn parse(text: &str) -> Option<f64> {
    #[cfg(target_arch = "wasm32")]
    {
        let unsigned = text.trim_start_matches(['+', '-']);
        if unsigned.eq_ignore_ascii_case("nan") {
            return Some(f64::NAN);
        }
        if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
            return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        // A browser would also read an empty text, blanks around a number and other bases.
        let is_decimal =
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let value = wasm_bindgen::JsValue::from_str(text).unchecked_into_f64();
        (is_decimal && !value.is_nan()).then_some(value)
    }
    #[cfg(not(target_arch = "wasm32"))]
    text.parse().ok()
}
