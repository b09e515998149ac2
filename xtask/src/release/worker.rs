//! Trunk gives the files of a worker fixed names. With a name made from the content, a page and a worker of
//! two releases can never meet, whatever a browser or a host in between has kept.

use super::add_to_head;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// Renames the worker's files and says the new name of its loader in the page, in `<meta name="worker">`.
pub fn name_by_content(folder: &Path, html: &str) -> Result<String> {
    let read = |name: &str| fs::read(folder.join(name)).with_context(|| format!("Trunk wrote no {name}"));
    let code = read("worker_bg.wasm")?;
    let bindings = read("worker.js")?;
    let loader = read("worker_loader.js")?;
    let content: [u8; 32] =
        Sha256::new().chain_update(&code).chain_update(&bindings).chain_update(&loader).finalize().into();
    let name = format!("worker-{}", hexadecimal(&content[..8]));

    let rename = |text: Vec<u8>| -> Result<String> {
        let text = String::from_utf8(text)?;
        Ok(text
            .replace("worker_bg.wasm", &format!("{name}_bg.wasm"))
            .replace("worker.js", &format!("{name}.js")))
    };
    fs::write(folder.join(format!("{name}.js")), rename(bindings)?)?;
    fs::write(folder.join(format!("{name}_loader.js")), rename(loader)?)?;
    fs::rename(folder.join("worker_bg.wasm"), folder.join(format!("{name}_bg.wasm")))?;
    fs::remove_file(folder.join("worker.js"))?;
    fs::remove_file(folder.join("worker_loader.js"))?;
    add_to_head(html, &format!(r#"<meta name="worker" content="./{name}_loader.js">"#))
}

/// Two digits a byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
