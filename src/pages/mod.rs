//! One folder for each workspace.

pub mod rasp;
pub mod simulator;
pub mod training;
pub mod universal;
pub mod width;
