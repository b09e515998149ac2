//! What went wrong, in the person's language: what is wrong, where, and what would do.

use crate::jobs::protocol::Failure;
use crate::language::Language;

/// A failure in words.
pub fn describe(failure: &Failure, _t: Language) -> String {
    failure.to_string()
}
