//! One folder for each workspace.

pub mod rasp;
pub mod simulator;
pub mod universal;
pub mod width;
