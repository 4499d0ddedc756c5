//! `heddle conformance`: runs recorded cases and compares the results.

pub(crate) mod compare;
pub(crate) mod context;
mod expressions;
pub(crate) mod functions;
mod harness;
mod nodes;
mod report;
pub(crate) mod special;
mod templates;
mod workflows;

use crate::cli;
use anyhow::{Context as _, Result};
use model::{Object, Value};
use report::{CaseResult, ConformanceReport};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(arguments: &cli::ConformanceArgs) -> Result<ExitCode> {
    anyhow::ensure!(arguments.folder.is_dir(), "{} is not a folder", arguments.folder.display());
    let mut report = ConformanceReport::default();
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)
        .with_context(|| format!("{} cannot be read", arguments.folder.display()))?;
    files.sort();
    let runner = CaseRunner {
        only: arguments.only.as_deref(),
        evaluator: arguments.evaluator,
        runtime: harness::runtime()?,
    };
    for file in &files {
        runner.run_file(&arguments.folder, file, &mut report)?;
    }
    anyhow::ensure!(!report.is_empty(), "no cases found in {}", arguments.folder.display());
    match arguments.json {
        true => crate::terminal::print_line(&model::json::to_string(&report.to_value())),
        false => report.print(arguments.differences),
    }
    Ok(if report.all_passed() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Every JSON file below a folder, except what cases refer to.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !matches!(
                name.as_str(),
                "fixtures" | "wild_contexts" | "stats" | "llm" | "bench" | "files"
            ) {
                collect(&path, files)?;
            }
        } else if (name.ends_with(".json")
            && !matches!(name.as_str(), "manifest.json" | "index.json"))
            || name.ends_with(".jsonl")
        {
            files.push(path);
        }
    }
    Ok(())
}

pub(crate) struct CaseRunner<'a> {
    only: Option<&'a str>,
    evaluator: cli::EvaluatorChoice,
    runtime: tokio::runtime::Runtime,
}

impl CaseRunner<'_> {
    fn run_file(&self, root: &Path, file: &Path, report: &mut ConformanceReport) -> Result<()> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let set = file
            .parent()
            .and_then(|folder| folder.strip_prefix(root).ok())
            .map(|set| set.display().to_string())
            .unwrap_or_default();
        let set = if set.is_empty() {
            root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        } else {
            set
        };
        if file.extension().is_some_and(|extension| extension == "jsonl") {
            let set = format!("{set}/{}", file.file_stem().unwrap_or_default().to_string_lossy());
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let case = model::json::parse(line).with_context(|| {
                    format!("{} contains a line that is not JSON", file.display())
                })?;
                if let Some(case) = case.as_object()
                    && self.wants(case)
                {
                    report.add(&set, expressions::run(self, case, file.parent()));
                }
            }
            return Ok(());
        }
        let is_workflow_only = |case: &Object| {
            case.get("workflow").is_none() && case.get("nodes").is_some_and(Value::is_array)
        };
        let parsed =
            model::json::parse(&text).with_context(|| format!("{} is not JSON", file.display()))?;
        let Some(case) = parsed.as_object() else { return Ok(()) };
        if is_workflow_only(case) {
            let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if self.only.is_none_or(|only| id.contains(only)) {
                report.add(&set, templates::run(&id, &text));
            }
        } else if case.get("workflow").is_some_and(Value::is_object) && self.wants(case) {
            let result = if case.contains_key("expectedRuns") {
                workflows::run(self, case)
            } else {
                nodes::run(self, case, file)
            };
            report.add(&set, result);
        }
        Ok(())
    }

    fn wants(&self, case: &Object) -> bool {
        let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
        self.only.is_none_or(|only| id.contains(only))
    }
}

/// The node types of a case, for the report.
fn node_types(case: &Object) -> Vec<String> {
    match case.get("nodeTypes").and_then(Value::as_object) {
        Some(types) => types.keys().map(ToString::to_string).collect(),
        None => Vec::new(),
    }
}

fn result(case: &Object, difference: Option<String>) -> CaseResult {
    let id = case.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    CaseResult { id, node_types: node_types(case), difference }
}
