//! What an operator does with the real binary: settings, logs, traces, metrics, backups, and
//! commands on the data folder.

mod backup;
mod commands;
mod import;
mod observability;
mod settings;

use crate::support;
use crate::support::workflow::{node, row};
use crate::support::{TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

fn webhook(path: &str) -> Value {
    node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode", "options": {} }),
    )
}

/// Fails, with words that are nobody's business.
fn stop() -> Value {
    node("Stop", "stopAndError", 1.0, json!({ "errorMessage": "the word is s3cret" }))
}

fn import(data: &Path, document: &Value) -> String {
    let file = data.with_extension("json");
    std::fs::write(&file, document.to_string()).unwrap();
    let told = heddle(data, &["import", "--activate", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();
    told.split_whitespace().next().unwrap().to_owned()
}

/// Runs a command to its end, whatever that is.
fn run(data: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .env("HEDDLE_DATA", data)
        .envs(settings.iter().copied())
        .output()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A server whose log can be read.
struct LoggedServer {
    process: Child,
    address: String,
    log: PathBuf,
}

impl LoggedServer {
    fn start(
        folder: &TempFolder,
        data: &Path,
        arguments: &[&str],
        settings: &[(&str, &str)],
    ) -> Self {
        let log = folder.0.join(format!("server-{}.log", settings.len() + arguments.len()));
        let process = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .arg("serve")
            .args(arguments)
            .env("HEDDLE_DATA", data)
            .env("HEDDLE_PORT", "0")
            .envs(settings.iter().copied())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut server = Self { process, address: String::new(), log };
        wait_until("the server is up", || {
            let text = server.text();
            let found =
                text.split("listens on http://").nth(1).and_then(|rest| rest.split_once(' '));
            server.address = found.map(|(address, _)| address.to_owned()).unwrap_or_default();
            !server.address.is_empty()
        });
        server
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    fn post(&self, path: &str, headers: &[(&str, &str)]) -> support::Reply {
        let headers: Vec<(&str, &str)> =
            headers.iter().copied().chain([("content-type", "application/json")]).collect();
        support::request(&self.address, "POST", path, &headers, b"{\"password\":\"s3cret\"}")
            .unwrap()
    }

    fn stop(mut self) -> String {
        Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(self.process.wait().unwrap().success());
        self.text()
    }
}

impl Drop for LoggedServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
