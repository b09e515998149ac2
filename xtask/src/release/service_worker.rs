//! The service worker of a release, with the list of all its files.

use super::{PAGE, files, hexadecimal};
use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

const FILE: &str = "sw.js";

/// Tells the page that there is a service worker; the page registers what `<meta name="service-worker">` names.
pub fn announcement() -> String {
    format!(r#"<meta name="service-worker" content="{FILE}">"#)
}

/// Writes the service worker for what is in `folder`.
pub fn write(folder: &Path) -> Result<()> {
    let mut listed = Vec::new();
    let mut release = Sha256::new();
    for file in files(folder)?.into_iter().filter(|file| file != FILE) {
        let digest = Sha256::digest(fs::read(folder.join(&file))?);
        // Some hosts redirect index.html to its folder, and a redirected answer cannot stand for a page.
        let address = if file == PAGE { "./".to_owned() } else { file };
        release.update(&address);
        release.update(digest);
        listed.push([address, format!("sha256-{}", STANDARD.encode(digest))]);
    }
    let script = include_str!("sw.template.js")
        .replace("@RELEASE@", &hexadecimal(&release.finalize()[..8]))
        .replace("@FILES@", &serde_json::to_string_pretty(&listed)?);
    Ok(fs::write(folder.join(FILE), script)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_another_release() {
        let folder = std::env::temp_dir().join(format!("pianola-service-worker-{}", std::process::id()));
        fs::create_dir_all(folder.join("fonts")).unwrap();
        fs::write(folder.join(PAGE), "one").unwrap();
        fs::write(folder.join("fonts/a.woff2"), "font").unwrap();
        write(&folder).unwrap();
        let one = fs::read_to_string(folder.join(FILE)).unwrap();
        write(&folder).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join(FILE)).unwrap(),
            one,
            "the same files make the same release"
        );
        fs::write(folder.join("fonts/a.woff2"), "another font").unwrap();
        write(&folder).unwrap();
        let other = fs::read_to_string(folder.join(FILE)).unwrap();
        fs::remove_dir_all(&folder).unwrap();

        assert_ne!(one, other);
        assert!(
            one.contains("\"./\"") && one.contains("\"fonts/a.woff2\"") && !one.contains("\"sw.js\""),
            "{one}"
        );
        assert!(!one.contains("@RELEASE@") && !one.contains("@FILES@"));
    }
}
