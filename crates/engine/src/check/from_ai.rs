//! Checks that `$fromAI` stands where the model is asked: a tool with a fixed schema offers the model
//! nothing else, so there it gives no value.

use super::escape::short;
use super::{Checker, ProblemDraft};
use expr::extract_from_ai_calls;
use model::{Code, Kind, Node, Object, Value};
use node_api::Spec;

impl Checker<'_> {
    pub(super) fn arguments_not_asked_for(&mut self, index: usize, node: &Node<'_>) {
        let Some(found) = self.registry.find(node.type_name(), node.type_version()) else { return };
        let is_tool = found.spec.outputs.iter().any(|port| port.kind == Kind::AiTool);
        if !is_tool || found.can_be_a_tool() {
            return;
        }
        let spec = found.spec.clone();
        let empty = Object::new();
        let mut places = Vec::new();
        for (key, value) in node.parameters().unwrap_or(&empty).iter() {
            collect(&spec, value, key.to_string(), &mut places);
        }
        for place in places {
            let finding = ProblemDraft::warning(
                Code::NODE_PARAMETER,
                "Enter a value. To let the model decide, use the node of the service as a tool, \
                 such as HTTP Request.",
            )
            .of(node.name());
            let message = || {
                format!(
                    "$fromAI in '{}' of '{}' has no value: this tool does not ask the model for it",
                    short(&place),
                    short(node.name())
                )
            };
            self.problem(finding, || format!("nodes[{index}].parameters.{place}"), message);
        }
    }
}

/// The places that ask for an argument and do not get it.
fn collect(spec: &Spec, value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !spec.is_filled_by_model(&place) && asks_model(text) => {
            found.push(place);
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                collect(spec, value, format!("{place}[{at}]"), found);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields.iter() {
                collect(spec, value, format!("{place}.{key}"), found);
            }
        }
        _ => {}
    }
}

/// What cannot be read is told as such when the tool is offered.
fn asks_model(text: &str) -> bool {
    text.starts_with('=') && extract_from_ai_calls(text).is_ok_and(|calls| !calls.is_empty())
}
