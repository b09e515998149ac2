//! How the one long sequence is laid out on a strip: every stretch in proportion to its length, but wide enough for
//! its name. Pure mathematics, in CSS pixels.

use crate::drawing::geometry::Rect;
use rasp::simulator::{Layout, Stretch};

/// The places of the stretches on a strip.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    places: Vec<Place>,
}

/// A stretch on the strip.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    start: usize,
    len: usize,
    left: f64,
    width: f64,
}

impl Shares {
    /// Lays out the stretches over `width`; none is narrower than `least` asks for, as far as there is room.
    pub fn new(layout: &Layout, width: f64, least: impl Fn(&Stretch) -> f64) -> Shares {
        let stretches: Vec<&Stretch> = layout.stretches.iter().filter(|it| !it.is_empty()).collect();
        let asked: Vec<f64> = stretches.iter().map(|stretch| least(stretch)).collect();
        // Where not even the names have room, all of them give way alike.
        let shrink = (width / asked.iter().sum::<f64>().max(1.0)).min(1.0);
        let asked: Vec<f64> = asked.into_iter().map(|least| least * shrink).collect();
        // The long stretches share what the short ones leave: those that would get less than they ask for are taken
        // out until none is left.
        let mut is_short = vec![false; stretches.len()];
        let unit = loop {
            let sum = |short: bool, of: &dyn Fn(usize) -> f64| -> f64 {
                (0..stretches.len()).filter(|at| is_short[*at] == short).map(of).sum()
            };
            let left = width - sum(true, &|at| asked[at]);
            let unit = left / sum(false, &|at| stretches[at].len() as f64).max(1.0);
            let is_crowded = |at: &usize| !is_short[*at] && (stretches[*at].len() as f64) * unit < asked[*at];
            let crowded: Vec<usize> = (0..stretches.len()).filter(is_crowded).collect();
            if crowded.is_empty() {
                break unit;
            }
            crowded.into_iter().for_each(|at| is_short[at] = true);
        };
        let mut left = 0.0;
        let places = stretches.iter().enumerate().map(|(at, stretch)| {
            let width = if is_short[at] { asked[at] } else { stretch.len() as f64 * unit };
            let place = Place { start: stretch.start, len: stretch.len(), left, width };
            left += width;
            place
        });
        Shares { places: places.collect() }
    }

    /// From where to where a position reaches.
    pub fn cell(&self, at: usize) -> Option<(f64, f64)> {
        let place = self.places.iter().find(|it| (it.start..it.start + it.len).contains(&at))?;
        let cell = place.width / place.len as f64;
        Some((place.left + (at - place.start) as f64 * cell, cell))
    }

    /// From where to where a stretch reaches.
    pub fn stretch(&self, stretch: &Stretch) -> Option<(f64, f64)> {
        let place = self.places.iter().find(|it| it.start == stretch.start && it.len == stretch.len())?;
        Some((place.left, place.width))
    }

    /// The position at a distance from the left.
    pub fn at(&self, x: f64) -> Option<usize> {
        let place = self.places.iter().rev().find(|it| it.left <= x).or(self.places.first())?;
        let share = ((x - place.left) / place.width.max(1e-9)).clamp(0.0, 1.0);
        Some(place.start + ((share * place.len as f64) as usize).min(place.len - 1))
    }
}

/// A mark over a position that is never so narrow that it could not be found.
pub fn mark((x, width): (f64, f64), top: f64, height: f64) -> Rect {
    let wide = width.max(4.0);
    Rect::new(x + (width - wide) / 2.0, top, wide, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasp::simulator::{Attend, Class, Mask, Padding};

    fn layout(rows: usize, width: usize, heads: usize) -> Layout {
        Class {
            rows,
            width,
            value_width: width,
            heads,
            attend: Attend::Softmax,
            mask: Mask::None,
            feed_forward: None,
            padding: Padding::Masked,
        }
        .layout()
    }

    #[test]
    fn every_name_has_room_and_every_position_its_place() {
        for (rows, width, heads) in [(4, 2, 1), (64, 4, 8), (64, 16, 1), (1, 1, 1)] {
            let layout = layout(rows, width, heads);
            for room in [340.0, 1232.0] {
                let shares = Shares::new(&layout, room, |_| 18.0);
                let mut right = 0.0;
                for stretch in layout.stretches.iter().filter(|it| !it.is_empty()) {
                    let (left, wide) = shares.stretch(stretch).expect("a place");
                    assert!((left - right).abs() < 1e-9, "no gap before {}", stretch.name);
                    let least: f64 = if room > 400.0 { 18.0 } else { 15.0 };
                    assert!(wide >= least - 1e-9, "{rows} {room} {}: {wide}", stretch.name);
                    right = left + wide;
                }
                assert!((right - room).abs() < 1e-6, "{right} of {room}");
                for at in 0..layout.length {
                    let (x, cell) = shares.cell(at).expect("a place");
                    assert_eq!(shares.at(x + cell / 2.0), Some(at));
                }
            }
        }
    }
}
