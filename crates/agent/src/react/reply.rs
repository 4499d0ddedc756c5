//! What the model of a strict agent may say, and nothing else.

use crate::guard::Guard;
use model::{Object, Str, Value};
use node_api::ai::{Arguments, ToolCall};

/// A reply that keeps the contract.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    Tool { name: Str, input: Object, confidence: f64 },
    Final { message: Value, confidence: Option<f64> },
}

/// How a reply breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    InvalidJson,
    InvalidAction,
    ToolNotAllowed,
    InvalidInput,
    InvalidConfidence,
    /// The last iteration has passed without an end.
    IterationOverflow,
}

impl Fault {
    pub fn name(self) -> &'static str {
        match self {
            Fault::InvalidJson => "invalid_json",
            Fault::InvalidAction => "invalid_action",
            Fault::ToolNotAllowed => "tool_not_allowed",
            Fault::InvalidInput => "invalid_input",
            Fault::InvalidConfidence => "invalid_confidence",
            Fault::IterationOverflow => "iteration_overflow",
        }
    }
}

impl Reply {
    pub(super) fn read(text: &str, allowed: &[Str], guard: &Guard) -> Result<Self, (Fault, Str)> {
        let reply = match model::json::parse(text.trim()) {
            Ok(reply @ Value::Object(_)) => reply,
            Ok(other) => {
                return Err((
                    Fault::InvalidJson,
                    format!("the reply is {}, not an object", other.kind_name()).into(),
                ));
            }
            Err(error) => {
                return Err((Fault::InvalidJson, format!("the reply is no JSON: {error}").into()));
            }
        };
        let confidence = match reply.get("confidence") {
            None | Some(Value::Undefined | Value::Null) => None,
            Some(Value::Number(number)) if (0.0..=1.0).contains(number) => Some(*number),
            Some(other) => {
                let found = model::json::to_string(other);
                return Err((
                    Fault::InvalidConfidence,
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
                Ok(Reply::Final { message: message.cloned().unwrap_or_default(), confidence })
            }
            Some("tool") => Self::tool(&reply, confidence, allowed, guard),
            _ => Err((Fault::InvalidAction, "action is neither \"tool\" nor \"final\"".into())),
        }
    }

    fn tool(
        reply: &Value,
        confidence: Option<f64>,
        allowed: &[Str],
        guard: &Guard,
    ) -> Result<Self, (Fault, Str)> {
        let name: Str = reply.get("tool").and_then(Value::as_str).unwrap_or_default().into();
        if !allowed.contains(&name) {
            return Err((
                Fault::ToolNotAllowed,
                format!("the tool '{name}' is not allowed").into(),
            ));
        }
        let input = match reply.get("input") {
            None | Some(Value::Undefined | Value::Null) => Object::new(),
            Some(Value::Object(input)) => (**input).clone(),
            Some(other) => {
                return Err((
                    Fault::InvalidInput,
                    format!("input is {}, not an object", other.kind_name()).into(),
                ));
            }
        };
        let call = ToolCall {
            id: Str::new(),
            name: name.clone(),
            arguments: Arguments::Read(input.clone()),
            opaque: None,
        };
        guard.admit(&call).map_err(|refused| (Fault::InvalidInput, refused.0))?;
        let confidence =
            confidence.ok_or((Fault::InvalidConfidence, Str::from("confidence is missing")))?;
        Ok(Reply::Tool { name, input, confidence })
    }
}
