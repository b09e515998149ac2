//! The whole product, in a real browser.
//!
//! `cargo xtask test` runs these after everything cheaper. To work on one of them:
//!
//! ```text
//! cargo xtask build              # after a change of the page
//! cargo xtask browser offline    # the tests whose names contain “offline”, against the last build
//! ```
//!
//! Each test opens a browser of its own, which knows nothing of the others. The `harness` crate beside this
//! folder has everything that a person can do, by the names that a person reads.
#![cfg(not(target_arch = "wasm32"))]

mod accessibility;
mod hosting;
mod loading;
mod offline;
mod rasp;
mod simulator;
mod training;
mod training_bridges;
mod training_life;
mod universal;
mod universal_crash;
mod universal_files;
mod universal_roll;
mod universal_shell;
mod universal_view;
mod width;
