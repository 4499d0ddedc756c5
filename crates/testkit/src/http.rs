//! Just enough of HTTP/1.1 for servers in tests: requests are read whole, responses are written as
//! bytes so that they can be wrong.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// A request as it came; names of headers are in lower case.
#[derive(Clone, Debug, Default)]
pub struct ParsedRequest {
    pub method: String,
    /// With its query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Everything before the body, as it was sent.
    pub head: String,
}

impl ParsedRequest {
    /// The body as JSON, or `null`.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Method, path and, if there is one, the body.
    pub fn summary(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        format!("{} {} {body}", self.method, self.path).trim_end().to_owned()
    }

    /// Head and body as text.
    pub fn text(&self) -> String {
        format!("{}\r\n\r\n{}", self.head, String::from_utf8_lossy(&self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Reads one request after the other from a connection.
pub(crate) struct RequestReader {
    /// What was read beyond the last request.
    buffer: Vec<u8>,
}

impl RequestReader {
    pub(crate) fn new() -> Self {
        Self { buffer: Vec::with_capacity(8 << 10) }
    }

    /// The next request, or nothing if the client has gone. Bytes that are no HTTP, such as TLS after a
    /// `CONNECT`, are a request without a method.
    pub(crate) async fn next(&mut self, stream: &mut TcpStream) -> Option<ParsedRequest> {
        let end_of_head = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at;
            }
            self.read(stream).await?;
            if !self.buffer[0].is_ascii_alphabetic() {
                let body = std::mem::take(&mut self.buffer);
                return Some(ParsedRequest { body, ..ParsedRequest::default() });
            }
        };
        let head = String::from_utf8_lossy(&self.buffer[..end_of_head]).into_owned();
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(0);
        let begin = end_of_head + 4;
        while self.buffer.len() < begin + length {
            self.read(stream).await?;
        }
        let body = self.buffer[begin..begin + length].to_vec();
        self.buffer.drain(..begin + length);
        Some(ParsedRequest { method, path, headers, body, head })
    }

    async fn read(&mut self, stream: &mut TcpStream) -> Option<()> {
        let n_read = stream.read_buf(&mut self.buffer).await.ok()?;
        (n_read > 0).then_some(())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// A whole answer.
pub(crate) fn response(
    status: u16,
    content_type: &str,
    extra_headers: &str,
    body: &str,
) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{extra_headers}\r\n{body}", reason(status))
        .into_bytes()
}

/// The head of an answer that ends with its connection.
pub(crate) fn open_head(content_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n")
        .into_bytes()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Error",
    }
}
