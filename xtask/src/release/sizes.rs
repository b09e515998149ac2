//! How large a release is, as it lies on the host and as it travels.

use super::{PAGE, files};
use anyhow::Result;
use brotli::enc::BrotliEncoderParams;
use std::fmt;
use std::fs;
use std::path::Path;

/// The sizes of a release's files.
pub struct Sizes {
    /// Every file, the page first.
    pub files: Vec<Size>,
}

/// The size of one file.
pub struct Size {
    /// Its path in the release.
    pub file: String,
    /// Bytes on the host.
    pub raw: usize,
    /// Bytes on the way, with Brotli at its highest quality.
    pub brotli: usize,
    /// Whether the first visit needs it: the page, what the page names, what that names, and so on.
    pub in_first_load: bool,
}

/// Measures the release in `folder`.
///
/// # Errors
/// A file cannot be read.
pub fn measure(folder: &Path) -> Result<Sizes> {
    let names = files(folder)?;
    let needed = needed_by_page(folder, &names)?;
    let mut sizes = Vec::new();
    for file in names {
        let content = fs::read(folder.join(&file))?;
        let mut compressed = Vec::new();
        brotli::BrotliCompress(&mut content.as_slice(), &mut compressed, &BrotliEncoderParams::default())?;
        let in_first_load = needed.contains(&file);
        sizes.push(Size { file, raw: content.len(), brotli: compressed.len(), in_first_load });
    }
    sizes.sort_by_key(|size| (!size.in_first_load, size.file != PAGE));
    Ok(Sizes { files: sizes })
}

impl fmt::Display for Sizes {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        writeln!(out, "{:>12} {:>12}", "bytes", "brotli")?;
        for size in &self.files {
            let note = if size.in_first_load { "" } else { "  (later)" };
            writeln!(out, "{:>12} {:>12}  {}{note}", size.raw, size.brotli, size.file)?;
        }
        let first = self.files.iter().filter(|size| size.in_first_load);
        let (raw, brotli) = first.fold((0, 0), |(raw, brotli), size| (raw + size.raw, brotli + size.brotli));
        write!(out, "{raw:>12} {brotli:>12}  in all for the first visit")
    }
}

/// A file is needed when a needed page, script or style sheet says its name. The service worker names
/// everything and does so after the first visit: it is not followed.
fn needed_by_page(folder: &Path, names: &[String]) -> Result<Vec<String>> {
    let mut needed = vec![PAGE.to_owned()];
    let mut read = 0;
    while read < needed.len() {
        let text = match Path::new(&needed[read]).extension().and_then(|extension| extension.to_str()) {
            Some("html" | "js" | "css") => fs::read_to_string(folder.join(&needed[read]))?,
            _ => String::new(),
        };
        read += 1;
        for name in names {
            let base = name.rsplit('/').next().unwrap_or(name);
            if name != "sw.js" && !needed.contains(name) && text.contains(base) {
                needed.push(name.clone());
            }
        }
    }
    Ok(needed)
}
