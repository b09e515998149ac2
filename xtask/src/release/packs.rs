//! Many small modules are slow to fetch and badly compressed. What the first visit needs is put together: one
//! file for the page, one for its worker, one for what both need; and all small modules besides.

use anyhow::{Context, Result};
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

/// Puts the modules in `folder` into packs, and writes the script that loads them in place of `loader`.
///
/// # Errors
/// The loader is not what wasm-split writes.
pub fn pack(loader: &str, folder: &Path) -> Result<(String, Vec<Pack>)> {
    let parts = parts(loader)?;
    // What several parts share is a module of its own: a chunk.
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (part, chunks) in &parts {
        for chunk in chunks {
            users.entry(chunk).or_default().push(part);
        }
    }
    let mut packs: BTreeMap<String, Pack> = BTreeMap::new();
    let mut put = |module: &str, users: &[&str]| -> Result<String> {
        let file = folder.join(format!("{module}.wasm"));
        let bytes = fs::read(&file).with_context(|| format!("there is no {}", file.display()))?;
        let is_for = |wanted: &[&str]| users.iter().any(|part| wanted.contains(part));
        let (is_for_page, is_for_worker) = (is_for(&PAGE), is_for(&WORKER));
        let name = match (is_for_page, is_for_worker) {
            (true, false) => FIRST[0].to_owned(),
            (false, true) => FIRST[1].to_owned(),
            (true, true) => FIRST[2].to_owned(),
            (false, false) if bytes.len() < SMALL => "small.wasm".to_owned(),
            (false, false) => format!("{}.wasm", module.trim_start_matches("split_")),
        };
        let pack = packs.entry(name.clone()).or_insert(Pack { name, bytes: Vec::new(), is_for_page });
        let start = pack.bytes.len();
        pack.bytes.extend(bytes);
        Ok(format!("\"{}\",{start},{}", pack.name, pack.bytes.len()))
    };
    let mut chunks = Vec::new();
    let mut place_of = BTreeMap::new();
    for (chunk, users) in &users {
        place_of.insert(*chunk, chunks.len());
        chunks.push(format!("[{}]", put(chunk, users)?));
    }
    let (helpers, _) = loader.split_once("/*").context("the loader has no comments")?;
    let mut script = format!(
        "{helpers}{}const chunks = [{}].map((place) => module(place, []));\n",
        include_str!("packs.template.js"),
        chunks.join(",")
    );
    for (part, chunks) in &parts {
        let place = put(&format!("split_{part}"), &[part])?;
        let needs: Vec<String> = chunks.iter().map(|chunk| place_of[chunk.as_str()].to_string()).collect();
        script += &format!(
            "export const __wasm_split_load_{part} = wrapAsyncCb(module([{place}], [{}].map((i) => chunks[i])));\n",
            needs.join(",")
        );
    }
    Ok((script, packs.into_values().collect()))
}

/// The parts that a loader knows, with the chunks that each needs.
fn parts(loader: &str) -> Result<Vec<(String, Vec<String>)>> {
    let read = |piece: &str| {
        let part = piece.split(' ').next().unwrap_or_default().to_owned();
        let list = piece.split_once("\n, [").and_then(|(_, rest)| rest.split(']').next());
        let list = list.with_context(|| format!("the loader lists nothing for {part}"))?;
        let chunks = list.split(", ").filter_map(|name| name.strip_prefix("__")).map(str::to_owned);
        Ok((part, chunks.collect()))
    };
    loader.split("export const __wasm_split_load_").skip(1).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOADER: &str = "helpers\n/* engine, page */\nconst __chunk_1 = makeLoad(() => {\n}\n, []);
export const __wasm_split_load_page = wrapAsyncCb(makeLoad(() => {\n}\n, [__chunk_1, __chunk_2]));
export const __wasm_split_load_engine = wrapAsyncCb(makeLoad(() => {\n}\n, [__chunk_1]));
export const __wasm_split_load_late = wrapAsyncCb(makeLoad(() => {\n}\n, []));\n";

    #[test]
    fn every_module_is_in_the_pack_of_those_who_need_it_first() {
        let folder = std::env::temp_dir().join(format!("pianola-packs-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let modules = ["chunk_1", "chunk_2", "split_page", "split_engine", "split_late"];
        for module in modules {
            let length = if module == "split_late" { SMALL } else { module.len() };
            fs::write(folder.join(format!("{module}.wasm")), module.repeat(length)).unwrap();
        }
        let (script, packs) = pack(LOADER, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();

        let in_pack = |name: &str| {
            let pack = packs.iter().find(|pack| pack.name == name).unwrap();
            let text = String::from_utf8(pack.bytes.clone()).unwrap();
            modules.into_iter().filter(|module| text.contains(module)).collect::<Vec<_>>()
        };
        assert_eq!(in_pack("both.wasm"), ["chunk_1"]);
        assert_eq!(in_pack("page.wasm"), ["chunk_2", "split_page"]);
        assert_eq!(in_pack("engine.wasm"), ["split_engine"]);
        assert_eq!(in_pack("late.wasm"), ["split_late"]);
        assert!(
            script.starts_with("helpers") && script.contains("_load_page") && script.contains("[0,1].map"),
            "{script}"
        );
        assert!(pack("nothing", &folder).is_err());
    }
}
