//! What is too large is refused before anything is allocated, with what would fit.
#![allow(clippy::unwrap_used)]

mod common;

use common::{class, random};
use transformer::Class;
use universal::capacity::{Limit, TooLarge, estimate};
use universal::{Bounds, Capacity, Construction, Error, Law, Tying, UniversalTransformer};

fn refusal(capacity: Capacity, construction: Construction, class: &Class, n: usize) -> TooLarge {
    match capacity.check(construction, class, n).unwrap_err() {
        Error::TooLarge(refusal) => *refusal,
        other => panic!("{other}"),
    }
}

#[test]
fn sizes_never_overflow() {
    let huge = class(usize::MAX, usize::MAX, usize::MAX, usize::MAX);
    for class in
        [huge, Class { residual: true, ..huge }, Class { heads: 1, ..huge }, Class { heads: 2, ..huge }]
    {
        for construction in [Construction::Sparse, random(Law::Gaussian, Tying::Free, usize::MAX, 1)] {
            assert!(universal::bounds::multiply_adds(construction, &class, usize::MAX) > 1 << 100);
            assert!(estimate(construction, &class, usize::MAX).unwrap().memory.total() > 1 << 100);
        }
    }
    assert_eq!(Bounds::of(&huge).sparse, u128::MAX);
}

#[test]
fn a_single_path_stays_linear_in_the_depth() {
    let bounds = Bounds::of(&class(1, 1000, 8, 8));
    assert_eq!((bounds.paths, bounds.sparse), (1, 2001 * 8));
}

#[test]
fn layers_are_given_up_first() {
    let refusal = refusal(Capacity::default(), Construction::Sparse, &class(4, 40, 8, 2), 8);
    assert!(matches!(refusal.reason, Limit::Width { .. }));
    let nearest = refusal.nearest.unwrap();
    assert_eq!((nearest.heads, nearest.width, nearest.head_width), (4, 8, 2));
    // It is the nearest: it fits, and one layer more does not.
    assert!(Capacity::default().check(Construction::Sparse, &nearest, 8).is_ok());
    let deeper = Class { layers: nearest.layers + 1, ..nearest };
    assert!(Capacity::default().check(Construction::Sparse, &deeper, 8).is_err());
}

#[test]
fn then_heads_then_width() {
    let small = Capacity { max_bytes: u64::MAX, max_width: 60 };
    // One layer with 20 heads needs 20·(2 + 8) columns.
    let heads = refusal(small, Construction::Sparse, &class(20, 2, 8, 1), 4).nearest.unwrap();
    assert_eq!((heads.heads, heads.layers, heads.width), (6, 1, 8));
    let width = refusal(small, Construction::Looped, &class(3, 2, 500, 2), 4).nearest.unwrap();
    assert_eq!((width.heads, width.layers, width.width), (1, 1, 28));
    assert!(small.check(Construction::Looped, &width, 4).is_ok());
}

#[test]
fn memory_is_a_limit_of_its_own() {
    let wide = random(Law::Gaussian, Tying::Free, 20_000, 1);
    let refusal = refusal(Capacity::default(), wide, &class(2, 3, 8, 2), 8);
    assert!(matches!(refusal.reason, Limit::Bytes { .. }));
    // The class itself is no problem: with as many columns as it needs it fits.
    assert_eq!(refusal.nearest.unwrap(), class(2, 3, 8, 2));
    assert!(refusal.to_string().contains("bytes"), "{refusal}");
    // The same width is none for routings.
    assert!(Capacity::default().check(Construction::Sparse, &class(2, 10, 12, 2), 64).is_ok());
}

#[test]
fn too_many_tokens_leave_nothing_that_fits() {
    let refusal = refusal(Capacity::default(), Construction::Sparse, &class(1, 1, 4, 4), 1_000_000);
    assert_eq!(refusal.nearest, None);
}

#[test]
fn constructions_refuse_what_is_too_large() {
    let deep = class(4, 40, 8, 2);
    assert!(matches!(UniversalTransformer::sparse(deep), Err(Error::TooLarge(_))));
    assert!(matches!(UniversalTransformer::looped(deep), Err(Error::TooLarge(_))));
    let wide = random(Law::Gaussian, Tying::Free, usize::MAX, 1);
    assert!(matches!(UniversalTransformer::new(class(1, 1, 1, 1), wide), Err(Error::TooLarge(_))));
    let none = random(Law::Gaussian, Tying::Free, 0, 1);
    assert_eq!(UniversalTransformer::new(class(1, 1, 1, 1), none).unwrap_err(), Error::ZeroWidth);
    let impossible = UniversalTransformer::sparse(class(300, 1, 1, 1)).unwrap_err();
    assert!(impossible.to_string().contains("heads = 300"), "{impossible}");
}
