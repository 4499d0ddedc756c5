//! Asks the person at the terminal before an agent's tool runs, and goes on with what they say.

use super::Talk;
use super::asleep::with_what_was_done;
use crate::terminal::{Colour, note, paint, printable};
use dialoguer::Confirm;
use engine::{Outcome, Plan, RunOptions, Start};
use model::RunEvent;
use node_api::notes::{self, Asked, Decided, Verdict};
use runtime::steps::Steps;
use runtime::{AskedCall, asked_in};
use std::io::IsTerminal as _;
use tokio_util::sync::CancellationToken;

/// Who decides at a terminal, as far as anybody can tell.
const BY: &str = "terminal";

impl Talk {
    /// Goes on with a run for as long as it asks and somebody answers. `None` if nobody does.
    pub(super) async fn until_answered(
        &mut self,
        mut outcome: Outcome,
        options: &RunOptions,
        cancel: &CancellationToken,
    ) -> Option<Outcome> {
        while outcome.asks {
            let mut events = std::mem::take(&mut self.asking);
            for asked in asked_in(&events).into_iter().filter(AskedCall::is_open) {
                let Some(verdict) = ask(&asked).await else {
                    note(
                        "  Nothing was done. Decide at a terminal, or serve the workflow, where `heddle executions approve` and `reject` decide.",
                    );
                    return None;
                };
                let decided_ms = self.engine.ports.clock.now_ms();
                let decided = Decided { verdict, reason: None, by: BY.into(), decided_ms };
                let value = Asked { decided: Some(decided), ..asked.asked }.to_value();
                events.push(RunEvent::NodeNoted {
                    node: asked.node,
                    key: notes::approval(&asked.call).into(),
                    value,
                });
            }
            let (start, options) = going_on(&self.plan, &events, options.clone());
            outcome = self.run_from(start, options, events, cancel.clone()).await;
        }
        Some(outcome)
    }
}

/// Shows a call with everything that it would be given; `None` if there is nobody to decide.
async fn ask(asked: &AskedCall) -> Option<Verdict> {
    let arguments = model::json::to_string(&asked.asked.arguments);
    note(&format!(
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
    Some(if is_allowed { Verdict::Approved } else { Verdict::Rejected })
}

/// How a run goes on that did this, within the step that has asked.
fn going_on(plan: &Plan, events: &[RunEvent], options: RunOptions) -> (Start, RunOptions) {
    let options = with_what_was_done(plan, events, options);
    let Steps { start_node, items, all, .. } = Steps::read(events.to_vec());
    let notes = all
        .last()
        .filter(|step| step.recorded.is_none())
        .map(|step| step.notes())
        .unwrap_or_default();
    let recorded = all.into_iter().filter_map(|step| step.recorded).collect();
    let start = Start { node: start_node, items, ..Start::default() };
    (start, RunOptions { recorded, notes, is_announced: true, ..options })
}
