//! How large a file and a class may be. Checked before anything is allocated for them.

use crate::Class;

use super::FileError;

/// The largest sizes that are accepted, all of them far beyond what a browser can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Bytes of a safetensors header.
    pub header_bytes: u64,
    /// H.
    pub heads: u64,
    /// L.
    pub layers: u64,
    /// d and d_h each.
    pub width: u64,
    /// Numbers in the query and key weights of all heads, 2 H L d d_h.
    pub weights: u64,
}

impl Limits {
    /// The limits of this program. Text and short numbers grow up to four times when they are read,
    /// and all has to fit into the memory of a browser's worker.
    pub const STANDARD: Limits = Limits {
        file_bytes: 1 << 27,
        header_bytes: 100_000_000,
        heads: Class::MOST_HEADS as u64,
        layers: 64,
        width: 65_536,
        weights: 1 << 26,
    };
}

/// # Errors
/// [`FileError::TooLarge`], with the size and its limit, when a size of `class` or the number of its
/// weights is beyond [`Limits::STANDARD`].
pub fn check_limits(class: &Class) -> Result<(), FileError> {
    check_sizes([class.heads, class.layers, class.width, class.head_width].map(|size| size as u64))
}

/// The same before there is a class: H, L, d and d_h as a file claims them.
pub(super) fn check_sizes([heads, layers, width, head_width]: [u64; 4]) -> Result<(), FileError> {
    let limits = Limits::STANDARD;
    at_most("class.heads", heads, limits.heads)?;
    at_most("class.layers", layers, limits.layers)?;
    at_most("class.width", width, limits.width)?;
    at_most("class.head_width", head_width, limits.width)?;
    // Each factor is bounded by now, so the product stays below 2^48.
    at_most("weights", 2 * heads * layers * width * head_width, limits.weights)
}

pub(super) fn check_file_size(bytes: &[u8]) -> Result<(), FileError> {
    if bytes.is_empty() {
        return Err(FileError::Empty);
    }
    at_most("file", bytes.len() as u64, Limits::STANDARD.file_bytes)
}

pub(super) fn at_most(name: &str, found: u64, most: u64) -> Result<(), FileError> {
    if found > most {
        return Err(FileError::TooLarge { name: name.to_owned(), found, most });
    }
    Ok(())
}
