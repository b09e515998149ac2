//! Targets that no link can carry: they are kept as long as the page, so that Back and Forward find them again. The
//! link has a hash of each; elsewhere it finds nothing, and says so.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use transformer::Target;

use super::choices::Origin;

/// The most that are kept; the oldest goes first.
const MOST: usize = 16;

#[derive(Clone)]
struct Kept {
    name: String,
    target: Target,
    origin: Option<Origin>,
}

thread_local! {
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a target with where it was learned, and gives its name.
pub(super) fn keep(target: &Target, origin: Option<&Origin>) -> String {
    KEPT.with_borrow_mut(|all| {
        if let Some(known) = all.iter().find(|it| it.target == *target && it.origin.as_ref() == origin) {
            return known.name.clone();
        }
        let mut hasher = DefaultHasher::new();
        // What has no bytes has no name of its own; it is still found by it as long as it is the last.
        postcard::to_stdvec(&(target, origin)).unwrap_or_default().hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        if all.len() == MOST {
            all.remove(0);
        }
        all.push(Kept { name: name.clone(), target: target.clone(), origin: origin.cloned() });
        name
    })
}

/// The target of a name, if it is kept.
pub(super) fn recall(name: &str) -> Option<(Target, Option<Origin>)> {
    KEPT.with_borrow(|all| {
        all.iter().rev().find(|it| it.name == name).map(|it| (it.target.clone(), it.origin.clone()))
    })
}
