//! What several workspaces share.

pub mod law;
pub mod named;
