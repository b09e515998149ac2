//! What the task runner shares with the whole-product tests: the release that is made from Trunk's
//! output, and a server of static files.

pub mod release;
pub mod site;
