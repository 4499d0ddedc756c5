//! What clients say about workflows, and what they ask of their list.

use super::{
    Cursor, Echoed, Id, JsonNodes, JsonObject, Nullable, PageLimit, Patch, Text, UNLIMITED,
};
use model::{Object, Str, Value};
use schemars::JsonSchema;
use serde::Deserialize;
use std::str::FromStr;

/// Defines a workflow as clients send it. They send back what they got; the server owns most of it,
/// and takes those fields without reading them: the names with `_`, which JSON has without it.
macro_rules! workflow_body {
    ($(#[$attribute:meta])* $body:ident { name: $name:ty }) => {
        $(#[$attribute])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $body {
            name: $name,
            nodes: JsonNodes,
            connections: JsonObject,
            settings: Option<JsonObject>,
            #[serde(default)]
            static_data: Patch<JsonObject>,
            #[serde(default)]
            pin_data: Patch<JsonObject>,
            #[serde(default)]
            meta: Patch<JsonObject>,
            _id: Option<Echoed>,
            _active: Option<Echoed>,
            _created_at: Option<Echoed>,
            _updated_at: Option<Echoed>,
            _version_id: Option<Echoed>,
            _active_version_id: Option<Echoed>,
            _active_version: Option<Echoed>,
            _trigger_count: Option<Echoed>,
            _is_archived: Option<Echoed>,
            _tags: Option<Echoed>,
            _shared: Option<Echoed>,
            _version_counter: Option<Echoed>,
            _description: Option<Echoed>,
            _parent_folder: Option<Echoed>,
            #[serde(default)]
            parent_folder_id: Patch<Id>,
            _home_project: Option<Echoed>,
            _scopes: Option<Echoed>,
            #[serde(default)]
            project_id: Nullable<Id>,
        }

        impl $body {
            /// The name, and the parts without it.
            fn split_name(self) -> ($name, WorkflowParts) {
                let required = [("nodes", self.nodes.0), ("connections", self.connections.0)];
                let mut document = Object::from_iter(required);
                if let Some(settings) = self.settings {
                    document.insert("settings", settings.0);
                }
                for (key, field) in [
                    ("staticData", self.static_data),
                    ("pinData", self.pin_data),
                    ("meta", self.meta),
                ] {
                    match field {
                        Patch::Absent => {}
                        Patch::Null => drop(document.insert(key, Value::Null)),
                        Patch::Value(value) => drop(document.insert(key, value.0)),
                    }
                }
                let (project_id, folder) = (self.project_id.0, self.parent_folder_id);
                (self.name, WorkflowParts { document, project_id, folder })
            }
        }
    };
}

workflow_body! {
    /// A workflow that is saved.
    WorkflowInput { name: Text<1, UNLIMITED> }
}

workflow_body! {
    /// A workflow as it is drawn, which may have no name yet.
    DrawnWorkflow { name: Option<Text<0, UNLIMITED>> }
}

/// What a client says about a workflow.
pub(crate) struct WorkflowParts {
    /// What is stored and run.
    pub(crate) document: Object,
    pub(crate) project_id: Option<Id>,
    pub(crate) folder: Patch<Id>,
}

impl WorkflowInput {
    /// The document has its fields in the order in which they were sent: one that is the same as
    /// the last makes no version.
    pub(crate) fn into_parts(self, sent: &Value) -> WorkflowParts {
        let (name, mut parts) = self.split_name();
        let mut fields = std::mem::take(&mut parts.document);
        fields.insert("name", Str::from(name));
        let sent = sent.as_object().into_iter().flat_map(Object::keys);
        parts.document = sent.filter_map(|key| Some((key.clone(), fields.remove(key)?))).collect();
        parts
    }
}

impl DrawnWorkflow {
    pub(crate) fn into_document(self) -> Object {
        let (name, WorkflowParts { mut document, .. }) = self.split_name();
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            document.insert("name", Str::from(name));
        }
        document
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorkflowPlace {
    pub(crate) parent_folder_id: Nullable<Id>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Activation {
    pub(crate) version_id: Option<Text<0, 100>>,
    pub(crate) name: Option<Text<0, 128>>,
    pub(crate) description: Option<Text<0, 2048>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Transfer {
    pub(crate) destination_project_id: Id,
}

/// Where a page of workflows begins: the last updated come first.
pub(crate) struct WorkflowCursor {
    pub(crate) updated_ms: i64,
    pub(crate) id: Str,
}

impl FromStr for WorkflowCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (updated_ms, id) = text.split_once(' ').ok_or(())?;
        Ok(Self { updated_ms: updated_ms.parse().map_err(|_| ())?, id: id.into() })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowListQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<WorkflowCursor>,
    pub(crate) active: Option<bool>,
    /// Names of tags, with commas between them.
    pub(crate) tags: Option<String>,
    pub(crate) name: Option<String>,
    /// The same as `name`.
    pub(crate) query: Option<String>,
    pub(crate) project_id: Option<String>,
    /// Only those in this folder; empty for the top.
    pub(crate) parent_folder_id: Option<String>,
    #[serde(default)]
    pub(crate) exclude_pinned_data: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowUpdateQuery {
    /// The version that the change is based on; if it is no longer the newest, nothing is saved.
    pub(crate) version_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowQuery {
    #[serde(default)]
    pub(crate) exclude_pinned_data: bool,
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::json;

    #[test]
    fn a_document_has_what_is_the_clients_in_the_order_it_was_sent() {
        let sent = json!({ "id": 7, "connections": {}, "name": "W", "pinData": null, "tags": [],
            "nodes": [{ "name": "A" }], "active": true });
        let input: WorkflowInput = read(&sent).unwrap();
        let document = Value::from(input.into_parts(&sent).document);
        let expected =
            json!({ "connections": {}, "name": "W", "pinData": null, "nodes": [{ "name": "A" }] });
        assert_eq!(model::json::to_string(&document), model::json::to_string(&expected));
    }

    #[test]
    fn a_place_must_be_named_and_may_be_the_top() {
        let place = |sent| read::<WorkflowPlace>(&sent).map(|place| place.parent_folder_id.0);
        assert_eq!(place(json!({ "parentFolderId": null })), Ok(None));
        assert!(place(json!({ "parentFolderId": "f" })).unwrap().is_some());
        assert_eq!(place(json!({})).unwrap_err().to_string(), "'parentFolderId' is missing");
        assert_eq!(place(json!({ "parentFolderId": "" })).unwrap_err().path, "parentFolderId");
    }

    #[test]
    fn only_what_is_drawn_may_have_no_name() {
        for sent in [
            json!({ "nodes": [], "connections": {} }),
            json!({ "name": "", "nodes": [], "connections": {} }),
        ] {
            assert_eq!(read::<WorkflowInput>(&sent).err().unwrap().path, "name");
            let drawn: DrawnWorkflow = read(&sent).unwrap();
            assert_eq!(drawn.into_document().get("name"), None);
        }
        for (sent, problem) in [
            (json!({ "name": "W", "nodes": [] }), "'connections' is missing"),
            (json!({ "name": "W", "nodes": {}, "connections": {} }), "'nodes' must be a list"),
            (
                json!({ "name": "W", "nodes": [1], "connections": {} }),
                "'nodes' contains a value that is not an object",
            ),
            (
                json!({ "name": "W", "nodes": [], "connections": {}, "settings": null }),
                "'settings' must be an object",
            ),
            (
                json!({ "name": "W", "nodes": [], "connections": {}, "meta": 1 }),
                "'meta' must be an object",
            ),
            (
                json!({ "name": "W", "nodes": [], "connections": {}, "owner": 1 }),
                "'owner' is not a field that can be set here",
            ),
        ] {
            assert_eq!(read::<WorkflowInput>(&sent).err().unwrap().to_string(), problem);
        }
    }
}
