//! What a person decides about a step that may have happened, and the run that goes on with it.

use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::journal_state::{JournalState, Resumable};
use crate::resume::resumption::ResumeReason;
use crate::{AcceptedRun, Error, Runtime};
use model::{Item, Items, Object, RunEvent, Str, Value};
use node_api::checkpoints;
use node_api::trigger::ReplyMode;
use std::sync::Arc;

/// What is to become of a step that may have happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub finding: DecisionOutcome,
    /// The call that it is about, such as `tool 1.2`, where an agent has begun several.
    pub call: Option<Str>,
    /// As many events of the run as whoever decides has seen: if it has gone on since, they mean
    /// another step.
    pub seen: Option<u64>,
}

/// What somebody found who has looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionOutcome {
    /// Nobody has said: the run goes on unless a step of it may have happened.
    Undecided,
    /// It did not happen, or is to happen once more.
    Retry,
    /// It happened, and this came of it; nothing if that is not known.
    Happened { result: Str },
}

impl Decision {
    /// Says the same of whatever is in doubt.
    pub fn about_all(finding: DecisionOutcome) -> Self {
        Self { finding, call: None, seen: None }
    }

    /// Goes on with what is not in doubt.
    pub fn undecided() -> Self {
        Self::about_all(DecisionOutcome::Undecided)
    }
}

/// What a run that goes on by a decision has in its record and its next step.
#[derive(Debug, Default)]
pub(crate) struct Resolution {
    /// To be written before anything else is.
    pub events: Vec<RunEvent>,
    /// What the step put out.
    pub output: Option<Items>,
    /// A person wants the step taken again: nobody is asked any more what it did.
    pub repeats: bool,
}

impl Runtime {
    /// Goes on with a run of which a step may have happened, as a person has decided. Returns once
    /// the decision is on disk.
    pub async fn resume_decided(
        self: &Arc<Self>,
        id: i64,
        decision: Decision,
    ) -> Result<Option<AcceptedRun>, Error> {
        let run = self.resume(id, ResumeReason::Decided(decision), ReplyMode::Buffered).await?;
        if let Some(run) = &run {
            self.runner.flush_journal(&run.log).await?;
            // What was decided about it together with others is settled with this.
            self.store.forget_held_decisions(vec![id]).await?;
        }
        Ok(run)
    }
}

impl JournalState {
    /// Applies a decision to the journal.
    pub(crate) fn apply_decision(
        &mut self,
        decision: &Decision,
        workflow: &LoadedWorkflow,
        now_ms: i64,
    ) -> Result<Resolution, Error> {
        if decision.finding == DecisionOutcome::Undecided {
            // Whatever a step keeps track of by itself, such as the calls of an agent, it asks
            // about again.
            return match self.resumable(workflow, now_ms) {
                Resumable::Safe => Ok(Resolution::default()),
                Resumable::Uncertain { node } => Err(Error::Undecided { node }),
            };
        }
        let Some(node) = self.in_flight.clone() else {
            // It was quarantined, and of which step nobody has written down.
            return match decision.finding {
                DecisionOutcome::Undecided | DecisionOutcome::Retry => Ok(Resolution::default()),
                DecisionOutcome::Happened { .. } => {
                    let problem = "The journal does not show which step was running, so no result can be set \
                         for it. Resume the execution with 'again', or stop it.";
                    Err(Error::NoStep { problem: problem.into() })
                }
            };
        };
        let open = checkpoints::uncertain_calls(&self.notes);
        let chosen = chosen(&node, &open, decision)?;
        // One that takes up by itself what it did before has no output yet that somebody could
        // tell.
        let is_plain =
            open.is_empty() && !workflow.plan.node(&node).is_some_and(engine::PlanNode::resumes);
        let checkpoints: Vec<(Str, Value)> = match &decision.finding {
            DecisionOutcome::Undecided | DecisionOutcome::Retry => chosen
                .iter()
                .map(|call| (checkpoints::started_key(call).into(), checkpoints::retracted()))
                .collect(),
            DecisionOutcome::Happened { result } if is_plain => {
                return Ok(Resolution { output: Some(items_of(result)), ..Resolution::default() });
            }
            DecisionOutcome::Happened { .. } if open.is_empty() => {
                let problem = format!(
                    "'{node}' continues its earlier work by itself. If it waits for another \
                         execution, decide about that one first. Then resume this one with 'again'."
                );
                return Err(Error::NoStep { problem: problem.into() });
            }
            DecisionOutcome::Happened { result } => chosen
                .iter()
                .map(|call| (call.clone(), checkpoints::confirmed_result(result)))
                .collect(),
        };
        self.notes.extend(checkpoints.iter().cloned());
        let events = checkpoints.into_iter().map(|(key, value)| RunEvent::StepRecorded {
            node: node.clone(),
            key,
            value,
        });
        let repeats = decision.finding == DecisionOutcome::Retry;
        Ok(Resolution { events: events.collect(), output: None, repeats })
    }
}

/// The calls that a decision is about. What came of one is not what came of another, so several are
/// only done again together.
fn chosen(node: &str, open: &[Str], decision: &Decision) -> Result<Vec<Str>, Error> {
    let no_step = |what: &str| {
        let calls: Vec<&str> = open.iter().map(Str::as_str).collect();
        let calls = if calls.is_empty() { "none".to_owned() } else { calls.join(", ") };
        Error::NoStep {
            problem: format!("{what} Calls of '{node}' that may have run effect: {calls}.").into(),
        }
    };
    let found: Vec<Str> = match &decision.call {
        Some(name) => {
            let is_it = |call: &&Str| {
                **call == *name
                    || call.strip_suffix(name.as_str()).is_some_and(|start| start.ends_with(": "))
            };
            open.iter().filter(is_it).cloned().collect()
        }
        None => open.to_vec(),
    };
    match (&decision.call, &decision.finding, found.len()) {
        (Some(name), _, 0) => Err(no_step(&format!("No call named '{name}' is uncertain."))),
        (Some(name), _, 2..) => {
            Err(no_step(&format!("'{name}' matches several calls; use the full name.")))
        }
        (None, DecisionOutcome::Happened { .. }, 2..) => {
            Err(no_step("Several calls are uncertain; specify which one took effect."))
        }
        _ => Ok(found),
    }
}

/// What a step put out, from what somebody wrote: an object is an item, a list of objects several,
/// anything else a result.
fn items_of(result: &str) -> Items {
    let named = |value: Value| Item::new(Object::from_iter([("result", value)]));
    match model::json::parse(result) {
        _ if result.trim().is_empty() => Items::one(Item::new(Object::new())),
        Ok(object @ Value::Object(_)) => Items::one(Item::new(object)),
        Ok(Value::Array(list))
            if !list.is_empty() && list.iter().all(|one| one.as_object().is_some()) =>
        {
            list.iter().cloned().map(Item::new).collect()
        }
        Ok(value) => Items::one(named(value)),
        Err(_) => Items::one(named(result.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn decision(finding: DecisionOutcome, call: Option<&str>) -> Decision {
        Decision { call: call.map(Str::from), ..Decision::about_all(finding) }
    }

    fn happened() -> DecisionOutcome {
        DecisionOutcome::Happened { result: Str::new() }
    }

    #[test]
    fn a_result_is_about_one_call_and_doing_again_about_all() {
        let open = [
            Str::from("item 0: tool 1.1"),
            Str::from("item 0: tool 1.2"),
            Str::from("item 1: tool 1.1"),
        ];
        assert_eq!(
            chosen("Agent", &open, &decision(DecisionOutcome::Retry, None)).unwrap().len(),
            3
        );
        assert_eq!(
            chosen("Agent", &open, &decision(DecisionOutcome::Retry, Some("tool 1.2"))).unwrap(),
            ["item 0: tool 1.2"]
        );
        assert_eq!(
            chosen("Agent", &open[..1], &decision(happened(), None)).unwrap(),
            ["item 0: tool 1.1"]
        );
        for (call, expected) in [
            (None, "specify which"),
            (Some("tool 1.1"), "several calls"),
            (Some("tool 9"), "No call named 'tool 9'"),
        ] {
            let message =
                chosen("Agent", &open, &decision(happened(), call)).unwrap_err().to_string();
            assert!(
                message.contains(expected) && message.contains("item 0: tool 1.2"),
                "{message}"
            );
        }
    }

    #[test]
    fn what_somebody_writes_becomes_items() {
        let items = |text: &str| items_of(text).iter().map(|item| item.json).collect::<Vec<_>>();
        assert_eq!(items(" "), [json!({})]);
        assert_eq!(items(r#"{ "paid": 1 }"#), [json!({ "paid": 1 })]);
        assert_eq!(items(r#"[{ "a": 1 }, { "a": 2 }]"#), [json!({ "a": 1 }), json!({ "a": 2 })]);
        assert_eq!(items("[1]"), [json!({ "result": [1] })]);
        assert_eq!(items("paid twice"), [json!({ "result": "paid twice" })]);
    }
}
