//! The one animation clock: where an animation is, and how it gets on.
//!
//! A position is a number of steps: at 2.5 the third step is half done. A picture that reads
//! [`Clock::position`] moves along.
//!
//! ```ignore
//! let clock = Clock::new(RwSignal::new(0.0), Signal::derive(move || steps.with(Vec::len) as f64));
//! let draw = Draw::new(move |painter, frame| draw_step(painter, frame, clock.position()));
//! view! { <Surface draw=draw/> <Scrubber clock=clock/> }
//! ```

use leptos::prelude::*;

use super::scheduler::FrameJob;

/// The clock of one animation. With `prefers-reduced-motion`, every step jumps to its end.
#[derive(Clone, Copy)]
pub struct Clock {
    position: RwSignal<f64>,
    length: Signal<f64>,
    speed: RwSignal<f64>,
    motion: RwSignal<Motion>,
    is_held: RwSignal<bool>,
    last_frame: StoredValue<Option<f64>>,
    /// Where the clock is, even when only whole steps are shown.
    exact: StoredValue<f64>,
    /// How many times as fast as usual a glide is, so that a long one does not last.
    haste: StoredValue<f64>,
    job: StoredValue<Option<FrameJob>, LocalStorage>,
}

/// What a clock does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    /// It stands.
    Still,
    /// It runs to the end.
    Playing,
    /// It runs to this position, forward or back.
    Gliding(f64),
}

impl Clock {
    /// A clock over `length` steps that keeps its position in a signal of the page. At speed 1 it makes one step in a
    /// second.
    pub fn new(position: RwSignal<f64>, length: impl Into<Signal<f64>>) -> Clock {
        let clock = Clock {
            position,
            length: length.into(),
            speed: RwSignal::new(1.0),
            motion: RwSignal::new(Motion::Still),
            is_held: RwSignal::new(false),
            last_frame: StoredValue::new(None),
            exact: StoredValue::new(0.0),
            haste: StoredValue::new(1.0),
            job: StoredValue::new_local(None),
        };
        let job = FrameJob::new(move |time| clock.frame(time));
        clock.job.set_value(Some(job));
        on_cleanup(move || job.cancel());
        clock
    }

    /// Where the animation is, in steps.
    pub fn position(self) -> f64 {
        self.position.get().clamp(0.0, self.length.get())
    }

    /// How many steps there are.
    pub fn length(self) -> f64 {
        self.length.get()
    }

    /// Whether it runs to the end.
    pub fn is_playing(self) -> bool {
        self.motion.get() == Motion::Playing
    }

    /// Steps in a second.
    pub fn speed(self) -> RwSignal<f64> {
        self.speed
    }

    /// Runs on to the end; from the end, runs again from the start.
    pub fn play(self) {
        if self.position.get_untracked() >= self.length.get_untracked() {
            self.position.set(0.0);
        }
        self.start(Motion::Playing);
    }

    /// Stops where it is.
    pub fn pause(self) {
        self.motion.set(Motion::Still);
    }

    /// Plays, or pauses.
    pub fn toggle(self) {
        if self.motion.get_untracked() == Motion::Playing { self.pause() } else { self.play() }
    }

    /// Jumps to a position and stops there.
    pub fn seek(self, position: f64) {
        self.pause();
        self.position.set(position.clamp(0.0, self.length.get_untracked()));
    }

    /// Runs to a position, forward or back, and stops there; without motion, jumps there. A long way takes no longer
    /// than a few seconds.
    pub fn glide(self, position: f64) {
        let position = position.clamp(0.0, self.length.get_untracked());
        if motion_is_reduced() {
            self.seek(position);
        } else {
            self.haste.set_value(haste(untrack(|| self.position()), position));
            self.start(Motion::Gliding(position));
        }
    }

    /// Where a glide will end, or else where the animation is: the place from which the next step counts.
    pub fn destination(self) -> f64 {
        match self.motion.get_untracked() {
            Motion::Gliding(target) => target,
            Motion::Still | Motion::Playing => untrack(|| self.position()),
        }
    }

    /// Stands still for a while, for example while the person points at something.
    pub fn hold(self) {
        self.is_held.set(true);
    }

    /// Goes on after [`Clock::hold`].
    pub fn release(self) {
        self.is_held.set(false);
        self.request_frame();
    }

    fn start(self, motion: Motion) {
        self.exact.set_value(untrack(|| self.position()));
        self.last_frame.set_value(None);
        self.motion.set(motion);
        self.request_frame();
    }

    fn request_frame(self) {
        if let Some(job) = self.job.get_value() {
            job.request();
        }
    }

    /// One animation frame. It runs outside every reactive owner, perhaps after the page has gone.
    fn frame(self, time: f64) {
        let (Some(motion), Some(is_held)) =
            (self.motion.try_get_untracked(), self.is_held.try_get_untracked())
        else {
            return;
        };
        let length = self.length.get_untracked();
        let (target, haste) = match motion {
            Motion::Still => return,
            Motion::Playing => (length, 1.0),
            Motion::Gliding(target) => (target, self.haste.get_value()),
        };
        let last = self.last_frame.get_value();
        self.last_frame.set_value(Some(time));
        if is_held {
            // The next frame is asked for by `release`; time that passes until then does not count.
            self.last_frame.set_value(None);
            return;
        }
        let elapsed = last.map_or(0.0, |last| time - last);
        let exact = advanced(self.exact.get_value(), target, elapsed, haste * self.speed.get_untracked());
        self.exact.set_value(exact);
        let shown = if motion_is_reduced() { exact.floor() } else { exact };
        if self.position.get_untracked() != shown {
            self.position.set(shown);
        }
        if exact == target {
            self.position.set(target);
            self.motion.set(Motion::Still);
        } else {
            self.request_frame();
        }
    }
}

/// Whether the person asked their system for less motion.
pub fn motion_is_reduced() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// How many times as fast as usual a glide is.
fn haste(from: f64, to: f64) -> f64 {
    /// In steps at usual speed, which are seconds.
    const LONGEST_GLIDE: f64 = 3.0;
    ((to - from).abs() / LONGEST_GLIDE).max(1.0)
}

/// The position `elapsed` milliseconds later on the way from `position` to `target` at `speed` steps a second.
fn advanced(position: f64, target: f64, elapsed: f64, speed: f64) -> f64 {
    /// A page in the background gets no frames; it must not leap when it comes back.
    const LONGEST_FRAME: f64 = 100.0;
    let way = elapsed.clamp(0.0, LONGEST_FRAME) / 1000.0 * speed;
    if position < target { (position + way).min(target) } else { (position - way).max(target) }
}

/// The next stop after `position` in `stops`, which ascend; or else the last.
pub fn next_stop(stops: &[f64], position: f64) -> Option<f64> {
    stops.iter().copied().find(|&stop| stop > position + 1e-9).or_else(|| stops.last().copied())
}

/// The last stop before `position` in `stops`, which ascend; or else the first.
pub fn previous_stop(stops: &[f64], position: f64) -> Option<f64> {
    stops.iter().rev().copied().find(|&stop| stop < position - 1e-9).or_else(|| stops.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_reaches_its_target_exactly_in_both_directions() {
        for (start, target) in [(0.0, 2.0), (5.0, 3.5)] {
            let mut position = start;
            for _ in 0..1000 {
                position = advanced(position, target, 16.7, 1.0);
            }
            assert_eq!(position, target);
        }
    }

    #[test]
    fn speed_is_steps_in_a_second_and_long_pauses_do_not_leap() {
        assert!((advanced(0.0, 10.0, 50.0, 2.0) - 0.1).abs() < 1e-12);
        assert!(advanced(0.0, 10.0, 60_000.0, 1.0) <= 0.1);
    }

    #[test]
    fn a_long_glide_takes_three_seconds_and_a_short_one_its_time() {
        assert_eq!((haste(2.0, 2.5), haste(0.0, 1.0), haste(5.0, 2.0)), (1.0, 1.0, 1.0));
        assert_eq!(30.0 / haste(40.0, 10.0), 3.0);
    }

    #[test]
    fn stops_are_found_in_both_directions() {
        let stops = [0.0, 1.0, 4.0];
        assert_eq!(next_stop(&stops, 1.0), Some(4.0));
        assert_eq!(next_stop(&stops, 4.0), Some(4.0));
        assert_eq!(previous_stop(&stops, 1.5), Some(1.0));
        assert_eq!(previous_stop(&stops, 0.0), Some(0.0));
        assert_eq!(next_stop(&[], 1.0), None);
    }
}
