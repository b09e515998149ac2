//! Whatever the bytes: no panic, and a target that is accepted is written and read back unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use transformer::files::{read_target, read_target_safetensors, write_target_safetensors};

fuzz_target!(|bytes: &[u8]| {
    let _ = read_target(bytes, "fuzz");
    if let Ok(target) = read_target_safetensors(bytes) {
        let written = write_target_safetensors(&target).expect("a target can be written");
        assert_eq!(read_target(&written, "fuzz"), Ok(target));
    }
});
