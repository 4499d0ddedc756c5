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
use std::path::{Path, PathBuf};
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
    let report = DoctorReport::new(&arguments.data.path());
    match () {
        () if arguments.json => print_line(&json::to_string(&report.to_value())),
        () if arguments.quiet => report.print_problems(),
        () => report.print(),
    }
    Ok(if report.is_healthy() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Everything that was looked at.
struct DoctorReport {
    folder: PathBuf,
    installation: Vec<(&'static str, DoctorFinding)>,
    data: Vec<(&'static str, DoctorFinding)>,
}

impl DoctorReport {
    fn new(folder: &Path) -> Self {
        let loaded = Settings::load();
        let settings = loaded.as_ref().map(|_| String::new()).map_err(|error| format!("{error:#}"));
        let mut installation = vec![("settings", from_result(settings))];
        if let Ok(settings) = &loaded {
            installation.extend([
                ("files folder", from_result(files_folder(settings, folder))),
                ("temporary files", from_result(temporary_file())),
                ("test workflow", from_result(example_run(settings))),
            ]);
        }
        let data = folder::check(folder, loaded.as_ref().ok());
        Self { folder: folder.to_owned(), installation, data }
    }

    fn all(&self) -> impl Iterator<Item = &(&'static str, DoctorFinding)> {
        self.installation.iter().chain(&self.data)
    }

    fn is_healthy(&self) -> bool {
        !self.all().any(|(_, finding)| matches!(finding, DoctorFinding::Error(_)))
    }

    fn print(&self) {
        print_line(&format!("heddle {}\n\nSettings", env!("CARGO_PKG_VERSION")));
        for (name, value, origin, help) in settings_shown() {
            print_line(&format!("  {name:30} {value:14} {origin}  {help}"));
        }
        print_line("\nThis installation");
        self.installation.iter().for_each(|(what, finding)| print_finding(what, finding));
        print_line(&format!("\nData folder {}", self.folder.display()));
        self.data.iter().for_each(|(what, finding)| print_finding(what, finding));
    }

    fn print_problems(&self) {
        let problems = self.all().filter(|(_, finding)| !matches!(finding, DoctorFinding::Ok(_)));
        problems.for_each(|(what, finding)| print_finding(what, finding));
    }

    fn to_value(&self) -> Value {
        let settings = settings_shown().map(|(name, value, origin, _)| {
            json!({ "name": (name), "value": (value), "source": (origin) })
        });
        let checks = self.all().map(|(what, finding)| {
            let (status, _, detail) = finding.parts();
            json!({ "check": (*what), "status": (status), "detail": (detail) })
        });
        json!({
            "version": (env!("CARGO_PKG_VERSION")),
            "dataFolder": (self.folder.display().to_string()),
            "healthy": (self.is_healthy()),
            "settings": (Value::array(settings.collect())),
            "checks": (Value::array(checks.collect()))
        })
    }
}

/// Each setting with its value, its origin and what it is for.
fn settings_shown() -> impl Iterator<Item = (&'static str, String, String, &'static str)> {
    SETTINGS.iter().map(|setting| {
        let (value, origin) = settings::find(setting.name);
        let is_hidden = setting.is_secret() && !value.is_empty();
        let value = if is_hidden { "(not shown)".to_owned() } else { value };
        (setting.name, value, origin_label(&origin), setting.help)
    })
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

impl DoctorFinding {
    fn parts(&self) -> (&'static str, Colour, &str) {
        match self {
            DoctorFinding::Ok(detail) => ("ok", Colour::Green, detail),
            DoctorFinding::Warning(detail) => ("warning", Colour::Yellow, detail),
            DoctorFinding::Error(detail) => ("error", Colour::Red, detail),
        }
    }
}

fn print_finding(what: &str, finding: &DoctorFinding) {
    let (word, colour, detail) = finding.parts();
    let word = if word == "warning" { "warn" } else { word };
    let colon = if detail.is_empty() { "" } else { ": " };
    print_line(&format!("  {}  {what}{colon}{detail}", paint(&format!("{word:5}"), colour)));
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
