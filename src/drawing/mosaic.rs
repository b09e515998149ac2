//! Many small rectangles as one picture, pixel by pixel.

use super::color::Rgba;
use super::geometry::Rect;
use super::painter::Pixels;

/// The picture of tiles that do not overlap, at `density` device pixels in a CSS pixel, and the device pixel of its upper
/// left corner. `None` where there is nothing to see.
pub fn mosaic(tiles: &[(Rect, Rgba)], radius: f64, density: f64) -> Option<(f64, f64, Pixels)> {
    let device = |x: f64| (x * density).round() as i64;
    let edges = |rect: &Rect| (device(rect.x), device(rect.y), device(rect.right()), device(rect.bottom()));
    let none = (i64::MAX, i64::MAX, i64::MIN, i64::MIN);
    let (left, top, right, bottom) = tiles.iter().fold(none, |(left, top, right, bottom), (rect, _)| {
        let (x, y, end, foot) = edges(rect);
        (left.min(x), top.min(y), right.max(end), bottom.max(foot))
    });
    if left >= right || top >= bottom {
        return None;
    }
    let (width, height) = ((right - left) as usize, (bottom - top) as usize);
    let corner = Corner::new(radius * density);
    let mut pixels = vec![Rgba::CLEAR; width * height];
    for (rect, color) in tiles {
        let (x, y, end, foot) = edges(rect);
        let columns = (x - left) as usize..(end - left) as usize;
        for row in (y - top) as usize..(foot - top) as usize {
            pixels[row * width..][columns.clone()].fill(*color);
        }
        corner.cut(&mut pixels, width, (columns, (y - top) as usize..(foot - top) as usize), *color);
    }
    Some((left as f64, top as f64, Pixels::from_fn(width, height, |x, y| pixels[y * width + x])))
}

/// The upper left corner of a rounded rectangle: how much of each pixel near it is covered.
struct Corner {
    side: usize,
    shares: Vec<f64>,
}

impl Corner {
    fn new(radius: f64) -> Corner {
        let side = radius.ceil().max(0.0) as usize;
        let share = |at: usize| {
            let from_centre = |place: usize| radius - (place as f64 + 0.5);
            let distance = from_centre(at % side).max(0.0).hypot(from_centre(at / side).max(0.0));
            (radius + 0.5 - distance).clamp(0.0, 1.0)
        };
        Corner { side, shares: (0..side * side).map(share).collect() }
    }

    /// Rounds the corners of a rectangle of one colour.
    fn cut(
        &self,
        pixels: &mut [Rgba],
        width: usize,
        (columns, rows): (std::ops::Range<usize>, std::ops::Range<usize>),
        color: Rgba,
    ) {
        if columns.len() < 2 * self.side || rows.len() < 2 * self.side {
            return;
        }
        for (at, share) in self.shares.iter().enumerate() {
            let (x, y) = (at % self.side, at / self.side);
            let faded = color.faded(*share);
            for row in [rows.start + y, rows.end - 1 - y] {
                pixels[row * width + columns.start + x] = faded;
                pixels[row * width + columns.end - 1 - x] = faded;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgba = Rgba::opaque(200, 0, 0);
    const BLUE: Rgba = Rgba::opaque(0, 0, 200);

    fn pixel(picture: &Pixels, x: usize, y: usize) -> [u8; 4] {
        let at = (y * picture.width() + x) * 4;
        [0, 1, 2, 3].map(|channel| picture.bytes()[at + channel])
    }

    #[test]
    fn every_tile_has_its_place_and_colour() {
        let tiles = [(Rect::new(10.0, 5.0, 3.0, 2.0), RED), (Rect::new(14.0, 8.0, 2.0, 2.0), BLUE)];
        for density in [1.0, 2.0, 1.5] {
            let (left, top, picture) = mosaic(&tiles, 0.0, density).unwrap();
            assert_eq!((left, top), ((10.0 * density).round(), (5.0 * density).round()));
            let at = |x: f64, y: f64| {
                pixel(
                    &picture,
                    ((x * density) - left).floor() as usize,
                    ((y * density) - top).floor() as usize,
                )
            };
            assert_eq!(at(11.5, 6.0), [200, 0, 0, 255]);
            assert_eq!(at(15.0, 9.0), [0, 0, 200, 255]);
            assert_eq!(at(13.5, 6.0), [0; 4], "between the tiles there is nothing");
        }
    }

    #[test]
    fn round_corners_are_alike_and_the_middle_is_whole() {
        let (_, _, picture) = mosaic(&[(Rect::new(0.0, 0.0, 12.0, 10.0), RED)], 3.0, 1.0).unwrap();
        let corners = [(0, 0), (11, 0), (0, 9), (11, 9)].map(|(x, y)| pixel(&picture, x, y)[3]);
        assert!(corners.iter().all(|alpha| *alpha == corners[0] && *alpha < 128), "{corners:?}");
        assert_eq!(pixel(&picture, 6, 0)[3], 255);
        assert_eq!(pixel(&picture, 6, 5), [200, 0, 0, 255]);
    }

    #[test]
    fn nothing_makes_no_picture() {
        assert_eq!(mosaic(&[], 2.0, 1.0), None);
        assert_eq!(mosaic(&[(Rect::new(1.0, 1.0, 0.2, 0.2), RED)], 0.0, 1.0), None);
    }
}
