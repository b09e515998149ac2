//! From what Trunk wrote to what is published: code in parts, a content security policy, and a service worker
//! that keeps one whole release for use without a network.

pub mod code;
mod glue;
mod packs;
mod policy;
mod service_worker;
mod sizes;
mod styles;

pub use code::Code;
pub use sizes::{Size, Sizes, measure};

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The page of a release.
pub const PAGE: &str = "index.html";

/// Turns Trunk's output in `folder` into a release, in place, with the code that `code` says how to make.
///
/// # Errors
/// A file cannot be read or written, or is not what Trunk writes.
pub fn finish(folder: &Path, code: &Code) -> Result<()> {
    let page = folder.join(PAGE);
    let html = fs::read_to_string(&page).with_context(|| format!("read {}", page.display()))?;
    let html = styles::join(folder, &html)?;
    let html = code::replace(folder, &html, code)?;
    let html = add_to_head(&html, &service_worker::announcement())?;
    let html = policy::add(&html)?;
    fs::write(&page, html)?;
    service_worker::write(folder)
}

/// Makes the service worker of `folder` anew, after a file in it was changed.
///
/// # Errors
/// A file cannot be read or written.
pub fn renew(folder: &Path) -> Result<()> {
    service_worker::write(folder)
}

/// Every file below `folder`, by its path from there with `/` between the parts, in alphabetical order.
///
/// # Errors
/// The folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
                found.push(parts.join("/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Two digits a byte.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts `element` directly behind the declaration of the character set, which must come first.
fn add_to_head(html: &str, element: &str) -> Result<String> {
    let Some(start) = html.find("<meta charset") else { bail!("{PAGE} declares no character set") };
    let Some(length) = html[start..].find('>') else { bail!("{PAGE} has a tag without an end") };
    let (before, after) = html.split_at(start + length + 1);
    Ok(format!("{before}\n{element}{after}"))
}
