//! What a word of a model takes on its way: from the mock directly, and through an agent to the
//! caller of its webhook.

use super::super::load::request;
use super::MockModelServer;
use anyhow::{Result, ensure};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Each answer is so many words, and each word the moment at which it was sent.
const WORDS: usize = 500;
const CLOCK: &str = "500:2";

/// What streaming may add to a word.
const MAX_ADDED_MS: f64 = 1.0;

pub(super) fn run(folder: &Path) -> Result<()> {
    let models = MockModelServer::start(&[("MOCK_MODELS_CLOCK", CLOCK)])?;
    let server = super::server(&folder.join("streaming"), &models, "streaming")?;
    let host = models.url.trim_start_matches("http://").to_owned();
    let body = br#"{"model":"mock","stream":true,"messages":[{"role":"user","content":"go"}]}"#;
    let direct = request(&host, "POST", "/v1/chat/completions", "application/json", body);
    let through = request(
        &server.address,
        "POST",
        "/webhook/agent",
        "application/json",
        br#"{"question":"go"}"#,
    );
    // Once to warm up.
    delays(&server.address, &through)?;
    let (near, far) = (delays(&host, &direct)?, delays(&server.address, &through)?);
    let at = |delays: &[f64], share: f64| delays[((delays.len() - 1) as f64 * share) as usize];
    let added = at(&far, 0.5) - at(&near, 0.5);
    eprintln!(
        "  a word of a stream: {:.3} ms from the model directly, {:.3} ms through an agent (p99 {:.3} and {:.3})",
        at(&near, 0.5),
        at(&far, 0.5),
        at(&near, 0.99),
        at(&far, 0.99)
    );
    eprintln!("      {added:.3} ms added to a word, of {MAX_ADDED_MS} ms that it may be");
    server.stop()
}

/// How long each word was under way, in milliseconds, sorted.
fn delays(address: &str, request: &[u8]) -> Result<Vec<f64>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(request)?;
    let (mut seen, mut buffer, mut found) = (Vec::new(), [0; 1 << 16], Vec::new());
    while found.len() < WORDS {
        let count = stream.read(&mut buffer)?;
        ensure!(
            count > 0,
            "the stream ended after {} words: {}",
            found.len(),
            String::from_utf8_lossy(&seen)
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros() as f64;
        seen.extend_from_slice(buffer.get(..count).unwrap_or_default());
        while let Some((moment, end)) = next_moment(&seen) {
            found.push((now - moment).max(0.0) / 1000.0);
            seen.drain(..end);
        }
    }
    found.sort_by(f64::total_cmp);
    Ok(found)
}

/// The next moment in quotes, and where it ends: sixteen digits.
fn next_moment(seen: &[u8]) -> Option<(f64, usize)> {
    let is_moment = |window: &[u8]| {
        let inner = window.get(1..17).unwrap_or_default();
        window.first() == Some(&b'"')
            && window.last() == Some(&b'"')
            && inner.iter().all(u8::is_ascii_digit)
    };
    let at = seen.windows(18).position(is_moment)?;
    let moment = std::str::from_utf8(seen.get(at + 1..at + 17)?).ok()?.parse().ok()?;
    Some((moment, at + 18))
}
