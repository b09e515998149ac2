//! Whatever the text: reading ends without a panic, diagnostics point into the text, and what is read
//! without a diagnostic prints as a text that reads as the same tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rasp::syntax::{print, tokens};

fuzz_target!(|text: &str| {
    let read = rasp::parse(text);
    for diagnostic in &read.diagnostics {
        assert!(text.get(diagnostic.span.start..diagnostic.span.end).is_some());
    }
    assert!(tokens(text).iter().all(|token| text.get(token.span.start..token.span.end).is_some()));
    let printed = print(&read.tree);
    if read.diagnostics.is_empty() {
        let again = rasp::parse(&printed);
        assert!(again.diagnostics.is_empty(), "{printed}\n{:?}", again.diagnostics);
        assert_eq!(print(&again.tree), printed);
    }
});
