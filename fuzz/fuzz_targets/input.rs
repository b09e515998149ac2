//! Whatever the bytes: no panic, and an input that is accepted holds finite numbers or tokens.
#![no_main]

use libfuzzer_sys::fuzz_target;
use transformer::files::{Input, read_input};

fuzz_target!(|bytes: &[u8]| match read_input(bytes, "fuzz") {
    Ok(Input::Rows(rows)) => {
        assert!(!rows.is_empty());
        assert!(rows.iter().all(|x| x.is_finite()));
        // Nothing is made that the file does not hold: every number takes a byte at least.
        assert!(rows.len() <= bytes.len());
    }
    Ok(Input::Tokens(tokens)) => assert!(!tokens.is_empty()),
    Err(_) => {}
});
