//! The content security policy: the page loads its own files and nothing else.
//!
//! A static host sends no header of ours, so the policy stands in the page.

use super::add_to_head;
use anyhow::{Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Adds the policy to a page; its inline scripts are allowed by their content.
pub fn add(html: &str) -> Result<String> {
    let hashes: String = inline_scripts(html)?
        .into_iter()
        .map(|script| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(script))))
        .collect();
    let policy = [
        "default-src 'none'",
        &format!("script-src 'self' 'wasm-unsafe-eval'{hashes}"),
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'self'",
        "form-action 'none'",
    ]
    .join("; ");
    add_to_head(html, &format!(r#"<meta http-equiv="Content-Security-Policy" content="{policy}">"#))
}

/// The content of every script that is written into the page.
fn inline_scripts(html: &str) -> Result<Vec<&str>> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<script") {
        rest = &rest[start..];
        let Some(content) = rest.find('>') else { bail!("a script tag has no end") };
        let Some(end) = rest.find("</script>") else { bail!("a script has no end") };
        if !rest[..content].contains("src=") {
            scripts.push(&rest[content + 1..end]);
        }
        rest = &rest[end..];
    }
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_exactly_the_inline_scripts_of_the_page() {
        let html = r#"<head><meta charset="utf-8"><script src="a.js"></script></head><body><script type="module">alert(1)</script></body>"#;
        assert_eq!(inline_scripts(html).unwrap(), ["alert(1)"]);
        let page = add(html).unwrap();
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        assert!(page.contains("script-src 'self' 'wasm-unsafe-eval' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; style-src"), "{page}");
        assert!(
            page.starts_with("<head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\""),
            "{page}"
        );
    }
}
