//! What the operator's policy says about a call, in words for the model and for whoever looks at
//! the run, and what is recorded about a call so that other rules can be tried on it later.

use super::{PolicyCall, RateExceeded};
use model::{Code, Object, Str, Value};

/// What a model is told about a call that the policy forbids.
pub fn denial(tool: &str, rule: &str, reason: &str) -> Str {
    let because = if reason.is_empty() { String::new() } else { format!(" {reason}") };
    format!(
        "'{tool}' was not called ({}): the operator's policy does not allow it (rule \
         '{rule}').{because} Do not try other ways to do the same. Continue without it, and say \
         what is missing.",
        Code::POLICY_DENIED.name()
    )
    .into()
}

/// What whoever looks at the run is told about it.
pub fn denial_warning(tool: &str, rule: &str) -> Str {
    format!(
        "A call of '{tool}' was rejected ({}): rule '{rule}' of the policy does not allow it.",
        Code::POLICY_DENIED.name()
    )
    .into()
}

/// What a model is told where a person would have to be asked and nobody can be.
pub fn nobody_to_ask(tool: &str, rule: &str) -> Str {
    format!(
        "'{tool}' was not called ({}): the operator's policy requires approval (rule '{rule}'), \
         and this agent cannot wait for one. Continue without it, and say what is missing.",
        Code::POLICY_DENIED.name()
    )
    .into()
}

/// What a model is told about a call that comes too soon.
pub fn too_often(tool: &str, exceeded: &RateExceeded) -> Str {
    let seconds = (exceeded.retry_after_ms.max(0) as u64).div_ceil(1000);
    format!(
        "'{tool}' was not called ({}): the limit '{}' of the policy is reached. It may be called \
         again in {seconds} s.",
        Code::RATE_LIMIT.name(),
        exceeded.limit
    )
    .into()
}

/// What a model is told about a call that the limit of the tool's own manifest does not allow.
pub fn tool_too_often(tool: &str, exceeded: &RateExceeded) -> Str {
    let seconds = (exceeded.retry_after_ms.max(0) as u64).div_ceil(1000);
    format!(
        "'{tool}' was not called ({}): its limit of {} is reached. It may be called again in \
         {seconds} s.",
        Code::RATE_LIMIT.name(),
        exceeded.limit
    )
    .into()
}

/// What a model is told about a call that the operator ended.
pub fn stopped(tool: &str, reason: &str, is_harmless: bool) -> Str {
    let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let effect = if is_harmless { "" } else { " It may have taken effect." };
    format!("The operator stopped '{tool}' while it was running{because}.{effect}").into()
}

/// Where the record of a call has what it was.
pub const FACTS: &str = "facts";

/// What a call was, beyond its name and arguments.
pub fn facts(call: &PolicyCall<'_>) -> Value {
    Object::from_iter([
        ("effect", Value::from(call.effect.name())),
        ("nodeType", call.source.node_type.clone().into()),
        ("server", call.source.server.clone().into()),
        ("session", call.subject.session.clone().into()),
        ("untrusted", call.exposure.untrusted.into()),
        ("private", call.exposure.private.into()),
    ])
    .into()
}
