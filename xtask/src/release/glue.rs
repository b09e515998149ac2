//! The script between the code and the browser, made small: wasm-bindgen gives every function that the code
//! imports a long name with a hash, and explains itself in comments; both are a part of every first visit.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

/// The module from which wasm-bindgen lets the code import.
const MODULE: &[u8] = b"./pianola_bg.js";

/// The magic number and the version.
const HEADER: usize = 8;

/// Gives the functions that `code` imports from `script` short names, and takes comments and indentation out of
/// the script.
///
/// # Errors
/// They are not what wasm-bindgen writes.
pub fn shorten(script: &str, code: &[u8]) -> Result<(String, Vec<u8>)> {
    let mut names = BTreeMap::new();
    let code = rewrite_imports(code, |name| {
        let next = names.len();
        names.entry(name.to_owned()).or_insert_with(|| format!("_{next:x}")).clone()
    })?;
    let mut short = String::new();
    let mut renamed = 0;
    let mut is_comment = false;
    for line in script.lines().map(str::trim_start) {
        is_comment |= line.starts_with("/**");
        let is_left_out = is_comment || line.is_empty() || line.starts_with("//");
        is_comment &= !line.contains("*/");
        if is_left_out {
            continue;
        }
        match line.split_once(": function(").and_then(|(name, rest)| Some((names.get(name)?, rest))) {
            Some((name, rest)) => {
                renamed += 1;
                short += &format!("{name}: function({rest}\n");
            }
            None => short += &format!("{line}\n"),
        }
    }
    if renamed != names.len() {
        bail!("the script has {renamed} of the {} functions that the code imports", names.len());
    }
    Ok((short, code))
}

/// The code with other names for what it imports from [`MODULE`]. WebAssembly, core specification, 5.5.5.
fn rewrite_imports(code: &[u8], mut rename: impl FnMut(&str) -> String) -> Result<Vec<u8>> {
    const IMPORTS: u8 = 2;
    let mut all = Reader { bytes: code, at: HEADER };
    let mut result = code.get(..HEADER).context("the code is empty")?.to_vec();
    while all.at < code.len() {
        let kind = all.byte()?;
        let section = all.counted()?;
        let mut changed = Vec::new();
        if kind == IMPORTS {
            let mut section = Reader { bytes: section, at: 0 };
            let count = section.number()?;
            write_number(&mut changed, count);
            for _ in 0..count {
                let (module, name) = (section.counted()?, section.counted()?);
                write_counted(&mut changed, module);
                match module == MODULE {
                    true => write_counted(&mut changed, rename(std::str::from_utf8(name)?).as_bytes()),
                    false => write_counted(&mut changed, name),
                }
                let start = section.at;
                match section.byte()? {
                    0 => drop(section.number()?),
                    other => {
                        bail!("the code imports something of kind {other}, where functions are expected")
                    }
                }
                changed.extend(&section.bytes[start..section.at]);
            }
        } else {
            changed.extend(section);
        }
        result.push(kind);
        write_counted(&mut result, &changed);
    }
    Ok(result)
}

/// The code without what only tools read: names, producers, relocations.
///
/// # Errors
/// It is no WebAssembly.
pub fn without_custom_sections(code: &[u8]) -> Result<Vec<u8>> {
    const CUSTOM: u8 = 0;
    let mut all = Reader { bytes: code, at: HEADER };
    let mut result = code.get(..HEADER).context("the code is empty")?.to_vec();
    while all.at < code.len() {
        let start = all.at;
        let kind = all.byte()?;
        all.counted()?;
        if kind != CUSTOM {
            result.extend(&code[start..all.at]);
        }
    }
    Ok(result)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).context("the code ends early")?;
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned LEB128 number.
    fn number(&mut self) -> Result<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
            if shift > 28 {
                bail!("a number in the code is too large");
            }
        }
    }

    fn counted(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        let bytes = self.bytes.get(self.at..self.at + length).context("the code ends early")?;
        self.at += length;
        Ok(bytes)
    }
}

fn write_number(out: &mut Vec<u8>, mut number: usize) {
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

fn write_counted(out: &mut Vec<u8>, bytes: &[u8]) {
    write_number(out, bytes.len());
    out.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with one section of imports: functions of type 0.
    fn module(imports: &[(&str, &str)]) -> Vec<u8> {
        let mut section = Vec::new();
        write_number(&mut section, imports.len());
        for (module, name) in imports {
            write_counted(&mut section, module.as_bytes());
            write_counted(&mut section, name.as_bytes());
            section.extend([0, 0]);
        }
        let mut code = b"\0asm\x01\0\0\0\x02".to_vec();
        write_counted(&mut code, &section);
        // Another section, which stays as it is.
        code.extend([3, 2, 1, 0]);
        code
    }

    #[test]
    fn both_ends_get_the_same_names() {
        let code = module(&[
            ("./pianola_bg.js", "__wbg_focus_1"),
            ("./other.js", "load"),
            ("./pianola_bg.js", "__wbg_y_2"),
        ]);
        let script = "  // why\n  /**\n   * more\n   */\n  __wbg_y_2: function(a) {\n  },\n  __wbg_focus_1: function() { return 1; },\n";
        let (script, code) = shorten(script, &code).unwrap();
        assert_eq!(script, "_1: function(a) {\n},\n_0: function() { return 1; },\n");
        assert_eq!(
            code,
            module(&[("./pianola_bg.js", "_0"), ("./other.js", "load"), ("./pianola_bg.js", "_1")])
        );
    }

    #[test]
    fn names_are_left_out_and_nothing_else() {
        let code = module(&[("./other.js", "load")]);
        let mut named = code.clone();
        named.extend([0, 3, 1, b'x', 7]);
        assert_eq!(without_custom_sections(&named).unwrap(), code);
        assert!(without_custom_sections(&named[..named.len() - 1]).is_err());
    }

    #[test]
    fn what_does_not_match_is_refused() {
        let code = module(&[("./pianola_bg.js", "__wbg_focus_1")]);
        assert!(shorten("nothing", &code).is_err());
        assert!(shorten("", &code[..20]).is_err());
    }
}
