//! Services that a credential is sent to, and a server whose log is kept.

use super::search::files_of;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use testkit::{FakeHttp, FakeResponse};

/// A server that answers each request the same.
pub(crate) struct Listener(FakeHttp);

/// Its port, and the server itself.
pub(crate) fn listener(answer: String) -> (u16, Listener) {
    let server = FakeHttp::fixed(FakeResponse::raw(answer));
    (server.port(), Listener(server))
}

impl Listener {
    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.0.requests().into_iter().map(|request| request.head).collect()
    }
}

pub(crate) struct CanaryServer {
    pub(crate) process: Child,
    pub(crate) address: String,
    log: Arc<Mutex<String>>,
}

impl CanaryServer {
    pub(crate) fn start(data: &Path, allow: &str) -> Self {
        Self::start_with(data, allow, &[])
    }

    /// The same with further settings.
    pub(crate) fn start_with(data: &Path, allow: &str, more: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(["serve", "--port", "0"])
            .envs([
                ("HEDDLE_DATA", data.to_str().unwrap()),
                ("HEDDLE_LOG", "trace"),
                ("HEDDLE_EGRESS_ALLOW", allow),
            ])
            .envs(more.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let address = loop {
            let line = lines.next().expect("the server ended before it listened").unwrap();
            log.lock().unwrap().push_str(&line);
            if let Some(rest) = line.split("listens on http://").nth(1) {
                let address = rest.split_whitespace().next().unwrap().to_owned();
                // Until somebody says otherwise, nobody else can reach it: the first owner is made
                // from this machine.
                assert!(address.starts_with("127.0.0.1:"), "{address}");
                break address;
            }
        };
        let kept = log.clone();
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .for_each(|line| kept.lock().unwrap().push_str(&format!("{line}\n")))
        });
        Self { process, address, log }
    }
}

impl CanaryServer {
    /// Ends the server; gives back what it has said and what it has written.
    pub(crate) fn left_behind(self, data: &Path) -> Vec<(String, Vec<u8>)> {
        let log = self.log.lock().unwrap().clone();
        assert!(log.len() > 1000, "the log is not at trace level");
        drop(self);
        let mut left = files_of(data);
        left.push(("the log".to_owned(), log.into_bytes()));
        left
    }
}

impl Drop for CanaryServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn credential(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "name": id, "type": kind, "data": data })
}
