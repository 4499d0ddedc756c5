//! What a finished run gives back, and its form in n8n's execution JSON.

use crate::plan::Plan;
use model::{Code, Kind, Object, RunError, RunStatus, Str, TaskData, Value, json};
use node_api::NodeError;
use std::io::{self, Write};
use std::sync::Arc;

/// What is told of something that broke.
pub(crate) fn panicked(what: &str) -> NodeError {
    NodeError::new(Code::RUN_PANICKED, format!("{what} panicked"))
        .hint("Please report this with the code location from the log.")
}

/// A run that has ended or gone to sleep.
#[derive(Clone)]
pub struct RunOutcome {
    pub run_id: Str,
    pub status: RunStatus,
    pub mode: Str,
    pub error: Option<RunError>,
    pub started_ms: i64,
    pub finished_ms: i64,
    /// Per node in the order of first execution, per run.
    pub run_data: Vec<(Str, Vec<Arc<TaskData>>)>,
    pub last_node: Option<Str>,
    /// When a sleeping run wakes up.
    pub wait_till_ms: Option<i64>,
    /// The run that a sleeping run has called and waits for.
    pub waits_for: Option<Str>,
    /// Whether a sleeping run asks a person before it goes on.
    pub asks: bool,
    pub static_data: Value,
    /// The parts of it that are new and that no step has told of, because it did not come to its
    /// end.
    pub unrecorded_static_data: Option<Value>,
    pub custom_data: Object,
    pub workflow_id: Str,
    pub workflow_name: Str,
}

impl RunOutcome {
    /// What is known of a run that broke.
    pub fn panicked(plan: &Plan, run_id: Str, mode: Str, at_ms: i64) -> Self {
        let (status, error) = (RunStatus::Error, Some(panicked("The run").to_run_error("")));
        Self {
            status,
            error,
            started_ms: at_ms,
            finished_ms: at_ms,
            ..Self::new(plan, run_id, mode)
        }
    }

    pub(crate) fn new(plan: &Plan, run_id: Str, mode: Str) -> Self {
        Self {
            run_id,
            status: RunStatus::Running,
            mode,
            error: None,
            started_ms: 0,
            finished_ms: 0,
            run_data: Vec::new(),
            last_node: None,
            wait_till_ms: None,
            waits_for: None,
            asks: false,
            static_data: Value::Undefined,
            unrecorded_static_data: None,
            custom_data: Object::new(),
            workflow_id: plan.id.clone(),
            workflow_name: plan.name.clone(),
        }
    }

    /// Adds a record of a node after those it has.
    pub fn add(&mut self, node: Str, task: Arc<TaskData>) {
        match self.run_data.iter_mut().find(|(name, _)| *name == node) {
            Some((_, runs)) => runs.push(task),
            None => self.run_data.push((node, vec![task])),
        }
    }

    pub fn is_ok(&self) -> bool {
        matches!(self.status, RunStatus::Success | RunStatus::Waiting)
    }

    pub fn runs_of(&self, node: &str) -> &[Arc<TaskData>] {
        self.run_data.iter().find(|(name, _)| name == node).map_or(&[], |(_, runs)| runs)
    }

    /// The items that the last node put out on its first output with any.
    pub fn last_items(&self) -> Option<&model::Items> {
        let last = self.runs_of(self.last_node.as_ref()?).last()?;
        last.data.get(&Kind::Main)?.iter().flatten().find(|items| !items.is_empty())
    }

    /// The names of the executed nodes in order, once per execution; without those that only served
    /// others.
    pub fn order(&self) -> Vec<Str> {
        let mut executions: Vec<_> = self
            .run_data
            .iter()
            .flat_map(|(name, runs)| runs.iter().map(move |run| (run, name)))
            .collect();
        executions.retain(|(run, _)| run.serves().is_none());
        executions.sort_by_key(|(run, _)| run.execution_index);
        executions.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// The execution as n8n shows it.
    pub fn to_value(&self) -> Value {
        let run_data: Object = self
            .run_data
            .iter()
            .map(|(name, runs)| {
                (name.clone(), Value::array(runs.iter().map(|run| run.to_value()).collect()))
            })
            .collect();
        self.frame(run_data.into())
    }

    /// Writes what [`RunOutcome::to_value`] gives, one run of a node at a time.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        /// Stands where the run data goes; no JSON text of ours can contain it unescaped.
        const MARK: &str = "\"\u{0}runData\"";
        let frame = json::to_string(&self.frame("\u{0}runData".into())).replace("\\u0000", "\u{0}");
        let (before, after) = frame.split_once(MARK).unwrap_or((&frame, ""));
        out.write_all(before.as_bytes())?;
        write_run_data(out, &self.run_data, |_| Ok(()))?;
        out.write_all(after.as_bytes())
    }

    /// The execution as n8n shows it, around its run data.
    fn frame(&self, run_data: Value) -> Value {
        let mut result = Object::new();
        result.insert("runData", run_data);
        result.insert("lastNodeExecuted", self.last_node.clone());
        if let Some(error) = &self.error {
            result.insert("error", error.to_value());
        }
        if !self.custom_data.is_empty() {
            result.insert("metadata", self.custom_data.clone());
        }
        let mut object = Object::new();
        object.insert("id", self.run_id.clone());
        object.insert("finished", matches!(self.status, RunStatus::Success));
        object.insert("mode", self.mode.clone());
        object.insert("status", self.status.name());
        object.insert("startedAt", iso(self.started_ms));
        object.insert("stoppedAt", iso(self.finished_ms));
        object.insert("waitTill", self.wait_till_ms.map(iso));
        object.insert("workflowId", self.workflow_id.clone());
        object.insert("data", Object::from_iter([("resultData", result)]));
        Value::object(object)
    }
}

fn iso(milliseconds: i64) -> Str {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| Str::new(), |time| format!("{time:.3}").into())
}

/// Writes the runs of all nodes as n8n shows them, one at a time. `written` is told of each.
pub fn write_run_data(
    out: &mut dyn Write,
    run_data: &[(Str, Vec<Arc<TaskData>>)],
    mut written: impl FnMut(&TaskData) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (position, (name, runs)) in run_data.iter().enumerate() {
        let mut key = String::from(if position > 0 { "," } else { "" });
        json::write_string(&mut key, name);
        out.write_all(key.as_bytes())?;
        out.write_all(b":[")?;
        for (index, run) in runs.iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            run.write_json(out)?;
            written(run)?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"}")
}
