//! The other end of `jobs`: engine work off the main thread.

fn main() {}
