//! One folder for each workspace, and what several of them share.

pub mod rasp;
pub mod shared;
pub mod simulator;
pub mod training;
pub mod universal;
pub mod width;
