//! Asks the person at the terminal before an agent's tool runs, and goes on with what they say.

use super::ChatSession;
use super::suspended::with_prior_state;
use crate::terminal::{Colour, eprint_line, paint, printable};
use dialoguer::Confirm;
use engine::{Plan, RunOptions, RunOutcome, RunStart};
use model::RunEvent;
use node_api::checkpoints::{self, ApprovalRequest, ApprovalVerdict, DecisionRecord};
use runtime::steps::JournalSteps;
use runtime::{ApprovalCall, approval_calls};
use std::io::IsTerminal as _;
use tokio_util::sync::CancellationToken;

/// Who decides at a terminal, as far as anybody can tell.
const TERMINAL_USER: &str = "terminal";

impl ChatSession {
    /// Goes on with a run for as long as it asks and somebody answers. `None` if nobody does.
    pub(super) async fn resolve_approvals(
        &mut self,
        mut outcome: RunOutcome,
        options: &RunOptions,
        cancel: &CancellationToken,
    ) -> Option<RunOutcome> {
        while outcome.asks {
            let mut events = std::mem::take(&mut self.pending_events);
            for asked in approval_calls(&events).into_iter().filter(ApprovalCall::is_open) {
                let Some(verdict) = ask_user(&asked).await else {
                    eprint_line(
                        "The call was not made. Decide at a terminal, or serve the workflow and \
                             use `heddle executions approve` or `reject`.",
                    );
                    return None;
                };
                let decided_ms = self.engine.ports.clock.now_ms();
                let decided =
                    DecisionRecord { verdict, reason: None, by: TERMINAL_USER.into(), decided_ms };
                let value = ApprovalRequest { decision: Some(decided), ..asked.asked }.to_value();
                events.push(RunEvent::StepRecorded {
                    node: asked.node,
                    key: checkpoints::approval_key(&asked.call).into(),
                    value,
                });
            }
            let (start, options) = resume_step(&self.plan, &events, options.clone());
            outcome = self.run_from(start, options, events, cancel.clone()).await;
        }
        Some(outcome)
    }
}

/// Shows a call with everything that it would be given; `None` if there is nobody to decide.
async fn ask_user(asked: &ApprovalCall) -> Option<ApprovalVerdict> {
    let arguments = model::json::to_string(&asked.asked.arguments);
    eprint_line(&format!(
        "{} {} {}",
        paint("asks to use", Colour::Yellow),
        paint(&asked.asked.tool, Colour::Bold),
        printable(&arguments)
    ));
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    let asking = tokio::task::spawn_blocking(|| {
        Confirm::new().with_prompt("  Allow it?").default(false).interact()
    });
    let is_allowed = asking.await.ok()?.ok()?;
    Some(if is_allowed { ApprovalVerdict::Approved } else { ApprovalVerdict::Rejected })
}

/// How a run goes on that did this, within the step that has asked.
fn resume_step(plan: &Plan, events: &[RunEvent], options: RunOptions) -> (RunStart, RunOptions) {
    let options = with_prior_state(plan, events, options);
    let JournalSteps { start_node, items, all, .. } = JournalSteps::read(events.to_vec());
    let notes = all
        .last()
        .filter(|step| step.recorded.is_none())
        .map(|step| step.notes())
        .unwrap_or_default();
    let recorded = all.into_iter().filter_map(|step| step.recorded).collect();
    let start = RunStart { node: start_node, items, ..RunStart::default() };
    (start, RunOptions { recorded, notes, start_recorded: true, ..options })
}
