//! The calls that a run has asked a person about, as its journal has them, and the event of a
//! decision.

use super::ApprovalDecision;
use crate::{Error, format_time};
use model::{RunEvent, RunStatus, Str};
use node_api::checkpoints::{self, ApprovalRequest, DecisionRecord};
use store::approvals::{ApprovalChange, NewApproval};

/// A call that a run has asked a person about.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalCall {
    /// The agent that asked.
    pub node: Str,
    pub call: Str,
    pub asked: ApprovalRequest,
    /// The call was made, or the agent knows that it is not.
    pub has_result: bool,
    /// The step that asked is not over.
    pub is_in_flight: bool,
}

impl ApprovalCall {
    /// Whether it waits for a person.
    pub fn is_open(&self) -> bool {
        self.is_in_flight && !self.has_result && self.asked.decision.is_none()
    }
}

/// Every call that a run has asked about, in the order of its journal.
pub fn approval_calls(events: &[RunEvent]) -> Vec<ApprovalCall> {
    let mut all: Vec<ApprovalCall> = Vec::new();
    let mut in_flight: Option<&Str> = None;
    for event in events {
        match event {
            // A step that was cut off and resumed is the same one.
            RunEvent::NodeStarted { node, .. } if in_flight == Some(node) => {}
            RunEvent::NodeStarted { node, .. } => {
                all.iter_mut().for_each(|call| call.is_in_flight = false);
                in_flight = Some(node);
            }
            RunEvent::NodeFinished { .. }
            | RunEvent::NodeSilent { .. }
            | RunEvent::NodeRetried { .. } => {
                all.iter_mut().for_each(|call| call.is_in_flight = false);
                if !matches!(event, RunEvent::NodeRetried { .. }) {
                    in_flight = None;
                }
            }
            RunEvent::StepRecorded { node, key, value } => {
                let call = checkpoints::approval_target(key).unwrap_or(key);
                let known = all.iter_mut().find(|known| known.is_in_flight && known.call == call);
                match (
                    checkpoints::approval_target(key)
                        .and_then(|_| ApprovalRequest::from_value(value)),
                    known,
                ) {
                    (Some(asked), Some(known)) => known.asked = asked,
                    (Some(asked), None) => {
                        let (node, call) = (node.clone(), Str::from(call));
                        all.push(ApprovalCall {
                            node,
                            call,
                            asked,
                            has_result: false,
                            is_in_flight: true,
                        });
                    }
                    (None, Some(known)) => known.has_result |= *key == known.call,
                    (None, None) => {}
                }
            }
            _ => {}
        }
    }
    all
}

/// What an event says about the open approvals of its run. Most runs ask nobody, and theirs say
/// nothing.
pub(crate) fn change_of(event: &RunEvent, may_ask: bool) -> Option<ApprovalChange> {
    if let RunEvent::StepRecorded { node, key, value } = event
        && let Some(call) = checkpoints::approval_target(key)
    {
        let asked = ApprovalRequest::from_value(value)?;
        return Some(match asked.decision {
            Some(_) => ApprovalChange::Decided(call.into()),
            None => ApprovalChange::Asked(NewApproval {
                call: call.into(),
                node: node.clone(),
                tool: asked.tool,
                arguments: model::json::to_string(&asked.arguments).into(),
                digest: asked.digest,
                asked_ms: asked.requested_ms,
                until_ms: asked.until_ms,
            }),
        });
    }
    match event {
        _ if !may_ask => None,
        RunEvent::StepRecorded { key, .. } => Some(ApprovalChange::Made(key.clone())),
        RunEvent::RunResumed { .. } => Some(ApprovalChange::TakenUp),
        RunEvent::NodeFinished { .. }
        | RunEvent::NodeSilent { .. }
        | RunEvent::NodeRetried { .. } => Some(ApprovalChange::Over),
        RunEvent::RunFinished { status, .. } if status.is_over() => Some(ApprovalChange::Over),
        _ => None,
    }
}

/// The event by which a decision stands in the journal, or why it cannot be taken.
pub(crate) fn decide(
    id: i64,
    status: RunStatus,
    events: &[RunEvent],
    call: &str,
    decision: &ApprovalDecision,
    now_ms: i64,
) -> Result<RunEvent, Error> {
    let all = approval_calls(events);
    let named = |known: &&ApprovalCall| {
        known.call == call
            || known.call.strip_suffix(call).is_some_and(|start| start.ends_with(": "))
    };
    let open: Vec<&ApprovalCall> = all.iter().filter(|call| call.is_open()).collect();
    let mut meant = open.iter().copied().filter(named);
    let found = match (meant.next(), meant.next()) {
        (Some(one), None) => Some(one),
        (Some(_), Some(_)) => {
            return Err(no_call(
                &format!("'{call}' matches several calls; use the full name."),
                &open,
            ));
        }
        // One that is not open any more says why.
        (None, _) => all.iter().rev().find(named),
    };
    let Some(ApprovalCall { node, call, asked, has_result, is_in_flight }) = found else {
        return Err(match open.is_empty() {
            true => Error::NoApproval { id, status: status.name() },
            false => no_call(&format!("No call named '{call}' is waiting for approval."), &open),
        });
    };
    if let Some(DecisionRecord { verdict, by, decided_ms, .. }) = &asked.decision {
        let (call, by) = (call.clone(), by.clone());
        return Err(Error::AlreadyDecided {
            call,
            verdict: verdict.name(),
            by,
            when: format_time(*decided_ms),
        });
    }
    if *has_result || now_ms >= asked.until_ms {
        return Err(Error::ApprovalExpired {
            call: call.clone(),
            until: format_time(asked.until_ms),
        });
    }
    if !is_in_flight || !matches!(status, RunStatus::Waiting | RunStatus::Running) {
        return Err(Error::NoApproval { id, status: status.name() });
    }
    if asked.digest != decision.digest {
        return Err(Error::ApprovalMismatch { call: call.clone(), tool: asked.tool.clone() });
    }
    let ApprovalDecision { verdict, reason, by, .. } = decision.clone();
    let decided = ApprovalRequest {
        decision: Some(DecisionRecord { verdict, reason, by, decided_ms: now_ms }),
        ..asked.clone()
    };
    Ok(RunEvent::StepRecorded {
        node: node.clone(),
        key: checkpoints::approval_key(call).into(),
        value: decided.to_value(),
    })
}

fn no_call(what: &str, open: &[&ApprovalCall]) -> Error {
    let names: Vec<&str> = open.iter().map(|known| known.call.as_str()).collect();
    Error::NoApprovalCall { problem: format!("{what} Waiting calls: {}.", names.join(", ")).into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Value, json};
    use node_api::checkpoints::ApprovalVerdict;

    fn noted(key: &str, value: Value) -> RunEvent {
        RunEvent::StepRecorded { node: "Agent".into(), key: key.into(), value }
    }

    fn started() -> RunEvent {
        RunEvent::NodeStarted { node: "Agent".into(), run_index: 0, started_ms: 0 }
    }

    fn asked(to: &str) -> ApprovalRequest {
        ApprovalRequest::new("send".into(), json!({ "to": to }), 5, 100)
    }

    fn decision(to: &str) -> ApprovalDecision {
        ApprovalDecision {
            verdict: ApprovalVerdict::Approved,
            digest: asked(to).digest,
            reason: None,
            by: "ada@example.com".into(),
        }
    }

    /// Two calls of one turn, one of a second item, and one that was decided.
    fn events() -> Vec<RunEvent> {
        let decided = DecisionRecord {
            verdict: ApprovalVerdict::Rejected,
            reason: None,
            by: "bob@example.com".into(),
            decided_ms: 7,
        };
        vec![
            started(),
            noted("item 0: tool 1.1 approval", asked("ada").to_value()),
            noted("item 0: tool 1.2 approval", asked("bob").to_value()),
            noted("item 1: tool 1.1 approval", asked("eve").to_value()),
            noted("item 0: tool 1.3 approval", asked("zoe").to_value()),
            noted(
                "item 0: tool 1.3 approval",
                ApprovalRequest { decision: Some(decided), ..asked("zoe") }.to_value(),
            ),
            started(),
        ]
    }

    #[test]
    fn a_ruling_is_about_one_open_call_that_was_seen_as_it_is() {
        let rule = |call: &str, to: &str, status: RunStatus, now_ms: i64| {
            super::decide(7, status, &events(), call, &decision(to), now_ms)
        };
        for call in ["item 0: tool 1.2", "tool 1.2"] {
            let Ok(RunEvent::StepRecorded { key, value, .. }) =
                rule(call, "bob", RunStatus::Waiting, 50)
            else {
                panic!("{call}")
            };
            assert_eq!(key, "item 0: tool 1.2 approval");
            let decided =
                ApprovalRequest::from_value(&value).and_then(|asked| asked.decision).unwrap();
            assert_eq!(
                (decided.verdict, decided.by.as_str(), decided.decided_ms),
                (ApprovalVerdict::Approved, "ada@example.com", 50)
            );
        }
        for (call, to, status, now_ms, code, expected) in [
            ("tool 1.1", "ada", RunStatus::Waiting, 50, "APPROVAL_CALL", "several calls"),
            ("tool 9.9", "ada", RunStatus::Waiting, 50, "APPROVAL_CALL", "item 0: tool 1.2"),
            ("tool 1.2", "ada", RunStatus::Waiting, 50, "APPROVAL_CHANGED", "send"),
            ("tool 1.2", "bob", RunStatus::Waiting, 100, "APPROVAL_EXPIRED", "item 0: tool 1.2"),
            (
                "tool 1.3",
                "zoe",
                RunStatus::Waiting,
                50,
                "APPROVAL_DECIDED",
                "rejected by bob@example.com",
            ),
            ("tool 1.2", "bob", RunStatus::Cancelled, 50, "APPROVAL_NONE", "canceled"),
            ("tool 1.2", "bob", RunStatus::Uncertain, 50, "APPROVAL_NONE", "uncertain"),
        ] {
            let error = rule(call, to, status, now_ms).unwrap_err();
            assert_eq!(error.code().name(), code, "{call} {to} {now_ms}");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn what_a_step_asked_that_is_over_or_tried_again_is_not_open() {
        let error = node_api::NodeError::failed("no").to_run_error("Agent");
        for over in [
            RunEvent::NodeRetried { node: "Agent".into(), attempt: 1, error },
            RunEvent::NodeSilent { node: "Agent".into() },
            RunEvent::NodeStarted { node: "Next".into(), run_index: 0, started_ms: 0 },
        ] {
            let all = approval_calls(&events().into_iter().chain([over]).collect::<Vec<_>>());
            assert!(all.len() == 4 && all.iter().all(|call| !call.is_open()));
        }
        let expired = approval_calls(&[
            started(),
            noted("tool 1.1 approval", asked("ada").to_value()),
            noted("tool 1.1", json!({})),
        ]);
        assert!(expired[0].has_result && !expired[0].is_open());
        let again = approval_calls(&[
            started(),
            noted("tool 1.1 approval", asked("ada").to_value()),
            RunEvent::NodeSilent { node: "Agent".into() },
            started(),
            noted("tool 1.1 approval", asked("ada").to_value()),
        ]);
        assert_eq!(again.iter().map(ApprovalCall::is_open).collect::<Vec<_>>(), [false, true]);
    }
}
