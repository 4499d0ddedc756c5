//! The decision trace of an execution.

use super::outline::RunError;
use super::{Json, Number};
use formats::sensitive::Redaction;
use model::Value;
use runtime::trace;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What agents did in an execution, in order.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionTrace<'a> {
    pub(crate) execution_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) events: Vec<TraceEvent>,
}

/// A trace event as streams and exports tell it.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct TraceEvent(Value);

impl TraceEvent {
    /// Secrets never leave; personal data do unless somebody asks for their redaction.
    pub(crate) fn new(run_id: &str, event: &trace::TraceEvent, redaction: Redaction) -> Self {
        Self(event.redacted(redaction).to_value(run_id))
    }
}

impl JsonSchema for TraceEvent {
    fn schema_name() -> Cow<'static, str> {
        "TraceEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        TraceEventFields::json_schema(generator)
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(dead_code, reason = "describes what TraceEvent::to_value writes")]
struct TraceEventFields {
    /// The execution and the place of the event in it; a stream goes on behind it.
    id: String,
    execution_id: String,
    stage: AgentStage,
    kind: TraceKind,
    /// The agent's node.
    node: String,
    run: u64,
    /// The node that served it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub_node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Number>,
    detail: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RunError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum AgentStage {
    Preprocess,
    Retrieve,
    Plan,
    Act,
    Integrate,
    Update,
    Output,
}

impl From<model::AgentStage> for AgentStage {
    fn from(stage: model::AgentStage) -> Self {
        match stage {
            model::AgentStage::Preprocess => Self::Preprocess,
            model::AgentStage::Retrieve => Self::Retrieve,
            model::AgentStage::Plan => Self::Plan,
            model::AgentStage::Act => Self::Act,
            model::AgentStage::Integrate => Self::Integrate,
            model::AgentStage::Update => Self::Update,
            model::AgentStage::Output => Self::Output,
        }
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(dead_code, reason = "names the kinds of runtime::trace::TraceKind")]
enum TraceKind {
    Input,
    MemoryRead,
    Search,
    ModelReply,
    Approval,
    ToolCall,
    ToolResult,
    MemoryWrite,
    Answer,
    ExecutionFinished,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TraceQuery {
    /// Whether e-mail addresses, card and telephone numbers and the like are replaced.
    pub(crate) redact_personal_data: Option<bool>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TraceStreamQuery {
    /// Only that of one workflow.
    pub(crate) workflow_id: Option<String>,
    /// Only approvals, calls and results of tools.
    pub(crate) tools_only: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_every_stage_and_kind() {
        let schema = schemars::schema_for!(TraceEvent).to_value().to_string();
        let stages = model::AgentStage::ALL.map(|stage| stage.name());
        let kinds = trace::TraceKind::ALL.map(|kind| kind.name());
        for name in stages.iter().chain(&kinds) {
            assert!(schema.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
