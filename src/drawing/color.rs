//! Colours and the scales that turn a number into one.

use std::sync::LazyLock;

use crate::ground::decimal;

/// An sRGB colour with alpha, 8 bits a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgba {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
    /// Opacity: 0 is clear, 255 is opaque.
    pub alpha: u8,
}

impl Rgba {
    /// Nothing at all.
    pub const CLEAR: Rgba = Rgba { red: 0, green: 0, blue: 0, alpha: 0 };

    /// An opaque colour.
    pub const fn opaque(red: u8, green: u8, blue: u8) -> Rgba {
        Rgba { red, green, blue, alpha: 255 }
    }

    /// The same colour, with its opacity multiplied by `opacity` in 0…1.
    pub fn faded(self, opacity: f64) -> Rgba {
        Rgba { alpha: (f64::from(self.alpha) * opacity.clamp(0.0, 1.0)).round() as u8, ..self }
    }

    /// Reads `#rgb`, `#rrggbb`, `#rrggbbaa`, and the `rgb(…)`, `rgba(…)` and `color(srgb …)` of computed styles.
    pub fn parse(text: &str) -> Option<Rgba> {
        let text = text.trim();
        if let Some(hex) = text.strip_prefix('#') {
            return parse_hex(hex);
        }
        let (function, rest) = text.split_once('(')?;
        let mut arguments = rest.trim_end_matches(')').split([',', ' ', '/']).filter(|part| !part.is_empty());
        let unit = match function {
            "rgb" | "rgba" => 1.0,
            "color" if arguments.next()? == "srgb" => 255.0,
            _ => return None,
        };
        let mut channel =
            || -> Option<u8> { Some((decimal::parse(arguments.next()?)? * unit).round() as u8) };
        let (red, green, blue) = (channel()?, channel()?, channel()?);
        let alpha = match arguments.next() {
            Some(text) => (decimal::parse(text)? * 255.0).round() as u8,
            None => 255,
        };
        Some(Rgba { red, green, blue, alpha })
    }

    /// The colour as CSS and SVG write it: `#rrggbb`, or `#rrggbbaa` where it is not opaque.
    pub fn css(self) -> String {
        let Rgba { red, green, blue, alpha } = self;
        if alpha == 255 {
            format!("#{red:02x}{green:02x}{blue:02x}")
        } else {
            format!("#{red:02x}{green:02x}{blue:02x}{alpha:02x}")
        }
    }

    /// Relative luminance in 0…1, as WCAG 2 defines it; alpha is ignored.
    pub fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// WCAG 2 contrast with `other`, 1…21.
    pub fn contrast(self, other: Rgba) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Whichever of two inks is easier to read on this colour.
    pub fn readable(self, one: Rgba, other: Rgba) -> Rgba {
        if self.contrast(one) >= self.contrast(other) { one } else { other }
    }

    /// The colour a share `t` in 0…1 of the way to `other`, along a straight line in OKLab
    /// (Björn Ottosson, "A perceptual color space for image processing", 2020).
    pub fn mix(self, other: Rgba, t: f64) -> Rgba {
        let t = t.clamp(0.0, 1.0);
        if t == 0.0 {
            return self;
        }
        if t == 1.0 {
            return other;
        }
        let (one, two) = (oklab_from_linear(self.linear()), oklab_from_linear(other.linear()));
        let between = [0, 1, 2].map(|i| one[i] + (two[i] - one[i]) * t);
        let [red, green, blue] = linear_from_oklab(between).map(byte_from_linear);
        let alpha = f64::from(self.alpha) + (f64::from(other.alpha) - f64::from(self.alpha)) * t;
        Rgba { red, green, blue, alpha: alpha.round() as u8 }
    }

    /// The channels as one number, for use as a key.
    pub fn packed(self) -> u32 {
        u32::from_be_bytes([self.red, self.green, self.blue, self.alpha])
    }

    /// Linear-light red, green and blue in 0…1.
    pub fn linear(self) -> [f64; 3] {
        // Numbers in cells choose their ink by luminance, thousands of times a frame.
        static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
            std::array::from_fn(|channel| {
                let x = channel as f64 / 255.0;
                if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
            })
        });
        [self.red, self.green, self.blue].map(|channel| LINEAR[usize::from(channel)])
    }
}

/// A colour table: stops spread evenly over 0…1, sampled finely enough that no eye sees the steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    samples: Vec<Rgba>,
}

/// One more than a power of two, so that 0, ½ and 1 each fall on a sample and are met exactly.
const SAMPLES: usize = 513;

impl Ramp {
    /// A ramp through `stops`, which must not be empty.
    pub fn through(stops: &[Rgba]) -> Ramp {
        let last = stops.len().saturating_sub(1);
        let samples = (0..SAMPLES)
            .map(|i| {
                let at = i as f64 / (SAMPLES - 1) as f64 * last as f64;
                let from = (at.floor() as usize).min(last);
                stops[from].mix(stops[(from + 1).min(last)], at - from as f64)
            })
            .collect();
        Ramp { samples }
    }

    /// The colour at `t`, clamped to 0…1. NaN has no place on a ramp: see [`Mark`].
    pub fn at(&self, t: f64) -> Rgba {
        self.samples[(t.clamp(0.0, 1.0) * (SAMPLES - 1) as f64).round() as usize]
    }
}

/// How the numbers of a matrix are read as colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Shares of a whole: 0…1, never stretched.
    Probability,
    /// Signed numbers: −max…max, symmetric, exact zero neutral.
    Signed {
        /// The magnitude that gets the full colour; positive.
        max: f64,
    },
    /// A yes or a no: anything but zero is a yes.
    Selector,
    /// Frozen weights 0 and 1: a dot where there is a one.
    ZeroOne,
}

impl Scale {
    /// Where a finite `value` lies on the scale's ramp, in 0…1.
    pub fn position(self, value: f64) -> f64 {
        match self {
            Scale::Probability => value.clamp(0.0, 1.0),
            Scale::Signed { max } if max > 0.0 => 0.5 + 0.5 * (value / max).clamp(-1.0, 1.0),
            Scale::Signed { .. } => 0.5,
            Scale::Selector | Scale::ZeroOne => f64::from(u8::from(value != 0.0)),
        }
    }

    /// How much a value stands out: decimation keeps the value that stands out most.
    /// Numbers that are not finite stand out above all others.
    pub fn salience(self, value: f64) -> f64 {
        if value.is_finite() { value.abs() } else { f64::INFINITY }
    }

    /// The values at which a legend writes a number.
    pub fn ticks(self) -> Vec<f64> {
        match self {
            Scale::Probability => vec![0.0, 0.25, 0.5, 0.75, 1.0],
            Scale::Signed { max } => vec![-max, 0.0, max],
            Scale::Selector | Scale::ZeroOne => vec![0.0, 1.0],
        }
    }
}

/// What is drawn for one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// A finite number, at this place of its scale (0…1).
    At(f64),
    /// Not a number.
    Nan,
    /// +∞.
    PlusInfinity,
    /// −∞.
    MinusInfinity,
}

impl Mark {
    /// The mark of `value` on `scale`.
    pub fn of(value: f64, scale: Scale) -> Mark {
        if value.is_nan() {
            Mark::Nan
        } else if value == f64::INFINITY {
            Mark::PlusInfinity
        } else if value == f64::NEG_INFINITY {
            Mark::MinusInfinity
        } else {
            Mark::At(scale.position(value))
        }
    }
}

fn parse_hex(hex: &str) -> Option<Rgba> {
    if !hex.is_ascii() {
        return None;
    }
    let pair = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
    match hex.len() {
        3 => {
            let digit = |i: usize| Some(u8::from_str_radix(hex.get(i..=i)?, 16).ok()? * 17);
            Some(Rgba::opaque(digit(0)?, digit(1)?, digit(2)?))
        }
        6 => Some(Rgba::opaque(pair(0)?, pair(2)?, pair(4)?)),
        8 => Some(Rgba { red: pair(0)?, green: pair(2)?, blue: pair(4)?, alpha: pair(6)? }),
        _ => None,
    }
}

fn byte_from_linear(x: f64) -> u8 {
    let x = x.clamp(0.0, 1.0);
    let encoded = if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

pub(crate) fn oklab_from_linear([r, g, b]: [f64; 3]) -> [f64; 3] {
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

fn linear_from_oklab([lightness, a, b]: [f64; 3]) -> [f64; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_survive_being_written_and_read() {
        for color in [Rgba::opaque(1, 200, 255), Rgba { red: 9, green: 8, blue: 7, alpha: 6 }] {
            assert_eq!(Rgba::parse(&color.css()), Some(color));
        }
    }

    #[test]
    fn computed_styles_are_understood() {
        assert_eq!(Rgba::parse("rgb(1, 2, 3)"), Some(Rgba::opaque(1, 2, 3)));
        assert_eq!(Rgba::parse("rgba(1, 2, 3, 0.2)"), Some(Rgba { red: 1, green: 2, blue: 3, alpha: 51 }));
        assert_eq!(
            Rgba::parse("color(srgb 1 0 0 / 0.2)"),
            Some(Rgba { red: 255, green: 0, blue: 0, alpha: 51 })
        );
        assert_eq!(Rgba::parse("#fff"), Some(Rgba::opaque(255, 255, 255)));
        assert_eq!(Rgba::parse("light-dark(red, blue)"), None);
    }

    #[test]
    fn mixing_with_oneself_changes_nothing() {
        for red in (0..=255).step_by(15) {
            let color = Rgba::opaque(red, 255 - red, 77);
            assert_eq!(color.mix(color, 0.5), color);
        }
    }

    #[test]
    fn zero_is_exactly_in_the_middle_and_the_scale_is_symmetric() {
        let scale = Scale::Signed { max: 3.0 };
        assert_eq!(scale.position(0.0), 0.5);
        assert_eq!(scale.position(-0.0), 0.5);
        for i in 0..=40 {
            let x = f64::from(i) * 0.1;
            assert_eq!(scale.position(x) + scale.position(-x), 1.0, "at {x}");
        }
        assert_eq!(Scale::Signed { max: 0.0 }.position(0.0), 0.5);
    }

    #[test]
    fn numbers_that_are_not_finite_have_marks_of_their_own() {
        for scale in [Scale::Probability, Scale::Signed { max: 1.0 }, Scale::Selector, Scale::ZeroOne] {
            assert_eq!(Mark::of(f64::NAN, scale), Mark::Nan);
            assert_eq!(Mark::of(f64::INFINITY, scale), Mark::PlusInfinity);
            assert_eq!(Mark::of(f64::NEG_INFINITY, scale), Mark::MinusInfinity);
        }
    }

    #[test]
    fn a_ramp_meets_its_stops_exactly() {
        let stops = [Rgba::opaque(10, 20, 30), Rgba::opaque(250, 249, 248), Rgba::opaque(200, 20, 10)];
        let ramp = Ramp::through(&stops);
        assert_eq!([ramp.at(0.0), ramp.at(0.5), ramp.at(1.0)], stops);
    }
}
