//! `heddle doctor`: checks this installation and shows its settings.

use super::block_on;
use crate::settings::{self, SETTINGS, Settings};
use crate::terminal::say;
use crate::world;
use anyhow::Result;
use engine::{RunOptions, Start};
use model::{Value, Workflow, json};
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) fn run() -> Result<ExitCode> {
    say(&format!("heddle {}\n\nSettings", env!("CARGO_PKG_VERSION")));
    for setting in SETTINGS {
        let set = if std::env::var_os(setting.name).is_some() { "set    " } else { "default" };
        say(&format!("  {:30} {set}  {:14} {}", setting.name, settings::read(setting.name), setting.help));
    }
    say("\nChecks");
    let loaded = Settings::load();
    let mut healthy = report("settings can be read", loaded.as_ref().map(|_| String::new()).map_err(|error| format!("{error:#}")));
    if let Ok(settings) = &loaded {
        healthy &= report("the files folder is there", files_folder(settings));
        healthy &= report("temporary files can be written", temporary_file());
        healthy &= report("a workflow runs", example_run(settings));
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn report(what: &str, result: Result<String, String>) -> bool {
    match &result {
        Ok(detail) if detail.is_empty() => say(&format!("  ok    {what}")),
        Ok(detail) => say(&format!("  ok    {what} ({detail})")),
        Err(problem) => say(&format!("  FAIL  {what}: {problem}")),
    }
    result.is_ok()
}

fn files_folder(settings: &Settings) -> Result<String, String> {
    let root = &settings.files_root;
    match root.is_dir() {
        true => Ok(root.display().to_string()),
        false => Ok(format!("{} is made when a workflow first writes a file", root.display())),
    }
}

fn temporary_file() -> Result<String, String> {
    let path = std::env::temp_dir().join(format!("heddle-doctor-{}", std::process::id()));
    std::fs::write(&path, b"ok").and_then(|()| std::fs::remove_file(&path)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(std::env::temp_dir().display().to_string())
}

fn example_run(settings: &Settings) -> Result<String, String> {
    let document: Value = json!({
        "name": "doctor",
        "nodes": [
            { "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
            { "name": "Pass", "type": "n8n-nodes-base.noOp", "typeVersion": 1, "position": [200, 0], "parameters": {} }
        ],
        "connections": { "Start": { "main": [[{ "node": "Pass", "type": "main", "index": 0 }]] } },
        "settings": { "executionOrder": "v1" }
    });
    let workflow = Workflow::from_value(&document).ok_or("the example cannot be read")?;
    let engine = world::engine(settings).map_err(|error| format!("{error:#}"))?;
    let plan = Arc::new(engine.plan(&workflow));
    let outcome = block_on(engine.run(plan, Start::default(), RunOptions::default(), CancellationToken::new()))
        .map_err(|error| format!("{error:#}"))?;
    match outcome.error {
        None if outcome.is_ok() => Ok(format!("{} ms", outcome.finished_ms - outcome.started_ms)),
        error => Err(error.map_or_else(|| "it did not end well".to_owned(), |error| error.message.to_string())),
    }
}
