//! One folder for each workspace.

pub mod simulator;
pub mod universal;
pub mod width;
