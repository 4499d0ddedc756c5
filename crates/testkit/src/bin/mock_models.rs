//! The mock models as a program: `mock-models [PORT] [SCRIPT.json]`. It writes its address and runs
//! until it is stopped.
//!
//! Other programs give it scripts with `POST /__script`, ask `GET /__asked` and clear both with
//! `POST /__reset`. With the variable `MOCK_MODELS_FORGET` it keeps nothing of what it is asked,
//! and `MOCK_MODELS_DELAY_MS` is how long each answer takes, for benchmarks. With
//! `MOCK_MODELS_CLOCK`, such as `500:2`, every answer is 500 times what time it is, each two
//! milliseconds after the last.

use heddle_testkit::{MockModels, RequestRetention, TimestampStream, replies_from_json};
use std::io::{self, Write as _};
use std::time::Duration;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let replies = match arguments.next() {
        Some(file) => {
            replies_from_json(&std::fs::read_to_string(file)?).map_err(io::Error::other)?
        }
        None => Vec::new(),
    };
    let keeps = if std::env::var_os("MOCK_MODELS_FORGET").is_some() {
        RequestRetention::Nothing
    } else {
        RequestRetention::Everything
    };
    let delay = std::env::var("MOCK_MODELS_DELAY_MS")
        .ok()
        .and_then(|delay| delay.parse().ok())
        .unwrap_or(0);
    let address = ([127, 0, 0, 1], port).into();
    let models = match std::env::var("MOCK_MODELS_CLOCK") {
        Ok(told) => MockModels::with_timestamps(address, clock(&told)?)?,
        Err(_) => MockModels::slow(address, replies, keeps, Duration::from_millis(delay))?,
    };
    writeln!(io::stdout(), "{}", models.url())?;
    loop {
        std::thread::park();
    }
}

fn clock(told: &str) -> io::Result<TimestampStream> {
    let read = || {
        let (words, pause) = told.split_once(':')?;
        Some(TimestampStream {
            words: words.parse().ok()?,
            pause: Duration::from_millis(pause.parse().ok()?),
        })
    };
    read().ok_or_else(|| {
        io::Error::other(format!("MOCK_MODELS_CLOCK is '{told}', not WORDS:MILLISECONDS"))
    })
}
