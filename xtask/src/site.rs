//! A server of static files, as plain as the hosts on which Pianola is published: no headers beyond the
//! content type, no rewriting of addresses.

use anyhow::{Context, Result};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// A folder, served on this machine until the value is dropped; then the port is closed, and with it every
/// connection.
pub struct Site {
    address: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Serves `folder` under `http://127.0.0.1:<port>/<below>`; port 0 takes a free one.
    ///
    /// `below` is empty, or a path such as `teaching/pianola/`.
    ///
    /// # Errors
    /// The port is taken.
    pub fn serve(folder: &Path, below: &str, port: u16) -> Result<Site> {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .with_context(|| format!("cannot listen on port {port}: choose another with --port"))?;
        listener.set_nonblocking(true)?;
        let address = format!("http://{}/{below}", listener.local_addr()?);
        let host = Arc::new(Host { folder: folder.to_path_buf(), prefix: format!("/{below}") });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            runtime.spawn(accept(listener, host));
            // The runtime ends with this function, and every connection with the runtime.
            let _ = runtime.block_on(stopped);
        });
        Ok(Site { address, stop: Some(stop), thread: Some(thread) })
    }

    /// The address of the folder, with a slash at its end.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Both fail only when the server has ended by itself.
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
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

async fn accept(listener: TcpListener, host: Arc<Host>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let host = Arc::clone(&host);
        let service = service_fn(move |request| {
            let answer = host.answer(&request);
            async { Ok::<_, Infallible>(answer) }
        });
        // A browser that goes away in the middle of an answer is none of our business.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

struct Host {
    folder: PathBuf,
    prefix: String,
}

impl Host {
    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let mut response = Response::default();
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            return response;
        }
        let found = self
            .file(request.uri().path())
            .and_then(|path| Some((content_type(&path), fs::read(path).ok()?)));
        let Some((content_type, content)) = found else {
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        };
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        *response.body_mut() = Full::from(content);
        response
    }

    /// The file that a path names; `None` when there is none or when it lies outside the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let path = path.strip_prefix(&self.prefix)?;
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
        Host { folder: PathBuf::from(folder), prefix: prefix.into() }
    }

    #[test]
    fn finds_files_below_the_prefix_and_nothing_outside() {
        let host = host(env!("CARGO_MANIFEST_DIR"), "/some/where/");
        let found = host.file("/some/where/src/site.rs").unwrap();
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
