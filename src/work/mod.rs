//! Work off the main thread: the protocol, the client on the page, and what each workspace asks for.
//!
//! The other end is `worker`. Only this module talks to it.

pub mod client;
pub mod idle;
pub mod protocol;
pub mod queue;
pub mod serve;
pub mod worker;
