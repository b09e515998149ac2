//! Many small modules are slow to fetch and badly compressed. What the first visit needs is put together: one
//! file for the page, one for its worker, one for what both need; and all small modules besides.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The parts that a first visit wants on the page: the shell and the workspace that it shows.
const PAGE: [&str; 2] = ["page", "universal"];
/// The parts that a first visit wants in the worker.
const WORKER: [&str; 1] = ["engine"];
/// The packs of a first visit: for the page, for its worker, for both.
pub const FIRST: [&str; 3] = ["page.wasm", "engine.wasm", "both.wasm"];
/// Modules of fewer bytes are not worth a request of their own.
const SMALL: usize = 6_000;

/// A file with one module or several.
#[derive(Debug)]
pub struct Pack {
    /// The end of its name.
    pub name: String,
    /// The modules, one behind the other.
    pub bytes: Vec<u8>,
    /// Whether the page wants it at once.
    pub is_for_page: bool,
}

/// One module of the code.
struct Module {
    /// `split_…` for a part, `chunk_…` for what several parts share.
    name: String,
    /// The parts that need it.
    parts: Vec<String>,
    bytes: Vec<u8>,
}

/// Puts the modules in `folder` into packs, and rewrites their `loader` accordingly.
///
/// # Errors
/// The loader is not what wasm-split writes.
pub fn pack(loader: &str, folder: &Path) -> Result<(String, Vec<Pack>)> {
    let mut packs: BTreeMap<String, Pack> = BTreeMap::new();
    let mut places = Vec::new();
    for module in modules(loader, folder)? {
        let of = |parts: &[&str]| module.parts.iter().any(|part| parts.contains(&part.as_str()));
        let (is_for_page, is_for_worker) = (of(&PAGE), of(&WORKER));
        let name = match (is_for_page, is_for_worker) {
            (true, false) => FIRST[0].to_owned(),
            (false, true) => FIRST[1].to_owned(),
            (true, true) => FIRST[2].to_owned(),
            (false, false) if module.bytes.len() < SMALL => "small.wasm".to_owned(),
            (false, false) => format!("{}.wasm", module.name),
        };
        let pack = packs.entry(name.clone()).or_insert_with(|| Pack { name, bytes: Vec::new(), is_for_page });
        let start = pack.bytes.len();
        pack.bytes.extend(&module.bytes);
        places.push((module.name, format!("\"{}\", {start}, {}", pack.name, pack.bytes.len())));
    }
    let mut rewritten = loader.to_owned();
    for (module, place) in places {
        let fetched = format!("fetch(new URL(\"./{module}.wasm\", import.meta.url))");
        if !rewritten.contains(&fetched) {
            bail!("the loader does not fetch {module}");
        }
        rewritten = rewritten.replace(&fetched, &format!("unpacked({place})"));
    }
    let rewritten = rewritten.replace(
        "(WebAssembly.instantiateStreaming(src, imports))",
        "(WebAssembly.instantiate(await src, imports))",
    );
    Ok((format!("{rewritten}\n{}", include_str!("packs.template.js")), packs.into_values().collect()))
}

/// The modules, with the parts that need each, as the loader knows them.
fn modules(loader: &str, folder: &Path) -> Result<Vec<Module>> {
    let mut needed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for piece in loader.split("export const __wasm_split_load_").skip(1) {
        let part = piece.split(' ').next().unwrap_or_default().to_owned();
        let list = piece.rsplit(", [").next().and_then(|rest| rest.split(']').next());
        let list = list.with_context(|| format!("the loader lists nothing for {part}"))?;
        for chunk in list.split(", ").filter_map(|name| name.strip_prefix("__")) {
            needed.entry(chunk.to_owned()).or_default().push(part.clone());
        }
        needed.entry(format!("split_{part}")).or_default().push(part);
    }
    let read = |(name, parts): (String, Vec<String>)| {
        let file = folder.join(format!("{name}.wasm"));
        let bytes = fs::read(&file).with_context(|| format!("there is no {}", file.display()))?;
        Ok(Module { name, parts, bytes })
    };
    needed.into_iter().map(read).collect()
}
