//! How the numbers of binary files are stored.

use half::{bf16, f16};

/// A type of numbers: how many bytes one takes, and how to read it.
#[derive(Clone, Copy)]
pub(super) struct NumberType {
    /// Bytes of one number.
    pub bytes: usize,
    read: fn(&[u8]) -> f64,
}

impl NumberType {
    /// All numbers of `data`, whose length is a multiple of `bytes`.
    pub(super) fn read_all(&self, data: &[u8]) -> Vec<f64> {
        data.chunks_exact(self.bytes).map(self.read).collect()
    }
}

// The chunks are exactly as long as the number, so the conversion to an array cannot fail.
macro_rules! number_type {
    ($type:ty, $from_bytes:ident, $to_f64:expr) => {
        NumberType {
            bytes: size_of::<$type>(),
            read: |bytes| bytes.try_into().map_or(f64::NAN, |b| $to_f64(<$type>::$from_bytes(b))),
        }
    };
}

/// The types of safetensors that are read.
pub(super) const SAFETENSORS_TYPES: [(&str, NumberType); 4] = [
    ("F64", number_type!(f64, from_le_bytes, f64::from)),
    ("F32", number_type!(f32, from_le_bytes, f64::from)),
    ("F16", number_type!(f16, from_le_bytes, f16::to_f64)),
    ("BF16", number_type!(bf16, from_le_bytes, bf16::to_f64)),
];

/// The types of `.npy` that are read. Integers beyond 2⁵³ are rounded.
pub(super) const NPY_TYPES: [(&str, NumberType); 8] = [
    ("<f8", number_type!(f64, from_le_bytes, f64::from)),
    (">f8", number_type!(f64, from_be_bytes, f64::from)),
    ("<f4", number_type!(f32, from_le_bytes, f64::from)),
    (">f4", number_type!(f32, from_be_bytes, f64::from)),
    ("<i8", number_type!(i64, from_le_bytes, |integer| integer as f64)),
    (">i8", number_type!(i64, from_be_bytes, |integer| integer as f64)),
    ("<i4", number_type!(i32, from_le_bytes, f64::from)),
    (">i4", number_type!(i32, from_be_bytes, f64::from)),
];
