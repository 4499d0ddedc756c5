//! What agents have done since the process started, in numbers.

use crate::lock;
use crate::trace::{TraceEvent, TraceKind};
use model::metrics::{Counter, Histogram};
use model::{Kind, RunEvent, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Duration;

/// Labels of one metric; more different ones count as the last.
const MAX_LABELS: usize = 200;
const OTHER: &str = "other";

/// Counts what agents do. Reads what events say and keeps none of it.
#[derive(Default)]
pub(super) struct AgentMetrics {
    seconds: Histogram,
    /// By why they ended.
    finished: Labelled,
    tool_seconds: Histogram,
    tool_calls: Labelled,
    tool_errors: Counter,
    memory_reads: Counter,
    memory_hits: Counter,
    memory_writes: Counter,
    /// Executions that failed, by the code of the error.
    errors: Labelled,
}

/// A counter for each label that came.
#[derive(Default)]
struct Labelled(Mutex<BTreeMap<String, u64>>);

impl Labelled {
    fn add_one(&self, label: &str) {
        let mut counts = lock(&self.0);
        if let Some(count) = counts.get_mut(label) {
            *count += 1;
        } else {
            let label = if counts.len() < MAX_LABELS { label } else { OTHER };
            *counts.entry(label.to_owned()).or_default() += 1;
        }
    }

    fn write(&self, out: &mut String, (name, help): (&str, &str), label: &str) {
        let counts = lock(&self.0);
        if counts.is_empty() {
            return;
        }
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
        for (value, count) in counts.iter() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(out, "{name}{{{label}=\"{value}\"}} {count}");
        }
    }
}

impl AgentMetrics {
    pub(super) fn take(&self, event: &RunEvent) {
        match event {
            RunEvent::RunFinished { error: Some(error), .. } => {
                self.errors.add_one(error.code.name())
            }
            RunEvent::SubNodeCalled { node, task } if task.serves() == Some(Kind::AiTool) => {
                self.tool_calls.add_one(node);
                self.tool_seconds.record_time(Duration::from_millis(task.execution_time_ms));
                if task.error.is_some() {
                    self.tool_errors.add_one();
                }
            }
            RunEvent::SubNodeCalled { task, .. } if task.serves() == Some(Kind::AiMemory) => {
                self.take_memory(event)
            }
            RunEvent::StageReached { .. } => self.take_answer(event),
            _ => {}
        }
    }

    fn take_memory(&self, event: &RunEvent) {
        let Some(TraceEvent { kind, detail, .. }) = TraceEvent::read(0, event, 0) else { return };
        if kind == TraceKind::MemoryWrite {
            return self.memory_writes.add_one();
        }
        self.memory_reads.add_one();
        let found = |name: &str| match detail.get(name) {
            Some(Value::Array(entries)) => !entries.is_empty(),
            Some(count) => count.as_f64().is_some_and(|count| count > 0.0),
            None => false,
        };
        if found("messages") || found("entries") {
            self.memory_hits.add_one();
        }
    }

    fn take_answer(&self, event: &RunEvent) {
        let Some(TraceEvent { kind: TraceKind::Answer, detail, .. }) =
            TraceEvent::read(0, event, 0)
        else {
            return;
        };
        let reason = detail.get("finishReason").and_then(Value::as_str).unwrap_or(OTHER);
        self.finished.add_one(reason);
        if let Some(took) = detail.get("durationMs").and_then(Value::as_f64) {
            self.seconds.record_time(Duration::from_millis(took.max(0.0) as u64));
        }
    }

    /// Writes them in Prometheus' text format; what never happened is left out.
    pub(super) fn write(&self, out: &mut String) {
        self.errors.write(
            out,
            ("heddle_execution_errors_total", "Failed executions by error code."),
            "code",
        );
        self.finished.write(
            out,
            ("heddle_agents_finished_total", "Agents finished by reason."),
            "reason",
        );
        histogram(out, "heddle_agent_seconds", "Duration of agents.", &self.seconds);
        self.tool_calls.write(out, ("heddle_tool_calls_total", "Tool calls by tool node."), "tool");
        histogram(out, "heddle_tool_call_seconds", "Duration of tool calls.", &self.tool_seconds);
        for (name, help, counter) in [
            ("heddle_tool_errors_total", "Failed tool calls.", &self.tool_errors),
            ("heddle_memory_reads_total", "Reads of agents' memories.", &self.memory_reads),
            (
                "heddle_memory_hits_total",
                "Reads of agents' memories that found something.",
                &self.memory_hits,
            ),
            ("heddle_memory_writes_total", "Writes to agents' memories.", &self.memory_writes),
        ] {
            if counter.get() > 0 {
                let _ = writeln!(
                    out,
                    "# HELP {name} {help}\n# TYPE {name} counter\n{name} {}",
                    counter.get()
                );
            }
        }
    }
}

fn histogram(out: &mut String, name: &str, help: &str, histogram: &Histogram) {
    if histogram.count() > 0 {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        histogram.write(out, name, "", 10..=26, 1e6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentStage, Object, StageRecord};

    fn answered(reason: &str) -> RunEvent {
        let detail =
            Object::from_iter([("finishReason", Value::from(reason)), ("durationMs", 5.into())]);
        let reached = StageRecord {
            stage: AgentStage::Output,
            at_ms: 0,
            item: 0,
            call: "".into(),
            detail: detail.into(),
        };
        RunEvent::StageReached { node: "Agent".into(), run_index: 0, reached }
    }

    #[test]
    fn answers_are_counted_by_reason_and_labels_are_bounded() {
        let metrics = AgentMetrics::default();
        metrics.take(&answered("completed"));
        metrics.take(&answered("a \"b\"\n"));
        for number in 0..2 * MAX_LABELS {
            metrics.take(&answered(&number.to_string()));
        }
        let mut text = String::new();
        metrics.write(&mut text);
        for line in [
            "heddle_agents_finished_total{reason=\"completed\"} 1",
            "heddle_agents_finished_total{reason=\"a \\\"b\\\"\\n\"} 1",
            &format!("heddle_agent_seconds_count {}", 2 * MAX_LABELS + 2),
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
        assert!(text.matches("reason=").count() <= MAX_LABELS + 1);
    }
}
