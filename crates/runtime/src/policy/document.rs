//! A policy as operators write it: TOML, read into rules with the line of whatever is wrong.

mod stops;
mod table;

pub use stops::StopTarget;
pub(super) use stops::{with_stop, without_stop};

use model::{Code, Str};
use node_api::policy::{
    ArgumentCondition, Bound, CallFilter, DefaultAction, PolicyAction, PolicyRules, RateLimit,
    RateScope, Rule, SideEffect, SideEffectRule, Stop,
};
use std::collections::HashSet;
use table::Table;
use toml_edit::Document;

/// The longest text of a policy.
pub const MAX_POLICY_BYTES: usize = 256 << 10;

/// Stops, effects, rules and limits together.
const MAX_ENTRIES: usize = 1_000;

/// Conditions on arguments in one entry.
const MAX_CONDITIONS: usize = 20;

/// The longest window of a limit: a month.
const MAX_WINDOW_SECONDS: f64 = 31.0 * 24.0 * 3600.0;

/// Why a policy cannot be used or changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("line {line}: {problem}")]
    Invalid { line: usize, problem: String },
    #[error("the policy has {bytes} bytes; the limit is {MAX_POLICY_BYTES} (MAX_POLICY_BYTES)")]
    TooLarge { bytes: usize },
    /// Another version is in force than the one that was seen.
    #[error("somebody else has changed the policy meanwhile")]
    Changed,
    #[error("there is no stop '{name}'")]
    NoStop { name: Str },
    #[error(transparent)]
    Store(store::Error),
}

impl PolicyError {
    pub fn code(&self) -> Code {
        match self {
            PolicyError::Invalid { .. } | PolicyError::TooLarge { .. } => Code::POLICY_INVALID,
            PolicyError::Changed => Code::POLICY_CHANGED,
            PolicyError::NoStop { .. } => Code::REQUEST_INVALID,
            PolicyError::Store(error) => error.code(),
        }
    }
}

/// What is in force while a policy cannot be read.
pub(super) fn deny_all() -> PolicyRules {
    PolicyRules { default: DefaultAction::Deny, ..PolicyRules::default() }
}

pub(super) fn parse(text: &str) -> Result<PolicyRules, PolicyError> {
    if text.len() > MAX_POLICY_BYTES {
        return Err(PolicyError::TooLarge { bytes: text.len() });
    }
    let document = Document::parse(text).map_err(|error| PolicyError::Invalid {
        line: table::line_at(text, error.span()),
        problem: error.message().to_owned(),
    })?;
    let top = Table::new(text, document.as_table());
    top.check_keys(&["default", "stop", "effect", "rule", "limit"])?;
    let default = match top.text("default")? {
        None => DefaultAction::Allow,
        Some(name) if name == "allow" => DefaultAction::Allow,
        Some(name) if name == "deny" => DefaultAction::Deny,
        Some(_) => return Err(top.wrong("default", "must be \"allow\" or \"deny\"")),
    };
    let mut rules = PolicyRules { default, ..PolicyRules::default() };
    let mut names = HashSet::new();
    let mut n_entries = 0;
    for kind in ["stop", "effect", "rule", "limit"] {
        for (place, entry) in top.tables(kind)?.into_iter().enumerate() {
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                let problem = format!("more than {MAX_ENTRIES} entries (MAX_ENTRIES)");
                return Err(entry.invalid(problem));
            }
            let name =
                entry.text("name")?.unwrap_or_else(|| format!("{kind} {}", place + 1).into());
            if !names.insert(name.clone()) {
                return Err(entry.invalid(format!("the name '{name}' is used twice")));
            }
            add(&mut rules, kind, &entry, name)?;
        }
    }
    Ok(rules)
}

fn add(
    rules: &mut PolicyRules,
    kind: &str,
    entry: &Table<'_>,
    name: Str,
) -> Result<(), PolicyError> {
    const FILTER: [&str; 10] = [
        "name",
        "tools",
        "node_types",
        "servers",
        "workflows",
        "agents",
        "effects",
        "untrusted",
        "private",
        "arguments",
    ];
    let own: &[&str] = match kind {
        "stop" => &["reason"],
        "effect" => &["effect"],
        "rule" => &["action", "reason"],
        _ => &["per", "calls", "seconds"],
    };
    entry.check_keys(&[&FILTER[..], own].concat())?;
    let calls = filter(entry)?;
    let reason = || Ok::<_, PolicyError>(entry.text("reason")?.unwrap_or_default());
    match kind {
        "stop" => {
            if calls == CallFilter::default() {
                return Err(entry.invalid(
                    "a stop names what it stops: tools, servers, node_types, workflows or agents"
                        .into(),
                ));
            }
            rules.stops.push(Stop { name, calls, reason: reason()? });
        }
        "effect" => {
            let effect = entry.required("effect")?;
            let effect = SideEffect::from_name(&effect)
                .ok_or_else(|| entry.wrong("effect", "must be read, write, send or spend"))?;
            rules.effects.push(SideEffectRule { calls, effect });
        }
        "rule" => {
            let action = match entry.required("action")?.as_str() {
                "allow" => PolicyAction::Allow,
                "allow-anywhere" => PolicyAction::AllowAnywhere,
                "approve" => PolicyAction::Approve,
                "deny" => PolicyAction::Deny,
                _ => {
                    let problem = "must be allow, allow-anywhere, approve or deny";
                    return Err(entry.wrong("action", problem));
                }
            };
            rules.rules.push(Rule { name, calls, action, reason: reason()? });
        }
        _ => {
            let per = match entry.required("per")?.as_str() {
                "instance" => RateScope::Instance,
                "workflow" => RateScope::Workflow,
                "agent" => RateScope::Agent,
                "session" => RateScope::Session,
                "tool" => RateScope::Tool,
                "server" => RateScope::Server,
                _ => {
                    let problem = "must be instance, workflow, agent, session, tool or server";
                    return Err(entry.wrong("per", problem));
                }
            };
            let calls_allowed = entry.number("calls", 0.0, f64::from(u32::MAX))?;
            let seconds = entry.number("seconds", 1.0, MAX_WINDOW_SECONDS)?;
            rules.limits.push(RateLimit {
                name,
                calls,
                per,
                max_calls: calls_allowed as u32,
                window_ms: (seconds * 1000.0) as i64,
            });
        }
    }
    Ok(())
}

fn filter(entry: &Table<'_>) -> Result<CallFilter, PolicyError> {
    let mut effects = Vec::new();
    for name in entry.texts("effects")? {
        let effect = SideEffect::from_name(&name)
            .ok_or_else(|| entry.wrong("effects", "may hold read, write, send and spend"))?;
        effects.push(effect);
    }
    let mut arguments = Vec::new();
    for condition in entry.tables("arguments")? {
        condition.check_keys(&["path", "above", "below", "one_of", "none_of"])?;
        let bounds = [
            condition.optional_number("above")?.map(Bound::Above),
            condition.optional_number("below")?.map(Bound::Below),
            condition.optional_patterns("one_of")?.map(Bound::OneOf),
            condition.optional_patterns("none_of")?.map(Bound::NoneOf),
        ];
        let path = condition.required("path")?;
        let before = arguments.len();
        arguments.extend(
            bounds
                .into_iter()
                .flatten()
                .map(|bound| ArgumentCondition { path: path.clone(), bound }),
        );
        if arguments.len() == before {
            let problem = "a condition needs above, below, one_of or none_of";
            return Err(condition.invalid(problem.into()));
        }
        if arguments.len() > MAX_CONDITIONS {
            let problem = format!("more than {MAX_CONDITIONS} conditions (MAX_CONDITIONS)");
            return Err(condition.invalid(problem));
        }
    }
    Ok(CallFilter {
        tools: entry.patterns("tools")?,
        node_types: entry.patterns("node_types")?,
        servers: entry.patterns("servers")?,
        workflows: entry.patterns("workflows")?,
        agents: entry.patterns("agents")?,
        effects,
        untrusted: entry.flag("untrusted")?,
        private: entry.flag("private")?,
        arguments,
    })
}

#[cfg(test)]
mod tests;
