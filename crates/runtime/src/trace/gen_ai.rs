//! Trace events as spans with the names that OpenTelemetry has for generative AI.

use super::otlp::{Attribute, OtlpSpan, SpanKind, resource_spans, span_id, trace_id};
use super::{TraceEvent, TraceKind};
use model::{Str, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// Where a span belongs.
#[derive(Clone, Copy, Debug)]
pub struct SpanPlace {
    pub trace: [u8; 16],
    pub id: [u8; 8],
    pub parent: Option<[u8; 8]>,
}

impl TraceEvent {
    /// The span of a model's reply, a tool call, or a look into a memory or documents. Other events
    /// take no time.
    pub fn to_span(&self, place: SpanPlace) -> Option<OtlpSpan> {
        let (started_ms, took) = (self.at_ms?, self.duration_ms?);
        let text = |name: &str| self.detail.get(name).and_then(Value::as_str).map(str::to_owned);
        let sub_node = self.sub_node.clone()?;
        let (operation, about, kind) = match self.kind {
            TraceKind::ModelReply => ("chat", text("model").unwrap_or_default(), SpanKind::Client),
            TraceKind::ToolCall => ("execute_tool", sub_node.to_string(), SpanKind::Internal),
            TraceKind::MemoryRead | TraceKind::Search => {
                ("retrieval", sub_node.to_string(), SpanKind::Internal)
            }
            _ => return None,
        };
        let mut attributes = vec![
            ("gen_ai.operation.name", Attribute::Text(operation.to_owned())),
            ("gen_ai.agent.name", Attribute::Text(self.node.to_string())),
            ("heddle.stage", Attribute::Text(self.stage.name().to_owned())),
            ("n8n.node.name", Attribute::Text(sub_node.to_string())),
        ];
        match self.kind {
            TraceKind::ModelReply => {
                for name in ["gen_ai.request.model", "gen_ai.response.model"] {
                    attributes.push((name, Attribute::Text(about.clone())));
                }
                if let Some(reason) = text("finishReason") {
                    attributes
                        .push(("gen_ai.response.finish_reasons", Attribute::Texts(vec![reason])));
                }
                for (name, from) in [
                    ("gen_ai.usage.input_tokens", "inputTokens"),
                    ("gen_ai.usage.output_tokens", "outputTokens"),
                ] {
                    if let Some(count) = self.detail.get(from).and_then(Value::as_f64) {
                        attributes.push((name, Attribute::Number(count as i64)));
                    }
                }
            }
            TraceKind::ToolCall => {
                attributes.push(("gen_ai.tool.name", Attribute::Text(about.clone())))
            }
            _ => {}
        }
        let name = if about.is_empty() {
            Cow::Borrowed(operation)
        } else {
            format!("{operation} {about}").into()
        };
        Some(OtlpSpan {
            trace: place.trace,
            id: place.id,
            parent: place.parent,
            name,
            kind,
            started_ms,
            ended_ms: started_ms.saturating_add(i64::try_from(took).unwrap_or(i64::MAX)),
            attributes,
            failure: self.error.as_ref().map(|error| error.code.name()),
        })
    }
}

/// The trace of a run as OTLP: the work of each agent, and in it what took time.
pub fn export(
    secret: &str,
    service: &str,
    run_id: &str,
    events: &[TraceEvent],
) -> serde_json::Value {
    let trace = trace_id(secret, run_id);
    let mut spans: Vec<OtlpSpan> = Vec::new();
    let mut agents: HashMap<(Str, usize), usize> = HashMap::new();
    for event in events {
        let agent = (event.node.clone(), event.run);
        let part = format!("{} {}", agent.0, agent.1);
        let parent = span_id(secret, run_id, &part);
        let id = span_id(secret, run_id, &event.seq.to_string());
        let place = SpanPlace { trace, id, parent: Some(parent) };
        let Some(span) = event.to_span(place) else { continue };
        match agents.get(&agent) {
            Some(at) => {
                if let Some(above) = spans.get_mut(*at) {
                    above.started_ms = above.started_ms.min(span.started_ms);
                    above.ended_ms = above.ended_ms.max(span.ended_ms);
                }
            }
            None => {
                agents.insert(agent.clone(), spans.len());
                spans.push(OtlpSpan {
                    trace,
                    id: parent,
                    parent: None,
                    name: format!("invoke_agent {}", agent.0).into(),
                    kind: SpanKind::Internal,
                    started_ms: span.started_ms,
                    ended_ms: span.ended_ms,
                    attributes: agent_attributes(&agent.0),
                    failure: None,
                });
            }
        }
        spans.push(span);
    }
    resource_spans(service, &spans)
}

/// What the span of a node says that is an agent.
pub fn agent_attributes(node: &str) -> Vec<(&'static str, Attribute)> {
    vec![
        ("gen_ai.operation.name", Attribute::Text("invoke_agent".to_owned())),
        ("gen_ai.agent.name", Attribute::Text(node.to_owned())),
    ]
}
