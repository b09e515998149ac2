//! When a change of state is a step of its own in the browser's history, and when it belongs to the
//! step before: what makes Back and Forward an undo and a redo that a person can follow.

/// Changes that follow each other faster than this belong together: a slider that is being dragged, a
/// word that is being typed.
const TOGETHER_MS: f64 = 700.0;

/// What to do with the URL after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A new entry in the history.
    Push,
    /// The entry of the change before is rewritten.
    Replace,
}

/// Decides between the two.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pace {
    last_ms: Option<f64>,
}

impl Pace {
    /// A change at `now_ms` (milliseconds, any origin).
    pub fn change(&mut self, now_ms: f64) -> Step {
        let together = self.last_ms.is_some_and(|last| now_ms - last < TOGETHER_MS);
        self.last_ms = Some(now_ms);
        if together { Step::Replace } else { Step::Push }
    }

    /// After Back or Forward the next change is a step of its own.
    pub fn rest(&mut self) {
        self.last_ms = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_is_one_step_and_the_next_change_another() {
        let mut pace = Pace::default();
        assert_eq!(pace.change(1000.0), Step::Push);
        assert_eq!(pace.change(1016.0), Step::Replace);
        assert_eq!(pace.change(1500.0), Step::Replace);
        assert_eq!(pace.change(3000.0), Step::Push);
        pace.rest();
        assert_eq!(pace.change(3001.0), Step::Push);
    }
}
