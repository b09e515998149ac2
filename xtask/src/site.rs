//! A server of static files, as plain as the hosts on which Pianola is published: no headers beyond the
//! content type, no rewriting of addresses.

use anyhow::{Context, Result, anyhow};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tiny_http::{Header, Method, Request, Response, Server};

/// A folder, served on this machine until the value is dropped.
pub struct Site {
    server: Arc<Server>,
    host: Arc<Host>,
    address: String,
}

impl Site {
    /// Serves `folder` under `http://127.0.0.1:<port>/<below>`; port 0 takes a free one.
    ///
    /// `below` is empty, or a path such as `teaching/pianola/`.
    ///
    /// # Errors
    /// The port is taken.
    pub fn serve(folder: &Path, below: &str, port: u16) -> Result<Site> {
        let server = Server::http(("127.0.0.1", port))
            .map_err(|error| anyhow!("{error}"))
            .with_context(|| format!("cannot listen on port {port}: choose another with --port"))?;
        let port = server.server_addr().to_ip().as_ref().map_or(port, SocketAddr::port);
        let server = Arc::new(server);
        let host = Arc::new(Host {
            folder: folder.to_path_buf(),
            prefix: format!("/{below}"),
            gone: AtomicBool::new(false),
        });
        for _ in 0..THREADS {
            let (server, host) = (Arc::clone(&server), Arc::clone(&host));
            thread::spawn(move || {
                for request in server.incoming_requests() {
                    // A browser that went away needs no answer.
                    let _ = host.answer(request);
                }
            });
        }
        let address = format!("http://127.0.0.1:{port}/{below}");
        Ok(Site { server, host, address })
    }

    /// The address of the folder, with a slash at its end.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// From now on nothing is found: every request fails, as on a host that is gone.
    pub fn disappear(&self) {
        self.host.gone.store(true, Ordering::SeqCst);
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        for _ in 0..THREADS {
            self.server.unblock();
        }
    }
}

/// The content type of a file, by its extension.
pub fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("txt" | "rasp" | "md") => "text/plain; charset=utf-8",
        Some("csv") => "text/csv; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Browsers open about six connections to a host.
const THREADS: usize = 6;

struct Host {
    folder: PathBuf,
    prefix: String,
    gone: AtomicBool,
}

impl Host {
    fn answer(&self, request: Request) -> std::io::Result<()> {
        if self.gone.load(Ordering::SeqCst) {
            return request.respond(Response::empty(503));
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return request.respond(Response::empty(405));
        }
        let Some(path) = self.file(request.url()) else {
            return request.respond(Response::from_string("Not found").with_status_code(404));
        };
        let bytes = fs::read(&path)?;
        let mut response = Response::from_data(bytes);
        for (name, value) in [("Content-Type", content_type(&path)), ("Cache-Control", "no-cache")] {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        request.respond(response)
    }

    /// The file that an address names; `None` when there is none or when it lies outside the folder.
    fn file(&self, url: &str) -> Option<PathBuf> {
        let path = url.split(['?', '#']).next()?.strip_prefix(&self.prefix)?;
        let path = if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
        if path.split('/').any(|part| part.is_empty() || part.starts_with('.')) {
            return None;
        }
        let path = self.folder.join(path);
        path.is_file().then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(folder: &str, prefix: &str) -> Host {
        Host { folder: PathBuf::from(folder), prefix: prefix.into(), gone: AtomicBool::new(false) }
    }

    #[test]
    fn finds_files_below_the_prefix_and_nothing_outside() {
        let host = host(env!("CARGO_MANIFEST_DIR"), "/some/where/");
        let found = host.file("/some/where/src/site.rs?page=x").unwrap();
        assert_eq!(found, Path::new(env!("CARGO_MANIFEST_DIR")).join("src/site.rs"));
        for outside in
            ["/src/site.rs", "/some/where/../Cargo.toml", "/some/where//etc/passwd", "/some/where/src"]
        {
            assert_eq!(host.file(outside), None, "{outside}");
        }
    }

    #[test]
    fn webassembly_and_modules_have_the_types_that_browsers_insist_on() {
        assert_eq!(content_type(Path::new("a_bg.wasm")), "application/wasm");
        assert!(content_type(Path::new("a.js")).starts_with("text/javascript"));
    }
}
