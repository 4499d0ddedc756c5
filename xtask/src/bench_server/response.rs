//! An answer as it comes in.

use anyhow::{Context as _, Result, ensure};
use std::io::Read as _;
use std::net::TcpStream;

#[derive(Default)]
pub(super) struct ResponseReader {
    bytes: Vec<u8>,
    /// Where its body begins and ends, once its head is there.
    body: Option<(usize, usize)>,
}

impl ResponseReader {
    /// Takes in what came; whether it is whole. Any but a good answer is an error.
    pub(super) fn add(&mut self, came: &[u8]) -> Result<bool> {
        self.bytes.extend_from_slice(came);
        if self.body.is_none()
            && let Some(end) = self.bytes.windows(4).position(|window| window == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&self.bytes[..end]).to_lowercase();
            ensure!(
                head.starts_with("http/1.1 20"),
                "the server responded with {head} {}",
                String::from_utf8_lossy(&self.bytes[end..])
            );
            let length = head.lines().find_map(|line| {
                line.strip_prefix("content-length:")?.trim().parse::<usize>().ok()
            });
            self.body = Some((end + 4, end + 4 + length.context("an answer without a length")?));
        }
        Ok(self.body.is_some_and(|(_, end)| self.bytes.len() >= end))
    }

    pub(super) fn body(&self) -> &[u8] {
        self.body.and_then(|(start, end)| self.bytes.get(start..end)).unwrap_or_default()
    }

    /// Waits for one.
    pub(super) fn read(stream: &mut TcpStream) -> Result<Self> {
        let (mut answer, mut buffer) = (Self::default(), [0; 1 << 12]);
        loop {
            let count = stream.read(&mut buffer)?;
            ensure!(count > 0, "the server closed a connection");
            if answer.add(&buffer[..count])? {
                return Ok(answer);
            }
        }
    }
}
