//! What a run leaves behind: one record per node execution, in n8n's `runData` shape.

use crate::kind::Kind;
use crate::{Code, Items, Object, Source, Str, Value, json};
use std::collections::BTreeMap;

/// The error of a node or of a run, in the one shape that every face shows.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    pub code: Code,
    pub message: Str,
    pub description: Option<Str>,
    /// What to do about it.
    pub hint: Option<Str>,
    /// n8n's class for it: `NodeOperationError`, `NodeApiError`, `ExpressionError` …
    pub name: Str,
    pub node: Option<Str>,
    pub item: Option<usize>,
    /// Further fields that n8n's errors carry: `httpCode`, `context`, `stack` …
    pub context: Object,
}

/// One execution of one node.
#[derive(Clone, Debug)]
pub struct TaskData {
    pub start_time_ms: i64,
    pub execution_index: usize,
    pub execution_time_ms: u64,
    /// Per input: the output that fed it.
    pub source: Vec<Option<Source>>,
    /// Per kind of connection, per output: the items, or nothing where the node sent nothing.
    pub data: BTreeMap<Kind, Vec<Option<Items>>>,
    pub error: Option<RunError>,
    pub status: TaskStatus,
    /// What went into a node that served the one above it, shown beside its output.
    pub input_override: Option<Vec<Items>>,
    /// What did not work although the node went on.
    pub hints: Vec<Str>,
    pub metadata: Option<Value>,
}

/// Where the metadata of a record say which run made it.
const REUSED_FROM: &str = "reusedFrom";
/// Where they say that code of the node has asked for something outside.
const REACHED_OUT: &str = "reachedOut";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    Success,
    Error,
    Waiting,
    Cancelled,
}

/// How a run stands or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStatus {
    Running,
    Success,
    Error,
    Waiting,
    Cancelled,
    /// A step without a recorded result may have happened; a person decides.
    Uncertain,
}

impl TaskData {
    /// The items of a `main` output.
    pub fn output(&self, index: usize) -> Option<&Items> {
        self.data.get(&Kind::Main)?.get(index)?.as_ref()
    }

    /// The kind of connection along which the node served another one; `None` for a step of the
    /// run.
    pub fn serves(&self) -> Option<Kind> {
        self.data.keys().copied().find(|kind| *kind != Kind::Main)
    }

    /// The run that made this result, if this one has taken it over.
    pub fn reused_from(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(REUSED_FROM)?.as_str()
    }

    /// The same result, taken over from a run; what that run had taken over itself keeps its
    /// origin.
    pub fn mark_reused_from(mut self, run: &str) -> Self {
        if self.reused_from().is_none() {
            self.metadata
                .get_or_insert_with(Value::empty_object)
                .make_object()
                .insert(REUSED_FROM, run);
        }
        self
    }

    /// Whether code that the node ran has asked for something outside.
    pub fn reached_out(&self) -> bool {
        self.metadata
            .as_ref()
            .and_then(|metadata| metadata.get(REACHED_OUT)?.as_bool())
            .unwrap_or_default()
    }

    pub fn set_reached_out(&mut self) {
        self.metadata
            .get_or_insert_with(Value::empty_object)
            .make_object()
            .insert(REACHED_OUT, true);
    }

    /// The record in n8n's form.
    pub fn to_value(&self) -> Value {
        let per_kind = self.data.iter().map(|(kind, outputs)| {
            (kind.name(), Value::array(outputs.iter().map(output_to_value).collect()))
        });
        let data = (!self.data.is_empty()).then(|| per_kind.collect::<Object>());
        self.frame(data.into())
    }

    /// Writes what [`TaskData::to_value`] gives, item by item.
    pub fn write_json(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let frame = json::to_string(&self.frame(Value::Undefined));
        out.write_all(frame.strip_suffix('}').unwrap_or(&frame).as_bytes())?;
        if !self.data.is_empty() {
            out.write_all(b",\"data\":{")?;
            for (position, (kind, outputs)) in self.data.iter().enumerate() {
                out.write_all(if position > 0 { b",\"" } else { b"\"" })?;
                out.write_all(kind.name().as_bytes())?;
                out.write_all(b"\":[")?;
                for (index, items) in outputs.iter().enumerate() {
                    out.write_all(if index > 0 { b"," } else { b"" })?;
                    write_items(out, items)?;
                }
                out.write_all(b"]")?;
            }
            out.write_all(b"}")?;
        }
        out.write_all(b"}")
    }

    fn frame(&self, data: Value) -> Value {
        let mut object = Object::new();
        object.insert("startTime", self.start_time_ms);
        object.insert("executionIndex", self.execution_index);
        object.insert(
            "source",
            Value::array(
                self.source
                    .iter()
                    .map(|source| source.as_ref().map_or(Value::Null, Source::to_value))
                    .collect(),
            ),
        );
        let hints = self
            .hints
            .iter()
            .map(|hint| Value::from(Object::from_iter([("message", hint.clone())])));
        object.insert("hints", Value::array(hints.collect()));
        object.insert("executionTime", self.execution_time_ms);
        object.insert("executionStatus", self.status.name());
        object.insert("data", data);
        if let Some(error) = &self.error {
            object.insert("error", error.to_value());
        }
        if let Some(metadata) = &self.metadata {
            object.insert("metadata", metadata.clone());
        }
        if let (Some(kind), Some(inputs)) = (self.serves(), &self.input_override) {
            let inputs = inputs.iter().map(|items| output_to_value(&Some(items.clone()))).collect();
            object
                .insert("inputOverride", Object::from_iter([(kind.name(), Value::array(inputs))]));
        }
        Value::object(object)
    }
}

fn output_to_value(items: &Option<Items>) -> Value {
    match items {
        Some(items) => Value::array(items.iter().map(|item| item.to_value()).collect()),
        None => Value::Null,
    }
}

fn write_items(out: &mut dyn std::io::Write, items: &Option<Items>) -> std::io::Result<()> {
    let Some(items) = items else { return out.write_all(b"null") };
    out.write_all(b"[")?;
    for (index, item) in items.iter().enumerate() {
        out.write_all(if index > 0 { b"," } else { b"" })?;
        out.write_all(json::to_string(&item.to_value()).as_bytes())?;
    }
    out.write_all(b"]")
}

impl TaskStatus {
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Success, Self::Error, Self::Waiting, Self::Cancelled]
            .into_iter()
            .find(|status| status.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            TaskStatus::Success => "success",
            TaskStatus::Error => "error",
            TaskStatus::Waiting => "waiting",
            TaskStatus::Cancelled => "canceled",
        }
    }
}

impl RunStatus {
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Running,
            Self::Success,
            Self::Error,
            Self::Waiting,
            Self::Cancelled,
            Self::Uncertain,
        ];
        all.into_iter().find(|status| status.name() == name)
    }

    /// Whether nothing more comes of the run by itself or by a decision of a person.
    pub fn is_over(self) -> bool {
        match self {
            RunStatus::Success | RunStatus::Error | RunStatus::Cancelled => true,
            RunStatus::Running | RunStatus::Waiting | RunStatus::Uncertain => false,
        }
    }

    /// n8n's word for it.
    pub fn name(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Success => "success",
            RunStatus::Error => "error",
            RunStatus::Waiting => "waiting",
            RunStatus::Cancelled => "canceled",
            RunStatus::Uncertain => "uncertain",
        }
    }
}

impl RunError {
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.insert("code", self.code.name());
        object.insert("message", self.message.clone());
        object.insert("description", self.description.clone());
        object.insert("hint", self.hint.clone());
        object.insert("name", self.name.clone());
        object.insert("node", self.node.clone());
        object.insert("itemIndex", self.item);
        object.extend(self.context.clone());
        Value::object(object)
    }
}
