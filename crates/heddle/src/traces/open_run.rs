//! A run that goes on, and the spans it leaves, with n8n's names for what they carry.

use super::trace_context::new_span_id;
use model::{Kind, RunError, RunStatus, Str, TaskData, TaskStatus, Value, Workflow};
use runtime::trace::gen_ai::agent_attributes;
use runtime::trace::otlp::{Attribute, OtlpSpan, SpanKind};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A run that goes on.
pub(super) struct OpenRun {
    pub(super) trace: [u8; 16],
    pub(super) id: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    pub(super) is_sampled: bool,
    pub(super) workflow_id: Str,
    pub(super) workflow_name: Str,
    pub(super) mode: Str,
    pub(super) started_ms: i64,
    pub(super) is_continued: bool,
    pub(super) nodes: Arc<TracedNodes>,
    /// Steps that have begun.
    pub(super) steps: HashMap<Str, [u8; 8]>,
    pub(super) current: Option<[u8; 8]>,
    /// Nodes under way that are agents.
    pub(super) agents: HashSet<Str>,
}

/// What a trace says about the nodes of a workflow.
#[derive(Default)]
pub(super) struct TracedNodes {
    by_name: HashMap<Str, (Str, Str, f64)>,
}

impl TracedNodes {
    pub(super) fn of(workflow: &Workflow) -> Self {
        let about = |node: &model::Node<'_>| {
            let text = |key: &str| {
                node.fields().get(key).and_then(Value::as_str).map(Str::from).unwrap_or_default()
            };
            let version = node.fields().get("typeVersion").and_then(Value::as_f64).unwrap_or(1.0);
            (Str::from(node.name()), (text("id"), text("type"), version))
        };
        Self { by_name: workflow.nodes().map(|node| about(&node)).collect() }
    }
}

impl OpenRun {
    /// The span of a step that is over.
    pub(super) fn step(&mut self, node: &Str, task: &TaskData) -> OtlpSpan {
        let id = self.steps.remove(node).unwrap_or_else(new_span_id);
        let mut attributes = vec![
            ("n8n.node.name", Attribute::Text(node.to_string())),
            ("n8n.node.items.output", Attribute::Number(n_items(task))),
            ("heddle.node.status", Attribute::Text(task.status.name().to_owned())),
        ];
        if let Some((node_id, kind, version)) = self.nodes.by_name.get(node) {
            attributes.push(("n8n.node.id", Attribute::Text(node_id.to_string())));
            attributes.push(("n8n.node.type", Attribute::Text(kind.to_string())));
            attributes.push(("n8n.node.type_version", Attribute::Text(version.to_string())));
        }
        if self.agents.remove(node) {
            attributes.extend(agent_attributes(node));
        }
        let is_broken = task.status == TaskStatus::Error;
        let failure =
            is_broken.then(|| task.error.as_ref().map_or("NODE_FAILED", |error| error.code.name()));
        OtlpSpan {
            trace: self.trace,
            id,
            parent: Some(self.id),
            name: "node.execute".into(),
            kind: SpanKind::Internal,
            started_ms: task.start_time_ms,
            ended_ms: task.start_time_ms + i64::try_from(task.execution_time_ms).unwrap_or(0),
            attributes,
            failure,
        }
    }

    /// The span of the run itself.
    pub(super) fn end(
        self,
        run_id: &str,
        status: RunStatus,
        error: Option<&RunError>,
        finished_ms: i64,
    ) -> OtlpSpan {
        let mut attributes = vec![
            ("n8n.workflow.id", Attribute::Text(self.workflow_id.to_string())),
            ("n8n.workflow.name", Attribute::Text(self.workflow_name.to_string())),
            ("n8n.workflow.node_count", Attribute::Number(self.nodes.by_name.len() as i64)),
            ("n8n.execution.id", Attribute::Text(run_id.to_owned())),
            ("n8n.execution.mode", Attribute::Text(self.mode.to_string())),
            ("n8n.execution.status", Attribute::Text(status.name().to_owned())),
            ("n8n.execution.is_retry", Attribute::Flag(self.mode == "retry")),
        ];
        if self.is_continued {
            attributes.push(("n8n.continuation.reason", Attribute::Text("resume".to_owned())));
        }
        if let Some(error) = error {
            attributes.push(("n8n.execution.error_type", Attribute::Text(error.name.to_string())));
        }
        OtlpSpan {
            trace: self.trace,
            id: self.id,
            parent: self.parent,
            name: "workflow.execute".into(),
            kind: if matches!(self.mode.as_str(), "webhook" | "chat") {
                SpanKind::Server
            } else {
                SpanKind::Internal
            },
            started_ms: self.started_ms,
            ended_ms: finished_ms,
            attributes,
            failure: error.map(|error| error.code.name()),
        }
    }
}

fn n_items(task: &TaskData) -> i64 {
    let outputs = task.data.get(&Kind::Main).map(Vec::as_slice).unwrap_or_default();
    outputs.iter().flatten().map(|items| items.len() as i64).sum()
}
