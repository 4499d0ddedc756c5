//! The policy about tool calls, and what a change of it would do.

use super::{BoundedInt, Count, ExecutionId, Nullable, Text, Timestamp};
use node_api::policy::PolicyDecision;
use runtime::policy::{
    ChangedCall, DryRun, LoadedPolicy, MAX_DRY_RUN_CALLS, MAX_POLICY_BYTES, StopTarget,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The policy in force.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Policy<'a> {
    pub(crate) version: u64,
    /// As it was written.
    pub(crate) text: &'a str,
    pub(crate) changed_by: &'a str,
    pub(crate) changed_at: Option<Timestamp>,
    /// Why it cannot be used. All tool calls are refused then.
    pub(crate) problem: Option<String>,
    pub(crate) stops: Vec<PolicyStop<'a>>,
    pub(crate) rules: usize,
    pub(crate) limits: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyStop<'a> {
    pub(crate) name: &'a str,
    pub(crate) reason: &'a str,
}

impl<'a> From<&'a LoadedPolicy> for Policy<'a> {
    fn from(policy: &'a LoadedPolicy) -> Self {
        let LoadedPolicy { stored, rules, problem } = policy;
        let stops = rules.stops.iter();
        Self {
            version: stored.version.max(0) as u64,
            text: &stored.text,
            changed_by: &stored.changed_by,
            changed_at: (stored.version > 0).then_some(Timestamp(stored.changed_ms)),
            problem: problem.as_ref().map(ToString::to_string),
            stops: stops
                .map(|stop| PolicyStop { name: &stop.name, reason: &stop.reason })
                .collect(),
            rules: rules.rules.len(),
            limits: rules.limits.len(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PolicyInput {
    pub(crate) text: Text<0, MAX_POLICY_BYTES>,
    /// The version that was changed.
    pub(crate) version: Count,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PolicyDryRunInput {
    /// The policy to try; without one, the one in force.
    #[serde(default)]
    pub(crate) text: Nullable<Text<0, MAX_POLICY_BYTES>>,
    /// How many of the last tool calls to try it on.
    pub(crate) calls: Option<BoundedInt<1, { MAX_DRY_RUN_CALLS as u64 }>>,
}

/// What a policy would have done to the last tool calls.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyDryRun<'a> {
    pub(crate) calls: usize,
    pub(crate) allowed: usize,
    pub(crate) approvals: usize,
    pub(crate) denied: usize,
    /// Executions that are too large to be read for this.
    pub(crate) skipped_executions: usize,
    /// The calls that would be decided otherwise than now.
    pub(crate) changed: Vec<PolicyChange<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyChange<'a> {
    pub(crate) execution_id: ExecutionId,
    pub(crate) workflow_id: &'a str,
    pub(crate) agent: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) effect: &'a str,
    pub(crate) now: PolicyVerdict<'a>,
    pub(crate) then: PolicyVerdict<'a>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyVerdict<'a> {
    pub(crate) action: PolicyVerdictAction,
    /// The rule that says so.
    pub(crate) rule: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum PolicyVerdictAction {
    Allow,
    Approve,
    Deny,
}

impl<'a> From<&'a PolicyDecision> for PolicyVerdict<'a> {
    fn from(decision: &'a PolicyDecision) -> Self {
        let (action, rule) = match decision {
            PolicyDecision::Allow { .. } => (PolicyVerdictAction::Allow, None),
            PolicyDecision::Approve { rule } => (PolicyVerdictAction::Approve, Some(rule)),
            PolicyDecision::Deny { rule, .. } => (PolicyVerdictAction::Deny, Some(rule)),
        };
        Self { action, rule: rule.map(|rule| rule.as_str()) }
    }
}

impl<'a> From<&'a ChangedCall> for PolicyChange<'a> {
    fn from(call: &'a ChangedCall) -> Self {
        Self {
            execution_id: ExecutionId(call.execution),
            workflow_id: &call.workflow_id,
            agent: &call.agent,
            tool: &call.tool,
            effect: call.effect.name(),
            now: (&call.now).into(),
            then: (&call.then).into(),
        }
    }
}

impl<'a> From<&'a DryRun> for PolicyDryRun<'a> {
    fn from(run: &'a DryRun) -> Self {
        Self {
            calls: run.calls,
            allowed: run.allowed,
            approvals: run.approvals,
            denied: run.denied,
            skipped_executions: run.skipped,
            changed: run.changed.iter().map(Into::into).collect(),
        }
    }
}

/// What to stop: one of tools, a server, a node type, a workflow, or an agent of a workflow.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PolicyStopInput {
    /// Tools of this name, wherever they are. `*` stands for any letters.
    tool: Option<Text<1, 256>>,
    /// All tools of an MCP server.
    server: Option<Text<1, 256>>,
    /// All tools that nodes of this type supply.
    node_type: Option<Text<1, 256>>,
    /// Every agent of this workflow.
    workflow_id: Option<Text<1, 256>>,
    /// Of the workflow, only the agent with this name.
    agent: Option<Text<1, 256>>,
    #[serde(default)]
    pub(crate) reason: Nullable<Text<0, 500>>,
}

impl PolicyStopInput {
    /// `None` if it names nothing, or more than one thing.
    pub(crate) fn target(&self) -> Option<StopTarget> {
        let Self { tool, server, node_type, workflow_id, agent, reason: _ } = self;
        let name = |text: &Text<1, 256>| text.as_str().into();
        match (tool, server, node_type, workflow_id, agent) {
            (Some(tool), None, None, None, None) => Some(StopTarget::Tool(name(tool))),
            (None, Some(server), None, None, None) => Some(StopTarget::Server(name(server))),
            (None, None, Some(kind), None, None) => Some(StopTarget::NodeType(name(kind))),
            (None, None, None, Some(id), None) => Some(StopTarget::Workflow(name(id))),
            (None, None, None, Some(id), Some(agent)) => {
                Some(StopTarget::Agent { workflow: name(id), agent: name(agent) })
            }
            _ => None,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PolicyStopped<'a> {
    /// What the stop is called.
    pub(crate) name: &'a str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolicyStopQuery {
    /// What the stop is called.
    pub(crate) name: String,
}
