//! A folder per person, not per clone, with one folder per tool and version.
//!
//! A tool is installed elsewhere and moved into place when it is whole, so that a set-up that was broken off
//! leaves nothing that looks finished. A lock keeps two clones from installing at once.

use crate::report::step;
use anyhow::{Context, Result};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder of installed tools, locked for this process as long as the value lives.
pub struct Cache {
    root: PathBuf,
    _lock: File,
}

impl Cache {
    /// Opens `$PIANOLA_TOOLS`, or `pianola-tools` in the user's cache folder; waits for another set-up to end.
    ///
    /// # Errors
    /// There is no such folder and it cannot be made.
    pub fn open() -> Result<Cache> {
        let root = root().context("no home folder is known: set PIANOLA_TOOLS to a folder for the tools")?;
        fs::create_dir_all(&root).with_context(|| {
            format!("cannot make {}: set PIANOLA_TOOLS to another folder", root.display())
        })?;
        let lock = File::create(root.join("lock"))?;
        if lock.try_lock().is_err() {
            println!("   waiting for another set-up to end ({})", root.display());
            lock.lock()?;
        }
        Ok(Cache { root, _lock: lock })
    }

    /// The folder `name`, where `verify` holds; when it does not, `install` fills it anew.
    ///
    /// # Errors
    /// The installation fails, or what it installed does not hold.
    pub fn get(
        &self,
        name: &str,
        verify: impl Fn(&Path) -> Result<()>,
        install: impl Fn(&Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let folder = self.root.join(name);
        if verify(&folder).is_ok() {
            return Ok(folder);
        }
        step(&format!("Install {name} (once)"), || {
            let unfinished = self.root.join(format!("{name}.unfinished"));
            for leftover in [&folder, &unfinished] {
                if leftover.exists() {
                    fs::remove_dir_all(leftover)?;
                }
            }
            fs::create_dir_all(&unfinished)?;
            install(&unfinished)?;
            fs::rename(&unfinished, &folder)?;
            verify(&folder)
        })?;
        Ok(folder)
    }
}

fn root() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("PIANOLA_TOOLS")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("pianola-tools")))
        .or_else(|| env::home_dir().map(|home| home.join(".cache/pianola-tools")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn cache() -> Cache {
        let root = env::temp_dir().join(format!(
            "pianola-cache-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        fs::create_dir_all(&root).unwrap();
        let lock = File::create(root.join("lock")).unwrap();
        Cache { root, _lock: lock }
    }

    fn has_tool(folder: &Path) -> Result<()> {
        if folder.join("tool").is_file() { Ok(()) } else { bail!("no tool") }
    }

    #[test]
    fn installs_once_and_again_when_half_installed() {
        let cache = cache();
        let folder = cache.get("a-1", has_tool, |folder| Ok(fs::write(folder.join("tool"), "")?)).unwrap();
        cache.get("a-1", has_tool, |_| bail!("installed twice")).unwrap();

        fs::remove_file(folder.join("tool")).unwrap();
        fs::write(folder.join("rest"), "").unwrap();
        cache.get("a-1", has_tool, |folder| Ok(fs::write(folder.join("tool"), "")?)).unwrap();
        assert!(folder.join("tool").is_file());
        assert!(!folder.join("rest").exists(), "what was left of the broken installation is gone");
        fs::remove_dir_all(&cache.root).unwrap();
    }

    #[test]
    fn an_installation_that_fails_leaves_nothing_in_place() {
        let cache = cache();
        let error = cache.get("b-1", has_tool, |_| bail!("no network")).unwrap_err();
        assert!(format!("{error:#}").contains("no network"), "{error:#}");
        assert!(!cache.root.join("b-1").exists());
        fs::remove_dir_all(&cache.root).unwrap();
    }
}
