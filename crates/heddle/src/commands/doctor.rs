//! `heddle doctor`: shows where each setting comes from, and checks this installation and its data
//! folder.

mod folder;

use super::block_on;
use crate::cli;
use crate::settings::{self, SETTINGS, SettingOrigin, Settings};
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use engine::{RunOptions, RunStart};
use model::{Value, Workflow, json};
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a check found.
pub(super) enum DoctorFinding {
    Ok(String),
    /// It works, but not for long or not safely; with what to do about it.
    Warning(String),
    /// It does not work; with what to do about it.
    Error(String),
}

pub(super) fn run(arguments: &cli::DoctorArgs) -> Result<ExitCode> {
    if let Some(file) = &arguments.docs {
        std::fs::write(file, settings::page())
            .with_context(|| format!("{} could not be written (FILE_IO)", file.display()))?;
        eprint_line(&format!("{} written", file.display()));
        return Ok(ExitCode::SUCCESS);
    }
    print_line(&format!("heddle {}\n\nSettings", env!("CARGO_PKG_VERSION")));
    for setting in SETTINGS {
        let (value, origin) = settings::find(setting.name);
        let value =
            if setting.is_secret() && !value.is_empty() { "(not shown)".to_owned() } else { value };
        print_line(&format!(
            "  {:30} {:14} {}  {}",
            setting.name,
            value,
            origin_label(&origin),
            setting.help
        ));
    }
    let folder = arguments.data.path();
    print_line("\nThis installation");
    let loaded = Settings::load();
    let mut is_healthy = report(
        "settings",
        from_result(loaded.as_ref().map(|_| String::new()).map_err(|error| format!("{error:#}"))),
    );
    if let Ok(settings) = &loaded {
        is_healthy &= report("files folder", from_result(files_folder(settings, &folder)));
        is_healthy &= report("temporary files", from_result(temporary_file()));
        is_healthy &= report("test workflow", from_result(example_run(settings)));
    }
    print_line(&format!("\nData folder {}", folder.display()));
    for (what, finding) in folder::check(&folder, loaded.as_ref().ok()) {
        is_healthy &= report(what, finding);
    }
    Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn origin_label(origin: &SettingOrigin) -> String {
    match origin {
        SettingOrigin::Default => "default".to_owned(),
        SettingOrigin::Environment => "environment".to_owned(),
        SettingOrigin::Flag => "--set".to_owned(),
        SettingOrigin::File { path, line } => format!("{}, line {line}", path.display()),
    }
}

fn from_result(result: Result<String, String>) -> DoctorFinding {
    result.map_or_else(DoctorFinding::Error, DoctorFinding::Ok)
}

/// Prints a line; `false` if something is wrong.
fn report(what: &str, finding: DoctorFinding) -> bool {
    let (word, colour, detail) = match &finding {
        DoctorFinding::Ok(detail) => ("ok   ", Colour::Green, detail),
        DoctorFinding::Warning(detail) => ("warn ", Colour::Yellow, detail),
        DoctorFinding::Error(detail) => ("error", Colour::Red, detail),
    };
    let colon = if detail.is_empty() { "" } else { ": " };
    print_line(&format!("  {}  {what}{colon}{detail}", paint(word, colour)));
    !matches!(finding, DoctorFinding::Error(_))
}

fn files_folder(settings: &Settings, data: &std::path::Path) -> Result<String, String> {
    wiring::check_files_root(settings, data).map_err(|error| format!("{error:#}"))?;
    let root = &settings.files_root;
    match root.is_dir() {
        true => Ok(root.display().to_string()),
        false => Ok(format!("{} is created when a workflow first writes a file", root.display())),
    }
}

fn temporary_file() -> Result<String, String> {
    let path = std::env::temp_dir().join(format!("heddle-doctor-{}", std::process::id()));
    std::fs::write(&path, b"ok")
        .and_then(|()| std::fs::remove_file(&path))
        .map_err(|error| format!("{}: {error}", path.display()))?;
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
    let engine = wiring::engine(settings).map_err(|error| format!("{error:#}"))?;
    let plan = Arc::new(engine.plan(&workflow));
    let outcome = block_on(engine.run(
        plan,
        RunStart::default(),
        RunOptions::default(),
        CancellationToken::new(),
    ))
    .map_err(|error| format!("{error:#}"))?;
    match outcome.error {
        None if outcome.is_ok() => Ok(format!("{} ms", outcome.finished_ms - outcome.started_ms)),
        error => {
            Err(error
                .map_or_else(|| "the run failed".to_owned(), |error| error.message.to_string()))
        }
    }
}
