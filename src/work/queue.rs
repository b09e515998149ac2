//! The newest request wins: what is under way in each channel and what waits behind it. Pure, so that
//! it can be tested without a browser.

/// One channel: the answers of one panel or page, of which only the newest matters.
#[derive(Debug)]
pub struct Channel<T> {
    under_way: Option<u64>,
    waiting: Option<(u64, T)>,
}

impl<T> Default for Channel<T> {
    fn default() -> Self {
        Channel { under_way: None, waiting: None }
    }
}

impl<T> Channel<T> {
    /// A new request. It comes back when it can be sent at once; otherwise it waits, in the place of
    /// whatever waited before.
    pub fn offer(&mut self, id: u64, request: T) -> Option<T> {
        if self.under_way.is_none() {
            self.under_way = Some(id);
            return Some(request);
        }
        self.waiting = Some((id, request));
        None
    }

    /// The answer to `id` has come. The request that waited comes back, to be sent now.
    pub fn done(&mut self, id: u64) -> Option<(u64, T)> {
        if self.under_way != Some(id) {
            return None;
        }
        self.under_way = None;
        let (id, request) = self.waiting.take()?;
        self.under_way = Some(id);
        Some((id, request))
    }

    /// The request under way.
    pub fn under_way_id(&self) -> Option<u64> {
        self.under_way
    }

    /// The request that waits.
    pub fn waiting_id(&self) -> Option<u64> {
        self.waiting.as_ref().map(|(id, _)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_waits() {
        let mut channel = Channel::default();
        assert_eq!(channel.offer(1, "a"), Some("a"));
        assert_eq!(channel.offer(2, "b"), None);
        assert_eq!(channel.offer(3, "c"), None);
        assert_eq!(channel.done(1), Some((3, "c")));
        assert_eq!(channel.done(2), None, "b was superseded and never sent");
        assert_eq!((channel.under_way_id(), channel.waiting_id()), (Some(3), None));
        assert_eq!(channel.done(3), None);
        assert_eq!(channel.under_way_id(), None);
    }
}
