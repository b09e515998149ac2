//! One style sheet instead of many: it is fetched with one request and compressed as one text.

use super::hexadecimal;
use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384};
use std::fs;
use std::path::Path;

const LINK: &str = r#"<link rel="stylesheet" href="./"#;

/// Joins the style sheets that the page in `folder` links, in their order, and returns the page with one link.
///
/// # Errors
/// A sheet is not there.
pub fn join(folder: &Path, html: &str) -> Result<String> {
    let mut sheet = String::new();
    let mut page = String::new();
    let mut rest = html;
    let mut place = None;
    while let Some(start) = rest.find(LINK) {
        page += &rest[..start];
        place.get_or_insert(page.len());
        let link = &rest[start + LINK.len()..];
        let name = &link[..link.find('"').context("a link has no end")?];
        let file = folder.join(name);
        sheet += &fs::read_to_string(&file).with_context(|| format!("there is no {}", file.display()))?;
        fs::remove_file(file)?;
        rest = link.split_once(">\n").context("a link has no end")?.1;
    }
    page += rest;
    let Some(place) = place else { return Ok(page) };
    let name = format!("styles-{}.css", hexadecimal(&Sha256::digest(&sheet)[..8]));
    let checksum = STANDARD.encode(Sha384::digest(&sheet));
    fs::write(folder.join(&name), sheet)?;
    page.insert_str(place, &format!("{LINK}{name}\" integrity=\"sha384-{checksum}\"/>\n"));
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheets_keep_their_order() {
        let folder = std::env::temp_dir().join(format!("pianola-styles-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, content) in [("b-1.css", "b{}"), ("a-2.css", "a{}")] {
            fs::write(folder.join(name), content).unwrap();
        }
        let html = format!(
            "<title>T</title>\n{LINK}b-1.css\" integrity=\"x\"/>\n{LINK}a-2.css\"/>\n<link rel=\"icon\">"
        );
        let page = join(&folder, &html).unwrap();
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let sheet = fs::read_to_string(&left[0]).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((left.len(), sheet.as_str()), (1, "b{}a{}"));
        let name = left[0].file_name().unwrap().to_str().unwrap();
        assert_eq!(page.matches("stylesheet").count(), 1);
        assert!(
            page.starts_with(&format!("<title>T</title>\n{LINK}{name}\""))
                && page.ends_with("<link rel=\"icon\">")
        );
    }
}
