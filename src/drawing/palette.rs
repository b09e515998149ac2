//! The tokens of `style/tokens.css`, read once for each theme, so that canvases and style sheets agree.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::color::{Ramp, Rgba};
use super::painter::Family;

use crate::ground::decimal;

macro_rules! palette {
    ($($(#[$doc:meta])* $field:ident = $token:literal;)*) => {
        /// Every colour, size and family of type that pictures are drawn with.
        #[derive(Clone, Debug)]
        pub struct Palette {
            $($(#[$doc])* pub $field: Rgba,)*
            /// Probabilities: 0 at 0, 1 at 1.
            pub sequential: Ramp,
            /// Signed numbers: −max at 0, exact zero at ½, max at 1.
            pub diverging: Ramp,
            /// The size of the smallest letters, in CSS pixels.
            pub text_tiny: f64,
            /// The size of small letters, in CSS pixels.
            pub text_small: f64,
            /// The size of running text, in CSS pixels.
            pub text_body: f64,
            sans: String,
            serif: String,
            mono: String,
        }

        impl Palette {
            /// The palette that a set of tokens describes.
            pub fn from_tokens(tokens: &impl Tokens) -> Palette {
                let ramp = |names: &[&str]| {
                    Ramp::through(&names.iter().map(|name| tokens.color(name)).collect::<Vec<_>>())
                };
                Palette {
                    $($field: tokens.color($token),)*
                    sequential: ramp(&SEQUENTIAL),
                    diverging: ramp(&DIVERGING),
                    text_tiny: tokens.size("--text-tiny"),
                    text_small: tokens.size("--text-small"),
                    text_body: tokens.size("--text-body"),
                    sans: tokens.family("--sans"),
                    serif: tokens.family("--serif"),
                    mono: tokens.family("--mono"),
                }
            }
        }
    };
}

palette! {
    /// The page.
    paper = "--paper";
    /// A sheet on the page.
    card = "--card";
    /// Text and strong lines.
    ink = "--ink";
    /// Text that stands back.
    soft = "--soft";
    /// Quiet lines.
    line = "--line";
    /// The edges of controls.
    edge = "--edge";
    /// What the person looks at.
    accent = "--accent";
    /// Text on the accent.
    on_accent = "--on-accent";
    /// Queries.
    query = "--query";
    /// Keys.
    key = "--key";
    /// Values.
    value = "--value";
    /// Outputs.
    output = "--output";
    /// The residual stream.
    residual = "--residual";
    /// The target.
    target = "--target";
    /// The universal transformer.
    universal = "--universal";
    /// Weights that never change.
    frozen = "--frozen";
    /// The lock texture over frozen weights.
    frozen_line = "--frozen-line";
    /// What holds.
    ok = "--ok";
    /// What deserves care.
    warn = "--warn";
    /// What does not hold.
    bad = "--bad";
    /// A selector's no.
    selector_off = "--selector-off";
    /// A selector's yes.
    selector_on = "--selector-on";
    /// Numbers on bright cells.
    numeral_dark = "--numeral-dark";
    /// Numbers on dark cells.
    numeral_light = "--numeral-light";
    /// Lines between cells.
    cell_line = "--cell-line";
    /// Masked cells.
    masked = "--masked";
    /// The hatching over masked cells.
    masked_line = "--masked-line";
    /// The mark of NaN.
    nan = "--nan";
    /// The mark of ±∞.
    infinite = "--infinite";
}

/// What a thing is in the construction; each role keeps its hue everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// No role: ink.
    #[default]
    Plain,
    /// Queries.
    Query,
    /// Keys.
    Key,
    /// Values.
    Value,
    /// Outputs.
    Output,
    /// The residual stream.
    Residual,
    /// The target.
    Target,
    /// The universal transformer.
    Universal,
    /// Weights that never change.
    Frozen,
    /// The one thing that changes, or that the person looks at.
    Accent,
}

impl Role {
    /// The class that gives an element the role's hue as `--role`; see `style/base.css`.
    pub fn class(self) -> &'static str {
        match self {
            Role::Plain => "role-plain",
            Role::Query => "role-query",
            Role::Key => "role-key",
            Role::Value => "role-value",
            Role::Output => "role-output",
            Role::Residual => "role-residual",
            Role::Target => "role-target",
            Role::Universal => "role-universal",
            Role::Frozen => "role-frozen",
            Role::Accent => "role-accent",
        }
    }
}

/// The stops of the scale of probabilities.
pub const SEQUENTIAL: [&str; 5] =
    ["--sequential-0", "--sequential-1", "--sequential-2", "--sequential-3", "--sequential-4"];

/// The stops of the scale of signed numbers.
pub const DIVERGING: [&str; 5] =
    ["--negative-2", "--negative-1", "--neutral", "--positive-1", "--positive-2"];

/// Where tokens are looked up.
pub trait Tokens {
    /// A colour.
    fn color(&self, token: &str) -> Rgba;
    /// A length in CSS pixels.
    fn size(&self, token: &str) -> f64;
    /// A list of families of type.
    fn family(&self, token: &str) -> String;
}

impl Palette {
    /// The page's palette as it is now. Reading it inside a reactive scope or a draw function subscribes to
    /// changes of the theme.
    pub fn current() -> Rc<Palette> {
        THEME.with(|theme| {
            theme.changed.track();
            if let Some(palette) = theme.palette.borrow().as_ref() {
                return palette.clone();
            }
            if !theme.watching.replace(true) {
                watch_theme();
            }
            let palette = Rc::new(Palette::from_tokens(&ComputedTokens::new()));
            *theme.palette.borrow_mut() = Some(palette.clone());
            palette
        })
    }

    /// The hue of a role.
    pub fn role(&self, role: Role) -> Rgba {
        match role {
            Role::Plain => self.ink,
            Role::Query => self.query,
            Role::Key => self.key,
            Role::Value => self.value,
            Role::Output => self.output,
            Role::Residual => self.residual,
            Role::Target => self.target,
            Role::Universal => self.universal,
            Role::Frozen => self.frozen,
            Role::Accent => self.accent,
        }
    }

    /// The list of fonts of a family of type, as CSS writes it.
    pub fn family(&self, family: Family) -> &str {
        match family {
            Family::Sans => &self.sans,
            Family::Serif => &self.serif,
            Family::Mono => &self.mono,
        }
    }
}

struct ThemeState {
    palette: RefCell<Option<Rc<Palette>>>,
    watching: Cell<bool>,
    changed: ArcTrigger,
}

thread_local! {
    static THEME: ThemeState = ThemeState {
        palette: RefCell::new(None),
        watching: Cell::new(false),
        changed: ArcTrigger::new(),
    };
}

/// Everything that `tokens.css` depends on, apart from the `data-theme` attribute.
const THEME_QUERIES: [&str; 6] = [
    "(prefers-color-scheme: dark)",
    "(prefers-contrast: more)",
    "(forced-colors: active)",
    "(min-width: 2200px)",
    "(min-width: 3400px)",
    "print",
];

fn forget_palette() {
    THEME.with(|theme| {
        theme.palette.borrow_mut().take();
        theme.changed.notify();
    });
}

/// The page has one theme for its whole life, so the listeners are never taken off.
fn watch_theme() {
    for query in THEME_QUERIES {
        let Ok(Some(list)) = window().match_media(query) else { continue };
        let changed = Closure::<dyn Fn()>::new(move || {
            forget_palette();
            if query == "print" {
                // The printer does not wait for an animation frame.
                super::scheduler::flush();
            }
        });
        let _ = list.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
        changed.forget();
        // A list that nobody holds may be collected, and its listener with it.
        std::mem::forget(list);
    }
    let changed = Closure::<dyn Fn()>::new(forget_palette);
    if let (Some(root), Ok(observer)) =
        (document().document_element(), web_sys::MutationObserver::new(changed.as_ref().unchecked_ref()))
    {
        let options = web_sys::MutationObserverInit::new();
        options.set_attributes(true);
        options.set_attribute_filter(&js_sys::Array::of1(&"data-theme".into()));
        let _ = observer.observe_with_options(&root, &options);
    }
    changed.forget();
}

/// Tokens as the browser computes them. A custom property keeps the text it was written with, so each token is
/// given to a real property of a hidden element, and that property is read.
struct ComputedTokens {
    probe: web_sys::HtmlElement,
    style: Option<web_sys::CssStyleDeclaration>,
}

impl ComputedTokens {
    fn new() -> ComputedTokens {
        let probe: web_sys::HtmlElement =
            document().create_element("span").expect("an HTML document makes elements").unchecked_into();
        probe.set_hidden(true);
        // Where the system forces colours on text, the scales of pictures must stay what they are.
        let _ = probe.style().set_property("forced-color-adjust", "none");
        if let Some(body) = document().body() {
            let _ = body.append_child(&probe);
        }
        let style = window().get_computed_style(&probe).ok().flatten();
        ComputedTokens { probe, style }
    }

    fn computed(&self, property: &str, token: &str) -> String {
        let _ = self.probe.style().set_property(property, &format!("var({token})"));
        self.style.as_ref().and_then(|style| style.get_property_value(property).ok()).unwrap_or_default()
    }
}

impl Tokens for ComputedTokens {
    fn color(&self, token: &str) -> Rgba {
        // A page without its style sheet is still drawn, in black.
        Rgba::parse(&self.computed("color", token)).unwrap_or(Rgba::opaque(0, 0, 0))
    }

    fn size(&self, token: &str) -> f64 {
        decimal::parse(self.computed("font-size", token).trim_end_matches("px")).unwrap_or(12.0)
    }

    fn family(&self, token: &str) -> String {
        self.computed("font-family", token)
    }
}

impl Drop for ComputedTokens {
    fn drop(&mut self) {
        self.probe.remove();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A theme of `tokens.css`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum Theme {
        Light,
        Dark,
    }

    /// The palette of a theme, read from the style sheet itself.
    pub(crate) fn palette(theme: Theme) -> Palette {
        Palette::from_tokens(&theme)
    }

    impl Tokens for Theme {
        fn color(&self, token: &str) -> Rgba {
            let text = declared(token);
            let inner = text.strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')'));
            let (light, dark) = inner.and_then(|pair| pair.split_once(',')).expect("a colour for each theme");
            Rgba::parse(if *self == Theme::Light { light } else { dark }).expect("a colour")
        }

        fn size(&self, token: &str) -> f64 {
            declared(token).strip_suffix("rem").expect("a size in rem").parse::<f64>().unwrap() * 16.0
        }

        fn family(&self, token: &str) -> String {
            declared(token).to_owned()
        }
    }

    fn declared(token: &str) -> &'static str {
        let sheet = include_str!("../../style/tokens.css");
        let start = sheet.find(&format!("{token}: ")).unwrap_or_else(|| panic!("{token} is not declared"));
        let value = &sheet[start + token.len() + 2..];
        &value[..value.find(';').expect("a declaration ends")]
    }

    const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

    #[test]
    fn every_ink_is_readable_on_every_paper() {
        for theme in THEMES {
            for ink in [
                "--ink",
                "--soft",
                "--accent",
                "--query",
                "--key",
                "--value",
                "--output",
                "--residual",
                "--target",
                "--universal",
                "--frozen",
                "--ok",
                "--warn",
                "--bad",
            ] {
                for paper in ["--paper", "--card", "--raised", "--sunken"] {
                    let contrast = theme.color(ink).contrast(theme.color(paper));
                    assert!(contrast >= 4.5, "{theme:?}: {ink} on {paper} has {contrast:.2}");
                }
            }
            let contrast = theme.color("--on-accent").contrast(theme.color("--accent"));
            assert!(contrast >= 4.5, "{theme:?}: text on the accent has {contrast:.2}");
        }
    }

    #[test]
    fn edges_and_marks_can_be_seen() {
        for theme in THEMES {
            for mark in ["--edge", "--nan", "--infinite"] {
                let contrast = theme.color(mark).contrast(theme.color("--card"));
                assert!(contrast >= 3.0, "{theme:?}: {mark} has {contrast:.2}");
            }
        }
    }

    #[test]
    fn more_probable_is_always_farther_from_the_paper() {
        for theme in THEMES {
            let palette = palette(theme);
            let sign = if theme == Theme::Light { -1.0 } else { 1.0 };
            let luminance: Vec<f64> =
                (0..=100).map(|i| palette.sequential.at(f64::from(i) / 100.0).luminance()).collect();
            for pair in luminance.windows(2) {
                assert!((pair[1] - pair[0]) * sign > 0.0, "{theme:?}: {pair:?}");
            }
        }
    }

    #[test]
    fn a_number_can_be_read_on_every_cell() {
        for theme in THEMES {
            let palette = palette(theme);
            for ramp in [&palette.sequential, &palette.diverging] {
                for i in 0..=200 {
                    let cell = ramp.at(f64::from(i) / 200.0);
                    let ink = cell.readable(palette.numeral_dark, palette.numeral_light);
                    assert!(cell.contrast(ink) >= 4.5, "{theme:?}: {cell:?}");
                }
            }
        }
    }

    #[test]
    fn zero_is_neutral_and_both_signs_weigh_the_same() {
        for theme in THEMES {
            let palette = palette(theme);
            assert_eq!(palette.diverging.at(0.5), theme.color("--neutral"));
            for i in 1..=10 {
                let t = f64::from(i) / 20.0;
                let (minus, plus) =
                    (palette.diverging.at(0.5 - t).luminance(), palette.diverging.at(0.5 + t).luminance());
                let ratio = (minus.max(plus) + 0.05) / (minus.min(plus) + 0.05);
                assert!(ratio < 1.2, "{theme:?}: at {t} one sign is {ratio:.2} times as bright");
            }
            for side in [-1.0, 1.0] {
                let away: Vec<f64> = (0..=50)
                    .map(|i| {
                        palette
                            .diverging
                            .at(0.5 + side * f64::from(i) / 100.0)
                            .contrast(palette.diverging.at(0.5))
                    })
                    .collect();
                assert!(
                    away.windows(2).all(|pair| pair[1] > pair[0]),
                    "{theme:?}: side {side} is not monotone"
                );
            }
        }
    }

    #[test]
    fn signs_and_marks_differ_for_every_kind_of_colour_vision() {
        for theme in THEMES {
            let palette = palette(theme);
            for vision in VISIONS {
                let seen = |color: Rgba| seen_by(color, vision);
                for t in [0.2, 0.35, 0.5] {
                    let (minus, plus) =
                        (seen(palette.diverging.at(0.5 - t)), seen(palette.diverging.at(0.5 + t)));
                    let apart = distance(minus, plus);
                    assert!(apart > 0.08, "{theme:?}, {vision:?}: ±{t} are only {apart:.3} apart");
                }
                let apart = distance(seen(palette.selector_on), seen(palette.selector_off));
                assert!(apart > 0.3, "{theme:?}, {vision:?}: a yes and a no are only {apart:.3} apart");
                let apart = distance(seen(palette.nan), seen(palette.infinite));
                assert!(apart > 0.1, "{theme:?}, {vision:?}: NaN and infinity are only {apart:.3} apart");
            }
        }
    }

    #[test]
    fn roles_that_stand_side_by_side_differ_for_every_kind_of_colour_vision() {
        for theme in THEMES {
            for vision in VISIONS {
                for (one, other) in [
                    ("--query", "--key"),
                    ("--key", "--output"),
                    ("--key", "--value"),
                    ("--target", "--universal"),
                ] {
                    let apart =
                        distance(seen_by(theme.color(one), vision), seen_by(theme.color(other), vision));
                    assert!(
                        apart > 0.03,
                        "{theme:?}, {vision:?}: {one} and {other} are only {apart:.3} apart"
                    );
                }
            }
        }
    }

    /// Linear-light matrices of Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of
    /// color vision deficiency" (2009), at full severity; the identity for common vision.
    type Vision = [[f64; 3]; 3];
    const VISIONS: [Vision; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    fn seen_by(color: Rgba, vision: Vision) -> [f64; 3] {
        let linear = color.linear();
        let seen = vision.map(|row| (0..3).map(|i| row[i] * linear[i]).sum::<f64>().clamp(0.0, 1.0));
        crate::drawing::color::oklab_from_linear(seen)
    }

    /// Distance in OKLab, where black and white are 1 apart.
    fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
        (0..3).map(|i| (one[i] - other[i]).powi(2)).sum::<f64>().sqrt()
    }
}
