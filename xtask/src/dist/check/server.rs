//! Starts a server, asks whether it is well and stops it as an operator would.

use anyhow::{Context as _, Result, ensure};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(45);

/// Fails unless the command starts a server that answers, and that ends well when it is asked to.
pub(crate) fn serves(command: &mut Command) -> Result<()> {
    command.env("HEDDLE_PORT", "0").env("HEDDLE_HOST", "127.0.0.1").env("HEDDLE_LOG", "warn");
    let process = command.stderr(Stdio::piped()).spawn();
    let mut running = Running(process.with_context(|| format!("{command:?} did not start"))?);
    let address = running.address()?;
    let reply = get(&address, "/healthz")?;
    ensure!(reply.starts_with("HTTP/1.1 200"), "/healthz answered {reply:?}");
    let page = get(&address, "/")?;
    ensure!(page.starts_with("HTTP/1.1 200"), "the editor answered {page:?}");
    running.stop()
}

fn get(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}

/// A server that is ended with this.
struct Running(Child);

impl Running {
    /// Where it listens, once it says so.
    fn address(&mut self) -> Result<String> {
        let mut lines = BufReader::new(self.0.stderr.take().context("no output")?).lines();
        let mut said = String::new();
        for line in lines.by_ref() {
            let line = line?;
            if let Some((_, rest)) = line.split_once("listens on http://") {
                let address = rest.split_whitespace().next().unwrap_or(rest).to_owned();
                // What it says later must not fill the pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(address);
            }
            said = said + &line + "\n";
        }
        anyhow::bail!("the server did not start: {said}")
    }

    fn stop(&mut self) -> Result<()> {
        let id = self.0.id().to_string();
        ensure!(Command::new("kill").args(["-TERM", &id]).status()?.success(), "it had ended");
        let began = Instant::now();
        while began.elapsed() < STOP_TIMEOUT {
            if let Some(status) = self.0.try_wait()? {
                ensure!(status.success(), "it stopped with {status}");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        anyhow::bail!("it did not stop")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
