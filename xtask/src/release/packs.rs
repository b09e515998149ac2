//! Many small modules are slow to fetch and badly compressed: they are put together into one file.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Modules of fewer bytes are not worth a request of their own.
pub const SMALL: usize = 6_000;
/// The file with all small modules.
const SMALL_PACK: &str = "small.wasm";

/// A file with one module or several.
#[derive(Debug)]
pub struct Pack {
    /// The end of its name.
    pub name: String,
    /// The modules, one behind the other.
    pub bytes: Vec<u8>,
}

/// Puts the modules in `folder` into packs, and writes the script that loads them in place of `loader`.
///
/// # Errors
/// The loader is not what wasm-split writes.
pub fn pack(loader: &str, folder: &Path) -> Result<(String, Vec<Pack>)> {
    let parts = parts(loader)?;
    let mut small = Pack { name: SMALL_PACK.to_owned(), bytes: Vec::new() };
    let mut packs = Vec::new();
    let mut put = |module: &str| -> Result<String> {
        let file = folder.join(format!("{module}.wasm"));
        let bytes = fs::read(&file).with_context(|| format!("there is no {}", file.display()))?;
        if bytes.len() < SMALL {
            let start = small.bytes.len();
            small.bytes.extend(bytes);
            return Ok(format!("\"{SMALL_PACK}\",{start},{}", small.bytes.len()));
        }
        let name = format!("{}.wasm", module.trim_start_matches("split_"));
        let place = format!("\"{name}\",0,{}", bytes.len());
        packs.push(Pack { name, bytes });
        Ok(place)
    };
    // What several parts share is a module of its own: a chunk.
    let shared: BTreeSet<&String> = parts.iter().flat_map(|(_, chunks)| chunks).collect();
    let shared: Vec<&String> = shared.into_iter().collect();
    let chunks: Vec<String> =
        shared.iter().map(|chunk| Ok(format!("[{}]", put(chunk)?))).collect::<Result<_>>()?;
    let (helpers, _) = loader.split_once("/*").context("the loader has no comments")?;
    let mut script = format!(
        "{helpers}{}const chunks = [{}].map((place) => module(place, []));\n",
        include_str!("packs.template.js"),
        chunks.join(",")
    );
    for (part, chunks) in &parts {
        let place = put(&format!("split_{part}"))?;
        // The list is sorted, and holds them all.
        let needs: Vec<String> = chunks
            .iter()
            .filter_map(|chunk| shared.binary_search(&chunk).ok())
            .map(|at| at.to_string())
            .collect();
        script += &format!(
            "export const __wasm_split_load_{part} = wrapAsyncCb(module([{place}], [{}].map((i) => chunks[i])));\n",
            needs.join(",")
        );
    }
    packs.push(small);
    Ok((script, packs))
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
    fn small_modules_travel_together() {
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
        assert_eq!(in_pack(SMALL_PACK), ["chunk_1", "chunk_2", "split_page", "split_engine"]);
        assert_eq!(in_pack("late.wasm"), ["split_late"]);
        assert!(
            script.starts_with("helpers") && script.contains("_load_page") && script.contains("[0,1].map"),
            "{script}"
        );
        assert!(pack("nothing", &folder).is_err());
    }
}
