//! `heddle policy`: the rules about tool calls, from the data folder. A running server follows.

use super::block_on;
use crate::cli::{DataFolder, PolicyCommand, StopArgs};
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use node_api::policy::{PolicyDecision, PolicyRules};
use runtime::policy::{MAX_POLICY_BYTES, Policy, StopTarget, check};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Who has changed the policy, when it was done here.
const COMMAND_LINE: &str = "command line";

/// Versions that are listed.
const HISTORY: usize = 100;

pub(super) fn run(arguments: PolicyCommand) -> Result<ExitCode> {
    match arguments {
        PolicyCommand::Show { data } => {
            print_line(open(&data)?.current().stored.text.trim_end());
        }
        PolicyCommand::Check { file } => {
            let rules = check(&read(&file)?).with_context(|| file.display().to_string())?;
            print_line(&format!("{}: {}", file.display(), summary(&rules)));
        }
        PolicyCommand::Apply { data, file } => {
            let (policy, text) = (open(&data)?, read(&file)?);
            let seen = policy.current().stored.version;
            let version = block_on(policy.replace(&text, seen, COMMAND_LINE))?
                .with_context(|| file.display().to_string())?;
            eprint_line(&format!("Version {version} of the policy is in force."));
        }
        PolicyCommand::DryRun { data, file, calls, output } => {
            let text = file.as_deref().map(read).transpose()?;
            return dry_run(&*open(&data)?, text.as_deref(), calls, output);
        }
        PolicyCommand::History { data, output } => return history(&*open(&data)?, output),
        PolicyCommand::Stop(arguments) => {
            let policy = open(&arguments.data)?;
            let (target, reason) = (target(&arguments)?, &arguments.reason);
            let name = block_on(policy.stop(&target, reason, COMMAND_LINE))??;
            eprint_line(&format!("Stopped. Undo with: heddle policy unstop '{name}'"));
        }
        PolicyCommand::Unstop { data, name } => {
            block_on(open(&data)?.remove_stop(&name, COMMAND_LINE))??;
            eprint_line("The stop is removed.");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn open(data: &DataFolder) -> Result<Arc<Policy>> {
    Ok(block_on(Policy::open(wiring::open_store(&data.path())?))??)
}

fn read(file: &Path) -> Result<String> {
    let named = || file.display().to_string();
    let size = std::fs::metadata(file).with_context(named)?.len();
    anyhow::ensure!(
        size <= MAX_POLICY_BYTES as u64,
        "{} is larger than {MAX_POLICY_BYTES} bytes (MAX_POLICY_BYTES)",
        file.display()
    );
    std::fs::read_to_string(file).with_context(named)
}

fn summary(rules: &PolicyRules) -> String {
    let count =
        |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    [
        count(rules.rules.len(), "rule"),
        count(rules.limits.len(), "limit"),
        count(rules.stops.len(), "stop"),
    ]
    .join(", ")
}

fn target(arguments: &StopArgs) -> Result<StopTarget> {
    let StopArgs { tool, server, node_type, workflow, agent, .. } = arguments;
    let name = |text: &Option<String>| text.as_deref().map(model::Str::from);
    let single = [
        name(tool).map(StopTarget::Tool),
        name(server).map(StopTarget::Server),
        name(node_type).map(StopTarget::NodeType),
    ];
    let of_workflow = || {
        let workflow = name(workflow)?;
        Some(match name(agent) {
            Some(agent) => StopTarget::Agent { workflow, agent },
            None => StopTarget::Workflow(workflow),
        })
    };
    single.into_iter().flatten().next().or_else(of_workflow).context("name what to stop")
}

fn dry_run(
    policy: &Policy,
    text: Option<&str>,
    calls: usize,
    output: ListOutput,
) -> Result<ExitCode> {
    let result = block_on(policy.dry_run(text, calls))??;
    output.note(&format!(
        "{} tool calls: {} allowed, {} need approval, {} denied.",
        result.calls, result.allowed, result.approvals, result.denied
    ));
    if result.skipped > 0 {
        output.note(&format!("{} large executions were not read.", result.skipped));
    }
    let mut table =
        Table::new(&["executionId", "workflowId", "agent", "tool", "effect", "now", "then"]);
    for call in result.changed {
        table.row([
            Cell::text(call.execution.to_string()),
            Cell::text(call.workflow_id),
            Cell::text(call.agent),
            Cell::text(call.tool),
            Cell::text(call.effect.name()),
            Cell::text(verdict(&call.now)),
            Cell::text(verdict(&call.then)),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn verdict(decision: &PolicyDecision) -> String {
    match decision {
        PolicyDecision::Allow { .. } => "allow".to_owned(),
        PolicyDecision::Approve { rule } => format!("approve ({rule})"),
        PolicyDecision::Deny { rule, .. } => format!("deny ({rule})"),
    }
}

fn history(policy: &Policy, output: ListOutput) -> Result<ExitCode> {
    let versions = block_on(policy.history(HISTORY))??;
    if versions.is_empty() {
        output.note("No policy yet. `heddle policy apply FILE` puts one in force.");
    }
    let mut table = Table::new(&["version", "changedAt", "changedBy"]);
    for stored in versions {
        table.row([
            Cell::text(stored.version.to_string()),
            Cell::time(Some(stored.changed_ms)),
            Cell::text(stored.changed_by),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}
