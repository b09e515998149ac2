//! What a person reads while the work goes on.

use anyhow::{Context, Result};
use std::time::{Duration, Instant};

/// Says what is about to happen, does it, and says how long it took.
pub fn step<T>(title: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("── {title}");
    let start = Instant::now();
    let result = work().with_context(|| format!("{title}: failed"))?;
    println!("   {title}: done in {}", seconds(start.elapsed()));
    Ok(result)
}

/// A duration, as people say it: `4.2 s`, `3 min 05 s`.
pub fn seconds(duration: Duration) -> String {
    if duration.as_secs() < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}
