//! Programs, inputs and files that are too long for a link, made short enough.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::choices::{Desk, Files, Piece};

/// The most bytes that a link unpacks to.
const LARGEST: usize = 1_000_000;

/// How hard is tried to make it short, of 10: beyond this it takes longer and gains nothing.
const EFFORT: u8 = 8;

/// Two texts and two more for every file, each behind its length, deflated and written in the letters of a link.
pub fn pack(Desk { piece, files }: &Desk) -> String {
    let texts =
        [&piece.program, &piece.input].into_iter().chain(files.iter().flat_map(|(name, text)| [name, text]));
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(&bytes, EFFORT))
}

/// What was packed; `None` when it was cut or is none of ours.
pub fn unpack(packed: &str) -> Option<Desk> {
    let deflated = BASE64_URL_SAFE_NO_PAD.decode(packed).ok()?;
    let bytes = decompress_to_vec_with_limit(&deflated, LARGEST).ok()?;
    let mut texts = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((length, after)) = rest.split_first_chunk() {
        let (text, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        texts.push(String::from_utf8(text.to_vec()).ok()?);
        rest = after;
    }
    let mut texts = texts.into_iter();
    let piece = Piece { program: texts.next()?, input: texts.next()? };
    let mut files = Files::new();
    while let Some(name) = texts.next() {
        files.insert(name, texts.next()?);
    }
    rest.is_empty().then_some(Desk { piece, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_or_made_up_is_refused() {
        let piece = Piece { program: "indices;\n".repeat(50), input: "ä".to_owned() };
        let files = Files::from([("mine".to_owned(), "x = 1;".to_owned())]);
        let desk = Desk { piece, files };
        let packed = pack(&desk);
        assert_eq!(unpack(&packed), Some(desk));
        for at in 0..packed.len() {
            assert_eq!(unpack(&packed[..at]), None, "{at}");
        }
        for other in ["", "!", "AAAA", "hello"] {
            assert_eq!(unpack(other), None);
        }
    }
}
