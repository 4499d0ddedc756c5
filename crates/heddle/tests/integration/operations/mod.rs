//! What an operator does with the real binary: settings, logs, traces, metrics, backups, and
//! commands on the data folder.

mod backup;
mod commands;
mod import;
mod listing;
mod observability;
mod settings;

use crate::support;
use crate::support::workflow::{node, row};
use crate::support::{Server, heddle};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

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

/// A server with arguments of its own.
fn start_server(data: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.arg("serve").args(arguments).env("HEDDLE_PORT", "0");
    Server::start_command(command, data, settings, "").unwrap()
}

/// Posts a body with a secret.
fn post(server: &Server, path: &str, headers: &[(&str, &str)]) -> support::Reply {
    let headers: Vec<(&str, &str)> =
        headers.iter().copied().chain([("content-type", "application/json")]).collect();
    support::request(&server.address, "POST", path, &headers, b"{\"password\":\"s3cret\"}").unwrap()
}
