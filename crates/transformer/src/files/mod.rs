//! Files: targets as JSON and safetensors, inputs as JSON, CSV and `.npy`.
//!
//! A reader allocates only for what a file really holds, never for what its header claims, and every
//! refusal is a [`FileError`]: plain data that names what is wrong and where.
//!
//! ```
//! use transformer::files::{read_target, write_target_json};
//! use transformer::presets;
//!
//! let target = presets::by_id("majority").expect("it is a preset").target;
//! let text = write_target_json(&target)?;
//! assert_eq!(read_target(text.as_bytes(), "majority.json")?, target);
//!
//! let error = read_target(text.replace("softmax", "linear").as_bytes(), "majority.json").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "class.attention is “linear”; known are softmax, average-hard, leftmost-hard"
//! );
//! # Ok::<(), transformer::files::FileError>(())
//! ```

mod error;
mod input;
mod limits;
mod numbers;
mod rows;
mod target_json;
mod target_safetensors;

pub use error::{FileError, Guess};
pub use input::{Input, read_input};
pub use limits::{Limits, check_limits};
pub use target_json::{TargetDocument, read_target_json, write_target_json};
pub use target_safetensors::{
    NamedMatrix, read_target_safetensors, write_matrices_safetensors, write_target_safetensors,
};

use crate::Target;

/// Reads a target from a file of either format, recognised by its content.
///
/// `file_name` appears in the message when the content is neither.
///
/// # Errors
/// When the file is empty, too large, of another kind, or does not hold a possible target.
pub fn read_target(bytes: &[u8], file_name: &str) -> Result<Target, FileError> {
    limits::check_file_size(bytes)?;
    if looks_like_safetensors(bytes) {
        return read_target_safetensors(bytes);
    }
    match without_mark(bytes).trim_ascii_start().first() {
        None => Err(FileError::Empty),
        // The mark of UTF-16, which editors write when asked for “Unicode”.
        Some(0xfe | 0xff) => Err(FileError::NotUtf8 { byte: 0 }),
        Some(b'{') => read_target_json(bytes),
        Some(_) => Err(unrecognised(bytes, file_name)),
    }
}

/// Eight bytes of length, of which real headers fill four at most. Text never holds a zero byte.
fn looks_like_safetensors(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(&[0; 4])
}

/// UTF-8 text without the byte order mark that some editors put before it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn text(bytes: &[u8]) -> Result<&str, FileError> {
    std::str::from_utf8(without_mark(bytes)).map_err(|error| FileError::NotUtf8 {
        byte: bytes.len() - without_mark(bytes).len() + error.valid_up_to(),
    })
}

fn unrecognised(bytes: &[u8], file_name: &str) -> FileError {
    let start = without_mark(bytes).trim_ascii_start();
    let guess = if bytes.starts_with(b"\x93NUMPY") {
        Guess::Npy
    } else if bytes.starts_with(b"PK\x03\x04") {
        Guess::Zip
    } else if bytes.starts_with(b"\x80") {
        Guess::Pickle
    } else if start.starts_with(b"<") {
        Guess::Html
    } else if start.starts_with(b"[") {
        Guess::Rows
    } else {
        Guess::Other
    };
    FileError::Unrecognised { file_name: file_name.to_owned(), guess }
}
