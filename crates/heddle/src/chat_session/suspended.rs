//! Runs that wait for the next message: they are kept in memory as long as the conversation lasts,
//! and go on from what they did.

use super::ChatSession;
use engine::{BudgetAccount, Journal, PendingRecord, Plan, RunOptions, RunOutcome, RunStart};
use model::{Item, Items, RunEvent, RunStatus, SpendingTotal, Str, Value};
use node_api::NodeError;
use node_api::trigger::TriggerSetup;
use runtime::steps::JournalSteps;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A run that waits, and everything that it did.
pub(crate) struct SuspendedChat {
    events: Vec<RunEvent>,
    /// Where it waits, and the parameters of the node then.
    node: Str,
    params: Value,
}

/// What a run does, in order.
#[derive(Default)]
struct EventBuffer(Mutex<Vec<RunEvent>>);

impl Journal for EventBuffer {
    fn append<'a>(&'a self, _run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        None
    }
}

impl ChatSession {
    /// Starts a run with a message, or goes on with the one that waits for it.
    pub(super) async fn run(
        &mut self,
        item: Item,
        options: RunOptions,
        cancel: CancellationToken,
    ) -> Result<RunOutcome, NodeError> {
        let (start, options, before) = match self.suspended.take() {
            None => {
                let start = RunStart {
                    node: Some(self.node.clone()),
                    items: Some(Items::one(item)),
                    ..RunStart::default()
                };
                (start, options, Vec::new())
            }
            Some(asleep) => match self.wake_item(&asleep, item) {
                Ok(woken) => resume_from(&self.plan, asleep.events, woken, options),
                Err(error) => {
                    self.suspended = Some(asleep);
                    return Err(error);
                }
            },
        };
        Ok(self.run_from(start, options, before, cancel).await)
    }

    /// Lets a run go on that did this before.
    pub(super) async fn run_from(
        &mut self,
        start: RunStart,
        options: RunOptions,
        before: Vec<RunEvent>,
        cancel: CancellationToken,
    ) -> RunOutcome {
        let kept = Arc::new(EventBuffer::default());
        let mut engine = self.engine.clone();
        engine.ports.journal = kept.clone();
        let outcome = engine.run(self.plan.clone(), start, options, cancel).await;
        if outcome.status == RunStatus::Waiting {
            let new = std::mem::take(&mut *kept.0.lock().unwrap_or_else(PoisonError::into_inner));
            let events: Vec<RunEvent> = before.into_iter().chain(new).collect();
            match outcome.asks {
                true => self.pending_events = events,
                false => self.suspended = self.suspended_after(events),
            }
        }
        outcome
    }

    /// The run, if what it waits for is a message.
    fn suspended_after(&self, events: Vec<RunEvent>) -> Option<SuspendedChat> {
        let paused = events.iter().rev().find_map(|event| match event {
            RunEvent::RunPaused { node, params, .. } => {
                Some((node.clone(), params.clone().unwrap_or_default()))
            }
            _ => None,
        });
        let (node, params) = paused?;
        let hears = self
            .plan
            .node(&node)?
            .node_type
            .as_ref()
            .is_some_and(|node_type| node_type.spec.hears_replies);
        hears.then_some(SuspendedChat { events, node, params })
    }

    /// What the node that waits makes of a message.
    fn wake_item(&self, asleep: &SuspendedChat, sent: Item) -> Result<Item, NodeError> {
        let Some(node) = self.plan.node(&asleep.node) else { return Ok(sent) };
        let (Some(node_type), Some(params)) = (&node.node_type, asleep.params.as_object()) else {
            return Ok(sent);
        };
        let now_ms = self.engine.ports.clock.now_ms();
        let timezone = self.plan.timezone.as_deref().unwrap_or(&self.options.timezone);
        let setup = TriggerSetup {
            node: &node.info,
            params,
            webhook_id: None,
            workflow_id: &self.plan.id,
            now_ms,
            timezone,
        };
        node_type.resume_item(&setup, sent)
    }
}

/// How a run goes on that did this before something woke it.
fn resume_from(
    plan: &Plan,
    mut events: Vec<RunEvent>,
    woken_by: Item,
    options: RunOptions,
) -> (RunStart, RunOptions, Vec<RunEvent>) {
    events.push(RunEvent::RunResumed { items: Some(Items::one(woken_by)) });
    let options = with_prior_state(plan, &events, options);
    let JournalSteps { start_node, items, all, .. } = JournalSteps::read(events.clone());
    let recorded = all.into_iter().filter_map(|step| step.recorded).collect();
    let start = RunStart { node: start_node, items, ..RunStart::default() };
    (start, RunOptions { recorded, start_recorded: true, ..options }, events)
}

/// What a run has spent so far and what its workflow keeps from now on, which nobody else keeps
/// here.
pub(super) fn with_prior_state(
    plan: &Plan,
    events: &[RunEvent],
    options: RunOptions,
) -> RunOptions {
    let (mut spent, mut kept) = (SpendingTotal::default(), plan.static_data.clone());
    for event in events {
        match event {
            RunEvent::ModelUsed { spent: more, .. } => spent.add(more),
            RunEvent::NodeFinished { changed, .. } => {
                if let Some(Value::Object(parts)) = &changed.static_data {
                    kept.make_object().extend((**parts).clone());
                }
            }
            _ => {}
        }
    }
    RunOptions { account: Some(BudgetAccount::new(spent)), static_data: Some(kept), ..options }
}
