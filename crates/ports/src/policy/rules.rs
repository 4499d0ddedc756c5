//! The rules of a policy, and what they say about a call. Pure: nothing is read or counted here.

use super::condition::{ArgumentCondition, Certainty};
use super::pattern::Patterns;
use super::{PolicyCall, PolicyDecision, PolicySubject, SideEffect};
use model::Str;

/// A whole policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyRules {
    /// What happens to calls that no rule is about.
    pub default: DefaultAction,
    pub stops: Vec<Stop>,
    /// What tools do, where the operator knows better.
    pub effects: Vec<SideEffectRule>,
    pub rules: Vec<Rule>,
    pub limits: Vec<RateLimit>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultAction {
    #[default]
    Allow,
    /// Only what a rule allows may be called.
    Deny,
}

/// Something that the operator has switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub name: Str,
    /// What it is about. A stop without the names of tools, servers or node types stops agents.
    pub calls: CallFilter,
    pub reason: Str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SideEffectRule {
    pub calls: CallFilter,
    pub effect: SideEffect,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: Str,
    pub calls: CallFilter,
    pub action: PolicyAction,
    pub reason: Str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyAction {
    /// It may be called, where nothing is allowed unless a rule says so.
    Allow,
    /// The same, whatever the run has read before.
    AllowAnywhere,
    Approve,
    Deny,
}

/// How many calls may be made in a time.
#[derive(Clone, Debug, PartialEq)]
pub struct RateLimit {
    pub name: Str,
    pub calls: CallFilter,
    pub per: RateScope,
    pub max_calls: u32,
    pub window_ms: i64,
}

/// What calls are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateScope {
    Instance,
    Workflow,
    Agent,
    Session,
    Tool,
    Server,
}

/// Which calls something is about: all that is said must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallFilter {
    pub tools: Patterns,
    pub node_types: Patterns,
    pub servers: Patterns,
    /// Ids of workflows.
    pub workflows: Patterns,
    /// Names of agents' nodes.
    pub agents: Patterns,
    /// Empty: all.
    pub effects: Vec<SideEffect>,
    /// Only in runs that have read text of strangers, or only in others.
    pub untrusted: Option<bool>,
    /// The same for runs that can get at private data.
    pub private: Option<bool>,
    pub arguments: Vec<ArgumentCondition>,
}

impl CallFilter {
    fn holds(&self, call: &PolicyCall<'_>, effect: SideEffect) -> Certainty {
        let source = call.source;
        let is_about = self.is_about_agent(call.subject)
            && self.tools.allow(call.tool)
            && self.node_types.allow(&source.node_type)
            && (self.servers.is_empty()
                || (!source.server.is_empty() && self.servers.allow(&source.server)))
            && (self.effects.is_empty() || self.effects.contains(&effect))
            && self.untrusted.is_none_or(|wanted| wanted == call.exposure.untrusted)
            && self.private.is_none_or(|wanted| wanted == call.exposure.private);
        if !is_about {
            return Certainty::No;
        }
        let arguments = self.arguments.iter().map(|condition| condition.holds(call.arguments));
        arguments.min().unwrap_or(Certainty::Yes)
    }

    fn is_about_agent(&self, subject: &PolicySubject) -> bool {
        self.workflows.allow(&subject.workflow_id) && self.agents.allow(&subject.agent)
    }

    /// Whether it names agents and nothing of what they call.
    fn names_agents_only(&self) -> bool {
        let Self { tools, node_types, servers, effects, untrusted, private, arguments, .. } = self;
        tools.is_empty()
            && node_types.is_empty()
            && servers.is_empty()
            && effects.is_empty()
            && untrusted.is_none()
            && private.is_none()
            && arguments.is_empty()
    }
}

impl PolicyRules {
    /// What the rules say about a call. Of several that apply the strictest counts.
    pub fn decide(&self, call: &PolicyCall<'_>) -> PolicyDecision {
        let effect = self.effect_of(call);
        let denied = |name: &Str, reason: &Str| PolicyDecision::Deny {
            rule: name.clone(),
            reason: reason.clone(),
        };
        if let Some(stop) = self.stop_of_call(call) {
            return denied(&stop.name, &stop.reason);
        }
        let (mut is_allowed, mut anywhere, mut approve) = (false, false, None);
        for rule in &self.rules {
            let certainty = rule.calls.holds(call, effect);
            match rule.action {
                PolicyAction::Deny if certainty >= Certainty::Unknown => {
                    return denied(&rule.name, &rule.reason);
                }
                PolicyAction::Approve if certainty >= Certainty::Unknown => {
                    approve.get_or_insert(&rule.name);
                }
                PolicyAction::Allow if certainty == Certainty::Yes => is_allowed = true,
                PolicyAction::AllowAnywhere if certainty == Certainty::Yes => {
                    (is_allowed, anywhere) = (true, true);
                }
                _ => {}
            }
        }
        match (approve, self.default) {
            (Some(rule), _) => PolicyDecision::Approve { rule: rule.clone() },
            (None, DefaultAction::Deny) if !is_allowed => {
                PolicyDecision::Deny { rule: "default".into(), reason: "No rule allows it.".into() }
            }
            (None, _) => PolicyDecision::Allow { anywhere },
        }
    }

    /// What a call does: as the operator says, or as the tool does.
    pub fn effect_of(&self, call: &PolicyCall<'_>) -> SideEffect {
        let declared = self.effects.iter();
        declared
            .filter(|declared| declared.calls.holds(call, call.effect) >= Certainty::Unknown)
            .map(|declared| declared.effect)
            .max()
            .unwrap_or(call.effect)
    }

    /// The limits that a call counts towards, by their place.
    pub fn limits_of<'r>(
        &'r self,
        call: &PolicyCall<'_>,
    ) -> impl Iterator<Item = (usize, &'r RateLimit)> {
        let effect = self.effect_of(call);
        let limits = self.limits.iter().enumerate();
        limits.filter(move |(_, limit)| limit.calls.holds(call, effect) >= Certainty::Unknown)
    }

    /// The stop that a call has met.
    pub fn stop_of_call(&self, call: &PolicyCall<'_>) -> Option<&Stop> {
        let effect = self.effect_of(call);
        let mut stops = self.stops.iter();
        stops.find(|stop| stop.calls.holds(call, effect) >= Certainty::Unknown)
    }

    /// The stop that an agent as a whole has met.
    pub fn stop_of_agent(&self, agent: &PolicySubject) -> Option<&Stop> {
        let mut stops = self.stops.iter();
        stops.find(|stop| stop.calls.names_agents_only() && stop.calls.is_about_agent(agent))
    }
}

impl PolicyAction {
    pub fn name(self) -> &'static str {
        match self {
            PolicyAction::Allow => "allow",
            PolicyAction::AllowAnywhere => "allow-anywhere",
            PolicyAction::Approve => "approve",
            PolicyAction::Deny => "deny",
        }
    }
}

impl RateScope {
    /// What a call is counted as.
    pub fn key(self, call: &PolicyCall<'_>) -> Str {
        let PolicySubject { workflow_id, agent, session } = call.subject;
        match self {
            RateScope::Instance => Str::new(),
            RateScope::Workflow => workflow_id.clone(),
            // Lengths keep names apart that hold the mark between them.
            RateScope::Agent => format!("{}:{workflow_id}{agent}", workflow_id.len()).into(),
            RateScope::Session => format!("{}:{workflow_id}{session}", workflow_id.len()).into(),
            RateScope::Tool => call.tool.into(),
            RateScope::Server => call.source.server.clone(),
        }
    }
}
