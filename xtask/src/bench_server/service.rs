//! The service that workflows call: answers every request with the same list.

use anyhow::Result;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

pub(super) struct BenchService {
    pub(super) address: String,
}

impl BenchService {
    /// Listens until the process ends.
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || answer(stream));
            }
        });
        Ok(Self { address })
    }
}

/// Requests have no body; each ends with an empty line.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let event = r#"{"id":"22249084964","type":"PushEvent","actor":{"id":583231,"login":"ada"},"repo":{"name":"ada/engine"},"public":true}"#;
    let body = format!("[{}]", [event; 10].join(","));
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        seen.extend_from_slice(&buffer[..count]);
        while let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") {
            seen.drain(..end + 4);
            stream.write_all(answer.as_bytes())?;
        }
    }
}
