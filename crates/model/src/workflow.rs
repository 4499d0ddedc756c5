//! A workflow document: n8n's JSON, kept whole, with typed views on the parts we know.

mod credentials;
pub(crate) mod edges;
mod fields;
mod node;

pub use credentials::{WithheldCredential, keep_credentials};
pub use edges::{Edge, MAX_INDEX, children, parents};
pub use fields::{FieldSpec, NODE_FIELDS, SETTING_FIELDS, WORKFLOW_FIELDS};
pub use node::{Node, OnError};

use crate::json::{self, JsonError, Spellings};
use crate::{Object, Str, Value};
use std::sync::Arc;

/// A workflow as it was read. The document is the truth: what no view knows is still there when it
/// is written.
#[derive(Clone, Debug, Default)]
pub struct Workflow {
    doc: Object,
    /// Shared, so that keeping every earlier state of a workflow costs little.
    spellings: Arc<Spellings>,
}

/// Why a text is not a workflow.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowError {
    #[error("the workflow is not valid JSON: {0}")]
    Json(#[from] JsonError),
    #[error("a workflow must be a JSON object, but this is {found}")]
    NotAnObject { found: &'static str },
}

impl Workflow {
    /// Reads a workflow. Everything that is a JSON object is accepted; `engine::check` tells what
    /// is wrong in it.
    pub fn parse(text: &str) -> Result<Self, WorkflowError> {
        let (value, spellings) = json::parse_with_spellings(text)?;
        match value {
            Value::Object(doc) => {
                Ok(Self { doc: Arc::unwrap_or_clone(doc), spellings: Arc::new(spellings) })
            }
            other => Err(WorkflowError::NotAnObject { found: other.kind_name() }),
        }
    }

    pub fn from_value(value: &Value) -> Option<Self> {
        Some(Self { doc: value.as_object()?.clone(), spellings: Arc::default() })
    }

    /// The document as it is saved.
    pub fn to_text(&self) -> String {
        json::to_pretty_string(&self.to_value(), &self.spellings)
    }

    pub fn to_value(&self) -> Value {
        Value::object(self.doc.clone())
    }

    pub(crate) fn from_parts(doc: Object, spellings: Arc<Spellings>) -> Self {
        Self { doc, spellings }
    }

    pub(crate) fn spellings(&self) -> &Arc<Spellings> {
        &self.spellings
    }

    pub fn doc(&self) -> &Object {
        &self.doc
    }

    pub fn doc_mut(&mut self) -> &mut Object {
        &mut self.doc
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.doc.get(key).and_then(Value::as_str)
    }

    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    pub fn name(&self) -> &str {
        self.text("name").unwrap_or("My workflow")
    }

    pub fn is_active(&self) -> bool {
        self.doc.get("active").and_then(Value::as_bool).unwrap_or(false)
    }

    pub fn setting(&self, key: &str) -> Option<&Value> {
        self.doc.get("settings")?.get(key)
    }

    /// The zone of dates in expressions, if the workflow names one.
    pub fn timezone(&self) -> Option<&str> {
        self.setting("timezone")
            .and_then(Value::as_str)
            .filter(|zone| !zone.is_empty() && *zone != "DEFAULT")
    }

    /// The nodes in the order they stand in the document.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let nodes = self.doc.get("nodes").and_then(Value::as_array).unwrap_or_default();
        nodes.iter().filter_map(Value::as_object).map(Node::new)
    }

    /// The nodes with their index in the list, in which other things may stand too.
    pub fn indexed_nodes(&self) -> impl Iterator<Item = (usize, Node<'_>)> {
        let nodes = self.doc.get("nodes").and_then(Value::as_array).unwrap_or_default();
        nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| Some((index, Node::new(node.as_object()?))))
    }

    pub fn node(&self, name: &str) -> Option<Node<'_>> {
        self.nodes().find(|node| node.name() == name)
    }

    pub fn node_by_id(&self, id: &str) -> Option<Node<'_>> {
        self.nodes().find(|node| node.id() == Some(id))
    }

    /// Data that stands in for a node's output.
    pub fn pin_data(&self, node: &str) -> Option<&[Value]> {
        self.doc.get("pinData")?.get(node)?.as_array()
    }

    pub fn connections(&self) -> Option<&Object> {
        self.doc.get("connections")?.as_object()
    }

    /// Every connection that has the right form, in document order.
    pub fn edges(&self) -> Vec<Edge> {
        self.connections().map(edges::read).unwrap_or_default()
    }

    /// A name that no node has yet: `Set`, then `Set1`, `Set2` …
    pub fn free_name(&self, wanted: &str) -> Str {
        if self.node(wanted).is_none() {
            return wanted.into();
        }
        let stem = wanted.trim_end_matches(|last: char| last.is_ascii_digit());
        (1..)
            .map(|number| Str::from(format!("{stem}{number}")))
            .find(|name| self.node(name).is_none())
            .unwrap_or_default()
    }
}
