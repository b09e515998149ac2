//! The page's code, cut into parts that come when they are wanted (see `src/ground/parts.rs`), each made small, all named
//! by their content: a page and a worker of two releases can never meet, whatever a browser or a host has kept.

use super::glue::{shorten, without_custom_sections};
use super::packs::{Pack, SMALL, pack};
use super::{add_to_head, hexadecimal};
use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha384};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_split_cli_support::{Options, transform};

/// The compiler's options with which the code can be cut, besides those in `.cargo/config.toml`.
pub const RUSTFLAGS: &str = "--cfg pianola_parts -C link-arg=--emit-relocs";

/// What the code may use of WebAssembly, for its optimiser.
const FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// The code, and how it becomes parts.
pub struct Code<'a> {
    /// What the compiler made with [`RUSTFLAGS`].
    pub built: PathBuf,
    /// What the optimiser is told.
    pub optimise: &'static [&'static str],
    /// Finds wasm-bindgen and wasm-opt.
    pub tool: &'a dyn Fn(&str) -> Result<Command>,
}

/// Puts the parts in the place of the code that Trunk wrote into `folder`, and returns the page that loads them.
///
/// # Errors
/// A file is not what Trunk or the compiler writes, or a tool fails.
pub(super) fn replace(folder: &Path, html: &str, code: &Code) -> Result<String> {
    let Code { built, optimise, tool } = code;
    let whole = name_in(html)?;
    let workshop = folder.join(".code");
    let parts = workshop.join("parts");
    fs::create_dir_all(&parts)?;
    let wasm = fs::read(built).with_context(|| format!("the compiler wrote no {}", built.display()))?;
    let main = workshop.join("main.wasm");
    let mut options = Options::new(&wasm);
    options.output_dir = &parts;
    options.main_out_path = &main;
    options.main_module = "./pianola.js";
    options.link_name = "./pianola_parts.js";
    let split = transform(options).map_err(|error| anyhow!("the code cannot be cut: {error:#}"))?;
    run(tool("wasm-bindgen")?
        .args([
            "--target",
            "web",
            "--no-typescript",
            "--keep-lld-exports",
            "--out-name",
            "pianola",
            "--out-dir",
        ])
        .arg(&workshop)
        .arg(&main))?;
    let mut modules = split.split_modules;
    modules.push(workshop.join("pianola_bg.wasm"));
    for module in &modules {
        let code = fs::read(module)?;
        let bare = without_custom_sections(&code)?;
        // The optimiser takes a second to start, and finds little in a small module.
        if bare.len() < SMALL {
            fs::write(module, bare)?;
            continue;
        }
        let mut opt = tool("wasm-opt")?;
        opt.args(FEATURES).args(*optimise).args([
            "--strip-debug",
            "--strip-producers",
            "--strip-target-features",
        ]);
        run(opt.arg(module).arg("-o").arg(module))?;
    }

    let loader = fs::read_to_string(parts.join("pianola_parts.js"))?;
    let (loader, packs) = pack(&loader, &parts)?;
    let script = fs::read_to_string(workshop.join("pianola.js"))?;
    let (script, main) = shorten(&script, &fs::read(workshop.join("pianola_bg.wasm"))?)?;
    let mut files: Vec<(String, Vec<u8>)> = vec![
        (".js".to_owned(), script.into_bytes()),
        ("_bg.wasm".to_owned(), main),
        ("_parts.js".to_owned(), loader.into_bytes()),
        ("_worker.js".to_owned(), fs::read(folder.join("worker.js")).context("Trunk wrote no worker.js")?),
    ];
    files.extend(packs.into_iter().map(|Pack { name, bytes }| (format!("_{name}"), bytes)));

    let mut content = Sha256::new();
    for (name, bytes) in &files {
        content.update(name);
        content.update(bytes);
    }
    let name = format!("pianola-{}", hexadecimal(&content.finalize()[..8]));
    let mut html = html.replace(&whole, &name);
    for (end, bytes) in files {
        let bytes = if end.ends_with(".js") { renamed(String::from_utf8(bytes)?, &name) } else { bytes };
        let file = format!("{name}{end}");
        html = with_integrity(&html, &file, &bytes)?;
        fs::write(folder.join(file), bytes)?;
    }
    for old in [format!("{whole}.js"), format!("{whole}_bg.wasm"), "worker.js".to_owned()] {
        fs::remove_file(folder.join(old))?;
    }
    fs::remove_dir_all(workshop)?;

    html = add_to_head(&html, &format!(r#"<meta name="worker" content="./{name}_worker.js">"#))?;
    // Without this the browser would learn of them only when the code before them runs.
    let preload = format!(r#"<link rel="modulepreload" href="./{name}_parts.js" crossorigin="anonymous">"#);
    Ok(html.replacen("</head>", &format!("{preload}</head>"), 1))
}

/// The name that Trunk gave to the code: `pianola-` and a hash.
fn name_in(html: &str) -> Result<String> {
    let start = html.find("pianola-").context("the page names no code of Trunk's")?;
    let name = html[start..].split('.').next().unwrap_or_default();
    if !html.contains(&format!("{name}_bg.wasm")) {
        bail!("the page does not load the code as Trunk does it");
    }
    Ok(name.to_owned())
}

/// A script, with the new names where it loads the others. Elsewhere the old ones are keys that the code knows.
fn renamed(script: String, name: &str) -> Vec<u8> {
    let loads = [
        ("from \"./pianola_parts.js\"", "_parts.js"),
        ("from \"./pianola.js\"", ".js"),
        ("new URL(\"./pianola_bg.wasm\"", "_bg.wasm"),
        ("new URL('pianola_bg.wasm'", "_bg.wasm"),
    ];
    let rename = |script: String, (old, end): (&str, &str)| {
        let file = format!("pianola{end}");
        script.replace(old, &old.replace(&file, &format!("{name}{end}")))
    };
    loads.into_iter().fold(script, rename).into_bytes()
}

/// The page, with the checksum of a file that it names corrected.
fn with_integrity(html: &str, file: &str, bytes: &[u8]) -> Result<String> {
    const KEY: &str = "integrity=\"";
    let Some(link) = html.find(&format!("href=\"./{file}\"")) else { return Ok(html.to_owned()) };
    let end = link + html[link..].find('>').context("a link has no end")?;
    let Some(start) = html[link..end].find(KEY).map(|start| link + start + KEY.len()) else {
        return Ok(html.to_owned());
    };
    let length = html[start..].find('"').context("a checksum has no end")?;
    let checksum = format!("sha384-{}", STANDARD.encode(Sha384::digest(bytes)));
    Ok(format!("{}{checksum}{}", &html[..start], &html[start + length..]))
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_follows_its_file() {
        let html =
            r#"<link href="./a.css" integrity="sha384-A"/><link href="./pianola-1.js" integrity="sha384-B">"#;
        let changed = with_integrity(html, "pianola-1.js", b"code").unwrap();
        let checksum = STANDARD.encode(Sha384::digest(b"code"));
        assert_eq!(changed, html.replace("sha384-B", &format!("sha384-{checksum}")));
        assert_eq!(with_integrity(html, "other.js", b"code").unwrap(), html);
    }

    #[test]
    fn finds_the_code_of_a_page() {
        let html = "import init from './pianola-12ab.js'; init('./pianola-12ab_bg.wasm')";
        assert_eq!(name_in(html).unwrap(), "pianola-12ab");
        assert!(name_in("import init from './pianola-12ab.js'").is_err());
        assert!(name_in("<p>nothing</p>").is_err());
    }
}
