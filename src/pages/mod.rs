//! One folder for each workspace.

pub mod universal;
pub mod width;
