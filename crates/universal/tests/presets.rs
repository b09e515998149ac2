//! The presets say the same words when a universal transformer plays them.
#![allow(clippy::unwrap_used)]

use transformer::{forward, presets};
use universal::bounds::largest_rank;
use universal::{Construction, Law, Proof, RandomSpec, Tying, UniversalTransformer, Verdict};

#[test]
fn every_construction_says_what_the_preset_says() {
    for preset in presets::all() {
        let class = preset.class();
        let x = preset.embed(preset.input).unwrap();
        let target_trace = forward(&preset.target, x.view()).unwrap();
        let random = |width: usize| Construction::Random {
            spec: RandomSpec { law: Law::Gaussian, tying: Tying::Free, width },
            seed: 1,
        };
        let least = largest_rank(&class, Tying::Free) as usize;
        let mut constructions = vec![Construction::Sparse, random(least), random(least + 8)];
        // The looped construction has no residual classes.
        if !class.residual {
            constructions.push(Construction::Looped);
        }
        for construction in constructions {
            let universal = UniversalTransformer::new(class, construction).unwrap();
            let program = universal.program(&preset.target).unwrap();
            let trace = universal.forward(x.view(), program.embedding.view()).unwrap();
            let proof = Proof::new(&preset.target, &target_trace, &universal, &trace, program.solve.as_ref());
            let what = format!("{}, {construction:?}: largest error {:e}", preset.id, proof.largest);
            assert!(matches!(proof.verdict, Verdict::Exact | Verdict::WithinTolerance), "{what}");
            assert_eq!(preset.readout(&trace.output), preset.readout(&target_trace.output), "{what}");
        }
    }
}
