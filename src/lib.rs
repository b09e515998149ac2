//! Pianola's web app: fixed universal transformers and universal simulators of attention, made touchable.

pub mod drawing;
pub mod ground;
pub mod link;
pub mod notices;
pub mod rooms;
pub mod shell;
pub mod widgets;
pub mod work;
