//! `heddle check`: problems of workflows, and which of their nodes run here.

use super::read_workflow;
use crate::cli;
use crate::settings::Settings;
use crate::terminal::print_line;
use anyhow::Result;
use engine::check::{CheckReport, Compatibility, Severity, check};
use model::{Object, Value};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(arguments: &cli::CheckArgs) -> Result<ExitCode> {
    let registry = if Settings::load()?.test_nodes {
        nodes::registry_with_test_nodes()
    } else {
        nodes::registry()
    };
    let mut broken = false;
    let mut reports = Vec::new();
    for file in &arguments.files {
        let report = match read_workflow(file) {
            Ok(workflow) => check(&workflow, &registry),
            Err(error) => CheckReport::unreadable(&format!("{error:#}")),
        };
        broken |= report.problems.iter().any(|problem| problem.severity == Severity::Error);
        match arguments.json {
            true => reports.push(to_value(file, &report)),
            false => print(file, &report),
        }
    }
    if arguments.json {
        print_line(&model::json::to_string(&Value::array(reports)));
    }
    Ok(if broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn print(file: &Path, report: &CheckReport) {
    let count =
        |wanted| report.nodes.iter().filter(|node| node.compatibility.kind() == wanted).count();
    print_line(&format!(
        "{}: {} nodes: {} run, {} differ, {} unsupported",
        file.display(),
        report.nodes.len(),
        count("runs"),
        count("differs"),
        count("unsupported")
    ));
    for problem in &report.problems {
        let word = if problem.severity == Severity::Error { "error" } else { "warning" };
        print_line(&format!("  {word} {} {}: {}", problem.code, problem.place, problem.message));
        if let Some(hint) = &problem.hint {
            print_line(&format!("    {hint}"));
        }
    }
    for node in report.nodes.iter().filter(|node| node.compatibility != Compatibility::Runs) {
        let what = match &node.compatibility {
            Compatibility::Runs => String::new(),
            Compatibility::Differs(how) => format!("differs: {}", how.join(" ")),
            Compatibility::Unsupported(why) => format!("unsupported: {why}"),
        };
        print_line(&format!("  {} ({} v{}) {what}", node.name, node.type_name, node.version));
    }
}

fn to_value(file: &Path, report: &CheckReport) -> Value {
    let problem = |problem: &engine::check::CheckProblem| {
        Value::object(Object::from_iter([
            (
                "severity",
                Value::from(if problem.severity == Severity::Error { "error" } else { "warning" }),
            ),
            ("code", problem.code.name().into()),
            ("place", problem.place.clone().into()),
            ("node", problem.node.clone().into()),
            ("message", problem.message.clone().into()),
            ("hint", problem.hint.clone().into()),
        ]))
    };
    let node = |node: &engine::check::NodeReport| {
        let detail = match &node.compatibility {
            Compatibility::Runs => Value::Undefined,
            Compatibility::Differs(how) => {
                Value::array(how.iter().map(|text| Value::from(text.clone())).collect())
            }
            Compatibility::Unsupported(why) => why.clone().into(),
        };
        Value::object(Object::from_iter([
            ("name", Value::from(node.name.clone())),
            ("type", node.type_name.clone().into()),
            ("typeVersion", node.version.into()),
            ("compatibility", node.compatibility.kind().into()),
            ("detail", detail),
        ]))
    };
    Value::object(Object::from_iter([
        ("file", Value::from(file.display().to_string())),
        ("problems", Value::array(report.problems.iter().map(problem).collect())),
        ("nodes", Value::array(report.nodes.iter().map(node).collect())),
    ]))
}
