//! `cargo xtask …`: set up, build, serve, test, measure.
fn main() {}
