//! What every folder may stand on: languages, numbers, parts that come when they are wanted.

pub mod decimal;
pub mod language;
pub mod parts;
