//! Public data crosses to another thread by postcard, a format that does not describe itself.
#![allow(clippy::unwrap_used)]

mod common;

use common::{class, constructions, input, perform};
use serde::{Serialize, de::DeserializeOwned};
use transformer::Target;
use universal::{Capacity, Consumer, Tree, UniversalTransformer};

fn crosses<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let bytes = postcard::to_allocvec(value).unwrap();
    assert_eq!(postcard::from_bytes::<T>(&bytes).unwrap(), *value);
}

#[test]
fn everything_public_crosses() {
    let class = class(2, 2, 4, 2);
    let target = Target::random(class, 1).unwrap();
    let x = input(4, 4, 2);
    for construction in constructions(&class, 3) {
        let played = perform(&target, construction, x.view());
        crosses(&played.target);
        crosses(&played.target_trace);
        crosses(&played.universal_trace);
        crosses(&played.program);
        crosses(&played.proof);
        crosses(&construction);
        crosses(&played.universal.fingerprint());
        crosses(played.universal.program_columns());
        crosses(&played.universal.layers().to_vec());
        crosses(&Capacity::default().check(construction, &class, 4).unwrap());
        crosses(&Tree::new(&played.target, &played.target_trace, Consumer::Output));
    }
    crosses(&universal::Bounds::of(&class));
    crosses(&UniversalTransformer::sparse(common::class(4, 40, 8, 2)).unwrap_err());
}
