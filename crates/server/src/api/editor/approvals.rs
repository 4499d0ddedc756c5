//! What an agent asked people about in a step, and what they decided.

use super::journal_view::JournalView;
use crate::wire::{AgentApproval, ApprovalOutcome, Json};
use model::Str;
use node_api::checkpoints::{self, ApprovalRequest, ApprovalVerdict, DecisionRecord};

/// The calls of a step that somebody was asked about, in order; those of agents within tools too.
pub(super) struct StepApprovals(Vec<StepApproval>);

struct StepApproval {
    call: Str,
    asked: ApprovalRequest,
    /// The call was made, or the agent was told that it is not.
    has_result: bool,
}

impl StepApprovals {
    pub(super) fn read(story: &JournalView, node: &str, run: usize) -> Self {
        let mut all: Vec<StepApproval> = Vec::new();
        for (key, value) in story.checkpoints_of(node, run) {
            let call = checkpoints::approval_target(key);
            let known = all.iter_mut().find(|approval| approval.call == call.unwrap_or(key));
            match (call.and_then(|call| Some((call, ApprovalRequest::from_value(value)?))), known) {
                (Some((_, asked)), Some(known)) => known.asked = asked,
                (Some((call, asked)), None) => {
                    all.push(StepApproval { call: call.into(), asked, has_result: false })
                }
                (None, Some(known)) => known.has_result |= *key == known.call,
                (None, None) => {}
            }
        }
        Self(all)
    }

    /// What was asked about a call, without what the call itself tells.
    pub(super) fn of(&self, call: &str) -> Option<AgentApproval<'_>> {
        let found = self.0.iter().find(|approval| approval.call == call)?;
        Some(self.decision(found))
    }

    /// Whether somebody is to decide about a call.
    pub(super) fn has_open(&self) -> bool {
        self.0.iter().any(|approval| approval.asked.decision.is_none() && !approval.has_result)
    }

    pub(super) fn all(&self) -> Vec<AgentApproval<'_>> {
        let all = self.0.iter().map(|approval| AgentApproval {
            tool: Some(&approval.asked.tool),
            arguments: Some(Json(approval.asked.arguments.clone())),
            ..self.decision(approval)
        });
        all.collect()
    }

    fn decision<'a>(&'a self, approval: &'a StepApproval) -> AgentApproval<'a> {
        let StepApproval { call, asked, has_result } = approval;
        let decided =
            asked.decision.as_ref().or_else(|| self.rejected_with(asked).filter(|_| *has_result));
        let (decision, ended_ms) = match decided {
            Some(decided) => (Some(decided.verdict.into()), Some(decided.decided_ms)),
            None if *has_result => (Some(ApprovalOutcome::Expired), Some(asked.until_ms)),
            None => (None, None),
        };
        AgentApproval {
            call,
            digest: &asked.digest,
            asked_ms: asked.requested_ms,
            until_ms: asked.until_ms,
            decision,
            reason: decided.and_then(|decided| decided.reason.as_deref()),
            by: decided.map(|decided| decided.by.as_str()),
            decided_ms: decided.map(|decided| decided.decided_ms),
            waited_ms: ended_ms.map(|ended| (ended - asked.requested_ms).max(0)),
            tool: None,
            arguments: None,
        }
    }

    /// The rejection of the same call elsewhere in the step, which counts for this one too.
    fn rejected_with(&self, asked: &ApprovalRequest) -> Option<&DecisionRecord> {
        let same = self.0.iter().filter(|other| other.asked.digest == asked.digest);
        same.filter_map(|other| other.asked.decision.as_ref())
            .find(|decided| decided.verdict == ApprovalVerdict::Rejected)
    }
}
