//! Whatever the bytes: no panic, and a target that is accepted is written and read back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use transformer::files::{read_target, read_target_json, write_target_json};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_target(bytes, "fuzz");
    match read_target_json(bytes) {
        Ok(target) => {
            let text = write_target_json(&target).expect("a target can be written");
            assert_eq!(read_target(text.as_bytes(), "fuzz"), Ok(target));
        }
        Err(error) => assert!(error.to_string().len() < 2000, "a message must be short"),
    }
});
