//! One folder for each workspace, and what several of them share.

pub mod named;
pub mod rasp;
pub mod simulator;
pub mod training;
pub mod universal;
pub mod width;
