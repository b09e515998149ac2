//! One folder for each workspace.

pub mod rasp;
pub mod universal;
pub mod width;
