//! Fixed universal transformers: classes, attention paths, the sparse, looped and random constructions, bounds.
