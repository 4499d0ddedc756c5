//! Workflows: documents, and what the server knows about them.

use super::tags::Tag;
use super::{JsonNodes, JsonObject, Nullable, Page, Timestamp};
use model::{Object, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::borrow::Cow;

/// A workflow: its document, and what the server knows about it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Workflow<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) active: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) is_archived: bool,
    pub(crate) version_id: &'a str,
    pub(crate) project_id: &'a str,
    pub(crate) parent_folder_id: Option<&'a str>,
    /// The version that listens, while the workflow is active.
    pub(crate) active_version_id: Option<&'a str>,
    #[serde(flatten)]
    pub(crate) document: WorkflowDocument,
    pub(crate) trigger_count: usize,
    pub(crate) tags: Vec<Tag<'a>>,
}

/// The fields that the server sets itself, whatever a document says.
const OWN_FIELDS: &[&str] = &[
    "id",
    "name",
    "active",
    "createdAt",
    "updatedAt",
    "isArchived",
    "versionId",
    "projectId",
    "parentFolderId",
    "activeVersionId",
    "triggerCount",
    "tags",
];

/// The document of a workflow, without the fields that the server sets itself.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct WorkflowDocument(Object);

impl WorkflowDocument {
    pub(crate) fn new(document: &Value, static_data: Option<Value>) -> Self {
        let fields = document.as_object().into_iter().flat_map(Object::iter);
        let mut kept: Object = fields
            .filter(|(key, _)| !OWN_FIELDS.contains(&key.as_str()))
            .map(|(key, field)| (key.clone(), field.clone()))
            .collect();
        for (key, default) in [
            ("settings", Value::empty_object()),
            ("staticData", Value::Null),
            ("pinData", Value::Null),
            ("meta", Value::Null),
        ] {
            if !kept.contains_key(key) {
                kept.insert(key, default);
            }
        }
        if let Some(static_data) = static_data {
            kept.insert("staticData", static_data);
        }
        Self(kept)
    }

    pub(crate) fn remove_pins(&mut self) {
        self.0.remove("pinData");
    }

    /// How many of its nodes start it.
    pub(crate) fn trigger_count(&self) -> usize {
        let nodes = self.0.get("nodes").and_then(Value::as_array).unwrap_or_default();
        let triggers = nodes.iter().filter(|node| {
            node.get("type").and_then(Value::as_str).is_some_and(|kind| {
                kind.to_lowercase().contains("trigger") || kind.ends_with(".webhook")
            })
        });
        triggers.count()
    }
}

impl JsonSchema for WorkflowDocument {
    fn schema_name() -> Cow<'static, str> {
        "WorkflowDocument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DocumentFields::json_schema(generator)
    }
}

/// The fields of a document that the API names; there may be others.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes `WorkflowDocument`")]
struct DocumentFields {
    nodes: JsonNodes,
    connections: JsonObject,
    settings: JsonObject,
    static_data: Option<JsonObject>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    pin_data: Nullable<JsonObject>,
    meta: Option<JsonObject>,
}

pub(crate) type WorkflowList<'a> = Page<Workflow<'a>>;
