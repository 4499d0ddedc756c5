//! What the model of a strict agent may say, and nothing else.

use crate::guard::ToolGuard;
use model::{Object, Str, Value};
use ports::ai::{ToolArguments, ToolCall};

/// The fields of a reply. Whatever else a model writes, such as its thoughts, is not kept.
pub(super) const FIELDS: &[&str] = &["action", "tool", "input", "confidence", "message"];

/// A reply that keeps the contract.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReactAction {
    Tool { name: Str, input: Object, confidence: f64 },
    Final { message: Value, confidence: Option<f64> },
}

/// How a reply breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractViolation {
    InvalidJson,
    InvalidAction,
    ToolNotAllowed,
    InvalidInput,
    InvalidConfidence,
    /// The last iteration has passed without an end.
    IterationOverflow,
}

impl ContractViolation {
    pub fn name(self) -> &'static str {
        match self {
            ContractViolation::InvalidJson => "invalid_json",
            ContractViolation::InvalidAction => "invalid_action",
            ContractViolation::ToolNotAllowed => "tool_not_allowed",
            ContractViolation::InvalidInput => "invalid_input",
            ContractViolation::InvalidConfidence => "invalid_confidence",
            ContractViolation::IterationOverflow => "iteration_overflow",
        }
    }
}

impl ReactAction {
    pub(super) fn read(
        text: &str,
        allowed: &[Str],
        guard: &ToolGuard,
    ) -> Result<Self, (ContractViolation, Str)> {
        let reply = match model::json::parse(text.trim()) {
            Ok(reply @ Value::Object(_)) => reply,
            Ok(other) => {
                return Err((
                    ContractViolation::InvalidJson,
                    format!("the reply is {}, not an object", other.kind_name()).into(),
                ));
            }
            Err(error) => {
                return Err((
                    ContractViolation::InvalidJson,
                    format!("the reply is not JSON: {error}").into(),
                ));
            }
        };
        let confidence = match reply.get("confidence") {
            None | Some(Value::Undefined | Value::Null) => None,
            Some(Value::Number(number)) if (0.0..=1.0).contains(number) => Some(*number),
            Some(other) => {
                let found = model::json::to_string(other);
                return Err((
                    ContractViolation::InvalidConfidence,
                    format!("confidence is {found}, not a number from 0 to 1").into(),
                ));
            }
        };
        match reply.get("action").and_then(Value::as_str) {
            Some("final") => {
                let message = reply
                    .get("message")
                    .filter(|message| !message.is_nullish())
                    .or_else(|| reply.get("input"));
                Ok(ReactAction::Final { message: message.cloned().unwrap_or_default(), confidence })
            }
            Some("tool") => Self::tool(&reply, confidence, allowed, guard),
            _ => Err((
                ContractViolation::InvalidAction,
                "action is neither \"tool\" nor \"final\"".into(),
            )),
        }
    }

    fn tool(
        reply: &Value,
        confidence: Option<f64>,
        allowed: &[Str],
        guard: &ToolGuard,
    ) -> Result<Self, (ContractViolation, Str)> {
        let name: Str = reply.get("tool").and_then(Value::as_str).unwrap_or_default().into();
        if !allowed.contains(&name) {
            return Err((
                ContractViolation::ToolNotAllowed,
                format!("the tool '{name}' is not allowed").into(),
            ));
        }
        let input = match reply.get("input") {
            None | Some(Value::Undefined | Value::Null) => Object::new(),
            Some(Value::Object(input)) => (**input).clone(),
            Some(other) => {
                return Err((
                    ContractViolation::InvalidInput,
                    format!("input is {}, not an object", other.kind_name()).into(),
                ));
            }
        };
        let call = ToolCall {
            id: Str::new(),
            name: name.clone(),
            arguments: ToolArguments::Parsed(input.clone()),
            opaque: None,
        };
        guard.admit(&call).map_err(|refused| (ContractViolation::InvalidInput, refused.0))?;
        let confidence = confidence
            .ok_or((ContractViolation::InvalidConfidence, Str::from("confidence is missing")))?;
        Ok(ReactAction::Tool { name, input, confidence })
    }
}
