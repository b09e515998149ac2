//! ChromeDriver: started for the first page, ended with the last one.

use crate::from_environment;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// How long a browser may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running ChromeDriver.
pub struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// The one that all pages of this process share.
    pub fn shared() -> Result<Arc<Driver>> {
        static SHARED: Mutex<Weak<Driver>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(driver) = shared.upgrade() {
            return Ok(driver);
        }
        let driver = Arc::new(Driver::start()?);
        *shared = Arc::downgrade(&driver);
        Ok(driver)
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Ends a session, and with it its browser.
    ///
    /// Blocking and without the asynchronous client, so that it works while a failed test unwinds.
    pub fn end_session(&self, session: &str) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(stream, "DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        // The answer comes when the browser has ended; ChromeDriver keeps the connection open after it.
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.read(&mut [0]).map(drop)
    }

    fn start() -> Result<Driver> {
        let program = from_environment("PIANOLA_CHROMEDRIVER")?;
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let output = process.stdout.take().context("ChromeDriver has no output")?;
        let mut lines = BufReader::new(output).lines().map_while(std::io::Result::ok);
        let port = lines
            .find_map(|line| line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok())
            .context("ChromeDriver did not say on which port it listens")?;
        // It must not be stopped by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Driver { process, port })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
