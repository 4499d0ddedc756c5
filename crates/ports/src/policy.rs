//! What the operator lets agents do: which tools may be called by whom, how often, and when a person
//! is asked first. Agents ask before each call; the rules are data ([`PolicyRules`]).

mod condition;
mod pattern;
mod rules;
pub mod words;

pub use condition::{ArgumentCondition, Bound};
pub use pattern::{InvalidPattern, Pattern, Patterns};
pub use rules::{
    CallFilter, DefaultAction, PolicyAction, PolicyRules, RateLimit, RateScope, Rule,
    SideEffectRule, Stop,
};

use crate::ai::{EgressTarget, Exposure, Tool, ToolDefinition, ToolEffect};
use model::{Object, Str};
use std::sync::Arc;

/// Decides about the calls of agents. Implemented by `runtime` over the operator's file; asked by
/// the guard of an agent for every call, and again when a run continues.
#[async_trait::async_trait]
pub trait ToolPolicy: Send + Sync {
    /// Whether a call may be made. Changes nothing: the same call may be asked about several times.
    fn decide(&self, call: &PolicyCall<'_>) -> PolicyDecision;
    /// Counts a call that is about to be made, or says that there were too many.
    fn count(&self, _call: &PolicyCall<'_>, _now_ms: i64) -> Result<(), RateExceeded> {
        Ok(())
    }
    /// Returns once the operator has stopped this agent, with the reason.
    async fn wait_agent_stopped(&self, _agent: &PolicySubject) -> Str {
        std::future::pending().await
    }
    /// Returns once the operator has stopped what this call is about, with the reason.
    async fn wait_call_stopped(&self, _call: &PolicyCall<'_>) -> Str {
        std::future::pending().await
    }
}

/// A policy, and who asks it.
#[derive(Clone)]
pub struct BoundPolicy {
    pub policy: Arc<dyn ToolPolicy>,
    pub subject: PolicySubject,
}

impl Default for BoundPolicy {
    fn default() -> Self {
        Self { policy: Arc::new(AllowAll), subject: PolicySubject::default() }
    }
}

/// The policy of an instance without rules.
pub struct AllowAll;

impl ToolPolicy for AllowAll {
    fn decide(&self, _call: &PolicyCall<'_>) -> PolicyDecision {
        PolicyDecision::Allow { anywhere: false }
    }
}

/// Who calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySubject {
    pub workflow_id: Str,
    /// The name of the agent's node.
    pub agent: Str,
    /// Whose conversation it is; empty if it is nobody's.
    pub session: Str,
}

/// A call that an agent wants to make.
#[derive(Clone, Copy)]
pub struct PolicyCall<'c> {
    pub subject: &'c PolicySubject,
    /// The name of the tool, as the model sees it. The author of a workflow chooses it.
    pub tool: &'c str,
    pub source: &'c ToolSource,
    pub effect: SideEffect,
    pub arguments: &'c Object,
    /// What the run has come across.
    pub exposure: Exposure,
}

/// Where a tool comes from. Unlike its name, this is nothing that the author of a workflow chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSource {
    /// The type of the node that supplies it; empty if no node does.
    pub node_type: Str,
    /// The MCP server that has it; empty if none has.
    pub server: Str,
}

impl ToolSource {
    pub const NONE: Self = Self { node_type: Str::new(), server: Str::new() };
}

/// What calling a tool does, as rules name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideEffect {
    /// It looks or computes.
    Read,
    /// It changes something that is the owner's.
    Write,
    /// It may carry data to others.
    Send,
    /// It costs money or moves it. Only rules and manifests say so.
    Spend,
}

/// Whether a call may be made, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyDecision {
    /// `anywhere`: whatever the run has read before.
    Allow { anywhere: bool },
    /// Only if a person approves it.
    Approve { rule: Str },
    Deny {
        rule: Str,
        /// What the operator says about it; may be empty.
        reason: Str,
    },
}

/// More calls than a limit allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateExceeded {
    pub limit: Str,
    pub retry_after_ms: i64,
}

impl SideEffect {
    pub const ALL: [SideEffect; 4] = [Self::Read, Self::Write, Self::Send, Self::Spend];

    pub fn name(self) -> &'static str {
        match self {
            SideEffect::Read => "read",
            SideEffect::Write => "write",
            SideEffect::Send => "send",
            SideEffect::Spend => "spend",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }

    /// What a tool does, as far as its definition tells.
    pub fn of(definition: &ToolDefinition, sends: EgressTarget) -> Self {
        match (definition.effect, sends) {
            (ToolEffect::None, _) => SideEffect::Read,
            (_, EgressTarget::Nowhere) => SideEffect::Write,
            (_, EgressTarget::Declared | EgressTarget::ModelChosen) => SideEffect::Send,
        }
    }
}

impl<'c> PolicyCall<'c> {
    pub fn new(
        subject: &'c PolicySubject,
        tool: &'c dyn Tool,
        arguments: &'c Object,
        sends: EgressTarget,
        exposure: Exposure,
    ) -> Self {
        let definition = tool.definition();
        Self {
            subject,
            tool: &definition.name,
            source: tool.source(),
            effect: tool.side_effect().unwrap_or_else(|| SideEffect::of(definition, sends)),
            arguments,
            exposure,
        }
    }
}
